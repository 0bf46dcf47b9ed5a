"""Trajectories in ATIF: `atif` reads and writes them and offers the rest by one name; `builder` is for adapters.

Not here: reading any client's log (`agents.clients`).
"""
