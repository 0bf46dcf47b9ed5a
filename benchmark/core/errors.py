"""What goes wrong before a trial starts, as one line for the person at the keyboard."""

import difflib
import os
import traceback
from collections.abc import Iterable
from pathlib import Path


class UsageError(Exception):
    """A mistake in what was asked for: what, which value, and what to do next, in one line. Ends with exit code 2."""


class SetupError(UsageError):
    """Something this machine lacks (an engine, a browser, an image) before any trial has started."""


def unknown(kind: str, value: str, known: Iterable[str]) -> UsageError:
    """The error for a name that is not known, with the nearest names that are."""
    names = sorted(known)
    near = difflib.get_close_matches(value, names, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names[:12])}{' …' if names[12:] else ''}"
    return UsageError(f"unknown {kind} {value!r}; {hint}")


class Fault(Exception):
    """Our side failed during a trial (sandbox, network, grader, provider): the trial is `broken`, never `unsolved`."""


class StoreFailed(Exception):
    """The store cannot be written or read (it is full, read-only, no folder, another user's): why, and what to do, in one line.

    Ends with exit code 2 before the first trial, and with 3 after that: nothing more may be run that could not be kept.
    """


def system_reason(error: OSError, root: Path | None = None) -> str:
    """What the system says of a file, in words; the file is named below `root` where it lies there."""
    name = error.filename2 or error.filename
    if not isinstance(name, str | bytes | os.PathLike):
        return error.strerror or str(error)
    path = Path(os.fsdecode(name))
    shown = path.relative_to(root) if root and path != root and path.is_relative_to(root) else path
    return f"{error.strerror or error} ({shown})"


def unforeseen(error: Exception) -> str:
    """An exception that nobody foresaw, with its place, in one line."""
    frames = traceback.extract_tb(error.__traceback__)
    places = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames[-4:]))
    return f"{type(error).__name__}: {error} ({places})"


class BudgetReached(Exception):
    """The money set aside for the run is spent: the trial in flight is given up and counts as not run."""
