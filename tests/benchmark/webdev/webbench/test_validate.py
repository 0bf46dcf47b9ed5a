"""`assay webbench validate`: the reference run again and again, and which of the tests that fail are named."""

import json
import re
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from benchmark.core.model import CheckOutcome
from benchmark.webdev.webbench.chain_project import SpecGrader
from benchmark.webdev.webbench.checkout import Checkout
from benchmark.webdev.webbench.project import Quarantined
from benchmark.webdev.webbench.quarantine import Quarantine, spec_hash
from benchmark.webdev.webbench.validate import Validated, failed_once, validate
from tests.benchmark.webdev.webbench.conftest import SMALL, cut
from tests.test_runs import ROOT, clean

#: Fails on every second run: its counter lies where the runner's files do, as long as the container.
SOMETIMES = """
test('every other time', () => {
  const { readFileSync, writeFileSync } = require('node:fs')
  const counter = `${process.env.TMPDIR}/runs`
  let runs = 0
  try { runs = Number(readFileSync(counter)) } catch {}
  writeFileSync(counter, String(runs + 1))
  if (runs % 2) throw new Error('an odd run')
})
"""
ALWAYS = "\ntest.describe('in vain', () => { test('one is two (or so)', () => expect(1).toBe(2)) })\n"
TAKES = "\ntest('takes for ever', async () => { test.setTimeout(0); await new Promise(() => {}) })\n"
OLD = Quarantined(spec="test/task-1.spec.js", title="as it was", failures=1, runs=9, sha256="1" * 64)


def check(task: int, title: str, failure: Any = None) -> CheckOutcome:
    return CheckOutcome(task=task, title=title, seconds=0.1, failure=failure)


def more(copy: Path, text: str, spec: str = "test/task-2.spec.js") -> None:
    """Add tests to a spec file of the copied `tally`."""
    path = copy / "projects" / "tally" / spec
    path.write_text(path.read_text() + text)


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "benchmark.cli.main", "webbench", "validate", *map(str, words)]


def assay(*words: object, **more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command(*words), cwd=ROOT, env=clean(**more), capture_output=True, text=True, timeout=300)


# from runs to rows


def test_a_test_that_failed_once_has_a_row(small: Checkout) -> None:
    tally = small.project("tally")
    runs = [[check(3, "c"), check(0, "a"), check(2, "b", failure)] for failure in ("assertion", None, "timeout", None, None)]
    runs[4][1] = check(0, "a", "crash")
    first, second = failed_once(tally, runs)
    assert (first.spec, first.title, first.failures, first.runs) == ("test/init.spec.js", "a", 1, 5)
    assert (second.spec, second.title, second.failures, second.runs) == ("test/task-2.spec.js", "b", 2, 5)
    assert (first.sha256, second.sha256) == (spec_hash(tally, first.spec), spec_hash(tally, second.spec))
    assert first.sha256 != second.sha256
    assert failed_once(tally, [[check(1, "a")]] * 3) == ()


def test_specs_have_the_name_that_they_have(small: Checkout) -> None:
    (row,) = failed_once(small.project("plant-board"), [[check(2, "a", "assertion")]])
    assert row.spec == "test/task-2.spec.mjs"


def test_a_run_that_did_not_come_to_a_test_is_none_of_its_runs(small: Checkout) -> None:
    late = [check(1, "a", "timeout")]
    rows = failed_once(small.project("tally"), [late, [check(1, "a"), check(1, "b", "assertion")]])
    assert [(row.title, row.failures, row.runs) for row in rows] == [("a", 1, 2), ("b", 1, 1)]


def test_several_browsers_are_one_run(small: Checkout) -> None:
    both = [check(1, "a", "assertion"), check(1, "a", "assertion"), check(1, "b"), check(1, "b", "assertion")]
    rows = failed_once(small.project("tally"), [both, both])
    assert [(row.title, row.failures, row.runs) for row in rows] == [("a", 2, 2), ("b", 2, 2)]


def test_only_what_failed_in_every_run_is_a_finding() -> None:
    flaky = OLD.model_copy(update={"failures": 8})
    always = OLD.model_copy(update={"failures": 9})
    assert Validated(project="a", runs=9, quarantined=(flaky,)).ok
    found = Validated(project="a", runs=9, quarantined=(flaky, always))
    assert not found.ok and found.failing == (always,)
    assert not Validated(project="a", runs=0, reason="no engine").ok


# mistakes


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([SMALL, "--repeat", 0], "--repeat"),
        ([SMALL, "--project", "tallly"], "unknown project 'tallly'; did you mean tally"),
        ([SMALL / "projects"], "is no checkout of Web-Bench"),
    ],
    ids=lambda value: " ".join(Path(str(word)).name for word in value) if isinstance(value, list) else None,
)
def test_a_mistake_is_one_line(words: list[object], said: str) -> None:
    done = assay(*words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


def test_what_needs_a_network_is_not_run(copy: Path) -> None:
    package = copy / "projects" / "tally" / "package.json"
    data = json.loads(package.read_text())
    package.write_text(json.dumps({**data, "dependencies": {"prisma": "~6.6.0"}}))
    done = assay(copy, "--project", "tally")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "project tally cannot run without a network: prisma downloads its engine" in done.stderr


def test_without_an_engine_it_is_one_line_and_nothing_is_written(tmp_path: Path) -> None:
    file = tmp_path / "q.json"
    done = assay(SMALL, "--quarantine", file, DOCKER_HOST=f"unix://{tmp_path}/none.sock")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "no Docker engine answers, and Web-Bench's specs run only in Docker" in done.stderr
    assert not file.exists()


# real runs


@pytest.mark.docker
def test_what_fails_is_named_kept_and_left_out_from_then_on(docker_sandbox: Any, copy: Path, tmp_path: Path) -> None:
    more(cut(copy, 2), ALWAYS, "test/task-1.spec.js")
    more(copy, SOMETIMES)
    file = tmp_path / "q.json"
    Quarantine().with_rows("plant-board", [OLD]).with_rows("tally", [OLD]).save(file)
    done = assay(copy, "--project", "tally", "--quarantine", file)
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines() == [
        "FAILING tally: of 9 tests 1 failed in each of 3 runs and 1 failed in some of 3 runs",
        "        test/task-1.spec.js › in vain › one is two (or so): failed 3 of 3 runs of the reference",
        "        test/task-2.spec.js › every other time: failed 1 of 3 runs of the reference",
        f"quarantine: {file}",
    ]
    progress = [re.sub(r", [\d.]+ s$", "", line) for line in done.stderr.splitlines()]
    assert progress == [f"tally: run {at} of 3: {passed}/9 passed" for at, passed in ((1, 8), (2, 7), (3, 8))]
    kept = Quarantine.load(file)
    assert kept.projects["plant-board"] == (OLD,) and len(kept.projects["tally"]) == 2
    project = Checkout(copy).project("tally")
    with ExitStack() as exits:
        left = SpecGrader(project.graded_with(kept.of(project), "shown"), docker_sandbox, exits)
        looks = [left(2, project.reference, 1) for _ in range(2)]
    assert [(look.score.best, len(look.checks)) for look in looks] == [(True, 7)] * 2


@pytest.mark.docker
def test_what_fails_at_times_is_no_failure(docker_sandbox: Any, copy: Path, tmp_path: Path) -> None:
    del docker_sandbox  # where there is none, this is skipped
    more(cut(copy, 1), SOMETIMES, "test/task-1.spec.js")
    file = tmp_path / "q.json"
    done = assay(copy, "--project", "tally", "--repeat", 2, "--quarantine", file, "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert (data["path"], data["commit"], data["quarantine"], data["ok"]) == (str(copy), None, str(file), True)
    (row,) = data["projects"]
    assert (row["project"], row["tests"], row["runs"], row["ok"], row["reason"]) == ("tally", 5, 2, True, None)
    (test,) = row["quarantined"]
    sha = spec_hash(Checkout(copy).project("tally"), "test/task-1.spec.js")
    assert test == {"spec": "test/task-1.spec.js", "title": "every other time", "failures": 1, "runs": 2, "sha256": sha}


@pytest.mark.docker
def test_a_killed_run_keeps_what_was_found(docker_sandbox: Any, copy: Path, tmp_path: Path) -> None:
    del docker_sandbox
    more(copy, TAKES)
    file = tmp_path / "q.json"
    words = command(copy, "--repeat", 1, "--quarantine", file)
    with subprocess.Popen(words, cwd=ROOT, env=clean(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "sound   plant-board: 9 tests passed in the one run\n"
        process.send_signal(signal.SIGINT)
        rest, said = process.communicate(timeout=60)
    assert (process.returncode, rest) == (130, ""), said
    assert Quarantine.load(file).projects == {"plant-board": ()}


LOADS_THE_WORKSPACE = """import { createRequire } from 'node:module'
createRequire(import.meta.url)(process.env.EVAL_PROJECT_ROOT + '/none.cjs')
"""


@pytest.mark.docker
@pytest.mark.parametrize(
    ("file", "text", "why"),
    [
        ("src/board.js", "import nothing from './nowhere.js'\n", "run 1: The project builds and is served: "),
        ("test/task-1.spec.js", LOADS_THE_WORKSPACE, ".spec.js loads: Error: Cannot find module"),
        ("test/task-1.spec.js", "import 'nowhere'\n", "Playwright ended with 1 and no test failed"),
        pytest.param(
            *("vite.config.js", "throw new Error('no such thing')\n", "run 1: The project builds and is served: "),
            marks=pytest.mark.nightly,  # as what does not build
        ),
        ("playwright.config.js", "throw new Error('no such thing')\n", "project plant-board: "),
    ],
    ids=["build", "workspace", "spec", "vite", "config"],
)
def test_what_cannot_be_run_says_why(docker_sandbox: Any, copy: Path, file: str, text: str, why: str) -> None:
    path = copy / "projects" / "plant-board" / file
    path.write_text(text + path.read_text())
    told: list[str] = []
    found = validate(Checkout(copy).project("plant-board"), docker_sandbox, 2, told.append)
    assert not found.ok and found.reason and why in found.reason and "\n" not in found.reason
    assert (found.quarantined, found.tests, found.runs, told) == ((), 0, 0, [])
