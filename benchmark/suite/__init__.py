"""The suite contract: what planning, trials, reports and the command line know of a suite, and how suites are found.

Not here: any suite. Each is a folder of its own beside this one.
"""
