"""Pairs of a skill and a project, with the trials of each arm: what sections compare between agents and models."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.audit.metrics import Audit, TrialObservation

Key = tuple[str, str]

#: The fewest pairs of a correlation.
FEWEST_PAIRS = 3

#: Means of the same chains differ by rounding; less than this is a tie.
TIE = 1e-9


@dataclass(frozen=True)
class PairTrials:
    """A (skill, project) pair with the measured trials of each arm, in the plan's order."""

    skill: str
    project: str
    arms: Mapping[str, tuple[TrialObservation, ...]]

    @property
    def key(self) -> Key:
        return self.skill, self.project


def paired(audit: Audit, agent: str, delivery: str, conditions: Sequence[str]) -> tuple[list[PairTrials], int]:
    """The pairs of one agent under one delivery with a measured trial in every arm asked for; and how many are planned."""
    found: list[PairTrials] = []
    planned = 0
    for skill in dict.fromkeys(row.skill for row in audit.plan.assignments):
        arms = {name: audit.arm(skill, agent, delivery, name) for name in conditions}
        projects = [dict.fromkeys(item.project for item in items) for items in arms.values()]
        for project in (name for name in projects[0] if all(name in other for other in projects)):
            planned += 1
            own = {name: _measured(items, project) for name, items in arms.items()}
            if all(own.values()):
                found.append(PairTrials(skill, project, own))
    return found, planned


def _measured(items: Sequence[TrialObservation], project: str) -> tuple[TrialObservation, ...]:
    return tuple(item for item in items if item.project == project and item.status == "measured")


def arm_mean(pair: PairTrials, condition: str, metric: str) -> float | None:
    """The mean over the arm's replicates, None where none of them has the metric. NaN is not measured."""
    found = (item.values.get(metric) for item in pair.arms[condition])
    known = [value for value in found if value is not None and math.isfinite(value)]
    return math.fsum(known) / len(known) if known else None


def differences(pairs: Sequence[PairTrials], metric: str, treated: str, base: str) -> dict[Key, float]:
    """Treated minus base by pair; pairs that lack the metric in an arm are left out."""
    found = {pair.key: (arm_mean(pair, treated, metric), arm_mean(pair, base, metric)) for pair in pairs}
    return {key: left - right for key, (left, right) in found.items() if left is not None and right is not None}


@dataclass(frozen=True)
class PairCorrelation:
    """Of two models over the pairs that both have; `reason` says why there is none."""

    pearson: float | None
    spearman: float | None
    #: The share of pairs with the same sign, of those where neither is zero.
    agreement: float | None
    pairs: int
    reason: str | None = None


def correlation(left: Mapping[Key, float], right: Mapping[Key, float]) -> PairCorrelation:
    """Two models' per-pair effects against each other (Table 4)."""
    import numpy as np
    from scipy import stats

    common = [key for key in left if key in right]
    one, other = [left[key] for key in common], [right[key] for key in common]
    signs = [(a > 0) == (b > 0) for a, b in zip(one, other, strict=True) if abs(a) > TIE and abs(b) > TIE]
    agreement = sum(signs) / len(signs) if signs else None
    if len(common) < FEWEST_PAIRS:
        few = f"{len(common)} common pairs, at least {FEWEST_PAIRS} are needed"
        return PairCorrelation(None, None, agreement, len(common), few)
    if min(max(side) - min(side) for side in (one, other)) < TIE:
        return PairCorrelation(None, None, agreement, len(common), "no spread between pairs")
    ranks = [stats.rankdata([round(value, 9) for value in side]) for side in (one, other)]
    matrices: list[Any] = [np.corrcoef(sides) for sides in ((one, other), ranks)]
    pearson, spearman = (float(matrix[0, 1]) for matrix in matrices)
    return PairCorrelation(pearson, spearman, agreement, len(common))
