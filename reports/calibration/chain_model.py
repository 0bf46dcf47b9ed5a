"""Chains with a stop rule whose moments are stated in Pass@2: what `assay calibrate` draws from (METHOD.md, Calibration).

Task k of a chain of n is solved with the chance `expit(place − slope · (k − (n + 1) / 2) / n + spread · z)`, and the chain ends
at the first task not solved. The place sets the mean of an arm; the slope sets how far replicates of one project lie apart
(steep: tasks get harder and every chain ends near the same one; flat: a coin at each task; falling: the beginning decides);
the spread sets how far families lie apart, z being a family's own in each arm. Means and sds are asked for in Pass@2 and
solved for, so that an effect of ten points is one of ten points near a bound as well.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from reports.audit.cells import ArmCell

#: z takes these many equally likely mid-quantiles of a normal: moments are sums over them, not estimates.
POINTS = 201
#: Beyond these a chain is all or nothing, or ends at one task.
SLOPES = (-400.0, 400.0)
#: A stated sd is reached when it is this close.
TOLERANCE = 1e-4
#: Steps in which a place is found at the latest: half the bracket each time, down to what a float holds.
LOOKS = 100


class Impossible(ValueError):
    """No chains have these means and sds: one line that says which and why."""


@dataclass(frozen=True, slots=True)
class Latent:
    """The solved parameters of chains of one base rate; `places` has one entry an arm."""

    tasks: int
    slope: float
    spread: float
    places: tuple[float, ...]

    def survival(self) -> Any:
        """The chance that task k and all before it are solved: (arms, POINTS, tasks)."""
        import numpy as np

        return _survival(self.tasks, self.slope, self.spread, np.asarray(self.places))[0]

    def moments(self) -> tuple[tuple[float, ...], float, float]:
        """The mean of each arm, the sd of a chain around its family's mean, the sd between families of a difference of arms.

        The sd of chains is the root mean square over arms and families. A difference of two arms varies by both, so its
        variance is twice the mean of the arms' variances between families.
        """
        survival = self.survival()
        depth = survival.sum(axis=2)
        ranks = 2 * survival @ _ranks(self.tasks) - depth
        within = float((ranks - depth**2).mean()) / self.tasks**2
        between = float(depth.var(axis=1).mean()) / self.tasks**2
        means = tuple(float(mean) / self.tasks for mean in depth.mean(axis=1))
        return means, math.sqrt(max(0.0, within)), math.sqrt(2 * between)


def _survival(tasks: int, slope: float, spread: float, places: Any) -> tuple[Any, Any]:
    """The chance that task k and all before it are solved, (arms, POINTS, tasks), and the logit of solving each alone."""
    import numpy as np
    from scipy.special import log_expit, ndtri

    z = ndtri((np.arange(POINTS) + 0.5) / POINTS) if spread else np.zeros(1)
    steps = (np.arange(1, tasks + 1) - (tasks + 1) / 2) / tasks
    logits = places[:, None, None] + spread * z[None, :, None] - slope * steps[None, None, :]
    return np.exp(np.cumsum(log_expit(logits), axis=2)), logits


def _ranks(tasks: int) -> Any:
    import numpy as np

    return np.arange(1, tasks + 1)


@lru_cache(maxsize=512)
def solve(tasks: int, means: tuple[float, ...], chain_sd: float, family_sd: float) -> Latent:
    """Chains whose arms have these means of Pass@2 (0..1), sd of a chain and sd between families of a difference of arms.

    Raises Impossible where there are none: a mean at or beyond a bound, or sds too large or too small for the means.
    """
    if any(not 0 < mean < 1 for mean in means):
        raise Impossible(
            f"a mean Pass@2 of {100 * max(means, key=lambda m: abs(m - 0.5)):.0f} % leaves no chance to either side"
        )
    # Pass@2 lies in 0..1, so its mean square is at most its mean: the sds share what is left of it.
    room = sum(mean * (1 - mean) for mean in means) / len(means)
    if chain_sd**2 + family_sd**2 / 2 > room:
        raise Impossible(
            f"at {_rates(means)} a chain sd of {chain_sd:g} with a family sd of {family_sd:g} is more than Pass@2 can vary: "
            f"s² + τ²/2 is at most {room:.3f}"
        )

    latent = _at_once(tasks, means, chain_sd, family_sd) or _one_by_one(tasks, means, chain_sd, family_sd)
    _, chain, family = latent.moments()
    if abs(chain - chain_sd) > TOLERANCE or abs(family - family_sd) > TOLERANCE:
        raise Impossible(
            f"at {_rates(means)} chains come no nearer than a chain sd of {chain:.3f} and a family sd of {family:.3f}"
        )
    return latent


def _at_once(tasks: int, means: tuple[float, ...], chain_sd: float, family_sd: float) -> Latent | None:
    """The chains, slope and spread solved together: a few dozen looks. None where that does not lead there.

    The sd of chains falls with the slope and that of families rises with the spread, so what is found is the only solution.
    """
    from scipy.optimize import root

    def lack(unknown: Any) -> list[float]:
        slope, spread = float(unknown[0]), abs(float(unknown[-1])) if family_sd else 0.0
        _, chain, family = Latent(tasks, slope, spread, _places(tasks, means, slope, spread)).moments()
        return [chain - chain_sd, family - family_sd][: len(unknown)]

    found = root(lack, [1.0, 1.0] if family_sd else [1.0])
    slope, spread = float(found.x[0]), abs(float(found.x[-1])) if family_sd else 0.0
    if not found.success or not SLOPES[0] < slope < SLOPES[1]:
        return None
    return Latent(tasks, slope, spread, _places(tasks, means, slope, spread))


def _one_by_one(tasks: int, means: tuple[float, ...], chain_sd: float, family_sd: float) -> Latent:
    """The chains, with the slope bracketed and at each slope the spread: thousands of looks. Raises Impossible."""
    from scipy.optimize import brentq

    def lack(slope: float) -> float:
        return at_slope(tasks, means, slope, family_sd).moments()[1] - chain_sd

    low, high = SLOPES
    if lack(low) < 0 or lack(high) > 0:
        word = "most" if lack(low) < 0 else "least"
        found = chain_sd + lack(low if word == "most" else high)
        raise Impossible(f"at {_rates(means)} and a family sd of {family_sd:g} the chain sd is at {word} {found:.3f}")
    slope = float(brentq(lack, low, high, xtol=1e-5))  # type: ignore[arg-type]
    return at_slope(tasks, means, slope, family_sd)


def _rates(means: Sequence[float]) -> str:
    return "a mean Pass@2 of " + " and ".join(dict.fromkeys(f"{100 * mean:.0f} %" for mean in means))


def at_slope(tasks: int, means: tuple[float, ...], slope: float, family_sd: float) -> Latent:
    """The places, and the spread between families, that give the means at this slope."""
    from scipy.optimize import brentq

    def at(spread: float) -> Latent:
        return Latent(tasks, slope, spread, _places(tasks, means, slope, spread))

    if not family_sd:
        return at(0.0)
    most = 1.0
    while at(most).moments()[2] < family_sd:
        most *= 4
        if most > 1e6:
            raise Impossible(f"at {_rates(means)} families cannot have an sd of {family_sd:g}")
    return at(float(brentq(lambda spread: at(spread).moments()[2] - family_sd, 0.0, most, xtol=1e-6)))  # type: ignore[arg-type]


def _places(tasks: int, means: tuple[float, ...], slope: float, spread: float) -> tuple[float, ...]:
    """The place of each arm that gives its mean, by Newton's method within a bracket that every look narrows."""
    import numpy as np
    from scipy.special import expit

    wanted = np.asarray(means)
    high = np.full(len(means), 30.0 + abs(slope) + 4 * spread)
    low, places = -high, np.zeros(len(means))
    for _ in range(LOOKS):
        survival, logits = _survival(tasks, slope, spread, places)
        over = survival.mean(axis=(1, 2)) - wanted
        low, high = np.where(over <= 0, places, low), np.where(over >= 0, places, high)
        rise = (survival * np.cumsum(expit(-logits), axis=2)).mean(axis=(1, 2))
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = places - over / rise
        new = np.where((steps > low) & (steps < high), steps, (low + high) / 2)
        moved, places = np.abs(new - places).max(), new
        if moved < 1e-9:
            break
    return tuple(map(float, places))


@dataclass(frozen=True, slots=True)
class Population:
    """Families of one or several base rates in turn: the j-th has the rate j modulo their number."""

    latents: tuple[Latent, ...]
    survival: Any  # (rates, arms, POINTS, tasks)

    def draw(self, rng: Any, runs: int, families: int, chains: int, arms: Any = 0) -> tuple[Any, Any]:
        """Pass@2 of chains (runs, families, chains) and the true mean of each family (runs, families).

        `arms` is an arm or an array of arms that broadcasts to (runs, families). Every call draws the families' own z anew.
        """
        import numpy as np

        rates = np.arange(families) % len(self.latents)
        points = rng.integers(self.survival.shape[2], size=(runs, families))
        survival = self.survival[rates, np.broadcast_to(arms, (runs, families)), points]
        # A chain reaches task k with the chance survival[k]: one uniform says how far it came.
        chances = rng.random((runs, families, chains, 1))
        return np.count_nonzero(chances < survival[:, :, None, :], axis=3) / survival.shape[2], survival.mean(axis=2)

    def achieved(self) -> dict[str, float]:
        """What the solved chains have, averaged over base rates; effects are differences to the first arm."""
        rows = [latent.moments() for latent in self.latents]
        count = len(rows)
        return {
            "rate": sum(means[0] for means, _, _ in rows) / count,
            "effect": sum(means[-1] - means[0] for means, _, _ in rows) / count,
            "chain_sd": math.sqrt(sum(chain**2 for _, chain, _ in rows) / count),
            "family_sd": math.sqrt(sum(family**2 for _, _, family in rows) / count),
        }


@lru_cache(maxsize=64)
def population(
    tasks: int, rates: tuple[float, ...], effects: tuple[float, ...], chain_sd: float, family_sd: float
) -> Population:
    """Families at these base rates; arm i has the effect `effects[i]` (share of Pass@2) over the base. Raises Impossible."""
    import numpy as np

    latents = tuple(solve(tasks, tuple(round(rate + effect, 12) for effect in effects), chain_sd, family_sd) for rate in rates)
    return Population(latents, np.stack([latent.survival() for latent in latents]))


def arm_of(families: Sequence[Sequence[float]], projects: int, replicates: int) -> dict[str, ArmCell]:
    """An arm whose every chain was measured; a family's chains go to its projects one after the other."""
    cells = {}
    for family, values in enumerate(families):
        for project in range(projects):
            name = f"f{family}-{project}"
            chains = tuple(values[project * replicates : (project + 1) * replicates])
            cells[name] = ArmCell(name, f"f{family}", chains, planned=replicates)
    return cells


def generator(seed: int, name: str) -> Any:
    """A numpy Generator of its own for everything with a name, whatever else runs and in whatever order."""
    import zlib

    import numpy as np

    return np.random.default_rng([seed, zlib.crc32(name.encode())])
