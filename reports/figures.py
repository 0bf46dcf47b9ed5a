"""Pictures as inline SVG by matplotlib: contrasts by family with their intervals, how far chains got, how skills were read."""

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

#: One colour a condition everywhere, told apart by brightness as well.
COLOURS = {"C0": "#6b7280", "C1": "#1d6fb8", "C2": "#d97706", "C3": "#2f7d45", "L3": "#8a4fa3"}
#: Lines of slices by what was removed, of the fresh trials beside them by their own pattern.
DASHES = {"C1:fresh": "--", "antipatterns": "--", "examples": ":"}
#: A contrast of content has a colour of its own; the others have that of their treated arm.
CONTRAST_COLOURS = {"C1−C0": COLOURS["C1"], "C2−C0": COLOURS["C2"], "C1−C2": "#2f8f4e"}
INK = "#888888"


def _new(width: float, height: float) -> Any:
    """A figure without a display and without global state; text stays text, so that it can be read and searched."""
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    rcParams["svg.fonttype"] = "none"
    rcParams["svg.hashsalt"] = "skill-assay"
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.patch.set_alpha(0)
    return figure


def _svg(figure: Any, title: str) -> str:
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<svg ", f'<svg role="img" aria-label="{title}" ', text, count=1)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    # Ids must not collide between the pictures of a page.
    prefix = re.sub(r"\W+", "-", title.lower())[:40]
    return re.sub(
        r'(id="|#)((?:m|p|axes|figure|patch|text|line2d|matplotlib|xtick|ytick|PathCollection|LineCollection)[\w.]*)',
        rf"\1{prefix}-\2",
        text,
    )


def _plain(axes: Any) -> None:
    axes.patch.set_alpha(0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(INK)
    axes.tick_params(colors=INK, labelsize=9)
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)


def forest(contrasts: Sequence[dict[str, Any]], title: str) -> str:
    """The contrasts of one skill: a dot for every family, the estimate and its interval below each other, in points."""
    height = 0.9 + 0.75 * len(contrasts)
    figure = _new(5.2, height)
    axes = figure.subplots()
    axes.axvline(0, color=INK, linewidth=1)
    for row, line in enumerate(reversed(contrasts)):
        values = [100 * value for value in line["families"].values()]
        axes.plot(values, [row + 0.2] * len(values), "o", markersize=5, alpha=0.45, color=INK, markeredgewidth=0)
        found = line["pass2"]
        if found["estimate"] is not None:
            colour = CONTRAST_COLOURS.get(line["name"]) or COLOURS[line["name"].split("−")[1][:2]]
            if found["low"] is not None:
                axes.plot([100 * found["low"], 100 * found["high"]], [row - 0.1] * 2, color=colour, linewidth=3)
            axes.plot([100 * found["estimate"]], [row - 0.1], "D", markersize=8, color=colour)
    axes.set_yticks(range(len(contrasts)), [line["name"] for line in reversed(contrasts)])
    axes.set_ylim(-0.6, len(contrasts) - 0.4)
    axes.set_xlabel("difference in Pass@2, points")
    _plain(axes)
    return _svg(figure, title)


def reached(curves: Mapping[str, Sequence[float]], title: str) -> str:
    """By condition the share of chains that solved task 1, 2, … n: where they end."""
    # Many lines leave no place for their names between them.
    beside = len(curves) > 3
    figure = _new(5.2, 2.7 + (0.22 * len(curves) if beside else 0))
    axes = figure.subplots()
    for name, shares in curves.items():
        steps = [1.0, *shares]
        dash = DASHES.get(name) or DASHES.get(name.partition("-")[2], "-")
        heights = [100 * value for value in steps]
        axes.plot(range(len(steps)), heights, dash, marker="o", markersize=4, color=COLOURS[name[:2]], label=name)
    axes.set_xlabel("task of the chain")
    axes.set_ylabel("chains that solved it, %")
    axes.set_ylim(-3, 103)
    axes.set_xticks(range(max(map(len, curves.values())) + 1 if curves else 1))
    if curves:
        place = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 2, "borderaxespad": 0} if beside else {}
        axes.legend(frameon=False, labelcolor=INK, fontsize=9, **place)
    _plain(axes)
    return _svg(figure, title)


def read_rates(rows: Sequence[dict[str, Any]], title: str) -> str:
    """By agent and delivery the share of attempts that opened the skill: a mark for every skill's arm, C1 above C2."""
    groups = list(dict.fromkeys((line["agent"], line["delivery"]) for line in rows))
    figure = _new(5.2, 1.0 + 0.5 * len(groups))
    axes = figure.subplots()
    for condition, shift, mark in (("C1", 0.16, "o"), ("C2", -0.16, "s")):
        chosen = [line for line in rows if line["condition"] == condition]
        places = [len(groups) - 1 - groups.index((line["agent"], line["delivery"])) + shift for line in chosen]
        shares = [100 * line["read_rate"] for line in chosen]
        if chosen:
            axes.plot(shares, places, mark, markersize=7, alpha=0.75, color=COLOURS[condition], label=condition, clip_on=False)
    axes.set_yticks(range(len(groups)), [f"{agent}\n{delivery}" for agent, delivery in reversed(groups)])
    axes.set_ylim(-0.6, len(groups) - 0.4)
    axes.set_xlim(0, 100)
    axes.set_xlabel("opened, % of attempts")
    axes.grid(axis="x", color=INK, alpha=0.25)
    axes.legend(frameon=False, labelcolor=INK, fontsize=9, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0)
    _plain(axes)
    return _svg(figure, title)
