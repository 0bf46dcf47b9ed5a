"""The options that suites add to pytest and to `assay plan`: from the command line into a panel's table of the suite."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmark.panel import DEMO, PANELS, Overrides
from benchmark.suite.capabilities import ProjectSource
from benchmark.suite.discovery import find_suite, suite_options


def setting(suite: str, key: str) -> str:
    """The name under which a parser keeps the value of a suite's option."""
    return f"suite_{suite}_{key}".replace("-", "_")


def given_settings(value: Callable[[str, str], Any]) -> dict[str, dict[str, Any]]:
    """What was given of suites' options, by suite and key; `value` gives that of one, None where it was not given."""
    found: dict[str, dict[str, Any]] = {}
    for suite, options in suite_options().items():
        for option in options:
            given = value(suite, option.key)
            if given is not None:
                path = str(Path(given).expanduser().resolve()) if option.path else given
                found.setdefault(suite, {})[option.key] = path
    return found


def usual_panel(asked: Overrides) -> Path:
    """The panel that is run where none is named: the demo, or the one that the suite has for what was set of it."""
    for name, settings in asked.suite_settings.items():
        suite = find_suite(name)
        usual = suite.usual_panel(settings) if isinstance(suite, ProjectSource) else None
        if usual:
            return PANELS / usual
    return DEMO
