"""Audits of chains in a line an arm: real observations and assignments without records, for tests of estimators."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmark.core.model import Difficulty
from benchmark.core.panel import Panel
from benchmark.core.stored_plan import Assignment, StoredPlan
from benchmark.store.store import Store
from benchmark.suite.metric import ORIENTED
from benchmark.webdev.suite import SUITE, WebdevSuite
from reports.audit.metrics import Audit, TrialObservation


class Planned(NamedTuple):
    """A trial and the skills that it counts for."""

    item: TrialObservation
    targets: tuple[str, ...]


class Graded(WebdevSuite):
    """The suite with projects of a test, by the difficulty of their tasks."""

    def __init__(self, levels: Mapping[str, Sequence[Difficulty]]) -> None:
        self.levels = levels

    def projects(self) -> Any:
        return self.levels

    def difficulties(self, project: str) -> tuple[Difficulty, ...]:
        return tuple(self.levels[project])


def chain(depth: int, tasks: int = 10) -> tuple[bool, ...]:
    return tuple(at < depth for at in range(tasks))


def arm(
    project: str,
    condition: str,
    *depths: int,
    tasks: int = 10,
    agent: str = "m",
    targets: Sequence[str] = ("s",),
    tokens: float | None = 1000,
    partner: str = "other",
    delivery: str = "prompt",
    status: str = "measured",
    first: int = 0,
    **values: float | None,
) -> list[Planned]:
    """Replicates of an arm on a project, by the number of tasks each solved; pass1 is a task less."""
    skill = None if condition == "C0" else partner if condition == "C2" else targets[0]
    rows = []
    for at, depth in enumerate(depths, start=first):
        found = {"pass2": depth / tasks, ORIENTED: depth / tasks, "pass1": max(0, depth - 1) / tasks, "tcd": float(depth)}
        found |= {"tokens": tokens, "prompt_tokens": tokens}
        item = TrialObservation(
            f"webdev/{project}/{skill}/{condition}-{delivery}/{agent}/r{at}",
            project,
            f"family of {project}",
            condition,
            agent,
            at,
            status,
            values={**found, **values} if status == "measured" else {},
            solved=chain(depth, tasks) if status == "measured" else (),
            skill=skill,
            delivery=delivery if skill else None,
        )
        rows.append(Planned(item, tuple(targets)))
    return rows


def panel(*arms: Sequence[Planned], suite: WebdevSuite = SUITE, scripted: bool = False, seed: int = 0) -> Audit:
    """The audit of these arms; C0 counts for every delivery that occurs."""
    rows = [row for items in arms for row in items]
    deliveries = list(dict.fromkeys(row.item.delivery for row in rows if row.item.delivery)) or ["prompt"]
    assignments = [
        Assignment.model_construct(
            skill=target,
            project=row.item.project,
            condition=row.item.condition,
            delivery=delivery,
            agent=row.item.agent,
            replicate=row.item.replicate,
            trial=row.item.id,
            partner=None,
        )
        for row in rows
        for target in row.targets
        for delivery in ([row.item.delivery] if row.item.delivery else deliveries)
    ]
    panel = Panel.model_construct(seed=seed, looks=1)
    plan = StoredPlan.model_construct(assignments=tuple(assignments), trials=(), hash="c0ffee" * 10, panel=panel)
    facts = {"scripted": {str(scripted): len(rows)}}
    return Audit(plan, suite, Store(Path("no-store")), {row.item.id: row.item for row in rows}, facts)
