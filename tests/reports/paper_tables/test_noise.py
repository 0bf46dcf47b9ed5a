import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reports.audit import permutations
from reports.audit.pairs import paired
from reports.paper_tables import noise
from tests.reports.chain_audits import arm, panel


def pairs(audit, *conditions, agent="m"):
    return paired(audit, agent, "prompt", conditions)[0]


def drawn(seed, projects=30, skills=("s",), conditions=("C0", "C1", "C2"), replicates=3, agent="m", tasks=1000):
    """Chains of nearly continuous depth with no effect at all; skills of a project share C0."""
    draw = random.Random(seed)

    def depths():
        return [draw.randint(0, tasks) for _ in range(replicates)]

    arms = [arm(f"p{at}", "C0", *depths(), tasks=tasks, targets=skills, agent=agent) for at in range(projects)]
    for at in range(projects):
        for name in conditions[1:]:
            arms += [
                arm(f"p{at}", name, *depths(), tasks=tasks, targets=(skill,), partner=f"x{skill}", agent=agent)
                for skill in skills
            ]
    return panel(*arms)


def test_shared_chains_are_one():
    made = permutations.values_of(pairs(drawn(0, 2, ("one", "two")), "C1", "C0"), ("C1", "C0"), "pass2")
    # Two projects of three C0 chains and twice three C1 chains.
    assert len(made.values) == 18 and [len(block) for block in made.blocks] == [9, 9]
    assert made.arms["C0"][0] == made.arms["C0"][2] and made.keys[0] == ("one", "p0") and made.keys[2] == ("two", "p0")


def test_weights_give_the_differences_of_pairs():
    audit = panel(arm("a", "C0", 2, 4), arm("a", "C1", 5), arm("b", "C0", 6), arm("b", "C1", 6, 7))
    made = permutations.values_of(pairs(audit, "C1", "C0"), ("C1", "C0"), "pass2")
    assert made.values @ made.weights("C1", "C0") == pytest.approx([0.2, 0.05])


def test_labels_are_permuted_within_projects_only():
    audit = panel(arm("a", "C0", 1, 2), arm("a", "C1", 3, 4), arm("b", "C0", 8), arm("b", "C1", 9))
    made = permutations.values_of(pairs(audit, "C1", "C0"), ("C1", "C0"), "pass2")
    table = permutations.permuted(made, 1_000, 1)
    for block in made.blocks:
        assert (np.sort(table[:, block], axis=1) == np.sort(made.values[block])).all()
    assert len(np.unique(table, axis=0)) == 24 * 2
    assert (permutations.permuted(made, 1_000, 1) == table).all() and (permutations.permuted(made, 1_000, 2) != table).any()


def test_wins_under_permuted_labels_by_enumeration():
    """One chain an arm: each of the two orders is as likely, so that one pair wins half the time, a tie never."""
    audit = panel(arm("a", "C0", 1), arm("a", "C1", 9), arm("b", "C0", 5), arm("b", "C1", 5))
    found = noise.wins(pairs(audit, "C1", "C0"), 4_000, 0)
    assert found.mean == pytest.approx(0.25, abs=0.02) and (found.low, found.high) == (0, 0.5) and found.draws == 4_000


def test_survival_of_noise_is_two_thirds():
    """Of three alike arms: C1 is the highest of three in 1/3, above C0 in 1/2."""
    found: Any = noise.survivals(pairs(drawn(3, 60), "C0", "C1", "C2"), 400, 0)
    assert found.mean == pytest.approx(2 / 3, abs=0.02) and found.low < 2 / 3 < found.high


def test_skills_that_share_c0_win_together():
    """With C0 shared by many skills the wins of noise spread more than those of separate pairs."""
    shared: Any = noise.wins(pairs(drawn(4, 6, tuple("abcdefgh"), ("C0", "C1"), 1), "C1", "C0"), 1_000, 0)
    apart: Any = noise.wins(pairs(drawn(5, 48, ("s",), ("C0", "C1"), 1), "C1", "C0"), 1_000, 0)
    assert shared.mean == pytest.approx(0.5, abs=0.03) == apart.mean
    assert shared.high - shared.low > 1.3 * (apart.high - apart.low)


@pytest.mark.parametrize("call", [noise.wins, noise.survivals])
def test_a_reference_of_nothing_has_a_reason(call):
    found = call([])
    assert found.mean is None and found.draws == 0 and found.reason


def test_survival_without_any_win_has_a_reason():
    audit = panel(*(arm("a", name, 5, 5) for name in ("C0", "C1", "C2")))
    found = noise.survivals(pairs(audit, "C0", "C1", "C2"), 50, 0)
    assert found.mean is None and found.reason == "no permutation gives one"


def test_rows_correlate_as_numpy_says():
    draw = np.random.default_rng(0)
    one, other = draw.normal(size=(5, 20)), draw.normal(size=(5, 20))
    found = permutations.row_correlations(one, other)
    assert found == pytest.approx([np.corrcoef(a, b)[0, 1] for a, b in zip(one, other, strict=True)], abs=1e-12)
    assert np.isnan(permutations.row_correlations(np.ones((1, 4)), other[:1, :4])).all()


def test_models_under_permuted_labels_do_not_correlate():
    left, right = (permutations.shuffled(pairs(drawn(seed, 40), "C1", "C0"), "pass2", 500, seed=[0, seed]) for seed in (1, 2))
    found: dict[str, Any] = dict(permutations.between(left, right))
    for name in ("pearson", "spearman"):
        assert found[name].mean == pytest.approx(0, abs=0.03)
        assert found[name].low == pytest.approx(-1.96 / 39**0.5, abs=0.08) and found[name].high > 0.2
    assert found["agreement"].mean == pytest.approx(0.5, abs=0.03)
    signs = noise.panel_signs([left, right])
    assert signs["mixed"].mean == pytest.approx(0.5, abs=0.03) and signs["gain"].mean == pytest.approx(0.25, abs=0.03)


def test_models_without_common_pairs_have_no_reference():
    left = permutations.shuffled(pairs(drawn(1, 2), "C1", "C0"), "pass2", 10)
    found = permutations.between(left, permutations.shuffled([], "pass2", 10))
    assert all(one.mean is None and "0 common pairs" in (one.reason or "") for one in found.values())
    assert noise.panel_signs([left, permutations.shuffled([], "pass2", 10)])["gain"].reason == "no pair is common to all models"


def test_halves_of_pairs_that_differ_alone_agree_wholly():
    arms = [arm(f"p{at}", name, *[depth] * 4) for at in range(6) for name, depth in (("C0", 3), ("C1", 3 + at))]
    found = permutations.split_half(pairs(panel(*arms), "C1", "C0"), "pass2")
    assert (found.value, found.raw, found.pairs) == (pytest.approx(1), pytest.approx(1), 6)


def test_halves_by_hand():
    """Two chains an arm: a split is one of two ways in each arm, so r is the mean over 4 ways a pair; here C0 is constant."""
    depths = {"a": (1, 3), "b": (5, 4), "c": (9, 7)}
    audit = panel(*(arm(p, "C0", 2, 2) for p in depths), *(arm(p, "C1", *pair) for p, pair in depths.items()))
    found: Any = permutations.split_half(pairs(audit, "C1", "C0"), "pass2", splits=4_000)
    ways = [np.corrcoef([1, five, nine], [3, 9 - five, 16 - nine])[0, 1] for five in (5, 4) for nine in (9, 7)]
    raw = float(np.mean(ways))
    assert found.raw == pytest.approx(raw, abs=0.005) and found.value == pytest.approx(
        2 * found.raw / (1 + found.raw), abs=1e-12
    )


def test_reliability_is_that_of_all_replicates():
    """Pair sd 0.1 and noise sd 0.1 of a chain: with R chains an arm 1 / (1 + 2 / R) of Δ. Halves alone would say less."""
    draw = np.random.default_rng(2)
    arms = []
    for at in range(400):
        effect = draw.normal(0, 100)
        for name, mean in (("C0", 500), ("C1", 500 + effect)):
            arms.append(arm(f"p{at}", name, *(round(mean + draw.normal(0, 100)) for _ in range(4)), tasks=1000))
    found = permutations.split_half(pairs(panel(*arms), "C1", "C0"), "pass2")
    assert found.raw == pytest.approx(1 / (1 + 2 / 2), abs=0.06) and found.value == pytest.approx(1 / (1 + 2 / 4), abs=0.05)


def test_reliability_of_noise_stays_below_the_bar():
    found = permutations.split_half(pairs(drawn(9, 60, conditions=("C0", "C1")), "C1", "C0"), "pass2")
    assert found.value is not None and found.value < permutations.TELLING


@pytest.mark.parametrize(("replicates", "projects"), [(1, 5), (3, 2)])
def test_too_few_for_halves_is_said(replicates, projects):
    found = permutations.split_half(pairs(drawn(0, projects, replicates=replicates), "C1", "C0"), "pass2")
    assert found.value is None and "with two replicates in both arms" in (found.reason or "")


def test_equal_pairs_have_no_reliability():
    audit = panel(*(arm(p, name, 5, 5) for p in "abc" for name in ("C0", "C1")))
    assert permutations.split_half(pairs(audit, "C1", "C0"), "pass2").reason == "no spread between pairs"


def test_c0_flips_against_itself():
    """a: depths 2 and 5 of ten: tasks 3 to 5 flip, a half is always above. b: equal, nothing flips. c has one chain."""
    audit = panel(
        arm("a", "C0", 2, 5), arm("b", "C0", 4, 4), arm("c", "C0", 1), *(arm(p, "C1", 9) for p in "abc")
    )  # fmt: skip
    found = noise.flips(pairs(audit, "C1", "C0"))
    assert found.tasks == pytest.approx((0.3 + 0) / 2) and found.gains == pytest.approx((0.5 + 0) / 2) and found.projects == 2


def test_flips_of_tasks_are_those_of_pairs_of_chains():
    """Depths 0, 1, 3 of four: of three pairs of chains, task 1 differs in two, tasks 2 and 3 in two, task 4 in none."""
    audit = panel(arm("a", "C0", 0, 1, 3, tasks=4), arm("a", "C1", 1, tasks=4))
    assert noise.flips(pairs(audit, "C1", "C0")).tasks == pytest.approx(3 * 2 / 3 / 4)


def test_flips_need_two_chains():
    found = noise.flips(pairs(panel(arm("a", "C0", 5), arm("a", "C1", 5)), "C1", "C0"))
    assert found.gains is None and found.tasks is None and found.reason


def test_nan_is_not_measured():
    audit = panel(arm("a", "C0", 5, 5), arm("a", "C1", 5, 5))
    broken = {name: replace(item, values={"pass2": float("nan")}) for name, item in audit.observations.items()}
    assert noise.wins(pairs(replace(audit, observations=broken), "C1", "C0")).mean is None
