"""Judging one question beside taking its t interval alone: calibration asks about a million times."""

from typing import Any

import numpy as np
import pytest

from reports.audit.cells import ArmCell
from reports.stats.intervals import family_interval
from reports.verdict.verdicts import Question, judge

GROUP = "one question, eight families x 3"
ASKED = 300


def arms() -> list[dict[str, ArmCell]]:
    draw = np.random.default_rng(0).normal(0.4, 0.12, (2, 8, 3))
    return [{f"p{at}": ArmCell(f"p{at}", f"f{at}", tuple(row), 3) for at, row in enumerate(arm.tolist())} for arm in draw]


@pytest.mark.benchmark(group=GROUP)
def test_baseline_t_interval(benchmark: Any) -> None:
    treated, base = arms()
    differences = [sum(treated[name].values) / 3 - sum(base[name].values) / 3 for name in treated]
    benchmark.pedantic(lambda: [family_interval(differences, 0.95) for _ in range(ASKED)], rounds=5, warmup_rounds=1)


@pytest.mark.benchmark(group=GROUP)
def test_judged(benchmark: Any) -> None:
    treated, base = arms()
    question = [Question(("skill",), treated, base, None, 0)]
    benchmark.pedantic(lambda: [judge(question, margin=0.05) for _ in range(ASKED)], rounds=5, warmup_rounds=1)
    assert benchmark.stats.stats.median / ASKED < 0.001
