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

from collections.abc import Iterator
from datetime import UTC, datetime

from pydantic import ValidationError

from benchmark.core.model import Data
from benchmark.store.store import Store
from benchmark.suite.metric import ORIENTED
from reports.audit.cells import cells
from reports.audit.effects import ONLY_THESE, reach, strata
from reports.audit.metrics import Audit

Key = tuple[str, str, str]


def finished(audit: Audit) -> bool:
    """Whether every trial of the plan ran, whatever came of it."""
    return all(item.status != "not_run" for item in audit.observations.values())


class AskedQuestion(Data):
    """What verdicts were spoken of: whose, in which scope, on which projects, and the work keys of the C1 trials."""

    skill: str
    agent: str
    delivery: str
    scope: str
    projects: tuple[str, ...]
    trials: tuple[str, ...]

    @property
    def key(self) -> Key:
        return self.skill, self.agent, self.delivery

    def again(self, other: "AskedQuestion") -> bool:
        """Whether the same was asked before of some of the same trials."""
        same = (*self.key, self.scope) == (*other.key, other.scope) and bool(set(self.trials) & set(other.trials))
        return same and (self.scope != ONLY_THESE or self.projects == other.projects)


class Look(Data):
    """That the verdicts of a plan were spoken: when (ISO 8601), and how many looks were planned."""

    hash: str
    time: str
    looks: int
    questions: tuple[AskedQuestion, ...]


def unplanned(store: Store, audit: Audit) -> dict[Key, str]:
    """The questions (skill, agent, delivery) that were looked at more often than was planned, with the reason in words."""
    digest, planned = audit.plan.hash, audit.plan.panel.looks
    looks = {name: _read(kept) for name, kept in store.looks().items()}
    own = looks.get(digest)
    spoken = own.time if own else None
    found: dict[Key, str] = {}
    for question in _questions(audit):
        before, unread = [], []
        for name, look in looks.items():
            if name == digest:
                continue
            if look is None:
                unread.append(f"looks/{name}.json")
            elif (spoken is None or look.time < spoken) and any(map(question.again, look.questions)):
                before.append((look.time, name, look.looks))
        allowed = min([planned, *(count for *_, count in before)])
        if unread:
            found[question.key] = f"{unread[0]} cannot be read, so it is not known what was looked at before"
        elif len(before) + 1 > allowed:
            found[question.key] = _words(sorted(before), allowed)
    return found


def note(store: Store, audit: Audit, moment: datetime) -> None:
    """Keep that the verdicts of a finished plan were spoken; the first time counts, and only what had enough for a verdict."""
    digest = audit.plan.hash
    if not finished(audit) or _read(store.looks().get(digest)):
        return
    if questions := tuple(_questions(audit)):
        time = moment.astimezone(UTC).isoformat(timespec="microseconds")
        look = Look(hash=digest, time=time, looks=audit.plan.panel.looks, questions=questions)
        store.put_look(digest, look.model_dump(mode="json"))


def _read(look: object) -> Look | None:
    """A look as `note` keeps it, None of anything else."""
    try:
        return Look.model_validate(look)
    except ValidationError:
        return None


def _questions(audit: Audit) -> Iterator[AskedQuestion]:
    """What an audit asks and has enough for."""
    works = {row.id: row.work for row in audit.plan.trials}
    treated: dict[Key, set[str]] = {}
    for row in audit.plan.assignments:
        if row.condition == "C1":
            treated.setdefault((row.skill, row.agent, row.delivery), set()).add(works[row.trial])
    for (skill, agent, delivery), trials in treated.items():
        arms = [cells(audit.arm(skill, agent, delivery, condition), ORIENTED) for condition in ("C1", "C0")]
        compared = strata(arms)
        if scope := reach(compared).scope:
            yield AskedQuestion(
                skill=skill,
                agent=agent,
                delivery=delivery,
                scope=scope,
                projects=tuple(one.project for one in compared),
                trials=tuple(sorted(trials)),
            )


def _words(before: list[tuple[str, str, int]], allowed: int) -> str:
    when = [f"on {time[:10]} (plan {name[:12]})" for time, name, _ in before]
    told = f"{', '.join(when[:3])}{f' and {len(when) - 3} times more' if len(when) > 3 else ''}"
    return f"its trials were looked at before, {told}, and {allowed} look{' was' if allowed == 1 else 's were'} planned"
