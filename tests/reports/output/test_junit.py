from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from reports.output.junit import junit_xml
from reports.verdict.gate import outcomes, parse
from tests.reports import lines

STATUSES = ("measured", "broken", "not_delivered", "contaminated", "historical", "not_run")
TRIALS = [
    lines.trial(0),
    lines.trial(1, status="broken", reason="the sandbox died", metrics={}),
    lines.trial(2, status="not_delivered", reason="its bytes are in no request", metrics={"seconds": 4.0}),
    lines.trial(3, status="not_run", metrics={}),
    lines.trial(0, condition="C0"),
    lines.trial(1, condition="C0", status="contaminated", reason="target was in it"),
    lines.trial(2, condition="C0", status="historical", reason="outside the panel's contemporary window"),
    lines.trial(0, condition="C2", skill="partner"),
    lines.trial(0, condition="C3:-rules"),
]


def read(found):
    return ElementTree.fromstring(junit_xml(found).encode("utf-8"))


def said(case):
    """Type, message and text of what a case says beyond having passed."""
    [child] = case
    return child.tag, child.get("type"), child.get("message") or "", child.text or ""


def suites(found):
    return {suite.get("name"): suite for suite in read(found)}


def gated(*expressions, **changes):
    found = lines.results(lines.verdict(), trials=TRIALS, **changes)
    return replace(found, gates=outcomes([parse(text, "pass2") for text in expressions], found))


def adds_up(root):
    """Every count of every level is that of the cases below it."""
    tags = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    for level in (root, *root):
        cases = list(level.iter("testcase"))
        assert int(level.get("tests")) == len(cases)
        for name, tag in tags.items():
            assert int(level.get(name)) == sum(case.find(tag) is not None for case in cases)
        assert float(level.get("time")) == pytest.approx(sum(float(case.get("time", 0)) for case in cases))
    for case in root.iter("testcase"):
        assert case.get("name") and case.get("classname")
        assert {child.tag for child in case} <= set(tags.values()) and len(case) <= 1


def test_every_trial_stands_once_and_counts_add_up():
    root = read(gated("verdict != HURTS", "delta > 50%"))
    adds_up(root)
    names = [case.get("name") for case in root.iter("testcase")]
    assert Counter(names) == Counter([trial.id for trial in TRIALS] + ["1: verdict != HURTS", "2: delta > 50%"])
    assert [root.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["11", "1", "3", "2"]


def test_the_shape_is_the_common_one():
    root = read(gated("verdict != HURTS"))
    assert root.tag == "testsuites" and {child.tag for child in root} == {"testsuite"}
    for suite in root:
        assert next(child.tag for child in suite) == "properties"
        assert {child.tag for child in suite} <= {"properties", "testcase"}
        assert suite.get("timestamp") == "2027-01-15T08:00:00"


def test_suites_are_skills_with_agents_and_what_is_shared_stands_apart():
    found = suites(gated())
    assert {name: suite.get("tests") for name, suite in found.items()} == {
        "target · noop · prompt": "5",
        "shared C0 · noop": "3",
        "shared C2 · noop · prompt": "1",
    }


@pytest.mark.parametrize(
    ("status", "tag", "kind"),
    [
        ("measured", None, None),
        ("broken", "error", "broken"),
        ("not_delivered", "error", "not_delivered"),
        ("contaminated", "error", "contaminated"),
        ("historical", "skipped", None),
        ("not_run", "skipped", None),
    ],
)
def test_what_a_trials_status_is_in_junit(status, tag, kind):
    [case] = read(lines.results(trials=[lines.trial(status=status, reason="for this reason")])).iter("testcase")
    if tag is None:
        assert len(case) == 0
        return
    found = case.find(tag)
    assert found is not None and found.get("type") == kind
    assert found.get("message") == f"{status.replace('_', ' ')}: for this reason"


def test_a_trial_without_a_reason_or_a_time_has_none_made_up():
    broken, unrun = read(
        lines.results(trials=[lines.trial(0, status="broken", metrics={}), lines.trial(1, status="not_run", metrics={})])
    ).iter("testcase")
    assert said(broken)[2] == "broken: no reason was recorded"
    assert said(unrun) == ("skipped", None, "not run", "") and unrun.get("time") is None


def test_a_gate_is_a_case_and_fails_with_its_values():
    suite = suites(gated("delta > 50% and low > 0", "usd < 1"))["target · noop · prompt"]
    failed, undecided = [said(case) for case in suite.iter("testcase") if case.get("classname") == "gate"]
    assert failed[:2] == ("failure", "failed") and undecided[:2] == ("failure", "undecided")
    assert "delta > 50% is false" in failed[3] and "delta = 0.12" in failed[3]
    assert "not measured: usd" in undecided[2]


def test_a_gate_over_nothing_fails_in_a_suite_of_its_own():
    found = lines.results(trials=[lines.trial(0)])
    root = read(replace(found, gates=outcomes([parse("verdict != HURTS", "pass2")], found)))
    adds_up(root)
    assert {suite.get("name"): suite.get("failures") for suite in root} == {"target · noop · prompt": "0", "gates": "1"}


def test_properties_tell_the_verdict_with_all_that_it_needs():
    suite = suites(gated())["target · noop · prompt"]
    kept = {item.get("name"): item.get("value") for item in suite.iter("property")}
    assert kept == {
        "panel": "0123456789abcdef" * 4,
        "date": "2027-01-15 09:30 UTC",
        "model": "provider/model-1",
        "client_version": "2.1.3",
        "verdict": "HELPS",
        "scope": "on projects like these",
        "estimate_points": "+12.0",
        "interval_points": "+3.1 to +20.9",
        "interval_level": "0.95",
        "families_x_replicates": "8 × 5",
        "sentence": lines.verdict().sentence,
    }
    bare = lines.results(lines.verdict(estimate=None, low=None, high=None, word="UNDECIDED", model=None, client_version=None))
    kept = {item.get("name"): item.get("value") for item in suites(bare)["target · noop · prompt"].iter("property")}
    assert kept["estimate_points"] == kept["interval_points"] == "not measured"
    assert (kept["model"], kept["client_version"]) == ("no model", "not recorded")


def test_what_xml_cannot_hold_is_written_out_and_the_rest_is_as_it_was():
    hostile = '</testcase><x a="1">&amp; ]]> é 🙂\x00\x1b[31m\ud800\ufffe\x85 "quoted" \'single\''
    trials = [lines.trial(0, status="broken", reason=hostile), lines.trial(1, status="broken", reason="a\nb" + "z" * 9000)]
    first, long = [said(case) for case in read(lines.results(trials=trials)).iter("testcase")]
    shown = r"\x00\x1b[31m\ud800\ufffe\x85"
    assert first[2] == first[3] == f'broken: </testcase><x a="1">&amp; ]]> é 🙂{shown} "quoted" \'single\''
    assert long[2] == "broken: a" and len(long[3]) < 4100 and "characters cut)" in long[3]


def test_nothing_measured_is_a_whole_file():
    root = read(lines.results(first_trial=None, last_trial=None))
    adds_up(root)
    assert root.get("tests") == "0" and len(root) == 0
