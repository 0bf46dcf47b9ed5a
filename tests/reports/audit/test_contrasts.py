import random
from itertools import combinations

import pytest
from statsmodels.stats.weightstats import DescrStatsW

from reports.audit.contrasts import CONTRASTS
from reports.chains.any_at import any_at
from tests.factory import DAY, NOON, audit, row
from tests.reports.as_json import arm, contrast

BY_NAME = {row[0]: row for row in CONTRASTS}
#: Chains of ten tasks by their Pass@2 in tenths.
TEN = ["1" * depth + ("x" + "-" * (9 - depth) if depth < 10 else "") for depth in range(11)]


def chains(*depths: int) -> list[str]:
    return [TEN[depth] for depth in depths]


def compared(made, name="C1−C0", skill="target", delivery="prompt"):
    found = contrast(made, skill, "noop", delivery, *BY_NAME[name])
    assert found is not None
    return found


def everything(seed: int, projects: str = "abcdefgh", replicates: int = 3):
    """Three arms with random depths and tokens on every project; C2 partners differ."""
    draw = random.Random(seed)
    rows = []
    for at, project in enumerate(projects):
        for condition in ("C0", "C1", "C2"):
            for replicate in range(replicates):
                injected = f"partner{at % 6}" if condition == "C2" else None
                chain, tokens = TEN[draw.randint(0, 10)], draw.randint(500, 5000)
                rows += row(project, condition, chain, first=replicate, tokens=tokens, injected=injected)
    return rows


FAMILIES = {"a": "one", "b": "one", "c": "one", "d": "two", "e": "two"}


@pytest.mark.parametrize("seed", range(4))
def test_the_total_effect_is_that_of_length_and_content(tmp_path, seed):
    made = audit(tmp_path, everything(seed), FAMILIES)
    for part in ("difference", "rho"):
        total, length, content = (compared(made, name)[part]["estimate"] for name in ("C1−C0", "C2−C0", "C1−C2"))
        assert total == pytest.approx(length + content, abs=1e-12), part
        assert total != pytest.approx(0, abs=1e-6), part


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_is_over_family_means(tmp_path, seed):
    rows = everything(seed)
    found = compared(audit(tmp_path, rows, FAMILIES))
    depth = {
        (project, condition): [
            item.records[0].tasks for item in rows if (item.spec.project, item.spec.condition) == (project, condition)
        ]
        for project in "abcdefgh"
        for condition in ("C0", "C1")
    }
    share = {key: sum(sum(t.outcome == "solved" for t in tasks) / 10 for tasks in runs) / 3 for key, runs in depth.items()}
    groups: dict[str, list[float]] = {}
    for project in "abcdefgh":
        groups.setdefault(FAMILIES.get(project, project), []).append(share[project, "C1"] - share[project, "C0"])
    means = [sum(values) / len(values) for values in groups.values()]
    low, high = DescrStatsW(means).tconfint_mean()
    assert len(means) == 5 == found["difference"]["families"]
    assert found["difference"]["estimate"] == pytest.approx(sum(means) / 5)
    assert (found["difference"]["low"], found["difference"]["high"]) == pytest.approx((low, high))


def test_families_are_averaged_not_pairs(tmp_path):
    """Family one: +0.5 and +0.1, mean +0.3; family two: −0.3. Their mean is 0; that of the pairs would be +0.1."""
    rows = [
        *row("a", "C0", *chains(2)),
        *row("a", "C1", *chains(7)),
        *row("b", "C0", *chains(5)),
        *row("b", "C1", *chains(6)),
        *row("c", "C0", *chains(8)),
        *row("c", "C1", *chains(5)),
    ]
    found = compared(audit(tmp_path, rows, {"a": "one", "b": "one", "c": "two"}))
    assert found["families"] == pytest.approx({"one": 0.3, "two": -0.3})
    assert found["difference"]["estimate"] == pytest.approx(0)
    assert found["difference"]["families"] == 2


def test_replicates_are_averaged_before_projects(tmp_path):
    """C0 0.2 and 0.6 against five of C1 at 1.0 on a: +0.6. On b 0.5 against 0.5: 0. Mean +0.3, whatever the counts."""
    rows = [
        *row("a", "C0", *chains(2, 6)),
        *row("a", "C1", *chains(10, 10, 10, 10, 10)),
        *row("b", "C0", *chains(5)),
        *row("b", "C1", *chains(5)),
    ]
    found = compared(audit(tmp_path, rows))
    assert found["difference"]["estimate"] == pytest.approx(0.3)
    assert found["replicates"] == 1


def test_broken_trials_are_never_zeros(tmp_path):
    rows = [
        *row("a", "C0", *chains(5, 5)),
        *row("a", "C1", *chains(8)),
        *row("a", "C1", *chains(0, 0), first=1, status="broken", reason="x"),
        *row("a", "C1", *chains(0), first=3, status="not_delivered", reason="x"),
        *row("a", "C1", None, first=4),
    ]
    made = audit(tmp_path, rows)
    found = compared(made)
    assert found["difference"]["estimate"] == pytest.approx(0.3) and found["replicates"] == 1
    line = arm(made, "target", "noop", "prompt", "C1")
    assert line and [line[name] for name in ("planned", "measured", "broken", "not_delivered", "not_run")] == [5, 1, 2, 1, 1]
    assert line["metrics"]["pass2"] == pytest.approx(0.8) and line["metrics"]["tokens"] == 1000


def test_a_project_whose_arm_is_all_broken_is_left_out_of_both_arms(tmp_path):
    rows = [
        *row("a", "C0", *chains(5)),
        *row("a", "C1", *chains(6)),
        *row("b", "C0", *chains(9)),
        *row("b", "C1", *chains(0), status="broken", reason="x"),
    ]
    found = compared(audit(tmp_path, rows))
    assert found["difference"]["estimate"] == pytest.approx(0.1) and found["difference"]["families"] == 1


def test_an_arm_that_is_not_planned_gives_no_contrast(tmp_path):
    made = audit(tmp_path, [*row("a", "C0", *chains(5)), *row("a", "C1", *chains(6))])
    assert contrast(made, "target", "noop", "prompt", *BY_NAME["C2−C0"]) is None
    assert contrast(made, "target", "noop", "prompt", *BY_NAME["C1−C2"]) is None
    assert arm(made, "target", "noop", "prompt", "C2") is None


@pytest.mark.parametrize("status", [None, "broken"])
def test_an_arm_without_a_measurement_gives_none_with_a_reason(tmp_path, status):
    treated = row("a", "C1", None, None) if status is None else row("a", "C1", *chains(5), status=status, reason="x")
    made = audit(tmp_path, [*row("a", "C0", *chains(5)), *treated])
    found = compared(made)
    for part in ("difference", "rho"):
        assert found[part]["estimate"] is None and found[part]["low"] is None and found[part]["reason"]
    assert found["rho_of_pairs"] is None and found["families"] == {} and found["replicates"] == 0
    line = arm(made, "target", "noop", "prompt", "C1")
    assert line and set(line["metrics"].values()) == {None} and line["interval"]["estimate"] is None


def test_a_historical_baseline_is_in_no_contrast(tmp_path):
    rows = [
        *row("a", "C0", *chains(0), started=NOON - 3 * DAY),
        *row("a", "C0", *chains(5), first=1),
        *row("a", "C1", *chains(6)),
    ]
    made = audit(tmp_path, rows)
    assert compared(made)["difference"]["estimate"] == pytest.approx(0.1)
    line = arm(made, "target", "noop", "prompt", "C0")
    assert line and (line["historical"], line["measured"], line["metrics"]["pass2"]) == (1, 1, 0.5)


def test_only_historical_baselines_give_none(tmp_path):
    rows = [*row("a", "C0", *chains(5), started=NOON - 3 * DAY), *row("a", "C1", *chains(6))]
    assert compared(audit(tmp_path, rows))["difference"]["estimate"] is None


def test_zero_spread_gives_no_interval(tmp_path):
    rows = [item for p in "abcdef" for item in (*row(p, "C0", *chains(5, 5, 5)), *row(p, "C1", *chains(7, 7, 7)))]
    found = compared(audit(tmp_path, rows))
    assert found["difference"]["estimate"] == pytest.approx(0.2)
    assert found["difference"]["low"] is None and found["difference"]["reason"]
    assert found["difference"]["p_signflip"] == 2 / 64
    assert found["rho"]["estimate"] == 0 and found["rho"]["low"] is None and found["rho"]["reason"]


@pytest.mark.parametrize(("looks", "level"), [(1, 0.95), (2, 0.975), (5, 0.99)])
def test_looks_share_the_level(tmp_path, looks, level):
    made = audit(tmp_path, everything(1), looks=looks)
    line = arm(made, "target", "noop", "prompt", "C1")
    assert line and line["interval"]["level"] == pytest.approx(level)
    assert compared(made)["difference"]["level"] == pytest.approx(level) == compared(made)["rho"]["level"]


def test_the_overhead_is_a_ratio_of_sums(tmp_path):
    """Means a: C0 1000, C1 1500; b: C0 3000, C1 3300. Σ 4800 − Σ 4000 over 4000 = 0.2; pairs: (0.5 + 0.1) / 2 = 0.3."""
    rows = [
        *row("a", "C0", *chains(5), tokens=800),
        *row("a", "C0", *chains(5), tokens=1200, first=1),
        *row("a", "C1", *chains(5), tokens=1500),
        *row("b", "C0", *chains(5), tokens=3000),
        *row("b", "C1", *chains(5), tokens=3300),
        *row("b", "C2", *chains(5), tokens=2800),
    ]
    made = audit(tmp_path, rows)
    found = compared(made)
    assert found["rho"]["estimate"] == pytest.approx(0.2) and found["rho_of_pairs"] == pytest.approx(0.3)
    # Against C2 the denominator stays C0's, so that the three add up; the mean of pair ratios is not defined for it.
    content = compared(made, "C1−C2")
    assert content["rho"]["estimate"] == pytest.approx(500 / 3000) and content["rho_of_pairs"] is None


def test_tokens_that_were_not_measured_leave_the_overhead_out_and_not_the_effect(tmp_path):
    rows = [*row("a", "C0", *chains(5)), *row("a", "C1", *chains(6), tokens=None)]
    found = compared(audit(tmp_path, rows))
    assert found["rho"]["estimate"] is None and found["rho"]["reason"]
    assert found["difference"]["estimate"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("projects", "replicates", "words"),
    [("abcdef", 3, []), ("abcde", 3, ["5 families"]), ("abcdef", 2, ["2 replicates"]), ("a", 1, ["1 family", "1 replicate"])],
)
def test_too_little_for_a_verdict_is_a_caution(tmp_path, projects, replicates, words):
    found = compared(audit(tmp_path, everything(1, projects, replicates)))
    assert all(word in (found["caution"] or "") for word in words)
    assert (found["caution"] is None) == (not words)


def test_projects_of_one_family_do_not_make_up_for_families(tmp_path):
    found = compared(audit(tmp_path, everything(1), dict.fromkeys("abcdefgh", "one")))
    assert "1 family" in found["caution"] and found["difference"]["low"] is None


@pytest.mark.parametrize(("projects", "few"), [("abcde", False), ("abcd", True)])
def test_few_partners_name_no_mechanism(tmp_path, projects, few):
    made = audit(tmp_path, everything(1, projects))
    for name in ("C2−C0", "C1−C2"):
        found = compared(made, name)
        assert found["partners"] == [f"partner{at}" for at in range(len(projects))]
        assert ("names no mechanism" in found["caution"]) is few
    assert compared(made)["partners"] == [] and "mechanism" not in (compared(made)["caution"] or "")


def test_a_partner_that_was_never_measured_supports_nothing(tmp_path):
    rows = [
        *row("a", "C0", *chains(5)),
        *row("a", "C2", *chains(5), injected="good"),
        *row("b", "C0", *chains(5)),
        *row("b", "C2", None, injected="never"),
        *row("c", "C2", *chains(5), injected="alone"),
    ]
    assert compared(audit(tmp_path, rows), "C2−C0")["partners"] == ["good"]


def test_skills_and_agents_are_told_apart(tmp_path):
    rows = [
        *row("a", "C0", *chains(5), targets=("one", "two")),
        *row("a", "C1", *chains(7), targets=("one",), injected="one"),
        *row("a", "C1", *chains(2), targets=("two",), injected="two"),
    ]
    made = audit(tmp_path, rows)
    found = {skill: compared(made, skill=skill)["difference"]["estimate"] for skill in ("one", "two")}
    assert found == pytest.approx({"one": 0.2, "two": -0.3})
    assert contrast(made, "one", "nobody", "prompt", *BY_NAME["C1−C0"]) is None


def test_an_arms_line_averages_families(tmp_path):
    rows = [*row("a", "C1", *chains(2, 4)), *row("b", "C1", *chains(9)), *row("c", "C1", *chains(6), limit="seconds")]
    line = arm(audit(tmp_path, rows, {"a": "one", "b": "one"}), "target", "noop", "prompt", "C1")
    assert line is not None
    # a 0.3 and b 0.9 make family one 0.6; c is 0.6.
    assert line["metrics"]["pass2"] == pytest.approx(0.6) and line["metrics"]["tcd"] == pytest.approx(6)
    assert (line["projects"], line["limited"], line["injected"], line["interval"]["families"]) == (3, 1, ["target"], 2)


def test_any_at_k_over_replicates_is_by_enumeration(tmp_path):
    runs = ["11x-", "1x--", "x---", "1112"]
    made = audit(tmp_path, row("a", "C1", *runs))
    line = arm(made, "target", "noop", "prompt", "C1")
    chances = any_at(made.arm("target", "noop", "prompt", "C1"), {"a": "family of a"})
    solved = [[letter in "12" for letter in run] for run in runs]
    for k in (1, 2, 3):
        draws = list(combinations(solved, k))
        shares = [sum(any(run[task] for run in draw) for draw in draws) / len(draws) for task in range(4)]
        assert chances[k] == pytest.approx(sum(shares) / 4)
    assert chances[1] == line["metrics"]["pass2"]


def test_any_at_k_needs_k_replicates_on_every_project(tmp_path):
    rows = [*row("a", "C1", "11", "1x"), *row("b", "C1", "11")]
    items = audit(tmp_path, rows).arm("target", "noop", "prompt", "C1")
    chances = any_at(items, {item.project: item.family for item in items})
    assert chances[1] == pytest.approx((0.75 + 1) / 2) and chances[2] is None


def test_deliveries_are_never_pooled_and_share_their_baseline(tmp_path):
    rows = [
        *row("a", "C0", *chains(5, 5)),
        *row("a", "C1", *chains(8, 8)),
        *row("a", "C1", *chains(2, 4), delivery="native"),
        *row("a", "C1", None, delivery="forced"),
    ]
    made = audit(tmp_path, rows)
    found = {
        delivery: compared(made, delivery=delivery)["difference"]["estimate"] for delivery in ("prompt", "native", "forced")
    }
    assert found == {"prompt": pytest.approx(0.3), "native": pytest.approx(-0.2), "forced": None}
    for delivery, planned in (("prompt", 2), ("native", 2), ("forced", 1)):
        line = arm(made, "target", "noop", delivery, "C1")
        zero = arm(made, "target", "noop", delivery, "C0")
        assert line and zero and (line["delivery"], line["planned"], zero["measured"]) == (delivery, planned, 2)


def test_each_delivery_has_the_baseline_of_its_own_time(tmp_path):
    rows = [
        *row("a", "C0", *chains(5)),
        *row("a", "C1", *chains(8)),
        *row("a", "C1", *chains(8), delivery="native", started=NOON + 9 * DAY),
    ]
    made = audit(tmp_path, rows)
    assert compared(made)["difference"]["estimate"] == pytest.approx(0.3)
    assert compared(made, delivery="native")["difference"]["estimate"] is None
