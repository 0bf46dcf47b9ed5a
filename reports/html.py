"""The report as one self-contained page: no network, readable on a phone, light and dark."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmark.store import Store
from reports import figures
from reports.live import amount, clock
from reports.metrics import Audit, Observation
from reports.terminal import SCRIPTED, any_at, bounds, points, share

TEMPLATES = Path(__file__).parent / "templates"
ENDINGS = 400


def page(results: Mapping[str, Any], audit: Audit, store: Store) -> str:
    """The page of an audit's results."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=select_autoescape(["html", "j2"]), undefined=StrictUndefined
    )
    environment.filters |= {"share": share, "points": points, "bounds": bounds, "any_at": any_at}
    environment.filters |= {"amount": _amount, "usd": _usd, "clock": _clock, "percent": _percent}
    ended = [row for row in (_ending(item, store) for item in audit.observations.values()) if row]
    return environment.get_template("report.html.j2").render(
        r=results,
        scripted_notice=SCRIPTED,
        sections=[_section(results, audit, skill, agent) for agent in _agents(results) for skill in _skills(results, agent)],
        endings=ended[:ENDINGS],
        more_endings=max(0, len(ended) - ENDINGS),
    )


def _agents(results: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(line["agent"] for line in results["arms"]))


def _skills(results: Mapping[str, Any], agent: str) -> list[str]:
    return list(dict.fromkeys(line["skill"] for line in results["arms"] if line["agent"] == agent))


def _section(results: Mapping[str, Any], audit: Audit, skill: str, agent: str) -> dict[str, Any]:
    """What the page shows of one skill with one agent."""
    contrasts = [line for line in results["contrasts"] if (line["skill"], line["agent"]) == (skill, agent)]
    arms = {name: audit.arm(skill, agent, name) for name in ("C0", "C1", "C2")}
    title = f"{skill}, {agent}"
    return {
        "skill": skill,
        "agent": agent,
        "arms": [line for line in results["arms"] if (line["skill"], line["agent"]) == (skill, agent)],
        "contrasts": contrasts,
        "forest": figures.forest(contrasts, f"Contrasts of {title}") if contrasts else "",
        "reached": figures.reached(_curves(arms), f"How far chains got, {title}"),
        "projects": _projects(arms),
    }


def _curves(arms: Mapping[str, Sequence[Observation]]) -> dict[str, list[float]]:
    curves = {}
    for name, observations in arms.items():
        chains = [item.solved for item in observations if item.status == "measured"]
        if chains:
            longest = max(map(len, chains))
            curves[name] = [sum(len(c) > task and c[task] for c in chains) / len(chains) for task in range(longest)]
    return curves


def _projects(arms: Mapping[str, Sequence[Observation]]) -> list[dict[str, Any]]:
    """By project the Pass@2 of every chain, so that a reader sees what the means are made of."""
    rows: dict[str, dict[str, Any]] = {}
    for name, observations in arms.items():
        for item in observations:
            row = rows.setdefault(item.project, {"project": item.project, "family": item.family, "arms": defaultdict(list)})
            value = item.values.get("pass2") if item.status == "measured" else None
            row["arms"][name].append(value)
    for row in rows.values():
        known = {name: [value for value in values if value is not None] for name, values in row["arms"].items()}
        row["means"] = {name: sum(values) / len(values) if values else None for name, values in known.items()}
    return [rows[name] for name in sorted(rows)]


def _ending(item: Observation, store: Store) -> dict[str, Any] | None:
    """Where a chain ended and what its last attempt was told; None for a chain that reached its end or never ran."""
    if item.record is None:
        return None
    if item.status in ("broken", "not_delivered"):
        return {"item": item, "task": None, "told": item.reason or "", "checks": []}
    record = store.read(item.record)
    last = next((task for task in record.tasks if task.outcome == "unsolved"), None)
    if last is None:
        return None
    attempt = last.attempts[-1]
    return {
        "item": item,
        "task": last,
        "limit": attempt.limit,
        "checks": [check for check in attempt.checks if check.failure],
    }


def _amount(value: float | None) -> str:
    return "not measured" if value is None else amount(value)


def _usd(value: float | None) -> str:
    return "not measured" if value is None else f"${value:,.2f}"


def _clock(value: float | None) -> str:
    return "not measured" if value is None else (f"{value:.1f} s" if value < 10 else clock(value))


def _percent(value: float | None) -> str:
    return "—" if value is None else f"{100 * value:+.0f} %"
