"""The `webdev` suite as the rest of Skill Assay sees it (the suite contract)."""

import inspect
from collections.abc import Generator, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from benchmark.errors import SetupError
from benchmark.files import Files, hash_json, sha256
from benchmark.model import Difficulty, Record, TaskResult
from benchmark.panel import Panel
from benchmark.suites import Forecast, Grading, Metric, Proof, Room
from benchmark.webdev.project import PROJECTS, Project
from fixtures.packages import NoPackages, install
from skills.leaks import Passage


def _share(count: int, record: Record) -> tuple[float | None, str | None]:
    return (count / record.task_count, None) if record.status == "measured" else (None, record.reason or record.status)


def _depth(record: Record) -> int:
    """Task Completion Depth: the tasks solved before the first that was not."""
    return next((index for index, task in enumerate(record.scored) if task.outcome != "solved"), len(record.scored))


def _first_try(record: Record) -> list[bool]:
    return [bool(task.attempts) and task.attempts[0].solved for task in record.scored]


def _erred_first(record: Record) -> int:
    """The tasks reached whose first attempt did not solve them (Web-Bench's error@1, over all tasks)."""
    return sum(bool(task.attempts) and not task.attempts[0].solved for task in record.scored)


def _prefix(record: Record) -> int:
    return next((index for index, solved in enumerate(_first_try(record)) if not solved), len(record.scored))


def _usage(name: str) -> Any:
    def value(record: Record) -> tuple[float | None, str | None]:
        if record.status != "measured":
            return None, record.reason or record.status
        number = getattr(record.usage, name)
        return (None, record.usage.reason or "not reported") if number is None else (float(number), None)

    return value


METRICS = (
    Metric("pass2", "Pass@2", "share", "higher", lambda record: _share(_depth(record), record), primary=True),
    Metric("tcd", "Task Completion Depth", "count", "higher", lambda record: _count(_depth(record), record)),
    Metric("pass1", "pass1 (prefix)", "share", "higher", lambda record: _share(_prefix(record), record)),
    Metric("first_try", "solved at first try", "share", "higher", lambda record: _share(sum(_first_try(record)), record)),
    Metric("error1", "error@1", "share", "lower", lambda record: _share(_erred_first(record), record)),
    Metric("tokens", "tokens", "tokens", "lower", _usage("tokens")),
    Metric("prompt_tokens", "prompt tokens", "tokens", "lower", _usage("prompt_tokens")),
    Metric("cached_tokens", "cached tokens", "tokens", "lower", _usage("cached_tokens")),
    Metric("completion_tokens", "completion tokens", "tokens", "lower", _usage("completion_tokens")),
    Metric("usd", "cost", "USD", "lower", _usage("usd")),
    Metric("seconds", "wall time", "s", "lower", lambda record: _count(record.seconds, record)),
)


def _count(number: float, record: Record) -> tuple[float | None, str | None]:
    return (float(number), None) if record.status == "measured" else (None, record.reason or record.status)


class WebdevSuite:
    """Ordered chains of web tasks, checked in a real browser."""

    name = "webdev"
    title = "Web development"
    #: Raised by hand when the procedure changes: prompts' order, attempts, feedback, the stop rule.
    protocol = 1
    metrics = METRICS

    @cached_property
    def _projects(self) -> dict[str, Project]:
        folders = sorted(path.parent for path in PROJECTS.glob("*/project.toml"))
        return {folder.name: Project(folder) for folder in folders}

    def over(self, panel: Panel) -> "WebdevSuite":
        if not panel.webbench:
            return self
        from benchmark.webdev.webbench.suite import chosen

        return chosen(panel)

    def kept(self, sources: Mapping[str, Files]) -> "WebdevSuite":
        from benchmark.webdev.webbench.project import BenchProject
        from benchmark.webdev.webbench.suite import BenchSuite

        return BenchSuite({name: BenchProject(name, files) for name, files in sources.items()})

    def source(self, project: str) -> Files | None:
        del project  # they are committed here

    def origin(self, project: str) -> Mapping[str, str]:
        del project  # the package's version says it
        return {}

    def projects(self) -> Mapping[str, Any]:
        return self._projects

    def family(self, project: str) -> str:
        return self._projects[project].manifest.family

    def stack(self, project: str) -> tuple[str, ...]:
        return self._projects[project].manifest.stack

    def task_count(self, project: str) -> int:
        return len(self._projects[project].manifest.tasks)

    def difficulties(self, project: str) -> tuple[Difficulty, ...]:
        return tuple(task.difficulty for task in self._projects[project].manifest.tasks)

    def inputs(self, project: str) -> str:
        from benchmark.webdev.course import TEMPLATE

        return hash_json([self._projects[project].inputs_hash(), sha256(TEMPLATE.read_bytes())])

    def start(self, project: str) -> Files:
        return self._projects[project].start

    def passages(self, project: str) -> Iterator[Passage]:
        item = self._projects[project]
        for number, task in enumerate(item.manifest.tasks, start=1):
            yield Passage(project, f"instruction of task {number:02d}", task.instruction)
            yield Passage(project, f"title of task {number:02d}", task.title)
        for check in item.checks:
            yield Passage(project, f"title of a check of task {check.task:02d}", check.title)
            yield Passage(project, f"a check of task {check.task:02d}", check.source, code=True)
        states = [item.reference(number) for number in range(self.task_count(project) + 1)]
        solutions = {
            f"reference of task {number:02d}": (states[number - 1], states[number]) for number in range(1, len(states))
        }
        for title, (before, after) in {**solutions, "second solution": (item.start, item.second)}.items():
            for name, data in after.items():
                if before.get(name) != data:
                    yield Passage(project, f"{name} of the {title}", data.decode(errors="replace"), code=True)

    def quarantined(self, project: str) -> tuple[str, ...]:
        del project  # a check that is not sound is repaired here
        return ()

    def weight(self, project: str) -> float:
        serve = self._projects[project].manifest.serve
        return self.task_count(project) * (2.0 if serve.command or serve.build else 1.0)

    def forecast(self, project: str, skill_bytes: int, attempts: int = 2) -> Forecast:
        item = self._projects[project]
        prompt = completion = 0
        for number, task in enumerate(item.manifest.tasks, start=1):
            before, after = (sum(map(len, item.reference(at).values())) for at in (number - 1, number))
            prompt += attempts * (before + skill_bytes + len(task.instruction.encode()) + 1_500)
            completion += attempts * after
        return Forecast(prompt // 4, completion // 4)

    def prepare(self, projects: Iterable[str]) -> None:
        for name in projects:
            item = self._projects[name]
            if item.manifest.serve.packages:
                try:
                    install(item.start)
                except NoPackages as error:
                    raise SetupError(f"project {name}: {error}") from error

    def grade_key(self, project: str) -> str:
        from benchmark.webdev import checks, grade
        from fixtures import browser, playwright_thread, site, static, user_agent
        from fixtures.sandbox import online

        modules = (browser, online, playwright_thread, site, static, user_agent, checks, grade)
        sources = [sha256(inspect.getsource(module).encode()) for module in modules]
        item = self._projects[project]
        return hash_json([sources, sha256((item.folder / "checks.py").read_bytes())])

    def run(self, room: Room) -> list[TaskResult]:
        from benchmark.webdev.chain import walk
        from benchmark.webdev.course import OwnCourse

        return walk(OwnCourse(self._projects[room.spec.project]), room)

    def regrade(self, record: Record, grading: Grading) -> tuple[TaskResult, ...] | None:
        from benchmark.webdev.chain import regrade
        from benchmark.webdev.course import OwnCourse

        return regrade(OwnCourse(self._projects[record.spec.project]), record, grading)

    def validate(self, projects: Iterable[str], *, changed: bool, write: bool, jobs: int) -> Generator[Proof, None, None]:
        from benchmark.webdev.validate import prove

        return prove(list(projects), changed=changed, write=write, jobs=jobs)


SUITE = WebdevSuite()
