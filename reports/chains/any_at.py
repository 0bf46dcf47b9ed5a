"""any@k: the chance that at least one of k replicates of an arm solves a task (METHOD.md, Metrics)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from reports.audit.arm_pairs import family_means, mean
from reports.audit.metrics import TrialObservation
from reports.stats.statistics import any_at_k


def any_at(observations: Sequence[TrialObservation], families: Mapping[str, str]) -> dict[int, float | None]:
    """any@k over replicates: the mean over tasks of the chance that one of k replicates solves it."""
    runs: dict[str, list[tuple[bool, ...]]] = defaultdict(list)
    for item in observations:
        if item.status == "measured":
            runs[item.project].append(item.solved)
    most = max((len(rows) for rows in runs.values()), default=0)
    result: dict[int, float | None] = {}
    for k in sorted({1, 2, min(3, most)} if most else ()):
        shares = {}
        for project, rows in runs.items():
            chances = [any_at_k(sum(task), len(rows), k) for task in zip(*rows, strict=True)]
            known = [chance for chance in chances if chance is not None]
            if len(known) == len(chances) and known:
                shares[project] = sum(known) / len(known)
        result[k] = mean(family_means(shares, families).values()) if len(shares) == len(runs) else None
    return result
