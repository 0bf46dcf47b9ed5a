import csv
import io
import random
import re
from dataclasses import replace
from typing import Any

import pytest
from scipy import stats as scipy_stats

from benchmark.core.errors import UsageError
from benchmark.suite.contract import Suite
from benchmark.webdev.suite import SUITE, WebdevSuite
from reports.paper_tables.tables import tables, write_tables
from reports.paper_tables.tabular import as_csv, as_latex
from tests.factory import audit as kept
from tests.factory import row
from tests.reports.chain_audits import Graded, arm, panel

#: Its results have names that type checkers do not know.
stats: Any = scipy_stats
SLICES = ("C1:fresh", "C3:-rules", "C3:-antipatterns", "C3:-examples")
NAMES = ["1", "2", "3", "4a", "4b", "5a", "5b"]
LEVELS: list[Any] = ["easy"] * 4 + ["moderate"] * 3 + ["challenging"] * 3


def everything(agents=("m", "n"), conditions=("C0", "C1", "C2", *SLICES), projects=8, replicates=3, seed=0, **more):
    draw = random.Random(seed)
    arms = [
        arm(
            f"p{at}",
            name,
            *(draw.randint(0, 10) for _ in range(replicates)),
            agent=agent,
            tokens=draw.randint(500, 5000),
            **more,
        )
        for agent in agents
        for at in range(projects)
        for name in conditions
    ]
    return panel(*arms, suite=Graded({f"p{at}": LEVELS for at in range(projects)}))


def table(audit, number, delivery=""):
    return next(made for made in tables(audit) if (made.number, made.delivery) == (number, delivery))


def cells(made, row=0) -> dict[str, Any]:
    return {column.title: cell for column, cell in zip(made.columns, made.rows[row], strict=True)}


def rows_of(made):
    return list(csv.DictReader(io.StringIO(as_csv(made))))


def test_table_1_by_hand():
    """a: 0.5 − 0.3, b: 0.4 − 0.6, c: 0.9 − 0.5. Means: ΔPass@2 0.4 / 3, ΔTCD 4 / 3; two of three gain."""
    arms = [
        arm(p, name, depth, depth)
        for p, zero, one in (("a", 3, 5), ("b", 6, 4), ("c", 5, 9))
        for name, depth in (("C0", zero), ("C1", one))
    ]
    made = table(panel(*arms, arm("d", "C0", 5), arm("d", "C1", 0, status="broken")), "1")
    found = cells(made)
    assert (found["model"].text, found["pairs, of planned"].text) == ("m", "3 of 4")
    assert found["ΔPass@2"].value == pytest.approx(0.4 / 3) and found["ΔPass@2"].text == "+13.3"
    assert found["ΔPass@1"].value == pytest.approx(0.4 / 3) and found["ΔTCD"].value == pytest.approx(4 / 3)
    assert found["ΔPass@2"].low == pytest.approx(-0.2) and found["ΔPass@2"].high == pytest.approx(0.4)
    assert found["pairs gaining"].value == pytest.approx(2 / 3) and found["pairs gaining"].text == "67 %"
    assert (
        found["token ratio ρ, mean of pairs"].value == 0
        and found["token ratio ρ, mean of pairs"].reason == "no spread between pairs"
    )
    assert found["gaining, A/A"].value == 0 and found["task flips, A/A"].value == 0
    # Two chains of 0.3 and two of 0.5: one deal of six puts both higher ones into C1.
    assert found["gaining, labels permuted"].value == pytest.approx(1 / 6, abs=0.03)
    assert "Trials of C0, C1: 13 of 14 measured (1 broken)." in made.notes


def test_marks_stand_in_every_form(tmp_path):
    made = tables(everything())
    assert [one.number for one in made] == NAMES
    for number, mark in (
        ("1", "ignores shared C0"),
        ("2", "ignores shared C0"),
        ("3", "ignores shared C0"),
        ("5b", "not valid for chains"),
    ):
        one = next(item for item in made if item.number == number)
        assert mark in as_csv(one).splitlines()[0] and mark in as_latex(one)
    write_tables(everything(), tmp_path)
    page = (tmp_path / "tables.html").read_text()
    assert page.count("ignores shared C0") == 4 + 3 + 3
    assert "not valid for chains: A/A chains reject in 25–58 %" in page
    assert page.count("under arm labels permuted within project") == 3


def test_buckets_are_dashes_below_five_cells_and_bold_where_zero_is_outside():
    """Easy tasks fall by one of four on four pairs of five and by two on one; no chain gets to the challenging ones."""
    arms = [arm(f"p{at}", name, depth) for at in range(5) for name, depth in (("C0", 4), ("C1", 2 if at else 3))]
    made = table(panel(*arms, suite=Graded({f"p{at}": LEVELS for at in range(5)})), "2")
    reached, whole = cells(made, 0), cells(made, 1)
    assert whole["easy"].value == pytest.approx(-(4 * 0.5 + 0.25) / 5) and whole["easy"].bold and whole["easy"].high < 0
    assert reached["easy"].value == pytest.approx(-(4 / 3 + 1 / 4) / 5) and reached["easy"].bold
    assert reached["challenging"].text == "—" and reached["challenging"].value is None
    assert reached["challenging"].reason == "fewer than five pair-cells (0)"
    assert whole["challenging"].value == 0 and not whole["challenging"].bold and whole["challenging"].low is None


def test_projects_that_this_checkout_does_not_have_are_named_in_table_2():
    made = table(panel(*(arm(p, name, 5, 6) for p in "ab" for name in ("C0", "C1")), suite=SUITE), "2")
    assert all(cell.value is None and cell.reason for cell in made.rows[0][2:])
    assert any("difficulty is not known here: a, b." in note for note in made.notes)


def test_table_3_by_hand():
    """Totals +2, +1, −1 tasks of ten; contents +1, 0, −1: lengths +1, +1, 0. Of two wins one survives."""
    depths = (("a", 4, 6, 5), ("b", 4, 5, 5), ("c", 4, 3, 4))
    arms = [
        arm(p, name, depth, partner=f"x{p}")
        for p, *all_ in depths
        for name, depth in zip(("C0", "C1", "C2"), all_, strict=True)
    ]
    found = cells(table(panel(*arms), "3"))
    assert found["ΔTotal, C1−C0"].value == pytest.approx(0.2 / 3)
    assert found["ΔLength, C2−C0"].value == pytest.approx(0.2 / 3) and found["ΔContent, C1−C2"].value == pytest.approx(
        0, abs=1e-12
    )
    assert (found["distinct partners"].value, found["wins"].value, found["survival"].value) == (3, 2, 0.5)
    assert found["survival, labels permuted"].value is not None


def test_table_4_is_a_matrix_with_references_beside():
    audit = everything(("one", "two", "three"), ("C0", "C1"), projects=12)
    matrix, beside = table(audit, "4a"), table(audit, "4b")
    assert [column.title for column in matrix.columns] == ["model", "one", "two", "three"]
    names = ["one", "two", "three"]
    effects = {}
    for name in names:
        arms = {condition: {} for condition in ("C0", "C1")}
        for item in audit.observations.values():
            if item.agent == name:
                arms[item.condition].setdefault(item.project, []).append(item.values["pass2"])
        effects[name] = [sum(arms["C1"][p]) / 3 - sum(arms["C0"][p]) / 3 for p in arms["C0"]]
    for low in range(3):
        for high in range(low + 1, 3):
            pearson = stats.pearsonr(effects[names[low]], effects[names[high]]).statistic
            spearman = stats.spearmanr(*([round(v, 9) for v in effects[names[at]]] for at in (low, high))).statistic
            assert matrix.rows[high][low + 1].value == pytest.approx(pearson, abs=1e-9)
            assert matrix.rows[low][high + 1].value == pytest.approx(spearman, abs=1e-9)
    # Three statistics for three pairs of models, and three shares of signs.
    assert len(beside.rows) == 12
    first = cells(beside)
    assert (first["statistic"].text, first["models"].text) == ("Pearson's r", "one × two")
    assert first["labels permuted"].low < first["labels permuted"].value < first["labels permuted"].high
    assert (
        first["reading"].text.startswith("cannot tell: split-half reliability") and first["split-half, the lower"].value < 0.5
    )
    assert "cannot tell" in matrix.rows[1][1].beside
    shares = [cells(beside, at)["value"].value for at in (9, 10, 11)]
    assert all(isinstance(share, float) and 0 <= share <= 1 for share in shares)


def test_a_correlation_that_can_tell_says_so():
    """Pairs differ by far more than chains do: both models have the same effects."""
    arms = [
        arm(f"p{at}", name, *depths, agent=agent)
        for agent in "mn"
        for at in range(6)
        for name, depths in (("C0", (2, 3, 2)), ("C1", (2 + at, 3 + at, 2 + at)))
    ]
    audit = panel(*arms)
    matrix, beside = table(audit, "4a"), table(audit, "4b")
    assert matrix.rows[1][1].value == pytest.approx(1) and matrix.rows[1][1].beside == "" and matrix.rows[1][1].reason is None
    assert cells(beside)["reading"].text == "" and cells(beside)["split-half, the lower"].value > 0.9


def test_single_replicates_cannot_tell():
    audit = everything(("m", "n"), ("C0", "C1"), replicates=1)
    assert cells(table(audit, "4b"))["reading"].text.startswith("cannot tell: 0 pairs with two replicates")
    assert cells(table(audit, "1"))["gaining, A/A"].reason == "no project has two replicates of C0"


def test_one_model_says_that_correlations_need_two():
    audit = everything(("m",))
    assert any("needs two; there is 1" in note for note in table(audit, "4a").notes)
    assert table(audit, "4b").rows[0][0].reason == "a correlation between models needs two"
    assert [column.title for column in table(audit, "5a").columns] == ["contribution", "All"]


def test_arms_that_the_plan_lacks_are_said():
    audit = everything(conditions=("C0", "C1"))
    assert cells(table(audit, "3"))["survival"].reason == "the plan has no C2 arm"
    assert {cell.reason for cell in table(audit, "5a").rows[1][1:]} == {"the plan has no C1:fresh and no C3:-rules arm"}
    assert all(cell.value is None and cell.text == "—" for cell in table(audit, "5b").rows[1][3:])
    assert any("the plan has no C2 arm" in remark for remark in table(audit, "3").remarks)


def test_arms_that_are_not_measured_are_said():
    made = table(panel(arm("a", "C0", 5), arm("a", "C1", 5, status="broken"), arm("a", "C2", 5)), "3")
    assert made.rows[0][2].reason == "no pair has C0 and C1 and C2 measured" and made.rows[0][1].text == "0 of 1"


def test_table_5_by_hand():
    """Model m: C1 − C3 of 0.2 on a and 0.1 on b; n: −0.1 on a, 0 on b. All 0.05, without m −0.05, without n 0.15."""
    depths = {("m", "a"): (7, 5), ("m", "b"): (4, 3), ("n", "a"): (5, 6), ("n", "b"): (2, 2)}
    arms = [
        arm(p, name, depth, agent=agent, tokens=tokens)
        for (agent, p), pair in depths.items()
        for name, depth, tokens in zip(("C1:fresh", "C3:-rules"), pair, (900, 600), strict=True)
    ]
    audit = panel(*arms)
    found = cells(table(audit, "5a"), 1)
    assert found["contribution"].text == "rules (C1−C3:-rules)"
    assert [found[name].value for name in ("All", "without m", "without n")] == pytest.approx([0.05, -0.05, 0.15])
    beside = cells(table(audit, "5b"), 3)
    assert (beside["contribution"].text, beside["models"].text, beside["cells"].value) == ("rules (C1−C3:-rules)", "All", 4)
    # Three differences are not zero: 0.2, 0.1 and −0.1.
    assert beside["Wilcoxon p"].value == pytest.approx(stats.wilcoxon([0.2, 0.1, -0.1]).pvalue, abs=1e-9)
    assert (beside["b"].value, beside["c"].value, beside["prompt tokens saved"].value) == (3, 1, 300)
    assert beside["McNemar p, exact"].value == pytest.approx(0.625)


def test_a_slice_of_equal_length_has_its_row_where_it_is_planned():
    titles = [row[0].text for row in table(everything(conditions=("C0", "C1", *SLICES, "L3:-examples")), "5a").rows]
    assert titles == [
        "whole skill (C1−C0)", "rules (C1−C3:-rules)", "anti-patterns (C1−C3:-antipatterns)", "example code (C1−C3:-examples)",
        "example code (C1−L3:-examples)",
    ]  # fmt: skip


def test_deliveries_have_tables_of_their_own():
    both = panel(
        *(arm(p, "C0", 5, 5) for p in "abc"),
        *(arm(p, "C1", 7, 8) for p in "abc"),
        *(arm(p, "C1", 2, 4, delivery="native") for p in "abc"),
    )
    made = tables(both)
    assert [(one.number, one.delivery) for one in made] == [(name, how) for how in ("prompt", "native") for name in NAMES]
    assert [cells(one)["ΔPass@2"].value for one in made if one.number == "1"] == pytest.approx([0.25, -0.2])
    assert made[7].name == "table-1-native" and made[7].title.endswith(", native delivery")


def test_another_suite_is_refused():
    class Other(WebdevSuite):
        name = "other"
        metrics = SUITE.metrics[:1]

    audit = replace(panel(arm("a", "C0", 5), arm("a", "C1", 5)), suite=Other())
    with pytest.raises(UsageError, match="suite other has no metric pass1, tcd: report without --tables"):
        tables(audit)


def test_a_suite_without_a_paper_has_no_tables(tmp_path):
    audit = everything(conditions=("C0", "C1"))
    with pytest.raises(UsageError, match="suite webdev has no tables of a paper; leave out --tables"):
        Suite.write_tables(SUITE, audit, tmp_path / "tables")
    assert not (tmp_path / "tables").exists()
    assert SUITE.write_tables(audit, tmp_path / "tables") == tmp_path / "tables" / "tables.html"


def test_the_page_needs_nothing_else_and_reads_in_the_dark(tmp_path):
    paths = write_tables(everything(), tmp_path / "new" / "folder")
    assert [path.name for path in paths[:2]] == ["tables.html", "tables.tex"] and all(path.is_file() for path in paths)
    assert {path.name for path in paths[2:]} == {f"table-{name}.{kind}" for name in NAMES for kind in ("csv", "tex")}
    page = paths[0].read_text()
    assert "http" not in page and "<script" not in page and "<link" not in page
    assert (
        "prefers-color-scheme: dark" in page and 'name="viewport"' in page and page.count('<div class="wide" tabindex="0"') == 7
    )


def test_names_are_text_on_the_page(tmp_path):
    write_tables(everything(("<b>&m", "n")), tmp_path)
    page = (tmp_path / "tables.html").read_text()
    assert "<b>" not in page and "&lt;b&gt;&amp;m" in page


def test_the_same_audit_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        write_tables(everything(), tmp_path / name)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_scripted_agents_are_said_under_every_table():
    made = tables(panel(arm("a", "C0", 5), arm("a", "C1", 5), scripted=True))
    assert all(any("The agent is scripted" in note for note in one.notes) for one in made)


def test_the_tables_never_say_what_the_page_never_says(tmp_path):
    write_tables(everything(), tmp_path)
    text = (tmp_path / "tables.html").read_text().lower()
    for words in (
        "safe to ship",
        "for your project",
        "tcd confirms",
        "when opened",
        "hurts easy",
        "of wins are real",
        "do not transfer",
        "will decide",
    ):
        assert words not in text
    assert not re.search(r"\b(helps|hurts|undecided)\b", text)


def test_records_of_a_store_give_tables(tmp_path):
    rows = [item for p in "abc" for item in (*row(p, "C0", "12x-", "1x--"), *row(p, "C1", "111x", "12x-"))]
    made = tables(kept(tmp_path / "store", rows))
    found = cells(made[0])
    # Pass@2 of C0: 2 and 1 of 4; of C1: 3 and 2.
    assert found["ΔPass@2"].value == pytest.approx(0.25) and found["ΔTCD"].value == pytest.approx(1)
    # pass1 of C0: 1 and 1; of C1: 3 and 1.
    assert found["ΔPass@1"].value == pytest.approx(0.25)
    write_tables(kept(tmp_path / "again", rows), tmp_path / "out")
    page = (tmp_path / "out" / "tables.html").read_text()
    assert "trials of 2027-01-15." in page and "agent version 1" in page


def test_an_empty_plan_gives_a_page_without_tables(tmp_path):
    paths = write_tables(panel(), tmp_path)
    assert "no trial has run" in paths[0].read_text()
