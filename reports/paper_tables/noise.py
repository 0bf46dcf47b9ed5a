"""What noise alone would show (METHOD.md, References for noise): wins and survivals under permuted labels, and A/A.

Wins, survival, sign agreement and correlations of pairs are large with no effect at all: they are printed beside these.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from reports.audit.metrics import TrialObservation
from reports.audit.pairs import TIE, PairTrials
from reports.audit.permutations import (
    PERMUTATIONS,
    SPLITS,
    Seed,
    Shuffled,
    halves_of,
    known_values,
    no_reference,
    permuted,
    reference,
    values_of,
)
from reports.result_tables import Reference


@dataclass(frozen=True, slots=True)
class Flips:
    """C0 against itself. `gains`: the share of projects where one half of its replicates is above the other, in either order
    and so with no skill at all; `tasks`: the share of tasks that one chain solves and another does not."""

    gains: float | None
    tasks: float | None
    projects: int
    reason: str | None = None


def wins(
    pairs: Sequence[PairTrials], draws: int = PERMUTATIONS, seed: Seed = 0, treated: str = "C1", base: str = "C0"
) -> Reference:
    """The share of pairs that gain under permuted labels."""
    chains = values_of(pairs, (treated, base), "pass2")
    if not chains.keys:
        return no_reference("no pair has both arms measured")
    return reference((permuted(chains, draws, seed) @ chains.weights(treated, base) > TIE).mean(axis=1))


def survivals(pairs: Sequence[PairTrials], draws: int = PERMUTATIONS, seed: Seed = 0) -> Reference:
    """The survival of wins (reports.paper_tables.estimators.survival) under labels permuted among C0, C1 and C2."""
    import numpy as np

    chains = values_of(pairs, ("C0", "C1", "C2"), "pass2")
    if not chains.keys:
        return no_reference("no pair has C0, C1 and C2 measured")
    table = permuted(chains, draws, seed)
    won = table @ chains.weights("C1", "C0") > TIE
    kept = won & (table @ chains.weights("C1", "C2") > TIE)
    with np.errstate(invalid="ignore"):
        return reference(kept.sum(axis=1) / won.sum(axis=1))


def panel_signs(models: Sequence[Shuffled]) -> dict[str, Reference]:
    """The shares of `reports.paper_tables.estimators.signs` under permuted labels."""
    common = [key for key in models[0].keys if all(key in other.keys for other in models)] if models else []
    if not common:
        return dict.fromkeys(("mixed", "gain", "lose"), no_reference("no pair is common to all models"))
    sides = [model.of(common) for model in models]
    up, down = _together(sides, lambda side: side > TIE), _together(sides, lambda side: side < -TIE)
    return {
        "mixed": reference((up.any(axis=0) & down.any(axis=0)).mean(axis=1)),
        "gain": reference(up.all(axis=0).mean(axis=1)),
        "lose": reference(down.all(axis=0).mean(axis=1)),
    }


def _together(sides: Sequence[Any], test: Callable[[Any], Any]) -> Any:
    import numpy as np

    return np.stack([test(side) for side in sides])


def flips(pairs: Sequence[PairTrials], base: str = "C0", splits: int = SPLITS, seed: Seed = 0) -> Flips:
    """A/A: what C0 shows against itself, project by project, from halves of its replicates over seeded random splits."""
    import numpy as np

    chains: dict[str, dict[tuple[str, float], TrialObservation]] = {}
    for pair in pairs:
        own = chains.setdefault(pair.project, {})
        own |= {(item.id, item.started): item for item, _ in known_values(pair.arms[base], "pass2")}
    enough = [list(own.values()) for own in chains.values() if len(own) > 1]
    if not enough:
        return Flips(None, None, 0, "no project has two replicates of C0")
    draw = np.random.default_rng(seed)
    gains, tasks = [], []
    for items in enough:
        values = np.array([item.values["pass2"] for item in items])
        first, second = halves_of(values, tuple(range(len(items))), draw.random((splits, len(items))), draw)
        gains.append((np.mean(first - second > TIE) + np.mean(second - first > TIE)) / 2)
        solved = np.array([item.solved for item in items]).sum(axis=0)
        tasks.append(np.mean(2 * solved * (len(items) - solved) / (len(items) * (len(items) - 1))))
    return Flips(float(np.mean(gains)), float(np.mean(tasks)), len(enough))
