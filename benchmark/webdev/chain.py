"""Walk a chain: tasks in order, two attempts each, graded by the checks of all tasks so far (WebDev-Skills-Bench §3).

Attempt 2 starts from what attempt 1 left and is told what did not hold. The chain ends at the first scored task not solved.
"""

from contextlib import ExitStack

from benchmark.core.files import text_files
from benchmark.core.model import Attempt, Outcome, Record, TaskResult
from benchmark.run.task import Grader, TaskAssignment, attempt_until, regrade_tasks
from benchmark.suite.capabilities import Chained
from benchmark.suite.contract import Grading, TrialContext
from benchmark.webdev.chain_project import ChainProject, ChainTask


def grader_of(project: ChainProject, grading: Grading, exits: ExitStack) -> Grader:
    """What grades the workspaces of one trial on the project; `exits` closes the place that it is done in."""
    return Grader(project.name, grading, project.grader(grading, exits), project.start, project.view)


def walk(project: ChainProject, context: TrialContext) -> list[TaskResult]:
    """Run the chain; its tasks' results."""
    results: list[TaskResult] = []
    with ExitStack() as exits:
        grader = grader_of(project, context.grading, exits)
        ended = False
        for task in project.tasks:
            attempts = [] if ended else _attempts(project, context, grader, task.number)
            solved = bool(attempts) and attempts[-1].solved
            results.append(_result(task, attempts, "not_reached" if ended else "solved" if solved else "unsolved"))
            if not solved and not task.scored:
                grader.last = project.fallback
            ended = ended or (task.scored and not solved)
    return results


def _result(task: ChainTask, attempts: list[Attempt], outcome: Outcome) -> TaskResult:
    return TaskResult(
        task=task.number,
        title=task.title,
        difficulty=task.difficulty,
        scored=task.scored,
        outcome=outcome,
        attempts=tuple(attempts),
    )


def _attempts(project: ChainProject, context: TrialContext, grader: Grader, task: int) -> list[Attempt]:
    known, solutions = text_files(project.start), project.solutions(task) if context.agent.scripted else None

    def assign(number: int, feedback: str | None) -> TaskAssignment:
        return TaskAssignment(task, number, lambda skill: project.prompt(task, skill, feedback), known, solutions)

    return attempt_until(context, grader, Chained.attempts, assign, _enough)


def regrade(project: ChainProject, record: Record, grading: Grading) -> tuple[TaskResult, ...] | None:
    """The record's tasks under today's checks, or None where a stop, or what attempt 2 was told, would have differed."""
    with ExitStack() as exits:
        return regrade_tasks(record, grader_of(project, grading, exits), grading.store, Chained.attempts, _enough)


def _enough(attempt: Attempt) -> bool:
    return attempt.solved
