"""Ratios of medians, and of other figures: within a group, everything over the case whose name begins with `baseline`."""

from typing import Any

import pytest


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: Any, config: Any) -> None:
    groups: dict[tuple[str, str], dict[str, float]] = {}
    for item in config._benchmarksession.benchmarks:
        figures = {"median s": item.stats.median, **item.extra_info.get("figures", {})}
        for figure, value in figures.items():
            groups.setdefault((item.group, figure), {})[item.name.removeprefix("test_")] = value
    terminalreporter.section("against the baseline of the same run")
    for (group, figure), cases in groups.items():
        base = next((value for name, value in cases.items() if name.startswith("baseline")), None)
        for name, value in cases.items():
            if base and not name.startswith("baseline"):
                ratio = f"ratio {value / base:.2f}, difference {value - base:+.3f}"
                terminalreporter.write_line(f"{group}: {name} {value:.3f} {figure}, baseline {base:.3f}: {ratio}")
