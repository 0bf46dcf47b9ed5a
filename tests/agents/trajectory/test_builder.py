"""The builder that adapters use: whatever a log holds, what it makes is sound."""

import json
from typing import Any

import jsonschema
import pytest

from agents.trajectory.atif import CUT, Builder, ContentPart, ImageSource, Trajectory, problems, read, write
from agents.trajectory.builder import ROOM, SHORT
from agents.trajectory.text import DEPTH, LIMIT
from benchmark.core.model import Usage
from tests.agents.trajectory.trajectories import SCHEMA, calls_of, changed, good, load, usage


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
    arguments: Any = [call.arguments for call in calls_of(made, 0)]
    first, many, whole = arguments
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
