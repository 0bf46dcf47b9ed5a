"""Shrunken pairs against statsmodels' random effects, by hand, and by drawn audits whose true effects are known."""

import math
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.meta_analysis import combine_effects

from reports.audit.cells import ArmCell
from reports.audit.shrink import PairSamples, between_variance, pairs_of, shrink
from reports.stats.intervals import sample


def pairs(treated: np.ndarray, base: np.ndarray) -> list[PairSamples]:
    return [
        PairSamples(("skill",), f"project {at}", sample(left), sample(right))
        for at, (left, right) in enumerate(zip(treated.tolist(), base.tolist(), strict=True))
    ]


def drawn(seed: int, count: int, replicates: int, between: float, noise: float = 0.2, effect: float = 0.05):
    draw = np.random.default_rng(seed)
    truth = draw.normal(effect, between, count)
    arms = draw.normal(0.5, noise, (2, count, replicates))
    return truth, pairs(arms[0] + truth[:, None], arms[1])


@pytest.mark.parametrize("seed", range(5))
def test_the_between_variance_is_dersimonian_and_lairds(seed):
    draw = np.random.default_rng(seed)
    values, variances = draw.normal(0, 0.3, 9), draw.uniform(0.005, 0.04, 9)
    oracle: Any = combine_effects(values, variances, method_re="dl")
    assert between_variance(values.tolist(), variances.tolist()) == pytest.approx(max(0.0, oracle.tau2), abs=1e-9)


def test_the_mean_is_that_of_the_random_effects():
    _, made = drawn(3, 12, 3, 0.2)
    found = shrink(made)
    noise = sum(np.mean([getattr(pair, arm).squares / 2 for pair in made]) / 3 for arm in ("treated", "base"))
    oracle: Any = combine_effects(np.array([one.raw for one in found]), np.full(12, noise), method_re="dl")
    mean = oracle.mean_effect_re
    kept = oracle.tau2 / (oracle.tau2 + noise)
    assert 0 < kept < 1
    for one in found:
        assert one.estimate == pytest.approx(mean + kept * (one.raw - mean), abs=1e-9)
        assert one.sd == pytest.approx(
            math.sqrt(kept * noise + (1 - kept) ** 2 * ((oracle.tau2 + noise) / 12 + 2 / 9 * (one.raw - mean) ** 2)), abs=1e-9
        )


def test_shrinkage_by_hand():
    """Raw 0.0 and 0.4; v = .02/2 + .02/2 = .02; τ² = .08 − .02 = .06; B = .75: 0.05 and 0.35."""
    # The variance of a mean that is estimated, and of a τ² that is: 2 / max(1, 2 − 3) · .25² · .2².
    made = pairs(np.array([[0.4, 0.6], [0.8, 1.0]]), np.array([[0.4, 0.6], [0.4, 0.6]]))
    low, high = shrink(made)
    assert (low.raw, high.raw) == pytest.approx((0.0, 0.4))
    assert (low.estimate, high.estimate) == pytest.approx((0.05, 0.35))
    sd = math.sqrt(0.75 * 0.02 + 0.25**2 * (0.08 / 2 + 2 * 0.2**2))
    assert (low.sd, high.sd) == pytest.approx((sd, sd))


def test_pairs_that_differ_by_noise_alone_get_their_mean():
    made = pairs(np.array([[0.1, 0.9], [0.2, 0.8]]), np.array([[0.1, 0.7], [0.3, 0.6]]))
    found = shrink(made)
    assert [one.estimate for one in found] == pytest.approx([np.mean([one.raw for one in found])] * 2)


def test_shrunken_effects_are_nearer_the_truth_and_their_sd_is_right():
    errors, raw_errors, scaled, raw_gain, gain = [], [], [], [], []
    for seed in range(60):
        truth, made = drawn(seed, 40, 3, 0.1)
        found = shrink(made)
        for at, one in enumerate(found):
            assert one.estimate is not None and one.sd is not None
            errors.append(one.estimate - truth[at])
            raw_errors.append(one.raw - truth[at])
            scaled.append(errors[-1] / one.sd)
        top = max(range(40), key=lambda at: found[at].raw)
        raw_gain.append(found[top].raw - truth[top])
        gain.append((found[top].estimate or 0) - truth[top])
    assert np.mean(np.square(errors)) < 0.5 * np.mean(np.square(raw_errors))
    assert 0.87 < np.mean(np.abs(scaled) < 1.96) < 0.97
    # The raw largest gain is more than 20 points too large, the shrunken one is not.
    assert np.mean(raw_gain) > 0.2 and abs(np.mean(gain)) < 0.05


def test_more_replicates_are_shrunk_less_and_order_is_kept():
    treated, base = [[0.5, 0.7], [0.9, 0.9, 0.9, 0.9, 1.0, 0.8], [0.2, 0.3]], [[0.4, 0.5], [0.5] * 6, [0.6, 0.7]]
    made = [
        PairSamples(("s",), str(at), sample(left), sample(right))
        for at, (left, right) in enumerate(zip(treated, base, strict=True))
    ]
    found = shrink(made)
    assert [one.project for one in found] == ["0", "1", "2"]
    centre = [one.estimate or 0 for one in shrink(made[::-1])][::-1]
    assert centre == pytest.approx([one.estimate for one in found])
    assert (found[1].sd or 1) < (found[0].sd or 0)


def test_equal_chains_of_one_pair_are_shrunk_as_well():
    """Three chains that happen to end alike have no variance of their own; that is luck, not certainty."""
    draw = np.random.default_rng(2)
    treated, base = draw.normal(0.5, 0.2, (2, 10, 3))
    treated[0], base[0] = 1.0, 0.0
    found = shrink(pairs(treated, base))
    assert found[0].raw == 1.0 and found[0].estimate is not None and found[0].estimate < 0.95
    assert (found[0].sd or 0) > (found[1].sd or 1)


@pytest.mark.parametrize(
    ("treated", "base", "reason"),
    [
        ([[0.9, 0.8]], [[0.1, 0.3]], "one pair"),
        ([[0.9], [0.5]], [[0.1], [0.4]], "one replicate"),
        ([[0.9, 0.8], [0.5, 0.1]], [[0.1], [0.4]], "one replicate"),
        ([[0.9] * 3, [0.5] * 3], [[0.1] * 3, [0.4] * 3], "never differ"),
    ],
)
def test_without_a_measure_of_noise_there_is_no_estimate_but_a_reason(treated, base, reason):
    made = [
        PairSamples(("s",), str(at), sample(left), sample(right))
        for at, (left, right) in enumerate(zip(treated, base, strict=True))
    ]
    for one in shrink(made):
        assert one.estimate is None and one.sd is None and reason in (one.reason or "")
        assert one.raw is not None
    assert shrink([]) == []


def test_a_pair_without_replicates_of_its_own_borrows_the_others():
    made = pairs(np.array([[0.5, 0.7], [0.8, 0.9]]), np.array([[0.4, 0.5], [0.1, 0.3]]))
    made.append(PairSamples(("skill",), "lone", sample([0.9]), sample([0.1])))
    found = shrink(made)
    assert found[2].estimate is not None and (found[2].sd or 0) > (found[0].sd or 1)


def test_pairs_are_the_projects_with_both_arms_measured():
    def cell(project: str, *values: float) -> ArmCell:
        return ArmCell(project, project, values, 3)

    treated = {"b": cell("b", 0.5, float("nan"), 0.7), "a": cell("a", 0.2), "c": cell("c"), "d": cell("d", 0.1)}
    base = {"a": cell("a", 0.1), "b": cell("b", 0.3), "c": cell("c", 0.4)}
    made = pairs_of(("skill", "agent"), treated, base)
    assert [(pair.key, pair.project) for pair in made] == [(("skill", "agent"), "a"), (("skill", "agent"), "b")]
    assert (made[1].treated.size, made[1].treated.mean) == (2, pytest.approx(0.6))
