"""Attempt 2 is told what Web-Bench tells it: Playwright's own words, bounded, and the same for the same workspace."""

import dataclasses
import re

import pytest

from benchmark.webdev.webbench.feedback import feedback
from tests.benchmark.webdev.webbench.reports import PROJECT, VERSIONS, WORKSPACE, ran

each_version = pytest.mark.parametrize("version", VERSIONS)
ROOTS = (WORKSPACE, PROJECT, "/bench/repo")


@each_version
def test_failures_are_told_in_playwrights_words_with_short_paths(version: str) -> None:
    text = feedback(ran(version, "kinds"), ROOTS)
    assert text.startswith("Running 8 tests using 1 worker\n")
    assert "  1) [chromium] › test/task-3.spec.js:14:3 › one by one › two\n" in text
    assert "    Expected: 2\n    Received: 1\n" in text
    assert "    > 15 |     expect(1).toBe(2)\n" in text
    assert "at ./test/task-3.spec.js:15:15\n" in text
    assert text.endswith("  5 passed"), "without the duration"


@each_version
@pytest.mark.parametrize("case", ["kinds", "actions", "crash", "workspace-syntax", "bytes", "spec-syntax", "stopped"])
def test_colours_progress_paths_and_the_browsers_log_are_left_out(version: str, case: str) -> None:
    text = feedback(ran(version, case), ROOTS)
    assert not re.search(r"\x1b|^\[\d+/\d+\]|/bench/repo|/bench/workspace|pid=|<launch|Error Context|^$", text, re.M), text


def test_the_same_workspace_gives_the_same_words() -> None:
    """Of 1.56.1: later ones lose an action's error at a test's time limit now and then (see test_words)."""
    once, again = (ran("1.56.1", case) for case in ("actions", "actions-again"))
    assert once.said != again.said
    assert feedback(once, ROOTS) == feedback(again, ROOTS)


@each_version
def test_how_often_the_browser_looked_is_left_out(version: str) -> None:
    said = ran(version, "expectations")
    slower = dataclasses.replace(said, said=re.sub(r"\d+ × ", "17 × ", said.said))
    assert slower.said != said.said
    assert feedback(slower, ROOTS) == feedback(said, ROOTS)
    assert " × " not in feedback(said, ROOTS)
    tries = feedback(ran(version, "actions-again"), ROOTS)
    covered = tries.split("\n  3) ")[0]
    assert covered.count("intercepts pointer events") == covered.count("scrolling into view if needed") == 1
    assert "waiting 20ms" not in tries


@each_version
def test_a_long_report_is_cut_at_the_end_of_a_failure_and_says_so(version: str) -> None:
    text = feedback(ran(version, "expectations"), ROOTS)
    assert 6_000 < len(text) <= 8_000
    *_, before, last = text.strip().split("\n")
    assert re.match(r"        at \./test/task-1\.spec\.js:\d+:\d+$", before)
    told = len(re.findall(r"^  \d+\) ", text, re.M))
    assert re.fullmatch(rf"… \d\d,\d{{3}} more characters are left out, {38 - told} more failed tests among them", last)


@each_version
def test_a_single_failure_that_is_too_long_keeps_its_beginning(version: str) -> None:
    run = ran(version, "kinds")
    text = feedback(dataclasses.replace(run, said=run.said.replace("1", "1" * 10_000_000, 1)), ROOTS)
    assert 7_500 < len(text) <= 8_000
    assert text.rstrip().endswith("more failed tests among them")
    long = dataclasses.replace(run, said=run.said.replace("Received: ", "Received: " + "x" * 9_000))
    text = feedback(long, ROOTS)
    assert 7_500 < len(text) <= 8_000 and "Expected: 2" in text and "Received: " in text


@each_version
def test_a_root_is_a_whole_folder(version: str) -> None:
    run = ran(version, "kinds")
    text = feedback(dataclasses.replace(run, said=run.said.replace("Received: ", "Received: /bench/repository/a ")), ROOTS)
    assert "Received: /bench/repository/a " in text


@each_version
@pytest.mark.parametrize("case", ["killed", "stopped"])
def test_a_run_that_was_late_is_told_in_one_sentence(version: str, case: str) -> None:
    text = feedback(ran(version, case), ROOTS)
    assert text.startswith("The tests did not end within 10 minutes")
    assert "\n" not in text
