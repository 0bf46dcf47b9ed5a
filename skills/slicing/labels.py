"""What each block of a SKILL.md is: the slicer's reading of a document.

Sections, lead-ins and wrapper tags give a context, and a block's own words come before it: so it is read from the first block
to the last. Then, from the last to the first, headings, lead-ins, heads of tables and tags are what they hold, where that is
all of one kind. Both ways take time in proportion to the blocks, whatever the document nests or repeats.
"""

from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from skills.parsing.blocks import CELL, Block, BlockContainer, Tag
from skills.slicing.block_features import (
    is_alert,
    is_bold,
    is_comment,
    is_placeholder,
    leads,
    only_introduces,
    points,
    remedies,
    worded,
)
from skills.slicing.imperatives import Title, column, lexicon, sign, title
from skills.slicing.kinds import KINDS as KINDS
from skills.slicing.kinds import Held, Kind

#: Titles whose section is of that kind whatever its items say.
_FIXED: dict[Title | None, Kind] = {"scope": "neutral", "meta": "meta", "examples": "examples"}
_SIGNS: dict[str, Kind] = {"bad": "anti-patterns", "good": "rules", "both": "mixed"}


def label(blocks: Sequence[Block], tags: Sequence[Tag]) -> tuple[list[Kind], list[Kind]]:
    """The kind of each block and of each lone tag."""
    wrappers = _Wrappers(tags)
    held = Held(blocks, _Reader(wrappers).read(blocks))
    _settle(blocks, held)
    return held.kinds, wrappers.kinds(blocks, held)


class _Wrappers:
    """The lone tags of a document, gone through by line: what the open ones say, and which belong together."""

    def __init__(self, tags: Sequence[Tag]) -> None:
        self._tags = tags
        self._next = 0
        #: Of each open tag its place and what it and those around it say.
        self._open: list[tuple[int, Title | None]] = []
        self._names: Counter[str] = Counter()
        self._pairs: list[tuple[int, int]] = []

    def at(self, line: int) -> Title | None:
        """What the tags open at a line say; lines are asked for in order."""
        while self._next < len(self._tags) and self._tags[self._next].line <= line:
            self._pass(self._next)
            self._next += 1
        return self._open[-1][1] if self._open else None

    def _pass(self, place: int) -> None:
        tag = self._tags[place]
        if not tag.closes:
            around = self._open[-1][1] if self._open else None
            self._open.append((place, _tag_title(tag.name) or around))
            self._names[tag.name] += 1
        elif self._names[tag.name]:
            # Those left open in between end with it.
            while True:
                opener, _ = self._open.pop()
                name = self._tags[opener].name
                self._names[name] -= 1
                if name == tag.name:
                    break
            self._pairs.append((opener, place))

    def kinds(self, blocks: Sequence[Block], held: Held) -> list[Kind]:
        """A tag is what it and its partner hold; without one, or around nothing or several kinds, neutral."""
        self.at(self._tags[-1].line if self._tags else 0)
        firsts = [block.first for block in blocks]
        kinds: list[Kind] = ["neutral"] * len(self._tags)
        for opener, closer in self._pairs:
            first, end = bisect(firsts, self._tags[opener].line), bisect(firsts, self._tags[closer].line)
            kinds[opener] = kinds[closer] = held.kind(first, end) or "neutral"
        return kinds


@dataclass(frozen=True)
class _Section:
    """A heading that is in force; one in a quote or an item only there: `holder` is that container's number."""

    level: int
    title: Title | None
    holder: int | None


class _Reader:
    """A document from its first block to its last, with what has been said so far of what comes."""

    def __init__(self, wrappers: _Wrappers) -> None:
        self._wrappers = wrappers
        self._sections: list[_Section] = []
        #: What a lead-in said of the list, table or item that follows, by the container's number.
        self._said: dict[int, Title] = {}
        self._pending: Title | None = None
        #: What a table's head says of all its rows, by the table's number.
        self._tables: dict[int, Kind | None] = {}
        self._titled = False
        self._intro = True

    def read(self, blocks: Sequence[Block]) -> list[Kind]:
        """The kind of each block by itself; what holds others is settled later."""
        kinds: list[Kind] = []
        for block in blocks:
            self._leave(block)
            if block.form == "heading":
                kinds.append(self._enter(block))
                continue
            if block.within or block.form not in ("paragraph", "html") or is_bold(block):
                self._intro = False
            context = self._context(block)
            kind = self._row(block, context) if block.form in ("head", "row") else self._leaf(block, context)
            kinds.append(kind)
            if block.form == "paragraph":
                self._lead(block, kind)
        return kinds

    def _leave(self, block: Block) -> None:
        """Leave the sections of quotes and items that have ended."""
        around = {one.number for one in block.within}
        while self._sections and self._sections[-1].holder not in {None, *around}:
            self._sections.pop()

    def _enter(self, block: Block) -> Kind:
        holder = block.within[-1].number if block.within else None
        while self._sections and self._sections[-1].holder == holder and self._sections[-1].level >= block.level:
            self._sections.pop()
        # The first heading of all, where it is of level 1, names the document's subject, not the sign of all that is in it.
        self._intro = not self._titled and block.level == 1 and not block.within
        self._titled = True
        self._sections.append(_Section(block.level, None if self._intro else title(block.text), holder))
        self._pending = None
        return "header" if self._intro else "neutral"

    def _context(self, block: Block) -> Title | None:
        """What is said of this block from outside: by its tag, by a lead-in, by the nearest heading that says anything."""
        if self._pending and block.group is not None:
            self._said[block.group.number] = self._pending
        pending, self._pending = self._pending, None
        wrapped = self._wrappers.at(block.first)
        if wrapped:
            return wrapped
        if any(section.title == "scope" for section in self._sections):
            return "scope"
        said: list[Title] = [self._said[one.number] for one in block.within if one.number in self._said]
        if said:
            return said[-1]
        if pending:
            return pending
        for depth, section in enumerate(reversed(self._sections)):
            if section.title and not (section.title == "overview" and depth):
                return section.title
        return None

    def _leaf(self, block: Block, context: Title | None) -> Kind:
        if block.form == "break":
            return "neutral"
        if is_comment(block) or is_placeholder(block):
            return "meta"
        if block.form in ("fence", "code"):
            return _code(block, context)
        if context in _FIXED:
            return _FIXED[context]
        if points(block.text):
            return "meta"
        found = sign(" ".join(block.text.split()))
        if found == "good":
            return "rules"
        # What introduces and explains may name what is not done; it prohibits where it begins with that.
        if found == "bad" or (found and not self._intro and context != "overview"):
            return _SIGNS[found]
        if context == "anti":
            return "rules" if remedies(block.text) else "anti-patterns"
        if self._intro:
            return "header"
        return "neutral" if context == "overview" else "rules"

    def _row(self, block: Block, context: Title | None) -> Kind:
        table = block.within[-1].number
        cells = block.text.split(CELL)
        if block.form == "head":
            self._tables[table] = _columns(cells)
            return "neutral"
        if context in ("scope", "meta"):
            return _FIXED[context]
        kind = self._tables[table]
        if kind is None and context == "examples":
            return "examples"
        found = sign(cells[0])
        # A faulty habit is quoted in its row: only a mark or label of what is right comes before what the head says.
        if kind == "anti-patterns" and (found == "good" or column(cells[0]) == "good"):
            return "rules"
        if kind:
            return kind
        if found in ("bad", "good"):
            return _SIGNS[found]
        return "anti-patterns" if context == "anti" else "neutral" if context == "overview" else "rules"

    def _lead(self, block: Block, kind: Kind) -> None:
        """Keep what a lead-in says of what comes next; an item's words are said of its children."""
        said: Title | None = None
        introduces = leads(block)
        if introduces or is_bold(block):
            said = title(block.text.strip().strip("*_")) or ("anti" if introduces and kind == "anti-patterns" else None)
        elif block.item and kind == "anti-patterns":
            said = "anti"
        if said and block.item:
            self._said[block.item.number] = said
        elif said:
            self._pending = said


def _settle(blocks: Sequence[Block], held: Held) -> None:
    """Headings, lead-ins and heads of tables are what they hold; the last ones first, for the others may hold them."""
    ends = {one.number: place + 1 for place, block in enumerate(blocks) for one in block.within}
    #: By holder: the next heading of each level, and the next block that ends what a bold line holds.
    headings: dict[tuple[int | None, int], int] = {}
    stops: dict[int | None, int] = {}
    for place in range(len(blocks) - 1, -1, -1):
        block, kind, after = blocks[place], held.kinds[place], place + 1
        holder = block.within[-1].number if block.within else None
        end = len(blocks) if holder is None else ends[holder]
        if block.form == "heading":
            if kind != "header":
                below = min(headings.get((holder, level), end) for level in range(1, block.level + 1))
                held.kinds[place] = held.kind(after, below) or "neutral"
            headings[holder, block.level] = place
        elif block.form == "head" or is_alert(block):
            held.kinds[place] = held.kind(after, end) or "neutral"
        elif block.form == "paragraph" and kind not in ("header", "meta"):
            if is_bold(block) and not block.item:
                below = held.kind(after, stops.get(holder, end))
                held.kinds[place] = below or ("neutral" if kind == "rules" else kind)
            elif leads(block):
                below = held.kind(after, _introduced(blocks, place, ends))
                # What introduces code is part of the example only where it says nothing else.
                if below and (below != "examples" or (only_introduces(block) and not block.item)):
                    held.kinds[place] = below
        if block.form in ("heading", "break") or is_bold(block):
            stops[holder] = place
        held.settle(place)


def _introduced(blocks: Sequence[Block], place: int, ends: dict[int, int]) -> int:
    """Where the list, table or code that follows a lead-in ends."""
    within: tuple[BlockContainer, ...] = blocks[place].within
    following = blocks[place + 1] if place + 1 < len(blocks) else None
    if following is None or following.within[: len(within)] != within:
        return place + 1
    if len(following.within) > len(within):
        return ends[following.within[len(within)].number]
    return place + 2 if following.form in ("fence", "code") else place + 1


def _code(block: Block, context: Title | None) -> Kind:
    """Code is an example, good or bad; a fence without a language may hold rules in words, or a diagram of steps."""
    if not worded(block):
        return "examples"
    if context in _FIXED:
        return _FIXED[context]
    return "anti-patterns" if context == "anti" or sign(block.text) == "bad" else "rules"


def _columns(cells: Sequence[str]) -> Kind | None:
    """What all rows of a table are, where its head says it."""
    found = [column(cell) for cell in cells]
    if "bad" in found and "good" in found:
        return "mixed"
    if found[0] == "terms" and "meanings" in found[1:]:
        return "meta"
    return "anti-patterns" if found[0] in ("faults", "bad") else None


@cache
def _tag_title(name: str) -> Title | None:
    return lexicon()["tags"].get(name) or title(name.replace("-", " ").replace("_", " "))
