"""Which skill covers which project's stack: the routing matrix of a folder of skills (WebDev-Skills-Bench §3, Routing).

A folder of skills may hold a `tiers.toml` with a table for each skill that somebody judged: the projects it is `core` for,
and why. Every other project is `skip`. A skill without a table has no tier anywhere: nobody has judged it.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from benchmark.errors import UsageError
from benchmark.model import Data, Tier
from skills.parse import Skill, find_skills, load_skill, skill_folder

COLLECTION = Path(__file__).parent / "collection"


class Routing(Data):
    """One skill's row of the matrix; `why` is a sentence that two people agreed on."""

    why: str
    core: tuple[str, ...]


@dataclass(frozen=True)
class Member:
    """A skill with its row, None where nobody has judged it."""

    skill: Skill
    routing: Routing | None

    def tier(self, project: str) -> Tier | None:
        if self.routing is None:
            return None
        return "core" if project in self.routing.core else "skip"


def load_member(folder: Path) -> Member:
    """The skill in `folder` with the row that a `tiers.toml` beside the folder has for it."""
    skill = load_skill(folder)
    return Member(skill, load_tiers(skill_folder(folder).parent / "tiers.toml").get(skill.id))


def load_library(folder: Path) -> list[Member]:
    """Every skill in and below `folder`, by id, with the rows of its `tiers.toml`.

    Raises UsageError for a folder without skills or a faulty one among them.
    """
    found = find_skills(folder)
    if not found:
        raise UsageError(f"no skills below {folder}: no SKILL.md was found; give a folder of skill folders")
    rows = load_tiers(folder / "tiers.toml")
    members = [Member(skill, rows.get(skill.id)) for skill in map(load_skill, found)]
    return sorted(members, key=lambda member: (member.skill.id, member.skill.ref.tree))


def load_tiers(path: Path) -> dict[str, Routing]:
    """The rows of a `tiers.toml` by skill id, none where there is no such file. Raises UsageError on a faulty one."""
    if not path.is_file():
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return {skill: Routing.model_validate(row) for skill, row in data.items()}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValidationError) as error:
        raise UsageError(f"{path}: {str(error).splitlines()[0]}; a table needs `why` and `core`") from error
