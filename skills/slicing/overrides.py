"""What people say the parts of a SKILL.md are, where the slicer reads otherwise: a `slices.toml` beside the skill's folder.

    [css-layout]
    sha256 = "…"                       # of the SKILL.md that was read; another one needs another look
    lines = ["10-14 anti-patterns", "20 neutral"]

Each row names whole blocks: lines from 1, both ends included, and a kind.
"""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from benchmark.core.errors import UsageError, unknown
from benchmark.core.model import Data, Sha
from skills.parsing.blocks import Block
from skills.parsing.parse import Skill
from skills.slicing.kinds import KINDS, Kind

FILE = "slices.toml"
_ROW = re.compile(r"(\d+)(?:-(\d+))? ([a-z-]+)")


class Override(Data):
    """The lines of one skill, pinned to the SKILL.md that they were read in."""

    sha256: Sha
    lines: tuple[str, ...]


def overridden(skill: Skill, head: int, blocks: Sequence[Block], kinds: list[Kind]) -> list[Kind]:
    """The kinds of a body's blocks with what people said of them; `head` lines of frontmatter are before it.

    Raises UsageError for a faulty file, for one that was written for another SKILL.md, and for lines that are no whole blocks.
    """
    path = skill.source.parent.parent / FILE if skill.source else None
    found = _load(path).get(skill.id) if path and path.is_file() else None
    if not found or not path:
        return kinds
    if found.sha256 != skill.ref.sha256:
        raise UsageError(
            f"{path}: the lines of {skill.id} were read in another SKILL.md (sha256 {found.sha256[:12]}, now "
            f"{skill.ref.sha256[:12]}); look at them again and renew the hash, or remove the table"
        )
    made = list(kinds)
    for row in found.lines:
        first, last, kind = _row(path, skill, row)
        named = [n for n, block in enumerate(blocks) if head + block.first < last and head + block.end >= first]
        whole = all(head + blocks[n].first + 1 >= first and head + blocks[n].end <= last for n in named)
        if not named or not whole:
            spans = ", ".join(f"{head + blocks[n].first + 1}-{head + blocks[n].end}" for n in named) or "none"
            raise UsageError(f"{path}: {skill.id}: {row!r} names no whole blocks of lines; the blocks there are {spans}")
        for n in named:
            made[n] = kind
    return made


def _row(path: Path, skill: Skill, row: str) -> tuple[int, int, Kind]:
    match = _ROW.fullmatch(row)
    if not match:
        raise UsageError(f"{path}: {skill.id}: {row!r} is no row of lines; write it like '10-14 anti-patterns'")
    kind: Kind | None = next((one for one in KINDS if one == match[3] and one != "header"), None)
    if kind is None:
        raise unknown(f"kind of slice (in {path})", match[3], [one for one in KINDS if one != "header"])
    return int(match[1]), int(match[2] or match[1]), kind


def _load(path: Path) -> dict[str, Override]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return {skill: Override.model_validate(row) for skill, row in data.items()}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValidationError) as error:
        raise UsageError(f"{path}: {str(error).splitlines()[0]}; a table needs `sha256` and `lines`") from error
