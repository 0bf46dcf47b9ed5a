import json
import re

import pytest
from scipy import stats

from benchmark.suite.metric import ORIENTED
from reports.audit.cells import cells
from reports.audit.shrink import Shrunk, pairs_of, shrink
from reports.verdict.phrasing import NEVER
from tests.factory import audit, row
from tests.reports import lines
from tests.reports.as_json import advise

#: The projects of the suite with what their stacks hold beside html, which all have.
PROJECTS = {
    "bakery-page": ("css",),
    "course-signup": ("css", "javascript", "forms"),
    "guest-book": ("javascript", "node", "http"),
    "meal-planner": ("javascript", "vite", "preact"),
    "rainfall-chart": ("javascript", "svg"),
    "reading-list": ("css", "javascript", "dom"),
    "sketch-pad": ("javascript", "canvas"),
    "ui-elements": ("javascript", "web-components"),
}
TEN = ["1" * depth + ("x" + "-" * (9 - depth) if depth < 10 else "") for depth in range(11)]
MIXED = (3, 4, 5, 4, 4)


def trials(depths, tokens=(1000, 1400), base=MIXED, projects=tuple(PROJECTS)):
    """C0 with the depths of `base` and C1 with those that `depths` gives of a project; tokens of a trial of either arm."""
    rows = []
    for at, project in enumerate(projects):
        for replicate, depth in enumerate(base):
            rows += row(project, "C0", TEN[depth], first=replicate, tokens=tokens[0] + at)
        for replicate, depth in enumerate(depths(project)):
            rows += row(project, "C1", TEN[depth], first=replicate, tokens=tokens[1] + 7 * at)
    return rows


def advised(tmp_path, rows, line=None, shrunk=None, **more):
    made = audit(tmp_path, rows, **more)
    arms = [cells(made.arm("target", "noop", "prompt", condition), ORIENTED) for condition in ("C1", "C0")]
    pairs = shrink(pairs_of(("target", "noop", "prompt"), *arms)) if shrunk is None else shrunk
    found = advise(made, [line or lines.verdict()], pairs)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    for item in found:
        assert [pattern for pattern in NEVER if re.search(pattern, item["why"], re.I)] == []
        assert "on projects like these" in item["why"] or "on these projects only" in item["why"]
        assert "model provider/model-1, client version 2.1.3, 2027-01-15" in item["why"]
    return {item["stack"]: item for item in found}


def test_rows_are_the_whole_and_every_stack_with_stable_keys(tmp_path):
    found = advised(tmp_path, trials(lambda _: MIXED))
    assert list(found) == [None, *sorted({"html", *(name for stack in PROJECTS.values() for name in stack)})]
    for item in found.values():
        assert list(item) == [
            "schema", "skill", "agent", "model", "delivery", "stack", "action", "word", "basis", "gain", "overhead", "why",
            "rests_on",
        ]  # fmt: skip
        assert item["schema"] == 1 and item["model"] == "provider/model-1"
        assert set(item["gain"]) == {"estimate", "low", "high", "level", "shrunk", "reason"}
        assert set(item["overhead"]) == {"estimate", "low", "high", "level", "reason"}
        assert set(item["rests_on"]) == {
            "scope", "projects", "families", "replicates", "planned", "measured", "broken", "not_delivered", "limited",
            "client_version", "date",
        }  # fmt: skip
    assert found["canvas"]["rests_on"]["projects"] == ["sketch-pad"]
    assert found["css"]["rests_on"]["projects"] == ["bakery-page", "course-signup", "reading-list"]


def test_the_whole_and_a_stack_of_all_projects_have_the_audits_verdict(tmp_path):
    line = lines.verdict(word="HURTS", estimate=-0.2, low=-0.3, high=-0.1)
    found = advised(tmp_path, trials(lambda _: MIXED), line)
    for stack in (None, "html"):
        item = found[stack]
        assert (item["action"], item["word"], item["basis"]) == ("withhold", "HURTS", "audit")
        assert item["gain"] == {
            "estimate": -0.2, "low": -0.3, "high": -0.1, "level": 0.95, "shrunk": False, "reason": None,
        }  # fmt: skip
        assert item["why"] == f"Withhold: {line.sentence}"
        assert item["rests_on"]["families"] == 8 and len(item["rests_on"]["projects"]) == 8
    assert found["javascript"]["basis"] == "stack"


def test_a_stack_never_inherits_the_audits_verdict(tmp_path):
    """Seven families × three replicates are enough for a word on projects like these; one project × three is for none."""
    depths = {project: (6 + at % 3, 7, 8) for at, project in enumerate(PROJECTS)}
    found = advised(tmp_path, trials(depths.__getitem__, base=(3, 4, 5)))
    assert (found[None]["action"], found[None]["word"]) == ("inject", "HELPS")
    assert (found["javascript"]["action"], found["javascript"]["word"]) == ("inject", "HELPS")
    assert found["javascript"]["rests_on"]["scope"] == "ON PROJECTS LIKE THESE"
    for stack in ("css", "canvas", "dom"):
        assert (found[stack]["action"], found[stack]["word"]) == ("test more", "UNDECIDED")
        assert f"Test more: UNDECIDED on projects like these, stack {stack}: " in found[stack]["why"]
        assert "too little for a verdict on projects like these" in found[stack]["why"]


def test_a_stack_below_the_minimum_has_the_second_scope_and_its_own_numbers(tmp_path):
    """CSS projects gain 40 points, others lose 20: the stack's advice is of its three projects alone."""
    depths = {project: (7, 8, 9, 8, 8) if "css" in stack else (1, 2, 3, 2, 2) for project, stack in PROJECTS.items()}
    found = advised(tmp_path, trials(depths.__getitem__))
    css, node = found["css"], found["node"]
    assert (css["action"], css["word"], css["rests_on"]["scope"]) == ("inject", "HELPS", "ON THESE PROJECTS ONLY")
    assert css["gain"]["estimate"] == pytest.approx(0.4) and css["gain"]["shrunk"] is False and css["gain"]["low"] > 0
    assert css["rests_on"] | {"projects": 0} == {
        "scope": "ON THESE PROJECTS ONLY", "projects": 0, "families": 3, "replicates": 5, "planned": 30, "measured": 30,
        "broken": 0, "not_delivered": 0, "limited": 0, "client_version": "2.1.3", "date": "2027-01-15",
    }  # fmt: skip
    assert css["why"].startswith(
        "Inject: HELPS on these projects only, with no word about others, stack css: with target in its prompt, "
        "noop does better in Pass@2 than without it (difference +40.0 points, "
    )
    assert (node["action"], node["word"]) == ("withhold", "HURTS")
    assert node["rests_on"]["projects"] == ["guest-book"]


def test_one_pair_is_told_shrunk(tmp_path):
    depths = {project: (7, 8, 9, 8, 8) if "css" in stack else (1, 2, 3, 2, 2) for project, stack in PROJECTS.items()}
    rows = trials(depths.__getitem__)
    shrunk = Shrunk(("target", "noop", "prompt"), "guest-book", -0.2, -0.15, 0.02)
    gain = advised(tmp_path, rows, shrunk=[shrunk])["node"]["gain"]
    # Nine questions share the five per cent, so none but the last is judged at 95 %.
    half = stats.norm.ppf(0.5 + gain["level"] / 2) * 0.02
    assert gain["level"] > 0.95 and (gain["estimate"], gain["shrunk"]) == (-0.15, True)
    assert (gain["low"], gain["high"]) == pytest.approx((-0.15 - half, -0.15 + half))
    node = advised(tmp_path / "again", rows)["node"]
    assert -0.2 <= node["gain"]["estimate"] < -0.1 and "one pair shrunk towards the audit's others" in node["why"]


@pytest.mark.parametrize(
    ("shrunk", "why"),
    [
        (Shrunk(("target", "noop", "prompt"), "guest-book", -0.2, -0.02, 0.02), "no larger than luck may make it"),
        (Shrunk(("target", "noop", "prompt"), "guest-book", -0.2, 0.2, 0.01), "no larger than luck may make it"),
        (Shrunk(("target", "noop", "prompt"), "guest-book", -0.2, None, None, "nothing says how far"), "nothing says how far"),
        (None, "the pair was not shrunk"),
    ],
)
def test_a_pair_that_is_lost_in_shrinkage_is_tested_more(tmp_path, shrunk, why):
    found = advised(tmp_path, trials(lambda project: (1, 2, 3, 2, 2)), shrunk=[shrunk] if shrunk else [])
    assert (found["node"]["action"], found["node"]["word"]) == ("test more", "UNDECIDED")
    assert why in found["node"]["why"]
    if not shrunk or shrunk.estimate is None:
        assert found["node"]["gain"]["estimate"] is None and "one pair is told shrunk only" in found["node"]["gain"]["reason"]


def test_stacks_are_one_holm_family_and_ask_a_question_once(tmp_path):
    """node and http cover the same project: they have one answer, and it counts once among the hypotheses."""
    depths = {project: (5 + at % 2, 4, 5, 6, 5 + at % 3) for at, project in enumerate(PROJECTS)}
    found = advised(tmp_path, trials(depths.__getitem__))
    assert found["node"]["gain"] == found["http"]["gain"]
    own = [item for stack, item in found.items() if stack not in (None, "html")]
    questions = {tuple(item["rests_on"]["projects"]) for item in own}
    levels = sorted({item["gain"]["level"] for item in own})
    assert len(questions) == 9
    # The hardest of nine questions is judged at one ninth of five per cent at least.
    assert 1 - 0.05 / 9 >= levels[-1] > 1 - 0.05 / 3


@pytest.mark.parametrize(
    ("tokens", "action", "why"),
    [
        ((1000, 1400), "withhold", "Withhold, for it costs without gain (+40 % tokens, 95 % interval +40 to +41 %): "),
        ((1400, 1000), "test more", "Test more, for it saves tokens and does nothing else that counts ("),
        (
            (None, 1000),
            "test more",
            "Test more, for what it costs in tokens is open (no family has tokens measured in both arms)",
        ),
    ],
)
def test_no_practical_effect_is_withheld_where_it_costs(tmp_path, tokens, action, why):
    rows = [item for project in PROJECTS for item in row(project, "C0", *[TEN[5]] * 3, tokens=tokens[0])]
    for at, project in enumerate(PROJECTS):
        rows += row(project, "C1", *[TEN[5]] * 3, tokens=tokens[1] + at)
    line = lines.verdict(word="NO PRACTICAL EFFECT", estimate=0.0, low=-0.02, high=0.02)
    item = advised(tmp_path, rows, line)[None]
    assert item["action"] == action and item["why"].startswith(why)


def test_tokens_that_may_go_either_way_are_tested_more(tmp_path):
    rows = [item for project in PROJECTS for item in row(project, "C0", TEN[5], tokens=1000)]
    for at, project in enumerate(PROJECTS):
        rows += row(project, "C1", TEN[5], tokens=600 + 120 * at)
    line = lines.verdict(word="NO PRACTICAL EFFECT", estimate=0.0, low=-0.02, high=0.02)
    item = advised(tmp_path, rows, line)[None]
    assert item["action"] == "test more" and item["overhead"]["low"] < 0 < item["overhead"]["high"]
    assert item["overhead"]["estimate"] == pytest.approx(0.02)
    assert "it is open whether it costs anything" in item["why"]


def test_overhead_is_a_ratio_of_the_stacks_sums(tmp_path):
    rows = [*row("bakery-page", "C0", TEN[5], tokens=1000), *row("course-signup", "C0", TEN[5], tokens=3000)]
    rows += [*row("bakery-page", "C1", TEN[5], tokens=2000), *row("course-signup", "C1", TEN[5], tokens=3000)]
    rows += [*row("sketch-pad", "C0", TEN[5], tokens=10), *row("sketch-pad", "C1", TEN[5], tokens=1000)]
    found = advised(tmp_path, rows)
    assert found["css"]["overhead"]["estimate"] == pytest.approx(1000 / 4000)
    assert found["forms"]["overhead"]["estimate"] == pytest.approx(0)
    assert found["forms"]["overhead"]["low"] is None and found["forms"]["overhead"]["reason"]


@pytest.mark.parametrize("word", ["UNDECIDED", "NOT DELIVERED"])
def test_what_is_not_decided_is_tested_more(tmp_path, word):
    line = lines.verdict(word=word, estimate=None, low=None, high=None, reasons=["No C1 trial was measured."])
    item = advised(tmp_path, trials(lambda _: MIXED), line)[None]
    assert item["action"] == "test more"
    assert item["gain"]["estimate"] is None and item["gain"]["reason"] == "No C1 trial was measured."


def test_a_skill_that_does_not_arrive_on_a_stack_is_tested_more_there(tmp_path):
    rows = [item for item in trials(lambda _: MIXED) if (item.spec.project, item.spec.condition) != ("sketch-pad", "C1")]
    rows += row("sketch-pad", "C1", *[TEN[4]] * 5, status="not_delivered", reason="its bytes are in no request")
    item = advised(tmp_path, rows)["canvas"]
    assert (item["action"], item["word"], item["rests_on"]["not_delivered"]) == ("test more", "NOT DELIVERED", 5)
    assert "target did not come within reach of noop" in item["why"]


def test_nothing_measured_and_projects_that_left_the_suite_are_said_not_raised(tmp_path):
    rows = [
        *row("bakery-page", "C0", None),
        *row("bakery-page", "C1", None),
        *row("gone", "C0", TEN[5]),
        *row("gone", "C1", TEN[5]),
    ]
    line = lines.verdict(word="UNDECIDED", estimate=None, low=None, high=None, reasons=[])
    found = advised(tmp_path, rows, line)
    assert list(found) == [None, "css", "html"]
    assert {item["action"] for item in found.values()} == {"test more"}
    assert found["css"]["gain"]["estimate"] is None and found["css"]["gain"]["reason"]
    assert advise(audit(tmp_path / "none", rows), [], []) == []


def test_looks_an_unplanned_look_and_the_margin_are_the_panels(tmp_path):
    depths = dict.fromkeys(PROJECTS, (7, 8, 9, 8, 8))
    made = audit(tmp_path, trials(depths.__getitem__), looks=2, margin_points=3)
    rows = {item["stack"]: item for item in advise(made, [lines.verdict()], [], unplanned_look=True)}
    assert rows["css"]["word"] == "UNDECIDED" and "exploratory: this look was not planned" in rows["css"]["why"]
    assert rows[None]["word"] == "HELPS" and rows[None]["overhead"]["level"] == 0.975
    planned = {item["stack"]: item for item in advise(made, [lines.verdict()], [])}
    assert planned["css"]["action"] == "inject"
    assert min(item["gain"]["level"] for item in planned.values() if item["basis"] == "stack") == pytest.approx(0.975)
