"""`assay validate`: the tasks of suites proved."""

import sys
from contextlib import closing, suppress
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from benchmark.cli.console import Json, Names, show
from benchmark.core.errors import UsageError, unknown
from benchmark.core.text import print_line
from benchmark.suite.capabilities import Proof, Validates
from benchmark.suite.contract import Suite
from benchmark.suite.discovery import find_suite, suite_names


def validate(
    suite: Annotated[str | None, typer.Option(help="Only this suite's tasks (default: those of all).", metavar="NAME")] = None,
    project: Names = None,
    changed: Annotated[bool, typer.Option("--changed", help="Prove only tasks whose committed hash no longer holds.")] = False,
    write: Annotated[bool, typer.Option("--write", help="Commit the hashes of what was proved to validated.json.")] = False,
    jobs: Annotated[int, typer.Option(help="Projects proved at the same time.", metavar="N", min=1)] = 1,
    as_json: Json = False,
) -> None:
    """Prove that tasks are sound: solutions solve, what should not solve does not, every check can fail, repeats agree.

    Exit 1 names each task that is not.
    """
    named = (
        [find_suite(suite)] if suite else [found for name in suite_names() if isinstance(found := find_suite(name), Validates)]
    )
    known = [name for chosen in named for name in chosen.projects()]
    for name in project or ():
        if name not in known:
            raise unknown("project", name, known)
    proofs: list[Proof] = []
    for chosen in named:
        if not isinstance(chosen, Validates):
            raise UsageError(f"suite {chosen.name} has no tasks that prove themselves; leave out --suite for those that have")
        names = [name for name in chosen.projects() if not project or name in project]
        if not names:
            continue
        with closing(chosen.validate(names, changed=changed, write=write, jobs=jobs)) as proved, _progress() as progress:
            bar = progress.add_task("tasks", total=_task_count(chosen, names))
            for proof in proved:
                proofs.append(proof)
                progress.update(bar, completed=sum(item.id not in names for item in proofs))
                if not as_json:
                    word = "valid  " if proof.valid else "INVALID"
                    print_line(f"{word} {proof.id}{'' if proof.valid else f': {proof.reason}'}")
    if as_json:
        show({"tasks": [{"id": p.id, "valid": p.valid, "reason": p.reason} for p in proofs]}, True, list)
    raise typer.Exit(0 if proofs and all(proof.valid for proof in proofs) else 1)


def _progress() -> Progress:
    """A line below the others that says how many are proved and how long the rest takes; none where nobody watches."""
    columns = ("proved", BarColumn(), MofNCompleteColumn(), TextColumn("tasks in"), TimeElapsedColumn())
    # What is proved goes to standard output, which may lead elsewhere.
    return Progress(
        *(*columns, TextColumn("left:"), TimeRemainingColumn()),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
    )


def _task_count(suite: Suite, names: list[str]) -> int:
    count = 0
    for name in names:
        with suppress(ValueError):  # what cannot be read is told when it is to be proved
            count += suite.task_count(name)
    return count
