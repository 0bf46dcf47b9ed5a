"""The suite contract of DESIGN.md: what planning, reports and the command line know of a suite, and nothing more."""

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from agents.base import Agent
from benchmark.errors import unknown
from benchmark.files import Files
from benchmark.model import Difficulty, Record, TaskResult, TrialSpec
from benchmark.store import Store
from fixtures.sandbox.base import Box, Sandbox
from skills.leaks import Passage
from skills.parse import Skill

if TYPE_CHECKING:
    from benchmark.panel import Panel
    from fixtures.gateway.client import Line


@dataclass(frozen=True, slots=True)
class Metric:
    """A number of a record. `value` gives None with a reason where it was not measured."""

    name: str
    title: str
    unit: Literal["share", "count", "tokens", "USD", "s"]
    better: Literal["higher", "lower"]
    value: Callable[[Record], tuple[float | None, str | None]]
    primary: bool = False


@dataclass(frozen=True, slots=True)
class Forecast:
    """What one trial may come to at most: every task reached, every attempt used. Tokens are bytes / 4."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Proof:
    """What validation says of one task; `reason` names the first thing that is wrong."""

    id: str
    valid: bool
    reason: str | None = None


@dataclass(frozen=True)
class Grading:
    """What it takes to grade: a sandbox to do it in, Playwright's object, a store for what is found, and the key.

    `key` is the hash of all that decides how a workspace is graded.
    """

    sandbox: Sandbox
    api: Any
    store: Store
    key: str


@dataclass(frozen=True)
class Room:
    """What a suite runs a trial in: the agent, its box with the skill delivered, its line to the model, what grading takes.

    Scripted agents have no line.
    """

    spec: TrialSpec
    agent: Agent
    skill: Skill | None
    box: Box
    line: "Line | None"
    grading: Grading

    @property
    def store(self) -> Store:
        return self.grading.store


class Suite(Protocol):
    """One folder of `benchmark/`."""

    name: str
    protocol: int
    title: str
    metrics: tuple[Metric, ...]

    def over(self, panel: "Panel") -> "Suite":
        """The suite over the projects that the panel wants in place of its own; itself where it wants none.

        Raises UsageError.
        """
        ...

    def kept(self, sources: Mapping[str, Files]) -> "Suite":
        """The suite over projects as a store keeps them, by name."""
        ...

    def source(self, project: str) -> Files | None:
        """What a store must keep for a trial to be run from it; None where the project is the suite's own."""
        ...

    def projects(self) -> Mapping[str, Any]:
        """The projects by name, in their order."""
        ...

    def family(self, project: str) -> str: ...

    def stack(self, project: str) -> tuple[str, ...]: ...

    def task_count(self, project: str) -> int: ...

    def difficulties(self, project: str) -> Sequence[Difficulty]:
        """The difficulty of every task, in the chain's order."""
        ...

    def inputs(self, project: str) -> str:
        """The hash of what an agent may see of the project, prompt templates included."""
        ...

    def start(self, project: str) -> Files: ...

    def passages(self, project: str) -> Iterable[Passage]:
        """The words of the project's tasks, checks and solutions: what no skill may hold."""
        ...

    def origin(self, project: str) -> Mapping[str, str]:
        """Facts that a reader must know of where a project comes from, by name; none of the suite's own."""
        ...

    def quarantined(self, project: str) -> tuple[str, ...]:
        """A line of words for each test of the project that is left out of grading."""
        ...

    def weight(self, project: str) -> float:
        """The expected length of a trial, relative to others of the suite."""
        ...

    def forecast(self, project: str, skill_bytes: int, attempts: int) -> Forecast: ...

    def prepare(self, projects: Iterable[str]) -> None:
        """Install what the projects need before the first trial. Raises SetupError."""
        ...

    def grade_key(self, project: str) -> str:
        """The hash of the checks and of the code that grades."""
        ...

    def run(self, room: Room) -> list[TaskResult]:
        """Run the trial's tasks; their results."""
        ...

    def regrade(self, record: Record, grading: Grading) -> tuple[TaskResult, ...] | None:
        """The record's tasks graded anew, or None where its chain would have gone another way."""
        ...

    def validate(self, projects: Iterable[str], *, changed: bool, write: bool, jobs: int) -> Generator[Proof, None, None]:
        """Prove the projects' tasks. With `changed`, those whose committed hash still holds are valid without being run;
        with `write`, the hashes of what was proved are committed. Closing it ends what is being proved."""
        ...


def suite_names() -> list[str]:
    """The suites of this checkout: the folders of `benchmark/` that have a suite.py."""
    return sorted(path.parent.name for path in Path(__file__).parent.glob("*/suite.py"))


def find_suite(name: str) -> Suite:
    """The suite of that name. Raises UsageError with the nearest names."""
    if name not in suite_names():
        raise unknown("suite", name, suite_names())
    return import_module(f"benchmark.{name}.suite").SUITE


def suite_of(spec: TrialSpec, store: Store) -> Suite:
    """The suite over the project of a trial. Raises KeyError where the store lacks the project's files."""
    suite = find_suite(spec.suite)
    return suite.kept({spec.project: store.get_tree(spec.source)}) if spec.source else suite


def suite_in(plan: Mapping[str, Any], store: Store) -> Suite:
    """The suite over the projects of a plan; those whose files are not in the store are unknown to it."""
    suite = find_suite(plan["panel"]["suite"])
    named = {row["spec"]["project"]: row["spec"].get("source") for row in plan["trials"]}
    sources: dict[str, Files] = {}
    for project, source in named.items():
        with contextlib.suppress(KeyError, ValueError):
            if source:
                sources[project] = store.get_tree(source)
    return suite.kept(sources) if any(named.values()) else suite


def all_passages() -> Iterator[Passage]:
    """What no skill may hold of any project of any suite."""
    for suite in map(find_suite, suite_names()):
        for project in suite.projects():
            yield from suite.passages(project)


def primary(suite: Suite) -> Metric:
    """The suite's primary metric, which alone may carry a verdict."""
    return next(metric for metric in suite.metrics if metric.primary)
