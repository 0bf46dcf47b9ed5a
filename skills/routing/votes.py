"""What two annotators said of each (skill, project) pair, as they said it (WebDev-Skills-Bench §3, Routing).

A `votes.csv` beside a `tiers.toml` has the columns `skill`, `project`, `a`, `b`, `adjudicated`, `note`. `a` and `b` are the
votes, `core` or `skip`, given independently. Where they differ, `adjudicated` is what discussion came to; left empty, the pair
is unreconciled. Votes are people's: nothing in this checkout writes one.
"""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, model_validator

from benchmark.core.errors import UsageError
from benchmark.core.model import Data, Tier

COLUMNS = ("skill", "project", "a", "b", "adjudicated", "note")


class Vote(Data):
    """One row: a pair, its two votes, and what became of a disagreement."""

    skill: str = Field(min_length=1)
    project: str = Field(min_length=1)
    a: Tier
    b: Tier
    adjudicated: Tier | Literal[""] = ""
    note: str = ""

    @model_validator(mode="after")
    def _only_disagreements_are_adjudicated(self) -> "Vote":
        if self.agreed and self.adjudicated:
            raise ValueError(f"both voted {self.a}: leave `adjudicated` empty, it is for pairs on which they differ")
        return self

    @property
    def agreed(self) -> bool:
        return self.a == self.b

    @property
    def unreconciled(self) -> bool:
        """They differ, and no discussion has settled it."""
        return not self.agreed and not self.adjudicated

    @property
    def tier(self) -> Tier:
        """What holds of the pair. An unreconciled one is `skip`, which keeps routing conservative."""
        return self.a if self.agreed else self.adjudicated or "skip"


def load_votes(path: Path) -> tuple[Vote, ...]:
    """The rows of a `votes.csv` in their order. Raises UsageError, naming the line, for a faulty file or a pair named twice."""
    try:
        # Spreadsheets put a byte order mark first.
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError(
            f"no votes at {path}: there is no such file; give a CSV file with the columns {', '.join(COLUMNS)}"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}; give a CSV file in UTF-8") from None
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    found: dict[tuple[str, str], Vote] = {}
    try:
        _check_columns(path, reader.fieldnames or ())
        for row in reader:
            vote = _vote(path, reader.line_num, row)
            if (vote.skill, vote.project) in found:
                raise UsageError(
                    f"{path}, line {reader.line_num}: {vote.skill} on {vote.project} was voted on before; keep one row"
                )
            found[vote.skill, vote.project] = vote
    except csv.Error as error:
        raise UsageError(f"{path}, after line {reader.line_num}: {error}; is a quotation mark left open?") from None
    return tuple(found.values())


def _check_columns(path: Path, names: Sequence[str]) -> None:
    wanted, given = set(COLUMNS), {name.strip() for name in names}
    missing = sorted(wanted - {"adjudicated", "note"} - given)
    if missing or given - wanted:
        what = f"lacks {', '.join(missing)}" if missing else f"does not know {', '.join(sorted(given - wanted))}"
        raise UsageError(f"{path}, line 1: the header {what}; the columns are {', '.join(COLUMNS)}, between commas")


def _vote(path: Path, line: int, row: dict[str, str | None]) -> Vote:
    # Cells beyond the header have the key None, cells that are missing the value None.
    cells = {
        str(name).strip(): (value or "").strip() if isinstance(value, str | None) else value for name, value in row.items()
    }
    if "None" in cells:
        raise UsageError(f"{path}, line {line}: more cells than columns; put a note with commas into quotation marks")
    try:
        return Vote.model_validate(cells)
    except ValidationError as error:
        first = error.errors()[0]
        where = f"{first['loc'][0]} is {first['input']!r}: " if first["loc"] else ""
        raise UsageError(f"{path}, line {line}: {where}{first['msg'].removeprefix('Value error, ')}") from None
