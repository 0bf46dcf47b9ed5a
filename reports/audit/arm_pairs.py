"""The two arms of a contrast side by side: their means by project and family, what they rest on, and why there is none."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmark.suite.metric import Metric
from reports.audit.contrasts import STATUSES
from reports.audit.metrics import TrialObservation
from reports.result_lines import BothArms, TrialCoverage


def value(item: TrialObservation, metric: str) -> float | None:
    """A trial's metric, None where the trial was not measured, the metric was not, or it is no finite number."""
    found = item.values.get(metric) if item.status == "measured" else None
    return found if found is not None and math.isfinite(found) else None


def project_means(observations: Iterable[TrialObservation], metric: str) -> dict[str, float]:
    """A metric on each project that has it measured: the mean over replicates."""
    groups: dict[str, list[float]] = defaultdict(list)
    for item in observations:
        found = value(item, metric)
        if found is not None:
            groups[item.project].append(found)
    return {project: math.fsum(values) / len(values) for project, values in groups.items()}


def family_means(projects: Mapping[str, float], families: Mapping[str, str]) -> dict[str, float]:
    """The mean of each family over its projects, which count alike."""
    groups: dict[str, list[float]] = defaultdict(list)
    for project, found in projects.items():
        groups[families[project]].append(found)
    return {family: math.fsum(values) / len(values) for family, values in sorted(groups.items())}


def coverage(observations: Iterable[TrialObservation]) -> TrialCoverage:
    """How many trials were planned, what became of them (they add up), and how many ran into a limit."""
    listed = list(observations)
    counts = Counter(item.status for item in listed)
    limited = sum(bool(item.limits) for item in listed)
    return TrialCoverage(planned=len(listed), **{status: counts.get(status, 0) for status in STATUSES}, limited=limited)


def mean(values: Iterable[float]) -> float | None:
    """The mean, None of nothing; the same in whatever order."""
    listed = list(values)
    return math.fsum(listed) / len(listed) if listed else None


@dataclass(frozen=True)
class ArmPair:
    """The two arms of a contrast."""

    treated: str
    base: str
    left: Sequence[TrialObservation]
    right: Sequence[TrialObservation]

    @property
    def families(self) -> dict[str, str]:
        return {item.project: item.family for item in (*self.left, *self.right)}

    def of(self, projects: Iterable[str]) -> "ArmPair":
        chosen = set(projects)
        arms = ([item for item in side if item.project in chosen] for side in (self.left, self.right))
        return ArmPair(self.treated, self.base, *arms)

    def coverage(self) -> BothArms:
        """What became of the trials of either arm."""
        return BothArms(coverage(self.left), coverage(self.right))

    def measured(self, metric: str) -> list[int]:
        """How many trials of either arm have the metric."""
        return [sum(value(item, metric) is not None for item in side) for side in (self.left, self.right)]

    def why(self, metric: Metric) -> str:
        """Why there is no difference on these projects, in words."""
        missing = [
            f"{condition}: {metric.title} was measured in none of {len(side)} trials"
            for condition, side, count in zip(
                (self.treated, self.base), (self.left, self.right), self.measured(metric.name), strict=True
            )
            if not count
        ]
        return "; ".join(missing) or "no project has it measured in both arms"

    def means(self, metric: str) -> tuple[dict[str, float], dict[str, float]]:
        """Either arm's means by project, on the projects that have both."""
        left, right = (project_means(side, metric) for side in (self.left, self.right))
        common = sorted(set(left) & set(right))
        return {project: left[project] for project in common}, {project: right[project] for project in common}
