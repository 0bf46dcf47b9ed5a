"""Estimates and their intervals by METHOD.md, Estimates. Pure functions of numbers; families or replicates are the units."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import NamedTuple

EXACT_FLIPS = 14
DRAWS = 20_000
#: Differences of shares below this are rounding.
NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its interval; `low` and `high` are None with a reason where there can be none.

    `units` are the families (or, on these projects only, the trials) it rests on; `level` is its coverage (0.95); `p` that of
    the same t-test, two-sided; `parts` the family means that the sign-flips are taken of.
    """

    estimate: float | None
    low: float | None
    high: float | None
    units: int
    level: float
    reason: str | None = None
    p: float | None = None
    parts: tuple[float, ...] = ()

    @property
    def p_signflip(self) -> float | None:
        """The second opinion: two-sided p of the mean under random signs of the family means. Computed when it is asked for."""
        return sign_flip(self.parts) if len(self.parts) > 1 else None

    @property
    def sign(self) -> int:
        """1 or −1 where the interval lies on one side of zero, else 0."""
        if self.low is None or self.high is None:
            return 0
        return (self.low > 0) - (self.high < 0)

    def inside(self, margin: float) -> bool:
        """Whether all of it lies within ±margin."""
        return self.low is not None and self.high is not None and -margin < self.low and self.high < margin


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its standard error and degrees of freedom, from which intervals of any level are read.

    `error` is None, with the reason, where there is no spread to judge by. `parts` as in Interval.
    """

    value: float | None
    error: float | None
    freedom: float
    units: int
    reason: str | None = None
    parts: tuple[float, ...] = ()

    def at(self, level: float) -> Interval:
        """Student's t interval of that level."""
        if self.value is None or self.error is None:
            return Interval(self.value, None, None, self.units, level, self.reason, None, self.parts)
        half = t_quantile(self.freedom, level) * self.error
        return Interval(self.value, self.value - half, self.value + half, self.units, level, None, self.p, self.parts)

    @property
    def p(self) -> float | None:
        """Two-sided p of the t-test against zero; None where there is no spread."""
        from scipy import special

        if self.value is None or self.error is None:
            return None
        return float(2 * special.stdtr(self.freedom, -abs(self.value) / self.error))

    def prediction(self, level: float) -> tuple[float, float] | None:
        """Where the difference measured on one more family would lie: mean ± t·s·√(1 + 1/J), J − 1 degrees of freedom.

        It holds for a family measured with as many replicates, so what replicates differ by is in it: few replicates make it
        wide, never narrow. None where the units are no families, or without spread.
        """
        if self.value is None or self.error is None or not self.parts:
            return None
        half = t_quantile(self.freedom, level) * self.error * math.sqrt(len(self.parts) + 1)
        return self.value - half, self.value + half


class Sample(NamedTuple):
    """The replicates of one arm on one project: how many, their mean, and the sum of squares about it."""

    size: int
    mean: float
    squares: float

    @property
    def error2(self) -> float:
        """The squared standard error of the mean; two replicates at least."""
        return self.squares / (self.size - 1) / self.size


def sample(values: Sequence[float]) -> Sample:
    """The sample of at least one value."""
    count = len(values)
    centre = math.fsum(values) / count
    return Sample(count, centre, math.fsum([(value - centre) ** 2 for value in values]))


@lru_cache(maxsize=8192)
def t_quantile(freedom: float, level: float) -> float:
    """How many standard errors a two-sided t interval of that level reaches."""
    from scipy import special

    return float(special.stdtrit(freedom, 0.5 + level / 2))


def family_estimate(values: Sequence[float]) -> Estimate:
    """The mean of J family means, J − 1 degrees of freedom (METHOD.md, Headline interval).

    One family gives no standard error, and neither does zero spread: equal families are no certainty.
    """
    count, parts = len(values), tuple(values)
    if count == 0:
        return Estimate(None, None, 0, 0, "no family has both arms")
    mean = math.fsum(values) / count
    if count == 1:
        return Estimate(mean, None, 0, 1, "one family has no spread to judge by", parts)
    spread = math.sqrt(math.fsum([(value - mean) ** 2 for value in values]) / (count - 1))
    if spread < NOTHING:
        return Estimate(mean, None, count - 1, count, "no spread between families", parts)
    return Estimate(mean, spread / math.sqrt(count), count - 1, count, None, parts)


def family_interval(values: Sequence[float], level: float) -> Interval:
    """Student's t over family means (`family_estimate`), at that level."""
    return family_estimate(values).at(level)


def stratified_estimate(strata: Iterable[tuple[float, Sample, Sample]]) -> Estimate:
    """Σ weight · (treated mean − base mean) over projects, with the replicates of each arm and project as units.

    Welch–Satterthwaite: no two arms or projects are taken to vary alike (METHOD.md, Scopes, ON THESE PROJECTS ONLY). One
    project is Welch's t-test. The weights sum to 1; the units are trials. One replicate of an arm, or no spread in any,
    gives no standard error.
    """
    value = variance = fourth = 0.0
    trials, lone = 0, False
    for weight, treated, base in strata:
        value += weight * (treated.mean - base.mean)
        trials += treated.size + base.size
        for arm in (treated, base):
            if arm.size < 2:
                lone = True
                continue
            part = weight * weight * arm.error2
            variance += part
            fourth += part * part / (arm.size - 1)
    if not trials:
        return Estimate(None, None, 0, 0, "no project has both arms")
    if lone:
        return Estimate(value, None, 0, trials, "one replicate has no spread to judge by")
    if variance < NOTHING**2:
        return Estimate(value, None, 0, trials, "no spread between replicates")
    return Estimate(value, math.sqrt(variance), variance * variance / fourth, trials)


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
    return float(np.mean(means >= abs(data.sum()) - NOTHING))


def ratio_interval(
    treated: Mapping[str, float], base: Mapping[str, float], whole: Mapping[str, float], level: float
) -> Interval:
    """(Σ treated − Σ base) / Σ whole over families, with a delete-one-family jackknife and t with J − 1 degrees of freedom.

    A ratio of sums is no mean of family values, so its spread comes from leaving families out. With `whole` the tokens of
    C0 this is METHOD.md's ρ, and the ρ of two arms differ by the third contrast exactly. A family with a value that is not
    measured (None or NaN) in one of them is left out.
    """
    names = sorted(
        name for name in set(treated) & set(base) & set(whole) if known((treated[name], base[name], whole[name])) is not None
    )
    count = len(names)

    def ratio(chosen: Sequence[str]) -> float | None:
        below = math.fsum(whole[name] for name in chosen)
        return math.fsum(treated[name] - base[name] for name in chosen) / below if below else None

    value = ratio(names) if count else None
    if value is None:
        return Interval(None, None, None, count, level, "no family has tokens measured in both arms")
    parts = [ratio([other for other in names if other != name]) for name in names]
    found = [part for part in parts if part is not None]
    if count == 1:
        return Interval(value, None, None, 1, level, "one family has no spread to judge by")
    if len(found) < count:
        return Interval(value, None, None, count, level, "all tokens of the baseline are one family's")
    centre = math.fsum(found) / count
    error = math.sqrt((count - 1) / count * math.fsum((part - centre) ** 2 for part in found))
    if error < NOTHING:
        return Interval(value, None, None, count, level, "no spread between families")
    half = t_quantile(count - 1, level) * error
    return Interval(value, value - half, value + half, count, level)


def known(values: Sequence[float | None]) -> Sequence[float] | None:
    """The values if every one of them is a finite number, else None. None and NaN are not measured."""
    try:
        return values if all(map(math.isfinite, values)) else None  # type: ignore[arg-type, return-value]
    except TypeError:
        return None


def measured(values: Sequence[float | None]) -> Sequence[float]:
    """Those of the values that are finite numbers."""
    found = known(values)
    return found if found is not None else [value for value in values if value is not None and math.isfinite(value)]
