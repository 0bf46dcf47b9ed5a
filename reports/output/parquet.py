"""The trials of an audit as Parquet: a row for each, for pandas, DuckDB, R and whatever else reads tables."""

from pathlib import Path

from benchmark.core.errors import UsageError
from benchmark.core.files import write_whole
from reports.results import Results, as_json

#: Columns of trial lines that may be empty, whose type the rows do not say then.
TYPES = {
    **dict.fromkeys(("delivery", "skill", "reason", "unproven"), "string"),
    **dict.fromkeys(("listed", "opened"), "Int64"),
    "proven_free": "boolean",
}


def write_parquet(results: Results, path: Path) -> None:
    """Write the lines of `results.trials`; metrics are columns such as `metrics.tokens`, in their own units.

    Raises UsageError where pyarrow is not installed.
    """
    from pandas import json_normalize

    frame = json_normalize([as_json(line) for line in results.trials])
    measures = [name for name in frame.columns if name.startswith("metrics.")]
    frame = frame.astype({**TYPES, **dict.fromkeys(measures, "float64")})
    try:
        data = frame.to_parquet(engine="pyarrow", index=False)
    except ImportError as error:
        raise UsageError("Parquet needs pyarrow, which is not installed: pip install 'skill-assay[parquet]'") from error
    write_whole(path, data)
