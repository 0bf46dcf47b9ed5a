import json
from typing import Any

import pytest

from benchmark.suite.metric import ORIENTED
from reports.audit.cells import cells
from reports.audit.shrink import pairs_of, shrink
from reports.verdict.verdict_lines import shrunken
from tests.factory import DAY, NOON, RESOLVED, audit, row
from tests.reports.as_json import verdict_lines

SIX = "abcdef"
#: Tasks of ten that C1 solves more, by family.
GAINS = dict(zip(SIX, (3, 4, 5, 4, 3, 5), strict=True))


def chain(depth: int) -> str:
    return "1" * depth + "x" + "-" * (9 - depth)


def trials(project: str, condition: str, depth: int, **how: Any) -> list:
    return row(project, condition, *(chain(depth + again % 2) for again in range(3)), **how)


def gaining(projects: str = SIX, **how: Any) -> list:
    rows = [item for project in projects for item in trials(project, "C0", 2, **how)]
    return rows + [item for project in projects for item in trials(project, "C1", 2 + GAINS[project], **how)]


def controlled(partners: int = 6, alone: str = "") -> list:
    """With C2 as C0 is, from so many partners; on the projects `alone` from others still, and without C0."""
    rows = gaining()
    for at, project in enumerate(SIX):
        rows += trials(project, "C2", 2, injected=f"partner-{at % partners}")
    for project in alone:
        rows += trials(project, "C1", 6) + trials(project, "C2", 2, injected=f"partner of {project}".replace(" ", "-"))
    return rows


def test_a_line_is_json_with_the_verdict_and_whose_it_is(tmp_path):
    (line,) = verdict_lines(audit(tmp_path, controlled()), {})
    assert json.loads(json.dumps(line, allow_nan=False)) == line
    assert [line[name] for name in ("skill", "agent", "model", "delivery")] == ["target", "noop", None, "prompt"]
    assert (line["word"], line["scope"], line["exploratory"]) == ("HELPS", "ON PROJECTS LIKE THESE", None)
    assert line["estimate"] == pytest.approx(0.4) and 0.3 < line["low"] < 0.4 < line["high"] < 0.5
    assert set(line["narrow"]) == set(line["length"]) == set(line["content"]) > {"estimate", "low", "high", "level", "reason"}
    assert line["narrow"]["level"] == 0.9 and line["narrow"]["low"] > line["low"]
    assert (line["planned"], line["measured"], line["broken"], line["families"], line["replicates"]) == (36, 36, 0, 6, 3)
    assert line["p_signflip"] == 2 / 64 and line["p"] == line["p_adjusted"] < 0.001
    assert line["mechanisms"] == ["CONTENT-POSITIVE"] and len(line["prediction"]) == 2
    for part in ("HELPS on projects like these", "no model", "client version 1", "2027-01-15", "6 families × 3 replicates"):
        assert part in line["sentence"]


@pytest.mark.parametrize(("partners", "alone", "named"), [(6, "", True), (5, "", True), (4, "", False), (4, "gh", False)])
def test_only_partners_beside_both_other_arms_name_a_mechanism(tmp_path, partners, alone, named):
    (line,) = verdict_lines(audit(tmp_path, controlled(partners, alone)), {})
    assert line["word"] == "HELPS" and (line["mechanisms"] == ["CONTENT-POSITIVE"]) is named
    assert any("4 distinct partners" in reason for reason in line["reasons"]) is not named


def test_the_questions_of_a_page_are_one_family(tmp_path):
    rows = []
    for skill, weak in (("one", 0), ("two", 1)):
        for at, project in enumerate(SIX):
            depth = 2 + (GAINS[project] if not weak else at % 2)
            rows += trials(project, "C1", depth, targets=(skill,), injected=skill)
    rows += [item for project in SIX for item in trials(project, "C0", 2, targets=("one", "two"))]
    one, two = verdict_lines(audit(tmp_path, rows), {})
    assert [line["skill"] for line in (one, two)] == ["one", "two"]
    assert one["p_adjusted"] == pytest.approx(2 * one["p"]) and one["level"] == pytest.approx(0.975)
    assert two["p_adjusted"] == pytest.approx(two["p"]) and two["level"] == pytest.approx(0.95)
    # What was looked at too often takes no part in it.
    looked = {("two", "noop", "prompt"): "its trials were looked at before"}
    one, two = verdict_lines(audit(tmp_path / "b", rows), looked)
    assert one["p_adjusted"] == one["p"] and one["level"] == pytest.approx(0.95)
    assert two["word"] == "UNDECIDED" and two["exploratory"] in two["reasons"][0] and two["exploratory"] in two["sentence"]


def test_margin_and_looks_are_the_panels(tmp_path):
    same = [item for project in SIX for item in (*trials(project, "C0", 5), *trials(project, "C1", 5))]
    same += [*row("g", "C0", *[chain(5)] * 3), *row("g", "C1", *[chain(5), chain(5), chain(6)])]
    narrow, wide = (verdict_lines(audit(tmp_path / str(m), same, margin_points=m), {})[0] for m in (0.5, 20))
    assert (narrow["word"], wide["word"]) == ("UNDECIDED", "NO PRACTICAL EFFECT")
    assert "±20 points" in wide["sentence"]
    assert verdict_lines(audit(tmp_path / "looks", gaining(), looks=2), {})[0]["level"] == pytest.approx(0.975)


def test_client_versions_models_and_days_are_those_of_the_trials(tmp_path):
    own = {"agent": {"name": "web", "model": "provider/m-1"}, "scripted": False}
    rows = gaining("abc", **own) + gaining("def", **own, resolved=RESOLVED.model_copy(update={"agent_version": "2"}))
    rows = [
        item._replace(records=tuple(one.model_copy(update={"started": NOON + DAY}) for one in item.records))
        if item.spec.project == "f"
        else item
        for item in rows
    ]
    (line,) = verdict_lines(audit(tmp_path, rows), {})
    assert (line["agent"], line["model"], line["client_version"]) == ("web-provider-m-1", "provider/m-1", "1, 2")
    assert line["date"] == "2027-01-15 to 2027-01-16"
    assert "model provider/m-1, client version 1, 2, 2027-01-15 to 2027-01-16" in line["sentence"]


def test_nothing_ran_has_no_day_and_no_version(tmp_path):
    rows = [item._replace(records=()) for item in gaining()]
    (line,) = verdict_lines(audit(tmp_path, rows), {})
    assert (line["date"], line["client_version"], line["estimate"], line["word"]) == (None, None, None, "UNDECIDED")


def test_pairs_are_shrunk_with_those_of_their_agent_and_delivery(tmp_path):
    rows = gaining("abc") + [item for project in "abc" for item in trials(project, "C1", 8, delivery="native")]
    found = shrunken(audit(tmp_path, rows))
    assert [(one.key, one.project) for one in found] == [
        *((("target", "noop", "prompt"), project) for project in "abc"),
        *((("target", "noop", "native"), project) for project in "abc"),
    ]
    made = audit(tmp_path / "b", gaining("abc"))
    treated, base = (cells(made.arm("target", "noop", "prompt", name), ORIENTED) for name in ("C1", "C0"))
    alone = shrink(pairs_of(("target", "noop", "prompt"), treated, base))
    assert [one.estimate for one in alone] == [one.estimate for one in found[:3]]
    assert [one.raw for one in found] == pytest.approx([0.3, 0.4, 0.5, 0.6, 0.6, 0.6])
