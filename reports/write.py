"""Make everything that can be made from a plan and its records: results.json, the page, the Allure results."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

from benchmark.errors import UsageError
from benchmark.model import CONDITIONS
from benchmark.panel import Panel
from benchmark.store import Store
from reports.contrasts import CONTRASTS, SLICE_CONTRASTS, STATUSES, arm, contrast
from reports.delivery import delivery_line, purity, token_line
from reports.metrics import Audit, observe


def load_plan(store: Store, digest: str | None) -> dict[str, Any]:
    """The plan with that hash, or the store's last one. Raises UsageError where there is none."""
    paths = store.panels()
    chosen = [path for path in paths if path.stem.startswith(digest)] if digest else paths[-1:]
    if not chosen:
        which = f"with the hash {digest}" if digest else "at all"
        raise UsageError(f"no plan {which} in {store.root}; run pytest with --runs {store.root} first")
    return json.loads(chosen[-1].read_text(encoding="utf-8"))


def audit_of(store: Store, plan: Mapping[str, Any]) -> Audit:
    """What was observed of a plan."""
    return observe(store, plan, Panel.model_validate(plan["panel"]).window)


def results(audit: Audit) -> dict[str, Any]:
    """The audit's numbers as JSON. A number that was not measured is null."""
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
    return {
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
        "skills": plan["skills"],
        "arms": [line for line in arms if line],
        "contrasts": [line for line in contrasts if line],
        "delivery": [line for line in delivered if line],
        "reported_tokens": [line for line in tokens if line],
        "trials": [_trial(item) for item in audit.observations.values()],
    }


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


def write_all(store: Store, digest: str | None, out: Path | None = None) -> dict[str, Any]:
    """Write the pages of a plan below `out` (default: `report/` in the store); the results, with the paths in `files`."""
    from reports.allure import write_allure
    from reports.html import page

    audit = audit_of(store, load_plan(store, digest))
    found = results(audit)
    folder = out or store.root / "report"
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "page": folder / "report.html",
        "json": folder / "results.json",
        "allure": folder / "allure-results",
    }
    files["json"].write_text(json.dumps(found, indent=1, ensure_ascii=False), encoding="utf-8")
    files["page"].write_text(page(found, audit, store), encoding="utf-8")
    write_allure(audit, store, files["allure"])
    return {**found, "files": {name: str(path) for name, path in files.items()}}
