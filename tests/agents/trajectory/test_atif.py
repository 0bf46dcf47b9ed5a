"""ATIF files: what the reader takes and what it refuses, and that what is written is read."""

import json
from typing import Any

import pytest

from agents.trajectory.atif import BadTrajectory, problems, read, write
from tests.agents.trajectory.trajectories import IMAGE, SOUND, changed, child, good, load, refs


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
