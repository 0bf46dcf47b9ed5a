"""Arms and contrasts of an audit by METHOD.md: average replicates, then projects, within a family; families are the units."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from benchmark.suite.metric import ORIENTED
from reports.audit.interval_lines import interval_line
from reports.audit.metrics import Audit, TrialObservation
from reports.result_lines import ArmLine, ContrastLine
from reports.stats.statistics import ALPHA, MINIMUM_FAMILIES, MINIMUM_REPLICATES, Interval, family_interval, ratio_interval

#: Name, treated arm, arm it is compared with, and what it means (WebDev-Skills-Bench §3, Conditions).
CONTRASTS = (
    ("C1−C0", "C1", "C0", "total effect of the skill"),
    ("C2−C0", "C2", "C0", "effect of as much irrelevant text"),
    ("C1−C2", "C1", "C2", "effect of the skill's content"),
)
#: The same of each slice (§4.5; METHOD.md, C3): with fresh C1 trials only, never those that made the pair worth a look.
SLICE_CONTRASTS = tuple(
    row
    for name, title in (("rules", "rules"), ("antipatterns", "anti-patterns"), ("examples", "examples"))
    for row in (
        (f"C1−L3:-{name}", "C1:fresh", f"L3:-{name}", f"effect of the {title}, at the same length"),
        (f"C1−C3:-{name}", "C1:fresh", f"C3:-{name}", f"effect of the {title} and of their length: what shortening takes away"),
    )
)
STATUSES = ("measured", "not_delivered", "broken", "contaminated", "historical", "not_run")


def mean(values: Iterable[float]) -> float | None:
    """The mean, None of nothing."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def by_project(observations: Sequence[TrialObservation], metric: str) -> dict[str, float]:
    """The mean over replicates of a metric on each project that has it measured."""
    groups: dict[str, list[float]] = defaultdict(list)
    for item in observations:
        value = item.values.get(metric)
        if item.status == "measured" and value is not None:
            groups[item.project].append(value)
    return {project: sum(values) / len(values) for project, values in groups.items()}


def arm(audit: Audit, skill: str, agent: str, delivery: str, condition: str) -> ArmLine | None:
    """One arm's line, None where the plan has no such arm. Means go over replicates, then projects, then families."""
    observations = audit.arm(skill, agent, delivery, condition)
    if not observations:
        return None
    families = {item.project: item.family for item in observations}
    counts = Counter(item.status for item in observations)
    level = 1 - ALPHA / audit.plan.panel.looks
    means = {
        metric.name: mean(_family_means(by_project(observations, metric.name), families).values())
        for metric in audit.suite.all_metrics
    }
    values = _family_means(by_project(observations, audit.suite.primary.name), families)
    judged = [item.judge_usd for item in observations if item.status == "measured"]
    # A part that is not known is not nothing: trials whose judge was not asked again have cost zero.
    known = [usd for usd in judged if usd is not None]
    return ArmLine(
        skill=skill,
        agent=agent,
        delivery=delivery,
        condition=condition,
        injected=sorted({item.skill for item in observations if item.skill}),
        planned=len(observations),
        **{status: counts.get(status, 0) for status in STATUSES},
        limited=sum(bool(item.limits) for item in observations),
        projects=len(families),
        metrics=means,
        interval=interval_line(family_interval(list(values.values()), level), sign_flip=True),
        judge_usd=mean(known) if len(known) == len(judged) else None,
    )


def _family_means(projects: dict[str, float], families: dict[str, str]) -> dict[str, float]:
    groups: dict[str, list[float]] = defaultdict(list)
    for project, value in projects.items():
        groups[families[project]].append(value)
    return {family: sum(values) / len(values) for family, values in sorted(groups.items())}


def contrast(
    audit: Audit, skill: str, agent: str, delivery: str, name: str, treated: str, base: str, meaning: str
) -> ContrastLine | None:
    """One contrast in the primary metric and in ρ, with what it rests on. None where the plan lacks an arm.

    Deliveries are different treatments: each has its own contrasts, and they share C0.
    """
    left, right, zero = (audit.arm(skill, agent, delivery, condition) for condition in (treated, base, "C0"))
    if not left or not right:
        return None
    families = {item.project: item.family for item in [*left, *right]}
    level = 1 - ALPHA / audit.plan.panel.looks
    with_left, with_right = by_project(left, ORIENTED), by_project(right, ORIENTED)
    both = {project: with_left[project] - with_right[project] for project in with_left if project in with_right}
    differences = _family_means(both, families)
    # Only partners that the difference rests on: what was planned and not measured supports nothing.
    rests_on = [item for item in (*left, *right) if item.status == "measured" and item.project in both]
    lenders = audit.lenders(skill, agent, delivery, base)
    lent = [item for item in rests_on if item.condition[:2] in ("C2", "L3") and item.skill]
    partners = sorted({lenders.get(item.id, item.skill or "") for item in lent})
    controlled = any(name[:2] in ("C2", "L3") for name in (treated, base))
    replicates = min((_replicates(side, project) for side in (left, right) for project in both), default=0)
    return ContrastLine(
        skill=skill,
        agent=agent,
        delivery=delivery,
        name=name,
        meaning=meaning,
        metric=audit.suite.primary.name,
        difference=interval_line(family_interval(list(differences.values()), level), sign_flip=True),
        rho=interval_line(_rho(left, right, zero, families, level), sign_flip=True),
        rho_of_pairs=_mean_ratio(left, right) if base == "C0" else None,
        families=differences,
        replicates=replicates,
        partners=partners,
        caution=_caution(len(differences), replicates, partners if controlled else None),
    )


def _replicates(side: Sequence[TrialObservation], project: str) -> int:
    return sum(item.project == project and item.status == "measured" for item in side)


def _rho(
    left: Sequence[TrialObservation],
    right: Sequence[TrialObservation],
    zero: Sequence[TrialObservation],
    families: dict[str, str],
    level: float,
) -> Interval:
    """Relative token overhead: (Σ treated − Σ base) / Σ C0, sums over projects of the mean over replicates."""
    sides = [by_project(side, "tokens") for side in (left, right, zero)]
    common = set(sides[0]) & set(sides[1]) & set(sides[2])
    sums = [_family_sums({project: side[project] for project in common}, families) for side in sides]
    return ratio_interval(sums[0], sums[1], sums[2], level)


def _family_sums(projects: dict[str, float], families: dict[str, str]) -> dict[str, float]:
    sums: dict[str, float] = defaultdict(float)
    for project, value in projects.items():
        sums[families[project]] += value
    return dict(sums)


def _mean_ratio(left: Sequence[TrialObservation], right: Sequence[TrialObservation]) -> float | None:
    """The paper's ρ: the mean over pairs of each pair's own ratio (WebDev-Skills-Bench §3, Models and metrics)."""
    treated, base = by_project(left, "tokens"), by_project(right, "tokens")
    return mean((treated[p] - base[p]) / base[p] for p in treated if base.get(p))


def _caution(families: int, replicates: int, partners: Sequence[str] | None) -> str | None:
    """What keeps a contrast from carrying a verdict, in words; None where nothing does."""
    said = []
    if families < MINIMUM_FAMILIES:
        said.append(f"{families} famil{'y' if families == 1 else 'ies'}, a verdict needs {MINIMUM_FAMILIES}")
    if replicates < MINIMUM_REPLICATES:
        said.append(f"{replicates} replicate{'' if replicates == 1 else 's'}, a verdict needs {MINIMUM_REPLICATES}")
    if partners is not None and len(partners) < 5:
        said.append(f"{len(partners)} distinct partner{'' if len(partners) == 1 else 's'}: names no mechanism")
    return "; ".join(said) or None
