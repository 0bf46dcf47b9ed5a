"""The results of an audit as types: what every output is made from, and what `results.json` is written from.

Numbers that were not measured are None, with the reason beside them. Differences of the primary metric are shares of its scale,
more of which is better (0.05 are five points); other metrics keep their own unit and direction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from benchmark.core.model import Data
from benchmark.core.panel import Panel
from benchmark.core.stored_plan import Absent, PlannedSkill
from benchmark.suite.metric import Metric
from reports.failures import Failure
from reports.result_lines import AdviceRow, ArmLine, ContrastLine, PairLine, TrialCoverage, VerdictLine
from reports.result_tables import BreakdownLine, CostLine, DeliveryLine, Matrix, PurityLine, TokenLine, TrialLine


@dataclass(frozen=True, slots=True)
class GateLine:
    """What a gate said of one question, or of none at all (then it has no skill). See `reports.verdict.gate`."""

    expression: str
    skill: str | None
    agent: str | None
    model: str | None
    delivery: str | None
    passed: bool
    undecided: bool
    values: Mapping[str, float | str | None]
    parts: Sequence[str]
    missing: Sequence[str]
    why: str


@dataclass(frozen=True)
class Results:
    """All that an audit says. Sequences are in the plan's order; `metrics` are the suite's, the primary one first."""

    panel_hash: str
    panel: Panel
    suite: str
    metrics: Sequence[Metric]
    scripted: bool
    local_models: Sequence[str]
    deliveries: Sequence[str]
    facts: Mapping[str, Mapping[str, int]]
    first_trial: str | None
    last_trial: str | None
    coverage: TrialCoverage
    purity: PurityLine
    absent: Sequence[Absent]
    quarantined: Mapping[str, Sequence[str]]
    skills: Mapping[str, PlannedSkill]
    arms: Sequence[ArmLine]
    contrasts: Sequence[ContrastLine]
    verdicts: Sequence[VerdictLine]
    advice: Sequence[AdviceRow]
    pairs: Sequence[PairLine]
    breakdown: Sequence[BreakdownLine]
    matrix: Matrix
    cost: Sequence[CostLine]
    delivery: Sequence[DeliveryLine]
    reported_tokens: Sequence[TokenLine]
    trials: Sequence[TrialLine]
    gates: Sequence[GateLine] = ()
    #: What the suite adds, as `Section`s; in results.json their tables.
    sections: Sequence[Any] = field(default_factory=tuple)

    @property
    def primary(self) -> Metric:
        """The metric that verdicts are of."""
        return next(metric for metric in self.metrics if metric.primary)


@dataclass(frozen=True)
class Written:
    """The results of an audit, the files made from them by name, and the outputs that could not be made, with the reason.

    `look` says why it could not be kept that the verdicts were spoken, where it could not.
    """

    results: Results
    files: Mapping[str, Path]
    failures: Sequence[Failure] = ()
    look: str | None = None

    @property
    def gates_hold(self) -> bool:
        """Whether every gate has passed."""
        return all(line.passed for line in self.results.gates)


def as_json(item: Any) -> Any:
    """A result as JSON has it: objects by their fields, sequences as lists."""
    if isinstance(item, Metric):
        scale = item.scale
        return {
            "name": item.name,
            "title": item.title,
            "unit": item.unit,
            "low": scale.low,
            "high": scale.high,
            "better": scale.better,
            "primary": item.primary,
        }
    if isinstance(item, Data):
        return item.model_dump(mode="json")
    if is_dataclass(item) and not isinstance(item, type):
        return {one.name: as_json(getattr(item, one.name)) for one in fields(item)}
    if isinstance(item, Mapping):
        return {str(name): as_json(value) for name, value in item.items()}
    if isinstance(item, (list, tuple)):
        return [as_json(value) for value in item]
    return item
