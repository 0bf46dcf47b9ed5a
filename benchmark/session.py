"""What one run of pytest consists of: its plan, store, sandbox and money, worked out before the first trial."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from benchmark.errors import SetupError, UsageError
from benchmark.panel import Panel
from benchmark.planner import Plan, plan
from benchmark.store import Store
from benchmark.trial import grade_key, keep_skill, resolve
from fixtures.agent import make_agent
from fixtures.browser import NoBrowser
from fixtures.sandbox.base import Sandbox, check_commands

SandboxKind = Literal["docker", "local"]


@dataclass(frozen=True)
class RunSession:
    """A planned run. `since` is when its money starts to count."""

    plan: Plan
    store: Store
    sandbox: SandboxKind
    since: float


def open_session(panel: Panel, root: Path, sandbox: str | None, *, unsandboxed: bool, since: float | None = None) -> RunSession:
    """Plan a run. Raises UsageError for anything that cannot be: names, skills, and where agents may work."""
    planned = plan(panel)
    scripted = all(agent.scripted for agent in [make_agent(spec) for spec in panel.agents])
    kind = _kind(sandbox, scripted=scripted, unsandboxed=unsandboxed)
    return RunSession(planned, Store(root), kind, since or time.time())


def _kind(asked: str | None, *, scripted: bool, unsandboxed: bool) -> SandboxKind:
    if asked is None:
        return "local" if scripted else "docker"
    if asked == "local" and not scripted and not unsandboxed:
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
        from fixtures.sandbox.docker import DockerSandbox

        return DockerSandbox()
    from fixtures.sandbox.local import LocalSandbox

    return LocalSandbox()


def preflight(run: RunSession, sandbox: Sandbox) -> None:
    """Find out what would fail before the first trial does: browser, commands inside, packages. Raises SetupError."""
    try:
        sandbox.browser_version()
    except NoBrowser as error:
        raise SetupError(str(error)) from error
    missing = check_commands(getattr(sandbox, "commands", {}))
    if missing:
        raise SetupError(f"the sandbox's image lacks {', '.join(missing)}; `assay doctor` shows how it is made")
    run.plan.suite.prepare(sorted({spec.project for spec in run.plan.trials}))


def keep_inputs(run: RunSession, sandbox: Sandbox) -> None:
    """Put into the store what trials will read from it, and the plan itself, which says what records were made for."""
    for skill in run.plan.injected:
        keep_skill(run.store, skill)
    run.store.put_panel(run.plan.digest, as_json(run, sandbox))


def as_json(run: RunSession, sandbox: Sandbox) -> dict[str, Any]:
    """The plan as reports read it: every trial with its keys, what each counts for, and what is absent."""
    planned = run.plan
    keys: dict[str, str] = {}
    rows = []
    for spec in planned.trials:
        resolved = resolve(spec, sandbox)
        if spec.project not in keys:
            keys[spec.project] = grade_key(planned.suite, spec.project, resolved)
        rows.append(
            {"id": spec.id, "spec": spec.model_dump(mode="json"), "work": spec.work_key(resolved), "grade": keys[spec.project]}
        )
    return {
        "hash": planned.digest,
        "panel": planned.panel.model_dump(mode="json"),
        "families": {spec.project: planned.suite.family(spec.project) for spec in planned.trials},
        "trials": rows,
        "assignments": [item.model_dump(mode="json") for item in planned.assignments],
        "absent": [item.model_dump(mode="json") for item in planned.absent],
        "skills": {
            skill.id: {"bytes": skill.ref.size, "sha256": skill.ref.sha256, "notes": list(skill.notes)}
            for skill in planned.skills.values()
        },
    }
