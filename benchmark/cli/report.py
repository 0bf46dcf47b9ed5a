"""`assay report` and `assay calibrate`: what the numbers say, and how far they can be believed."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from benchmark.cli.console import Json, Runs, existing, show, tell
from benchmark.core.text import print_error


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
    from benchmark.store.store import Store
    from reports.failures import ReportFailed
    from reports.output.terminal import summary_lines
    from reports.output.write import write_all, written_json

    existing(runs)
    try:
        written = write_all(Store(runs.resolve()), panel_hash, out, gate or (), tables=tables, parquet=parquet)
    except ReportFailed as failed:
        print_error(failed)
        raise typer.Exit(3) from failed
    lines, incomplete = summary_lines(written)
    show(written_json(written) if as_json else None, as_json, lambda: lines)
    raise typer.Exit(3 if incomplete else 0 if written.gates_hold else 1)


def calibrate(
    grid: Annotated[Literal["small", "full"], typer.Option(help="small: a minute; full: METHOD's whole grid.")] = "small",
    out: Annotated[Path, typer.Option(help="Where to write the JSON and the page.", metavar="DIR")] = Path("runs/calibration"),
    jobs: Annotated[int, typer.Option(help="Cells simulated at the same time.", metavar="N", min=1)] = 1,
    as_json: Json = False,
) -> None:
    """Judge audits that are made up, with effects that are known, and see whether the verdicts keep what METHOD promises.

    Exit 1 where a bar is missed.
    """
    from reports.calibration.calibrate import calibrate as calibrated
    from reports.calibration.calibrate import calibration_lines, write_calibration

    result: dict[str, Any] = calibrated(grid, jobs, tell)
    files = write_calibration(result, out)
    show({**result, "files": list(map(str, files))}, as_json, lambda: [*calibration_lines(result), *map(str, files)])
    raise typer.Exit(0 if result["met"] else 1)
