"""Which lines of a SKILL.md go with a slice, and the body that is left: headings, items, tables and fences stay whole."""

import re
from codecs import BOM_UTF8
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from skills.parsing.blocks import Block, BlockContainer, lines_of
from skills.slicing.block_features import is_alert, is_bold, leads
from skills.slicing.containment import held_by, pairs
from skills.slicing.kinds import Kind
from skills.slicing.slices import Document

#: What CommonMark (§5.3) has for keeping two lists apart, or a list and the indented code after it.
APART = b"<!-- -->"

#: A line of nothing but the signs of quotes and items.
_FRAME = re.compile(rb"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]*)*[\r\n]*")
_PREFIX = re.compile(rb"[ \t>]*")


@dataclass(frozen=True)
class Removal:
    """What goes: blocks by their place, and lines of the body.

    `heirs` are lines that take over the marker of an item whose first block goes. `apart` are the lines before which two parts
    that would become one are to be kept apart, with what a line there must begin with.
    """

    blocks: frozenset[int]
    lines: frozenset[int]
    heirs: Mapping[int, bytes]
    apart: Mapping[int, bytes]


def body_of(read: Document) -> list[bytes]:
    """The lines after the frontmatter, without a byte order mark at their start: it is not of the text."""
    return lines_of(b"".join(read.lines[read.head :]).removeprefix(BOM_UTF8))


def removal(read: Document, kind: Kind, *, passing: bool = True) -> Removal:
    """What goes with the slice `kind`. Without `passing` no marker passes on: an item's first block stays while others do."""
    body = body_of(read)
    wanted = {place for place, label in enumerate(read.block_kinds) if label == kind}
    pinned: set[int] = set()
    while True:
        gone = hollowed(read, wanted - pinned, pinned)
        heirs, stuck = _heirs(read.blocks, body, gone, passing)
        # What holds something that stays is not emptied.
        held = {place for place in gone if not (pinned | stuck).isdisjoint(held_by(read.blocks, place))}
        if not stuck | held:
            break
        pinned |= stuck | held
    lines = {line for place in gone for line in range(read.blocks[place].first, read.blocks[place].end)}
    lines |= emptied_tags(read, gone) | _frames(read.blocks, body, gone, lines)
    return Removal(frozenset(gone), frozenset(lines), heirs, _to_part(read.blocks, body, gone))


def hollowed(read: Document, wanted: Collection[int], pinned: Collection[int] = ()) -> set[int]:
    """The places of `wanted`, and of the headings, heads and lead-ins that would be left over nothing.

    A bold line or lead-in that says something of its own is of a slice itself, and stays. Of two thematic breaks that would
    come to stand together the second goes.
    """
    blocks = read.blocks
    paired = {tag.line for pair in pairs(read.tags) for tag in pair}
    # A lone tag without a partner shows something by itself: an image, a line.
    shown = [tag.line for tag in read.tags if tag.line not in paired and not tag.closes]
    held = {place: held_by(blocks, place) for place in range(len(blocks)) if _holds(read, place)}
    spans = {place: (blocks[place].first, blocks[run[-1]].end) for place, run in held.items() if run}
    over_something = {place for place, (first, end) in spans.items() if any(first < line < end for line in shown)}
    gone = set(wanted) - over_something
    for place in sorted(spans.keys() - gone - over_something - set(pinned), reverse=True):
        over = all(one in gone or blocks[one].form == "break" for one in held[place])
        if over and any(one in gone for one in held[place]):
            gone.add(place)
    return gone | _doubled(blocks, gone) - set(pinned)


def _doubled(blocks: Sequence[Block], gone: Collection[int]) -> set[int]:
    """Thematic breaks that would come to stand right after another one."""
    kept = [place for place in range(len(blocks)) if place not in gone]
    return {
        place
        for before, place in pairwise(kept)
        if place - before > 1
        and blocks[before].form == blocks[place].form == "break"
        and blocks[before].within == blocks[place].within
    }


def _holds(read: Document, place: int) -> bool:
    """Whether a block says nothing but what others are about."""
    block, kind = read.blocks[place], read.block_kinds[place]
    if block.form in ("heading", "head"):
        return kind != "header"
    return kind == "neutral" and (leads(block) or is_bold(block) or is_alert(block))


def emptied_tags(read: Document, gone: Collection[int]) -> set[int]:
    """The lines of pairs of tags around nothing but what goes."""
    lines: set[int] = set()
    for opening, closing in pairs(read.tags):
        held = [place for place, block in enumerate(read.blocks) if opening.line < block.first < closing.line]
        if held and all(place in gone for place in held):
            lines |= {opening.line, closing.line}
    return lines


def _members(blocks: Sequence[Block]) -> dict[BlockContainer, list[int]]:
    """The places of the blocks in each container, those around others first."""
    found: dict[BlockContainer, list[int]] = {}
    for place, block in enumerate(blocks):
        for one in block.within:
            found.setdefault(one, []).append(place)
    return found


def _heirs(
    blocks: Sequence[Block], body: Sequence[bytes], gone: Collection[int], passing: bool
) -> tuple[dict[int, bytes], set[int]]:
    """The lines that take over markers; the blocks that must stay, for theirs cannot be taken over."""
    lines: dict[int, bytes] = {}
    stuck: set[int] = set()
    for item, places in _members(blocks).items():
        left = next((place for place in places if place not in gone), None)
        if item.form != "item" or places[0] not in gone or left is None:
            continue
        heir, around = blocks[left], blocks[left].within[: blocks[left].within.index(item)]
        start = next((one.indent for one in reversed(around) if one.form == "item"), 0)
        marked = _marked(body[item.first], lines.get(heir.first, body[heir.first]), start, item.indent)
        if marked is None or not passing or heir.form in ("code", "break"):
            stuck.add(places[0])
        else:
            lines[heir.first] = marked
    return lines, stuck


def _marked(marker: bytes, line: bytes, start: int, end: int) -> bytes | None:
    """A line with the marker that stands between two columns of another; None where the line has no such room."""
    if line[start:end].strip(b" >") or len(line) <= end or line[end : end + 4] == b"    ":
        return None
    return line[:start] + marker[start:end].rstrip(b"\r\n").ljust(end - start) + line[end:]


def _frames(blocks: Sequence[Block], body: Sequence[bytes], gone: Collection[int], lines: Collection[int]) -> set[int]:
    """Lines of mere signs that would be left of quotes and items: around what goes, and before what takes over a marker."""
    owned = {line for block in blocks for line in range(block.first, block.end)}
    found: set[int] = set()
    for one, places in _members(blocks).items():
        if all(place in gone for place in places):
            found |= {*range(one.first, blocks[places[-1]].end)}
        elif one.form == "item" and places[0] in gone:
            found.add(one.first)
    return {line for line in found - owned if _FRAME.fullmatch(body[line])}


def _to_part(blocks: Sequence[Block], body: Sequence[bytes], gone: Collection[int]) -> dict[int, bytes]:
    """The first lines of lists and indented code that would join the list or code before what goes."""
    kept = [place for place in range(len(blocks)) if place not in gone]
    found: dict[int, bytes] = {}
    for before, place in pairwise(kept):
        left, right = blocks[before], blocks[place]
        if place - before > 1 and _would_join(left, right, body):
            found[right.first] = _prefix(body[right.first], common(left, right))
    return found


def _would_join(left: Block, right: Block, body: Sequence[bytes]) -> bool:
    around = common(left, right)
    ours, theirs = left.within[len(around) :], right.within[len(around) :]
    indented = body[right.first][len(_prefix(body[right.first], around)) :][:1] in (b" ", b"\t")
    if not ours:
        return left.form == "code" and not theirs and right.form == "code"
    if ours[0].form != "list":
        return False
    if theirs and theirs[0].form == "list":
        return _sign(ours[1], body) == _sign(theirs[1], body) or indented
    return indented


def _sign(item: BlockContainer, body: Sequence[bytes]) -> bytes:
    """What an item's list is told by: its bullet, or what stands behind its number."""
    return body[item.first][: item.indent].rstrip()[-1:]


def common(left: Block, right: Block) -> tuple[BlockContainer, ...]:
    """The containers that two blocks are both in."""
    count = 0
    while count < min(len(left.within), len(right.within)) and left.within[count] == right.within[count]:
        count += 1
    return left.within[:count]


def _prefix(line: bytes, around: Sequence[BlockContainer]) -> bytes:
    """What a line must begin with to be in these containers."""
    end = max((one.indent for one in around if one.form == "item"), default=0)
    found = -1
    for one in around:
        if one.form == "quote" and (found := line.find(b">", found + 1)) >= 0:
            end = max(end, found + 2 if line[found + 1 : found + 2] == b" " else found + 1)
    match = _PREFIX.match(line[:end])
    return match[0] if match else b""


def shortened(read: Document, gone: Removal) -> tuple[bytes, int]:
    """The body without what goes, and how many bytes were put in to keep parts apart.

    Of the blank lines around what goes those before it stay, or those after it where there are none before.
    """
    body, put = body_of(read), 0
    owner = {line: place for place, block in enumerate(read.blocks) for line in range(block.first, block.end)}
    tags = {tag.line for tag in read.tags}
    kept = [line for line in range(len(body)) if line not in gone.lines and (line in owner or body[line].strip(b" \t\r\n>"))]
    out: list[bytes] = []
    for above, line in pairwise([-1, *kept, len(body)]):
        between = range(above + 1, line)
        if gone.lines.isdisjoint(between):
            out += body[above + 1 : line]
        elif line < len(body):
            left, right = owner.get(above), owner.get(line)
            around = common(read.blocks[left], read.blocks[right]) if left is not None and right is not None else ()
            gap = _blank_lines(body, between, gone.lines, quoted=any(one.form == "quote" for one in around), first=above < 0)
            if not gap and above >= 0 and not tags & {above, line} and _need_blank(read.blocks, left, right, body[line]):
                gap = [_prefix(body[line], around).rstrip() + _end(body[above])]
                put += len(gap[0])
            out += gap
        if line in gone.apart:
            out.append(gone.apart[line] + APART + _end(body[above]) + gone.apart[line].rstrip() + _end(body[above]))
            put += len(out[-1])
        if line < len(body):
            out.append(gone.heirs.get(line, body[line]))
    return b"".join(out), put


def _blank_lines(body: Sequence[bytes], between: range, gone: Collection[int], *, quoted: bool, first: bool) -> list[bytes]:
    """The blank lines that stay of those around a cut; a body does not begin with what came after one."""
    cut = [line for line in between if line in gone]
    runs = body[between.start : cut[0]], [] if first else body[cut[-1] + 1 : between.stop]
    before, after = ([line for line in run if quoted or not line.strip()] for run in runs)
    return before or after


def _need_blank(blocks: Sequence[Block], left: int | None, right: int | None, line: bytes) -> bool:
    """Whether what comes to stand together without a blank line could be read as one."""
    if left is None or right is None:
        return left is not right
    around = common(blocks[left], blocks[right])
    # Items and rows follow one another, and so do the lines of one paragraph that stand for themselves.
    siblings = bool(around) and around[-1].form in ("list", "table")
    run = blocks[left : right + 1]
    lines = all(one.form == "paragraph" and one.within == run[0].within for one in run) and all(
        one.end == other.first for one, other in pairwise(run)
    )
    if siblings or lines:
        return False
    alone = blocks[left].form in ("heading", "fence") or blocks[right].form == "fence"
    return not alone and not line.lstrip(b" \t>").startswith(b"#")


def _end(line: bytes) -> bytes:
    """A line's end."""
    return line[len(line.rstrip(b"\r\n")) :]
