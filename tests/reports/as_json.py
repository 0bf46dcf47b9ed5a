"""The functions that make results, with what they give as results.json has it: what its readers see is what is tested."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from reports.audit import arm_pairs, breakdown, compare, contrasts, delivery
from reports.output import write
from reports.results import as_json
from reports.verdict import advice, gate
from reports.verdict import verdict_lines as spoken


def _as_json(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def called(*arguments: Any, **more: Any) -> Any:
        return as_json(function(*arguments, **more))

    return called


advise = _as_json(advice.advise)
arm = _as_json(contrasts.arm)
breakdown_lines = _as_json(breakdown.breakdown)
contrast = _as_json(contrasts.contrast)
coverage = _as_json(arm_pairs.coverage)
delivery_line = _as_json(delivery.delivery_line)
matrix = _as_json(compare.matrix)
outcomes = _as_json(gate.outcomes)
purity = _as_json(delivery.purity)
quality_and_cost = _as_json(compare.quality_and_cost)
token_line = _as_json(delivery.token_line)
verdict_lines = _as_json(spoken.verdict_lines)


def results(*arguments: Any, **more: Any) -> Any:
    """The results of an audit as JSON, without their sections."""
    return as_json(write.results(*arguments, **more))
