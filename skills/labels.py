"""What each block of a SKILL.md is: the slicer's reading of a document, block by block (research: polarity's precedence).

Sections, lead-ins and wrapper tags give a context; a block's own words come before it; headings, lead-ins, table heads and tags
are in the end what they hold, where that is all of one kind.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from skills.blocks import Block, Tag
from skills.polarity import Title, column, folded, introduces_examples, sign, title, words

Kind = Literal["header", "rules", "anti-patterns", "examples", "mixed", "neutral", "meta"]
KINDS: tuple[Kind, ...] = ("header", "rules", "anti-patterns", "examples", "mixed", "neutral", "meta")

_BOLD = re.compile(r"\s*(?:[^\w\s]{1,3}\s*)?(?:\*\*|__)[^*_\n](?:[^\n]*?[^*\n])?(?:\*\*|__)\s*[:：]?\s*")
_CELL = "\x1f"
#: Titles whose section is of that kind whatever its items say.
_FIXED: dict[Title, Kind] = {"scope": "neutral", "meta": "meta", "examples": "examples"}
_SIGNS: dict[str, Kind] = {"bad": "anti-patterns", "good": "rules", "both": "mixed"}


def label(blocks: Sequence[Block], tags: Sequence[Tag]) -> tuple[list[Kind], list[Kind]]:
    """The kind of each block and of each lone tag."""
    reader = _Reader(blocks, tags)
    reader.read()
    reader.settle()
    return reader.kinds, [reader.tag(tag) for tag in tags]


@dataclass
class _Section:
    level: int
    title: Title | None


class _Reader:
    """One document. `read` goes through it with the context at each block, `settle` back from the inside out."""

    def __init__(self, blocks: Sequence[Block], tags: Sequence[Tag]) -> None:
        self.blocks = blocks
        self.tags = tags
        self.kinds: list[Kind] = []
        self._sections: list[_Section] = []
        #: What a lead-in said of the list, table or item that follows, by the container's number.
        self._said: dict[int, Title] = {}
        self._pending: Title | None = None

    def read(self) -> None:
        intro = True
        tables: dict[int, Kind | None] = {}
        for place, block in enumerate(self.blocks):
            first = place == 0 and block.form == "heading" and block.level == 1
            intro = first or (intro and block.form == "paragraph" and not block.within and not _is_bold(block))
            if block.form == "heading":
                self._enter(block, first)
                self.kinds.append("header" if first else "neutral")
                continue
            context = self._context(block)
            if block.form in ("head", "row"):
                kind = self._row(block, context, tables)
            else:
                kind = self._leaf(block, context, intro)
            self.kinds.append(kind)
            self._lead(place, block)

    def _enter(self, block: Block, first: bool) -> None:
        while self._sections and self._sections[-1].level >= block.level:
            self._sections.pop()
        # A document's title names its subject, not the sign of all that is in it.
        self._sections.append(_Section(block.level, None if first else title(block.text)))
        self._pending = None

    def _context(self, block: Block) -> Title | None:
        """What is said of this block from outside: by its tag, by a lead-in, by the nearest heading that says anything."""
        if self._pending and block.group is not None:
            self._said[block.group.number] = self._pending
        pending, self._pending = self._pending, None
        wrapped = self._wrapped(block.first)
        if wrapped:
            return wrapped
        said = [self._said[one.number] for one in block.within if one.number in self._said]
        if any(section.title == "scope" for section in self._sections):
            return "scope"
        if said:
            return said[-1]
        if pending:
            return pending
        for depth, section in enumerate(reversed(self._sections)):
            if section.title and not (section.title == "overview" and depth):
                return section.title
        return None

    def _wrapped(self, line: int) -> Title | None:
        found: list[Title | None] = []
        names: list[str] = []
        for tag in self.tags:
            if tag.line > line:
                break
            if not tag.closes:
                names.append(tag.name)
                found.append(_tag_title(tag.name))
            elif tag.name in names:
                place = len(names) - 1 - names[::-1].index(tag.name)
                del names[place:], found[place:]
        return next((one for one in reversed(found) if one), None)

    def _leaf(self, block: Block, context: Title | None, intro: bool) -> Kind:
        if block.form == "break":
            return "neutral"
        if block.form == "html" and block.text.lstrip().startswith("<!--"):
            return "meta"
        if block.form in ("fence", "code"):
            return _code(block, context)
        if context in _FIXED:
            return _FIXED[context]
        if _points(block.text):
            return "meta"
        found = sign(block.text)
        if found == "good":
            return "rules"
        # What introduces and explains may name what is not done; it prohibits where it begins with that.
        if found == "bad" or (found and not intro and context != "overview"):
            return _SIGNS[found]
        if context == "anti":
            return "rules" if _remedy(block.text) else "anti-patterns"
        if intro:
            return "header"
        return "neutral" if context == "overview" else "rules"

    def _row(self, block: Block, context: Title | None, tables: dict[int, Kind | None]) -> Kind:
        table = block.within[-1].number
        if block.form == "head":
            tables[table] = _columns(block.text.split(_CELL))
            return "neutral"
        if context in ("scope", "meta"):
            return _FIXED[context]
        if kind := tables[table]:
            return kind
        if context == "examples":
            return "examples"
        found = sign(block.text.split(_CELL)[0])
        if found in ("bad", "good") and found:
            return _SIGNS[found]
        return "anti-patterns" if context == "anti" else "neutral" if context == "overview" else "rules"

    def _lead(self, place: int, block: Block) -> None:
        """Keep what a lead-in says of what comes next; an item's words are said of its children."""
        if block.form != "paragraph":
            return
        said: Title | None = None
        if _leads(block) or _is_bold(block):
            said = title(block.text.strip().strip("*_")) or (
                "anti" if self.kinds[place] == "anti-patterns" and _leads(block) else None
            )
        elif block.item and self.kinds[place] == "anti-patterns":
            said = "anti"
        if said is None:
            return
        if block.item:
            self._said[block.item.number] = said
        else:
            self._pending = said

    # what holds others

    def settle(self) -> None:
        """Headings and lead-ins, the innermost first, are what they hold."""
        for place in range(len(self.blocks) - 1, -1, -1):
            block = self.blocks[place]
            if block.form == "heading" and self.kinds[place] != "header":
                self.kinds[place] = self._uniform(self._below(place)) or "neutral"
            elif block.form == "head":
                same = [one for one in range(place + 1, len(self.blocks)) if self.blocks[one].within[-1:] == block.within[-1:]]
                self.kinds[place] = self._uniform(same) or "neutral"
            elif block.form == "paragraph" and self.kinds[place] not in ("header", "meta"):
                self._settle_lead(place, block)

    def _settle_lead(self, place: int, block: Block) -> None:
        if _is_bold(block) and not block.item:
            held = self._uniform(self._until_bold(place))
            if held or self.kinds[place] == "rules":
                self.kinds[place] = held or "neutral"
        elif _leads(block):
            held = self._uniform(self._introduced(place, block))
            if held == "examples" and not (_only_introduces(block) and not block.item):
                return
            if held:
                self.kinds[place] = held

    def _below(self, place: int) -> list[int]:
        """The blocks of a heading's section."""
        found = []
        for other in range(place + 1, len(self.blocks)):
            if self.blocks[other].form == "heading" and self.blocks[other].level <= self.blocks[place].level:
                break
            found.append(other)
        return found

    def _until_bold(self, place: int) -> list[int]:
        """What stands below a bold line that acts as a heading."""
        found = []
        for other in range(place + 1, len(self.blocks)):
            block = self.blocks[other]
            if block.form == "heading" or (_is_bold(block) and block.within == self.blocks[place].within):
                break
            found.append(other)
        return found

    def _introduced(self, place: int, block: Block) -> list[int]:
        """The list, table or block of code that follows a lead-in."""
        if place + 1 >= len(self.blocks):
            return []
        following = self.blocks[place + 1]
        depth = len(block.within)
        if following.within[:depth] != block.within:
            return []
        if len(following.within) > depth:
            group = following.within[depth]
            return [one for one in range(place + 1, len(self.blocks)) if group in self.blocks[one].within]
        return [place + 1] if following.form in ("fence", "code") else []

    def _uniform(self, places: Iterable[int]) -> Kind | None:
        kinds = {self.kinds[one] for one in places if self.blocks[one].form != "break"}
        return kinds.pop() if len(kinds) == 1 else None

    def tag(self, tag: Tag) -> Kind:
        """A lone tag is what it holds; one that holds nothing or several kinds is neutral."""
        partner = next((one for one in self.tags if one.name == tag.name and one.closes and one.line > tag.line), None)
        opener = next(
            (one for one in reversed(self.tags) if one.name == tag.name and not one.closes and one.line < tag.line), None
        )
        first, last = (tag, partner) if not tag.closes else (opener, tag)
        if first is None or last is None:
            return "neutral"
        held = [place for place, block in enumerate(self.blocks) if first.line < block.first < last.line]
        return self._uniform(held) or "neutral"


def _is_bold(block: Block) -> bool:
    """Whether a paragraph is one bold line: a heading in all but its form."""
    return block.form == "paragraph" and len(block.text) <= 120 and bool(_BOLD.fullmatch(block.text))


def _leads(block: Block) -> bool:
    return block.form == "paragraph" and folded(block.text).rstrip().endswith((":", "："))


def _only_introduces(block: Block) -> bool:
    plain = folded(block.text).strip().rstrip(":：")
    return len(plain.split()) <= 5 or introduces_examples(plain) or bool(_pattern("opening").fullmatch(plain.lower()))


def _remedy(text: str) -> bool:
    return bool(_pattern("remedy").match(folded(text).strip().lower()))


def _points(text: str) -> bool:
    plain = text.strip().lower().lstrip("*_>- ")
    return bool(_pattern("pointer").match(plain)) and bool(_pattern("target").search(plain))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(f"(?:{'|'.join(words()['text'][name])})")


@cache
def _tag_title(name: str) -> Title | None:
    return words()["tags"].get(name) or title(name.replace("-", " ").replace("_", " "))


def _columns(cells: Sequence[str]) -> Kind | None:
    """What all rows of a table are, where its head says it."""
    found = [column(cell) for cell in cells]
    if "bad" in found and "good" in found:
        return "mixed"
    if found and found[0] == "terms" and any(word in _CELL.join(cells).lower() for word in ("meaning", "means", "definition")):
        return "meta"
    if found and found[0] in ("faults", "bad"):
        return "anti-patterns"
    return None


def _code(block: Block, context: Title | None) -> Kind:
    """Code is an example, good or bad; a fence without a language may hold rules in words, or a diagram of steps."""
    if not _worded(block):
        return "examples"
    if context in ("scope", "meta", "examples"):
        return _FIXED[context]
    return "anti-patterns" if context == "anti" or sign(block.text) == "bad" else "rules"


def _worded(block: Block) -> bool:
    language = block.info.split()[0].lower() if block.info else ""
    if block.form == "code" or language not in words()["text"]["languages"]:
        return False
    if language in words()["text"]["diagrams"]:
        return True
    text = words()["text"]
    lines = [line for line in block.text.splitlines() if line.strip()]
    drawn = sum(any(stroke in line for stroke in text["strokes"]) for line in lines)
    pointed = sum(any(arrow in line for arrow in text["arrows"]) for line in lines)
    return (pointed and drawn >= 0.5 * len(lines)) or pointed > 0.5 * len(lines) or block.text.isupper()
