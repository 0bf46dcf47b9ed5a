"""Verdicts in METHOD.md's order, with scope, level, reasons and mechanism. The only module that assigns verdict labels."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scipy.stats import false_discovery_control

from reports.audit.cells import Arm
from reports.audit.effects import (
    LIKE_THESE,
    ONLY_THESE,
    Reach,
    Scope,
    Stratum,
    difference,
    lacking,
    reach,
    strata,
    would_decide,
)
from reports.stats.intervals import Estimate, Interval, measured
from reports.stats.method import (
    ALPHA,
    MINIMUM_FAMILIES,
    MINIMUM_REPLICATES,
    MINIMUM_REPLICATES_ONLY_THESE,
    PREDICTION_LEVEL,
    PREDICTION_MARGINS,
)
from reports.stats.multiplicity import holm, holm_alphas
from reports.stats.power import narrow_level
from reports.verdict.mechanisms import mechanisms
from reports.verdict.missing import worst_case_overturns

Word = Literal["NOT DELIVERED", "NO PRACTICAL EFFECT", "HELPS", "HURTS", "UNDECIDED"]


@dataclass(frozen=True)
class Question:
    """One comparison C1 − C0 of one (skill, agent, model, delivery) on the primary metric, a share where more is better.

    `partners` counts the distinct skills lent to `control` (C2). `exploratory` says why the question is not confirmatory, in
    words ("its C0 is historical"); None for the confirmatory ones, which are one family with all others given to `judge`.
    """

    key: tuple[str, ...]
    treated: Arm
    base: Arm
    control: Arm | None
    partners: int
    exploratory: str | None = None


@dataclass(frozen=True)
class Verdict:
    """What an audit says of one question. Shares are 0..1; intervals without `low` and `high` carry their reason.

    `interval` is C1 − C0 at `level`, Holm's for this question; `narrow` the 90 % interval and `prediction` the 80 % one for a
    new family (None on these projects only) that NO PRACTICAL EFFECT asks for. `p` is that of the t-test, `p_adjusted` Holm's
    (Benjamini–Hochberg's for what is exploratory), to be compared with α / looks. `length` and `content` are ΔLength and
    ΔContent at the levels of Holm over their pair, None without C2. `reasons` are sentences, the decisive one first. `needed`
    and `needed_words` speak of UNDECIDED only. The counts are trials of C1 and C0; `broken` is all that is missing for a reason
    of ours.
    """

    key: tuple[str, ...]
    word: Word
    scope: Scope
    interval: Interval
    narrow: Interval
    prediction: tuple[float, float] | None
    p: float | None
    p_adjusted: float | None
    level: float
    length: Interval | None
    content: Interval | None
    mechanisms: tuple[str, ...]
    reasons: tuple[str, ...]
    needed: tuple[int, int] | None
    needed_words: str
    families: int
    replicates: int
    planned: int
    measured: int
    broken: int
    not_delivered: int
    limited: int


@dataclass(frozen=True, slots=True)
class _QuestionCase:
    question: Question
    exploratory: str | None
    found: list[Stratum]
    has: Reach
    estimate: Estimate
    p: float | None


def judge(questions: Sequence[Question], *, margin: float, looks: int = 1, unplanned_look: bool = False) -> list[Verdict]:
    """The verdicts of an audit's questions, in their order. `margin` is a share (0.05), `looks` those that the panel planned.

    All confirmatory questions with a p are one Holm family at α / looks; a question without one (no spread, no data) can
    reject nothing and takes no share. NO PRACTICAL EFFECT is a test of its own at METHOD.md's 90 %, split over the looks
    but not over the family. An unplanned look makes every question exploratory; whether a skill was
    delivered is a count, no test, and is said of those as well. Raises ValueError for a margin that is no share
    and for no looks.
    """
    if not 0 < margin < 1:
        raise ValueError(f"a margin is a share between 0 and 1, not {margin}")
    if looks < 1:
        raise ValueError(f"an audit has one look at least, not {looks}")
    cases = [_case(question, unplanned_look) for question in questions]
    alpha = ALPHA / looks
    alphas: dict[int, float] = {}
    adjusted: dict[int, float] = {}
    # The two kinds never share a family: what is explored costs the confirmatory questions nothing.
    for explored in (False, True):
        places = [at for at, case in enumerate(cases) if case.p is not None and bool(case.exploratory) is explored]
        values = [case.p for at in places if (case := cases[at]).p is not None]
        corrected = false_discovery_control(values).tolist() if explored else holm(values)
        adjusted.update(zip(places, corrected, strict=True))
        if not explored:
            alphas.update(zip(places, holm_alphas(values, alpha), strict=True))
    return [_verdict(case, alphas.get(at, alpha), adjusted.get(at), margin, looks) for at, case in enumerate(cases)]


def _case(question: Question, unplanned: bool) -> _QuestionCase:
    found = strata((question.treated, question.base))
    has = reach(found)
    estimate = difference(found, has.scope)
    exploratory = question.exploratory or ("this look was not planned" if unplanned else None)
    return _QuestionCase(question, exploratory, found, has, estimate, estimate.p)


def _verdict(case: _QuestionCase, alpha: float, adjusted: float | None, margin: float, looks: int) -> Verdict:
    question, has = case.question, case.has
    scope = has.scope or LIKE_THESE
    interval = case.estimate.at(1 - alpha)
    narrow = case.estimate.at(narrow_level(looks))
    prediction = case.estimate.prediction(PREDICTION_LEVEL) if scope == LIKE_THESE else None
    word, reason = _decide(case, interval, narrow, prediction, margin)
    why = mechanisms(word, (question.treated, question.base, question.control), question.partners, has.scope, ALPHA / looks)
    needed, words = _needed(case, interval) if word == "UNDECIDED" else (None, "")
    cells = [cell for arm in (question.treated, question.base) for cell in arm.values()]
    undelivered = sum([cell.not_delivered for cell in cells])
    seen = sum([len(measured(cell.values)) for cell in cells])
    absent = sum([lacking(cell) for cell in cells])
    return Verdict(
        key=question.key,
        word=word,
        scope=scope,
        interval=interval,
        narrow=narrow,
        prediction=prediction,
        p=case.p,
        p_adjusted=adjusted,
        level=1 - alpha,
        length=why.length,
        content=why.content,
        mechanisms=why.names,
        reasons=tuple([sentence for sentence in (reason, why.reason, *_cautions(case, absent, seen)) if sentence]),
        needed=needed,
        needed_words=words,
        families=has.families,
        replicates=has.replicates,
        planned=seen + absent,
        measured=seen,
        broken=absent - undelivered,
        not_delivered=undelivered,
        limited=sum([cell.limited for cell in cells]),
    )


def _decide(
    case: _QuestionCase, interval: Interval, narrow: Interval, prediction: tuple[float, float] | None, margin: float
) -> tuple[Word, str]:
    """METHOD.md, Verdicts, in this order: the word and the sentence that decides."""
    scope = case.has.scope
    undelivered = _undelivered(case.question.treated)
    if undelivered:
        return "NOT DELIVERED", undelivered
    if case.exploratory:
        return "UNDECIDED", f"Exploratory: {case.exploratory}, and what is explored carries no verdict."
    if scope is None:
        return "UNDECIDED", _too_little(case)
    if interval.reason:
        return (
            "UNDECIDED",
            f"There is {interval.reason}, which is no certainty; the difference is {_points(interval.estimate)} points.",
        )
    practical = _practical(narrow, prediction, margin, scope)
    if practical:
        return "NO PRACTICAL EFFECT", practical
    said = f"The {_percent(interval.level)} interval of C1 − C0, {_range(interval)},"
    if not interval.sign:
        return "UNDECIDED", f"{said} includes zero, and {_wide(narrow, margin)}."
    toppled = worst_case_overturns(case.question.treated, case.question.base, interval.sign, scope, interval.level)
    if toppled:
        return "UNDECIDED", toppled
    return ("HELPS" if interval.sign > 0 else "HURTS"), f"{said} excludes zero."


def _undelivered(treated: Arm) -> str | None:
    """Why a skill counts as not delivered: none of the treated trials that ran had it, or fewer than half."""
    without = sum([cell.not_delivered for cell in treated.values()])
    ran = without + sum([len(cell.values) for cell in treated.values()])
    if 2 * without <= ran:
        return None
    return f"The skill was not within the agent's reach in {without} of the {ran} treated trials that ran."


def _practical(narrow: Interval, prediction: tuple[float, float] | None, margin: float, scope: Scope) -> str | None:
    """The sentence for NO PRACTICAL EFFECT, None where it is not reached.

    On these projects only there is no word about other projects, so nothing is predicted for a new family: there the 90 %
    interval decides alone, and the scope that stands beside the word says how far it goes.
    """
    if not narrow.inside(margin):
        return None
    said = f"The {_percent(narrow.level)} interval of C1 − C0, {_range(narrow)}, is inside ±{100 * margin:g} points"
    if scope == ONLY_THESE:
        return f"{said} on these projects; nothing is said about others."
    wide = PREDICTION_MARGINS * margin
    if prediction is None or not (-wide < prediction[0] and prediction[1] < wide):
        return None
    ahead = f"{_points(prediction[0])} to {_points(prediction[1])}"
    return f"{said}, and the {_percent(PREDICTION_LEVEL)} prediction for a new family, {ahead}, inside ±{100 * wide:g}."


def _wide(narrow: Interval, margin: float) -> str:
    """Why the interval is not called small either."""
    if not narrow.inside(margin):
        return f"the {_percent(narrow.level)} interval, {_range(narrow)}, is not inside ±{100 * margin:g} points"
    return f"a new family may differ by more than {100 * PREDICTION_MARGINS * margin:g} points"


def _too_little(case: _QuestionCase) -> str:
    """What is missing for a verdict in either scope."""
    question, has = case.question, case.has
    for name, arm in (("C1", question.treated), ("C0", question.base)):
        if not any(measured(cell.values) for cell in arm.values()):
            return f"No {name} trial was measured." if arm else f"There is no {name} arm to compare."
    if not has.families:
        return "No project has measured trials in both C1 and C0."
    lacks = []
    if has.families < MINIMUM_FAMILIES:
        lacks.append(f"{has.families} famil{'y' if has.families == 1 else 'ies'} of the {MINIMUM_FAMILIES} needed")
    if has.replicates < MINIMUM_REPLICATES:
        have = f"{has.replicates} measured replicate{'' if has.replicates == 1 else 's'} an arm"
        lacks.append(f"{have} of the {MINIMUM_REPLICATES} needed")
    return (
        f"Too little for a verdict on projects like these: {' and '.join(lacks)}. One on these projects only needs "
        f"{MINIMUM_REPLICATES_ONLY_THESE} replicates an arm on every project, and the fewest are {has.fewest}."
    )


def _needed(case: _QuestionCase, interval: Interval) -> tuple[tuple[int, int] | None, str]:
    if case.exploratory:
        return None, "an audit whose plan is fixed before its first trial would be needed"
    if case.has.scope and interval.sign:
        return None, "the missing trials have to be run; families and replicates suffice"
    return would_decide(case.found, case.has, case.estimate, interval.level)


def _cautions(case: _QuestionCase, absent: int, seen: int) -> list[str]:
    """What stands beside every verdict though it decides nothing."""
    said = []
    if absent:
        said.append(f"{absent} of {seen + absent} trials of C1 and C0 are missing.")
    shared = set(case.question.treated) & set(case.question.base)
    one_arm = len(set(case.question.treated) | set(case.question.base)) - len(case.found)
    if one_arm and case.found and shared:
        said.append(
            f"{one_arm} project{' has' if one_arm == 1 else 's have'} one arm measured only and count in no difference."
        )
    return said


def _points(share: float | None) -> str:
    if share is None or not math.isfinite(share):
        return "not measured"
    return f"{100 * share:+.1f}".replace("-", "−")


def _range(interval: Interval) -> str:
    return f"{_points(interval.low)} to {_points(interval.high)} points"


def _percent(level: float) -> str:
    return f"{100 * level:.4g} %"
