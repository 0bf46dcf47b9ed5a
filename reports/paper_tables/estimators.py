"""The estimators of WebDev-Skills-Bench (§3, §4, Appendix D), for its reproduced tables only: METHOD.md decides verdicts.

The paper's unit is the pair (skill, project): replicates are averaged, then pairs count equally, though pairs of a project
share its C0 and projects of a family are alike.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmark.core.model import Difficulty
from benchmark.suite.capabilities import Chained
from benchmark.suite.contract import Suite
from reports.audit.pairs import TIE, Key, PairTrials, arm_mean
from reports.stats.statistics import Interval

LEVEL = 0.95
#: Of Tables 1 to 3 (§3, Models and metrics) and of slices (Appendix D).
RESAMPLES, SLICE_RESAMPLES = 1_000, 10_000
#: The fewest pair-cells of a bucket.
FEWEST_CELLS = 5
#: Indices drawn at once: a bootstrap of many values stays small in memory.
BATCH = 4_000_000


def ratios(pairs: Sequence[PairTrials], metric: str, treated: str, base: str) -> tuple[list[float], float | None]:
    """The paper's ρ of each pair, (treated − base) / base, whose mean it reports; and METHOD.md's ratio of sums over them."""
    sides = [(arm_mean(pair, treated, metric), arm_mean(pair, base, metric)) for pair in pairs]
    known = [(left, right) for left, right in sides if left is not None and right]
    below = math.fsum(right for _, right in known)
    whole = math.fsum(left - right for left, right in known) / below if below else None
    return [(left - right) / right for left, right in known], whole


def pair_bootstrap(
    values: Sequence[float], resamples: int = RESAMPLES, seed: int = 0, level: float = LEVEL
) -> tuple[float, float]:
    """The percentile interval of the mean of `values` under resampling with replacement (§3, Models and metrics).

    Draws what `scipy.stats.bootstrap(method="percentile")` draws from `numpy.random.default_rng(seed)`. The paper pairs
    arms first, so `values` are differences of pairs. Ignores what pairs share. Raises ValueError with no value at all.
    """
    import numpy as np

    data = np.asarray(values, dtype=float)
    if not data.size:
        raise ValueError("a bootstrap needs at least one value")
    draw = np.random.default_rng(seed)
    step = max(1, BATCH // data.size)
    means = [
        data[draw.integers(0, data.size, (min(step, resamples - at), data.size))].mean(axis=1)
        for at in range(0, resamples, step)
    ]
    low, high = np.percentile(np.concatenate(means), [50 * (1 - level), 50 * (1 + level)])
    return float(low), float(high)


def estimate(values: Sequence[float], resamples: int = RESAMPLES, seed: int = 0) -> Interval:
    """The mean of pairs with its pair bootstrap; no interval, and the reason, where there is nothing to resample."""
    count = len(values)
    if not count:
        return Interval(None, None, None, 0, LEVEL, "no pair has both arms measured")
    mean = math.fsum(values) / count
    if max(values) - min(values) < TIE:
        reason = "one pair has no spread to judge by" if count == 1 else "no spread between pairs"
        return Interval(mean, None, None, count, LEVEL, reason)
    low, high = pair_bootstrap(values, resamples, seed)
    return Interval(mean, low, high, count, LEVEL)


def gaining(values: Sequence[float]) -> float | None:
    """The share of pairs that gain, None of no pair (§4.1)."""
    return sum(value > TIE for value in values) / len(values) if values else None


def survival(total: Mapping[Key, float], content: Mapping[Key, float]) -> tuple[float | None, int]:
    """The share of C1 wins that remain positive after the length control, and the wins (Table 3): C1 > C0, then C1 > C2."""
    wins = [key for key, value in total.items() if value > TIE and key in content]
    return (sum(content[key] > TIE for key in wins) / len(wins) if wins else None), len(wins)


@dataclass(frozen=True)
class DifficultyBucket:
    """ΔPass@2 within one difficulty, a value a pair.

    `reached` is of tasks that chains reached, over pairs whose both arms reached one: the paper does not say so, but without
    it no bucket of its corpus could have fewer than five pair-cells. `all` counts what was not reached as unsolved.
    """

    reached: list[float] = field(default_factory=list)
    all: list[float] = field(default_factory=list)


def buckets(
    pairs: Sequence[PairTrials], suite: Suite, treated: str, base: str
) -> tuple[dict[Difficulty, DifficultyBucket], list[str]]:
    """Pairs by the difficulty of tasks (Table 2), and the projects whose difficulties this checkout does not know."""
    found: dict[Difficulty, DifficultyBucket] = {}
    unknown: dict[str, None] = {}
    for pair in pairs:
        levels = suite.difficulties(pair.project) if isinstance(suite, Chained) and pair.project in suite.projects() else ()
        chains = [[item.solved for item in pair.arms[name]] for name in (treated, base)]
        if any(len(chain) != len(levels) for side in chains for chain in side):
            unknown[pair.project] = None
            continue
        for level in dict.fromkeys(levels):
            tasks = [at for at, other in enumerate(levels) if other == level]
            bucket = found.setdefault(level, DifficultyBucket())
            sides = [_solved_of(side, tasks) for side in chains]
            (left, left_reached), (right, right_reached) = sides
            bucket.all.append(left / len(tasks) / len(chains[0]) - right / len(tasks) / len(chains[1]))
            if left_reached and right_reached:
                bucket.reached.append(left / left_reached - right / right_reached)
    return found, list(unknown)


def _solved_of(chains: Sequence[Sequence[bool]], tasks: Sequence[int]) -> tuple[int, int]:
    """How many of these tasks all chains solved, and how many they reached: a chain ends at its first task not solved."""
    return sum(chain[at] for chain in chains for at in tasks), sum(all(chain[:at]) for chain in chains for at in tasks)


def signs(models: Sequence[Mapping[Key, float]]) -> dict[str, float] | None:
    """Of pairs that all models have: shares with both signs among models, gaining on all, losing on all (§4.4)."""
    common = [key for key in models[0] if all(key in other for other in models)] if models else []
    if not common:
        return None
    rows = [[model[key] for model in models] for key in common]
    up = [[value > TIE for value in row] for row in rows]
    down = [[value < -TIE for value in row] for row in rows]
    mixed = sum(any(a) and any(b) for a, b in zip(up, down, strict=True))
    return {
        "mixed": mixed / len(rows),
        "gain": sum(map(all, up)) / len(rows),
        "lose": sum(map(all, down)) / len(rows),
    }


def discordant(pairs: Sequence[PairTrials], treated: str, base: str) -> tuple[int, int]:
    """McNemar's b and c over matched task attempts (Appendix D): solved in the treated arm only, and in the base only.

    Attempts match by pair, replicate and task; a missing task counts as failed, a replicate without its match as nothing.
    """
    b = c = 0
    for pair in pairs:
        others = {item.replicate: item for item in pair.arms[base]}
        for item in pair.arms[treated]:
            if item.replicate in others:
                other = others[item.replicate].solved
                for at in range(max(len(item.solved), len(other))):
                    one, two = at < len(item.solved) and item.solved[at], at < len(other) and other[at]
                    b, c = b + (one and not two), c + (two and not one)
    return b, c
