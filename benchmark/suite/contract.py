"""What a suite is: seven members that it must give, and defaults for all else (DESIGN.md, The suite contract)."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from agents.base import Agent
from benchmark.core.errors import UsageError
from benchmark.core.files import Files
from benchmark.core.model import CheckOutcome, Data, Record, TaskResult, TrialSpec
from benchmark.core.score import Score
from benchmark.store.store import Store
from benchmark.suite.metric import COST, ORIENTED, Metric
from fixtures.sandbox.base import Sandbox, Workspace
from skills.diagnosis.leaks import Passage
from skills.parsing.parse import Skill

if TYPE_CHECKING:
    from benchmark.suite.section import Section
    from fixtures.gateway.client import TrialChannel
    from reports.audit.metrics import Audit
    from reports.results import Results


@dataclass(frozen=True, slots=True)
class Forecast:
    """The most tokens that one trial may use: every task reached, every attempt used. Tokens are bytes / 4."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True)
class Judgement:
    """What a model judge answered: `value` as it was accepted, or None with the `reason`.

    `answer` is the blob of its words. `usage` is None where the answer was there before and nothing was asked.
    """

    value: Any
    reason: str | None = None
    answer: str | None = None


class JudgeChannel(ABC):
    """A metered way to the model that judges, for suites that are `Judged`."""

    @abstractmethod
    def ask(self, question: str, images: Sequence[bytes] = (), *, schema: type[Data]) -> Judgement:
        """The judge's answer to a question about words and pictures (PNG or JPEG bytes), as an instance of `schema`.

        The same question about the same pictures is asked once a store. A judge that cannot be asked, or whose answer does not
        fit twice, gives None with the reason; nothing of it is kept, so that `assay regrade` asks again.
        """


@dataclass(frozen=True)
class Grading:
    """What it takes to grade: a sandbox to do it in, a store for what is found, and the key of all that decides a grade.

    `judge` is there for suites that are judged; `tools` are the versions of what the suite declares.
    """

    sandbox: Sandbox
    store: Store
    key: str
    judge: JudgeChannel | None = None
    tools: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class GradeReport:
    """What grading says of one workspace: its score, the checks behind it, and what a next attempt is told (None: nothing).

    One that is not `settled` depends on the moment (load, a server that died): it counts, and is not kept for the same files.
    """

    score: Score
    checks: tuple[CheckOutcome, ...] = ()
    feedback: str | None = None
    settled: bool = True


@dataclass(frozen=True)
class TrialContext:
    """What a suite runs a trial in: the agent, its workspace with the skill delivered, its channel to the model, what grading
    takes.

    Scripted agents have no channel. `needs` are the records that `Suite.needs` asked for, by project.
    """

    spec: TrialSpec
    agent: Agent
    skill: Skill | None
    workspace: Workspace
    channel: "TrialChannel | None"
    grading: Grading
    needs: Mapping[str, Record] = field(default_factory=dict)

    @property
    def store(self) -> Store:
        return self.grading.store


class Suite(ABC):
    """One kind of work: its projects, how an agent is let work on them, and what is measured of it.

    A suite must give `name`, `metrics`, `projects`, `inputs`, `start`, `run` and `grade_key`. What only some suites have is a
    capability (`benchmark.suite.capabilities`).
    """

    name: ClassVar[str]
    #: The suite's own; tokens, money and time come with every suite.
    metrics: ClassVar[tuple[Metric, ...]]
    title: ClassVar[str] = ""
    #: Raised by hand when the procedure changes: what records of another protocol say is not compared.
    protocol: ClassVar[int] = 1
    #: How many attempts an agent has at a task, at most.
    attempts: ClassVar[int] = 1
    #: The keys that a table of the suite's name may have in a panel: a pydantic model with defaults. Those that its class
    #: variable `paths` names are paths, which count from the panel's folder.
    settings: ClassVar[type[Data] | None] = None

    @property
    def only_in_docker(self) -> str | None:
        """Why its trials can run in Docker only, in a clause; None where scripted agents may work on this machine."""
        return None

    @abstractmethod
    def projects(self) -> Mapping[str, object]:
        """The projects by name, in their order."""

    @abstractmethod
    def inputs(self, project: str) -> str:
        """The hash of what an agent may see of the project, prompt templates included."""

    @abstractmethod
    def start(self, project: str) -> Files:
        """The workspace before the first task."""

    @abstractmethod
    def run(self, context: TrialContext) -> list[TaskResult]:
        """Run the trial's tasks; their results. `benchmark.run.attempt` has the pieces."""

    @abstractmethod
    def grade_key(self, project: str) -> str:
        """The hash of the checks and of the code that grades."""

    def family(self, project: str) -> str:
        """The family of a project: projects that share much are one unit of inference (METHOD.md)."""
        return project

    def stack(self, project: str) -> tuple[str, ...]:
        """What the project is made with, for routing advice."""
        del project
        return ()

    def task_count(self, project: str) -> int:
        """How many tasks of a trial on the project count."""
        del project
        return 1

    def needs(self, project: str) -> tuple[str, ...]:
        """The projects whose trials, with the same skill, agent, condition and replicate, a trial on this one uses."""
        del project
        return ()

    def image(self, project: str) -> str | None:
        """The image that a trial on the project works in; None for the one of all suites."""
        del project
        return None

    def weight(self, project: str) -> float:
        """The expected length of a trial, relative to others of the suite."""
        return float(self.task_count(project))

    def forecast(self, project: str, skill_bytes: int) -> Forecast | None:
        """The most that a trial may use, None where that cannot be said."""
        del project, skill_bytes
        return None

    def prepare(self, projects: Iterable[str]) -> None:
        """Install what the projects need before the first trial. Raises SetupError."""
        del projects

    def grading_tools(self, sandbox: Sandbox) -> dict[str, str]:
        """The tools that grading rests on with their versions, by name: a part of every grade's key.

        Raises SetupError for one that is not there.
        """
        del sandbox
        return {}

    def regrade(self, record: Record, grading: Grading) -> tuple[TaskResult, ...] | None:
        """The record's tasks graded anew, or None where the trial would have gone another way and has to run again."""
        del record, grading
        return None

    def passages(self, project: str) -> Iterable[Passage]:
        """The words of the project's tasks, checks and solutions: what no skill may hold."""
        del project
        return ()

    def origin(self, project: str) -> Mapping[str, str]:
        """Facts that a reader must know of where a project comes from, by name."""
        del project
        return {}

    def quarantined(self, project: str) -> tuple[str, ...]:
        """A line of words for each test of the project that is left out of grading."""
        del project
        return ()

    def sections(self, audit: "Audit", results: "Results") -> "Iterable[Section]":
        """What the suite adds to the page, the terminal and Allure."""
        del audit, results
        return ()

    def write_tables(self, audit: "Audit", folder: Path) -> Path:
        """Write the tables of the suite's paper below `folder`; the page of them. Raises UsageError for a suite without any."""
        del audit, folder
        raise UsageError(f"suite {self.name} has no tables of a paper; leave out --tables")

    @cached_property
    def all_metrics(self) -> tuple[Metric, ...]:
        """The suite's metrics, then what every trial costs."""
        return (*self.metrics, *COST)

    @cached_property
    def primary(self) -> Metric:
        """The primary metric, which alone may carry a verdict."""
        return next(metric for metric in self.metrics if metric.primary)


def check_suite(suite: Suite) -> Suite:
    """The suite itself. Raises UsageError for one whose metrics cannot carry a verdict, with what is wrong."""
    named = f"suite {suite.name!r}"
    primaries = [metric for metric in suite.metrics if metric.primary]
    if len(primaries) != 1:
        raise UsageError(f"{named} has {len(primaries)} primary metrics; mark one, and only one, with primary=True")
    if not primaries[0].scale.bounded:
        raise UsageError(
            f"{named}: the primary metric {primaries[0].name!r} has no bounds, so no margin can be said of it; give its scale "
            "low and high"
        )
    names = [metric.name for metric in suite.all_metrics]
    for name in names:
        if names.count(name) > 1 or name == ORIENTED:
            raise UsageError(f"{named}: the metric name {name!r} is taken; rename it")
    return suite
