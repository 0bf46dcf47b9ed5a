"""How a project's `checks.py` is written: `@check(task, title)` on a function that drives a Playwright page.

A check finds things as a person does and says what was wrong in the customer's words. What it reports is all that
attempt 2 may learn, so it carries an *expected* and a *seen*, never its own source (DESIGN.md, invariant 9).
"""

import importlib.util
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class Unmet(AssertionError):
    """A check did not hold: what was `expected` and what was `seen`, both in words for the one who built the page."""

    def __init__(self, expected: str, seen: object) -> None:
        self.expected = expected
        self.seen = str(seen)
        super().__init__(f"expected {expected}; saw {self.seen}")


def require(holds: bool, expected: str, seen: object) -> None:
    """Raise `Unmet` unless `holds`: for what Playwright's `expect` has no word for (two numbers, an order, a shape)."""
    if not holds:
        raise Unmet(expected, seen)


@dataclass(frozen=True, slots=True)
class Check:
    """One check of one task. `run(page, site)` raises when the page does not do what the instruction says."""

    task: int
    title: str
    run: Callable[[Any, Any], None]
    source: str


def check(task: int, title: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Mark a function as a check of task number `task` (1-based) with a title that the customer would understand.

    The function takes `page`, a fresh Playwright page whose relative addresses lead to the site, and may take `site`
    beside it, whose `restart()` stops and starts the project's server on the same files.
    """

    def mark(function: Callable[..., None]) -> Callable[..., None]:
        function.assay_check = (task, title)  # type: ignore[attr-defined]
        return function

    return mark


def load_checks(path: Path) -> tuple[Check, ...]:
    """The checks of the file at `path`, ordered by task and then as written. Raises ValueError on a faulty file."""
    spec = importlib.util.spec_from_file_location(f"assay_checks_{path.parent.name.replace('-', '_')}", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = [_as_check(function) for function in vars(module).values() if hasattr(function, "assay_check")]
    titles = [(item.task, item.title) for item in found]
    doubled = sorted({title for title in titles if titles.count(title) > 1})
    if doubled:
        raise ValueError(f"{path}: task {doubled[0][0]} has two checks titled {doubled[0][1]!r}; titles must differ")
    return tuple(sorted(found, key=lambda item: item.task))


def _as_check(function: Any) -> Check:
    task, title = function.assay_check
    takes_site = "site" in inspect.signature(function).parameters
    run = function if takes_site else (lambda page, site: function(page))
    return Check(task=task, title=title, run=run, source=inspect.getsource(function))
