"""Questions judged together: Holm over the page, what is explored beside it, and the pair of tests of a mechanism."""

import random
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from reports.verdict.verdicts import Question, judge
from tests.reports.verdict.test_verdicts import EXACT, HIGH, LOW, SPREAD, WIDE, about, arm, one


def questions(seed: int, count: int, effect: float = 0.12) -> list[Question]:
    draw = np.random.default_rng(seed)
    made = []
    for at in range(count):
        base, treated = draw.normal(0.4, 0.12, (2, 8, 3))
        treated = treated + effect * (at % 3)
        made.append(Question((f"skill {at}",), arm(*map(tuple, treated.tolist())), arm(*map(tuple, base.tolist())), None, 0))
    return made


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("looks", [1, 2])
def test_holm_over_the_family_is_that_of_statsmodels(seed, looks):
    asked = questions(seed, 7)
    found = judge(asked, margin=0.01, looks=looks)
    rejected, adjusted, *_ = multipletests([verdict.p or 0 for verdict in found], 0.05 / looks, method="holm")
    assert [verdict.p_adjusted for verdict in found] == pytest.approx(np.asarray(adjusted).tolist(), abs=EXACT)
    assert [verdict.word in ("HELPS", "HURTS") for verdict in found] == np.asarray(rejected).tolist()
    assert [verdict.interval.sign != 0 for verdict in found] == np.asarray(rejected).tolist()
    for verdict in found:
        assert verdict.level == verdict.interval.level and 1 - 0.05 / looks / 7 >= verdict.level >= 1 - 0.05 / looks
        assert verdict.narrow.level == pytest.approx(1 - 0.1 / looks)


def test_the_order_of_questions_decides_nothing():
    asked = questions(1, 6)
    asked.append(replace(asked[0], key=("copy",)))
    straight = {verdict.key: verdict for verdict in judge(asked, margin=0.05)}
    shuffled = random.Random(2).sample(asked, len(asked))
    assert {verdict.key: verdict for verdict in judge(shuffled, margin=0.05)} == straight
    assert [verdict.key for verdict in judge(shuffled, margin=0.05)] == [question.key for question in shuffled]


def test_a_question_without_a_p_takes_no_share_of_the_level():
    flat = Question(("flat",), arm(*[(0.5,) * 3] * 8), arm(*[(0.3,) * 3] * 8), None, 0)
    clear = Question(("clear",), HIGH, LOW, None, 0)
    found = judge([flat, clear], margin=0.05)
    assert [verdict.level for verdict in found] == [0.95, 0.95]
    assert found[0].p_adjusted is None


def test_what_is_explored_has_no_word_and_costs_the_others_nothing():
    asked = questions(3, 3)
    explored = [replace(question, exploratory="its C0 is historical") for question in questions(9, 5)]
    found = judge([*explored, *asked], margin=0.05)
    assert found[5:] == judge(asked, margin=0.05)
    assert {verdict.word for verdict in found[:5]} == {"UNDECIDED"}
    assert all(v.reasons[0].startswith("Exploratory: its C0 is historical") and v.level == 0.95 for v in found[:5])
    values = [verdict.p or 0 for verdict in found[:5]]
    assert [verdict.p_adjusted for verdict in found[:5]] == pytest.approx(stats.false_discovery_control(values), abs=EXACT)


def test_an_unplanned_look_makes_all_of_it_exploratory():
    found = one(HIGH, LOW, unplanned_look=True)
    assert found.word == "UNDECIDED" and found.interval.sign == 1 and found.mechanisms == ()
    assert "not planned" in found.reasons[0] and found.needed is None


BETWEEN = arm(*about(tuple(level + 0.1 + 0.005 * at for at, level in enumerate(SPREAD))))
BELOW = arm(*about(tuple(level - 0.1 - 0.005 * at for at, level in enumerate(SPREAD))))


@pytest.mark.parametrize(
    ("treated", "base", "control", "word", "names"),
    [
        (HIGH, LOW, LOW, "HELPS", ("CONTENT-POSITIVE",)),
        (HIGH, LOW, BETWEEN, "HELPS", ("CONTENT-POSITIVE",)),
        (HIGH, LOW, BELOW, "HELPS", ("LENGTH-DISTRACTED", "CONTENT-POSITIVE")),
        (BETWEEN, LOW, HIGH, "HELPS", ("CONTENT-MISLED",)),
        (LOW, HIGH, BETWEEN, "HURTS", ("LENGTH-DISTRACTED", "CONTENT-MISLED")),
        (LOW, HIGH, BELOW, "HURTS", ("LENGTH-DISTRACTED",)),
        (HIGH, LOW, HIGH, "HELPS", ("mechanism undecided",)),
        (LOW, HIGH, WIDE, "HURTS", ("LENGTH-DISTRACTED",)),
    ],
)
def test_mechanisms_come_after_helps_and_hurts(treated, base, control, word, names):
    found = one(treated, base, control)
    assert (found.word, found.mechanisms) == (word, names)
    assert found.length is not None and found.content is not None
    assert found.length.estimate + found.content.estimate == pytest.approx(found.interval.estimate)  # type: ignore[operator]


def test_the_pair_of_mechanisms_is_tested_by_holm():
    """ΔLength has p just below 0.05 and ΔContent is nowhere near: alone it would be named, of a pair it is not."""
    shifts = (-0.05, -0.3, -0.02, -0.25, 0.08, -0.2, -0.3, 0.0)
    control = arm(*about(tuple(level + shift for level, shift in zip(SPREAD, shifts, strict=True))))
    treated = arm(*about(tuple(level - 0.15 - 0.01 * at for at, level in enumerate(SPREAD))))
    p = stats.ttest_1samp(shifts, 0).pvalue  # type: ignore[attr-defined]
    assert 0.025 < p < 0.05
    found = one(treated, LOW, control)
    assert found.word == "HURTS" and found.mechanisms == ("mechanism undecided",)
    assert found.length is not None and found.length.level == 0.975 and found.length.p == pytest.approx(p)


@pytest.mark.parametrize("partners", [0, 1, 4])
def test_few_partners_name_no_mechanism(partners):
    found = one(HIGH, LOW, BETWEEN, partners=partners)
    assert found.word == "HELPS" and found.mechanisms == ()
    assert "names no mechanism" in found.reasons[1] and "against <partner>" in found.reasons[1]
    assert f"{partners} distinct partner" in found.reasons[1]


def test_without_c2_or_with_little_of_it_no_mechanism_is_named():
    assert one(HIGH, LOW).mechanisms == () and "names no mechanism" in one(HIGH, LOW).reasons[1]
    few = one(HIGH, LOW, {name: BETWEEN[name] for name in "abc"})
    assert few.mechanisms == ("mechanism undecided",) and few.content is not None and few.content.units == 3
    assert one(WIDE, LOW, BETWEEN).mechanisms == ()
