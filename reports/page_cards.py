"""What the first screen says: a card for every verdict, in words that need no statistics."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmark.files import hash_json
from reports.delivery import named
from reports.figures_strips import interval_row, strips
from reports.words import clause, counted, place, signed

#: Each word has a sign and a CSS class, so that it is not told by its colour alone.
SIGNS = {
    "HELPS": ("▲", "helps"),
    "HURTS": ("▼", "hurts"),
    "NO PRACTICAL EFFECT": ("≈", "practical"),
    "UNDECIDED": ("?", "undecided"),
    "NOT DELIVERED": ("×", "undelivered"),
}
#: What an action of reports.advice asks of a maintainer.
ACTIONS = {"inject": "Inject it", "withhold": "Withhold it", "test more": "Test more"}
MECHANISMS = {
    "LENGTH-DISTRACTED": "as much irrelevant text lowers the score as well",
    "CONTENT-MISLED": "what it says lowers the score, beside its length",
    "CONTENT-POSITIVE": "what it says raises the score, beside its length",
    "mechanism undecided": "its length and its content were not told apart",
}

#: With more verdicts than these the first screen is a table in place of cards.
CARDS = 3

Key = tuple[str, str, str]


def key_of(line: Mapping[str, Any]) -> Key:
    return line["skill"], line["agent"], line["delivery"]


def anchor(key: Key) -> str:
    """The id of a question's place on the page, whatever signs its names hold."""
    return f"q{hash_json(list(key))[:10]}"


def cards(results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A card for every verdict, by skill, agent and delivery: the verdict's line with what it comes to in words."""
    margin = results["panel"]["margin_points"] / 100
    advised = {key_of(row): row for row in results["advice"] if row["stack"] is None}
    found = sorted(results["verdicts"], key=key_of)
    made = [_card(line, advised.get(key_of(line)), results, len(found)) for line in found]
    # Beside each other pictures have one axis, each alone has its own.
    for group in [made] if len(made) > CARDS else [[card] for card in made]:
        drawn = strips([card.pop("row") for card in group], margin=margin)
        for card, one in zip(group, drawn["rows"], strict=True):
            card["picture"] = {"svg": one["svg"], "ticks": drawn["ticks"]} if one["row"].estimate is not None else None
    return made


def _card(line: Mapping[str, Any], advice: Mapping[str, Any] | None, results: Mapping[str, Any], asked: int) -> dict[str, Any]:
    sign, kind = SIGNS[line["word"]]
    margin = results["panel"]["margin_points"] / 100
    practical = line["word"] == "NO PRACTICAL EFFECT"
    shown = line["narrow"] if practical else line
    return {
        **line,
        "sign": sign,
        "kind": kind,
        "anchor": anchor(key_of(line)),
        "how": named(line["delivery"], results["deliveries"]),
        "who": line["model"] or "no model",
        "version": line["client_version"] or "not recorded",
        "when": line["date"] or "no trial has run",
        "place": place(line["scope"]),
        "action": ACTIONS[advice["action"]] if advice else "Test more",
        "because": _because(line, advice),
        "sure": sure(line, margin, asked),
        "difference": _difference(shown),
        "needed_words": line["needed_words"].removeprefix("what would decide "),
        "tokens": overhead(advice["overhead"]) if advice else "not measured",
        "rests_on": counted(line["families"], line["replicates"]),
        "mechanism_words": [f"{name}: {MECHANISMS[name]}" for name in line["mechanisms"]],
        "row": interval_row("", shown, kind=kind),
    }


def _because(line: Mapping[str, Any], advice: Mapping[str, Any] | None) -> str:
    """Why the action, short: what the advice adds to the verdict's sentence, or the verdict in a clause."""
    told = advice["why"].removesuffix(line["sentence"]).rstrip(": ").partition(", ")[2].removeprefix("for ") if advice else ""
    if told:
        return told
    return {
        "HELPS": f"{line['agent']} scores higher with it",
        "HURTS": f"{line['agent']} scores lower with it",
        "NO PRACTICAL EFFECT": "what it changes is smaller than the margin",
        "NOT DELIVERED": "it has to come within the agent's reach first",
        "UNDECIDED": "these trials do not decide it",
    }[line["word"]]


def _difference(line: Mapping[str, Any]) -> str:
    if line["estimate"] is None:
        return f"not measured{': ' + line['reason'] if line['reason'] else ''}"
    if line["low"] is None:
        return f"{signed(line['estimate'])} points"
    return f"{signed(line['estimate'])} points, {100 * line['level']:.4g} % interval {_range(line)}"


def _range(line: Mapping[str, Any]) -> str:
    return f"{signed(line['low'])} to {signed(line['high'])}"


def sure(line: Mapping[str, Any], margin: float, asked: int) -> list[str]:
    """How sure a verdict is, in sentences; `asked` counts the verdicts of the page, which share their errors."""
    word = line["word"]
    if word == "NOT DELIVERED":
        return ["Nothing is known of what it does: the trials that should have had it did not."]
    shown = line["narrow"] if word == "NO PRACTICAL EFFECT" else line
    if shown["low"] is None:
        return [f"There is no interval{': ' + clause(shown['reason']) if shown['reason'] else ''}, so nothing is sure."]
    fits = f"Differences from {_range(shown)} points fit these trials"
    if word == "NO PRACTICAL EFFECT":
        return [f"{fits}: each of them is smaller than ±{100 * margin:g} points, the margin fixed before the first trial."]
    if word == "UNDECIDED":
        if shown["low"] <= 0 <= shown["high"]:
            return [f"{fits}: the skill may lower the score, raise it, or leave it."]
        return [f"{fits}. They lie on one side of zero, which is not enough here for the reason below."]
    side = "above" if word == "HELPS" else "below"
    false = f"about {100 * (1 - line['level']):.3g} % of audits would say so all the same"
    several = f", a stricter bar than 5 % since the page asks {asked} questions" if asked > 1 and line["level"] > 0.95 else ""
    return [f"{fits}: all lie {side} zero. Were there nothing to find, {false}{several}."]


def overhead(line: Mapping[str, Any]) -> str:
    """ρ in words."""
    if line["estimate"] is None:
        return f"not measured{': ' + line['reason'] if line['reason'] else ''}"
    ends = "" if line["low"] is None else f" ({whole_percent(line['low'])} to {whole_percent(line['high'])})"
    return f"{whole_percent(line['estimate'])} tokens{ends}"


def whole_percent(value: float) -> str:
    """A share in whole per cent with its sign; what rounds to nothing has none."""
    text = f"{100 * value:+.0f}".replace("-", "−")
    return f"{0 if text in ('+0', '−0') else text} %"


def order(found: Sequence[Mapping[str, Any]]) -> list[Key]:
    """The questions in the order in which space is given to their details: what was decided first, then by name."""
    ranks = {"HELPS": 0, "HURTS": 0, "NO PRACTICAL EFFECT": 1, "NOT DELIVERED": 2, "UNDECIDED": 3}
    return [key_of(card) for card in sorted(found, key=lambda card: (ranks[card["word"]], key_of(card)))]
