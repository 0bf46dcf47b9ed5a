"""What noise alone would show of pairs: labels permuted within project, halves of replicates.

METHOD.md, References for noise.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.audit.metrics import TrialObservation
from reports.audit.pairs import FEWEST_PAIRS, TIE, Key, PairTrials
from reports.result_tables import Reference, Reliability

#: Of numpy's generators.
Seed = int | Sequence[int]
PERMUTATIONS = 1_000
SPLITS = 200
#: Below this reliability a correlation between models cannot tell.
TELLING = 0.5


@dataclass(frozen=True)
class PairValues:
    """The metric of the trials of pairs, each once though several pairs share it. N trials, P pairs.

    `values`: (N,) the metric; `blocks`: the places of each project's trials; `arms`: by condition the places of each pair's.
    """

    values: Any
    blocks: tuple[Any, ...]
    arms: Mapping[str, tuple[tuple[int, ...], ...]]
    keys: tuple[Key, ...]

    def weights(self, treated: str, base: str) -> Any:
        """(N, P): a row of values times this is treated minus base of every pair."""
        import numpy as np

        table = np.zeros((len(self.values), len(self.keys)))
        for condition, sign in ((treated, 1.0), (base, -1.0)):
            for at, places in enumerate(self.arms[condition]):
                table[list(places), at] += sign / len(places)
        return table


def values_of(pairs: Sequence[PairTrials], conditions: Sequence[str], metric: str) -> PairValues:
    """The trials of the pairs that have the metric in all these arms."""
    import numpy as np

    kept = [(pair, {name: known_values(pair.arms[name], metric) for name in conditions}) for pair in pairs]
    kept = [(pair, arms) for pair, arms in kept if all(arms.values())]
    places: dict[tuple[str, float], int] = {}
    values: list[float] = []
    projects: dict[str, dict[int, None]] = {}
    found: dict[str, list[tuple[int, ...]]] = {name: [] for name in conditions}
    for pair, arms in kept:
        for name, items in arms.items():
            row = []
            for item, value in items:
                # A C0 trial may have records of several times; each counts for itself.
                at = places.setdefault((item.id, item.started), len(places))
                if at == len(values):
                    values.append(value)
                row.append(at)
                projects.setdefault(pair.project, {})[at] = None
            found[name].append(tuple(row))
    blocks = tuple(np.array(list(block)) for block in projects.values())
    arms = {name: tuple(rows) for name, rows in found.items()}
    return PairValues(np.array(values), blocks, arms, tuple(pair.key for pair, _ in kept))


def known_values(items: Sequence[TrialObservation], metric: str) -> list[tuple[TrialObservation, float]]:
    found = [(item, item.values.get(metric)) for item in items]
    return [(item, value) for item, value in found if value is not None and math.isfinite(value)]


def permuted(values: PairValues, draws: int = PERMUTATIONS, seed: Seed = 0) -> Any:
    """(draws, N): the chains of each project, all arms of all its skills together, dealt out anew. Shared C0 stays shared."""
    import numpy as np

    draw = np.random.default_rng(seed)
    table = np.tile(values.values, (draws, 1))
    for block in values.blocks:
        table[:, block] = draw.permuted(table[:, block], axis=1)
    return table


@dataclass(frozen=True)
class Shuffled:
    """One model's per-pair effects under permuted labels: (draws, P) beside the pairs' keys."""

    keys: tuple[Key, ...]
    effects: Any

    def of(self, keys: Sequence[Key]) -> Any:
        return self.effects[:, [self.keys.index(key) for key in keys]]


def shuffled(
    pairs: Sequence[PairTrials],
    metric: str,
    draws: int = PERMUTATIONS,
    seed: Seed = 0,
    treated: str = "C1",
    base: str = "C0",
) -> Shuffled:
    """What is compared between models: give every model a seed of its own, for models are permuted apart."""
    found = values_of(pairs, (treated, base), metric)
    return Shuffled(found.keys, permuted(found, draws, seed) @ found.weights(treated, base) if found.keys else None)


def between(left: Shuffled, right: Shuffled) -> dict[str, Reference]:
    """Pearson's r, Spearman's and the sign agreement of two models under permuted labels."""
    import numpy as np
    from scipy import stats

    common = [key for key in left.keys if key in right.keys]
    if len(common) < FEWEST_PAIRS:
        few = no_reference(f"{len(common)} common pairs, at least {FEWEST_PAIRS} are needed")
        return dict.fromkeys(("pearson", "spearman", "agreement"), few)
    one, other = left.of(common), right.of(common)
    ranks = [stats.rankdata(side.round(9), axis=1) for side in (one, other)]
    telling = (abs(one) > TIE) & (abs(other) > TIE)
    with np.errstate(invalid="ignore"):
        agreement = (telling & ((one > 0) == (other > 0))).sum(axis=1) / telling.sum(axis=1)
    return {
        "pearson": reference(row_correlations(one, other)),
        "spearman": reference(row_correlations(*ranks)),
        "agreement": reference(agreement),
    }


def row_correlations(one: Any, other: Any) -> Any:
    """Pearson's r of each row of two (draws, P) arrays; NaN where a row has no spread."""
    import numpy as np

    left, right = (side - side.mean(axis=1, keepdims=True) for side in (one, other))
    below = np.sqrt((left**2).sum(axis=1) * (right**2).sum(axis=1))
    above = (left * right).sum(axis=1)
    return np.divide(above, below, out=np.full(len(below), np.nan), where=below > TIE**2)


def split_half(
    pairs: Sequence[PairTrials],
    metric: str,
    treated: str = "C1",
    base: str = "C0",
    splits: int = SPLITS,
    seed: Seed = 0,
) -> Reliability:
    """How well per-pair effects from one half of the replicates agree with those from the other, over seeded random splits.

    Every arm is split; pairs that share a C0 share its halves. Pairs with fewer than two trials in an arm are left out. With
    an odd number one half has one more, a coin says which.
    """
    import numpy as np

    enough = [pair for pair in pairs if all(len(known_values(pair.arms[name], metric)) > 1 for name in (treated, base))]
    if len(enough) < FEWEST_PAIRS:
        many = f"{len(enough)} pair{'' if len(enough) == 1 else 's'} with two replicates in both arms"
        return Reliability(None, None, len(enough), f"{many}: halves need {FEWEST_PAIRS}")
    known = values_of(enough, (treated, base), metric)
    draw = np.random.default_rng(seed)
    order = draw.random((splits, len(known.values)))
    first, second = (np.zeros((splits, len(known.keys))) for _ in range(2))
    for name, sign in ((treated, 1.0), (base, -1.0)):
        halves = {places: halves_of(known.values, places, order, draw) for places in dict.fromkeys(known.arms[name])}
        for at, places in enumerate(known.arms[name]):
            first[:, at] += sign * halves[places][0]
            second[:, at] += sign * halves[places][1]
    found = row_correlations(first, second)
    found = found[np.isfinite(found)]
    if not found.size:
        return Reliability(None, None, len(enough), "no spread between pairs")
    raw = float(found.mean())
    return Reliability(2 * raw / (1 + raw) if raw > 0 else raw, raw, len(enough))


def halves_of(values: Any, places: tuple[int, ...], order: Any, draw: Any) -> tuple[Any, Any]:
    """The means of the two halves of one arm in every split."""
    count = len(places)
    ranks = order[:, places].argsort(axis=1).argsort(axis=1)
    sizes = (count + draw.integers(0, 2, len(order))) // 2
    inside = ranks < sizes[:, None]
    own = values[list(places)]
    return (inside * own).sum(axis=1) / sizes, (~inside * own).sum(axis=1) / (count - sizes)


def reference(values: Any) -> Reference:
    import numpy as np

    known = values[np.isfinite(values)]
    if not known.size:
        return no_reference("no permutation gives one")
    low, high = np.percentile(known, [2.5, 97.5])
    return Reference(float(known.mean()), float(low), float(high), len(known))


def no_reference(reason: str) -> Reference:
    return Reference(None, None, None, 0, reason)
