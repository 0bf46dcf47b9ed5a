"""What tests share: containers, for those that need an engine (they fail in CI where none answers, and are skipped
elsewhere), a gateway, and a run that was made once for all workers."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from benchmark.core.errors import SetupError
from fixtures.gateway.client import Gateway, GatewayRun


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what asks every client about every form of a skill, unless `-m` names it."""
    asked = config.getoption("markexpr") or ""
    for item in items if "clients" not in asked else ():
        if item.get_closest_marker("clients"):
            item.add_marker(pytest.mark.skip(reason="asks every client about every form of a skill; run with -m clients"))


@pytest.fixture(scope="session")
def docker_sandbox() -> Iterator[Any]:
    from fixtures.sandbox.docker import DockerSandbox

    try:
        sandbox = DockerSandbox()
    except SetupError as error:
        if os.environ.get("CI"):
            pytest.fail(f"CI without a Docker engine: {error}")
        pytest.skip(str(error))
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="session")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A gateway in a process of its own that does not wait long before it tries again."""
    folder = tmp_path_factory.mktemp("gw")
    opened = Gateway(GatewayRun(folder=str(folder), owner=os.getpid(), store=str(folder / "store"), retry_seconds=0.01))
    yield opened
    opened.stop()


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of all workers of this run."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base


@pytest.fixture(scope="session")
def measured(shared: Path) -> Path:
    """The store of a whole run in two processes, to be copied: three trials of the agent that does nothing, whose pages were
    opened. The worker that comes to it first makes it; beside it is what the run said."""
    from tests.commands import run
    from tests.test_runs import PANEL

    folder = shared / "measured"
    with FileLock(shared / "measured.lock"):
        if not (folder / "said").is_file():
            folder.mkdir()
            (folder / "panel.toml").write_text(PANEL.format(replicates=1, agent="noop"), encoding="utf-8")
            done = run("--panel", folder / "panel.toml", "--runs", folder / "runs", "-n", 2)
            assert done.returncode == 0, done.stdout + done.stderr
            (folder / "said").write_text(done.stdout, encoding="utf-8")
    return folder / "runs"
