"""A table in its forms: CSV, LaTeX and cells as text."""

import csv
import io
import re
import shutil
import subprocess

import pytest

from reports.paper_tables.tables import write_tables
from reports.paper_tables.tabular import Column, PaperTable, TableCell, as_csv, as_latex, document, escaped, written
from reports.stats.statistics import Interval
from tests.reports.paper_tables.test_tables import SLICES, cells, everything, rows_of, table


def test_csv_keeps_numbers_and_says_what_is_missing():
    made = table(everything(conditions=("C0", "C1")), "1")
    line = rows_of(made)[0]
    cell = cells(made)["ΔPass@2"]
    assert float(line["ΔPass@2 (share; 95 % pair bootstrap: ignores shared C0)"]) == cell.value
    assert (float(line["ΔPass@2, low"]), float(line["ΔPass@2, high"])) == (cell.low, cell.high)
    empty = rows_of(table(everything(conditions=("C0", "C1")), "3"))[0]
    assert empty["survival (share)"] == "" and empty["remarks"].startswith("the plan has no C2 arm (ΔTotal, C1−C0, ")


def test_csv_quotes_what_needs_it():
    made = PaperTable(
        "9", "t", (Column("a, b"), Column('"c"', "p")), ((TableCell('x,"y"\n', 'x,"y"\n'), TableCell("0.5", 0.5)),)
    )
    assert list(csv.reader(io.StringIO(as_csv(made)))) == [["a, b", '"c" (p)', "remarks"], ['x,"y"\n', "0.5", ""]]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "points", "—"), (-0.0421, "points", "−4.2"), (-0.0001, "points", "+0.0"), (0.3, "share", "30 %"),
        (3.94, "percent", "+394 %"),
        (-0.85, "tasks", "−0.85"), (0.00795, "p", "0.008"), (0.0001, "p", "<0.001"), (34482.4, "tokens", "+34,482"),
        (111, "count", "111"),
        (-0.08, "r", "−0.08"), ("words", "words", "words"), ("", "words", "—"),
    ],
)  # fmt: skip
def test_values_as_text(value, unit, text):
    assert written(value, unit) == text


def test_ends_stand_beside_the_estimate():
    cell = Column("x", "points", ranged=True).of(Interval(-0.042, -0.067, -0.017, 117, 0.95), bold=True)
    assert (cell.text, cell.beside, cell.bold) == ("−4.2", "[−6.7, −1.7]", True)
    assert not Column("x", "points").of(Interval(0.0, -0.1, 0.1, 9, 0.95), bold=True).bold


def test_all_that_latex_reads_is_escaped():
    assert escaped(r"a\b{c}%_&#$~^") == r"a\textbackslash{}b\{c\}\%\_\&\#\$\textasciitilde{}\textasciicircum{}"
    assert escaped("−4.2 ± Δ—ρ") == r"$-$4.2 $\pm$ $\Delta$---$\rho$"
    assert escaped("[x]*") == "{[}x{]}{*}" and escaped("a\n\tb") == "a b" and escaped("中é") == "{[}U+4E2D{]}{[}U+00E9{]}"


HOSTILE = r"\input{x}%_&#$~^{}[*]--`'<|>" + '"中ß\\\\'


def test_rows_have_as_many_cells_as_columns():
    made = PaperTable(
        "9",
        HOSTILE,
        (Column(HOSTILE, mark=HOSTILE), Column("x", "p")),
        ((TableCell(HOSTILE, HOSTILE), TableCell("1", 1.0, "[0, 2]")),),
        (HOSTILE,),
    )
    body = as_latex(made).split("\n")
    lines = [line for line in body if line.endswith(r" \\")]
    assert len(lines) == 2 and all(len(re.findall(r"(?<!\\)&", line)) == 1 for line in lines)
    text = as_latex(made)
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}") and r"\input" not in text and not re.search(r"(?<!\\)%(?!\n)", text)


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="no LaTeX on this machine")
def test_latex_compiles(tmp_path):
    write_tables(everything((r"m_%&#", "n^~"), conditions=("C0", "C1", "C2", *SLICES)), tmp_path)
    odd = PaperTable(
        "9",
        HOSTILE,
        (Column(HOSTILE, mark=HOSTILE), Column(HOSTILE)),
        ((TableCell(HOSTILE, HOSTILE), TableCell("[1", "[1")),),
        (HOSTILE,),
    )
    (tmp_path / "table-9.tex").write_text(as_latex(odd))
    (tmp_path / "odd.tex").write_text(document([odd]))
    for name in ("tables.tex", "odd.tex"):
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", name],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout[-2000:]
