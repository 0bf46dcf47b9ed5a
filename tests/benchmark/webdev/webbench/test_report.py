"""Playwright's reports are understood: every class of failure, our own faults apart, hostile bytes."""

import dataclasses
import json
import re

import pytest

from benchmark.webdev.webbench.report import PlaywrightRun, parse_run
from tests.benchmark.webdev.webbench.reports import VERSIONS, WORKSPACE, by_title, ran, specs, understood

pytestmark = pytest.mark.parametrize("version", VERSIONS)


def test_tests_that_pass_are_told_in_their_order_with_their_task(version: str) -> None:
    said = understood(version, "pass")
    assert [(check.task, check.title, check.failure) for check in said.checks] == [
        (0, "shows the heading", None),
        (0, "list › has three fruits", None),
    ]
    assert all(check.seconds > 0 for check in said.checks)
    assert (said.fault, said.weak) == (None, None)


def test_tests_are_told_in_the_order_they_ran(version: str) -> None:
    whole = ran(version, "pass")
    report = json.loads(whole.report or b"")
    suite = report["suites"][0]
    suite["suites"][0]["specs"][0]["tests"][0]["results"][0]["startTime"] = "2000-01-01T00:00:00.000Z"
    said = parse_run(dataclasses.replace(whole, report=json.dumps(report).encode()), specs(version, "pass"), WORKSPACE)
    assert [check.title for check in said.checks] == ["list › has three fruits", "shows the heading"]


def test_only_tests_with_a_verdict_are_told(version: str) -> None:
    said = understood(version, "kinds")
    assert [(check.task, check.title, check.failure) for check in said.checks[2:]] == [
        (3, "fails as it should", None),
        (3, "passes", None),
        (3, "one by one › one", None),
        (3, "one by one › two", "assertion"),
    ]
    assert said.fault is None
    skipped = understood(version, "only-skipped")
    assert (skipped.checks, skipped.fault) == ((), None)


def test_after_the_first_failure_nothing_more_is_told(version: str) -> None:
    said = understood(version, "first-failure")
    assert [check.failure for check in said.checks] == [None, None, "assertion"]
    assert (said.fault, said.weak) == (None, None)


def test_a_page_or_browser_that_goes_down_is_a_crash(version: str) -> None:
    checks = by_title(understood(version, "crash").checks)
    assert checks["page crashes later"].failure == "crash"
    assert checks["browser goes"].failure == "crash"


def test_a_site_that_does_not_answer_is_told_with_the_networks_own_code(version: str) -> None:
    said = understood(version, "network")
    assert [(check.failure, check.seen) for check in said.checks] == [
        ("server", "net::ERR_CONNECTION_REFUSED"),
        ("server", "net::ERR_ABORTED"),
        ("server", "net::ERR_EMPTY_RESPONSE"),
        ("server", "ECONNREFUSED"),
        ("assertion", "404"),
    ]
    assert (said.fault, said.weak) == (None, "net::ERR_CONNECTION_REFUSED")
    started = understood(version, "web-server")
    assert [check.failure for check in started.checks] == ["server"]
    assert (started.fault, started.weak) == (None, "config.webServer")


@pytest.mark.parametrize(
    ("case", "task", "expected", "seen"),
    [
        ("workspace-syntax", 8, "faulty.js can be loaded", "SyntaxError: faulty.js: Unexpected token (1:38)"),
        ("workspace-missing", 9, "missing.js can be loaded", "Error: Cannot find module 'missing.js'"),
        ("workspace-throws", 10, "throws.js can be loaded", "TypeError: no such fruit"),
    ],
)
def test_a_spec_that_the_workspace_keeps_from_loading_is_the_workspaces(
    version: str, case: str, task: int, expected: str, seen: str
) -> None:
    said = understood(version, case)
    (check,) = said.checks
    assert (check.task, check.failure, check.expected, check.seen) == (task, "load", expected, seen)
    assert said.fault is None


def test_files_of_the_workspace_that_a_test_loads_are_told_by_their_names(version: str) -> None:
    said = understood(version, "workspace-in-test")
    checks = by_title(said.checks)
    assert {title: (check.failure, check.expected) for title, check in checks.items()} == {
        "faulty.js": ("load", "faulty.js can be loaded"),
        "missing.js": ("load", "missing.js can be loaded"),
        "import": ("load", "missing.mjs can be loaded"),
        "read": ("load", "missing.txt can be loaded"),
        "throws.js": ("assertion", "throws.js runs without an error"),
        "exits.js": ("crash", "the test runs to its end"),
        "killed": ("grader", ""),
    }
    assert said.fault and "SIGKILL" in said.fault


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("spec-syntax", "task-6.spec.js: Unexpected token"),
        ("spec-module", "@web-bench/no-such-package"),
        ("titles", "duplicate test title"),
        ("config", "wrote no report: SyntaxError"),
        ("workspace-exits", "ended with 3 and wrote no report: it said nothing"),
        ("no-browser", "browserType.launch: .*executable doesn't exist"),
        ("false-browser", "browserType.launch"),
        ("stray-error", "no test failed: Error: too late"),
        ("no-tests", r"no tests were found in test/task-18\.spec\.js$"),
        ("no-spec", "No tests found"),
    ],
)
def test_our_own_faults_are_told_apart(version: str, case: str, words: str) -> None:
    said = understood(version, case)
    assert said.fault and re.search(words, said.fault)
    assert "\n" not in said.fault
    assert {check.failure for check in said.checks} <= {None, "grader"}, "no fault of ours is held against the workspace"


@pytest.mark.parametrize("case", ["killed", "stopped"])
def test_a_run_that_was_late_says_which_test_was_running(version: str, case: str) -> None:
    said = understood(version, case)
    last = said.checks[-1]
    assert (last.task, last.title, last.failure, last.seconds) == (14, "endless", "timeout", 600)
    assert (said.fault, said.weak) == (None, None)
    assert [check.failure for check in said.checks[:-1]] == ([None] * 3 if case == "stopped" else [])


def test_a_report_that_cannot_be_read_is_our_fault(version: str) -> None:
    whole = ran(version, "pass")
    assert whole.report
    for report in (whole.report[: len(whole.report) // 2], b"[]", b"null", b"{}", b"\xff\xfe", b"[" * 100_000, b""):
        said = parse_run(dataclasses.replace(whole, report=report), specs(version, "pass"), WORKSPACE)
        assert said.checks == ()
        assert said.fault and "report" in said.fault
    late = parse_run(dataclasses.replace(whole, report=whole.report[:99], late=True), specs(version, "pass"), WORKSPACE)
    assert [(check.failure, check.stopped) for check in late.checks] == [("timeout", True)] and late.fault is None


def test_an_exit_code_that_belies_the_report_is_our_fault(version: str) -> None:
    for case, code in (("pass", 1), ("kinds", 0)):
        said = parse_run(dataclasses.replace(ran(version, case), code=code), specs(version, case), WORKSPACE)
        assert said.fault and f"ended with {code}" in said.fault


def test_a_spec_that_was_asked_for_and_gave_nothing_is_our_fault(version: str) -> None:
    said = parse_run(ran(version, "pass"), ["test/init.spec.js", "test/task-1.spec.js"], WORKSPACE)
    assert said.fault == "no tests were found in test/task-1.spec.js"


def test_bytes_that_are_no_text_do_no_harm(version: str) -> None:
    (check,) = understood(version, "bytes").checks
    assert check.failure == "assertion"
    assert check.seen == '"half a pair: ?"'
    check.model_dump_json().encode()


def test_a_huge_message_is_cut(version: str) -> None:
    whole = ran(version, "expectations")
    assert whole.report
    report = whole.report.replace(b"Fruit & more", b"Fruit & more" + b"x" * 10_000_000, 1)
    said = parse_run(dataclasses.replace(whole, report=report), specs(version, "expectations"), WORKSPACE)
    assert max(len(check.seen) for check in said.checks) == 2_000
    assert by_title(said.checks)["css"].seen == '"rgb(255, 0, 0)"'


def test_another_folder_of_a_like_name_is_not_the_workspace(version: str) -> None:
    said = parse_run(ran(version, "workspace-syntax"), specs(version, "workspace-syntax"), "/bench/work")
    assert said.fault and said.checks == ()


def test_nothing_at_all_is_our_fault(version: str) -> None:
    said = parse_run(PlaywrightRun(1, "", None, False), ["test/init.spec.js"], WORKSPACE)
    assert said.fault == "Playwright ended with 1 and wrote no report: it said nothing"
