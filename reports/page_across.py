"""What the page shows of all questions together: quality against cost, agents beside each other, delivery, routing advice."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from reports import figures
from reports.delivery import named
from reports.figures_strips import difference_words
from reports.metrics import Audit
from reports.page_cards import ACTIONS, Key, anchor, key_of, overhead
from reports.words import counted

#: Pictures of quality against cost, and rows of long tables, of a page.
PICTURES, ROWS = 6, 150
#: Differences from which a cell of the matrix has its full colour.
FULL = 0.4


def costs(results: Mapping[str, Any], order: Sequence[Key]) -> dict[str, Any]:
    """Quality against cost by skill and delivery, those first whose questions come first in `order`."""
    ranks = {(skill, delivery): at for at, (skill, _, delivery) in reversed(list(enumerate(order)))}
    lines = sorted(results["cost"], key=lambda line: ranks.get((line["skill"], line["delivery"]), len(ranks)))
    groups = [_cost(line, results, at < PICTURES) for at, line in enumerate(lines)]
    kept, rows = [], 0
    for group in groups:
        rows += len(group["arms"])
        if rows <= ROWS:
            kept.append(group)
    return {"groups": kept, "more": len(groups) - len(kept)}


def _cost(line: Mapping[str, Any], results: Mapping[str, Any], draw: bool) -> dict[str, Any]:
    title = ", ".join(word for word in (line["skill"], named(line["delivery"], results["deliveries"])) if word)
    placed = any(row["front"] is not None for row in line["arms"])
    picture = figures.cost(line["arms"], line["unit"], f"Quality against cost, {title}") if draw and placed else ""
    return {**line, "title": title, "picture": picture}


def matrices(results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The grid of every delivery, its cells with words and colour, and the correlations between agents in words."""
    return [
        {
            "how": named(table["delivery"], results["deliveries"]),
            "agents": table["agents"],
            "rows": [{"skill": row["skill"], "cells": [_cell(cell) for cell in row["cells"]]} for row in table["grid"][:ROWS]],
            "more": max(0, len(table["grid"]) - ROWS),
            "correlations": [_correlation(line) for line in table["correlations"]],
        }
        for table in results["matrix"]["tables"]
    ]


def _cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Deeper the larger the difference; open where the interval includes zero, so that colour alone claims nothing."""
    size = cell["estimate"]
    if size is None:
        return {"said": cell["reason"] or "not measured", "kind": "", "depth": 0}
    told = cell["low"] is not None and (cell["low"] > 0 or cell["high"] < 0)
    kind = f"{'gain' if size > 0 else 'loss' if size < 0 else ''}{'' if told else ' open'}"
    return {"said": difference_words(cell), "kind": kind, "depth": round(min(1.0, abs(size) / FULL) * (55 if told else 30))}


def _correlation(line: Mapping[str, Any]) -> dict[str, Any]:
    noise = line["noise"]
    return {
        **line,
        "said": _number(line["r"], line["reason"]),
        "noise_said": _number(noise["mean"], noise["reason"])
        + (f" ({_number(noise['low'])} to {_number(noise['high'])})" if noise["low"] is not None else ""),
        "halves": [_number(half["value"], half["reason"]) for half in line["reliability"]],
    }


def _number(value: float | None, reason: str | None = None) -> str:
    if value is None:
        return f"not measured{f': {reason}' if reason else ''}"
    return f"{value:+.2f}".replace("-", "−")


def funnels(audit: Audit, results: Mapping[str, Any]) -> dict[str, Any]:
    """Of every arm how many of its trials came how far: planned, ran, within reach, listed, opened, measured; `whole` are
    the arms that lost nothing."""
    found, seen = [], set()
    for line in results["arms"]:
        key = key_of(line)
        baseline = (*key[:2], line["measured"], line["planned"])
        # Deliveries share C0.
        if line["condition"] == "C0" and baseline in seen:
            continue
        seen |= {baseline} if line["condition"] == "C0" else set()
        reached = line["planned"] - sum(line[name] for name in ("not_run", "not_delivered", "broken"))
        steps = {"planned": line["planned"], "ran": line["planned"] - line["not_run"]}
        if line["condition"] != "C0":
            steps["within reach"] = reached
            # Under `prompt` the client lists nothing and nobody opens what stands in the prompt.
            if line["delivery"] != "prompt":
                measured = [item for item in audit.arm(*key, line["condition"]) if item.status == "measured"]
                steps |= {name: _trials(measured, name) for name in ("listed", "opened")}
        steps["measured"] = line["measured"]
        shares = [{"step": step, "count": count, "wide": 100 * count / (line["planned"] or 1)} for step, count in steps.items()]
        how = named(line["delivery"], results["deliveries"]) if line["condition"] != "C0" else ""
        found.append({"arm": line, "how": how, "steps": shares})
    whole = [one for one in found if one["arm"]["measured"] == one["arm"]["planned"]]
    lossy = [one for one in found if one["arm"]["measured"] < one["arm"]["planned"]][:ROWS]
    room = max(0, ROWS - len(lossy))
    return {"arms": lossy, "whole": whole[:room], "more": len(found) - len(lossy) - len(whole[:room])}


def _trials(items: Sequence[Any], what: str) -> int:
    """In how many trials an attempt's evidence has it."""
    return sum(any(one.evidence and getattr(one.evidence, what) is not None for one in item.attempts) for item in items)


def advice(results: Mapping[str, Any]) -> dict[str, Any]:
    """Routing advice by stack, what has a clear action first where not all have room. Its words are no verdicts of the page."""
    rows = [
        {
            **row,
            "did": ACTIONS[row["action"]].removesuffix(" it"),
            "gained": _gained(row["gain"]),
            "costs": overhead(row["overhead"]),
            "counts": counted(row["rests_on"]["families"], row["rests_on"]["replicates"]),
            "how": named(row["delivery"], results["deliveries"]),
            "anchor": anchor(key_of(row)),
        }
        for row in results["advice"]
    ]
    rows.sort(key=lambda row: row["action"] == "test more")
    kept = sorted(rows[:ROWS], key=lambda row: (key_of(row), row["stack"] or ""))
    groups = [list(found) for _, found in groupby(kept, key=key_of)]
    return {"groups": groups, "more": len(rows) - len(kept)}


def _gained(gain: Mapping[str, Any]) -> str:
    """What to expect in few words; why a number is missing is in advice.json."""
    if gain["estimate"] is None:
        return "not measured"
    told = difference_words({**gain, "reason": None}) + (", no interval" if gain["low"] is None else "")
    return told + (", one pair, shrunken" if gain["shrunk"] else "")
