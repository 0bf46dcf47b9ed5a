"""A skill's slices as a reader looks at them: a strip of the file, the bytes of each kind, and what C3 would remove."""

from collections.abc import Iterator
from dataclasses import dataclass

from skills.parsing.parse import Skill
from skills.slicing.kinds import KINDS, Kind
from skills.slicing.slices import REMOVABLE, Slice, slice_skill
from skills.slicing.variants import NotAblated, without

#: A letter a kind, for terminals without colour as well.
LETTERS: dict[Kind, str] = {
    "header": "h",
    "rules": "R",
    "anti-patterns": "N",
    "examples": "X",
    "mixed": "m",
    "neutral": "·",
    "meta": "i",
}
STRIP = 72


@dataclass(frozen=True)
class Outline:
    """The slices of a skill, the bytes of each kind, and of each that can be removed the bytes that would go, or why not."""

    skill: Skill
    slices: tuple[Slice, ...]
    sizes: dict[Kind, int]
    cuts: dict[Kind, int | str]


def outline(skill: Skill) -> Outline:
    """Slice a skill and try what C3 would do with it."""
    slices = slice_skill(skill)
    sizes: dict[Kind, int] = {kind: sum(len(one.data) for one in slices if one.kind == kind) for kind in KINDS}
    cuts: dict[Kind, int | str] = {}
    for kind in REMOVABLE:
        try:
            cuts[kind] = without(skill, kind).cut
        except NotAblated as why:
            cuts[kind] = str(why)
    return Outline(skill, slices, sizes, cuts)


def strip(slices: tuple[Slice, ...]) -> str:
    """The file from its first byte to its last as letters: each stands for as many bytes, and for the kind of most of them."""
    data: list[tuple[Kind, int]] = [(one.kind, len(one.data)) for one in slices]
    size = sum(length for _, length in data)
    cells = min(STRIP, size)
    found = []
    for cell in range(cells):
        start, end = size * cell / cells, size * (cell + 1) / cells
        share: dict[Kind, float] = {}
        at = 0
        for kind, length in data:
            share[kind] = share.get(kind, 0) + max(0.0, min(end, at + length) - max(start, at))
            at += length
        found.append(LETTERS[max(share, key=lambda kind: share[kind])])
    return "".join(found)


def outline_lines(found: Outline, *, every: bool) -> Iterator[str]:
    """The outline for the terminal; with `every` also each slice with its lines."""
    size = len(found.skill.data)
    yield f"{found.skill.id} ({size:,} bytes)"
    yield f"  {strip(found.slices)}"
    for kind in KINDS:
        if found.sizes[kind]:
            cut = found.cuts.get(kind)
            said = f"; C3 removes {cut:,} bytes" if isinstance(cut, int) else f"; C3 N/A: {cut}" if cut else ""
            yield f"  {LETTERS[kind]} {kind:13} {found.sizes[kind]:7,} bytes  {found.sizes[kind] / size:6.1%}{said}"
    for kind, cut in found.cuts.items():
        if not found.sizes[kind]:
            yield f"  {LETTERS[kind]} {kind:13}    none; C3 N/A: {cut}"
    for item in found.skill.diagnostics:
        # What follows such a fence is read as its code: the slices are right by CommonMark and hardly what was meant.
        if item.rule == "unclosed-fence":
            yield f"  {item.severity}: line {item.line} {item.message}"
    for one in found.slices if every else ():
        words = " ".join(one.data.decode("utf-8", "replace").split())
        yield f"  {one.first:>5}-{one.last:<5} {one.kind:13} {words[:80]}{'…' if len(words) > 80 else ''}"
