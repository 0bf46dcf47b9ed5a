"""Grading a task with k checks beside a bare loop: k contexts in the same browser with the same assertions."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from benchmark.webdev.grade import EXPECT_MS, grade
from benchmark.webdev.project import PROJECTS, Project
from fixtures.browser import LOOK
from fixtures.site import LocalPlace

PROJECT = Project(PROJECTS / "reading-list")
TASK = 4


@pytest.fixture(scope="module")
def place(playwright: Any) -> Iterator[tuple[LocalPlace, Any]]:
    """A place that serves the reference's state, with its browser running."""
    opened = LocalPlace()
    opened.deploy(PROJECT.reference(TASK), PROJECT.manifest.serve, None)
    opened.browser(playwright)
    yield opened, playwright
    opened.close()


def checks() -> list[Any]:
    return [item for item in PROJECT.checks if item.task <= TASK]


@pytest.mark.benchmark(group="grading a task")
def test_baseline_bare_loop(benchmark: Any, place: tuple[LocalPlace, Any]) -> None:
    opened, api = place
    browser = opened.browser(api)
    expect.set_options(timeout=EXPECT_MS)

    def loop() -> None:
        for check in checks():
            context = browser.new_context(base_url=opened.url, **LOOK)
            check.run(context.new_page(), opened)
            context.close()

    benchmark.pedantic(loop, rounds=5, warmup_rounds=1)


@pytest.mark.benchmark(group="grading a task")
def test_grade(benchmark: Any, place: tuple[LocalPlace, Any]) -> None:
    opened, api = place
    files, serve = PROJECT.reference(TASK), PROJECT.manifest.serve
    results = benchmark.pedantic(lambda: grade(opened, api, files, serve, None, checks()), rounds=5, warmup_rounds=1)
    assert not any(item.failure for item in results)
