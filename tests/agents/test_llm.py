"""The door to models: against a server that answers from a script."""

import json
import subprocess
import sys

import pytest

from agents.llm import ContextOverflow, Price, complete, cost, costs_money, price_of, prices
from benchmark.errors import Fault
from tests.model_server import TOO_LONG, ModelServer, Said, failing, serving, tokens

ASK = [{"role": "user", "content": "hello"}]


def ask(server: ModelServer, model: str = "scripted", seconds: float = 30, waits: list[float] | None = None):
    waits = [] if waits is None else waits
    return complete(model, ASK, api_base=server.url, seconds=seconds, sleep=waits.append)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ASSAY_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_an_answer_comes_with_the_servers_own_numbers() -> None:
    with serving(Said("hi there", tokens(1_200, 34, cached=1_000))) as server:
        reply = ask(server)
    assert reply.text == "hi there"
    assert (reply.usage.prompt_tokens, reply.usage.cached_tokens, reply.usage.completion_tokens) == (1_200, 1_000, 34)
    assert (reply.usage.source, reply.usage.usd) == ("provider", None)
    assert reply.usage.reason == "no price is known for this model"
    assert not reply.cut


def test_the_request_is_greedy_and_carries_the_messages_as_given() -> None:
    with serving("ok") as server:
        ask(server, "openai/some/model")
        body = server.requests[0].body
    assert body["temperature"] == 0
    assert body["messages"] == ASK
    assert body["model"] == "some/model"


def test_an_answer_at_the_output_limit_says_so() -> None:
    with serving(Said("half of", finish="length")) as server:
        assert ask(server).cut


def test_the_key_of_a_provider_never_goes_to_an_address_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("OPENAI_API_KEY", "OPENAI_ORGANIZATION", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_API_KEY")
    secrets = {name: f"secret-{name}" for name in names}
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    for own, sent in ((None, "Bearer none"), ("", "Bearer none"), ("mine", "Bearer mine")):
        if own is not None:
            monkeypatch.setenv("ASSAY_API_KEY", own)
        with serving("ok") as server:
            ask(server, "openai/gpt-5")
            headers, raw = server.requests[0].headers, server.requests[0].raw
        assert headers["authorization"] == sent
        wire = json.dumps(headers) + raw.decode()
        assert not [value for value in secrets.values() if value in wire]


@pytest.mark.parametrize("status", [429, 500, 503, 504])
def test_a_busy_server_is_asked_again(status: int) -> None:
    waits: list[float] = []
    with serving(failing(status), failing(status), "at last") as server:
        assert ask(server, waits=waits).text == "at last"
        assert len(server.requests) == 3
    assert waits == [2.0, 4.0]


def test_a_server_that_stays_busy_is_a_fault_after_four_tries() -> None:
    with serving(failing(429, "slow down")) as server:
        with pytest.raises(Fault, match=r"scripted: .*slow down.*status 429, try 4 of 4"):
            ask(server)
        assert len(server.requests) == 4


def test_waiting_does_not_go_beyond_the_attempts_time() -> None:
    waits: list[float] = []
    with serving(failing(500)) as server:
        with pytest.raises(Fault, match="try 1 of 4"):
            ask(server, seconds=1.5, waits=waits)
        assert len(server.requests) == 1
    assert waits == []


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_does_not_get_better_is_not_asked_again(status: int) -> None:
    with serving(failing(status, "no such luck"), "never") as server:
        with pytest.raises(Fault, match=rf"no such luck.*status {status}, try 1 of 4") as raised:
            ask(server)
        assert len(server.requests) == 1
    assert "\n" not in str(raised.value)


def test_a_server_that_is_down_is_a_fault() -> None:
    with serving("never") as server:
        address = server.url
    with pytest.raises(Fault, match="scripted: "):
        complete("scripted", ASK, api_base=address, seconds=60, sleep=lambda _: None)


def test_a_request_beyond_the_models_context_is_no_fault() -> None:
    with serving(TOO_LONG) as server:
        with pytest.raises(ContextOverflow, match="maximum context length"):
            ask(server)
        assert len(server.requests) == 1


def test_a_model_that_does_not_answer_in_time_is_no_fault() -> None:
    with serving(Said(silent=True)) as server, pytest.raises(TimeoutError, match="within the attempt's time"):
        ask(server, seconds=1)


def test_usage_that_was_not_reported_is_not_measured() -> None:
    with serving(Said("hi", usage=None)) as server:
        usage = ask(server).usage
    assert (usage.tokens, usage.usd) == (None, None)
    assert usage.reason == "the provider reported no usage"


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
    heavy = ("litellm", "pandas", "docker", "matplotlib", "scipy", "playwright")
    code = f"import sys, {modules}; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr
