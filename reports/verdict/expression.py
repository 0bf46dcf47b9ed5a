"""The language of gates: what an expression may say, how it is read, and what it is worth.

Read by the parser below and never by Python's: numbers (`0.02`, `2%`), the names of NAMES, verdict words, `< <= > >= == !=`,
`and`, `or`, `not`, parentheses. A name that was not measured leaves its comparison undecided, and the rest follows Kleene's
logic of three values: `or` with a true side is true all the same.
"""

import difflib
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Literal, NoReturn

from benchmark.core.errors import UsageError

Unit = Literal["word", "share", "ratio", "count", "tokens", "USD"]
Value = float | str | None

#: What an expression may name, of one (skill, agent, model, delivery). `delta_<primary metric>` is another name of `delta`.
NAMES: Mapping[str, tuple[Unit, str]] = {
    "verdict": ("word", "the verdict: one of WORDS"),
    "delta": ("share", "C1 − C0 in the primary metric"),
    "low": ("share", "lower end of delta's interval, at the verdict's level"),
    "high": ("share", "upper end of delta's interval"),
    "rho": ("ratio", "token overhead of C1 over C0: 0.4 or 40% is 40 % more"),
    "tokens": ("tokens", "tokens of a trial with the skill, mean"),
    "usd": ("USD", "cost of a trial with the skill, mean"),
    "broken": ("share", "of the planned trials of C1 and C0 those that broke or did not run"),
    "not_delivered": ("share", "of the planned trials those whose skill was not within reach"),
    "limited": ("share", "of the planned trials those that ran into a limit"),
    "measured": ("count", "measured trials"),
    "planned": ("count", "planned trials"),
    "families": ("count", "families that the verdict rests on"),
    "replicates": ("count", "replicates an arm"),
}
WORDS = ("NOT_DELIVERED", "NO_PRACTICAL_EFFECT", "HELPS", "HURTS", "UNDECIDED")
OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}
LONGEST, DEEPEST = 500, 20
_NUMBER, _MARK = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?%?", r"[<>=!]=|[<>()+\-−]"
_TOKEN = re.compile(rf"(?P<number>{_NUMBER})|(?P<name>[A-Za-z_]\w*)|(?P<mark>{_MARK})", re.ASCII)
_HINTS = {
    **dict.fromkeys("'\"", "verdicts are written without quotes, as in verdict != HURTS"),
    **dict.fromkeys("*/", "there is no arithmetic"),
    "=": "write == to compare",
    "&": "write and",
    "|": "write or",
    "!": "write not, or != to compare",
    ".": "names have no parts",
    "%": "a percent sign follows its number, as in 5%",
}


@dataclass(frozen=True, slots=True)
class Operand:
    """A name (with its `key` in rows), a number or a verdict word, as it was written at `place`. Numbers have no unit."""

    text: str
    place: int
    unit: Unit | None
    key: str = ""
    value: Value = None

    def of(self, values: Mapping[str, Value]) -> Value:
        return measured(values.get(self.key)) if self.key else self.value


@dataclass(frozen=True, slots=True)
class Comparison:
    left: Operand
    operator: str
    right: Operand

    @property
    def text(self) -> str:
        return f"{self.left.text} {self.operator} {self.right.text}"

    @property
    def names(self) -> list[Operand]:
        return [side for side in (self.left, self.right) if side.key]


@dataclass(frozen=True, slots=True)
class Not:
    part: "Node"


@dataclass(frozen=True, slots=True)
class Joined:
    """Parts joined by `and` (every), or by `or`."""

    every: bool
    parts: tuple["Node", ...]


Node = Comparison | Not | Joined


def truth(node: Node, values: Mapping[str, Value]) -> bool | None:
    """What a node is worth; None is undecided, and decides nothing that the other parts do not."""
    if isinstance(node, Comparison):
        left, right = node.left.of(values), node.right.of(values)
        return None if left is None or right is None else OPERATORS[node.operator](left, right)
    if isinstance(node, Not):
        inner = truth(node.part, values)
        return None if inner is None else not inner
    found = [truth(part, values) for part in node.parts]
    if (not node.every) in found:
        return not node.every
    return None if None in found else node.every


def blamed(node: Node, values: Mapping[str, Value], wanted: bool = True) -> Iterator[Comparison]:
    """The comparisons that keep a node from being what is wanted of it."""
    if truth(node, values) is wanted:
        return
    if isinstance(node, Comparison):
        yield node
    elif isinstance(node, Not):
        yield from blamed(node.part, values, not wanted)
    else:
        for part in node.parts:
            yield from blamed(part, values, wanted)


def comparisons(node: Node) -> Iterator[Comparison]:
    """Every comparison of a node, as written from left to right."""
    if isinstance(node, Comparison):
        yield node
    else:
        for part in (node.part,) if isinstance(node, Not) else node.parts:
            yield from comparisons(part)


def measured(value: Value) -> Value:
    """NaN is no number: `!=` would pass by it."""
    return None if isinstance(value, float) and math.isnan(value) else value


def read(text: str, metric: str) -> Node:
    """The expression that `text` says; `metric` is the suite's primary one. Raises UsageError with the place of the fault."""
    if len(text) > LONGEST:
        raise UsageError(f"a gate has at most {LONGEST} characters, this one has {len(text)}; give several --gate instead")
    names = {**{name: (name, unit) for name, (unit, _) in NAMES.items()}, f"delta_{metric}": ("delta", "share")}
    return _Parser(text, names).whole()


def _fail(place: int, said: str) -> NoReturn:
    raise UsageError(f"gate: at character {place}: {said}")


class _Parser:
    """Reads one expression by recursive descent; `or` binds least, then `and`, then `not`, then comparisons."""

    def __init__(self, text: str, names: Mapping[str, tuple[str, Any]]) -> None:
        self._names = names
        self._tokens = list(self._split(text))
        self._at = self._depth = 0

    def _split(self, text: str) -> Iterator[tuple[str, str, int]]:
        """Kind, text and place (counted from 1) of every token; a last one of kind `end`."""
        at = 0
        while at < len(text):
            if text[at].isspace():
                at += 1
                continue
            found = _TOKEN.match(text, at)
            if not found:
                hint = _HINTS.get(text[at], "known are numbers, names, and, or, not, parentheses and < <= > >= == !=")
                _fail(at + 1, f"{text[at]!r} is not part of an expression; {hint}")
            yield str(found.lastgroup), found[0], at + 1
            at = found.end()
        yield "end", "the end", len(text) + 1

    def _next(self) -> tuple[str, str, int]:
        token = self._tokens[self._at]
        self._at += token[0] != "end"
        return token

    def _takes(self, word: str) -> bool:
        found = self._tokens[self._at][1] == word
        self._at += found
        return found

    def whole(self) -> Node:
        node = self._joined()
        kind, text, place = self._tokens[self._at]
        if kind == "end":
            return node
        if text in OPERATORS:
            _fail(place, f"{text!r} follows a whole comparison; join two comparisons with and")
        _fail(place, f"{text!r} is too much here; " + ("no ( is open" if text == ")" else "join comparisons with and or or"))

    def _joined(self, every: bool = False) -> Node:
        parts = [self._part(every)]
        while self._takes("and" if every else "or"):
            parts.append(self._part(every))
        return parts[0] if len(parts) == 1 else Joined(every, tuple(parts))

    def _part(self, every: bool) -> Node:
        return self._single() if every else self._joined(every=True)

    def _single(self) -> Node:
        _, text, place = self._tokens[self._at]
        if text not in ("not", "("):
            return self._comparison()
        self._at += 1
        self._depth += 1
        if self._depth > DEEPEST:
            _fail(place, f"{text!r} is nested more than {DEEPEST} deep; write it flatter, or give several --gate")
        node = Not(self._single()) if text == "not" else self._closed(place)
        self._depth -= 1
        return node

    def _closed(self, opened: int) -> Node:
        node = self._joined()
        if not self._takes(")"):
            _, text, place = self._next()
            _fail(place, f"{_quoted(text)} where ) is missing: the ( at character {opened} is open")
        return node

    def _comparison(self) -> Comparison:
        left = self._operand()
        _, operator, place = self._next()
        if operator not in OPERATORS:
            what = "names cannot be called" if operator == "(" else "a comparison needs one of < <= > >= == !="
            _fail(place, f"{_quoted(operator)} follows {left.text!r}; {what}, as in delta > -2%")
        right = self._operand()
        _check(left, operator, right, place)
        return Comparison(left, operator, right)

    def _operand(self) -> Operand:
        kind, text, place = self._next()
        sign = ""
        if text in ("-", "−", "+"):
            sign = "" if text == "+" else "-"
            kind, text, after = self._next()
            if kind != "number":
                _fail(after, f"{_quoted(text)} follows a sign; only numbers have signs, as in -2%")
        if kind == "number":
            number = float(sign + text.rstrip("%")) / (100 if text.endswith("%") else 1)
            if math.isinf(number):
                _fail(place, f"{text!r} is larger than any number")
            return Operand(sign + text, place, None, value=number)
        if kind != "name" or text in ("and", "or", "not"):
            _fail(place, f"{_quoted(text)} where a name, a number or a verdict is missing")
        if text in WORDS:
            return Operand(text, place, "word", value=text)
        if text not in self._names:
            _fail(place, f"{text!r} is not known; {_nearest(text, [*self._names, *WORDS])}")
        key, unit = self._names[text]
        return Operand(text, place, unit, key)


def _quoted(text: str) -> str:
    return text if text == "the end" else repr(text)


def _nearest(text: str, known: Sequence[str]) -> str:
    """The nearest names whatever their case, or all of them. `NO PRACTICAL EFFECT` is nearest to what begins with its NO."""
    wanted = text.casefold()
    folded = {name.casefold() for name in known}
    near = [wanted] if wanted in folded else [name for name in folded if name.startswith(f"{wanted}_")]
    near = near or difflib.get_close_matches(wanted, folded, n=2, cutoff=0.6)
    names = [name for name in known if name.casefold() in near]
    return f"did you mean {' or '.join(names)}?" if names else f"known: {', '.join(known)}"


def _check(left: Operand, operator: str, right: Operand, place: int) -> None:
    """Refuse comparisons that would mean something else than they say, or nothing: a gate must not pass by a slip."""
    if not left.key and not right.key:
        _fail(left.place, f"{left.text!r} and {right.text!r} are both fixed; name something measured, as in verdict != HURTS")
    if "word" in (left.unit, right.unit):
        if left.unit != right.unit or (left.key and right.key):
            _fail(place, f"{left.text} {operator} {right.text} has no meaning; verdict is compared with {', '.join(WORDS)}")
        if operator not in ("==", "!="):
            _fail(place, f"{operator!r} cannot order verdicts; use == or !=")
        return
    named, other = (left, right) if left.key else (right, left)
    if other.key:
        if named.unit != other.unit:
            _fail(place, f"{left.text} counts in {left.unit}, {right.text} in {right.unit}; compare like with like")
        return
    percent, size = other.text.endswith("%"), abs(float(other.value or 0))
    if percent and named.unit not in ("share", "ratio"):
        _fail(other.place, f"{other.text!r} is a percentage, {named.text} is not; write a plain number")
    if named.unit == "share" and (size > 1 or (size == 1 and not percent)):
        _fail(other.place, f"{other.text!r} is no share; {named.text} lies between -1 and 1, two points are 0.02 or 2%")
    if named.unit == "ratio" and size >= 10 and not percent:
        _fail(other.place, f"{other.text!r} is meant as a ratio; 40 % more tokens are 0.4 or 40%")
