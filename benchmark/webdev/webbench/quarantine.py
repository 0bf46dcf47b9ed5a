"""Tests that fail without an agent's doing: found by running the reference again and again, left out of grading by name."""

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field, ValidationError

from benchmark.core.errors import UsageError
from benchmark.core.files import sha256, write_whole
from benchmark.core.model import Data
from benchmark.plan.panel import PANELS
from benchmark.webdev.webbench.project import BenchProject, Quarantined

#: Where `assay webbench validate` writes, and what panels apply that name no other file.
USUAL = PANELS / "quarantine.json"


class Quarantine(Data):
    """The quarantined tests of projects, as a file keeps them. A project that was validated and has none has an empty row."""

    projects: dict[str, tuple[Quarantined, ...]] = Field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> "Quarantine":
        """What lies at `path`; nothing where there is no file. Raises UsageError for a file that is none of these."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return cls()
        except (OSError, ValidationError) as error:
            first = str(error).splitlines()[0]
            raise UsageError(f"{path} is no quarantine file: {first}; `assay webbench validate` writes one") from error

    def of(self, project: BenchProject) -> tuple[Quarantined, ...]:
        """The rows of a project that hold for its spec files as they are: what was found of others says nothing of these."""
        rows = self.projects.get(project.name, ())
        return tuple(row for row in rows if row.sha256 == spec_hash(project, row.spec))

    def with_rows(self, project: str, rows: Sequence[Quarantined]) -> "Quarantine":
        return Quarantine(projects=dict(sorted({**self.projects, project: tuple(rows)}.items())))

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all. Raises UsageError where that is not possible."""
        text = json.dumps(self.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"
        try:
            write_whole(path, text.encode())
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}; name another --quarantine FILE") from error


def quarantine_line(row: Quarantined) -> str:
    """A row as people read it."""
    runs = "1 run" if row.runs == 1 else f"{row.runs} runs"
    return f"{row.spec} › {row.title}: failed {row.failures} of {runs} of the reference"


def spec_hash(project: BenchProject, spec: str) -> str | None:
    """The hash of one of a project's spec files; None where there is no such file."""
    data = project.files.get(f"projects/{project.name}/{spec}")
    return None if data is None else sha256(data)
