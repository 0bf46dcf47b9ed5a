"""What is refused before anything is set up, in one line and with exit code 2; and what a suite does not need."""

from pathlib import Path
from typing import Any

import pytest

from benchmark.core.errors import UsageError
from benchmark.core.score import UNIT, Scale
from benchmark.suite import discovery
from benchmark.suite.contract import check_suite
from benchmark.suite.metric import Metric
from tests.suites.runs import NAMES, SUITES, Said, assay, records, run, write_panel


def line_of(said: Said) -> str:
    """The one line of a command that did not begin."""
    lines = said.err.strip().splitlines()
    assert said.code == 2 and len(lines) == 1 and lines[0].startswith("assay: "), said.all
    return lines[0]


@pytest.mark.parametrize("words", ["nothing-like-this", "english and not test_trial"])
def test_a_selection_of_no_trial_is_told_before_anything_is_set_up(words: str, tmp_path: Path) -> None:
    panel = write_panel(tmp_path, "greetings")
    said = run("--panel", panel, "--runs", tmp_path / "runs", "-k", words)
    assert line_of(said).startswith(f"assay: no trial of this plan matches -k {words!r}") and said.out == ""
    assert not (tmp_path / "runs").exists()


def test_a_selection_is_read_as_pytest_reads_it_and_must_solve_finds_what_is_not_perfect(tmp_path: Path) -> None:
    """Names of the case, its module and its folder count, in any case."""
    panel = write_panel(tmp_path, "greetings", replicates=1, skills=["evil"])
    words = "(ENGLISH or french) and Test_Trials and benchmark and not c0"
    done = run("--panel", panel, "--runs", tmp_path / "runs", "-k", words, "--must-solve")
    found = records(tmp_path / "runs")
    assert sorted((row["spec"]["project"], row["spec"]["condition"]) for row in found) == [("english", "C1"), ("french", "C1")]
    scores = [row["tasks"][0]["attempts"][-1]["score"]["value"] for row in found]
    assert max(scores) < 1, "the evil skill leaves no greeting right"
    assert done.code == 1, done.all
    for row, score in zip(found, scores, strict=True):
        project = row["spec"]["project"]
        assert f"SUBFAILED[task 1: {project}]" in done.out and f"{score}" in done.out


def test_a_suite_that_needs_a_browser_is_refused_where_the_others_ran(tmp_path: Path) -> None:
    """The environment of all these runs really has none."""
    said = run("--project", "bakery-page", "--skill", "accessible-web-pages", "--runs", tmp_path / "runs")
    assert "no browser" in line_of(said) and not (tmp_path / "runs").exists()


def test_a_judged_suite_without_a_judge_says_what_to_do(tmp_path: Path) -> None:
    panel = write_panel(tmp_path, "essays")
    line = line_of(run("--panel", panel, "--runs", tmp_path / "runs"))
    assert "suite essays is graded by a model" in line and "--judge-model" in line and "[judge]" in line
    assert not (tmp_path / "runs").exists()


def test_a_judge_for_a_suite_that_asks_none_is_refused(tmp_path: Path) -> None:
    panel = write_panel(tmp_path, "typos", judge="http://127.0.0.1:9/v1")
    assert "suite typos asks no judge" in line_of(assay("plan", "--panel", panel))


def metric(name: str, primary: bool = True, scale: Scale = UNIT) -> Metric:
    return Metric(name, name, scale, "", lambda record: (None, "never"), primary=primary)


@pytest.mark.parametrize(
    ("metrics", "words"),
    [
        ((metric("one"), metric("two")), "has 2 primary metrics"),
        ((metric("one", primary=False),), "has 0 primary metrics"),
        ((metric("one", scale=Scale(low=0)),), "'one' has no bounds"),
        ((metric("one", scale=Scale(high=1)),), "'one' has no bounds"),
        ((metric("oriented"),), "'oriented' is taken"),
        ((metric("tokens"),), "'tokens' is taken"),
        ((metric("one"), metric("one", primary=False)), "'one' is taken"),
    ],
)
def test_metrics_that_can_carry_no_verdict_are_refused(metrics: tuple[Metric, ...], words: str) -> None:
    suite: Any = type(discovery.find_suite("webdev"))()
    suite.__dict__["metrics"] = metrics
    suite.__dict__.pop("all_metrics", None)
    with pytest.raises(UsageError) as raised:
        check_suite(suite)
    assert words in str(raised.value) and "\n" not in str(raised.value)


def test_a_suite_with_such_metrics_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "suite.py").write_text(
        "from benchmark.suite.discovery import suite_module\n"
        "from benchmark.core.score import Scale\n"
        "from dataclasses import replace\n"
        "class Open(suite_module('typos', 'suite').Typos):\n"
        "    name = 'open'\n"
        "    metrics = tuple(replace(one, scale=Scale(low=0)) for one in suite_module('typos', 'suite').Typos.metrics)\n"
        "SUITE = Open()\n",
        encoding="utf-8",
    )
    panel = write_panel(tmp_path, "open", projects=["letter-1"])
    said = run("--panel", panel, "--runs", tmp_path / "runs", ASSAY_SUITES=f"{SUITES}:{tmp_path}")
    assert "suite 'open': the primary metric 'typos' has no bounds" in line_of(said) and "low and high" in line_of(said)
    assert not (tmp_path / "runs").exists()


def test_suites_are_found_by_their_folders_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(discovery.SEARCH, raising=False)
    here = sorted(path.parent.name for path in discovery.HERE.glob("*/suite.py"))
    assert discovery.suite_names() == here and not set(NAMES) & set(here)
    monkeypatch.setenv(discovery.SEARCH, str(SUITES))
    assert discovery.suite_names() == sorted([*here, *NAMES])
    monkeypatch.setenv(discovery.SEARCH, str(SUITES / "no-such-folder"))
    assert discovery.suite_names() == here


def test_an_unknown_suite_is_named_with_those_that_are_there(tmp_path: Path) -> None:
    panel = write_panel(tmp_path, "greetings")
    panel.write_text(panel.read_text("utf-8").replace('"greetings"', '"greeting"'), encoding="utf-8")
    line = line_of(assay("plan", "--panel", panel))
    assert "unknown suite 'greeting'; did you mean greetings" in line
