"""One attempt of an agent, as every suite makes it: let it work, and hear at the gateway what went to and fro meanwhile."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from agents.base import Ask, Run
from benchmark.errors import BudgetReached, Fault
from benchmark.files import Files, names
from benchmark.model import Evidence, Usage
from benchmark.purse import SPENT
from benchmark.suites import Room
from skills.evidence import look, marks

if TYPE_CHECKING:
    from fixtures.gateway.client import Heard


@dataclass(frozen=True)
class Worked:
    """What an attempt came to. `usage` is the gateway's count (a scripted agent's own estimate), `reported` the agent's."""

    run: Run
    usage: Usage
    reported: Usage | None
    limit: str | None
    evidence: Evidence | None


def work(room: Room, ask: Ask, there: Files, known: Sequence[str]) -> Worked:
    """Let the room's agent work on `ask`. `there` is the workspace as it is now; `known` are the task's own texts, which are no
    evidence of a skill.

    Raises Fault when what stopped it was our side or the provider, BudgetReached when the run's money is spent.
    """
    if room.line is None:
        run = room.agent.run(ask, room.box)
        return Worked(run, run.usage, None, run.limit, _evidence(room, [ask.prompt], known))
    room.line.begin(ask.limits)
    failure = None
    try:
        run = room.agent.run(ask, room.box)
    except Fault as fault:
        run, failure = None, fault
    heard = room.line.end()
    if heard.budget:
        raise BudgetReached(SPENT)
    if heard.fault and not heard.limit:
        raise Fault(heard.fault)
    if run is None:
        raise failure or Fault("the agent came to nothing")
    limit = heard.limit or run.limit
    _sound(room, run, heard, limit, skills_in(there))
    return Worked(run, heard.usage, run.usage, limit, _evidence(room, sent(heard), known))


def sent(heard: "Heard") -> list[str]:
    """The texts that the model was sent, one a request, without what it said itself."""
    return texts([item.body for item in heard.exchanges if item.kind == "generate" and item.refused is None])


def texts(bodies: Sequence[Any]) -> list[str]:
    """The texts in the bodies of requests."""
    from fixtures.gateway.wires import heard as words

    return [words(body) for body in bodies if isinstance(body, dict)]


def skills_in(workspace: Files) -> set[str]:
    """The names of the skills in a workspace: of the agent's own making, and none that came from anywhere else."""
    paths = map(PurePosixPath, workspace)
    return {path.parent.name for path in paths if path.name == "SKILL.md"}


def _sound(room: Room, run: Run, heard: "Heard", limit: str | None, made: set[str]) -> None:
    """Raise Fault where nothing can be concluded from what the agent did; `made` are skills of its own making."""
    if run.fault and not limit:
        raise Fault(run.fault)
    requests = [item for item in heard.exchanges if item.kind == "generate"]
    if all(item.rejected for item in requests) and not limit:
        why = f"; {requests[0].rejected}" if requests else ""
        raise Fault(f"{room.spec.agent.name} ended without having asked the model anything{why}")
    expected = {room.skill.name, room.skill.ref.folder} if room.skill and room.spec.delivery != "prompt" else set()
    strange = sorted(set(run.offered or ()) - room.agent.bundled - expected - made)
    if strange:
        raise Fault(f"{room.spec.agent.name} offered its model skills that were not to be there: {names(strange)}")


def _evidence(room: Room, requests: Sequence[str], known: Sequence[str]) -> Evidence | None:
    return look(marks(room.skill, known), requests) if room.skill else None


def words_of(files: Files) -> list[str]:
    """The text files among `files`."""
    found = []
    for data in files.values():
        try:
            found.append(data.decode("utf-8"))
        except UnicodeDecodeError:
            continue
    return found
