"""What C3 and L3 inject: a skill without one of its slices, and with as many irrelevant bytes in the slice's place.

WebDev-Skills-Bench §4.5 and Appendix D for the removal; METHOD.md, C3, for its length control. The body of SKILL.md alone is
changed: its frontmatter and the skill's other files are the same in every arm. What is left must be the same Markdown: it is
parsed again and compared with what stood there before, and where a cut would change that there is none.
"""

import random
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from benchmark.core.files import hash_json
from skills.parsing.blocks import Block, Tag, blocks_of, lines_of
from skills.parsing.parse import Skill, as_skill
from skills.slicing.ablate import APART, Removal, body_of, emptied_tags, hollowed, removal, shortened
from skills.slicing.filler import Filler, Shingle, renamed, shingles
from skills.slicing.kinds import Kind
from skills.slicing.slices import document

#: A smaller slice is not ablated: its effect could not be told from that of any few words.
LEAST_BYTES, LEAST_SHARE = 200, 0.02
#: How far the bytes of a replacement may be from those of the slice, relative to the slice.
TOLERANCE = 0.05
#: How many draws of a partner's words are tried before it is passed over.
DRAWS = 8


class NotAblated(Exception):
    """Why a slice of a skill is not removed: the arm is N/A."""


@dataclass(frozen=True)
class Variant:
    """A skill with one slice gone or replaced: its SKILL.md is `cut` bytes shorter and `put` bytes longer than before.

    `cut` counts the parts that went, with headings left over nothing and blank lines; `put`, of a removal, what keeps two parts
    apart that would become one, mostly nothing. `kept` are bytes of the slice that are still there, blank lines aside, because
    other parts hang on them: a link's address, the first words of an item whose marker could not pass on.
    """

    skill: Skill
    slice: Kind
    cut: int
    put: int
    kept: int


class Ablation:
    """One slice of a skill that can be taken out or replaced: raises NotAblated where it is too small or all there is."""

    def __init__(self, skill: Skill, kind: Kind) -> None:
        self.skill = skill
        self.kind: Kind = kind
        self._read = document(skill)
        self._body = body_of(self._read)
        self._front = skill.data[: len(skill.data) - sum(map(len, self._body))]
        self._check_size()
        self._places = hollowed(self._read, [place for place, one in enumerate(self._read.block_kinds) if one == kind])
        left = [block.form for place, block in enumerate(self._read.blocks) if place not in self._places]
        if all(form in ("heading", "break") for form in left):
            raise NotAblated(f"{skill.id} is nothing but {kind}: without them there would be no skill")

    def _check_size(self, kept: int = 0) -> None:
        """Whether the slice without what is kept of it is worth an arm."""
        size = len(self.skill.data)
        found = sum(len(line) for line, kind in zip(self._read.lines, self._read.kinds, strict=True) if kind == self.kind)
        if found - kept < max(LEAST_BYTES, LEAST_SHARE * size):
            there = f", of which {kept} cannot be cut out" if kept else ""
            least = f"under {LEAST_BYTES} bytes or {LEAST_SHARE:.0%} nothing is removed"
            raise NotAblated(
                f"the {self.kind} of {self.skill.id} are {found} bytes ({found / max(1, size):.2%}){there}; {least}"
            )

    def removed(self) -> Variant:
        """The skill without the slice. Raises NotAblated where what stands around it would change."""
        for passing in (True, False):
            gone = removal(self._read, self.kind, passing=passing)
            body, put = shortened(self._read, gone)
            if self._stays(gone, body):
                break
        else:
            raise NotAblated(f"the {self.kind} of {self.skill.id} cannot be cut out without changing what stands around them")
        made = self._variant(body, sum(map(len, self._body)) - len(body) + put, put, gone.lines)
        self._check_size(made.kept)
        return made

    def replaced(self, partner: Skill, seed: int) -> Variant:
        """The skill with words of `partner` in the slice's place. Raises NotAblated where no draw of them could stand there."""
        lines = sorted(self._filled_lines())
        told = self._told(lines) - self._told(set(range(len(self._body))).difference(lines))
        size = sum(len(self._body[line]) for line in lines)
        for draw in range(DRAWS):
            drawn = random.Random(hash_json([seed, draw, self.skill.ref.tree, partner.ref.tree, self.kind]))
            body = self._filled(Filler(partner, drawn, told))
            put = sum(len(body[line]) for line in lines)
            silent = told.isdisjoint(shingles(_text(body)))
            if silent and abs(put - size) <= TOLERANCE * size and self._same_shape(body):
                return self._variant(b"".join(body), size, put, lines)
        raise NotAblated(f"{partner.id} has no text that could stand for the {self.kind} of {self.skill.id}")

    def _variant(self, body: bytes, cut: int, put: int, touched: Collection[int]) -> Variant:
        made = as_skill(self.skill.id, {**self.skill.files, "SKILL.md": self._front + body}, self.skill.folder)
        kinds = self._read.kinds[self._read.head :]
        kept = [line for number, line in enumerate(self._body) if kinds[number] == self.kind and number not in touched]
        return Variant(made, self.kind, cut, put, sum(len(line) for line in kept if line.strip(b" \t\r\n>")))

    def _stays(self, gone: Removal, body: bytes) -> bool:
        """Whether what is left is what was there before: blocks in their containers, tags, and the addresses of links."""
        blocks = [block for place, block in enumerate(self._read.blocks) if place not in gone.blocks]
        tags = [tag for tag in self._read.tags if tag.line not in gone.lines]
        lines = [b"" if number in gone.lines else line for number, line in enumerate(self._body)]
        after = lines_of(body)
        return _outline(lines, blocks, tags, self._read.blocks) == _outline(after, *blocks_of(after))

    # what comes in its place

    def _filled_lines(self) -> set[int]:
        blocks = [self._read.blocks[place] for place in self._places if self._read.blocks[place].form != "break"]
        return {line for one in blocks for line in range(one.first, one.end)} | emptied_tags(self._read, self._places)

    def _filled(self, filler: Filler) -> list[bytes]:
        lines = list(self._body)
        for place in sorted(self._places):
            block = self._read.blocks[place]
            if block.form != "break":
                lines[block.first : block.end] = filler.block(block, lines[block.first : block.end])
        for line in emptied_tags(self._read, self._places):
            lines[line] = renamed(lines[line])
        return lines

    def _told(self, numbers: Iterable[int]) -> set[Shingle]:
        return shingles(_text(self._body[number] for number in sorted(numbers)))

    def _same_shape(self, lines: Sequence[bytes]) -> bool:
        """Whether the lines of other words are headings, items, rows and fences where those before were."""
        blocks, tags = blocks_of(lines)
        lone = [(tag.line, tag.closes) for tag in tags]
        return _shape(blocks) == _shape(self._read.blocks) and lone == [(tag.line, tag.closes) for tag in self._read.tags]


def without(skill: Skill, kind: Kind) -> Variant:
    """The skill with all slices of `kind` removed: what C3 injects. Raises NotAblated with the reason."""
    return Ablation(skill, kind).removed()


def replaced(skill: Skill, kind: Kind, partner: Skill, seed: int) -> Variant:
    """The skill with the same parts replaced by as many bytes of `partner` in the same form: what L3 injects.

    Headings stay headings, bullets bullets, rows rows and fences fences. The words, and with them what said good or bad, are
    the partner's, from a place drawn by `seed`. Raises NotAblated with the reason.
    """
    return Ablation(skill, kind).replaced(partner, seed)


def _outline(
    lines: Sequence[bytes], blocks: Sequence[Block], tags: Sequence[Tag], all_blocks: Sequence[Block] = ()
) -> tuple[object, ...]:
    """What a document is, whichever lines it is on: blocks with their words in their containers, tags, addresses of links."""
    numbers: dict[int, int] = {}
    found = [
        (
            one.form,
            one.level,
            one.info,
            _plain(one),
            [(at.form, numbers.setdefault(at.number, len(numbers))) for at in one.within],
        )
        for one in blocks
        if one.text.strip() != APART.decode()
    ]
    taken = {line for one in all_blocks or blocks for line in range(one.first, one.end)} | {tag.line for tag in tags}
    loose = [line.strip(b" \t\r\n>") for number, line in enumerate(lines) if number not in taken]
    return found, [(tag.name, tag.closes) for tag in tags], [line for line in loose if b":" in line]


def _plain(block: Block) -> str:
    """A block's text; spaces before a later line of a paragraph are none of it, and its first line may come to be one."""
    return "\n".join(map(str.strip, block.text.splitlines())) if block.form == "paragraph" else block.text.rstrip()


def _shape(blocks: Iterable[Block]) -> list[tuple[object, ...]]:
    """Block structure: form, level, line, nesting. Lines of one paragraph count as one."""
    found: list[tuple[object, ...]] = []
    last: Block | None = None
    for block in blocks:
        if not (last and last.form == block.form == "paragraph" and last.end == block.first):
            found.append((block.form, block.level, block.first, [(one.form, one.first) for one in block.within]))
        last = block
    return [*found, (last.end if last else 0,)]


def _text(lines: Iterable[bytes]) -> str:
    return b"".join(lines).decode("utf-8", "replace")
