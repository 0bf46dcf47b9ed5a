import json

import pytest

from benchmark.store.store import Store
from tests import commands
from tests.factory import keep, row, skill, write_skill


def assay(cwd, *args, **env):
    return commands.assay(*args, cwd=cwd, **env)


def plan(cwd, *args):
    done = assay(cwd, "plan", "--json", *args)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_demo_is_planned_from_anywhere_and_nothing_is_written(tmp_path):
    data = plan(tmp_path)
    assert data["trials"] == sum(data["by_condition"].values()) == len(data["trial_ids"]) > 0
    assert data["families"] == 8 and data["usd"] == 0
    assert 19 < data["smallest_effect_points"] < 27
    assert list(tmp_path.iterdir()) == []


def test_a_plan_follows_the_command_line(tmp_path):
    write_skill(tmp_path, skill("mine", 4000))
    args = ["--agent", "reference", "--project", "bakery-page", "--skill", "./mine", "--replicates", 2]
    data = plan(tmp_path, *args, "--condition", "C0", "--condition", "C1")
    assert data["by_condition"] == {"C0": 2, "C1": 2}
    assert set(data["trial_ids"]) == {
        f"webdev/bakery-page/{name}/reference/r{at}" for name in ("no-skill/C0", "mine/C1") for at in (0, 1)
    }


def test_an_absent_arm_is_in_the_plan_with_its_reason(tmp_path):
    data = plan(tmp_path, "--skill", "responsive-pages", "--project", "bakery-page")
    (absent,) = data["absent_arms"]
    assert (absent["skill"], absent["condition"]) == ("responsive-pages", "C2") and absent["reason"]


def test_a_plan_for_people_names_trials_and_absent_arms(tmp_path):
    done = assay(tmp_path, "plan", "--skill", "responsive-pages")
    assert done.returncode == 0
    assert "18 trials" in done.stdout and "responsive-pages" in done.stdout and "C2" in done.stdout


@pytest.mark.parametrize(
    ("args", "names"),
    [
        (["plan", "--project", "bakery"], ["bakery-page"]),
        (["plan", "--skill", "css-layouts"], ["css-layout"]),
        (["plan", "--skill", "./gone"], ["gone"]),
        (["plan", "--agent", "referense"], ["reference"]),
        (["plan", "--agent", "web"], ["--model"]),
        (["plan", "--condition", "C9"], ["C9", "C0"]),
        (["plan", "--replicates", "0"], ["replicates"]),
        (["plan", "--replicates", "two"], ["--replicates"]),
        (["plan", "--panel", "gone.toml"], ["gone.toml"]),
        (["plan", "--colour"], ["--colour"]),
        (["plann"], ["plann"]),
        (["report"], ["runs"]),
        (["regrade", "--runs", "elsewhere"], ["elsewhere"]),
        (["validate", "--suite", "webdevs"], ["webdev"]),
        (["validate", "--project", "bakery"], ["bakery-page"]),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else None,
)
def test_a_mistake_is_one_line_and_exit_2(tmp_path, args, names):
    done = assay(tmp_path, *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith("assay: ")
    assert all(name in done.stderr for name in names)
    assert list(tmp_path.iterdir()) == []


def test_help_exits_0_and_names_the_commands(tmp_path):
    done = assay(tmp_path, "--help")
    assert done.returncode == 0
    assert all(name in done.stdout for name in ("doctor", "plan", "validate", "regrade", "report", "clean"))


def test_a_report_is_made_again_from_the_records(tmp_path):
    rows = [*row("alpha", "C0", "1x", "11"), *row("alpha", "C1", "11", "11")]
    keep(Store(tmp_path / "runs"), rows)
    done = assay(tmp_path, "report", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["contrasts"][0]["difference"]["estimate"] == 0.25
    assert json.loads((tmp_path / "runs/report/results.json").read_text())["coverage"]["measured"] == 4
    assert assay(tmp_path, "report", "--panel-hash", "ffff").returncode == 2


def test_doctor_reports_every_finding_with_advice_for_what_is_missing(tmp_path):
    # A PATH with nothing on it: no Node, no npm; whatever else is missing here must come with advice too.
    done = assay(tmp_path, "doctor", "--json", PATH="/nonexistent", DOCKER_HOST="unix:///nonexistent.sock")
    data = json.loads(done.stdout)
    assert done.returncode == 1 and not data["ok"]
    rows = {row["name"]: row for row in data["findings"]}
    assert not rows["node"]["ok"] and not rows["engine"]["ok"]
    assert all(bool(row["advice"]) != row["ok"] for row in rows.values())
