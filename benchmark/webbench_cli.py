"""`assay webbench …`: what a checkout of Web-Bench holds, without Node. Every command takes --json."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from benchmark.console import Json, show
from benchmark.errors import UsageError, unknown
from benchmark.model import Difficulty

webbench = typer.Typer(help="What a checkout of Web-Bench holds and what of it can run here.", no_args_is_help=True)

LEVELS: tuple[Difficulty, ...] = get_args(Difficulty)
HEAD = ("project", "family", "stack", *LEVELS, "init task", "served", "build", "status", "reason")
NUMBERS = range(3, 6)


@webbench.command("list")
def list_projects(
    path: Annotated[Path, typer.Argument(help="A checkout of bytedance/web-bench.", metavar="PATH")],
    project: Annotated[list[str] | None, typer.Option(help="Only this project; again for more.", metavar="NAME")] = None,
    as_json: Json = False,
) -> None:
    """List the projects of a checkout: stack, tasks by level, how it is served, and what it needs to run, with the reason."""
    from benchmark.webdev.webbench.checkout import Checkout

    checkout = Checkout(path)
    for name in project or ():
        if name not in checkout.names:
            raise unknown("project", name, checkout.names)
    chosen = [name for name in checkout.names if not project or name in project]
    if not chosen:
        raise UsageError(f"{path} holds no stable project with tasks; see `eval.stable` in projects/*/package.json")
    rows = [_row(checkout, name) for name in chosen]
    data = {"path": str(checkout.root), "commit": checkout.commit, "projects": rows, "total": _total(rows)}
    show(data, as_json, lambda: _lines(data))


def _row(checkout: Any, name: str) -> dict[str, Any]:
    """One project. Raises UsageError where its files are faulty."""
    from benchmark.webdev.webbench.needs import needs

    try:
        project = checkout.project(name)
        status, reason = needs(project)
        levels = Counter(task.level for task in project.scored)
        return {
            "project": name,
            "family": project.family,
            "stack": project.stack,
            **{level: levels[level] for level in LEVELS},
            "init_task": project.has_init,
            "served": project.served,
            "build": project.has_build,
            "init_script": project.has_init_script,
            "status": status,
            "reason": reason,
        }
    except ValueError as error:
        raise UsageError(f"{error}; repair it in {checkout.root}, or take a clean checkout") from error


def _total(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "projects": len(rows),
        "families": len({row["family"] for row in rows}),
        "tasks": sum(row[level] for row in rows for level in LEVELS),
        **{level: sum(row[level] for row in rows) for level in LEVELS},
        "status": dict(Counter(row["status"] for row in rows)),
    }


def _lines(data: dict[str, Any]) -> Iterator[str]:
    yield f"{data['path']}, {'commit ' + data['commit'] if data['commit'] else 'commit unknown (no .git, or no git)'}"
    total = data["total"]
    table = [HEAD, *(_cells(row) for row in data["projects"])]
    table.append((f"{total['projects']} in all", f"{total['families']} in all", "", *(str(total[level]) for level in LEVELS)))
    widths = [max(len(line[at]) for line in table if at < len(line)) for at in range(len(HEAD))]
    for line in table:
        cells = [
            cell.rjust(width) if at in NUMBERS else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=False))
        ]
        yield "  ".join(cells).rstrip()
    states = ", ".join(f"{status}: {count}" for status, count in total["status"].items())
    yield f"{total['tasks']:,} {'task' if total['tasks'] == 1 else 'tasks'}; {states}"


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["project"],
        row["family"],
        ", ".join(row["stack"]),
        *(str(row[level]) for level in LEVELS),
        "yes" if row["init_task"] else "–",
        row["served"],
        "yes" if row["build"] else "–",
        row["status"],
        row["reason"],
    )
