"""Routing advice: whether to inject a skill, per skill × agent × model × delivery × stack, as JSON that a tool can read."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from benchmark.suite.metric import ORIENTED
from reports.audit.cells import Arm, cells
from reports.audit.contrasts import by_project
from reports.audit.metrics import Audit
from reports.audit.shrink import Shrunk
from reports.result_lines import AdviceRow, Gain, Overhead, RestsOn, VerdictLine
from reports.stats.intervals import Interval, measured
from reports.stats.statistics import ALPHA, ratio_interval
from reports.verdict.phrasing import sentence
from reports.verdict.verdicts import Question, Verdict, judge

SCHEMA = 1
Action = Literal["inject", "withhold", "test more"]
_SAID = {"inject": "Inject", "withhold": "Withhold", "test more": "Test more"}
_TEMPERED = "Its own replicates tell a difference, but beside the audit's other pairs it is no larger than luck may make it."


@dataclass(frozen=True)
class _AdviceCase:
    """One skill with one agent under one delivery: its verdict line, its arms, and its stacks by the projects they cover."""

    line: VerdictLine
    treated: Arm
    base: Arm
    stacks: Mapping[tuple[str, ...], Sequence[str]]

    @property
    def key(self) -> tuple[str, str, str]:
        return self.line.key


def advise(
    audit: Audit, verdicts: Sequence[VerdictLine], shrunk: Sequence[Shrunk], *, unplanned_look: bool = False
) -> list[AdviceRow]:
    """A row for every verdict line and one for each stack of its projects, by stack; the row of the whole comes first.

    `shrunk` are the audit's pairs with keys (skill, agent, delivery). Keys of a row, of schema 1:

    | key | meaning |
    |---|---|
    | schema | 1; raised when a key changes its meaning or goes |
    | skill, agent, model, delivery | whom the advice is for; `model` is the exact id, null of agents without one |
    | stack | one word of the projects' stacks, or null for all projects of the audit |
    | action | "inject", "withhold" or "test more" |
    | word | the verdict that the action follows from |
    | basis | "audit": the page's verdict; "stack": one of the stack's own, from the family of routing questions |
    | gain | what to expect of the primary metric: estimate, low, high (shares), level, shrunk, reason (of a null) |
    | overhead | ρ, the extra tokens over C0: estimate, low, high (0.4 is 40 % more), level, reason |
    | why | one sentence |
    | rests_on | scope, projects, families, replicates, counts of C1 and C0 trials (planned …), client_version, date |

    HELPS is injected and HURTS withheld; NO PRACTICAL EFFECT is withheld where the interval of ρ lies above zero, for then the
    skill costs without gain. All else is to be tested more. A stack never inherits the audit's verdict (METHOD.md, Scopes).
    """
    found = [_case(audit, line) for line in verdicts]
    # A stack that covers all projects of a verdict asks the very question that the page answers, so it has that answer.
    asked = [(case, projects) for case in found for projects in case.stacks if len(projects) < len(case.treated)]
    design = audit.plan.panel
    # Stacks are a Holm family of their own. In the page's confirmatory family they would cost its verdicts power, for their
    # data are the same; without correction a dozen stacks would make a wrong word likely (1 − 0.95¹² = 46 %). They
    # carry words for routing only, and no page shows them as verdicts of the audit.
    answers = judge(
        [_question(case, projects) for case, projects in asked],
        margin=design.margin_points / 100,
        looks=design.looks,
        unplanned_look=unplanned_look,
    )
    own = {(case.key, projects): answer for (case, projects), answer in zip(asked, answers, strict=True)}
    by_pair = {(item.key, item.project): item for item in shrunk}
    rows = []
    for case in found:
        named = sorted((name, projects) for projects, names in case.stacks.items() for name in names)
        for stack, projects in [(None, tuple(sorted(case.treated))), *named]:
            answer = own.get((case.key, projects)) if stack else None
            given = _of_stack(audit, case, stack, projects, answer, by_pair) if stack and answer else _of_audit(case)
            rows.append(_row(audit, case, stack, projects, given))
    return rows


def _case(audit: Audit, line: VerdictLine) -> _AdviceCase:
    treated, base = (cells(audit.arm(*line.key, condition), ORIENTED) for condition in ("C1", "C0"))
    covered: dict[str, list[str]] = defaultdict(list)
    known = audit.suite.projects()
    for project in sorted(treated):
        # A project that has left the suite has no stack any more; its records still count for the whole.
        for stack in dict.fromkeys(audit.suite.stack(project)) if project in known else ():
            covered[stack].append(project)
    # Stacks with the same projects ask one question: asked twice, it would only cost the others power.
    stacks: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for stack, projects in covered.items():
        stacks[tuple(projects)].append(stack)
    return _AdviceCase(line, treated, base, stacks)


def _question(case: _AdviceCase, projects: Sequence[str]) -> Question:
    """C1 − C0 on the projects of a stack, exploratory where the whole is. Without C2: advice names no mechanism."""
    treated, base = ({project: arm[project] for project in projects if project in arm} for arm in (case.treated, case.base))
    return Question((*case.key, *projects), treated, base, None, 0, case.line.exploratory)


@dataclass(frozen=True)
class _Given:
    """What decides a row: the word, the gain, and the sentence that tells them."""

    word: str
    basis: Literal["audit", "stack"]
    gain: Gain
    said: str
    #: What it rests on: the verdict line, or the stack's own verdict, which have the same counts.
    counts: VerdictLine | Verdict


def _of_audit(case: _AdviceCase) -> _Given:
    line = case.line
    reason = None if line.low is not None else next(iter(line.reasons), "no reason was recorded")
    gain = Gain(line.estimate, line.low, line.high, line.level, False, reason)
    return _Given(line.word, "audit", gain, line.sentence, line)


def _of_stack(
    audit: Audit,
    case: _AdviceCase,
    stack: str,
    projects: Sequence[str],
    verdict: Verdict,
    by_pair: Mapping[tuple[tuple[str, ...], str], Shrunk],
) -> _Given:
    """The stack's own verdict. One that rests on a single pair tells the shrunk gain, and is undecided where that is open."""
    compared = [project for project in projects if _both(case, project)]
    gain = verdict.interval
    shrunk = len(compared) == 1
    if shrunk:
        gain = _shrunk(by_pair.get((case.key, compared[0])), verdict.level)
        same = {"HELPS": 1, "HURTS": -1}.get(verdict.word, gain.sign)
        if gain.sign != same:
            verdict = replace(verdict, word="UNDECIDED", reasons=(gain.reason or _TEMPERED,), needed_words="")
    line = case.line
    said = sentence(
        verdict.word,
        verdict.scope,
        gain,
        gain if shrunk else verdict.narrow,
        skill=line.skill,
        agent=line.agent,
        model=line.model,
        client_version=line.client_version,
        delivery=line.delivery,
        date=line.date,
        metric=audit.suite.primary,
        margin=audit.plan.panel.margin_points / 100,
        families=verdict.families,
        replicates=verdict.replicates,
        reasons=verdict.reasons,
        needed_words=verdict.needed_words,
        stack=stack,
        shrunk=shrunk and gain.estimate is not None,
    )
    told = Gain(gain.estimate, gain.low, gain.high, gain.level, shrunk, gain.reason)
    return _Given(verdict.word, "stack", told, said, verdict)


def _both(case: _AdviceCase, project: str) -> bool:
    """Whether both arms have a value on a project."""
    return all(project in arm and bool(measured(arm[project].values)) for arm in (case.treated, case.base))


def _shrunk(pair: Shrunk | None, level: float) -> Interval:
    """The shrunk effect of a pair with the interval of its normal posterior."""
    from scipy import stats

    if pair is None or pair.estimate is None or pair.sd is None:
        reason = pair.reason if pair else "the pair was not shrunk"
        return Interval(None, None, None, 1, level, f"one pair is told shrunk only: {reason}")
    half = float(stats.norm.ppf(0.5 + level / 2)) * pair.sd
    return Interval(pair.estimate, pair.estimate - half, pair.estimate + half, 1, level)


def _row(audit: Audit, case: _AdviceCase, stack: str | None, projects: Sequence[str], given: _Given) -> AdviceRow:
    rho = _overhead(audit, case, projects)
    action, because = _action(given.word, rho)
    line, counts = case.line, given.counts
    return AdviceRow(
        schema=SCHEMA,
        skill=line.skill,
        agent=line.agent,
        model=line.model,
        delivery=line.delivery,
        stack=stack,
        action=action,
        word=given.word,
        basis=given.basis,
        gain=given.gain,
        overhead=Overhead(rho.estimate, rho.low, rho.high, rho.level, rho.reason),
        why=f"{_SAID[action]}{because}: {given.said}",
        rests_on=RestsOn(
            scope=counts.scope,
            families=counts.families,
            replicates=counts.replicates,
            planned=counts.planned,
            measured=counts.measured,
            broken=counts.broken,
            not_delivered=counts.not_delivered,
            limited=counts.limited,
            projects=list(projects),
            client_version=line.client_version,
            date=line.date,
        ),
    )


def _action(word: str, rho: Interval) -> tuple[Action, str]:
    """What a verdict comes to, with what its tokens add to the reason."""
    if word == "HELPS":
        return "inject", ""
    if word == "HURTS":
        return "withhold", ""
    if word != "NO PRACTICAL EFFECT":
        return "test more", ""
    if rho.low is None or rho.high is None or rho.estimate is None:
        return "test more", f", for what it costs in tokens is open{f' ({rho.reason})' if rho.reason else ''}"
    said = (
        f"{100 * rho.estimate:+.0f} % tokens, {100 * rho.level:.4g} % interval {100 * rho.low:+.0f} to {100 * rho.high:+.0f} %"
    )
    if rho.low > 0:
        return "withhold", f", for it costs without gain ({said})"
    saves = "it saves tokens and does nothing else that counts" if rho.high < 0 else "it is open whether it costs anything"
    return "test more", f", for {saves} ({said})"


def _overhead(audit: Audit, case: _AdviceCase, projects: Sequence[str]) -> Interval:
    """ρ of C1 over C0 on these projects (reports.audit.contrasts): a ratio of sums over families."""
    tokens = [by_project(audit.arm(*case.key, condition), "tokens") for condition in ("C1", "C0")]
    sums: list[dict[str, float]] = []
    for arm in tokens:
        families: dict[str, list[float]] = defaultdict(list)
        for project in projects:
            if all(project in side for side in tokens):
                families[case.treated[project].family].append(arm[project])
        sums.append({family: math.fsum(values) for family, values in families.items()})
    return ratio_interval(sums[0], sums[1], sums[1], 1 - ALPHA / audit.plan.panel.looks)
