"""From records to observations, arms and contrasts, and what is derived from them.

Not here: what is concluded (`verdict`) and how it is shown (`page`, `output`).
"""
