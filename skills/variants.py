"""What C3 and L3 inject: a skill without one of its slices, and with as many irrelevant bytes in the slice's place.

WebDev-Skills-Bench §4.5 and Appendix D for the removal; METHOD.md, C3, for its length control. SKILL.md alone is changed: the
skill's other files stay as they are in every arm. What is left must be the same Markdown: the blocks that stay are compared with
those of the file before, and a cut that would change them is not made.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmark.files import hash_json
from skills.blocks import Block, blocks_of, lines_of
from skills.filler import Filler
from skills.labels import Kind
from skills.parse import Skill, as_skill
from skills.slices import Document, document

#: A smaller slice is not ablated: its effect could not be told from that of any few words (the research on real skills).
LEAST_BYTES, LEAST_SHARE = 200, 0.02
#: How far the bytes of a replacement may be from those of the slice, relative to the slice.
TOLERANCE = 0.05


class NotAblated(Exception):
    """Why a slice of a skill is not removed: the arm is N/A."""


@dataclass(frozen=True)
class Variant:
    """A skill with one slice gone or replaced. `cut` are the slice's bytes that went, `put` those that came in their place.

    `kept` are bytes of the slice that had to stay, because other parts hang on them.
    """

    skill: Skill
    slice: Kind
    cut: int
    put: int
    kept: int


def without(skill: Skill, kind: Kind) -> Variant:
    """The skill with all slices of `kind` removed: what `C3` injects. Raises NotAblated with the reason."""
    read = document(skill)
    total = _worth(skill, read, kind)
    for spaced in (False, True):
        gone = _removal(read, kind)
        body = _cut(read, gone, spaced)
        if _same(read, gone, body):
            break
    else:
        raise NotAblated(f"the {kind} of {skill.id} cannot be cut out without changing what stands around them")
    left = [block for place, block in enumerate(read.blocks) if place not in gone.blocks and block.form != "break"]
    if not left or all(block.form == "heading" for block in left):
        raise NotAblated(f"{skill.id} is nothing but {kind}: without them there would be no skill")
    data = b"".join(read.lines[: read.head]) + body
    cut = len(skill.data) - len(data)
    return Variant(
        _made(skill, data), kind, cut, 0, total - sum(len(read.lines[one]) for one in gone.lines if read.kinds[one] == kind)
    )


def replaced(skill: Skill, kind: Kind, partner: Skill, seed: int) -> Variant:
    """The skill with the same blocks replaced by as many bytes of `partner` in the same form: what `L3` injects.

    Bullets stay bullets, rows rows and fences fences; the words are the partner's, from a place drawn by `seed`. Raises NotAblated.
    """
    cut = without(skill, kind)
    read = document(skill)
    gone = _removal(read, kind)
    filler = Filler(partner, random.Random(hash_json([seed, skill.ref.tree, partner.ref.tree, kind])))
    body, put, size = _fill(read, gone, filler)
    if abs(put - size) > TOLERANCE * size or not _like(read, gone, body):
        raise NotAblated(f"{partner.id} has no text that could stand for the {kind} of {skill.id}")
    return Variant(_made(skill, b"".join(read.lines[: read.head]) + body), kind, size, put, cut.kept)


def _made(skill: Skill, data: bytes) -> Skill:
    return as_skill(skill.id, {**skill.files, "SKILL.md": data}, skill.folder)


def _worth(skill: Skill, read: Document, kind: Kind) -> int:
    """The bytes of a slice. Raises NotAblated where they are too few to be told from nothing."""
    total = sum(len(line) for line, label in zip(read.lines, read.kinds, strict=True) if label == kind)
    least = max(LEAST_BYTES, LEAST_SHARE * len(skill.data))
    if total < least:
        share = total / len(skill.data)
        raise NotAblated(
            f"the {kind} of {skill.id} are {total} bytes ({share:.1%}); under {LEAST_BYTES} bytes or {LEAST_SHARE:.0%} nothing is removed"
        )
    return total


@dataclass(frozen=True)
class _Gone:
    """What goes: blocks by their place, lines of the file, and markers that pass from an item's first line to its next."""

    blocks: frozenset[int]
    lines: frozenset[int]
    markers: dict[int, bytes]


def _removal(read: Document, kind: Kind) -> _Gone:
    """The blocks of a kind that can go, and with them what would be left empty."""
    blocks = {place for place, label in enumerate(read.block_kinds) if label == kind}
    markers: dict[int, bytes] = {}
    for place in sorted(blocks):
        block = read.blocks[place]
        item = block.item
        if item is None or read.blocks[place].first != item.first:
            continue
        rest = [one for one in range(place + 1, len(read.blocks)) if item in read.blocks[one].within and one not in blocks]
        if rest:
            marked = _pass_on(read, item.indent, block, read.blocks[rest[0]])
            if marked is None:
                blocks.discard(place)
            else:
                markers[read.head + read.blocks[rest[0]].first] = marked
    blocks |= _emptied(read, blocks)
    lines = {read.head + line for place in blocks for line in range(read.blocks[place].first, read.blocks[place].end)}
    tags = [read.head + tag.line for tag in read.tags]
    lines |= {line for line in tags if read.kinds[line] == kind}
    return _Gone(frozenset(blocks), frozenset(lines), markers)


def _pass_on(read: Document, indent: int, block: Block, heir: Block) -> bytes | None:
    """The first line of what is left of an item, with the item's marker before it; None where it cannot have one."""
    first, line = read.lines[read.head + block.first], read.lines[read.head + heir.first]
    if heir.form == "code" or line[:indent].strip(b" ") or len(line) <= indent:
        return None
    return first[:indent].rstrip(b"\r\n") + line[indent:]


def _emptied(read: Document, gone: Iterable[int]) -> set[int]:
    """Headings, lead-ins and table heads that would be left over nothing: they held something, and all of it goes."""
    removed = set(gone)
    found: set[int] = set()
    for place in range(len(read.blocks) - 1, -1, -1):
        if place in removed or read.block_kinds[place] == "header":
            continue
        held = held_by(read.blocks, place)
        if (
            held
            and all(one in removed or read.blocks[one].form == "break" for one in held)
            and any(one in removed for one in held)
        ):
            found.add(place)
            removed.add(place)
    return found


def held_by(blocks: Sequence[Block], place: int) -> list[int]:
    """What stands below a heading, a table's head, a bold line or a lead-in: without it they are about nothing."""
    block = blocks[place]
    after = range(place + 1, len(blocks))
    if block.form == "heading":
        stop = next((one for one in after if blocks[one].form == "heading" and blocks[one].level <= block.level), len(blocks))
        return list(range(place + 1, stop))
    if block.form == "head":
        return [one for one in after if blocks[one].within[-1:] == block.within[-1:]]
    if block.form == "paragraph" and block.text.rstrip().rstrip("*_").endswith((":", "：")) and place + 1 < len(blocks):
        return _group(blocks, place)
    return []


def _group(blocks: Sequence[Block], place: int) -> list[int]:
    within = blocks[place].within
    following = blocks[place + 1]
    if following.within[: len(within)] != within:
        return []
    if len(following.within) > len(within):
        group = following.within[len(within)]
        return [one for one in range(place + 1, len(blocks)) if group in blocks[one].within]
    return [place + 1] if following.form in ("fence", "code") else []


def _cut(read: Document, gone: _Gone, spaced: bool) -> bytes:
    """The body without the lines that go and the blank ones after them; `spaced` leaves a blank line where blocks would join."""
    out: list[bytes] = []
    skipping = False
    for number in range(read.head, len(read.lines)):
        line = gone.markers.get(number, read.lines[number])
        if number in gone.lines:
            skipping = True
        elif skipping and not line.strip():
            continue
        else:
            if skipping and spaced and out and out[-1].strip():
                out.append(b"\n")
            skipping = False
            out.append(line)
    return b"".join(out)


def _same(read: Document, gone: _Gone, body: bytes) -> bool:
    """Whether the blocks of what is left are those that were there before, in form, level and words."""
    kept = [block for place, block in enumerate(read.blocks) if place not in gone.blocks]
    return [_signature(block) for block in kept] == [_signature(block) for block in blocks_of(lines_of(body))[0]]


def _like(read: Document, gone: _Gone, body: bytes) -> bool:
    """Whether a body has the forms of the one before, and the words where nothing was to be replaced."""
    after = blocks_of(lines_of(body))[0]
    if len(after) != len(read.blocks):
        return False
    return all(
        new.form == old.form and new.level == old.level and (place in gone.blocks or _signature(new) == _signature(old))
        for place, (old, new) in enumerate(zip(read.blocks, after, strict=True))
    )


def _signature(block: Block) -> tuple[object, ...]:
    return block.form, block.level, block.info, block.text.rstrip(), tuple(one.form for one in block.within)


def _fill(read: Document, gone: _Gone, filler: Filler) -> tuple[bytes, int, int]:
    """The body with the words of what goes replaced; the bytes that came and those that went."""
    lines = list(read.lines)
    put = size = 0
    for place in sorted(gone.blocks):
        block = read.blocks[place]
        span = range(read.head + block.first, read.head + block.end)
        old = sum(len(lines[one]) for one in span)
        new = filler.block(block, [lines[one] for one in span])
        for one, line in zip(span, new, strict=True):
            lines[one] = line
        put, size = put + sum(map(len, new)), size + old
    return b"".join(lines[read.head :]), put, size
