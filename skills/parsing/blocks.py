"""The blocks of a Markdown body with the lines that they take up, by CommonMark.

Only the block structure is read: which line is heading, item, row or code. Lone wrapper tags (`<Good>`) are kept out of the
parser's sight, for CommonMark would take everything up to the next blank line for HTML, fences included.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

Form = Literal["heading", "paragraph", "fence", "code", "html", "break", "head", "row"]

_TAG = re.compile(rb"[ \t]*<(/?)([A-Za-z][\w.-]*)(?:\s[^<>]*)?>[ \t]*")
#: A line of a paragraph that begins with a label or a mark stands for itself.
OWN = re.compile(r"\s*(\*\*|[❌✗✘✖🚫⛔✅✔✓☑👍👎])")
#: What stands between the cells of a row's text.
CELL = "\x1f"
_FENCE = re.compile(rb"[ \t]*(?:(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])[ \t]*)*(`{3,}|~{3,})")


@dataclass(frozen=True)
class BlockContainer:
    """A list, an item, a quote or a table around blocks; `indent` is how many characters an item's marker takes up."""

    form: Literal["list", "item", "quote", "table"]
    number: int
    first: int
    indent: int = 0


@dataclass(frozen=True)
class Block:
    """One leaf of the document: lines `first` up to `end` (from 0, end excluded) without the blank ones after it.

    `text` is the source of its words without the markers around them; `level` a heading's, `info` a fence's language.
    """

    form: Form
    first: int
    end: int
    text: str
    level: int = 0
    info: str = ""
    within: tuple[BlockContainer, ...] = field(default=(), repr=False)

    @property
    def item(self) -> BlockContainer | None:
        """The innermost item around it."""
        return next((one for one in reversed(self.within) if one.form == "item"), None)

    @property
    def group(self) -> BlockContainer | None:
        """The outermost list or table around it: what a lead-in introduces."""
        return next((one for one in self.within if one.form in ("list", "table")), None)


@dataclass(frozen=True)
class Tag:
    """A line that is nothing but a tag: `<Good>`, `</Good>`."""

    name: str
    closes: bool
    line: int


def lines_of(data: bytes) -> list[bytes]:
    """The lines of a file with their ends: LF, CR LF and CR, as CommonMark counts them."""
    return data.splitlines(keepends=True)


def decoded(data: bytes) -> str:
    """Bytes as text with as many lines: UTF-8 where they are that, else one character a byte."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def blocks_of(lines: Sequence[bytes]) -> tuple[list[Block], list[Tag]]:
    """The blocks and the lone tags of a body, in order."""
    tags = _tags(lines)
    hidden = {tag.line for tag in tags}
    data = b"".join(b"\n" if number in hidden else line for number, line in enumerate(lines))
    # What is no UTF-8 is replaced, so that the words around it stay what they are; ends of lines are never part of it.
    source = data.decode("utf-8", "replace").removeprefix("\ufeff")
    tokens = _parser().parse(source)
    found = _blocks(tokens, source)
    code = {line for block in found if block.form in ("fence", "code") for line in range(block.first, block.end)}
    return found, [tag for tag in tags if tag.line not in code]


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.disable("inline")
    return parser


def _tags(lines: Sequence[bytes]) -> list[Tag]:
    """Lone tags outside of what looks like a fence, also one that begins an item; what is code, the parser says."""
    found, fence = [], b""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = b""
        elif mark:
            fence = mark[1]
        elif match := _TAG.fullmatch(line.rstrip(b"\r\n")):
            found.append(Tag(match[2].decode("ascii", "replace").lower(), bool(match[1]), number))
    return found


def _blocks(tokens: Sequence[Token], source: str) -> list[Block]:
    lines = re.split(r"\r\n|\r|\n", source)
    within: list[BlockContainer] = []
    found: list[Block] = []
    head = False
    for place, token in enumerate(tokens):
        kind = token.type.removesuffix("_open").removesuffix("_close")
        first, end = token.map or (0, 0)
        if kind in _CONTAINERS:
            if token.nesting == 1:
                around = next((one for one in reversed(within) if one.form == "item" and one.first == first), None)
                within.append(
                    BlockContainer(_CONTAINERS[kind], place, first, _indent(token, lines, around.indent if around else 0))
                )
            else:
                within.pop()
        elif kind in ("thead", "tbody"):
            head = kind == "thead" and token.nesting == 1
        elif token.nesting == 1 and kind in ("heading", "paragraph"):
            level = int(token.tag[1]) if kind == "heading" else 0
            made = Block(kind, first, end, tokens[place + 1].content, level, within=tuple(within))
            found += _parted(made) if kind == "paragraph" else [made]
        elif token.nesting == 1 and kind == "tr":
            # The line of dashes below a head is the head's.
            form, last = ("head", first + 2) if head else ("row", end)
            found.append(Block(form, first, last, CELL.join(_cells(tokens, place)), within=tuple(within)))
        elif kind in _LEAVES:
            found.append(Block(_LEAVES[kind], first, end, token.content, info=token.info.strip(), within=tuple(within)))
    return found


def _parted(block: Block) -> list[Block]:
    """A paragraph of lines that each begin with a label or a mark of their own: one block a line."""
    lines = block.text.split("\n")
    if len(lines) < 2 or len(lines) != block.end - block.first or not all(map(OWN.match, lines)):
        return [block]
    return [replace(block, first=block.first + n, end=block.first + n + 1, text=line) for n, line in enumerate(lines)]


_CONTAINERS: dict[str, Literal["list", "item", "quote", "table"]] = {
    "bullet_list": "list",
    "ordered_list": "list",
    "list_item": "item",
    "blockquote": "quote",
    "table": "table",
}
_LEAVES: dict[str, Form] = {"fence": "fence", "code_block": "code", "html_block": "html", "hr": "break"}


def _cells(tokens: Sequence[Token], row: int) -> list[str]:
    """The texts of a row's cells, from the place where the row opens."""
    found: list[str] = []
    place = row + 1
    while tokens[place].type != "tr_close":
        if tokens[place].type == "inline":
            found.append(tokens[place].content)
        place += 1
    return found


def _indent(token: Token, lines: Sequence[str], start: int) -> int:
    """How many characters stand before an item's text: its indentation, its marker and the space after it.

    `start` is where the text of the item around it begins, if that is on the same line.
    """
    if token.type != "list_item_open" or token.map is None:
        return 0
    line = lines[token.map[0]]
    place = line.find(f"{token.info}{token.markup}", start)
    end = place + len(f"{token.info}{token.markup}")
    return end + (1 if line[end : end + 1] in (" ", "\t") else 0)
