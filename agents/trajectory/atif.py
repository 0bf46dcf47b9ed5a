"""Trajectories in ATIF: the reader of versions 1.0 to 1.8 and the writer; models, builder and checks by one name.

What the format tolerates and a measurement must not (totals that do not add up, calls without a result) is found by
`problems`.
"""

import json
import math
from collections.abc import Iterator

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from agents.trajectory.builder import Builder
from agents.trajectory.checks import problems
from agents.trajectory.models import (
    CURRENT,
    AudioSource,
    ContentPart,
    FinalMetrics,
    ImageSource,
    Metrics,
    Observation,
    ObservationResult,
    Step,
    SubagentRef,
    ToolCall,
    Trajectory,
    TrajectoryAgent,
)
from agents.trajectory.text import CUT
from benchmark.core.json_types import JsonObject

__all__ = [
    "CUT",
    "AudioSource",
    "BadTrajectory",
    "Builder",
    "ContentPart",
    "FinalMetrics",
    "ImageSource",
    "Metrics",
    "Observation",
    "ObservationResult",
    "Step",
    "SubagentRef",
    "ToolCall",
    "Trajectory",
    "TrajectoryAgent",
    "problems",
    "read",
    "write",
]


class BadTrajectory(ValueError):
    """A file that is no ATIF trajectory: one line with the path of the bad field and what is wrong with it."""


def read(data: bytes) -> Trajectory:
    """The trajectory in a file of ATIF 1.0 to 1.8, with the version it declares. Raises BadTrajectory."""
    try:
        found = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_pairs, parse_constant=_Wrong, parse_float=_float)
        wrong = next(_wrongs(found, ""), None)
    except RecursionError:
        raise _bad("", "is nested too deeply to be a trajectory") from None
    except ValueError as error:
        raise _bad("", f"is not JSON in UTF-8: {error}") from None
    if wrong:
        raise _bad(*wrong)
    try:
        return Trajectory.model_validate(found)
    except ValidationError as error:
        raise _first(error) from None


def write(trajectory: Trajectory) -> bytes:
    """A trajectory as a file of ATIF 1.8, whatever version it was read from; what is None is left out."""
    data = _declared(trajectory).model_dump(exclude_none=True)
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False).encode()


def _declared(trajectory: Trajectory) -> Trajectory:
    """The trajectory with those in it, all of the version that is written."""
    children = trajectory.subagent_trajectories
    inside = None if children is None else tuple(_declared(child) for child in children)
    return trajectory.model_copy(update={"schema_version": CURRENT, "subagent_trajectories": inside})


class _Wrong(str):
    """Stands in a parsed file where JSON has something that it must not have, and says what."""


def _pairs(pairs: list[tuple[str, object]]) -> JsonObject:
    result: dict[str, object] = {}
    for key, value in pairs:
        result[key] = _Wrong("two values for this key") if key in result else value
    return result


def _float(text: str) -> float | _Wrong:
    value = float(text)
    return value if math.isfinite(value) else _Wrong(text)


def _wrongs(value: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, _Wrong):
        yield path, value if value.startswith("two") else f"{value:.40} is no number"
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _wrongs(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _wrongs(item, f"{path}[{index}]")


def _first(error: ValidationError) -> BadTrajectory:
    """The first error; of the branches of a union the one that got furthest tells most."""
    found = max(error.errors(include_url=False), key=lambda item: len(_fields(item)))
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in _fields(found)).lstrip(".")
    given = found["input"]
    if found["type"] == "rule":
        at = found.get("ctx", {})["at"]
        return _bad(".".join(part for part in (path, at) if part), found["msg"])
    if found["type"] == "extra_forbidden":
        return _bad(path, "is no field of ATIF")
    return _bad(path, found["msg"] + ("" if isinstance(given, dict | list) else f", not {given!r:.80}"))


def _fields(error: ErrorDetails) -> list[int | str]:
    """Where an error is, without the names of a union's branches, which are no fields."""
    *above, last = error["loc"] or ("",)
    kept = [part for part in above if not _branch(part)]
    return kept + ([last] if last != "" and (error["type"] == "extra_forbidden" or not _branch(last)) else [])


def _branch(part: int | str) -> bool:
    return isinstance(part, str) and ("[" in part or part in ("str", "int", "float", "image", "audio"))


def _bad(path: str, what: str) -> BadTrajectory:
    return BadTrajectory(" ".join(f"{path[:300] or 'the file'}: {what[:300]}".split()))
