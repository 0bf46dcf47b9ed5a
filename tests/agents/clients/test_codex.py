"""Codex's logs, as the real client left them in a sandbox, turned into trajectories."""

import json
import tomllib
from functools import partial
from typing import Any

import jsonschema
import pytest

from agents.base import Done
from agents.clients.client import ParsedLog
from agents.trajectory.atif import Trajectory, problems, write
from benchmark.core.model import Limits
from tests.agents.clients import recorded
from tests.agents.clients.recorded import SCHEMA, Door, client_of, costs, embedded

CASES = ("c0", "native", "killed", "refused", "limit", "subagent")
case, client = partial(recorded.case, "codex"), partial(client_of, "codex")
ASKED = "Write the footer."
FORCED = "Use the skill tide-table-footer. Write the footer."
ROLLOUT = ".codex/sessions/2026/11/30/rollout-a.jsonl"


def read(name: str, prompt: str = ASKED) -> ParsedLog:
    done, home, _ = case(name)
    return client().read(prompt, done, home)


def calls(trajectory: Trajectory) -> list[tuple[str, str | None]]:
    """All calls by name with what came back of each, without the lines that the client puts above it."""
    return [(name, None if text is None else text.partition("Output:\n")[2]) for name, text in recorded.calls(trajectory)]


@pytest.mark.parametrize("name", CASES)
def test_every_trajectory_is_sound_and_fits_the_schema(name: str) -> None:
    prompt = FORCED if name == "native" else ASKED
    told = read(name, prompt)
    assert problems(told.trajectory) == []
    jsonschema.validate(json.loads(write(told.trajectory)), SCHEMA)
    assert (told.trajectory.agent.version, told.trajectory.agent.model_name) == ("0.171.0", "scripted-model")
    assert [step.message for step in told.trajectory.steps if step.source == "user"] == [prompt]


def test_two_requests() -> None:
    told = read("c0")
    assert (told.limit, told.fault, told.offered) == (None, None, ())
    assert calls(told.trajectory) == [("exec_command", "High water at noon.\n")]
    assert (told.trajectory.steps[-1].source, told.trajectory.steps[-1].message) == ("agent", "The footer is written.")


def test_the_skill_is_offered_and_its_body_read_in_the_shell() -> None:
    told = read("native", FORCED)
    assert told.offered == ("tide-table-footer",)
    opened, written = calls(told.trajectory)
    assert opened[0] == "exec_command" and "Round every height to the nearest five centimetres" in str(opened[1])
    assert written == ("exec_command", "High water at noon.\n")


def test_a_run_that_was_ended_has_what_it_counted_until_then() -> None:
    told = read("killed")
    assert (told.limit, told.fault) == (None, None)
    assert calls(told.trajectory) == [("exec_command", "High water at noon.\n"), ("exec_command", None)]
    assert [call.extra for call in told.trajectory.steps[-1].tool_calls or ()] == [{"interrupted": True}]


def test_a_refused_key_is_a_fault() -> None:
    told = read("refused")
    assert told.fault and told.fault.startswith("unexpected status 401 Unauthorized: the script says that this fails")
    assert told.usage.tokens is None and told.usage.reason == "the client counted no answer"
    assert not [step for step in told.trajectory.steps if step.source == "agent"]


def test_a_limit_of_the_gateways_is_no_fault() -> None:
    told = read("limit")
    assert b"Skill Assay: " in case("limit")[0].output
    assert (told.limit, told.fault) == (None, None)


def test_a_subagent_is_embedded_at_the_call_that_started_it_without_what_it_took_over() -> None:
    told = read("subagent")
    child = embedded(told.trajectory)
    (step,) = [step for step in told.trajectory.steps if any(one.subagent_trajectory_ref for one in step.results)]
    assert [call.function_name for call in step.tool_calls or ()] == ["spawn_agent"]
    assert [step.message for step in child.steps if step.source == "user"] == ["Look at the folder and say"]
    assert calls(child) == [("exec_command", "footer.txt\n")] and child.steps[-1].message == "There is a footer."
    assert sorted(costs(told.trajectory) + costs(child), key=str) == sorted(case("subagent")[2], key=str)


def test_a_failed_call_is_marked() -> None:
    failed = [one for step in read("subagent").trajectory.steps for one in step.results if (one.extra or {}).get("error")]
    assert len(failed) == 1 and "none.txt" in str(failed[0].content)


def test_a_subagent_whose_rollout_is_not_there_leaves_the_total_unknown() -> None:
    done, home, _ = case("subagent")
    main = {path: data for path, data in home.items() if b'"forked_from_id"' not in data}
    assert len(main) == 1
    told = client().read(ASKED, done, main)
    assert told.usage.tokens is None and told.usage.reason
    assert problems(told.trajectory) == []


@pytest.mark.parametrize("name", ["c0", "native"])
def test_without_its_rollout_standard_output_tells_what_it_did_and_the_total(name: str) -> None:
    done, home, _ = case(name)
    whole, told = client().read(ASKED, done, home), client().read(ASKED, done, {})
    assert told.usage == whole.usage and told.offered is None
    assert problems(told.trajectory) == [] and "rollout is not there" in str(told.trajectory.notes)
    results = [str(one.content) for step in told.trajectory.steps for one in step.results]
    assert results == [text for _, text in calls(whole.trajectory)]
    commands = [call.arguments["command"] for step in told.trajectory.steps for call in step.tool_calls or ()]
    assert "footer.txt" in commands[-1]


def row(kind: str, payload: Any, **fields: Any) -> bytes:
    return json.dumps({"type": kind, "payload": payload, **fields}).encode() + b"\n"


def said(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def item(kind: str, **fields: Any) -> bytes:
    return row("response_item", {"type": kind, **fields}, timestamp="2026-11-30T06:00:00.000Z")


ODD = [
    row("session_meta", {"id": [], "parent_thread_id": {}, "subagent_history_start_ordinal": "8"}, ordinal=-1),
    row("session_meta", "gone"),
    row("response_item", {"type": "message", "role": [], "content": 7}, timestamp={}),
    item("message", role="assistant", content=[{"type": "output_text", "text": "\ud800"}, 3, {"type": "odd"}]),
    item("reasoning", summary="thinking", content=None),
    item("function_call", call_id=7, name=None, arguments="{"),
    item("function_call_output", call_id="lost", output=[{"type": "input_image"}]),
    item("web_search_call", action={"query": "x"}),
    item("tool_output", output=None),
    row("token_usage_record", {"usage": {"input_tokens": -1, "output_tokens": True}, "thread_token_usage": []}),
    row("event_msg", {"type": "item_completed", "item": {"tool": "spawn_agent", "id": {}, "receiver_thread_ids": [3]}}),
    row("event_msg", {"type": "task_complete", "error": {"codex_error_info": {"odd": 1}}}),
    row("turn_context", {"model": []}),
    said(type="item.completed", item={"type": "error", "message": None}),
    said(type="item.completed", item={"id": 3, "type": "file_change", "changes": []}),
    said(type="item.completed", item={"type": "agent_message", "text": None}),
    said(type="turn.completed", usage="much"),
    b"[1]\n\xff\xfe\n{\n\nnull\n",
]


@pytest.mark.parametrize("rows", [*([odd] for odd in ODD), ODD, [*reversed(ODD)]])
def test_a_log_of_anything_is_read(rows: list[bytes]) -> None:
    data = b"".join(rows)
    for done, home in ((Done(0, data), {}), (Done(0, b""), {ROLLOUT: data}), (Done(1, data), {"a": data, ROLLOUT: data})):
        told = client().read(ASKED, done, home)
        assert problems(told.trajectory) == []
        assert told.usage.tokens is None
        jsonschema.validate(json.loads(write(told.trajectory)), SCHEMA)


def test_an_answer_of_several_items_is_one_step_and_ends_with_its_cost() -> None:
    usage = {"input_tokens": 10, "cached_input_tokens": 4, "output_tokens": 3}
    log = b"".join(
        [
            item("reasoning", summary=[{"type": "summary_text", "text": "Both at once."}]),
            item("function_call", call_id="a", name="exec_command", arguments='{"cmd": "ls"}'),
            item("function_call_output", call_id="a", output="early"),
            item("custom_tool_call", call_id="b", name="apply_patch", input="*** Begin Patch"),
            row("token_usage_record", {"usage": usage, "thread_token_usage": usage}),
            item("custom_tool_call_output", call_id="b", output="late"),
            item("message", role="assistant", content=[{"type": "output_text", "text": "Done."}]),
        ]
    )
    told = client().read(ASKED, Done(0, b""), {ROLLOUT: log})
    assert problems(told.trajectory) == []
    asked, first, second = told.trajectory.steps
    assert (asked.source, asked.message) == ("user", ASKED)
    assert [call.arguments for call in first.tool_calls or ()] == [{"cmd": "ls"}, {"raw": "*** Begin Patch"}]
    assert [one.content for one in first.results] == ["early", "late"]
    assert first.reasoning_content == "Both at once." and costs(told.trajectory) == [[10, 4, 3]]
    assert second.message == "Done." and told.usage.prompt_tokens == 10


def test_skills_are_read_from_the_list_that_the_model_is_shown() -> None:
    lines = (
        "<skills_instructions>\n- not this one\n### Available skills\n"
        "- b: Has: a colon. (file: r0/b/SKILL.md)\n- a:x: Of a plugin. (file: r1/x/SKILL.md)\n- bare (file: r0/bare/SKILL.md)\n"
        "</skills_instructions>"
    )
    log = item("message", role="developer", content=[{"type": "input_text", "text": lines}])
    assert client().read(ASKED, Done(0, b""), {ROLLOUT: log}).offered == ("a:x", "b", "bare")
    mine = item("message", role="user", content=[{"type": "input_text", "text": lines}])
    assert client().read(ASKED, Done(0, b""), {ROLLOUT: mine}).offered is None


@pytest.mark.parametrize(
    ("words", "code", "limit", "fault"),
    [
        ("stream disconnected\nbefore completion", "other", None, "stream disconnected before completion"),
        ("too long", "context_window_exceeded", "context", None),
        ("Codex ran out of room in the model's context window. Start a new thread.", None, "context", None),
        ('{"error": {"message": "Skill Assay: the tokens are used up"}}', "other", None, None),
    ],
)
def test_how_it_ended(words: str, code: str | None, limit: str | None, fault: str | None) -> None:
    output = said(type="turn.failed", error={"message": words})
    log = item("message", role="user", content=ASKED) + row("event_msg", {"type": "x", "error": {"codex_error_info": code}})
    told = client().read(ASKED, Done(1, output), {ROLLOUT: log})
    assert (told.limit, told.fault) == (limit, fault)


def test_one_that_does_not_start_says_why() -> None:
    told = client().read(ASKED, Done(2, b"", b"error: unexpected argument '--odd'\n"), {})
    assert told.fault == "it ended with exit code 2: error: unexpected argument '--odd'"
    assert client().read(ASKED, Done(124, b"", b"x", late=True), {}).fault is None
    assert client().read(ASKED, Done(0, b""), {}).fault is None


def test_the_same_command_for_every_prompt_and_no_key_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    plain = client().launch("Write.", Door(), Limits(seconds=5))
    for prompt in ("--help", "x" * 200_000, "Use the skill a.\n\nWrite.", "/compact it", "\ud800"):
        launch = client().launch(prompt, Door(), Limits(seconds=900, turns=3))
        assert (launch.command, launch.environment, launch.home) == (plain.command, plain.environment, plain.home)
        assert launch.stdin == prompt.encode("utf-8", "replace")
    assert "sk-secret" not in repr(plain)
    assert plain.command[0] == "node" and plain.command[-2:] == ("--model=scripted-model", "-")


def test_its_settings_lead_to_the_gateway_and_switch_its_own_skills_off() -> None:
    launch = client().launch("Write.", Door(url="http://127.0.0.1:9"), Limits(seconds=5))
    settings = tomllib.loads(launch.home[".codex/config.toml"].decode())
    served = settings["model_providers"][settings["model_provider"]]
    assert served["base_url"] == "http://127.0.0.1:9/v1" and served["env_key"] in launch.environment
    assert (served["request_max_retries"], served["stream_max_retries"]) == (0, 0)
    assert settings["skills"]["bundled"]["enabled"] is False and settings["web_search"] == "disabled"


def test_its_skill_is_opened_by_reading_the_file() -> None:
    body = "/home/agent/.agents/skills/tide/SKILL.md"
    assert client().opening("tide", body)[0] == {"shell": f"cat {body}"}
