"""What well-formed trajectories can have wrong, and what is right or explained."""

from typing import Any

import pytest

from agents.trajectory.atif import problems
from tests.agents.trajectory.trajectories import CALL, IMAGE, changed, child, good, load, refs


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
