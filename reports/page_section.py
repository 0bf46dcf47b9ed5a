"""The details of one question (skill, agent, delivery): its pictures and tables as data for the template."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from benchmark.model import CONDITIONS
from benchmark.suite.metric import Metric
from reports import figures
from reports.delivery import named
from reports.figures_strips import SHARES, Row, difference_words, interval_row, strips
from reports.metrics import Audit, Observation
from reports.page_cards import Key, anchor, key_of
from reports.words import signed

#: The conditions of every audit; the others come with slices.
MAIN = ("C0", "C1", "C2")
#: The contrast of each name has the colour of its treated arm, that of content one of its own.
KINDS = {"C1−C0": "C1", "C2−C0": "C2", "C1−C2": "content"}
#: Rows of a picture or table by project or family.
ROWS = 60
SHRUNKEN = (
    "Shrunken: each project's own difference drawn towards the mean of all, as far as luck may have made it; ± one standard "
    "deviation."
)


def section(results: Mapping[str, Any], audit: Audit, card: Mapping[str, Any] | None, key: Key, draw: bool) -> dict[str, Any]:
    """What the page shows of one question; `card` is that of its verdict, None where C1 is not planned.

    With `draw` it has pictures of how far chains got, which are large.
    """
    own = {
        name: [line for line in results[name] if key_of(line) == key] for name in ("arms", "contrasts", "breakdown", "pairs")
    }
    arms = {name: audit.arm(*key, name) for name in CONDITIONS}
    skill, agent, delivery = key
    how = named(delivery, results["deliveries"])
    title = ", ".join(word for word in (skill, agent, how) if word)
    parts = next((line for line in own["breakdown"] if line["name"] == "C1−C0"), None)
    projects = _projects(arms, audit.suite.primary.name)
    return {
        "title": f"{skill} with {agent}{f', {how}' if how else ''}",
        "anchor": anchor(key),
        "card": card,
        "metric": audit.suite.primary.title,
        "arms": own["arms"],
        "contrasts": [_contrast(line, card, own["breakdown"]) for line in own["contrasts"]],
        "forest": _forest(own["contrasts"], card),
        "pairs": _pairs(own["pairs"]),
        "arm_strips": _arm_strips(own["arms"]),
        "parts": _decomposition(card),
        "slices": _slices(own["contrasts"]),
        "buckets": [_buckets(cut, parts[name]) for name, cut in CUTS.items()] if parts else [],
        "metrics": _metrics(parts, audit.suite.all_metrics) if parts else [],
        "reached": figures.reached(_curves(arms, MAIN), f"How far chains got, {title}") if draw else "",
        "sliced": _sliced(arms, title) if draw else "",
        "conditions": [name for name, observations in arms.items() if observations or name in MAIN],
        "projects": projects[:ROWS],
        "more_projects": max(0, len(projects) - ROWS),
    }


CUTS = {"difficulty": "By difficulty", "position": "By place in the chain"}


def _contrast(line: Mapping[str, Any], card: Mapping[str, Any] | None, parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A contrast for the table: that of the verdict has the verdict's interval, at the level of the page's questions."""
    if line["name"] == "C1−C0" and card is not None:
        bounds = {name: card[name] for name in ("estimate", "low", "high", "level", "reason", "p_signflip")}
        return {**line, "shown": bounds, "p_adjusted": card["p_adjusted"], "explored": False}
    part = next((part for part in parts if part["name"] == line["name"]), None)
    found = part["overall"][part["metric"]]["difference"]["p_adjusted"] if part else None
    return {**line, "shown": line["difference"], "p_adjusted": found, "explored": True}


def _forest(contrasts: Sequence[Mapping[str, Any]], card: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The families' differences and what they come to: the verdict's interval, and the prediction for a new family."""
    line = next((line for line in contrasts if line["name"] == "C1−C0"), None)
    if line is None or card is None:
        return None
    families = list(line["families"].items())
    rows = [Row(name, value, said=signed(value), mark="square", kind="C0") for name, value in families[:ROWS]]
    bounds = {name: card[name] for name in ("estimate", "low", "high", "reason")}
    rows.append(interval_row("all families", bounds, kind=card["kind"], note=f"{100 * card['level']:.4g} % interval"))
    if card["prediction"]:
        low, high = card["prediction"]
        said = f"{signed(low)} to {signed(high)}"
        rows.append(Row("a new family", None, low, high, said, "80 % prediction", card["kind"]))
    return {**strips(rows), "more": max(0, len(families) - ROWS)}


def _pairs(pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Shrunken differences by project, with one standard deviation to either side; or the reason why there are none."""
    known = [pair for pair in pairs if pair["estimate"] is not None]
    reason = next((pair["reason"] for pair in pairs if pair["reason"]), "no project has both arms measured")
    rows = [
        Row(
            pair["project"],
            pair["estimate"],
            pair["estimate"] - pair["sd"],
            pair["estimate"] + pair["sd"],
            f"{signed(pair['estimate'])} ± {100 * pair['sd']:.1f}",
            mark="dot",
        )
        for pair in known[:ROWS]
    ]
    return {**strips(rows), "more": max(0, len(known) - ROWS), "reason": None if known else reason, "note": SHRUNKEN}


def _arm_strips(arms: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    rows = []
    for line in arms:
        found, name = line["interval"], line["condition"]
        if found["estimate"] is None:
            said = "not measured"
        else:
            # Of a share what lies below none and above all is no part of its interval.
            low, high = (None if found[end] is None else 100 * min(1.0, max(0.0, found[end])) for end in ("low", "high"))
            said = f"{100 * found['estimate']:.1f} %" + ("" if low is None else f" ({low:.1f} to {high:.1f})")
        note = f"{line['measured']} of {line['planned']} trials"
        rows.append(Row(name, found["estimate"], found["low"], found["high"], said, note, name[:2], _mark(name)))
    return strips(rows, within=SHARES)


def _mark(condition: str) -> Any:
    """Arms differ in shape as well as in colour."""
    return {"C0": "square", "C1": "diamond"}.get(condition[:2], "dot")


def _decomposition(card: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """ΔTotal and its parts, ΔLength and ΔContent; None without C2. `sums` says whether the parts make up the total."""
    if card is None or card["length"] is None or card["content"] is None:
        return None
    lines = {
        "ΔTotal": (card, "C1 − C0: what the skill does in all", "C1"),
        "ΔLength": (card["length"], "C2 − C0: what as much irrelevant text does", "C2"),
        "ΔContent": (card["content"], "C1 − C2: what its content does", "content"),
    }
    rows = [
        interval_row(name, line, note=f"{note}; {100 * line['level']:.4g} % interval", kind=kind, mark="diamond")
        for name, (line, note, kind) in lines.items()
    ]
    total, length, content = (line["estimate"] for line, _, _ in lines.values())
    known = None not in (total, length, content)
    return {**strips(rows), "sums": known and abs(total - length - content) < 1e-9, "known": known}


def _slices(contrasts: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    rows = [
        interval_row(
            line["name"],
            line["difference"],
            note=line["meaning"],
            kind=line["name"].split("−")[1][:2],
            dots=tuple(line["families"].values()),
        )
        for line in contrasts
        if line["name"] not in KINDS
    ]
    return strips(rows) if rows else None


def _buckets(title: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """What each bucket of tasks contributes to the difference, as bars that sum to the whole."""
    rows = []
    for line in found["rows"]:
        come = [f"{arm} {_given(line['given_reached'][side])}" for arm, side in (("C0", "base"), ("C1", "treated"))]
        note = (
            f"{difference_words(line['difference'])} on {100 * line['share']:.0f} % of the tasks; "
            f"solved of those reached: {', '.join(come)}"
        )
        rows.append(
            Row(line["bucket"], line["contribution"], said=signed(line["contribution"]), note=note, kind="C1", mark="bar")
        )
    if rows:
        rows.append(Row("sum", found["sum"], said=signed(found["sum"]), note="the whole difference, C1 − C0", mark="bar"))
    return {**strips(rows), "title": title, "reason": found["reason"], "note": found["note"]}


def _given(line: Mapping[str, Any]) -> str:
    return "none reached" if line["solved"] is None else f"{100 * line['solved']:.0f} %"


def _metrics(parts: Mapping[str, Any], metrics: Sequence[Metric]) -> list[dict[str, Any]]:
    """Both arms and their difference on every metric but the primary."""
    return [
        {"metric": metric, **parts["overall"][metric.name]}
        for metric in metrics
        if not metric.primary and metric.name in parts["overall"]
    ]


def _sliced(arms: Mapping[str, Sequence[Observation]], title: str) -> str:
    names = [name for name, found in arms.items() if found and name not in MAIN]
    return figures.reached(_curves(arms, names), f"Arms of slices, {title}") if names else ""


def _curves(arms: Mapping[str, Sequence[Observation]], names: Sequence[str]) -> dict[str, list[float]]:
    """By arm the share of its measured chains that solved task 1, 2, … n."""
    curves = {}
    for name in names:
        chains = [item.solved for item in arms[name] if item.status == "measured"]
        if chains:
            longest = max(map(len, chains))
            curves[name] = [sum(len(c) > task and c[task] for c in chains) / len(chains) for task in range(longest)]
    return curves


def _projects(arms: Mapping[str, Sequence[Observation]], metric: str) -> list[dict[str, Any]]:
    """By project the primary metric of every chain, so that a reader sees what the means are made of."""
    rows: dict[str, dict[str, Any]] = {}
    for name, observations in arms.items():
        for item in observations:
            row = rows.setdefault(item.project, {"project": item.project, "family": item.family, "arms": defaultdict(list)})
            row["arms"][name].append(item.values.get(metric) if item.status == "measured" else None)
    for row in rows.values():
        known = {name: [value for value in values if value is not None] for name, values in row["arms"].items()}
        row["means"] = {name: sum(values) / len(values) if values else None for name, values in known.items()}
    return [rows[name] for name in sorted(rows)]
