"""Which skill covers which project's stack: tiers, annotators' votes and their agreement, suggestions.

Not here: matching for C2 (`matching`).
"""
