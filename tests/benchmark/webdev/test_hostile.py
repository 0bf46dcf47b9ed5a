"""Hostile pages: grading them ends in bounded time with a class, and they reach nothing but their own origin."""

import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Page, expect

from benchmark.webdev import grade
from benchmark.webdev.checks import require
from benchmark.webdev.grade import CheckResult

Run = Callable[..., None]
GOOD = "<!doctype html><title>Hi</title><h1>Hi</h1>"


def opens(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", name="Hi")).to_be_visible()


@pytest.mark.parametrize(
    ("script", "failure"),
    [
        ("while (true) alert('again')", "timeout"),
        ("while (true);", "timeout"),
        ("setInterval(() => alert('again'), 0)", None),
        ("setInterval(() => window.open('/'), 20)", None),
        ("for (let i = 0; i < 5; i++) window.open('http://example.com/')", None),
        ("onbeforeunload = () => 'stay'", None),
        ("print()", None),
        ("document.write('<iframe src=http://example.com></iframe>')", None),
    ],
)
def test_a_hostile_page_ends_in_bounded_time(
    script: str, failure: str | None, graded: Callable[..., list[CheckResult]]
) -> None:
    started = time.monotonic()
    hostile, good = graded(
        {"index.html": f"<h1>Hi</h1><script>{script}</script>".encode(), "good.html": GOOD.encode()},
        opens,
        lambda page: page.goto("/good.html"),
    )
    assert (hostile.failure, good.failure) == (failure, None)
    assert time.monotonic() - started < 20


#: Pages that hold up whoever looks at them, by what they flood or exhaust.
HOLDING_UP = {
    "thrown errors": "setInterval(() => { for (let i = 0; i < 2000; i++) setTimeout(() => { throw new Error('no') }) }, 5)",
    "reported errors": "setInterval(() => { for (let i = 0; i < 2000; i++) reportError(new Error('no')) }, 5)",
    "console": "setInterval(() => { for (let i = 0; i < 2000; i++) console.log('x'.repeat(99), {i}, [i]) }, 5)",
    "a loop in a handler": "onmessage = () => { while (true); }; setTimeout(() => postMessage(1), 300)",
    "dialogs": "setTimeout(() => { while (true) alert('again') }, 300)",
    "memory": "const all = []; setInterval(() => { all.push(new Uint8Array(1 << 22).fill(1)) }, 5)",
    "frames": "setInterval(() => document.body.append(document.createElement('iframe')), 5)",
}


def keeps_looking(page: Page) -> None:
    """What no call of it ends by itself: it goes on until it is ended."""
    page.goto("/")
    while True:
        page.get_by_role("heading").count()
        page.evaluate("1 + 1")


#: Every day one that floods and one that stops a thread; the others every night.
DAILY = ("console", "a loop in a handler")


@pytest.mark.parametrize(
    "script",
    [pytest.param(text, id=name, marks=[] if name in DAILY else pytest.mark.nightly) for name, text in HOLDING_UP.items()],
)
def test_a_check_that_a_page_holds_up_is_ended_at_its_limit(
    script: str, graded: Callable[..., list[CheckResult]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grade, "CHECK_SECONDS", 3.0)
    page = f"<h1>Hi</h1><script>{script}</script>"
    files = {"index.html": page.encode(), "good.html": GOOD.encode()}
    started = time.monotonic()
    held, good = graded(files, keeps_looking, lambda page: page.goto("/good.html"))
    assert (held.failure, held.expected, held.stopped, held.reruns) == ("timeout", "the page answers", True, 0)
    assert held.seen == "the page held up its check for 3 s, which is as long as one may take"
    assert (good.failure, good.stopped) == (None, False)
    # What was left to be told of the first is told to nobody. It would take minutes.
    assert time.monotonic() - started < 40


def test_a_browser_that_goes_down_gets_no_second_limit(
    graded: Callable[..., list[CheckResult]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grade, "CHECK_SECONDS", 3.0)
    looks: list[float] = []

    def down_then_hangs(page: Page) -> None:
        looks.append(time.monotonic())
        if len(looks) == 1:
            page.wait_for_timeout(1_500)
            assert page.context.browser
            page.context.browser.new_browser_cdp_session().send("Browser.crash")
        page.evaluate("new Promise(() => {})")

    (held,) = graded(GOOD, down_then_hangs)
    assert (held.failure, held.stopped, held.reruns, len(looks)) == ("timeout", True, 1, 2)


def test_a_page_that_leaves_for_another_origin_gets_nowhere(graded: Callable[..., list[CheckResult]]) -> None:
    def left(page: Page) -> None:
        page.goto("/")
        page.wait_for_url("**/example.com/**")

    (result,) = graded("<script>location = 'http://example.com/'</script>", left)
    assert result.failure in ("timeout", "server")


def test_a_page_reaches_nothing_but_its_own_origin(graded: Callable[..., list[CheckResult]]) -> None:
    asked: list[str] = []

    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        do_POST = do_GET

    other = HTTPServer(("127.0.0.1", 0), Other)
    Thread(target=other.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    addresses = [
        f"http://127.0.0.1:{other.server_port}/",
        f"http://localhost:{other.server_port}/",
        f"http://[::1]:{other.server_port}/",
        "http://example.com/",
        "https://example.com/",
        "http://10.0.0.1/",
    ]

    def reaches(page: Page) -> None:
        page.goto("/")
        found = page.evaluate(
            """addresses => Promise.all(addresses.map(address =>
                fetch(address, {mode: 'no-cors'}).then(() => 'reached', () => 'refused')))""",
            addresses,
        )
        require(set(found) == {"refused"}, "nothing reached", found)
        page.evaluate("addresses => addresses.forEach(address => navigator.sendBeacon(address, 'x'))", addresses)
        page.evaluate("addresses => addresses.forEach(address => { new Image().src = address })", addresses)
        page.evaluate("address => window.open(address)", addresses[0])
        require(page.evaluate("fetch('/').then(answer => answer.status)") == 200, "its own origin", "not reached")

    try:
        (result,) = graded(GOOD, reaches)
    finally:
        other.shutdown()
        other.server_close()
    assert result.failure is None, result.seen
    assert asked == []
