"""Contrasts in their parts: by project and family on every metric, by difficulty and place in the chain (METHOD.md, Buckets).

Differences of single projects are raw: they are listed by name, never ranked; a largest gain comes from shrunken pairs
(METHOD.md, Estimates). All here is exploratory and carries no verdict word: `p_adjusted` is by Benjamini and Hochberg, over all
that is explored of the audit's contrasts.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from benchmark.suite.metric import ORIENTED, Metric
from reports.buckets import Labels, buckets, cuts
from reports.contrasts import CONTRASTS, SLICE_CONTRASTS
from reports.intervals import interval_line
from reports.metrics import Audit
from reports.sides import Sides, family_means, mean, project_means, value
from reports.statistics import ALPHA, benjamini_hochberg, family_interval

#: The interval of C1−C0 on the primary metric is the verdict's, at the adjusted level; the page has no second one.
CONFIRMATORY = "its interval is that of the verdict"
#: METHOD.md, Metrics: with a stop rule depth and the share solved are one endpoint, not two pieces of evidence.
SAME = "the same endpoint in other units, no second piece of evidence"


def breakdown(audit: Audit) -> list[dict[str, Any]]:
    """Every contrast of every skill with every agent under every delivery, in its parts; those that the plan has arms for.

    Shares and differences of shares are 0..1. Of each: `overall` by metric; `difficulty` and `position`, see `buckets`;
    `projects` and `families`, see `_rows`.
    """
    agents, skills = (list(dict.fromkeys(row[name] for row in audit.plan["assignments"])) for name in ("agent", "skill"))
    ways = cuts(audit)
    found = []
    for agent, skill, delivery in product(agents, skills, audit.deliveries):
        for name, treated, base, meaning in (*CONTRASTS, *SLICE_CONTRASTS):
            sides = Sides(treated, base, *(audit.arm(skill, agent, delivery, condition) for condition in (treated, base)))
            if sides.left and sides.right:
                who = {"skill": skill, "agent": agent, "delivery": delivery}
                what = {"name": name, "meaning": meaning, "treated": treated, "base": base, "metric": audit.suite.primary.name}
                found.append({**who, **what, **_parts(audit, sides, ways, name)})
    _adjust([line["difference"] for row in found for line in row["overall"].values()])
    return found


def _adjust(lines: Sequence[dict[str, Any]]) -> None:
    """Give every difference with a p its adjusted one, the others None."""
    tested = [line for line in lines if line["p"] is not None]
    adjusted = benjamini_hochberg([line["p"] for line in tested])
    for line in lines:
        line["p_adjusted"] = None
    for line, p in zip(tested, adjusted, strict=True):
        line["p_adjusted"] = p


def _parts(audit: Audit, sides: Sides, ways: Mapping[str, Labels], name: str) -> dict[str, Any]:
    level = 1 - ALPHA / audit.plan["panel"]["looks"]
    main = audit.suite.primary
    families = sides.families
    groups: dict[str, list[str]] = defaultdict(list)
    for project in sorted(families):
        groups[families[project]].append(project)
    return {
        "overall": {one.name: _overall(sides, one, main, name, level) for one in audit.suite.all_metrics},
        **{cut: buckets(sides, labels, main, level) for cut, labels in ways.items()},
        "projects": [
            {"project": project, "family": families[project], **_rows(sides.of([project]), audit.suite.all_metrics)}
            for project in sorted(families)
        ],
        "families": [
            {"family": family, "projects": members, **_rows(sides.of(members), audit.suite.all_metrics)}
            for family, members in sorted(groups.items())
        ],
    }


def _overall(sides: Sides, metric: Metric, main: Metric, name: str, level: float) -> dict[str, Any]:
    """Both arms and their difference on one metric: means over replicates, then projects, then families."""
    arms = [family_means(side, sides.families) for side in sides.means(metric.name)]
    # The primary metric's difference is one of its scale, more of which is better; others keep their own unit and direction.
    compared = [family_means(side, sides.families) for side in sides.means(ORIENTED)] if metric is main else arms
    found = interval_line(family_interval([compared[0][family] - compared[1][family] for family in compared[0]], level))
    if found["estimate"] is None:
        found["reason"] = sides.why(metric)
    elif metric is not main and _same(sides, metric, main):
        found |= _bare(SAME)
    elif metric is main and name == "C1−C0":
        found |= _bare(CONFIRMATORY)
    values = {"treated": mean(arms[0].values()), "base": mean(arms[1].values())}
    return {**values, "difference": found, "measured": sides.measured(metric.name)}


def _bare(reason: str) -> dict[str, Any]:
    return {"low": None, "high": None, "p": None, "reason": reason}


def _same(sides: Sides, metric: Metric, main: Metric) -> bool:
    """Whether a metric counts what the primary one gives as a share of the tasks."""
    pairs = [(value(item, metric.name), value(item, main.name), len(item.solved)) for item in (*sides.left, *sides.right)]
    known = [(count, share * tasks) for count, share, tasks in pairs if count is not None and share is not None]
    return any(count for count, _ in known) and all(abs(count - solved) < 1e-9 for count, solved in known)


def _difference(metric: Metric, treated: float | None, base: float | None) -> float | None:
    if treated is None or base is None:
        return None
    return metric.scale.oriented(treated) - metric.scale.oriented(base) if metric.primary else treated - base


def _rows(sides: Sides, metrics: Sequence[Metric]) -> dict[str, Any]:
    """One project's or family's line: the coverage of both arms, and by metric both means, their difference and how many
    trials either rests on; None with a reason where an arm has none. A family's projects count alike, those with both arms."""
    line: dict[str, Any] = {"coverage": sides.coverage(), "metrics": {}}
    for metric in metrics:
        arms = sides.means(metric.name)
        if len(sides.families) == 1:
            # One project shows what either arm has, also where the other has nothing.
            arms = (project_means(sides.left, metric.name), project_means(sides.right, metric.name))
        treated, base = (mean(arm.values()) for arm in arms)
        line["metrics"][metric.name] = {
            "treated": treated,
            "base": base,
            "difference": _difference(metric, treated, base),
            "measured": sides.measured(metric.name),
            "reason": sides.why(metric) if treated is None or base is None else None,
        }
    return line
