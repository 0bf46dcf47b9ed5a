"""What a plan can find, against statsmodels and against audits that are drawn and judged."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from reports.audit.cells import ArmCell
from reports.stats.method import FAMILY_SD, TRIAL_SD
from reports.stats.power import chance_of_no_effect, deciding, deciding_here
from reports.verdict.verdicts import Question, judge


def drawn_audits(runs: int, families: int, replicates: int, effect: float, seed: int):
    """Questions of normal chains: sd 0.2 within, families differ by 0.1."""
    draw = np.random.default_rng(seed)
    shift = draw.normal(effect, FAMILY_SD, (runs, families, 1))
    arms = draw.normal(0.5, TRIAL_SD, (2, runs, families, replicates))
    arms[0] += shift
    for treated, base in zip(arms[0].tolist(), arms[1].tolist(), strict=True):
        sides = [
            {str(at): ArmCell(str(at), f"family {at}", tuple(values), replicates) for at, values in enumerate(side)}
            for side in (treated, base)
        ]
        yield Question(("skill",), sides[0], sides[1], None, 0)


@pytest.mark.parametrize(
    ("families", "replicates", "margin"), [(12, 5, 0.15), pytest.param(20, 8, 0.1, marks=pytest.mark.nightly)]
)
def test_the_chance_is_the_share_of_judged_audits(families, replicates, margin):
    chance, reason = chance_of_no_effect(families, replicates, margin, 1)
    assert chance is not None and reason is None and 0.1 < chance < 0.9
    runs = 3000
    words = [judge([one], margin=margin)[0].word for one in drawn_audits(runs, families, replicates, 0.0, 4)]
    share = words.count("NO PRACTICAL EFFECT") / runs
    assert share == pytest.approx(chance, abs=4 * math.sqrt(chance * (1 - chance) / runs))


def test_the_chance_is_that_of_drawn_means_and_spreads():
    families, replicates, margin, looks = 30, 10, 0.1, 2
    draw = np.random.default_rng(8)
    data = draw.normal(0, math.sqrt(FAMILY_SD**2 + 2 * TRIAL_SD**2 / replicates), (40_000, families))
    mean, spread = np.abs(data.mean(axis=1)), data.std(axis=1, ddof=1)
    narrow = mean + stats.t.ppf(1 - 0.05 / looks, families - 1) * spread / math.sqrt(families)
    ahead = mean + stats.t.ppf(0.9, families - 1) * spread * math.sqrt(1 + 1 / families)
    share = np.mean((narrow < margin) & (ahead < 2 * margin))
    assert 0.1 < share < 0.9
    assert chance_of_no_effect(families, replicates, margin, looks)[0] == pytest.approx(share, abs=0.012)


def test_more_of_anything_but_looks_makes_it_likelier():
    chance = chance_of_no_effect(12, 5, 0.15, 1)[0] or 1
    assert (chance_of_no_effect(13, 5, 0.15, 1)[0] or 0) > chance
    assert (chance_of_no_effect(12, 6, 0.15, 1)[0] or 0) > chance
    assert (chance_of_no_effect(12, 5, 0.16, 1)[0] or 0) > chance
    assert 0 < (chance_of_no_effect(12, 5, 0.15, 2)[0] or 1) < chance


def test_a_margin_of_five_points_is_hard_to_stay_within():
    """Families that differ by 10 points (sd) lie outside ±10 too often, however many there are."""
    for families, replicates in ((8, 5), (40, 20), (200, 20)):
        chance, _ = chance_of_no_effect(families, replicates, 0.05, 1)
        assert chance is not None and chance < 0.01


@pytest.mark.parametrize(("families", "replicates"), [(5, 5), (6, 2), (1, 20), (0, 0)])
def test_below_the_minimum_there_is_no_chance_but_a_reason(families, replicates):
    chance, reason = chance_of_no_effect(families, replicates, 0.05, 1)
    assert chance is None and reason and "6 families × 3 replicates" in reason


def power(value: float, families: int, replicates: int, between: float, noise: float, level: float) -> float:
    spread = math.sqrt(between + noise / replicates)
    return TTestPower().power(value / spread, nobs=families, alpha=1 - level, alternative="two-sided")


@pytest.mark.parametrize(
    ("value", "between", "noise", "level"),
    [(0.1, 0.01, 0.08, 0.95), (0.2, 0.0, 0.08, 0.95), (-0.15, 0.02, 0.04, 0.975), (0.3, 0.01, 0.2, 1 - 0.05 / 9)],
)
def test_what_would_decide_is_the_cheapest_plan_with_that_power(value, between, noise, level):
    found, words = deciding(value, 8, 3, between, noise, level)
    able = [
        (families * replicates, families, replicates)
        for families, replicates in product(range(8, 80), range(3, 21))
        if power(abs(value), families, replicates, between, noise, level) >= 0.8 - 1e-6
    ]
    assert found is not None and found == min(able)[1:]
    assert f"{found[0]} families × {found[1]} replicates" in words and "80 %" in words


def test_replicates_cannot_average_families_away():
    """τ = 0.2 at 8 families: the interval of an effect of 0.1 includes zero even without any noise."""
    found, words = deciding(0.1, 8, 3, 0.04, 0.04, 0.95)
    assert found is not None and found[0] > 8
    assert "with 8 families no number of replicates would" in words
    found, words = deciding(0.001, 8, 3, 0.04, 0.04, 0.95)
    assert found is None
    assert "no number of replicates would" in words and "200 families × 20 replicates" in words


def test_replicates_alone_may_do_without_the_sentence():
    found, words = deciding(0.2, 8, 3, 0.0, 0.2, 0.95)
    assert found is not None and "no number" not in words
    found, words = deciding(0.001, 8, 3, 0.0, 0.2, 0.95)
    assert found is None and words == "not even 200 families × 20 replicates would tell the difference seen from zero"


@pytest.mark.parametrize("value", [0.0, 0.02, 0.1, 0.5])
@pytest.mark.parametrize(("families", "replicates"), [(2, 1), (6, 3), (50, 5), (260, 3)])
def test_it_never_asks_for_less_than_there_is_or_the_minimum(value, families, replicates):
    found, words = deciding(value, families, replicates, 0.01, 0.08, 0.95)
    if found:
        assert found[0] >= max(families, 6) and found[1] >= max(replicates, 3)
    assert "more replicates will decide" not in words
    assert words


def test_on_these_projects_replicates_decide():
    """One project: s² of both arms 0.04, so R an arm have the power of a two-sample t-test."""
    found, words = deciding_here(0.25, 1, 5, (0.04, 0.04), 0.95)
    assert found is not None and found[0] == 1
    draw = np.random.default_rng(1)
    for replicates, enough in ((found[1], True), (found[1] - 2, False)):
        runs = draw.normal(0, 0.2, (2, 20_000, replicates))
        p = stats.ttest_ind(runs[0] + 0.25, runs[1], axis=1, equal_var=False).pvalue  # type: ignore[attr-defined]
        assert bool(np.mean(p < 0.05) > 0.79) is enough
    assert "on these projects" in words
    found, words = deciding_here(0.01, 1, 5, (0.04, 0.04), 0.95)
    assert found is None and "no number of replicates up to 20 would" in words
