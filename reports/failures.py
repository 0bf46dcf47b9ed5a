"""Outputs are made one by one: one that fails is a line that says why, and the others are made all the same."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from benchmark.core.errors import StoreFailed, UsageError, system_reason, unforeseen

T = TypeVar("T")


class ReportFailed(Exception):
    """There are no numbers to write: why, in one line. Ends with exit code 3."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An output that could not be made, and why."""

    output: str
    reason: str


class Outputs:
    """Makes what is written into `folder`, and keeps what failed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.failed: list[Failure] = []

    def make(self, name: str, action: Callable[[], T]) -> T | None:
        """What `action` gives; None where it fails, whatever it raises."""
        try:
            return action()
        except Exception as error:
            self.failed.append(Failure(name, self._reason(error)))
            return None

    def _reason(self, error: Exception) -> str:
        if isinstance(error, UsageError | StoreFailed):
            return str(error)
        if not isinstance(error, OSError):
            return unforeseen(error)
        # All that fails in the folder for one reason is one line. What is removed from it is named by its name alone.
        path = self.folder / os.fsdecode(error.filename or b"")
        return f"{error.strerror or error} ({self.folder})" if path.is_relative_to(self.folder) else system_reason(error)


def failure_lines(failed: Iterable[Failure]) -> Iterator[str]:
    """A line for each reason, with the outputs that it kept from being written."""
    outputs: dict[str, list[str]] = {}
    for row in failed:
        outputs.setdefault(row.reason, []).append(row.output)
    yield from (f"not written: {', '.join(names)}: {reason}" for reason, names in outputs.items())
