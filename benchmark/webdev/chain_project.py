"""A project as a chain walks it: its tasks, its prompts, what grades it, and the facts that the suite tells of it.

`ChainProject` is what the suite and the chain know of a project, whoever wrote its tests; `NativeProject` is one of our own.
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

from jinja2 import Environment, StrictUndefined

from agents.base import ScriptedSolutions
from benchmark.core.errors import SetupError
from benchmark.core.files import Files, hash_json, sha256
from benchmark.core.model import CheckOutcome, Difficulty
from benchmark.core.score import solved
from benchmark.run.task import GradeFn
from benchmark.suite.contract import Forecast, GradeReport, Grading
from benchmark.webdev import checks
from benchmark.webdev import grade as grade_module
from benchmark.webdev.grade import CheckResult, feedback, grade
from benchmark.webdev.project import Project
from fixtures.packages.packages import NoPackages, install
from fixtures.sandbox import online
from fixtures.web import browser, playwright_thread, site, static, user_agent
from fixtures.web.site import GradingSite
from skills.diagnosis.leaks import Passage

TEMPLATE = Path(__file__).parent / "prompt.txt.j2"
#: So many failed checks settle an attempt: its feedback is full by then, and each that follows would wait out its time.
ENOUGH = 5
#: What failed so, or was stopped at its limit, says something of the moment and of the machine's load.
UNSETTLED = ("crash", "server")


@dataclass(frozen=True)
class ChainTask:
    """One task of a chain. One that is not `scored` prepares the others: the chain goes on when it is not solved."""

    number: int
    title: str
    difficulty: Difficulty
    scored: bool = True


def report(checks: Sequence[CheckOutcome], told: str | None) -> GradeReport:
    """The grade of a workspace by its checks: solved where the next attempt has nothing to be told."""
    settled = not any(item.failure in UNSETTLED or item.reruns or item.stopped for item in checks)
    return GradeReport(solved(told is None), tuple(checks), told, settled)


class ChainProject(Protocol):
    """A project as the chain and the suite see it."""

    name: str

    @property
    def family(self) -> str: ...

    @property
    def stack(self) -> tuple[str, ...]: ...

    @property
    def tasks(self) -> Sequence[ChainTask]: ...

    @property
    def start(self) -> Files: ...

    @property
    def fallback(self) -> Files:
        """What the chain goes on from where a task that is not scored was not solved."""
        ...

    @property
    def snapshot(self) -> Files | None:
        """What a store must keep for a trial to be run from it; None where the project is the suite's own."""
        ...

    @property
    def origin(self) -> Mapping[str, str]:
        """Facts that a reader must know of where it comes from, by name."""
        ...

    @property
    def quarantined(self) -> tuple[str, ...]:
        """A line of words for each test that is left out of grading."""
        ...

    @property
    def served_by_program(self) -> bool:
        """Whether a build or a server of its own makes its trials longer."""
        ...

    def inputs(self) -> str:
        """The hash of what an agent may see, prompt templates included."""
        ...

    def grade_key(self) -> str:
        """The hash of the checks and of the code that grades."""
        ...

    def passages(self) -> Iterator[Passage]:
        """The words of its tasks, checks and solutions: what no skill may hold."""
        ...

    def forecast(self, skill_bytes: int, attempts: int) -> Forecast:
        """The most that a chain may use."""
        ...

    def prepare(self) -> None:
        """Install what it needs. Raises SetupError."""
        ...

    def prompt(self, task: int, skill: str, told: str | None) -> str:
        """All that an agent is told at one attempt: `skill` carries or names the skill, or is empty, `told` is the feedback."""
        ...

    def solutions(self, task: int) -> ScriptedSolutions:
        """What scripted agents may write."""
        ...

    def view(self, attempt: int) -> str:
        """How much of a workspace is looked at after this attempt: what is graded alike has the same name."""
        ...

    def grader(self, grading: Grading, exits: ExitStack) -> GradeFn:
        """Grades workspaces in a place that is opened with the first, and closed with `exits`."""
        ...


@cache
def _template(source: str):
    return Environment(undefined=StrictUndefined, keep_trailing_newline=True).from_string(source)


def render(source: Path, **values: object) -> str:
    """The prompt that the template at `source` makes of an attempt's values."""
    # The skill's bytes and the customer's words are values, never template source: what they hold is not interpreted.
    return _template(source.read_text(encoding="utf-8")).render(values)


#: Beside a task's files and its skill, what a prompt and an answer hold, in bytes.
AROUND = 1_500


class NativeProject:
    """One of the suite's own projects: its checks are Python, and a browser is driven from here."""

    snapshot = None
    origin: Mapping[str, str] = {}
    quarantined: tuple[str, ...] = ()

    def __init__(self, project: Project) -> None:
        self.project = project
        self.name = project.name

    @property
    def family(self) -> str:
        return self.project.manifest.family

    @property
    def stack(self) -> tuple[str, ...]:
        return self.project.manifest.stack

    @property
    def tasks(self) -> tuple[ChainTask, ...]:
        rows = enumerate(self.project.manifest.tasks, start=1)
        return tuple(ChainTask(number, task.title, task.difficulty) for number, task in rows)

    @property
    def start(self) -> Files:
        return self.project.start

    @property
    def fallback(self) -> Files:
        return self.project.start

    @property
    def served_by_program(self) -> bool:
        serve = self.project.manifest.serve
        return bool(serve.command or serve.build)

    def inputs(self) -> str:
        return hash_json([self.project.inputs_hash(), sha256(TEMPLATE.read_bytes())])

    def grade_key(self) -> str:
        modules = (browser, online, playwright_thread, site, static, user_agent, checks, grade_module)
        sources = [sha256(inspect.getsource(module).encode()) for module in modules]
        return hash_json([sources, sha256((self.project.folder / "checks.py").read_bytes())])

    def passages(self) -> Iterator[Passage]:
        project = self.project
        for number, task in enumerate(project.manifest.tasks, start=1):
            yield Passage(self.name, f"instruction of task {number:02d}", task.instruction)
            yield Passage(self.name, f"title of task {number:02d}", task.title)
        for check in project.checks:
            yield Passage(self.name, f"title of a check of task {check.task:02d}", check.title)
            yield Passage(self.name, f"a check of task {check.task:02d}", check.source, code=True)
        states = [project.reference(number) for number in range(len(project.manifest.tasks) + 1)]
        solutions = {
            f"reference of task {number:02d}": (states[number - 1], states[number]) for number in range(1, len(states))
        }
        for title, (before, after) in {**solutions, "second solution": (project.start, project.second)}.items():
            for name, data in after.items():
                if before.get(name) != data:
                    yield Passage(self.name, f"{name} of the {title}", data.decode(errors="replace"), code=True)

    def forecast(self, skill_bytes: int, attempts: int) -> Forecast:
        prompt = completion = 0
        for number, task in enumerate(self.project.manifest.tasks, start=1):
            before, after = (sum(map(len, self.project.reference(at).values())) for at in (number - 1, number))
            prompt += attempts * (before + skill_bytes + len(task.instruction.encode()) + AROUND)
            completion += attempts * after
        return Forecast(prompt // 4, completion // 4)

    def prepare(self) -> None:
        if self.project.manifest.serve.packages:
            try:
                install(self.project.start)
            except NoPackages as error:
                raise SetupError(f"project {self.name}: {error}") from error

    def prompt(self, task: int, skill: str, told: str | None) -> str:
        row = self.project.manifest.tasks[task - 1]
        values = {"number": task, "title": row.title, "instruction": row.instruction.strip()}
        return render(TEMPLATE, skill=skill, feedback=told, **values)

    def solutions(self, task: int) -> ScriptedSolutions:
        mutants = {item.name: self.project.mutate(item) for item in self.project.mutants if item.task == task}
        return ScriptedSolutions(self.project.reference(task), mutants)

    def view(self, attempt: int) -> str:
        del attempt  # both are looked at alike
        return "all"

    def grader(self, grading: Grading, exits: ExitStack) -> GradeFn:
        return _CheckGrader(self.project, grading, exits)


class _CheckGrader:
    """Grades workspaces of one trial's project by its checks, in a place that is opened with the first."""

    def __init__(self, project: Project, grading: Grading, exits: ExitStack) -> None:
        self._project = project
        self._grading = grading
        self._exits = exits
        self._place: GradingSite | None = None
        self._packages = install(project.start) if project.manifest.serve.packages else None

    def __call__(self, task: int, files: Files, attempt: int) -> GradeReport:
        """What the checks of tasks 1…`task` say, the new task's first."""
        del attempt
        if self._place is None:
            self._place = self._exits.enter_context(self._grading.sandbox.grading_site(self._packages))
        checks = [*self._project.checks_of(task), *(item for item in self._project.checks if item.task < task)]
        serve = self._project.manifest.serve
        results = grade(self._place, files, serve, self._packages, checks, enough=ENOUGH)
        told = feedback(results) if any(item.failure for item in results) else None
        return report([self._kept(item) for item in results], told)

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
