"""Where arms part: of the pairs with the largest shrunken gain and loss the first task that one arm's chain solved and that of
the other did not, with both attempts' feedback and what they changed, to be read side by side.

It shows, and proves nothing: one chain of either arm, chosen for being typical. All that agents wrote is plain text of bounded
size here (`reports.changes`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from typing import Any, NamedTuple

from benchmark.files import Files
from benchmark.model import Attempt, CheckOutcome, Record
from benchmark.store import LostBlob, Store
from benchmark.suites import Suite
from reports.changes import changes, plain
from reports.metrics import Audit, Observation
from reports.shrink import Shrunk

#: As DESIGN.md bounds feedback: 2,000 characters of what was expected and seen, 8,000 in all.
PART_LIMIT, TOLD_LIMIT, TITLE_LIMIT = 2_000, 8_000, 300
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

    treated: Observation
    base: Observation
    task: int
    ways: int
    of: int


def divergence(audit: Audit, store: Store, effects: Sequence[PairEffect]) -> dict[str, Any]:
    """`gain` and `loss`: the pair with the largest of either, and where its arms part; or a `reason` why there is none.

    Of each: the pair with its shrunken effect (no raw one), the task, `sides` C0 and C1 with the last attempt at it, in how
    many of the pairs of chains the arms part this way, and what it rests on.
    """
    return {"note": NOTE, "gain": _one(audit, store, effects, 1), "loss": _one(audit, store, effects, -1)}


def _one(audit: Audit, store: Store, effects: Sequence[PairEffect], sign: int) -> dict[str, Any]:
    chosen = _largest(effects, sign)
    return {"reason": chosen} if isinstance(chosen, str) else _shown(audit, store, chosen, sign)


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


def _shown(audit: Audit, store: Store, effect: PairEffect, sign: int) -> dict[str, Any]:
    pair = {**effect._asdict(), "shrunk": effect.size, "sd": effect.shrunk.sd}
    arms = {name: _chains(audit, effect, name) for name in ("C1", "C0")}
    for name, items in arms.items():
        if not items:
            return {**pair, "reason": f"No chain of {name} on {effect.project} has a record of its tasks."}
    parting = _part(arms["C1"], arms["C0"], sign)
    if parting is None:
        further, other = ("C1", "C0") if sign > 0 else ("C0", "C1")
        return {**pair, "reason": f"No chain of {further} on {effect.project} got further than one of {other}."}
    sides = {"C0": _side(audit.suite, store, parting.base, parting.task)}
    sides["C1"] = _side(audit.suite, store, parting.treated, parting.task)
    title = next((side["title"] for side in sides.values() if side.get("title")), None)
    counts = {"parting": parting.ways, "pairs_of_chains": parting.of}
    return {**pair, "reason": None, "task": parting.task, "title": title, **counts, "sides": sides}


def _chains(audit: Audit, effect: PairEffect, condition: str) -> list[Observation]:
    items = audit.arm(effect.skill, effect.agent, effect.delivery, condition)
    return [
        item for item in items if item.project == effect.project and item.status == "measured" and item.record and item.solved
    ]


def _depth(item: Observation) -> int:
    return next((at for at, solved in enumerate(item.solved) if not solved), len(item.solved))


def _part(treated: Sequence[Observation], base: Sequence[Observation], sign: int) -> _Parting | None:
    """Of the pairs of chains in which the arm of that sign got further the most typical: nearest to their arms' mean depths.

    Among equally typical ones that which parts first, then the first replicates. None where no two chains part this way.
    """
    centres = [math.fsum(map(_depth, arm)) / len(arm) for arm in (treated, base)]
    ways = [(one, two) for one, two in product(treated, base) if sign * (_depth(one) - _depth(two)) > 0]
    if not ways:
        return None

    def oddness(way: tuple[Observation, Observation]) -> tuple[float, int, int, int]:
        off = sum(abs(_depth(item) - centre) for item, centre in zip(way, centres, strict=True))
        return round(off, 9), min(map(_depth, way)), way[0].replicate, way[1].replicate

    one, two = min(ways, key=oddness)
    return _Parting(one, two, min(_depth(one), _depth(two)) + 1, len(ways), len(treated) * len(base))


def _side(suite: Suite, store: Store, item: Observation, number: int) -> dict[str, Any]:
    """One chain's last attempt at the task; what cannot be had is None with the reason."""
    line: dict[str, Any] = {"trial": item.id, "replicate": item.replicate, "model": item.model, "tasks_solved": _depth(item)}
    assert item.record is not None
    try:
        record = store.read(item.record)
    except (OSError, ValueError) as error:
        return {**line, "attempt": None, "reason": f"Its record cannot be read: {type(error).__name__}."}
    day = datetime.fromtimestamp(record.started, UTC).strftime("%Y-%m-%d")
    line |= {"client_version": record.resolved.agent_version, "date": day}
    task = next((task for task in record.tasks if task.task == number), None)
    if task is None or not task.attempts:
        return {**line, "attempt": None, "reason": f"Its record has no attempt at task {number}."}
    last = task.attempts[-1]
    told = task.attempts[-2].feedback if len(task.attempts) > 1 else None
    return {
        **line,
        "reason": None,
        "title": plain(task.title, TITLE_LIMIT),
        "difficulty": task.difficulty,
        "attempt": last.number,
        "attempts": len(task.attempts),
        "solved": last.solved,
        "limit": last.limit,
        "told": None if told is None else plain(told, TOLD_LIMIT),
        "feedback": None if last.feedback is None else plain(last.feedback, TOLD_LIMIT),
        **_failed(last.checks),
        "changes": _changes(suite, store, record, number, last),
    }


def _failed(checks: Sequence[CheckOutcome]) -> dict[str, Any]:
    """The checks that failed: title, what was expected and what was seen."""
    failed = [check for check in checks if check.failure]
    rows = [
        {
            "title": plain(check.title, TITLE_LIMIT),
            "failure": check.failure,
            "expected": plain(check.expected, PART_LIMIT),
            "seen": plain(check.seen, PART_LIMIT),
        }
        for check in failed[:MOST_CHECKS]
    ]
    return {"checks": rows, "more_checks": len(failed) - len(rows)}


def _changes(suite: Suite, store: Store, record: Record, number: int, last: Attempt) -> dict[str, Any]:
    """What the task's attempts changed in the workspace that the task before left."""
    before = _before(suite, store, record, number)
    after = _tree(store, last.workspace)
    for found in (before, after):
        if isinstance(found, str):
            return {"files": [], "note": found}
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
