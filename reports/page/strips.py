"""Estimates with their intervals as rows of a table, on one axis: a strip of inline SVG a row, its words beside it as text.

Lengths along a strip are per cent of its width and heights are pixels, so words and marks are as large on a phone as on a desk,
and labels, being text of the page, cannot lie upon each other.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from reports.formatting import NOT_MEASURED, Bounded, points

#: Differences of shares cannot go beyond them, whatever an interval says.
DIFFERENCES = (-1.0, 1.0)
HEIGHT = 22
#: Between ticks, as parts of a power of ten.
_STEPS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 500.0, 1000.0)
_MARKS = {
    "diamond": '<path d="M-7 0L0-7L7 0L0 7z"/>',
    "dot": '<circle r="4.5"/>',
    "square": '<path d="M-5-5H5V5H-5z"/>',
}

Mark = Literal["diamond", "dot", "square", "bar"]


@dataclass(frozen=True, slots=True)
class StripRow:
    """One line: an estimate (a share) with its interval, `said` in words; `kind` is the CSS class of its colour.

    `dots` are what the estimate is the mean of. A bar goes from zero to the estimate.
    """

    label: str
    estimate: float | None
    low: float | None = None
    high: float | None = None
    said: str = ""
    note: str = ""
    kind: str = "C1"
    mark: Mark = "diamond"
    dots: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Strip:
    """A row with its picture."""

    row: StripRow
    svg: str


@dataclass(frozen=True, slots=True)
class Strips:
    """Rows on one axis: its ticks with their places in per cent. `more` rows had no place; `reason` says why there are none."""

    ticks: Sequence[tuple[float, str]]
    rows: Sequence[Strip]
    title: str = ""
    more: int = 0
    reason: str | None = None
    note: str = ""


def interval_row(
    label: str, line: Bounded, *, note: str = "", kind: str = "C1", mark: Mark = "diamond", dots: Sequence[float] = ()
) -> StripRow:
    """The row of an estimate with its interval, or with the reason why it has none."""
    return StripRow(label, line.estimate, line.low, line.high, difference_words(line), note, kind, mark, dots)


def difference_words(line: Bounded, *, because: bool = True) -> str:
    """An estimate in points with the ends of its interval; with `because` also why there are none."""
    reason = f": {line.reason}" if because and line.reason else ""
    if line.estimate is None:
        return f"{NOT_MEASURED}{reason}"
    if line.low is None or line.high is None:
        return f"{points(line.estimate)}{reason}"
    return f"{points(line.estimate)} ({points(line.low)} to {points(line.high)})"


def strips(
    rows: Sequence[StripRow],
    *,
    within: tuple[float, float] = DIFFERENCES,
    tick: Callable[[float], str] | None = None,
    margin: float | None = None,
) -> Strips:
    """Rows on one axis.

    The axis spans what the rows have, `within` the bounds given; an interval that goes on beyond them ends in an arrow. `tick`
    writes a place of the axis (default: points). With a `margin` the band of ±margin about zero is shaded. No ticks where no
    row has an estimate.
    """
    ends = _span(rows, within, margin)
    write = tick or _points_tick
    places = [(_place(value, ends), write(value)) for value in _ticks(*ends)] if ends else []
    # A number at the very edge would stand half outside.
    ticks = [(place, text) for place, text in places if 3 <= place <= 97]
    return Strips(ticks, [Strip(row, _svg(row, ends, margin) if ends else "") for row in rows])


def _span(rows: Sequence[StripRow], within: tuple[float, float], margin: float | None) -> tuple[float, float] | None:
    known = [value for row in rows for value in (row.estimate, row.low, row.high, *row.dots) if value is not None]
    if not known:
        return None
    floor, ceiling = within
    reach = [min(ceiling, max(floor, value)) for value in (*known, 0.0)] + ([-2 * margin, 2 * margin] if margin else [])
    pad = 0.06 * (max(reach) - min(reach) or 0.1)
    return min(reach) - pad, max(reach) + pad


def _ticks(low: float, high: float) -> list[float]:
    """At most six, at round places."""
    step = next((step for step in _STEPS if (high - low) / step <= 6), (high - low) / 6)
    first, last = int(-(-low // step)), int(high // step)
    return [at * step for at in range(first, last + 1)]


def _points_tick(value: float) -> str:
    text = f"{100 * value:+g}"
    return "0" if text in ("+0", "-0") else text.replace("-", "−")


def _place(value: float, ends: tuple[float, float]) -> float:
    return round(100 * (value - ends[0]) / (ends[1] - ends[0]), 2)


def _svg(row: StripRow, ends: tuple[float, float], margin: float | None) -> str:
    return f'<svg class="strip {row.kind}" height="{HEIGHT}" aria-hidden="true">{"".join(_parts(row, ends, margin))}</svg>'


def _parts(row: StripRow, ends: tuple[float, float], margin: float | None) -> Iterator[str]:
    middle = HEIGHT // 2
    zero = _place(0, ends)
    if margin:
        left, right = _place(-margin, ends), _place(margin, ends)
        yield f'<rect class="band" x="{left}%" width="{round(right - left, 2)}%" height="100%"/>'
    yield f'<line class="zero" x1="{zero}%" x2="{zero}%" y2="100%"/>'
    for value in row.dots:
        yield f'<circle class="family" cx="{_place(value, ends)}%" cy="4" r="3"/>'
    if row.low is not None and row.high is not None:
        places = [_place(value, ends) for value in (row.low, row.high)]
        x1, x2 = (min(99.0, max(1.0, place)) for place in places)
        yield f'<line class="bar" x1="{x1}%" x2="{x2}%" y1="{middle}" y2="{middle}"/>'
        if places[0] < 0:
            yield f'<svg x="0" y="{middle}" overflow="visible"><path d="M0 0L8-5V5z"/></svg>'
        if places[1] > 100:
            yield f'<svg x="100%" y="{middle}" overflow="visible"><path d="M0 0L-8-5V5z"/></svg>'
    if row.estimate is None:
        return
    at = _place(row.estimate, ends)
    if row.mark == "bar":
        yield f'<rect x="{min(at, zero)}%" width="{round(abs(at - zero), 2)}%" y="5" height="{HEIGHT - 10}"/>'
    else:
        yield f'<svg x="{at}%" y="{middle}" overflow="visible">{_MARKS[row.mark]}</svg>'
