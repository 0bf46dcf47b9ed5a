"""The checkouts that tests read: our small one, or with `--webbench PATH` a real one in its place."""

import shutil
from pathlib import Path

import pytest

from benchmark.webdev.webbench.checkout import Checkout

SMALL = Path(__file__).parents[3] / "data" / "webbench"


@pytest.fixture(scope="session")
def checkout(request: pytest.FixtureRequest) -> Checkout:
    """For what holds for any checkout."""
    return Checkout(request.config.getoption("--webbench", None) or SMALL)


@pytest.fixture(scope="session")
def small() -> Checkout:
    return Checkout(SMALL)


@pytest.fixture(scope="session")
def real(request: pytest.FixtureRequest) -> Checkout:
    """For what is true of Web-Bench's own projects."""
    path = request.config.getoption("--webbench", None)
    if path is None:
        pytest.skip("needs --webbench PATH")
    return Checkout(path)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the small checkout that a test may change."""
    return Path(shutil.copytree(SMALL, tmp_path / "checkout", symlinks=True))
