"""A SKILL.md cut into slices by what its parts are (WebDev-Skills-Bench §3 and Appendix D): header, rules (Rp), anti-patterns
(Rn), examples (X), and what is none of them: mixed, neutral, meta.

Slices are whole lines; joined they are the file, whatever it holds. What a part is, the first of these says: an override pinned
by hash, a mark or the words of the item, a wrapper tag or lead-in, a table's column, the nearest heading; else it is a rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from skills.parsing.blocks import Block, Tag, blocks_of, lines_of
from skills.parsing.parse import Skill
from skills.slicing.labels import Kind, label
from skills.slicing.overrides import overridden

#: The slices that may be cut out.
REMOVABLE: tuple[Kind, ...] = ("rules", "anti-patterns", "examples")


@dataclass(frozen=True)
class Slice:
    """A run of lines of one kind: `data` are its bytes, `first` and `last` its lines, from 1, both included."""

    kind: Kind
    data: bytes
    first: int
    last: int


@dataclass(frozen=True)
class Document:
    """A SKILL.md as the slicer sees it: its lines, how many of them are frontmatter, and the blocks and tags of the rest.

    Lines of blocks count from 0 within the body; `kinds` has one kind for every line of the file.
    """

    lines: list[bytes]
    head: int
    blocks: list[Block]
    tags: list[Tag]
    block_kinds: list[Kind]
    kinds: list[Kind]


def slice_skill(skill: Skill) -> tuple[Slice, ...]:
    """The slices of a skill's SKILL.md in their order; `b"".join(one.data for one in …)` is the file, always."""
    read = document(skill)
    found: list[Slice] = []
    for _, group in groupby(range(len(read.lines)), key=lambda number: read.kinds[number]):
        run = list(group)
        found.append(Slice(read.kinds[run[0]], b"".join(read.lines[run[0] : run[-1] + 1]), run[0] + 1, run[-1] + 1))
    return tuple(found)


def document(skill: Skill) -> Document:
    """Read a skill's SKILL.md."""
    lines = lines_of(skill.data)
    head = _head(skill, lines)
    blocks, tags = blocks_of(lines[head:])
    block_kinds, tag_kinds = label(blocks, tags)
    block_kinds = overridden(skill, head, blocks, block_kinds)
    kinds = _spread(lines, head, blocks, block_kinds, tags, tag_kinds)
    return Document(lines, head, blocks, tags, block_kinds, kinds)


def _head(skill: Skill, lines: Sequence[bytes]) -> int:
    """How many lines the frontmatter takes up."""
    body = len(lines_of(skill.body.encode()))
    return max(0, len(lines) - body)


def _spread(
    lines: Sequence[bytes],
    head: int,
    blocks: Sequence[Block],
    block_kinds: Sequence[Kind],
    tags: Sequence[Tag],
    tag_kinds: Sequence[Kind],
) -> list[Kind]:
    """A kind for every line: a block's lines are its own, blank ones and what no block holds go with the line before."""
    kinds: list[Kind | None] = [None for _ in lines]
    for block, kind in zip(blocks, block_kinds, strict=True):
        for number in range(block.first, block.end):
            kinds[head + number] = kind
    for tag, kind in zip(tags, tag_kinds, strict=True):
        kinds[head + tag.line] = kind
    # The frontmatter, and blank lines after it.
    last: Kind = "header"
    whole: list[Kind] = []
    for kind in kinds:
        last = kind or last
        whole.append(last)
    return whole
