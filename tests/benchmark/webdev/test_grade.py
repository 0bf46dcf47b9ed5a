"""Grading: every class of failure from a faulty or hostile site, in bounded time and in words that leak nothing."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from benchmark.webdev.checks import Check, require
from benchmark.webdev.grade import CheckResult, GraderFault, feedback, grade
from fixtures.web.site import GradingSite, LocalGradingSite, Serve

Run = Callable[..., None]
#: Nothing of these may reach the agent: selectors, patterns, stacks, the check's own source.
LEAKS = re.compile(r"get_by_|locator\(|internal:|re\.compile|Call log|Traceback|File \"|\.py\b|s3cret|lambda|aka ", re.I)


def opens(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", name="Hi")).to_be_visible()


def visit(*actions: Callable[[Page], Any]) -> Run:
    """A check that opens the page and does something with it."""

    def check(page: Page) -> None:
        page.goto("/")
        for action in actions:
            action(page)

    return check


GOOD = "<!doctype html><title>Hi</title><h1>Hi</h1>"


def test_a_check_that_holds_has_no_failure(graded: Callable[..., list[CheckResult]]) -> None:
    (result,) = graded(GOOD, opens)
    assert (result.failure, result.expected, result.seen, result.screenshot, result.reruns) == (None, "", "", None, 0)
    assert result.seconds > 0


# assertion


def test_an_assertion_says_what_was_expected_and_seen_and_shows_the_page(graded: Callable[..., list[CheckResult]]) -> None:
    page = "<h1>Ho</h1><button>Buy</button>"
    (result,) = graded(page, visit(lambda page: expect(page.get_by_role("heading")).to_have_text("Hi")))
    assert result.failure == "assertion"
    assert "to have text" in result.expected and "Hi" in result.expected
    assert result.seen.startswith("Ho")
    assert result.screenshot and result.screenshot.startswith(b"\xff\xd8")


def test_what_a_check_requires_is_told_in_its_own_words(graded: Callable[..., list[CheckResult]]) -> None:
    (result,) = graded(GOOD, visit(lambda page: require(False, "three rows", 2)), screenshots=False)
    assert (result.failure, result.expected, result.seen) == ("assertion", "three rows", "2")
    assert result.screenshot is None


def test_content_that_a_check_cannot_read_is_the_pages_failure(graded: Callable[..., list[CheckResult]]) -> None:
    (result,) = graded("<h1>many</h1>", visit(lambda page: int(page.inner_text("h1"))))
    assert result.failure == "assertion"
    assert "could not be read" in result.seen


def test_more_than_one_element_is_said_in_words(graded: Callable[..., list[CheckResult]]) -> None:
    page = "<button class=x>Buy</button><button>Buy</button>"
    results = graded(
        page,
        visit(lambda page: page.get_by_role("button").click()),
        visit(lambda page: expect(page.get_by_role("button")).to_be_visible()),
    )
    for result in results:
        assert result.failure == "assertion"
        assert result.seen == 'more than one element fits: <button class="x">Buy</button>; <button>Buy</button>'
        assert not LEAKS.search(result.expected + result.seen)


BUSY = """<title>Shop</title><h1>Ho</h1><button disabled>Buy</button><input aria-label=Name value=Ann type=text>
<input type=checkbox aria-label=Agree><ul><li>a<li>b</ul><p hidden>gone</p><a href=/other>go</a>
<div style="position:fixed;inset:0;opacity:0.1">over</div>"""


@pytest.mark.parametrize(
    "action",
    [
        lambda page: expect(page.get_by_role("button", name="s3cret")).to_be_visible(),
        lambda page: expect(page.get_by_text(re.compile("s3cret"))).to_be_visible(),
        lambda page: expect(page.get_by_role("heading")).to_have_text(re.compile("^s3cret[0-9]+$")),
        lambda page: expect(page.get_by_role("listitem")).to_have_text([re.compile("s3cret"), "b"]),
        lambda page: expect(page.get_by_role("listitem")).to_contain_text(["a", "c"]),
        lambda page: expect(page.get_by_role("listitem")).to_have_count(0),
        lambda page: expect(page.locator("#s3cret")).to_have_count(1),
        lambda page: expect(page.get_by_role("heading")).not_to_be_visible(),
        lambda page: expect(page.locator("p[hidden]")).to_be_visible(),
        lambda page: expect(page.get_by_role("button")).to_be_enabled(),
        lambda page: expect(page.get_by_role("checkbox")).to_be_checked(),
        lambda page: expect(page.get_by_label("Name")).to_have_value("Bob"),
        lambda page: expect(page.get_by_label("Name")).to_have_value(re.compile("s3cret")),
        lambda page: expect(page.get_by_label("Name")).to_be_focused(),
        lambda page: expect(page.get_by_label("Name")).to_have_attribute("type", re.compile("s3cret")),
        lambda page: expect(page.get_by_label("Name")).to_have_accessible_name("Other"),
        lambda page: expect(page.get_by_label("Name")).to_be_empty(),
        lambda page: expect(page.get_by_role("heading")).to_have_css("display", "grid"),
        lambda page: expect(page.get_by_role("list")).to_match_aria_snapshot("- list:\n  - listitem: c"),
        lambda page: expect(page).to_have_title(re.compile("s3cret")),
        lambda page: expect(page).to_have_title("Other"),
        lambda page: expect(page).to_have_url(re.compile("s3cret")),
        lambda page: expect(page.request.get("/other")).to_be_ok(),
        lambda page: page.get_by_role("button", name="s3cret").click(),
        lambda page: page.locator("#s3cret >> nth=3").fill("x"),
        lambda page: page.get_by_role("button").click(),
        lambda page: page.get_by_role("link").click(),
        lambda page: page.get_by_role("heading").fill("x"),
        lambda page: page.get_by_role("heading").check(),
        lambda page: page.get_by_label("s3cret").press("Enter"),
        lambda page: page.get_by_label("s3cret").inner_text(),
        lambda page: page.get_by_label("s3cret").wait_for(),
        lambda page: page.get_by_label("Name").select_option("s3cret"),
        lambda page: page.get_by_label("Name").evaluate("s3cret => s3cret.nope()"),
        lambda page: page.evaluate("() => { throw new Error('no') }"),
        lambda page: page.wait_for_url("**/s3cret"),
        lambda page: page.wait_for_function("() => window.s3cret"),
        lambda page: page.expect_download().__enter__() and page.wait_for_event("download"),
        lambda page: page.wait_for_event("popup"),
        lambda page: {"a": 1}["s3cret"],
    ],
)
def test_no_selector_pattern_source_or_stack_is_told(action: Run, graded: Callable[..., list[CheckResult]]) -> None:
    (result,) = graded(BUSY, visit(action), screenshots=False)
    assert result.failure in ("assertion", "timeout")
    assert result.expected and result.seen
    told = feedback([result])
    assert not LEAKS.search(told), told


# timeout


def test_something_to_act_on_that_is_not_there_is_a_timeout(graded: Callable[..., list[CheckResult]]) -> None:
    (result,) = graded(GOOD, visit(lambda page: page.get_by_label("Name").fill("Ann")))
    assert (result.failure, result.expected) == ("timeout", "something to fill")
    assert result.seen == "nothing on the page fits within the time"


def test_something_that_is_covered_or_disabled_is_said_to_be(graded: Callable[..., list[CheckResult]]) -> None:
    covered, disabled = graded(
        BUSY,
        visit(lambda page: page.get_by_role("link").click()),
        visit(lambda page: page.get_by_role("button").click()),
    )
    assert covered.failure == disabled.failure == "timeout"
    assert "it is there, but" in covered.seen and "intercepts pointer events" in covered.seen
    assert disabled.seen == "it is there, but element is not enabled"


def test_an_event_that_does_not_come_is_named(graded: Callable[..., list[CheckResult]]) -> None:
    (result,) = graded(GOOD, visit(lambda page: page.wait_for_event("download", timeout=100)))
    assert (result.failure, result.expected, result.seen) == ("timeout", "a download", "none came within the time")


# crash


DEEP = """<h1>Hi</h1><script>
let node = document.body;
for (let i = 0; i < 200000; i++) { const child = document.createElement('div'); node.append(child); node = child; }
</script>"""


def test_a_page_that_kills_its_renderer_is_a_crash_and_the_next_check_is_not_touched(
    graded: Callable[..., list[CheckResult]],
) -> None:
    files = {"index.html": DEEP.encode(), "good.html": GOOD.encode()}
    crash, good = graded(files, opens, lambda page: page.goto("/good.html"))
    assert (crash.failure, crash.expected, crash.seen) == ("crash", "the page keeps running", "the page crashed")
    assert crash.screenshot is None
    assert good.failure is None


def _down(page: Page) -> None:
    page.goto("/")
    browser = page.context.browser
    assert browser
    browser.new_browser_cdp_session().send("Browser.crash")
    page.title()


def test_a_browser_that_goes_down_twice_is_the_pages_crash(graded: Callable[..., list[CheckResult]]) -> None:
    crash, good = graded(GOOD, _down, opens)
    assert (crash.failure, crash.reruns, crash.seen) == ("crash", 1, "the page took the browser down, twice")
    assert good.failure is None


def test_a_browser_that_goes_down_once_is_started_again(graded: Callable[..., list[CheckResult]]) -> None:
    looks: list[int] = []

    def once(page: Page) -> None:
        looks.append(1)
        if len(looks) == 1:
            _down(page)
        opens(page)

    (result,) = graded(GOOD, once)
    assert (result.failure, result.reruns) == (None, 1)


# server


SERVER = """
const fs = require('fs');
require('http').createServer((request, response) => {
  if (request.url === '/add') fs.appendFileSync('data.txt', 'x');
  if (request.url === '/exit') process.exit(1);
  if (request.url === '/hang') return;
  response.setHeader('Content-Type', 'text/html');
  response.end(`<h1>${fs.existsSync('data.txt') ? fs.readFileSync('data.txt') : 'empty'}</h1>`);
}).listen(process.env.PORT, '127.0.0.1');
"""
NODE = Serve(command=("node", "server.js"))


def heading(page: Page) -> str:
    page.goto("/")
    return page.inner_text("h1")


def test_a_build_that_fails_fails_every_check_with_its_output(graded: Callable[..., list[CheckResult]]) -> None:
    serve = Serve(build=("bash", "-c", "echo no such module >&2; exit 3"), root="dist")
    results = graded(GOOD, opens, opens, serve=serve)
    assert [item.failure for item in results] == ["server", "server"]
    assert results[0].expected == "the site builds and is served"
    assert results[0].seen == "the build ended with exit code 3\nno such module"


def test_a_build_that_does_not_end_is_ended(graded: Callable[..., list[CheckResult]]) -> None:
    (result,) = graded(GOOD, opens, serve=Serve(build=("bash", "-c", "echo begun; exec sleep 60")))
    assert result.failure == "server"
    assert result.seen == "the build did not end within 2 s\nbegun"


def test_what_a_build_makes_is_served(graded: Callable[..., list[CheckResult]]) -> None:
    serve = Serve(build=("bash", "-c", "mkdir dist && mv index.html dist/"), root="dist")
    (result,) = graded(GOOD, opens, serve=serve)
    assert result.failure is None


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("console.error('bad config'); process.exit(4)", "the server ended with exit code 4 before it answered\nbad config"),
        ("setInterval(() => {}, 1000); console.log('waiting')", "the server did not answer on its port within 2 s\nwaiting"),
        ("syntax error here", "the server ended with exit code 1 before it answered"),
    ],
)
def test_a_server_that_does_not_start_is_a_server_failure(
    code: str, words: str, graded: Callable[..., list[CheckResult]]
) -> None:
    results = graded({"server.js": code.encode()}, opens, opens, serve=NODE)
    assert [item.failure for item in results] == ["server", "server"]
    assert results[0].seen.startswith(words)


def test_a_server_that_dies_during_a_check_is_a_server_failure(graded: Callable[..., list[CheckResult]]) -> None:
    files = {"server.js": SERVER.encode()}
    results = graded(
        files,
        lambda page: page.goto("/exit"),
        lambda page: page.request.get("/exit"),
        lambda page: page.request.get("/exit", max_retries=0) if page.request.get("/") else None,
        lambda page: require(heading(page) == "empty", "empty", "not"),
        serve=NODE,
    )
    assert [item.failure for item in results] == ["server", "server", "server", None]
    assert not LEAKS.search(feedback(results))


def test_a_server_that_does_not_answer_is_a_timeout(graded: Callable[..., list[CheckResult]]) -> None:
    files = {"server.js": SERVER.encode()}
    loads, asks = graded(files, lambda page: page.goto("/hang"), lambda page: page.request.get("/hang"), serve=NODE)
    assert (loads.failure, loads.expected, loads.seen) == (
        "timeout",
        "the page loads",
        "it did not finish loading within the time",
    )
    assert (asks.failure, asks.expected) == ("timeout", "the site answers")


def test_every_check_of_a_server_project_gets_fresh_data(graded: Callable[..., list[CheckResult]]) -> None:
    def adds(page: Page) -> None:
        page.goto("/add")
        require(heading(page) == "x", "x", page.inner_text("h1"))

    results = graded({"server.js": SERVER.encode()}, adds, adds, serve=NODE)
    assert [item.failure for item in results] == [None, None]


def test_restart_keeps_data_and_address(graded: Callable[..., list[CheckResult]]) -> None:
    def restarts(page: Page, place: GradingSite) -> None:
        page.goto("/add")
        before = page.url, place.url
        place.restart()
        page.goto("/add")
        require((page.url, place.url) == before, str(before), page.url)
        require(heading(page) == "xx", "xx", page.inner_text("h1"))

    (result,) = graded({"server.js": SERVER.encode()}, restarts, serve=NODE)
    assert result.failure is None, result.seen


def test_a_server_that_does_not_start_again_is_a_server_failure(graded: Callable[..., list[CheckResult]]) -> None:
    code = b"if (require('fs').existsSync('lock')) process.exit(1); require('fs').writeFileSync('lock', '');" + SERVER.encode()
    (result,) = graded({"server.js": code}, lambda page, place: place.restart(), serve=NODE)
    assert (result.failure, result.expected) == ("server", "the server starts again")


# our own fault


def test_a_browser_that_does_not_start_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_BROWSER", "/bin/false")
    place = LocalGradingSite()
    try:
        with pytest.raises(GraderFault, match="the browser does not start"):
            grade(place, {"index.html": b""}, Serve(), None, [Check(1, "opens", lambda page, site: None, "")])
    finally:
        place.close()


# every check for itself


def test_checks_share_neither_storage_nor_cookies(graded: Callable[..., list[CheckResult]]) -> None:
    def marks(page: Page) -> None:
        page.goto("/")
        seen = page.evaluate("[localStorage.mark, sessionStorage.mark, document.cookie]")
        require(seen == [None, None, ""], "nothing left over", seen)
        page.evaluate("localStorage.mark = sessionStorage.mark = 1; document.cookie = 'mark=1; max-age=999'")

    assert [item.failure for item in graded(GOOD, marks, marks)] == [None, None]


def test_every_check_sees_the_same_window_language_and_time_zone(graded: Callable[..., list[CheckResult]]) -> None:
    script = """[innerWidth, innerHeight, devicePixelRatio, navigator.language, new Date(0).getTimezoneOffset(),
        matchMedia('(prefers-reduced-motion: reduce)').matches, matchMedia('(prefers-color-scheme: light)').matches]"""

    def looks(page: Page) -> None:
        page.goto("/")
        seen = page.evaluate(script)
        require(seen == [1280, 800, 1, "en-US", 0, True, True], "the fixed look", seen)

    (result,) = graded(GOOD, looks)
    assert result.failure is None, result.seen


def test_with_stop_the_first_failure_ends_it(graded: Callable[..., list[CheckResult]]) -> None:
    results = graded(GOOD, opens, visit(lambda page: require(False, "a", "b")), opens, enough=1)
    assert [item.failure for item in results] == [None, "assertion"]
