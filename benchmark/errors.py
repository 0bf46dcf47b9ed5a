"""What goes wrong before a trial starts, as one line for the person at the keyboard."""

import difflib
from collections.abc import Iterable


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


class BudgetReached(Exception):
    """The money set aside for the run is spent: the trial in flight is given up and counts as not run."""
