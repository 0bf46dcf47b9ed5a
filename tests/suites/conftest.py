"""What the tests of the contract share: one whole journey of each suite, made once whatever the number of workers."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from filelock import FileLock

from tests.suites.runs import NAMES, Whole, load, make


@pytest.fixture(scope="session")
def whole_of(shared: Path) -> Callable[[str], Whole]:
    """The journey of a suite by name. The worker that comes to it first makes it; the others wait for it."""

    @cache
    def whole(suite: str) -> Whole:
        folder = shared / f"suite-{suite}"
        with FileLock(shared / f"{suite}.lock"):
            if not (folder / "whole.json").is_file():
                folder.mkdir(exist_ok=True)
                make(suite, folder).save()
        return load(folder)

    return whole


@pytest.fixture(params=NAMES)
def whole(request: pytest.FixtureRequest, whole_of: Callable[[str], Whole]) -> Whole:
    """The journey of each suite."""
    return whole_of(request.param)


@pytest.fixture
def essays(whole_of: Callable[[str], Whole]) -> Whole:
    """The journey of the suite that is judged."""
    return whole_of("essays")


@pytest.fixture
def relay(whole_of: Callable[[str], Whole]) -> Whole:
    """The journey of the suite whose trials use others."""
    return whole_of("relay")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of a test's own."""
    return tmp_path / "runs"
