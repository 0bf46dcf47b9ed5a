"""What a well-formed trajectory can still have wrong: totals, call ids, times, references."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from agents.trajectory.models import FinalMetrics, Metrics, Step, SubagentRef, Trajectory

#: Fields of a step's metrics and of the final metrics that sum them up.
METRICS = {
    "prompt_tokens": "total_prompt_tokens",
    "completion_tokens": "total_completion_tokens",
    "cached_tokens": "total_cached_tokens",
    "cost_usd": "total_cost_usd",
}
INTERRUPTED = "interrupted"


def problems(trajectory: Trajectory) -> list[str]:
    """All that is wrong with a trajectory and its embedded ones, a line each that names the step and the value."""
    tree = list(_tree(trajectory, ""))
    found = [f"{where}{line}" for where, one in tree for line in _of_one(one)]
    return found + _of_references(tree)


class Sum:
    """A figure over the steps of a trajectory: what is known of it, and whether that is all."""

    def __init__(self) -> None:
        self.known: float = 0
        self.parts = 0
        self.complete = True

    def add(self, value: float | None) -> None:
        """Count one part; a part that is not known makes the sum incomplete."""
        if value is None:
            self.complete = False
        else:
            self.known += value
            self.parts += 1

    def merge(self, other: "Sum") -> None:
        """Count all parts of another sum."""
        self.known += other.known
        self.parts += other.parts
        self.complete = self.complete and other.complete

    @property
    def value(self) -> float | None:
        """The sum where every part is known and there is one, else None: unknown is never 0."""
        return self.known if self.complete and self.parts else None


def sums(trajectory: Trajectory, copied: bool = False) -> dict[str, Sum]:
    """The figures of METRICS over a trajectory's steps and its embedded subagents, once each.

    Steps of an earlier session (`is_copied_context`) are left out unless `copied`. A subagent counts with its own final
    metrics, which its client reported, and with its steps where these lack a figure.
    """
    result = {name: Sum() for name in METRICS}
    for step in trajectory.steps:
        if step.source == "agent" and step.llm_call_count != 0 and (copied or not step.is_copied_context):
            for name, figure in result.items():
                figure.add(getattr(step.metrics, name, None))
    for child in trajectory.subagent_trajectories or ():
        below = sums(child, copied)
        for name, figure in result.items():
            told = getattr(child.final_metrics, METRICS[name], None)
            if told is None:
                figure.merge(below[name])
            else:
                figure.add(told)
    return result


def disagreements(trajectory: Trajectory, final: FinalMetrics) -> list[tuple[str, str]]:
    """Totals that are not the sum of their parts, or less than the known ones: the field, and both figures in words."""
    found = []
    with_copied = sums(trajectory, copied=True)
    for name, figure in sums(trajectory).items():
        field = METRICS[name]
        total = getattr(final, field)
        if total is None or _same(total, figure.known):
            continue
        if not figure.complete:
            if total < figure.known:
                text = f"{field} is {_figure(total)}, less than the {_figure(figure.known)} of the parts that have a figure"
                found.append((field, text))
            continue
        text = f"{field} is {_figure(total)}, its parts add up to {_figure(figure.known)}"
        if _same(total, with_copied[name].known):
            text += " without the copied steps"
        found.append((field, text))
    return found


def _figure(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.10g}"


def _same(left: float, right: float) -> bool:
    return math.isclose(left, right, rel_tol=1e-6, abs_tol=1e-9)


def _of_one(trajectory: Trajectory) -> Iterator[str]:
    yield from _of_steps(trajectory)
    yield from _of_calls(trajectory)
    yield from _of_times(trajectory)
    yield from _of_totals(trajectory)


def _of_steps(trajectory: Trajectory) -> Iterator[str]:
    for step in trajectory.steps:
        at = f"step {step.step_id}"
        if step.source == "user" and step.observation is not None:
            yield f"{at}: a user's step has an observation"
        if step.source != "agent" and step.llm_call_count is not None:
            yield f"{at}: llm_call_count is {step.llm_call_count} although the step's source is {step.source!r}"
        if step.metrics is not None:
            yield from (f"{at}: {line}" for line in _of_figures(step.metrics, ""))
            if step.metrics.prompt_tokens == 0:
                yield f"{at}: prompt_tokens is 0, and no model is called with nothing; not known is null"
        for path in _media(step):
            if wrong := _outside(path, urls=True):
                yield f"{at}: media path {path!r:.200} {wrong}"


def _of_figures(metrics: Metrics | FinalMetrics, prefix: str) -> Iterator[str]:
    names = list(METRICS.values()) if prefix else list(METRICS)
    for name in names:
        value = getattr(metrics, name)
        if value is not None and value < 0:
            yield f"{name} is {_figure(value)}, which is negative"
    prompt, cached = getattr(metrics, names[0]), getattr(metrics, names[2])
    if prompt is not None and cached is not None and cached > prompt:
        yield f"{names[2]} is {cached}, more than the {names[0]} of {prompt} that they are part of"


def _of_calls(trajectory: Trajectory) -> Iterator[str]:
    first: dict[str, int] = {}
    for step in trajectory.steps:
        answered = {result.source_call_id for result in step.results}
        stopped = _interrupted(step.extra)
        for call in step.tool_calls or ():
            name = call.tool_call_id
            if name in first:
                yield f"step {step.step_id}: call id {name!r:.80} was used before, in step {first[name]}"
            first.setdefault(name, step.step_id)
            if name not in answered and not stopped and not _interrupted(call.extra):
                yield f"step {step.step_id}: call {name!r:.80} of {call.function_name!r:.80} has no result and is not marked"


def _interrupted(extra: dict[str, object] | None) -> bool:
    return extra is not None and extra.get(INTERRUPTED) is True


def _of_times(trajectory: Trajectory) -> Iterator[str]:
    before: tuple[Step, datetime] | None = None
    for step in trajectory.steps:
        if step.timestamp is None:
            continue
        time = datetime.fromisoformat(step.timestamp)
        if before is not None:
            earlier, last = before
            at = f"step {step.step_id}: timestamp {step.timestamp}"
            if (time.tzinfo is None) != (last.tzinfo is None):
                kinds = ("has no time zone", "has one") if time.tzinfo is None else ("has a time zone", "has none")
                yield f"{at} {kinds[0]} and that of step {earlier.step_id} {kinds[1]}: {earlier.timestamp}"
            elif time < last:
                yield f"{at} is before that of step {earlier.step_id}, {earlier.timestamp}"
        before = (step, time)


def _of_totals(trajectory: Trajectory) -> Iterator[str]:
    final, notes = trajectory.final_metrics, (trajectory.notes or "").lower()
    if final is None:
        return
    yield from (f"final_metrics: {line}" for line in _of_figures(final, "total_"))
    for name, text in disagreements(trajectory, final):
        if name not in notes and not re.search(r"\btotals?\b", notes):
            yield f"final_metrics: {text}, and the notes do not explain it"
    count = len(trajectory.steps)
    if final.total_steps is not None and final.total_steps != count and "step" not in notes:
        yield f"final_metrics: total_steps is {final.total_steps}, there are {count} steps, and the notes do not explain it"


def _tree(trajectory: Trajectory, where: str) -> Iterator[tuple[str, Trajectory]]:
    """A trajectory and all embedded ones, with words that say which one a problem is in."""
    yield where, trajectory
    for child in trajectory.subagent_trajectories or ():
        yield from _tree(child, f"{where}subagent {child.trajectory_id!r:.80}: ")


def _of_references(tree: list[tuple[str, Trajectory]]) -> list[str]:
    names = Counter(one.trajectory_id for _, one in tree if one.trajectory_id is not None)
    found = [f"trajectory_id {name!r:.80} is there {count} times in the file" for name, count in names.items() if count > 1]
    starts = _starts(tree)
    for where, one in tree:
        continued = one.continued_trajectory_ref
        if continued is not None and (wrong := _outside(continued)):
            found.append(f"{where}continued_trajectory_ref {continued!r:.200} {wrong}")
        for step, ref in _references(one):
            at = f"{where}step {step.step_id}"
            name, path = ref.trajectory_id, ref.trajectory_path
            if path is not None and (wrong := _outside(path)):
                found.append(f"{at}: trajectory_path {path!r:.200} {wrong}")
            if path is None and name not in names:
                found.append(f"{at}: no trajectory in the file has the id {name!r:.80}")
            if name in names and _reaches(starts, name, one.trajectory_id):
                found.append(f"{at}: the subagent {name!r:.80} is, or started, the trajectory that refers to it")
    return found


def _references(trajectory: Trajectory) -> Iterator[tuple[Step, SubagentRef]]:
    for step in trajectory.steps:
        for result in step.results:
            yield from ((step, ref) for ref in result.subagent_trajectory_ref or ())


def _starts(tree: list[tuple[str, Trajectory]]) -> dict[str | None, set[str | None]]:
    """By trajectory id, the ids of what it embeds or refers to. Only a root can have none, and nothing refers to that."""
    starts: dict[str | None, set[str | None]] = {}
    for _, one in tree:
        below = starts.setdefault(one.trajectory_id, set())
        below.update(child.trajectory_id for child in one.subagent_trajectories or ())
        below.update(ref.trajectory_id for _, ref in _references(one))
    return starts


def _reaches(starts: dict[str | None, set[str | None]], start: str | None, goal: str | None) -> bool:
    """Whether what a trajectory started, and what that started in turn, comes to `goal`."""
    seen: set[str | None] = set()
    todo = [start]
    while todo:
        one = todo.pop()
        if one == goal and goal is not None:
            return True
        if one not in seen:
            seen.add(one)
            todo += starts.get(one, set())
    return False


def _media(step: Step) -> Iterator[str]:
    for content in (step.message, *(result.content for result in step.results)):
        if isinstance(content, tuple):
            yield from (part.source.path for part in content if part.source is not None)


def _outside(path: str, urls: bool = False) -> str | None:
    """What is wrong with a path that should lead to a file beside the trajectory or below, if anything."""
    if "://" in path or path.startswith("data:"):
        fetched = urls and path.startswith(("https://", "http://", "data:"))
        return None if fetched else "is an address and no file beside the trajectory"
    if not path.strip():
        return "is empty"
    parts = path.replace("\\", "/")
    if parts.startswith("/") or (len(parts) > 1 and parts[1] == ":"):
        return "is absolute; a path relative to the trajectory's file is needed"
    return "leads out of the trajectory's folder" if ".." in parts.split("/") else None
