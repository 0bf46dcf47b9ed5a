"""What must hold of any variant of a skill, asked by other means than those that made it; and skills to make variants of."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt

from skills.parsing.blocks import Block, blocks_of, lines_of
from skills.parsing.parse import Skill, as_skill
from skills.slicing.kinds import Kind
from skills.slicing.slices import Document, document
from skills.slicing.variants import replaced, without

HEAD = "---\nname: demo\ndescription: What it does.\n---\n"
#: Large enough to be ablated, each.
NEVER = f"Never {'touch the other part of it ' * 8}again."
CODE = f"run({'first, second, third, ' * 10}last)"
WORDS = {"NEVER": NEVER, "CODE": CODE}
PARTNER = as_skill(
    "harbour",
    {
        "SKILL.md": b"""---
name: harbour
description: Boats.
---
# Harbour

A ship that comes in at night is met by a pilot who knows each rock, and by two tugs. Ropes lie ready on the quay; the lamp over
the gate is lit.

```py
boat = dock.find(7)
boat.moor(side='left', ropes=4)
```
"""
    },
)


def made(body: str | bytes, head: str = HEAD) -> Skill:
    """A skill with that body, in which NEVER and CODE stand for more, and one other file."""
    if isinstance(body, str):
        for word, text in WORDS.items():
            body = body.replace(word, text)
        body = body.encode()
    return as_skill("demo", {"SKILL.md": head.encode() + body, "rules/one.md": b"Never.\n"})


def check_without(skill: Skill, kind: Kind) -> int:
    """The bytes cut: every block of another kind is still there in its order, and nothing else but what keeps parts apart."""
    cut = without(skill, kind)
    assert len(cut.skill.data) == len(skill.data) - cut.cut + cut.put
    assert cut.skill.files == skill.files
    read, after = document(skill), lines_of(cut.skill.data)
    assert after[: read.head] == read.lines[: read.head]
    left = [block for block in blocks_of(after[read.head :])[0] if block.text.strip() != "<!-- -->"]
    missing = gone_of(read, left, kind, some_kept=cut.kept > 0)
    if cut.kept:
        # What stays of a slice is in no block of its own kind alone: the small cases say what it is, to the byte.
        return cut.cut
    for place in missing:
        held = below(read.blocks, place)
        emptied = bool(held) and all(one in missing or read.blocks[one].form == "break" for one in held)
        assert read.block_kinds[place] == kind or emptied or read.blocks[place].form == "break", read.blocks[place]
    for place in set(range(len(read.blocks))) - missing:
        if read.blocks[place].form == "heading" and (held := content(read.blocks, place)):
            assert not missing.issuperset(held) or read.block_kinds[place] == "header" or shown(read), "emptied"
    return cut.cut


def gone_of(read: Document, left: Sequence[Block], kind: Kind, *, some_kept: bool) -> set[int]:
    """The places of the blocks that are not among those left, which must all have been there in this order."""
    at = len(left)
    gone: set[int] = set()
    for place in range(len(read.blocks) - 1, -1, -1):
        same = at > 0 and told(left[at - 1]) == told(read.blocks[place])
        if same and (read.block_kinds[place] != kind or some_kept):
            at -= 1
        else:
            gone.add(place)
    assert not at, f"{left[at - 1]} was not there before"
    return gone


def told(block: Block) -> tuple[object, ...]:
    words = block.text.split() if block.form == "paragraph" else block.text.rstrip()
    return block.form, block.level, block.info, words, [one.form for one in block.within]


def content(blocks: Sequence[Block], place: int) -> set[int]:
    """The places in a heading's section that are no breaks."""
    found: set[int] = set()
    for one in range(place + 1, len(blocks)):
        outside = blocks[one].within[: len(blocks[place].within)] != blocks[place].within
        ends = blocks[one].form == "heading" and blocks[one].level <= blocks[place].level
        if outside or (ends and blocks[one].within == blocks[place].within):
            break
        found |= {one} if blocks[one].form != "break" else set()
    return found


def below(blocks: Sequence[Block], place: int) -> set[int]:
    """What stands below a block that may be emptied; of all but headings the next block, at the least."""
    block = blocks[place]
    if block.form == "heading":
        return content(blocks, place)
    introduces = block.form == "head" or re.search(r"[:：][ *_]*$|\*\*|\[!", block.text)
    return {place + 1} if introduces and place + 1 < len(blocks) else set()


def shown(read: Document) -> bool:
    """Whether there is a tag without a partner, such as an image."""
    opened = Counter(tag.name for tag in read.tags if not tag.closes)
    return bool(opened - Counter(tag.name for tag in read.tags if tag.closes))


def check_replaced(skill: Skill, kind: Kind, partner: Skill, seed: int) -> None:
    """As many bytes in the same form, the partner's words, and nothing left of what the slice says."""
    filled = replaced(skill, kind, partner, seed)
    read = document(skill)
    before, after = lines_of(skill.data), lines_of(filled.skill.data)
    assert len(filled.skill.data) == len(skill.data) - filled.cut + filled.put
    assert abs(filled.put - filled.cut) <= 0.05 * filled.cut
    assert len(before) == len(after)
    changed = [number for number, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    assert changed and changed[0] >= read.head
    assert tokens(before[read.head :]) == tokens(after[read.head :])
    ours = {number for number, one in enumerate(read.kinds) if one == kind}
    rest = b"".join(line for number, line in enumerate(before) if number not in ours and number not in changed)
    # The address of a link stays, and is no part of what is said.
    said = [before[number] for number in sorted(ours) if not re.match(rb"[\s>*+\d.)-]*\[[^\]]+\]:", before[number])]
    assert not (runs(b"".join(said)) - runs(rest)) & runs(filled.skill.data)
    lent = set(letters(partner.data)) | {"skill"}
    for number in changed:
        kept = {*letters(before[number]), "tag"}
        for word in letters(after[number]):
            assert word in lent or word in kept or any(one.startswith(word) for one in lent) or set(word) <= set("tag"), word


def tokens(lines: Sequence[bytes]) -> list[tuple[str, str, list[int] | None]]:
    """What CommonMark makes of lines, but for lone tags, which are as they were."""
    hidden = {tag.line for tag in blocks_of(lines)[1]}
    text = b"".join(b"\n" if number in hidden else line for number, line in enumerate(lines)).decode("utf-8", "replace")
    parser = MarkdownIt("commonmark").enable("table").disable("inline")
    return [(one.type, one.tag + one.markup * (one.type != "hr"), one.map) for one in parser.parse(text.removeprefix("\ufeff"))]


def runs(data: bytes) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", data.decode("utf-8", "replace").lower())
    return {tuple(words[at : at + 5]) for at in range(len(words) - 4)}


def letters(data: bytes) -> Iterator[str]:
    for match in re.finditer(r"[^\W\d_]+", data.decode("utf-8", "replace")):
        yield match[0]
