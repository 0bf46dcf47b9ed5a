"""Work in processes: shared out, lost with a process that ends, and ended on demand."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from benchmark.core.processes import in_processes
from tests.fixtures.processes import all_end, started_by


@contextmanager
def noted(folder: Path) -> Iterator[Path]:
    """Surroundings that note who entered them, and are gone when they are left."""
    note = folder / str(os.getpid())
    note.touch()
    try:
        yield note
    finally:
        note.unlink()


def work(note: Path, item: str) -> tuple[str, str]:
    if item == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if item == "fails":
        raise ZeroDivisionError
    if item == "waits":
        (note.parent / f"{note.name}-waits").touch()
        threading.Event().wait()
    return item, note.name


def test_items_are_shared_out_to_as_many_processes_as_asked_for(tmp_path: Path) -> None:
    items = [str(number) for number in range(8)]
    results = dict(in_processes(work, partial(noted, tmp_path), items, 2))
    assert sorted(results) == items
    assert all(result and result[0] == item for item, result in results.items())
    assert len({result[1] for result in results.values() if result}) <= 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fault", ["dies", "fails"])
def test_an_item_whose_process_ends_has_no_result_and_the_others_have(fault: str, tmp_path: Path) -> None:
    results = dict(in_processes(work, partial(noted, tmp_path), ["a", fault, "b"], 1))
    assert results.pop(fault) is None
    assert {item for item, result in results.items() if result} == {"a", "b"}


def test_what_is_closed_ends_what_it_started_and_has_it_tidied_up(tmp_path: Path) -> None:
    before = started_by(os.getpid())
    with closing(in_processes(work, partial(noted, tmp_path), ["a", "waits"], 2)) as results:
        assert next(results)[0] == "a"
        own = started_by(os.getpid()) - before
        while not list(tmp_path.glob("*-waits")):
            time.sleep(0.01)
    assert own and all_end(pid for pid in own if (tmp_path / f"{pid}-waits").exists())
    assert [path.name for path in tmp_path.iterdir() if not path.name.endswith("-waits")] == []


def test_nothing_to_do_starts_nothing(tmp_path: Path) -> None:
    assert list(in_processes(work, partial(noted, tmp_path), [], 2)) == []
