"""The pytest side of reporting: the plan before the run, a live line during it, the summary and the pages after it."""

import time
from typing import Any

import pytest

from benchmark.plugin import GATES, PROPERTY, RUN, SANDBOX
from benchmark.store import Store
from reports.live import Live
from reports.results import Written

LIVE = pytest.StashKey[Live]()
DONE = pytest.StashKey[Written]()
BROKEN, INTERRUPTED = 3, 130


def _controls(config: pytest.Config) -> bool:
    return RUN in config.stash and not hasattr(config, "workerinput") and not config.option.collectonly


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Say what will be run before anything is."""
    config = session.config
    if not _controls(config):
        return
    from reports.terminal import plan_lines

    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    run = config.stash[RUN]
    expected, tools = config.stash[SANDBOX]
    config.stash[LIVE] = Live(reporter, len(run.plan.trials), time.monotonic())
    for line in plan_lines(run, expected, tools):
        reporter.write_line(line)


def pytest_report_teststatus(report: pytest.TestReport, config: pytest.Config) -> tuple[str, str, str] | None:
    """A passed case is a measured trial; the live line stands in for the dots."""
    if LIVE in config.stash and report.when == "call" and report.passed:
        return "measured", "", "MEASURED"
    return None


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Listener(config), "assay-listener")


class _Listener:
    """Hears every report on the controller and keeps the live line."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        live = self._config.stash.get(LIVE, None)
        if live is None or report.when == "teardown":
            return
        brief: Any = dict(report.user_properties).get(PROPERTY)
        if report.when == "call" or report.failed or report.skipped:
            live.note(brief, skipped=report.skipped)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the pages from the records, and let the exit code say whether trials were broken."""
    config = session.config
    if not _controls(config) or LIVE not in config.stash:
        return
    from reports.write import write_all

    live = config.stash[LIVE]
    live.close()
    run = config.stash[RUN]
    # A store opened now: the one of the plan knows only what was there before the run.
    done = write_all(Store(run.store.root), run.plan.digest, gates=config.stash[GATES])
    config.stash[DONE] = done
    if session.exitstatus == pytest.ExitCode.INTERRUPTED:
        session.exitstatus = INTERRUPTED
    elif (session.exitstatus == pytest.ExitCode.TESTS_FAILED and live.broken) or done.failures:
        session.exitstatus = BROKEN
    elif session.exitstatus == pytest.ExitCode.OK and not done.gates_hold:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """One line an arm, the contrasts with their intervals, and where the pages are."""
    results = config.stash.get(DONE, None)
    if results is None:
        return
    from reports.terminal import result_lines

    terminalreporter.section("Skill Assay")
    for line in result_lines(results):
        terminalreporter.write_line(line)
