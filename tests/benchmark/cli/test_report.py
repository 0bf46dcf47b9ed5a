"""`assay report`, `assay calibrate` and gates as a person types them: files, exit codes, and what is said."""

import csv
import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pandas
import pytest

from tests.commands import ASSAY, assay, fresh, run


@pytest.fixture
def store(measured: Path) -> Path:
    """Three trials of the agent that does nothing, measured."""
    assert "UNDECIDED on projects like these" in measured.with_name("said").read_text("utf-8"), "the summary says the verdict"
    return measured


def test_a_report_has_its_page_numbers_advice_and_junit(store: Path, tmp_path: Path):
    done = assay("report", "--runs", store, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    (verdict,) = results["verdicts"]
    assert verdict["word"] == "UNDECIDED" and "1 family of the 6 needed" in verdict["sentence"]
    advice = json.loads((tmp_path / "advice.json").read_text(encoding="utf-8"))
    assert {row["action"] for row in advice} == {"test more"} and advice[0]["schema"] == 1
    suites = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert sum(int(suite.attrib["tests"]) for suite in suites) == 3
    assert "UNDECIDED" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_tables_come_as_html_csv_and_latex(store: Path, tmp_path: Path):
    done = assay("report", "--runs", store, "--out", tmp_path, "--tables")
    assert done.returncode == 0 and "Tables: " in done.stdout
    names = {path.name for path in (tmp_path / "tables").iterdir()}
    assert {"tables.html", "tables.tex", "table-1.csv", "table-3.tex"} <= names
    rows = list(csv.reader((tmp_path / "tables" / "table-1.csv").open(encoding="utf-8")))
    assert len(rows) == 2 and rows[1][0] == "noop"


def test_the_trials_come_as_parquet(store: Path, tmp_path: Path):
    done = assay("report", "--runs", store, "--out", tmp_path, "--parquet")
    assert done.returncode == 0 and f"Trials: {tmp_path / 'trials.parquet'}" in done.stdout, done.stdout + done.stderr
    frame = pandas.read_parquet(tmp_path / "trials.parquet")
    kept = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["trials"]
    assert frame["id"].tolist() == [row["id"] for row in kept] and len(frame) == 3
    assert frame["metrics.pass2"].tolist() == [0.0, 0.0, 0.0] and str(frame["listed"].dtype) == "Int64"


def test_without_pyarrow_a_line_says_what_to_install(store: Path, tmp_path: Path):
    """A module of that name that cannot be imported stands for one that is not there."""
    (tmp_path / "pyarrow.py").write_text("raise ImportError('not here')\n", encoding="utf-8")
    asked = ("report", "--runs", store, "--out", tmp_path / "out", "--parquet")
    done = fresh(ASSAY, *asked, PYTHONPATH=str(tmp_path))
    assert done.returncode == 3 and "pip install 'skill-assay[parquet]'" in done.stdout, done.stdout + done.stderr
    assert (tmp_path / "out" / "report.html").is_file() and not (tmp_path / "out" / "trials.parquet").exists()


@pytest.mark.parametrize(
    ("gate", "code", "said"),
    [
        ("verdict != HURTS", 0, "gate holds for accessible-web-pages, noop, prompt: verdict != HURTS"),
        ("delta_pass2 > -0.02 and verdict != HURTS", 0, "gate holds"),
        ("verdict == HELPS", 1, "gate failed for accessible-web-pages, noop, prompt: verdict == HELPS"),
        ("low > -0.02", 1, "not measured: low"),
        ("delta_pas2 > 0", 2, "delta_pass2"),
        ("__import__('os')", 2, ""),
    ],
)
def test_a_gate_decides_the_exit_code(store: Path, tmp_path: Path, gate: str, code: int, said: str):
    done = assay("report", "--runs", store, "--out", tmp_path, "--gate", gate)
    assert done.returncode == code, done.stdout + done.stderr
    assert said in (done.stderr if code == 2 else done.stdout)
    assert code != 2 or len(done.stderr.splitlines()) == 1


def test_a_gate_of_a_run_fails_the_session_and_a_faulty_one_stops_it(store: Path, tmp_path: Path):
    panel, own = store.parent / "panel.toml", shutil.copytree(store, tmp_path / "own")
    failed = run("--panel", panel, "--runs", own, "--gate", "verdict == HELPS")
    assert failed.returncode == 1 and "gate failed" in failed.stdout
    assert run("--panel", panel, "--runs", own, "--gate", "verdict != HURTS").returncode == 0
    faulty = run("--panel", panel, "--runs", tmp_path / "runs", "--gate", "verdict =! HURTS")
    assert faulty.returncode == 2 and faulty.stderr.startswith("assay: ") and not (tmp_path / "runs").exists()


def test_github_gets_a_summary_of_the_step(store: Path, tmp_path: Path):
    summary = tmp_path / "summary.md"
    assert assay("report", "--runs", store, "--out", tmp_path, GITHUB_STEP_SUMMARY=str(summary)).returncode == 0
    text = summary.read_text(encoding="utf-8")
    assert "UNDECIDED" in text and "accessible-web-pages" in text.replace("\\", "")


@pytest.mark.nightly  # the grid itself is judged every day, in tests/reports/calibration
def test_the_small_grid_keeps_its_bars(tmp_path: Path):
    done = assay("calibrate", "--out", tmp_path, "--jobs", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads((tmp_path / "calibration.json").read_text(encoding="utf-8"))
    assert result["met"] is True and result["grid"] == "small" and len(result["cells"]) >= 10
    assert {one["kind"] for one in result["bars"]} >= {"null", "rare", "power"}
    assert "<svg" in (tmp_path / "calibration.html").read_text(encoding="utf-8")
