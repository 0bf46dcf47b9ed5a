"""What a calibration draws from and what it finds, as it stands in calibration.toml and calibration.json."""

from typing import Any, NotRequired, TypedDict


class Case(TypedDict):
    """One case of a demonstration: of a chain's generating model, and of the way it is read."""

    families: int
    replicates: int
    tasks: int
    rate: str
    rates: tuple[float, ...]
    chain_sd: float
    family_sd: float
    skills: int
    method: str
    distinct: bool
    most: int
    first: int
    last: int
    failures: list[float]
    fresh: bool
    loss_points: float
    length: NotRequired[float]
    by: str
    effect_points: float


class CaseFigure(TypedDict):
    """What a case gave, its Monte-Carlo error, and whether METHOD's figure holds it."""

    case: str
    found: float
    error: float
    inside: bool | None


class DemonstrationFigures(TypedDict):
    """METHOD's figure and what its cases gave."""

    name: str
    what: str
    unit: str
    runs: int
    stated: tuple[float, float] | None
    low: float
    high: float
    inside: int | None
    cases: list[CaseFigure]


class Bar(TypedDict):
    """One bar of one cell: `bar` is METHOD's, `limit` what the cell is held against."""

    measure: str
    found: float | None
    side: str
    bar: float
    limit: float
    met: bool | None


class BarSummary(TypedDict):
    """One bar over the cells of a kind, with the cell that is nearest to failing or furthest beyond."""

    kind: str
    measure: str
    side: str
    bar: float
    limit: float
    cells: int
    met: int
    worst: float | None
    worst_cell: str | None


class Cell(TypedDict):
    """One cell of the grid: its setting, and what was said of its runs; `skipped` says why it cannot be generated."""

    name: str
    kind: str
    families: int
    replicates: int
    projects: int
    tasks: int
    rate: str
    rates: tuple[float, ...]
    chain_sd: float
    family_sd: float
    skills: int
    effect_points: float
    share: float
    effect: float
    runs: int
    skipped: NotRequired[str]
    achieved: NotRequired[Any]
    words: dict[str, float]
    scopes: dict[str, float]
    helps_or_hurts: float
    helps: float
    hurts: float
    coverage: float | None
    right: float | None
    without_interval: float
    errors: dict[str, float | None]
    bars: list[Bar]


class Skipped(TypedDict):
    name: str
    reason: str


class Calibration(TypedDict):
    """All that a calibration found."""

    grid: str
    seed: int
    runs: int
    margin_points: float
    monte_carlo_sds: float
    jobs: int
    seconds: float
    met: bool
    bars: list[BarSummary]
    cells: list[Cell]
    skipped: list[Skipped]
    demonstrations: list[DemonstrationFigures]
