"""Reading a skill's folder: frontmatter, Markdown blocks, and the diagnostics that reading gives.

Not here: checking many skills at once, and leaked answers (`diagnosis`).
"""
