"""The primitives of METHOD.md under one name. Families are the units; everything here is a pure function of numbers."""

import math
from collections.abc import Sequence

from reports.stats.intervals import (
    Estimate,
    Interval,
    Sample,
    family_estimate,
    family_interval,
    measured,
    ratio_interval,
    sample,
    sign_flip,
    stratified_estimate,
    t_quantile,
)
from reports.stats.method import ALPHA, FAMILY_SD, MARGIN, MINIMUM_FAMILIES, MINIMUM_REPLICATES, POWER, TRIAL_SD
from reports.stats.multiplicity import holm, holm_alphas
from reports.stats.power import chance_of_no_effect, smallest_effect

__all__ = [
    "ALPHA",
    "FAMILY_SD",
    "MARGIN",
    "MINIMUM_FAMILIES",
    "MINIMUM_REPLICATES",
    "POWER",
    "TRIAL_SD",
    "Estimate",
    "Interval",
    "Sample",
    "any_at_k",
    "chance_of_no_effect",
    "exact_mcnemar",
    "family_estimate",
    "family_interval",
    "holm",
    "holm_alphas",
    "ratio_interval",
    "sample",
    "sign_flip",
    "smallest_effect",
    "stratified_estimate",
    "t_quantile",
    "wilcoxon",
]


def any_at_k(solved: int, runs: int, k: int) -> float | None:
    """The chance that at least one of k runs solves a task, unbiased from `solved` of `runs`; None with fewer than k runs."""
    if runs < k or k < 1:
        return None
    return 1.0 - math.comb(runs - solved, k) / math.comb(runs, k)


def exact_mcnemar(b: int, c: int) -> float | None:
    """Two-sided exact p of McNemar's test from the pairs that differ, `b` one way and `c` the other; None with none.

    Over tasks of chains it is not valid (METHOD.md, References for noise): a chain's tasks are no independent pairs.
    """
    from scipy import stats

    return float(stats.binomtest(b, b + c).pvalue) if b + c else None


def wilcoxon(differences: Sequence[float | None]) -> tuple[float | None, str | None]:
    """Two-sided p of Wilcoxon's signed-rank test, None with the reason.

    Replicates of a pair are averaged before. Differences of zero are dropped (`zero_method="wilcox"`, as the paper's tables
    do by scipy's default); exact without ties up to 50 differences, else the normal approximation.
    """
    from scipy import stats

    found = [value for value in measured(differences) if value]
    if not found:
        return None, "no difference is other than zero" if differences else "nothing to compare"
    return float(stats.wilcoxon(found, zero_method="wilcox").pvalue), None  # type: ignore[attr-defined]
