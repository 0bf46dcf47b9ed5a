"""What a project needs beside npm packages to run offline, and why: for any checkout, from needs.toml."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal

from benchmark.core.model import Data
from benchmark.webdev.webbench.project import BenchProject

Status = Literal["runs", "needs a build", "needs network"]
#: From the best to the worst.
STATUSES: tuple[Status, ...] = ("runs", "needs a build", "needs network")


class _Package(Data):
    name: str
    status: Status
    reason: str


class _Script(Data):
    pattern: str
    status: Status
    reason: str


class _Project(Data):
    name: str
    note: str


class _Table(Data):
    package: tuple[_Package, ...]
    script: tuple[_Script, ...]
    project: tuple[_Project, ...]


def needs(project: BenchProject) -> tuple[Status, str]:
    """The status of a project and its reason; of one that runs, what it takes."""
    found = list(_obstacles(project))
    worst = max((STATUSES.index(status) for status, _ in found), default=0)
    reasons = [reason for status, reason in found if status == STATUSES[worst]] or [_takes(project)]
    notes = [row.note for row in _table().project if row.name == project.name]
    return STATUSES[worst], "; ".join(dict.fromkeys(reasons + notes))


def compiled(project: BenchProject) -> tuple[str, ...]:
    """The packages that are compiled when they are installed."""
    wanted = project.wanted()
    return tuple(row.name for row in _table().package if row.status == "needs a build" and row.name in wanted)


def _obstacles(project: BenchProject) -> Iterator[tuple[Status, str]]:
    wanted = project.wanted()
    for row in _table().package:
        if row.name in wanted:
            yield row.status, row.reason
    for rule in _table().script:
        for script in ("init", "build"):
            if re.search(rule.pattern, project.script(script)):
                yield rule.status, rule.reason.format(script=script)


def _takes(project: BenchProject) -> str:
    parts = ["npm packages alone"]
    if build := project.script("build"):
        parts.append("a vite build" if re.search(r"\bvite build\b", build) else f"a build of its own ({build})")
    if project.has_init_script:
        parts.append("an init script")
    return "; ".join(parts)


@cache
def _table() -> _Table:
    return _Table.model_validate(tomllib.loads((Path(__file__).with_suffix(".toml")).read_text(encoding="utf-8")))
