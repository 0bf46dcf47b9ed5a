import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats
from statsmodels.stats.contingency_tables import mcnemar

from benchmark.webdev.suite import SUITE
from reports.audit.pairs import correlation, differences, paired
from reports.paper_tables import estimators
from reports.paper_tables.estimators import (
    discordant,
    estimate,
    gaining,
    pair_bootstrap,
    ratios,
    signs,
    survival,
)
from reports.paper_tables.table_arms import Arms
from reports.paper_tables.table_effects import table_1, table_3
from reports.stats.statistics import exact_mcnemar
from tests.reports.chain_audits import Graded, arm, panel

#: Their results have names that type checkers do not know.
stats: Any = scipy_stats
exact: Any = mcnemar
FIGURES = Path(__file__).parents[3].parent / "shared" / "data" / "webdev-skills-bench-figures.json"


def pairs(audit, *conditions, agent="m", delivery="prompt"):
    return paired(audit, agent, delivery, conditions)[0]


@pytest.mark.parametrize("count", [2, 5, 117])
@pytest.mark.parametrize("resamples", [1_000, 10_000])
def test_the_bootstrap_is_scipys_percentile_interval(count, resamples):
    values = np.random.default_rng(count).normal(-0.04, 0.1, count)
    oracle = stats.bootstrap(
        (values,), np.mean, n_resamples=resamples, method="percentile", rng=np.random.default_rng(7), vectorized=True
    ).confidence_interval
    assert pair_bootstrap(values.tolist(), resamples, 7) == pytest.approx((oracle.low, oracle.high), abs=1e-9)


def test_a_bootstrap_in_parts_is_the_bootstrap(monkeypatch):
    values = np.random.default_rng(1).normal(size=117).tolist()
    whole = pair_bootstrap(values, 1_000, 3)
    monkeypatch.setattr(estimators, "BATCH", 117 * 64)
    assert pair_bootstrap(values, 1_000, 3) == whole


def test_a_bootstrap_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one value"):
        pair_bootstrap([], 10, 0)


@pytest.mark.parametrize(
    ("values", "mean", "reason"),
    [
        ([], None, "no pair"),
        ([0.1], 0.1, "one pair"),
        ([0.2, 0.2, 0.2], 0.2, "no spread"),
        ([0.3, 0.1 + 0.2], 0.3, "no spread"),
    ],
)
def test_too_little_gives_no_interval_and_the_reason(values, mean, reason):
    found = estimate(values)
    assert found.estimate == (None if mean is None else pytest.approx(mean))
    assert (found.low, found.high) == (None, None) and reason in found.reason


def test_the_exact_p_of_the_papers_discordant_attempts():
    """b = 111, c = 74: p = 0.008 in the paper."""
    assert exact_mcnemar(111, 74) == pytest.approx(0.00795, abs=5e-6)
    assert exact_mcnemar(111, 74) == pytest.approx(exact([[0, 111], [74, 0]], exact=True).pvalue, abs=1e-9)


def test_pairs_average_their_replicates_and_share_c0():
    """C0 of a is 0.3; one has 0.5 and two 0.2: +0.2 and −0.1. On b only one is planned, 0.9 − 0.6."""
    audit = panel(
        arm("a", "C0", 2, 3, 4, targets=("one", "two")),
        arm("a", "C1", 4, 6, targets=("one",)),
        arm("a", "C1", 2, 2, targets=("two",)),
        arm("b", "C0", 6, targets=("one",)),
        arm("b", "C1", 9, targets=("one",)),
    )
    found = differences(pairs(audit, "C1", "C0"), "pass2", "C1", "C0")
    assert found == pytest.approx({("one", "a"): 0.2, ("one", "b"): 0.3, ("two", "a"): -0.1})
    assert gaining(list(found.values())) == pytest.approx(2 / 3)


def test_what_was_not_measured_is_no_zero():
    audit = panel(
        arm("a", "C0", 5),
        arm("a", "C1", 7),
        arm("a", "C1", 0, status="broken", first=1),
        arm("b", "C0", 5),
        arm("b", "C1", 0, status="not_delivered"),
    )
    found, planned = paired(audit, "m", "prompt", ("C1", "C0"))
    assert differences(found, "pass2", "C1", "C0") == pytest.approx({("s", "a"): 0.2}) and planned == 2


def test_rounding_is_no_gain():
    """0.1 + 0.2 is not 0.3 to the machine."""
    assert gaining([0.1 + 0.2 - 0.3, 0.5]) == 0.5 and gaining([]) is None


def test_overhead_is_the_mean_of_pair_ratios_beside_the_ratio_of_sums():
    """1,500 of 1,000 and 3,300 of 3,000: (0.5 + 0.1) / 2, and 800 / 4,000."""
    audit = panel(
        arm("a", "C0", 5, tokens=1000), arm("a", "C1", 5, tokens=1500), arm("b", "C0", 5, tokens=3000),
        arm("b", "C1", 5, tokens=3300), arm("c", "C0", 5, tokens=None), arm("c", "C1", 5, tokens=math.nan),
    )  # fmt: skip
    of_pairs, of_sums = ratios(pairs(audit, "C1", "C0"), "tokens", "C1", "C0")
    assert of_pairs == pytest.approx([0.5, 0.1]) and of_sums == pytest.approx(0.2)
    assert ratios([], "tokens", "C1", "C0") == ([], None)


@pytest.mark.parametrize("seed", range(3))
def test_total_is_length_and_content_and_depth_is_tasks_times_pass2(seed):
    draw = random.Random(seed)
    made = panel(
        *(
            arm(f"p{at}", name, *(draw.randint(0, 20) for _ in range(3)), tasks=20)
            for at in range(30)
            for name in ("C0", "C1", "C2")
        )
    )
    found = pairs(made, "C0", "C1", "C2")
    sides = [("C1", "C0"), ("C2", "C0"), ("C1", "C2")]
    total, length, content = (differences(found, "pass2", *names) for names in sides)
    assert all(total[key] == pytest.approx(length[key] + content[key], abs=1e-12) for key in total)
    means: list[Any] = [estimate(list(side.values())).estimate for side in (total, length, content)]
    assert means[0] == pytest.approx(means[1] + means[2], abs=1e-12)
    depth = differences(found, "tcd", "C1", "C0")
    assert all(depth[key] == pytest.approx(20 * total[key], abs=1e-12) for key in total)


def test_survival_is_of_the_wins():
    """Of three wins two remain above C2; a pair that lost counts in neither, one without C2 in neither."""
    total = {("s", "a"): 0.2, ("s", "b"): 0.1, ("s", "c"): 0.3, ("s", "d"): -0.1, ("s", "e"): 0.4}
    content = {("s", "a"): 0.1, ("s", "b"): 0.0, ("s", "c"): 0.2, ("s", "d"): 0.5}
    assert survival(total, content) == (pytest.approx(2 / 3), 3)
    assert survival({("s", "a"): -0.1}, content) == (None, 0)


def test_buckets_by_hand():
    """Tasks e e m c. C0 solves 1 and 3, C1 all and none: easy 1 of 2 and 2 of 2, against 2 of 2 and 0 of the one reached."""
    audit = panel(
        arm("a", "C0", 1, 3, tasks=4), arm("a", "C1", 4, 0, tasks=4),
        suite=Graded({"a": ["easy", "easy", "moderate", "challenging"]}),
    )  # fmt: skip
    found, unknown = estimators.buckets(pairs(audit, "C1", "C0"), audit.suite, "C1", "C0")
    assert unknown == []
    # Unconditional: (2 + 0) / 4 − (1 + 2) / 4; reached: 2 of 3 − 3 of 4.
    assert found["easy"].all == pytest.approx([-0.25]) and found["easy"].reached == pytest.approx([2 / 3 - 3 / 4])
    assert found["moderate"].all == pytest.approx([0]) and found["moderate"].reached == pytest.approx([0])
    # Task 4 was reached by one chain of each arm: solved and not.
    assert found["challenging"].all == pytest.approx([0.5]) and found["challenging"].reached == pytest.approx([1])


def test_a_bucket_that_an_arm_never_reached_is_no_pair_cell():
    audit = panel(arm("a", "C0", 0, tasks=2), arm("a", "C1", 2, tasks=2), suite=Graded({"a": ["easy", "moderate"]}))
    found, _ = estimators.buckets(pairs(audit, "C1", "C0"), audit.suite, "C1", "C0")
    assert found["moderate"].reached == [] and found["moderate"].all == [1]


@pytest.mark.parametrize("levels", [{}, {"a": ["easy"]}])
def test_projects_of_unknown_difficulty_are_named(levels):
    audit = panel(arm("a", "C0", 1), arm("a", "C1", 2), suite=Graded(levels))
    assert estimators.buckets(pairs(audit, "C1", "C0"), audit.suite, "C1", "C0") == ({}, ["a"])


def test_the_suite_knows_the_difficulty_of_every_task():
    suite = SUITE
    for project in suite.projects():
        assert len(suite.difficulties(project)) == suite.task_count(project)
        assert set(suite.difficulties(project)) <= {"easy", "moderate", "challenging"}


def keyed(values):
    return {("s", f"p{at}"): value for at, value in enumerate(values)}


def test_correlations_are_scipys_with_ties():
    draw = np.random.default_rng(5)
    left, right = draw.integers(-3, 4, 40) / 10, draw.integers(-3, 4, 40) / 10
    found = correlation(keyed(left), {**keyed(right), ("s", "other"): 1.0})
    assert found.pairs == 40
    assert found.pearson == pytest.approx(stats.pearsonr(left, right).statistic, abs=1e-9)
    assert found.spearman == pytest.approx(stats.spearmanr(left, right).statistic, abs=1e-9)
    both = (left != 0) & (right != 0)
    assert found.agreement == pytest.approx(np.mean((left > 0)[both] == (right > 0)[both]))


@pytest.mark.parametrize(
    ("left", "right", "reason"), [([1, 2], [1, 2], "2 common pairs"), ([1, 2, 3], [4, 4, 4], "no spread"), ([], [], "0 common")]
)
def test_no_correlation_has_a_reason(left, right, reason):
    found = correlation(keyed(left), keyed(right))
    assert found.pearson is None and found.spearman is None and reason in found.reason


def test_signs_of_all_models():
    """Mixed, gain, lose, and one with a zero that is none of them."""
    found = signs([keyed([1, 1, -1, 1]), keyed([-1, 1, -1, 0]), keyed([1, 1, -1, 1])])
    assert found == {"mixed": 0.25, "gain": 0.25, "lose": 0.25}
    assert signs([keyed([1]), {}]) is None and signs([]) is None


def test_task_attempts_match_by_replicate():
    """r0: 7 against 4 solved, b = 3; r1: 2 against 3, c = 1; r2 has no match. A missing task counts as failed."""
    audit = panel(arm("a", "C1:fresh", 7, 2, 9), arm("a", "C3:-rules", 4, 3))
    assert discordant(pairs(audit, "C1:fresh", "C3:-rules"), "C1:fresh", "C3:-rules") == (3, 1)
    audit = panel(arm("a", "C1:fresh", 7), arm("a", "C3:-rules", 3, tasks=5))
    assert discordant(pairs(audit, "C1:fresh", "C3:-rules"), "C1:fresh", "C3:-rules") == (4, 0)


def test_models_and_deliveries_are_told_apart():
    audit = panel(
        arm("a", "C0", 5), arm("a", "C1", 7), arm("a", "C1", 2, delivery="native"),
        arm("a", "C0", 1, agent="n"), arm("a", "C1", 2, agent="n"),
    )  # fmt: skip
    found = [
        differences(pairs(audit, "C1", "C0", **how), "pass2", "C1", "C0")
        for how in ({}, {"delivery": "native"}, {"agent": "n"})
    ]
    assert [one["s", "a"] for one in found] == pytest.approx([0.2, -0.3, 0.1])


@pytest.mark.skipif(not FIGURES.is_file(), reason="the paper's figures are not on this machine")
def test_the_papers_figures_come_out_of_chains_that_hold_them():
    """A hundred pairs of twenty tasks a model, C2 and C1 moved by whole tasks so that ΔLength and ΔContent are the paper's."""
    figures = json.loads(FIGURES.read_text())
    arms = []
    for model, length in figures["delta_length_pp"].items():
        lengths, contents = (round(20 * value) for value in (length, figures["delta_content_pp"][model]))
        for at in range(100):
            c2 = 10 + (at < abs(lengths)) * int(math.copysign(1, lengths))
            c1 = c2 + (at < abs(contents)) * int(math.copysign(1, contents))
            arms += [
                arm(f"p{at:03}", name, depth, tasks=20, agent=model) for name, depth in (("C0", 10), ("C1", c1), ("C2", c2))
            ]
    audit = Arms(panel(*arms), "prompt")
    first, third = table_1(audit), table_3(audit)
    rows: Any = zip(first.rows, third.rows, strict=True)
    for one, three in rows:
        model = one[0].text
        total = figures["delta_pass2_pp"][model]
        assert 100 * one[3].value == pytest.approx(total, abs=1e-9) and 100 * three[2].value == pytest.approx(total, abs=1e-9)
        assert 100 * three[3].value == pytest.approx(figures["delta_length_pp"][model], abs=1e-9)
        assert 100 * three[4].value == pytest.approx(figures["delta_content_pp"][model], abs=1e-9)
        # The paper's two figures are rounded apart.
        assert one[4].value == pytest.approx(figures["delta_tcd"][model], abs=0.0151)
        assert one[4].value == pytest.approx(20 * one[3].value, abs=1e-12)
