"""ATIF: what the reader refuses, what the checks find in files that are well formed, and what the builder makes."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from agents.trajectory import CUT, BadTrajectory, Builder, ContentPart, ImageSource, ToolCall, Trajectory, problems, read, write
from agents.trajectory_builder import ROOM, SHORT
from agents.trajectory_text import DEPTH, LIMIT
from benchmark.model import Usage

SCHEMA = json.loads((Path(__file__).parents[1] / "data" / "atif-v1.8.schema.json").read_bytes())
CALL = {"tool_call_id": "a", "function_name": "sh", "arguments": {"command": "ls", "cwd": None}}
IMAGE = {"type": "image", "source": {"media_type": "image/png", "path": "shot.png"}}
SOUND = {"type": "audio", "source": {"media_type": "audio/mp3", "path": "beep.mp3"}}


def usage(prompt: int, cached: int = 0, completion: int = 1, usd: float | None = 0.01) -> Usage:
    return Usage(prompt_tokens=prompt, cached_tokens=cached, completion_tokens=completion, usd=usd, source="provider")


def good() -> dict[str, Any]:
    """A file of version 1.8 with nothing wrong."""
    return {
        "schema_version": "ATIF-v1.8",
        "agent": {"name": "a", "version": "1"},
        "steps": [
            {"step_id": 1, "source": "user", "message": "Do it.", "timestamp": "2026-01-01T10:00:00Z"},
            {
                "step_id": 2,
                "source": "agent",
                "message": "",
                "timestamp": "2026-01-01T10:00:01+00:00",
                "tool_calls": [CALL],
                "observation": {"results": [{"source_call_id": "a", "content": "app.js"}]},
                "metrics": {"prompt_tokens": 10, "cached_tokens": 4, "completion_tokens": 2, "cost_usd": 0.1},
                "llm_call_count": 1,
            },
        ],
        "final_metrics": {"total_prompt_tokens": 10, "total_cost_usd": 0.1, "total_steps": 2},
    }


def child(**fields: Any) -> dict[str, Any]:
    steps = [{"step_id": 1, "source": "user", "message": "Look."}]
    return {"trajectory_id": "sub", "agent": {"name": "a", "version": "1"}, "steps": steps, **fields}


def changed(path: str, value: Any, base: dict[str, Any] | None = None) -> dict[str, Any]:
    """The good file with one field set, `path` being like steps.1.message."""
    data = json.loads(json.dumps(base or good()))
    *above, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place = data
    for part in above:
        place = place[part]
    place[last] = value
    return data


def load(data: dict[str, Any]) -> Trajectory:
    return read(json.dumps(data).encode())


def calls_of(made: Trajectory, index: int) -> list[ToolCall]:
    return list(made.steps[index].tool_calls or ())


def refs(*items: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"source_call_id": "a", "subagent_trajectory_ref": list(items)}]


# reading


def test_a_good_file_has_no_problem_and_comes_back_as_it_was() -> None:
    found = load(good())
    assert problems(found) == []
    assert json.loads(write(found)) == good()
    assert read(write(found)) == found


@pytest.mark.parametrize(
    ("path", "value", "wrong"),
    [
        ("steps", [], "steps: "),
        ("steps.0.step_id", 0, "steps[0].step_id: "),
        ("steps.1.step_id", 3, "steps[1].step_id: 3 instead of 2"),
        ("steps.0.message", None, "steps[0].message: "),
        ("steps.0.mesage", "x", "steps[0].mesage: is no field of ATIF"),
        ("agent.home", "x", "agent.home: is no field of ATIF"),
        ("agent.name", None, "agent.name: "),
        ("steps.1.tool_calls.0.arguments", "ls", "steps[1].tool_calls[0].arguments: "),
        (
            "steps.1.observation.results.0.source_call_id",
            "b",
            "steps[1].observation.results[0].source_call_id: no call of this",
        ),
        (
            "steps.1.observation.results",
            refs({"session_id": "s"}),
            "steps[1].observation.results[0].subagent_trajectory_ref[0]: ",
        ),
        ("subagent_trajectories", [child(trajectory_id=None)], "subagent_trajectories[0].trajectory_id: an embedded"),
        ("subagent_trajectories", [child(), child()], "subagent_trajectories[1].trajectory_id: 'sub' is the id of another"),
        ("subagent_trajectories", [child(steps=[])], "subagent_trajectories[0].steps: "),
        ("steps.0.timestamp", "yesterday", "steps[0].timestamp: no ISO 8601 time: 'yesterday'"),
        ("steps.1.llm_call_count", 0, "steps[1].metrics: a step with llm_call_count 0 has none"),
        ("steps.1.llm_call_count", -1, "steps[1].llm_call_count: "),
        ("schema_version", "ATIF-v1.9", "schema_version: "),
        ("steps.0.source", "tool", "steps[0].source: "),
        ("steps.0.metrics", {}, "steps[0].metrics: only agent steps have it, and this step's source is 'user'"),
        ("steps.0.model_name", "m", "steps[0].model_name: only agent"),
        ("steps.0.reasoning_content", "m", "steps[0].reasoning_content: only agent"),
        ("steps.0.reasoning_effort", "high", "steps[0].reasoning_effort: only agent"),
        ("steps.0.tool_calls", [], "steps[0].tool_calls: only agent"),
        ("steps.0.message", [{"type": "text"}], "steps[0].message[0].text: a text part"),
        ("steps.0.message", [{**IMAGE, "text": "x"}], "steps[0].message[0].source: an image part"),
        ("steps.0.message", [{**SOUND, "type": "image"}], "steps[0].message[0].source: an image part"),
        ("steps.0.message", [{"type": "text", "text": "x", **{"source": IMAGE["source"]}}], "steps[0].message[0].text: "),
        (
            "steps.0.message",
            [{"type": "audio", "source": {"media_type": "audio/midi", "path": "x"}}],
            "steps[0].message[0].source.media_type: Input should be 'audio/wav'",
        ),
        ("steps.1.metrics.prompt_tokens", True, "steps[1].metrics.prompt_tokens: a number is needed"),
        ("steps.1.metrics.prompt_tokens", 1.5, "steps[1].metrics.prompt_tokens: "),
        ("steps.1.metrics.cost_usd", "NaN", "steps[1].metrics.cost_usd: "),
        ("final_metrics.total_steps", -1, "final_metrics.total_steps: "),
    ],
)
def test_the_reader_names_the_field_that_breaks_a_rule(path: str, value: Any, wrong: str) -> None:
    with pytest.raises(BadTrajectory) as caught:
        load(changed(path, value))
    assert str(caught.value).startswith(wrong)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        (b'{"agent": {"name": "a", "version": "1", "name": "b"}, "steps": []}', "agent.name: two values for this key"),
        (b'{"steps": [{"extra": {"x": NaN}}]}', "steps[0].extra.x: NaN is no number"),
        (b'{"steps": [1, {"x": -Infinity}]}', "steps[1].x: -Infinity is no number"),
        (b'{"extra": 1e999}', "extra: 1e999 is no number"),
        (b"\xff\xfe{}", "the file: is not JSON in UTF-8"),
        (b'{"steps": ', "the file: is not JSON in UTF-8"),
        (b"[]", "the file: "),
        (b"[" * 100_000, "the file: is nested too deeply"),
        (b'{"a\\nb": 1, "a\\nb": 2}', "a b: two values"),
    ],
)
def test_the_reader_takes_only_plain_json(data: bytes, wrong: str) -> None:
    with pytest.raises(BadTrajectory) as caught:
        read(data)
    assert str(caught.value).startswith(wrong)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("path", "value", "at", "since"),
    [
        ("steps.0.is_copied_context", True, "steps[0].is_copied_context", 5),
        ("steps.0.message", [IMAGE], "steps[0].message", 6),
        ("trajectory_id", "t", "trajectory_id", 7),
        ("subagent_trajectories", [child()], "subagent_trajectories", 7),
        ("steps.1.llm_call_count", 1, "steps[1].llm_call_count", 7),
        ("steps.1.tool_calls.0.extra", {"x": 1}, "steps[1].tool_calls[0].extra", 7),
        ("steps.1.observation.results.0.extra", {"x": 1}, "steps[1].observation.results[0].extra", 7),
        (
            "steps.1.observation.results",
            refs({"trajectory_id": "t"}),
            "steps[1].observation.results[0].subagent_trajectory_ref[0].trajectory_id",
            7,
        ),
        ("steps.1.observation.results.0.content", [SOUND], "steps[1].observation.results[0].content[0]", 8),
    ],
)
def test_a_field_newer_than_the_declared_version_is_refused(path: str, value: Any, at: str, since: int) -> None:
    old = changed("steps.1.llm_call_count", None)
    declared = changed("schema_version", f"ATIF-v1.{since - 1}", changed(path, value, old))
    with pytest.raises(BadTrajectory, match=f"ATIF-v1.{since} and later, and the file declares ATIF-v1.{since - 1}") as caught:
        load(declared)
    # Lists of parts are older than sounds, so the newest of two new fields need not be the first that is named.
    assert str(caught.value).startswith(f"{at}: ")
    assert load(changed("schema_version", f"ATIF-v1.{since}", declared)).schema_version == f"ATIF-v1.{since}"


def test_a_file_of_version_1_0_is_read_and_written_as_1_8() -> None:
    for field in ("trajectory_id", "subagent_trajectories"):
        with pytest.raises(BadTrajectory, match=f"^{field}: "):
            load(changed("schema_version", "ATIF-v1.0", changed(field, [child()] if field[0] == "s" else "t")))
    old = load(changed("schema_version", "ATIF-v1.0", changed("steps.1.llm_call_count", None)))
    assert old.schema_version == "ATIF-v1.0"
    assert json.loads(write(old)) == json.loads(json.dumps(good()).replace(', "llm_call_count": 1', ""))


def test_numbers_in_strings_and_other_names_of_media_types_are_understood() -> None:
    found = load(changed("steps.1.metrics.prompt_tokens", "10", changed("steps.0.message", [SOUND])))
    assert isinstance(found.steps[0].message, tuple)
    assert found.steps[0].message[0].source is not None
    assert found.steps[0].message[0].source.media_type == "audio/mpeg"
    assert problems(found) == []


def test_an_error_does_not_repeat_a_long_value() -> None:
    with pytest.raises(BadTrajectory) as caught:
        load(changed("steps.0.source", "x" * 10_000))
    assert len(str(caught.value)) < 400


# what well-formed files have wrong


def two_agents(**second: Any) -> dict[str, Any]:
    """The good file with a second agent's step like the first, without totals."""
    step = {**good()["steps"][1], "step_id": 3, "tool_calls": [{**CALL, "tool_call_id": "b"}], **second}
    step.setdefault("observation", None)
    if "observation" not in second:
        step["observation"] = {"results": [{"source_call_id": step["tool_calls"][0]["tool_call_id"]}]}
    return {**good(), "steps": [*good()["steps"], step], "final_metrics": None}


TWICE = two_agents(tool_calls=[CALL])
UNANSWERED = changed("steps.1.observation", None)
LINKED = changed("subagent_trajectories", [child()], changed("steps.1.observation.results", refs({"trajectory_id": "sub"})))
LOOP_STEP = {
    "step_id": 1,
    "source": "agent",
    "message": "",
    "llm_call_count": 0,
    "observation": {"results": [{"subagent_trajectory_ref": [{"trajectory_id": "root"}]}]},
}


TALK = {"step_id": 1, "source": "agent", "message": "Hi"}


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (TWICE, "step 3: call id 'a' was used before, in step 2"),
        (changed("steps.1.metrics.completion_tokens", -2), "step 2: completion_tokens is -2, which is negative"),
        (changed("steps.1.metrics.cost_usd", -0.1, two_agents()), "step 2: cost_usd is -0.1, which is negative"),
        (
            changed("steps.1.metrics.cached_tokens", 11),
            "step 2: cached_tokens is 11, more than the prompt_tokens of 10 that they are part of",
        ),
        (
            changed("final_metrics.total_cached_tokens", 11),
            "final_metrics: total_cached_tokens is 11, more than the total_prompt_tokens of 10 that they are part of",
        ),
        (changed("final_metrics.total_prompt_tokens", -1), "final_metrics: total_prompt_tokens is -1, which is negative"),
        (
            changed("steps.1.metrics.prompt_tokens", 0, two_agents()),
            "step 2: prompt_tokens is 0, and no model is called with nothing; not known is null",
        ),
        (
            changed("steps.1.timestamp", "2026-01-01T09:59:59Z"),
            "step 2: timestamp 2026-01-01T09:59:59Z is before that of step 1, 2026-01-01T10:00:00Z",
        ),
        (
            changed("steps.1.timestamp", "2026-01-01T10:00:01"),
            "step 2: timestamp 2026-01-01T10:00:01 has no time zone and that of step 1 has one: 2026-01-01T10:00:00Z",
        ),
        (
            changed("steps.1.observation.results.0.subagent_trajectory_ref", [{"trajectory_id": "gone"}]),
            "step 2: no trajectory",
        ),
        (changed("final_metrics.total_steps", 5), "final_metrics: total_steps is 5, there are 2 steps, and the notes"),
        (changed("steps.0.observation", {"results": []}), "step 1: a user's step has an observation"),
        (changed("steps.0.llm_call_count", 0), "step 1: llm_call_count is 0 although the step's source is 'user'"),
        (UNANSWERED, "step 2: call 'a' of 'sh' has no result and is not marked"),
        (
            changed("final_metrics.total_prompt_tokens", 12),
            "final_metrics: total_prompt_tokens is 12, its parts add up to 10, and the notes do not explain it",
        ),
        (
            changed("final_metrics.total_cost_usd", 0.2),
            "final_metrics: total_cost_usd is 0.2, its parts add up to 0.1, and the notes do not explain it",
        ),
        (
            changed("final_metrics", {"total_prompt_tokens": 9}, two_agents(metrics=None)),
            "final_metrics: total_prompt_tokens is 9, less than the 10 of the parts that have a figure",
        ),
        (
            changed("final_metrics", {"total_prompt_tokens": 20}, two_agents(is_copied_context=True)),
            "final_metrics: total_prompt_tokens is 20, its parts add up to 10 without the copied steps",
        ),
        (
            changed("steps.1.observation.results", refs({"trajectory_path": "../x.json"})),
            "step 2: trajectory_path '../x.json' leads",
        ),
        (
            changed("steps.1.observation.results", refs({"trajectory_path": "/x.json"})),
            "step 2: trajectory_path '/x.json' is absolute",
        ),
        (
            changed("steps.1.observation.results", refs({"trajectory_path": "C:\\x"})),
            "step 2: trajectory_path 'C:\\\\x' is absolute",
        ),
        (changed("steps.1.observation.results", refs({"trajectory_path": "a\\..\\..\\x"})), "step 2: trajectory_path"),
        (changed("continued_trajectory_ref", "https://x/y.json"), "continued_trajectory_ref 'https://x/y.json' is an address"),
        (changed("continued_trajectory_ref", ""), "continued_trajectory_ref '' is empty"),
        (changed("steps.0.message.0.source.path", "a/../../b.png", changed("steps.0.message", [IMAGE])), "step 1: media path"),
        (changed("steps.0.message.0.source.path", "file:///etc/x", changed("steps.0.message", [IMAGE])), "step 1: media path"),
        (changed("trajectory_id", "sub", LINKED), "trajectory_id 'sub' is there 2 times in the file"),
        (
            changed("subagent_trajectories", [child(steps=[LOOP_STEP])], changed("trajectory_id", "root", LINKED)),
            "subagent 'sub': step 1: the subagent 'root' is, or started, the trajectory that refers to it",
        ),
        (
            changed(
                "subagent_trajectories.0.steps", [{**LOOP_STEP, "llm_call_count": 1, "metrics": {"prompt_tokens": -4}}], LINKED
            ),
            "subagent 'sub': step 1: prompt_tokens is -4, which is negative",
        ),
    ],
)
def test_the_checks_name_the_step_and_the_value(data: dict[str, Any], line: str) -> None:
    found = problems(load(data))
    assert any(one.startswith(line) for one in found), found
    assert all("\n" not in one for one in found)


@pytest.mark.parametrize(
    "data",
    [
        two_agents(),
        changed("steps.1.extra", {"interrupted": True}, UNANSWERED),
        changed("steps.1.tool_calls.0.extra", {"interrupted": True}, UNANSWERED),
        LINKED,
        changed("notes", "total_prompt_tokens includes a title's call", changed("final_metrics.total_prompt_tokens", 12)),
        changed("notes", "The totals include a title's call.", changed("final_metrics.total_prompt_tokens", 12)),
        changed("notes", "5 steps before compaction", changed("final_metrics.total_steps", 5)),
        changed("final_metrics", {"total_prompt_tokens": 10}, two_agents(is_copied_context=True)),
        changed("final_metrics", {"total_prompt_tokens": 10}, two_agents(metrics=None, llm_call_count=0)),
        changed("final_metrics", {"total_prompt_tokens": 15}, two_agents(metrics=None)),
        changed(
            "final_metrics.total_prompt_tokens",
            17,
            changed("subagent_trajectories", [child(steps=[TALK], final_metrics={"total_prompt_tokens": 7})], LINKED),
        ),
        changed(
            "final_metrics.total_prompt_tokens",
            14,
            changed("subagent_trajectories", [child(steps=[{**TALK, "metrics": {"prompt_tokens": 4}}])], LINKED),
        ),
        changed("steps.1.observation.results", refs({"trajectory_path": "subagents/x.json"})),
        changed("steps.0.message.0.source.path", "https://example.org/a.png", changed("steps.0.message", [IMAGE])),
    ],
)
def test_the_checks_leave_alone_what_is_right_or_explained(data: dict[str, Any]) -> None:
    assert problems(load(data)) == []


@pytest.mark.parametrize("value", [False, "true", 1, None])
def test_only_true_marks_an_interruption(value: Any) -> None:
    assert len(problems(load(changed("steps.1.tool_calls.0.extra", {"interrupted": value}, UNANSWERED)))) == 1


def test_a_note_on_one_total_does_not_explain_another() -> None:
    data = changed("notes", "total_cost_usd is a list price", changed("final_metrics.total_prompt_tokens", 12))
    assert len(problems(load(data))) == 1


# building


def built(builder: Builder, total: Usage | None = None) -> Trajectory:
    """What a builder makes, after it stood every test that a file must stand."""
    made = builder.build(total)
    data = write(made)
    jsonschema.validate(json.loads(data), SCHEMA)
    assert read(data) == made
    assert problems(made) == []
    return made


def test_the_builder_joins_calls_and_results_and_sums_up() -> None:
    builder = Builder("codex", "1.2", "m", session_id="s", tools=[{"type": "function"}])
    assert builder.system("Rules") == 0
    assert builder.user("Do it.", "2026-01-01T10:00:00Z") == 1
    calls = [("a", "sh", {"command": "ls", "cwd": None}), ("b", "sh", '{"command": "cat"}'), ("c", "patch", "*** Begin")]
    assert builder.agent("", reasoning="Look first.", calls=calls, usage=usage(10, 4, 2), timestamp=1767261601.5) == 2
    assert builder.agent("Done.", usage=usage(20, 10, 3), model="other") == 3
    builder.result("b", "text", error=True)
    builder.result("a", [ContentPart(type="image", source=ImageSource(media_type="image/png", path="a.png"))])
    builder.result("c", None)
    made = built(builder)
    step = made.steps[2]
    assert step.timestamp == "2026-01-01T10:00:01.500000+00:00"
    assert step.reasoning_content == "Look first."
    assert [call.arguments for call in calls_of(made, 2)] == [
        {"command": "ls", "cwd": None},
        {"command": "cat"},
        {"raw": "*** Begin"},
    ]
    assert [(result.source_call_id, result.extra) for result in step.results] == [
        ("b", {"error": True}),
        ("a", None),
        ("c", None),
    ]
    assert made.steps[3].model_name == "other"
    assert [one.step_id for one in made.steps] == [1, 2, 3, 4]
    final = made.final_metrics
    assert final is not None
    assert (final.total_prompt_tokens, final.total_cached_tokens, final.total_completion_tokens) == (30, 14, 5)
    assert final.total_cost_usd == pytest.approx(0.02)
    assert (final.total_steps, final.extra, made.notes) == (4, None, None)


def test_a_total_of_the_client_that_differs_is_kept_with_both_figures() -> None:
    builder = Builder("a", "1")
    builder.agent("Hi", usage=usage(10, 0, 2, usd=None))
    made = built(builder, Usage(prompt_tokens=17, completion_tokens=2, usd=0.5))
    assert made.final_metrics is not None
    assert made.final_metrics.total_prompt_tokens == 17
    assert made.final_metrics.total_completion_tokens == 2
    assert made.final_metrics.total_cached_tokens == 0
    assert made.final_metrics.total_cost_usd == 0.5
    assert made.notes == "total_prompt_tokens is 17, its parts add up to 10; the first is what the client reported"
    reported = ["total_prompt_tokens", "total_completion_tokens", "total_cost_usd"]
    assert made.final_metrics.extra == {"client_reported": reported}


def test_what_was_not_measured_is_null_and_never_0() -> None:
    builder = Builder("a", "1")
    builder.agent("Hi", usage=usage(10))
    builder.agent("Ho", usage=Usage(reason="the stream was cut"))
    builder.agent("Hm")
    made = built(builder)
    assert made.final_metrics is not None
    assert made.final_metrics.total_prompt_tokens is None
    assert made.final_metrics.total_cost_usd is None
    metrics = [step.metrics for step in made.steps]
    assert metrics[0] is not None
    assert metrics[0].extra == {"source": "provider"}
    assert metrics[1] is not None
    assert (metrics[1].prompt_tokens, metrics[1].extra) == (None, {"reason": "the stream was cut"})
    assert metrics[2] is None


def test_a_trajectory_of_nothing_is_valid_and_says_so() -> None:
    made = built(Builder("a", "1"))
    assert [step.source for step in made.steps] == ["user"]
    assert made.notes == "the client's log holds nothing of what was said"
    assert made.final_metrics is not None
    assert made.final_metrics.total_prompt_tokens is None
    only_user = Builder("a", "1")
    only_user.user("Do it.")
    assert built(only_user).notes is None
    assert "total_prompt_tokens is 5, its parts add up to 0" in (built(only_user, usage(5)).notes or "")


def test_a_call_that_never_came_back_is_marked() -> None:
    builder = Builder("a", "1")
    builder.agent("", calls=[("a", "sh", {}), ("b", "sh", {})])
    builder.result("b", "done")
    made = built(builder)
    assert [call.extra for call in calls_of(made, 0)] == [{"interrupted": True}, None]
    builder.result("a", "late")
    assert [call.extra for call in calls_of(built(builder), 0)] == [None, None]


def test_a_result_without_its_call_becomes_a_step_of_its_own() -> None:
    builder = Builder("a", "1")
    builder.user("Do it.")
    builder.result("lost", "text")
    builder.result(None, "more", error=True)
    made = built(builder)
    assert [step.source for step in made.steps] == ["user", "system", "system"]
    assert made.steps[1].extra == {"orphan_result": True, "call_id": "lost"}
    assert made.steps[1].results[0].content == "text"
    assert made.steps[2].results[0].extra == {"error": True}
    assert made.notes == "2 results name a call that is not in the log: 'lost', 'None'"


def test_call_ids_that_a_client_repeats_or_leaves_out_become_unique() -> None:
    builder = Builder("a", "1")
    builder.agent("", calls=[("x", "sh", {"n": 1}), ("x", "sh", {"n": 2}), (None, "sh", {"n": 3})])
    builder.result("x", "one")
    builder.agent("", calls=[("x", "sh", {"n": 4})])
    builder.result("x", "two")
    builder.result("x", "four")
    builder.result("x", "four again")
    made = built(builder)
    assert [call.tool_call_id for call in calls_of(made, 0)] == ["x", "x#2", "call-3"]
    assert [(result.source_call_id, result.content) for step in made.steps for result in step.results] == [
        ("x", "one"),
        ("x#2", "two"),
        ("x#3", "four"),
        ("x#3", "four again"),
    ]
    assert made.notes == "the client gave the call id 'x' more than once; later ones are numbered"


def subagent(name: str | None = None, prompt: int = 5) -> Builder:
    builder = Builder("a", "1", trajectory_id=name)
    builder.agent("Found it.", usage=usage(prompt))
    return builder


def test_subagents_count_once_and_copied_context_not_at_all() -> None:
    builder = Builder("a", "1")
    builder.user("Before.", copied=True)
    builder.agent("Before.", usage=usage(1000), copied=True)
    builder.agent("", calls=[("t", "task", {})], usage=usage(10))
    builder.subagent(subagent("s1").build(), "t")
    builder.subagent(subagent("s2", 7).build(usage(8)), "t")
    builder.result("t", "Found it.")
    made = built(builder)
    assert made.final_metrics is not None
    assert made.final_metrics.total_prompt_tokens == 10 + 5 + 8
    (result,) = made.steps[2].results
    assert result.content == "Found it."
    assert [ref.trajectory_id for ref in result.subagent_trajectory_ref or ()] == ["s1", "s2"]
    counted = made.final_metrics.model_copy(update={"total_prompt_tokens": 1023})
    assert problems(made.model_copy(update={"final_metrics": counted})) == [
        "final_metrics: total_prompt_tokens is 1023, its parts add up to 23 without the copied steps, "
        "and the notes do not explain it"
    ]


def test_a_subagent_after_the_result_joins_it_and_one_without_a_call_is_noted() -> None:
    builder = Builder("a", "1")
    builder.agent("", calls=[("t", "task", {})], usage=usage(10))
    builder.result("t", "Found it.")
    builder.subagent(subagent().build(), "t")
    builder.subagent(subagent().build(), "lost")
    made = built(builder)
    (result,) = made.steps[0].results
    assert (result.content, len(result.subagent_trajectory_ref or ())) == ("Found it.", 1)
    assert [one.trajectory_id for one in made.subagent_trajectories or ()] == ["subagent", "subagent-2"]
    assert made.notes == "it is not known which call started the subagent 'subagent-2'"


def test_ids_of_subagents_in_subagents_stay_unique_and_their_references_follow() -> None:
    def parent() -> Builder:
        builder = Builder("a", "1")
        builder.agent("", calls=[("t", "task", {"trajectory_id": "subagent"})], usage=usage(10))
        builder.subagent(subagent().build(), "t")
        builder.result("t", "ok")
        return builder

    builder = parent()
    builder.subagent(parent().build(), "t")
    builder.subagent(parent().build(), "t")
    made = built(builder)
    assert made.final_metrics is not None
    assert made.final_metrics.total_prompt_tokens == 10 + 5 + 2 * (10 + 5)
    last = list(made.subagent_trajectories or ())[-1]
    (below,) = list(last.subagent_trajectories or ())
    (ref,) = list(last.steps[0].results[0].subagent_trajectory_ref or ())
    assert ref.trajectory_id == below.trajectory_id
    assert [call.arguments for call in calls_of(last, 0)] == [{"trajectory_id": "subagent"}]


def test_a_read_trajectory_of_an_old_version_can_be_embedded() -> None:
    old = load(changed("schema_version", "ATIF-v1.0", changed("steps.1.llm_call_count", None)))
    builder = Builder("a", "1")
    builder.agent("", calls=[("t", "task", {})], usage=usage(10))
    builder.subagent(old, "t")
    builder.result("t", "ok")
    assert built(builder).final_metrics is not None


def test_a_step_without_a_model_call_counts_nothing_and_has_no_metrics() -> None:
    builder = Builder("a", "1")
    builder.agent("The client said this.", call_count=0)
    builder.agent("Hi", usage=usage(10))
    builder.agent("", reasoning="Hm.", call_count=0, usage=usage(1))
    made = built(builder)
    assert [step.llm_call_count for step in made.steps] == [0, 1, None]
    assert made.final_metrics is not None
    assert made.final_metrics.total_prompt_tokens == 11


def test_long_texts_are_cut_with_a_mark() -> None:
    builder = Builder("a", "1")
    builder.agent(
        "m" * (LIMIT + 1),
        reasoning="r" * (LIMIT + 1),
        calls=[
            ("a", "write", {"path": "app.js", "text": "x" * 10_000_000}),
            ("b", "write", {f"k{n}": "x" * 1000 for n in range(3000)}),
            ("c", "write", {"text": "y" * LIMIT}),
        ],
    )
    for name in "abc":
        builder.result(name, "o" * 100_000_000 if name == "a" else "o" * LIMIT)
    made = built(builder)
    step = made.steps[0]
    assert step.message == "m" * LIMIT + CUT
    assert step.reasoning_content == "r" * LIMIT + CUT
    assert step.results[0].content == "o" * LIMIT + CUT
    assert step.results[1].content == "o" * LIMIT
    first, many, whole = (call.arguments for call in calls_of(made, 0))
    assert first["path"] == "app.js"
    assert first["text"] == "x" * LIMIT + CUT
    assert list(many) == ["raw"]
    assert len(many["raw"]) == LIMIT + len(CUT)
    assert whole == {"text": "y" * LIMIT}


def test_many_long_texts_cannot_blow_up_a_record() -> None:
    builder = Builder("a", "1")
    for number in range(300):
        builder.agent("", calls=[(str(number), "sh", {"command": "c" * LIMIT})])
        builder.result(str(number), "o" * LIMIT)
    made = built(builder)
    assert len(write(made)) < ROOM * 1.2
    assert made.steps[0].results[0].content == "o" * LIMIT
    assert made.steps[-1].results[0].content == "o" * SHORT + CUT


def test_lone_surrogates_odd_values_and_deep_nesting_can_be_written() -> None:
    deep: Any = "bottom"
    for _ in range(DEPTH * 5):
        deep = [deep]
    builder = Builder("a\ud800", "1")
    builder.user("half \ud83d, pair \ud83d\ude00")
    given = {"k\udc00": "v\udfff", "nan": float("nan"), "set": {1}, "deep": deep, "none": None}
    builder.agent("x", calls=[("id\ud800", "sh", given)])
    builder.result("id\ud800", "out \udcff")
    builder.note("note \ud800")
    made = built(builder)
    assert made.steps[0].message == "half \ufffd, pair 😀"
    (call,) = calls_of(made, 1)
    assert {key: value for key, value in call.arguments.items() if key != "deep"} == {
        "k\ufffd": "v\ufffd",
        "nan": "nan",
        "set": "{1}",
        "none": None,
    }
    assert f"[deeper than {DEPTH} levels]" in json.dumps(call.arguments["deep"])
    assert made.steps[1].results[0].content == "out \ufffd"
    assert read(b'{"agent": {"name": "\\ud800", "version": "1"}, "steps": [%s]}' % json.dumps(good()["steps"][0]).encode())


def test_times_that_are_none_are_left_out_and_noted() -> None:
    builder = Builder("a", "1")
    builder.user("Hi", "yesterday")
    builder.user("Ho", 1e30)
    made = built(builder)
    assert [step.timestamp for step in made.steps] == [None, None]
    assert made.notes == "2 timestamps were left out because they are no times: 'yesterday', '1e+30'"


def test_everything_is_frozen_and_none_is_not_written() -> None:
    made = load(good())
    with pytest.raises(ValueError, match="frozen"):
        made.steps[0].message = "other"  # pyright: ignore[reportAttributeAccessIssue]
    assert b"null" not in write(load(changed("steps.1.tool_calls.0.arguments", {}, changed("notes", None))))
    assert write(made).startswith(b'{\n  "schema_version": "ATIF-v1.8",\n')
