"""From records to observations: what each planned trial of an audit came to, metric by metric."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from benchmark.core.model import Evidence, Record, Usage
from benchmark.core.stored_plan import Assignment, PlannedTrial, StoredPlan
from benchmark.store.store import BadRecord, JournalEntry, Store
from benchmark.suite.contract import Suite
from benchmark.suite.discovery import suite_in
from benchmark.suite.metric import ORIENTED
from reports.audit.purity import Inspector
from reports.collector import uncollected

#: Lines of the store that hold no record are told one by one up to so many.
BAD_LINES = 5


@dataclass(frozen=True, slots=True)
class AttemptFacts:
    """What reports need of an attempt beyond its outcome: the evidence of the injected skill, and who counted what."""

    evidence: Evidence | None
    usage: Usage
    reported: Usage | None


@dataclass(frozen=True)
class TrialObservation:
    """One trial of the plan. `status` is the record's, or `not_run`; of C0 also `historical` outside the window, and
    `contaminated` where a skill that it is compared with was in it.

    `delivery` is None for C0, which has none. `free` says whether a C0 trial is proven free of those skills, with the reason
    in `unproven` where it is not; None where there is nothing to prove.
    """

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
    delivery: str | None = None
    model: str | None = None
    version: str | None = None
    attempts: tuple[AttemptFacts, ...] = ()
    free: bool | None = None
    unproven: str | None = None
    record: JournalEntry | None = None
    judge_usd: float | None = None


@dataclass(frozen=True)
class Audit:
    """A plan with what was observed; `assignments` say which observation counts for which arm of which skill."""

    plan: StoredPlan
    suite: Suite
    store: Store
    observations: Mapping[str, TrialObservation]
    #: Facts that all records share or differ in (versions, models, whether agents were scripted), each counted; beside them in
    #: words what of the store is `not_used`, and why there are no `verdicts`.
    facts: Mapping[str, Any]
    #: Everything measured of each C0 trial, the newest first: a trial that was run again later has several records.
    baselines: Mapping[str, Sequence[TrialObservation]] = field(default_factory=dict)
    window: float = math.inf

    @cached_property
    def deliveries(self) -> list[str]:
        """The deliveries of the plan, in its order."""
        return list(dict.fromkeys(row.delivery for row in self.plan.assignments))

    @cached_property
    def _assigned(self) -> dict[tuple[str, str, str], list[Assignment]]:
        groups: dict[tuple[str, str, str], list[Assignment]] = {}
        for row in self.plan.assignments:
            groups.setdefault((row.skill, row.agent, row.delivery), []).append(row)
        return groups

    @cached_property
    def _arms(self) -> dict[tuple[str, str, str, str], list[TrialObservation]]:
        return {}

    def arm(self, skill: str, agent: str, delivery: str, condition: str) -> Sequence[TrialObservation]:
        """The observations of one arm of one skill's contrasts under one delivery, in the plan's order.

        C0 is taken from the time of this skill's own trials, wherever the trials of others lie; deliveries share it. Found
        once: every section of a report asks for the same arms.
        """
        key = (skill, agent, delivery, condition)
        if key not in self._arms:
            self._arms[key] = self._found(key[:3], condition)
        return self._arms[key]

    def _found(self, key: tuple[str, str, str], condition: str) -> list[TrialObservation]:
        rows = self._assigned.get(key, [])
        items = [self.observations[row.trial] for row in rows if row.condition == condition]
        if condition != "C0":
            return items
        starts = _starts(self.observations[row.trial] for row in rows)
        return [_contemporary(item, self.baselines, starts, self.window) for item in items]

    def lenders(self, skill: str, agent: str, delivery: str, condition: str) -> dict[str, str]:
        """Of an arm whose skill holds text of others: by trial, whose text it is."""
        rows = self._assigned.get((skill, agent, delivery), [])
        return {row.trial: row.partner for row in rows if row.condition == condition and row.partner}


@uncollected()
def observe(store: Store, plan: StoredPlan, window: float) -> Audit:
    """Look up every trial of a plan in the store, one record at a time, and see whether baselines are free of skills."""
    suite = suite_in(plan, store)
    inspector = Inspector(store, suite, plan)
    newest = {(entry.work, entry.grade): entry for entry in store.entries()}
    seen: dict[str, TrialObservation] = {}
    baselines: dict[str, list[TrialObservation]] = {}
    facts: dict[JournalEntry, dict[str, str]] = {}
    for row in plan.trials:
        base = _base(row, plan)
        found, fault = [], None
        for entry in _answering(store, row, newest.get((row.work, row.grade))):
            try:
                record = store.read(entry)
            except BadRecord as error:
                fault = fault or str(error)
                continue
            for digest in _blobs(record):
                store.look_for(digest)
            known = record.spec.project in suite.projects()
            facts[entry] = _facts(record, entry) | (dict(suite.origin(record.spec.project)) if known else {})
            made = TrialObservation(**base, **_seen(suite, record), record=entry)
            found.append(_inspected(made, record, inspector) if made.condition == "C0" else made)
        if row.spec.condition == "C0" and found:
            # What was found contaminated stands for a trial only where nothing else does.
            found.sort(key=lambda one: one.status == "contaminated")
            baselines[row.id] = found
        missing = TrialObservation(**base, status="broken" if fault else "not_run", reason=fault or "not run yet")
        seen[row.id] = found[0] if found else missing
    starts = _starts(seen.values())
    chosen = {name: _contemporary(item, baselines, starts, window) for name, item in seen.items()}
    return Audit(plan, suite, store, chosen, _counted(facts, chosen) | _said(store, plan, suite, chosen), baselines, window)


def _blobs(record: Record) -> Iterator[str]:
    """The hashes of what a record has in the store."""
    if record.delivered.wire:
        yield record.delivered.wire
    for attempt in (attempt for task in record.tasks for attempt in task.attempts):
        yield from (attempt.workspace, attempt.prompt, attempt.trajectory)
        yield from (check.screenshot for check in attempt.checks if check.screenshot)


def _inspected(item: TrialObservation, record: Record, inspector: Inspector) -> TrialObservation:
    """A C0 trial with what is known of its purity. One with any skill in it is no baseline for any."""
    purity = inspector.of(item.id, record) if item.status == "measured" else None
    if purity is None:
        return item
    if purity.found:
        return replace(item, status="contaminated", reason=purity.found, free=False)
    return replace(item, free=purity.unproven is None, unproven=purity.unproven)


def _base(row: PlannedTrial, plan: StoredPlan) -> dict[str, Any]:
    spec = row.spec
    return {
        "id": row.id,
        "project": spec.project,
        "family": plan.families[spec.project],
        "condition": spec.condition,
        "agent": row.agent,
        "replicate": spec.replicate,
        "skill": spec.skill.id if spec.skill else None,
        "delivery": spec.delivery,
        "model": spec.agent.model,
    }


def _answering(store: Store, row: PlannedTrial, newest: JournalEntry | None) -> list[JournalEntry]:
    """The records that answer a planned trial: of C0 all that were measured, of others the newest; or what went wrong."""
    entries = store.answering(row.work, row.grade, row.spec.agent.limits)
    found = list(entries) if row.spec.condition == "C0" else [entry for entry in [next(entries, None)] if entry]
    if not found and newest is not None and newest.status != "measured":
        return [newest]
    return found


def _seen(suite: Suite, record: Record) -> dict[str, Any]:
    attempts = [attempt for task in record.tasks for attempt in task.attempts]
    return {
        "status": record.status,
        "reason": record.reason,
        "values": _values(suite, record),
        "solved": tuple(task.outcome == "solved" for task in record.scored if task.outcome),
        "limits": tuple(attempt.limit for attempt in attempts if attempt.limit),
        "started": record.started,
        "version": record.resolved.agent_version,
        "judge_usd": record.judge_usage.usd if record.judge_usage else None,
        "attempts": tuple(AttemptFacts(attempt.evidence, attempt.usage, attempt.reported) for attempt in attempts),
    }


def _values(suite: Suite, record: Record) -> dict[str, float | None]:
    """Every metric by name, and the primary one as a share of its scale. What lies outside the scale was not measured."""
    values = {metric.name: _finite(metric.value(record)[0]) for metric in suite.all_metrics}
    main, scale = values[suite.primary.name], suite.primary.scale
    return {**values, ORIENTED: None if main is None or not scale.contains(main) else scale.oriented(main)}


def _finite(value: float | None) -> float | None:
    """What is no finite number is not measured: it would spoil every sum that it is in."""
    return value if value is not None and math.isfinite(value) else None


def _facts(record: Record, entry: JournalEntry) -> dict[str, str]:
    resolved = record.resolved
    return {
        **resolved.versions,
        "sandbox": resolved.sandbox,
        "image": resolved.image,
        "scripted": str(record.scripted),
        "package_version": record.package_version,
        "agent": f"{record.spec.agent.label} (agent version {resolved.agent_version})",
        "usage": record.usage.source,
        "usage_reason": record.usage.reason or _unpriced(record),
        "records": "with a checksum" if entry.sealed else "made before records had a checksum: an edit may go unnoticed",
    }


def _unpriced(record: Record) -> str:
    if record.status != "measured" or _finite(record.usage.usd) is not None:
        return ""
    return "cost not reported" if record.usage.usd is None else "cost is no finite number"


def _counted(
    facts: Mapping[JournalEntry, Mapping[str, str]], chosen: Mapping[str, TrialObservation]
) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for item in chosen.values():
        for name, value in facts[item.record].items() if item.record else ():
            counts.setdefault(name, Counter())[value] += 1
    return {name: dict(count) for name, count in counts.items()}


def _said(store: Store, plan: StoredPlan, suite: Suite, chosen: Mapping[str, TrialObservation]) -> dict[str, dict[str, int]]:
    """What a reader has to know of the store and the plan that no observation says."""
    said: dict[str, dict[str, int]] = {}
    planned = {row.spec.protocol for row in plan.trials}
    others = Counter(
        entry.protocol
        for entry in store.all_entries()
        if entry.suite == suite.name and entry.status == "measured" and entry.protocol not in planned
    )
    unused = {
        f"{count} record{'' if count == 1 else 's'} of protocol {protocol}, another procedure than this plan's": count
        for protocol, count in sorted(others.items())
    }
    bad = store.bad()
    unused |= dict.fromkeys(bad[:BAD_LINES], 1)
    if len(bad) > BAD_LINES:
        unused[f"{len(bad) - BAD_LINES} more such lines"] = len(bad) - BAD_LINES
    if unused:
        said["not_used"] = unused
    asked = {row.condition for row in plan.assignments}
    if lacking := [name for name in ("C1", "C0") if name not in asked]:
        said["verdicts"] = {f"none: the plan has no {' and no '.join(lacking)} trials, and a verdict compares C1 with C0": 1}
    return said


def _starts(items: Iterable[TrialObservation]) -> dict[tuple[str, str], list[float]]:
    """When the treated trials of each agent on each project started."""
    starts: dict[tuple[str, str], list[float]] = {}
    for item in items:
        if item.condition != "C0" and item.status == "measured":
            starts.setdefault((item.agent, item.project), []).append(item.started)
    return starts


def _contemporary(
    item: TrialObservation,
    baselines: Mapping[str, Sequence[TrialObservation]],
    starts: Mapping[tuple[str, str], Sequence[float]],
    window: float,
) -> TrialObservation:
    """Of a C0 trial what was measured nearest to treated trials; outside the window of all of them it is `historical`.

    METHOD.md, Design of an audit. What is not C0, was not measured, or has no treated trials yet stays as it is.
    """
    times = starts.get((item.agent, item.project), ())
    measured = [one for one in baselines.get(item.id, ()) if one.status == "measured"]
    if not times or not measured:
        return item
    nearest = min(measured, key=lambda one: min(abs(one.started - time) for time in times))
    if min(abs(nearest.started - time) for time in times) <= window:
        return nearest
    return replace(nearest, status="historical", reason="outside the panel's contemporary window")
