"""What can be said of a SKILL.md: the diagnostics, of which `rules.toml` keeps code, severity, words and what clients do."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

Severity = Literal["error", "warning", "note"]

RULES = Path(__file__).parent / "rules.toml"
#: The longest value that a message shows.
SHOWN = 80


@dataclass(frozen=True)
class Diagnostic:
    """One thing that is to be said of a skill.

    `code` is stable. `line` counts from 1 in SKILL.md and is None where the file or the folder as a whole is meant. `clients`
    says what each client does with a skill of which nothing else is to be said. `loads` is False where a client would have
    nothing to load.
    """

    code: str
    severity: Severity
    line: int | None
    message: str
    clients: Mapping[str, str] = field(hash=False)
    loads: bool = True


def found(rule: str, line: int | None = None, clients: Mapping[str, str] | None = None, /, **values: Any) -> Diagnostic:
    """The diagnostic of a rule. `values` fill its message, `clients` are those that do something else than usual."""
    table = _table()
    row = table["rules"][rule]
    shown = {key: _shown(value) if isinstance(value, str) else value for key, value in values.items()}
    does = dict(zip(table["order"], row["clients"], strict=True)) | dict(clients or {})
    return Diagnostic(
        row.get("code", rule), row["severity"], line, row["message"].format(**shown), does, row.get("loads", True)
    )


def clients() -> tuple[str, ...]:
    """The clients of which is known what they do, the reference validator (`spec`) first."""
    return tuple(_table()["order"])


def outcome(diagnostics: Iterable[Diagnostic]) -> dict[str, str]:
    """What each client does with a skill of which all this is to be said: the worst that any of it makes it do."""
    ranks: list[str] = _table()["ranks"]
    worst = dict.fromkeys(clients(), ranks[0])
    for item in diagnostics:
        for client, does in item.clients.items():
            worst[client] = max(worst[client], does, key=ranks.index)
    return worst


def brief(diagnostics: Iterable[Diagnostic]) -> list[str]:
    """The messages, one for each code."""
    by_code: dict[str, list[str]] = {}
    for item in diagnostics:
        by_code.setdefault(item.code, []).append(item.message)
    return [first + (f" (and {len(rest)} more like it)" if rest else "") for first, *rest in by_code.values()]


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(RULES.read_text(encoding="utf-8"))


def _shown(value: str) -> str:
    """A value of any origin on one line."""
    plain = " ".join("".join(char if char.isprintable() else " " for char in value).split())
    return plain if len(plain) <= SHOWN else f"{plain[: SHOWN - 1]}…"
