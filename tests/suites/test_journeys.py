"""Every small suite goes from its plan through whole runs of pytest to grading again, alike in one process and in two."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.suites.runs import NAMES, ONE_PROCESS, PROJECTS, Whole, assay, write_panel

#: Trials on a project: C0 is shared by both skills and has ⌈3·√2⌉ replicates for it.
EACH = 5 + 3 + 3


def total(whole: Whole) -> int:
    """How many trials the plan has."""
    return EACH * len(PROJECTS[whole.suite])


@pytest.mark.parametrize("suite", NAMES)
def test_a_suite_is_planned_without_anything_being_written(suite: str, tmp_path: Path) -> None:
    panel = write_panel(tmp_path, suite, judge="http://127.0.0.1:9/v1" if suite == "essays" else "")
    done = assay("plan", "--panel", panel, "--runs", tmp_path / "runs", "--json")
    assert done.code == 0, done.all
    found = json.loads(done.out)
    projects = len(PROJECTS[suite])
    assert found["trials"] == len(found["trial_ids"]) == EACH * projects
    assert found["by_condition"] == {"C0": 5 * projects, "C1": 6 * projects}
    assert found["families"] == 6, "two runners are one family"
    assert all(trial.startswith(f"{suite}/") for trial in found["trial_ids"])
    waves = ["-second/" in trial for trial in found["trial_ids"]]
    assert waves == sorted(waves), "what others need comes before them"
    assert not (tmp_path / "runs").exists()


def test_a_run_measures_every_trial_and_its_gate_fails_for_the_skill_that_hurts(whole: Whole) -> None:
    said = whole.first
    assert said.code == 1, said.all
    assert whole.kept[0] == total(whole)
    assert f"{total(whole)} measured" in said.out
    assert ("2 workers" in said.out) == (whole.suite not in ONE_PROCESS)
    assert "gate holds for good, planted, prompt" in said.out and "gate failed for evil, planted, prompt" in said.out
    assert {row["status"] for row in whole.records} == {"measured"}
    coverage = whole.results["coverage"]
    assert coverage["planned"] == coverage["measured"] == total(whole) and coverage["broken"] == 0


def test_the_same_command_takes_everything_from_the_store_and_a_gate_that_holds_ends_well(whole: Whole) -> None:
    assert whole.again.code == 0, whole.again.all
    assert f"{total(whole)} from the store" in whole.again.out
    assert ("2 workers" in whole.again.out) == (whole.suite in ONE_PROCESS)
    assert "gate holds for good" in whole.again.out and "gate holds for evil" in whole.again.out
    assert whole.kept[1] == whole.kept[0] and whole.asked[1] == whole.asked[0]


def test_what_is_graded_as_today_is_not_graded_again(whole: Whole) -> None:
    assert whole.regraded.code == 0, whole.regraded.all
    found = json.loads(whole.regraded.out)
    assert found == {"unchanged": total(whole), "regraded": [], "rerun": []}
    assert whole.kept[2] == whole.kept[1] and whole.asked[2] == whole.asked[1]


def test_no_browser_and_no_playwright_is_needed(whole: Whole) -> None:
    """The runs had neither: see `runs.environment`."""
    assert not whole.playwright
    tools = {name for row in whole.records for name in row["resolved"]["versions"]}
    assert tools == ({"judge"} if whole.suite == "essays" else set())
    assert not re.search("browser|playwright|chromium", words(whole.first.out), re.IGNORECASE)


def words(terminal: str) -> str:
    """What is ours of the terminal: pytest names its plugins and its folder."""
    return "\n".join(line for line in terminal.splitlines() if not line.startswith(("plugins:", "benchmark:", "rootdir:")))


def test_junit_has_a_case_a_trial_and_one_a_gate(whole: Whole) -> None:
    root = ElementTree.parse(whole.store / "report" / "junit.xml").getroot()
    assert root.get("name") == f"assay {whole.suite}"
    gates = 2
    assert int(root.get("tests", "")) == total(whole) + gates
    assert (root.get("failures"), root.get("errors")) == ("0", "0")
    (evil,) = [suite for suite in root if suite.get("name", "").startswith("evil")]
    said = {item.get("name"): item.get("value", "") for item in evil.iter("property")}
    assert said["verdict"] == "HURTS" and said["sentence"].startswith("HURTS")
    assert -100 <= float(said["estimate_points"].replace("−", "-")) < 0


def test_allure_has_a_result_a_trial_named_by_the_suites_own_metric(whole: Whole) -> None:
    texts = [path.read_text("utf-8") for path in (whole.store / "report" / "allure-results").glob("*-result.json")]
    found = [one for text in texts if "what the suite adds" not in (one := json.loads(text))["name"]]
    assert len(texts) - len(found) == (whole.suite == "essays")
    metric = whole.results["metrics"][0]
    assert len(found) == total(whole)
    assert all(metric["title"] in one["name"] for one in found)
    values = [{item["name"]: item["value"] for item in one["parameters"]}[metric["name"]] for one in found]
    assert all(metric["low"] <= float(value) <= metric["high"] for value in values)
    assert {one["status"] for one in found} == {"passed"}, "a trial that was measured has passed"
    assert not [text for text in texts if re.search("browser|chain|chromium|pass@", text, re.IGNORECASE)]
