"""Wiring only: which plugins load."""

pytest_plugins = ["benchmark.plugin", "reports.plugin"]
