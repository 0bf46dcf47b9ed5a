"""Run one trial: sandbox → deliver → agent → grade → record. The only place where agents, skills and fixtures meet."""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.base import Agent
from agents.clients.client import Client
from agents.registry import make_agent, model_id
from benchmark.core.errors import BudgetReached, Fault, StoreFailed, UsageError, unforeseen
from benchmark.core.files import hash_json
from benchmark.core.model import Delivered, Delivery, Evidence, Record, Resolved, SkillRef, TrialSpec, total
from benchmark.judging.channel import ModelJudge, judge_of
from benchmark.run import interrupts
from benchmark.store.store import Store
from benchmark.suite.capabilities import Judged
from benchmark.suite.contract import Grading, Suite, TrialContext
from benchmark.suite.discovery import suite_of
from fixtures.packages.clients import installed
from fixtures.sandbox.base import Sandbox, WorkspaceSpec
from skills.delivery.deliver import delivery_failure, mounted
from skills.parsing.parse import Skill, as_skill

if TYPE_CHECKING:
    from fixtures.gateway.client import Gateway, TrialChannel


def resolve(spec: TrialSpec, suite: Suite, sandbox: Sandbox, agent: Agent | None = None) -> Resolved:
    """What the names in a spec stand for on this machine today; `agent` is who works, by default whom the spec names."""
    return Resolved(
        agent_version=(agent or make_agent(spec.agent)).version,
        sandbox=sandbox.kind,
        image=sandbox.image(suite.image(spec.project)),
        versions=tool_versions(spec, suite, sandbox),
    )


def tool_versions(spec: TrialSpec, suite: Suite, sandbox: Sandbox) -> dict[str, str]:
    """The tools that grade a trial with their versions: what the suite declares, and the judge's model."""
    versions = suite.grading_tools(sandbox)
    return {**versions, "judge": model_id(spec.judge)} if isinstance(suite, Judged) and spec.judge else versions


def grade_key(suite: Suite, project: str, resolved: Resolved) -> str:
    """The hash of all that decides how a workspace is graded: checks, grader, and the tools that the suite declares."""
    return hash_json([suite.grade_key(project), resolved.versions])


def run_trial(
    spec_json: str,
    root: Path,
    sandbox: Sandbox,
    gateway: "Gateway | None",
    needs: Sequence[Record] = (),
    agent: Agent | None = None,
) -> str:
    """Run the trial that `spec_json` describes and append its record to the store at `root`; the record as JSON.

    `agent` works on it, by default the one that the spec names. `needs` are the records of the trials that the spec needs, as
    far as there are any. Skills come from the store's blobs, never from host paths. A fault of ours gives a record that is
    `broken`; what the agent ran into is an outcome. Raises UsageError for a spec that this checkout cannot run, BudgetReached,
    StoreFailed, and KeyboardInterrupt where one came meanwhile, whatever became of it: nothing is recorded then.
    """
    spec = TrialSpec.model_validate_json(spec_json)
    store = Store(root)
    try:
        suite = suite_of(spec, store)
    except KeyError as error:
        raise Fault(f"{spec.id}: {error.args[0]}; plan the trial again with the same store") from error
    if suite.inputs(spec.project) != spec.inputs or suite.protocol != spec.protocol:
        raise Fault(f"{spec.id}: the project or the protocol changed since the trial was planned; plan again")
    made = {item.spec.id: item for item in needs}
    record = _measure(spec, store, suite, sandbox, gateway, made, agent or make_agent(spec.agent))
    interrupts.check()
    store.append(record)
    return record.model_dump_json()


def _measure(
    spec: TrialSpec,
    store: Store,
    suite: Suite,
    sandbox: Sandbox,
    gateway: "Gateway | None",
    made: Mapping[str, Record],
    agent: Agent,
) -> Record:
    resolved = resolve(spec, suite, sandbox, agent)
    skill = load_from(store, spec.skill) if spec.skill else None
    key = grade_key(suite, spec.project, resolved)
    base: dict[str, Any] = {
        "spec": spec,
        "work": spec.work_key(resolved),
        "grade": key,
        "resolved": resolved,
        "scripted": agent.scripted,
        "task_count": suite.task_count(spec.project),
        "package_version": version("skill-assay"),
        "started": time.time(),
    }
    delivery = spec.delivery or "prompt"
    files = mounted(skill, delivery) if skill else {}
    clock = time.monotonic()
    line: TrialChannel | None = None
    judge: ModelJudge | None = None
    with ExitStack() as exits:
        try:
            needs = _needed(spec, made)
            if isinstance(suite, Judged):
                judge = judge_of(spec, store, gateway)
            if not agent.scripted:
                if gateway is None:
                    raise Fault(f"{spec.id}: there is no gateway, and {spec.agent.name} asks a model")
                line = exits.enter_context(gateway.open(spec.id, spec.agent, agent.provider))
            described = workspace_spec(agent, files, delivery, line, sandbox)
            workspace = exits.enter_context(sandbox.workspace(replace(described, image=suite.image(spec.project))))
            grading = Grading(sandbox, store, key, judge, resolved.versions)
            context = TrialContext(spec, agent, skill, workspace, line, grading, needs)
            installed, manifest = workspace.installed(), workspace.manifest()
            tasks = suite.run(context)
        except (BudgetReached, UsageError, StoreFailed):
            raise
        except Exception as error:
            interrupts.check()
            # A fault that nobody foresaw is ours as well: recorded with its place, never taken for the agent's failure.
            reason = str(error) if isinstance(error, Fault) else unforeseen(error)
            sent = Delivered(wire=store.put_file(line.wire_log()) if line else None)
            took = round(time.monotonic() - clock, 3)
            spent = judge.usage if judge else None
            return Record(**base, status="broken", reason=reason, seconds=took, delivered=sent, judge_usage=spent)
        wire = store.put_file(line.wire_log()) if line else None
    attempts = [attempt for task in tasks for attempt in task.attempts]
    seen = [attempt.evidence or Evidence() for attempt in attempts]
    reason = delivery_failure(spec.condition, spec.delivery, skill, installed, seen)
    return Record(
        **base,
        status="not_delivered" if reason else "measured",
        reason=reason,
        seconds=round(time.monotonic() - clock, 3),
        tasks=tuple(tasks),
        usage=total([attempt.usage for attempt in attempts]),
        judge_usage=judge.usage if judge else None,
        needs={item.spec.id: _last_workspace(item) for item in needs.values()},
        delivered=Delivered(installed=installed, manifest=manifest, wire=wire),
    )


def _needed(spec: TrialSpec, made: Mapping[str, Record]) -> dict[str, Record]:
    """The records that a trial needs, by project. Raises Fault for one that is not there or was not measured."""
    for need in spec.needs:
        record = made.get(need.id)
        if record is None or record.status != "measured":
            raise Fault(f"needs {need.id}, which is {record.status if record else 'not there'}")
    return {need.project: made[need.id] for need in spec.needs}


def _last_workspace(record: Record) -> str:
    """The workspace that a trial ended with."""
    return [attempt.workspace for task in record.tasks for attempt in task.attempts][-1]


def workspace_spec(
    agent: Agent, files: Mapping[str, bytes], delivery: Delivery, channel: "TrialChannel | None", sandbox: Sandbox
) -> WorkspaceSpec:
    """What a workspace holds: the skill's files where this delivery puts them, the client, and the way to the model."""
    client = agent if isinstance(agent, Client) else None
    return WorkspaceSpec(
        skill=files,
        skills=client.skills if client else None,
        native=delivery != "prompt",
        binds=bindings(client, sandbox) if client else {},
        # Only what runs inside needs a way out of it: `web` asks from outside.
        endpoint=channel.folder if client and channel else None,
    )


def bindings(client: Client, sandbox: Sandbox) -> dict[str, str]:
    """The client's installation, from the cache. Raises SetupError where it cannot be had."""
    return installed(client, python_of(sandbox))


def python_of(sandbox: Sandbox) -> str:
    """The version of the sandbox's own interpreter, such as 3.11."""
    said = getattr(sandbox, "commands", {}).get("python3") or ""
    return ".".join(said.removeprefix("Python ").split(".")[:2])


def keep_skill(store: Store, skill: Skill) -> None:
    """Put a skill's bytes into the store, where trials find it by its hash."""
    store.put_tree({**skill.files, "SKILL.md": skill.data})


def load_from(store: Store, ref: SkillRef) -> Skill:
    """The skill that `ref` names, from the store. Raises Fault when its bytes are not there."""
    try:
        return as_skill(ref.id, store.get_tree(ref.tree), ref.folder)
    except KeyError as error:
        raise Fault(f"skill {ref.id}: {error.args[0]}; plan the trial again with the same store") from error
