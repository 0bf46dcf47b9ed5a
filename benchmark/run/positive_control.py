"""The positive control of an agent: a skill that is there must be seen as opened, and one that is not must not be seen.

An instrument that cannot see a skill being opened would call every skill unread. The control runs with the real client in
the real sandbox; without a key a scripted model makes the client open the skill, so that only the model is missing.
"""

import inspect
import json
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from agents.base import AttemptRequest
from agents.clients import logs as agent_logs
from agents.clients.client import Client, skill_path
from agents.clients.script import ScriptedTurn
from agents.registry import make_agent
from agents.trajectory.atif import problems
from benchmark.core.errors import Fault, SetupError, UsageError
from benchmark.core.files import hash_json, sha256
from benchmark.core.model import AgentSpec, Data, Delivery, Evidence, Limits, Usage
from benchmark.run.attempt import sent_texts
from benchmark.run.trial import workspace_spec
from fixtures.gateway.client import Gateway, opened
from fixtures.packages.packages import cache_folder
from fixtures.sandbox.base import Sandbox, WorkspaceSpec
from skills.delivery import evidence
from skills.delivery.deliver import mounted, preamble
from skills.delivery.evidence import look, marks
from skills.parsing.parse import Skill, load_skill, usable

SKILL = Path(__file__).parents[2] / "skills" / "control" / "tide-table-footer"
TASK = "Write the footer of the tide table into footer.txt."
LIMITS = Limits(seconds=300, turns=20)
SCRIPTED_MODEL = "scripted-model"


class Control(Data):
    """What the control showed. `ok` when all that must hold does; `reason` names the first thing that does not.

    `listed` and `opened` say whether they were seen, `listed_at` and `opened_at` in which request; `clean` that the same client
    without the skill showed nothing of it. `usage` is the gateway's count, `reported` the client's own.
    """

    agent: str
    version: str
    model: str
    scripted_model: bool
    delivery: Delivery
    installed: bool
    listed: bool
    listed_at: int | None
    opened: bool
    opened_at: int | None
    bytes: int
    body_bytes: int
    clean: bool
    offered: tuple[str, ...] | None
    usage: Usage
    reported: Usage
    problems: tuple[str, ...]
    seconds: float
    ok: bool
    reason: str | None = None


def control(spec: AgentSpec, sandbox: Sandbox) -> Control:
    """Run the control for the agent that `spec` names; without a model in it against a scripted one.

    Raises SetupError and Fault when it could not be run at all.
    """
    with ExitStack() as exits:
        scripted = spec.model is None
        skill = usable(load_skill(SKILL))
        if scripted:
            spec = exits.enter_context(_scripted(spec, skill))
        agent = make_agent(spec)
        if agent.scripted:
            raise UsageError(f"{spec.name} asks no model: what it is given is in its prompt, there is nothing to prove")
        gateway = exits.enter_context(opened([spec.model]))
        gateway.check(spec, agent.provider)
        delivery: Delivery = "forced" if "forced" in agent.deliveries else "prompt"
        started = time.monotonic()
        with_skill = _attempt(spec, sandbox, gateway, skill, delivery)
        seconds = round(time.monotonic() - started, 2)
        without = _attempt(spec, sandbox, gateway, None, delivery)
        return _concluded(spec, agent.version, scripted, delivery, skill, with_skill, without, seconds)


def require(spec: AgentSpec, sandbox: Sandbox) -> None:
    """See that the agent passes its control on this machine; a pass is remembered for its version, adapter and image.

    Raises SetupError where it does not: such an agent is not measured.
    """
    agent = make_agent(spec)
    if not isinstance(agent, Client):
        return
    # All of the adapter, its settings and its reader included, and what is looked for.
    sources = [inspect.getsource(module) for module in (inspect.getmodule(type(agent)), agent_logs, evidence) if module]
    key = hash_json([agent.name, agent.version, sources, sandbox.image(), load_skill(SKILL).ref.tree])
    passed = cache_folder() / "controls" / f"{key[:24]}.json"
    if passed.exists():
        return
    try:
        found = control(AgentSpec(name=spec.name, options=spec.options), sandbox)
    except Fault as fault:
        raise SetupError(f"{spec.name}: its positive control could not be run: {fault}") from fault
    if not found.ok:
        raise SetupError(f"{spec.name} is not measured: {found.reason}; see assay doctor --agent {spec.name}")
    passed.parent.mkdir(parents=True, exist_ok=True)
    fresh = passed.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps(found.model_dump(mode="json"), indent=1), encoding="utf-8")
    fresh.replace(passed)


@contextmanager
def _scripted(spec: AgentSpec, skill: Skill) -> Iterator[AgentSpec]:
    """The agent with a scripted model that opens the skill where one is, and ends at once where none is."""
    # late: costs 0.2 s (aiohttp), and only a control plays a model
    from fixtures.gateway.models.scripted import scripted

    kind = _client(spec.name)
    turns: list[ScriptedTurn] = [{"text": "The footer is written."}]
    opening = kind.opening(skill.ref.folder, skill_path(kind, skill.ref.folder)) if kind else turns
    # Only the arm with the skill is told to use it.
    script = {"match": [[preamble(skill, "forced").strip(), opening]], "turns": turns}
    provider = (kind.provider if kind else None) or "openai"
    with scripted(script, models=[SCRIPTED_MODEL]) as server:
        yield spec.model_copy(update={"model": f"{provider}/{SCRIPTED_MODEL}", "api_base": server.url})


def _client(name: str) -> Client | None:
    agent = make_agent(AgentSpec(name=name, model=SCRIPTED_MODEL))
    return agent if isinstance(agent, Client) else None


class _ControlAttempt(Data):
    installed: dict[str, str]
    evidence: Evidence
    offered: tuple[str, ...] | None
    usage: Usage
    reported: Usage
    problems: tuple[str, ...]


def _attempt(spec: AgentSpec, sandbox: Sandbox, gateway: Gateway, skill: Skill | None, delivery: Delivery) -> _ControlAttempt:
    agent = make_agent(spec)
    target = usable(load_skill(SKILL))
    with gateway.open(f"control/{'C1' if skill else 'C0'}", spec, agent.provider) as line:
        dressed: WorkspaceSpec = workspace_spec(agent, mounted(skill, delivery) if skill else {}, delivery, line, sandbox)
        with sandbox.workspace(dressed) as box:
            prompt = f"{preamble(skill, delivery) if skill else ''}{TASK}"
            line.begin(LIMITS)
            run = agent.run(AttemptRequest(prompt, 1, 1, LIMITS, "control", endpoint=line), box)
            heard = line.end()
            if heard.fault or run.fault:
                raise Fault(heard.fault or run.fault or "")
            return _ControlAttempt(
                installed=box.installed(),
                evidence=look(marks(target, [TASK]), sent_texts(heard)),
                offered=run.offered,
                usage=heard.usage,
                reported=run.usage,
                problems=tuple(problems(run.trajectory)),
            )


def _concluded(
    spec: AgentSpec,
    version: str,
    scripted: bool,
    delivery: Delivery,
    skill: Skill,
    one: _ControlAttempt,
    none: _ControlAttempt,
    seconds: float,
) -> Control:
    installed = one.installed == {name: sha256(data) for name, data in mounted(skill, delivery).items()}
    clean = none.evidence.listed is None and none.evidence.opened is None
    seen = one.evidence
    failures = [
        (installed, "the skill's files are not in the sandbox as they should be"),
        (seen.listed is not None, "the client never listed the skill to its model"),
        (seen.opened is not None, "the skill was not seen as opened"),
        (clean, "the skill was seen although it was not there"),
        (not one.problems, f"its trajectory is faulty: {one.problems[0] if one.problems else ''}"),
    ]
    reason = next((words for held, words in failures if not held), None)
    return Control(
        agent=spec.name,
        version=version,
        model=spec.model or "",
        scripted_model=scripted,
        delivery=delivery,
        installed=installed,
        listed=seen.listed is not None,
        listed_at=seen.listed,
        opened=seen.opened is not None,
        opened_at=seen.opened,
        bytes=seen.bytes,
        body_bytes=seen.body_bytes,
        clean=clean,
        offered=one.offered,
        usage=one.usage,
        reported=one.reported,
        problems=one.problems,
        seconds=seconds,
        ok=reason is None,
        reason=reason,
    )
