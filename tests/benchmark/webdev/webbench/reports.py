"""Real runs of Playwright, kept below tests/data/webbench-reports (see its make.py), one folder a version."""

import json
from pathlib import Path

from benchmark.core.model import CheckOutcome
from benchmark.webdev.webbench.report import ParsedRun, PlaywrightRun, parse_run

REPORTS = Path(__file__).parents[3] / "data/webbench-reports"
VERSIONS = tuple(sorted(folder.name for folder in REPORTS.iterdir() if folder.name[0].isdigit()))
WORKSPACE = "/bench/workspace"
PROJECT = "/bench/repo/projects/shop"


def ran(version: str, case: str) -> PlaywrightRun:
    made = json.loads((REPORTS / version / f"{case}.json").read_text())
    report = json.dumps(made["report"]).encode() if made["report"] else None
    return PlaywrightRun(made["code"], made["said"], report, made["late"])


def specs(version: str, case: str) -> list[str]:
    return json.loads((REPORTS / version / f"{case}.json").read_text())["specs"]


def understood(version: str, case: str) -> ParsedRun:
    return parse_run(ran(version, case), specs(version, case), WORKSPACE)


def by_title(checks: tuple[CheckOutcome, ...]) -> dict[str, CheckOutcome]:
    assert len({check.title for check in checks}) == len(checks)
    return {check.title: check for check in checks}
