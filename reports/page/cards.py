"""What the first screen says: a card for every verdict, in words that need no statistics."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmark.core.files import hash_json
from reports.audit.delivery import named
from reports.formatting import level, percent, points
from reports.page.strips import StripRow, interval_row, strips
from reports.result_lines import AdviceRow, IntervalLine, Key, Overhead, VerdictLine
from reports.results import Results
from reports.verdict.phrasing import clause, counted, of_scale, place

#: Each word has a sign and a CSS class, so that it is not told by its colour alone.
SIGNS = {
    "HELPS": ("▲", "helps"),
    "HURTS": ("▼", "hurts"),
    "NO PRACTICAL EFFECT": ("≈", "practical"),
    "UNDECIDED": ("?", "undecided"),
    "NOT DELIVERED": ("×", "undelivered"),
}
#: What an action of reports.verdict.advice asks of a maintainer.
ACTIONS = {"inject": "Inject it", "withhold": "Withhold it", "test more": "Test more"}
MECHANISMS = {
    "LENGTH-DISTRACTED": "as much irrelevant text lowers the score as well",
    "CONTENT-MISLED": "what it says lowers the score, beside its length",
    "CONTENT-POSITIVE": "what it says raises the score, beside its length",
    "mechanism undecided": "its length and its content were not told apart",
}

#: With more verdicts than these the first screen is a table in place of cards.
CARDS = 3


def anchor(key: Key) -> str:
    """The id of a question's place on the page, whatever signs its names hold."""
    return f"q{hash_json(list(key))[:10]}"


@dataclass(frozen=True)
class Picture:
    """One strip with the axis under it."""

    svg: str
    ticks: Sequence[tuple[float, str]]


@dataclass(frozen=True)
class Card:
    """A verdict's line with its sentence."""

    line: VerdictLine
    sign: str
    kind: str
    anchor: str
    how: str
    version: str
    when: str
    place: str
    action: str
    because: str
    sure: Sequence[str]
    difference: str
    needed_words: str
    tokens: str
    rests_on: str
    mechanism_words: Sequence[str]
    row: StripRow
    picture: Picture | None = None

    @property
    def key(self) -> Key:
        return self.line.key


def cards(results: Results) -> list[Card]:
    """A card for every verdict, by skill, agent and delivery."""
    advised = {row.key: row for row in results.advice if row.stack is None}
    lines = sorted(results.verdicts, key=lambda line: line.key)
    made = [_card(line, advised.get(line.key), results) for line in lines]
    # Beside each other pictures have one axis, each alone has its own.
    return [card for group in ([made] if len(made) > CARDS else [[one] for one in made]) for card in _drawn(group, results)]


def _drawn(group: Sequence[Card], results: Results) -> list[Card]:
    drawn = strips([card.row for card in group], margin=results.panel.margin)
    return [
        replace(card, picture=Picture(one.svg, drawn.ticks) if one.row.estimate is not None else None)
        for card, one in zip(group, drawn.rows, strict=True)
    ]


def _card(line: VerdictLine, advice: AdviceRow | None, results: Results) -> Card:
    sign, kind = SIGNS[line.word]
    shown = line.narrow if line.word == "NO PRACTICAL EFFECT" else line.interval
    return Card(
        line=line,
        sign=sign,
        kind=kind,
        anchor=anchor(line.key),
        how=named(line.delivery, results.deliveries),
        version=line.client_version or "not recorded",
        when=line.date or "no trial has run",
        place=place(line.scope),
        action=ACTIONS[advice.action] if advice else "Test more",
        because=_because(line, advice),
        sure=sure(line, results.panel.margin, len(results.verdicts)),
        difference=_difference(shown, results),
        needed_words=line.needed_words.removeprefix("what would decide "),
        tokens=overhead(advice.overhead) if advice else "not measured",
        rests_on=counted(line.families, line.replicates),
        mechanism_words=[f"{name}: {MECHANISMS[name]}" for name in line.mechanisms],
        row=interval_row("", shown, kind=kind),
    )


def _because(line: VerdictLine, advice: AdviceRow | None) -> str:
    """Why the action, short: what the advice adds to the verdict's sentence, or the verdict in a clause."""
    told = advice.why.removesuffix(line.sentence).rstrip(": ").partition(", ")[2].removeprefix("for ") if advice else ""
    if told:
        return told
    return {
        "HELPS": f"{line.agent} does better with it",
        "HURTS": f"{line.agent} does worse with it",
        "NO PRACTICAL EFFECT": "what it changes is smaller than the margin",
        "NOT DELIVERED": "it has to come within the agent's reach first",
        "UNDECIDED": "these trials do not decide it",
    }[line.word]


def _difference(line: IntervalLine, results: Results) -> str:
    if line.estimate is None:
        return f"not measured{': ' + line.reason if line.reason else ''}"
    said = f"{points(line.estimate)} points{of_scale(line.estimate, results.primary)}"
    return said if line.low is None else f"{said}, {level(line.level or 0)} interval {_range(line)}"


def _range(line: IntervalLine) -> str:
    return f"{points(line.low)} to {points(line.high)}"


def sure(line: VerdictLine, margin: float, asked: int) -> list[str]:
    """How sure a verdict is, in sentences; `asked` counts the verdicts of the page, which share their errors."""
    word = line.word
    if word == "NOT DELIVERED":
        return ["Nothing is known of what it does: the trials that should have had it did not."]
    shown = line.narrow if word == "NO PRACTICAL EFFECT" else line.interval
    if shown.low is None or shown.high is None:
        return [f"There is no interval{': ' + clause(shown.reason) if shown.reason else ''}, so nothing is sure."]
    fits = f"Differences from {_range(shown)} points fit these trials"
    if word == "NO PRACTICAL EFFECT":
        return [f"{fits}: each of them is smaller than ±{100 * margin:g} points, the margin fixed before the first trial."]
    if word == "UNDECIDED":
        if shown.low <= 0 <= shown.high:
            return [f"{fits}: the skill may lower the score, raise it, or leave it."]
        return [f"{fits}. They lie on one side of zero, which is not enough here for the reason below."]
    side = "above" if word == "HELPS" else "below"
    false = f"about {100 * (1 - line.level):.3g} % of audits would say so all the same"
    several = f", a stricter bar than 5 % since the page asks {asked} questions" if asked > 1 and line.level > 0.95 else ""
    return [f"{fits}: all lie {side} zero. Were there nothing to find, {false}{several}."]


def overhead(line: Overhead) -> str:
    """The token ratio in words."""
    if line.estimate is None:
        return f"not measured{': ' + line.reason if line.reason else ''}"
    ends = "" if line.low is None else f" ({percent(line.low)} to {percent(line.high)})"
    return f"{percent(line.estimate)} tokens{ends}"


def order(found: Sequence[Card]) -> list[Key]:
    """The questions in the order in which space is given to their details: what was decided first, then by name."""
    ranks = {"HELPS": 0, "HURTS": 0, "NO PRACTICAL EFFECT": 1, "NOT DELIVERED": 2, "UNDECIDED": 3}
    return [card.key for card in sorted(found, key=lambda card: (ranks[card.line.word], card.key))]
