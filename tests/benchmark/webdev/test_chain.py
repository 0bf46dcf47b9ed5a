"""Walking a chain: what the second attempt starts from and is told, where it ends, and what is graded once."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from agents.base import AttemptRequest, AttemptResult, WorkspaceFiles
from agents.scripted.scripted import Scripted
from benchmark.core.files import MAX_BYTES, Files
from benchmark.core.model import AgentSpec, SkillRef, TaskResult, TrialSpec
from benchmark.store.store import Store
from benchmark.suite.contract import Grading, TrialContext
from benchmark.webdev import grade
from benchmark.webdev.chain import walk
from benchmark.webdev.chain_project import NativeProject
from benchmark.webdev.project import Project
from fixtures.sandbox.base import WorkspaceSpec
from fixtures.sandbox.local import LocalSandbox
from skills.parsing.parse import Skill, as_skill
from tests.tiny import START, STATES, page, tiny

Script = Mapping[tuple[int, int], Files]


class Scribe(Scripted):
    """Writes what a script says at each (task, attempt), and keeps what it was asked and what it found."""

    name = "scribe"

    def __init__(self, spec: AgentSpec, script: Script | None = None) -> None:
        del spec
        self._script = script or {}
        self.asks: list[AttemptRequest] = []
        self.found: dict[tuple[int, int], Files] = {}

    def run(self, request: AttemptRequest, workspace: WorkspaceFiles) -> AttemptResult:
        self.asks.append(request)
        self.found[request.task, request.attempt] = workspace.files()
        files = self._script.get((request.task, request.attempt), {})
        workspace.write(files)
        return self.told(request, "wrote", files)


class Walk:
    """One walk of the tiny project: the agent, the results and what was sent."""

    def __init__(self, agent: Scribe, results: list[TaskResult]) -> None:
        self.agent = agent
        self.results = results
        self.sent = [ask.prompt for ask in agent.asks]

    @property
    def outcomes(self) -> list[str | None]:
        return [task.outcome for task in self.results]

    def attempt(self, task: int, number: int) -> Any:
        return self.results[task - 1].attempts[number - 1]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return tiny(tmp_path / "tiny")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs")


@pytest.fixture
def walked(project: Project, store: Store, sandbox: LocalSandbox) -> Callable[..., Walk]:
    def walked(script: Script, skill: Skill | None = None) -> Walk:
        agent = Scribe(AgentSpec(name="noop"), script)
        spec = TrialSpec(
            suite="webdev",
            project="tiny",
            condition="C1" if skill else "C0",
            delivery="prompt" if skill else None,
            agent=AgentSpec(name="noop"),
            skill=skill.ref if skill else None,
            replicate=0,
            inputs="0" * 64,
            protocol=1,
        )
        with sandbox.workspace(WorkspaceSpec()) as box:
            grading = Grading(sandbox, store, "key")
            return Walk(agent, walk(NativeProject(project), TrialContext(spec, agent, skill, box, None, grading)))

    return walked


def solution(*tasks: int) -> dict[tuple[int, int], Files]:
    return {(task, 1): {"index.html": STATES[task - 1]} for task in tasks}


def test_a_chain_of_solved_tasks_is_walked_to_its_end_each_from_what_the_one_before_left(
    walked: Callable[..., Walk], store: Store
) -> None:
    walk = walked(solution(1, 2, 3))
    assert walk.outcomes == ["solved", "solved", "solved"]
    assert [len(task.attempts) for task in walk.results] == [1, 1, 1]
    assert walk.agent.found[1, 1] == {"index.html": START, "note.txt": b"left alone\n"}
    assert walk.agent.found[3, 1]["index.html"] == STATES[1]
    last = walk.attempt(3, 1)
    assert store.get_tree(last.workspace) == {"index.html": STATES[2], "note.txt": b"left alone\n"}
    assert store.get(last.prompt).decode() == walk.sent[2]
    assert last.feedback is None
    # The new task's checks come first, then those of all tasks before.
    assert [check.task for check in last.checks] == [3, 1, 2, 2]


def test_the_second_attempt_starts_from_what_the_first_left_and_is_told_what_did_not_hold(
    walked: Callable[..., Walk], store: Store
) -> None:
    wrong: Files = {"index.html": page("Stop"), "extra.css": b"p {}"}
    walk = walked({(1, 1): wrong, (1, 2): {"index.html": STATES[0]}})
    first, second = walk.results[0].attempts
    assert walk.results[0].outcome == "solved"
    assert walk.agent.found[1, 2] == {**wrong, "note.txt": b"left alone\n"}
    told = '- The page is called Shop\n  expected: the title "Shop"\n  seen: Stop\n'
    assert first.feedback == told
    assert told not in walk.sent[0] and told in walk.sent[1]
    assert "second and last attempt" in walk.sent[1]
    shot = first.checks[0].screenshot
    assert shot and store.get(shot).startswith(b"\xff\xd8")
    assert second.feedback is None


def test_the_chain_ends_at_the_first_task_not_solved_in_two_attempts(walked: Callable[..., Walk]) -> None:
    walk = walked({(1, 1): {"index.html": STATES[0]}, **solution(3)})
    assert walk.outcomes == ["solved", "unsolved", "not_reached"]
    assert [len(task.attempts) for task in walk.results] == [1, 2, 0]
    assert [(ask.task, ask.attempt) for ask in walk.agent.asks] == [(1, 1), (2, 1), (2, 2)]
    assert walk.attempt(2, 2).feedback


def test_breaking_an_earlier_task_is_not_solving_this_one(walked: Callable[..., Walk]) -> None:
    broken = {"index.html": STATES[1].replace(b"Shop", b"Stop")}
    walk = walked({**solution(1), (2, 1): broken})
    assert not walk.attempt(2, 1).score.best
    assert "The page is called Shop" in walk.attempt(2, 1).feedback


def test_the_same_bytes_are_graded_once_a_store(walked: Callable[..., Walk]) -> None:
    first = walked({(1, 1): {"index.html": page("Stop")}})
    assert [attempt.graded_before for attempt in first.results[0].attempts] == [False, True]
    again = walked(solution(1, 2, 3))
    assert not any(task.attempts[0].graded_before for task in again.results)
    third = walked(solution(1, 2, 3))
    assert all(task.attempts[0].graded_before for task in third.results)
    assert [task.attempts[0].checks for task in third.results] == [task.attempts[0].checks for task in again.results]
    assert third.attempt(1, 1).grading_seconds == 0


def test_what_a_check_that_was_stopped_says_is_recorded_and_not_kept_as_a_grade(
    walked: Callable[..., Walk], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grade, "CHECK_SECONDS", 2.0)
    holds_up = {"index.html": page(body="<script>while (true);</script>")}
    first, second = walked({(1, 1): holds_up, (1, 2): holds_up}).results[0].attempts
    for attempt in (first, second):
        (check,) = attempt.checks
        assert (check.failure, check.stopped, attempt.graded_before) == ("timeout", True, False)
        assert attempt.feedback and "held up its check" in attempt.feedback


def test_a_workspace_that_is_too_big_is_a_named_limit_and_is_put_back(walked: Callable[..., Walk], store: Store) -> None:
    big: Files = {"index.html": STATES[0], "big.bin": b"\0" * (MAX_BYTES + 1)}
    walk = walked({(1, 1): big, (1, 2): {"index.html": STATES[0]}})
    first = walk.attempt(1, 1)
    assert (first.limit, first.score.best) == ("workspace size", False)
    assert store.get_tree(first.workspace) == {"index.html": START, "note.txt": b"left alone\n"}
    assert walk.agent.found[1, 2] == {"index.html": START, "note.txt": b"left alone\n"}
    assert walk.results[0].outcome == "solved"


def test_a_scripted_agent_is_given_the_reference_and_the_tasks_own_mutants(walked: Callable[..., Walk]) -> None:
    walk = walked(solution(1))
    answers = walk.agent.asks[1].solutions
    assert answers
    assert answers.reference["index.html"] == STATES[1]
    assert sorted(answers.mutants) == ["no-heading", "one-fruit"]
    assert b"Pear" not in answers.mutants["one-fruit"]["index.html"]


def test_draws_differ_between_attempts(walked: Callable[..., Walk]) -> None:
    asks = walked(solution(1)).agent.asks
    assert len({ask.noise for ask in asks}) == len(asks)


# prompts


SKILL = "---\r\nname: odd\r\ndescription: d\r\n---\r\n{{ title }} {% raw %} {# gone? #} {% if x %}\r\n&lt; <b> 😀 \\n\n\n\n"


def a_skill(text: str = SKILL, **files: bytes) -> Skill:
    return as_skill("odd", {"SKILL.md": text.encode(), **files})


def test_the_prompt_holds_the_skills_bytes_exactly_at_every_attempt(walked: Callable[..., Walk]) -> None:
    skill = a_skill()
    walk = walked(solution(1), skill)
    assert len(walk.sent) == 3
    assert all(skill.data in sent.encode() for sent in walk.sent)
    seen = walk.attempt(1, 1).evidence
    assert (seen.requests, seen.carrying, seen.body_bytes) == (1, 1, len(skill.body.encode()))
    assert walk.agent.asks[0].skill_bytes == len(skill.data)
    assert walk.agent.asks[0].skill_name == "odd"


def test_without_a_skill_nothing_of_skills_is_in_the_prompt(project: Project) -> None:
    text = NativeProject(project).prompt(1, "", None)
    assert text == "Task 1: Name the shop\n\nCall the page Shop.\n\n"


def test_an_instruction_is_not_interpreted_either(tmp_path: Path) -> None:
    manifest = (tmp_path / "tiny" / "project.toml", "Call the page Shop.", "Write {{ 6 * 7 }} & <b>.")
    project = tiny(tmp_path / "tiny")
    manifest[0].write_text(manifest[0].read_text().replace(*manifest[1:]))
    assert "Write {{ 6 * 7 }} & <b>.\n" in NativeProject(project).prompt(1, "", None)


def test_feedback_is_not_interpreted_either(project: Project) -> None:
    told = "- x\n  seen: {{ number }} {% endif %}\n"
    assert told in NativeProject(project).prompt(1, "", told)


def test_a_target_and_its_control_differ_in_nothing_but_their_bytes(project: Project) -> None:
    from skills.delivery.deliver import preamble

    one, other = a_skill("first skill"), a_skill("other skill")
    texts = [
        NativeProject(project).prompt(2, preamble(skill, "prompt"), None).replace(skill.text, "") for skill in (one, other)
    ]
    assert texts[0] == texts[1]


def test_a_ref_names_the_skills_tree() -> None:
    skill = a_skill()
    assert isinstance(skill.ref, SkillRef) and skill.ref.size == len(SKILL.encode())
