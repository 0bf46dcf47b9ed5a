"""Grade one workspace against the checks of tasks 1…n in a browser, and put what failed into words.

Every failure has a class. `assertion`: the page does not do what was asked. `timeout`: something to act on was not there
in time. `crash`: the page took itself or the browser down. `server`: the workspace does not build or serve. `grader`: our
side failed; only this one makes a trial `broken`.
"""

import contextlib
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.core.errors import Fault
from benchmark.core.model import CheckOutcome, FailureClass
from benchmark.webdev.checks import Check, Unmet
from fixtures.web.browser import fresh_page
from fixtures.web.playwright_thread import TookTooLong
from fixtures.web.site import GradingSite, Serve, SiteFailed

EXPECT_MS = 3_000
#: What one check may take. Some of Playwright's calls have no time limit of their own (evaluate, count), and a page can hold up
#: those that have one.
CHECK_SECONDS = 60.0
PART_LIMIT = 2_000
FEEDBACK_LIMIT = 8_000
UNREADABLE: tuple[FailureClass, str, str] = (
    "assertion",
    "content of the kind that was asked for",
    "content that could not be read as such",
)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check said. `failure` is None where it held; `expected` and `seen` are words for the agent; `stopped`: it was
    ended at its time limit."""

    task: int
    title: str
    seconds: float
    failure: FailureClass | None = None
    expected: str = ""
    seen: str = ""
    screenshot: bytes | None = None
    reruns: int = 0
    stopped: bool = False


class GraderFault(Fault):
    """Our side failed while grading: the outcome is unknown and the trial is broken."""


def grade(
    site: GradingSite,
    files: Mapping[str, bytes],
    serve: Serve,
    packages: Path | None,
    checks: Sequence[Check],
    screenshots: bool = True,
    enough: int | None = None,
) -> list[CheckResult]:
    """Serve `files` in `place` and run `checks` in their order, each in a fresh page.

    A project with a server of its own gets a fresh copy and a fresh server for every check, so that what one check leaves
    behind is never seen by the next. `enough` failures end it. Raises GraderFault when our side fails.
    """
    results = []
    deployed = False
    for check in checks:
        started = time.monotonic()
        try:
            if not deployed or serve.command:
                site.deploy(files, serve, packages)
                deployed = True
        except SiteFailed as error:
            seconds = time.monotonic() - started
            return results + [_not_served(item, error, seconds) for item in checks[len(results) :]]
        results.append(_run(site, check, screenshots, started))
        if enough and sum(item.failure is not None for item in results) >= enough:
            break
    return results


def _not_served(check: Check, error: SiteFailed, seconds: float) -> CheckResult:
    expected = "the site builds and is served"
    return CheckResult(check.task, check.title, seconds, "server", expected, _cut(f"{error.what}\n{error.said}"))


def _run(site: GradingSite, check: Check, screenshots: bool, started: float) -> CheckResult:
    """One check; a browser that went away is started again once, to tell a page that kills it from our own fault."""
    reruns, stopped, shot = 0, False, None
    end = time.monotonic() + CHECK_SECONDS
    try:
        failure, expected, seen, shot = _look(site, check, screenshots, end)
        if failure == "grader":
            reruns = 1
            failure, expected, seen, shot = _look(site, check, screenshots, end)
            if failure == "grader":
                failure, expected, seen = "crash", "the page keeps running", "the page took the browser down, twice"
    except TookTooLong:
        stopped = True
        failure, expected = "timeout", "the page answers"
        seen = f"the page held up its check for {CHECK_SECONDS:g} s, which is as long as one may take"
    seconds = time.monotonic() - started
    return CheckResult(check.task, check.title, seconds, failure, expected, seen, shot, reruns, stopped)


Seen = tuple[FailureClass | None, str, str, bytes | None]


def _look(site: GradingSite, check: Check, screenshots: bool, end: float) -> Seen:
    """Failure, expected, seen and screenshot of one check, which has time up to `end`. Raises TookTooLong, GraderFault."""
    from playwright.sync_api import Error

    try:
        return site.look(lambda browser: _check(browser, site, check, screenshots), max(0.0, end - time.monotonic()))
    except Error as error:
        raise GraderFault(f"the browser does not start: {str(error).splitlines()[0]}") from error


def _check(browser: Any, site: GradingSite, check: Check, screenshots: bool) -> Seen:
    from playwright.sync_api import Error, expect

    expect.set_options(timeout=EXPECT_MS)
    crashed: list[bool] = []
    try:
        with fresh_page(browser, site.url) as page:
            page.on("crash", lambda _: crashed.append(True))
            try:
                check.run(page, site)
            except SiteFailed as error:
                return "server", "the server starts again", _cut(f"{error.what}\n{error.said}"), None
            except Fault:
                raise
            except Exception as error:
                if _gone(browser, error):
                    return "grader", "", "", None
                shot = _screenshot(page) if screenshots and not crashed else None
                return (*explain(error, crashed=bool(crashed)), shot)
    except Error as error:
        if not _gone(browser, error):
            raise GraderFault(f"the browser gave no page: {str(error).splitlines()[0]}") from error
        return "grader", "", "", None
    return None, "", "", None


def _gone(browser: Any, error: Exception) -> bool:
    """Whether the browser went down; the news of that may come later than the error that it caused."""
    from playwright.sync_api import Error

    if browser.is_connected() and "closed" in str(error):
        try:
            browser.new_context().close()
        except Error:
            with contextlib.suppress(Error):
                browser.close()
    return not browser.is_connected()


def _screenshot(page: Any) -> bytes | None:
    from playwright.sync_api import Error

    try:
        return page.screenshot(type="jpeg", quality=60, timeout=3_000, animations="disabled")
    except Error:
        return None  # a page that cannot be shown (it hangs, it is huge) is still graded; the picture is a courtesy


def explain(error: Exception, *, crashed: bool = False) -> tuple[FailureClass, str, str]:
    """Class, expected and seen of what a check raised: words for the agent, without selectors, source or stack."""
    from playwright.sync_api import Error, TimeoutError

    if crashed or "Target crashed" in str(error) or "Page crashed" in str(error):
        return "crash", "the page keeps running", "the page crashed"
    if isinstance(error, Unmet):
        return "assertion", _cut(error.expected), _cut(error.seen)
    if isinstance(error, TimeoutError):
        return "timeout", *_timeout_words(str(error))
    if isinstance(error, AssertionError):
        return "assertion", *_assertion_words(str(error))
    if isinstance(error, Error):
        return _browser_error(str(error))
    # The check itself met content that it could not read (a number that is none): it was shown to work on two
    # solutions, so what the page holds is not what was asked for.
    return UNREADABLE


def _assertion_words(text: str) -> tuple[str, str]:
    """Playwright's message: a sentence, `Expected value`, `Actual value`, an error, a call log, an accessibility tree."""
    sentence = text.split("\n", 1)[0].strip()
    sentence = re.sub(r"^Locator expected", "the element is expected", sentence)
    wanted = re.search(r"^Expected value: (.*)$", text, re.M)
    # Playwright says '<None>' of an expected empty text or a count of 0, and a pattern is the check's own source: there
    # the sentence says it better.
    told = wanted[1] if wanted and wanted[1] != "'<None>'" and "re.compile(" not in wanted[1] else None
    expected = f"{sentence} ({told})" if told else re.sub(r"'[^']*re\.compile\(.*", "what was asked for", sentence)
    several = _several(text)
    if several:
        return _cut(expected), several
    actual = re.search(r"^Actual value: (.*?)\s*(?=^Error:|^Call log:|\Z)", text, re.M | re.S)
    value = actual[1].strip() if actual else ""
    seen = "nothing on the page fits" if "element(s) not found" in text else (value if value else "empty")
    return _cut(expected), _cut(seen + _tree(text))


def _timeout_words(text: str) -> tuple[str, str]:
    if text.startswith("APIRequestContext."):
        return "the site answers", "no answer within the time"
    if re.match(r"Page\.(goto|reload|go_back|go_forward|wait_for_url|wait_for_load_state):", text):
        return "the page loads", "it did not finish loading within the time"
    event = re.search(r'waiting for event "(\w+)"', text)
    if event:
        return f"a {event[1]}", "none came within the time"
    action = re.match(r"(?:Locator|Page|Keyboard|Mouse|Frame)\.(\w+):", text)
    verb = action[1].replace("_", " ") if action else "act on"
    found = "locator resolved to" in text
    reason = re.search(r"- (element is not \w+|element is outside of the viewport|<.*> intercepts pointer events)", text)
    if not found:
        seen = "nothing on the page fits within the time"
    else:
        seen = f"it is there, but {reason[1]}" if reason else "it is there, but did not become ready in time"
    return f"something to {verb}", _cut(seen)


def _browser_error(text: str) -> tuple[FailureClass, str, str]:
    several = _several(text)
    if several:
        return "assertion", "exactly one element that fits", several
    code = re.search(r"net::ERR_\w+|\bE(?:CONN|PIPE)\w*|socket hang up", text)
    if code and ("net::ERR_" in text or text.startswith("APIRequestContext.")):
        return "server", "the site answers", code[0]
    if re.match(r"\w+\.(evaluate|eval_on|wait_for_function)", text):
        return UNREADABLE  # the check's own script met what it did not expect; its error would tell of the script
    message = text.split("\n", 1)[0]
    return "assertion", "the page answers without an error", _cut(re.sub(r"^[\w.]+: ", "", message))


def _several(text: str) -> str:
    if "strict mode violation" not in text:
        return ""
    elements = re.findall(r"^\s+\d+\) (.*?)(?: aka .*)?$", text, re.M)
    return _cut("more than one element fits: " + "; ".join(elements))


def _tree(text: str) -> str:
    tree = text.partition("Aria snapshot:\n")[2].strip()
    return f"\nThe page, as assistive technology reads it:\n{tree}" if tree else ""


def _cut(text: str) -> str:
    return text if len(text) <= PART_LIMIT else text[: PART_LIMIT - 1] + "…"


def feedback(results: Sequence[CheckResult] | Sequence[CheckOutcome]) -> str:
    """What attempt 2 is told: per failed check its title, what was expected and what was seen; 8,000 characters at most."""
    parts = []
    left = FEEDBACK_LIMIT
    failed = [item for item in results if item.failure]
    for index, item in enumerate(failed):
        part = f"- {item.title}\n  expected: {item.expected}\n  seen: {item.seen}\n"
        rest = f"- and {len(failed) - index} more that failed\n"
        if len(part) > left - len(rest) and index < len(failed):
            parts.append(rest)
            break
        parts.append(part)
        left -= len(part)
    return "".join(parts)
