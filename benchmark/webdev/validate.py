"""Prove a project: solutions solve, what should not solve does not, every check can fail, repeats agree (DESIGN.md, 5)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from multiprocessing import get_context
from multiprocessing.util import Finalize
from pathlib import Path

from benchmark.errors import Fault
from benchmark.suites import Proof
from benchmark.webdev.checks import Check
from benchmark.webdev.grade import CheckResult, grade
from benchmark.webdev.project import PROJECTS, Project
from fixtures.packages import NoPackages, install
from fixtures.site import LocalPlace, Place

REPEATS = 3


class Validator:
    """Validates the tasks of one project in one place."""

    def __init__(self, project: Project, place: Place) -> None:
        self.project = project
        self._place = place
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
        upto = [item for item in self.project.checks if item.task <= task]
        before, state = self.project.reference(task - 1), self.project.reference(task)
        for repeat in range(REPEATS):
            failed = self._failed(state, upto)
            if failed:
                return f"the reference fails on repeat {repeat + 1}: {_words(failed)}"
        for repeat in range(REPEATS):
            failed = self._failed(self.project.second, checks)
            if failed:
                return f"the second solution fails on repeat {repeat + 1}: {_words(failed)}"
        if not self._failed(self.project.start, checks, enough=1):
            return "the untouched workspace passes all its checks"
        if task > 1 and not self._failed(before, checks, enough=1):
            return "the reference of the task before passes all its checks"
        return self._mutants(task, checks, upto)

    def _mutants(self, task: int, checks: Sequence[Check], upto: Sequence[Check]) -> str | None:
        mutants = [item for item in self.project.mutants if item.task == task]
        if len(mutants) < 2:
            return f"it has {len(mutants)} mutants, needs at least two"
        alive = {item.title for item in checks}
        for mutant in mutants:
            files = self.project.mutate(mutant)
            failed = self._failed(files, checks)
            if not failed and not self._failed(files, upto, enough=1):
                return f"mutant {mutant.name!r} passes every check"
            alive -= {item.title for item in failed}
        return f"no mutant fails the check {sorted(alive)[0]!r}" if alive else None

    def _failed(self, files: Mapping[str, bytes], checks: Sequence[Check], enough: int | None = None) -> list[CheckResult]:
        serve = self.project.manifest.serve
        results = grade(self._place, files, serve, self._packages, checks, screenshots=False, enough=enough)
        return [item for item in results if item.failure]


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


def prove(names: Sequence[str], *, changed: bool, write: bool, jobs: int) -> Iterator[Proof]:
    """Prove the tasks of the projects named, `jobs` at a time, in the order in which results come.

    With `changed`, a task whose committed hash still holds is valid without being run; with `write`, hashes are committed.
    """
    todo: list[tuple[str, int]] = []
    for name in names:
        project = _project(name)
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
    with ProcessPoolExecutor(max_workers=jobs, mp_context=get_context("spawn")) as pool:
        for done in as_completed([pool.submit(_prove_task, name, task) for name, task in todo]):
            proof = done.result()
            if write:
                commit(_project(proof.id.rpartition("/")[0]), [proof])
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


def _prove_task(name: str, task: int) -> Proof:
    project = _project(name)
    try:
        place = _surroundings()
        return next(Validator(project, place).tasks([task]))
    except (Fault, NoPackages) as error:
        return Proof(project.task_id(task), False, str(error))


@cache
def _surroundings() -> Place:
    """This process's place, taken down when the process ends."""
    place = LocalPlace()
    Finalize(None, place.close, exitpriority=2)
    return place
