"""One case a trial of the panel's suite, named by the trial's id. A case passes when its trial was measured."""

from typing import Any

import pytest

from benchmark.core.model import Record
from benchmark.core.text import visible


def test_trial(record: Record, subtests: Any, pytestconfig: pytest.Config) -> None:
    """The trial was measured. With `--must-solve`, every task that was not solved is a failed subtest."""
    if not pytestconfig.getoption("--must-solve"):
        return
    for task in record.tasks:
        with subtests.test(msg=visible(f"task {task.task}: {task.title}")):
            feedback = task.attempts[-1].feedback if task.attempts else "the tasks before it were not solved"
            score = task.score
            reached = task.outcome or (f"{score.value} {score.reason or ''}" if score else "not graded")
            assert score is not None and score.best, visible(f"{reached}: {feedback or 'no feedback'}", lines=True)
