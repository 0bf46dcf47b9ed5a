"""What `assay skills check` says of skills: like a linter for the terminal, as commands of GitHub's workflows, as rows."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from benchmark.core.errors import UsageError
from benchmark.core.text import visible
from skills.diagnosis.claims import LOADS, UNKNOWN, clients, consequences, listed, outcome, version
from skills.parsing.parse import Skill, find_skills, load_skill, skill_file, skill_folder
from skills.parsing.rules import Diagnostic, Severity, found

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


@dataclass(frozen=True)
class Checked:
    """A SKILL.md as it was named, and what is to be said of it; `skill` is None where it could not be read or mounted."""

    path: Path
    skill: Skill | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def loads(self) -> bool:
        """Whether any client lists it, as far as is known."""
        return self.skill is not None and listed(self.diagnostics)


def check_paths(paths: Iterable[Path]) -> list[Checked]:
    """Every skill that the paths name: folders of a skill, SKILL.md files, folders of skills; each once, in this order.

    Raises UsageError for a path that is not there or where no skill is.
    """
    checked: dict[Path, Checked] = {}
    for path in paths:
        for file in _files(path):
            if (key := skill_folder(file) / file.name) not in checked:
                checked[key] = _check(file)
    return list(checked.values())


def failed(checked: Iterable[Checked]) -> bool:
    """Whether any of it is an error."""
    return any(item.severity == "error" for one in checked for item in one.diagnostics)


def check_lines(checked: Sequence[Checked]) -> Iterator[str]:
    """`path/SKILL.md:LINE: error[code] message (who does what)`, one line a diagnostic, and a line that sums them up.

    Where something is said of clients, a last line says which versions of them were asked.
    """
    for one in checked:
        for item in one.diagnostics:
            place = visible(f"{one.path}:{item.line}" if item.line else f"{one.path}")
            yield f"{place}: {item.severity}[{item.code}] {item.message}{_consequences(item)}"
    counts = Counter(item.severity for one in checked for item in one.diagnostics)
    said = ", ".join(_count(counts[name], name) for name in ("error", "warning", "note"))
    lost = sum(not one.loads for one in checked)
    yield f"{_count(len(checked), 'skill')}: {said}" + (f"; no client lists {lost} of them" if lost else "")
    if any(_consequences(item) for one in checked for item in one.diagnostics):
        yield f"what clients do was asked of {', '.join(f'{client} {version(client)}' for client in clients())}"


def github_lines(checked: Iterable[Checked]) -> Iterator[str]:
    """Workflow commands that GitHub shows as annotations of the file."""
    for one in checked:
        for item in one.diagnostics:
            place = {"file": visible(one.path.as_posix()), "line": item.line, "title": item.code}
            given = ",".join(f"{key}={_property(str(value))}" for key, value in place.items() if value is not None)
            yield f"::{_COMMANDS[item.severity]} {given}::{_data(f'{item.message}{_consequences(item)}')}"


class DiagnosticRow(TypedDict):
    """A diagnostic as JSON has it, with what each client does."""

    code: str
    severity: Severity
    line: int | None
    message: str
    clients: dict[str, str]


class SkillRow(TypedDict):
    """What was found of one skill, as JSON has it."""

    path: str
    skill: str | None
    name: str | None
    bytes: int | None
    sha256: str | None
    loads: bool
    clients: dict[str, str]
    diagnostics: list[DiagnosticRow]


def as_rows(checked: Iterable[Checked]) -> list[SkillRow]:
    """A row a skill, for JSON: what it is, what each client does with it, and its diagnostics."""
    return [
        {
            "path": one.path.as_posix(),
            "skill": one.skill.id if one.skill else None,
            "name": one.skill.name if one.skill else None,
            "bytes": len(one.skill.data) if one.skill else None,
            "sha256": one.skill.ref.sha256 if one.skill else None,
            "loads": one.loads,
            "clients": outcome(one.diagnostics),
            "diagnostics": [
                {
                    "code": item.code,
                    "severity": item.severity,
                    "line": item.line,
                    "message": item.message,
                    "clients": consequences(item.rule),
                }
                for item in one.diagnostics
            ],
        }
        for one in checked
    ]


def _files(path: Path) -> list[Path]:
    if path.name.lower() == "skill.md" and path.is_file():
        return [path]
    if not path.is_dir():
        raise UsageError(f"no skill at {path}: there is no such folder; give a skill, its SKILL.md or a folder of skills")
    if file := skill_file(path):
        return [file]
    files = [file for folder in find_skills(path) if (file := skill_file(folder))]
    if not files:
        raise UsageError(f"no skills below {path}: no SKILL.md was found; give a skill, its SKILL.md or a folder of skills")
    return files


def _check(file: Path) -> Checked:
    try:
        skill = load_skill(file)
    except UsageError as error:
        # The whole of it: it is one line of ours, no value to be cut.
        return Checked(file, None, (found("unusable", problem=error),))
    return Checked(file, skill, skill.diagnostics)


def _consequences(item: Diagnostic) -> str:
    """Who does what, of those of whom it is known that they do not simply load it."""
    told = [f"{client} {does}" for client, does in consequences(item.rule).items() if does not in (LOADS, UNKNOWN)]
    return f" ({'; '.join(told)})" if told else ""


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _data(text: str) -> str:
    return visible(text, lines=True).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
