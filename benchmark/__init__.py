"""What is measured: the vocabulary, the planner, trials, the record store, the command line, and one folder a suite.

Not here: how a trial gets its surroundings (`fixtures`), who does the work (`agents`), what the numbers say (`reports`).
"""
