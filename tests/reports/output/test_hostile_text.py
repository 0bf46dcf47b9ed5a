"""Text of any origin in every output that a person reads: provider's errors, names, answers of models."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmark.core.model import Attempt, CheckOutcome, Record, TaskResult
from benchmark.core.text import visible
from benchmark.store.store import Store
from reports.failures import Failure
from reports.output.terminal import result_lines, summary_lines
from reports.output.write import write_all
from tests.factory import keep, row
from tests.reports.output.test_step_summary import shown

ESC, TURN, HOME = "\x1b]0;owned\x07\x1b[2J", "\u202egpj.exe", "fine\rassay: gate holds"
NASTY = f"{ESC} {TURN} {HOME}"
#: What must be in no output, whatever its form; line ends are judged by their form.
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ufeff]")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Everything that is written of trials with such text wherever a record, a plan or a workspace can have it."""
    root = tmp_path_factory.mktemp("hostile")
    store = Store(root / "runs")
    agent = {"name": "noop", "model": f"m{ESC}{TURN}"}
    kept = {
        "feedback": NASTY,
        "prompt": store.put(NASTY.encode()),
        "trajectory": store.put(json.dumps({"steps": [NASTY]}, ensure_ascii=False).encode()),
        "workspace": store.put_tree({"a.txt": NASTY.encode()}),
    }
    rows = [*row("alpha", "C0", "1x", "1x", agent=agent), *row("alpha", "C1", "11", "x-", agent=agent)]
    rows += row("beta", "C0", "1x", agent=agent, status="broken", reason=f"the provider answered: {NASTY}")
    rows += row("beta", "C1", "1x", agent=agent, status="broken", reason=NASTY)
    rows = [item._replace(records=tuple(_nasty(one, kept) for one in item.records)) for item in rows]
    plan = keep(store, rows)
    nasty = plan.model_dump(mode="json") | {
        "absent": [{"condition": "C2", "skill": f"target{ESC}", "project": "alpha", "reason": NASTY}],
        "quarantined": {f"alpha{TURN}": [NASTY]},
    }
    nasty["skills"]["target"]["notes"] = [NASTY]
    store.put_panel(plan.hash, nasty)
    summary = root / "summary.md"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GITHUB_STEP_SUMMARY", str(summary))
        found = write_all(Store(root / "runs"), plan.hash, tables=True)
    assert not found.failures
    return {"written": found, "report": root / "runs" / "report", "summary": summary.read_text(encoding="utf-8")}


def _nasty(made: Record, kept: dict[str, str]) -> Record:
    def check(one: CheckOutcome) -> CheckOutcome:
        return one.model_copy(update={"title": f"{one.title} {NASTY}", "expected": NASTY, "seen": f"{NASTY}\n\tmore"})

    def attempt(one: Attempt) -> Attempt:
        return one.model_copy(update={**kept, "checks": tuple(map(check, one.checks))})

    def task(one: TaskResult) -> TaskResult:
        return one.model_copy(update={"title": f"Task {NASTY}", "attempts": tuple(map(attempt, one.attempts))})

    return made.model_copy(update={"tasks": tuple(map(task, made.tasks))})


def test_the_terminal(written):
    lines = list(result_lines(written["written"]))
    told = "\n".join(map(visible, lines))
    assert not RAW.search(told) and r"\x1b]0;owned\x07" in told and r"\u202egpj.exe" in told and r"fine\rassay" in told
    assert len(told.splitlines()) == len(lines)


@pytest.mark.parametrize("name", ["report.html", "junit.xml", "tables/tables.html"])
def test_files_for_people(written, name):
    text = (written["report"] / name).read_bytes().decode()
    assert not RAW.search(text)
    assert name != "report.html" or (r"\x1b]0;owned\x07" in text and r"\u202egpj.exe" in text)


@pytest.mark.parametrize("pattern", ["*.csv", "*.tex"])
def test_tables_in_other_forms(written, pattern):
    paths = list((written["report"] / "tables").glob(pattern))
    assert paths and not [path.name for path in paths if RAW.search(path.read_bytes().decode())]


def test_the_step_summary(written):
    assert not RAW.search(written["summary"])
    assert r"\u202egpj.exe" in shown(written["summary"])


def test_allure(written):
    folder: Path = written["report"] / "allure-results"
    texts = {path.name: path.read_bytes().decode() for path in folder.iterdir() if path.suffix != ".jpg"}
    assert not [name for name, text in texts.items() if RAW.search(text)]
    results = [json.loads(text) for name, text in texts.items() if name.endswith("-result.json")]
    # One of each trial, and one of what the suite adds.
    assert len(results) == 7 and all(not RAW.search(text) for result in results for text in _strings(result))
    assert any(r"the provider answered: \x1b]0;owned\x07" in text for result in results for text in _strings(result))
    (trajectory,) = [text for name, text in texts.items() if name.endswith("attachment.json")]
    assert json.loads(trajectory) == {"steps": [NASTY]}, "an answer of a model keeps its value"
    assert any(name.endswith(".tsv") for name in texts) and any(name.endswith(".svg") for name in texts)
    assert [text for name, text in texts.items() if name.endswith("attachment.txt")] == [visible(NASTY)]


def _strings(value):
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _strings(item)


def test_a_terminal_that_cannot_be_written_is_an_output_that_failed(written):
    """As lines are that cannot be made: what there is of numbers stands in no way of the others."""
    broken: Any = None
    found = replace(written["written"], results=replace(written["written"].results, coverage=broken))
    (line,), failed = summary_lines(found)
    assert failed and line.startswith("not written: terminal: AttributeError: 'NoneType' object has no attribute 'planned' (")
    other = replace(found, failures=[Failure("page", "no space left")])
    assert summary_lines(other) == (["not written: page: no space left", line], True)
    lines, failed = summary_lines(written["written"])
    assert not failed and lines == list(result_lines(written["written"]))
