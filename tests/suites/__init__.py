"""Tests of the suite contract: the small suites of tests/data/suites go the whole way, from a plan to the page."""
