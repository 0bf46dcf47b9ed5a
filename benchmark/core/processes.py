"""Work shared out to processes that have surroundings of their own, and leave nothing when they are told to end."""

import signal
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
END_SECONDS = 30.0


def in_processes(
    work: Callable[[Any, Item], Result],
    surroundings: Callable[[], AbstractContextManager[Any]],
    items: Iterable[Item],
    jobs: int,
) -> Generator[tuple[Item, Result | None], None, None]:
    """Each item with what `work` gives for it, as results come; None where its process came to an end without one.

    Every process enters `surroundings` once, and leaves them when it has nothing more to do, when this is interrupted, and when
    whoever asked no longer listens. Both functions must be importable.
    """
    todo = list(reversed(list(items)))
    running: dict[Connection, tuple[SpawnProcess, Item]] = {}
    idle: list[tuple[Connection, SpawnProcess]] = []
    try:
        while todo or running:
            while todo and len(running) < jobs:
                connection, process = idle.pop() if idle else _start(work, surroundings)
                running[connection] = (process, todo.pop())
                with suppress(OSError):  # what it does not take is found out below
                    connection.send(running[connection][1])
            for connection in wait(list(running)):
                assert isinstance(connection, Connection)
                process, item = running.pop(connection)
                try:
                    result = connection.recv()
                    idle.append((connection, process))
                except EOFError:
                    process.join()
                    result = None
                yield item, result
    finally:
        for process, _ in running.values():
            process.terminate()
        everyone = idle + [(connection, process) for connection, (process, _) in running.items()]
        for connection, _ in everyone:
            connection.close()
        for _, process in everyone:
            process.join(END_SECONDS)
            if process.is_alive():
                process.kill()


def _start(work: Any, surroundings: Any) -> tuple[Connection, SpawnProcess]:
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, work, surroundings), daemon=True)
    # Ctrl-C reaches every process of a terminal: these, and all that they start, leave it to this one to end them. What
    # multiprocessing starts beside the first of them lets the signal through again, so it must be there before.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    theirs.close()
    return ours, process


def _serve(connection: Connection, work: Any, surroundings: Any) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with surroundings() as own:
        while True:
            try:
                item = connection.recv()
            except EOFError:
                return
            result = work(own, item)
            with suppress(BrokenPipeError):
                connection.send(result)
