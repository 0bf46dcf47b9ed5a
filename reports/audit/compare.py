"""Agents beside each other: whether a skill's effects go together across models, and what quality costs."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any, Literal

from benchmark.core.model import CONDITIONS
from benchmark.suite.metric import ORIENTED
from reports.audit.arm_pairs import ArmPair, coverage, family_means, mean, project_means, value
from reports.audit.interval_lines import interval_line
from reports.audit.metrics import Audit, TrialObservation
from reports.audit.pairs import PairTrials, correlation, differences, paired
from reports.audit.permutations import TELLING, Shuffled, between, shuffled, split_half
from reports.result_lines import BothArms, ContrastLine, IntervalLine, VerdictLine
from reports.result_tables import CorrelationLine, CostArm, CostLine, ExtraCost, GridCell, GridRow, Matrix, MatrixTable
from reports.stats.statistics import ALPHA, family_interval, ratio_interval

UNIT = {"usd": "USD", "tokens": "tokens"}
SHARED = "Pairs of one project share their C0: they are fewer pieces of evidence than their number."
BY_ESTIMATES = (
    "By point estimates on the projects that all arms have measured; arms whose intervals overlap are not told apart."
)
PRICES = "Tokens of different models have different prices."

Cost = Literal["usd", "tokens"]
#: Skill, agent, delivery.
Who = tuple[str, str, str]
#: The interval of a question, at the verdict's level where there is a verdict.
Bounds = Mapping[Who, IntervalLine | VerdictLine]


def _names(audit: Audit, name: str) -> list[str]:
    return list(dict.fromkeys(getattr(row, name) for row in audit.plan.assignments))


# Cross-model matrix


def matrix(audit: Audit, contrasts: Iterable[ContrastLine], verdicts: Iterable[VerdictLine] = ()) -> Matrix:
    """The agents of an audit beside each other, by delivery (never pooled).

    `correlations`: of every two agents over the pairs that both measured, see `_correlation`. `grid`: a row a skill, a cell an
    agent, C1 − C0 over families, see `_estimate`. With one agent there are no correlations, and `reason` says so.
    """
    agents, metric = _names(audit, "agent"), ORIENTED
    lines = {line.key: line for line in contrasts if line.name == "C1−C0"}
    bounds = {line.key: line for line in verdicts}
    tables = []
    for delivery in audit.deliveries:
        pairs = {agent: paired(audit, agent, delivery, ("C1", "C0"))[0] for agent in agents}
        # Models are permuted apart: a seed each.
        noise = (
            {agent: shuffled(pairs[agent], metric, seed=seed) for seed, agent in enumerate(agents)} if len(agents) > 1 else {}
        )
        rows = [
            GridRow(skill, [_estimate(audit, (skill, agent, delivery), lines, bounds) for agent in agents])
            for skill in _names(audit, "skill")
        ]
        found = [
            _correlation(two, [pairs[agent] for agent in two], [noise[agent] for agent in two], metric)
            for two in combinations(agents, 2)
        ]
        tables.append(MatrixTable(delivery, agents, found, rows))
    reason = None if len(agents) > 1 else "one model: a correlation needs two that ran the same pairs"
    return Matrix(tables, reason, SHARED)


def _correlation(
    agents: Sequence[str], pairs: Sequence[Sequence[PairTrials]], noise: Sequence[Shuffled], metric: str
) -> CorrelationLine:
    """Two agents' pair effects, C1 − C0 on the primary metric: Pearson's `r` over the `n` pairs that both measured.

    `noise` is r under permuted labels, `reliability` that of each agent's own halves over the same pairs; `reading` is "cannot
    tell" where one of them is below 0.5 or not known (METHOD.md, References for noise), else None.
    """
    effects = [differences(side, metric, "C1", "C0") for side in pairs]
    found = correlation(*effects)
    common = set(effects[0]) & set(effects[1])
    halves = [split_half([pair for pair in side if pair.key in common], metric) for side in pairs]
    unsure = found.pearson is None or any(half.value is None or half.value < TELLING for half in halves)
    return CorrelationLine(
        agents=list(agents),
        r=found.pearson,
        n=found.pairs,
        reason=found.reason,
        noise=between(*noise)["pearson"],
        reliability=halves,
        reading="cannot tell" if unsure else None,
    )


def _estimate(
    audit: Audit,
    key: Who,
    contrasts: Mapping[Who, ContrastLine],
    verdicts: Mapping[Who, VerdictLine],
) -> GridCell:
    """One cell of the grid: C1 − C0 over families, or the verdict's own estimate and interval where there is one."""
    line = contrasts.get(key)
    if line is None:
        return GridCell(key[1], None, reason="not planned")
    verdict = verdicts.get(key)
    spoken = verdict is not None and verdict.estimate is not None
    shown = verdict.interval if verdict is not None and spoken else line.difference
    treated, base = (coverage(audit.arm(*key, condition)) for condition in ("C1", "C0"))
    return GridCell(
        agent=key[1],
        estimate=shown.estimate,
        low=shown.low,
        high=shown.high,
        level=shown.level,
        families=line.difference.families,
        reason=line.difference.reason,
        scope=verdict.scope if verdict is not None and spoken else None,
        replicates=line.replicates,
        caution=line.caution,
        coverage=BothArms(treated, base),
    )


# Quality against cost


def pareto(points: Sequence[tuple[float | None, float | None]]) -> list[bool | None]:
    """Of points (quality, cost): whether no other has at least the quality at no more cost, and more of either.

    None of a point that lacks a number. Equal points are on the front together.
    """

    def known(point: tuple[float | None, float | None]) -> bool:
        return all(number is not None and math.isfinite(number) for number in point)

    def beats(other: Any, point: Any) -> bool:
        return other[0] >= point[0] and other[1] <= point[1] and other != point

    placed = [point for point in points if known(point)]
    return [not any(beats(other, point) for other in placed) if known(point) else None for point in points]


def quality_and_cost(audit: Audit, contrasts: Iterable[ContrastLine], verdicts: Iterable[VerdictLine] = ()) -> list[CostLine]:
    """By skill and delivery every arm of every agent: the primary metric and the cost of a trial, and who is on the front.

    Arms of different skills ran on different projects and are not set against each other. The cost is in USD where every
    measured trial of every arm has it and any costs something, else in tokens, else None with a `reason`; means go over
    replicates, then projects, then families, on the projects that all arms with any measurement have.
    For `extra` see `extra_task`.
    """
    bounds: dict[Who, IntervalLine | VerdictLine] = {line.key: line.difference for line in contrasts if line.name == "C1−C0"}
    bounds |= {line.key: line for line in verdicts}
    found = []
    for skill, delivery in product(_names(audit, "skill"), audit.deliveries):
        arms = {
            (agent, condition): side
            for agent, condition in product(_names(audit, "agent"), CONDITIONS)
            if (side := audit.arm(skill, agent, delivery, condition))
        }
        if arms:
            measured = [item for side in arms.values() for item in side if item.status == "measured"]
            # Tasks that only have a score are not solved: nothing is to be said of what one more of them costs.
            agents = dict.fromkeys(agent for agent, _ in arms) if any(item.solved for item in measured) or not measured else ()
            extra = [extra_task(audit, (skill, agent, delivery), bounds) for agent in agents]
            found.append(_front(audit, skill, delivery, arms, extra))
    return found


def _front(
    audit: Audit,
    skill: str,
    delivery: str,
    arms: Mapping[tuple[str, str], Sequence[TrialObservation]],
    extra: Sequence[ExtraCost],
) -> CostLine:
    cost, reason = _cost(arms.values())
    families = {item.project: item.family for side in arms.values() for item in side}
    means = {key: project_means(side, ORIENTED) for key, side in arms.items()}
    some = [set(one) for one in means.values() if one]
    common = sorted(set.intersection(*some)) if some else []
    level = 1 - ALPHA / audit.plan.panel.looks
    rows = []
    for (agent, condition), side in arms.items():
        kept = [item for item in side if item.project in common]
        quality = family_means(
            {project: found for project, found in means[agent, condition].items() if project in common}, families
        )
        price = mean(family_means(project_means(kept, cost), families).values()) if cost else None
        line = interval_line(family_interval(list(quality.values()), level))
        why = None if quality else _absent(means[agent, condition], common)
        rows.append(
            CostArm(
                agent=agent,
                condition=condition,
                quality=line.estimate,
                interval=line,
                cost=price if quality else None,
                reason=why or (None if price is not None else reason),
                coverage=coverage(side),
            )
        )
    fronts = pareto([(row.quality, row.cost) for row in rows])
    several = len({agent for agent, _ in arms}) > 1
    return CostLine(
        skill=skill,
        delivery=delivery,
        arms=[replace(row, front=on_front) for row, on_front in zip(rows, fronts, strict=True)],
        metric=audit.suite.primary.name,
        unit=UNIT[cost] if cost else None,
        reason=reason,
        projects=common,
        left_out=sorted(set(families) - set(common)),
        note=f"{BY_ESTIMATES} {PRICES}" if several and cost == "tokens" else BY_ESTIMATES,
        extra=extra,
    )


def _absent(projects: Mapping[str, float], common: Sequence[str]) -> str:
    if not projects:
        return "no trial of this arm was measured"
    return "no project was measured in all arms" if not common else "not measured on the projects that the other arms have"


def _cost(arms: Iterable[Sequence[TrialObservation]]) -> tuple[Cost | None, str | None]:
    """What all measured trials of these arms have as their cost, or None and why: part of a cost is none."""
    measured = [item for side in arms for item in side if item.status == "measured"]
    if not measured:
        return None, "no trial was measured"
    # Where nothing costs money (a model of this machine, a script) tokens tell arms apart.
    usd, tokens = ([value(item, name) for item in measured] for name in ("usd", "tokens"))
    if None not in usd and any(usd):
        return "usd", None
    if None not in tokens:
        return "tokens", None
    return None, f"{tokens.count(None)} of {len(measured)} measured trials have no count of tokens"


def extra_task(audit: Audit, key: Who, bounds: Bounds) -> ExtraCost:
    """What one more solved task costs under C1: (cost C1 − cost C0) / (tasks C1 − tasks C0) over families.

    Only where the interval of the gain excludes zero (METHOD.md, Metrics), and of tasks that are solved or not; else `value` is
    None and `reason` says why. `bounds` has the interval of C1 − C0 by (skill, agent, delivery).
    """
    sides = ArmPair("C1", "C0", *(audit.arm(*key, condition) for condition in ("C1", "C0")))
    cost, reason = _cost((sides.left, sides.right))
    line = ExtraCost(*key, UNIT[cost] if cost else None, None, None, None, sides.coverage(), None)
    why = _no_gain(bounds.get(key)) or reason
    if why or cost is None:
        return replace(line, reason=why)
    costs = _by_family(sides, {"C1": project_means(sides.left, cost), "C0": project_means(sides.right, cost)})
    tasks = _by_family(sides, {"C1": _solved(sides.left), "C0": _solved(sides.right)})
    more = {family: tasks["C1"][family] - tasks["C0"][family] for family in tasks["C1"]}
    if math.fsum(more.values()) <= 0:
        return replace(line, reason="no more tasks were solved")
    if math.fsum(costs["C1"].values()) <= math.fsum(costs["C0"].values()):
        return replace(line, reason="more tasks were solved at no more cost")
    found = ratio_interval(costs["C1"], costs["C0"], more, 1 - ALPHA / audit.plan.panel.looks)
    why = None if found.low is not None else "no interval: too few families, or equal ones"
    return replace(line, value=found.estimate, low=found.low, high=found.high, reason=why)


def _no_gain(line: IntervalLine | VerdictLine | None) -> str | None:
    """Why there is no gain to be priced, None where its interval lies above zero."""
    if line is None:
        return "C1 and C0 are not both planned"
    if line.low is None or line.high is None:
        return "the gain has no interval"
    if line.low > 0:
        return None
    return "fewer tasks were solved" if line.high < 0 else "the interval of the gain includes zero"


def _by_family(sides: ArmPair, arms: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    common = set.intersection(*map(set, arms.values()))
    return {
        name: family_means({project: found for project, found in arm.items() if project in common}, sides.families)
        for name, arm in arms.items()
    }


def _solved(side: Sequence[TrialObservation]) -> dict[str, float]:
    """How many tasks the trials of an arm solved, by project the mean over replicates."""
    counts: dict[str, list[int]] = {}
    for item in side:
        if item.status == "measured":
            counts.setdefault(item.project, []).append(sum(item.solved))
    return {project: sum(found) / len(found) for project, found in counts.items()}
