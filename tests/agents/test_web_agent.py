"""The `web` agent: how answers are read, and whole attempts against a server that answers from a script."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents.base import AttemptRequest, AttemptResult
from agents.trajectory.atif import problems
from agents.web_agent import WebAgent, listing
from agents.web_answer import NO_FILE, parse_answer
from benchmark.core.errors import UsageError
from benchmark.core.model import AgentSpec, Limits
from benchmark.run.attempt import sent_texts
from fixtures.gateway.client import AttemptTraffic, Gateway
from fixtures.sandbox.local import LocalWorkspace
from tests.model_server import TOO_LONG, ModelServer, Said, failing, serving, tokens

PAGE = "```html index.html\n<h1>Hi</h1>\n```\n"


@pytest.fixture
def box(tmp_path: Path) -> LocalWorkspace:
    box = LocalWorkspace(tmp_path)
    box.write({"index.html": b"<p>old</p>\n"})
    return box


@dataclass(frozen=True)
class Tried:
    """An attempt, as the agent tells it and as the gateway heard it."""

    run: AttemptResult
    heard: AttemptTraffic
    #: What the model was sent, a text a request.
    sent: list[str]


Try = Callable[..., Tried]


@pytest.fixture
def attempt(gateway: Gateway, box: LocalWorkspace) -> Try:
    def run(server: ModelServer, prompt: str = "Do it.", **limits: object) -> Tried:
        spec = AgentSpec(name="web", model="scripted", api_base=server.url)
        allowed = Limits.model_validate(limits)
        with gateway.open("trial", spec, None) as line:
            line.begin(allowed)
            done = WebAgent(spec).run(AttemptRequest(prompt, 1, 1, allowed, "noise", endpoint=line), box)
            assert problems(done.trajectory) == []
            heard = line.end()
            return Tried(done, heard, list(sent_texts(heard)))

    return run


# what the model is shown


def test_the_listing_fences_what_holds_fences_and_names_what_is_no_text() -> None:
    files = {"README.md": b"````md\n```\n````\n", "logo.png": b"\x89PNG\xff", "big.txt": b"x" * 200_001, "a.js": b"let a"}
    shown = listing(files)
    assert "`````md README.md\n````md\n```\n````\n`````\n" in shown
    assert "(logo.png: 5 bytes, not shown)" in shown
    assert "(big.txt: 200001 bytes, not shown)" in shown
    assert "```js a.js\nlet a\n```\n" in shown
    assert parse_answer(shown).files == {"README.md": files["README.md"], "a.js": b"let a\n"}


def test_the_first_request_holds_the_files_and_the_prompt(attempt: Try) -> None:
    with serving(PAGE) as server:
        done = attempt(server, "Change the heading.")
        (system, user) = server.requests[0].contents
    assert "fenced code block" in system
    assert "```html index.html\n<p>old</p>\n```" in user and user.endswith("Change the heading.")
    assert done.sent == [f"{system}\n{user}"]


SKILL = "---\r\nname: x\r\n---\r\nUse {{ braces }} and \u201cquotes\u201d, tabs\t, 😀 and \\u0041.\r\n\r\n```js\r\na\r\n```\r\n"


def test_a_skills_bytes_reach_the_server_in_every_request(attempt: Try) -> None:
    with serving("no file", PAGE) as server:
        done = attempt(server, f"<skill>\n{SKILL}\n</skill>")
        bodies = [json.loads(asked.raw.decode("utf-8")) for asked in server.requests]
    assert len(bodies) == 2
    for body in bodies:
        assert any(SKILL.encode() in message["content"].encode() for message in body["messages"])
    assert all(SKILL in text for text in done.sent)


# attempts


def test_a_usable_answer_is_written_and_ends_the_attempt(attempt: Try, box: LocalWorkspace) -> None:
    with serving(PAGE, "never asked for") as server:
        done = attempt(server).run
        assert len(server.requests) == 1
    assert box.files() == {"index.html": b"<h1>Hi</h1>\n"}
    assert (done.limit, done.fault) == (None, None)
    assert [step.source for step in done.trajectory.steps] == ["system", "user", "agent"]
    metrics = done.trajectory.steps[2].metrics
    assert metrics and metrics.prompt_tokens == 10


def test_what_is_wrong_is_said_in_the_request_that_follows(attempt: Try, box: LocalWorkspace) -> None:
    with serving("I would change it.", PAGE) as server:
        attempt(server)
        assert server.requests[1].contents[2:] == [
            "I would change it.",
            NO_FILE,
        ]
    assert box.files() == {"index.html": b"<h1>Hi</h1>\n"}


@pytest.mark.parametrize("name", ["../x", "/etc/assay-x", ".skills/x"])
def test_of_an_answer_with_a_refused_name_nothing_is_written_and_the_model_is_told(
    name: str, attempt: Try, box: LocalWorkspace, tmp_path: Path
) -> None:
    before = sorted(tmp_path.rglob("*"))
    with serving(f"{PAGE}```js {name}\nevil\n```\n", "I give up.") as server:
        done = attempt(server, turns=2).run
        told = server.requests[1].contents[-1]
    assert repr(name) in told and told.startswith("Nothing was written.")
    assert box.files() == {"index.html": b"<p>old</p>\n"}
    assert sorted(tmp_path.rglob("*")) == before
    assert not Path("/etc/assay-x").exists()
    assert done.limit == "turns"


CASES = json.loads((Path(__file__).parents[1] / "data" / "answers.json").read_text(encoding="utf-8"))


def test_what_is_not_understood_costs_a_turn_and_is_told(attempt: Try, box: LocalWorkspace) -> None:
    answer, _ = CASES["a Markdown file with a fence of its own"]
    with serving(answer, PAGE) as server:
        done = attempt(server, turns=2).run
        assert len(server.requests) == 2
        told = server.requests[1].contents[-1]
    assert "'```md README.md' on line 1 holds the line '```bash'" in told and "Use a longer fence" in told
    assert box.files() == {"index.html": b"<h1>Hi</h1>\n"}
    assert done.limit is None


def test_an_answer_that_was_cut_off_is_not_written(attempt: Try, box: LocalWorkspace) -> None:
    with serving(Said("```html index.html\n<h1>Hal", finish="length"), PAGE) as server:
        attempt(server)
        assert "cut off at the output limit" in server.requests[1].contents[-1]
    assert box.files() == {"index.html": b"<h1>Hi</h1>\n"}


def test_usage_is_the_sum_of_the_servers_numbers_on_both_sides(attempt: Try) -> None:
    with serving(Said("hm", tokens(100, 7, cached=0)), Said(PAGE, tokens(130, 20, cached=96))) as server:
        done = attempt(server)
    for usage in (done.run.usage, done.heard.usage):
        assert (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens, usage.tokens) == (230, 96, 27, 257)
        assert (usage.source, usage.usd) == ("provider", None)


def test_with_one_answers_usage_missing_the_sum_is_not_measured(attempt: Try) -> None:
    with serving(Said("hm", usage=None), PAGE) as server:
        done = attempt(server)
    assert (done.run.usage.tokens, done.heard.usage.tokens) == (None, None)
    assert done.heard.usage.reason


# limits


def test_turns_are_a_limit(attempt: Try) -> None:
    with serving("no") as server:
        done = attempt(server, turns=3)
        assert len(server.requests) == 3
    assert (done.run.limit, len(done.sent)) == ("turns", 3)


def test_four_turns_are_the_limit_where_none_is_given(attempt: Try) -> None:
    with serving("no") as server:
        assert attempt(server).run.limit == "turns"
        assert len(server.requests) == 4


def test_tokens_are_a_limit_before_the_next_request(attempt: Try) -> None:
    with serving(Said("no", tokens(90, 10))) as server:
        done = attempt(server, turns=5, tokens=150)
        assert len(server.requests) == 2
    assert (done.heard.limit, done.heard.usage.tokens, done.heard.fault) == ("tokens", 200, None)


def test_seconds_are_a_limit(attempt: Try) -> None:
    with serving(Said(silent=True)) as server:
        done = attempt(server, seconds=1)
    assert (done.run.limit, len(done.sent), done.heard.fault) == ("seconds", 1, None)


def test_the_models_context_is_a_limit_and_what_was_used_before_counts(attempt: Try) -> None:
    with serving(Said("no", tokens(90, 10)), TOO_LONG) as server:
        done = attempt(server)
    assert (done.run.limit, done.heard.limit, done.heard.usage.tokens) == ("context", "context", 100)


# faults


def test_a_refused_key_is_a_fault_and_nothing_is_written(attempt: Try, box: LocalWorkspace) -> None:
    with serving(failing(401, "bad key")) as server:
        done = attempt(server)
        assert len(server.requests) == 1
    assert "bad key" in str(done.run.fault) and "401" in str(done.heard.fault)
    assert box.files() == {"index.html": b"<p>old</p>\n"}


def test_a_busy_server_is_asked_again(attempt: Try, box: LocalWorkspace) -> None:
    with serving(failing(429), PAGE) as server:
        done = attempt(server)
        assert [len(asked.contents) for asked in server.requests] == [2, 2]
    assert (done.run.fault, done.heard.fault) == (None, None)
    assert box.files() == {"index.html": b"<h1>Hi</h1>\n"}


def test_a_server_that_is_down_is_a_fault(attempt: Try) -> None:
    with serving(PAGE) as server:
        pass
    done = attempt(server, seconds=30)
    assert done.run.fault and done.heard.fault


def test_the_agent_needs_a_model() -> None:
    with pytest.raises(UsageError, match="--model PROVIDER/NAME"):
        WebAgent(AgentSpec(name="web"))
