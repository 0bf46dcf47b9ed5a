"""What a plan can find, and what would decide what was not decided (METHOD.md, Design of an audit and Verdicts, 4)."""

import math
from functools import lru_cache

from reports.stats.intervals import t_quantile
from reports.stats.method import (
    ALPHA,
    FAMILY_SD,
    MINIMUM_FAMILIES,
    MINIMUM_REPLICATES,
    MOST_FAMILIES,
    MOST_REPLICATES,
    NARROW_LEVEL,
    POWER,
    PREDICTION_LEVEL,
    PREDICTION_MARGINS,
    TRIAL_SD,
)

SLICES = 20_000


def smallest_effect(families: int, replicates: int) -> tuple[float | None, str | None]:
    """The smallest difference of two arms, in points, found with 80 % power at the 5 % level (METHOD.md).

    Trial sd 0.2 and between-family sd 0.1 are assumed; both arms have `replicates` trials a family.
    """
    from scipy import stats

    if families < 2:
        return None, "one family has no spread to judge by"
    error = math.sqrt((FAMILY_SD**2 + TRIAL_SD**2 * 2 / replicates) / families)
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


@lru_cache(maxsize=256)
def chance_of_no_effect(families: int, replicates: int, margin: float, looks: int = 1) -> tuple[float | None, str | None]:
    """The chance (0..1) that an audit of a skill without any effect says NO PRACTICAL EFFECT; None with the reason.

    `margin` is a share (0.05). Trial sd 0.2 and between-family sd 0.1 are assumed, both arms with `replicates` trials a
    family. The mean and the spread of normal family differences are independent, so the chance is an integral over the
    spread alone: both intervals bound |mean|, and the chance of that is averaged over 20,000 equal slices of the χ² of the
    spread. Nothing is drawn.
    """
    import numpy as np
    from scipy import special

    if families < MINIMUM_FAMILIES or replicates < MINIMUM_REPLICATES:
        return None, f"a verdict on projects like these needs {MINIMUM_FAMILIES} families × {MINIMUM_REPLICATES} replicates"
    spread = math.sqrt(FAMILY_SD**2 + TRIAL_SD**2 * 2 / replicates)
    freedom = families - 1
    tail = (np.arange(SLICES) + 0.5) / SLICES
    seen = spread * np.sqrt(special.chdtri(freedom, tail) / freedom)
    narrow = t_quantile(freedom, narrow_level(looks)) / math.sqrt(families)
    ahead = t_quantile(freedom, PREDICTION_LEVEL) * math.sqrt(1 + 1 / families)
    room = np.maximum(np.minimum(margin - narrow * seen, PREDICTION_MARGINS * margin - ahead * seen), 0)
    return float(np.mean(2 * special.ndtr(room * math.sqrt(families) / spread) - 1)), None


def narrow_level(looks: int) -> float:
    """The level of the interval that NO PRACTICAL EFFECT asks for: 90 %, with its one-sided errors split over the looks."""
    return 1 - (1 - NARROW_LEVEL) / looks


@lru_cache(maxsize=1024)
def _steepness(alpha: float) -> tuple[float, ...]:
    """For J = 2 … 200 families: how large (effect / standard error of one family)² must be for 80 % power at that level.

    The share of rejections on the wrong side is left out: at 80 % power it is below 1e-5.
    """
    import numpy as np
    from scipy import special

    families = np.arange(2, MOST_FAMILIES + 1)
    bound = special.stdtrit(families - 1, 1 - alpha / 2)
    low, high = np.zeros(len(families)), np.full(len(families), 4.0) * bound + 8
    for _ in range(50):
        middle = (low + high) / 2
        # Where scipy has no value the shift is far too large; NaN compares as False.
        short = special.nctdtr(families - 1, middle, bound) > 1 - POWER
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return tuple((high**2 / families).tolist())


def deciding(
    value: float, families: int, replicates: int, between: float, noise: float, level: float
) -> tuple[tuple[int, int] | None, str]:
    """The families × replicates whose interval would exclude zero with 80 % chance if the difference seen were the true one.

    `between` is the variance of family effects, `noise` that of one replicate's difference, so a family's difference varies by
    between + noise / R. Of all plans that have no less than the present `families` and `replicates` and the minimum, and no
    more than 200 × 20, it is the one with the fewest trials, and of equals with the fewest families. None, and "no number of
    replicates would", where there is none. The words say what the present families could reach by replicates alone.
    """
    few, least = max(families, MINIMUM_FAMILIES), max(replicates, MINIMUM_REPLICATES)
    best: tuple[int, int] | None = None
    square, steep = value * value, _steepness(round(1 - level, 12))
    for count in range(few, max(few, MOST_FAMILIES) + 1):
        if best and count * least >= best[0] * best[1]:
            break
        room = square / steep[min(count, MOST_FAMILIES) - 2] - between
        needed = max(least, math.ceil(noise / room)) if room > 0 and noise / room <= MOST_REPLICATES else MOST_REPLICATES + 1
        if needed <= MOST_REPLICATES and (best is None or count * needed < best[0] * best[1]):
            best = count, needed
    alone = square / steep[min(few, MOST_FAMILIES) - 2] > between
    within = f"with {few} families" if few == families else f"with the {few} families that a verdict needs"
    limit = f"{max(MOST_FAMILIES, few)} families × {MOST_REPLICATES} replicates"
    if best is None:
        said = f"{within} no number of replicates would tell the difference seen from zero" if not alone else ""
        return None, f"{said}, nor would {limit}" if said else f"not even {limit} would tell the difference seen from zero"
    said = (
        f"{best[0]} families × {best[1]} replicates would tell the difference seen from zero in {100 * POWER:.0f} % of audits"
    )
    return best, said if alone else f"{said}; {within} no number of replicates would"


def deciding_here(
    value: float, families: int, replicates: int, parts: tuple[float, ...], level: float
) -> tuple[tuple[int, int] | None, str]:
    """The replicates an arm on these very projects whose interval would exclude zero with 80 % chance (`deciding`).

    `parts` are, an arm and project, its squared weight times the variance of one replicate. With R replicates each the standard
    error is √(Σ parts / R), with (R − 1)·(Σ parts)² / Σ parts² degrees of freedom.
    """
    from scipy import special

    total = math.fsum(parts)
    spread = total * total / math.fsum(part * part for part in parts)
    for count in range(replicates, MOST_REPLICATES + 1):
        freedom = (count - 1) * spread
        bound = t_quantile(round(freedom, 3), level)
        if special.nctdtr(freedom, abs(value) / math.sqrt(total / count), bound) <= 1 - POWER:
            return (families, count), (
                f"on these projects {count} replicates an arm would tell the difference seen from zero in "
                f"{100 * POWER:.0f} % of audits; for projects like these {MINIMUM_FAMILIES} families are the least"
            )
    return None, (
        f"on these projects no number of replicates up to {MOST_REPLICATES} would tell the difference seen from zero; "
        f"for projects like these {MINIMUM_FAMILIES} families are the least"
    )
