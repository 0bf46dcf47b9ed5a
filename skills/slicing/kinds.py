"""The kinds of slices, and of what kind a run of blocks is."""

from collections.abc import Sequence
from typing import Literal

from skills.parsing.blocks import Block

Kind = Literal["header", "rules", "anti-patterns", "examples", "mixed", "neutral", "meta"]
KINDS: tuple[Kind, ...] = ("header", "rules", "anti-patterns", "examples", "mixed", "neutral", "meta")


class Held:
    """The kinds of a document's blocks, final from the last one back to where `settle` has been.

    Says in constant time what a run of settled blocks is: of each block the first one after it that is of another kind is kept.
    """

    def __init__(self, blocks: Sequence[Block], kinds: list[Kind]) -> None:
        self.kinds = kinds
        self._breaks = [block.form == "break" for block in blocks]
        self._solid = [len(kinds)] * (len(kinds) + 1)
        self._ends = [len(kinds)] * (len(kinds) + 1)

    def settle(self, place: int) -> None:
        after = self._solid[place + 1]
        if self._breaks[place]:
            # A thematic break is of no kind that counts.
            self._solid[place] = after
            return
        same = after < len(self.kinds) and self.kinds[after] == self.kinds[place]
        self._solid[place], self._ends[place] = place, self._ends[after] if same else after

    def kind(self, first: int, end: int) -> Kind | None:
        """The one kind of the settled blocks `first` up to `end`; None where there are none or several."""
        start = self._solid[first]
        return self.kinds[start] if start < end <= self._ends[start] else None
