"""The results of an audit as types: what every output is made from, and what `results.json` is written from.

Numbers that were not measured are None, with the reason beside them. Differences of the primary metric are shares of its scale,
more of which is better (0.05 are five points); other metrics keep their own unit and direction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from benchmark.suite.metric import Metric
from reports.outputs import Failure

#: Skill, agent, delivery: whose question a line belongs to.
Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class IntervalLine:
    """An estimate with its interval; without `low` and `high` the `reason` says why. `families` are the units it rests on."""

    estimate: float | None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    families: int | None = None
    p: float | None = None
    reason: str | None = None
    p_signflip: float | None = None
    p_adjusted: float | None = None


@dataclass(frozen=True, slots=True)
class Coverage:
    """What became of an arm's planned trials; the statuses add up to `planned`. `limited` ran into a limit."""

    planned: int
    measured: int = 0
    not_delivered: int = 0
    broken: int = 0
    contaminated: int = 0
    historical: int = 0
    not_run: int = 0
    limited: int = 0


@dataclass(frozen=True, slots=True)
class BothArms:
    """The coverage of the two arms of a contrast."""

    treated: Coverage
    base: Coverage


@dataclass(frozen=True, slots=True)
class ArmLine:
    """One arm: means over replicates, then projects, then families, of every metric in its own unit."""

    skill: str
    agent: str
    delivery: str
    condition: str
    injected: Sequence[str]
    planned: int
    measured: int
    not_delivered: int
    broken: int
    contaminated: int
    historical: int
    not_run: int
    limited: int
    projects: int
    metrics: Mapping[str, float | None]
    #: Of the primary metric, in its own unit.
    interval: IntervalLine
    #: What model judges cost, US dollars a trial; None where none was asked or the cost is not known.
    judge_usd: float | None = None

    @property
    def key(self) -> Key:
        return self.skill, self.agent, self.delivery


@dataclass(frozen=True, slots=True)
class ContrastLine:
    """One contrast: its `difference` on the primary metric, and `rho`, the token ratio over C0."""

    skill: str
    agent: str
    delivery: str
    name: str
    meaning: str
    metric: str
    difference: IntervalLine
    rho: IntervalLine
    rho_of_pairs: float | None
    families: Mapping[str, float]
    replicates: int
    partners: Sequence[str]
    caution: str | None

    @property
    def key(self) -> Key:
        return self.skill, self.agent, self.delivery


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """A verdict as it is spoken (`reports.verdicts.Verdict`), with whom it is of and its sentence."""

    skill: str
    agent: str
    model: str | None
    delivery: str
    client_version: str | None
    date: str | None
    estimate: float | None
    low: float | None
    high: float | None
    level: float
    reason: str | None
    word: str
    scope: str
    narrow: IntervalLine
    prediction: tuple[float, float] | None
    p: float | None
    p_adjusted: float | None
    p_signflip: float | None
    length: IntervalLine | None
    content: IntervalLine | None
    mechanisms: Sequence[str]
    reasons: Sequence[str]
    needed: tuple[int, int] | None
    needed_words: str
    families: int
    replicates: int
    planned: int
    measured: int
    broken: int
    not_delivered: int
    limited: int
    exploratory: str | None
    sentence: str

    @property
    def key(self) -> Key:
        return self.skill, self.agent, self.delivery

    @property
    def interval(self) -> IntervalLine:
        """C1 − C0 at the verdict's level."""
        return IntervalLine(self.estimate, self.low, self.high, self.level, self.families, self.p, self.reason, self.p_signflip)


@dataclass(frozen=True, slots=True)
class Gain:
    """What to expect of the primary metric, by the advice's own verdict; `shrunk` where it is one pair's."""

    estimate: float | None
    low: float | None
    high: float | None
    level: float
    shrunk: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class Overhead:
    """The token ratio: extra tokens over those of C0 (0.4 is 40 % more), or the `reason` why it is not known."""

    estimate: float | None
    low: float | None
    high: float | None
    level: float
    reason: str | None


@dataclass(frozen=True, slots=True)
class RestsOn:
    """What a row of advice rests on."""

    scope: str
    families: int
    replicates: int
    planned: int
    measured: int
    broken: int
    not_delivered: int
    limited: int
    projects: Sequence[str]
    client_version: str | None
    date: str | None


@dataclass(frozen=True, slots=True)
class AdviceRow:
    """Whether to inject a skill: for all projects of the audit (`stack` None) or those of one stack. See `reports.advice`."""

    schema: int
    skill: str
    agent: str
    model: str | None
    delivery: str
    stack: str | None
    action: str
    word: str
    basis: str
    gain: Gain
    overhead: Overhead
    why: str
    rests_on: RestsOn

    @property
    def key(self) -> Key:
        return self.skill, self.agent, self.delivery


@dataclass(frozen=True, slots=True)
class PairLine:
    """One project's effect after shrinkage, ± one standard deviation; None with the reason where nothing says how far."""

    skill: str
    agent: str
    delivery: str
    project: str
    estimate: float | None
    sd: float | None
    reason: str | None

    @property
    def key(self) -> Key:
        return self.skill, self.agent, self.delivery


@dataclass(frozen=True, slots=True)
class MetricParts:
    """A metric in both arms and their difference; `measured` counts the trials of either arm that have it."""

    treated: float | None
    base: float | None
    difference: IntervalLine
    measured: Sequence[int]


@dataclass(frozen=True, slots=True)
class MetricRow:
    """The same of one project or family, without an interval."""

    treated: float | None
    base: float | None
    difference: float | None
    measured: Sequence[int]
    reason: str | None


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """One project of a contrast."""

    project: str
    family: str
    coverage: BothArms
    metrics: Mapping[str, MetricRow]


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """One family of a contrast."""

    family: str
    projects: Sequence[str]
    coverage: BothArms
    metrics: Mapping[str, MetricRow]


@dataclass(frozen=True, slots=True)
class BreakdownLine:
    """One contrast on every metric, by project and by family."""

    skill: str
    agent: str
    delivery: str
    name: str
    meaning: str
    treated: str
    base: str
    metric: str
    overall: Mapping[str, MetricParts]
    projects: Sequence[ProjectRow]
    families: Sequence[FamilyRow]

    @property
    def key(self) -> Key:
        return self.skill, self.agent, self.delivery


@dataclass(frozen=True, slots=True)
class Reference:
    """A statistic under permuted labels: its mean and the middle 95 %. Not to be had: None with the reason."""

    mean: float | None
    low: float | None
    high: float | None
    draws: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Reliability:
    """How far one agent's pairs repeat themselves. `raw` is the mean r between halves, `value` stepped up to all replicates
    by Spearman and Brown, 2r / (1 + r); an r of zero or less stays what it is."""

    value: float | None
    raw: float | None
    pairs: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Correlation:
    """How two agents' pair effects go together, beside what noise alone would show."""

    agents: Sequence[str]
    r: float | None
    n: int
    reason: str | None
    noise: Reference
    reliability: Sequence[Reliability]
    reading: str | None


@dataclass(frozen=True, slots=True)
class GridCell:
    """C1 − C0 of one skill with one agent."""

    agent: str
    estimate: float | None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    families: int | None = None
    reason: str | None = None
    scope: str | None = None
    replicates: int | None = None
    caution: str | None = None
    coverage: BothArms | None = None


@dataclass(frozen=True, slots=True)
class GridRow:
    """One skill with every agent."""

    skill: str
    cells: Sequence[GridCell]


@dataclass(frozen=True, slots=True)
class MatrixTable:
    """The agents beside each other under one delivery."""

    delivery: str
    agents: Sequence[str]
    correlations: Sequence[Correlation]
    grid: Sequence[GridRow]


@dataclass(frozen=True, slots=True)
class Matrix:
    """The agents of an audit beside each other; `reason` says why there are no correlations."""

    tables: Sequence[MatrixTable]
    reason: str | None
    note: str


@dataclass(frozen=True, slots=True)
class CostArm:
    """An arm's quality (a share of the primary metric's scale, 1 best) and a trial's cost; `front` where no arm beats it."""

    agent: str
    condition: str
    quality: float | None
    interval: IntervalLine
    cost: float | None
    reason: str | None
    coverage: Coverage
    front: bool | None = None


@dataclass(frozen=True, slots=True)
class ExtraCost:
    """What one more solved task costs under C1; None with the reason where the gain's interval includes zero."""

    skill: str
    agent: str
    delivery: str
    unit: str | None
    value: float | None
    low: float | None
    high: float | None
    coverage: BothArms
    reason: str | None


@dataclass(frozen=True, slots=True)
class CostLine:
    """Quality against cost, of one skill under one delivery."""

    skill: str
    delivery: str
    arms: Sequence[CostArm]
    metric: str
    unit: str | None
    reason: str | None
    projects: Sequence[str]
    left_out: Sequence[str]
    note: str
    extra: Sequence[ExtraCost]


@dataclass(frozen=True, slots=True)
class DeliveryLine:
    """How one arm's skill reached the agent. See `reports.delivery`."""

    skill: str
    agent: str
    delivery: str
    condition: str
    injected: Sequence[str]
    trials: int
    not_delivered: int
    attempts: int
    listed: int | None
    readable: int
    read: int | None
    read_rate: float | None
    readable_trials: int
    read_trials: int | None
    first_read: float | None
    seen: float | None
    note: str | None

    @property
    def key(self) -> Key:
        return self.skill, self.agent, self.delivery


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Sums of one count of tokens; None where one was not given."""

    prompt_tokens: int | None
    cached_tokens: int | None
    completion_tokens: int | None


@dataclass(frozen=True, slots=True)
class TokenLine:
    """An arm's tokens as the gateway counted them and as the client did."""

    skill: str
    agent: str
    delivery: str
    condition: str
    attempts: int
    client_only: int
    differ: int
    gateway: TokenCounts
    client: TokenCounts

    @property
    def key(self) -> Key:
        return self.skill, self.agent, self.delivery


@dataclass(frozen=True, slots=True)
class Purity:
    """How many baselines are proven free of the skills that they are compared with."""

    of: int
    free: int
    contaminated: int
    unproven: Sequence[str]


@dataclass(frozen=True, slots=True)
class TrialLine:
    """One trial of the plan."""

    id: str
    project: str
    family: str
    condition: str
    delivery: str | None
    agent: str
    skill: str | None
    replicate: int
    status: str
    reason: str | None
    proven_free: bool | None
    unproven: str | None
    listed: int | None
    opened: int | None
    attempts: int
    limits: Sequence[str]
    metrics: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class AbsentArm:
    """An arm that the plan could not have, and why."""

    skill: str
    project: str
    condition: str
    reason: str


@dataclass(frozen=True, slots=True)
class SkillFacts:
    """A target skill: the bytes of its SKILL.md, their hash, and what there is to say of it."""

    bytes: int
    sha256: str
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class GateLine:
    """What a gate said of one question, or of none at all (then it has no skill). See `reports.gate`."""

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


@dataclass(frozen=True, slots=True)
class PanelFacts:
    """The design of the audit as the outputs need it; all of it is in `panel` of results.json."""

    replicates: int
    margin_points: float
    looks: int
    deliveries: Sequence[str]

    @property
    def margin(self) -> float:
        """The margin as a share of the primary metric's scale."""
        return self.margin_points / 100


@dataclass(frozen=True)
class Results:
    """All that an audit says. Sequences are in the plan's order; `metrics` are the suite's, the primary one first."""

    panel_hash: str
    #: The panel as it was planned, for results.json; `design` is what outputs read of it.
    panel: Mapping[str, Any]
    design: PanelFacts
    suite: str
    metrics: Sequence[Metric]
    scripted: bool
    local_models: Sequence[str]
    deliveries: Sequence[str]
    facts: Mapping[str, Mapping[str, int]]
    first_trial: str | None
    last_trial: str | None
    coverage: Coverage
    purity: Purity
    absent: Sequence[AbsentArm]
    quarantined: Mapping[str, Sequence[str]]
    skills: Mapping[str, SkillFacts]
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
    if is_dataclass(item) and not isinstance(item, type):
        return {one.name: as_json(getattr(item, one.name)) for one in fields(item)}
    if isinstance(item, Mapping):
        return {str(name): as_json(value) for name, value in item.items()}
    if isinstance(item, (list, tuple)):
        return [as_json(value) for value in item]
    return item
