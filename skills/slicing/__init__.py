"""A SKILL.md cut into slices, and the variants that C3 and L3 inject.

Not here: which skill replaces which (`matching`).
"""
