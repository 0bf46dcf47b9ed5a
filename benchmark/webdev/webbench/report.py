"""What a run of Playwright's binary says of a workspace: an outcome for each test, our own faults, words for attempt 2.

Here: Playwright's JSON report and its printed line report, read. Not here: the run itself and running it again (`grading`).
"""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field, ValidationError

from benchmark.core.model import CheckOutcome, FailureClass
from benchmark.webdev.webbench.failure_messages import OURS, explain, head, load_words, names, plain

#: Seconds after which a run is stopped, as Web-Bench stops it.
RUN_LIMIT = 600
SPEC = re.compile(r"(?:^|/)(?:task-(\d+)|init)\.spec\.\w+$")
#: Behind a spec file's name, what is said of it where no test of it came to a verdict.
LOADS, ENDS = " loads", " ends"
PROGRESS = re.compile(r"^\[\d+/\d+\] (?:\[[^\]\n]*\] › )?(\S+\.spec\.\w+):\d+:\d+ › (.*)$", re.M)
#: Web-Bench runs the specs again when it finds one of these; in the end they are believed.
WEAK = re.compile(r"Error: [\w.]+: (net::ERR_ABORTED|net::ERR_CONNECTION_REFUSED)\b|.*(config\.webServer)")
CALLED = re.compile(r"Error: [\w.]+: ")


@dataclass(frozen=True)
class PlaywrightRun:
    """One run as it ended. `said`: stdout and stderr, bad bytes replaced; `report`: the JSON reporter's file, None where it
    wrote none; `late`: it was stopped for taking longer than RUN_LIMIT."""

    code: int
    said: str
    report: bytes | None
    late: bool


@dataclass(frozen=True)
class ParsedRun:
    """`checks`: one for each test with a verdict, in the order they ran. `fault`: why the run says nothing for sure and is
    our side's to run again; None where it can be believed. `weak`: why Web-Bench would run it again."""

    checks: tuple[CheckOutcome, ...]
    fault: str | None
    weak: str | None


class _Error(BaseModel):
    message: str = ""
    value: str = ""
    stack: str = ""


class _Result(BaseModel):
    status: str = ""
    duration: float = 0
    startTime: str = ""
    errors: list[_Error] = []


class _Test(BaseModel):
    status: str
    results: list[_Result]


class _Spec(BaseModel):
    title: str
    tests: list[_Test]


class _SpecSuite(BaseModel):
    title: str
    file: str = ""
    specs: list[_Spec] = []
    suites: list["_SpecSuite"] = []


class _Config(BaseModel):
    rootDir: str = ""


class _Report(BaseModel):
    config: _Config = Field(default_factory=_Config)
    suites: list[_SpecSuite]
    errors: list[_Error]


def parse_run(ran: PlaywrightRun, specs: Sequence[str], workspace: str, thinned: Collection[str] = ()) -> ParsedRun:
    """What `ran` says. `specs`: the spec files asked for; `workspace`: the attempt's folder as the run saw it; `thinned`:
    spec files of which tests are left out, which may have none left."""
    report = _read(ran.report)
    if report is None:
        if ran.late:
            return ParsedRun((_late(ran, specs),), None, None)
        wrote = "an unreadable report" if ran.report else "no report"
        return ParsedRun((), f"Playwright ended with {ran.code} and wrote {wrote}: {last_words(ran.said)}", None)
    checks = []
    heads = []
    for _, task, title, test in sorted(_tests(report), key=lambda item: item[0]):
        result = test.results[-1]
        messages = [plain(error.message or error.value) for error in result.errors]
        if test.status == "unexpected":
            heads += [head(message) for message in messages]
        checks.append(_outcome(task, title, test, messages, workspace))
    stray = [plain(error.message or error.value or error.stack) for error in report.errors]
    checks += [check for error in report.errors if (check := _stray(error, specs, workspace))]
    if ran.late:
        checks.append(_late(ran, specs))
    heads += [head(message) for message in stray]
    whole = [spec for spec in specs if spec not in thinned]
    return ParsedRun(tuple(checks), _fault(ran, report, whole, checks, heads), _weak(heads))


def _read(report: bytes | None) -> _Report | None:
    if not report:
        return None
    try:
        # Half a surrogate pair is good JSON and no text: what a page shows may hold one.
        text = json.dumps(json.loads(report.decode(errors="replace")), ensure_ascii=False)
        return _Report.model_validate_json(text.encode(errors="replace"))
    except (ValueError, RecursionError, ValidationError):
        return None


def _tests(report: _Report) -> Iterator[tuple[str, int, str, _Test]]:
    """Start, task, title and test of every test with a verdict: not those that were skipped or stopped."""
    for suite in report.suites:
        for title, test in _below(suite, ()):
            if test.results and test.status in ("expected", "unexpected", "flaky"):
                yield test.results[-1].startTime, _task(suite.file), title, test


def _below(suite: _SpecSuite, titles: tuple[str, ...]) -> Iterator[tuple[str, _Test]]:
    for spec in suite.specs:
        yield from ((" › ".join((*titles, spec.title)), test) for test in spec.tests)
    for inner in suite.suites:
        yield from _below(inner, (*titles, inner.title))


def _task(file: str) -> int:
    found = SPEC.search(file)
    return int(found[1] or 0) if found else 0


def _outcome(task: int, title: str, test: _Test, messages: Sequence[str], workspace: str) -> CheckOutcome:
    result = test.results[-1]
    seconds = result.duration / 1000
    if test.status != "unexpected":
        return CheckOutcome(task=task, title=title, seconds=seconds)
    failure, expected, seen = explain(messages, result.status == "timedOut", workspace)
    return CheckOutcome(task=task, title=title, seconds=seconds, failure=failure, expected=expected, seen=seen)


def _stray(error: _Error, specs: Sequence[str], workspace: str) -> CheckOutcome | None:
    """An error that belongs to no test, where it says something of the workspace."""
    text = plain(f"{error.message or error.value}\n{error.stack}")
    failure: FailureClass
    if "config.webServer" in head(text):
        failure, expected, seen = "server", "the site answers", "it did not start"
    elif names(text, workspace):
        failure, expected, seen = load_words(text, workspace)
    else:
        return None
    spec = next((spec for spec in specs if f"/{spec}:" in text), specs[-1])
    return CheckOutcome(task=_task(spec), title=f"{spec}{LOADS}", seconds=0, failure=failure, expected=expected, seen=seen)


def _late(ran: PlaywrightRun, specs: Sequence[str]) -> CheckOutcome:
    """The test that was running when the run was stopped; the last spec where none had begun."""
    running = PROGRESS.findall(plain(ran.said))
    spec, title = running[-1] if running else (specs[-1], f"{specs[-1]}{ENDS}")
    seen = f"after {RUN_LIMIT // 60} minutes it was still running"
    return CheckOutcome(
        task=_task(spec),
        title=title,
        seconds=RUN_LIMIT,
        failure="timeout",
        expected="the tests end in time",
        seen=seen,
        stopped=True,
    )


def _fault(
    ran: PlaywrightRun, report: _Report, specs: Sequence[str], checks: Sequence[CheckOutcome], heads: Sequence[str]
) -> str | None:
    if any(check.failure == "grader" for check in checks):
        return next(line for line in heads if OURS.match(line))
    failed = any(check.failure for check in checks)
    if not failed and ran.code:
        return f"Playwright ended with {ran.code} and no test failed: {heads[0] if heads else last_words(ran.said)}"
    if failed and not ran.code:
        return "Playwright ended with 0 and a test failed"
    files = [f"{report.config.rootDir}/{suite.file}" for suite in report.suites]
    without = [spec for spec in specs if not any(file.endswith(f"/{spec}") for file in files)]
    if (files or not failed) and without and not ran.late:
        return f"no tests were found in {', '.join(without)}"
    return None


def _weak(heads: Sequence[str]) -> str | None:
    for line in heads:
        found = WEAK.match(line) if CALLED.match(line) or "config.webServer" in line else None
        if found:
            return found[1] or found[2]
    return None


def last_words(said: str) -> str:
    lines = [line.strip() for line in plain(said).splitlines() if line.strip()]
    return next((line for line in lines if "Error" in line), lines[-1] if lines else "it said nothing")[:300]
