"""Hostile pages: grading them ends in bounded time with a class, and they reach nothing but their own origin."""

import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Page, expect

from benchmark.webdev.checks import require
from benchmark.webdev.grade import CheckResult
from fixtures import browser

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


@pytest.mark.parametrize("call", [lambda page: page.evaluate("1 + 1"), lambda page: page.get_by_role("heading").count()])
def test_a_page_that_hangs_where_no_call_has_a_limit_is_closed(
    call: Run, graded: Callable[..., list[CheckResult]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "PAGE_SECONDS", 1.5)
    page = "<h1>Hi</h1><script>onmessage = () => { while (true); }</script>"

    def hangs(page: Page) -> None:
        page.goto("/")
        page.evaluate("postMessage(1)")
        page.wait_for_timeout(50)
        call(page)

    result, good = graded(
        {"index.html": page.encode(), "good.html": GOOD.encode()}, hangs, lambda page: page.goto("/good.html")
    )
    assert (result.failure, result.expected) == ("timeout", "the page answers")
    assert good.failure is None


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
