"""Walk a chain: tasks in order, two attempts each, graded by the checks of all tasks so far (WebDev-Skills-Bench §3).

Attempt 2 starts from what attempt 1 left and is told what did not hold. The chain ends at the first task not solved.
"""

import time
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from agents.base import Answers, Ask
from benchmark.attempt import words_of, work
from benchmark.files import Files, TooMuch, UnsafeName, hash_json, tree_hash
from benchmark.model import Attempt, CheckOutcome, Record, TaskResult
from benchmark.store import Store
from benchmark.suites import Grading, Room
from benchmark.webdev.grade import CheckResult, feedback, grade
from benchmark.webdev.project import Project
from fixtures.packages import install
from fixtures.site import Place
from skills.deliver import preamble

TEMPLATE = Path(__file__).parent / "prompt.txt.j2"
ATTEMPTS = 2
#: So many failed checks settle an attempt: its feedback is full by then, and each that follows would wait out its time.
ENOUGH = 5


@cache
def _template(source: str):
    return Environment(undefined=StrictUndefined, keep_trailing_newline=True).from_string(source)


def prompt(project: Project, task: int, skill: str, told: str | None) -> str:
    """All that an agent is told at one attempt; `skill` is what carries or names the skill, or nothing, `told` the feedback."""
    row = project.manifest.tasks[task - 1]
    template = _template(TEMPLATE.read_text(encoding="utf-8"))
    # The skill's bytes and the customer's words are values, never template source: what they hold is not interpreted.
    return template.render(skill=skill, number=task, title=row.title, instruction=row.instruction.strip(), feedback=told)


class Grader:
    """Grades workspaces of one trial's project; the same bytes are graded once a store."""

    def __init__(self, project: Project, grading: Grading, exits: ExitStack) -> None:
        self._project = project
        self._grading = grading
        self._exits = exits
        self._place: Place | None = None
        #: The workspace that was graded last, which is where the next attempt starts from.
        self.last: Files = project.start
        self._packages = install(project.start) if project.manifest.serve.packages else None

    def grade(self, task: int, files: Files) -> tuple[list[CheckOutcome], float, bool]:
        """What the checks of tasks 1…`task` say, the new task's first; the seconds it took; whether it was known before."""
        self.last = files
        key = hash_json([self._grading.key, self._project.name, task, tree_hash(files)])
        started = time.monotonic()
        with self._grading.store.grading(key):
            known = self._grading.store.grade(key)
            if known is not None:
                return [CheckOutcome.model_validate(row) for row in known], 0.0, True
            outcomes = self._look(task, files)
            # What a crash or a dead server says may depend on the moment; what checks say of a page does not.
            if not any(item.failure in ("crash", "server") or item.reruns for item in outcomes):
                self._grading.store.put_grade(key, [item.model_dump(mode="json") for item in outcomes])
        return outcomes, time.monotonic() - started, False

    def _look(self, task: int, files: Files) -> list[CheckOutcome]:
        if self._place is None:
            self._place = self._exits.enter_context(self._grading.sandbox.place(self._packages))
        checks = [*self._project.checks_of(task), *(item for item in self._project.checks if item.task < task)]
        serve = self._project.manifest.serve
        results = grade(self._place, self._grading.api, files, serve, self._packages, checks, enough=ENOUGH)
        return [self._kept(item) for item in results]

    def _kept(self, result: CheckResult) -> CheckOutcome:
        shot = self._grading.store.put(result.screenshot) if result.screenshot else None
        return CheckOutcome(
            task=result.task,
            title=result.title,
            seconds=round(result.seconds, 3),
            failure=result.failure,
            expected=result.expected,
            seen=result.seen,
            screenshot=shot,
            reruns=result.reruns,
        )


def walk(project: Project, room: Room) -> list[TaskResult]:
    """Run the chain; its tasks' results."""
    results: list[TaskResult] = []
    with ExitStack() as exits:
        grader = Grader(project, room.grading, exits)
        room.box.reset(project.start)
        ended = False
        for task, row in enumerate(project.manifest.tasks, start=1):
            attempts = [] if ended else _attempts(project, room, grader, task)
            solved = bool(attempts) and attempts[-1].solved
            outcome = "not_reached" if ended else "solved" if solved else "unsolved"
            results.append(
                TaskResult(task=task, title=row.title, difficulty=row.difficulty, outcome=outcome, attempts=tuple(attempts))
            )
            ended = ended or not solved
    return results


def _attempts(project: Project, room: Room, grader: Grader, task: int) -> list[Attempt]:
    attempts: list[Attempt] = []
    told = None
    for number in range(1, ATTEMPTS + 1):
        attempt = _attempt(project, room, grader, task, number, told)
        attempts.append(attempt)
        if attempt.solved:
            break
        told = attempt.feedback
    return attempts


def _attempt(project: Project, room: Room, grader: Grader, task: int, number: int, told: str | None) -> Attempt:
    from agents.trajectory import write

    ask = _ask(project, room, task, number, told)
    started = time.monotonic()
    worked = work(room, ask, grader.last, [prompt(project, task, "", told), *words_of(project.start)])
    seconds = time.monotonic() - started
    limit = worked.limit
    try:
        files = room.box.files()
    except (TooMuch, UnsafeName) as error:
        # What cannot be kept cannot be carried on: the attempt counts, and the workspace is as it was before.
        files, limit = grader.last, limit or ("workspace size" if isinstance(error, TooMuch) else "file names")
        room.box.reset(files)
    checks, grading, known = grader.grade(task, files)
    solved = not any(item.failure for item in checks)
    return Attempt(
        number=number,
        solved=solved,
        workspace=room.store.put_tree(files),
        prompt=room.store.put(ask.prompt.encode()),
        trajectory=room.store.put(write(worked.run.trajectory)),
        usage=worked.usage,
        reported=worked.reported,
        evidence=worked.evidence,
        offered=worked.run.offered,
        limit=limit,
        seconds=round(seconds, 3),
        grading_seconds=round(grading, 3),
        graded_before=known,
        feedback=None if solved else feedback(checks),
        checks=tuple(checks),
    )


def _ask(project: Project, room: Room, task: int, number: int, told: str | None) -> Ask:
    answers = None
    if room.agent.scripted:
        mutants = {item.name: project.mutate(item) for item in project.mutants if item.task == task}
        answers = Answers(project.reference(task), mutants)
    skill = room.skill
    return Ask(
        prompt=prompt(project, task, preamble(skill, room.spec.delivery or "prompt") if skill else "", told),
        task=task,
        attempt=number,
        limits=room.spec.agent.limits,
        noise=f"{room.spec.id}/{task}/{number}",
        skill_name=skill.name if skill else None,
        skill_bytes=len(skill.data) if skill else 0,
        answers=answers,
        door=room.line,
    )


def regrade(project: Project, record: Record, grading: Grading) -> tuple[TaskResult, ...] | None:
    """The record's tasks under today's checks, or None where a stop, or what attempt 2 was told, would have differed."""
    with ExitStack() as exits:
        grader = Grader(project, grading, exits)
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
        checks, grading, known = grader.grade(task.task, store.get_tree(attempt.workspace))
        solved = not any(item.failure for item in checks)
        told = None if solved else feedback(checks)
        followed = attempt.number < len(task.attempts)
        if solved != attempt.solved or (followed and told != attempt.feedback):
            return None
        update = {"checks": tuple(checks), "grading_seconds": grading, "graded_before": known, "feedback": told}
        attempts.append(attempt.model_copy(update=update))
    return tuple(attempts)
