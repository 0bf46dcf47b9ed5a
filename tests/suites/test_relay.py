"""A trial that needs another runs after it, with what it made, and is broken where that is."""

import json
from pathlib import Path

from tests.suites.runs import SUITES, Whole, assay, records, run, write_panel

#: The relay with a track that can be wet: then no first runner can be graded, which is our side's fault.
WET = """
from pathlib import Path
from benchmark.core.errors import Fault
from benchmark.suite.discovery import suite_module

class Wet(suite_module("relay", "suite").Relay):
    name = "wet"

    def grade(self, project, files, grading):
        if project.endswith("first") and (Path(__file__).parent / "rain").exists():
            raise Fault("the track is wet")
        return super().grade(project, files, grading)

SUITE = Wet()
"""


def test_what_is_needed_is_planned_also_where_it_was_not_asked_for(tmp_path: Path) -> None:
    panel = write_panel(tmp_path, "relay", replicates=1, projects=["blue-second"], skills=["good"])
    found = json.loads(assay("plan", "--panel", panel, "--runs", tmp_path / "runs", "--json").out)["trial_ids"]
    assert [trial.split("/")[1] for trial in found] == ["blue-first"] * 2 + ["blue-second"] * 2


def test_a_record_names_the_workspace_that_it_started_from(relay: Whole) -> None:
    made = {row["spec"]["project"]: {} for row in relay.records}
    for row in relay.records:
        made[row["spec"]["project"]][arm(row)] = row
    for row in made["coral-second"].values():
        need = made["coral-first"][arm(row)]
        (name,) = row["needs"]
        assert name.startswith("relay/coral-first/")
        assert row["needs"][name] == need["tasks"][-1]["attempts"][-1]["workspace"]
        assert need["started"] <= row["started"], "it ran after what it needs"
    assert all(not row["needs"] for row in made["coral-first"].values())


def arm(row: dict) -> tuple[str, str | None, int]:
    """Skill, condition and replicate of a record."""
    spec = row["spec"]
    return spec["condition"], spec["skill"] and spec["skill"]["id"], spec["replicate"]


def test_every_needed_trial_ran_once_also_in_two_processes(relay: Whole) -> None:
    assert "2 workers" in relay.first.out
    works = [row["work"] for row in relay.records]
    assert len(works) == len(set(works)) == relay.kept[0]


def test_a_broken_trial_breaks_those_that_need_it_and_is_tried_once_a_run(tmp_path: Path) -> None:
    (tmp_path / "wet").mkdir()
    (tmp_path / "wet" / "suite.py").write_text(WET, encoding="utf-8")
    rain = tmp_path / "wet" / "rain"
    rain.touch()
    panel = write_panel(tmp_path, "wet", replicates=1, projects=["amber-second", "amber-first"], skills=["good"])
    arguments, store = ("--panel", panel, "--runs", tmp_path / "runs"), tmp_path / "runs"
    suites = f"{SUITES}:{tmp_path}"

    broken = run(*arguments, ASSAY_SUITES=suites)
    assert broken.code == 3, broken.all
    rows = records(store)
    reasons = {row["spec"]["project"]: row["reason"] for row in rows}
    assert [row["status"] for row in rows] == ["broken"] * 4, "each of them once"
    assert reasons["amber-first"] == "the track is wet"
    assert reasons["amber-second"].startswith("needs wet/amber-first/") and reasons["amber-second"].endswith("which is broken")
    assert "needs wet/amber-first/" in broken.out

    again = run(*arguments, "-n", "2", ASSAY_SUITES=suites)
    assert again.code == 3 and len(records(store)) == 8, "once more in a run of its own, whoever needs it"

    rain.unlink()
    dry = run(*arguments, ASSAY_SUITES=suites)
    assert dry.code == 0, dry.all
    assert [row["status"] for row in records(store)[8:]] == ["measured"] * 4
