"""The checks that an attempt failed, as text of bounded size."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.core.model import CheckOutcome
from reports.page.file_diff import plain

#: As DESIGN.md bounds feedback: 2,000 characters of what was expected and seen.
PART_LIMIT, TITLE_LIMIT = 2_000, 300


@dataclass(frozen=True)
class FailedCheck:
    """One check: its title, how it failed, what was expected and what was seen."""

    title: str
    failure: str
    expected: str
    seen: str


def failed_checks(checks: Sequence[CheckOutcome], most: int | None = None) -> list[FailedCheck]:
    """Those of the checks that failed, at most so many."""
    return [
        FailedCheck(
            plain(check.title, TITLE_LIMIT),
            str(check.failure),
            plain(check.expected, PART_LIMIT),
            plain(check.seen, PART_LIMIT),
        )
        for check in [check for check in checks if check.failure][:most]
    ]
