"""Prove a project: solutions solve, what should not solve does not, every check can fail, repeats agree (DESIGN.md, 5)."""

import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmark.core.errors import Fault
from benchmark.core.processes import in_processes
from benchmark.suite.capabilities import Proof
from benchmark.webdev.checks import Check
from benchmark.webdev.grade import CheckResult, grade
from benchmark.webdev.project import PROJECTS, Project
from fixtures.packages.packages import NoPackages, install
from fixtures.web.site import GradingSite, LocalGradingSite

REPEATS = 3


class Validator:
    """Validates the tasks of one project in one place."""

    def __init__(self, project: Project, site: GradingSite) -> None:
        self.project = project
        self._place = site
        self._packages = install(project.start) if project.manifest.serve.packages else None

    def tasks(self, numbers: Sequence[int]) -> Iterator[Proof]:
        for number in numbers:
            try:
                reason = self._reason(number)
            except (ValueError, OSError) as error:
                reason = str(error)
            yield Proof(self.project.task_id(number), reason is None, reason)

    def _reason(self, task: int) -> str | None:
        checks = self.project.checks_of(task)
        if not checks:
            return "it has no checks"
        reason = self._solutions(task, checks)
        if reason:
            return reason
        if not self._failed(self.project.start, checks, enough=1):
            return "the untouched workspace passes all its checks"
        if task > 1 and not self._failed(self.project.reference(task - 1), checks, enough=1):
            return "the reference of the task before passes all its checks"
        return self._mutants(task, checks)

    def _solutions(self, task: int, checks: Sequence[Check]) -> str | None:
        """Both solutions solve, each time. A check is repeated where it is new, on the second solution and on the last task's
        reference; on the states in between, which are many, it is run once."""
        last = task == len(self.project.manifest.tasks)
        upto = [item for item in self.project.checks if item.task <= task]
        for repeat in range(REPEATS):
            failed = self._failed(self.project.reference(task), upto if last or repeat == 0 else checks)
            if failed:
                return f"the reference fails on repeat {repeat + 1}: {_words(failed)}"
        for repeat in range(REPEATS):
            failed = self._failed(self.project.second, checks)
            if failed:
                return f"the second solution fails on repeat {repeat + 1}: {_words(failed)}"
        return None

    def _mutants(self, task: int, checks: Sequence[Check]) -> str | None:
        """Every mutant is failed by a check, and every check fails a mutant; no more is run than shows both.

        A check that fails waits for what does not come, so that failures are what takes time: a mutant is first shown to the
        checks that have not failed any, up to its first failure, and what is left of them after that to the other mutants.
        """
        mutants = [item for item in self.project.mutants if item.task == task]
        if len(mutants) < 2:
            return f"it has {len(mutants)} mutants, needs at least two"
        earlier = [item for item in self.project.checks if item.task < task]
        idle = list(checks)
        unseen: dict[str, list[Mapping[str, bytes]]] = {item.title: [] for item in checks}
        for mutant in mutants:
            files = self.project.mutate(mutant)
            ordered = [*idle, *(item for item in checks if item not in idle)]
            results = self._grade(files, ordered, enough=1)
            if not any(item.failure for item in results) and not self._failed(files, earlier, enough=1):
                return f"mutant {mutant.name!r} passes every check"
            for item in ordered[len(results) :]:
                unseen[item.title].append(files)
            idle = [item for item in idle if item.title not in {result.title for result in results if result.failure}]
        for item in idle:
            if not any(self._failed(files, [item]) for files in unseen[item.title]):
                return f"no mutant fails the check {item.title!r}"
        return None

    def _failed(self, files: Mapping[str, bytes], checks: Sequence[Check], enough: int | None = None) -> list[CheckResult]:
        return [item for item in self._grade(files, checks, enough) if item.failure]

    def _grade(self, files: Mapping[str, bytes], checks: Sequence[Check], enough: int | None) -> list[CheckResult]:
        serve = self.project.manifest.serve
        return grade(self._place, files, serve, self._packages, checks, screenshots=False, enough=enough)


def _words(failed: Sequence[CheckResult]) -> str:
    return "; ".join(f"{item.title!r} ({item.failure}): {item.expected} | {item.seen[:400]}" for item in failed[:3])


def committed(project: Project) -> dict[str, str]:
    """The hashes under which each task was last proved, by task id; empty where there is no such file."""
    path = project.folder / "validated.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def commit(project: Project, proofs: Sequence[Proof]) -> None:
    """Write the hashes of what was proved just now beside the project; what failed loses its hash."""
    known = committed(project)
    for proof in proofs:
        known.pop(proof.id, None)
        if proof.valid:
            known[proof.id] = project.validation_hash(int(proof.id.rpartition("/")[2]))
    text = json.dumps(dict(sorted(known.items())), indent=1) + "\n"
    Path(project.folder / "validated.json").write_text(text, encoding="utf-8")


def prove(names: Sequence[str], *, changed: bool, write: bool, jobs: int) -> Generator[Proof, None, None]:
    """Prove the tasks of the projects named, `jobs` at a time, in the order in which results come.

    With `changed`, a task whose committed hash still holds is valid without being run; with `write`, hashes are committed.
    """
    todo: list[tuple[str, int]] = []
    for name in names:
        project = _project(name)
        problem = None
        try:
            problem = _shape(project)
            known = committed(project) if changed else {}
            for task in range(1, len(project.manifest.tasks) + 1):
                if project.task_id(task) in known and known[project.task_id(task)] == project.validation_hash(task):
                    yield Proof(project.task_id(task), True)
                else:
                    todo.append((name, task))
        except (ValueError, OSError, SyntaxError) as error:
            problem = str(error)
        if problem:
            yield Proof(name, False, problem)
    # The later a task, the longer it takes, with the checks of all before it: so the last to end is a short one.
    todo.sort(key=lambda item: -item[1])
    for (name, task), proof in in_processes(_prove_task, _surroundings, todo, jobs):
        proof = proof or Proof(_project(name).task_id(task), False, "the process that proved it came to an end")
        if write:
            commit(_project(name), [proof])
        yield proof


def _project(name: str) -> Project:
    return Project(PROJECTS / name)


def _shape(project: Project) -> str | None:
    """What a project as a whole must have (AUTHORING.md): challenging tasks, and one that changes earlier behaviour.

    Raises ValueError, OSError or SyntaxError where its files cannot be read.
    """
    tasks = project.manifest.tasks
    if sum(task.difficulty == "challenging" for task in tasks) < 3:
        return "it has fewer than three challenging tasks"
    if not any(task.changes_earlier for task in tasks):
        return "no task changes earlier behaviour (changes_earlier = true)"
    stray = sorted({item.task for item in (*project.checks, *project.mutants)} - set(range(1, len(tasks) + 1)))
    if stray:
        return f"it has checks or mutants for task {stray[0]}, which does not exist"
    return None if project.reference(len(tasks)) and project.second else "its solutions have no files"


@contextmanager
def _surroundings() -> Iterator[GradingSite]:
    """Where one process proves its tasks."""
    place = LocalGradingSite()
    try:
        yield place
    finally:
        place.close()


def _prove_task(site: GradingSite, item: tuple[str, int]) -> Proof:
    name, task = item
    project = _project(name)
    try:
        return next(Validator(project, site).tasks([task]))
    except (Fault, NoPackages) as error:
        return Proof(project.task_id(task), False, str(error))
