"""`assay report`: what the numbers say."""

from pathlib import Path
from typing import Annotated

import typer

from benchmark.cli.console import Json, Runs, existing, show
from benchmark.core.text import print_error
from benchmark.store.store import Store
from reports.failures import ReportFailed
from reports.output.terminal import summary_lines
from reports.output.write import write_all, written_json


def report(
    runs: Runs = Path("runs"),
    panel_hash: Annotated[str | None, typer.Option("--panel-hash", help="Which plan of the store; default: the last.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where to write; default: report/ in the store.", metavar="DIR")] = None,
    tables: Annotated[
        bool, typer.Option("--tables", help="Also the tables of the suite's paper, as HTML, CSV and LaTeX, in tables/.")
    ] = False,
    parquet: Annotated[
        bool, typer.Option("--parquet", help="Also the trials as Parquet, in trials.parquet; needs skill-assay[parquet].")
    ] = False,
    gate: Annotated[
        list[str] | None, typer.Option(help="Exit 1 where this does not hold of a skill; again for more.", metavar="EXPR")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make the summary, the page, results.json, JUnit and the Allure results again from the records.

    Exit 3 where something of it could not be written.

    A gate is an expression on the numbers of every skill with every agent: --gate 'delta > -0.02 and verdict != HURTS'.
    """
    existing(runs)
    try:
        written = write_all(Store(runs.resolve()), panel_hash, out, gate or (), tables=tables, parquet=parquet)
    except ReportFailed as failed:
        print_error(failed)
        raise typer.Exit(3) from failed
    lines, incomplete = summary_lines(written)
    show(written_json(written) if as_json else None, as_json, lambda: lines)
    raise typer.Exit(3 if incomplete else 0 if written.gates_hold else 1)
