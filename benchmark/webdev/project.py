"""A project of the suite as it lies in its folder: tasks, workspace states, solutions, mutants and checks.

project.toml     title, family, stack, how it is served, and the ordered tasks
start/           the workspace before task 1
reference/01/ …  the files that the reference adds or replaces at that task, laid over the state before
second/          a second solution of all tasks, laid over start/
mutants.toml     faults: one small edit of the reference's state at a task each
checks.py        the checks (see `checks`)
validated.json   the hashes under which `assay validate` last proved each task
"""

import tomllib
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, Field, ValidationError

from benchmark.core.files import Files, hash_json, read_tree, sha256, tree_hash
from benchmark.core.model import Data, Difficulty
from benchmark.webdev.checks import Check, load_checks
from fixtures.web.site import Serve

PROJECTS = Path(__file__).parent / "projects"

_Model = TypeVar("_Model", bound=BaseModel)


class Task(Data):
    title: str
    difficulty: Difficulty
    instruction: str
    changes_earlier: bool = False


class Edit(Data):
    """Replace the one place where `find` stands in `file` by `replace`."""

    file: str
    find: str
    replace: str


class Mutant(Data):
    """The reference's state at `task` with one `fault`, as a model might make it."""

    task: int = Field(ge=1)
    name: str
    fault: str
    edits: tuple[Edit, ...] = Field(min_length=1)


class Manifest(Data):
    title: str
    family: str
    stack: tuple[str, ...] = Field(min_length=1)
    serve: Serve = Serve()
    tasks: tuple[Task, ...] = Field(min_length=1)


class Project:
    """One project folder. Reading is lazy: planning needs the manifest only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.name

    @cached_property
    def manifest(self) -> Manifest:
        return _toml(self.folder / "project.toml", Manifest)

    @cached_property
    def start(self) -> Files:
        return read_tree(self.folder / "start")

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        return load_checks(self.folder / "checks.py")

    @cached_property
    def second(self) -> Files:
        return {**self.start, **read_tree(self.folder / "second")}

    @cached_property
    def mutants(self) -> tuple[Mutant, ...]:
        return _toml(self.folder / "mutants.toml", _Mutants).mutant

    def checks_of(self, task: int) -> tuple[Check, ...]:
        return tuple(item for item in self.checks if item.task == task)

    def reference(self, task: int) -> Files:
        """The reference's workspace after task number `task`; 0 is the untouched workspace."""
        files = dict(self.start)
        for number in range(1, task + 1):
            files.update(read_tree(self.folder / "reference" / f"{number:02d}"))
        return files

    def mutate(self, mutant: Mutant) -> Files:
        """The reference's workspace after the mutant's task with its fault in it. ValueError if an edit does not fit."""
        files = self.reference(mutant.task)
        for edit in mutant.edits:
            text = files[edit.file].decode() if edit.file in files else ""
            if text.count(edit.find) != 1:
                raise ValueError(
                    f"{self.name}, mutant {mutant.task:02d} {mutant.name!r}: the text to replace stands "
                    f"{text.count(edit.find)} times in {edit.file}, must be once: {edit.find[:80]!r}"
                )
            files[edit.file] = text.replace(edit.find, edit.replace).encode()
        return files

    def task_id(self, task: int) -> str:
        return f"{self.name}/{task:02d}"

    def inputs_hash(self) -> str:
        """What an agent may see of the project: start files, instructions, the way it is served."""
        return hash_json([tree_hash(self.start), self.manifest.model_dump(mode="json")])

    def validation_hash(self, task: int) -> str:
        """All that `assay validate` proves of a task. A change of any of it asks for a new proof."""
        mutants = [item.model_dump(mode="json") for item in self.mutants if item.task == task]
        trees = [self.start, self.reference(task - 1), self.reference(task), self.second]
        checks = sha256((self.folder / "checks.py").read_bytes())
        return hash_json([task, [tree_hash(tree) for tree in trees], mutants, checks, self.inputs_hash()])


class _Mutants(Data):
    mutant: tuple[Mutant, ...]


def _toml(path: Path, model: type[_Model]) -> _Model:
    try:
        return model.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"{path}: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{path}: {where}: {first['msg']} (got {first['input']!r:.80})") from error
