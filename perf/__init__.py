"""Benchmarks of the harness, serial, each beside a named baseline in the same run. Figures are reported, never asserted."""
