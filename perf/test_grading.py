"""Grading a task with k checks beside a bare loop: k contexts in the same browser with the same assertions."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from benchmark.webdev.grade import EXPECT_MS, grade
from benchmark.webdev.project import PROJECTS, Project
from fixtures.web.browser import LOOK
from fixtures.web.site import LocalGradingSite

PROJECT = Project(PROJECTS / "reading-list")
TASK = 4


@pytest.fixture(scope="module")
def place() -> Iterator[LocalGradingSite]:
    """A place that serves the reference's state, with its browser running."""
    opened = LocalGradingSite()
    opened.deploy(PROJECT.reference(TASK), PROJECT.manifest.serve, None)
    opened.look(lambda browser: None, 60)
    yield opened
    opened.close()


def checks() -> list[Any]:
    return [item for item in PROJECT.checks if item.task <= TASK]


@pytest.mark.benchmark(group="grading a task")
def test_baseline_bare_loop(benchmark: Any, place: LocalGradingSite) -> None:
    expect.set_options(timeout=EXPECT_MS)

    def loop(browser: Any) -> None:
        for check in checks():
            context = browser.new_context(base_url=place.url, **LOOK)
            check.run(context.new_page(), place)
            context.close()

    benchmark.pedantic(lambda: place.look(loop, 600), rounds=5, warmup_rounds=1)


@pytest.mark.benchmark(group="grading a task")
def test_grade(benchmark: Any, place: LocalGradingSite) -> None:
    files, serve = PROJECT.reference(TASK), PROJECT.manifest.serve
    results = benchmark.pedantic(lambda: grade(place, files, serve, None, checks()), rounds=5, warmup_rounds=1)
    assert not any(item.failure for item in results)
