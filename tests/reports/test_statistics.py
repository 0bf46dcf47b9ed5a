"""Against independent computations: statsmodels, and brute force over all sign vectors, subsets and families."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import DescrStatsW

from reports.statistics import any_at_k, family_interval, ratio_interval, sign_flip, smallest_effect

VALUES = (0.1, -0.2, 0.35, 0.05, 0.4, 0.0, 0.15)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.975])
@pytest.mark.parametrize("count", [2, 3, 6, 7])
def test_the_interval_is_students_t_over_families(count, level):
    made = family_interval(VALUES[:count], level)
    low, high = DescrStatsW(VALUES[:count]).tconfint_mean(alpha=1 - level)
    assert (made.estimate, made.low, made.high) == pytest.approx((np.mean(VALUES[:count]), low, high))
    assert (made.units, made.level, made.reason) == (count, level, None)


def test_an_interval_by_hand():
    """Means 0 and 0.2: s = 0.1·√2, s/√2 = 0.1, and t(0.975, 1) = 12.7062."""
    made = family_interval([0.0, 0.2], 0.95)
    assert made.low == pytest.approx(0.1 - 1.27062, abs=1e-5) and made.high == pytest.approx(0.1 + 1.27062, abs=1e-5)


@pytest.mark.parametrize(("values", "estimate"), [((), None), ((0.3,), 0.3), ((0.3,) * 6, 0.3), ((0.0,) * 8, 0.0)])
def test_without_spread_there_is_no_interval_but_a_reason(values, estimate):
    made = family_interval(values, 0.95)
    assert made.estimate == pytest.approx(estimate) if values else made.estimate is None
    assert made.low is None and made.high is None and made.reason
    assert made.units == len(values)


def test_rounding_is_no_spread():
    assert family_interval([0.1 + 0.2, 0.3, 0.3], 0.95).low is None


def by_force(values) -> float:
    observed = abs(sum(values))
    sums = [abs(sum(s * v for s, v in zip(signs, values, strict=True))) for signs in product((1, -1), repeat=len(values))]
    return sum(total >= observed - 1e-9 for total in sums) / len(sums)


@pytest.mark.parametrize("count", [1, 2, 5, 7])
def test_the_sign_flip_is_exact_for_few_families(count):
    assert sign_flip(VALUES[:count]) == pytest.approx(by_force(VALUES[:count]))


def test_sign_flips_by_hand():
    assert sign_flip([1.0, 2.0, 3.0]) == 2 / 8
    assert sign_flip([0.1] * 6) == 2 / 64
    assert sign_flip([0.5, -0.5]) == 1.0
    assert sign_flip([0.0, 0.0]) == 1.0


def test_more_families_are_drawn_by_a_fixed_seed():
    values = np.random.default_rng(3).normal(0.4, 1, 15).tolist()
    assert sign_flip(values) == pytest.approx(by_force(values), abs=0.01)
    assert sign_flip(values) == sign_flip(values) > 0
    assert sign_flip([1.0] * 40) > 0


def named(values) -> dict[str, float]:
    return {f"family {at}": float(value) for at, value in enumerate(values)}


def test_the_ratio_has_a_jackknife_over_families():
    treated, base, whole = np.array([120.0, 330, 150]), np.array([100.0, 300, 200]), np.array([100.0, 310, 190])
    made = ratio_interval(named(treated), named(base), named(whole), 0.95)
    parts = [(np.delete(treated - base, at).sum()) / np.delete(whole, at).sum() for at in range(3)]
    error = math.sqrt(2 / 3 * sum((part - np.mean(parts)) ** 2 for part in parts))
    half = stats.t.ppf(0.975, 2) * error
    assert made.estimate == 0.0
    assert (made.low, made.high) == pytest.approx((-half, half))
    assert made.units == 3


def test_the_jackknife_of_equal_denominators_is_the_t_interval_of_the_ratios():
    differences = np.array([10.0, -5, 30, 12])
    base = named([100.0] * 4)
    made = ratio_interval(named(100 + differences), base, base, 0.95)
    low, high = DescrStatsW(differences / 100).tconfint_mean()
    assert (made.estimate, made.low, made.high) == pytest.approx((differences.mean() / 100, low, high))


def test_a_ratio_takes_families_that_have_all_three():
    made = ratio_interval({"a": 2, "b": 9, "c": 9}, {"a": 1, "b": 9, "d": 1}, {"a": 4, "c": 1, "d": 1}, 0.95)
    assert (made.estimate, made.units, made.low) == (0.25, 1, None)


@pytest.mark.parametrize(
    ("treated", "base", "estimate"),
    [({}, {}, None), ({"a": 1}, {"b": 1}, None), ({"a": 1}, {"a": 0}, None), ({"a": 3}, {"a": 2}, 0.5)],
)
def test_a_ratio_without_an_interval_has_a_reason(treated, base, estimate):
    made = ratio_interval(treated, base, base, 0.95)
    assert made.estimate == estimate and made.low is None and made.reason


def test_equal_ratios_and_a_single_paying_family_give_no_interval():
    assert ratio_interval(named([2, 4]), named([1, 2]), named([1, 2]), 0.95).low is None
    made = ratio_interval(named([2, 4]), named([1, 0]), named([1, 0]), 0.95)
    assert made.estimate == 5.0 and made.low is None
    assert made.reason and "one family has" not in made.reason


@pytest.mark.parametrize("runs", [1, 2, 3, 5])
def test_any_at_k_is_the_share_of_draws_with_a_solved_run(runs):
    for solved in range(runs + 1):
        outcomes = [True] * solved + [False] * (runs - solved)
        for k in range(1, runs + 1):
            draws = list(combinations(outcomes, k))
            assert any_at_k(solved, runs, k) == pytest.approx(sum(map(any, draws)) / len(draws))


@pytest.mark.parametrize("k", [0, -1, 4])
def test_any_at_k_needs_k_runs(k):
    assert any_at_k(1, 3, k) is None


@pytest.mark.parametrize(("families", "replicates", "points"), [(6, 3, 27), (8, 5, 19), (30, 3, 10)])
def test_the_smallest_effect_is_that_of_the_method(families, replicates, points):
    effect, reason = smallest_effect(families, replicates)
    assert effect is not None and reason is None
    assert round(effect) == points


@pytest.mark.parametrize(("families", "replicates"), [(3, 5), (6, 3), (8, 5), (30, 3), (100, 10)])
def test_the_smallest_effect_has_the_power_that_statsmodels_says(families, replicates):
    effect, _ = smallest_effect(families, replicates)
    assert effect is not None
    spread = math.sqrt(0.1**2 + 2 * 0.2**2 / replicates)
    power = TTestPower().power(effect / 100 / spread, nobs=families, alpha=0.05, alternative="two-sided")
    assert power == pytest.approx(0.8, abs=1e-6)


def test_the_smallest_effect_is_found_in_four_of_five_simulated_audits():
    effect, _ = smallest_effect(8, 5)
    assert effect is not None
    draw = np.random.default_rng(1)
    runs, families, replicates = 20_000, 8, 5
    shift = draw.normal(effect / 100, 0.1, (runs, families))
    noise = draw.normal(0, 0.2, (2, runs, families, replicates)).mean(axis=3)
    found = stats.ttest_1samp(shift + noise[0] - noise[1], 0, axis=1).pvalue < 0.05  # type: ignore[attr-defined]
    assert found.mean() == pytest.approx(0.8, abs=0.012)


@pytest.mark.parametrize(("families", "replicates"), [(0, 3), (1, 100), (2, 1)])
def test_too_little_to_find_anything_has_a_reason(families, replicates):
    effect, reason = smallest_effect(families, replicates)
    assert effect is None and reason


def test_more_families_and_replicates_find_smaller_effects():
    effects = [smallest_effect(families, 3)[0] or 100 for families in range(3, 12)]
    assert effects == sorted(effects, reverse=True)
    assert (smallest_effect(6, 5)[0] or 100) < (smallest_effect(6, 3)[0] or 0)
