"""Intervals of the statistics as lines of the results."""

from reports.result_lines import IntervalLine
from reports.stats.intervals import Interval


def interval_line(interval: Interval, *, sign_flip: bool = False) -> IntervalLine:
    """An interval as results keep it; with `sign_flip` also the p of that second opinion, which takes its time."""
    return IntervalLine(
        estimate=interval.estimate,
        low=interval.low,
        high=interval.high,
        level=interval.level,
        families=interval.units,
        p=interval.p,
        reason=interval.reason,
        p_signflip=interval.p_signflip if sign_flip else None,
    )
