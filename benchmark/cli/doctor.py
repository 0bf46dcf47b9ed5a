"""`assay doctor`: what this machine has for trials, what it lacks, and what to do about it."""

import shutil
from collections.abc import Iterator
from typing import Annotated

import typer

from agents.clients.client import Client
from agents.registry import make_agent
from benchmark.cli.console import Json, show
from benchmark.core.errors import Fault, SetupError
from benchmark.core.model import AgentSpec, Data
from benchmark.core.text import print_line
from benchmark.run.positive_control import Control, control
from benchmark.run.session import check_client, open_sandbox
from benchmark.suite.contract import Suite
from benchmark.suite.discovery import find_suite, suite_names
from fixtures.sandbox import image
from fixtures.sandbox.docker import DockerSandbox, connect
from fixtures.sandbox.local import LocalSandbox
from fixtures.web.browser import NoBrowser, find_browser


class Finding(Data):
    """One thing that was looked at. `needed_for` says what does not work without it."""

    name: str
    ok: bool
    found: str
    needed_for: str
    advice: str | None = None


def doctor(
    build: Annotated[bool, typer.Option("--build", help="Build the sandbox's image from its Dockerfile first.")] = False,
    agent: Annotated[
        str | None, typer.Option(help="Prove that this agent can be measured: its positive control.", metavar="NAME")
    ] = None,
    model: Annotated[str | None, typer.Option(help="The agent's model; default: a scripted one.", metavar="ID")] = None,
    api_base: Annotated[str | None, typer.Option(help="An OpenAI-compatible endpoint.", metavar="URL")] = None,
    as_json: Json = False,
) -> None:
    """Examine this machine: browser, Node, packages, engine, image, commands inside. Exit 1 if something is missing.

    npm packages of projects are installed into the cache; with --build the image is built. Nothing else is changed.
    With --agent one agent is examined instead: it is installed, started in the sandbox, and must be seen to open a skill.
    """
    if agent:
        _doctor_agent(agent, model, api_base, as_json)
    findings: list[Finding] = []
    for finding in examine([find_suite(name) for name in suite_names()], build_image=build):
        findings.append(finding)
        if not as_json:
            print_line(f"{'ok     ' if finding.ok else 'missing'} {finding.name}: {finding.found}")
            if finding.advice:
                print_line(f"        needed for {finding.needed_for}: {finding.advice}")
    if as_json:
        rows = [finding.model_dump() for finding in findings]
        show({"ok": all(item.ok for item in findings), "findings": rows}, True, list)
    raise typer.Exit(0 if all(finding.ok for finding in findings) else 1)


def _doctor_agent(name: str, model: str | None, api_base: str | None, as_json: bool) -> None:
    try:
        found = examine_agent(AgentSpec(name=name, model=model, api_base=api_base))
    except Fault as fault:
        raise SetupError(f"{name}: {fault}") from fault
    show(found.model_dump(mode="json"), as_json, lambda: control_lines(found))
    raise typer.Exit(0 if found.ok else 1)


def examine_agent(spec: AgentSpec) -> Control:
    """The positive control of one agent, after its installation has been seen to. Raises SetupError, Fault."""
    agent = make_agent(spec.model_copy(update={"model": spec.model or "scripted-model"}))
    client = agent if isinstance(agent, Client) else None
    sandbox = open_sandbox("docker" if client else "local")
    try:
        if client:
            check_client(client, sandbox)
        return control(spec, sandbox)
    finally:
        sandbox.close()


def control_lines(found: Control) -> Iterator[str]:
    """What the control showed, in lines for a terminal."""
    model = "a scripted model, since none was given" if found.scripted_model else found.model
    yield f"{found.agent} {found.version} with {model}, delivery {found.delivery}"
    yield from (
        f"{'ok     ' if held else 'MISSING'} {words}"
        for held, words in (
            (found.installed, "installed: the skill's files are in the sandbox, byte for byte"),
            (found.listed, f"listed: its name and description were in request {found.listed_at or 'none'}"),
            (
                found.opened,
                f"opened: {found.bytes} of {found.body_bytes} bytes of its body were in request {found.opened_at or 'none'}",
            ),
            (found.clean, "absent: without it, the same client showed nothing of it"),
        )
    )
    reported = "none" if found.reported.tokens is None else f"{found.reported.tokens:,}"
    yield f"tokens: {found.usage.tokens or 0:,} at the gateway, {reported} reported by the client; {found.seconds:g} s"
    yield f"{found.agent} can be measured" if found.ok else f"{found.agent} is not measured: {found.reason}"


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
