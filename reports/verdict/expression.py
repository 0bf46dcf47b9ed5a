"""The language of gates: what an expression may say, how it is read, and what it is worth.

Numbers (`0.02`, `2%`), the names of NAMES, verdict words, `< <= > >= == !=`, `and`, `or`, `not`, parentheses. Python's parser
reads it, and of its tree only what is listed here is taken; nothing is ever run. A name that was not measured leaves its
comparison undecided, and the rest follows Kleene's logic of three values: `or` with a true side is true all the same.
"""

import ast
import difflib
import math
import re
import warnings
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
_SYMBOLS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
#: Characters, and levels of `and`, `or` and `not` inside each other.
LONGEST, DEEPEST = 500, 50
_NUMBER, _MARK = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", r"[<>=!]=|[<>()+\-]"
_TOKEN = re.compile(rf"\s*(?:(?P<number>{_NUMBER}%?)|(?P<name>[A-Za-z_]\w*)|(?P<mark>{_MARK}))\s*", re.ASCII)
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
    return _Reader(text, names).whole()


def _fail(place: int, said: str) -> NoReturn:
    raise UsageError(f"gate: at character {place}: {said}")


class _Reader:
    """Reads one expression: its words first, as only this language has them, then the tree that Python makes of it."""

    def __init__(self, text: str, names: Mapping[str, tuple[str, Any]]) -> None:
        self._names = names
        # A character for a character, so that places in the tree are places in what was written.
        self._text = "".join(" " if letter.isspace() else letter for letter in text).replace("−", "-")
        self._start = 0

    def whole(self) -> Node:
        self._check_words()
        # `5%` becomes `5J`, a number to Python that no gate has otherwise; and whole numbers may have zeros before them.
        text = re.sub(rf"(?<![\w.])({_NUMBER})%", r"\1J", self._text)
        text = re.sub(r"(?<![\w.])0+(?=\d+(?![\w.]))", lambda zeros: " " * len(zeros[0]), text)
        self._start = len(text) - len(text.lstrip())
        try:
            with warnings.catch_warnings(action="ignore"):  # `5%and` is fine
                tree = ast.parse(text.lstrip(), mode="eval")
        except SyntaxError as error:
            self._unreadable(error)
        return self._node(tree.body, 0)

    def _check_words(self) -> None:
        """See that there is nothing but words of this language, and that none follows another that it cannot follow."""
        at, before = len(self._text) - len(self._text.lstrip()), None
        while at < len(self._text):
            token = _TOKEN.match(self._text, at)
            if not token:
                hint = _HINTS.get(self._text[at], "known are numbers, names, and, or, not, parentheses and < <= > >= == !=")
                _fail(at + 1, f"{self._text[at]!r} is not part of an expression; {hint}")
            kind = str(token.lastgroup)
            word, start = token[kind], token.start(kind)
            operand = kind != "mark" and word not in ("and", "or", "not")
            if operand and before:
                _fail(start + 1, f"{word!r} follows {before!r}; join comparisons with and or or")
            if kind == "name" and operand and word not in self._names and word not in WORDS:
                _fail(start + 1, f"{word!r} is not known; {_nearest(word, [*self._names, *WORDS])}")
            before = word if operand or word == ")" else None
            at = token.end()

    def _unreadable(self, error: SyntaxError) -> NoReturn:
        """Say what Python could not read, in the words of gates."""
        # What is missing at the end has no place for Python.
        place = self._start + error.offset if error.offset else len(self._text) + 1
        word = _TOKEN.match(self._text, place - 1)
        quoted = repr(word[0].strip()) if word else "the end"
        if "never closed" in error.msg:
            _fail(place, f"the ( at character {place} is open; close it with )")
        if "unmatched" in error.msg:
            _fail(place, f"{quoted} is too much here; no ( is open")
        if "nested" in error.msg:
            _fail(place, "parentheses are nested too deep; write it flatter, or give several --gate")
        _fail(place, f"{quoted} where a name, a number or a verdict is missing")

    def _place(self, node: ast.expr) -> int:
        return self._start + node.col_offset + 1

    def _after(self, node: ast.expr) -> int:
        """The place of what follows a node, which may be in parentheses, or of the end."""
        end = self._start + (node.end_col_offset or 0)
        rest = self._text[end:]
        return end + len(rest) - len(rest.lstrip(" )")) + 1

    def _node(self, node: ast.expr, depth: int) -> Node:
        if depth >= DEEPEST and not isinstance(node, ast.Compare):
            _fail(self._place(node), f"it is nested more than {DEEPEST} deep; write it flatter, or give several --gate")
        match node:
            case ast.BoolOp(op, values):
                return Joined(isinstance(op, ast.And), tuple(self._node(value, depth + 1) for value in values))
            case ast.UnaryOp(ast.Not(), part):
                return Not(self._node(part, depth + 1))
            case ast.Compare():
                return self._comparison(node)
        operand, after = self._operand(node), self._after(node)
        following = repr(self._text[after - 1]) if after <= len(self._text) else "the end"
        _fail(after, f"{following} follows {operand.text!r}; a comparison needs one of < <= > >= == !=, as in delta > -2%")

    def _comparison(self, node: ast.Compare) -> Comparison:
        symbols = [_SYMBOLS[type(one)] for one in node.ops]
        if len(symbols) > 1:
            _fail(
                self._after(node.comparators[0]),
                f"{symbols[1]!r} follows a whole comparison; join two comparisons with and",
            )
        left, right = self._operand(node.left), self._operand(node.comparators[0])
        _check(left, symbols[0], right, self._after(node.left))
        return Comparison(left, symbols[0], right)

    def _operand(self, node: ast.expr) -> Operand:
        place = self._place(node)
        match node:
            case ast.Name(text) if text in WORDS:
                return Operand(text, place, "word", value=text)
            case ast.Name(text):
                key, unit = self._names[text]
                return Operand(text, place, unit, key)
            case ast.Constant():
                return self._number(node, place, "")
            case ast.UnaryOp(ast.USub() | ast.UAdd() as sign, ast.Constant() as number):
                return self._number(number, place, "-" if isinstance(sign, ast.USub) else "")
            case ast.UnaryOp(ast.USub() | ast.UAdd(), part):
                _fail(self._place(part), f"{self._written(part)!r} follows a sign; only numbers have signs, as in -2%")
            case ast.Call(function):
                _fail(self._after(function), f"'(' follows {self._written(function)!r}; names cannot be called")
            case ast.BinOp(left):
                _fail(self._after(left), f"{self._text[self._after(left) - 1]!r} is too much here; there is no arithmetic")
        _fail(place, f"{self._written(node)!r} stands where a name, a number or a verdict is missing")

    def _number(self, node: ast.Constant, place: int, sign: str) -> Operand:
        text = self._written(node)
        number = float(sign + text.rstrip("%")) / (100 if text.endswith("%") else 1)
        if math.isinf(number):
            _fail(place, f"{text!r} is larger than any number")
        return Operand(sign + text, place, None, value=number)

    def _written(self, node: ast.expr) -> str:
        return self._text[self._start + node.col_offset : self._start + (node.end_col_offset or 0)]


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
