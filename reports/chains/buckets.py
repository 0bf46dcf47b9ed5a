"""A contrast in buckets of tasks, by difficulty and by place in the chain (METHOD.md, Buckets).

A bucket's difference is unconditional: a task that was not reached is not solved. Times its share of the tasks it is what the
bucket contributes to the whole difference, and the contributions of all buckets sum to that. What was solved of the tasks
reached stands beside it and describes only: arms reach different tasks.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import get_args

from benchmark.core.model import Difficulty
from benchmark.suite.capabilities import Chained
from benchmark.suite.metric import Metric
from reports.audit.arm_pairs import ArmPair, family_means, mean, value
from reports.audit.interval_lines import interval_line
from reports.audit.metrics import Audit, TrialObservation
from reports.result_lines import BothArms, IntervalLine
from reports.stats.statistics import ratio_interval

#: Bucket of tasks of which the suite does not say how hard they are: it keeps the sum whole.
UNKNOWN = "not known"
QUARTERS = ("first quarter", "second quarter", "third quarter", "last quarter")
DESCRIPTIVE = "Exploratory. Solved of the tasks reached is descriptive only: arms reach different tasks."

#: The bucket of each task of a project, None where nothing tells how long its chain is.
Labels = Callable[[str], Sequence[str] | None]


def cuts(audit: Audit) -> dict[str, Labels]:
    """The ways in which an audit's tasks are put into buckets."""
    lengths = _lengths(audit)
    return {"difficulty": _difficulties(audit, lengths), "position": _positions(lengths)}


def _lengths(audit: Audit) -> dict[str, int]:
    """How many tasks the chain of each project has, as its measured trials show."""
    lengths: dict[str, int] = {}
    for item in audit.observations.values():
        if item.status == "measured":
            lengths[item.project] = max(lengths.get(item.project, 0), len(item.solved))
    return lengths


def _difficulties(audit: Audit, lengths: Mapping[str, int]) -> Labels:
    suite = audit.suite
    assert isinstance(suite, Chained)
    known = suite.projects()

    @cache
    def labels(project: str) -> Sequence[str] | None:
        count = lengths.get(project)
        if count is None:
            return None
        found = tuple(suite.difficulties(project)) if project in known else ()
        # Tasks that were put in or taken out since the trials ran cannot be told apart any more.
        return found if len(found) == count else (UNKNOWN,) * count

    return labels


def _positions(lengths: Mapping[str, int]) -> Labels:
    """Quarters of the chain, which are tasks 1–5, 6–10, 11–15 and 16–20 of twenty; named by tasks where chains are alike."""
    alike = len(set(lengths.values())) == 1

    @cache
    def labels(project: str) -> Sequence[str] | None:
        count = lengths.get(project)
        if count is None:
            return None
        quarters = [math.ceil(4 * task / count) - 1 for task in range(1, count + 1)]
        if not alike:
            return [QUARTERS[at] for at in quarters]
        places = {at: [task for task, quarter in enumerate(quarters, start=1) if quarter == at] for at in quarters}
        return [_range(places[at]) for at in quarters]

    return labels


def _range(tasks: Sequence[int]) -> str:
    return f"{tasks[0]}–{tasks[-1]}" if len(tasks) > 1 else f"{tasks[0]}"


def _order(label: str) -> tuple[int, int]:
    """Easy before challenging, early before late, what is not known last."""
    named = [*get_args(Difficulty), *QUARTERS]
    if label in named:
        return 0, named.index(label)
    first = label.partition("–")[0]
    return (0, int(first)) if first.isdecimal() else (1, 0)


@dataclass(frozen=True)
class Given:
    """The share of a bucket's tasks that an arm reached, and what it solved of those."""

    reached: float
    solved: float | None


@dataclass(frozen=True)
class Bucket:
    """One bucket of tasks: its share of all tasks, what either arm solved of it, and what it contributes to the difference."""

    bucket: str
    tasks: int
    projects: int
    share: float
    treated: float
    base: float
    difference: IntervalLine
    contribution: float
    given_treated: Given
    given_base: Given
    coverage: BothArms


@dataclass(frozen=True)
class Buckets:
    """The primary difference in buckets: the contributions sum to `overall`. Without rows there is a reason."""

    rows: Sequence[Bucket]
    sum: float | None
    overall: float | None
    reason: str | None


def buckets(sides: ArmPair, labels: Labels, metric: Metric, level: float) -> Buckets:
    """The primary difference in buckets of tasks. `rows` have their share of the tasks, what either arm solved of them
    (not reached is not solved), the difference with its interval, its contribution to the whole, and what was solved of the
    tasks reached; `sum` is that of the contributions and equals `overall`. No rows, with a reason, where there can be none."""
    left, right = sides.means(metric.name)
    overall = mean(family_means({project: left[project] - right[project] for project in left}, sides.families).values())
    tasks = {project: found for project in left if (found := labels(project))}
    arms = [_chains(side, metric, tasks) for side in (sides.left, sides.right)]
    names = sorted({label for found in tasks.values() for label in found}, key=_order)
    reason = None
    if not left:
        reason = sides.why(metric)
    elif len(tasks) < len(left) or not all(_adds_up(item, metric, tasks) for arm in arms for item in chain(*arm.values())):
        reason = f"{metric.title} is not the share of tasks solved here: it has no buckets of tasks"
    elif names == [UNKNOWN]:
        reason = "the suite does not say how hard the tasks are"
    rows = [] if reason else [_bucket(sides, arms, name, tasks, labels, level) for name in names]
    return Buckets(rows, math.fsum(row.contribution for row in rows) if rows else None, overall, reason)


#: The measured trials of an arm by project.
Chains = Mapping[str, Sequence[TrialObservation]]


def _chains(side: Sequence[TrialObservation], metric: Metric, tasks: Mapping[str, Sequence[str]]) -> Chains:
    found: dict[str, list[TrialObservation]] = {project: [] for project in tasks}
    for item in side:
        if item.project in found and value(item, metric.name) is not None:
            found[item.project].append(item)
    return found


def _adds_up(item: TrialObservation, metric: Metric, tasks: Mapping[str, Sequence[str]]) -> bool:
    """Whether the metric of a trial is the share of its tasks that were solved."""
    found = value(item, metric.name)
    return found is not None and abs(found - sum(item.solved) / len(tasks[item.project])) < 1e-9


def _bucket(
    sides: ArmPair, arms: Sequence[Chains], name: str, tasks: Mapping[str, Sequence[str]], labels: Labels, level: float
) -> Bucket:
    places = {project: [at for at, label in enumerate(found) if label == name] for project, found in tasks.items()}

    def shares(count: Callable[[str], float]) -> dict[str, float]:
        """By family, tasks that count over all tasks of the chain."""
        return family_means({project: count(project) / len(found) for project, found in tasks.items()}, sides.families)

    whole = shares(lambda project: len(places[project]))
    solved = [shares(lambda project, arm=arm: _count(arm[project], places[project], _is_solved)) for arm in arms]
    reached = [shares(lambda project, arm=arm: _count(arm[project], places[project], _is_reached)) for arm in arms]
    # A family without such tasks says nothing of them, and adds nothing to the sums.
    held = [{family: one[family] for family in whole if whole[family]} for one in (*solved, whole)]
    share, treated, base, *came = (math.fsum(one.values()) / len(whole) for one in (whole, *solved, *reached))
    planned = [project for project in sides.families if (found := labels(project)) is None or name in found]
    given = [Given(there / share, done / there if there else None) for done, there in zip((treated, base), came, strict=True)]
    return Bucket(
        bucket=name,
        tasks=sum(map(len, places.values())),
        projects=sum(map(bool, places.values())),
        share=share,
        treated=treated / share,
        base=base / share,
        difference=interval_line(ratio_interval(held[0], held[1], held[2], level)),
        contribution=treated - base,
        given_treated=given[0],
        given_base=given[1],
        coverage=sides.of(planned).coverage(),
    )


def _count(items: Sequence[TrialObservation], places: Sequence[int], holds: Callable[[Sequence[bool], int], bool]) -> float:
    """Of how many of those tasks it holds, the mean over trials."""
    return sum(holds(item.solved, at) for item in items for at in places) / len(items)


def _is_solved(tasks: Sequence[bool], at: int) -> bool:
    return at < len(tasks) and tasks[at]


def _is_reached(tasks: Sequence[bool], at: int) -> bool:
    """A chain ends at the first task not solved: a task is reached where all before it are solved."""
    return at < len(tasks) and all(tasks[:at])
