"""Gates: `--gate 'delta > -0.02 and verdict != HURTS'`, one expression that every verdict of an audit has to meet.

What could not be decided because something was not measured has failed: nothing passes by accident.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reports.result_lines import VerdictLine
from reports.results import GateLine, Results
from reports.verdict.expression import Node, Value, blamed, comparisons, measured, read, truth


@dataclass(frozen=True)
class VerdictRow:
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
    row: VerdictRow | None
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

    def line(self) -> GateLine:
        """The outcome as a line of the results."""
        row = self.row
        return GateLine(
            expression=self.expression,
            skill=row.skill if row else None,
            agent=row.agent if row else None,
            model=row.model if row else None,
            delivery=row.delivery if row else None,
            passed=self.passed,
            undecided=self.undecided,
            values=dict(self.values),
            parts=self.parts,
            missing=self.missing,
            why=self.why,
        )


@dataclass(frozen=True)
class Gate:
    """A parsed expression."""

    text: str
    root: Node

    def judge(self, rows: Sequence[VerdictRow]) -> list[Outcome]:
        """What the gate says of every row. No rows at all fail it: what was not measured passes nothing."""
        if not rows:
            return [Outcome(self.text, None, False, True, {}, missing=("no verdict was measured, nothing can pass",))]
        return [self._of(row) for row in rows]

    def _of(self, row: VerdictRow) -> Outcome:
        names = {name.text: name.key for part in comparisons(self.root) for name in part.names}
        values = {text: measured(row.values.get(key)) for text, key in names.items()}
        found = truth(self.root, row.values)
        against = list(dict.fromkeys(blamed(self.root, row.values)))
        worth = {part.text: truth(part, row.values) for part in against}
        parts = [f"{text} is {'true' if value else 'false'}" for text, value in worth.items() if value is not None]
        unknown = {name.text: name.key for part in against for name in part.names if values[name.text] is None}
        missing = [f"{text} ({row.reasons.get(key) or 'no reason was recorded'})" for text, key in unknown.items()]
        return Outcome(self.text, row, found is True, found is None, values, tuple(parts), tuple(missing))


def row_of(results: Results, verdict: VerdictLine) -> VerdictRow:
    """The row of one verdict: its own numbers, the token ratio of its contrast, tokens and money of its C1 arm."""
    contrast = next((line for line in results.contrasts if line.key == verdict.key and line.name == "C1−C0"), None)
    arm = next((line for line in results.arms if line.key == verdict.key and line.condition == "C1"), None)
    decisive = next(iter(verdict.reasons), "the data give no interval")
    planned = verdict.planned
    values: dict[str, Value] = {
        "verdict": verdict.word.replace(" ", "_"),
        "delta": verdict.estimate,
        "low": verdict.low,
        "high": verdict.high,
        "measured": verdict.measured,
        "planned": planned,
        "families": verdict.families,
        "replicates": verdict.replicates,
        "broken": verdict.broken / planned if planned else None,
        "not_delivered": verdict.not_delivered / planned if planned else None,
        "limited": verdict.limited / planned if planned else None,
        "rho": contrast.rho.estimate if contrast else None,
        "tokens": arm.metrics["tokens"] if arm else None,
        "usd": arm.metrics["usd"] if arm else None,
    }
    # A session that stopped early has no verdict yet, and must not pass by having none.
    waiting = results.coverage.not_run
    if waiting:
        decisive = f"the plan is not finished, {waiting} of its trials have not run"
        values |= dict.fromkeys(("verdict", "delta", "low", "high"))
    reasons = {
        **dict.fromkeys(("verdict", "delta", "low", "high"), decisive),
        **dict.fromkeys(("broken", "not_delivered", "limited"), "no trial was planned"),
        "rho": (contrast.rho.reason if contrast else None) or "the plan has no such contrast",
        "tokens": "no trial with the skill has its tokens measured",
        "usd": "no trial with the skill has its cost measured",
    }
    return VerdictRow(verdict.skill, verdict.agent, verdict.model, verdict.delivery, values, reasons)


def outcomes(gates: Iterable[Gate], results: Results) -> list[GateLine]:
    """What all gates say of the results: the session fails where one has not passed."""
    rows = [row_of(results, verdict) for verdict in results.verdicts]
    return [outcome.line() for gate in gates for outcome in gate.judge(rows)]


def parse(text: str, metric: str) -> Gate:
    """The gate that `text` says; `metric` is the suite's primary one. Raises UsageError with the place of the fault."""
    root = read(text, metric)
    return Gate(" ".join(text.split()), root)


def _shown(value: Value) -> str:
    return f"{value:.6g}" if isinstance(value, int | float) else str(value)
