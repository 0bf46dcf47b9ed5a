"""From records to observations: what each planned trial of an audit came to, metric by metric."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from benchmark.model import Record
from benchmark.store import Entry, Store
from benchmark.suites import Suite, find_suite


@dataclass(frozen=True)
class Observation:
    """One trial of the plan. `status` is the record's, or `not_run`, or `historical` for C0 outside the window."""

    id: str
    project: str
    family: str
    condition: str
    agent: str
    replicate: int
    status: str
    reason: str | None = None
    values: Mapping[str, float | None] = field(default_factory=dict)
    solved: tuple[bool, ...] = ()
    limits: tuple[str, ...] = ()
    started: float = 0.0
    skill: str | None = None
    record: Entry | None = None


@dataclass(frozen=True)
class Audit:
    """A plan with what was observed; `assignments` say which observation counts for which arm of which skill."""

    plan: Mapping[str, Any]
    suite: Suite
    observations: Mapping[str, Observation]
    #: Facts that all records share or differ in: versions, models, whether agents were scripted.
    facts: Mapping[str, Any]

    def arm(self, skill: str, agent: str, condition: str) -> list[Observation]:
        """The observations of one arm of one skill's contrasts, in the plan's order."""
        rows = self.plan["assignments"]
        chosen = [r for r in rows if (r["skill"], r["agent"], r["condition"]) == (skill, agent, condition)]
        return [self.observations[row["trial"]] for row in chosen]


def observe(store: Store, plan: Mapping[str, Any], window: float) -> Audit:
    """Look up every trial of a plan in the store, one record at a time."""
    suite = find_suite(plan["panel"]["suite"])
    entries = {(entry.work, entry.grade): entry for entry in store.entries()}
    seen: dict[str, Observation] = {}
    facts: dict[str, Counter[str]] = {}
    for row in plan["trials"]:
        spec = row["spec"]
        base: dict[str, Any] = {
            "id": row["id"],
            "project": spec["project"],
            "family": plan["families"][spec["project"]],
            "condition": spec["condition"],
            "agent": row["id"].split("/")[3],
            "replicate": spec["replicate"],
            "skill": spec["skill"]["id"] if spec["skill"] else None,
        }
        entry = entries.get((row["work"], row["grade"]))
        if entry is None:
            seen[row["id"]] = Observation(**base, status="not_run", reason="not run yet")
            continue
        record = store.read(entry)
        _note(facts, record)
        seen[row["id"]] = Observation(**base, **_seen(suite, record), record=entry)
    return Audit(plan, suite, _mark_historical(seen, window), {name: dict(count) for name, count in facts.items()})


def _seen(suite: Suite, record: Record) -> dict[str, Any]:
    attempts = [attempt for task in record.tasks for attempt in task.attempts]
    return {
        "status": record.status,
        "reason": record.reason,
        "values": {metric.name: metric.value(record)[0] for metric in suite.metrics},
        "solved": tuple(task.outcome == "solved" for task in record.tasks),
        "limits": tuple(attempt.limit for attempt in attempts if attempt.limit),
        "started": record.started,
    }


def _note(facts: dict[str, Counter[str]], record: Record) -> None:
    resolved = record.resolved
    values = {
        "browser": resolved.browser,
        "playwright": resolved.playwright,
        "sandbox": resolved.sandbox,
        "image": resolved.image,
        "scripted": str(record.scripted),
        "package_version": record.package_version,
        "agent": f"{record.spec.agent.label} (agent version {resolved.agent_version})",
        "usage": record.usage.source,
        "usage_reason": record.usage.reason or "",
    }
    for name, value in values.items():
        facts.setdefault(name, Counter())[value] += 1


def _mark_historical(seen: Mapping[str, Observation], window: float) -> dict[str, Observation]:
    """C0 is shared only with trials that started within the window of it (METHOD.md, Design of an audit)."""
    treated: dict[tuple[str, str], list[float]] = {}
    for item in seen.values():
        if item.condition != "C0" and item.status == "measured":
            treated.setdefault((item.agent, item.project), []).append(item.started)
    result = {}
    for name, item in seen.items():
        times = treated.get((item.agent, item.project), [])
        apart = bool(times) and not min(times) - window <= item.started <= max(times) + window
        if item.condition == "C0" and item.status == "measured" and apart:
            result[name] = replace(item, status="historical", reason="outside the panel's contemporary window")
        else:
            result[name] = item
    return result
