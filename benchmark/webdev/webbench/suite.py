"""The `webdev` suite over the projects of a Web-Bench checkout, in the place of its own."""

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from benchmark.errors import UsageError, unknown
from benchmark.files import Files, hash_json, sha256
from benchmark.model import Difficulty, Record, TaskResult
from benchmark.panel import Panel
from benchmark.suites import Forecast, Grading, Room
from benchmark.webdev.suite import WebdevSuite
from benchmark.webdev.webbench.checkout import Checkout
from benchmark.webdev.webbench.needs import needs
from benchmark.webdev.webbench.project import BenchProject
from benchmark.webdev.webbench.quarantine import USUAL, Quarantine, words
from skills.leaks import Passage


class BenchSuite(WebdevSuite):
    """Chains of Web-Bench's tasks, graded by its own specs."""

    def __init__(self, projects: Mapping[str, BenchProject]) -> None:
        self._bench = dict(projects)

    def projects(self) -> Mapping[str, BenchProject]:
        return self._bench

    def source(self, project: str) -> Files:
        return self._bench[project].files

    def origin(self, project: str) -> dict[str, str]:
        """Results of different commits are not comparable: specs were edited, and other versions drive browsers otherwise."""
        item = self._bench[project]
        commit = f"commit {item.commit[:12]}" if item.commit else "a checkout of unknown commit"
        return {"web_bench": commit, "playwright_of_the_specs": item.wanted()["@playwright/test"]}

    def family(self, project: str) -> str:
        return self._bench[project].family

    def stack(self, project: str) -> tuple[str, ...]:
        return self._bench[project].stack

    def task_count(self, project: str) -> int:
        return len(self._bench[project].scored)

    def difficulties(self, project: str) -> tuple[Difficulty, ...]:
        return tuple(task.level for task in self._bench[project].scored)

    def inputs(self, project: str) -> str:
        from benchmark.webdev.webbench.course import TEMPLATE

        item = self._bench[project]
        return hash_json(["web-bench", item.inputs_hash(), sha256(TEMPLATE.read_bytes()), item.test_source])

    def start(self, project: str) -> Files:
        return self._bench[project].start

    def passages(self, project: str) -> Iterator[Passage]:
        """The words of the tasks, and the specs."""
        item = self._bench[project]
        for task in item.tasks:
            yield Passage(project, f"description of {task.id}", task.description)
        for name in item.specs(len(item.scored)):
            source = item.files[f"projects/{project}/{name}"].decode(errors="replace")
            yield Passage(project, name, source, code=True)

    def quarantined(self, project: str) -> tuple[str, ...]:
        return tuple(words(row) for row in self._bench[project].quarantine)

    def weight(self, project: str) -> float:
        return self.task_count(project) * (2.0 if self._bench[project].has_build else 1.0)

    def forecast(self, project: str, skill_bytes: int, attempts: int = 2) -> Forecast:
        item = self._bench[project]
        last, count = sum(map(len, item.reference.values())), len(item.tasks)
        prompt = completion = 0
        for number, task in enumerate(item.tasks, start=1):
            # Only the final solution is there: what the chain has grown to by then is taken to grow evenly.
            before, after = last * (number - 1) // count, last * number // count
            prompt += attempts * (before + skill_bytes + len(task.description.encode()) + 1_500)
            completion += attempts * after
        return Forecast(prompt // 4, completion // 4)

    def prepare(self, projects: Iterable[str]) -> None:
        from benchmark.webdev.webbench.prepare import prepare
        from fixtures.sandbox.docker import DockerSandbox

        sandbox = DockerSandbox()
        try:
            for name in projects:
                prepare(self._bench[name], sandbox)
        finally:
            sandbox.close()

    def grade_key(self, project: str) -> str:
        from benchmark.webdev.webbench import course, feedback, grading, prepare, report, words
        from fixtures import user_agent
        from fixtures.sandbox import online

        item = self._bench[project]
        modules = (course, feedback, grading, online, report, user_agent, words)
        sources = [sha256(inspect.getsource(module).encode()) for module in modules]
        sources += [sha256(path.read_bytes()) for path in sorted(grading.INSIDE.iterdir()) if path.is_file()]
        rows = [row.model_dump(mode="json") for row in item.quarantine]
        found = prepare.known(item)
        return hash_json([sources, item.specs_hash(), rows, item.test_source, item.wanted(), found.lock if found else None])

    def run(self, room: Room) -> list[TaskResult]:
        from benchmark.webdev.chain import walk
        from benchmark.webdev.webbench.course import BenchCourse

        return walk(BenchCourse(self._bench[room.spec.project]), room)

    def regrade(self, record: Record, grading: Grading) -> tuple[TaskResult, ...] | None:
        from benchmark.webdev.chain import regrade
        from benchmark.webdev.webbench.course import BenchCourse

        return regrade(BenchCourse(self._bench[record.spec.project]), record, grading)


def chosen(panel: Panel) -> BenchSuite:
    """The suite over the projects of the panel's checkout that can run, with its quarantine. Raises UsageError."""
    assert panel.webbench
    quarantine = Quarantine.load(Path(panel.quarantine) if panel.quarantine else USUAL)
    projects = runnable(Checkout(Path(panel.webbench)), panel.projects)
    graded = {name: item.graded_with(quarantine.of(item), panel.test_source) for name, item in projects.items()}
    return BenchSuite(graded)


def runnable(checkout: Checkout, asked: Sequence[str]) -> dict[str, BenchProject]:
    """Those of the projects asked for, by name or pattern, that can run here.

    A project that needs more than npm packages is there only when it is named. Raises UsageError for one that needs a network,
    with the reason.
    """
    named = {item for item in asked if not any(sign in item for sign in "*?[")}
    for name in named - set(checkout.names):
        raise unknown("project", name, checkout.names)
    projects = {}
    for name in checkout.names:
        if name not in named and not any(fnmatchcase(name, item) for item in asked):
            continue
        project = checkout.project(name)
        status, reason = needs(project)
        if status == "needs network" and name in named:
            raise UsageError(f"project {name} cannot run without a network: {reason}")
        if status == "runs" or (status == "needs a build" and name in named):
            projects[name] = project
    if not projects:
        raise UsageError(
            f"no project of {checkout.root} that fits {', '.join(asked)} can run here; `assay webbench list` says why"
        )
    return projects
