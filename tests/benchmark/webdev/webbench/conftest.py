"""The checkouts that tests read: our small one, or with `--webbench PATH` a real one in its place."""

import shutil
from pathlib import Path

import pytest

from benchmark.webdev.webbench.checkout import Checkout

SMALL = Path(__file__).parents[3] / "data" / "webbench"


def cut(checkout: Path, tasks: int) -> Path:
    """Leave `tally`, in a copy of the small checkout, `init` and its first tasks only: each run of specs takes seconds."""
    home = checkout / "projects" / "tally"
    rows = (home / "tasks.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (home / "tasks.jsonl").write_text("".join(rows[: 1 + tasks]), encoding="utf-8")
    for number in range(1 + tasks, len(rows)):
        (home / "test" / f"task-{number}.spec.js").unlink()
    return checkout


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
