"""Whole runs of pytest and `assay` over a checkout of Web-Bench: the protocol in the records, resuming, grading again."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from benchmark.store.store import Store
from benchmark.suite.contract import Grading
from benchmark.suite.discovery import suite_of
from tests.benchmark.webdev.webbench.conftest import SMALL, cut
from tests.test_runs import ROOT, clean, run

PANEL = """
suite = "webdev"
replicates = 1
projects = {projects}
conditions = ["C0"]
[webdev]
webbench = "{checkout}"
"""
AGENT = '[[agents]]\nname = "{}"\n'

pytestmark = pytest.mark.docker


def assay(*arguments: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "benchmark.cli.main", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env=clean(), capture_output=True, text=True, timeout=300)


def walk(folder: Path, checkout: Path, projects: list[str], *agents: str) -> None:
    """Run the panel of these projects and agents, in `folder`."""
    text = PANEL.format(checkout=checkout, projects=projects) + "".join(AGENT.format(name) for name in agents)
    (folder / "panel.toml").write_text(text, encoding="utf-8")
    done = run("-k", "webdev", "--panel", folder / "panel.toml", "--runs", folder / "runs", "-q", "-n", 0)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def walked(tmp_path_factory: pytest.TempPathFactory, docker_sandbox: object) -> Path:
    """A store with the chain of one that does nothing and of one that knows the final solution, of `init` and two tasks. The
    worker that comes to it first makes it; the others wait for it."""
    del docker_sandbox  # where there is no engine, it says so
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "webbench-runs"
    with FileLock(f"{folder}.lock"):
        if not (folder / "done").exists():
            shutil.rmtree(folder, ignore_errors=True)
            walk(folder, cut(shutil.copytree(SMALL, folder / "checkout"), 2), ["tally"], "noop", "reference")
            (folder / "done").touch()
    return folder


@pytest.fixture
def store(walked: Path, tmp_path: Path) -> Path:
    """A copy of that store, which a test may change, and the panel."""
    shutil.copytree(walked / "runs", tmp_path / "runs")
    shutil.copy(walked / "panel.toml", tmp_path)
    return tmp_path


def records(store: Path) -> dict[str, dict[str, Any]]:
    lines = [line for path in (store / "runs" / "records").glob("*.jsonl") for line in path.read_text().splitlines()]
    found = [json.loads(line) for line in lines]
    return {row["spec"]["agent"]["name"]: row for row in found}


def metrics(store: Path) -> dict[str, dict[str, Any]]:
    found = json.loads((store / "runs" / "report" / "results.json").read_text(encoding="utf-8"))
    return {row["agent"]: row["metrics"] for row in found["trials"]}


def test_the_reference_walks_the_chain_to_its_end(store: Path) -> None:
    record = records(store)["reference"]
    assert record["status"] == "measured" and record["task_count"] == 2
    assert [(task["task"], task["scored"], task["outcome"]) for task in record["tasks"]] == [
        (0, False, "solved"),
        (1, True, "solved"),
        (2, True, "solved"),
    ]
    last = record["tasks"][2]["attempts"][0]
    assert {check["task"] for check in last["checks"]} == {0, 1, 2} and not any(check["failure"] for check in last["checks"])


def test_a_failed_init_is_not_scored_costs_tokens_and_goes_on_from_the_files_held_ready(store: Path) -> None:
    record = records(store)["noop"]
    init, first, second = record["tasks"]
    assert [len(task["attempts"]) for task in record["tasks"]] == [2, 2, 0]
    assert (init["outcome"], first["outcome"], second["outcome"]) == ("unsolved", "unsolved", "not_reached")
    ready = json.loads(blob(store, first["attempts"][0]["workspace"]))
    assert list(ready) == ["index.html"]
    assert json.loads(blob(store, init["attempts"][0]["workspace"])) == {}
    assert record["usage"]["prompt_tokens"] == sum(
        attempt["usage"]["prompt_tokens"] for task in record["tasks"] for attempt in task["attempts"]
    )
    told = first["attempts"][0]["feedback"]
    assert told in blob(store, first["attempts"][1]["prompt"]).decode() and "three presses count three" in told
    # What ends the second attempt's run is its first failure.
    assert [bool(check["failure"]) for check in first["attempts"][1]["checks"]] == [True]


def blob(store: Path, digest: str) -> bytes:
    return (store / "runs" / "blobs" / digest[:2] / digest[2:]).read_bytes()


def test_the_numbers_are_web_benchs(store: Path) -> None:
    found = {name.split("-")[0]: values for name, values in metrics(store).items()}
    assert [found["reference"][name] for name in ("pass2", "pass1", "error1", "tcd")] == [1, 1, 0, 2]
    assert [found["noop"][name] for name in ("pass2", "pass1", "tcd")] == [0, 0, 0]
    assert found["noop"]["error1"] == pytest.approx(1 / 2)


def test_the_report_says_what_the_numbers_are_of(store: Path) -> None:
    facts = json.loads((store / "runs" / "report" / "results.json").read_text(encoding="utf-8"))["facts"]
    assert facts["playwright_of_the_specs"] == {"1.57.0": 2}
    assert next(iter(facts["web_bench"])).startswith(("commit", "a checkout"))


def test_the_same_command_runs_nothing_again(store: Path) -> None:
    before = records(store)
    done = run("-k", "webdev", "--panel", store / "panel.toml", "--runs", store / "runs", "-n", 0)
    assert done.returncode == 0 and "2 from the store" in done.stdout, done.stdout
    assert records(store) == before


def test_it_is_graded_again_from_the_store_without_the_checkout(store: Path) -> None:
    done = assay("regrade", "--runs", store / "runs", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"unchanged": 2, "regraded": [], "rerun": []}


def test_another_grader_comes_to_the_same(store: Path, docker_sandbox: Any) -> None:
    kept = Store(store / "runs")
    record = next(kept.read(entry) for entry in kept.entries() if kept.read(entry).spec.agent.name == "reference")
    again = suite_of(record.spec, kept).regrade(record, Grading(docker_sandbox, kept, key="another grader"))
    assert again is not None and len(again) == 3
    for before, after in zip(record.tasks, again, strict=True):
        (left,), (right,) = before.attempts, after.attempts
        assert right.solved and not right.graded_before
        assert [(one.task, one.title) for one in left.checks] == [(one.task, one.title) for one in right.checks]


def test_mistakes_are_one_line_and_exit_2(tmp_path: Path) -> None:
    for arguments, words in {
        ("--webbench", str(tmp_path)): "is no checkout of Web-Bench",
        ("--webbench", str(SMALL), "--project", "tallly"): "did you mean tally",
        ("--webbench", str(SMALL), "--project", "tally", "--sandbox", "local"): "only in Docker",
    }.items():
        done = run("-k", "webdev", *arguments, "--runs", tmp_path / "runs")
        assert done.returncode == 2 and words in done.stderr and len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert not (tmp_path / "runs").exists()


def test_a_plan_names_the_checkouts_projects(tmp_path: Path) -> None:
    done = assay("plan", "--webbench", SMALL, "--project", "*", "--runs", tmp_path / "runs", "--json")
    assert done.returncode == 0, done.stderr
    names = {trial.split("/")[1] for trial in json.loads(done.stdout)["trial_ids"]}
    assert names == {"tally", "plant-board"} and not (tmp_path / "runs").exists()


@pytest.mark.nightly
def test_the_reference_walks_whole_chains_of_every_project_to_their_ends(tmp_path: Path, docker_sandbox: object) -> None:
    del docker_sandbox
    walk(tmp_path, SMALL, ["tally", "plant-board"], "reference")
    rows = [json.loads(line) for path in (tmp_path / "runs" / "records").glob("*.jsonl") for line in path.open()]
    assert sorted((row["spec"]["project"], row["status"], row["task_count"]) for row in rows) == [
        ("plant-board", "measured", 3),
        ("tally", "measured", 3),
    ]
    for row in rows:
        assert [(task["task"], task["outcome"], len(task["attempts"])) for task in row["tasks"]] == [
            (number, "solved", 1) for number in range(4)
        ]
        checks = row["tasks"][3]["attempts"][0]["checks"]
        assert {check["task"] for check in checks} == {0, 1, 2, 3} and not any(check["failure"] for check in checks)
