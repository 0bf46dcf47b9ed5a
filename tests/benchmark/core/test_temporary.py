"""Temporary folders of processes that are gone are removed, and only those."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.core import temporary
from benchmark.core.start_time import start_time
from benchmark.core.temporary import neutral_folder, prefix, remove, remove_abandoned

ROOT = Path(__file__).parents[3]
#: A worker with a folder of every kind, of the sizes and rights that what works in them gives them.
WORKER = """
import os, sys, tempfile
from benchmark.core.temporary import neutral_folder, prefix
from fixtures.gateway.client import opened
from fixtures.sandbox.base import WorkspaceSpec
from fixtures.sandbox.local import LocalSandbox
sandbox = LocalSandbox()
with (sandbox.workspace(WorkspaceSpec({"s/a.md": b"A"})) as workspace, sandbox.grading_site(None) as site,
      opened([]) as gateway, neutral_folder() as own):
    gateway.ensure()
    workspace.write({"deep/er/a": b"1"})
    os.chmod(workspace._work / "deep", 0)
    print(workspace._work.parent, site._folder, gateway._folder, gateway.run.sockets, own, sep="\\n", flush=True)
    sys.stdin.read()
    sandbox.close()
"""


def start(tmp_path: Path) -> "tuple[subprocess.Popen[str], list[Path]]":
    """A worker, and its folders."""
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER], stdin=-1, stdout=-1, text=True, cwd=ROOT, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    assert worker.stdout
    return worker, [Path(worker.stdout.readline().strip()) for _ in range(5)]


def clean(tmp_path: Path) -> list[str]:
    """What `assay clean` removes."""
    command = [str(Path(sys.executable).parent / "assay"), "clean", "--json"]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["folders"]


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_has_is_not(tmp_path: Path) -> None:
    killed, left = start(tmp_path)
    living, kept = start(tmp_path)
    try:
        assert all(path.is_dir() for path in left + kept)
        killed.send_signal(signal.SIGKILL)
        killed.wait(30)
        removed = clean(tmp_path)
        assert set(map(str, left)) <= set(removed) and not set(map(str, kept)) & set(removed)
        assert not any(path.exists() for path in left) and all(path.is_dir() for path in kept)
        assert living.stdin
        living.stdin.close()
        living.wait(60)
        assert not any(path.exists() for path in kept), "one that ends by itself leaves nothing"
    finally:
        for worker in (killed, living):
            worker.kill()
            worker.wait()
            for stream in (worker.stdin, worker.stdout):
                assert stream
                stream.close()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of its own."""
    monkeypatch.setattr(temporary.tempfile, "gettempdir", lambda: str(tmp_path))
    return tmp_path


def gone() -> tuple[int, str]:
    """The id and start time of a process that has ended."""
    with subprocess.Popen(["sleep", "600"]) as process:
        start = start_time(process.pid)
        process.kill()
    assert start
    return process.pid, start


def test_only_folders_of_processes_that_are_gone_are_removed(here: Path) -> None:
    pid, start = gone()
    machine = prefix("site").split(".")[2].rstrip("-")
    names = {
        "removed": [f"assay-site-{pid}.{start}.{machine}-x", f"sandbox-{os.getpid()}.1.{machine}-x"],
        "kept": [
            f"{prefix('box')}mine",
            f"assay-site-{pid}.{start}.00000000-x",
            f"assay-site-{pid}.0.{machine}-x",
            f"assay-site-{pid}.{start}.{machine}",
            f"my-assay-site-{pid}.{start}.{machine}-x",
            "assay-site-old",
            "sandbox-of-somebody",
        ],
    }
    for name in (*names["removed"], *names["kept"]):
        (here / name).mkdir()
        (here / name / "file").write_text("x", encoding="utf-8")
    (here / f"assay-gw-{pid}.{start}.{machine}-link").symlink_to(here / "sandbox-of-somebody")
    (here / f"assay-gw-{pid}.{start}.{machine}-file").write_text("x", encoding="utf-8")
    removed = remove_abandoned()
    assert {here / name for name in names["removed"]} <= set(removed)
    assert all((here / name / "file").exists() for name in names["kept"])
    assert not [path for path in removed if path.name in names["kept"] or path.name.endswith(("link", "file"))]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_another_users_folder_is_left_alone(here: Path) -> None:
    pid, start = gone()
    folder = here / f"assay-site-{pid}.{start}.{prefix('site').split('.')[2].rstrip('-')}-x"
    folder.mkdir()
    os.chown(folder, 1000, 1000)
    assert folder not in remove_abandoned() and folder.is_dir()


def test_a_folder_goes_with_all_that_is_in_it_whatever_its_rights(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "file").write_text("x", encoding="utf-8")
    (folder / "link").symlink_to(tmp_path)
    for path in (folder / "deep" / "er", folder / "deep", folder):
        path.chmod(0)
    remove(folder)
    assert not folder.exists() and tmp_path.exists()


def test_a_folder_that_containers_show_is_private_short_and_names_neither_the_suite_nor_the_temporary_folder() -> None:
    with neutral_folder() as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        assert folder.parent in (Path("/run"), Path("/var/tmp")) and "assay" not in folder.name
        assert len(str(folder / "0123abcd" / "model.sock")) < 107
    assert not folder.exists()
