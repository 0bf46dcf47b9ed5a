"""Walk a chain: tasks in order, two attempts each, graded by the checks of all tasks so far (WebDev-Skills-Bench §3).

Attempt 2 starts from what attempt 1 left and is told what did not hold. The chain ends at the first scored task not solved.
"""

import time
from contextlib import ExitStack
from dataclasses import dataclass

from agents.base import Ask
from benchmark.attempt import words_of, work
from benchmark.files import Files, TooMuch, UnsafeName, hash_json, tree_hash
from benchmark.model import Attempt, CheckOutcome, Record, TaskResult
from benchmark.store import Store
from benchmark.suites import Grading, Room
from benchmark.webdev.course import Course, Looked, Step
from skills.deliver import preamble

ATTEMPTS = 2


@dataclass(frozen=True)
class Graded:
    """What was found of a workspace; the seconds it took; whether it was known before."""

    looked: Looked
    seconds: float
    known: bool


class Grader:
    """Grades workspaces of one trial's project; the same bytes are graded once a store."""

    def __init__(self, course: Course, grading: Grading, exits: ExitStack) -> None:
        self._course = course
        self._grading = grading
        self._look = course.looker(grading, exits)
        #: The workspace that was graded last, which is where the next attempt starts from.
        self.last: Files = course.start

    def grade(self, task: int, files: Files, attempt: int) -> Graded:
        """What the checks of tasks 1…`task` say of what an attempt left."""
        self.last = files
        view = self._course.view(attempt)
        key = hash_json([self._grading.key, self._course.name, task, view, tree_hash(files)])
        started = time.monotonic()
        with self._grading.store.grading(key):
            known = self._grading.store.grade(key)
            if known is not None:
                checks = tuple(CheckOutcome.model_validate(row) for row in known["checks"])
                return Graded(Looked(checks, known["told"]), 0.0, True)
            looked = self._look(task, files, attempt)
            # What a crash, a dead server or a check that was stopped says may depend on the moment and on the machine's load;
            # what checks say of a page does not.
            if not any(item.failure in ("crash", "server") or item.reruns or item.stopped for item in looked.checks):
                rows = [item.model_dump(mode="json") for item in looked.checks]
                self._grading.store.put_grade(key, {"checks": rows, "told": looked.told})
        return Graded(looked, time.monotonic() - started, False)


def walk(course: Course, room: Room) -> list[TaskResult]:
    """Run the chain; its tasks' results."""
    results: list[TaskResult] = []
    with ExitStack() as exits:
        grader = Grader(course, room.grading, exits)
        room.box.reset(course.start)
        ended = False
        for step in course.steps:
            attempts = [] if ended else _attempts(course, room, grader, step.number)
            solved = bool(attempts) and attempts[-1].solved
            results.append(_result(step, attempts, "not_reached" if ended else "solved" if solved else "unsolved"))
            if not solved and not step.scored:
                grader.last = course.fallback
                room.box.reset(course.fallback)
            ended = ended or (step.scored and not solved)
    return results


def _result(step: Step, attempts: list[Attempt], outcome: str) -> TaskResult:
    return TaskResult.model_validate(
        {
            "task": step.number,
            "title": step.title,
            "difficulty": step.difficulty,
            "scored": step.scored,
            "outcome": outcome,
            "attempts": attempts,
        }
    )


def _attempts(course: Course, room: Room, grader: Grader, task: int) -> list[Attempt]:
    attempts: list[Attempt] = []
    told = None
    for number in range(1, ATTEMPTS + 1):
        attempt = _attempt(course, room, grader, task, number, told)
        attempts.append(attempt)
        if attempt.solved:
            break
        told = attempt.feedback
    return attempts


def _attempt(course: Course, room: Room, grader: Grader, task: int, number: int, told: str | None) -> Attempt:
    from agents.trajectory import write

    ask = _ask(course, room, task, number, told)
    started = time.monotonic()
    worked = work(room, ask, grader.last, [course.prompt(task, "", told), *words_of(course.start)])
    seconds = time.monotonic() - started
    limit = worked.limit
    try:
        files = room.box.files()
    except (TooMuch, UnsafeName) as error:
        # What cannot be kept cannot be carried on: the attempt counts, and the workspace is as it was before.
        files, limit = grader.last, limit or ("workspace size" if isinstance(error, TooMuch) else "file names")
        room.box.reset(files)
    graded = grader.grade(task, files, number)
    return Attempt(
        number=number,
        solved=graded.looked.solved,
        workspace=room.store.put_tree(files),
        prompt=room.store.put(ask.prompt.encode()),
        trajectory=room.store.put(write(worked.run.trajectory)),
        usage=worked.usage,
        reported=worked.reported,
        evidence=worked.evidence,
        offered=worked.run.offered,
        limit=limit,
        seconds=round(seconds, 3),
        grading_seconds=round(graded.seconds, 3),
        graded_before=graded.known,
        feedback=graded.looked.told,
        checks=graded.looked.checks,
    )


def _ask(course: Course, room: Room, task: int, number: int, told: str | None) -> Ask:
    skill = room.skill
    return Ask(
        prompt=course.prompt(task, preamble(skill, room.spec.delivery or "prompt") if skill else "", told),
        task=task,
        attempt=number,
        limits=room.spec.agent.limits,
        noise=f"{room.spec.id}/{task}/{number}",
        skill_name=skill.name if skill else None,
        skill_bytes=len(skill.data) if skill else 0,
        answers=course.answers(task) if room.agent.scripted else None,
        door=room.line,
    )


def regrade(course: Course, record: Record, grading: Grading) -> tuple[TaskResult, ...] | None:
    """The record's tasks under today's checks, or None where a stop, or what attempt 2 was told, would have differed."""
    with ExitStack() as exits:
        grader = Grader(course, grading, exits)
        tasks = []
        for task in record.tasks:
            attempts = _regraded(task, grader, grading.store)
            if attempts is None:
                return None
            tasks.append(task.model_copy(update={"attempts": attempts}))
        return tuple(tasks)


def _regraded(task: TaskResult, grader: Grader, store: Store) -> tuple[Attempt, ...] | None:
    attempts = []
    for attempt in task.attempts:
        graded = grader.grade(task.task, store.get_tree(attempt.workspace), attempt.number)
        followed = attempt.number < len(task.attempts)
        if graded.looked.solved != attempt.solved or (followed and graded.looked.told != attempt.feedback):
            return None
        update = {
            "checks": graded.looked.checks,
            "grading_seconds": graded.seconds,
            "graded_before": graded.known,
            "feedback": graded.looked.told,
        }
        attempts.append(attempt.model_copy(update=update))
    return tuple(attempts)
