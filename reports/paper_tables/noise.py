"""What noise alone would show (METHOD.md, References for noise): labels permuted within project, halves of replicates, A/A.

Wins, survival, sign agreement and correlations of pairs are large with no effect at all: they are printed beside these.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.audit.metrics import TrialObservation
from reports.paper_tables.estimators import FEWEST_PAIRS, TIE, Key, PairTrials
from reports.result_tables import Reference, Reliability

#: Of numpy's generators.
Seed = int | Sequence[int]
PERMUTATIONS = 1_000
SPLITS = 200
#: Below this reliability a correlation between models cannot tell.
TELLING = 0.5


@dataclass(frozen=True, slots=True)
class Flips:
    """C0 against itself. `gains`: the share of projects where one half of its replicates is above the other, in either order
    and so with no skill at all; `tasks`: the share of tasks that one chain solves and another does not."""

    gains: float | None
    tasks: float | None
    projects: int
    reason: str | None = None


@dataclass(frozen=True)
class Chains:
    """The chains of pairs, each once though several pairs share it. N chains, P pairs.

    `values`: (N,) the metric; `blocks`: the places of each project's chains; `arms`: by condition the places of each pair's.
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


def chains_of(pairs: Sequence[PairTrials], conditions: Sequence[str], metric: str = "pass2") -> Chains:
    """The chains of the pairs that have the metric in all these arms."""
    import numpy as np

    kept = [(pair, {name: _known(pair.arms[name], metric) for name in conditions}) for pair in pairs]
    kept = [(pair, arms) for pair, arms in kept if all(arms.values())]
    places: dict[tuple[str, float], int] = {}
    values: list[float] = []
    projects: dict[str, dict[int, None]] = {}
    found: dict[str, list[tuple[int, ...]]] = {name: [] for name in conditions}
    for pair, arms in kept:
        for name, items in arms.items():
            row = []
            for item, value in items:
                # A C0 trial may have records of several times; each is a chain of its own.
                at = places.setdefault((item.id, item.started), len(places))
                if at == len(values):
                    values.append(value)
                row.append(at)
                projects.setdefault(pair.project, {})[at] = None
            found[name].append(tuple(row))
    blocks = tuple(np.array(list(block)) for block in projects.values())
    arms = {name: tuple(rows) for name, rows in found.items()}
    return Chains(np.array(values), blocks, arms, tuple(pair.key for pair, _ in kept))


def _known(items: Sequence[TrialObservation], metric: str) -> list[tuple[TrialObservation, float]]:
    found = [(item, item.values.get(metric)) for item in items]
    return [(item, value) for item, value in found if value is not None and math.isfinite(value)]


def permuted(chains: Chains, draws: int = PERMUTATIONS, seed: Seed = 0) -> Any:
    """(draws, N): the chains of each project, all arms of all its skills together, dealt out anew. Shared C0 stays shared."""
    import numpy as np

    draw = np.random.default_rng(seed)
    table = np.tile(chains.values, (draws, 1))
    for block in chains.blocks:
        table[:, block] = draw.permuted(table[:, block], axis=1)
    return table


def wins(
    pairs: Sequence[PairTrials], draws: int = PERMUTATIONS, seed: Seed = 0, treated: str = "C1", base: str = "C0"
) -> Reference:
    """The share of pairs that gain under permuted labels."""
    chains = chains_of(pairs, (treated, base))
    if not chains.keys:
        return _none("no pair has both arms measured")
    return _reference((permuted(chains, draws, seed) @ chains.weights(treated, base) > TIE).mean(axis=1))


def survivals(pairs: Sequence[PairTrials], draws: int = PERMUTATIONS, seed: Seed = 0) -> Reference:
    """The survival of wins (reports.paper_tables.estimators.survival) under labels permuted among C0, C1 and C2."""
    import numpy as np

    chains = chains_of(pairs, ("C0", "C1", "C2"))
    if not chains.keys:
        return _none("no pair has C0, C1 and C2 measured")
    table = permuted(chains, draws, seed)
    won = table @ chains.weights("C1", "C0") > TIE
    kept = won & (table @ chains.weights("C1", "C2") > TIE)
    with np.errstate(invalid="ignore"):
        return _reference(kept.sum(axis=1) / won.sum(axis=1))


@dataclass(frozen=True)
class Shuffled:
    """One model's per-pair effects under permuted labels: (draws, P) beside the pairs' keys."""

    keys: tuple[Key, ...]
    effects: Any

    def of(self, keys: Sequence[Key]) -> Any:
        return self.effects[:, [self.keys.index(key) for key in keys]]


def shuffled(
    pairs: Sequence[PairTrials], draws: int = PERMUTATIONS, seed: Seed = 0, treated: str = "C1", base: str = "C0"
) -> Shuffled:
    """What `between` and `panel_signs` compare: give every model a seed of its own, for models are permuted apart."""
    chains = chains_of(pairs, (treated, base))
    return Shuffled(chains.keys, permuted(chains, draws, seed) @ chains.weights(treated, base) if chains.keys else None)


def between(left: Shuffled, right: Shuffled) -> dict[str, Reference]:
    """Pearson's r, Spearman's and the sign agreement of two models under permuted labels."""
    import numpy as np
    from scipy import stats

    common = [key for key in left.keys if key in right.keys]
    if len(common) < FEWEST_PAIRS:
        few = _none(f"{len(common)} common pairs, at least {FEWEST_PAIRS} are needed")
        return dict.fromkeys(("pearson", "spearman", "agreement"), few)
    one, other = left.of(common), right.of(common)
    ranks = [stats.rankdata(side.round(9), axis=1) for side in (one, other)]
    telling = (abs(one) > TIE) & (abs(other) > TIE)
    with np.errstate(invalid="ignore"):
        agreement = (telling & ((one > 0) == (other > 0))).sum(axis=1) / telling.sum(axis=1)
    return {
        "pearson": _reference(row_correlations(one, other)),
        "spearman": _reference(row_correlations(*ranks)),
        "agreement": _reference(agreement),
    }


def panel_signs(models: Sequence[Shuffled]) -> dict[str, Reference]:
    """The shares of `reports.paper_tables.estimators.signs` under permuted labels."""
    common = [key for key in models[0].keys if all(key in other.keys for other in models)] if models else []
    if not common:
        return dict.fromkeys(("mixed", "gain", "lose"), _none("no pair is common to all models"))
    sides = [model.of(common) for model in models]
    up, down = _together(sides, lambda side: side > TIE), _together(sides, lambda side: side < -TIE)
    return {
        "mixed": _reference((up.any(axis=0) & down.any(axis=0)).mean(axis=1)),
        "gain": _reference(up.all(axis=0).mean(axis=1)),
        "lose": _reference(down.all(axis=0).mean(axis=1)),
    }


def _together(sides: Sequence[Any], test: Callable[[Any], Any]) -> Any:
    import numpy as np

    return np.stack([test(side) for side in sides])


def row_correlations(one: Any, other: Any) -> Any:
    """Pearson's r of each row of two (draws, P) arrays; NaN where a row has no spread."""
    import numpy as np

    left, right = (side - side.mean(axis=1, keepdims=True) for side in (one, other))
    below = np.sqrt((left**2).sum(axis=1) * (right**2).sum(axis=1))
    above = (left * right).sum(axis=1)
    return np.divide(above, below, out=np.full(len(below), np.nan), where=below > TIE**2)


def split_half(
    pairs: Sequence[PairTrials],
    treated: str = "C1",
    base: str = "C0",
    metric: str = "pass2",
    splits: int = SPLITS,
    seed: Seed = 0,
) -> Reliability:
    """How well per-pair effects from one half of the replicates agree with those from the other, over seeded random splits.

    Every arm is split; pairs that share a C0 share its halves. Pairs with fewer than two chains in an arm are left out. With
    an odd number one half has one more, a coin says which.
    """
    import numpy as np

    enough = [pair for pair in pairs if all(len(_known(pair.arms[name], metric)) > 1 for name in (treated, base))]
    if len(enough) < FEWEST_PAIRS:
        many = f"{len(enough)} pair{'' if len(enough) == 1 else 's'} with two replicates in both arms"
        return Reliability(None, None, len(enough), f"{many}: halves need {FEWEST_PAIRS}")
    chains = chains_of(enough, (treated, base), metric)
    draw = np.random.default_rng(seed)
    order = draw.random((splits, len(chains.values)))
    first, second = (np.zeros((splits, len(chains.keys))) for _ in range(2))
    for name, sign in ((treated, 1.0), (base, -1.0)):
        halves = {places: _halves(chains.values, places, order, draw) for places in dict.fromkeys(chains.arms[name])}
        for at, places in enumerate(chains.arms[name]):
            first[:, at] += sign * halves[places][0]
            second[:, at] += sign * halves[places][1]
    found = row_correlations(first, second)
    found = found[np.isfinite(found)]
    if not found.size:
        return Reliability(None, None, len(enough), "no spread between pairs")
    raw = float(found.mean())
    return Reliability(2 * raw / (1 + raw) if raw > 0 else raw, raw, len(enough))


def _halves(values: Any, places: tuple[int, ...], order: Any, draw: Any) -> tuple[Any, Any]:
    """The means of the two halves of one arm in every split."""
    count = len(places)
    ranks = order[:, places].argsort(axis=1).argsort(axis=1)
    sizes = (count + draw.integers(0, 2, len(order))) // 2
    inside = ranks < sizes[:, None]
    own = values[list(places)]
    return (inside * own).sum(axis=1) / sizes, (~inside * own).sum(axis=1) / (count - sizes)


def flips(pairs: Sequence[PairTrials], base: str = "C0", splits: int = SPLITS, seed: Seed = 0) -> Flips:
    """A/A: what C0 shows against itself, project by project, from halves of its replicates over seeded random splits."""
    import numpy as np

    chains: dict[str, dict[tuple[str, float], TrialObservation]] = {}
    for pair in pairs:
        own = chains.setdefault(pair.project, {})
        own |= {(item.id, item.started): item for item, _ in _known(pair.arms[base], "pass2")}
    enough = [list(own.values()) for own in chains.values() if len(own) > 1]
    if not enough:
        return Flips(None, None, 0, "no project has two replicates of C0")
    draw = np.random.default_rng(seed)
    gains, tasks = [], []
    for items in enough:
        values = np.array([item.values["pass2"] for item in items])
        first, second = _halves(values, tuple(range(len(items))), draw.random((splits, len(items))), draw)
        gains.append((np.mean(first - second > TIE) + np.mean(second - first > TIE)) / 2)
        solved = np.array([item.solved for item in items]).sum(axis=0)
        tasks.append(np.mean(2 * solved * (len(items) - solved) / (len(items) * (len(items) - 1))))
    return Flips(float(np.mean(gains)), float(np.mean(tasks)), len(enough))


def _reference(values: Any) -> Reference:
    import numpy as np

    known = values[np.isfinite(values)]
    if not known.size:
        return _none("no permutation gives one")
    low, high = np.percentile(known, [2.5, 97.5])
    return Reference(float(known.mean()), float(low), float(high), len(known))


def _none(reason: str) -> Reference:
    return Reference(None, None, None, 0, reason)
