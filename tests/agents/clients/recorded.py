"""Logs as the real clients left them in a sandbox, and what the tests of their readers share."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

from agents.base import Done
from agents.clients.client import Client, ParsedLog
from agents.registry import make_agent
from agents.trajectory.atif import Trajectory, problems, write
from benchmark.core.files import Files
from benchmark.core.model import AgentSpec

DATA = Path(__file__).parents[2] / "data"
SCHEMA = json.loads((DATA / "atif-v1.8.schema.json").read_bytes())
MODEL = "scripted-model"


@dataclass(frozen=True)
class Door:
    """A way to a model that is never used."""

    model: str = MODEL
    url: str = "http://127.0.0.1:8110"
    socket: Path = Path("model.sock")


def client_of(name: str, model: str = MODEL, api_base: str | None = None) -> Any:
    found = make_agent(AgentSpec(name=name, model=model, api_base=api_base))
    assert isinstance(found, Client)
    return found


def case(client: str, name: str) -> tuple[Done, Files, list[list[int]]]:
    """How a captured run ended, its home, and the tokens that the server reported: prompt, cached, completion."""
    folder = DATA / "clients" / client / name
    if not folder.is_dir():
        found = json.loads(folder.with_name(f"{name}.json").read_bytes())
        said, errors = found["stdout"].encode(), found["stderr"].encode()
        home = {path: text.encode() for path, text in found["home"].items()}
        return Done(found["code"], said, errors, found["code"] == 124), home, found["reported"]
    about = json.loads((folder / "case.json").read_bytes())
    home = {f".{path.relative_to(folder / 'home')}": path.read_bytes() for path in (folder / "home").rglob("*.jsonl")}
    errors = folder / "stderr.txt"
    done = Done(
        about["code"],
        (folder / "stdout.jsonl").read_bytes(),
        errors.read_bytes() if errors.exists() else b"",
        about["late"],
    )
    return done, home, about["reported"]


def sound(told: ParsedLog) -> ParsedLog:
    """What was read, when nothing is wrong with its trajectory."""
    assert problems(told.trajectory) == []
    jsonschema.validate(json.loads(write(told.trajectory)), SCHEMA)
    return told


def ends(data: bytes, every: int) -> Iterator[int]:
    """Places to cut a log at: after each line, and within lines."""
    yield 0
    yield from (place + 1 for place, byte in enumerate(data) if byte == 10)
    yield from range(1, len(data), every)


def sums(reported: list[list[int]]) -> tuple[int, ...]:
    return tuple(sum(column) for column in zip(*reported, strict=True))


def calls(trajectory: Trajectory) -> list[tuple[str, str | None]]:
    """All calls by name with what came back of each."""
    found = []
    for step in trajectory.steps:
        for call in step.tool_calls or ():
            texts = [str(one.content) for one in step.results if one.source_call_id == call.tool_call_id]
            found.append((call.function_name, texts[0] if texts else None))
    return found


def costs(trajectory: Trajectory) -> list[list[int | None]]:
    """What each answer cost whose cost is known."""
    found = [step.metrics for step in trajectory.steps if step.metrics and step.metrics.prompt_tokens]
    return [[one.prompt_tokens, one.cached_tokens, one.completion_tokens] for one in found]


def embedded(trajectory: Trajectory) -> Trajectory:
    """The one subagent of a trajectory."""
    (child,) = list(trajectory.subagent_trajectories or ())
    return child


def rows(*found: dict[str, Any]) -> bytes:
    """Rows of a log."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in found)
