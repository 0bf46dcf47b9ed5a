"""Every rule of METHOD.md, Verdicts, by cells whose numbers are plain, and the whole path against scipy and statsmodels."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from benchmark.core.panel import Panel
from reports.audit.cells import Arm, ArmCell
from reports.stats import method
from reports.verdict.verdicts import Question, Verdict, judge

NAN = float("nan")
EXACT = 1e-9


def arm(*rows: tuple[float, ...], planned: int | None = None, families: str | None = None, **counts: int) -> dict[str, ArmCell]:
    """Projects a, b, … with these replicates, each a family of its own unless named; counts go to the first project."""
    made = {}
    for at, values in enumerate(rows):
        name, extra = "abcdefghijklmnopqrstuvwxyz"[at], counts if at == 0 else {}
        missing = extra.get("broken", 0) + extra.get("not_delivered", 0)
        made[name] = ArmCell(
            name, (families or "abcdefghijklmnopqrstuvwxyz")[at], values, planned or len(values) + missing, **extra
        )
    return made


def about(levels: tuple[float, ...], replicates: int = 3, step: float = 0.02) -> list[tuple[float, ...]]:
    """Replicates around each mean, `step` apart."""
    return [tuple(level + step * (at - (replicates - 1) / 2) for at in range(replicates)) for level in levels]


def one(treated: Arm, base: Arm, control: Arm | None = None, partners: int = 8, margin: float = 0.05, **rest) -> Verdict:
    return judge([Question(("skill", "agent"), treated, base, control, partners)], margin=margin, **rest)[0]


SPREAD = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55)
LOW = arm(*about(SPREAD))
#: Differences of 0.2, 0.21, …: far from zero with little spread.
HIGH = arm(*about(tuple(level + 0.2 + 0.01 * at for at, level in enumerate(SPREAD))))
#: Differences of ±0.005: small and certain.
NEAR = arm(*about(tuple(level + 0.005 * (-1) ** at for at, level in enumerate(SPREAD))))
#: Differences from −0.2 to 0.22.
WIDE = arm(*about(tuple(level + 0.06 * at - 0.2 for at, level in enumerate(SPREAD))))


def test_one_place_holds_the_figures_of_the_method():
    assert (method.MINIMUM_FAMILIES, method.MINIMUM_REPLICATES, method.MINIMUM_REPLICATES_ONLY_THESE) == (6, 3, 5)
    assert (method.ALPHA, method.NARROW_LEVEL, method.PREDICTION_LEVEL, method.PREDICTION_MARGINS) == (0.05, 0.9, 0.8, 2)
    assert (method.MINIMUM_PARTNERS, method.BROKEN_IMBALANCE) == (5, 0.05)
    assert Panel.model_fields["margin_points"].default == 100 * method.MARGIN


def test_helps_and_hurts_are_one_rule():
    gain, loss = one(HIGH, LOW), one(LOW, HIGH)
    assert (gain.word, loss.word) == ("HELPS", "HURTS")
    assert gain.scope == loss.scope == "ON PROJECTS LIKE THESE"
    assert (gain.interval.low, gain.interval.high) == (-(loss.interval.high or 0), -(loss.interval.low or 0))
    assert gain.p == loss.p and gain.interval.p_signflip == 2 / 2**8
    assert gain.reasons[0].startswith("The 95 % interval of C1 − C0, +2") and gain.reasons[0].endswith("excludes zero.")
    assert (gain.families, gain.replicates, gain.planned, gain.measured, gain.broken) == (8, 3, 48, 48, 0)
    assert (gain.needed, gain.needed_words) == (None, "")


def test_no_practical_effect_needs_both_intervals():
    found = one(NEAR, LOW)
    assert found.word == "NO PRACTICAL EFFECT"
    assert found.prediction is not None and "±5 points" in found.reasons[0] and "±10" in found.reasons[0]
    # 24 families whose mean is certain to lie near zero while single ones go out to ±12 points.
    levels = tuple(0.3 + 0.01 * at for at in range(24))
    apart = one(arm(*about(tuple(level + 0.12 * (-1) ** at for at, level in enumerate(levels)))), arm(*about(levels)))
    assert apart.narrow.inside(0.05) and apart.prediction is not None and apart.prediction[1] > 0.1
    assert apart.word == "UNDECIDED" and "a new family may differ by more than 10 points" in apart.reasons[0]


def test_a_small_certain_gain_is_no_practical_effect_before_it_helps():
    small = arm(*about(tuple(level + 0.02 + 0.001 * (-1) ** at for at, level in enumerate(SPREAD))))
    found = one(small, LOW)
    assert found.interval.sign == 1 and found.word == "NO PRACTICAL EFFECT"
    assert one(small, LOW, margin=0.01).word == "HELPS"


def test_what_includes_zero_is_undecided_with_what_would_decide():
    found = one(WIDE, LOW)
    assert found.word == "UNDECIDED" and found.interval.sign == 0
    assert "includes zero" in found.reasons[0] and "not inside ±5 points" in found.reasons[0]
    assert "with 8 families no number of replicates would" in found.needed_words
    assert found.mechanisms == ()


def test_the_interval_is_scipys_over_family_means():
    """Replicates are averaged, then projects within a family; two projects of family A count once."""
    draw = np.random.default_rng(4)
    rows = draw.uniform(0, 1, (2, 9, 4))
    sides = [arm(*[tuple(row) for row in side.tolist()], families="AABCDEFGH") for side in rows]
    means = rows.mean(axis=2)[0] - rows.mean(axis=2)[1]
    oracle = stats.ttest_1samp([means[:2].mean(), *means[2:]], 0)
    found = one(sides[0], sides[1])
    for made, level in ((found.interval, 0.95), (found.narrow, 0.9)):
        bounds = oracle.confidence_interval(level)  # type: ignore[attr-defined]
        assert (made.low, made.high) == pytest.approx((bounds.low, bounds.high), abs=EXACT)
    assert (found.p, found.families) == (pytest.approx(oracle.pvalue, abs=EXACT), 8)  # type: ignore[attr-defined]


def test_one_project_is_judged_by_welch_on_these_projects_only():
    values = ((0.1, 0.3, 0.2, 0.2, 0.1), (0.7, 0.9, 0.8, 0.5, 0.9))
    oracle = stats.ttest_ind(values[1], values[0], equal_var=False).confidence_interval(0.95)  # type: ignore[attr-defined]
    found = one(arm(values[1]), arm(values[0]))
    assert (found.word, found.scope) == ("HELPS", "ON THESE PROJECTS ONLY")
    assert (found.interval.low, found.interval.high) == pytest.approx((oracle.low, oracle.high), abs=EXACT)
    assert found.prediction is None and (found.families, found.replicates) == (1, 5)
    assert one(arm(values[0]), arm(values[1])).word == "HURTS"


def test_the_second_scope_estimates_what_the_first_would():
    """Families weigh alike in either scope: two projects of A, one of B."""
    treated = arm(*about((0.5, 0.7, 0.9), 5), families="AAB")
    found = one(treated, arm(*about((0.4, 0.4, 0.4), 5, 0.03), families="AAB"))
    assert found.scope == "ON THESE PROJECTS ONLY" and found.families == 2
    assert found.interval.estimate == pytest.approx(((0.1 + 0.3) / 2 + 0.5) / 2)


def test_no_practical_effect_on_these_projects_says_nothing_of_others():
    found = one(arm(*about((0.4, 0.5), 6)), arm(*about((0.4, 0.51), 6)))
    assert (found.word, found.scope, found.prediction) == ("NO PRACTICAL EFFECT", "ON THESE PROJECTS ONLY", None)
    assert "nothing is said about others" in found.reasons[0]


def test_the_second_scope_undecided_says_how_many_replicates():
    found = one(arm((0.3, 0.9, 0.5, 0.7, 0.8)), arm((0.2, 0.6, 0.7, 0.3, 0.3)))
    assert (found.word, found.scope) == ("UNDECIDED", "ON THESE PROJECTS ONLY")
    assert found.needed is not None and found.needed[0] == 1 and found.needed[1] > 5
    assert "for projects like these 6 families are the least" in found.needed_words


@pytest.mark.parametrize(
    ("families", "replicates", "scope"),
    [(6, 3, "like"), (8, 5, "like"), (5, 5, "only"), (1, 5, "only"), (5, 4, None), (6, 2, None), (20, 1, None), (2, 3, None)],
)
def test_which_scope_is_a_matter_of_counts(families, replicates, scope):
    levels = tuple(0.3 + 0.01 * at for at in range(families))
    base = arm(*about(levels, replicates))
    found = one(arm(*about(tuple(level + 0.3 + 0.01 * at for at, level in enumerate(levels)), replicates, 0.03)), base)
    if scope is None:
        assert (found.word, found.scope) == ("UNDECIDED", "ON PROJECTS LIKE THESE")
        assert "Too little" in found.reasons[0]
        assert (f"{families} families of the 6" in found.reasons[0]) is (families < 6)
        assert (" of the 3 needed" in found.reasons[0]) is (replicates < 3)
        assert f"the fewest are {replicates}" in found.reasons[0]
    else:
        assert found.word == "HELPS"
        assert found.scope == ("ON PROJECTS LIKE THESE" if scope == "like" else "ON THESE PROJECTS ONLY")


def test_one_broken_chain_costs_one_family_not_the_verdict():
    """Seven of eight families have three replicates, which is enough; with six families one broken chain is too many."""
    treated = dict(HIGH)
    treated["a"] = replace(treated["a"], values=treated["a"].values[:2], planned=3, broken=1)
    found = one(treated, LOW)
    assert (found.word, found.families, found.replicates, found.broken) == ("HELPS", 8, 3, 1)
    assert any("1 of 48 trials" in reason for reason in found.reasons)
    six = one({name: treated[name] for name in "abcdef"}, {name: LOW[name] for name in "abcdef"})
    assert six.word == "UNDECIDED" and (six.families, six.replicates) == (6, 2)


def test_not_delivered_comes_first():
    none = {name: replace(cell, values=(), not_delivered=3) for name, cell in HIGH.items()}
    found = one(none, LOW)
    assert found.word == "NOT DELIVERED" and found.p is None and "24 of the 24" in found.reasons[0]
    most = {name: replace(cell, values=cell.values[:1], not_delivered=2) for name, cell in HIGH.items()}
    assert one(most, LOW).word == "NOT DELIVERED"
    assert one(most, LOW, unplanned_look=True).word == "NOT DELIVERED"


def test_half_delivered_is_delivered_but_missing():
    half = {name: replace(cell, values=about((0.9,), 3)[0], planned=6, not_delivered=3) for name, cell in HIGH.items()}
    found = one(half, LOW)
    assert found.word == "UNDECIDED" and found.not_delivered == 24 and found.broken == 0
    assert "50 % of the C1 trials and 0 % of the C0 trials are missing" in found.reasons[0]


def test_broken_shares_five_points_apart_are_borne_and_more_are_not():
    levels = tuple(0.2 + 0.01 * at for at in range(10))
    base = arm(*about(levels, 10), planned=10)
    treated = about(tuple(level + 0.4 + 0.01 * at for at, level in enumerate(levels)), 10)
    for broken, word in ((5, "HELPS"), (6, "UNDECIDED")):
        cut = {
            name: replace(cell, values=cell.values[: 10 - (at < broken)], broken=int(at < broken))
            for at, (name, cell) in enumerate(arm(*treated, planned=10).items())
        }
        assert one(cut, base).word == word
        # The same share in both arms is no imbalance.
        both = {name: replace(cell, values=cell.values[: len(cut[name].values)]) for name, cell in base.items()}
        assert one(cut, both).word == "HELPS"


def test_worst_case_imputation_takes_a_narrow_verdict_away():
    """Both arms lack as many chains; at their worst they hide a gain of 20 points in families that had few."""
    for treated, base, word in ((HIGH, LOW, "HELPS"), (LOW, HIGH, "HURTS")):
        assert one(treated, base).word == word
        broken = [
            {name: replace(cell, planned=8, broken=5) if name in "ab" else cell for name, cell in side.items()}
            for side in (treated, base)
        ]
        found = one(broken[0], broken[1])
        assert found.word == "UNDECIDED" and found.interval.sign != 0
        assert found.reasons[0] == "Counted at their worst, 20 missing trials take the difference away."
        assert found.needed is None and "missing trials have to be run" in found.needed_words


def test_imputed_values_are_those_least_favourable():
    """Six families at 0 against 1 with one chain of four missing each: the interval of the imputed means by scipy."""
    gain = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)
    treated, base = arm(*[(high,) * 3 for high in gain], planned=4), arm(*[(0.0,) * 3 for _ in gain], planned=4)
    oracle = stats.ttest_1samp([0.75 * high - 0.25 for high in gain], 0).confidence_interval(0.95)  # type: ignore[attr-defined]
    assert oracle.low > 0
    assert one(treated, base).word == "HELPS"
    worse = (
        {name: replace(cell, planned=6) for name, cell in treated.items()},
        {n: replace(c, planned=6) for n, c in base.items()},
    )
    oracle = stats.ttest_1samp([0.5 * high - 0.5 for high in gain], 0).confidence_interval(0.95)  # type: ignore[attr-defined]
    assert oracle.low < 0
    assert one(*worse).word == "UNDECIDED"


def test_a_family_lost_in_one_arm_comes_back_at_its_worst():
    """Two of ten families have no C1 chain left and two no C0: observed they are gone, at their worst they are −1."""
    levels = tuple(0.2 + 0.01 * at for at in range(10))
    base = arm(*about(levels))
    treated = arm(*about(tuple(level + 0.2 + 0.01 * at for at, level in enumerate(levels))))
    gone = lambda side, names: {n: replace(c, values=(), broken=3) if n in names else c for n, c in side.items()}  # noqa: E731
    found = one(gone(treated, "ab"), gone(base, "cd"))
    assert found.interval.sign == 1 and found.families == 6
    assert found.word == "UNDECIDED" and "12 missing trials" in found.reasons[0]
    assert any("4 projects have one arm measured only" in reason for reason in found.reasons)


ALL_ARMS_BAD = [
    ("no arm at all", {}, {}, None),
    ("no treated arm", {}, LOW, "no C1 arm"),
    ("no base arm", HIGH, {}, "no C0 arm"),
    ("nothing measured", {n: replace(c, values=(), broken=3) for n, c in HIGH.items()}, LOW, "No C1 trial was measured"),
    ("base not measured", HIGH, {n: replace(c, values=(), broken=3) for n, c in LOW.items()}, "No C0 trial was measured"),
    ("one replicate", arm(*[(v,) for v in SPREAD]), arm(*[(v / 2,) for v in SPREAD]), "1 measured replicate an arm"),
    ("all ties", LOW, LOW, "no spread between families"),
    ("constant values", arm(*[(0.5,) * 3] * 8), arm(*[(0.3,) * 3] * 8), "no spread between families"),
    ("constant values, one project", arm((0.5,) * 5), arm((0.3,) * 5), "no spread between replicates"),
    ("one project, three replicates", arm(about((0.5,))[0]), arm(about((0.3,))[0]), "1 family of the 6"),
    ("one family", arm(*about((0.5, 0.6)), families="AA"), arm(*about((0.3, 0.3)), families="AA"), "1 family of the 6"),
    ("nothing in common", {"x": ArmCell("x", "x", (0.1, 0.2, 0.3), 3)}, LOW, "No project has measured trials in both"),
    ("NaN everywhere", arm(*[(NAN,) * 3] * 8), LOW, "No C1 trial was measured"),
    ("None everywhere", arm(*[(None,) * 3] * 8), LOW, "No C1 trial was measured"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("treated", "base", "said"), [row[1:] for row in ALL_ARMS_BAD], ids=[row[0] for row in ALL_ARMS_BAD])
@pytest.mark.parametrize("control", [None, {}, LOW])
def test_bad_input_is_undecided_with_a_statement(treated, base, control, said):
    found = one(treated, base, control)
    assert found.word == "UNDECIDED" and found.reasons[0] and found.needed_words
    assert said is None or said in found.reasons[0]
    assert found.interval.low is None or found.p is not None
    assert found.interval.reason or found.interval.low is not None
    assert found.planned == found.measured + found.broken + found.not_delivered
    assert "−0.0" not in found.reasons[0]


def test_no_questions_are_no_verdicts():
    assert judge([], margin=0.05) == []


@pytest.mark.parametrize("bad", [NAN, None, float("inf")])
def test_a_value_that_is_no_number_is_a_missing_trial(bad):
    with_bad = dict(HIGH)
    with_bad["h"] = replace(with_bad["h"], values=(*with_bad["h"].values[:2], bad))
    without = dict(HIGH)
    without["h"] = replace(without["h"], values=without["h"].values[:2], broken=1)
    assert one(with_bad, LOW) == one(without, LOW)
    assert one(with_bad, LOW).broken == 1


@pytest.mark.parametrize(("margin", "looks"), [(5, 1), (0, 1), (-0.1, 1), (NAN, 1), (0.05, 0)])
def test_a_margin_is_a_share_and_a_look_is_one(margin, looks):
    with pytest.raises(ValueError, match=r"margin|look"):
        judge([], margin=margin, looks=looks)


#: METHOD.md, The page never says.
NEVER = (
    "no effect", "safe to ship", "for your project", "tcd confirms", "effect when opened", "hurts easy tasks",
    "wins are real", "rankings do not transfer", "more replicates will decide",
)  # fmt: skip


def test_null_audits_are_called_seldom_and_say_nothing_forbidden():
    """Chains of sd 0.2 over families that differ by 0.1 around no effect: HELPS + HURTS ≤ 6 %, each ≤ 3.5 %."""
    draw = np.random.default_rng(12)
    words, runs = [], 2500
    for _ in range(runs):
        base = draw.normal(0.5, 0.2, (8, 3))
        treated = draw.normal(0.5, 0.2, (8, 3)) + draw.normal(0, 0.1, (8, 1))
        found = one(arm(*map(tuple, treated.tolist())), arm(*map(tuple, base.tolist())))
        words.append(found.word)
        text = " ".join((*found.reasons, found.needed_words)).lower()
        assert not any(phrase in text for phrase in NEVER)
    helps, hurts = words.count("HELPS") / runs, words.count("HURTS") / runs
    assert 0.035 < helps + hurts < 0.065 and max(helps, hurts) < 0.04
