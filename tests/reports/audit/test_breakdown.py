import json
import math
import random
from typing import Any

import pytest
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import DescrStatsW

from benchmark.webdev.suite import SUITE
from reports.audit.arm_pairs import ArmPair, value
from reports.audit.breakdown import CONFIRMATORY, SAME
from reports.audit.contrasts import CONTRASTS, SLICE_CONTRASTS
from reports.chains.buckets import DESCRIPTIVE, QUARTERS, UNKNOWN, buckets, cuts
from reports.chains.sections import sections
from reports.output.write import results
from reports.results import as_json
from reports.stats.statistics import ratio_interval
from tests.factory import DAY, NOON, audit, row
from tests.reports.as_json import breakdown_lines, contrast, coverage

#: Projects of the suite, ten tasks each.
REAL = ("bakery-page", "course-signup", "guest-book", "ui-elements")


def chain(depth: int, tasks: int = 10) -> str:
    return "1" * depth + ("x" + "-" * (tasks - depth - 1) if depth < tasks else "")


def parts(made, name="C1−C0", skill="target", delivery="prompt"):
    found = [row for row in breakdown_lines(made) if (row["name"], row["skill"], row["delivery"]) == (name, skill, delivery)]
    assert len(found) == 1
    return found[0]


def bucketed(made, cut, name="C1−C0", skill="target", delivery="prompt"):
    """A contrast in buckets of tasks by that cut."""
    arms = next((treated, base) for known, treated, base, _ in (*CONTRASTS, *SLICE_CONTRASTS) if known == name)
    sides = ArmPair(*arms, *(made.arm(skill, "noop", delivery, condition) for condition in arms))
    return as_json(buckets(sides, cuts(made)[cut], SUITE.primary, 0.95))


def at(rows, name):
    return next(row for row in rows if row["bucket"] == name)


def everything(seed, lengths):
    """Three arms with random depths on projects with chains of those lengths; replicates differ in number."""
    draw = random.Random(seed)
    return [
        made
        for project, tasks in lengths.items()
        for condition in ("C0", "C1", "C2")
        for made in row(project, condition, *(chain(draw.randint(0, tasks), tasks) for _ in range(draw.randint(1, 4))))
    ]


def test_a_chain_of_four_by_hand(tmp_path):
    made = audit(tmp_path, [*row("a", "C0", "11x-", "1x--"), *row("a", "C1", "1111", "121x")])
    found = bucketed(made, "position")
    assert [row["bucket"] for row in found["rows"]] == ["1", "2", "3", "4"]
    assert [row["share"] for row in found["rows"]] == [0.25] * 4
    assert [(row["treated"], row["base"]) for row in found["rows"]] == [(1, 1), (1, 0.5), (1, 0), (0.5, 0)]
    assert [row["difference"]["estimate"] for row in found["rows"]] == [0, 0.5, 1, 0.5]
    assert [row["contribution"] for row in found["rows"]] == [0, 0.125, 0.25, 0.125]
    assert found["sum"] == 0.5 == found["overall"] and found["reason"] is None
    given = [[row[side] for row in found["rows"]] for side in ("given_treated", "given_base")]
    assert [(one["reached"], one["solved"]) for one in given[0]] == [(1, 1), (1, 1), (1, 1), (1, 0.5)]
    assert [(one["reached"], one["solved"]) for one in given[1]] == [(1, 1), (1, 0.5), (0.5, 0), (0, None)]
    shown = next(one for one in sections(made, results(made)) if one.title.startswith("By place in the chain"))
    assert shown.question == ("target", "noop", "prompt") and shown.table
    assert [line[0] for line in shown.table.rows] == ["1", "2", "3", "4", "sum"]
    assert [line[1] for line in shown.table.rows] == [*["25 %"] * 4, "100 %"]
    assert [line[2] for line in shown.table.rows] == ["0.0", "+12.5", "+25.0", "+12.5", "+50.0"]
    assert [line[4:] for line in shown.table.rows[:-1]] == [("100 %", "100 %"), ("50 %", "100 %"), ("0 %", "100 %"),
                                                            ("none reached", "50 %")]  # fmt: skip
    assert shown.notes == (DESCRIPTIVE,) and "descriptive" in DESCRIPTIVE and "xploratory" in DESCRIPTIVE


@pytest.mark.parametrize("seed", range(6))
def test_buckets_sum_to_the_difference_of_the_contrast(tmp_path, seed):
    """Chains of unlike length, families of unlike size, unlike replicates: difference × share sums to the headline estimate."""
    lengths = {**dict.fromkeys(REAL, 10), "short": 3, "long": 24, "one": 1, "eleven": 11}
    families = {"bakery-page": "f", "guest-book": "f", "short": "g", "long": "g", "one": "g"}
    made = audit(tmp_path, everything(seed, lengths), families)
    for name, *arms in CONTRASTS:
        overall = parts(made, name)["overall"]["pass2"]["difference"]
        headline = contrast(made, "target", "noop", "prompt", name, *arms)
        assert headline and headline["difference"]["estimate"] != 0
        for cut in ("difficulty", "position"):
            found = bucketed(made, cut, name)
            rows = found["rows"]
            assert found["overall"] == pytest.approx(overall["estimate"], abs=1e-12)
            assert sum(row["difference"]["estimate"] * row["share"] for row in rows) == pytest.approx(
                headline["difference"]["estimate"], abs=1e-12
            )
            assert found["sum"] == pytest.approx(found["overall"], abs=1e-12)
            assert sum(row["share"] for row in rows) == pytest.approx(1)
            for line in rows:
                assert line["difference"]["estimate"] == pytest.approx(line["treated"] - line["base"], abs=1e-12)
                assert line["contribution"] == pytest.approx(line["share"] * line["difference"]["estimate"], abs=1e-12)


def test_positions_are_quarters_named_by_tasks_where_chains_are_alike(tmp_path):
    def names(**lengths):
        rows = [
            made for project, tasks in lengths.items() for arm in ("C0", "C1") for made in row(project, arm, chain(1, tasks))
        ]
        found = bucketed(audit(tmp_path / str(lengths), rows), "position")["rows"]
        return [(line["bucket"], line["tasks"]) for line in found]

    assert names(a=20, b=20) == [("1–5", 10), ("6–10", 10), ("11–15", 10), ("16–20", 10)]
    assert names(a=10) == [("1–2", 2), ("3–5", 3), ("6–7", 2), ("8–10", 3)]
    assert names(a=20, b=10) == [(QUARTERS[0], 7), (QUARTERS[1], 8), (QUARTERS[2], 7), (QUARTERS[3], 8)]
    assert names(a=1) == [("1", 1)]
    assert names(a=2) == [("1", 1), ("2", 1)]


def test_difficulties_are_the_suites(tmp_path):
    """bakery-page: C0 solves 2 tasks of 10, C1 all: every bucket but those tasks gains its whole share."""
    made = audit(tmp_path, [*row("bakery-page", "C0", chain(2)), *row("bakery-page", "C1", chain(10))])
    found = bucketed(made, "difficulty")
    levels = SUITE.difficulties("bakery-page")
    assert [row["bucket"] for row in found["rows"]] == ["easy", "moderate", "challenging"]
    for name in ("easy", "moderate", "challenging"):
        line = at(found["rows"], name)
        assert line["tasks"] == levels.count(name) and line["share"] == levels.count(name) / 10
        assert line["base"] == pytest.approx(levels[:2].count(name) / levels.count(name)) and line["treated"] == 1
    assert found["sum"] == pytest.approx(0.8)


def test_a_project_that_the_suite_does_not_know_keeps_the_sum_whole(tmp_path):
    rows = [*row("bakery-page", "C0", chain(2)), *row("bakery-page", "C1", chain(4))]
    rows += [*row("gone", "C0", chain(1)), *row("gone", "C1", chain(0))]
    rows += [*row("guest-book", "C0", chain(1, 6)), *row("guest-book", "C1", chain(1, 6))]
    found = bucketed(audit(tmp_path, rows), "difficulty")
    assert [row["bucket"] for row in found["rows"]] == ["easy", "moderate", "challenging", UNKNOWN]
    # guest-book has ten tasks today and had six when these ran.
    assert at(found["rows"], UNKNOWN)["projects"] == 2 and at(found["rows"], UNKNOWN)["tasks"] == 16
    assert found["sum"] == pytest.approx((0.2 - 0.1 + 0) / 3)


def test_nothing_known_of_difficulty_is_said(tmp_path):
    made = audit(tmp_path, [*row("a", "C0", "1x"), *row("a", "C1", "11")])
    found = bucketed(made, "difficulty")
    assert found["rows"] == [] and "how hard" in found["reason"]
    assert found["sum"] is None and found["overall"] == 0.5
    assert bucketed(made, "position")["sum"] == 0.5
    shown = next(one for one in sections(made, results(made)) if one.title.startswith("By difficulty"))
    assert shown.table is None and shown.notes == (f"{found['reason']}.",)


def test_the_interval_of_a_bucket_leaves_families_out_one_by_one(tmp_path):
    depths = {"bakery-page": (2, 5), "course-signup": (4, 4), "guest-book": (1, 8), "ui-elements": (6, 5)}
    rows = [
        made for name, (zero, one) in depths.items() for made in (*row(name, "C0", chain(zero)), *row(name, "C1", chain(one)))
    ]
    found = at(bucketed(audit(tmp_path, rows), "difficulty")["rows"], "easy")
    sides = [{}, {}, {}]
    for name, (zero, one) in depths.items():
        easy = [level == "easy" for level in SUITE.difficulties(name)]
        for side, tasks in zip(sides, (easy[:one], easy[:zero], easy), strict=True):
            side[name] = sum(tasks) / 10
    expected = ratio_interval(sides[0], sides[1], sides[2], 0.95)
    assert expected.low is not None and expected.high is not None
    assert (found["difference"]["low"], found["difference"]["high"]) == pytest.approx((expected.low, expected.high))
    assert found["difference"]["families"] == 4


def test_a_bucket_that_one_family_has_gives_no_interval(tmp_path):
    rows = [
        *row("bakery-page", "C0", chain(2)),
        *row("bakery-page", "C1", chain(4)),
        *row("a", "C0", "1x"),
        *row("a", "C1", "11"),
    ]
    found = at(bucketed(audit(tmp_path, rows), "difficulty")["rows"], UNKNOWN)
    assert found["difference"]["estimate"] == 0.5 and found["difference"]["low"] is None
    assert found["difference"]["reason"] == "one family has no spread to judge by"


def test_coverage_stands_beside_each_number_and_adds_up(tmp_path):
    rows = [
        *row("bakery-page", "C0", chain(5), chain(4), limit="seconds"),
        *row("bakery-page", "C0", chain(5), first=2, started=NOON - 9 * DAY),
        *row("bakery-page", "C1", chain(6)),
        *row("bakery-page", "C1", chain(0), chain(0), first=1, status="broken", reason="x"),
        *row("bakery-page", "C1", chain(0), first=3, status="not_delivered", reason="x"),
        *row("bakery-page", "C1", None, first=4),
    ]
    made = audit(tmp_path, rows)
    found = parts(made)
    expected = {
        "treated": {
            "planned": 5,
            "measured": 1,
            "not_delivered": 1,
            "broken": 2,
            "contaminated": 0,
            "historical": 0,
            "not_run": 1,
        },
        "base": {
            "planned": 3,
            "measured": 2,
            "not_delivered": 0,
            "broken": 0,
            "contaminated": 0,
            "historical": 1,
            "not_run": 0,
        },
    }
    expected = {side: {**counts, "limited": 2 * (side == "base")} for side, counts in expected.items()}
    cut = [line for name in ("difficulty", "position") for line in bucketed(made, name)["rows"]]
    places = [*cut, *found["projects"], *found["families"]]
    assert len(places) == 3 + 4 + 1 + 1 and all(row["coverage"] == expected for row in places)
    for counts in expected.values():
        assert counts["planned"] == sum(number for name, number in counts.items() if name not in ("planned", "limited"))
    assert found["projects"][0]["metrics"]["pass2"]["measured"] == [1, 2]
    assert found["projects"][0]["metrics"]["pass2"]["difference"] == pytest.approx(0.6 - 0.45)


def test_buckets_cover_projects_that_were_not_measured(tmp_path):
    rows = [*row("bakery-page", "C0", chain(5)), *row("bakery-page", "C1", chain(6))]
    rows += [*row("guest-book", "C0", chain(5)), *row("guest-book", "C1", None, None)]
    rows += [*row("ui-elements", "C0", None), *row("ui-elements", "C1", None)]
    found = bucketed(audit(tmp_path, rows), "position")
    assert found["sum"] == pytest.approx(0.1)
    for line in found["rows"]:
        assert (line["projects"], line["coverage"]["treated"]["planned"], line["coverage"]["treated"]["not_run"]) == (1, 4, 3)


def test_replicates_come_before_projects_and_projects_before_families(tmp_path):
    """a: C1 0.2 and 0.6 against 0.1: +0.3. b: 0.5 against 0.4: +0.1. Family +0.2, whatever the number of replicates."""
    rows = [*row("a", "C0", chain(1)), *row("a", "C1", chain(2), chain(6)), *row("b", "C0", *[chain(4)] * 3)]
    rows += row("b", "C1", chain(5))
    rows += [*row("c", "C0", chain(3)), *row("c", "C1", chain(0))]
    found = parts(audit(tmp_path, rows, {"a": "one", "b": "one", "c": "two"}))
    projects = {row["project"]: row["metrics"]["pass2"] for row in found["projects"]}
    assert [projects[name]["difference"] for name in "abc"] == pytest.approx([0.3, 0.1, -0.3])
    assert (projects["a"]["treated"], projects["a"]["base"]) == pytest.approx((0.4, 0.1))
    families = {row["family"]: row for row in found["families"]}
    assert families["one"]["projects"] == ["a", "b"] and families["one"]["metrics"]["pass2"]["measured"] == [3, 4]
    assert families["one"]["metrics"]["pass2"]["difference"] == pytest.approx(0.2)
    assert families["one"]["metrics"]["tcd"]["treated"] == pytest.approx((4 + 5) / 2)
    assert found["overall"]["pass2"]["difference"]["estimate"] == pytest.approx((0.2 - 0.3) / 2)


def test_every_metric_of_the_suite_has_its_place(tmp_path):
    made = audit(tmp_path, everything(3, dict.fromkeys(REAL, 10)))
    names = [metric.name for metric in SUITE.all_metrics]
    for found in breakdown_lines(made):
        assert list(found["overall"]) == names
        for line in (*found["projects"], *found["families"]):
            assert list(line["metrics"]) == names
    assert json.loads(json.dumps(breakdown_lines(made), allow_nan=False)) == breakdown_lines(made)


def test_the_headline_has_one_interval_and_depth_is_no_second_evidence(tmp_path):
    found = parts(made := audit(tmp_path, everything(4, dict.fromkeys(REAL, 10))))["overall"]
    for name, reason in (("pass2", CONFIRMATORY), ("tcd", SAME)):
        line = found[name]["difference"]
        assert line["estimate"] is not None and (line["low"], line["high"], line["p"], line["p_adjusted"]) == (None,) * 4
        assert line["reason"] == reason
    assert found["pass1"]["difference"]["low"] is not None
    length = parts(made, "C2−C0")["overall"]
    assert length["pass2"]["difference"]["low"] is not None and length["tcd"]["difference"]["low"] is None


def test_what_is_explored_is_adjusted_by_benjamini_and_hochberg(tmp_path):
    draw = random.Random(7)
    rows = [
        made
        for at, project in enumerate(REAL)
        for arm in ("C0", "C1")
        for made in row(project, arm, chain(at), chain(at + 2), tokens=draw.randint(1000, 9000))
    ]
    made = audit(tmp_path, rows)
    lines = [line["difference"] for found in breakdown_lines(made) for line in found["overall"].values()]
    tested = [line for line in lines if line["p"] is not None]
    assert len(tested) >= 3
    adjusted: Any = multipletests([line["p"] for line in tested], method="fdr_bh")[1]
    assert [line["p_adjusted"] for line in tested] == pytest.approx(list(adjusted), abs=1e-12)
    tokens = parts(made)
    values = [row["metrics"]["tokens"]["difference"] for row in tokens["projects"]]
    assert tokens["overall"]["tokens"]["difference"]["p"] == pytest.approx(DescrStatsW(values).ttest_mean()[1], abs=1e-9)


def test_an_arm_without_a_measurement_says_why(tmp_path):
    rows = [*row("a", "C0", chain(5)), *row("a", "C1", chain(3), status="broken", reason="x")]
    made = audit(tmp_path, rows)
    found = parts(made)
    line = found["projects"][0]["metrics"]["pass2"]
    assert (line["treated"], line["base"], line["difference"]) == (None, 0.5, None)
    assert line["reason"] == "C1: Pass@2 was measured in none of 1 trials"
    assert found["overall"]["pass2"]["difference"]["estimate"] is None
    for cut in ("difficulty", "position"):
        found = bucketed(made, cut)
        assert found["rows"] == [] and found["sum"] is None and "C1: Pass@2" in found["reason"]


def test_projects_that_never_have_both_arms_give_no_family(tmp_path):
    rows = [*row("a", "C0", chain(5)), *row("b", "C1", chain(5))]
    found = parts(audit(tmp_path, rows, {"a": "one", "b": "one"}))
    assert found["families"][0]["metrics"]["pass2"]["difference"] is None
    assert found["families"][0]["metrics"]["pass2"]["reason"] == "no project has it measured in both arms"
    assert [row["metrics"]["pass2"]["treated"] for row in found["projects"]] == [None, 0.5]


def test_tokens_that_were_not_counted_leave_their_metric_out_alone(tmp_path):
    found = parts(audit(tmp_path, [*row("a", "C0", chain(5)), *row("a", "C1", chain(6), tokens=None)]))["projects"][0][
        "metrics"
    ]
    assert found["tokens"]["treated"] is None and found["tokens"]["measured"] == [0, 1]
    assert found["tokens"]["reason"] == "C1: tokens was measured in none of 1 trials"
    assert found["pass2"]["difference"] == pytest.approx(0.1)


def test_an_arm_that_is_not_planned_has_no_contrast(tmp_path):
    made = audit(tmp_path, [*row("a", "C0", chain(5)), *row("a", "C1", chain(6))])
    assert [found["name"] for found in breakdown_lines(made)] == ["C1−C0"]
    assert breakdown_lines(audit(tmp_path / "b", row("a", "C0", chain(5)))) == []


def test_slices_stand_beside_fresh_trials(tmp_path):
    rows = [*row("bakery-page", "C1", chain(0), injected="target")]
    for condition, depth in (("C1:fresh", 6), ("L3:-rules", 4), ("C3:-rules", 3)):
        rows += row("bakery-page", condition, chain(depth), injected="target")
    made = audit(tmp_path, rows)
    names = [line["name"] for line in breakdown_lines(made)]
    assert {name: bucketed(made, "difficulty", name)["sum"] for name in names} == {
        "C1−L3:-rules": pytest.approx(0.2),
        "C1−C3:-rules": pytest.approx(0.3),
    }


def test_skills_and_deliveries_are_told_apart(tmp_path):
    rows = [
        *row("a", "C0", chain(5), targets=("one", "two")),
        *row("a", "C1", chain(7), targets=("one",), injected="one"),
        *row("a", "C1", chain(2), targets=("two",), injected="two"),
        *row("a", "C1", chain(9), targets=("one",), injected="one", delivery="native"),
    ]
    made = audit(tmp_path, rows)
    keys = [(line["skill"], line["delivery"]) for line in breakdown_lines(made)]
    assert {key: bucketed(made, "position", "C1−C0", *key)["sum"] for key in keys} == {
        ("one", "prompt"): pytest.approx(0.2),
        ("two", "prompt"): pytest.approx(-0.3),
        ("one", "native"): pytest.approx(0.4),
    }


def test_a_metric_that_is_no_share_of_tasks_has_no_buckets(tmp_path):
    """A record whose depth is of more tasks than it lists: the share cannot be told apart by task."""
    rows = [*row("a", "C0", "11x-", task_count=8), *row("a", "C1", "111x", task_count=8)]
    made = audit(tmp_path, rows)
    assert parts(made)["overall"]["pass2"]["difference"]["estimate"] == 0.125
    found = bucketed(made, "position")
    assert found["rows"] == [] and "no buckets" in found["reason"]


def test_a_value_that_is_no_number_is_not_measured(tmp_path):
    made = audit(tmp_path, row("a", "C1", chain(5)))
    item = made.arm("target", "noop", "prompt", "C1")[0]
    assert value(item, "pass2") == 0.5 and value(item, "nothing") is None
    for odd in (math.nan, math.inf):
        item.values["pass2"] = odd  # type: ignore[index]
        assert value(item, "pass2") is None
    assert coverage([]) == {**dict.fromkeys(coverage([item]), 0)}
