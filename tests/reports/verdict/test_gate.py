import json
import random
from dataclasses import replace

import pytest

from benchmark.core.errors import UsageError
from reports.result_lines import TrialCoverage
from reports.results import as_json
from reports.verdict.expression import DEEPEST, LONGEST, NAMES, WORDS
from reports.verdict.gate import Gate, VerdictRow, outcomes, row_of
from reports.verdict.gate import parse as parsed
from tests.reports import lines


def parse(text: str, metric: str = "pass2") -> Gate:
    return parsed(text, metric)


KNOWN = {"delta": 0.03, "low": -0.01, "high": 0.07, "rho": 0.4, "tokens": 1500.0, "broken": 0.0, "families": 8, "measured": 40}
ROW = VerdictRow("target", "noop", None, "prompt", {"verdict": "UNDECIDED", "usd": None, **KNOWN}, {"usd": "no price is known"})


def truth(text, row=ROW):
    """True, False or None as a gate sees a row."""
    [found] = parse(text).judge([row])
    assert found.passed is (not found.undecided and not found.parts and not found.missing)
    return None if found.undecided else found.passed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("delta_pass2 > -0.02 and verdict != HURTS", True),
        ("delta > 3%", False),
        ("delta >= 3% and delta <= .03", True),
        ("delta == 0.03", True),
        ("-2% < low", True),
        ("low > −2%", True),
        ("low\n\t> −  02%and 0.50 > delta", True),
        ("  (delta > 3e-2)or delta == 003%", True),
        ("delta > +2e-2", True),
        ("verdict == UNDECIDED", True),
        ("HELPS == verdict", False),
        ("low < high", True),
        ("measured > families", True),
        ("rho < 50% and tokens < 2000", True),
        ("broken == 0", True),
        # `or` binds least, `not` more than `and`, and is of one comparison.
        ("delta > 0 or delta < 0 and low > 0", True),
        ("(delta > 0 or delta < 0) and low > 0", False),
        ("not delta < 0 and low < 0", True),
        ("not (delta < 0 and low < 0)", True),
        ("not not delta > 0", True),
        # Not measured: Kleene's three values.
        ("usd < 1", None),
        ("not usd < 1", None),
        ("usd != 1", None),
        ("usd < 1 or delta > 0", True),
        ("usd < 1 or delta < 0", None),
        ("usd < 1 and delta > 0", None),
        ("usd < 1 and delta < 0", False),
        ("not (usd < 1 and delta < 0)", True),
    ],
)
def test_what_an_expression_says(text, expected):
    assert truth(text) is expected


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("", 1, "the end"),
        ("   ", 4, "the end"),
        ("delta", 6, "a comparison needs one of < <= > >= == !="),
        ("delta >", 8, "the end"),
        ("delta > 0 and", 14, "the end"),
        ("and delta > 0", 1, "'and' where a name"),
        ("delat > 0", 1, "'delat' is not known; did you mean delta?"),
        ("verdict == helps", 12, "did you mean HELPS?"),
        ("verdict != NO PRACTICAL EFFECT", 12, "did you mean NO_PRACTICAL_EFFECT?"),
        ("zzz > 0", 1, "known: verdict, delta, low"),
        ("verdict = HURTS", 9, "write == to compare"),
        ("verdict != 'HURTS'", 12, "without quotes"),
        ("delta > 0 && low > 0", 11, "write and"),
        ("!delta > 0", 1, "write not"),
        ("delta > 1 / 2", 11, "no arithmetic"),
        ("delta > 5 %", 11, "follows its number"),
        ("(delta > 0", 1, "the ( at character 1 is open"),
        ("low > 0 and (delta > 0", 13, "the ( at character 13 is open"),
        ("delta > 0)", 10, "no ( is open"),
        ("delta > 0 > low", 11, "join two comparisons with and"),
        ("delta > 0 AND low > 0", 11, "join comparisons with and or or"),
        ("delta(1) > 0", 6, "cannot be called"),
        ("verdict.word == HELPS", 8, "names have no parts"),
        # What Python would read, and gates do not.
        ("delta > 0x10", 10, "follows '0'"),
        ("delta > 1_0", 10, "follows '1'"),
        ("delta > 5J", 10, "follows '5'"),
        ("delta if low", 7, "follows 'delta'"),
        ("delta > (0 > low)", 10, "where a name, a number or a verdict is missing"),
        ("()", 1, "where a name, a number or a verdict is missing"),
        ("delta - low > 0", 7, "there is no arithmetic"),
        ("delta is low", 7, "follows 'delta'"),
        ("delta << 2 > 0", 7, "there is no arithmetic"),
        ("# delta > 0", 1, "'#' is not part of an expression"),
        ("__import__ > 0", 1, "not known"),
        ("delta > -low", 10, "only numbers have signs"),
        ("1 < 2", 1, "both fixed"),
        ("HELPS == HELPS", 1, "both fixed"),
        ("verdict == verdict", 9, "compared with NOT_DELIVERED, NO_PRACTICAL_EFFECT"),
        ("delta == HELPS", 7, "has no meaning"),
        ("verdict == 1", 9, "has no meaning"),
        ("verdict < HURTS", 9, "cannot order verdicts"),
        ("delta < tokens", 7, "compare like with like"),
        ("05 == low", 2, "is no share"),
        ("tokens < 5%", 10, "is a percentage"),
        ("tokens < 1e999", 10, "larger than any number"),
        ("low ≥ 0", 5, "'≥' is not part of an expression"),
        ("delta > 0\n; rm", 11, "';' is not part of an expression"),
        # Points where a share is meant would always pass.
        ("delta > -2", 9, "two points are 0.02 or 2%"),
        ("broken < 5", 10, "two points are 0.02 or 2%"),
        ("broken < 200%", 10, "no share"),
        ("rho < 40", 7, "0.4 or 40%"),
        ("(" * 201 + "delta > 0" + ")" * 201, 201, "nested too deep"),
        ("not " * (DEEPEST + 1) + "delta > 0", 4 * DEEPEST + 1, f"more than {DEEPEST} deep"),
    ],
)
def test_a_fault_is_one_line_with_its_place(text, place, said):
    with pytest.raises(UsageError) as error:
        parse(text)
    message = str(error.value)
    assert message.startswith(f"gate: at character {place}: ") and said in message and "\n" not in message


def test_an_expression_has_an_end():
    assert truth("(" * DEEPEST + "delta > 0" + ")" * DEEPEST) is True
    assert truth("not " * DEEPEST + "delta > 0") is True
    # Depth is of what is open at once, not of all that ever was.
    assert truth("or".join(["(rho>1)"] * (DEEPEST + 5))) is False
    with pytest.raises(UsageError, match=f"at most {LONGEST} characters, this one has {LONGEST + 1}"):
        parse("delta > 0".ljust(LONGEST + 1))


def test_nothing_that_is_typed_is_more_than_a_usage_error():
    """Any sequence of the language's own words is an expression or a fault that is told."""
    draw = random.Random(7)
    parts = [
        *NAMES,
        *WORDS,
        "and",
        "or",
        "not",
        "(",
        ")",
        "<",
        "<=",
        "==",
        "!=",
        "=",
        "-",
        "0.02",
        "5%",
        "9" * 400,
        "é",
        "\x00",
    ]
    said = 0
    for _ in range(4000):
        text = " ".join(draw.choice(parts) for _ in range(draw.randint(0, 9)))
        try:
            parse(text).judge([ROW, replace(ROW, values={})])
        except UsageError as error:
            said += 1
            assert "\n" not in str(error) and len(str(error)) < 1000
    assert 0 < said < 4000


def test_the_primary_metric_lends_its_name():
    assert parse("delta_quality > 0", "quality").judge([ROW])[0].passed
    with pytest.raises(UsageError, match="did you mean delta"):
        parse("delta_pass2 > 0", "quality")


def test_a_failing_row_says_expression_values_and_the_part_that_was_false():
    hurt = replace(ROW, values={**ROW.values, "delta": -0.08, "verdict": "HURTS"})
    good, bad = parse("delta_pass2 > -0.02  and tokens < 2000").judge([ROW, hurt])
    assert good.passed and good.why == (
        "gate holds for target, noop, prompt: delta_pass2 > -0.02 and tokens < 2000; delta_pass2 = 0.03, tokens = 1500"
    )
    assert bad.parts == ("delta_pass2 > -0.02 is false",) and bad.missing == ()
    assert bad.why == (
        "gate failed for target, noop, prompt: delta_pass2 > -0.02 and tokens < 2000; "
        "delta_pass2 > -0.02 is false; delta_pass2 = -0.08, tokens = 1500"
    )
    [negated] = parse("not (verdict == HURTS or delta < 0)").judge([hurt])
    assert negated.parts == ("verdict == HURTS is true", "delta < 0 is true")


def test_what_was_not_measured_fails_with_its_reason():
    [found] = parse("usd < 1 and delta > 0").judge([ROW])
    assert (found.passed, found.undecided, found.parts) == (False, True, ())
    assert "not measured: usd (no price is known); delta = 0.03" in found.why
    [unknown] = parse("low != 0").judge([replace(ROW, values={"low": float("nan")}, reasons={})])
    assert (unknown.passed, unknown.missing) == (False, ("low (no reason was recorded)",))


def test_no_rows_fail():
    [found] = parse("delta > -100%").judge([])
    assert not found.passed and found.undecided and "no verdict was measured" in found.why
    assert found.line().skill is None


def test_rows_are_made_of_results():
    made = row_of(lines.results(lines.verdict()), lines.verdict())
    assert set(made.values) == set(NAMES)
    assert made.values == {
        "verdict": "HELPS",
        "delta": 0.12,
        "low": 0.031,
        "high": 0.209,
        "rho": 0.4,
        "tokens": 1500.0,
        "usd": None,
        "broken": 0.05,
        "not_delivered": 0.0,
        "limited": 0.025,
        "measured": 76,
        "planned": 80,
        "families": 8,
        "replicates": 5,
    }
    assert (made.skill, made.agent, made.model, made.delivery) == ("target", "noop", "provider/model-1", "prompt")


@pytest.mark.parametrize("word", lines.WORDS)
def test_every_verdict_word_has_its_name(word):
    found = lines.results(lines.verdict(word=word))
    [outcome] = parse(f"verdict == {word.replace(' ', '_')}").judge([row_of(found, line) for line in found.verdicts])
    assert outcome.passed and set(WORDS) == {name.replace(" ", "_") for name in lines.WORDS}


def test_nothing_measured_gives_reasons_and_no_pass():
    bare = lines.verdict(
        word="UNDECIDED", estimate=None, low=None, high=None, reasons=["no family has both arms."], planned=0, measured=0
    )
    found = lines.results(bare, arms=[], contrasts=[])
    for name in ("delta", "low", "high", "rho", "tokens", "usd", "broken", "not_delivered", "limited"):
        [line] = outcomes([parse(f"{name} <= 0.9")], found)
        assert not line.passed and line.undecided and f"not measured: {name} (" in line.why, name
    assert "no family has both arms" in outcomes([parse("delta > 0")], found)[0].why


def test_outcomes_are_json_one_a_gate_and_row():
    found = lines.results(lines.verdict(), lines.verdict(skill="other", word="HURTS", estimate=-0.1))
    made = outcomes([parse("verdict != HURTS"), parse("families >= 6")], found)
    assert [(line.skill, line.passed) for line in made] == [
        ("target", True),
        ("other", False),
        ("target", True),
        ("other", True),
    ]
    as_rows = as_json(made)
    assert json.loads(json.dumps(as_rows, allow_nan=False)) == as_rows
    assert [line.passed for line in outcomes([parse("verdict != HURTS")], lines.results())] == [False]
    assert outcomes([], found) == []


def test_a_plan_that_is_not_finished_has_no_verdict_to_pass_on():
    """A budget that stopped the session is no reason for a pull request to pass."""
    waiting = lines.results(lines.verdict(word="UNDECIDED"), coverage=TrialCoverage(80, measured=60, not_run=20))
    (line,) = outcomes([parse("verdict != HURTS")], waiting)
    assert not line.passed and "the plan is not finished, 20 of its trials have not run" in line.why
    assert outcomes([parse("measured > 10")], waiting)[0].passed, "what is known may be asked"
