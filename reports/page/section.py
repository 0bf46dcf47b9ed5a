"""The details of one question (skill, agent, delivery): its pictures and tables as data for the template."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from benchmark.core.model import CONDITIONS
from benchmark.suite.metric import Metric
from benchmark.suite.section import Section
from reports.audit.delivery import named
from reports.audit.metrics import Audit, TrialObservation
from reports.formatting import in_table, level, points
from reports.page.cards import Card, anchor
from reports.page.strips import DIFFERENCES, Mark, StripRow, Strips, interval_row, strips
from reports.result_lines import ArmLine, ContrastLine, IntervalLine, Key, PairLine
from reports.result_tables import BreakdownLine, MetricParts
from reports.results import Results

#: The conditions of every audit; the others come with slices.
MAIN = ("C0", "C1", "C2")
#: The contrast of each name has the colour of its treated arm, that of content one of its own.
KINDS = {"C1−C0": "C1", "C2−C0": "C2", "C1−C2": "content"}
#: Rows of a picture or table by project or family.
ROWS = 60
SHRUNKEN = (
    "Shrunken: each project's own difference drawn towards the mean of all, as far as luck may have made it; ± one standard "
    "deviation."
)


@dataclass(frozen=True)
class ContrastView:
    """A contrast with the interval that the page shows of it, and its adjusted p."""

    line: ContrastLine
    shown: IntervalLine
    p_adjusted: float | None
    explored: bool


@dataclass(frozen=True)
class Parts:
    """ΔTotal and its parts; `sums` says whether the parts make up the total, `known` whether all of them are measured."""

    strips: Strips
    sums: bool
    known: bool


@dataclass(frozen=True)
class MetricView:
    """A metric in both arms, and their difference."""

    metric: Metric
    parts: MetricParts


@dataclass
class ProjectView:
    """The primary metric of every trial on one project, by arm, and the arms' means."""

    project: str
    family: str
    arms: dict[str, list[float | None]] = field(default_factory=lambda: defaultdict(list))

    @property
    def means(self) -> Mapping[str, float | None]:
        """The mean of each arm's measured trials."""
        known = {name: [value for value in values if value is not None] for name, values in self.arms.items()}
        return {name: sum(values) / len(values) if values else None for name, values in known.items()}


@dataclass(frozen=True)
class SectionView:
    """What the page shows of one question."""

    title: str
    anchor: str
    card: Card | None
    metric: Metric
    shown: Sequence[Metric]
    arms: Sequence[ArmLine]
    contrasts: Sequence[ContrastView]
    forest: Strips | None
    pairs: Strips
    arm_strips: Strips
    parts: Parts | None
    slices: Strips | None
    metrics: Sequence[MetricView]
    conditions: Sequence[str]
    projects: Sequence[ProjectView]
    more_projects: int
    #: What the suite adds to this question.
    added: Sequence[Section]


def section(results: Results, audit: Audit, card: Card | None, key: Key) -> SectionView:
    """What the page shows of one question; `card` is that of its verdict, None where C1 is not planned."""
    arms = {name: audit.arm(*key, name) for name in CONDITIONS}
    skill, agent, delivery = key
    how = named(delivery, results.deliveries)
    lines = [line for line in results.arms if line.key == key]
    contrasts = [line for line in results.contrasts if line.key == key]
    breakdown = [line for line in results.breakdown if line.key == key]
    whole = next((line for line in breakdown if line.name == "C1−C0"), None)
    projects = _projects(arms, results.primary.name)
    return SectionView(
        title=f"{skill} with {agent}{f', {how}' if how else ''}",
        anchor=anchor(key),
        card=card,
        metric=results.primary,
        shown=[metric for metric in results.metrics if metric.shown],
        arms=lines,
        contrasts=[_contrast(line, card, breakdown) for line in contrasts],
        forest=_forest(contrasts, card),
        pairs=_pairs([pair for pair in results.pairs if pair.key == key]),
        arm_strips=_arm_strips(lines, results.primary),
        parts=_decomposition(card),
        slices=_slices(contrasts),
        metrics=_metrics(whole, results.metrics) if whole else [],
        conditions=[name for name, observations in arms.items() if observations or name in MAIN],
        projects=projects[:ROWS],
        more_projects=max(0, len(projects) - ROWS),
        added=[item for item in results.sections if item.question == key],
    )


def _contrast(line: ContrastLine, card: Card | None, parts: Sequence[BreakdownLine]) -> ContrastView:
    """A contrast for the table: that of the verdict has the verdict's interval, at the level of the page's questions."""
    if line.name == "C1−C0" and card is not None:
        return ContrastView(line, card.line.interval, card.line.p_adjusted, False)
    part = next((part for part in parts if part.name == line.name), None)
    adjusted = part.overall[part.metric].difference.p_adjusted if part else None
    return ContrastView(line, line.difference, adjusted, True)


def _forest(contrasts: Sequence[ContrastLine], card: Card | None) -> Strips | None:
    """The families' differences and what they come to: the verdict's interval, and the prediction for a new family."""
    line = next((line for line in contrasts if line.name == "C1−C0"), None)
    if line is None or card is None:
        return None
    families = list(line.families.items())
    rows = [StripRow(name, value, said=points(value), mark="square", kind="C0") for name, value in families[:ROWS]]
    note = f"{level(card.line.level)} interval"
    rows.append(interval_row("all families", card.line.interval, kind=card.kind, note=note))
    if card.line.prediction:
        low, high = card.line.prediction
        said = f"{points(low)} to {points(high)}"
        rows.append(StripRow("a new family", None, low, high, said, "80 % prediction", card.kind))
    return replace(strips(rows), more=max(0, len(families) - ROWS))


def _pairs(pairs: Sequence[PairLine]) -> Strips:
    """Shrunken differences by project, with one standard deviation to either side; or the reason why there are none."""
    known = [(pair, pair.estimate, pair.sd) for pair in pairs if pair.estimate is not None and pair.sd is not None]
    reason = next((pair.reason for pair in pairs if pair.reason), "no project has both arms measured")
    rows = [
        StripRow(pair.project, estimate, estimate - sd, estimate + sd, f"{points(estimate)} ± {100 * sd:.1f}", mark="dot")
        for pair, estimate, sd in known[:ROWS]
    ]
    return replace(strips(rows), more=max(0, len(known) - ROWS), reason=None if known else reason, note=SHRUNKEN)


def _arm_strips(arms: Sequence[ArmLine], metric: Metric) -> Strips:
    """The arms on the metric's own scale."""
    scale = metric.scale
    low, high = (end if end is not None else other for end, other in ((scale.low, 0.0), (scale.high, 1.0)))
    rows = []
    for line in arms:
        interval, name = line.interval, line.condition
        said = in_table(interval.estimate, metric)
        if interval.low is not None and interval.high is not None:
            # What lies outside the scale is no part of its interval.
            ends = (min(high, max(low, end)) for end in (interval.low, interval.high))
            said += f" ({' to '.join(in_table(end, metric) for end in ends)})"
        note = f"{line.measured} of {line.planned} trials"
        rows.append(StripRow(name, interval.estimate, interval.low, interval.high, said, note, name[:2], _mark(name)))
    return strips(rows, within=(low, high), tick=lambda value: f"{100 * value:g}" if metric.unit == "share" else f"{value:g}")


def _mark(condition: str) -> Mark:
    """Arms differ in shape as well as in colour."""
    marks: dict[str, Mark] = {"C0": "square", "C1": "diamond"}
    return marks.get(condition[:2], "dot")


def _decomposition(card: Card | None) -> Parts | None:
    """ΔTotal and its parts, ΔLength and ΔContent; None without C2."""
    if card is None or card.line.length is None or card.line.content is None:
        return None
    lines = (
        ("ΔTotal", card.line.interval, "C1 − C0: what the skill does in all", "C1"),
        ("ΔLength", card.line.length, "C2 − C0: what as much irrelevant text does", "C2"),
        ("ΔContent", card.line.content, "C1 − C2: what its content does", "content"),
    )
    rows = [
        interval_row(name, line, note=f"{note}; {level(line.level or 0)} interval", kind=kind)
        for name, line, note, kind in lines
    ]
    total, length, content = (line.estimate for _, line, _, _ in lines)
    if total is None or length is None or content is None:
        return Parts(strips(rows), False, False)
    return Parts(strips(rows), abs(total - length - content) < 1e-9, True)


def _slices(contrasts: Sequence[ContrastLine]) -> Strips | None:
    rows = [
        interval_row(
            line.name,
            line.difference,
            note=line.meaning,
            kind=line.name.split("−")[1][:2],
            dots=tuple(line.families.values()),
        )
        for line in contrasts
        if line.name not in KINDS
    ]
    return strips(rows, within=DIFFERENCES) if rows else None


def _metrics(parts: BreakdownLine, metrics: Sequence[Metric]) -> list[MetricView]:
    """Both arms and their difference on every metric but the primary."""
    return [MetricView(metric, parts.overall[metric.name]) for metric in metrics if not metric.primary]


def _projects(arms: Mapping[str, Sequence[TrialObservation]], metric: str) -> list[ProjectView]:
    """By project the primary metric of every trial, so that a reader sees what the means are made of."""
    rows: dict[str, ProjectView] = {}
    for name, observations in arms.items():
        for item in observations:
            row = rows.setdefault(item.project, ProjectView(item.project, item.family))
            row.arms[name].append(item.values.get(metric) if item.status == "measured" else None)
    return [rows[name] for name in sorted(rows)]
