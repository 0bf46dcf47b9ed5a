"""A collection as a list: each skill with its size, where it is from, what it is judged core for, and its near duplicates."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from skills.matching.similar import lexicon, resemblance, traits
from skills.parsing.parse import Skill
from skills.provenance.lock import Locked, check_lock, load_lock
from skills.routing.tiers import load_library


@dataclass(frozen=True)
class Near:
    """A near duplicate: its id, and the part of all sequences of four words that it shares, 0 to 1."""

    id: str
    share: float


@dataclass(frozen=True)
class SkillRow:
    """One skill of a collection. `core` are the projects that it is judged core for, None where nobody has judged it.

    `locked` is None where the lock has no row of it; `bytes` and `files` are what lies there.
    """

    id: str
    bytes: int
    files: int
    locked: Locked | None
    core: tuple[str, ...] | None
    near: tuple[Near, ...]


def list_rows(folder: Path) -> list[SkillRow]:
    """The skills in and below `folder`, by id. Raises UsageError for a folder without skills or a faulty one among them."""
    members, lock = load_library(folder), load_lock(folder)
    near = _pairs([member.skill for member in members])
    return [
        SkillRow(
            member.skill.id,
            member.skill.ref.size,
            len(member.skill.files) + 1,
            lock.get(member.skill.id),
            member.routing.core if member.routing else None,
            tuple(found),
        )
        for member, found in zip(members, near, strict=True)
    ]


def list_lines(folder: Path) -> Iterator[str]:
    """The list for the terminal, then what is not as the lock says."""
    rows = list_rows(folder)
    table = [("skill", "bytes", "files", "source", "licence", "core for")]
    table += [
        (
            row.id,
            f"{row.bytes:,}",
            str(row.files),
            _source(row.locked),
            row.locked.licence if row.locked else "–",
            "not judged" if row.core is None else f"{len(row.core)} {'project' if len(row.core) == 1 else 'projects'}",
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        cells = [
            cell.rjust(width) if at in (1, 2) else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
    for row in rows:
        yield from near_lines(row.id, row.near)
    for problem in check_lock(folder):
        yield f"lock: {problem}"


def near_lines(skill: str, near: Iterable[Near]) -> Iterator[str]:
    """The near duplicates of a skill for the terminal."""
    for one in near:
        yield f"{skill}: near duplicate of {one.id}, {one.share:.0%} of the text in common; neither is the other's control"


def nearest(skill: Skill, others: Iterable[Skill]) -> list[Near]:
    """The near duplicates of `skill` among `others`, the nearest first."""
    found = [Near(other.id, share) for other in others if (share := resemblance(skill, other)) >= lexicon().alike]
    return sorted(found, key=lambda one: (-one.share, one.id))


def _pairs(skills: Sequence[Skill]) -> list[list[Near]]:
    """The near duplicates of each. Only skills with a part of their sketches in common are compared, for most have none."""
    holders: dict[int, list[int]] = {}
    for place, skill in enumerate(skills):
        for value in traits(skill).sketch:
            holders.setdefault(value, []).append(place)
    shared = [Counter[int]() for _ in skills]
    for places in holders.values():
        for place in places:
            shared[place].update(places)
    return [nearest(skill, (skills[at] for at in shared[place] if at != place)) for place, skill in enumerate(skills)]


def _source(locked: Locked | None) -> str:
    if locked is None:
        return "not in the lock"
    return f"{locked.source}@{locked.commit[:12]}" if locked.commit else locked.source
