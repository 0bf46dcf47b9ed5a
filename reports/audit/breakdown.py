"""Contrasts in their parts: on every metric, by project and by family.

Differences of single projects are raw: they are listed by name, never ranked; a largest gain comes from shrunken pairs
(METHOD.md, Estimates). All here is exploratory and carries no verdict word: `p_adjusted` is by Benjamini and Hochberg, over all
that is explored of the audit's contrasts.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

from scipy.stats import false_discovery_control

from benchmark.suite.metric import ORIENTED, Metric
from reports.audit.arm_pairs import ArmPair, family_means, mean, project_means, value
from reports.audit.contrasts import CONTRASTS, SLICE_CONTRASTS
from reports.audit.interval_lines import interval_line
from reports.audit.metrics import Audit
from reports.result_lines import IntervalLine
from reports.result_tables import BreakdownLine, FamilyRow, MetricParts, MetricRow, ProjectRow
from reports.stats.statistics import ALPHA, family_interval

#: The interval of C1−C0 on the primary metric is the verdict's, at the adjusted level; the page has no second one.
CONFIRMATORY = "its interval is that of the verdict"
#: METHOD.md, Metrics: what counts the tasks of a share of tasks is one endpoint with it, not two pieces of evidence.
SAME = "the same endpoint in other units, no second piece of evidence"


def breakdown(audit: Audit) -> list[BreakdownLine]:
    """Every contrast of every skill with every agent under every delivery, in its parts; those that the plan has arms for."""
    agents, skills = (list(dict.fromkeys(getattr(row, name) for row in audit.plan.assignments)) for name in ("agent", "skill"))
    found = []
    for agent, skill, delivery in product(agents, skills, audit.deliveries):
        for name, treated, base, meaning in (*CONTRASTS, *SLICE_CONTRASTS):
            sides = ArmPair(treated, base, *(audit.arm(skill, agent, delivery, condition) for condition in (treated, base)))
            if sides.left and sides.right:
                found.append(_line(audit, sides, (skill, agent, delivery), name, meaning))
    return _adjusted(found)


def _line(audit: Audit, sides: ArmPair, key: tuple[str, str, str], name: str, meaning: str) -> BreakdownLine:
    level = 1 - ALPHA / audit.plan.panel.looks
    main, metrics = audit.suite.primary, audit.suite.all_metrics
    families = sides.families
    groups: dict[str, list[str]] = defaultdict(list)
    for project in sorted(families):
        groups[families[project]].append(project)
    return BreakdownLine(
        *key,
        name=name,
        meaning=meaning,
        treated=sides.treated,
        base=sides.base,
        metric=main.name,
        overall={one.name: _overall(sides, one, main, name, level) for one in metrics},
        projects=[
            ProjectRow(project, families[project], own.coverage(), _rows(own, metrics))
            for project in sorted(families)
            for own in [sides.of([project])]
        ],
        families=[
            FamilyRow(family, members, own.coverage(), _rows(own, metrics))
            for family, members in sorted(groups.items())
            for own in [sides.of(members)]
        ],
    )


def _adjusted(lines: Sequence[BreakdownLine]) -> list[BreakdownLine]:
    """The lines with the adjusted p of every difference that has a p."""
    values = [part.difference.p for line in lines for part in line.overall.values() if part.difference.p is not None]
    adjusted = iter(false_discovery_control(values).tolist())

    def with_p(part: MetricParts) -> MetricParts:
        if part.difference.p is None:
            return part
        return replace(part, difference=replace(part.difference, p_adjusted=next(adjusted)))

    return [replace(line, overall={name: with_p(part) for name, part in line.overall.items()}) for line in lines]


def _overall(sides: ArmPair, metric: Metric, main: Metric, name: str, level: float) -> MetricParts:
    """Both arms and their difference on one metric: means over replicates, then projects, then families."""
    arms = [family_means(side, sides.families) for side in sides.means(metric.name)]
    # The primary metric's difference is one of its scale, more of which is better; others keep their own unit and direction.
    compared = [family_means(side, sides.families) for side in sides.means(ORIENTED)] if metric is main else arms
    found = interval_line(family_interval([compared[0][family] - compared[1][family] for family in compared[0]], level))
    if found.estimate is None:
        found = replace(found, reason=sides.why(metric))
    elif metric is not main and _same(sides, metric, main):
        found = _bare(found, SAME)
    elif metric is main and name == "C1−C0":
        found = _bare(found, CONFIRMATORY)
    return MetricParts(mean(arms[0].values()), mean(arms[1].values()), found, sides.measured(metric.name))


def _bare(found: IntervalLine, reason: str) -> IntervalLine:
    return replace(found, low=None, high=None, p=None, reason=reason)


def _same(sides: ArmPair, metric: Metric, main: Metric) -> bool:
    """Whether a metric counts what the primary one gives as a share of the tasks."""
    pairs = [(value(item, metric.name), value(item, main.name), len(item.solved)) for item in (*sides.left, *sides.right)]
    known = [(count, share * tasks) for count, share, tasks in pairs if count is not None and share is not None]
    return any(count for count, _ in known) and all(abs(count - solved) < 1e-9 for count, solved in known)


def _rows(sides: ArmPair, metrics: Sequence[Metric]) -> Mapping[str, MetricRow]:
    """By metric both means of one project or family and their difference; None with a reason where an arm has none.

    A family's projects count alike, those with both arms.
    """
    rows = {}
    for metric in metrics:
        arms = sides.means(metric.name)
        if len(sides.families) == 1:
            # One project shows what either arm has, also where the other has nothing.
            arms = (project_means(sides.left, metric.name), project_means(sides.right, metric.name))
        treated, base = (mean(arm.values()) for arm in arms)
        difference = None
        if treated is not None and base is not None:
            scale = metric.scale
            difference = scale.oriented(treated) - scale.oriented(base) if metric.primary else treated - base
        reason = sides.why(metric) if difference is None else None
        rows[metric.name] = MetricRow(treated, base, difference, sides.measured(metric.name), reason)
    return rows
