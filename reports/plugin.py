"""The pytest side of reporting: the plan before the run, a live line during it, the summary and the pages after it."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from benchmark.cli.plan_lines import plan_lines
from benchmark.core.errors import StoreFailed, UsageError
from benchmark.core.text import visible
from benchmark.plugin import GATES, PROPERTY, RUN, SANDBOX, STOPPED
from benchmark.run import interrupts
from benchmark.run.session import note_keys
from benchmark.store.store import Store
from reports.failures import ReportFailed
from reports.output.live import Live
from reports.output.terminal import summary_lines

LIVE = pytest.StashKey[Live]()
#: What the terminal says at the end.
LINES = pytest.StashKey[list[str]]()
#: By trial the keys that its record was found or made by.
KEYS = pytest.StashKey[dict[str, dict[str, str]]]()
#: Why the run had to end before its last trial.
STOP = pytest.StashKey[str]()
BROKEN = 3
#: Exit codes of runs that came to their end.
USUAL = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


def _controls(config: pytest.Config) -> bool:
    return RUN in config.stash and not hasattr(config, "workerinput") and not config.option.collectonly


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Say what will be run before anything is."""
    config = session.config
    if not _controls(config):
        return
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    run = config.stash[RUN]
    expected, tools = config.stash[SANDBOX]
    config.stash[LIVE] = Live(reporter, len(run.plan.trials), time.monotonic())
    for line in plan_lines(run, expected, tools):
        reporter.write_line(visible(line))


def pytest_report_teststatus(report: pytest.TestReport, config: pytest.Config) -> tuple[str, str, str] | None:
    """A passed case is a measured trial; the live line stands in for the dots."""
    if LIVE in config.stash and report.when == "call" and report.passed:
        return "measured", "", "MEASURED"
    return None


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Listener(config), "assay-listener")
        config.pluginmanager.register(_Report(), "assay-report")


class _Listener:
    """Hears every report on the controller and keeps the live line."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        live = self._config.stash.get(LIVE, None)
        if live is None or report.when == "teardown":
            return
        told: Any = dict(report.user_properties)
        brief = told.get(PROPERTY)
        if STOPPED in told:
            self._config.stash[STOP] = told[STOPPED]
        keys = self._config.stash.setdefault(KEYS, {})
        # Tests of the operator's own may ask for the same trial's record.
        again = brief is not None and brief["id"] in keys
        if not again and (report.when == "call" or report.failed or report.skipped):
            if brief is not None:
                keys[brief["id"]] = brief["keys"]
            live.note(brief, skipped=report.skipped)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Say that the interrupt was received and that a second one ends at once. Other stops give their own reason."""
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if LIVE in self._config.stash and reporter and excinfo.type is KeyboardInterrupt:
            reporter.ensure_newline()
            reporter.write_line("assay: interrupted, writing the report of what was measured; Ctrl-C again ends at once")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[object]:
    """Write the report from the records once everything else has ended, and let the exit code say what came of the run.

    An interrupt on the way, of fixtures that are taken down or of the report, is the end of it without a traceback.
    """
    config = session.config
    if not _controls(config) or LIVE not in config.stash:
        return (yield)
    try:
        return (yield)
    except KeyboardInterrupt:
        session.exitstatus = interrupts.EXIT_CODE


class _Report:
    """Writes the report. It comes after all other plugins, and before the terminal's last words."""

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        config = session.config
        if not _controls(config) or LIVE not in config.stash:
            return
        live = config.stash[LIVE]
        live.close()
        passed, lines = _reported(config)
        config.stash[LINES] = lines
        session.exitstatus = _exit_code(session.exitstatus, config, live, passed)


def _reported(config: pytest.Config) -> tuple[bool | None, list[str]]:
    """Write everything; whether gates hold (None where something was not written), and what there is to say."""
    # late: costs 0.08 s (the page, XML), and every start of pytest imports this module
    from reports.output.write import write_all

    run = config.stash[RUN]
    try:
        note_keys(run, config.stash.get(KEYS, {}))
        # A store opened now: the one of the plan knows only what was there before the run.
        done = write_all(Store(run.store.root), run.plan.digest, gates=config.stash[GATES])
    except (ReportFailed, StoreFailed, UsageError) as failed:
        return None, [str(failed)]
    lines, failed_outputs = summary_lines(done)
    return None if failed_outputs else done.gates_hold, lines


def _exit_code(status: int, config: pytest.Config, live: Live, passed: bool | None) -> int:
    if STOP in config.stash:
        return BROKEN
    if status == pytest.ExitCode.INTERRUPTED:
        return interrupts.EXIT_CODE
    if (status == pytest.ExitCode.TESTS_FAILED and live.broken) or (passed is None and status in USUAL):
        return BROKEN
    return pytest.ExitCode.TESTS_FAILED if status == pytest.ExitCode.OK and not passed else status


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """One line an arm, the contrasts with their intervals, and where the pages are."""
    if LINES in config.stash:
        terminalreporter.section("Skill Assay")
        for line in config.stash[LINES]:
            terminalreporter.write_line(visible(line))
