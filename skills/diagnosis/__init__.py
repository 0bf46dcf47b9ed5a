"""What is reported of skills before they are given to an agent: the linter over folders, and leaked answers.

Not here: the diagnostics of one skill, which reading it gives (`parsing`).
"""
