"""The report as one self-contained page: no network, readable on a phone, light and dark."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmark.model import CONDITIONS
from benchmark.store import Store
from reports import figures
from reports.delivery import IN_PROMPT, NOTE, named
from reports.live import amount, clock
from reports.metrics import Audit, Observation
from reports.terminal import LOCAL, SCRIPTED, any_at, bounds, counted, part, points, proven, share

TEMPLATES = Path(__file__).parent / "templates"
ENDINGS = 400
#: The conditions of every audit; the others come with slices.
MAIN = ("C0", "C1", "C2")
#: Reasons why trials were not measured that are shown one by one.
REASONS = 40


def page(results: Mapping[str, Any], audit: Audit, store: Store) -> str:
    """The page of an audit's results."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=select_autoescape(["html", "j2"]), undefined=StrictUndefined
    )
    environment.filters |= {"share": share, "points": points, "bounds": bounds, "any_at": any_at}
    environment.filters |= {"amount": _amount, "usd": _usd, "clock": _clock, "percent": _percent}
    environment.filters |= {"counted": counted, "part": part, "proven": proven}
    ended = [row for row in (_ending(item, store) for item in audit.observations.values()) if row]
    return environment.get_template("report.html.j2").render(
        r=results,
        scripted_notice=SCRIPTED,
        local_notice=LOCAL,
        in_prompt=IN_PROMPT,
        post_treatment=NOTE,
        said=lambda delivery: named(delivery, results["deliveries"]),
        sections=[_section(results, audit, *key) for key in _keys(results)],
        read_rates=_read_rates(results),
        tokens=list(_counts(results)),
        reasons=_reasons(audit)[:REASONS],
        more_reasons=max(0, len(_reasons(audit)) - REASONS),
        endings=ended[:ENDINGS],
        more_endings=max(0, len(ended) - ENDINGS),
    )


def _keys(results: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Skill, agent and delivery of every section: deliveries are never pooled."""
    return list(dict.fromkeys((line["skill"], line["agent"], line["delivery"]) for line in results["arms"]))


def _section(results: Mapping[str, Any], audit: Audit, skill: str, agent: str, delivery: str) -> dict[str, Any]:
    """What the page shows of one skill with one agent under one delivery."""

    def own(line: Mapping[str, Any]) -> bool:
        return (line["skill"], line["agent"], line["delivery"]) == (skill, agent, delivery)

    contrasts = [line for line in results["contrasts"] if own(line)]
    arms = {name: audit.arm(skill, agent, delivery, name) for name in CONDITIONS}
    main = {name: found for name, found in arms.items() if name in MAIN}
    sliced = {name: found for name, found in arms.items() if name not in MAIN}
    how = named(delivery, results["deliveries"])
    title = ", ".join(word for word in (skill, agent, how) if word)
    return {
        "skill": skill,
        "agent": agent,
        "delivery": how,
        "arms": [line for line in results["arms"] if own(line)],
        "contrasts": contrasts,
        "forest": figures.forest(contrasts, f"Contrasts of {title}") if contrasts else "",
        "reached": figures.reached(_curves(main), f"How far chains got, {title}"),
        "conditions": [name for name, observations in arms.items() if observations or name in MAIN],
        "sliced": figures.reached(_curves(sliced), f"Arms of slices, {title}") if any(sliced.values()) else "",
        "projects": _projects(arms),
    }


def _read_rates(results: Mapping[str, Any]) -> str:
    """The picture of read rates; nothing where all skills were in prompts or none could be seen."""
    rows = [line for line in results["delivery"] if line["read_rate"] is not None]
    return figures.read_rates(rows, "Read rate by delivery") if rows else ""


def _counts(results: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Tokens as both sides counted them; what arms of several skills share is shown once."""
    seen = set()
    for line in results["reported_tokens"]:
        key = (line["condition"], line["agent"], counted(line["gateway"]), counted(line["client"]))
        if line["condition"] != "C0" or key not in seen:
            seen.add(key)
            yield line


def _reasons(audit: Audit) -> list[dict[str, Any]]:
    """Why trials were not measured, the most frequent reason first."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for item in audit.observations.values():
        if item.status not in ("measured", "not_run"):
            groups[item.status, item.reason or "no reason was recorded"].append(item.id)
    rows = [{"status": status, "reason": reason, "trials": trials} for (status, reason), trials in groups.items()]
    return sorted(rows, key=lambda row: (-len(row["trials"]), row["status"], row["reason"]))


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
    if item.status in ("broken", "not_delivered", "contaminated"):
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
