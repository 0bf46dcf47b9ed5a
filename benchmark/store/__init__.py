"""Records on disk: append-only lines, content-addressed blobs, and the run's budget.

Not here: what a record means (`core`) and what the numbers say (`reports`).
"""
