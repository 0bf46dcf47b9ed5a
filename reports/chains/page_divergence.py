"""The pairs with the largest shrunken gain and loss, both arms side by side, for the template."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from reports.chains.divergence import Divergence, Side
from reports.chains.failed_checks import FailedCheck
from reports.formatting import points

_TAGS = {"+": "ins", "-": "del", "@": "b"}
#: Characters of HTML on one side, of all differences and of all checks: signs of markup take up to six for one.
ROOM, CHECKS = 60_000, 16_000


@dataclass(frozen=True)
class FileView:
    """One file that differs, its difference as lines of HTML."""

    name: str
    change: str
    html: str
    note: str | None


@dataclass(frozen=True)
class SideView:
    """One arm's last attempt at the task."""

    side: Side
    arm: str
    outcome: str
    files: Sequence[FileView]
    checks: Sequence[FailedCheck]
    more_checks: int


@dataclass(frozen=True)
class DivergenceView:
    """A pair with both of its arms."""

    title: str
    line: Divergence
    effect: str
    sides: Sequence[SideView]


def divergence_view(title: str, line: Divergence) -> DivergenceView:
    """A pair's divergence for the template; without a pair, its reason."""
    effect = line.effect
    if effect is None or effect.size is None:
        return DivergenceView(title, line, "", ())
    sd = f" ± {100 * effect.shrunk.sd:.1f}" if effect.shrunk.sd is not None else ""
    said = f"{points(effect.size)}{sd} points after shrinkage (± one standard deviation)"
    return DivergenceView(title, line, said, [_side(name, side) for name, side in line.sides.items()])


def _side(name: str, side: Side) -> SideView:
    if side.attempt is None:
        return SideView(side, name, "not known", (), (), 0)
    room, files = ROOM, []
    for file in side.changes.files:
        html = lines(file.diff) if file.diff else ""
        room -= len(html)
        # A difference is dropped whole rather than cut within its markup.
        note = file.note if room >= 0 else "not shown: the differences before it fill the space"
        files.append(FileView(file.name, file.change, html if room >= 0 else "", note))
    room, checks = CHECKS, []
    for check in side.checks:
        room -= len(escape(check.title + check.failure + check.expected + check.seen))
        checks += [check] if room >= 0 else []
    more = side.more_checks + len(side.checks) - len(checks)
    outcome = f"{'solved' if side.solved else 'not solved'} at attempt {side.attempt}"
    return SideView(side, name, outcome, files, checks, more)


def lines(diff: str) -> str:
    """A unified difference as escaped HTML: what came in `ins`, what went in `del`, each line with its own sign."""
    return "".join(_marked(diff))


def _marked(diff: str) -> Iterator[str]:
    # The elements are blocks: the ends of lines between them are theirs.
    for tag, rows in groupby(diff.split("\n"), key=lambda row: _TAGS.get(row[:1])):
        text = escape("\n".join(rows), quote=False)
        yield f"<{tag}>{text}</{tag}>" if tag else text
