"""Makes records, plans and skills for tests: real model classes with short notations."""

import json
import lzma
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmark.core.errors import Fault
from benchmark.core.files import hash_json, sha256
from benchmark.core.model import (
    AgentSpec,
    Attempt,
    CheckOutcome,
    Delivery,
    Evidence,
    Limits,
    Record,
    Resolved,
    SkillRef,
    TaskResult,
    TrialSpec,
    Usage,
)
from benchmark.core.panel import Panel
from benchmark.core.score import solved as score_of
from benchmark.core.stored_plan import Assignment, PlannedSkill, PlannedTrial, StoredPlan
from benchmark.store.store import Store
from fixtures.sandbox.base import WorkspaceSpec
from reports.audit.metrics import Audit, observe
from skills.parsing.parse import Skill, as_skill

NOON = 1_800_000_000.0
HOUR = 3600.0
DAY = 24 * HOUR
VERSIONS = {"browser": "none 1", "playwright": "1"}
RESOLVED = Resolved(agent_version="1", sandbox="local", image="host", versions=VERSIONS)
PROMPT, TRAJECTORY, SHOT = b"Do the task.", b'{"steps": []}', b"\xff\xd8 a picture"
PAGE = {"index.html": b"<!doctype html>"}


def skill(skill_id: str = "target", size: int = 400, files: Mapping[str, bytes] | None = None, fill: str = "x") -> Skill:
    """A skill whose SKILL.md has exactly `size` bytes."""
    head = f"---\nname: {skill_id}\ndescription: About {skill_id}.\n---\n".encode()
    return as_skill(skill_id, {"SKILL.md": head + fill.encode() * (size - len(head)), **(files or {})})


def write_skill(folder: Path, made: Skill) -> Path:
    """The folder of a skill laid out below `folder`."""
    for name, data in {**made.files, "SKILL.md": made.data}.items():
        path = folder / made.id / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder / made.id


def kept(skill_id: str = "target", content: str = "", folder: str = "") -> Skill:
    """The skill that records of a trial name: a body whose lines tell where they come from."""
    rules = "".join(f"Rule {at} of {skill_id} is like no other rule that there is.\n" for at in range(5))
    text = f"---\nname: {folder or skill_id}\ndescription: What {folder or skill_id} is good for.\n---\n{rules}{content}"
    return as_skill(skill_id, {"SKILL.md": text.encode()}, folder)


def ref(skill_id: str = "target", content: str = "") -> SkillRef:
    return kept(skill_id, content).ref


def wire(*texts: str, **exchange: Any) -> bytes:
    """What a model was sent, as records keep it: one request a text."""
    rows = [
        {
            "number": at,
            "kind": "generate",
            "refused": None,
            "body": {"messages": [{"role": "user", "content": text}]},
            **exchange,
        }
        for at, text in enumerate(texts, start=1)
    ]
    return lzma.compress("".join(json.dumps(row) + "\n" for row in rows).encode())


def spec(
    project: str = "alpha",
    condition: str = "C0",
    replicate: int = 0,
    injected: str | None = None,
    limits: Limits | None = None,
    delivery: Delivery = "prompt",
    **agent: Any,
) -> TrialSpec:
    """A trial; C1 injects `target` and C2 `other` unless told otherwise. A control that is listed goes by `target`."""
    name = injected or {"C0": None, "C1": "target", "C2": "other"}[condition]
    folder = "target" if condition == "C2" and delivery != "prompt" else ""
    return TrialSpec.model_validate(
        {
            "suite": "webdev",
            "project": project,
            "condition": condition,
            "delivery": delivery if name else None,
            "agent": AgentSpec(**{"name": "noop", "limits": limits or Limits(), **agent}),
            "skill": kept(name, folder=folder).ref if name else None,
            "replicate": replicate,
            "inputs": sha256(project.encode()),
            "protocol": 1,
        }
    )


def usage(tokens: int | None) -> Usage:
    if tokens is None:
        return Usage(reason="the provider reported no usage")
    return Usage(prompt_tokens=tokens, cached_tokens=0, completion_tokens=0, usd=tokens / 1e6, source="provider")


def evidence(opened: int | None = 1, listed: int | None = 1, seen: float = 1.0, requests: int = 5) -> Evidence:
    """What was seen of a skill in an attempt; `seen` is the share of its bytes."""
    found = Evidence(requests=requests, carrying=0, listed=listed, body_lines=5, body_bytes=400)
    if opened is None:
        return found
    return found.model_copy(update={"opened": opened, "lines": 5, "bytes": round(400 * seen)})


def _attempt(number: int, solved: bool, seconds: float = 2.0, **more: Any) -> Attempt:
    checks = [CheckOutcome(task=1, title="The title is there.", seconds=0.5)]
    if not solved:
        checks.append(
            CheckOutcome(
                task=1,
                title="It adds up.",
                seconds=0.25,
                failure="assertion",
                expected="a sum of 4",
                seen="a sum of 5",
                screenshot=sha256(SHOT),
            )
        )
    return Attempt(
        number=number,
        score=score_of(solved),
        workspace=sha256(b"tree"),
        trajectory=sha256(TRAJECTORY),
        seconds=seconds,
        grading_seconds=1.0,
        feedback=None if solved else "The sum is wrong.",
        checks=tuple(checks),
        **{"usage": usage(100), "prompt": sha256(PROMPT), **more},
    )


def tasks(chain: str, **attempt: Any) -> tuple[TaskResult, ...]:
    """A chain in a letter a task: 1 and 2 solved at that attempt, x not solved in two, - not reached."""
    outcome: dict[str, Any] = {"1": "solved", "2": "solved", "x": "unsolved", "-": "not_reached"}
    tries = {"1": (True,), "2": (False, True), "x": (False, False), "-": ()}
    return tuple(
        TaskResult(
            task=at,
            title=f"Task number {at}",
            difficulty="easy",
            outcome=outcome[letter],
            attempts=tuple(_attempt(n, solved, **attempt) for n, solved in enumerate(tries[letter], start=1)),
        )
        for at, letter in enumerate(chain, start=1)
    )


def record(made: TrialSpec | None = None, chain: str = "12x-", tokens: int | None = 1000, **changes: Any) -> Record:
    """A record of a trial; `limit` names the limit that stopped its attempts, any field can be changed.

    `attempt` changes fields of every attempt.
    """
    made = made or spec()
    attempt = {"limit": changes.pop("limit", None), "seconds": changes.pop("attempt_seconds", 2.0)}
    attempt |= {"evidence": evidence() if made.skill else None, **changes.pop("attempt", {})}
    broken = changes.get("status") == "broken"
    fields: dict[str, Any] = {
        "spec": made,
        "work": made.work_key(RESOLVED),
        "grade": sha256(b"checks"),
        "status": "measured",
        "resolved": RESOLVED,
        "started": NOON,
        "seconds": 60.0,
        "scripted": True,
        "tasks": () if broken else tasks(chain, **attempt),
        "task_count": len(chain),
        "usage": Usage() if broken else usage(tokens),
        "package_version": "0.1.0",
    }
    return Record(**{**fields, **changes})


class Row(NamedTuple):
    """A planned trial, what it counts for, and its records."""

    spec: TrialSpec
    targets: tuple[str, ...]
    records: tuple[Record, ...]


def row(project: str, condition: str, *chains: str | None, targets: Sequence[str] = ("target",), **changes: Any) -> list[Row]:
    """Replicates of one arm on one project, a chain each; None for one that has not run."""
    first = changes.pop("first", 0)
    injected, delivery = changes.pop("injected", None), changes.pop("delivery", "prompt")
    agent = changes.pop("agent", {})
    rows = []
    for at, chain in enumerate(chains, start=first):
        made = spec(project, condition, at, injected, delivery=delivery, **agent)
        rows.append(Row(made, tuple(targets), (record(made, chain, **changes),) if chain else ()))
    return rows


def plan_of(rows: Sequence[Row], families: Mapping[str, str] | None = None, **panel: Any) -> StoredPlan:
    """The plan of rows as the store keeps it; a project that `families` does not name is a family of its own.

    C0 counts for every delivery that occurs.
    """
    projects = {item.spec.project for item in rows}
    deliveries: list[Delivery] = []
    for item in rows:
        if item.spec.delivery and item.spec.delivery not in deliveries:
            deliveries.append(item.spec.delivery)
    deliveries = deliveries or ["prompt"]
    targets = dict.fromkeys(target for item in rows for target in item.targets)
    return StoredPlan(
        hash=hash_json([item.spec.id for item in rows]),
        panel=Panel.model_validate({"suite": "webdev", "agents": [{"name": "noop"}], "skills": ["target"], **panel}),
        families={project: (families or {}).get(project, f"family of {project}") for project in projects},
        trials=tuple(
            PlannedTrial(
                id=item.spec.id,
                agent=item.spec.agent.label,
                spec=item.spec,
                work=item.spec.work_key(RESOLVED),
                grade=sha256(b"checks"),
            )
            for item in rows
        ),
        assignments=tuple(
            Assignment(
                skill=target,
                project=item.spec.project,
                condition=item.spec.condition,
                delivery=delivery,
                agent=item.spec.agent.label,
                replicate=item.spec.replicate,
                trial=item.spec.id,
                chosen_by="tiers",
            )
            for item in rows
            for target in item.targets
            for delivery in ((item.spec.delivery,) if item.spec.delivery else tuple(deliveries))
        ),
        absent=(),
        quarantined={},
        skills={
            target: PlannedSkill(bytes=kept(target).ref.size, sha256=kept(target).ref.sha256, notes=())
            for target in targets or ["target"]
        },
    )


def keep(store: Store, rows: Sequence[Row], families: Mapping[str, str] | None = None, **panel: Any) -> StoredPlan:
    """Put rows, their blobs and their plan into a store; the plan."""
    for blob in (PROMPT, TRAJECTORY, SHOT):
        store.put(blob)
    store.put_tree(PAGE)
    for item in rows:
        if item.spec.skill:
            made_skill = kept(item.spec.skill.id, folder=item.spec.skill.folder)
            store.put_tree({**made_skill.files, "SKILL.md": made_skill.data})
        for one in item.records:
            store.append(one)
    made = plan_of(rows, families, **panel)
    store.put_panel(made.hash, made.model_dump(mode="json"))
    return made


def audit(
    root: Path, rows: Sequence[Row], families: Mapping[str, str] | None = None, window: float = 2 * DAY, **panel: Any
) -> Audit:
    """What is observed of rows kept in a store at `root`."""
    store = Store(root)
    return observe(Store(root), keep(store, rows, families, **panel), window)


class Bare:
    """A sandbox of this machine that has no browser and whose workspaces cannot be had: enough to plan and to be broken."""

    kind = "local"

    def image(self, name: str | None = None) -> str:
        del name
        return "host"

    def browser_version(self) -> str:
        return "none 1"

    @contextmanager
    def workspace(self, spec: WorkspaceSpec) -> Iterator[Any]:
        raise Fault(f"no boxes here ({len(spec.skill)} files of a skill)")
        yield

    @contextmanager
    def grading_site(self, packages: Path | None) -> Iterator[Any]:
        raise Fault(f"no places here ({packages})")
        yield

    def close(self) -> None: ...
