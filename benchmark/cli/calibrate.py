"""`assay calibrate`: how far verdicts can be believed."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from benchmark.cli.console import Json, show, tell
from reports.calibration.calibrate import calibrate as calibrated
from reports.calibration.calibrate import calibration_lines, write_calibration


def calibrate(
    grid: Annotated[
        Literal["small", "full"], typer.Option(help="small: a minute; full: the whole grid, as every night in CI.")
    ] = "small",
    out: Annotated[Path, typer.Option(help="Where to write the JSON and the page.", metavar="DIR")] = Path("runs/calibration"),
    jobs: Annotated[int, typer.Option(help="Cells simulated at the same time.", metavar="N", min=1)] = 1,
    as_json: Json = False,
) -> None:
    """Judge audits that are made up, with effects that are known, and see whether verdicts err as seldom as they promise.

    Exit 1 where a bar is missed.
    """
    result = calibrated(grid, jobs, tell)
    files = write_calibration(result, out)
    show({**result, "files": list(map(str, files))}, as_json, lambda: [*calibration_lines(result), *map(str, files)])
    raise typer.Exit(0 if result["met"] else 1)
