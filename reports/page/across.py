"""What the page shows of all questions together: quality against cost, agents beside each other, delivery, routing advice."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from reports.audit.delivery import named
from reports.audit.metrics import Audit, TrialObservation
from reports.formatting import NOT_MEASURED
from reports.page import figures
from reports.page.cards import ACTIONS, anchor, overhead
from reports.page.strips import difference_words
from reports.result_lines import AdviceRow, ArmLine, Gain, Key
from reports.result_tables import CorrelationLine, CostLine, GridCell
from reports.results import Results
from reports.verdict.phrasing import counted

#: Pictures of quality against cost, and rows of long tables, of a page.
PICTURES, ROWS = 6, 150
#: Differences from which a cell of the matrix has its full colour.
FULL = 0.4


@dataclass(frozen=True)
class CostGroup:
    """Quality against cost of one skill under one delivery, with its picture."""

    line: CostLine
    title: str
    picture: str


@dataclass(frozen=True)
class Costs:
    """The groups that have room, and how many more there are."""

    groups: Sequence[CostGroup]
    more: int


def costs(results: Results, order: Sequence[Key]) -> Costs:
    """Quality against cost by skill and delivery, those first whose questions come first in `order`."""
    ranks = {(skill, delivery): at for at, (skill, _, delivery) in reversed(list(enumerate(order)))}
    lines = sorted(results.cost, key=lambda line: ranks.get((line.skill, line.delivery), len(ranks)))
    groups = [_cost(line, results, at < PICTURES) for at, line in enumerate(lines)]
    kept, rows = [], 0
    for group in groups:
        rows += len(group.line.arms)
        if rows <= ROWS:
            kept.append(group)
    return Costs(kept, len(groups) - len(kept))


def _cost(line: CostLine, results: Results, draw: bool) -> CostGroup:
    title = ", ".join(word for word in (line.skill, named(line.delivery, results.deliveries)) if word)
    placed = any(row.front is not None for row in line.arms)
    what = f"{results.primary.title}, % of its scale"
    picture = figures.cost(line.arms, line.unit or "", f"Quality against cost, {title}", what) if draw and placed else ""
    return CostGroup(line, title, picture)


@dataclass(frozen=True)
class CellView:
    """A cell of the matrix in words, with the class and depth of its colour."""

    said: str
    kind: str
    depth: int


@dataclass(frozen=True)
class MatrixRow:
    """A skill with all agents."""

    skill: str
    cells: Sequence[CellView]


@dataclass(frozen=True)
class CorrelationView:
    """A correlation between two agents in words."""

    line: CorrelationLine
    said: str
    noise: str
    halves: Sequence[str]


@dataclass(frozen=True)
class MatrixView:
    """The agents beside each other under one delivery."""

    how: str
    agents: Sequence[str]
    rows: Sequence[MatrixRow]
    more: int
    correlations: Sequence[CorrelationView]


def matrices(results: Results) -> list[MatrixView]:
    """The grid of every delivery, its cells with words and colour, and the correlations between agents in words."""
    return [
        MatrixView(
            how=named(table.delivery, results.deliveries),
            agents=table.agents,
            rows=[MatrixRow(row.skill, [_cell(cell) for cell in row.cells]) for row in table.grid[:ROWS]],
            more=max(0, len(table.grid) - ROWS),
            correlations=[_correlation(line) for line in table.correlations],
        )
        for table in results.matrix.tables
    ]


def _cell(cell: GridCell) -> CellView:
    """Deeper the larger the difference; open where the interval includes zero, so that colour alone claims nothing."""
    size = cell.estimate
    if size is None:
        return CellView(cell.reason or NOT_MEASURED, "", 0)
    told = cell.low is not None and cell.high is not None and (cell.low > 0 or cell.high < 0)
    kind = f"{'gain' if size > 0 else 'loss' if size < 0 else ''}{'' if told else ' open'}"
    return CellView(difference_words(cell), kind, round(min(1.0, abs(size) / FULL) * (55 if told else 30)))


def _correlation(line: CorrelationLine) -> CorrelationView:
    noise = line.noise
    ends = f" ({_number(noise.low)} to {_number(noise.high)})" if noise.low is not None else ""
    return CorrelationView(
        line=line,
        said=_number(line.r, line.reason),
        noise=_number(noise.mean, noise.reason) + ends,
        halves=[_number(half.value, half.reason) for half in line.reliability],
    )


def _number(value: float | None, reason: str | None = None) -> str:
    if value is None:
        return f"{NOT_MEASURED}{f': {reason}' if reason else ''}"
    return f"{value:+.2f}".replace("-", "−")


@dataclass(frozen=True)
class FunnelStep:
    """How many trials came so far, and the width of their bar in per cent."""

    step: str
    count: int
    wide: float


@dataclass(frozen=True)
class Funnel:
    """How far the trials of one arm came."""

    arm: ArmLine
    how: str
    steps: Sequence[FunnelStep]


@dataclass(frozen=True)
class Funnels:
    """The arms that lost trials, those that lost none (`whole`), and how many of these have no room."""

    arms: Sequence[Funnel]
    whole: Sequence[Funnel]
    more: int


def funnels(audit: Audit, results: Results) -> Funnels:
    """Of every arm how many of its trials came how far: planned, ran, within reach, listed, opened, measured."""
    made, seen = [], set()
    for line in results.arms:
        baseline = (line.skill, line.agent, line.measured, line.planned)
        # Deliveries share C0.
        if line.condition == "C0" and baseline in seen:
            continue
        seen |= {baseline} if line.condition == "C0" else set()
        steps = {"planned": line.planned, "ran": line.planned - line.not_run}
        if line.condition != "C0":
            steps["within reach"] = line.planned - line.not_run - line.not_delivered - line.broken
            # Under `prompt` the client lists nothing and nobody opens what stands in the prompt.
            if line.delivery != "prompt":
                measured = [item for item in audit.arm(*line.key, line.condition) if item.status == "measured"]
                steps |= {name: _trials(measured, name) for name in ("listed", "opened")}
        steps["measured"] = line.measured
        shares = [FunnelStep(step, count, 100 * count / (line.planned or 1)) for step, count in steps.items()]
        how = named(line.delivery, results.deliveries) if line.condition != "C0" else ""
        made.append(Funnel(line, how, shares))
    whole = [one for one in made if one.arm.measured == one.arm.planned]
    lossy = [one for one in made if one.arm.measured < one.arm.planned][:ROWS]
    room = max(0, ROWS - len(lossy))
    return Funnels(lossy, whole[:room], len(made) - len(lossy) - len(whole[:room]))


def _trials(items: Sequence[TrialObservation], what: str) -> int:
    """In how many trials an attempt's evidence has it."""
    return sum(any(one.evidence and getattr(one.evidence, what) is not None for one in item.attempts) for item in items)


@dataclass(frozen=True)
class AdviceView:
    """A row of advice in words."""

    row: AdviceRow
    did: str
    gained: str
    costs: str
    counts: str
    how: str
    anchor: str


@dataclass(frozen=True)
class AdviceGroups:
    """Rows by question, and how many more there are."""

    groups: Sequence[Sequence[AdviceView]]
    more: int


def advice(results: Results) -> AdviceGroups:
    """Routing advice by stack, what has a clear action first where not all have room. Recommendations only; not verdicts."""
    rows = [
        AdviceView(
            row=row,
            did=ACTIONS[row.action].removesuffix(" it"),
            gained=_gained(row.gain),
            costs=overhead(row.overhead),
            counts=counted(row.rests_on.families, row.rests_on.replicates),
            how=named(row.delivery, results.deliveries),
            anchor=anchor(row.key),
        )
        for row in results.advice
    ]
    rows.sort(key=lambda view: view.row.action == "test more")
    kept = sorted(rows[:ROWS], key=lambda view: (view.row.key, view.row.stack or ""))
    groups = [list(views) for _, views in groupby(kept, key=lambda view: view.row.key)]
    return AdviceGroups(groups, len(rows) - len(kept))


def _gained(gain: Gain) -> str:
    """What to expect in few words; why a number is missing is in advice.json."""
    if gain.estimate is None:
        return NOT_MEASURED
    told = difference_words(gain, because=False) + (", no interval" if gain.low is None else "")
    return told + (", one pair, shrunken" if gain.shrunk else "")
