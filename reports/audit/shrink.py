"""Effects of single pairs (skill, project), shrunk towards their mean (METHOD.md, Estimates): what may be shown of one pair.

The largest of many noisy differences is large by luck. Empirical Bayes takes that luck out on average.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reports.audit.cells import Arm
from reports.stats.intervals import NOTHING, Sample, measured, sample


@dataclass(frozen=True, slots=True)
class PairSamples:
    """One pair with the replicates of both arms; `key` says whose ((skill, agent, delivery), for instance)."""

    key: tuple[str, ...]
    project: str
    treated: Sample
    base: Sample


@dataclass(frozen=True, slots=True)
class Shrunk:
    """A pair's effect: `estimate` with its standard deviation `sd` is shown, `raw` only beside it. Shares.

    `estimate` and `sd` are None with the `reason` where nothing says how far to shrink.
    """

    key: tuple[str, ...]
    project: str
    raw: float
    estimate: float | None
    sd: float | None
    reason: str | None = None


def pairs_of(key: tuple[str, ...], treated: Arm, base: Arm) -> list[PairSamples]:
    """The pairs of one skill: the projects on which both arms have a measured value, by name."""
    values = {
        project: (measured(treated[project].values), measured(base[project].values))
        for project in sorted(set(treated) & set(base))
    }
    return [
        PairSamples(key, project, sample(left), sample(right)) for project, (left, right) in values.items() if left and right
    ]


def shrink(pairs: Sequence[PairSamples]) -> list[Shrunk]:
    """Normal–normal empirical Bayes over the pairs given, in their order.

    A pair's difference yᵢ varies about its true effect by vᵢ = s₁²/n₁ + s₀²/n₀, the true effects about their mean by τ².
    s₁² and s₀² are the variances of replicates within projects, pooled over the pairs: three chains that happen to end alike
    would otherwise have no variance and never be shrunk. τ² is the method-of-moments estimate of DerSimonian and Laird
    (1986), max(0, (Q − (k − 1)) / (Σw − Σw² / Σw)) with w = 1/v; the mean is weighted by 1/(v + τ²). With B = τ² / (τ² + v)
    the estimate is mean + B·(y − mean) and its variance B·v + (1 − B)²·var(mean) + 2/(k − 3)·(1 − B)²·(y − mean)², the last for
    τ² being an estimate (Morris 1983; k − 3 is 1 at least). Where τ² comes out as 0 every pair gets the mean, and the standard
    deviation is still somewhat too small: 89–94 % of true effects lie within 1.96 of them where 95 % should. Pairs that share a
    C0 are taken as independent. One pair, one replicate in an arm of every pair, or replicates that never differ: no estimate,
    with the reason.
    """
    raws = [pair.treated.mean - pair.base.mean for pair in pairs]
    variances, reason = _variances(pairs)
    if reason or variances is None:
        return [Shrunk(pair.key, pair.project, raw, None, None, reason) for pair, raw in zip(pairs, raws, strict=True)]
    between = between_variance(raws, variances)
    weights = [1 / (variance + between) for variance in variances]
    total = math.fsum(weights)
    mean = math.fsum(weight * raw for weight, raw in zip(weights, raws, strict=True)) / total
    estimated = 2 / max(1, len(pairs) - 3)
    result = []
    for pair, raw, variance in zip(pairs, raws, variances, strict=True):
        kept = between / (between + variance)
        sd = math.sqrt(kept * variance + (1 - kept) ** 2 * (1 / total + estimated * (raw - mean) ** 2))
        result.append(Shrunk(pair.key, pair.project, raw, mean + kept * (raw - mean), sd))
    return result


def between_variance(values: Sequence[float], variances: Sequence[float]) -> float:
    """DerSimonian and Laird's τ² of values with known variances, two at least; 0 where they vary no more than those say."""
    weights = [1 / variance for variance in variances]
    total = math.fsum(weights)
    mean = math.fsum(weight * value for weight, value in zip(weights, values, strict=True)) / total
    excess = math.fsum(weight * (value - mean) ** 2 for weight, value in zip(weights, values, strict=True)) - (len(values) - 1)
    return max(0.0, excess / (total - math.fsum(weight * weight for weight in weights) / total))


def _variances(pairs: Sequence[PairSamples]) -> tuple[list[float] | None, str | None]:
    """The variance of each pair's difference, from the variances of replicates pooled within each arm."""
    if len(pairs) < 2:
        return None, "one pair alone has nothing to be shrunk towards"
    pooled = []
    for arm in ([pair.treated for pair in pairs], [pair.base for pair in pairs]):
        freedom = sum(one.size - 1 for one in arm)
        if not freedom:
            return None, "one replicate an arm does not say what replicates differ by"
        pooled.append(math.fsum(one.squares for one in arm) / freedom)
    variances = [pooled[0] / pair.treated.size + pooled[1] / pair.base.size for pair in pairs]
    if min(variances) < NOTHING**2:
        return None, "replicates never differ, so nothing says how far to shrink"
    return variances, None
