"""A suite whose projects are one task each: give a prompt and a grade, and the trial is run."""

from abc import abstractmethod

from agents.base import Answers
from benchmark.attempt import words_of
from benchmark.core.score import Score
from benchmark.files import Files
from benchmark.model import Record, TaskResult
from benchmark.run.task import Assignment, Grader, attempt_task, regrade_task
from benchmark.suite.contract import GradeReport, Grading, Suite, TrialContext

TASK = 1


class SingleTask(Suite):
    """One task a project, `attempts` at most; a later attempt starts from what the one before left, with its feedback."""

    @abstractmethod
    def prompt(self, project: str, skill: str, feedback: str | None) -> str:
        """All that the agent is told: `skill` carries or names the skill, or is empty; `feedback` is that of the attempt before."""

    @abstractmethod
    def grade(self, project: str, files: Files, context: TrialContext | None, grading: Grading) -> Score | GradeReport:
        """The score of a workspace. `context` is None when kept workspaces are graded again."""

    def solutions(self, project: str, context: TrialContext) -> Answers | None:
        """What scripted agents may write; None where there is nothing."""
        del project, context
        return None

    def task_title(self, project: str) -> str:
        """The task in a few words."""
        return project

    def run(self, context: TrialContext) -> list[TaskResult]:
        project = context.spec.project
        start = self.start(project)
        grader = Grader(project, context.grading, lambda _, files, __: self._report(project, files, context), start)
        context.box.reset(start)
        attempts = []
        feedback = None
        for number in range(1, self.attempts + 1):
            told = feedback
            attempts.append(
                attempt_task(
                    context,
                    grader,
                    Assignment(
                        TASK,
                        number,
                        lambda skill, told=told: self.prompt(project, skill, told),
                        words_of(start),
                        self.solutions(project, context),
                    ),
                )
            )
            feedback = attempts[-1].feedback
            if feedback is None:
                break
        return [TaskResult(task=TASK, title=self.task_title(project), attempts=tuple(attempts))]

    def regrade(self, record: Record, grading: Grading) -> tuple[TaskResult, ...] | None:
        project = record.spec.project
        grader = Grader(project, grading, lambda _, files, __: self._report(project, files, None, grading), {})
        tasks = []
        for task in record.tasks:
            attempts = regrade_task(task, grader, grading.store)
            if attempts is None:
                return None
            tasks.append(task.model_copy(update={"attempts": attempts}))
        return tuple(tasks)

    def _report(self, project: str, files: Files, context: TrialContext | None, grading: Grading | None = None) -> GradeReport:
        chosen = grading or (context.grading if context else None)
        assert chosen
        found = self.grade(project, files, context, chosen)
        return found if isinstance(found, GradeReport) else GradeReport(found)
