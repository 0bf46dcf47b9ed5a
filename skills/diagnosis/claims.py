"""What clients do with a SKILL.md of which something is to be said: the answers of real, pinned clients, and nothing else.

`client_claims.json` has the forms of a SKILL.md that the clients were asked about, for each the rules that it breaks and what
each client did with it, and the versions that answered. `python -m tests.skills.diagnosis.ask_clients` asks them again.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from skills.parsing.rules import Diagnostic

CLAIMS = Path(__file__).parent / "client_claims.json"
#: The specification's reference validator: it lists nothing, it says whether a skill is valid.
VALIDATOR = "skills-ref"
LOADS, UNKNOWN = "loads it", "not known"
UNLISTED, REJECTS, BREAKS, EMPTY = "does not list it", "rejects it", "breaks on it", "loads an empty body"
#: From best to worst: of several rules that were never asked about together the worst holds.
_RANKS = (
    LOADS,
    "shows a part of the description",
    "shows another description",
    "shows no description",
    "replaces text of the body",
    "loads a part of the body",
    "runs commands of the body",
    EMPTY,
    UNKNOWN,
    REJECTS,
    UNLISTED,
    BREAKS,
)
#: What leaves nothing of a skill to deliver.
LOST = (EMPTY, UNLISTED, BREAKS)


def clients() -> tuple[str, ...]:
    """Those that were asked, the reference validator first."""
    return tuple(_table()["versions"])


def version(client: str) -> str | None:
    """The version of a client that answered; None for one that was never asked."""
    return _table()["versions"].get(client)


def consequences(rule: str) -> dict[str, str]:
    """What each client does with a skill that breaks this rule and no other."""
    return dict(_answers().get(frozenset([rule]), dict.fromkeys(clients(), UNKNOWN)))


def outcome(diagnostics: Iterable[Diagnostic]) -> dict[str, str]:
    """What each client does with a skill of which all this is to be said.

    As it was seen with a skill of just these faults; where none was tried, the worst that one of them makes it do.
    """
    rules = frozenset(item.rule for item in diagnostics)
    whole = _answers().get(rules, dict.fromkeys(clients(), UNKNOWN))
    alone = [consequences(rule) for rule in rules]
    return {
        client: does if does != UNKNOWN else max((row[client] for row in alone), key=_RANKS.index, default=LOADS)
        for client, does in whole.items()
    }


def listed(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any client lists such a skill, as far as is known."""
    return any(does not in (UNLISTED, BREAKS) for client, does in outcome(diagnostics).items() if client != VALIDATOR)


def undeliverable(diagnostics: Sequence[Diagnostic], client: str) -> str | None:
    """Why a client that is to find the skill by itself gets nothing of it; None where it does, or where that is not known."""
    does = outcome(diagnostics).get(client)
    if does not in LOST:
        return None
    causes = [item.message for item in diagnostics if consequences(item.rule).get(client) in LOST]
    return f"{client} {version(client)} {does}{f', which {causes[0]}' if causes else ''}"


def told(observation: Mapping[str, Any] | None, client: str) -> str:
    """What a client did, in words."""
    if observation is None:
        return UNKNOWN
    if "breaks" in observation:
        return BREAKS
    if not observation["listed"]:
        return REJECTS if client == VALIDATOR else UNLISTED
    shown = observation.get("description", "own")
    body = {"empty": EMPTY, "part": "loads a part of the body", "changed": "replaces text of the body"}
    body["ran"] = "runs commands of the body"
    part = "shows a part of the description" if shown.startswith("first ") else None
    other = {"none": "shows no description", "other": "shows another description"}.get(shown.partition(":")[0])
    words = [LOADS, body.get(observation.get("body", "whole")), part, other]
    return max(filter(None, words), key=_RANKS.index)


@cache
def _answers() -> dict[frozenset[str], dict[str, str]]:
    """What each client does with each set of rules that was tried: not known where forms that break the same were treated
    differently."""
    seen: dict[frozenset[str], dict[str, set[str]]] = {}
    for row in _table()["forms"].values():
        does = seen.setdefault(frozenset(row["rules"]), {client: set() for client in clients()})
        for client in clients():
            does[client].add(told(row.get(client), client))
    return {
        rules: {client: words.pop() if len(words) == 1 else UNKNOWN for client, words in does.items()}
        for rules, does in seen.items()
    }


@cache
def _table() -> dict[str, Any]:
    return json.loads(CLAIMS.read_text(encoding="utf-8"))
