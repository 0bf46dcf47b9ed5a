"""What the chain is walked over: a project's tasks, its prompts, and how what agents leave is looked at.

`Course` is what `chain` knows of a project, whoever wrote its tests; `OwnCourse` is one of the suite's own projects.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

from jinja2 import Environment, StrictUndefined

from agents.base import Answers
from benchmark.files import Files
from benchmark.model import CheckOutcome, Difficulty
from benchmark.suites import Grading
from benchmark.webdev.grade import CheckResult, feedback, grade
from benchmark.webdev.project import Project
from fixtures.packages import install
from fixtures.site import Place

TEMPLATE = Path(__file__).parent / "prompt.txt.j2"
#: So many failed checks settle an attempt: its feedback is full by then, and each that follows would wait out its time.
ENOUGH = 5


@dataclass(frozen=True)
class Step:
    """One task of a chain. One that is not `scored` prepares the others: the chain goes on when it is not solved."""

    number: int
    title: str
    difficulty: Difficulty
    scored: bool = True


@dataclass(frozen=True)
class Looked:
    """What checks said of one workspace, and what the next attempt is `told` of it (None where all held)."""

    checks: tuple[CheckOutcome, ...]
    told: str | None

    @property
    def solved(self) -> bool:
        return self.told is None


#: Looks at the workspace that an attempt (1 or 2) at a task left. Raises Fault when our side fails.
Look = Callable[[int, Files, int], Looked]


class Course(Protocol):
    """A project as the chain walks it."""

    name: str

    @property
    def steps(self) -> Sequence[Step]: ...

    @property
    def start(self) -> Files: ...

    @property
    def fallback(self) -> Files:
        """What the chain goes on from where a task that is not scored was not solved."""
        ...

    def prompt(self, task: int, skill: str, told: str | None) -> str:
        """All that an agent is told at one attempt: `skill` carries or names the skill, or is empty, `told` is the feedback."""
        ...

    def answers(self, task: int) -> Answers:
        """What scripted agents may write."""
        ...

    def view(self, attempt: int) -> str:
        """How much of a workspace is looked at after this attempt: what says the same of the same files has the same name."""
        ...

    def looker(self, grading: Grading, exits: ExitStack) -> Look: ...


@cache
def _template(source: str):
    return Environment(undefined=StrictUndefined, keep_trailing_newline=True).from_string(source)


def render(source: Path, **values: object) -> str:
    """The prompt that the template at `source` makes of an attempt's values."""
    # The skill's bytes and the customer's words are values, never template source: what they hold is not interpreted.
    return _template(source.read_text(encoding="utf-8")).render(values)


class OwnCourse:
    """One of the suite's own projects: its checks are Python, and a browser is driven from here."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.name = project.name

    @property
    def steps(self) -> tuple[Step, ...]:
        tasks = enumerate(self.project.manifest.tasks, start=1)
        return tuple(Step(number, task.title, task.difficulty) for number, task in tasks)

    @property
    def start(self) -> Files:
        return self.project.start

    @property
    def fallback(self) -> Files:
        return self.project.start

    def prompt(self, task: int, skill: str, told: str | None) -> str:
        row = self.project.manifest.tasks[task - 1]
        values = {"number": task, "title": row.title, "instruction": row.instruction.strip()}
        return render(TEMPLATE, skill=skill, feedback=told, **values)

    def answers(self, task: int) -> Answers:
        mutants = {item.name: self.project.mutate(item) for item in self.project.mutants if item.task == task}
        return Answers(self.project.reference(task), mutants)

    def view(self, attempt: int) -> str:
        del attempt  # both are looked at alike
        return "all"

    def looker(self, grading: Grading, exits: ExitStack) -> Look:
        return _Look(self.project, grading, exits)


class _Look:
    """Looks at workspaces of one trial's project, in a place that is opened with the first."""

    def __init__(self, project: Project, grading: Grading, exits: ExitStack) -> None:
        self._project = project
        self._grading = grading
        self._exits = exits
        self._place: Place | None = None
        self._packages = install(project.start) if project.manifest.serve.packages else None

    def __call__(self, task: int, files: Files, attempt: int) -> Looked:
        """What the checks of tasks 1…`task` say, the new task's first."""
        del attempt
        if self._place is None:
            self._place = self._exits.enter_context(self._grading.sandbox.place(self._packages))
        checks = [*self._project.checks_of(task), *(item for item in self._project.checks if item.task < task)]
        serve = self._project.manifest.serve
        results = grade(self._place, files, serve, self._packages, checks, enough=ENOUGH)
        told = feedback(results) if any(item.failure for item in results) else None
        return Looked(tuple(self._kept(item) for item in results), told)

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
            stopped=result.stopped,
        )
