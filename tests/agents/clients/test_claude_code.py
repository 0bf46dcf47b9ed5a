"""Claude Code's logs, as the real client left them in a sandbox, turned into trajectories."""

import json
from functools import partial
from typing import Any

import jsonschema
import pytest

from agents.base import Done
from agents.clients.claude_code import BINARY, SETTINGS, TOOLS_OFF
from agents.clients.client import ParsedLog
from agents.trajectory.atif import problems, write
from benchmark.core.model import Limits
from tests.agents.clients import recorded
from tests.agents.clients.recorded import SCHEMA, Door, calls, client_of, costs, embedded, sums

CASES = ("c0", "native", "killed", "refused", "limit", "subagent")
case, client = partial(recorded.case, "claude-code"), partial(client_of, "claude-code")
ASKED = "Write the footer."
FORCED = "Use the skill tide-table-footer. Write the footer."


def read(name: str, prompt: str = ASKED) -> ParsedLog:
    done, home, _ = case(name)
    return client().read(prompt, done, home)


@pytest.mark.parametrize("name", CASES)
def test_every_trajectory_is_sound_and_fits_the_schema(name: str) -> None:
    told = read(name, FORCED if name == "native" else ASKED)
    assert problems(told.trajectory) == []
    jsonschema.validate(json.loads(write(told.trajectory)), SCHEMA)
    assert told.trajectory.agent.version == "2.1.332"
    assert [step.message for step in told.trajectory.steps if step.source == "user"] == [FORCED if name == "native" else ASKED]


@pytest.mark.parametrize("name", ["c0", "native", "limit", "subagent"])
def test_its_total_is_what_the_server_reported(name: str) -> None:
    usage = read(name).usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens) == sums(case(name)[2])
    assert usage.source == "provider" and usage.usd is None and usage.reason == "the client knows no price of this model"


def test_two_requests() -> None:
    told = read("c0")
    assert (told.limit, told.fault, told.offered) == (None, None, ())
    assert calls(told.trajectory) == [("Bash", "High water at noon.")]
    assert [(step.source, step.message) for step in told.trajectory.steps][-1] == ("agent", "The footer is written.")


def test_the_skill_is_offered_and_opened() -> None:
    told = read("native", FORCED)
    assert told.offered == ("tide-table-footer",)
    assert calls(told.trajectory) == [("Skill", "Launching skill: tide-table-footer"), ("Bash", "High water at noon.")]
    body = told.trajectory.steps[2]
    assert body.source == "system" and "Round every height to the nearest five centimetres" in str(body.message)


def test_a_run_that_was_ended_has_no_total_and_all_that_was_said() -> None:
    told = read("killed")
    assert told.usage.tokens is None and told.usage.reason == "the client ended before it gave its total"
    assert (told.limit, told.fault) == (None, None)
    assert [name for name, _ in calls(told.trajectory)] == ["Bash", "Bash"]
    assert told.trajectory.final_metrics and told.trajectory.final_metrics.total_prompt_tokens == sums(case("killed")[2])[0]


def test_a_refused_key_is_a_fault_and_no_answer_of_a_model() -> None:
    told = read("refused")
    assert told.fault == "Failed to authenticate. API Error: 401 the script says that this fails"
    assert told.usage.tokens is None and told.usage.reason == "the client counted no answer"
    said = told.trajectory.steps[-1]
    assert (said.source, said.llm_call_count, said.metrics) == ("agent", 0, None)


def test_a_limit_of_the_gateways_is_no_fault() -> None:
    told = read("limit")
    assert (told.limit, told.fault) == (None, None)
    assert "this attempt's 2 requests are used up" in str(told.trajectory.steps[-1].message)


@pytest.mark.parametrize("logged", [True, False])
def test_a_subagent_is_embedded_at_the_call_that_started_it(logged: bool) -> None:
    done, home, _ = case("subagent")
    told = client().read(ASKED, done, home if logged else {})
    child = embedded(told.trajectory)
    (step,) = [step for step in told.trajectory.steps if any(one.subagent_trajectory_ref for one in step.results)]
    assert [call.function_name for call in step.tool_calls or ()] == ["Agent"]
    assert [name for name, _ in calls(child)] == ["Bash"]
    assert [name for name, _ in calls(told.trajectory)] == ["Bash", "Agent", "Bash"]


def test_what_a_subagent_said_and_cost_is_in_its_log() -> None:
    told = read("subagent")
    child = embedded(told.trajectory)
    assert child.steps[-1].message == "There is a footer."
    assert sorted(costs(told.trajectory) + costs(child), key=str) == sorted(case("subagent")[2], key=str)


def test_a_failed_call_is_marked() -> None:
    done, home, _ = case("subagent")
    told = client().read(ASKED, done, home)
    failed = [one for step in told.trajectory.steps for one in step.results if (one.extra or {}).get("error")]
    assert len(failed) == 1 and "none.txt" in str(failed[0].content)


@pytest.mark.parametrize("name", ["native", "killed", "subagent"])
def test_without_its_log_standard_output_tells_all_but_what_each_answer_said_cost(name: str) -> None:
    done, home, reported = case(name)
    whole, told = client().read(ASKED, done, home), client().read(ASKED, done, {})
    assert (told.usage, told.offered) == (whole.usage, whole.offered)
    assert calls(told.trajectory) == calls(whole.trajectory)
    assert problems(told.trajectory) == []
    assert all(cost[2] is None for cost in costs(told.trajectory))
    assert {cost[0] for cost in costs(told.trajectory)} <= {part[0] for part in reported}


def row(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def result(**fields: Any) -> bytes:
    return row(type="result", is_error=True, **fields)


ODD = [
    row(type="assistant", uuid="1", message={"id": 7, "content": 7, "usage": {"input_tokens": "many"}}, timestamp={}),
    row(
        type="assistant", uuid="2", message={"content": [{"type": "tool_use", "name": None}, 3, {"type": "odd"}]}, timestamp="x"
    ),
    row(type="user", uuid="3", message={"content": [{"type": "tool_result", "tool_use_id": "lost", "content": 3}]}),
    row(type="user", uuid="4", message={"content": [{"type": "tool_result", "content": [{"type": "image"}, {"text": 1}]}]}),
    row(type="user", uuid="5", message=[], parent_tool_use_id=[], toolUseResult="Error"),
    row(type="system", subtype="init", skills="all", model=[]),
    row(type="assistant", uuid="6", message={"content": "\ud800", "usage": {"input_tokens": -5, "output_tokens": True}}),
    row(type="result", modelUsage=[], subtype=[], terminal_reason={}),
    row(type="result", modelUsage={"m": {"inputTokens": -1}, "n": 3}),
    b"[1]\n\xff\xfe\n{\n\nnull\n",
]


@pytest.mark.parametrize("rows", [*([odd] for odd in ODD), ODD, [*reversed(ODD)]])
def test_a_log_of_anything_is_read(rows: list[bytes]) -> None:
    data = b"".join(rows)
    for done, home in (
        (Done(0, data), {}),
        (Done(0, b""), {".claude/projects/-work/a.jsonl": data}),
        (Done(1, data), {"a": data}),
    ):
        told = client().read(ASKED, done, home)
        assert problems(told.trajectory) == []
        assert told.usage.tokens is None
        jsonschema.validate(json.loads(write(told.trajectory)), SCHEMA)


def test_agents_that_start_each_other_are_each_embedded_once() -> None:
    def starts(number: int, agent: str, starts: str) -> bytes:
        about = {"message": {"content": [{"type": "tool_result", "tool_use_id": f"call-{starts}"}]}, "agentId": agent}
        call = {"id": f"call-{starts}", "type": "tool_use", "name": "Agent", "input": {}}
        first = row(type="assistant", uuid=f"{number}", message={"id": f"m{number}", "content": [call]}, agentId=agent)
        return first + row(type="user", uuid=f"{number}b", toolUseResult={"agentId": starts}, **about)

    told = client().read(ASKED, Done(0, starts(1, "a", "b") + starts(2, "b", "a")), {})
    assert problems(told.trajectory) == []
    child = embedded(told.trajectory)
    grandchild = embedded(child)
    assert (child.trajectory_id, grandchild.trajectory_id, grandchild.subagent_trajectories) == ("a", "b", None)


def answer(uuid: str, block: dict[str, Any], stop: str | None, output: int, time: str = "2026-11-30T06:00:02.000Z") -> bytes:
    usage = {"input_tokens": 4, "cache_creation_input_tokens": 2, "cache_read_input_tokens": 3, "output_tokens": output}
    message = {"id": "one", "content": [block], "stop_reason": stop, "usage": usage}
    return row(type="assistant", uuid=uuid, message=message, timestamp=time)


def test_an_answer_of_several_rows_is_one_step_with_the_cost_of_its_end() -> None:
    rows = [
        answer("1", {"type": "thinking", "thinking": "A list first."}, None, 1),
        answer("2", {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "ls"}}, "tool_use", 9),
        row(type="user", uuid="3", message={"content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]}),
        answer("4", {"type": "text", "text": "There."}, None, 1),
    ]
    told = client().read(ASKED, Done(0, b""), {".claude/projects/-work/a.jsonl": b"".join(rows)})
    step = told.trajectory.steps[-1]
    assert (len(told.trajectory.steps), step.reasoning_content, step.message) == (2, "A list first.", "There.")
    assert costs(told.trajectory) == [[9, 3, 9]] and calls(told.trajectory)[0][0] == "Bash"


def test_a_time_before_the_one_above_is_left_out() -> None:
    earlier = row(type="user", uuid="2", message={"content": "Meanwhile."}, timestamp="2026-11-30T06:00:01.000Z")
    log = answer("1", {"type": "text", "text": "Hm."}, "end_turn", 1) + earlier
    told = client().read(ASKED, Done(0, log), {})
    assert [step.timestamp for step in told.trajectory.steps] == [None, "2026-11-30T06:00:02.000Z", None]
    assert problems(told.trajectory) == []


@pytest.mark.parametrize(
    ("fields", "limit", "fault"),
    [
        ({"subtype": "error_max_turns", "terminal_reason": "max_turns"}, "turns", None),
        ({"subtype": "error_max_budget_usd", "errors": ["spent"]}, "usd", None),
        ({"subtype": "success", "terminal_reason": "prompt_too_long", "result": "Prompt is too long"}, "context", None),
        ({"subtype": "success", "api_error_status": 529, "result": "API Error:\n 529 busy"}, None, "API Error: 529 busy"),
        ({"subtype": "success", "terminal_reason": "api_error"}, None, "it does not say why"),
        ({"subtype": "success", "terminal_reason": "malformed_tool_use_exhausted"}, None, None),
        ({"api_error_status": 400, "result": "API Error: 400 Skill Assay: the tokens are used up"}, None, None),
    ],
)
def test_how_it_ended(fields: dict[str, Any], limit: str | None, fault: str | None) -> None:
    told = client().read(ASKED, Done(1, result(**fields)), {})
    assert (told.limit, told.fault) == (limit, fault)


def test_one_that_does_not_start_says_why() -> None:
    told = client().read(ASKED, Done(1, b"", b"warning\nerror: unknown option '--odd'\n"), {})
    assert told.fault == "it ended with exit code 1: error: unknown option '--odd'"
    assert client().read(ASKED, Done(124, b"", b"x", late=True), {}).fault is None
    assert client().read(ASKED, Done(0, b""), {}).fault is None


def test_its_own_price_counts_where_it_knows_one() -> None:
    models = {
        "a": {
            "inputTokens": 3,
            "cacheCreationInputTokens": 2,
            "cacheReadInputTokens": 5,
            "outputTokens": 1,
            "costBasis": "list",
        },
        "b": {
            "inputTokens": 1,
            "cacheCreationInputTokens": 0,
            "cacheReadInputTokens": 0,
            "outputTokens": 1,
            "costBasis": "list",
        },
    }
    usage = client().read(ASKED, Done(0, row(type="result", modelUsage=models, total_cost_usd=0.25)), {}).usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens, usage.usd) == (11, 5, 2, 0.25)


def test_the_same_command_for_every_prompt_and_no_key_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    plain = client().launch("Write.", Door(), Limits(seconds=5))
    for prompt in ("--help", "x" * 200_000, "Use the skill a.\n\nWrite.", "/compact it", "\ud800"):
        launch = client().launch(prompt, Door(), Limits(seconds=900, turns=3))
        assert (launch.command, launch.environment, launch.home) == (plain.command, plain.environment, plain.home)
        assert launch.stdin.decode().lstrip(" ") == prompt.encode("utf-8", "replace").decode()
    assert "sk-secret" not in repr(plain)
    assert plain.command[:4] == (BINARY, "-p", "--model", "scripted-model") and TOOLS_OFF in plain.command
    assert json.loads(plain.home[".claude/settings.json"]) == SETTINGS


def test_a_prompt_that_starts_with_a_slash_is_no_command() -> None:
    assert client().launch("/compact it", Door(), Limits(seconds=5)).stdin == b" /compact it"
    assert client().launch("Write /x", Door(), Limits(seconds=5)).stdin == b"Write /x"


def test_every_request_is_for_the_trials_model() -> None:
    launch = client().launch("Write.", Door(model="claude-sonnet-4-5"), Limits(seconds=5))
    names = [name for name in launch.environment if name.endswith("_MODEL")]
    assert len(names) == 5 and {launch.environment[name] for name in names} == {"claude-sonnet-4-5"}
    assert launch.environment["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:8110"


def test_its_skill_is_opened_by_its_own_tool() -> None:
    assert client().opening("tide", "/home/agent/.claude/skills/tide/SKILL.md")[0] == {
        "tool": "Skill",
        "input": {"skill": "tide"},
    }
