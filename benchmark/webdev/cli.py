"""`assay webbench …`: what a checkout of Web-Bench holds, and whether its specs hold. Every command takes --json."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple, get_args

import typer

from benchmark.cli.console import Json, Names, show
from benchmark.core.errors import SetupError, UsageError, unknown
from benchmark.core.model import Difficulty
from benchmark.core.text import print_line, print_progress
from benchmark.webdev.options import COMMAND
from benchmark.webdev.webbench.checkout import Checkout
from benchmark.webdev.webbench.needs import needs
from benchmark.webdev.webbench.quarantine import USUAL, Quarantine, quarantine_line
from benchmark.webdev.webbench.source import runnable
from benchmark.webdev.webbench.validate import Validated, validate
from fixtures.sandbox.docker import DockerSandbox, connect

#: Found by the command line under this name.
COMMANDS = typer.Typer(help=COMMAND.help, no_args_is_help=True)

CheckoutPath = Annotated[Path, typer.Argument(help="A checkout of bytedance/web-bench.", metavar="PATH")]

LEVELS: tuple[Difficulty, ...] = get_args(Difficulty)
HEAD = ("project", "family", "stack", *LEVELS, "init task", "served", "build", "status", "reason")
NUMBERS = range(3, 6)


@COMMANDS.command("list")
def list_projects(
    path: CheckoutPath,
    project: Annotated[list[str] | None, typer.Option(help="Only this project; again for more.", metavar="NAME")] = None,
    as_json: Json = False,
) -> None:
    """List the projects of a checkout: stack, tasks by level, how it is served, and what it needs to run, with the reason."""
    checkout = Checkout(path)
    for name in project or ():
        if name not in checkout.names:
            raise unknown("project", name, checkout.names)
    chosen = [name for name in checkout.names if not project or name in project]
    if not chosen:
        raise UsageError(f"{path} holds no stable project with tasks; see `eval.stable` in projects/*/package.json")
    rows = [_row(checkout, name) for name in chosen]
    total = _total(rows)
    listed = [row.as_json() for row in rows]
    data = {"path": str(checkout.root), "commit": checkout.commit, "projects": listed, "total": total.as_json()}
    show(data, as_json, lambda: _table(checkout.root, checkout.commit, rows, total))


class ProjectRow(NamedTuple):
    """A project as it is listed; `levels` are how many of its tasks are of each."""

    project: str
    family: str
    stack: tuple[str, ...]
    levels: dict[str, int]
    init_task: bool
    served: str
    build: bool
    init_script: bool
    status: str
    reason: str

    def as_json(self) -> dict[str, object]:
        """The row with a member for each level."""
        return {**{name: value for name, value in self._asdict().items() if name != "levels"}, **self.levels}


class Totals(NamedTuple):
    """The projects of a checkout together."""

    projects: int
    families: int
    tasks: int
    levels: dict[str, int]
    status: dict[str, int]

    def as_json(self) -> dict[str, object]:
        """The totals with a member for each level."""
        return {**{name: value for name, value in self._asdict().items() if name != "levels"}, **self.levels}


def _row(checkout: Checkout, name: str) -> ProjectRow:
    """One project. Raises UsageError where its files are faulty."""
    try:
        project = checkout.project(name)
        status, reason = needs(project)
        levels = Counter(task.level for task in project.scored)
        return ProjectRow(
            project=name,
            family=project.family,
            stack=project.stack,
            levels={level: levels[level] for level in LEVELS},
            init_task=project.has_init,
            served=project.served,
            build=project.has_build,
            init_script=project.has_init_script,
            status=status,
            reason=reason,
        )
    except ValueError as error:
        raise UsageError(f"{error}; repair it in {checkout.root}, or take a clean checkout") from error


def _total(rows: Sequence[ProjectRow]) -> Totals:
    levels = {level: sum(row.levels[level] for row in rows) for level in LEVELS}
    families = len({row.family for row in rows})
    return Totals(len(rows), families, sum(levels.values()), levels, dict(Counter(row.status for row in rows)))


def _table(path: Path, commit: str | None, rows: Sequence[ProjectRow], total: Totals) -> Iterator[str]:
    yield f"{path}, {'commit ' + commit if commit else 'commit unknown (no .git, or no git)'}"
    table = [HEAD, *map(_cells, rows)]
    table.append((f"{total.projects} in all", f"{total.families} in all", "", *(str(total.levels[level]) for level in LEVELS)))
    widths = [max(len(line[at]) for line in table if at < len(line)) for at in range(len(HEAD))]
    for line in table:
        cells = [
            cell.rjust(width) if at in NUMBERS else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=False))
        ]
        yield "  ".join(cells).rstrip()
    states = ", ".join(f"{status}: {count}" for status, count in total.status.items())
    yield f"{total.tasks:,} {'task' if total.tasks == 1 else 'tasks'}; {states}"


def _cells(row: ProjectRow) -> tuple[str, ...]:
    return (
        row.project,
        row.family,
        ", ".join(row.stack),
        *(str(row.levels[level]) for level in LEVELS),
        "yes" if row.init_task else "–",
        row.served,
        "yes" if row.build else "–",
        row.status,
        row.reason,
    )


@COMMANDS.command("validate")
def validate_checkout(
    path: CheckoutPath,
    project: Names = None,
    repeat: Annotated[int, typer.Option(help="Runs of each reference.", metavar="K", min=1)] = 3,
    quarantine: Annotated[
        Path | None,
        typer.Option(help="Where tests that failed are kept (default: panels/quarantine.json).", metavar="FILE"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Run a checkout's specs against its own solution: tests that fail at times are quarantined by name.

    Exit 1 names those that always fail, and projects that could not be run.
    """
    _validate_checkout(path, project, repeat, quarantine, as_json)


def _validate_checkout(path: Path, asked: list[str] | None, repeat: int, quarantine: Path | None, as_json: bool) -> None:
    """Validate projects of a checkout one after the other; the file has what was found of each as soon as it is found."""
    checkout = Checkout(path)
    projects = runnable(checkout, asked or ("*",))
    file = quarantine.expanduser().resolve() if quarantine else USUAL
    sandbox = _docker()
    # A file that cannot be read or written is told before anything is run.
    Quarantine.load(file).save(file)
    found: list[Validated] = []
    try:
        for item in projects.values():
            one = validate(item, sandbox, repeat, print_progress)
            found.append(one)
            if one.reason is None:
                Quarantine.load(file).with_rows(one.project, one.quarantined).save(file)
            if not as_json:
                for line in _lines(one):
                    print_line(line)
    finally:
        sandbox.close()
    data = {
        "path": str(checkout.root),
        "commit": checkout.commit,
        "quarantine": str(file),
        "ok": all(one.ok for one in found),
        "projects": [{**one.model_dump(mode="json"), "ok": one.ok} for one in found],
    }
    show(data, as_json, lambda: [f"quarantine: {file}"])
    raise typer.Exit(0 if data["ok"] else 1)


def _docker() -> DockerSandbox:
    try:
        connect().close()
    except SetupError as error:
        raise SetupError(
            "no Docker engine answers, and Web-Bench's specs run only in Docker; start it, `assay doctor` says what is missing"
        ) from error
    return DockerSandbox()


def _lines(found: Validated) -> Iterator[str]:
    """What came of one project, and the tests that failed, one a line."""
    if found.reason is not None:
        yield f"NOT RUN {found.project}: {found.reason}"
        return
    runs = "the one run" if found.runs == 1 else f"each of {found.runs} runs"
    if not found.quarantined:
        yield f"sound   {found.project}: {found.tests} tests passed in {runs}"
        return
    always, once = len(found.failing), len(found.quarantined) - len(found.failing)
    parts = [f"{always} failed in {runs}"] if always else []
    parts += [f"{once} failed in some of {found.runs} runs"] if once else []
    yield f"{'FAILING' if always else 'flaky  '} {found.project}: of {found.tests} tests {' and '.join(parts)}"
    yield from (f"        {quarantine_line(row)}" for row in found.quarantined)
