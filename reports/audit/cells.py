"""An arm in numbers: the primary metric of its chains by project, and what is missing beside them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reports.audit.metrics import TrialObservation


@dataclass(frozen=True, slots=True)
class ArmCell:
    """One arm on one project. `values` are the metric of the measured replicates in the plan's order; the counts are trials.

    `broken` counts all that is missing for a reason of ours: broken, contaminated, historical or not run.
    """

    project: str
    family: str
    values: tuple[float, ...]
    planned: int
    broken: int = 0
    not_delivered: int = 0
    limited: int = 0


Arm = Mapping[str, ArmCell]


def cells(observations: Sequence[TrialObservation], metric: str) -> dict[str, ArmCell]:
    """The cells of an arm by project. A measured trial whose metric could not be had is missing as well."""
    groups: dict[str, list[TrialObservation]] = defaultdict(list)
    for item in observations:
        groups[item.project].append(item)
    return {project: _cell(project, items, metric) for project, items in sorted(groups.items())}


def _cell(project: str, items: Sequence[TrialObservation], metric: str) -> ArmCell:
    found = [item.values.get(metric) for item in items if item.status == "measured"]
    values = tuple(value for value in found if value is not None)
    undelivered = sum(item.status == "not_delivered" for item in items)
    return ArmCell(
        project,
        items[0].family,
        values,
        planned=len(items),
        broken=len(items) - len(values) - undelivered,
        not_delivered=undelivered,
        limited=sum(bool(item.limits) for item in items),
    )
