"""The pieces of a trial that every suite needs: one attempt of the agent at a task, and the grade of what it left."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.base import AttemptRequest, ScriptedSolutions
from agents.trajectory.atif import write
from benchmark.core.files import Files, hash_json, tree_hash
from benchmark.core.model import Attempt, CheckOutcome, Record, TaskResult
from benchmark.core.score import Score
from benchmark.run.attempt import run_attempt
from benchmark.store.store import Store
from benchmark.suite.contract import GradeReport, Grading, TrialContext
from fixtures.sandbox.base import Workspace
from skills.delivery.deliver import preamble

#: Grades what an attempt at a task left: the task, the workspace, the attempt (from 1). Raises Fault when our side fails.
GradeFn = Callable[[int, Files, int], GradeReport]


@dataclass(frozen=True)
class Graded:
    """A grade, the seconds it took, and whether it was known before."""

    report: GradeReport
    seconds: float
    known: bool


class Grader:
    """Grades workspaces of one trial; the same files are graded once a store.

    `view` names how much of a workspace an attempt's grade looks at: what is graded alike has the same name.
    """

    def __init__(
        self, project: str, grading: Grading, grade: GradeFn, start: Files, view: Callable[[int], str] = lambda _: "all"
    ) -> None:
        self._project = project
        self._grading = grading
        self._grade = grade
        self._view = view
        #: The workspace that was graded last, which is where the next attempt starts from.
        self.last: Files = start

    def grade(self, task: int, files: Files, attempt: int) -> Graded:
        """The grade of what an attempt at a task left."""
        self.last = files
        key = hash_json([self._grading.key, self._project, task, self._view(attempt), tree_hash(files)])
        started = time.monotonic()
        with self._grading.store.grading(key):
            kept = self._grading.store.grade(key, _report)
            if kept is not None:
                return Graded(kept, 0.0, True)
            report = self._grade(task, files, attempt)
            if report.settled and not unmeasured(report.score):
                self._grading.store.put_grade(key, _row(report))
        return Graded(report, time.monotonic() - started, False)


def _row(report: GradeReport) -> dict[str, object]:
    return {
        "score": report.score.model_dump(mode="json"),
        "checks": [item.model_dump(mode="json") for item in report.checks],
        "feedback": report.feedback,
    }


def _report(row: Mapping[str, Any]) -> GradeReport:
    checks = tuple(CheckOutcome.model_validate(item) for item in row["checks"])
    return GradeReport(Score.model_validate(row["score"]), checks, row["feedback"])


def unmeasured(score: Score) -> str | None:
    """Why a score or one of its dimensions has no value; None where all have one."""
    if score.value is None:
        return score.reason
    return next((reason for part in score.dimensions.values() if (reason := unmeasured(part))), None)


@dataclass(frozen=True)
class TaskAssignment:
    """What an agent is asked at one attempt. `prompt` makes the text with a skill's preamble, which may be empty.

    `known` are the task's own texts, which are no evidence of a skill; `solutions` what scripted agents may write; `prepare`
    is run in the workspace before the agent starts, for the services that a task has.
    """

    task: int
    attempt: int
    prompt: Callable[[str], str]
    known: Sequence[str] = ()
    solutions: ScriptedSolutions | None = None
    prepare: Callable[[Workspace], object] | None = None


def attempt_task(context: TrialContext, grader: Grader, assignment: TaskAssignment) -> Attempt:
    """Let the agent work on a task and grade what it left. Raises Fault when our side fails, BudgetReached."""
    ask = _ask(context, assignment)
    worked = run_attempt(context, ask, grader.last, [assignment.prompt(""), *assignment.known], assignment.prepare)
    graded = grader.grade(assignment.task, worked.files, assignment.attempt)
    return Attempt(
        number=assignment.attempt,
        workspace=context.store.put_tree(worked.files),
        prompt=context.store.put(ask.prompt.encode()),
        trajectory=context.store.put(write(worked.run.trajectory)),
        usage=worked.usage,
        reported=worked.reported,
        evidence=worked.evidence,
        offered=worked.run.offered,
        limit=worked.limit,
        reason=worked.reason,
        seconds=round(worked.seconds, 3),
        **grade_fields(graded),
    )


def grade_fields(graded: Graded) -> dict:
    """What an attempt keeps of its grade."""
    return {
        "score": graded.report.score,
        "checks": graded.report.checks,
        "feedback": graded.report.feedback,
        "grading_seconds": round(graded.seconds, 3),
        "graded_before": graded.known,
    }


def _ask(context: TrialContext, assignment: TaskAssignment) -> AttemptRequest:
    skill, spec = context.skill, context.spec
    return AttemptRequest(
        prompt=assignment.prompt(preamble(skill, spec.delivery or "prompt") if skill else ""),
        task=assignment.task,
        attempt=assignment.attempt,
        limits=spec.agent.limits,
        noise=f"{spec.id}/{assignment.task}/{assignment.attempt}",
        skill_name=skill.name if skill else None,
        skill_bytes=len(skill.data) if skill else 0,
        solutions=assignment.solutions if context.agent.scripted else None,
        endpoint=context.channel,
    )


def attempt_until(
    context: TrialContext,
    grader: Grader,
    attempts: int,
    assign: Callable[[int, str | None], TaskAssignment],
    enough: Callable[[Attempt], bool],
) -> list[Attempt]:
    """At most so many attempts at a task, up to the first that is enough.

    `assign` says what is asked at an attempt (from 1) after that feedback, None at the first. Raises as `attempt_task`.
    """
    made: list[Attempt] = []
    for number in range(1, attempts + 1):
        made.append(attempt_task(context, grader, assign(number, made[-1].feedback if made else None)))
        if enough(made[-1]):
            break
    return made


def regrade_tasks(
    record: Record, grader: Grader, store: Store, attempts: int, enough: Callable[[Attempt], bool]
) -> tuple[TaskResult, ...] | None:
    """A record's tasks with today's grades, or None where what followed an attempt would have been another: whether its task is
    solved, whether there is a next attempt, or what that is told. `attempts` and `enough` are those of `attempt_until`."""
    tasks = []
    for task in record.tasks:
        graded = []
        for attempt in task.attempts:
            files = store.get_tree(attempt.workspace)
            fields = grade_fields(grader.grade(task.task, files, attempt.number))
            graded.append(attempt.model_copy(update=fields))
            if task.outcome is not None and graded[-1].solved != attempt.solved:
                return None
            if attempt.number < attempts and enough(graded[-1]) != enough(attempt):
                return None
            if attempt.number < len(task.attempts) and graded[-1].feedback != attempt.feedback:
                return None
        tasks.append(task.model_copy(update={"attempts": tuple(graded)}))
    return tuple(tasks)
