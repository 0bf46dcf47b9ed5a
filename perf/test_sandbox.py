"""A Docker trial's sandbox (made, filled, read back, removed) beside a bare `docker run --rm IMAGE true`."""

import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from fixtures.sandbox.base import WorkspaceSpec
from fixtures.sandbox.docker import DockerSandbox

FILES = {f"src/part{number}.js": b"export const x = 1;\n" * 100 for number in range(50)}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[DockerSandbox]:
    opened = DockerSandbox()
    yield opened
    opened.close()


@pytest.mark.benchmark(group="a Docker trial's sandbox")
def test_baseline_docker_run(benchmark: Any, sandbox: DockerSandbox) -> None:
    binds = [part for host, inside in sandbox.chosen.binds.items() for part in ("-v", f"{host}:{inside}:ro")]
    command = ["docker", "run", "--rm", "--network", "none", *binds, sandbox.chosen.name, "/bin/true"]
    benchmark.pedantic(lambda: subprocess.run(command, check=True), rounds=7, warmup_rounds=1)


@pytest.mark.benchmark(group="a Docker trial's sandbox")
def test_box(benchmark: Any, sandbox: DockerSandbox) -> None:
    def trial() -> int:
        with sandbox.workspace(WorkspaceSpec({"skill/references/a.md": b"# A\n" * 500})) as box:
            box.reset(FILES)
            box.installed()
            return len(box.files())

    assert benchmark.pedantic(trial, rounds=7, warmup_rounds=1) == len(FILES)
