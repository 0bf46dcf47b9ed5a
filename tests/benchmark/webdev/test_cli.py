"""`assay webbench list` as a person types it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from benchmark.webdev.webbench.checkout import Checkout
from tests.benchmark.webdev.webbench.conftest import SMALL
from tests.test_runs import ROOT, clean


def assay(*words: object, path: str = "") -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "benchmark.cli.main", "webbench", *map(str, words)]
    # No Node, nor anything else, is called.
    return subprocess.run(command, cwd=ROOT, env={**clean(), "PATH": path}, capture_output=True, text=True, timeout=120)


def test_the_table_names_path_commit_and_total() -> None:
    done = assay("list", SMALL)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == f"{SMALL}, commit unknown (no .git, or no git)"
    assert lines[1].split()[:6] == ["project", "family", "stack", "easy", "moderate", "challenging"]
    assert [line.split()[0] for line in lines[2:4]] == ["plant-board", "tally"]
    assert " ".join(lines[3].split()) == "tally tally html, javascript 1 1 1 yes static – runs npm packages alone"
    assert " ".join(lines[4].split()) == "2 in all 2 in all 2 2 2"
    assert lines[5:] == ["6 tasks; runs: 2"]


def test_json_holds_all_of_it_for_the_projects_asked_for() -> None:
    data = json.loads(assay("list", SMALL, "--project", "plant-board", "--json").stdout)
    assert (data["path"], data["commit"]) == (str(SMALL), None)
    (row,) = data["projects"]
    assert row == {
        "project": "plant-board",
        "family": "plant-board",
        "stack": ["vite", "html", "javascript"],
        **{"easy": 1, "moderate": 1, "challenging": 1},
        "init_task": False,
        "served": "vite",
        "build": True,
        "init_script": True,
        "status": "runs",
        "reason": "npm packages alone; a vite build; an init script",
    }
    levels = {"easy": 1, "moderate": 1, "challenging": 1}
    assert data["total"] == {"projects": 1, "families": 1, "tasks": 3, **levels, "status": {"runs": 1}}


def test_mistakes_are_one_line(copy: Path) -> None:
    def said(*words: object) -> str:
        done = assay("list", *words)
        assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
        return done.stderr

    assert "is no checkout of Web-Bench: it has no projects/ and no libraries/" in said(copy / "projects" / "tally")
    assert "unknown project 'talli'; did you mean tally" in said(copy, "--project", "talli")
    tasks = copy / "projects" / "tally" / "tasks.jsonl"
    tasks.write_text(tasks.read_text().replace("Moderate", "middling"))
    assert "projects/tally/tasks.jsonl, line 3: level: " in said(copy)
    for package in copy.glob("projects/*/package.json"):
        package.write_text("{}")
    assert "holds no stable project with tasks" in said(copy)


def test_a_real_checkout_is_listed(real: Checkout, tmp_path: Path) -> None:
    git = shutil.which("git")
    assert git
    (tmp_path / "git").symlink_to(git)
    data = json.loads(assay("list", real.root, "--json", path=str(tmp_path)).stdout)
    assert len(data["projects"]) == len(real.names) and data["commit"] == real.commit
