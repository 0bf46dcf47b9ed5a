"""Asking a model through a trial's door, prices, and what is imported when."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents.llm import ApiRefused, ContextOverflow, Price, Reply, chat, cost, costs_money, price_of, prices, too_long
from benchmark.errors import Fault
from benchmark.model import AgentSpec, Limits
from fixtures.gateway.client import Gateway, Line
from tests.fixtures.gateway.upstream import running
from tests.model_server import TOO_LONG, ModelServer, Said, failing, serving, tokens

ASK = [{"role": "user", "content": "hello"}]


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with running() as opened:
        yield opened


@contextmanager
def door(gateway: Gateway, server: ModelServer, model: str = "scripted", limits: Limits | None = None) -> Iterator[Line]:
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


def test_the_request_is_greedy_and_carries_the_messages_as_given(gateway: Gateway) -> None:
    with serving("ok") as server, door(gateway, server, "openai/some/model") as line:
        chat(line, ASK, seconds=30, max_tokens=7)
        body = server.requests[0].body
    assert body == {"model": "some/model", "messages": ASK, "temperature": 0, "max_tokens": 7}


def test_an_answer_at_the_output_limit_says_so(gateway: Gateway) -> None:
    assert ask(gateway, Said("half of", finish="length")).cut


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


def test_heavy_libraries_are_not_imported_before_they_are_needed() -> None:
    modules = "benchmark.plugin, reports.plugin, benchmark.planner, benchmark.cli, agents.web_agent, agents.llm, fixtures.agent"
    heavy = ("litellm", "pandas", "docker", "matplotlib", "scipy", "playwright", "aiohttp", "httpx")
    code = f"import sys, {modules}, fixtures.gateway.client; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr
