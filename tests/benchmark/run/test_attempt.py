"""What one attempt is taken for: what the agent tells, against what was heard at the gateway."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agents.base import AttemptRequest, AttemptResult, WorkspaceFiles
from agents.scripted.noop import NoopAgent
from agents.scripted.scripted import Scripted
from agents.trajectory.atif import Builder
from benchmark.core.errors import BudgetReached, Fault
from benchmark.core.files import MAX_BYTES, Files, text_files
from benchmark.core.model import AgentSpec, Delivery, Limits, Usage
from benchmark.run.attempt import AttemptRun, run_attempt, sent_texts
from benchmark.suite.contract import TrialContext
from fixtures.gateway.data import GONE, AttemptTraffic, Exchange
from fixtures.sandbox.local import LocalWorkspace
from skills.parsing.parse import Skill
from tests.factory import skill, spec, usage

ASK = AttemptRequest("Do it.", 1, 1, Limits(turns=3), "noise")
BODY = {"model": "m", "messages": [{"role": "user", "content": "Do it."}, {"role": "assistant", "content": "I did."}]}


BOXES: list[LocalWorkspace] = []


@pytest.fixture(autouse=True)
def box(tmp_path: Path) -> Iterator[LocalWorkspace]:
    """The workspace of every attempt of a test."""
    BOXES.append(LocalWorkspace(tmp_path))
    yield BOXES[-1]
    BOXES.pop().close()


def exchange(number: int = 1, **changes: Any) -> Exchange:
    fields = {"number": number, "wire": "chat", "kind": "generate", "model": "m", "status": 200, "started": 0.0, "seconds": 1.0}
    return Exchange.model_validate(fields | {"usage": usage(10)} | changes)


def heard(*exchanges: Exchange, bodies: Sequence[Any] = (), **changes: Any) -> AttemptTraffic:
    logged = list(enumerate(bodies or [BODY] * len(exchanges), 1))
    return AttemptTraffic(exchanges, usage(10 * len(exchanges)), bodies=lambda: iter(logged), **changes)


@dataclass
class Line:
    """The gateway's side, with what it heard."""

    said: AttemptTraffic
    begun: list[Limits] = field(default_factory=list)

    def begin(self, limits: Limits) -> None:
        self.begun.append(limits)

    def end(self) -> AttemptTraffic:
        return self.said


class Told(Scripted):
    """Says what it is made to say, and does what it is made to do."""

    name = "told"
    bundled = frozenset({"its-own"})

    def __init__(
        self, spec: AgentSpec, fails: bool = False, does: Callable[[WorkspaceFiles], object] | None = None, **run: Any
    ) -> None:
        super().__init__(spec)
        self._run, self._fails, self._does = run, fails, does

    def run(self, request: AttemptRequest, workspace: WorkspaceFiles) -> AttemptResult:
        if self._does:
            self._does(workspace)
        if self._fails:
            raise Fault("the sandbox has gone")
        builder = Builder(self.name, self.version)
        builder.user(request.prompt)
        return AttemptResult(builder.build(), Usage(reason="not told"), **self._run)


def room(agent: Any, line: Line | None, injected: Skill | None = None, delivery: Delivery = "native") -> TrialContext:
    made = spec("tiny", "C1" if injected else "C0")
    if injected:
        made = made.model_copy(update={"skill": injected.ref, "delivery": delivery})
    nothing: Any = None
    where: Any = line
    return TrialContext(made, agent, injected, BOXES[-1], where, nothing)


def worked(said: AttemptTraffic, injected: Skill | None = None, delivery: Delivery = "native", **run: Any) -> AttemptRun:
    return run_attempt(room(Told(AgentSpec(name="told"), **run), Line(said), injected, delivery), ASK, {}, [])


def test_the_gateways_count_is_the_one_that_counts_and_the_agents_own_is_kept_beside_it() -> None:
    line = Line(heard(exchange(1), exchange(2)))
    done = run_attempt(room(Told(AgentSpec(name="told")), line), ASK, {}, [])
    assert line.begun == [ASK.limits]
    assert (done.usage.tokens, done.reported, done.limit, done.evidence) == (20, Usage(reason="not told"), None, None)


def test_a_scripted_agents_own_estimate_counts() -> None:
    target = skill("target", 400)
    ask = AttemptRequest(f"<skill>\n{target.text}\n</skill>\nDo it.", 1, 1, Limits(), "noise")
    done = run_attempt(room(NoopAgent(AgentSpec(name="noop")), None, target, "prompt"), ask, {}, [])
    assert (done.usage.source, done.reported) == ("estimate", None)
    assert done.evidence and (done.evidence.requests, done.evidence.carrying) == (1, 1)


def test_a_fault_at_the_provider_is_never_an_outcome() -> None:
    with pytest.raises(Fault, match="429: slow down"):
        worked(heard(exchange(status=429), fault="429: slow down"))
    with pytest.raises(Fault, match="429: slow down"):
        worked(heard(exchange(status=429), fault="429: slow down"), fault="told: it gave up")


def test_a_limit_is_an_outcome_whatever_the_client_made_of_it() -> None:
    assert worked(heard(exchange(), limit="tokens")).limit == "tokens"
    assert worked(heard(exchange(), limit="tokens"), fault="told: API error 400").limit == "tokens"
    assert worked(heard(exchange(), limit="context"), limit="turns").limit == "context"
    assert worked(heard(exchange()), limit="seconds").limit == "seconds"
    assert worked(heard(exchange(), limit="turns", fault="400")).limit == "turns"


def test_a_limit_that_ended_it_before_it_asked_anything_is_an_outcome() -> None:
    done = worked(heard(), limit="seconds")
    assert (done.limit, done.usage.tokens) == ("seconds", 0)


def test_a_spent_budget_goes_before_everything_else() -> None:
    spent = heard(exchange(), budget=True, fault="400: the budget is spent")
    with pytest.raises(BudgetReached, match="--budget-usd"):
        worked(spent, fault="told: API error")
    with pytest.raises(BudgetReached, match="--budget-usd"):
        worked(spent, fails=True)


def test_an_agent_that_came_to_nothing_before_the_model_answered_is_our_fault() -> None:
    for none in (exchange(status=400), exchange(status=GONE), exchange(status=529), exchange(refused="turns", status=400)):
        with pytest.raises(Fault, match="told: it ended with exit code 127"):
            worked(heard(none), fault="told: it ended with exit code 127")
    with pytest.raises(Fault, match="the sandbox has gone"):
        worked(heard(exchange()), fails=True)
    with pytest.raises(Fault, match="429: slow down"):
        worked(heard(exchange(), fault="429: slow down"), fails=True)


@pytest.mark.parametrize("fault", ["told: it ended with exit code 127: no such file", "told: its log is empty"])
def test_an_agent_that_comes_to_nothing_once_the_model_has_answered_is_the_attempts_reason(fault: str) -> None:
    done = worked(heard(exchange(1), exchange(2, status=400)), fault=fault)
    assert (done.limit, done.reason) == (None, fault)
    limited = worked(heard(exchange(), limit="tokens"), fault=fault)
    assert (limited.limit, limited.reason) == ("tokens", None)


@pytest.mark.parametrize("exchanges", [(), (exchange(kind="count"),)], ids=["nothing", "a count of tokens"])
def test_an_agent_that_asked_the_model_nothing_shows_nothing(exchanges: tuple[Exchange, ...]) -> None:
    with pytest.raises(Fault, match="ended without having asked the model anything"):
        worked(heard(*exchanges))


def test_an_agent_whose_requests_were_all_refused_says_why() -> None:
    refused = exchange(status=400, rejected="messages is a text and has to be a list")
    with pytest.raises(Fault, match="ended without having asked the model anything; messages is a text and has to be a list"):
        worked(heard(refused, refused))
    assert worked(heard(exchange(), refused)).limit is None


def test_only_the_skill_of_the_arm_may_be_offered() -> None:
    target = skill("target", 400)
    assert worked(heard(exchange()), target, offered=("its-own", "target")).run.offered == ("its-own", "target")
    assert worked(heard(exchange()), offered=("its-own",)).run.offered == ("its-own",)
    for injected, offered in ((target, ("target", "stray")), (None, ("target",)), (None, ("stray", "its-own"))):
        with pytest.raises(Fault, match=r"skills that were not to be there: (stray|target)$"):
            worked(heard(exchange()), injected, offered=offered)
    with pytest.raises(Fault, match="not to be there: target"):
        worked(heard(exchange()), target, "prompt", offered=("target",))


def test_a_skill_that_the_agent_made_itself_at_an_earlier_attempt_breaks_nothing() -> None:
    told = Told(AgentSpec(name="told"), offered=("mine", "its-own"))
    there = {"index.html": b"", ".agents/skills/mine/SKILL.md": b"---\n---\n", "mine.md": b""}
    assert run_attempt(room(told, Line(heard(exchange()))), ASK, there, []).run.offered == ("mine", "its-own")
    with pytest.raises(Fault, match="not to be there: mine"):
        run_attempt(room(told, Line(heard(exchange()))), ASK, {".agents/skills/other/SKILL.md": b""}, [])


def test_evidence_is_of_what_was_sent_and_not_of_what_the_model_said() -> None:
    target = skill("target", 400)
    here = {"messages": [{"role": "user", "content": f"{target.text}\nDo it."}]}
    said = {"messages": [{"role": "user", "content": "Do it."}, {"role": "assistant", "content": target.text}]}
    done = worked(heard(exchange(1), exchange(2), bodies=[said, here]), target, "prompt")
    assert done.evidence and (done.evidence.requests, done.evidence.carrying) == (2, 1)


def test_requests_that_never_reached_the_model_were_not_sent() -> None:
    exchanges = exchange(1), exchange(2, kind="count"), exchange(3, refused="tokens"), exchange(4)
    assert list(sent_texts(heard(*exchanges, bodies=[BODY, BODY, None, "torn", BODY]))) == ["Do it."]


def test_files_that_are_no_text_have_no_words() -> None:
    assert text_files({"a": "ü\n".encode(), "b": b"\xff\xfe", "c": b""}) == ["ü\n", ""]


def test_an_attempt_starts_from_its_workspace_and_nothing_else_and_says_what_it_left(box: LocalWorkspace) -> None:
    box.write({"of-an-earlier-attempt": b"1"})
    found: list[Files] = []

    def does(workspace: WorkspaceFiles) -> None:
        found.append(workspace.files())
        workspace.write({"b": b"2"})

    told = room(Told(AgentSpec(name="told"), does=does), Line(heard(exchange())))
    done = run_attempt(told, ASK, {"a": b"1"}, [], prepare=lambda prepared: prepared.write({"from-the-suite": b""}))
    assert found == [{"a": b"1", "from-the-suite": b""}]
    assert (done.files, done.limit, done.reason) == ({"a": b"1", "b": b"2", "from-the-suite": b""}, None, None)


def test_a_workspace_that_cannot_be_kept_is_as_it_was_before() -> None:
    def does(workspace: WorkspaceFiles) -> None:
        workspace.write({"big": b"\0" * (MAX_BYTES + 1)})

    done = run_attempt(room(Told(AgentSpec(name="told"), does=does), Line(heard(exchange()))), ASK, {"a": b"1"}, [])
    assert (done.files, done.limit, done.reason) == ({"a": b"1"}, "workspace size", None)
