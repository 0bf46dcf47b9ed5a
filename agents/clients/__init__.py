"""Real command-line clients, one module each, with the lock files that they are installed by.

Not here: installing them (`fixtures.packages.clients`).
"""
