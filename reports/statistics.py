"""Estimates and intervals by METHOD.md. Families are the units; everything here is a pure function of numbers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

#: METHOD.md, Design of an audit: the least that may carry a verdict, and what the forecast assumes of chains.
MINIMUM_FAMILIES = 6
MINIMUM_REPLICATES = 3
CHAIN_SD = 0.2
FAMILY_SD = 0.1
ALPHA = 0.05
POWER = 0.8
EXACT_FLIPS = 14
DRAWS = 20_000


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its interval; `low` and `high` are None with a reason where there can be none."""

    estimate: float | None
    low: float | None
    high: float | None
    units: int
    level: float
    reason: str | None = None
    p_signflip: float | None = None


def family_interval(values: Sequence[float], level: float) -> Interval:
    """Student's t over J family means with J − 1 degrees of freedom (METHOD.md, Headline interval).

    One family gives no interval, and neither does zero spread: equal families are no certainty.
    """
    from scipy import stats

    count = len(values)
    if count == 0:
        return Interval(None, None, None, 0, level, "no family has both arms")
    mean = math.fsum(values) / count
    if count == 1:
        return Interval(mean, None, None, 1, level, "one family has no spread to judge by")
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
    if spread < 1e-12:
        return Interval(mean, None, None, count, level, "no spread between families", sign_flip(values))
    half = float(stats.t.ppf(0.5 + level / 2, count - 1)) * spread / math.sqrt(count)
    return Interval(mean, mean - half, mean + half, count, level, None, sign_flip(values))


def sign_flip(values: Sequence[float]) -> float:
    """Two-sided p of the mean under random signs of the family means: all of them up to 14 families, else a seeded draw."""
    import numpy as np

    data = np.asarray(values, dtype=float)
    if len(data) <= EXACT_FLIPS:
        signs = np.array(list(product((1.0, -1.0), repeat=len(data))))
    else:
        signs = np.random.default_rng(0).choice((1.0, -1.0), size=(DRAWS, len(data)))
        signs[0] = 1.0
    means = np.abs(signs @ data)
    return float(np.mean(means >= abs(data.sum()) - 1e-12))


def ratio_interval(
    treated: Mapping[str, float], base: Mapping[str, float], whole: Mapping[str, float], level: float
) -> Interval:
    """(Σ treated − Σ base) / Σ whole over families, with a delete-one-family jackknife and t with J − 1 degrees of freedom.

    A ratio of sums is no mean of family values, so its spread comes from leaving families out. With `whole` the tokens of
    C0 this is METHOD.md's ρ, and the ρ of two arms differ by the third contrast exactly.
    """
    from scipy import stats

    names = sorted(set(treated) & set(base) & set(whole))
    count = len(names)

    def ratio(chosen: Sequence[str]) -> float | None:
        below = math.fsum(whole[name] for name in chosen)
        return math.fsum(treated[name] - base[name] for name in chosen) / below if below else None

    value = ratio(names) if count else None
    if value is None:
        return Interval(None, None, None, count, level, "no family has tokens measured in both arms")
    parts = [ratio([other for other in names if other != name]) for name in names]
    known = [part for part in parts if part is not None]
    if count == 1:
        return Interval(value, None, None, 1, level, "one family has no spread to judge by")
    if len(known) < count:
        return Interval(value, None, None, count, level, "all tokens of the baseline are one family's")
    centre = math.fsum(known) / count
    error = math.sqrt((count - 1) / count * math.fsum((part - centre) ** 2 for part in known))
    if error < 1e-12:
        return Interval(value, None, None, count, level, "no spread between families")
    half = float(stats.t.ppf(0.5 + level / 2, count - 1)) * error
    return Interval(value, value - half, value + half, count, level)


def any_at_k(solved: int, runs: int, k: int) -> float | None:
    """The chance that at least one of k runs solves a task, unbiased from `solved` of `runs`; None with fewer than k runs."""
    if runs < k or k < 1:
        return None
    return 1.0 - math.comb(runs - solved, k) / math.comb(runs, k)


def smallest_effect(families: int, replicates: int) -> tuple[float | None, str | None]:
    """The smallest difference of two arms, in points, found with 80 % power at the 5 % level (METHOD.md).

    Chain sd 0.2 and between-family sd 0.1 are assumed; both arms have `replicates` chains a family.
    """
    from scipy import stats

    if families < 2:
        return None, "one family has no spread to judge by"
    error = math.sqrt((FAMILY_SD**2 + CHAIN_SD**2 * 2 / replicates) / families)
    freedom = families - 1
    bound = float(stats.t.ppf(1 - ALPHA / 2, freedom))

    def lack(shift: float) -> float:
        return float(stats.nct.sf(bound, freedom, shift) + stats.nct.cdf(-bound, freedom, shift)) - POWER

    low, high = 0.0, 64.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        # scipy has no value for the far tail, where the power is 1 anyhow.
        low, high = (middle, high) if lack(middle) < 0 else (low, middle)
    effect = high * error
    return (100 * effect, None) if effect <= 1 else (None, "not even a difference of 100 points would be found")
