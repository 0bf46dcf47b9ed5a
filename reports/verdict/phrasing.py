"""Verdicts in plain words: one sentence that holds what no verdict may be without (METHOD.md, The page never says)."""

from collections.abc import Mapping, Sequence

from benchmark.core.files import names
from benchmark.suite.metric import Metric
from reports.audit.contrasts import STATUSES
from reports.formatting import amount, in_unit, phrase, points
from reports.result_lines import TrialCoverage
from reports.result_tables import PurityLine, TokenCounts
from reports.stats.statistics import Interval

#: What METHOD.md forbids every text of ours to say, as regular expressions whatever their case.
NEVER = (
    r"\bsafe to ship\b",
    r"\bfor your projects?\b",
    r"\bTCD confirms\b",
    r"\beffect when opened\b",
    r"\bhurts easy tasks\b",
    r"% of (the )?wins are real\b",
    r"\brankings do not transfer\b",
    r"\b\d+ more replicates will decide\b",
    r"(?<!PRACTICAL )\bno effect\b",
)
SCRIPTED = "The agent is scripted: its response is planted in the panel. These numbers show the instrument, not a model."
LOCAL = "is a model of 135 million parameters that runs on this machine: it is there to prove the path, not to be ranked."
_SCOPES = {
    "ON PROJECTS LIKE THESE": "on projects like these",
    "ON THESE PROJECTS ONLY": "on these projects only, with no word about others",
}
_HOW = {"prompt": "with {} in its prompt", "native": "with {} among its client's skills", "forced": "when told to use {}"}


def sentence(
    word: str,
    scope: str,
    interval: Interval,
    narrow: Interval | None = None,
    *,
    skill: str,
    agent: str,
    model: str | None,
    client_version: str | None,
    delivery: str,
    date: str | None,
    metric: Metric,
    margin: float,
    families: int,
    replicates: int,
    reasons: Sequence[str] = (),
    needed_words: str = "",
    levels: tuple[float, float] | None = None,
    stack: str | None = None,
    shrunk: bool = False,
) -> str:
    """A verdict in one sentence: word, scope, what was found, of whom, by which client, from how much, when.

    `interval` is C1 − C0 at the verdict's level and `narrow` the 90 % one that NO PRACTICAL EFFECT rests on; both and `margin`
    are shares of the scale of `metric`, the primary one; `levels` are its means with the skill and without. The first of
    `reasons` is told where nothing was decided; `stack` names the one that the verdict is of, where it is of one. `shrunk`
    says that `interval` is that of one pair after shrinkage (METHOD.md: single pairs are shrunk and say so).
    """
    with_it = how(skill, delivery)
    if word == "NOT DELIVERED":
        found = f"{skill} did not come within reach of {agent}, so what it does was not measured"
    elif word == "UNDECIDED":
        found = (
            f"whether {agent} does better or worse in {metric.title} {with_it} than without it is open: "
            f"{_why(interval, reasons)}"
        )
    elif word == "NO PRACTICAL EFFECT":
        found = f"{with_it}, {agent} stays within ±{100 * margin:g} points of its {metric.title} without it"
    elif levels:
        found = f"{with_it}, {agent} {phrase(levels[0], metric)}; without it, {in_unit(levels[1], metric)}"
    else:
        found = f"{with_it}, {agent} does {'better' if word == 'HELPS' else 'worse'} in {metric.title} than without it"
    rests = [needed_words.rstrip(".")] if word == "UNDECIDED" and needed_words else []
    if word != "NOT DELIVERED":
        told = difference((narrow or interval) if word == "NO PRACTICAL EFFECT" else interval, metric)
        rests.append(f"{told}, one pair shrunk towards the audit's others" if shrunk else told)
    rests += [counted(families, replicates), identity(model, client_version, date)]
    where = f"{place(scope)}{f', stack {stack}' if stack else ''}"
    return f"{word} {where}: {found} ({'; '.join(rests)})."


def _why(interval: Interval, reasons: Sequence[str]) -> str:
    """Why nothing was decided, as part of a sentence: ends that stand beside it need no second telling."""
    first = clause(reasons[0]) if reasons else "no reason was recorded"
    told = interval.low is not None and "includes zero" in first
    return "the interval of the difference includes zero" if told else first


def clause(reason: str) -> str:
    """The first sentence of a reason, to stand inside another: without its full stop and its capital."""
    first = reason.strip().split(". ")[0].rstrip(".")
    return first[:1].lower() + first[1:] if first[1:2].islower() else first


def place(scope: str) -> str:
    """A scope in words: which projects a verdict speaks of."""
    return _SCOPES[scope]


def how(skill: str, delivery: str) -> str:
    """In which way an agent had the skill."""
    return _HOW[delivery].format(skill)


def counted(families: int, replicates: int) -> str:
    """What a verdict rests on."""
    left = f"{families} famil{'y' if families == 1 else 'ies'}"
    return f"{left} × {replicates} replicate{'' if replicates == 1 else 's'}"


def identity(model: str | None, client_version: str | None, date: str | None) -> str:
    """The exact model, the client's version and the date: a verdict is of these and of no others."""
    version = f"client version {client_version}" if client_version else "client version not recorded"
    return f"{f'model {model}' if model else 'no model'}, {version}, {date or 'no trial has run'}"


def difference(interval: Interval, metric: Metric) -> str:
    """An estimate in points of the metric's scale with its interval, or why there is none."""
    if interval.estimate is None:
        return f"difference not measured{f': {interval.reason}' if interval.reason else ''}"
    found = f"difference {points(interval.estimate)} points{of_scale(interval.estimate, metric)}"
    if interval.low is None or interval.high is None:
        return f"{found}, no interval{f': {interval.reason}' if interval.reason else ''}"
    return f"{found}, {100 * interval.level:.4g} % interval {points(interval.low)} to {points(interval.high)}"


def of_scale(oriented: float, metric: Metric) -> str:
    """What points are in the metric's own unit, where they are not the same: " (+0.4 on a scale of 1 to 5)"."""
    scale = metric.scale
    if metric.unit == "share" or scale.low is None or scale.high is None:
        return ""
    own = f"{scale.difference(oriented):+.2g}".replace("-", "−")
    return f" of its scale ({own} on {scale.low:g} to {scale.high:g})"


def covered(coverage: TrialCoverage) -> str:
    """What became of planned trials: "88 planned, 87 measured, 1 broken"."""
    counts = {name: getattr(coverage, name) for name in ("planned", *STATUSES)}
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items() if count or name == "planned")


def unsound(quarantined: Mapping[str, Sequence[str]]) -> str:
    """How many tests of which projects are left out, and why."""
    count = sum(map(len, quarantined.values()))
    of = names((f"{project}: {len(lines)}" for project, lines in quarantined.items()), 8)
    return f"{count} {'test that fails' if count == 1 else 'tests that fail'} with the reference too ({of})"


def proven(purity: PurityLine) -> str:
    """In how many baselines the absence of every skill that they are compared with is proven."""
    said = f"baseline proven free of the skill in {purity.free} of {purity.of} {'trial' if purity.of == 1 else 'trials'}"
    contaminated = f"; {purity.contaminated} contaminated, in no contrast" if purity.contaminated else ""
    unproven = f"; not proven: {'; '.join(purity.unproven[:3])}" if purity.unproven else ""
    return f"{said}{contaminated}{unproven}"


def part(count: int | None, whole: int) -> str:
    """Count / total with percentage."""
    return "—" if count is None or not whole else f"{count}/{whole} = {100 * count / whole:.0f} %"


def token_counts(sums: TokenCounts) -> str:
    """Prompt, cached and completion tokens of one count."""
    counts = (sums.prompt_tokens, sums.cached_tokens, sums.completion_tokens)
    prompt, cached, completion = ("not given" if count is None else amount(count) for count in counts)
    return f"{prompt} prompt ({cached} cached), {completion} completion"
