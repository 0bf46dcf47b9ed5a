"""Whole runs with C3 and L3: an effect that is planted in one slice is found there and nowhere else, in Docker as well."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.commands import run
from tests.model_server import serving
from tests.suites.runs import SUITES
from tests.test_gateway_runs import ANSWER
from tests.test_runs import records

#: The agent solves every task where the anti-patterns of the skill are before it, and none where they are not.
PANEL = """
suite = "{suite}"
replicates = 1
seed = 5
projects = ["{project}"]
skills = ["accessible-web-pages"]
conditions = ["C0", "C1", "C3:-rules", "C3:-antipatterns", "C3:-examples"]
[[agents]]
name = "planted"
[agents.options]
solve = 0.0
[agents.options.phrases]
"Never put a click handler on a" = 1.0
"""
SLICES = ("rules", "antipatterns", "examples")


def effect_of_a_slice(folder: Path, suite: str, project: str, metric: str, arms: Sequence[str]) -> Path:
    """Run the panel on a project; the store, in which the effect is that of the anti-patterns alone, in all of the arms."""
    panel, store = folder / "panel.toml", folder / "runs"
    panel.write_text(PANEL.format(suite=suite, project=project), encoding="utf-8")
    done = run("--panel", panel, "--runs", store, ASSAY_SUITES=str(SUITES))
    assert done.returncode == 0, done.stdout + done.stderr
    results: dict[str, Any] = json.loads((store / "report" / "results.json").read_text(encoding="utf-8"))
    solved = {line["condition"]: line["metrics"][metric] for line in results["arms"]}
    without = {f"{arm}:-{name}": float(name != "antipatterns") for arm in arms for name in SLICES}
    assert solved == {"C0": 0.0, "C1": 1.0, "C1:fresh": 1.0, **without}
    effects = {line["name"]: line["difference"]["estimate"] for line in results["contrasts"]}
    assert effects == {"C1−C0": 1.0, **{f"C1−{arm}": 1.0 - share for arm, share in without.items()}}
    assert "fresh C1 trials" in (store / "report" / "report.html").read_text(encoding="utf-8")
    rows: list[Any] = records(store)
    assert len({row["work"] for row in rows}) == len(rows) == 3 + len(without), "fresh trials are trials of their own"
    found = {row["spec"]["condition"]: row["spec"]["skill"]["size"] for row in rows if row["spec"]["skill"]}
    assert found["C1:fresh"] == found["C1"] == 3998
    assert found["C3:-rules"] == 3998 - 2723
    return store


def test_an_effect_in_one_slice_is_found_there_and_nowhere_else(tmp_path: Path):
    """On a task that is graded at once. The collection's tiers know no skill that could lend text for L3 there."""
    effect_of_a_slice(tmp_path, "relay", "amber-first", "carried", ["C3"])


@pytest.mark.nightly
def test_an_effect_in_one_slice_is_found_on_pages_with_filler_in_its_place(tmp_path: Path):
    """Ninety tasks in a browser."""
    store = effect_of_a_slice(tmp_path, "webdev", "bakery-page", "pass2", ["C3", "L3"])
    assert "L3:-antipatterns" in (store / "report" / "report.html").read_text(encoding="utf-8")
    rows: list[Any] = records(store)
    (filled,) = [row["spec"]["skill"]["size"] for row in rows if row["spec"]["condition"] == "L3:-rules"]
    assert abs(filled - 3998) <= 0.05 * 2723


@pytest.mark.nightly
@pytest.mark.docker
def test_slice_arms_run_in_docker_behind_the_gateway(tmp_path: Path):
    store = tmp_path / "runs"
    conditions = [word for name in ("C0", "C1", "C3:-antipatterns") for word in ("--condition", name)]
    with serving(ANSWER) as server:
        model = ["--agent", "web", "--model", "scripted", "--api-base", server.url]
        skill = ["--skill", "accessible-web-pages", "--project", "bakery-page", "--replicates", 1]
        done = run("--runs", store, *skill, *conditions, *model)
    assert done.returncode == 0, done.stdout + done.stderr
    rows: list[Any] = records(store)
    assert sorted((row["spec"]["condition"], row["status"]) for row in rows) == [
        (name, "measured") for name in ("C0", "C1", "C1:fresh", "C3:-antipatterns", "L3:-antipatterns")
    ]
    for row in rows:
        seen = [attempt["evidence"] for task in row["tasks"] for attempt in task["attempts"] if attempt["evidence"]]
        assert all(one["carrying"] == one["requests"] >= 1 for one in seen), row["spec"]["condition"]
    asked = [str(request) for request in server.requests]
    assert sum("Never put a click handler" in text for text in asked) == 4, "in C1 and C1:fresh, at both attempts"
