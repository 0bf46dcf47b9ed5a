"""Kimi Code's logs, as the real client left them in a sandbox, turned into trajectories."""

import json
import tomllib
from functools import partial

import jsonschema
import pytest

from agents.base import Done
from agents.clients.client import ParsedLog
from agents.clients.kimi import GUARD, MAIN, NODE
from agents.trajectory.atif import problems, write
from benchmark.core.model import Limits
from tests.agents.clients import recorded
from tests.agents.clients.recorded import SCHEMA, Door, calls, client_of, costs, embedded, rows

CASES = ("c0", "native", "killed", "refused", "limit", "subagent")
case, client = partial(recorded.case, "kimi"), partial(client_of, "kimi")
ASKED = "Write the report file."
MAIN_LOG = ".kimi-code/sessions/wd_work_0/session_0/agents/main/wire.jsonl"


def read(name: str) -> ParsedLog:
    done, home, _ = case(name)
    return client().read(ASKED, done, home)


@pytest.mark.parametrize("name", CASES)
def test_every_trajectory_is_sound_and_fits_the_schema(name: str) -> None:
    told = read(name)
    assert problems(told.trajectory) == []
    jsonschema.validate(json.loads(write(told.trajectory)), SCHEMA)
    assert (told.trajectory.agent.version, told.trajectory.agent.model_name) == ("2.1.0", "scripted-model")
    assert [step.message for step in told.trajectory.steps if step.source == "user"] == [ASKED]
    assert told.trajectory.notes is None
    assert told.offered == (("tide-table-footer", "write-goal") if name == "native" else ("write-goal",))


def test_two_requests() -> None:
    told = read("c0")
    assert (told.limit, told.fault) == (None, None)
    assert calls(told.trajectory) == [("Write", "Wrote 6 bytes to report.txt")]
    assert (told.trajectory.steps[-1].source, told.trajectory.steps[-1].message) == ("agent", "The report is written.")


def test_the_skill_is_offered_and_its_body_comes_after_the_call() -> None:
    told = read("native")
    assert [name for name, _ in calls(told.trajectory)] == ["Skill", "Write"]
    (body,) = [step for step in told.trajectory.steps if "Round every height" in str(step.message)]
    assert body.source == "system" and "<skill-loaded" in str(body.message)


def test_a_run_that_was_ended_has_what_it_counted_until_then() -> None:
    told = read("killed")
    assert (told.limit, told.fault) == (None, None)
    assert calls(told.trajectory) == [("Bash", "1\n"), ("Bash", "Session closed")]
    (last,) = [step for step in told.trajectory.steps if any(result.extra for result in step.results)]
    assert [result.extra for result in last.results] == [{"error": True}]


def test_a_run_that_was_killed_has_the_call_that_only_its_output_tells_of() -> None:
    done, home, reported = case("killed")
    (path,) = home
    cut = home[path].partition(b'"name":"Bash","args":{"command":"sleep')[0]
    said = done.output.rpartition(b'{"role":"tool"')[0]
    told = client().read(ASKED, Done(137, said, late=True), {path: cut})
    assert calls(told.trajectory) == [("Bash", "1\n"), ("Bash", None)]
    assert costs(told.trajectory) == reported and problems(told.trajectory) == []


def test_a_refused_key_is_a_fault() -> None:
    told = read("refused")
    assert told.fault == "provider.auth_error: 401 the script says that this fails"
    assert told.usage.tokens is None and told.usage.reason == "the client's log has no answer of a model"
    assert not [step for step in told.trajectory.steps if step.source == "agent"]


def test_a_limit_of_the_gateways_is_no_fault() -> None:
    told = read("limit")
    assert (told.limit, told.fault) == (None, None)
    assert len(calls(told.trajectory)) == 2


@pytest.mark.parametrize(
    ("code", "limit", "fault"),
    [
        ("context.overflow", "context", None),
        ("loop.max_steps_exceeded", "turns", None),
        ("provider.filtered", None, None),
        ("provider.rate_limit", None, "provider.rate_limit: 429 slow down"),
        ("internal", None, None),
    ],
)
def test_how_it_ended(code: str, limit: str | None, fault: str | None) -> None:
    log = rows({"type": "turn.ended", "reason": "failed", "error": {"code": code, "message": "429  slow\ndown"}})
    told = client().read(ASKED, Done(1, b""), {MAIN_LOG: log})
    assert (told.limit, told.fault) == (limit, fault)


def test_a_subagent_is_embedded_and_its_tokens_are_counted() -> None:
    told = read("subagent")
    child = embedded(told.trajectory)
    assert [name for name, _ in calls(child)] == ["Read"]
    assert (child.steps[0].source, child.steps[0].message) == ("user", "SUBTASK look at index.html")
    (refs,) = [result.subagent_trajectory_ref for step in told.trajectory.steps for result in step.results]
    assert refs and [ref.trajectory_id for ref in refs] == [child.trajectory_id]
    assert costs(told.trajectory) + costs(child) == [case("subagent")[2][0], case("subagent")[2][3], *case("subagent")[2][1:3]]


@pytest.mark.parametrize("name", CASES)
def test_without_its_log_its_output_serves(name: str) -> None:
    done, _, _ = case(name)
    told, full = client().read(ASKED, done, {}), read(name)
    assert problems(told.trajectory) == []
    assert [call for call, _ in calls(told.trajectory)] == [call for call, _ in calls(full.trajectory)]
    assert (told.usage.tokens, told.offered) == (None, None)
    assert told.trajectory.steps[0].message == ASKED


def test_without_its_log_a_refused_key_is_what_it_said_last() -> None:
    done, _, _ = case("refused")
    told = client().read(ASKED, done, {})
    said = "error: failed to run prompt: provider.auth_error: 401 the script says that this fails"
    assert told.fault == f"it ended with exit code 1: {said}"


@pytest.mark.parametrize(
    ("done", "fault"),
    [
        (Done(0, b""), None),
        (Done(0, b"\xff\x00garbage\n[1]\nnull\n{}\n"), None),
        (Done(1, b"", b"error: no\nSee log: /home/agent/x.log\n"), "it ended with exit code 1: error: no"),
        (Done(124, b"", late=True), None),
        (Done(0, b'{"role": "tool"}\n{"role": "user", "tool_calls": 1}\n', cut=True), None),
    ],
)
def test_nothing_that_can_be_read(done: Done, fault: str | None) -> None:
    told = client().read(ASKED, done, {})
    assert (told.fault, told.limit, told.usage.tokens, told.offered) == (fault, None, None, None)
    assert [(step.source, step.message) for step in told.trajectory.steps][:1] == [("user", ASKED)]
    assert not [step for step in told.trajectory.steps if step.source == "agent"]
    assert problems(told.trajectory) == []


def test_a_conversation_that_was_shortened_is_kept_and_all_that_it_cost_is_counted() -> None:
    event, cost = "context.append_loop_event", {"inputOther": 5, "inputCacheRead": 2, "inputCacheCreation": 1, "output": 3}
    step = {"stepUuid": "s", "type": "content.part"}
    log = rows(
        {"type": "context.append_message", "message": {"content": ASKED}, "time": 1000},
        {"type": event, "event": {"type": "step.begin", "uuid": "s"}, "time": 2000},
        {"type": event, "event": step | {"part": {"type": "think", "think": "Hm."}}, "time": 3000},
        {"type": event, "event": step | {"part": {"type": "text", "text": "Yes."}}, "time": 3000},
        {"type": "usage.record", "usage": cost, "usageScope": "turn", "time": 3000},
        {"type": event, "event": {"type": "step.end", "uuid": "s", "usage": cost}, "time": 3000},
        {"type": "usage.record", "usage": cost, "usageScope": "session", "time": 4000},
        {"type": "context.apply_compaction", "summary": {"content": [{"type": "text", "text": "So far."}]}, "time": 4000},
    )
    told = client().read(ASKED, Done(0, b""), {MAIN_LOG: log})
    assert [(step.source, step.message) for step in told.trajectory.steps] == [
        ("user", ASKED),
        ("agent", "Yes."),
        ("system", "So far."),
    ]
    assert told.trajectory.steps[1].reasoning_content == "Hm." and costs(told.trajectory) == [[8, 2, 3]]
    assert (told.usage.prompt_tokens, told.usage.cached_tokens, told.usage.completion_tokens) == (16, 4, 6)
    assert problems(told.trajectory) == []


def test_figures_that_cannot_be_are_not_taken() -> None:
    usage = {"inputOther": -5, "inputCacheRead": 7, "inputCacheCreation": 0, "output": 3}
    told = client().read(ASKED, Done(0, b""), {MAIN_LOG: rows({"type": "usage.record", "usage": usage})})
    assert told.usage.tokens is None and told.usage.reason


@pytest.mark.parametrize("prompt", [ASKED, "-p --help", "", "/help me", "x" * 200_000, "\ud800 é", "a\n\nb"])
def test_the_launch_depends_on_the_model_alone(prompt: str) -> None:
    launch = client().launch(prompt, Door(), Limits())
    plain = client().launch(ASKED, Door(), Limits(seconds=5, turns=1))
    assert (launch.command, launch.environment, launch.home) == (plain.command, plain.environment, plain.home)
    assert launch.stdin == prompt.encode("utf-8", "replace")
    assert launch.command[0] == NODE and MAIN in launch.command[-1] and sum(map(len, launch.command)) < 1000
    config = tomllib.loads(launch.home[".kimi-code/config.toml"].decode())
    assert config["providers"]["gateway"]["api_key"] == "none"
    assert config["providers"]["gateway"]["base_url"] == "http://127.0.0.1:8110/v1"


def test_a_prompt_that_would_set_a_goal_is_text() -> None:
    assert client().launch(" \n/goal win", Door(), Limits()).stdin == f"{GUARD} \n/goal win".encode()


@pytest.mark.parametrize(
    ("model", "api_base", "kind"),
    [
        ("kimi-k2.5", None, "kimi"),
        ("moonshot/kimi-k2.5", None, "kimi"),
        ("moonshot/kimi-k2.5", "http://127.0.0.1:1", "kimi"),
        ("mine", "http://127.0.0.1:1", "openai"),
        ("anthropic/claude-sonnet-4-5", None, "openai"),
    ],
)
def test_models_of_others_are_asked_as_others_take_it(model: str, api_base: str | None, kind: str) -> None:
    launch = client(model, api_base).launch(ASKED, Door(model='na"me'), Limits())
    config = tomllib.loads(launch.home[".kimi-code/config.toml"].decode())
    assert config["providers"]["gateway"]["type"] == kind
    assert config["models"]["model"]["model"] == 'na"me'
    assert ("KIMI_MODEL_MAX_COMPLETION_TOKENS" in launch.environment) == (kind == "openai")


def test_the_control_opens_the_skill_by_its_tool() -> None:
    first, last = client().opening("tide-table-footer", "/home/agent/.kimi-code/skills/tide-table-footer/SKILL.md")
    assert first == {"tool": "Skill", "input": {"skill": "tide-table-footer"}} and "text" in last
