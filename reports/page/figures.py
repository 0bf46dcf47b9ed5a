"""Pictures as inline SVG by matplotlib: how skills were read, what quality costs.

Rows of estimates with intervals are `reports.page.strips`.
"""

import hashlib
import io
import re
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import Any

from reports.formatting import amount
from reports.result_tables import CostArm, DeliveryLine

#: One colour a condition everywhere, told apart by brightness as well.
COLOURS = {"C0": "#6b7280", "C1": "#1d6fb8", "C2": "#d97706", "C3": "#2f7d45", "L3": "#8a4fa3"}
SHAPES = {"C0": "s", "C1": "D", "C2": "o", "C3": "^", "L3": "v"}
#: The names that the page has for these colours, lighter ones in the dark.
VARIABLES = {colour: f"var(--{name.lower()}, {colour})" for name, colour in COLOURS.items()} | {
    "#888888": "var(--soft, #888888)"
}
INK = "#888888"
#: Width of every picture in inches and size of its text in points: on a phone they are shown about as large as they are drawn.
WIDTH, FONT = 4.9, 10


def new_figure(width: float, height: float) -> Any:
    """A figure without a display and without global state; text stays text, so that it can be read and searched."""
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    rcParams["svg.fonttype"] = "none"
    rcParams["svg.hashsalt"] = "skill-assay"
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.patch.set_alpha(0)
    return figure


def as_svg(figure: Any, title: str) -> str:
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = _lean(text).replace("<svg ", f'<svg role="img" aria-label="{escape(title)}" ', 1)
    # Ids must not collide between the pictures of a page, whose titles may begin alike.
    prefix = f"i{hashlib.sha256(title.encode()).hexdigest()[:8]}-"
    return re.sub(r'( id="|href="#|url\(#)', rf"\1{prefix}", text)


def _lean(text: str) -> str:
    """Without what a browser does not need, the page's own font and colours in place of matplotlib's."""
    text = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"font(-family)?: ([\d.]+px )?'DejaVu Sans'[^;\"]*", lambda found: _font(found[2]), text)
    text = re.sub(r'="[^"]*"', lambda value: re.sub(r"\d+\.\d{3,}", _short, value[0]), text)
    text = re.sub("|".join(VARIABLES), lambda colour: VARIABLES[colour[0]], text)
    return re.sub(r"\s*\n\s*", "\n", text)


def _short(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}"


def _font(size: str | None) -> str:
    return f"font: {size or '10px '}system-ui, sans-serif"


def plain_axes(axes: Any) -> None:
    axes.patch.set_alpha(0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(INK)
    axes.tick_params(colors=INK, labelsize=FONT)
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set_size(FONT)
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)


def read_rates(rows: Sequence[DeliveryLine], title: str) -> str:
    """By agent and delivery the share of attempts that opened the skill: a mark for every skill's arm, C1 above C2."""
    groups = list(dict.fromkeys((line.agent, line.delivery) for line in rows))
    figure = new_figure(WIDTH, 1.0 + 0.5 * len(groups))
    axes = figure.subplots()
    for condition, shift, mark in (("C1", 0.16, "o"), ("C2", -0.16, "s")):
        chosen = [line for line in rows if line.condition == condition]
        places = [len(groups) - 1 - groups.index((line.agent, line.delivery)) + shift for line in chosen]
        shares = [100 * (line.read_rate or 0) for line in chosen]
        if chosen:
            axes.plot(shares, places, mark, markersize=7, alpha=0.75, color=COLOURS[condition], label=condition, clip_on=False)
    axes.set_yticks(range(len(groups)), [f"{agent}\n{delivery}" for agent, delivery in reversed(groups)])
    axes.set_ylim(-0.6, len(groups) - 0.4)
    axes.set_xlim(0, 100)
    axes.set_xlabel("opened, % of attempts")
    axes.grid(axis="x", color=INK, alpha=0.25)
    axes.legend(frameon=False, labelcolor=INK, fontsize=FONT, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0)
    plain_axes(axes)
    return as_svg(figure, title)


#: Marks of agents, told apart by shape; more agents than marks begin again.
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
_SIDES = ((0, 1), (1, 0), (-1, 0), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
#: Where a label may stand about its point, in points, nearest first.
PLACES = tuple((x * reach, y * reach) for reach in (12, 18, 26, 36, 50) for x, y in _SIDES)


def cost(arms: Sequence[CostArm], unit: str, title: str, quality: str) -> str:
    """Quality against cost: a mark an arm, shape by agent, hollow where another arm is at least as good for no more; the front
    is a line. Labels stand where they touch no other label and no mark."""
    agents = list(dict.fromkeys(row.agent for row in arms))
    shown = [row for row in arms if row.front is not None]
    figure = new_figure(WIDTH, 3.4 + 0.2 * (len(agents) > 1) * len(agents))
    axes = figure.subplots()
    front = sorted((row.cost, 100 * (row.quality or 0)) for row in shown if row.front and row.cost is not None)
    axes.plot(*zip(*front, strict=True), color=INK, linewidth=1, linestyle=":", zorder=1, drawstyle="steps-post")
    for row in shown:
        colour = COLOURS[row.condition[:2]]
        axes.plot(
            row.cost,
            100 * (row.quality or 0),
            MARKS[agents.index(row.agent) % len(MARKS)],
            color=colour,
            markersize=8,
            markerfacecolor=colour if row.front else "none",
            markeredgewidth=1.8,
        )
    axes.margins(0.14, 0.16)
    axes.set_ylim(max(-5, axes.get_ylim()[0]), min(106, axes.get_ylim()[1]))
    axes.set_xlabel(f"{unit} a trial")
    axes.set_ylabel(quality)
    axes.xaxis.set_major_formatter(lambda value, _: amount(value) if unit != "USD" else f"{value:.3g}")
    axes.locator_params(axis="x", nbins=5)
    if len(agents) > 1:
        for at, agent in enumerate(agents):
            axes.plot([], [], MARKS[at % len(MARKS)], color=INK, label=agent)
        axes.legend(frameon=False, labelcolor=INK, fontsize=FONT, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0)
    plain_axes(axes)
    _label(figure, axes, shown, front)
    return as_svg(figure, title)


def _label(figure: Any, axes: Any, rows: Sequence[CostArm], front: Sequence[tuple[float, float]]) -> None:
    """Name every point where there is room for it; a name that has none is left to the table beside the picture."""
    figure.draw_without_rendering()
    # What is laid out now stays: names must not move the axes.
    figure.set_layout_engine("none")
    scale = figure.dpi / 72
    points = [axes.transData.transform((row.cost, 100 * (row.quality or 0))) / scale for row in rows]
    frame = axes.get_window_extent().extents / scale
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in points]
    steps = [axes.transData.transform(point) / scale for point in front]
    for (x, y), (right, up) in pairwise(steps):
        taken += [(x, y - 1, right, y + 1), (right - 1, y, right + 1, up)]
    # Long names first: short ones find a place between them.
    for row, (x, y) in sorted(zip(rows, points, strict=True), key=lambda one: -len(one[0].condition)):
        name = row.condition
        wide, high = 0.64 * FONT * len(name), 1.35 * FONT
        for right, up in PLACES:
            left = x + right - (wide / 2 if not right else wide if right < 0 else 0)
            box = (left, y + up - high / 2, left + wide, y + up + high / 2)
            inside = frame[0] <= box[0] and box[2] <= frame[2] and frame[1] <= box[1] and box[3] <= frame[3]
            if inside and not any(_touch(box, other) for other in taken):
                taken.append(box)
                place = {"xytext": (left - x, up), "textcoords": "offset points", "ha": "left", "va": "center"}
                axes.annotate(name, (row.cost, 100 * (row.quality or 0)), color=COLOURS[name[:2]], fontsize=FONT, **place)
                break


def _touch(one: Sequence[float], other: Sequence[float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
