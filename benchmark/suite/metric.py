"""Metrics: named numbers of a record, on a declared scale. Those of tokens, money and time are every suite's."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from benchmark.core.model import Record
from benchmark.core.score import Scale

#: A number with None, or None with the reason why it was not measured.
Value = tuple[float | None, str | None]

COUNT = Scale(low=0)
LESS = Scale(low=0, better="lower")
#: The name under which reports keep the primary metric as a share of its scale, 0 worst and 1 best; no metric has it.
ORIENTED = "oriented"


@dataclass(frozen=True, slots=True)
class Metric:
    """A number of a record. `value` gives None with a reason where it was not measured.

    `scale` has its bounds and which direction is better; the primary one's needs both bounds. `unit` says how it is printed:
    "share" (0..1) in per cent, "tokens", "USD", "s", or the plural of what is counted or scored ("errors", "stars", "").
    `level` is "task" where it is a mean over the tasks of a trial, else "trial". `phrase` says a value of it in a sentence
    about an agent, with {} for the printed value. `shown` puts it into the tables of arms.
    """

    name: str
    title: str
    scale: Scale
    unit: str
    value: Callable[[Record], Value]
    level: Literal["trial", "task"] = "trial"
    primary: bool = False
    shown: bool = True
    phrase: str = ""

    @property
    def better(self) -> Literal["higher", "lower"]:
        """The direction that is better."""
        return self.scale.better


def measured(record: Record, number: float | None, reason: str | None = None) -> Value:
    """`number` of a record that was measured; of any other None, with the record's own reason."""
    if record.status != "measured":
        return None, record.reason or record.status
    return (None, reason or "not measured") if number is None else (float(number), None)


def _usage(name: str) -> Callable[[Record], Value]:
    return lambda record: measured(record, getattr(record.usage, name), record.usage.reason or "not reported")


#: What a trial cost: the same of every suite. What judges cost stands apart (`judge_usd`).
COST = (
    Metric("tokens", "tokens", LESS, "tokens", _usage("tokens")),
    Metric("prompt_tokens", "prompt tokens", LESS, "tokens", _usage("prompt_tokens"), shown=False),
    Metric("cached_tokens", "cached tokens", LESS, "tokens", _usage("cached_tokens")),
    Metric("completion_tokens", "completion tokens", LESS, "tokens", _usage("completion_tokens"), shown=False),
    Metric("usd", "cost", LESS, "USD", _usage("usd")),
    Metric("seconds", "wall time", LESS, "s", lambda record: measured(record, record.seconds)),
)


def task_mean(record: Record, scale: Scale, dimension: str | None = None) -> Value:
    """The mean over a trial's tasks of their last attempt's score, or of one dimension of it; None where one has none."""
    if record.status != "measured":
        return measured(record, None)
    values: list[float] = []
    for task in record.scored:
        score = task.score
        if score is not None and dimension is not None:
            score = score.dimensions.get(dimension)
        if score is None or score.value is None:
            return None, (score.reason if score else None) or f"{task.title}: not graded"
        values.append(score.value)
    if not values or not all(map(scale.contains, values)):
        return None, "no task has a score on this scale"
    return sum(values) / len(values), None
