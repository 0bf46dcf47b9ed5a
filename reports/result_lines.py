"""What an audit says of its arms, its contrasts and its verdicts: one line of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
class TrialCoverage:
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

    treated: TrialCoverage
    base: TrialCoverage


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
    """A verdict as it is spoken (`reports.verdict.verdicts.Verdict`), with whom it is of and its sentence."""

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
    """Whether to inject a skill: for all projects of the audit (`stack` None) or those of one stack.

    See `reports.verdict.advice`.
    """

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
