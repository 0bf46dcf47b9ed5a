"""A suite whose projects are one task each: give a prompt and a grade, and the trial is run."""

from abc import abstractmethod

from agents.base import ScriptedSolutions
from benchmark.core.files import Files, text_files
from benchmark.core.model import Attempt, Record, TaskResult
from benchmark.core.score import Score
from benchmark.run.task import GradeFn, Grader, TaskAssignment, attempt_until, regrade_tasks
from benchmark.suite.contract import GradeReport, Grading, Suite, TrialContext

TASK = 1


class SingleTask(Suite):
    """One task a project, `attempts` at most; a later attempt starts from what the one before left, with its feedback."""

    @abstractmethod
    def prompt(self, project: str, skill: str, feedback: str | None) -> str:
        """All that the agent is told: `skill` carries or names the skill, or is empty; `feedback` is of the attempt before."""

    @abstractmethod
    def grade(self, project: str, files: Files, grading: Grading) -> Score | GradeReport:
        """The score of a workspace; with feedback for another attempt where it is not good enough."""

    def solutions(self, project: str) -> ScriptedSolutions | None:
        """What scripted agents may write; None where there is nothing."""
        del project
        return None

    def task_title(self, project: str) -> str:
        """The task in a few words."""
        return project

    def start_of(self, context: TrialContext) -> Files:
        """The workspace that a trial starts from: `start`, unless it uses what other trials made (`context.needs`)."""
        return self.start(context.spec.project)

    def run(self, context: TrialContext) -> list[TaskResult]:
        project = context.spec.project
        start = self.start_of(context)
        grader = Grader(project, context.grading, self._grade_fn(project, context.grading), start)
        known, solutions = text_files(start), self.solutions(project) if context.agent.scripted else None

        def assign(number: int, feedback: str | None) -> TaskAssignment:
            return TaskAssignment(TASK, number, lambda skill: self.prompt(project, skill, feedback), known, solutions)

        attempts = attempt_until(context, grader, self.attempts, assign, _enough)
        return [TaskResult(task=TASK, title=self.task_title(project), attempts=tuple(attempts))]

    def regrade(self, record: Record, grading: Grading) -> tuple[TaskResult, ...] | None:
        project = record.spec.project
        grader = Grader(project, grading, self._grade_fn(project, grading), {})
        return regrade_tasks(record, grader, grading.store, self.attempts, _enough)

    def _grade_fn(self, project: str, grading: Grading) -> GradeFn:
        def grade(task: int, files: Files, attempt: int) -> GradeReport:
            del task, attempt
            score = self.grade(project, files, grading)
            return score if isinstance(score, GradeReport) else GradeReport(score)

        return grade


def _enough(attempt: Attempt) -> bool:
    return attempt.feedback is None
