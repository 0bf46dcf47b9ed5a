"""Where chains ended before their last task, and what their last attempt left undone."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from benchmark.store.store import Store
from reports.audit.metrics import Audit, TrialObservation
from reports.chains.failed_checks import FailedCheck, failed_checks
from reports.page.file_diff import plain

#: Chains whose end is shown, and characters of HTML of all that their last attempts were told.
ENDINGS, TOLD = 400, 200_000


@dataclass(frozen=True)
class Ending:
    """One chain: the task that ended it, or why it was not measured."""

    item: TrialObservation
    task: int | None = None
    title: str = ""
    limit: str | None = None
    spoiled: str | None = None
    told: str = ""
    checks: Sequence[FailedCheck] = ()


@dataclass(frozen=True)
class Endings:
    """The chains by project, how many ended, and how many of them have no room."""

    groups: Sequence[tuple[str, Sequence[Ending]]]
    count: int
    more: int


def endings(audit: Audit) -> Endings:
    """Where chains ended before their last task, by project, and what their last attempt left undone.

    What is told is bounded in all: agents decide how long it is.
    """
    ended = [item for item in audit.observations.values() if _ended(item)]
    left, rows = TOLD, []
    for item in ended[:ENDINGS]:
        row = _ending(item, audit.store)
        texts = [text for check in row.checks for text in (check.title, check.failure, check.expected, check.seen)]
        left -= 200 + len(escape(row.told + "".join(texts)))
        if left < 0:
            break
        rows.append(row)
    groups: dict[str, list[Ending]] = defaultdict(list)
    for row in rows:
        groups[row.item.project].append(row)
    return Endings(sorted(groups.items()), len(ended), len(ended) - len(rows))


def _ended(item: TrialObservation) -> bool:
    if item.record is None:
        return False
    return item.status in ("broken", "not_delivered", "contaminated") or (bool(item.solved) and not all(item.solved))


def _ending(item: TrialObservation, store: Store) -> Ending:
    if item.status != "measured" or item.record is None:
        return Ending(item, told=plain(item.reason or "", 2_000))
    last = next((task for task in store.read(item.record).scored if task.outcome == "unsolved"), None)
    if last is None:
        return Ending(item)
    attempt = last.attempts[-1]
    return Ending(
        item,
        last.task,
        plain(last.title, 300),
        attempt.limit,
        attempt.reason and plain(attempt.reason, 300),
        checks=failed_checks(attempt.checks),
    )
