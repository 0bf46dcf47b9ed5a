"""Makes verdicts as results.json has them, for what is made from results."""

from typing import Any

from reports.statistics import Interval
from reports.words import sentence

WORDS = ("NOT DELIVERED", "NO PRACTICAL EFFECT", "HELPS", "HURTS", "UNDECIDED")
SCOPES = ("ON PROJECTS LIKE THESE", "ON THESE PROJECTS ONLY")
PANEL = {"looks": 1, "margin_points": 5.0}


def verdict(**changes: Any) -> dict[str, Any]:
    """A verdict of eight families × 5 replicates that HELPS by 12 points, with its sentence."""
    line: dict[str, Any] = {
        "skill": "target",
        "agent": "noop",
        "model": "provider/model-1",
        "delivery": "prompt",
        "word": "HELPS",
        "scope": "ON PROJECTS LIKE THESE",
        "estimate": 0.12,
        "low": 0.031,
        "high": 0.209,
        "level": 0.95,
        "p": 0.01,
        "p_adjusted": 0.01,
        "narrow": {"low": 0.05, "high": 0.19},
        "prediction": None,
        "length": None,
        "content": None,
        "mechanisms": [],
        "reasons": ["the interval lies above zero"],
        "needed": None,
        "needed_words": "",
        "families": 8,
        "replicates": 5,
        "planned": 80,
        "measured": 76,
        "broken": 4,
        "not_delivered": 0,
        "limited": 2,
        "client_version": "2.1.3",
        "date": "2027-01-15",
        **changes,
    }
    return {**line, "sentence": line.get("sentence") or said(line)}


def said(line: dict[str, Any]) -> str:
    """The sentence of a verdict line."""
    names = (
        "skill",
        "agent",
        "model",
        "client_version",
        "delivery",
        "date",
        "families",
        "replicates",
        "reasons",
        "needed_words",
    )
    interval = Interval(line["estimate"], line["low"], line["high"], line["families"], line["level"])
    return sentence(line["word"], line["scope"], interval, metric="Pass@2", margin=0.05, **{name: line[name] for name in names})


def trial(at: int = 0, **changes: Any) -> dict[str, Any]:
    """A trial of results.json: C1 of `target` on alpha, measured in ten seconds."""
    line = {"project": "alpha", "condition": "C1", "delivery": "prompt", "agent": "noop", "skill": "target", "replicate": at}
    line |= {"status": "measured", "reason": None, "metrics": {"pass2": 0.5, "seconds": 10.0}, **changes}
    if line["condition"] == "C0":
        line |= {"skill": None, "delivery": None}
    return {"id": f"{line['project']}/{line['skill'] or 'no-skill'}/{line['condition']}/noop/r{line['replicate']}", **line}


def results(*verdicts: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The parts of results.json that gates, JUnit and summaries read."""
    key = {"skill": "target", "agent": "noop", "delivery": "prompt"}
    rho = {"estimate": 0.4, "low": 0.1, "high": 0.7, "level": 0.95, "reason": None}
    return {
        "panel_hash": "0123456789abcdef" * 4,
        "panel": PANEL,
        "suite": "webdev",
        "scripted": False,
        "local_models": [],
        "first_trial": "2027-01-15 08:00 UTC",
        "last_trial": "2027-01-15 09:30 UTC",
        "coverage": {"planned": 80, "measured": 76, "broken": 4, "historical": 0},
        "arms": [{**key, "condition": "C1", "metrics": {"tokens": 1500.0, "usd": None}}],
        "contrasts": [{**key, "name": "C2−C0", "rho": {**rho, "estimate": 9.0}}, {**key, "name": "C1−C0", "rho": rho}],
        "trials": [],
        "verdicts": list(verdicts),
        **changes,
    }
