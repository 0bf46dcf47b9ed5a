"""Numbers as people read them: the only place where a number of a report becomes text."""

from pathlib import Path
from typing import Protocol

from benchmark.suite.metric import Metric

NOT_MEASURED = "not measured"


class Bounded(Protocol):
    """Anything with the ends of an interval, or the reason why there are none."""

    @property
    def estimate(self) -> float | None: ...

    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...

    @property
    def reason(self) -> str | None: ...


def amount(number: float | None) -> str:
    """A count for a narrow place: 950, 12.3k, 4.5M."""
    if number is None:
        return NOT_MEASURED
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:.1f}{letter}"
    return f"{number:.0f}"


def duration(seconds: float | None) -> str:
    """A duration for people."""
    if seconds is None:
        return NOT_MEASURED
    if seconds < 10:
        return f"{seconds:.1f} s"
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"


def dollars(value: float | None) -> str:
    """US dollars."""
    return NOT_MEASURED if value is None else f"${value:,.2f}"


def share(value: float | None) -> str:
    """A share in per cent."""
    return NOT_MEASURED if value is None else f"{100 * value:.1f} %"


def points(value: float | None) -> str:
    """A difference of shares in points with its sign; what rounds to nothing has none."""
    return NOT_MEASURED if value is None else _unsigned_zero(f"{100 * value:+.1f}")


def percent(value: float | None) -> str:
    """A ratio in whole per cent with its sign; what rounds to nothing has none."""
    return NOT_MEASURED if value is None else f"{_unsigned_zero(f'{100 * value:+.0f}')} %"


def _unsigned_zero(text: str) -> str:
    text = text.replace("-", "−")
    return text if text.strip("+−0.") else text.lstrip("+−")


def level(value: float) -> str:
    """The level of an interval: "95 %", "97.5 %"."""
    return f"{100 * value:.4g} %"


def bounds(line: Bounded) -> str:
    """The ends of an interval in points, or why there are none."""
    if line.low is None or line.high is None:
        return line.reason or "—"
    return f"[{points(line.low)}, {points(line.high)}]"


def percent_bounds(line: Bounded) -> str:
    """The ends of a ratio's interval in per cent, or why there are none."""
    if line.low is None or line.high is None:
        return line.reason or "—"
    return f"[{percent(line.low)}, {percent(line.high)}]"


def in_unit(value: float | None, metric: Metric) -> str:
    """A metric's value as its unit is read."""
    if value is None:
        return NOT_MEASURED
    how = {"share": share, "USD": dollars, "s": duration, "tokens": amount}.get(metric.unit)
    if how:
        return how(value)
    return f"{value:.1f} {metric.unit}".rstrip()


def in_table(value: float | None, metric: Metric) -> str:
    """The same for a column whose head says what is counted."""
    own = {"share": share, "USD": dollars, "s": duration, "tokens": amount}
    return in_unit(value, metric) if metric.unit in own or value is None else f"{value:.1f}"


def phrase(value: float | None, metric: Metric) -> str:
    """A metric's value in a sentence about an agent: "solved 23 % of tasks"."""
    text = in_unit(value, metric)
    return metric.phrase.format(text) if metric.phrase else f"reached {text} in {metric.title}"


def near(path: Path) -> str:
    """A path as short as it can be said from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
