"""From the cells of two arms to the estimate of their difference, in the scope that the cells allow (METHOD.md, Estimates)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from reports.audit.cells import Arm, ArmCell
from reports.stats.intervals import Estimate, Sample, family_estimate, measured, sample, stratified_estimate
from reports.stats.method import MINIMUM_FAMILIES, MINIMUM_REPLICATES, MINIMUM_REPLICATES_ONLY_THESE
from reports.stats.power import deciding, deciding_here

Scope = Literal["ON PROJECTS LIKE THESE", "ON THESE PROJECTS ONLY"]
LIKE_THESE: Scope = "ON PROJECTS LIKE THESE"
ONLY_THESE: Scope = "ON THESE PROJECTS ONLY"


@dataclass(frozen=True, slots=True)
class Stratum:
    """One project: its family and the samples of the arms that are compared, the treated first."""

    project: str
    family: str
    arms: tuple[Sample, ...]

    @property
    def fewest(self) -> int:
        """The replicates that every arm has."""
        return min([arm.size for arm in self.arms])


@dataclass(frozen=True, slots=True)
class Reach:
    """What arms have in common, and the scope that it allows, None where it allows no verdict.

    `replicates` is what a line may print beside `families`: on projects like these the measured replicates an arm that at
    least six families (all, where there are fewer) have on some project, so one broken chain of one family lowers nothing that
    the others carry; on these projects only the fewest of any arm and project. `fewest` is the latter in either scope.
    """

    families: int
    replicates: int
    fewest: int
    scope: Scope | None


def strata(arms: Sequence[Arm], missing: Sequence[float] | None = None) -> list[Stratum]:
    """The projects on which every arm has a measured value, by name.

    With `missing`, one value an arm, each missing trial of that arm counts as this value (METHOD.md, worst-case imputation).
    """
    found = []
    for project in sorted(set(arms[0]).intersection(*arms[1:])):
        cells = [arm[project] for arm in arms]
        values = [measured(cell.values) for cell in cells]
        if missing is not None:
            values = [[*seen, *[to] * lacking(cell)] for cell, seen, to in zip(cells, values, missing, strict=True)]
        if all(values):
            found.append(Stratum(project, cells[0].family, tuple([sample(seen) for seen in values])))
    return found


def lacking(cell: ArmCell) -> int:
    """The trials of a cell that are missing: broken, not delivered, or with a metric that could not be measured."""
    return max(cell.planned - len(measured(cell.values)), cell.broken + cell.not_delivered)


def by_family(found: Iterable[Stratum]) -> dict[str, list[Stratum]]:
    """The strata of each family, by name."""
    groups: dict[str, list[Stratum]] = {}
    for stratum in found:
        groups.setdefault(stratum.family, []).append(stratum)
    return dict(sorted(groups.items()))


def reach(found: Sequence[Stratum]) -> Reach:
    """The scope: the first if six families have three replicates an arm, else the second if every project has five, else none.

    One rule, by counts alone: what the values say never chooses the scope.
    """
    best: dict[str, int] = {}
    for stratum in found:
        best[stratum.family] = max(best.get(stratum.family, 0), stratum.fewest)
    counts = sorted(best.values(), reverse=True)
    replicates = counts[min(MINIMUM_FAMILIES, len(counts)) - 1] if counts else 0
    fewest = min((stratum.fewest for stratum in found), default=0)
    if len(counts) >= MINIMUM_FAMILIES and replicates >= MINIMUM_REPLICATES:
        return Reach(len(counts), replicates, fewest, LIKE_THESE)
    if fewest >= MINIMUM_REPLICATES_ONLY_THESE:
        return Reach(len(counts), fewest, fewest, ONLY_THESE)
    return Reach(len(counts), replicates, fewest, None)


def difference(found: Sequence[Stratum], scope: Scope | None, treated: int = 0, base: int = 1) -> Estimate:
    """The difference of two of the arms (by position): the same number in either scope, its spread by the scope's units.

    Replicates are averaged, then projects within a family; families weigh alike. Without a scope the families are the units.
    """
    families = by_family(found)
    if scope == ONLY_THESE:
        return stratified_estimate(
            (1 / (len(families) * len(group)), stratum.arms[treated], stratum.arms[base])
            for group in families.values()
            for stratum in group
        )
    means = [
        math.fsum([stratum.arms[treated].mean - stratum.arms[base].mean for stratum in group]) / len(group)
        for group in families.values()
    ]
    return family_estimate(means)


def would_decide(found: Sequence[Stratum], has: Reach, estimate: Estimate, level: float) -> tuple[tuple[int, int] | None, str]:
    """The families × replicates that would decide, None with the words (METHOD.md, Verdicts, 4).

    The variance of the families' differences is split: what replicates alone would make of it (their variance pooled within
    arms and projects) is noise that more replicates lower; the rest, 0 at least, is between families and stays.
    """
    if estimate.value is None or estimate.error is None:
        return None, "what would decide cannot be said without a spread"
    families = by_family(found)
    if has.scope == ONLY_THESE:
        parts = tuple(
            [
                (len(families) * len(group)) ** -2 * arm.squares / (arm.size - 1)
                for group in families.values()
                for stratum in group
                for arm in stratum.arms[:2]
            ]
        )
        return deciding_here(estimate.value, has.families, has.fewest, parts, level)
    pooled = [_pooled([stratum.arms[at] for stratum in found]) for at in (0, 1)]
    if pooled[0] is None or pooled[1] is None:
        return None, "what would decide cannot be said from one replicate: what replicates differ by is not known"
    now = future = 0.0
    for group in families.values():
        share = len(group) ** -2 / len(families)
        for stratum in group:
            now += share * (pooled[0] / stratum.arms[0].size + pooled[1] / stratum.arms[1].size)
            future += share * (pooled[0] + pooled[1])
    between = max(0.0, estimate.error**2 * has.families - now)
    return deciding(estimate.value, has.families, has.replicates, between, future, level)


def _pooled(samples: Sequence[Sample]) -> float | None:
    """The variance of replicates within projects, pooled by degrees of freedom; None where no project has two."""
    freedom = sum([one.size - 1 for one in samples])
    return math.fsum([one.squares for one in samples]) / freedom if freedom else None
