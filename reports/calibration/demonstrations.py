"""METHOD.md's figures in brackets, made again: what other ways of reading the same chains would have said.

A demonstration of calibration.toml names a function here (`MAKERS`); it gets a case, a generator and a number of runs and
gives the figure found, in the unit of the demonstration, with its Monte-Carlo error.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reports.calibration.chain_model import Latent, arm_of, generator, population
from reports.calibration.figures import Case, CaseFigure, DemonstrationFigures
from reports.stats.method import MARGIN
from reports.verdict.verdicts import Question, judge

#: What a case has unless the data file says otherwise.
USUAL = {"families": 8, "replicates": 3, "tasks": 10, "rate": "mixed", "chain_sd": 0.2, "family_sd": 0.1, "skills": 1}
#: Resamples of a bootstrap.
RESAMPLES = 2000
#: Partners of a pool, whose effects are the mid-quantiles of a normal with this sd.
PARTNERS, PARTNER_SD = 20, 0.05
Found = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Demonstration:
    """One entry of the data file; `stated` is METHOD's range, None where it gives none."""

    name: str
    maker: str
    what: str
    unit: str
    stated: tuple[float, float] | None
    cases: tuple[Case, ...]
    #: How a case is told: only what it does not share with the others.
    told: tuple[str, ...]
    rounding: float = 0.0

    def make(self, seed: int, runs: int) -> DemonstrationFigures:
        """The figures of all cases as JSON; `inside` counts those in METHOD's range give or take three Monte-Carlo errors."""
        rows: list[CaseFigure] = []
        for told, case in zip(self.told, self.cases, strict=True):
            found, error = MAKERS[self.maker](case, generator(seed, f"{self.name} {told}"), runs)
            rows.append({"case": told, "found": found, "error": error, "inside": self._inside(found, error)})
        return {
            "name": self.name,
            "what": self.what,
            "unit": self.unit,
            "runs": runs,
            "stated": self.stated,
            "low": min(row["found"] for row in rows),
            "high": max(row["found"] for row in rows),
            "inside": sum(row["inside"] is True for row in rows) if self.stated else None,
            "cases": rows,
        }

    def _inside(self, found: float, error: float) -> bool | None:
        if not self.stated:
            return None
        give = self.rounding + 3 * error
        return self.stated[0] - give <= found <= self.stated[1] + give


def demonstrations(data: Mapping[str, Any]) -> list[Demonstration]:
    """The demonstrations of the data file."""
    found = []
    own = ("name", "make", "what", "unit", "stated", "rounding", "cases")
    for entry in data["demonstrations"]:
        shared = {key: value for key, value in entry.items() if key not in own}
        cases = [USUAL | shared | case for case in entry["cases"]]
        for case in cases:
            case["rates"] = tuple(data["rates"][case["rate"]])
        told = tuple(", ".join(f"{key.replace('_', ' ')} {value:g}" for key, value in case.items()) for case in entry["cases"])
        stated = tuple(entry["stated"]) if "stated" in entry else None
        names = (entry["name"], entry["make"], entry["what"], entry["unit"])
        found.append(Demonstration(*names, stated, tuple(cases), told, entry.get("rounding", 0.0)))
    return found


def _arm(case: Case, rng: Any, runs: int, chains: int, arms: Any = 0, effects: tuple[float, ...] = (0.0,)) -> Any:
    """Pass@2 of an arm's chains (runs, families, chains)."""
    drawn = population(case["tasks"], case["rates"], effects, case["chain_sd"], case["family_sd"])
    return drawn.draw(rng, runs, case["families"], chains, arms)[0]


def _share(hits: Any) -> Found:
    """A rate in percent of an array of booleans, one a run."""
    rate = float(hits.mean())
    return 100 * rate, 100 * math.sqrt(max(rate * (1 - rate), 1 / hits.size) / hits.size)


def _mean(values: Any) -> Found:
    """A mean in points of an array of shares, one a run."""
    return 100 * float(values.mean()), 100 * float(values.std(ddof=1)) / math.sqrt(values.size)


def t_bounds(units: Any, level: float = 0.95) -> tuple[Any, Any]:
    """Student's t over the last axis."""
    from scipy.stats import t

    count = units.shape[-1]
    half = t.ppf(0.5 + level / 2, count - 1) * units.std(axis=-1, ddof=1) / math.sqrt(count)
    return units.mean(axis=-1) - half, units.mean(axis=-1) + half


def bootstrap_bounds(units: Any, rng: Any, bca: bool) -> tuple[Any, Any]:
    """Percentile or BCa interval of the mean at 95 % for each row of (runs, units); all rows share the resamples.

    BCa by Efron and Tibshirani, An Introduction to the Bootstrap, §14.3: acceleration by the jackknife.
    """
    import numpy as np
    from scipy.special import ndtr, ndtri

    runs, count = units.shape
    weights = rng.multinomial(count, np.full(count, 1 / count), size=RESAMPLES) / count
    means = np.sort(units @ weights.T, axis=1)
    tails = np.tile([0.025, 0.975], (runs, 1))
    if bca:
        mean = units.mean(axis=1, keepdims=True)
        below = ((means < mean - 1e-12).sum(axis=1) + (means <= mean + 1e-12).sum(axis=1)) / (2 * RESAMPLES)
        bias = ndtri(below)[:, None]
        # Leaving a unit out moves the mean against the unit's own deviation.
        apart = units - mean
        squares = (apart**2).sum(axis=1)
        skew = (apart**3).sum(axis=1) / np.where(squares > 0, 6 * squares**1.5, 1)
        shifted = bias + ndtri(tails)
        tails = ndtr(bias + shifted / (1 - skew[:, None] * shifted))
    places = tails * (RESAMPLES - 1)
    floor = np.clip(np.floor(places).astype(int), 0, RESAMPLES - 2)
    lower = np.take_along_axis(means, floor, axis=1)
    bounds = lower + (places - floor) * (np.take_along_axis(means, floor + 1, axis=1) - lower)
    return bounds[:, 0], bounds[:, 1]


def _excludes(bounds: tuple[Any, Any], value: float = 0.0) -> Any:
    return (bounds[0] > value + 1e-12) | (bounds[1] < value - 1e-12)


def interval(case: Case, rng: Any, runs: int) -> Found:
    """False verdicts of an interval over family means with no effect."""
    treated, base = (_arm(case, rng, runs, case["replicates"]).mean(axis=2) for _ in range(2))
    units = treated - base
    method = case["method"]
    return _share(_excludes(t_bounds(units) if method == "t" else bootstrap_bounds(units, rng, method == "bca")))


def pairs(case: Case, rng: Any, runs: int) -> Found:
    """The same of a percentile bootstrap over (skill, project) pairs, as if each pair had a C0 of its own."""
    import numpy as np

    base = _arm(case, rng, runs, case["replicates"]).mean(axis=2)
    skills = [_arm(case, rng, runs, case["replicates"]).mean(axis=2) - base for _ in range(case["skills"])]
    return _share(_excludes(bootstrap_bounds(np.concatenate(skills, axis=1), rng, bca=False)))


def partners(case: Case, rng: Any, runs: int) -> Found:
    """False length effects: partners differ, but on average their length does nothing."""
    import numpy as np
    from scipy.special import ndtri

    quantiles = ndtri((np.arange(PARTNERS) + 0.5) / PARTNERS)
    effects = (0.0, *(float(e) for e in PARTNER_SD * quantiles / quantiles.std()))
    chosen = 1 + rng.integers(PARTNERS, size=(runs, case["families"] if case["distinct"] else 1))
    controlled = _arm(case, rng, runs, case["replicates"], chosen, effects).mean(axis=2)
    base = _arm(case, rng, runs, case["replicates"], 0, effects).mean(axis=2)
    return _share(_excludes(t_bounds(controlled - base)))


def wins(case: Case, rng: Any, runs: int) -> Found:
    """Pairs with C1 above C0 where all arms are alike."""
    treated, base = (_arm(case, rng, runs, case["replicates"]).mean(axis=2) for _ in range(2))
    return _mean((treated > base + 1e-9).mean(axis=1))


def survival(case: Case, rng: Any, runs: int) -> Found:
    """Of such wins those that are above C2 as well (WebDev-Skills-Bench, Table 3)."""
    treated, base, controlled = (_arm(case, rng, runs, case["replicates"]).mean(axis=2) for _ in range(3))
    won = treated > base + 1e-9
    return _share((treated > controlled + 1e-9)[won])


def exact_mcnemar(b: Any, c: Any) -> Any:
    """Two-sided exact p of arrays of discordant counts."""
    import numpy as np
    from scipy.stats import binom

    return np.minimum(1.0, 2 * binom.cdf(np.minimum(b, c), b + c, 0.5))


def mcnemar(case: Case, rng: Any, runs: int) -> Found:
    """McNemar over tasks where both arms are C0. A chain solves its first tasks, so arms part in whole runs of them."""
    first, second = (_arm(case, rng, runs, case["replicates"]) for _ in range(2))
    apart = (first - second) * case["tasks"]
    b, c = (apart.clip(0).sum(axis=(1, 2)).round(), (-apart).clip(0).sum(axis=(1, 2)).round())
    return _share(exact_mcnemar(b, c) <= 0.05)


def until_decided(case: Case, rng: Any, runs: int) -> Found:
    """False verdicts of Student's t looked at after each replicate from `replicates` to `most`, at 5 % each time."""
    import numpy as np

    difference = _arm(case, rng, runs, case["most"]) - _arm(case, rng, runs, case["most"])
    decided = np.zeros(runs, dtype=bool)
    for replicates in range(case["replicates"], case["most"] + 1):
        decided |= _excludes(t_bounds(difference[:, :, :replicates].mean(axis=2)))
    return _share(decided)


def rise(case: Case, rng: Any, runs: int) -> Found:
    """Points that tasks `first` to `last` of 20 lose where every task fails more often by the same; 200 chains a run."""
    import numpy as np

    span = range(case["first"], case["last"] + 1)
    shares = []
    for failure in case["failures"]:
        solved = Latent(20, 0.0, 0.0, (math.log(1 / failure - 1),)).survival()[0, 0]
        depth = np.searchsorted(-solved, -rng.random((runs, 200)), side="left")
        shares.append(np.mean([depth >= task for task in span], axis=(0, 2)))
    return _mean(shares[0] - shares[1])


def selected(case: Case, rng: Any, runs: int) -> Found:
    """C1 − C3 with an inert slice in the third of 117 pairs that gained most, by the C1 that selected them or by fresh ones."""
    import numpy as np

    case = {**case, "families": 117}
    chosen, base, cut, fresh = (_arm(case, rng, runs, case["replicates"]).mean(axis=2) for _ in range(4))
    best = np.argsort(base - chosen, axis=1)[:, :39]
    against = np.take_along_axis((fresh if case["fresh"] else chosen) - cut, best, axis=1)
    return _mean(against.mean(axis=1))


def mechanism(case: Case, rng: Any, runs: int) -> Found:
    """Of HURTS those with a wrong mechanism. `length` is the share of the loss that any text of that length brings.

    By `reading`: an interval that includes zero is read as no effect, so where one of the two excludes it the other is
    acquitted, though both are at work. By `judge`: wrong is what is named and is not there.
    """
    loss, length = case["loss_points"] / 100, case.get("length", 0.5)
    effects = (0.0, -loss, -loss * length)
    base, treated, controlled = (_arm(case, rng, runs, case["replicates"], arm, effects) for arm in range(3))
    if case["by"] == "judge":
        return _share(_misnamed(treated, base, controlled, length))
    means = [arm.mean(axis=2) for arm in (base, treated, controlled)]
    hurts = t_bounds(means[1] - means[0])[1] < 0
    by_length = t_bounds(means[2] - means[0])[1] < 0
    by_content = t_bounds(means[1] - means[2])[1] < 0
    return _share((by_length ^ by_content)[hurts])


def _misnamed(treated: Any, base: Any, controlled: Any, length: float) -> Any:
    import numpy as np

    absent = {"LENGTH-DISTRACTED"} if length == 0 else {"CONTENT-MISLED"} if length == 1 else set()
    wrong = []
    for chains in zip(treated.tolist(), base.tolist(), controlled.tolist(), strict=True):
        arms = [arm_of(values, 1, len(values[0])) for values in chains]
        question = Question(key=("skill",), treated=arms[0], base=arms[1], control=arms[2], partners=len(arms[2]))
        (verdict,) = judge([question], margin=MARGIN)
        if verdict.word == "HURTS":
            wrong.append(bool(absent & set(verdict.mechanisms)))
    return np.array(wrong)


def smallest(case: Case, rng: Any, runs: int) -> Found:
    """Power of the verdict at an effect that METHOD calls the smallest found with 80 %; C0 and C1 lie around the middle."""
    import numpy as np

    half = case["effect_points"] / 200
    base, treated = (_arm(case, rng, runs, case["replicates"], arm, (-half, half)).tolist() for arm in range(2))
    found = []
    for low, high in zip(base, treated, strict=True):
        arms = [arm_of(values, 1, case["replicates"]) for values in (high, low)]
        question = Question(key=("skill",), treated=arms[0], base=arms[1], control=None, partners=0)
        found.append(judge([question], margin=MARGIN)[0].word == "HELPS")
    return _share(np.array(found))


MAKERS: dict[str, Callable[[Case, Any, int], Found]] = {
    function.__name__: function
    for function in (
        interval, pairs, partners, wins, survival, mcnemar, until_decided, rise, selected, mechanism, smallest,
    )
}  # fmt: skip
