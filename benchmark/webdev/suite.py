"""The `webdev` suite as the rest of Skill Assay sees it (the suite contract)."""

from collections.abc import Generator, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmark.core.files import Files
from benchmark.core.model import Difficulty, Record, TaskResult
from benchmark.suite.capabilities import Chained, NeedsBrowser, ProjectSource, Proof, Validates
from benchmark.suite.contract import Forecast, Grading, TrialContext
from benchmark.webdev.chain import regrade, walk
from benchmark.webdev.chain_project import ChainProject, NativeProject
from benchmark.webdev.metrics import METRICS
from benchmark.webdev.options import Settings
from benchmark.webdev.project import PROJECTS, Project
from benchmark.webdev.validate import prove
from benchmark.webdev.webbench.source import projects_of, stored_projects
from skills.diagnosis.leaks import Passage

if TYPE_CHECKING:
    from benchmark.core.panel import Panel
    from benchmark.suite.section import Section
    from reports.audit.metrics import Audit
    from reports.results import Results


class WebdevSuite(Chained, NeedsBrowser, Validates, ProjectSource):
    """Ordered chains of web tasks, checked in a real browser."""

    name = "webdev"
    title = "Web development"
    #: Raised by hand when the procedure changes: prompts' order, attempts, feedback, the stop rule.
    protocol = 1
    metrics = METRICS
    settings = Settings

    def __init__(self, projects: Mapping[str, ChainProject] | None = None) -> None:
        """The suite over its own projects, or over those given."""
        self._given = projects

    @cached_property
    def _projects(self) -> Mapping[str, ChainProject]:
        if self._given is not None:
            return self._given
        folders = sorted(path.parent for path in PROJECTS.glob("*/project.toml"))
        return {folder.name: NativeProject(Project(folder)) for folder in folders}

    def for_panel(self, panel: "Panel") -> "WebdevSuite":
        chosen = projects_of(Settings.model_validate(panel.suite_settings), panel.projects)
        return WebdevSuite(chosen) if chosen else self

    def from_stored_projects(self, sources: Mapping[str, Files]) -> "WebdevSuite":
        return WebdevSuite(stored_projects(sources))

    @property
    def only_in_docker(self) -> str | None:
        return "Web-Bench's specs and servers run only in Docker" if self._given is not None else None

    def project_snapshot(self, project: str) -> Files | None:
        return self._projects[project].snapshot

    def usual_panel(self, settings: Mapping[str, object]) -> str | None:
        return "webbench.toml" if settings.get("webbench") else None

    def projects(self) -> Mapping[str, ChainProject]:
        return self._projects

    def family(self, project: str) -> str:
        return self._projects[project].family

    def stack(self, project: str) -> tuple[str, ...]:
        return self._projects[project].stack

    def _scored(self, project: str) -> list[Any]:
        return [task for task in self._projects[project].tasks if task.scored]

    def task_count(self, project: str) -> int:
        return len(self._scored(project))

    def difficulties(self, project: str) -> tuple[Difficulty, ...]:
        return tuple(task.difficulty for task in self._scored(project))

    def inputs(self, project: str) -> str:
        return self._projects[project].inputs()

    def start(self, project: str) -> Files:
        return self._projects[project].start

    def passages(self, project: str) -> Iterator[Passage]:
        return self._projects[project].passages()

    def origin(self, project: str) -> Mapping[str, str]:
        return self._projects[project].origin

    def quarantined(self, project: str) -> tuple[str, ...]:
        return self._projects[project].quarantined

    def weight(self, project: str) -> float:
        return self.task_count(project) * (2.0 if self._projects[project].served_by_program else 1.0)

    def forecast(self, project: str, skill_bytes: int) -> Forecast:
        return self._projects[project].forecast(skill_bytes, self.attempts)

    def prepare(self, projects: Iterable[str]) -> None:
        for name in projects:
            self._projects[name].prepare()

    def grade_key(self, project: str) -> str:
        return self._projects[project].grade_key()

    def run(self, context: TrialContext) -> list[TaskResult]:
        return walk(self._projects[context.spec.project], context)

    def regrade(self, record: Record, grading: Grading) -> tuple[TaskResult, ...] | None:
        return regrade(self._projects[record.spec.project], record, grading)

    def validate(self, projects: Iterable[str], *, changed: bool, write: bool, jobs: int) -> Generator[Proof, None, None]:
        return prove(list(projects), changed=changed, write=write, jobs=jobs)

    def sections(self, audit: "Audit", results: "Results") -> "Iterable[Section]":
        # late: costs 0.05 s (tables and pictures), and collecting makes no report
        from reports.chains.sections import sections

        return sections(audit, results)

    def write_tables(self, audit: "Audit", folder: Path) -> Path:
        # late: costs 0.04 s (tables and pictures), and collecting makes no report
        from reports.paper_tables.tables import write_tables

        return write_tables(audit, folder)[0]


SUITE = WebdevSuite()
