"""Looks: when an audit's verdicts were read from which trials (METHOD.md, Design of an audit).

Whoever adds replicates until a verdict comes finds one where there is nothing. So the store keeps, for every finished plan
whose verdicts were spoken, which trials they rested on:

    looks/<plan hash>.json

A later plan that asks the same of treated trials among them looks once more; more looks than were planned are exploratory.

* The same is asked where skill, agent, delivery and scope are the same, on these projects only also the projects: a plan for
  one project, as matrix jobs run, says nothing yet of projects like these.
* A look that had too little for a verdict in either scope spends nothing of α: whatever was seen, no verdict could be spoken.
* The number of looks is fixed before the first trial. A later plan cannot raise it: each look planned at least as many as there
  are, so each was at α / that number or less, and together they stay within α.
* Stopping and resuming a plan is not a look, nor is reporting it again: its verdicts stay what they were when first spoken,
  whatever other plans looked at later.

The folder can be deleted, and so can a store: this keeps honest people from misleading themselves, it stops nobody. The hash of
the plan stays in every report, and with it that another plan came before.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from benchmark.store.store import Store
from benchmark.suite.metric import ORIENTED
from reports.audit.cells import cells
from reports.audit.effects import ONLY_THESE, reach, strata
from reports.audit.metrics import Audit

Key = tuple[str, str, str]


def finished(audit: Audit) -> bool:
    """Whether every trial of the plan ran, whatever came of it."""
    return all(item.status != "not_run" for item in audit.observations.values())


def unplanned(store: Store, audit: Audit) -> dict[Key, str]:
    """The questions (skill, agent, delivery) that were looked at more often than was planned, with the reason in words."""
    digest, planned = audit.plan["hash"], audit.plan["panel"]["looks"]
    looks = store.looks()
    own = _read(looks.get(digest))
    spoken = own["time"] if own else None
    found: dict[Key, str] = {}
    for question in _questions(audit):
        before, unread = [], []
        for name, kept in looks.items():
            look = _read(kept)
            if name == digest:
                continue
            if look is None:
                unread.append(f"looks/{name}.json")
            elif (spoken is None or look["time"] < spoken) and any(_again(question, other) for other in look["questions"]):
                before.append((look["time"], name, look["looks"]))
        allowed = min([planned, *(count for *_, count in before)])
        if unread:
            found[_key(question)] = f"{unread[0]} cannot be read, so it is not known what was looked at before"
        elif len(before) + 1 > allowed:
            found[_key(question)] = _words(sorted(before), allowed)
    return found


def note(store: Store, audit: Audit, moment: datetime) -> None:
    """Keep that the verdicts of a finished plan were spoken; the first time counts, and only what had enough for a verdict."""
    digest, looks = audit.plan["hash"], audit.plan["panel"]["looks"]
    if not finished(audit) or _read(store.looks().get(digest)):
        return
    questions = list(_questions(audit))
    if questions:
        time = moment.astimezone(UTC).isoformat(timespec="microseconds")
        store.put_look(digest, {"hash": digest, "time": time, "looks": looks, "questions": questions})


def _read(look: Any) -> dict[str, Any] | None:
    """A look as `note` keeps it, None of anything else."""
    try:
        rows = [{"projects": [*row["projects"]], "trials": [*row["trials"]], **_named(row)} for row in look["questions"]]
        return {"time": str(look["time"]), "looks": int(look["looks"]), "questions": rows}
    except (TypeError, KeyError, ValueError):
        return None


def _named(row: Mapping[str, Any]) -> dict[str, str]:
    return {name: row[name] for name in ("skill", "agent", "delivery", "scope")}


def _key(question: Mapping[str, Any]) -> Key:
    return question["skill"], question["agent"], question["delivery"]


def _questions(audit: Audit) -> Iterator[dict[str, Any]]:
    """What an audit asks and has enough for: whose, in which scope, on which projects, and the work keys of its C1 trials."""
    works: dict[str, str] = {row["id"]: row["work"] for row in audit.plan["trials"]}
    treated: dict[Key, set[str]] = {}
    for row in audit.plan["assignments"]:
        if row["condition"] == "C1":
            treated.setdefault((row["skill"], row["agent"], row["delivery"]), set()).add(works[row["trial"]])
    for key, trials in treated.items():
        compared = strata([cells(audit.arm(*key, condition), ORIENTED) for condition in ("C1", "C0")])
        scope = reach(compared).scope
        if scope:
            who = dict(zip(("skill", "agent", "delivery"), key, strict=True))
            yield {**who, "scope": scope, "projects": [one.project for one in compared], "trials": sorted(trials)}


def _again(question: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether the same was asked before of some of the same trials."""
    same = _named(question) == _named(other) and bool(set(question["trials"]) & set(other["trials"]))
    return same and (question["scope"] != ONLY_THESE or question["projects"] == other["projects"])


def _words(before: list[tuple[str, str, int]], allowed: int) -> str:
    when = [f"on {time[:10]} (plan {name[:12]})" for time, name, _ in before]
    told = f"{', '.join(when[:3])}{f' and {len(when) - 3} times more' if len(when) > 3 else ''}"
    return f"its trials were looked at before, {told}, and {allowed} look{' was' if allowed == 1 else 's were'} planned"
