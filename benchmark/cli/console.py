"""What all commands of `assay` share: their common options, and how they print."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmark.core.errors import BudgetReached, Fault, UsageError
from benchmark.core.text import print_error, print_line, print_progress

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Runs = Annotated[Path, typer.Option("--runs", help="The store of records.", metavar="DIR")]
BudgetOption = Annotated[
    float | None, typer.Option("--budget-usd", help="The most that may be spent; needed for priced models.", metavar="USD")
]
Names = Annotated[list[str] | None, typer.Option("--project", help="Only this project; again for more.", metavar="NAME")]


def show(data: Any, as_json: bool, lines: Callable[[], Iterable[str]]) -> None:
    """Print `data` as JSON, or its lines."""
    if as_json:
        # For machines: ASCII alone, which every terminal takes and none is steered by.
        print(json.dumps(data, indent=1))
    else:
        for line in lines():
            print_line(line)


def tell(line: str) -> None:
    """Say how far a command got to a person who waits; nobody else wants to know."""
    if sys.stderr.isatty():
        print_progress(line)


def existing(runs: Path) -> None:
    """Raise UsageError where there is no store to read."""
    if runs.exists() and not runs.is_dir():
        raise UsageError(f"{runs} is no folder; name the store of a run")
    if not (runs / "records").is_dir():
        raise UsageError(f"no records in {runs}; run pytest with --runs {runs} first, or name another store")


@contextmanager
def asking() -> Iterator[None]:
    """A fault of a model that is asked is one line and exit 3, a spent budget one that says how to go on."""
    try:
        yield
    except Fault as fault:
        print_error(fault)
        raise typer.Exit(3) from fault
    except BudgetReached as reached:
        raise UsageError(str(reached)) from reached
