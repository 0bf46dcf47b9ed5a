"""Tests that are left out of grading: how they are kept, for which spec files they hold, and where they are shown."""

import json
from pathlib import Path

import pytest

from benchmark.cli.plan_lines import plan_lines
from benchmark.core.errors import UsageError
from benchmark.core.model import AgentSpec
from benchmark.core.panel import Panel
from benchmark.plan.forecast import outlook
from benchmark.run.session import RunSession, left_out, open_session, stored_plan
from benchmark.suite.discovery import find_suite
from benchmark.webdev.webbench.checkout import Checkout
from benchmark.webdev.webbench.project import Quarantined
from benchmark.webdev.webbench.quarantine import Quarantine, quarantine_line, spec_hash
from tests.benchmark.webdev.webbench.conftest import SMALL
from tests.factory import Bare

TASK_2 = "test/task-2.spec.js"


def rows(checkout: Checkout, *titles: str, project: str = "tally", spec: str = TASK_2) -> tuple[Quarantined, ...]:
    """Rows of tests that failed in two of six runs of the spec file as it is."""
    sha = spec_hash(checkout.project(project), spec)
    assert sha
    return tuple(Quarantined(spec=spec, title=title, failures=2, runs=6, sha256=sha) for title in titles)


def session(tmp_path: Path, quarantine: Quarantine | None, **panel: object) -> RunSession:
    """A run of the reference over the small checkout, with this quarantine."""
    path = tmp_path / "quarantine.json"
    if quarantine:
        quarantine.save(path)
    choices = {"suite": "webdev", "suite_settings": {"webbench": str(SMALL), "quarantine": str(path)}, "conditions": ("C0",)}
    made = Panel.model_validate({"agents": (AgentSpec(name="reference"),), **choices, "replicates": 2, **panel})
    return open_session(made, tmp_path / "runs", None, unsandboxed=False)


def test_a_file_is_kept_whole_and_read_back(tmp_path: Path, small: Checkout) -> None:
    path = tmp_path / "deep" / "quarantine.json"
    assert Quarantine.load(path) == Quarantine()
    found = Quarantine().with_rows("tally", rows(small, "undo › takes “one” back")).with_rows("plant-board", ())
    found.save(path)
    assert Quarantine.load(path) == found and list(path.parent.iterdir()) == [path]
    assert list(json.loads(path.read_text())["projects"]) == ["plant-board", "tally"]
    assert Quarantine.load(path).with_rows("tally", ()).projects == {"plant-board": (), "tally": ()}


@pytest.mark.parametrize("text", ["", "[]", '{"projects": {"tally": [{"spec": "x"}]}}', '{"project": {}}'])
def test_what_is_no_such_file_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "quarantine.json"
    path.write_text(text)
    with pytest.raises(UsageError, match="is no quarantine file") as caught:
        Quarantine.load(path)
    assert "\n" not in str(caught.value) and "assay webbench validate" in str(caught.value)


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"cannot be written: .*; name another --quarantine FILE"):
        Quarantine().save(tmp_path / "file" / "quarantine.json")


def test_rows_hold_for_the_spec_files_that_they_were_found_in(copy: Path, small: Checkout) -> None:
    found = Quarantine().with_rows("tally", rows(small, "undo takes one back"))
    assert found.of(small.project("tally")) == found.projects["tally"] and found.of(small.project("plant-board")) == ()
    spec = copy / "projects" / "tally" / TASK_2
    spec.write_text(spec.read_text() + "\n")
    assert found.of(Checkout(copy).project("tally")) == ()
    spec.unlink()
    assert found.of(Checkout(copy).project("tally")) == ()


def test_words_say_file_title_and_how_often(small: Checkout) -> None:
    (row,) = rows(small, "undo takes one back")
    assert quarantine_line(row) == "test/task-2.spec.js › undo takes one back: failed 2 of 6 runs of the reference"
    assert quarantine_line(row.model_copy(update={"failures": 1, "runs": 1})).endswith(": failed 1 of 1 run of the reference")


def test_the_plan_names_what_is_left_out(tmp_path: Path, small: Checkout) -> None:
    board = rows(small, "x", project="plant-board", spec="test/task-1.spec.js")
    found = Quarantine().with_rows("tally", rows(small, "undo takes one back", "nothing to undo at 0"))
    run = session(tmp_path, found.with_rows("plant-board", board))
    tally = [
        f"test/task-2.spec.js › {title}: failed 2 of 6 runs of the reference"
        for title in ("undo takes one back", "nothing to undo at 0")
    ]
    assert left_out(run.plan) == {
        "plant-board": ["test/task-1.spec.js › x: failed 2 of 6 runs of the reference"],
        "tally": tally,
    }
    assert stored_plan(run, Bare()).quarantined == {name: tuple(lines) for name, lines in left_out(run.plan).items()}
    lines = list(plan_lines(run, outlook(run.plan), {"browser": "chromium 1"}))
    told = "assay: left out of grading: 3 tests that fail with the reference too (plant-board: 1, tally: 2)"
    assert [line for line in lines if "left out" in line] == [told]
    alone = session(tmp_path, None, projects=("tally",))
    assert left_out(alone.plan) == {"tally": tally}


def test_nothing_is_said_where_nothing_is_left_out(tmp_path: Path, small: Checkout) -> None:
    stale = Quarantined(spec=TASK_2, title="undo takes one back", failures=1, runs=3, sha256="0" * 64)
    run = session(tmp_path, Quarantine().with_rows("tally", [stale]))
    assert left_out(run.plan) == {} and stored_plan(run, Bare()).quarantined == {}
    assert "left out" not in "\n".join(plan_lines(run, outlook(run.plan), {"browser": "chromium 1"}))
    own = find_suite("webdev")
    assert {own.quarantined(name) for name in own.projects()} == {()}
