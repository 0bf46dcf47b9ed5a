"""A store as large as WebDev-Skills-Bench's panel, and what is measured on it: reading it with pandas, and reporting it.

117 pairs of 31 skills and 50 projects × 4 conditions × 4 models × 3 replicates are 5,616 chains of 20 tasks, 112,320 task
records (§3). C0 is shared by the skills of a project, so a project has three of its C0 trials for each of them. Projects and
skills are made up, records are real ones in every field: checks, feedback, usage, evidence, what C0 was sent. Attempts at one
task share their blobs, of which there would be 150,000 otherwise.

Run as `python -m perf.paper_panel write|pandas|report|tables FOLDER`.
"""

import json
import random
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from benchmark.core.model import Attempt, CheckOutcome, Delivered, Record, TaskResult, Usage
from benchmark.core.score import solved as score_of
from benchmark.store.store import Store
from tests.factory import NOON, PAGE, SHOT, Row, evidence, kept, plan_of, record, spec, wire

PAIRS, SKILLS, PROJECTS, TASKS, REPLICATES = 117, 31, 50, 20, 3
MODELS = ("anthropic/claude-sonnet-4-5", "openai/gpt-5.1", "deepseek/deepseek-v3.1", "qwen/qwen3-coder")
LEVELS = ("easy", "moderate", "challenging")
#: Chances that a task is solved at the first attempt, at the second, and not at all.
CHANCES = {"1": 0.8, "2": 0.12, "x": 0.08}
#: Sets of blobs and feedback that attempts at one task draw from.
VARIANTS = 3
#: Processes that wrote the records.
WORKERS = 48
LINE = "The list shows {n} entries in the order in which they were added, each with its price and a link to its page.\n"


def pairs() -> list[tuple[int, int]]:
    """(skill, project), so that every project has two or three skills and every skill about four projects."""
    return [(at * 7 % SKILLS, at % PROJECTS) for at in range(PAIRS)]


def skill_name(at: int) -> str:
    return f"skill-{at:02d}"


def project_name(at: int) -> str:
    return f"project-{at:02d}"


def write_projects(folder: Path) -> None:
    """The projects' manifests and first files: all that reports read of them."""
    for at in range(PROJECTS):
        tasks = "".join(
            f'[[tasks]]\ntitle = "Task {task}"\ndifficulty = "{LEVELS[task % 3]}"\ninstruction = "Do it."\n'
            for task in range(TASKS)
        )
        stack = ["html", ("css", "react", "vue")[at % 3]]
        place = folder / project_name(at)
        (place / "start").mkdir(parents=True)
        head = f'title = "Project {at}"\nfamily = "family-{at // 2:02d}"\nstack = {json.dumps(stack)}\n'
        (place / "project.toml").write_text(head + tasks, encoding="utf-8")
        (place / "start" / "index.html").write_bytes(PAGE["index.html"])


class Writer:
    """Makes the records of trials, with their blobs in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._draw = random.Random(0)
        self._shots = [store.put(SHOT + bytes(60_000) + bytes([at])) for at in range(20)]
        self._task = cache(self._made)
        self._wire = cache(self._sent)

    def record(self, row: Row, project: int, at: int) -> Record:
        """A record of a planned trial; `at` places it in time."""
        letters = self._chain()
        treated = row.spec.skill is not None
        tasks = tuple(
            self._task(project, task, letter, self._draw.randrange(VARIANTS), treated) for task, letter in enumerate(letters)
        )
        count = 4_000 * sum(len(task.attempts) for task in tasks) + self._draw.randrange(9_000) + 3_000 * treated
        return record(
            row.spec,
            tasks=tasks,
            task_count=TASKS,
            started=NOON + 20 * at,
            scripted=False,
            seconds=30.0 + count / 500,
            usage=Usage(prompt_tokens=count, cached_tokens=0, completion_tokens=count // 4, usd=count / 4e5, source="provider"),
            delivered=Delivered() if treated else Delivered(wire=self._wire(project, at % VARIANTS)),
        )

    def _chain(self) -> str:
        """A letter a task, as tests.factory writes chains."""
        drawn = "".join(self._draw.choices(list(CHANCES), list(CHANCES.values()), k=TASKS))
        solved, end, _ = drawn.partition("x")
        return (solved + end).ljust(TASKS, "-")

    def _made(self, project: int, task: int, letter: str, variant: int, treated: bool) -> TaskResult:
        tries = {"1": (True,), "2": (False, True), "x": (False, False), "-": ()}[letter]
        outcome: Any = {"1": "solved", "2": "solved", "x": "unsolved", "-": "not_reached"}[letter]
        attempts = tuple(self._attempt(project, task, at, solved, variant, treated) for at, solved in enumerate(tries, start=1))
        level: Any = LEVELS[task % 3]
        return TaskResult(task=task + 1, title=f"Task {task + 1}", difficulty=level, outcome=outcome, attempts=attempts)

    def _attempt(self, project: int, task: int, number: int, solved: bool, variant: int, treated: bool) -> Attempt:
        # Two checks of each task, and those of up to five tasks before it: they must hold still.
        checks = [
            CheckOutcome(task=at + 1, title=f"What task {at + 1} asks for can be seen, part {part}", seconds=0.375)
            for at in range(task, max(-1, task - 6), -1)
            for part in (1, 2)
        ]
        if not solved:
            told = {"failure": "assertion", "expected": 12 * LINE.format(n=task), "seen": 8 * LINE.format(n=variant)}
            checks[0] = checks[0].model_copy(update={**told, "screenshot": self._shots[(task + variant) % len(self._shots)]})
        tokens = Usage(prompt_tokens=3000, cached_tokens=0, completion_tokens=1000, usd=0.0125, source="provider")
        name = f"{project}/{task}/{number}"
        return Attempt(
            number=number,
            score=score_of(solved),
            workspace=self._store.put_tree(PAGE | {"app.js": f"// {project}/{task}\n".encode()}),
            prompt=self._store.put(f"Do task {name}.\n{30 * LINE}".encode()),
            trajectory=self._store.put(json.dumps({"steps": [f"{name}/{variant}", 60 * LINE]}).encode()),
            usage=tokens,
            reported=tokens,
            evidence=evidence() if treated else None,
            seconds=41.5,
            grading_seconds=4.25,
            feedback=None if solved else f"- expected: {12 * LINE.format(n=task)}\n  seen: {8 * LINE.format(n=variant)}",
            checks=tuple(checks),
        )

    def _sent(self, project: int, variant: int) -> str:
        """What a C0 trial was sent: a request an attempt."""
        return self._store.put(wire(*(f"Project {project}, request {at}.\n{40 * LINE.format(n=variant)}" for at in range(12))))


def planned() -> Iterator[tuple[int, Row]]:
    """The project and the plan of every trial."""
    for project in range(PROJECTS):
        own = [skill for skill, place in pairs() if place == project]
        names = tuple(map(skill_name, own))
        for model in MODELS:
            agent: dict[str, Any] = {"name": "claude-code", "model": model}
            for replicate in range(REPLICATES * len(own)):
                yield project, Row(spec(project_name(project), "C0", replicate, **agent), names, ())
            for skill, replicate in ((skill, replicate) for skill in own for replicate in range(REPLICATES)):
                for condition, at in (("C1", skill), ("C2", (skill + 11) % SKILLS), ("C3:-rules", skill)):
                    made = spec(project_name(project), condition, replicate, skill_name(at), **agent)
                    yield project, Row(made, (skill_name(skill),), ())


def write(folder: Path) -> None:
    """The projects, the plan, the records and their blobs below `folder`."""
    write_projects(folder / "projects")
    root = folder / "runs"
    store = Store(root)
    for at in range(SKILLS):
        made = kept(skill_name(at))
        store.put_tree({**made.files, "SKILL.md": made.data})
    writer = Writer(store)
    workers = [Store(root) for _ in range(WORKERS)]
    rows: list[Row] = []
    for at, (project, row) in enumerate(planned()):
        workers[at % WORKERS].append(writer.record(row, project, at))
        rows.append(row)
    families = {project_name(at): f"family-{at // 2:02d}" for at in range(PROJECTS)}
    design: dict[str, Any] = {
        "agents": [{"name": "claude-code", "model": model} for model in MODELS],
        "skills": [skill_name(at) for at in range(SKILLS)],
        "conditions": ["C0", "C1", "C2", "C3:-rules"],
    }
    plan = plan_of(rows, families, **design)
    store.put_panel(plan.hash, plan.model_dump(mode="json"))


def read_with_pandas(folder: Path) -> int:
    """The records in one frame; their number."""
    import pandas as pd

    files = sorted((folder / "runs" / "records").glob("*.jsonl"))
    return len(pd.concat([pd.read_json(path, lines=True) for path in files]))


def report(folder: Path, tables: bool = False) -> None:
    """What `assay report` writes of the store, with the paper's tables on request."""
    from benchmark.webdev import suite
    from reports.output.write import write_all

    suite.PROJECTS = folder / "projects"
    write_all(Store(folder / "runs"), None, folder / "report", tables=tables)


def main(what: str, folder: Path) -> None:
    {
        "write": lambda: write(folder),
        "pandas": lambda: read_with_pandas(folder),
        "report": lambda: report(folder),
        "tables": lambda: report(folder, tables=True),
    }[what]()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
