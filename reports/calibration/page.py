"""What a calibration found, in lines for a terminal, as JSON and as one self-contained page."""

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Literal

from reports.calibration.figures import BarSummary, Calibration, Cell, DemonstrationFigures
from reports.page import figures

TEMPLATES = Path(__file__).parents[1] / "page" / "templates"
#: What a measure is, in words.
MEASURES = {
    "helps_or_hurts": "HELPS or HURTS",
    "helps": "HELPS",
    "hurts": "HURTS",
    "coverage": "coverage of the 95 % interval",
    "right": "HELPS",
}
KINDS = {
    "null": "no effect",
    "effect": "an effect in every family",
    "rare": "rare large wins",
    "power": "power at an effect worth finding",
}
#: Cells by their spread between families: told apart by brightness and by mark.
MARKS = {0.0: ("o", "#1d6fb8"), 0.1: ("s", "#2f8f4e"), 0.2: ("^", "#d97706"), 0.4: ("D", "#8a4fa3")}


def calibration_lines(result: Calibration) -> list[str]:
    """What a terminal shows: the bars, the cells beyond them, METHOD's figures made again."""
    lines = [f"Calibration, {result['grid']} grid: {what_ran(result)}", widened(result), ""]
    lines += [_bar_line(row) for row in result["bars"]]
    lines += [f"NOT MET  {text}" for text in beyond(result)]
    if result["skipped"]:
        count = len(result["skipped"])
        lines.append(f"{count} cell{'s' if count != 1 else ''} cannot be: {SKIPPED}")
    return [*lines, "", "Stated figures, made again:", *(_demonstration_line(line) for line in result["demonstrations"])]


SKIPPED = "no chains have such sds at such a mean of Pass@2."


def what_ran(result: Calibration) -> str:
    return f"{len(result['cells'])} cells × {result['runs']:,} runs, {result['seconds']:.0f} s, seed {result['seed']}"


def widened(result: Calibration) -> str:
    """What the cells were held against."""
    if result["monte_carlo_sds"]:
        return f"Bars are widened by {result['monte_carlo_sds']:g} Monte-Carlo standard errors, since a cell has few runs."
    return "Bars are held as they are, without allowance for Monte-Carlo error."


def beyond(result: Calibration) -> list[str]:
    """A line for each bar that a cell does not meet."""
    return [
        f"{line['name']}: {MEASURES[one['measure']]} {percent(one['found'])}, limit {percent(one['limit'])}"
        for line in result["cells"]
        for one in line["bars"]
        if one["met"] is False
    ]


def percent(share: float | None) -> str:
    return "not measured" if share is None else f"{100 * share:.2f} %"


def number(value: float) -> str:
    """One decimal, without a minus before zero."""
    return f"{round(value, 1) + 0.0:.1f}".replace("-", "−")


def span(low: float, high: float) -> str:
    """A range, or one figure where both ends read alike."""
    return number(low) if number(low) == number(high) else f"{number(low)} to {number(high)}"


def stated(line: DemonstrationFigures) -> str:
    """METHOD's figure of a demonstration."""
    if not line["stated"]:
        return "—"
    low, high = line["stated"]
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _bar_line(row: BarSummary) -> str:
    verb = "met" if row["met"] == row["cells"] else "NOT MET"
    worst = "" if row["worst"] is None else f"; worst {percent(row['worst'])} ({row['worst_cell']})"
    bar = f"{MEASURES[row['measure']]} at {row['side']} {100 * row['bar']:g} %"
    many = f"{row['met']} of {row['cells']} cell{'s' if row['cells'] != 1 else ''}"
    return f"{verb:8} {KINDS[row['kind']]}: {bar}: {many}{worst}"


def _demonstration_line(line: DemonstrationFigures) -> str:
    found = f"{line['name']}: {line['what']}: {span(line['low'], line['high'])} {line['unit']}"
    if not line["stated"]:
        return found
    return f"{found}; stated {stated(line)}; {line['inside']} of {len(line['cases'])} cases inside"


def write_calibration(result: Calibration, out: Path) -> list[Path]:
    """`calibration.json` and the self-contained page `calibration.html` below `out`."""
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / "calibration.json", out / "calibration.html"]
    paths[0].write_text(json.dumps(result, indent=1, ensure_ascii=False), encoding="utf-8")
    paths[1].write_text(page(result), encoding="utf-8")
    return paths


def page(result: Calibration) -> str:
    """The page of a calibration: bars, pictures, METHOD's figures, every cell."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=select_autoescape(["html", "j2"]), undefined=StrictUndefined
    )
    environment.filters |= {"percent": percent, "number": number, "stated": stated}
    null = [line for line in result["cells"] if line["kind"] == "null"]
    return environment.get_template("calibration.html.j2").render(
        r=result,
        kinds=KINDS,
        measures=MEASURES,
        span=span,
        ran=what_ran(result),
        widened=widened(result),
        beyond=beyond(result),
        skipped=SKIPPED,
        false_verdicts=by_families(
            null, "helps_or_hurts", "False verdicts with no effect, %", _limit(result, "helps_or_hurts")
        ),
        coverage=by_families(
            [line for line in result["cells"] if line["kind"] != "power"],
            "coverage",
            "Coverage of the 95 % interval, %",
            _limit(result, "coverage"),
        ),
        groups=[(KINDS[kind], list(lines)) for kind, lines in groupby(result["cells"], key=lambda line: line["kind"])],
    )


def _limit(result: Calibration, measure: str) -> tuple[float, str] | None:
    found = [row for row in result["bars"] if row["kind"] == "null" and row["measure"] == measure]
    return (found[0]["bar"], f"bar, at {found[0]['side']} {100 * found[0]['bar']:g} %") if found else None


def by_families(
    cells: Sequence[Cell], measure: Literal["helps_or_hurts", "coverage"], title: str, limit: tuple[float, str] | None
) -> str:
    """A mark for every cell over its number of families, with the bar. SVG."""
    known = [(line, rate) for line in cells if (rate := line[measure]) is not None]
    counts = sorted({line["families"] for line, _ in known})
    figure = figures.new_figure(5.2, 3.4)
    axes = figure.subplots()
    for row, (family_sd, (mark, colour)) in enumerate(MARKS.items()):
        own = [(line, rate) for line, rate in known if line["family_sd"] == family_sd]
        # Cells of one column stand beside each other, so that none hides another.
        beside = [0.18 * (row - 1.5) + 0.015 * (at % 9 - 4) for at in range(len(own))]
        places = [counts.index(line["families"]) + right for (line, _), right in zip(own, beside, strict=True)]
        rates = [100 * rate for _, rate in own]
        if own:
            axes.plot(places, rates, mark, markersize=4, alpha=0.7, color=colour, markeredgewidth=0, label=f"τ {family_sd:g}")
    if limit:
        axes.axhline(100 * limit[0], color=figures.INK, linewidth=1.5, linestyle="--")
        axes.annotate(limit[1], (len(counts) - 0.5, 100 * limit[0]), ha="right", va="bottom", color=figures.INK, fontsize=8)
    axes.set_xticks(range(len(counts)), [str(count) for count in counts])
    axes.set_xlim(-0.5, len(counts) - 0.5)
    axes.set_xlabel("families")
    axes.set_ylabel(title)
    axes.legend(
        frameon=False, labelcolor=figures.INK, fontsize=8, loc="lower left", bbox_to_anchor=(0, 1), ncols=4, borderaxespad=0
    )
    figures.plain_axes(axes)
    return figures.as_svg(figure, title)
