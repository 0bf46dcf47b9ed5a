"""What tests share: containers, for those that need an engine (they fail in CI where none answers, and are skipped
elsewhere), and a gateway."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from benchmark.core.errors import SetupError
from fixtures.gateway.client import Gateway, GatewayRun

#: Marks of tests that take minutes and run only where `-m` names them, and why.
LONG = {
    "clients": "asks every client about every form of a skill; run with -m clients",
    "nightly": "long by nature, and another of its kind runs by day; run with -m nightly",
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is long and not asked for."""
    asked = config.getoption("markexpr") or ""
    for name, why in LONG.items():
        for item in items if name not in asked else ():
            if item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=why))


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
