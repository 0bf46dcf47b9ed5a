"""Wiring only: which plugins load."""

pytest_plugins = ["benchmark.plugin", "fixtures.plugin", "reports.plugin"]
