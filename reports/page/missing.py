"""What was skipped and broken, in as many words as a page has room for."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from reports.audit.metrics import Audit
from reports.page.file_diff import plain
from reports.result_tables import TokenLine
from reports.results import Results
from reports.verdict.phrasing import token_counts

#: Reasons that are shown one by one, and the trials listed of each.
REASONS, TRIALS = 40, 40
#: Rows of tables of tokens and of delivery, and projects with tests that are left out; tests listed of each.
ROWS, TESTS = 150, 40
R = TypeVar("R")


@dataclass(frozen=True)
class Shown(Generic[R]):
    """The rows that have room, and how many more there are."""

    rows: Sequence[R]
    more: int


@dataclass(frozen=True)
class NotMeasured:
    """One reason, how many trials it kept from being measured, and some of them."""

    status: str
    reason: str
    count: int
    trials: Sequence[str]


@dataclass(frozen=True)
class AbsentRow:
    """One arm that the plan could not have, on these projects."""

    condition: str
    skill: str
    reason: str
    projects: Sequence[str]


@dataclass(frozen=True)
class LeftOut:
    """The tests of one project that no attempt was graded by."""

    project: str
    count: int
    tests: Sequence[str]


def reasons(audit: Audit) -> Shown[NotMeasured]:
    """Why trials were not measured, the most frequent reason first."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for item in audit.observations.values():
        if item.status not in ("measured", "not_run"):
            groups[item.status, item.reason or "no reason was recorded"].append(item.id)
    rows = [
        NotMeasured(status, plain(reason, 500), len(trials), trials[:TRIALS]) for (status, reason), trials in groups.items()
    ]
    rows.sort(key=lambda row: (-row.count, row.status, row.reason))
    return Shown(rows[:REASONS], max(0, len(rows) - REASONS))


def absent(results: Results) -> Shown[AbsentRow]:
    """Arms that the plan could not have, by reason."""
    groups: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for row in results.absent:
        groups[row.condition, row.skill, row.reason].append(row.project)
    rows = [AbsentRow(*what, sorted(set(projects))) for what, projects in groups.items()]
    return Shown(rows[:ROWS], max(0, len(rows) - ROWS))


def left_out_tests(results: Results) -> Shown[LeftOut]:
    """By project the tests that no attempt was graded by, in words."""
    rows = [
        LeftOut(project, len(lines), [plain(line, 300) for line in lines[:TESTS]])
        for project, lines in sorted(results.quarantined.items())
    ]
    return Shown(rows[:ROWS], max(0, len(rows) - ROWS))


def tokens(results: Results) -> Shown[TokenLine]:
    """Tokens as both sides token_counts them; what arms of several skills share is shown once."""
    rows = list(_counts(results))
    return Shown(rows[:ROWS], max(0, len(rows) - ROWS))


def _counts(results: Results) -> Iterator[TokenLine]:
    seen = set()
    for line in results.reported_tokens:
        key = (line.condition, line.agent, token_counts(line.gateway), token_counts(line.client))
        if line.condition != "C0" or key not in seen:
            seen.add(key)
            yield line
