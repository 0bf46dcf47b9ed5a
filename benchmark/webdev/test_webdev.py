"""One case a trial of the `webdev` suite. A case passes when its trial was measured; what was solved is data."""

from typing import Any

import pytest

from benchmark.model import Record
from benchmark.text import visible


def test_trial(record: Record, subtests: Any, pytestconfig: pytest.Config) -> None:
    """The trial was measured. With `--must-solve`, every task that was not solved is a failed subtest."""
    if not pytestconfig.getoption("--must-solve"):
        return
    for task in record.tasks:
        with subtests.test(msg=visible(f"task {task.task}: {task.title}")):
            told = task.attempts[-1].feedback if task.attempts else "the chain had ended before it"
            assert task.outcome == "solved", visible(f"{task.outcome}: {told}", lines=True)
