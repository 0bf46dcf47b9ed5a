"""Gemini CLI's logs, as the real client left them in a sandbox, turned into trajectories."""

import json
from functools import partial

import jsonschema
import pytest

from agents.base import Done
from agents.clients.client import ParsedLog
from agents.clients.gemini_cli import MAIN, NODE
from agents.trajectory.atif import problems, write
from benchmark.core.model import Limits
from tests.agents.clients import recorded
from tests.agents.clients.recorded import SCHEMA, Door, calls, client_of, costs, embedded, rows, sums

CASES = ("c0", "native", "killed", "refused", "limit", "subagent")
case, client = partial(recorded.case, "gemini-cli"), partial(client_of, "gemini-cli")
ASKED = "Write the report file."
CHATS = ".gemini/tmp/work/chats"


def read(name: str) -> ParsedLog:
    done, home, _ = case(name)
    return client().read(ASKED, done, home)


@pytest.mark.parametrize("name", CASES)
def test_every_trajectory_is_sound_and_fits_the_schema(name: str) -> None:
    told = read(name)
    assert problems(told.trajectory) == []
    jsonschema.validate(json.loads(write(told.trajectory)), SCHEMA)
    assert (told.trajectory.agent.version, told.trajectory.agent.model_name) == ("0.61.0", "scripted-model")
    assert [step.message for step in told.trajectory.steps if step.source == "user"] == [ASKED]
    assert told.trajectory.notes is None and told.offered is None


def test_two_requests() -> None:
    told = read("c0")
    assert (told.limit, told.fault) == (None, None)
    assert [name for name, _ in calls(told.trajectory)] == ["write_file"]
    assert (told.trajectory.steps[-1].source, told.trajectory.steps[-1].message) == ("agent", "The report is written.")


def test_what_came_back_of_the_skill_is_what_the_model_was_sent() -> None:
    opened, written = calls(read("native").trajectory)
    assert opened[0] == "activate_skill" and "Round every height to the nearest five centimetres" in str(opened[1])
    assert written[0] == "write_file" and "report.txt" in str(written[1])


def test_a_run_that_was_ended_has_the_call_that_only_its_output_tells_of() -> None:
    told = read("killed")
    assert (told.limit, told.fault) == (None, None)
    first, last = calls(told.trajectory)
    assert first[0] == last[0] == "run_shell_command" and "Output: 1" in str(first[1]) and last[1] is None
    assert [call.extra for call in told.trajectory.steps[-1].tool_calls or ()] == [{"interrupted": True}]
    assert told.usage.tokens is None and told.usage.reason == "the client ended before it gave its total"
    final = told.trajectory.final_metrics
    assert final and (final.total_prompt_tokens, final.total_cached_tokens) == sums(case("killed")[2])[:2]


def test_a_refused_key_is_a_fault() -> None:
    told = read("refused")
    assert told.fault and told.fault.startswith("[API Error: ") and "401" in told.fault
    assert told.usage.tokens is None and told.usage.reason == "the client counted no answer"
    assert not [step for step in told.trajectory.steps if step.source == "agent"]


def test_a_limit_of_the_gateways_is_no_fault() -> None:
    told = read("limit")
    assert (told.limit, told.fault) == (None, None)
    assert len(calls(told.trajectory)) == 2


def test_a_subagent_is_embedded_and_its_tokens_are_counted() -> None:
    told = read("subagent")
    child = embedded(told.trajectory)
    assert [name for name, _ in calls(child)] == ["read_file", "complete_task"]
    assert (child.steps[0].source, child.steps[0].message) == ("user", "SUBTASK look at index.html")
    (refs,) = [result.subagent_trajectory_ref for step in told.trajectory.steps for result in step.results]
    assert refs and [ref.trajectory_id for ref in refs] == [child.trajectory_id]
    assert costs(told.trajectory) + costs(child) == [case("subagent")[2][0], case("subagent")[2][3], *case("subagent")[2][1:3]]


def test_a_subagent_that_was_at_work_at_the_end_is_embedded_at_its_call() -> None:
    done, home, _ = case("subagent")
    cut = done.output.partition(b'{"type":"tool_result"')[0]
    main = next(path for path in home if "session-" in path)
    home[main] = home[main].partition(b'"toolCalls"')[0].rpartition(b"\n")[0] + b"\n"
    told = client().read(ASKED, Done(124, cut, late=True), home)
    (call,) = [call for step in told.trajectory.steps for call in step.tool_calls or ()]
    assert (call.function_name, call.extra) == ("invoke_agent", {"interrupted": True})
    (refs,) = [result.subagent_trajectory_ref for step in told.trajectory.steps for result in step.results]
    assert refs and [ref.trajectory_id for ref in refs] == [embedded(told.trajectory).trajectory_id]
    assert problems(told.trajectory) == []


@pytest.mark.parametrize("name", CASES)
def test_without_its_log_its_output_serves(name: str) -> None:
    done, _, _ = case(name)
    told, full = client().read(ASKED, done, {}), read(name)
    assert problems(told.trajectory) == []
    assert [call for call, _ in calls(told.trajectory)] == [call for call, _ in calls(full.trajectory)]
    assert (told.usage, told.limit, told.fault) == (full.usage, full.limit, full.fault)
    assert told.trajectory.steps[0].message == ASKED


@pytest.mark.parametrize(
    ("done", "fault"),
    [
        (Done(0, b""), None),
        (Done(0, b"\xff\x00garbage\n[1]\nnull\n{}\n"), None),
        (Done(42, b"", b"No input provided\n"), "it ended with exit code 42: No input provided"),
        (Done(124, b"", late=True), None),
        (Done(1, b'{"type": "result", "status": "error", "error": "x", "stats": []}\n'), None),
    ],
)
def test_nothing_that_can_be_read(done: Done, fault: str | None) -> None:
    told = client().read(ASKED, done, {})
    assert (told.fault, told.limit, told.usage.tokens) == (fault, None, None)
    assert [(step.source, step.message) for step in told.trajectory.steps] == [("user", ASKED)]
    assert problems(told.trajectory) == []


def test_what_the_client_forgot_and_wrote_itself_is_kept() -> None:
    call = {"id": "c1", "name": "glob", "args": {}, "status": "success", "result": [{"functionResponse": {"response": "many"}}]}
    answer = {
        "id": "g1",
        "type": "gemini",
        "content": "",
        "toolCalls": [call],
        "thoughts": [{"subject": "A", "description": "B"}],
    }
    told = [{"functionResponse": {"id": "c1", "response": {"output": "masked"}}}]
    again = {
        "messages": [
            {"id": "g1", "type": "gemini", "content": [{"functionCall": {"name": "glob"}}]},
            {"id": "u2", "type": "user", "content": told},
            {"id": "s1", "type": "user", "content": [{"text": "<state_snapshot>"}]},
            {"id": "s2", "type": "gemini", "content": [{"text": "Got it."}]},
        ]
    }
    log = rows(
        {"sessionId": "s", "kind": "main"},
        {"id": "u1", "type": "user", "content": [{"text": ASKED}]},
        answer | {"tokens": {"input": 10, "tool": 2, "output": 3, "thoughts": 4, "cached": 5}},
        {"$set": again},
        {"$rewindTo": "g1"},
    )
    trajectory = client().read(ASKED, Done(0, b""), {f"{CHATS}/session-1.jsonl": log}).trajectory
    assert [(step.source, step.message, step.llm_call_count) for step in trajectory.steps] == [
        ("user", ASKED, None),
        ("agent", "", 1),
        ("system", "<state_snapshot>", None),
        ("agent", "Got it.", 0),
    ]
    assert costs(trajectory) == [[12, 5, 7]] and trajectory.steps[1].reasoning_content == "A\nB"
    assert calls(trajectory) == [("glob", "many")] and problems(trajectory) == []


def test_a_changed_prompt_is_noted() -> None:
    sent = {"id": "u1", "type": "user", "content": [{"text": "See @index.html"}, {"text": "\n--- Content"}, {"text": "<p>"}]}
    log = rows({"sessionId": "s", "kind": "main"}, sent)
    trajectory = client().read("See @index.html", Done(0, b""), {f"{CHATS}/session-1.jsonl": log}).trajectory
    assert trajectory.steps[0].message == "See @index.html\n--- Content<p>"
    assert trajectory.notes and trajectory.notes.startswith("the client changed the prompt")


def test_figures_that_cannot_be_are_not_taken() -> None:
    answer = {"id": "g1", "type": "gemini", "content": "a", "tokens": {"input": 3, "output": 1, "cached": 5}}
    log = rows({"sessionId": "s"}, answer, {"id": "g2", "type": "gemini", "content": "b", "tokens": {"input": -1}})
    stats = {"input_tokens": 3, "output_tokens": 1, "total_tokens": 4, "cached": 5}
    told = client().read(ASKED, Done(0, rows({"type": "result", "stats": stats})), {f"{CHATS}/session-1.jsonl": log})
    assert costs(told.trajectory) == [] and told.usage.tokens is None and "implausible" in str(told.usage.reason)


@pytest.mark.parametrize("prompt", [ASKED, "-p --help", "", "x" * 200_000, "\ud800 é", "a\n\nb"])
def test_the_launch_depends_on_the_model_alone(prompt: str) -> None:
    launch = client().launch(prompt, Door(), Limits())
    plain = client().launch(ASKED, Door(), Limits(seconds=5, turns=1))
    assert (launch.command, launch.environment, launch.home) == (plain.command, plain.environment, plain.home)
    assert launch.stdin == prompt.encode("utf-8", "replace")
    assert tuple(launch.command[:3]) == (NODE, MAIN, "--model=scripted-model")
    assert sum(map(len, launch.command)) < 1000
    assert launch.environment["GEMINI_API_KEY"] == "none"
    settings = json.loads(launch.home[".gemini/settings.json"])
    assert settings["tools"]["exclude"] == ["google_web_search", "web_fetch"]
    assert settings["skills"]["disabled"] == ["skill-creator", "antigravity-support"]


def test_a_prompt_that_looks_like_a_command_is_text() -> None:
    assert client().launch("/help me", Door(), Limits()).stdin == b" /help me"


def test_the_control_opens_the_skill_by_its_tool() -> None:
    first, last = client().opening("tide-table-footer", "/home/agent/.gemini/skills/tide-table-footer/SKILL.md")
    assert first == {"tool": "activate_skill", "input": {"name": "tide-table-footer"}} and "text" in last
