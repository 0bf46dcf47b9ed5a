"""Pure functions of numbers: intervals, multiplicity, power, the minima and levels of METHOD.md.

Not here: records, observations, text.
"""
