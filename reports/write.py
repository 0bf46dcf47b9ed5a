"""Make everything that can be made from a plan and its records: results.json, the page, the Allure results."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

from benchmark.errors import StoreFailed, UsageError, unforeseen
from benchmark.files import write_whole
from benchmark.model import CONDITIONS
from benchmark.panel import Panel
from benchmark.store import Store
from reports.advice import advise
from reports.breakdown import breakdown
from reports.collector import uncollected
from reports.compare import matrix, quality_and_cost
from reports.contrasts import CONTRASTS, SLICE_CONTRASTS, STATUSES, arm, contrast
from reports.delivery import delivery_line, purity, token_line
from reports.divergence import PairEffect, divergence
from reports.gate import Gate, outcomes
from reports.junit import junit_xml
from reports.looks import note, unplanned
from reports.metrics import BAD_LINES, Audit, observe
from reports.outputs import Outputs, ReportFailed
from reports.shrink import Shrunk
from reports.spoken import shrunken, verdict_lines
from reports.step_summary import write_step_summary


def load_plan(store: Store, digest: str | None) -> dict[str, Any]:
    """The plan with that hash, or the store's last one. Raises UsageError where there is none."""
    paths = store.panels()
    chosen = [path for path in paths if path.stem.startswith(digest)] if digest else paths[-1:]
    if not chosen:
        which = f"with the hash {digest}" if digest else "at all"
        raise UsageError(f"no plan {which} in {store.root}; run pytest with --runs {store.root} first")
    try:
        return json.loads(chosen[-1].read_text(encoding="utf-8"))
    except ValueError as error:
        raise UsageError(f"{chosen[-1]} is no plan any more: {error}; run pytest again to plan anew") from error


def audit_of(store: Store, plan: Mapping[str, Any]) -> Audit:
    """What was observed of a plan."""
    return observe(store, plan, Panel.model_validate(plan["panel"]).window)


@uncollected()
def results(audit: Audit, store: Store | None = None, gates: Sequence[Gate] = ()) -> dict[str, Any]:
    """The audit's numbers as JSON. A number that was not measured is null.

    With its store also where chains diverged, and which questions were looked at before.
    """
    plan = audit.plan
    agents = list(dict.fromkeys(row["agent"] for row in plan["assignments"]))
    skills = list(dict.fromkeys(row["skill"] for row in plan["assignments"]))
    arms, contrasts, delivered, tokens = [], [], [], []
    for agent, skill, delivery in product(agents, skills, audit.deliveries):
        key = (skill, agent, delivery)
        arms += [arm(audit, *key, condition) for condition in CONDITIONS]
        contrasts += [contrast(audit, *key, *row) for row in (*CONTRASTS, *SLICE_CONTRASTS)]
        delivered += [delivery_line(audit, *key, condition) for condition in CONDITIONS if condition != "C0"]
        tokens += [token_line(audit, *key, condition) for condition in CONDITIONS]
    statuses = [item.status for item in audit.observations.values()]
    ran = [item for item in audit.observations.values() if item.record]
    started = [item.started for item in ran]
    contrasts = [line for line in contrasts if line]
    verdicts = verdict_lines(audit, unplanned(store, audit) if store else {})
    shrunk = shrunken(audit)
    effects = [PairEffect(item.key[0], item.key[1], item.key[2], item.project, item) for item in shrunk]
    found = {
        "panel_hash": plan["hash"],
        "panel": plan["panel"],
        "suite": audit.suite.name,
        "scripted": list(audit.facts.get("scripted", {})) == ["True"],
        "local_models": sorted({item.model for item in ran if item.model and item.model.startswith("local/")}),
        "deliveries": audit.deliveries,
        "facts": audit.facts,
        "first_trial": _day(min(started)) if started else None,
        "last_trial": _day(max(started)) if started else None,
        "coverage": {"planned": len(statuses), **{name: statuses.count(name) for name in STATUSES}},
        "purity": purity(audit),
        "absent": plan["absent"],
        # Plans that were made before there were such tests do not speak of them.
        "quarantined": plan.get("quarantined", {}),
        "skills": plan["skills"],
        "arms": [line for line in arms if line],
        "contrasts": contrasts,
        "verdicts": verdicts,
        "advice": advise(audit, verdicts, shrunk),
        "pairs": [_pair(item) for item in shrunk],
        "breakdown": breakdown(audit),
        "matrix": matrix(audit, contrasts, verdicts),
        "cost": quality_and_cost(audit, contrasts, verdicts),
        "divergence": divergence(audit, store, effects) if store else None,
        "delivery": [line for line in delivered if line],
        "reported_tokens": [line for line in tokens if line],
        "trials": [_trial(item) for item in audit.observations.values()],
    }
    return {**found, "gates": outcomes(gates, found)}


def _pair(item: Shrunk) -> dict[str, Any]:
    """A pair's shrunken effect; the raw one is in the breakdown, by name."""
    skill, agent, delivery = item.key
    row = {"skill": skill, "agent": agent, "delivery": delivery, "project": item.project}
    return {**row, "estimate": item.estimate, "sd": item.sd, "reason": item.reason}


def _trial(item: Any) -> dict[str, Any]:
    return {
        "id": item.id,
        "project": item.project,
        "family": item.family,
        "condition": item.condition,
        "delivery": item.delivery,
        "agent": item.agent,
        "skill": item.skill,
        "replicate": item.replicate,
        "status": item.status,
        "reason": item.reason,
        "proven_free": item.free,
        "unproven": item.unproven,
        "listed": sum(bool(one.evidence and one.evidence.listed) for one in item.attempts) if item.skill else None,
        "opened": sum(bool(one.evidence and one.evidence.opened) for one in item.attempts) if item.skill else None,
        "attempts": len(item.attempts),
        "limits": list(item.limits),
        "metrics": dict(item.values),
    }


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _json_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """An object as JSON with a line for each of its members, and for each item of those that are lists.

    A large audit's results take a fifth of the time and half the bytes of those with indentation, and never lie in memory as
    one text.
    """
    opened = "{"
    for name, value in found.items():
        yield f"{opened}\n{_compact(name)}: "
        opened = ","
        if isinstance(value, list) and value:
            yield from (f"{',' if at else '['}\n {_compact(row)}" for at, row in enumerate(value))
            yield "\n]"
        else:
            yield _compact(value)
    yield "\n}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_all(
    store: Store, digest: str | None, out: Path | None = None, gates: Sequence[Gate] = (), *, tables: bool = False
) -> dict[str, Any]:
    """Write the pages of a plan below `out` (default: `report/` in the store); the results, with the paths of what was written
    in `files`, and what was not in `failed`.

    With `tables` those of WebDev-Skills-Bench as well. That the verdicts of a finished plan were spoken is kept in the store:
    it is a look. Raises UsageError without a plan, ReportFailed without numbers.
    """
    plan = load_plan(store, digest)
    try:
        audit = audit_of(store, plan)
        found = results(audit, store, gates)
    except (StoreFailed, UsageError):
        raise
    except Exception as error:
        raise ReportFailed(f"there is no report, its numbers cannot be made: {unforeseen(error)}") from error
    outputs = Outputs(out or store.root / "report")
    files = _written(outputs, audit, store, found, tables=tables)
    done = {**found, "files": files, "failed": outputs.failed, "look": _look(store, audit)}
    outputs.make("step summary", lambda: write_step_summary(done, os.environ))
    return done


def _written(outputs: Outputs, audit: Audit, store: Store, found: dict[str, Any], *, tables: bool) -> dict[str, str]:
    """Write every output; the paths of those that could be."""
    from reports.allure import write_allure
    from reports.html import page
    from reports.tables import write_tables

    files: dict[str, str] = {}

    def make(name: str, file: str, write: Callable[[Path], object]) -> None:
        path = outputs.folder / file
        if outputs.make(name, lambda: (write(path), path)):
            files[name] = str(path)

    # It reads most of what trials left, so that what is lost of it is known to those that follow.
    make("allure", "allure-results", lambda path: write_allure(audit, store, path))
    found["facts"] = {**found["facts"], **_lost(store)}
    make("json", "results.json", lambda path: write_whole(path, map(str.encode, _json_lines(found))))
    make("advice", "advice.json", lambda path: write_whole(path, _indented(found["advice"])))
    make("junit", "junit.xml", lambda path: write_whole(path, junit_xml(found).encode()))
    make("page", "report.html", lambda path: write_whole(path, page(found, audit, store).encode()))
    if tables:
        make("tables", "tables/tables.html", lambda path: write_tables(audit, path.parent))
    return files


def _indented(rows: Any) -> bytes:
    return json.dumps(rows, indent=1, ensure_ascii=False, allow_nan=False).encode()


def _lost(store: Store) -> dict[str, dict[str, int]]:
    """What the report lacks of what trials left, as a fact."""
    told = list(store.lost.values())
    rows = dict.fromkeys(told[:BAD_LINES], 1)
    if more := len(told) - len(rows):
        rows[f"{more} more such blobs"] = more
    return {"lost": rows} if rows else {}


def _look(store: Store, audit: Audit) -> str | None:
    """Keep that the verdicts were spoken; why that could not be, where it could not: a report does not hang on it."""
    try:
        note(store, audit, datetime.now(UTC))
    except StoreFailed as failed:
        return f"that these verdicts were looked at could not be kept: {failed}"
    return None
