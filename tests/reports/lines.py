"""Makes parts of results, for what is made from results: real types from short notations."""

from dataclasses import replace
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

from benchmark.core.panel import Panel
from benchmark.webdev.suite import SUITE
from reports.result_lines import ArmLine, ContrastLine, IntervalLine, TrialCoverage, VerdictLine
from reports.result_tables import Matrix, PurityLine, TrialLine
from reports.results import Results
from reports.stats.statistics import Interval
from reports.verdict.phrasing import sentence

WORDS = ("NOT DELIVERED", "NO PRACTICAL EFFECT", "HELPS", "HURTS", "UNDECIDED")
SCOPES = ("ON PROJECTS LIKE THESE", "ON THESE PROJECTS ONLY")
T = TypeVar("T")


def typed(kind: type[T], row: dict[str, Any]) -> T:
    """A result of that type from its JSON."""
    return _adapter(kind).validate_python(row)


@cache
def _adapter(kind: type[T]) -> TypeAdapter[T]:
    """What reads that type: made once, since that takes a thousand times what a reading takes."""
    return TypeAdapter(kind)


def verdict(**changes: Any) -> VerdictLine:
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
        "reason": None,
        "p": 0.01,
        "p_adjusted": 0.01,
        "p_signflip": None,
        "narrow": {"estimate": 0.12, "low": 0.05, "high": 0.19},
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
        "exploratory": None,
        "sentence": "",
        **changes,
    }
    made = typed(VerdictLine, line)
    return made if made.sentence else replace(made, sentence=said(made))


def said(line: VerdictLine) -> str:
    """The sentence of a verdict line."""
    interval = Interval(line.estimate, line.low, line.high, line.families, line.level)
    return sentence(
        line.word,
        line.scope,
        interval,
        skill=line.skill,
        agent=line.agent,
        model=line.model,
        client_version=line.client_version,
        delivery=line.delivery,
        date=line.date,
        metric=SUITE.primary,
        margin=0.05,
        families=line.families,
        replicates=line.replicates,
        reasons=line.reasons,
        needed_words=line.needed_words,
    )


def trial(at: int = 0, **changes: Any) -> TrialLine:
    """A trial: C1 of `target` on alpha, measured in ten seconds."""
    line: dict[str, Any] = {"project": "alpha", "condition": "C1", "delivery": "prompt", "agent": "noop", "skill": "target"}
    line |= {"replicate": at, "family": "family of alpha", "proven_free": None, "unproven": None, "listed": None}
    line |= {"opened": None, "attempts": 1, "limits": [], "status": "measured", "reason": None}
    line |= {"metrics": {"pass2": 0.5, "seconds": 10.0}, **changes}
    if line["condition"] == "C0":
        line |= {"skill": None, "delivery": None}
    name = f"webdev/{line['project']}/{line['skill'] or 'no-skill'}/{line['condition']}/noop/r{line['replicate']}"
    return typed(TrialLine, {"id": name, **line})


def contrast(name: str, rho: float) -> ContrastLine:
    """A contrast of `target` with a token ratio."""
    nothing = IntervalLine(None, reason="no family has both arms")
    return ContrastLine(
        "target", "noop", "prompt", name, "", "pass2", nothing, IntervalLine(rho, 0.1, 0.7, 0.95), None, {}, 5, (), None
    )


def results(*verdicts: VerdictLine, **changes: Any) -> Results:
    """What gates, JUnit and summaries read."""
    arm = {"skill": "target", "agent": "noop", "delivery": "prompt", "condition": "C1", "injected": [], "planned": 80}
    arm |= dict.fromkeys(("not_delivered", "broken", "contaminated", "historical", "not_run", "limited"), 0)
    arm |= {"measured": 76, "projects": 8, "metrics": {"tokens": 1500.0, "usd": None}, "interval": {"estimate": None}}
    made = Results(
        panel_hash="0123456789abcdef" * 4,
        panel=Panel.model_validate({"suite": "webdev", "agents": [{"name": "noop"}], "replicates": 5}),
        suite="webdev",
        metrics=SUITE.all_metrics,
        scripted=False,
        local_models=(),
        deliveries=("prompt",),
        facts={},
        first_trial="2027-01-15 08:00 UTC",
        last_trial="2027-01-15 09:30 UTC",
        coverage=TrialCoverage(planned=80, measured=76, broken=4),
        purity=PurityLine(0, 0, 0, ()),
        absent=(),
        quarantined={},
        skills={},
        arms=(typed(ArmLine, arm),),
        contrasts=(contrast("C2−C0", 9.0), contrast("C1−C0", 0.4)),
        verdicts=verdicts,
        advice=(),
        pairs=(),
        breakdown=(),
        matrix=Matrix((), None, ""),
        cost=(),
        delivery=(),
        reported_tokens=(),
        trials=(),
    )
    return replace(made, **changes)
