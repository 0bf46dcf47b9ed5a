"""A Web-Bench project as the chain walks it: its tasks and prompts, and its own specs as what looks at workspaces.

The protocol is Web-Bench's: an unscored `init` task before the others where there is one, after whose failure the chain goes on
from the files that Web-Bench holds ready; specs of tasks 1…n for task n; the report of attempt 1 is what attempt 2 is told.
"""

import inspect
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from agents.base import ScriptedSolutions
from benchmark.core.errors import Fault
from benchmark.core.files import Files, hash_json, sha256
from benchmark.core.model import CheckOutcome
from benchmark.run.task import GradeFn
from benchmark.suite.contract import Forecast, GradeReport, Grading
from benchmark.webdev.chain_project import AROUND, ChainTask, render, report
from benchmark.webdev.grade import GraderFault, feedback
from benchmark.webdev.webbench import failure_messages, grading
from benchmark.webdev.webbench import feedback as feedback_module
from benchmark.webdev.webbench import report as report_module
from benchmark.webdev.webbench.failure_messages import cut, plain
from benchmark.webdev.webbench.feedback import feedback as report_words
from benchmark.webdev.webbench.feedback import shortened
from benchmark.webdev.webbench.grading import Bench, opened
from benchmark.webdev.webbench.prepare import Prepared, known, prepare
from benchmark.webdev.webbench.project import BenchProject
from benchmark.webdev.webbench.quarantine import quarantine_line
from benchmark.webdev.webbench.report import parse_run
from fixtures.sandbox import online
from fixtures.sandbox.docker import DockerSandbox
from fixtures.web import user_agent
from fixtures.web.site import SiteFailed
from skills.diagnosis.leaks import Passage

TEMPLATE = Path(__file__).parent / "prompt.txt.j2"
#: How often a run that says nothing of the workspace is made again (Web-Bench's evaluator does so as often).
RERUNS = 2
TITLE = 80
#: The one check of a workspace that no test can be run on.
BUILT = "The project builds and is served"
#: What means something in a pattern.
SPECIAL = re.compile(r"[\\^$.*+?()\[\]{}|/]")


class WebBenchProject:
    """One project of a checkout."""

    def __init__(self, project: BenchProject) -> None:
        self.project = project
        self.name = project.name

    @property
    def family(self) -> str:
        return self.project.family

    @property
    def stack(self) -> tuple[str, ...]:
        return self.project.stack

    @property
    def tasks(self) -> tuple[ChainTask, ...]:
        rows = self.project.tasks
        return tuple(ChainTask(task.number, _title(task.description), task.level, task.number > 0) for task in rows)

    @property
    def start(self) -> Files:
        return self.project.start

    @property
    def fallback(self) -> Files:
        return self.project.fallback

    def prompt(self, task: int, skill: str, told: str | None) -> str:
        row = next(row for row in self.project.tasks if row.number == task)
        # Whoever sets a project up is told which files it is to have: specs and configurations look for them.
        names = ", ".join(sorted(self.project.fallback)) if task == 0 else ""
        values = {"number": task, "instruction": row.description.strip(), "names": names}
        return render(TEMPLATE, skill=skill, feedback=told, **values)

    def solutions(self, task: int) -> ScriptedSolutions:
        """The final solution solves every task; the one mistake there is is what the project starts from."""
        del task
        return ScriptedSolutions(self.project.reference, {"nothing done": self.project.fallback})

    def view(self, attempt: int) -> str:
        return "all" if attempt == 1 else "to the first failure"

    def grader(self, grading: Grading, exits: ExitStack) -> GradeFn:
        sandbox = grading.sandbox
        if not isinstance(sandbox, DockerSandbox):
            raise Fault(f"{self.name}: Web-Bench's specs run only in Docker")
        return SpecGrader(self.project, sandbox, exits)

    @property
    def snapshot(self) -> Files:
        return self.project.files

    @property
    def origin(self) -> dict[str, str]:
        """Results of different commits are not comparable: specs were edited, and other versions drive browsers otherwise."""
        item = self.project
        commit = f"commit {item.commit[:12]}" if item.commit else "a checkout of unknown commit"
        return {"web_bench": commit, "playwright_of_the_specs": item.wanted()["@playwright/test"]}

    @property
    def quarantined(self) -> tuple[str, ...]:
        return tuple(quarantine_line(row) for row in self.project.quarantine)

    @property
    def served_by_program(self) -> bool:
        return self.project.has_build

    def inputs(self) -> str:
        item = self.project
        return hash_json(["web-bench", item.inputs_hash(), sha256(TEMPLATE.read_bytes()), item.test_source])

    def grade_key(self) -> str:
        item = self.project
        modules = (feedback_module, grading, online, report_module, user_agent, failure_messages)
        sources = [sha256(Path(__file__).read_bytes()), *(sha256(inspect.getsource(module).encode()) for module in modules)]
        sources += [sha256(path.read_bytes()) for path in sorted(grading.INSIDE.iterdir()) if path.is_file()]
        rows = [row.model_dump(mode="json") for row in item.quarantine]
        found = known(item)
        return hash_json([sources, item.specs_hash(), rows, item.test_source, item.wanted(), found.lock if found else None])

    def passages(self) -> Iterator[Passage]:
        """The words of the tasks, and the specs."""
        item = self.project
        for task in item.tasks:
            yield Passage(self.name, f"description of {task.id}", task.description)
        for name in item.specs(len(item.scored)):
            source = item.files[f"projects/{self.name}/{name}"].decode(errors="replace")
            yield Passage(self.name, name, source, code=True)

    def forecast(self, skill_bytes: int, attempts: int) -> Forecast:
        item = self.project
        last, count = sum(map(len, item.reference.values())), len(item.tasks)
        prompt = completion = 0
        for number, task in enumerate(item.tasks, start=1):
            # Only the final solution is there: what the chain has grown to by then is taken to grow evenly.
            before, after = last * (number - 1) // count, last * number // count
            prompt += attempts * (before + skill_bytes + len(task.description.encode()) + AROUND)
            completion += attempts * after
        return Forecast(prompt // 4, completion // 4)

    def prepare(self) -> None:
        sandbox = DockerSandbox()
        try:
            prepare(self.project, sandbox)
        finally:
            sandbox.close()


@dataclass(frozen=True)
class SpecRun:
    """What one run came to; `doubt` is why it may say nothing of the workspace, `fault` why it surely does not."""

    checks: tuple[CheckOutcome, ...] = ()
    told: str | None = None
    doubt: str | None = None
    fault: str | None = None


class SpecGrader:
    """Looks at workspaces of one project in a container that is opened with the first."""

    def __init__(self, project: BenchProject, sandbox: DockerSandbox, exits: ExitStack) -> None:
        self._project = project
        self._sandbox = sandbox
        self._exits = exits
        self._bench: Bench | None = None
        self._prepared: Prepared | None = None

    def __call__(self, task: int, files: Files, attempt: int) -> GradeReport:
        """What the specs of tasks 1…`task` say. Attempt 2 has no third to inform: its run ends with the first failure."""
        reruns = 0
        # Before it is this process's turn: installing can take minutes, and a container a second.
        self._opened()
        with _turn():
            found = self._once(task, files, attempt)
            while (found.fault or found.doubt) and reruns < RERUNS:
                reruns += 1
                found = self._once(task, files, attempt)
            if found.fault and not self._sound(task):
                raise GraderFault(f"{found.fault}; the same after {reruns} more runs")
        if found.fault:
            found = _brought_down(self._opened()[0], task, found.fault)
        checks = tuple(item.model_copy(update={"reruns": reruns}) for item in found.checks) if reruns else found.checks
        told = feedback(checks) if found.told is not None and self._project.test_source == "hidden" else found.told
        return report(checks, told)

    def _opened(self) -> tuple[Bench, Prepared]:
        if self._bench is None or self._prepared is None:
            self._prepared = prepare(self._project, self._sandbox)
            packages = Path(self._prepared.packages)
            self._bench = self._exits.enter_context(opened(self._sandbox, self._project, packages))
        return self._bench, self._prepared

    def _sound(self, task: int) -> bool:
        """Whether the very same container can grade the final solution: then a fault that comes with a workspace again and
        again is the workspace's doing. Some specs load its code into Playwright's own processes."""
        found = self._once(task, self._project.reference, 1)
        return bool(found.checks) and not any(item.failure for item in found.checks)

    def _once(self, task: int, files: Files, attempt: int) -> SpecRun:
        bench, prepared = self._opened()
        name = f"task-{task}" if task else "init"
        bench.lay(files)
        for script in ("init", "build"):
            if self._project.script(script):
                try:
                    bench.script(script, name)
                except SiteFailed as error:
                    return _not_built(bench, task, error)
        specs = self._project.specs(task)
        if not specs:
            return SpecRun()
        try:
            bench.serve(prepared.server, name)
        except SiteFailed as error:
            if prepared.server.static:
                return SpecRun(fault=f"{error.what}: {error.said[-300:]}")
            return _not_built(bench, task, error, again=True)
        first = specs[-1] if attempt > 1 and len(specs) > 1 else None
        return self._run(bench, specs, name, first)

    def _run(self, bench: Bench, specs: tuple[str, ...], name: str, first: str | None) -> SpecRun:
        ran = bench.run(specs, name, first, _skipped(self._project))
        seen = parse_run(ran, specs, bench.workspace, {row.spec for row in self._project.quarantine})
        if seen.fault:
            return SpecRun(fault=seen.fault)
        failed = any(item.failure for item in seen.checks)
        told = report_words(ran, bench.roots) if failed else None
        return SpecRun(seen.checks, told, doubt=seen.weak if failed else None)


def _not_built(bench: Bench, task: int, error: SiteFailed, *, again: bool = False) -> SpecRun:
    """A workspace that does not build or serve: one failed check, whose words are the feedback."""
    seen = cut(shortened(plain(error.said), bench.roots).strip())
    check = CheckOutcome(task=task, title=BUILT, seconds=0.0, failure="server", expected="it does", seen=seen)
    return SpecRun((check,), f"{error.what}\n{seen}", doubt=error.what if again else None)


def _brought_down(bench: Bench, task: int, fault: str) -> SpecRun:
    seen = cut(shortened(plain(fault), bench.roots))
    title = "The tests run to their end"
    check = CheckOutcome(task=task, title=title, seconds=0.0, failure="crash", expected="they do", seen=seen)
    return SpecRun((check,), f"The tests were brought down:\n{seen}")


def _skipped(project: BenchProject) -> str | None:
    """The pattern of the tests that are quarantined: file and title, as Playwright puts them together."""
    rows = [f"{row.spec.rpartition('/')[2]} {row.title.replace(' › ', ' ')}" for row in project.quarantine]
    return "|".join(SPECIAL.sub(r"\\\g<0>", row) + "(?= @|$)" for row in rows) or None


def _title(description: str) -> str:
    line = next((line.strip(" -*#") for line in description.splitlines() if line.strip(" -*#")), "")
    return line if len(line) <= TITLE else line[: TITLE - 1] + "…"


@contextmanager
def _turn() -> Iterator[None]:
    """Held while specs run, by one process for every two cores: their own time limits cannot be raised, and a crowded machine
    fails them (DESIGN.md, 4)."""
    turns = max(1, (os.cpu_count() or 1) // 2)
    lock = FileLock(Path(tempfile.gettempdir()) / f"skill-assay-specs-{os.getuid()}-{os.getpid() % turns}.lock")
    # Asked for often: whoever has just had its turn is back for the next in a moment, and must not always be the first.
    with lock.acquire(poll_interval=0.005):
        yield
