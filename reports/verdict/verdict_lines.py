"""The verdicts of an audit: its questions from the plan, judged together, as lines with their sentence."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from benchmark.suite.metric import ORIENTED
from reports.audit.arm_pairs import ArmPair, family_means, mean
from reports.audit.cells import Arm, cells
from reports.audit.interval_lines import interval_line
from reports.audit.metrics import Audit, TrialObservation
from reports.audit.shrink import Shrunk, pairs_of, shrink
from reports.result_lines import VerdictLine
from reports.stats.intervals import measured
from reports.verdict.looks import Key, finished
from reports.verdict.phrasing import sentence
from reports.verdict.verdicts import Question, Verdict, judge


def verdict_lines(audit: Audit, looked: Mapping[Key, str]) -> list[VerdictLine]:
    """A line for every (skill, agent, delivery) of the plan that has C1; `looked` says which were looked at too often.

    All are judged together: they are the confirmatory family of the page (METHOD.md).
    """
    keys, panel = _keys(audit), audit.plan.panel
    questions = [_question(audit, key, looked.get(key)) for key in keys]
    found = judge(questions, margin=panel.margin_points / 100, looks=panel.looks)
    said = [
        verdict if key in looked else _waiting(verdict, question)
        for key, question, verdict in zip(keys, questions, found, strict=True)
    ]
    return [_line(audit, *one) for one in zip(keys, questions, said, strict=True)]


def shrunken(audit: Audit) -> list[Shrunk]:
    """The effects of all pairs of the audit, shrunk together by agent and delivery: skills and projects are the pairs."""
    groups: dict[tuple[str, str], list[Any]] = {}
    for key in _keys(audit):
        treated, base = (cells(audit.arm(*key, condition), ORIENTED) for condition in ("C1", "C0"))
        groups.setdefault(key[1:], []).extend(pairs_of(key, treated, base))
    return [one for pairs in groups.values() for one in shrink(pairs)]


def _keys(audit: Audit) -> list[Key]:
    rows = [row for row in audit.plan.assignments if row.condition == "C1"]
    return list(dict.fromkeys((row.skill, row.agent, row.delivery) for row in rows))


def _question(audit: Audit, key: Key, looked: str | None) -> Question:
    arms = {condition: audit.arm(*key, condition) for condition in ("C1", "C0", "C2")}
    treated, base, control = (cells(arms[condition], ORIENTED) for condition in ("C1", "C0", "C2"))
    # Only partners that ΔLength and ΔContent rest on.
    whole = {project for project in control if all(_has(arm, project) for arm in (treated, base, control))}
    partners = {item.skill for item in arms["C2"] if item.status == "measured" and item.skill and item.project in whole}
    return Question(key, treated, base, control or None, len(partners), looked or _open(audit, arms))


def _has(arm: Arm, project: str) -> bool:
    return project in arm and bool(measured(arm[project].values))


def _open(audit: Audit, arms: Mapping[str, Sequence[TrialObservation]]) -> str | None:
    """Why a question cannot be answered yet: verdicts are of finished plans, or every stop would be a look."""
    if finished(audit):
        return None
    own = [item for condition in ("C1", "C0") for item in arms[condition]]
    waiting = sum(item.status == "not_run" for item in own)
    if not waiting:
        # Its own trials are done; those of others wait, and the confirmatory family is not complete.
        return "its plan is not finished"
    return f"its plan is not finished, {waiting} of its {len(own)} trials of C1 and C0 have not run"


def _waiting(verdict: Verdict, question: Question) -> Verdict:
    """The verdict of a question whose plan is not finished: it says so, and that the rest can be run."""
    if verdict.word != "UNDECIDED" or not question.exploratory:
        return verdict
    said = f"{question.exploratory[:1].upper()}{question.exploratory[1:]}, and only a finished plan is judged."
    return replace(verdict, reasons=(said, *verdict.reasons[1:]), needed_words="the same command runs the rest of the plan")


def _line(audit: Audit, key: Key, question: Question, verdict: Verdict) -> VerdictLine:
    skill, agent, delivery = key
    ran = [item for condition in ("C1", "C0") for item in audit.arm(*key, condition) if item.record]
    panel, date = audit.plan.panel, _days(ran)
    versions = sorted({item.version for item in ran if item.version})
    models = sorted({item.model for item in audit.arm(*key, "C1") if item.model})
    model, client_version = models[0] if models else None, ", ".join(versions) or None
    said = sentence(
        verdict.word,
        verdict.scope,
        verdict.interval,
        verdict.narrow,
        skill=skill,
        agent=agent,
        model=model,
        client_version=client_version,
        delivery=delivery,
        date=date,
        metric=audit.suite.primary,
        margin=panel.margin_points / 100,
        families=verdict.families,
        replicates=verdict.replicates,
        reasons=verdict.reasons,
        needed_words=verdict.needed_words,
        levels=_levels(audit, key),
    )
    interval = verdict.interval
    return VerdictLine(
        skill=skill,
        agent=agent,
        model=model,
        delivery=delivery,
        client_version=client_version,
        date=date,
        estimate=interval.estimate,
        low=interval.low,
        high=interval.high,
        level=verdict.level,
        reason=interval.reason,
        word=verdict.word,
        scope=verdict.scope,
        narrow=interval_line(verdict.narrow),
        prediction=verdict.prediction,
        p=verdict.p,
        p_adjusted=verdict.p_adjusted,
        p_signflip=interval.p_signflip,
        length=interval_line(verdict.length) if verdict.length else None,
        content=interval_line(verdict.content) if verdict.content else None,
        mechanisms=verdict.mechanisms,
        reasons=verdict.reasons,
        needed=verdict.needed,
        needed_words=verdict.needed_words,
        families=verdict.families,
        replicates=verdict.replicates,
        planned=verdict.planned,
        measured=verdict.measured,
        broken=verdict.broken,
        not_delivered=verdict.not_delivered,
        limited=verdict.limited,
        exploratory=question.exploratory,
        sentence=said,
    )


def _levels(audit: Audit, key: Key) -> tuple[float, float] | None:
    """The primary metric in its own unit with the skill and without, on the projects that have both; None without any."""
    sides = ArmPair("C1", "C0", *(audit.arm(*key, condition) for condition in ("C1", "C0")))
    treated, base = (mean(family_means(arm, sides.families).values()) for arm in sides.means(audit.suite.primary.name))
    return None if treated is None or base is None else (treated, base)


def _days(ran: Sequence[TrialObservation]) -> str | None:
    """The day of the trials, or their first and last."""
    if not ran:
        return None
    first, last = (datetime.fromtimestamp(pick(item.started for item in ran), UTC).date().isoformat() for pick in (min, max))
    return first if first == last else f"{first} to {last}"
