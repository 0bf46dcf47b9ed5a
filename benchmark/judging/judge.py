"""A model that judges: asked through a gateway of its own, its money metered, its answers read as JSON and nothing else."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from agents.llm import ApiRefused, Content, ContextOverflow, Message, chat
from agents.pricing import affordable
from benchmark.core.errors import BudgetReached, Fault
from benchmark.core.model import AgentSpec, Limits, Usage, total
from benchmark.store.budget import BUDGET_EXHAUSTED
from benchmark.store.store import Store
from fixtures.gateway.client import Gateway, TrialChannel, opened
from fixtures.gateway.providers.providers import route
from skills.profile.workflow import Rejected

SECONDS = 600.0
#: What is repeated of an answer that was no good.
REPEATED = 20_000
T = TypeVar("T")


class Judge:
    """A model behind a gateway; every question is asked in a session of its own."""

    def __init__(self, gateway: Gateway, spec: AgentSpec) -> None:
        self._gateway = gateway
        self._spec = spec

    @contextmanager
    def session(self, about: str) -> Iterator["JudgeSession"]:
        """A conversation about one thing, which the gateway knows by this name."""
        with self._gateway.open(f"judge/{about}", self._spec, None) as line:
            yield JudgeSession(line)


class JudgeSession:
    """One question, asked again at most once. `usage` is the gateway's count of all of it, `asked` how often."""

    def __init__(self, channel: "TrialChannel") -> None:
        self._line = channel
        self._usages: list[Usage] = []
        self._last = ""

    @property
    def usage(self) -> Usage:
        return total(self._usages)

    @property
    def asked(self) -> int:
        return len(self._usages)

    @property
    def last(self) -> str:
        """The words of the last answer."""
        return self._last

    def ask(self, question: Content, validate: Callable[[Any], T]) -> T:
        """What `accept` makes of the model's JSON; where it raises Rejected the model is told why and asked once more.

        Raises the second Rejected, ContextOverflow for a question that does not fit, Fault when no answer can be had,
        BudgetReached when the money is spent.
        """
        messages: list[Message] = [{"role": "user", "content": question}]
        said = self._ask(messages)
        try:
            return validate(_parsed(*said))
        except Rejected as rejected:
            wrong = "\n".join(f"- {problem}" for problem in rejected.problems)
        again = (
            f"Your answer was rejected:\n{wrong}\n\nAnswer once more: one JSON object of the same form, without these faults."
        )
        messages.append({"role": "assistant", "content": said[0][:REPEATED] or "(nothing)"})
        messages.append({"role": "user", "content": again})
        return validate(_parsed(*self._ask(messages)))

    def _ask(self, messages: list[Message]) -> tuple[str, bool]:
        """The model's words, and whether they were cut off."""
        self._line.begin(Limits(seconds=SECONDS))
        reply, failure = None, None
        try:
            reply = chat(self._line, messages, seconds=SECONDS)
        except (ApiRefused, ContextOverflow, Fault, TimeoutError) as error:
            # The gateway knows whether that was the budget or the provider.
            failure = error
        heard = self._line.end()
        self._usages.append(heard.usage)
        if heard.budget:
            raise BudgetReached(BUDGET_EXHAUSTED)
        if isinstance(failure, ContextOverflow):
            raise failure
        if heard.fault or reply is None:
            raise Fault(heard.fault or f"the judge {self._line.model} could not be asked: {failure}")
        self._last = reply.text
        return reply.text, reply.cut


def _parsed(text: str, cut: bool) -> Any:
    """The JSON object in an answer, whatever stands around it. Raises Rejected where there is none."""
    # Servers of reasoning models leave their thoughts in the answer, drafts included.
    text = text.rpartition("</think>")[2]
    start = text.find("{")
    try:
        return json.JSONDecoder().raw_decode(text, start)[0] if start >= 0 else json.loads(text)
    except RecursionError:
        raise Rejected(["the answer is nested too deeply"]) from None
    except ValueError as error:
        why = "it was cut off at the output limit; give less" if cut else str(error)
        raise Rejected([f"the answer is not one JSON object: {why}"]) from None


@contextmanager
def judging(store: Store, model: str, api_base: str | None, budget_usd: float | None) -> Iterator[Judge]:
    """A judge for the length of a block, after it has been seen that the model can be asked.

    Raises UsageError for a model that nobody serves or that costs money without a budget, SetupError with what to do, also
    where what it says could not be kept.
    """
    spec = AgentSpec(name="web", model=model, api_base=api_base)
    route(model, api_base, None)
    affordable([spec], budget_usd, "command")
    store.check_writable()
    with opened([model], store.root, since=time.time(), budget_usd=budget_usd) as gateway:
        gateway.check(spec)
        yield Judge(gateway, spec)
