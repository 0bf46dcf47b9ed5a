"""What can be said of a SKILL.md: the diagnostics, of which `rules.toml` keeps code, severity and words.

What clients do with a skill of which they are said was asked of the clients: see `claims`.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from benchmark.core.model import Data

Severity = Literal["error", "warning", "note"]

RULES = Path(__file__).parent / "rules.toml"
#: The longest value that a message shows.
SHOWN = 80
#: Named by their usual abbreviations or names, where Unicode has no name or a longer one.
_NAMES = {"\ufeff": "BYTE ORDER MARK", "\0": "NUL", "\x1b": "ESCAPE", "\t": "TAB", "\n": "LINE FEED", "\r": "CARRIAGE RETURN"}
#: Scripts beyond ASCII and emoji are written with these two between letters, where they make a difference that is seen.
_JOINERS = "\u200c\u200d"


@dataclass(frozen=True)
class Diagnostic:
    """One thing that is to be said of a skill.

    `code` is stable; `rule` is the rule's name, by which is known what clients do. `line` counts from 1 in SKILL.md and is None
    where the file or the folder as a whole is meant.
    """

    code: str
    severity: Severity
    line: int | None
    message: str
    rule: str = ""


class _Rule(Data):
    """What is said under a rule's name; `listing` when it is only about how a client lists the skill."""

    code: str | None = None
    severity: Severity
    message: str
    listing: bool = False


class _RuleTable(Data):
    """All of the rules' file."""

    client_keys: tuple[str, ...]
    rules: dict[str, _Rule]


def found(rule: str, line: int | None = None, /, **values: Any) -> Diagnostic:
    """The diagnostic of a rule; `values` fill its message."""
    row = _table().rules[rule]
    shown = {key: _shown(value) if isinstance(value, str) else value for key, value in values.items()}
    return Diagnostic(row.code or rule, row.severity, line, row.message.format(**shown), rule)


def client_keys() -> frozenset[str]:
    """Keys of a frontmatter that some clients act on, though the specification does not know them."""
    return frozenset(_table().client_keys)


def brief(diagnostics: Iterable[Diagnostic]) -> list[str]:
    """The messages that bear on every delivery, one for each code."""
    by_code: dict[str, list[str]] = {}
    for item in diagnostics:
        rule = _table().rules.get(item.rule)
        if rule and rule.listing:
            continue
        by_code.setdefault(item.code, []).append(item.message)
    return [first + (f" (and {len(rest)} more like it)" if rest else "") for first, *rest in by_code.values()]


def visible(text: str) -> str:
    """A text in which characters that cannot be seen, or that a terminal obeys, are named: `<U+200B ZERO WIDTH SPACE>`."""
    return re.sub(r"(.)\1*", _named, text, flags=re.DOTALL)


def _named(run: re.Match[str]) -> str:
    char, count = run[1], len(run[0])
    around = run.string[max(0, run.start() - 1) : run.start()] + run.string[run.end() : run.end() + 1]
    if char.isprintable() or (char in _JOINERS and not around.isascii()):
        return run[0]
    name = _NAMES.get(char) or unicodedata.name(char, "CONTROL CHARACTER" if ord(char) < 160 else "")
    return f"<{f'{count} × ' if count > 1 else ''}U+{ord(char):04X}{f' {name}' if name else ''}>"


@cache
def _table() -> _RuleTable:
    return _RuleTable.model_validate(tomllib.loads(RULES.read_text(encoding="utf-8")))


def _shown(value: str) -> str:
    """A value of any origin on one line, with nothing invisible in it."""
    # Only what stands for a blank in plain text: other spaces are the fault that is to be told.
    plain = visible(" ".join(re.split(r"[ \t\r\n\f\v]+", value.strip(" \t\r\n\f\v"))))
    return plain if len(plain) <= SHOWN else f"{plain[: SHOWN - 1]}…"
