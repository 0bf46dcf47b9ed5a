"""Which skill covers which project's stack: the routing matrix of a folder of skills (WebDev-Skills-Bench §3, Routing).

A folder of skills may hold a `tiers.toml` with a table for each skill that somebody judged: the projects it is `core` for,
and why. Every other project is `skip`: of the suite that the file's key `suite` names, or of every suite where it names none.
A skill without a table has no tier anywhere: nobody has judged it. Beside it, or in its place, a `votes.csv` may hold what two
annotators said of each pair (`skills.routing.votes`); both must come to the same.
"""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from benchmark.core.errors import UsageError
from benchmark.core.model import Data, Tier
from skills.parsing.parse import Skill, find_skills, load_skill, skill_folder, usable
from skills.routing.votes import Vote, load_votes

COLLECTION = Path(__file__).parents[1] / "collection"


class Routing(Data):
    """One skill's row of the matrix; `why` is a sentence that two people agreed on.

    `judged` are the projects that somebody looked at, None for all of `suite` (None for every suite): what is not `core` among
    them is `skip`.
    """

    why: str
    core: tuple[str, ...]
    judged: tuple[str, ...] | None = None
    suite: str | None = None

    def tier(self, project: str) -> Tier | None:
        if project in self.core:
            return "core"
        return "skip" if self.judged is None or project in self.judged else None


@dataclass(frozen=True)
class Member:
    """A skill with its row, None where nobody has judged it."""

    skill: Skill
    routing: Routing | None

    def tier(self, project: str) -> Tier | None:
        return self.routing.tier(project) if self.routing else None

    def within(self, suite: str) -> "Member":
        """The skill as judged for a suite: without its row where that is of another one."""
        return self if self.routing is None or self.routing.suite in (None, suite) else Member(self.skill, None)


def load_member(folder: Path) -> Member:
    """The skill in `folder` with the row that the matrix beside the folder has for it."""
    skill = usable(load_skill(folder))
    return Member(skill, load_matrix(skill_folder(folder).parent).get(skill.id))


def load_library(folder: Path) -> list[Member]:
    """Every skill in and below `folder`, by id, with the rows of its matrix.

    Raises UsageError for a folder without skills or a faulty one among them.
    """
    found = find_skills(folder)
    if not found:
        raise UsageError(f"no skills below {folder}: no SKILL.md was found; give a folder of skill folders")
    rows = load_matrix(folder)
    members = [Member(skill, rows.get(skill.id)) for skill in (usable(load_skill(path)) for path in found)]
    return sorted(members, key=lambda member: (member.skill.id, member.skill.ref.tree))


def load_matrix(folder: Path) -> dict[str, Routing]:
    """The rows of a folder's `tiers.toml`, and of its `votes.csv` for skills without a table, by skill id.

    Raises UsageError on a faulty file, and where a table says otherwise than the votes.
    """
    rows, path = load_tiers(folder / "tiers.toml"), folder / "votes.csv"
    if not path.is_file():
        return rows
    votes = load_votes(path)
    for vote in votes:
        row = rows.get(vote.skill)
        if row and row.tier(vote.project) != vote.tier:
            said = f"{vote.skill} is {row.tier(vote.project) or 'not judged'} on {vote.project}"
            raise UsageError(
                f"{folder / 'tiers.toml'}: {said}, but the votes in {path.name} come to {vote.tier}; correct one of them"
            )
    return {**routing_of(votes), **rows}


def routing_of(votes: Iterable[Vote]) -> dict[str, Routing]:
    """The rows that votes come to, by skill id: a disagreement as it was adjudicated, and `skip` where it is unreconciled."""
    by_skill: dict[str, list[Vote]] = {}
    for vote in votes:
        by_skill.setdefault(vote.skill, []).append(vote)
    return {skill: _routing(found) for skill, found in by_skill.items()}


def _routing(votes: list[Vote]) -> Routing:
    agreed = sum(vote.agreed for vote in votes)
    why = f"The votes of two annotators, who agreed on {agreed} of {len(votes)} projects."
    core = tuple(vote.project for vote in votes if vote.tier == "core")
    return Routing(why=why, core=core, judged=tuple(vote.project for vote in votes))


def load_tiers(path: Path) -> dict[str, Routing]:
    """The rows of a `tiers.toml` by skill id, none where there is no such file. Raises UsageError on a faulty one."""
    if not path.is_file():
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        suite = {"suite": data.pop("suite")} if not isinstance(data.get("suite", {}), dict) else {}
        return {skill: Routing.model_validate(suite | row if isinstance(row, dict) else row) for skill, row in data.items()}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValidationError) as error:
        raise UsageError(f"{path}: {str(error).splitlines()[0]}; a table needs `why` and `core`") from error
