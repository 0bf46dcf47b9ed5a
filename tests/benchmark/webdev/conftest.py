"""Where the tests of this folder grade: a local sandbox with one browser for each process, and short times."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from benchmark.webdev import grade as module
from benchmark.webdev.checks import Check
from benchmark.webdev.grade import CheckResult, grade
from fixtures.sandbox.local import LocalSandbox
from fixtures.web import browser, site
from fixtures.web.site import GradingSite, Serve
from tests.benchmark.webdev.webbench.conftest import copy, real

#: The command line of checkouts is tested in this folder, with the fixtures of that of checkouts.
__all__ = ["copy", "real"]
Run = Callable[..., None]


@pytest.fixture(scope="session")
def sandbox() -> Iterator[LocalSandbox]:
    opened = LocalSandbox()
    yield opened
    opened.close()


@pytest.fixture
def place(sandbox: LocalSandbox) -> Iterator[GradingSite]:
    with sandbox.grading_site(None) as found:
        yield found


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short times, so that what does not come is soon given up."""
    monkeypatch.setattr(module, "EXPECT_MS", 600)
    monkeypatch.setattr(browser, "ACTION_MS", 800)
    monkeypatch.setattr(browser, "NAVIGATION_MS", 1_500)
    monkeypatch.setattr(site, "START_SECONDS", 2)
    monkeypatch.setattr(site, "BUILD_SECONDS", 2)


@pytest.fixture
def graded(place: GradingSite, impatient: None) -> Callable[..., list[CheckResult]]:
    """Grade a page (or files) with functions as checks."""
    del impatient

    def run(made: str | Mapping[str, bytes], *checks: Run, serve: Serve | None = None, **options: Any) -> list[CheckResult]:
        files = {"index.html": made.encode()} if isinstance(made, str) else made
        listed = [Check(1, f"check {number}", _both(item), "") for number, item in enumerate(checks, start=1)]
        return grade(place, files, serve or Serve(), None, listed, **options)

    return run


def _both(check: Run) -> Run:
    return check if check.__code__.co_argcount == 2 else lambda page, site: check(page)
