"""A table of text and values, and its three forms: HTML for people, LaTeX for papers, CSV for machines."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pandas import DataFrame

from benchmark.core.text import visible
from reports.result_tables import Reference
from reports.stats.statistics import Interval

#: How a value is written, and what it is in CSV, where it stays unrounded and a share.
Unit = Literal["words", "count", "points", "share", "percent", "tasks", "tokens", "r", "p"]
IN_CSV = {"points": "share", "percent": "ratio"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `mark` is METHOD.md's remark on it, `ranged` says that its cells may have a low and a high."""

    title: str
    unit: Unit = "words"
    mark: str | None = None
    ranged: bool = False

    @property
    def head(self) -> str:
        """Its title as people read it."""
        return f"{self.title}, {self.unit}" if self.unit in ("points", "tasks") else self.title

    def cell(self, value: float | str | None, reason: str | None = None) -> "TableCell":
        """The value as this column writes it; a dash with the reason where there is none."""
        return TableCell(written(value, self.unit), value, reason=reason if reason or value is not None else "not measured")

    def of(self, found: Interval | Reference, bold: bool = False) -> "TableCell":
        """An estimate or a reference with its ends."""
        value = found.estimate if isinstance(found, Interval) else found.mean
        if found.low is None or found.high is None:
            return self.cell(value, found.reason)
        ends = f"[{written(found.low, self.unit, bare=True)}, {written(found.high, self.unit, bare=True)}]"
        outside = bold and (found.low > 0 or found.high < 0)
        return TableCell(written(value, self.unit), value, ends, found.low, found.high, outside, found.reason)


@dataclass(frozen=True, slots=True)
class TableCell:
    """What a table says in a place: text, with the value behind it. No value: `reason` says why."""

    text: str
    value: float | str | None = None
    beside: str = ""
    low: float | None = None
    high: float | None = None
    bold: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A numbered table. The first column names the row; `notes` hold what must be read with it."""

    number: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    notes: tuple[str, ...] = ()
    delivery: str = ""

    @property
    def name(self) -> str:
        """Of its files."""
        return "-".join(part for part in ("table", self.number, self.delivery) if part)

    @property
    def remarks(self) -> list[str]:
        """The reasons of its cells, each once, with where they hold."""
        found: dict[str, list[str]] = {}
        for row in self.rows:
            for column, cell in zip(self.columns, row, strict=True):
                if cell.reason:
                    found.setdefault(cell.reason, []).append(f"{row[0].text}, {column.title}")
        return [f"{reason} ({_listed(places)})" for reason, places in found.items()]


def _listed(places: Sequence[str]) -> str:
    return "; ".join(places) if len(places) < 4 else f"{places[0]} and {len(places) - 1} more cells"


def written(value: float | str | None, unit: Unit, bare: bool = False) -> str:
    """A value as text with a real minus; `bare` leaves out the unit, for the ends of ranges."""
    if value is None or isinstance(value, str):
        return value or "—"
    sign = "" if bare and unit in ("share", "percent") else " %"
    text = {
        "words": f"{value}",
        "count": f"{value:,.0f}",
        "points": f"{100 * value:+z.1f}",
        "share": f"{100 * value:z.0f}{sign}",
        "percent": f"{100 * value:+z.0f}{sign}",
        "tasks": f"{value:+z.2f}",
        "tokens": f"{value:+,.0f}",
        "r": f"{value:+z.2f}",
        "p": "<0.001" if value < 0.001 else f"{value:.3f}",
    }[unit]
    return text.replace("-", "−")


def as_csv(table: PaperTable) -> str:
    """The table with numbers unrounded and shares as shares; not measured is empty, with the reason in the last column."""
    heads = [f"{column.title}{_unit(column)}" for column in table.columns]
    wide = [
        [head, *([f"{column.title}, low", f"{column.title}, high"] if column.ranged else [])]
        for head, column in zip(heads, table.columns, strict=True)
    ]
    rows = []
    for row in table.rows:
        found: list[float | str | None] = []
        for column, cell in zip(table.columns, row, strict=True):
            found += [cell.value, cell.low, cell.high] if column.ranged else [cell.value]
        reasons: dict[str, list[str]] = {}
        for column, cell in zip(table.columns, row, strict=True):
            if cell.reason:
                reasons.setdefault(cell.reason, []).append(column.title)
        found.append("; ".join(f"{reason} ({', '.join(titles)})" for reason, titles in reasons.items()))
        rows.append([visible(value, lines=True) if isinstance(value, str) else value for value in found])
    # As objects: a column of counts with a gap stays one of counts.
    frame = DataFrame(rows, columns=[*(name for names in wide for name in names), "remarks"], dtype=object)
    return frame.to_csv(index=False, lineterminator="\n")


def _unit(column: Column) -> str:
    unit = "" if column.unit == "words" else IN_CSV.get(column.unit, column.unit)
    inside = "; ".join(part for part in (unit, column.mark) if part)
    return f" ({inside})" if inside else ""


#: Text as LaTeX; what pdfTeX has no glyph for is named by its number, so that every table compiles.
LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "%": r"\%",
    "_": r"\_",
    "&": r"\&",
    "#": r"\#",
    "$": r"\$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    # After \\ these would be read as its argument.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    # No ligatures in names.
    "-": "{-}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "−": "$-$",
    "Δ": r"$\Delta$",
    "ρ": r"$\rho$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "·": r"$\cdot$",
    "→": r"$\rightarrow$",
    "§": r"\S{}",
    "–": "--",
    "—": "---",
    "’": "'",
    "“": "``",
    "”": "''",
    "…": r"\dots{}",
    "\u00a0": "~",
    "²": "$^2$",
    "Σ": r"$\Sigma$",
}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def escaped(text: str) -> str:
    """Any text as LaTeX."""
    clean = visible(re.sub(r"\s+", " ", text))
    return "".join(LATEX.get(letter) or (letter if letter.isascii() else f"{{[}}U+{ord(letter):04X}{{]}}") for letter in clean)


def as_latex(table: PaperTable, notes: Sequence[str] = ()) -> str:
    """A `table` environment with a plain tabular; marks become letters that are explained below it, `notes` follow.

    Needs booktabs, graphicx and, for some signs in names, textcomp and T1: what `document` loads.
    """
    marks = dict.fromkeys(column.mark for column in table.columns if column.mark)
    letters = {mark: LETTERS[at % len(LETTERS)] for at, mark in enumerate(marks)}
    heads = [escaped(column.head) + (f"$^{{{letters[column.mark]}}}$" if column.mark else "") for column in table.columns]
    cells = [[_latex_cell(cell) for cell in row] for row in table.rows]
    body = DataFrame(cells, columns=[_stacked("b", *head.split(", ")) for head in heads])
    # All text is escaped already, by more than pandas would.
    tabular = body.style.hide(axis="index").to_latex(hrules=True, column_format=f"l{'r' * (len(heads) - 1)}")
    lines = [
        r"\begin{table}[htbp]",
        r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
        rf"\textbf{{Table {escaped(table.number)}.}} {escaped(table.title)}\par\medskip",
        # No wider than the page.
        r"\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%",
        tabular.rstrip() + r"}\par\medskip",
        r"\parbox{\textwidth}{\raggedright",
    ]
    said = [f"$^{{{letter}}}$ {escaped(mark)}." for mark, letter in letters.items()]
    said += [escaped(note) for note in (*table.notes, *table.remarks, *notes)]
    return "\n".join([*lines, "\\par\n".join(said) + "}", r"\end{table}", ""])


def _latex_cell(cell: TableCell) -> str:
    text = rf"\textbf{{{escaped(cell.text)}}}" if cell.bold else escaped(cell.text)
    return _stacked("t", text, escaped(cell.beside)) if cell.beside else text


def _stacked(place: str, *lines: str) -> str:
    body = r" \\ ".join(lines)
    return rf"\begin{{tabular}}[{place}]{{@{{}}r@{{}}}}{body}\end{{tabular}}"


def document(tables: Sequence[PaperTable]) -> str:
    """A LaTeX document that shows all tables from their own files."""
    inputs = [f"\\input{{{table.name}}}" for table in tables]
    head = [
        r"\documentclass{article}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage[utf8]{inputenc}",
        r"\usepackage{booktabs,graphicx,textcomp}",
        r"\usepackage[margin=2cm]{geometry}",
        r"\begin{document}",
    ]
    return "\n".join([*head, *inputs, r"\end{document}", ""])
