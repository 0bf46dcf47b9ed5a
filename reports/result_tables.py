"""What an audit says beside its verdicts: by project and family, agents beside each other, cost, delivery, trial by trial."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reports.result_lines import BothArms, IntervalLine, Key, TrialCoverage


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
class CorrelationLine:
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
    correlations: Sequence[CorrelationLine]
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
    coverage: TrialCoverage
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
    """How one arm's skill reached the agent. See `reports.audit.delivery`."""

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
class PurityLine:
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
