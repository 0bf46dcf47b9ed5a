"""What stands below what in a document: below headings, bold lines, heads of tables and lead-ins; and which tags are a pair."""

from collections.abc import Callable, Sequence

from skills.parsing.blocks import Block, Tag
from skills.slicing.block_features import is_alert, is_bold, leads


def held_by(blocks: Sequence[Block], place: int) -> range:
    """The places of the blocks that the block at `place` is about: without them it is about nothing.

    A heading in a quote or an item holds what is in there with it. A thematic break ends what a bold line holds, for it parts
    what the heading above holds.
    """
    block, after = blocks[place], place + 1
    inside = _while(blocks, after, lambda other: other.within[: len(block.within)] == block.within)
    if block.form == "heading":
        ends = [one for one in inside if blocks[one].form == "heading" and blocks[one].within == block.within]
        return range(after, next((one for one in ends if blocks[one].level <= block.level), inside.stop))
    if block.form == "head" or is_alert(block):
        return inside
    if leads(block) and (introduced := _introduced(blocks, place)):
        return introduced
    if is_bold(block) and block.item is None:
        ends = [one for one in inside if blocks[one].within == block.within]
        return range(
            after, next((one for one in ends if blocks[one].form in ("heading", "break") or is_bold(blocks[one])), inside.stop)
        )
    return range(after, after)


def _introduced(blocks: Sequence[Block], place: int) -> range:
    """The list, table, quote or code that follows a lead-in."""
    after, within = place + 1, blocks[place].within
    following = blocks[after] if after < len(blocks) else None
    if following is None or following.within[: len(within)] != within:
        return range(after, after)
    if len(following.within) > len(within):
        group = following.within[len(within)]
        return _while(blocks, after, lambda other: group in other.within)
    return range(after, after + (following.form in ("fence", "code")))


def _while(blocks: Sequence[Block], first: int, holds: Callable[[Block], bool]) -> range:
    return range(first, next((one for one in range(first, len(blocks)) if not holds(blocks[one])), len(blocks)))


def pairs(tags: Sequence[Tag]) -> list[tuple[Tag, Tag]]:
    """Opening tags with those that close them; what is left open in between ends there and has no partner."""
    found: list[tuple[Tag, Tag]] = []
    opened: list[Tag] = []
    for tag in tags:
        if not tag.closes:
            opened.append(tag)
        elif any(one.name == tag.name for one in opened):
            while opened[-1].name != tag.name:
                opened.pop()
            found.append((opened.pop(), tag))
    return found
