import re
from itertools import product

import pytest

from benchmark.core.score import Scale
from benchmark.suite.metric import Metric
from benchmark.webdev.suite import SUITE
from reports.formatting import points
from reports.stats.statistics import Interval
from reports.verdict.phrasing import NEVER, difference, sentence
from tests.reports import lines


@pytest.mark.parametrize(("word", "scope", "delivery"), [*product(lines.WORDS, lines.SCOPES, ("prompt", "native", "forced"))])
def test_a_verdict_says_scope_model_version_and_date_and_nothing_forbidden(word, scope, delivery):
    said = lines.verdict(word=word, scope=scope, delivery=delivery).sentence
    assert said.startswith(f"{word} {'on projects like these' if 'LIKE' in scope else 'on these projects only'}")
    for part in ("target", "noop", "model provider/model-1", "client version 2.1.3", "2027-01-15", "8 families × 5 replicates"):
        assert part in said
    assert [pattern for pattern in NEVER if re.search(pattern, said, re.I)] == []
    # One sentence: it ends once.
    assert said.endswith(".") and len(re.findall(r"\.\s", said)) == 0


def test_the_sentences():
    assert lines.verdict().sentence == (
        "HELPS on projects like these: with target in its prompt, noop does better in Pass@2 than without it "
        "(difference +12.0 points, 95 % interval +3.1 to +20.9; 8 families × 5 replicates; "
        "model provider/model-1, client version 2.1.3, 2027-01-15)."
    )
    hurts = lines.verdict(word="HURTS", estimate=-0.08, low=-0.15, high=-0.01, level=0.975, scope="ON THESE PROJECTS ONLY")
    assert "does worse in Pass@2" in hurts.sentence and "97.5 % interval −15.0 to −1.0" in hurts.sentence
    assert hurts.sentence.startswith("HURTS on these projects only, with no word about others: ")
    zero = {"word": "UNDECIDED", "low": -0.02, "high": 0.26, "needed_words": "12 families × 5 replicates would decide."}
    undecided = lines.verdict(**zero, reasons=["The 95 % interval of C1 − C0, −2.0 to +26.0 points, includes zero, and so on."])
    assert (
        "without it is open: the interval of the difference includes zero (12 families × 5 replicates would decide; "
        "difference +12.0 points, 95 % interval −2.0 to +26.0; "
    ) in undecided.sentence
    few = lines.verdict(word="UNDECIDED", low=None, high=None, reasons=["Too little for a verdict: 1 family. One needs 5."])
    assert "without it is open: too little for a verdict: 1 family (difference +12.0 points, no interval; " in few.sentence
    # What interval there is of too little decides nothing, on whichever side of zero it lies.
    few = lines.verdict(word="UNDECIDED", low=-0.1, reasons=["Too little for a verdict: 1 family. One needs 5."])
    assert "is open: too little for a verdict: 1 family (" in few.sentence
    explored = lines.verdict(**zero, reasons=["Exploratory: this look was not planned, and so on."])
    assert "is open: exploratory: this look was not planned, and so on (" in explored.sentence
    missing = lines.verdict(word="UNDECIDED", reasons=["3 missing trials are enough to take the difference away."])
    assert "is open: 3 missing trials are enough to take the difference away (" in missing.sentence
    assert "is open: no reason was recorded (" in lines.verdict(word="UNDECIDED", reasons=[]).sentence
    away = lines.verdict(word="NOT DELIVERED", reasons=[], model=None, client_version=None, date=None, families=1, replicates=1)
    assert away.sentence == (
        "NOT DELIVERED on projects like these: target did not come within reach of noop, so what it does was not measured "
        "(1 family × 1 replicate; no model, client version not recorded, no trial has run)."
    )


def test_what_else_a_sentence_rests_on():
    line = lines.verdict()
    names = ("skill", "agent", "model", "client_version", "delivery", "date", "families", "replicates")
    named = {name: getattr(line, name) for name in names}
    said = sentence(
        "NO PRACTICAL EFFECT",
        line.scope,
        Interval(0.01, -0.03, 0.05, 8, 0.95),
        Interval(0.01, -0.02, 0.04, 8, 0.9),
        metric=SUITE.primary,
        margin=0.05,
        **named,
    )
    assert "noop stays within ±5 points of its Pass@2 without it" in said and "90 % interval −2.0 to +4.0" in said
    one = sentence(
        "UNDECIDED",
        line.scope,
        Interval(0.01, -0.03, 0.05, 1, 0.95),
        metric=SUITE.primary,
        margin=0.05,
        stack="css",
        shrunk=True,
        **named,
    )
    assert one.startswith("UNDECIDED on projects like these, stack css: ")
    assert "95 % interval −3.0 to +5.0, one pair shrunk towards the audit's others; " in one


def test_what_there_is_no_number_for_is_said():
    assert difference(Interval(None, None, None, 0, 0.95, "no family has both arms"), SUITE.primary) == (
        "difference not measured: no family has both arms"
    )
    assert difference(Interval(0.1, None, None, 1, 0.95, "one family has no spread to judge by"), SUITE.primary) == (
        "difference +10.0 points, no interval: one family has no spread to judge by"
    )
    assert [points(value) for value in (0.0, -0.0001, 0.0004, -0.0006)] == ["0.0", "0.0", "0.0", "−0.1"]


def test_a_decided_verdict_says_both_levels_in_the_metrics_own_words():
    line = lines.verdict()
    said = sentence(
        "HELPS",
        line.scope,
        Interval(0.16, 0.03, 0.29, 8, 0.95),
        skill="target",
        agent="noop",
        model=None,
        client_version="1",
        delivery="prompt",
        date="2027-01-15",
        metric=SUITE.primary,
        margin=0.05,
        families=8,
        replicates=3,
        levels=(0.233, 0.071),
    )
    assert "with target in its prompt, noop solved 23.3 % of tasks; without it, 7.1 % (" in said


def test_points_of_another_scale_are_told_in_its_own_unit():
    lower = Metric("typos", "typos", Scale(low=0, high=20, better="lower"), "typos", lambda _: (None, None), primary=True)
    rubric = Metric("quality", "quality", Scale(low=1, high=5), "points of 5", lambda _: (None, None), primary=True)
    assert difference(Interval(0.25, None, None, 8, 0.95), lower) == (
        "difference +25.0 points of its scale (−5 on 0 to 20), no interval"
    )
    assert "+12.5 points of its scale (+0.5 on 1 to 5)" in difference(Interval(0.125, None, None, 8, 0.95), rubric)
