"""From a panel file to trials: pairing, sharing, order, slice arms, forecast.

Not here: running them (`run`).
"""
