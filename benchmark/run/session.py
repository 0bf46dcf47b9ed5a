"""What one run of pytest consists of: its plan, store, sandbox and money, worked out before the first trial."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from agents.base import Agent
from agents.clients.client import Client
from agents.registry import make_agent
from benchmark.core.errors import Fault, SetupError, UsageError
from benchmark.core.files import names
from benchmark.core.model import AgentSpec
from benchmark.core.panel import Panel
from benchmark.core.stored_plan import PlannedSkill, PlannedTrial, StoredPlan
from benchmark.plan.planner import Plan, plan
from benchmark.run.engine import Known
from benchmark.run.positive_control import require
from benchmark.run.trial import bindings, grade_key, keep_skill, resolve
from benchmark.store.store import Store
from benchmark.suite.capabilities import NeedsBrowser, ProjectSource
from fixtures.gateway.providers.providers import route
from fixtures.sandbox.base import Sandbox, WorkspaceSpec, check_commands
from fixtures.sandbox.docker import DockerSandbox
from fixtures.sandbox.local import LocalSandbox
from fixtures.web.browser import NoBrowser
from skills.parsing.rules import brief

if TYPE_CHECKING:
    from fixtures.gateway.client import Gateway

SandboxKind = Literal["docker", "local"]
#: A client's first start on a busy machine takes its time.
VERSION_SECONDS = 180.0


@dataclass(frozen=True)
class Cassettes:
    """The folder that what models say is recorded to, or replayed from; neither for a plain run."""

    record: str | None = None
    replay: str | None = None


@dataclass(frozen=True)
class RunSession:
    """A planned run. `since` is when its money starts to count; `cassettes` is where what models say is recorded to or
    replayed from."""

    plan: Plan
    store: Store
    sandbox: SandboxKind
    since: float
    cassettes: Cassettes

    @property
    def asks_models(self) -> bool:
        """Whether any of its agents asks a model, or a judge does, so that it needs a gateway."""
        return self.plan.panel.judge is not None or any(not make_agent(spec).scripted for spec in self.plan.panel.agents)

    @property
    def models(self) -> list[str | None]:
        """The models that may be asked: the agents', and the judge's."""
        judges = [self.plan.panel.judge] if self.plan.panel.judge else []
        return [spec.model for spec in (*self.plan.panel.agents, *judges)]

    @property
    def needs_browser(self) -> bool:
        """Whether grading drives a browser."""
        return isinstance(self.plan.suite, NeedsBrowser)


def open_session(
    panel: Panel,
    root: Path,
    sandbox: str | None,
    *,
    unsandboxed: bool,
    since: float | None = None,
    cassettes: Cassettes | None = None,
) -> RunSession:
    """Plan a run. Raises UsageError for anything that cannot be: names, skills, and where agents may work."""
    agents = [make_agent(spec) for spec in panel.agents]
    for spec, agent in zip(panel.agents, agents, strict=True):
        _reachable(spec, agent, panel)
    planned = plan(panel)
    clients = [agent.name for agent in agents if isinstance(agent, Client)]
    if sandbox == "local" and clients:
        raise UsageError(f"{names(clients)} runs only in Docker, which keeps this machine from it; leave out --sandbox local")
    only_docker = planned.suite.only_in_docker
    if sandbox == "local" and only_docker:
        raise UsageError(f"{only_docker}; leave out --sandbox local")
    local = all(agent.scripted for agent in agents) and not only_docker
    kind = _kind(sandbox, local=local, unsandboxed=unsandboxed)
    return RunSession(planned, Store(root), kind, since or time.time(), cassettes or Cassettes())


def _reachable(spec: AgentSpec, agent: Agent, panel: Panel) -> None:
    """Raise UsageError for a delivery that cannot reach an agent, and for a model that nobody serves."""
    for delivery in panel.delivery:
        if delivery not in agent.deliveries:
            raise UsageError(
                f"{spec.name} reads no skill directory, so --delivery {delivery} cannot reach it; "
                f"use --delivery {agent.deliveries[0]}"
            )
    if spec.model and not agent.scripted:
        route(spec.model, spec.api_base, agent.provider)


def _kind(asked: str | None, *, local: bool, unsandboxed: bool) -> SandboxKind:
    """The kind asked for; where none is, the local one if it will do."""
    if asked is None:
        return "local" if local else "docker"
    if asked == "local" and not local and not unsandboxed:
        raise UsageError(
            "--sandbox local would run what a model wrote on this machine; leave it out to use Docker, or say "
            "--allow-unsandboxed if this machine may be lost"
        )
    if asked == "local":
        return "local"
    return "docker"


def open_sandbox(kind: SandboxKind) -> Sandbox:
    """The sandbox of that kind. Raises SetupError where the machine lacks what it needs."""
    if kind == "docker":
        return DockerSandbox()
    return LocalSandbox()


def preflight(run: RunSession, sandbox: Sandbox, gateway: "Gateway | None") -> None:
    """Find out what would fail before the first trial does: browser, commands inside, packages, clients, models.

    Raises SetupError.
    """
    if run.needs_browser:
        try:
            sandbox.browser_version()
        except NoBrowser as error:
            raise SetupError(str(error)) from error
    run.plan.suite.grading_tools(sandbox)
    missing = check_commands(getattr(sandbox, "commands", {}))
    if missing:
        raise SetupError(f"the sandbox's image lacks {', '.join(missing)}; `assay doctor` shows how it is made")
    run.plan.suite.prepare(sorted({spec.project for spec in run.plan.trials}))
    for spec in run.plan.panel.agents:
        agent = make_agent(spec)
        if isinstance(agent, Client):
            check_client(agent, sandbox)
            require(spec, sandbox)
        if gateway and not agent.scripted and not run.cassettes.replay:
            gateway.check(spec, agent.provider)
    judge = run.plan.panel.judge
    if gateway and judge and not run.cassettes.replay:
        gateway.check(judge, make_agent(judge).provider)


def check_client(client: Client, sandbox: Sandbox) -> str:
    """Install the client if need be and see that it starts inside and is the pinned version; what it says of its version.

    Raises SetupError with what to do.
    """
    binds = bindings(client, sandbox)
    try:
        with sandbox.workspace(WorkspaceSpec(skills=client.skills, binds=binds)) as box:
            shell: Any = box
            shell.fresh_home({})
            done = shell.run(client.version_command, {}, b"", VERSION_SECONDS)
    except Fault as fault:
        raise SetupError(f"{client.name} could not be tried in the sandbox: {fault}") from fault
    said = (done.output + done.errors).decode(errors="replace").strip()
    if done.code or client.version not in said:
        line = said.splitlines()[-1][:200] if said else f"nothing, exit code {done.code}"
        needs = f"; it needs {client.needs}" if client.needs else ""
        raise SetupError(
            f"{client.name} {client.version} was expected in the sandbox, and it says: {line}{needs}; remove "
            f"{', '.join(binds)} to have it installed anew, and see docs/agents.md"
        )
    return said


def keep_inputs(run: RunSession, sandbox: Sandbox) -> None:
    """Put into the store what trials will read from it, and the plan itself, which says what records were made for."""
    for skill in run.plan.injected:
        keep_skill(run.store, skill)
    suite = run.plan.suite
    if isinstance(suite, ProjectSource):
        for source in map(suite.project_snapshot, dict.fromkeys(spec.project for spec in run.plan.trials)):
            if source is not None:
                run.store.put_tree(source)
    run.store.put_panel(run.plan.digest, stored_plan(run, sandbox).model_dump(mode="json"))


def note_keys(run: RunSession, keys: Mapping[str, Mapping[str, str]]) -> None:
    """Put the keys that trials were recorded under, by trial, into the plan that `keep_inputs` kept: the agent and the sandbox
    that fixtures gave may be others than the names stood for before the first trial."""
    path = run.store.root / "panels" / f"{run.plan.digest}.json"
    try:
        kept = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return  # the report, which reads it next, says what is wrong with it
    rows = [row | keys.get(row["id"], {}) for row in kept["trials"]]
    if rows != kept["trials"]:
        run.store.put_panel(run.plan.digest, kept | {"trials": rows})


def answered(run: RunSession, sandbox: Sandbox) -> int:
    """How many trials of the plan the store answers."""
    if not (run.store.root / "records").is_dir():
        return 0
    known = Known(run.store, sandbox, run.plan.panel.window, run.plan.trials)
    return sum(known.record(spec) is not None for spec in run.plan.trials)


def left_out(planned: Plan) -> dict[str, list[str]]:
    """By project the tests that are left out of grading, in words; projects without any are not named."""
    projects = dict.fromkeys(spec.project for spec in planned.trials)
    found = {project: list(planned.suite.quarantined(project)) for project in projects}
    return {project: lines for project, lines in found.items() if lines}


def stored_plan(run: RunSession, sandbox: Sandbox) -> StoredPlan:
    """The plan as reports read it: every trial with its keys, what each counts for, and what is absent."""
    planned = run.plan
    keys: dict[str, str] = {}
    rows: list[PlannedTrial] = []
    for spec in planned.trials:
        resolved = resolve(spec, planned.suite, sandbox)
        if spec.project not in keys:
            keys[spec.project] = grade_key(planned.suite, spec.project, resolved)
        work, grade = spec.work_key(resolved), keys[spec.project]
        rows.append(PlannedTrial(id=spec.id, agent=spec.agent.label, spec=spec, work=work, grade=grade))
    return StoredPlan(
        hash=planned.digest,
        panel=planned.panel,
        families={spec.project: planned.suite.family(spec.project) for spec in planned.trials},
        trials=tuple(rows),
        assignments=planned.assignments,
        absent=planned.absent,
        quarantined={project: tuple(lines) for project, lines in left_out(planned).items()},
        skills={
            skill.id: PlannedSkill(bytes=skill.ref.size, sha256=skill.ref.sha256, notes=tuple(brief(skill.diagnostics)))
            for skill in planned.skills.values()
        },
    )
