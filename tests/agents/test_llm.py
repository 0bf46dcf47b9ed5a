"""Asking a model through a trial's door, prices, and what is imported when."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agents.llm import (
    ApiRefused,
    ContextOverflow,
    Message,
    Price,
    Reply,
    SamplingOptions,
    chat,
    cost,
    costs_money,
    price_of,
    price_of_answer,
    prices,
    too_long,
)
from agents.registry import make_agent
from benchmark.core.errors import Fault, UsageError
from benchmark.core.model import AgentSpec, Limits
from fixtures.gateway.client import Gateway, TrialChannel
from tests.fixtures.gateway.upstream import agent, answering, completion, opened, running, upstream
from tests.fixtures.gateway.upstream import failing as refusing
from tests.model_server import TOO_LONG, ModelServer, Said, failing, serving, tokens

ASK: list[Message] = [{"role": "user", "content": "hello"}]


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with running() as opened:
        yield opened


@contextmanager
def door(
    gateway: Gateway, server: ModelServer, model: str = "scripted", limits: Limits | None = None
) -> Iterator[TrialChannel]:
    spec = AgentSpec(name="web", model=model, api_base=server.url)
    with gateway.open("p/r0", spec, None) as line:
        line.begin(limits or Limits())
        yield line


def ask(gateway: Gateway, *script: Said | str, seconds: float = 30) -> Reply:
    with serving(*script) as server, door(gateway, server) as line:
        return chat(line, ASK, seconds=seconds)


def test_an_answer_comes_with_the_servers_own_numbers(gateway: Gateway) -> None:
    reply = ask(gateway, Said("hi there", tokens(1_200, 34, cached=1_000)))
    assert reply.text == "hi there"
    assert (reply.usage.prompt_tokens, reply.usage.cached_tokens, reply.usage.completion_tokens) == (1_200, 1_000, 34)
    assert (reply.usage.source, reply.usage.usd, reply.usage.reason) == ("provider", None, "priced at the gateway")
    assert not reply.cut


def test_a_request_carries_the_messages_as_given_and_no_option_that_nobody_gave(gateway: Gateway) -> None:
    with serving("ok") as server, door(gateway, server, "openai/some/model") as line:
        chat(line, ASK, seconds=30)
        chat(line, ASK, seconds=30, options=SamplingOptions(temperature=0, max_tokens=7))
        chat(line, ASK, seconds=30, options=SamplingOptions(reasoning_effort="low", seed=4))
        plain, cold, seeded = (request.body for request in server.requests)
    assert plain == {"model": "some/model", "messages": ASK}
    assert cold == {**plain, "temperature": 0, "max_tokens": 7}
    assert seeded == {**plain, "reasoning_effort": "low", "seed": 4}


def test_an_answer_at_the_output_limit_says_so(gateway: Gateway) -> None:
    assert ask(gateway, Said("half of", finish="length")).cut


@pytest.mark.parametrize("reason", ["model_length", "MAX_TOKENS", "model_context_window_exceeded", "content_filter"])
def test_every_reason_that_means_cut_off_says_so(reason: str) -> None:
    assert reply(finish_reason=reason).cut


@pytest.mark.parametrize("reason", ["stop", "tool_calls", "end_turn", "eos", None])
def test_a_whole_answer_is_not_cut(reason: str | None) -> None:
    assert not reply(finish_reason=reason).cut


THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": "Let me "}, {"type": "text", "text": "see."}]}


@pytest.mark.parametrize(
    ("message", "text", "thoughts"),
    [
        ({"content": [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]}, "one two", ""),
        ({"content": [THINKING, {"type": "text", "text": "Done."}]}, "Done.", "Let me see."),
        ({"content": [{"type": "thinking", "thinking": "Hm."}, {"type": "reference", "reference_ids": [1]}]}, "", "Hm."),
        ({"content": ["plain ", {"type": "output_text", "text": "and not"}]}, "plain and not", ""),
        ({"content": "Done.", "reasoning_content": "Hm."}, "Done.", "Hm."),
        ({"content": None, "refusal": "No."}, "No.", ""),
        ({"content": None}, "", ""),
    ],
)
def test_parts_of_an_answer_are_joined_and_thoughts_stand_apart(message: dict[str, Any], text: str, thoughts: str) -> None:
    answer = reply(message)
    assert (answer.text, answer.thoughts) == (text, thoughts)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"choices": []}, "choices: List should have at least 1 item"),
        ({"choices": [{"message": "hi"}]}, "choices.0.message: "),
        ({"choices": [{"message": {"content": 5}}]}, "choices.0.message.content"),
        (["hi"], "all of it: "),
    ],
)
def test_an_answer_that_is_none_says_where(gateway: Gateway, answer: Any, why: str) -> None:
    with upstream(answering(answer)) as server, gateway.open("p/r0", agent(server), None) as line:
        line.begin(Limits())
        with pytest.raises(Fault, match=f"m-1: the answer is no chat completion: {why}"):
            chat(line, ASK, seconds=30)


def reply(message: dict[str, Any] | None = None, **choice: Any) -> Reply:
    """What is made of an answer of a server that says this."""
    said = completion("hi")
    said["choices"] = [{**said["choices"][0], **choice}]
    if message is not None:
        said["choices"][0]["message"] = {"role": "assistant", **message}
    with upstream(answering(said)) as server, opened(server) as line:
        return chat(line, ASK, seconds=30)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"temperature": "hot"}, r"agent web: option 'temperature': .*\(got 'hot'\)"),
        ({"temperature": 3}, r"agent web: option 'temperature': .*\(got 3\)"),
        ({"temprature": 0}, r"unknown option of agent web 'temprature'; did you mean temperature"),
    ],
)
def test_an_option_that_cannot_be_is_told_first(options: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        make_agent(AgentSpec(name="web", model="m", options=options))


@pytest.mark.parametrize(
    ("said", "option"),
    [
        ("Unsupported value: 'temperature' does not support 0.2 with this model.", "temperature"),
        ("`top_p` is deprecated for this model.", "top_p"),
        ("Unsupported parameter: seed", "seed"),
    ],
)
def test_a_parameter_that_the_provider_refuses_is_named_with_its_panel_key(gateway: Gateway, said: str, option: str) -> None:
    options = {"temperature": 0.2, "top_p": 0.5, "seed": 1}
    with upstream(refusing(400, said)) as server:
        spec = agent(server).model_copy(update={"options": options})
        with gateway.open("p/r0", spec, None) as line:
            line.begin(Limits())
            with pytest.raises(ApiRefused, match="status 400"):
                chat(line, ASK, seconds=30, options=SamplingOptions.of(spec))
            fault = line.end().fault
    assert fault == f"own answered 400: {said} (options.{option} in the panel's agents: change or remove it)"


def test_a_busy_server_is_asked_again_by_the_gateway(gateway: Gateway) -> None:
    assert ask(gateway, failing(429), failing(503), "at last").text == "at last"


@pytest.mark.parametrize("status", [500, 503])
def test_a_server_that_stays_busy_is_a_fault(gateway: Gateway, status: int) -> None:
    with pytest.raises(Fault, match=rf"scripted: slow down \(status {status}\)"):
        ask(gateway, failing(status, "slow down"))


@pytest.mark.parametrize("status", [401, 403, 404, 429])
def test_a_refusal_says_its_status(gateway: Gateway, status: int) -> None:
    with pytest.raises(ApiRefused, match=rf"no such luck \(status {status}\)") as raised:
        ask(gateway, failing(status, "no\nsuch luck"))
    assert raised.value.status == status


def test_a_limit_of_the_attempt_is_a_refusal(gateway: Gateway) -> None:
    with serving("ok") as server, door(gateway, server, limits=Limits(turns=1)) as line:
        chat(line, ASK, seconds=30)
        with pytest.raises(ApiRefused, match="Skill Assay: this attempt's 1 requests are used up"):
            chat(line, ASK, seconds=30)
        assert line.end().limit == "turns"


def test_a_request_beyond_the_models_context_is_no_fault(gateway: Gateway) -> None:
    with pytest.raises(ContextOverflow, match="maximum context length"):
        ask(gateway, TOO_LONG)


def test_a_model_that_does_not_answer_in_time_is_no_fault(gateway: Gateway) -> None:
    with pytest.raises(TimeoutError, match="within the attempt's time"):
        ask(gateway, Said(silent=True), seconds=0.5)


def test_usage_that_was_not_reported_is_not_measured(gateway: Gateway) -> None:
    usage = ask(gateway, Said("hi", usage=None)).usage
    assert (usage.tokens, usage.reason) == (None, "the provider reported no usage")


def test_a_wrong_usage_is_not_measured(gateway: Gateway) -> None:
    assert ask(gateway, Said("hi", usage={"prompt_tokens": 5, "completion_tokens": -1})).usage.tokens is None


@dataclass(frozen=True)
class Nowhere:
    """A door without a gateway behind it."""

    socket: Path
    url: str = "http://127.0.0.1"
    model: str = "m"


def test_a_door_that_leads_nowhere_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="m: the gateway does not answer"):
        chat(Nowhere(tmp_path / "none.sock"), ASK, seconds=5)


def test_context_overflow_is_told_from_other_refusals() -> None:
    assert too_long(400, "prompt is too long: 9 tokens > 8 maximum")
    assert too_long(413, "")
    assert not too_long(400, "messages: at least one message is required")
    assert not too_long(429, "too many tokens per minute")
    assert not too_long(500, "maximum context length")


def test_cost_counts_cached_tokens_at_their_own_price() -> None:
    price = Price(prompt=10, cached=1, completion=50)
    assert cost(price, 1_000_000, 400_000, 100_000) == pytest.approx(6 + 0.4 + 5)
    assert cost(None, 1, 0, 1) is None


def test_prices_are_found_with_and_without_the_provider_and_not_for_endpoints_of_ones_own() -> None:
    assert price_of("anthropic/claude-sonnet-4-5") == price_of("claude-sonnet-4-5") == prices()["claude-sonnet-4-5"]
    assert price_of("claude-sonnet-4-5", "http://127.0.0.1:1/v1") is None
    assert price_of("nobody/knows-me") is None
    assert costs_money("openai/gpt-5") and not costs_money("ollama/qwen") and not costs_money("openai/x", "http://h")


@pytest.mark.parametrize(
    ("model", "answered", "tier", "priced"),
    [
        ("openai/gpt-5", None, None, "gpt-5"),
        ("openai/gpt-5", "gpt-5-2025-08-07", None, "gpt-5"),
        ("openai/gpt-5", "gpt-5-mini", None, "gpt-5-mini"),
        ("anthropic/claude-sonnet-4-5-20250929", "claude-sonnet-4-5", None, "claude-sonnet-4-5"),
        ("moonshot/kimi-k2.5", "moonshotai/Kimi-K2.5", None, "moonshot/kimi-k2.5"),
        ("moonshot/kimi-k2.5", "kimi-k3", None, "moonshot/kimi-k3"),
    ],
)
def test_an_answer_has_the_price_of_the_model_that_answered(
    model: str, answered: str | None, tier: str | None, priced: str
) -> None:
    assert price_of_answer(model, None, answered, tier) == (prices()[priced], None)


@pytest.mark.parametrize(
    ("answered", "tier", "why"),
    [
        ("gpt-99", None, "the answer is of the model 'gpt-99' and not of 'gpt-5'; no price is known for it"),
        ("gpt-5-something", None, "the answer is of the model 'gpt-5-something' and not of 'gpt-5'; no price is known for it"),
        ("gpt-5", "priority", "the answer is of the tier of service 'priority', for which no price is known"),
    ],
)
def test_an_answer_of_another_model_or_tier_without_a_price_has_none(answered: str, tier: str | None, why: str) -> None:
    assert price_of_answer("openai/gpt-5", None, answered, tier) == (None, why)


def test_heavy_libraries_are_not_imported_before_they_are_needed() -> None:
    modules = (
        "benchmark.plugin, reports.plugin, benchmark.plan.planner, benchmark.cli.main, agents.web_agent, "
        "agents.llm, agents.registry"
    )
    heavy = ("litellm", "pandas", "docker", "matplotlib", "scipy", "playwright", "aiohttp", "httpx")
    code = f"import sys, {modules}, fixtures.gateway.client; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr
