"""The tasks of a Web-Bench project, from its tasks.yml or tasks.jsonl."""

import json
from typing import Any

import yaml
from pydantic import BaseModel, Field, ValidationError, field_validator

from benchmark.core.model import Data, Difficulty

#: Where both are there, Web-Bench reads the first.
TASKS = ("tasks.yml", "tasks.jsonl")
#: As a few of Web-Bench's projects write it.
MISSPELT = {"chanllenging": "challenging"}
INIT = "init"


class BenchTask(Data):
    """One task: `init` with number 0, or `task-N` with number N."""

    id: str
    number: int
    level: Difficulty
    date: str
    description: str


class _TaskRow(BaseModel):
    """A task as it is written; what else stands there is nothing that we read."""

    id: str
    level: Difficulty
    date: str = ""
    description: str = Field(min_length=1)

    @field_validator("level", mode="before")
    @classmethod
    def _level(cls, value: object) -> object:
        word = value.strip().lower() if isinstance(value, str) else value
        return MISSPELT.get(word, word) if isinstance(word, str) else word

    @field_validator("date", mode="before")
    @classmethod
    def _date(cls, value: object) -> str:
        return "" if value is None else str(value)  # YAML reads a date as one


def parse_tasks(name: str, data: bytes) -> tuple[BenchTask, ...]:
    """The tasks of the file `name`, init first where there is one. Raises ValueError with the file and the line or entry."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is not UTF-8: {error}") from error
    rows = _yaml_rows(name, text) if name.endswith(".yml") else _json_rows(name, text)
    tasks: list[BenchTask] = []
    for where, row in rows:
        task = _task(f"{name}, {where}", row)
        # Web-Bench counts by position and grades by the number in the name: both must say the same.
        number = 0 if task.id == INIT else 1 + sum(one.id != INIT for one in tasks)
        if any(one.id == task.id for one in tasks) or task.id not in (INIT, f"task-{number}"):
            raise ValueError(f"{name}, {where}: the id is {task.id!r}, where task-{number} follows")
        tasks.append(BenchTask(number=number, **task.model_dump()))
    if not any(task.number for task in tasks):
        raise ValueError(f"{name} holds no task")
    return tuple(sorted(tasks, key=lambda task: task.number))


def _task(where: str, row: Any) -> _TaskRow:
    try:
        return _TaskRow.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{where}: {field + ': ' if field else ''}{first['msg']} (got {first['input']!r:.80})") from error


def _json_rows(name: str, text: str) -> list[tuple[str, Any]]:
    """One object a line; blank lines are none."""
    rows = []
    # Not splitlines(): a description may hold characters that it takes for the end of a line.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                rows.append((f"line {number}", json.loads(line)))
            except ValueError as error:
                raise ValueError(f"{name}, line {number}: {error}") from error
    return rows


def _yaml_rows(name: str, text: str) -> list[tuple[str, Any]]:
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"{name}: {' '.join(str(error).split())}") from error
    if not isinstance(found, list):
        raise ValueError(f"{name} holds no list of tasks")
    return [(f"entry {number}", row) for number, row in enumerate(found, start=1)]
