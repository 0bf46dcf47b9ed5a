"""The `assay` command: one module a group of commands, `main` puts them together.

Not here: what the commands do. They call the packages beside this one.
"""
