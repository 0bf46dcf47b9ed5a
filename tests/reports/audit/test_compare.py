import json
import math
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmark.core.model import Usage
from reports.audit.compare import pareto
from reports.audit.pairs import paired
from reports.audit.permutations import split_half
from reports.output.write import results
from reports.stats.statistics import ratio_interval
from tests.factory import audit, row
from tests.reports.as_json import matrix, quality_and_cost
from tests.reports.lines import verdict

TEN = ["1" * depth + ("x" + "-" * (9 - depth) if depth < 10 else "") for depth in range(11)]
PROJECTS: tuple[str, ...] = ("a", "b", "c", "d", "e", "f")


def chains(*depths):
    return [TEN[depth] for depth in depths]


def model(name) -> Any:
    return {"agent": {"name": "web", "model": f"provider/{name}"}}


def label(name):
    return f"web-provider-{name}"


def lines(made):
    return results(made).contrasts


def tables(made, verdicts=()):
    return matrix(made, lines(made), verdicts)["tables"]


def two_models(effects, base=(4, 4, 4), replicates=3):
    """By model the depths that C1 adds on each project; C0 solves four tasks everywhere."""
    rows = []
    for name, gains in effects.items():
        for project, gain in zip(PROJECTS, gains, strict=False):
            rows += row(project, "C0", *chains(*base[:replicates]), **model(name))
            rows += row(project, "C1", *chains(*[4 + gain] * replicates), **model(name))
    return rows


# The matrix


def test_r_of_two_models_by_hand(tmp_path):
    """Differences 0.1, 0.2, 0.3 and 0.2, 0.1, 0.6: deviations −1, 0, 1 and −1, −2, 3 tenths: r = 4 / √(2 · 14)."""
    made = audit(tmp_path, two_models({"one": (1, 2, 3), "two": (2, 1, 6)}))
    (table,) = tables(made)
    (found,) = table["correlations"]
    assert found["agents"] == [label("one"), label("two")] == table["agents"]
    assert found["r"] == pytest.approx(4 / math.sqrt(28)) and found["n"] == 3 and found["reason"] is None


def test_r_is_over_the_pairs_that_both_models_measured(tmp_path):
    rows = two_models({"one": (1, 2, 3, -4, 5), "two": (2, 1, 6, 3)})
    rows += row("e", "C0", *chains(4), **model("two"))
    rows += row("e", "C1", *chains(0), status="broken", reason="x", **model("two"))
    (found,) = tables(audit(tmp_path, rows))[0]["correlations"]
    assert found["n"] == 4
    assert found["r"] == pytest.approx(np.corrcoef([1, 2, 3, -4], [2, 1, 6, 3])[0, 1], abs=1e-9)


@pytest.mark.parametrize(
    ("effects", "words"),
    [({"one": (1, 2), "two": (2, 1)}, "2 common pairs"), ({"one": (1, 1, 1), "two": (1, 2, 3)}, "no spread")],
)
def test_too_little_gives_no_r_with_the_reason(tmp_path, effects, words):
    (found,) = tables(audit(tmp_path, two_models(effects)))[0]["correlations"]
    assert found["r"] is None and words in found["reason"] and found["reading"] == "cannot tell"


def test_one_model_has_no_matrix_and_a_grid(tmp_path):
    made = audit(tmp_path, two_models({"one": (1, 2, 3)}))
    found = matrix(made, lines(made))
    assert found["tables"][0]["correlations"] == [] and "two" in found["reason"]
    assert found["tables"][0]["grid"][0]["cells"][0]["estimate"] == pytest.approx(0.2)


def noisy(seed, spread, replicates=6):
    """Two models whose true effects agree, with chains that vary by `spread` tasks about them."""
    draw = random.Random(seed)
    rows = []
    for name in ("one", "two"):
        for at, project in enumerate(PROJECTS):
            for arm, centre in (("C0", 4), ("C1", 2 + at)):
                depths = [min(10, max(0, centre + draw.randint(-spread, spread))) for _ in range(replicates)]
                rows += row(project, arm, *chains(*depths), **model(name))
    return rows


def test_reliable_halves_let_a_correlation_speak(tmp_path):
    made = audit(tmp_path, noisy(1, 1))
    (found,) = tables(made)[0]["correlations"]
    assert found["reading"] is None and found["r"] > 0.8
    for name, half in zip(("one", "two"), found["reliability"], strict=True):
        expected = split_half(paired(made, label(name), "prompt", ("C1", "C0"))[0], "pass2")
        assert half["value"] == pytest.approx(expected.value) and half["value"] > 0.5 and half["pairs"] == 6
    assert found["noise"]["low"] < 0 < found["noise"]["high"] < found["r"]


def test_one_replicate_has_no_halves_and_cannot_tell(tmp_path):
    made = audit(tmp_path, two_models({"one": (1, 2, 3), "two": (1, 2, 3)}, replicates=1))
    (found,) = tables(made)[0]["correlations"]
    assert found["r"] == pytest.approx(1) and found["reading"] == "cannot tell"
    assert found["reliability"][0]["value"] is None and found["reliability"][0]["reason"]


def test_unreliable_halves_cannot_tell(tmp_path):
    """Every pair has the same true effect: what differs is noise, and the halves do not agree."""
    draw = random.Random(5)
    rows = [
        made
        for name in ("one", "two")
        for project in PROJECTS
        for arm in ("C0", "C1")
        for made in row(project, arm, *chains(*(draw.randint(2, 8) for _ in range(4))), **model(name))
    ]
    (found,) = tables(audit(tmp_path, rows))[0]["correlations"]
    one, two = (half["value"] for half in found["reliability"])
    assert 0 < one < 0.5 < two and found["reading"] == "cannot tell"


def test_the_grid_has_a_row_a_skill_and_a_column_a_model(tmp_path):
    rows = [
        *row("a", "C0", *chains(4, 4), targets=("x", "y"), **model("one")),
        *row("a", "C1", *chains(6, 8), targets=("x",), injected="x", **model("one")),
        *row("a", "C1", *chains(3, 3), targets=("y",), injected="y", **model("one")),
        *row("a", "C0", *chains(5, 5), targets=("x",), **model("two")),
        *row("a", "C1", *chains(5, 6), targets=("x",), injected="x", **model("two")),
    ]
    grid = {line["skill"]: line["cells"] for line in tables(audit(tmp_path, rows))[0]["grid"]}
    assert {name: [cell["estimate"] for cell in cells] for name, cells in grid.items()} == {
        "x": [pytest.approx(0.3), pytest.approx(0.05)],
        "y": [pytest.approx(-0.1), None],
    }
    assert grid["y"][1]["reason"] == "not planned"
    cell = grid["x"][0]
    assert (cell["families"], cell["replicates"], cell["coverage"]["treated"]["measured"]) == (1, 2, 2)
    assert "1 family" in cell["caution"] and cell["low"] is None and cell["reason"]


def test_the_grid_shows_the_verdicts_interval_where_there_is_one(tmp_path):
    made = audit(tmp_path, two_models({"one": (1, 2, 3), "two": (2, 1, 6)}))
    scope = "ON THESE PROJECTS ONLY"
    spoken = verdict(agent=label("one"), estimate=0.21, low=0.1, high=0.32, level=0.975, scope=scope, word="HELPS")
    one, two = tables(made, [spoken])[0]["grid"][0]["cells"]
    assert (one["estimate"], one["low"], one["high"], one["level"], one["scope"]) == (0.21, 0.1, 0.32, 0.975, scope)
    assert two["level"] == 0.95 and two["estimate"] == pytest.approx(0.3)
    # A word needs its model, version and date beside it: the grid has none.
    assert "word" not in one
    undelivered = replace(spoken, estimate=None, low=None, high=None)
    assert tables(made, [undelivered])[0]["grid"][0]["cells"][0]["estimate"] == pytest.approx(0.2)


def test_deliveries_have_tables_of_their_own(tmp_path):
    rows = [*row("a", "C0", *chains(4)), *row("a", "C1", *chains(6)), *row("a", "C1", *chains(9), delivery="native")]
    found = {table["delivery"]: table["grid"][0]["cells"][0]["estimate"] for table in tables(audit(tmp_path, rows))}
    assert found == {"prompt": pytest.approx(0.2), "native": pytest.approx(0.5)}


# Quality against cost


def test_the_front_is_what_nothing_dominates():
    points = [(0.5, 10.0), (0.7, 20.0), (0.6, 30.0), (0.5, 12.0), (0.4, 5.0), (0.7, 20.0), (0.4, 4.0)]
    assert pareto(points) == [True, True, False, False, False, True, True]


def test_a_point_without_a_number_is_not_placed_and_dominates_nothing():
    points = [(0.5, 10.0), (None, 1.0), (0.9, None), (math.nan, 1.0), (0.9, math.nan), (0.9, -math.inf)]
    assert pareto(points) == [True, None, None, None, None, None]
    assert pareto([]) == []


@pytest.mark.parametrize("seed", range(5))
def test_the_front_by_brute_force(seed):
    draw = random.Random(seed)
    points = [(draw.randint(0, 4) / 4, float(draw.randint(1, 5))) for _ in range(12)]
    for point, on_front in zip(points, pareto(points), strict=True):
        better = [(q, c) for q, c in points if (q > point[0] and c <= point[1]) or (q >= point[0] and c < point[1])]
        assert on_front == (not better)


def front(made, skill="target"):
    found = next(line for line in quality_and_cost(made, lines(made)) if line["skill"] == skill)
    return found, {(line["agent"], line["condition"]): line for line in found["arms"]}


def test_arms_of_all_agents_by_quality_and_cost(tmp_path):
    """Family means of (a, b) and c. one/C0: 0.4 at 1000 tokens; one/C1: ((0.6 + 0.8) / 2 + 0.5) / 2 = 0.6."""
    rows = []
    for name, depths, tokens in (("one", (6, 8, 5), 3000), ("two", (4, 4, 4), 5000)):
        for project, depth in zip("abc", depths, strict=True):
            rows += row(project, "C0", *chains(4, 4), tokens=tokens - 2000, **model(name))
            rows += row(project, "C1", *chains(depth, depth), tokens=tokens, **model(name))
    made = audit(tmp_path, rows, {"a": "f", "b": "f", "c": "g"})
    found, arms = front(made)
    assert found["unit"] == "USD" and found["projects"] == ["a", "b", "c"] and found["left_out"] == []
    expected = {
        (label("one"), "C0"): (0.4, 0.001, True),
        (label("one"), "C1"): (0.6, 0.003, True),
        (label("two"), "C0"): (0.4, 0.003, False),
        (label("two"), "C1"): (0.4, 0.005, False),
    }
    for key, (quality, cost, on_front) in expected.items():
        assert (arms[key]["quality"], arms[key]["cost"]) == (pytest.approx(quality), pytest.approx(cost))
        assert arms[key]["front"] is on_front and arms[key]["coverage"]["measured"] == 6
    assert "point estimates" in found["note"] and "different prices" not in found["note"]


def unpriced(tokens) -> Any:
    return {"usage": Usage(prompt_tokens=tokens, cached_tokens=0, completion_tokens=0, source="provider")}


def test_one_trial_without_a_price_counts_all_in_tokens(tmp_path):
    rows = [
        *row("a", "C0", *chains(4), tokens=1000, **model("one")),
        *row("a", "C1", *chains(6), **unpriced(2500), **model("one")),
        *row("a", "C0", *chains(5), tokens=700, **model("two")),
    ]
    found, arms = front(audit(tmp_path, rows))
    assert found["unit"] == "tokens" and "different prices" in found["note"]
    assert {key[1]: line["cost"] for key, line in arms.items() if key[0] == label("one")} == {"C0": 1000, "C1": 2500}


def test_what_costs_nothing_is_told_apart_by_tokens(tmp_path):
    free: Any = {"usage": unpriced(900)["usage"].model_copy(update={"usd": 0.0})}
    found, arms = front(audit(tmp_path, [*row("a", "C0", *chains(4), **free), *row("a", "C1", *chains(6), **free)]))
    assert found["unit"] == "tokens" and arms["noop", "C1"]["cost"] == 900


def test_a_cost_that_was_not_measured_everywhere_is_none_with_the_reason(tmp_path):
    rows = [*row("a", "C0", *chains(4, 5), tokens=1000), *row("a", "C1", *chains(6), tokens=None)]
    found, arms = front(audit(tmp_path, rows))
    assert found["unit"] is None and found["reason"] == "1 of 3 measured trials have no count of tokens"
    for line in arms.values():
        assert (line["cost"], line["front"], line["reason"]) == (None, None, found["reason"]) and line["quality"] is not None


def test_an_arm_without_a_measurement_is_named_and_hides_no_project(tmp_path):
    rows = [*row("a", "C0", *chains(4), tokens=9), *row("a", "C1", *chains(6)), *row("a", "C2", None, injected="rope")]
    found, arms = front(audit(tmp_path, rows))
    assert found["projects"] == ["a"] and arms["noop", "C0"]["front"] is True
    line = arms["noop", "C2"]
    assert (line["quality"], line["cost"], line["front"], line["reason"]) == (
        None,
        None,
        None,
        "no trial of this arm was measured",
    )


def test_arms_are_compared_on_the_projects_that_all_have(tmp_path):
    rows = [
        *row("easy", "C0", *chains(9)),
        *row("hard", "C0", *chains(1)),
        *row("easy", "C1", *chains(8)),
        *row("hard", "C1", *chains(0), status="broken", reason="x"),
    ]
    found, arms = front(audit(tmp_path, rows))
    assert found["projects"] == ["easy"] and found["left_out"] == ["hard"]
    assert {key[1]: line["quality"] for key, line in arms.items()} == {"C0": 0.9, "C1": 0.8}


def test_arms_that_share_no_project_are_not_compared(tmp_path):
    found, arms = front(audit(tmp_path, [*row("a", "C0", *chains(9)), *row("b", "C1", *chains(8))]))
    assert found["projects"] == [] and found["left_out"] == ["a", "b"]
    for line in arms.values():
        assert line["quality"] is None and line["front"] is None and line["reason"] == "no project was measured in all arms"


def priced(gains, extra=2000):
    """Six families: C0 solves 2 tasks at 1000 tokens; C1 solves `gains` more at `extra` tokens more."""
    rows = []
    for project, gain in zip(PROJECTS, gains, strict=True):
        rows += row(project, "C0", *chains(2, 2, 2), tokens=1000)
        rows += row(project, "C1", *chains(*[2 + gain] * 3), tokens=1000 + extra)
    return rows


def test_the_cost_of_an_extra_task_where_the_gain_is_clear(tmp_path):
    """Gains of 1, 2, 3, 1, 2, 3 tasks: 12 in six families for 6 × 2,000 tokens at $1 a million: $0.001 a task."""
    made = audit(tmp_path, priced((1, 2, 3, 1, 2, 3)))
    (extra,) = front(made)[0]["extra"]
    assert extra["unit"] == "USD" and extra["value"] == pytest.approx(0.001)
    treated, base = (dict.fromkeys(PROJECTS, usd) for usd in (0.003, 0.001))
    expected = ratio_interval(treated, base, dict(zip(PROJECTS, (1, 2, 3, 1, 2, 3), strict=True)), 0.95)
    assert (extra["low"], extra["high"]) == (pytest.approx(expected.low), pytest.approx(expected.high))
    assert extra["reason"] is None


@pytest.mark.parametrize(
    ("gains", "tokens", "words"),
    [
        ((1, -1, 2, -2, 1, 0), 2000, "the interval of the gain includes zero"),
        ((-1, -2, -1, -2, -1, -2), 2000, "fewer tasks were solved"),
        ((2, 2, 2, 2, 2, 2), 2000, "the gain has no interval"),
        ((1, 2, 3, 1, 2, 3), -500, "more tasks were solved at no more cost"),
    ],
)
def test_no_cost_of_an_extra_task_without_a_clear_gain(tmp_path, gains, tokens, words):
    (extra,) = front(audit(tmp_path, priced(gains, tokens)))[0]["extra"]
    assert extra["value"] is None and extra["reason"] == words and extra["coverage"]["treated"]["measured"] == 18


def test_the_verdicts_interval_decides_whether_a_gain_is_priced(tmp_path):
    made = audit(tmp_path, priced((1, 2, 3, 1, 2, 3)))
    (found,) = quality_and_cost(made, lines(made), [verdict(estimate=0.2, low=-0.01, high=0.41)])
    assert found["extra"][0]["value"] is None and "includes zero" in found["extra"][0]["reason"]


def test_a_gain_whose_cost_is_not_known_says_so(tmp_path):
    rows = [item for item in priced((1, 2, 3, 1, 2, 3)) if (item.spec.project, item.spec.condition) != ("a", "C1")]
    rows += row("a", "C1", *chains(3, 3, 3), tokens=None)
    (extra,) = front(audit(tmp_path, rows))[0]["extra"]
    assert extra["value"] is None and extra["unit"] is None and "3 of 36 measured trials" in extra["reason"]


def test_an_arm_that_is_not_planned_has_no_price(tmp_path):
    (extra,) = front(audit(tmp_path, row("a", "C0", *chains(9))))[0]["extra"]
    assert extra["reason"] == "C1 and C0 are not both planned"


def test_all_of_it_is_json(tmp_path):
    made = audit(tmp_path, [*noisy(2, 2), *row("a", "C2", *chains(1), injected="rope", **model("one"))])
    found = [matrix(made, lines(made)), quality_and_cost(made, lines(made))]
    assert json.loads(json.dumps(found, allow_nan=False)) == found
