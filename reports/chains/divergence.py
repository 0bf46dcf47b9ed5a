"""First task at which the arms diverge, with both attempts' feedback and what they changed, to be read side by side.

Of the pairs with the largest shrunken gain and loss it is the first task that one arm's chain solved and the other's did not.

It shows, and proves nothing: one chain of either arm, chosen for being typical. All that agents wrote is plain text of bounded
size here (`reports.page.file_diff`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import product
from typing import NamedTuple

from benchmark.core.files import Files
from benchmark.core.model import Attempt, Record
from benchmark.store.store import LostBlob, Store
from benchmark.suite.contract import Suite
from reports.audit.metrics import Audit, TrialObservation
from reports.audit.shrink import Shrunk
from reports.chains.failed_checks import TITLE_LIMIT, FailedCheck, failed_checks
from reports.page.file_diff import Changes, changes, plain

#: As DESIGN.md bounds feedback: 8,000 characters in all.
TOLD_LIMIT = 8_000
MOST_CHECKS = 10
#: Shrunken effects that differ by less are the same.
SAME = 1e-9
NOTE = (
    "One chain of either arm, those nearest to their arm's mean depth among the chains that part this way: an illustration of "
    "the pair with the largest shrunken effect, no evidence of a cause."
)


class PairEffect(NamedTuple):
    """The effect of a skill on one project after shrinkage: C1 − C0 on the primary metric, a share."""

    skill: str
    agent: str
    delivery: str
    project: str
    shrunk: Shrunk

    @property
    def size(self) -> float | None:
        """The shrunken estimate, None where there is none."""
        found = self.shrunk.estimate
        return found if found is not None and math.isfinite(found) else None


@dataclass(frozen=True)
class _Parting:
    """Two chains and the task, from 1, that one of them solved and the other did not."""

    treated: TrialObservation
    base: TrialObservation
    task: int
    ways: int
    of: int


@dataclass(frozen=True)
class Side:
    """One chain's last attempt at the task at which the arms diverge; `attempt` None with the `reason` where there is none."""

    trial: str
    replicate: int
    model: str | None
    tasks_solved: int
    client_version: str = ""
    date: str = ""
    reason: str | None = None
    title: str | None = None
    attempt: int | None = None
    solved: bool = False
    limit: str | None = None
    spoiled: str | None = None
    told: str | None = None
    feedback: str | None = None
    checks: Sequence[FailedCheck] = ()
    more_checks: int = 0
    changes: Changes = field(default=Changes((), None))


@dataclass(frozen=True)
class Divergence:
    """A pair with its shrunken effect, and the first task at which its arms diverge; or the `reason` why there is none.

    In `parting` of `pairs_of_chains` pairs of a C1 and a C0 chain the arms diverge this way; `sides` are by arm, C0 first.
    """

    reason: str | None
    effect: PairEffect | None = None
    task: int = 0
    title: str | None = None
    parting: int = 0
    pairs_of_chains: int = 0
    sides: Mapping[str, Side] = field(default_factory=dict)


def divergence(audit: Audit, effects: Sequence[PairEffect], sign: int) -> Divergence:
    """Of the pair with the largest shrunken gain (sign 1) or loss (−1) the first task at which its arms diverge."""
    chosen = _largest(effects, sign)
    return Divergence(chosen) if isinstance(chosen, str) else _shown(audit, chosen, sign)


def _largest(effects: Sequence[PairEffect], sign: int) -> PairEffect | str:
    """The pair with the largest shrunken effect of that sign, the first by name among equal ones; or why there is none."""
    known = [(sign * size, item) for item in effects if (size := item.size) is not None]
    if not known:
        reasons = sorted({item.shrunk.reason for item in effects if item.shrunk.reason})
        return f"No pair has a shrunken effect: {'; '.join(reasons) or 'no pair has both arms measured'}."
    most = max(size for size, _ in known)
    if most < SAME:
        return f"No pair {'gains' if sign > 0 else 'loses'} after shrinkage."
    chosen = min((item for size, item in known if most - size < SAME), key=lambda item: item[:4])
    alike = [size for size, item in known if item[:3] == chosen[:3]]
    # Pairs that vary no more than their chains all get the mean: whichever was named would be named by chance.
    if len(alike) > 1 and max(alike) - min(alike) < SAME:
        return f"All {len(alike)} pairs of {chosen.skill} are shrunk to one effect: none of them stands out."
    return chosen


def _shown(audit: Audit, effect: PairEffect, sign: int) -> Divergence:
    arms = {name: _chains(audit, effect, name) for name in ("C1", "C0")}
    for name, items in arms.items():
        if not items:
            return Divergence(f"No chain of {name} on {effect.project} has a record of its tasks.", effect)
    parting = _part(arms["C1"], arms["C0"], sign)
    if parting is None:
        further, other = ("C1", "C0") if sign > 0 else ("C0", "C1")
        return Divergence(f"No chain of {further} on {effect.project} got further than one of {other}.", effect)
    sides = {"C0": _side(audit, parting.base, parting.task), "C1": _side(audit, parting.treated, parting.task)}
    title = next((side.title for side in sides.values() if side.title), None)
    return Divergence(None, effect, parting.task, title, parting.ways, parting.of, sides)


def _chains(audit: Audit, effect: PairEffect, condition: str) -> list[TrialObservation]:
    items = audit.arm(effect.skill, effect.agent, effect.delivery, condition)
    return [
        item for item in items if item.project == effect.project and item.status == "measured" and item.record and item.solved
    ]


def _depth(item: TrialObservation) -> int:
    return next((at for at, solved in enumerate(item.solved) if not solved), len(item.solved))


def _part(treated: Sequence[TrialObservation], base: Sequence[TrialObservation], sign: int) -> _Parting | None:
    """Of the pairs of chains in which the arm of that sign got further the most typical: nearest to their arms' mean depths.

    Among equally typical ones that which parts first, then the first replicates. None where no two chains part this way.
    """
    centres = [math.fsum(map(_depth, arm)) / len(arm) for arm in (treated, base)]
    ways = [(one, two) for one, two in product(treated, base) if sign * (_depth(one) - _depth(two)) > 0]
    if not ways:
        return None

    def oddness(way: tuple[TrialObservation, TrialObservation]) -> tuple[float, int, int, int]:
        off = sum(abs(_depth(item) - centre) for item, centre in zip(way, centres, strict=True))
        return round(off, 9), min(map(_depth, way)), way[0].replicate, way[1].replicate

    one, two = min(ways, key=oddness)
    return _Parting(one, two, min(_depth(one), _depth(two)) + 1, len(ways), len(treated) * len(base))


def _side(audit: Audit, item: TrialObservation, number: int) -> Side:
    """One chain's last attempt at the task; what cannot be had is None with the reason."""
    side = Side(item.id, item.replicate, item.model, _depth(item))
    assert item.record is not None
    try:
        record = audit.store.read(item.record)
    except (OSError, ValueError) as error:
        return replace(side, reason=f"Its record cannot be read: {type(error).__name__}.")
    day = datetime.fromtimestamp(record.started, UTC).strftime("%Y-%m-%d")
    side = replace(side, client_version=record.resolved.agent_version, date=day)
    task = next((task for task in record.tasks if task.task == number), None)
    if task is None or not task.attempts:
        return replace(side, reason=f"Its record has no attempt at task {number}.")
    last = task.attempts[-1]
    told = task.attempts[-2].feedback if len(task.attempts) > 1 else None
    checks = failed_checks(last.checks, MOST_CHECKS)
    return replace(
        side,
        title=plain(task.title, TITLE_LIMIT),
        attempt=last.number,
        solved=last.solved,
        limit=last.limit,
        spoiled=None if last.reason is None else plain(last.reason, TITLE_LIMIT),
        told=None if told is None else plain(told, TOLD_LIMIT),
        feedback=None if last.feedback is None else plain(last.feedback, TOLD_LIMIT),
        checks=checks,
        more_checks=sum(bool(check.failure) for check in last.checks) - len(checks),
        changes=_changes(audit, record, number, last),
    )


def _changes(audit: Audit, record: Record, number: int, last: Attempt) -> Changes:
    """What the task's attempts changed in the workspace that the task before left."""
    before = _before(audit.suite, audit.store, record, number)
    after = _tree(audit.store, last.workspace)
    for reason in (before, after):
        if isinstance(reason, str):
            return Changes((), reason)
    assert not isinstance(before, str) and not isinstance(after, str)
    return changes(before, after)


def _before(suite: Suite, store: Store, record: Record, number: int) -> Mapping[str, bytes] | str:
    """The workspace that the chain had before the task, or a sentence why it is not known."""
    earlier = next((task for task in record.tasks if task.task == number - 1), None)
    if earlier or number > 1:
        kept = earlier is not None and earlier.outcome == "solved" and earlier.attempts
        return _tree(store, kept[-1].workspace) if kept else f"The record has no solution of task {number - 1}."
    project = record.spec.project
    if project not in suite.projects() or suite.inputs(project) != record.spec.inputs:
        return "The project or its prompts have changed since the trial: what it started from is not known."
    return suite.start(project)


def _tree(store: Store, digest: str) -> Files | str:
    try:
        return store.get_tree(digest)
    except LostBlob as lost:
        return f"The workspace is not in the store as it was kept: {lost}."
    except (ValueError, AttributeError):
        return "The workspace in the store is damaged."
