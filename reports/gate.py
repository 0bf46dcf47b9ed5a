"""Gates: `--gate 'delta_pass2 > -0.02 and verdict != HURTS'`, one expression that every verdict of an audit has to meet.

What could not be decided because something was not measured has failed: nothing passes by accident.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reports.expression import Node, Value, blamed, comparisons, measured, read, truth


@dataclass(frozen=True)
class Row:
    """What is known of one verdict: `values` by name, None where not measured, with why in `reasons`."""

    skill: str
    agent: str
    model: str | None
    delivery: str
    values: Mapping[str, Value]
    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What a gate said of one row, or of no rows at all: then it has no skill.

    `parts` are the comparisons that decided against it, with their truth; `missing` what was not measured, with why.
    """

    expression: str
    row: Row | None
    passed: bool
    undecided: bool
    values: Mapping[str, Value]
    parts: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def why(self) -> str:
        """One sentence: of whom, the expression, the part that failed it, and the values it had."""
        row = self.row
        of = f" for {', '.join(name for name in (row.skill, row.agent, row.delivery) if name)}" if row else ""
        had = ", ".join(f"{name} = {_shown(value)}" for name, value in self.values.items() if value is not None)
        said = [f"gate {'holds' if self.passed else 'failed'}{of}: {self.expression}"]
        if not self.passed:
            said += [", ".join(self.parts)] if self.parts else []
            said += [f"not measured: {', '.join(self.missing)}"] if self.missing else []
        return "; ".join([*said, *([had] if had else [])])

    def line(self) -> dict[str, Any]:
        """The outcome as JSON."""
        row = self.row
        return {
            "expression": self.expression,
            "skill": row.skill if row else None,
            "agent": row.agent if row else None,
            "model": row.model if row else None,
            "delivery": row.delivery if row else None,
            "passed": self.passed,
            "undecided": self.undecided,
            "values": dict(self.values),
            "parts": list(self.parts),
            "missing": list(self.missing),
            "why": self.why,
        }


@dataclass(frozen=True)
class Gate:
    """A parsed expression."""

    text: str
    root: Node

    def judge(self, rows: Sequence[Row]) -> list[Outcome]:
        """What the gate says of every row. No rows at all fail it: what was not measured passes nothing."""
        if not rows:
            return [Outcome(self.text, None, False, True, {}, missing=("no verdict was measured, nothing can pass",))]
        return [self._of(row) for row in rows]

    def _of(self, row: Row) -> Outcome:
        names = {name.text: name.key for part in comparisons(self.root) for name in part.names}
        values = {text: measured(row.values.get(key)) for text, key in names.items()}
        found = truth(self.root, row.values)
        against = list(dict.fromkeys(blamed(self.root, row.values)))
        worth = {part.text: truth(part, row.values) for part in against}
        parts = [f"{text} is {'true' if value else 'false'}" for text, value in worth.items() if value is not None]
        unknown = {name.text: name.key for part in against for name in part.names if values[name.text] is None}
        missing = [f"{text} ({row.reasons.get(key) or 'no reason was recorded'})" for text, key in unknown.items()]
        return Outcome(self.text, row, found is True, found is None, values, tuple(parts), tuple(missing))


def rows_of(results: Mapping[str, Any]) -> list[Row]:
    """A row for every verdict of the results."""
    return [row_of(results, verdict) for verdict in results.get("verdicts", ())]


def row_of(results: Mapping[str, Any], verdict: Mapping[str, Any]) -> Row:
    """The row of one verdict: its own numbers, ρ of its contrast, tokens and money of its C1 arm."""
    key = (verdict["skill"], verdict["agent"], verdict["delivery"])

    def own(kind: str, **what: str) -> Mapping[str, Any]:
        lines = [line for line in results.get(kind, ()) if (line["skill"], line["agent"], line["delivery"]) == key]
        return next((line for line in lines if all(line[name] == value for name, value in what.items())), {})

    rho = own("contrasts", name="C1−C0").get("rho", {})
    treated = own("arms", condition="C1").get("metrics", {})
    decisive = next(iter(verdict["reasons"]), "the data give no interval")
    planned = verdict["planned"]
    values: dict[str, Any] = {
        "verdict": verdict["word"].replace(" ", "_"),
        "delta": verdict["estimate"],
        **{name: verdict[name] for name in ("low", "high", "measured", "planned", "families", "replicates")},
        **{name: verdict[name] / planned if planned else None for name in ("broken", "not_delivered", "limited")},
        "rho": rho.get("estimate"),
        **{name: treated.get(name) for name in ("tokens", "usd")},
    }
    # A session that stopped early has no verdict yet, and must not pass by having none.
    waiting = results.get("coverage", {}).get("not_run", 0)
    if waiting:
        decisive = f"the plan is not finished, {waiting} of its trials have not run"
        values |= dict.fromkeys(("verdict", "delta", "low", "high"))
    reasons = {
        **dict.fromkeys(("verdict", "delta", "low", "high"), decisive),
        **dict.fromkeys(("broken", "not_delivered", "limited"), "no trial was planned"),
        "rho": rho.get("reason") or "the plan has no such contrast",
        "tokens": "no trial with the skill has its tokens measured",
        "usd": "no trial with the skill has its cost measured",
    }
    return Row(*key[:2], verdict.get("model"), key[2], values, reasons)


def outcomes(gates: Iterable[Gate], results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What all gates say of the results, as JSON: the session fails where one has not passed."""
    rows = rows_of(results)
    return [outcome.line() for gate in gates for outcome in gate.judge(rows)]


def parse(text: str, metric: str = "pass2") -> Gate:
    """The gate that `text` says; `metric` is the suite's primary one. Raises UsageError with the place of the fault."""
    root = read(text, metric)
    return Gate(" ".join(text.split()), root)


def _shown(value: Value) -> str:
    return f"{value:.6g}" if isinstance(value, int | float) else str(value)
