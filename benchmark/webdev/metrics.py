"""The metrics of chains of tasks (WebDev-Skills-Bench §3, Models and metrics; METHOD.md, Metrics)."""

from benchmark.core.model import Record
from benchmark.core.score import UNIT, Scale
from benchmark.suite.metric import COUNT, Metric, Value, measured


def _share(count: int, record: Record) -> Value:
    return measured(record, count / record.task_count if record.task_count else None)


def depth(record: Record) -> int:
    """Task Completion Depth: the tasks solved before the first that was not."""
    return next((index for index, task in enumerate(record.scored) if task.outcome != "solved"), len(record.scored))


def _first_try(record: Record) -> list[bool]:
    return [bool(task.attempts) and task.attempts[0].solved for task in record.scored]


def _erred_first(record: Record) -> int:
    """The tasks reached whose first attempt did not solve them (Web-Bench's error@1, over all tasks)."""
    return sum(bool(task.attempts) and not task.attempts[0].solved for task in record.scored)


def _prefix(record: Record) -> int:
    return next((index for index, solved in enumerate(_first_try(record)) if not solved), len(record.scored))


METRICS = (
    Metric(
        "pass2",
        "Pass@2",
        UNIT,
        "share",
        lambda record: _share(depth(record), record),
        level="task",
        primary=True,
        phrase="solved {} of tasks",
    ),
    Metric("tcd", "TCD", COUNT, "tasks", lambda record: measured(record, depth(record))),
    Metric("pass1", "pass1", UNIT, "share", lambda record: _share(_prefix(record), record), level="task"),
    Metric("first_try", "first try", UNIT, "share", lambda record: _share(sum(_first_try(record)), record), level="task"),
    Metric(
        "error1",
        "error@1",
        Scale(low=0, high=1, better="lower"),
        "share",
        lambda record: _share(_erred_first(record), record),
        level="task",
    ),
)
