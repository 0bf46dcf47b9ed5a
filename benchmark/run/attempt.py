"""One attempt of an agent, as every suite makes it: let it work in a new workspace, read at the gateway what was sent and
answered
meanwhile, and read what it left."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from agents.base import AttemptRequest, AttemptResult
from benchmark.core.errors import BudgetReached, Fault
from benchmark.core.files import Files, TooMuch, Unreadable, UnsafeName, names
from benchmark.core.model import Evidence, Usage
from benchmark.store.budget import BUDGET_EXHAUSTED
from benchmark.suite.contract import TrialContext
from fixtures.gateway.wires.wire_formats import prompt_text
from fixtures.sandbox.base import Workspace
from skills.delivery.evidence import look, marks

if TYPE_CHECKING:
    from fixtures.gateway.client import AttemptTraffic, TrialChannel


@dataclass(frozen=True)
class AttemptRun:
    """The outcome of an attempt. `usage` is the gateway's count (a scripted agent's own estimate), `reported` the agent's.

    `files` is the workspace that it left, and the one it found where what it left cannot be kept; `limit` and `reason` say what
    stopped it or spoiled its work. `seconds` is how long the agent worked.
    """

    run: AttemptResult
    usage: Usage
    reported: Usage | None
    files: Files
    limit: str | None
    reason: str | None
    evidence: Evidence | None
    seconds: float


def run_attempt(
    context: TrialContext,
    request: AttemptRequest,
    there: Files,
    known: Sequence[str],
    prepare: Callable[[Workspace], object] | None = None,
) -> AttemptRun:
    """Let the trial's agent work on `ask` in a workspace that is new but for `there`, its workspace: of earlier attempts
    only what was recorded lives on.

    `known` are the task's own texts, which are no evidence of a skill; `prepare` is run in the workspace before the agent
    starts, for
    the services that a task has. Raises Fault when what stopped it was our side or the provider, BudgetReached when the run's
    money is spent. Once the model has answered, what an agent can bring about is never a fault: it is the attempt's `limit` or
    `reason`.
    """
    context.workspace.reset(there)
    if prepare:
        prepare(context.workspace)
    started = time.monotonic()
    if context.channel is None:
        run = context.agent.run(request, context.workspace)
        seconds = time.monotonic() - started
        usage, reported, limit, reason, requests = run.usage, None, run.limit, run.fault, [request.prompt]
    else:
        run, heard = _asking(context, context.channel, request)
        seconds = time.monotonic() - started
        limit = heard.limit or run.limit
        reason = _reason(context, run, heard, limit, skills_in(there))
        usage, reported, requests = heard.usage, run.usage, sent_texts(heard)
    files, unkept, unread = _left(context.workspace, there)
    evidence = _evidence(context, requests, known)
    return AttemptRun(run, usage, reported, files, limit or unkept, reason or unread, evidence, seconds)


def _asking(context: TrialContext, channel: "TrialChannel", request: AttemptRequest) -> "tuple[AttemptResult, AttemptTraffic]":
    """Let an agent with a model work. Raises Fault and BudgetReached where nothing can be said of its work."""
    channel.begin(request.limits)
    failure = None
    try:
        run = context.agent.run(request, context.workspace)
    except Fault as fault:
        run, failure = None, fault
    heard = channel.end()
    if heard.budget:
        raise BudgetReached(BUDGET_EXHAUSTED)
    if heard.fault and not heard.limit:
        raise Fault(heard.fault)
    if run is None:
        raise failure or Fault("the agent came to nothing")
    return run, heard


def _left(box: Workspace, before: Files) -> tuple[Files, str | None, str | None]:
    """The workspace as the agent left it. What cannot be kept cannot be carried on: then it is as it was before, with the limit
    that was passed or the reason why it cannot be read."""
    try:
        return box.files(), None, None
    except TooMuch:
        return before, "workspace size", None
    except UnsafeName:
        return before, "file names", None
    except Unreadable as error:
        return before, None, str(error)


def sent_texts(heard: "AttemptTraffic") -> Iterator[str]:
    """The texts that the model was sent, one a request, without what it said itself; read from the log one at a time."""
    asked = {item.number for item in heard.exchanges if item.kind == "generate" and item.refused is None}
    return request_texts(body for number, body in heard.bodies() if number in asked)


def request_texts(bodies: Iterable[Any]) -> Iterator[str]:
    """The texts in the bodies of requests."""
    return (prompt_text(body) for body in bodies if isinstance(body, dict))


def skills_in(workspace: Files) -> set[str]:
    """The names of the skills in a workspace: of the agent's own making, and none that came from anywhere else."""
    paths = map(PurePosixPath, workspace)
    return {path.parent.name for path in paths if path.name == "SKILL.md"}


def _reason(
    context: TrialContext, run: AttemptResult, heard: "AttemptTraffic", limit: str | None, made: set[str]
) -> str | None:
    """Why the agent produced nothing although no limit stopped it; `made` are skills of its own making.

    Raises Fault where nothing can be concluded from what it did: it had not started to work, or had what was not its own.
    """
    answered = any(item.kind == "generate" and item.refused is None and item.status < 400 for item in heard.exchanges)
    if run.fault and not limit and not answered:
        raise Fault(run.fault)
    requests = [item for item in heard.exchanges if item.kind == "generate"]
    if all(item.rejected for item in requests) and not limit:
        why = f"; {requests[0].rejected}" if requests else ""
        raise Fault(f"{context.spec.agent.name} ended without having asked the model anything{why}")
    expected = {context.skill.name, context.skill.ref.folder} if context.skill and context.spec.delivery != "prompt" else set()
    strange = sorted(set(run.offered or ()) - context.agent.bundled - expected - made)
    if strange:
        raise Fault(f"{context.spec.agent.name} offered its model skills that were not to be there: {names(strange)}")
    return None if limit else run.fault


def _evidence(context: TrialContext, requests: Iterable[str], known: Sequence[str]) -> Evidence | None:
    return look(marks(context.skill, known), requests) if context.skill else None
