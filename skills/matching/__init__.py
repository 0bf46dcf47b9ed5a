"""Length-matched irrelevant partners for C2, and how alike two skills are.

Not here: which projects a skill covers (`routing`).
"""
