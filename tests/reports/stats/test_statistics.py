"""Against independent computations: scipy, statsmodels, and brute force over all sign vectors, subsets and families."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import DescrStatsW

from reports.stats.statistics import (
    any_at_k,
    exact_mcnemar,
    family_estimate,
    family_interval,
    holm,
    holm_alphas,
    ratio_interval,
    sample,
    sign_flip,
    smallest_effect,
    stratified_estimate,
    wilcoxon,
)
from skills.routing.agreement import cohen_kappa

VALUES = (0.1, -0.2, 0.35, 0.05, 0.4, 0.0, 0.15)
#: Tests against another implementation of the same number.
EXACT = 1e-9


@pytest.mark.parametrize("level", [0.9, 0.95, 0.975])
@pytest.mark.parametrize("count", [2, 3, 6, 7])
def test_the_interval_is_students_t_over_families(count, level):
    made = family_interval(VALUES[:count], level)
    low, high = DescrStatsW(VALUES[:count]).tconfint_mean(alpha=1 - level)
    assert (made.estimate, made.low, made.high) == pytest.approx((np.mean(VALUES[:count]), low, high))
    assert (made.units, made.level, made.reason) == (count, level, None)


@pytest.mark.parametrize("level", [0.9, 0.95, 1 - 0.05 / 7])
@pytest.mark.parametrize("seed", range(4))
def test_the_interval_and_its_p_are_scipys(seed, level):
    values = np.random.default_rng(seed).normal(0.1, 0.2, 3 + 5 * seed)
    made, oracle = family_interval(values.tolist(), level), stats.ttest_1samp(values, 0)
    bounds = oracle.confidence_interval(level)  # type: ignore[attr-defined]
    assert (made.low, made.high) == pytest.approx((bounds.low, bounds.high), abs=EXACT)
    assert made.p == pytest.approx(oracle.pvalue, abs=EXACT)  # type: ignore[attr-defined]
    assert made.p_signflip == sign_flip(values.tolist())


@pytest.mark.parametrize("count", [3, 7])
def test_the_prediction_is_that_of_a_regression_on_a_constant(count):
    low, high = OLS(VALUES[:count], np.ones(count)).fit().get_prediction([1.0]).conf_int(obs=True, alpha=0.2)[0]
    assert family_estimate(VALUES[:count]).prediction(0.8) == pytest.approx((low, high), abs=EXACT)
    assert family_estimate(VALUES[:1]).prediction(0.8) is None
    assert family_estimate((0.1, 0.1)).prediction(0.8) is None


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("sizes", [(5, 5), (5, 9), (2, 3)])
def test_one_project_is_welchs_t_test(sizes, level):
    draw = np.random.default_rng(sum(sizes))
    treated, base = draw.normal(0.5, 0.3, sizes[0]), draw.normal(0.4, 0.1, sizes[1])
    made = stratified_estimate([(1.0, sample(treated.tolist()), sample(base.tolist()))])
    oracle = stats.ttest_ind(treated, base, equal_var=False)
    bounds = oracle.confidence_interval(level)  # type: ignore[attr-defined]
    assert (made.at(level).low, made.at(level).high) == pytest.approx((bounds.low, bounds.high), abs=EXACT)
    assert made.p == pytest.approx(oracle.pvalue, abs=EXACT)  # type: ignore[attr-defined]
    assert made.freedom == pytest.approx(oracle.df, abs=EXACT)  # type: ignore[attr-defined]
    assert made.units == sum(sizes)


def test_projects_are_strata_by_hand():
    """Two projects, weight a half: variances of means .02/2 and .08/2 and .0 and .02/2; W–S over the four."""
    made = stratified_estimate([(0.5, sample([0.4, 0.6]), sample([0.1, 0.5])), (0.5, sample([0.9, 0.9]), sample([0.5, 0.7]))])
    parts = [0.25 * 0.01, 0.25 * 0.04, 0.0, 0.25 * 0.01]
    assert made.value == pytest.approx((0.2 + 0.3) / 2)
    assert made.error == pytest.approx(math.sqrt(sum(parts)))
    assert made.freedom == pytest.approx(sum(parts) ** 2 / sum(part**2 for part in parts))


def test_equal_strata_average_like_their_differences():
    """Welch over strata of paired-size samples has the variance of the mean of the strata's differences."""
    draw = np.random.default_rng(5)
    arms = draw.normal(0.5, 0.2, (4, 2, 6))
    made = stratified_estimate([(0.25, sample(one[0].tolist()), sample(one[1].tolist())) for one in arms])
    assert made.value == pytest.approx(np.mean(arms[:, 0] - arms[:, 1]))
    assert made.error == pytest.approx(math.sqrt(arms.var(axis=2, ddof=1).sum() / 6) / 4)


@pytest.mark.parametrize(
    ("strata", "value", "reason"),
    [
        ([], None, "no project"),
        ([(1.0, sample([0.5]), sample([0.1, 0.3]))], 0.3, "one replicate"),
        ([(1.0, sample([0.5] * 5), sample([0.3] * 5))], 0.2, "no spread"),
    ],
)
def test_strata_without_a_spread_have_a_reason(strata, value, reason):
    made = stratified_estimate(strata)
    assert made.value == (None if value is None else pytest.approx(value))
    assert made.error is None and made.p is None and reason in (made.reason or "")
    assert made.at(0.95).low is None and made.at(0.95).reason == made.reason


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


@pytest.mark.parametrize("missing", [None, float("nan"), float("inf")])
def test_a_ratio_leaves_out_what_was_not_measured(missing):
    made = ratio_interval(named([2, 4]) | {"x": 5.0}, named([1, 2]) | {"x": missing}, named([1, 3]) | {"x": 9.0}, 0.95)
    assert made == ratio_interval(named([2, 4]), named([1, 2]), named([1, 3]), 0.95)
    assert made.estimate == 0.75


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


P_VALUES = [
    [0.01, 0.04, 0.03, 0.005],
    [0.2],
    [0.01, 0.01, 0.9],
    [1.0, 1.0],
    *[np.random.default_rng(seed).uniform(0, 0.1, 2 + 3 * seed).tolist() for seed in range(5)],
]


@pytest.mark.parametrize("values", P_VALUES)
def test_holm_is_that_of_statsmodels(values):
    assert holm(values) == pytest.approx(multipletests(values, method="holm")[1], abs=EXACT)


@pytest.mark.parametrize("values", P_VALUES)
@pytest.mark.parametrize("alpha", [0.05, 0.025])
def test_holms_levels_reject_where_statsmodels_does(values, alpha):
    levels = holm_alphas(values, alpha)
    assert [value <= level for value, level in zip(values, levels, strict=True)] == list(
        multipletests(values, alpha, method="holm")[0]
    )
    assert all(alpha / len(values) <= level <= alpha for level in levels)


def test_holms_levels_by_hand():
    """0.01 ≤ .05/3, 0.02 ≤ .05/2, 0.2 > .05; and a first that does not reject keeps the rest at its level."""
    assert holm_alphas([0.2, 0.01, 0.02], 0.05) == pytest.approx([0.05, 0.05 / 3, 0.025])
    assert holm_alphas([0.03, 0.9, 0.02], 0.05) == pytest.approx([0.05 / 3] * 3)
    assert holm_alphas([0.01, 0.01], 0.05) == holm_alphas([0.01, 0.01], 0.05)[::-1] == [0.025, 0.025]
    assert holm_alphas([], 0.05) == holm([]) == []


def test_mcnemar_of_the_papers_slices():
    """§4.5: b = 111, c = 74; the paper prints 0.008."""
    assert exact_mcnemar(111, 74) == pytest.approx(0.00795, abs=5e-6)


@pytest.mark.parametrize(("b", "c"), [(111, 74), (5, 0), (3, 3), (1, 9)])
def test_mcnemar_is_that_of_statsmodels(b, c):
    assert exact_mcnemar(b, c) == pytest.approx(mcnemar([[10, b], [c, 10]], exact=True).pvalue, abs=EXACT)  # type: ignore[attr-defined]


def test_mcnemar_of_nothing_that_differs_is_not_one():
    assert exact_mcnemar(0, 0) is None


@pytest.mark.parametrize("values", [VALUES, (0.1, 0.1, -0.1, 0.0, 0.3), np.random.default_rng(2).normal(0.1, 1, 60).tolist()])
def test_wilcoxon_is_scipys_with_zeros_dropped(values):
    p, reason = wilcoxon(values)
    kept = [value for value in values if value]
    assert p == pytest.approx(stats.wilcoxon(kept, zero_method="wilcox").pvalue, abs=EXACT)  # type: ignore[attr-defined]
    assert reason is None


@pytest.mark.parametrize("values", [(), (0.0, 0.0), (None, float("nan"))])
def test_wilcoxon_of_ties_has_a_reason(values):
    p, reason = wilcoxon(values)
    assert p is None and reason


def test_the_papers_kappa_goes_with_its_counts():
    """1,495 of 1,550 agreed and 117 were core in the end: κ = 0.74 is what one such table gives (Appendix C)."""
    kappas = [cohen_kappa(core, 1495 - core, 27, 28)[0] or 0 for core in range(117 - 55, 118)]
    assert min(kappas) < 0.74 < max(kappas)
