"""`assay doctor`: what this machine has for trials, what it lacks, and what to do about it."""

import shutil
from collections.abc import Iterator

from benchmark.errors import Fault, SetupError
from benchmark.model import Data
from benchmark.suites import Suite
from fixtures.browser import NoBrowser, find_browser


class Finding(Data):
    """One thing that was looked at. `needed_for` says what does not work without it."""

    name: str
    ok: bool
    found: str
    needed_for: str
    advice: str | None = None


def examine(suites: list[Suite], *, build_image: bool) -> Iterator[Finding]:
    """Look at browser, Node, packages, engine, image and the commands inside; install what may be installed."""
    yield _browser()
    node = shutil.which("node")
    yield Finding(
        name="node",
        ok=node is not None,
        found=node or "not on PATH",
        needed_for="projects with a server or a build, in the local sandbox",
        advice=None if node else "install Node.js 20 or newer (Debian: apt-get install nodejs npm)",
    )
    yield from map(_packages, suites)
    yield from _engine(build_image=build_image)


def _browser() -> Finding:
    from fixtures.sandbox.local import LocalSandbox

    try:
        found = f"{find_browser()} ({LocalSandbox().browser_version()})"
        return Finding(name="browser", ok=True, found=found, needed_for="the local sandbox and validation")
    except NoBrowser as error:
        return Finding(name="browser", ok=False, found="none", needed_for="the local sandbox and validation", advice=str(error))


def _packages(suite: Suite) -> Finding:
    name, use = f"packages of {suite.name}", "projects that declare npm packages"
    try:
        suite.prepare(suite.projects())
        return Finding(name=name, ok=True, found="installed in the cache", needed_for=use)
    except SetupError as error:
        return Finding(name=name, ok=False, found="not installed", needed_for=use, advice=str(error))


def _engine(*, build_image: bool) -> Iterator[Finding]:
    use = "agents with a model, and --sandbox docker"
    try:
        from fixtures.sandbox import image
        from fixtures.sandbox.docker import DockerSandbox, connect

        client = connect()
        version = client.version()["Version"]
        yield Finding(name="engine", ok=True, found=f"Docker {version}", needed_for=use)
        if build_image:
            built = image.build(client)
            yield Finding(name="build", ok=True, found=built, needed_for="an image of its own instead of the host's programs")
        sandbox = DockerSandbox()
        found = f"{sandbox.chosen.name} ({sandbox.chosen.kind}), {sandbox.chosen.identity}"
        yield Finding(name="image", ok=True, found=found, needed_for=use)
        yield from _commands(sandbox.commands)
        sandbox.close()
    except (SetupError, Fault) as error:
        yield Finding(name="engine", ok=False, found="no usable engine or image", needed_for=use, advice=str(error))


def _commands(found: dict[str, str | None]) -> Iterator[Finding]:
    for name, version in found.items():
        yield Finding(
            name=f"{name} inside",
            ok=version is not None,
            found=version or "missing",
            needed_for="--sandbox docker",
            advice=None if version else "the image lacks it: run `assay doctor --build`, or install it on this machine",
        )
