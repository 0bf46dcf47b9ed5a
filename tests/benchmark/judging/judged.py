"""A store with a skill, its workflow and trials to judge, for tests."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agents.trajectory.atif import Trajectory, write
from benchmark.core.model import Attempt, Evidence
from benchmark.judging.adherence.report import judge_all
from benchmark.store.store import Store
from skills.parsing.parse import Skill
from skills.profile import workflow
from skills.profile.workflow import WorkflowStep
from tests.benchmark.judging.adherence.test_judgement import LABEL, LINT, READ, STEPS, target, trajectory
from tests.factory import Row, keep, record, spec, tasks
from tests.model_server import ModelServer

GOOD = [READ, LINT, LABEL]


def marks(*rows: Mapping[str, Any]) -> str:
    return "Here you are:\n```json\n" + json.dumps({"marks": list(rows or GOOD)}) + "\n```"


def treated(store: Store, made: Skill, condition: str = "C1", **changes: Any) -> Row:
    """A measured trial of one task and one attempt, in which the skill was opened unless told otherwise."""
    delivery, opened = changes.pop("delivery", "prompt"), changes.pop("opened", 1)
    done: Trajectory | bytes = changes.pop("done", trajectory())
    trial = spec("alpha", condition, changes.pop("replicate", 0), made.id).model_copy(
        update={"skill": made.ref, "delivery": delivery}
    )
    store.put_tree({**made.files, "SKILL.md": made.data})
    kept = store.put(done if isinstance(done, bytes) else write(done))
    (task,) = tasks("1")
    attempts: tuple[Attempt, ...] = tuple(
        one.model_copy(update={"trajectory": kept, "evidence": Evidence(requests=2, opened=opened)}) for one in task.attempts
    )
    made_tasks = (task.model_copy(update={"attempts": attempts}),)
    return Row(trial, ("tidy",), (record(trial, "1", tasks=made_tasks, **changes),))


def stored(root: Path, *more: Mapping[str, Any], steps: Sequence[WorkflowStep] = STEPS) -> Store:
    """A store with a trial for each mapping of changes (one without any), and the skill's workflow."""
    store = Store(root)
    rows = [treated(store, target(), replicate=at, **changes) for at, changes in enumerate(more or ({},))]
    keep(store, rows)
    written(store, target(), steps)
    return store


def written(store: Store, made: Skill, steps: Sequence[WorkflowStep] = STEPS) -> workflow.Kept:
    flow = workflow.made(made, "m", "2026-01-02", tuple(steps))
    return workflow.save(workflow.path_in(store.root, made), flow)


def judged(store: Store, server: ModelServer, budget: float | None = None, **more: Any) -> Any:
    told = more.get("tell", [].append)
    return judge_all(Store(store.root), None, more.get("model", "judge-1"), server.url, budget, told)


def marked(result: Mapping[str, Any], at: int = 0) -> dict[str, Any]:
    return {row["step"]: row for row in result["attempts"][at]["marks"]}
