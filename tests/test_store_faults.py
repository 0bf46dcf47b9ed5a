"""Stores that cannot be written, on real file systems: small ones, read-only ones, files in their place. A line, never a
traceback; nothing half-written is left, and what was kept can still be reported."""

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from benchmark.core.errors import SetupError, StoreFailed
from benchmark.core.model import Record
from benchmark.store.store import Store
from tests.commands import ASSAY, OPTIONS, PYTEST, assay, fresh, run
from tests.factory import record, spec
from tests.suites.runs import SUITES, environment, write_panel
from tests.test_interrupts import terminal
from tests.test_runs import PANEL, records

OUTPUTS = {"report.html", "results.json", "junit.xml", "advice.json", "allure-results"}
Mount = Callable[..., Path]


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Mount]:
    """Mounts something at a folder, for as long as the test takes."""
    mounted: list[Path] = []

    def on(folder: Path, *how: str) -> Path:
        folder.mkdir(exist_ok=True)
        done = subprocess.run(["mount", *how, str(folder)], capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
        mounted.append(folder)
        return folder

    yield on
    for folder in reversed(mounted):
        subprocess.run(["umount", folder], check=True)


def small(mount: Mount, folder: Path, size: str = "64k") -> Path:
    return mount(folder, "-t", "tmpfs", "-o", f"size={size}", "tmpfs")


def fill(folder: Path) -> None:
    """Leave no room in a file system."""
    with (folder / "other").open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(4096)):
            pass


def read_only(mount: Mount, folder: Path) -> Path:
    mount(folder, "--bind", str(folder))
    subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
    return folder


def fail_by_permission(action: Callable[[], object]) -> str:
    """What an action says to a user who is not root and owns nothing."""
    if os.geteuid():
        with pytest.raises((SetupError, StoreFailed)) as caught:
            action()
        return str(caught.value)
    reading, writing = os.pipe()
    if not (child := os.fork()):
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        try:
            action()
        except (SetupError, StoreFailed) as error:
            os.write(writing, str(error).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as said:
        return said.read()


def one_line(said: str) -> str:
    (line,) = [line for line in said.splitlines() if line]
    assert line.startswith("assay: "), said
    return line


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("panel") / "panel.toml"
    path.write_text(PANEL.format(replicates=1, agent="noop"), encoding="utf-8")
    return path


@pytest.fixture
def store(measured: Path, tmp_path: Path) -> Path:
    subprocess.run(["cp", "-r", measured, tmp_path / "runs"], check=True)
    return tmp_path / "runs"


# before the first trial


def test_a_full_disk_is_seen_before_anything_is_started(mount: Mount, panel: Path, tmp_path: Path) -> None:
    disk = small(mount, tmp_path / "disk")
    fill(disk)
    done = run("--panel", panel, "--runs", disk / "runs")
    assert done.returncode == 2
    assert "No space left on device" in one_line(done.stderr) and "another --runs" in done.stderr
    assert [path.name for path in disk.rglob("*")] == ["other"]


def test_a_disk_too_small_for_what_trials_read_ends_before_the_first(mount: Mount, panel: Path, tmp_path: Path) -> None:
    disk = small(mount, tmp_path / "disk", "24k")
    done = run("--panel", panel, "--runs", disk / "runs")
    assert done.returncode == 2
    assert "cannot be written: No space left on device" in one_line(done.stderr)
    assert not list(disk.rglob(".new-*")) and not (disk / "runs/records").exists()


def test_a_store_that_is_read_only_takes_no_run(mount: Mount, panel: Path, store: Path) -> None:
    done = run("--panel", panel, "--runs", read_only(mount, store), "--replicates", 2)
    assert done.returncode == 2 and "Read-only file system" in one_line(done.stderr)


@pytest.mark.parametrize("inside", ["", "deeper/runs"])
def test_a_file_in_place_of_the_store_is_no_store(panel: Path, tmp_path: Path, inside: str) -> None:
    (tmp_path / "file").write_text("mine")
    done = run("--panel", panel, "--runs", tmp_path / "file" / inside)
    assert done.returncode == 2 and f"no folder ({tmp_path / 'file'})" in one_line(done.stderr)
    assert (tmp_path / "file").read_text() == "mine"
    done = assay("report", "--runs", tmp_path / "file" / inside)
    assert done.returncode == 2 and one_line(done.stderr)


@pytest.mark.parametrize("name", ["blobs", "grades", "panels", "records"])
def test_a_file_in_place_of_a_folder_of_the_store_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("")
    with pytest.raises(SetupError, match=rf"no folder \(.*/{name}\)"):
        Store(tmp_path).check_writable()


def test_a_store_of_another_user_is_told_apart() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o555)
        kept = Store(Path(folder) / "runs")
        assert "Permission denied" in fail_by_permission(kept.check_writable)
        assert "Permission denied" in fail_by_permission(lambda: kept.put(b"data"))
        assert "Permission denied" in fail_by_permission(lambda: kept.append(record()))
        assert "Permission denied" in fail_by_permission(lambda: kept.spend(1.0))
        assert not list(Path(folder).iterdir())
        Path(folder).chmod(0o755)


def test_seeing_whether_a_store_can_be_written_leaves_nothing(tmp_path: Path) -> None:
    Store(tmp_path / "a/b/runs").check_writable()
    assert not list(tmp_path.iterdir())


# afterwards


def test_what_does_not_fit_leaves_the_store_as_it_was(mount: Mount, tmp_path: Path) -> None:
    """Blobs, grades, plans and records that are larger than what is left of a disk; then there is room again."""
    disk = small(mount, tmp_path / "disk")
    kept, made = Store(disk / "runs"), record(spec("a"))
    kept.put(b"small")
    kept.append(made)
    before = {path: path.read_bytes() for path in disk.rglob("*") if path.is_file()}
    large = {"text": "x" * 100_000}
    for action in (
        lambda: kept.put(bytes(100_000)),
        lambda: kept.put_grade("ab" * 32, large),
        lambda: kept.put_panel("ab", large),
        lambda: kept.put_look("ab", large),
        lambda: kept.append(record(spec("b"), status="broken", reason="x" * 100_000)),
    ):
        with pytest.raises(StoreFailed, match="No space left on device"):
            action()
        assert {path: path.read_bytes() for path in disk.rglob("*") if path.is_file()} == before
    subprocess.run(["mount", "-o", "remount,size=1m", disk], check=True)
    kept.append(record(spec("b")))
    assert {entry.status for entry in Store(disk / "runs").entries()} == {"measured"} and len(
        Store(disk / "runs").entries()
    ) == 2


#: Greetings of which one is graded at once, and the others once somebody says so.
PATIENT = """
import time
from pathlib import Path
from typing import Any
from benchmark.suite.discovery import suite_module

HERE = Path(__file__).parent

class Patient(suite_module("greetings", "suite").Greetings):
    name = "patient"

    def grade(self, project, files, grading):
        try:
            (HERE / "graded").mkdir()
        except FileExistsError:
            while not (HERE / "go-on").exists():
                time.sleep(0.01)
        return super().grade(project, files, grading)

SUITE = Patient()
"""


@pytest.mark.parametrize("workers", [pytest.param([], marks=pytest.mark.nightly), ["-n", "2"]])
def test_a_disk_that_fills_up_during_a_run_ends_it_with_3(mount: Mount, tmp_path: Path, workers: list[str]) -> None:
    disk, suite = small(mount, tmp_path / "disk", "16m"), tmp_path / "patient"
    suite.mkdir()
    (suite / "suite.py").write_text(PATIENT, encoding="utf-8")
    panel = write_panel(tmp_path, "patient", 1, ["english", "french", "german"], ["good"])
    arguments, env = ("--panel", panel, "--runs", disk / "runs", *workers), environment(ASSAY_SUITES=f"{SUITES}:{tmp_path}")
    with terminal("-m", PYTEST, *OPTIONS, *arguments, env=env) as shown:
        shown.read_until(r"\b1/\d+ trials")
        fill(disk)
        (suite / "go-on").touch()
        code = shown.end()
    assert code == 3, shown.said
    assert "Traceback" not in shown.said and "INTERNALERROR" not in shown.said
    assert shown.said.count("cannot be written: No space left on device") == 1
    assert shown.said.count("not written: ") == 1, "the report as well, in one line"
    assert not list(disk.rglob(".new-*")) and {row["status"] for row in records(disk / "runs")} == {"measured"}


# reports


def test_a_read_only_store_is_reported_from(mount: Mount, store: Path, tmp_path: Path) -> None:
    read_only(mount, store)
    done = assay("report", "--runs", store)
    assert done.returncode == 3 and "UNDECIDED on projects like these" in done.stdout and not done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("not written: ")]
    assert line == f"not written: allure, json, advice, junit, page: Read-only file system ({store / 'report'})"
    done = assay("report", "--runs", store, "--out", tmp_path / "out", "--tables")
    assert done.returncode == 0 and "not written" not in done.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} == {*OUTPUTS, "tables"}


@pytest.mark.parametrize("name", ["report.html", "results.json", "junit.xml", "allure-results"])
def test_an_output_that_fails_takes_down_no_other(store: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    if name == "allure-results":
        out.mkdir()
        (out / name).write_text("a file in place of the folder")
    else:
        (out / name / "full").mkdir(parents=True)
    done = assay("report", "--runs", store, "--out", out, "--gate", "verdict == HELPS")
    assert done.returncode == 3, "broken comes before a gate that failed"
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("not written: ")]
    assert {path.name for path in out.iterdir()} == OUTPUTS
    assert "UNDECIDED" in done.stdout and "Traceback" not in done.stdout + done.stderr and str(out) in line


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda plan: plan.pop("families"), "families: Field required"),
        (lambda plan: [row.update(notes=7) for row in plan["skills"].values()], "notes: Input should be a valid"),
        (lambda plan: plan["panel"].update(looks="often"), "panel.looks: Input should be a valid integer"),
    ],
)
def test_a_plan_of_another_version_is_a_line(store: Path, tmp_path: Path, change: Callable[[Any], Any], said: str) -> None:
    (path,) = (store / "panels").glob("*.json")
    plan = json.loads(path.read_text())
    change(plan)
    path.write_text(json.dumps(plan))
    done = assay("report", "--runs", store, "--out", tmp_path / "out")
    line = one_line(done.stderr)
    assert done.returncode == 2 and f"{path} is no plan any more" in line and said in line and "plan anew" in line


def test_numbers_that_cannot_be_made_are_a_line(store: Path, tmp_path: Path) -> None:
    """A plan that counts a trial which it does not have."""
    (path,) = (store / "panels").glob("*.json")
    plan = json.loads(path.read_text())
    plan["assignments"][0]["trial"] = "another"
    path.write_text(json.dumps(plan))
    done = assay("report", "--runs", store, "--out", tmp_path / "out")
    assert done.returncode == 3 and "its numbers cannot be made: KeyError: 'another'" in one_line(done.stderr)


def test_a_run_whose_page_cannot_be_written_says_so_and_ends_with_3(panel: Path, store: Path) -> None:
    (store / "report" / "report.html").unlink()
    (store / "report" / "report.html" / "mine").mkdir(parents=True)
    before = (store / "report" / "results.json").stat().st_mtime_ns
    done = run("--panel", panel, "--runs", store)
    assert done.returncode == 3 and "Traceback" not in done.stdout + done.stderr
    assert done.stdout.count("not written: page: Is a directory") == 1
    assert (store / "report" / "results.json").stat().st_mtime_ns > before


def test_a_step_summary_that_cannot_be_written_is_a_line(store: Path, tmp_path: Path) -> None:
    done = assay("report", "--runs", store, "--out", tmp_path, GITHUB_STEP_SUMMARY=str(tmp_path))
    assert done.returncode == 3 and f"not written: step summary: Is a directory ({tmp_path})" in done.stdout


# terminals


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_a_report_is_printed_in_any_encoding(store: Path, tmp_path: Path, encoding: str) -> None:
    done = assay("report", "--runs", store, "--out", tmp_path, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert all(words in done.stdout for words in ("UNDECIDED on projects like these", "delta Pass@2", "C1-C0"))


def test_a_run_is_reported_in_ascii(panel: Path, store: Path) -> None:
    done = run("--panel", panel, "--runs", store, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.isascii() and "delta Pass@2" in done.stdout and "3 from the store" in done.stdout


COMMANDS = ["--help", "plan --project bakery-page", "skills list", "skills slices", "skills check no−such"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_prints_in_ascii(command: str) -> None:
    done = fresh(ASSAY, *command.split(), PYTHONIOENCODING="ascii")
    assert done.returncode == (2 if "check" in command else 0), done.stderr
    assert done.stdout.isascii() and done.stderr.isascii() and "Traceback" not in done.stderr


# what was damaged meanwhile


def test_damaged_grades_are_made_again_and_damaged_inputs_written_again(panel: Path, store: Path) -> None:
    """Every grade emptied or forged as solved, every blob emptied, as a machine leaves them whose power went."""
    grades = sorted((store / "grades").rglob("*.json"))
    assert grades
    for at, path in enumerate(grades):
        path.write_bytes(b'{"checks": [], "told": null}' if at % 2 else b"")
    for path in (path for path in (store / "blobs").rglob("*") if path.is_file()):
        path.write_bytes(b"")
    told = assay("report", "--runs", store).stdout
    assert "lost: the blob " in told and "it was emptied in the store" in told
    done = run("--panel", panel, "--runs", store, "--replicates", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [Record.model_validate(row) for row in _records(store)]
    assert [row.status for row in rows] == ["measured"] * 6
    assert {task.outcome for row in rows for task in row.scored} == {"unsolved", "not_reached"}
    kept = Store(store)
    trees = {row.spec.skill.tree for row in rows if row.spec.skill}
    assert trees and all("SKILL.md" in kept.get_tree(tree) for tree in trees)


def _records(store: Path) -> list[dict[str, object]]:
    """The records without their checksums."""
    return [{name: value for name, value in row.items() if name != "sha256"} for row in records(store)]


def test_a_workspace_that_is_lost_cannot_be_graded_again(store: Path) -> None:
    """With a grade key of another day, as checks that changed make it."""
    lost: set[str] = set()
    for path in (store / "records").glob("*.jsonl"):
        rows = [Record.model_validate(row).model_copy(update={"grade": "ab" * 32}) for row in _records(store)]
        path.unlink()
        for row in rows:
            Store(store).append(row)
        lost |= {attempt.workspace for row in rows for task in row.tasks for attempt in task.attempts}
    for digest in lost:
        (store / "blobs" / digest[:2] / digest[2:]).unlink()
    done = assay("regrade", "--runs", store)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("to run again: ") == 3 and f"no blob {next(iter(lost))} in the store" in done.stdout


def test_a_read_only_store_is_not_graded_again(mount: Mount, store: Path) -> None:
    done = assay("regrade", "--runs", read_only(mount, store))
    assert done.returncode == 2 and "Read-only file system" in one_line(done.stderr)
