"""What the readers of clients' logs share. A log was written by a program that could be ended anywhere, and beside an agent
that can write into it: nothing in it needs to be what it should be.
"""

import json
from collections.abc import Callable, Container, Iterable
from typing import TYPE_CHECKING

from agents.base import Done
from benchmark.core.json_types import JsonObject

if TYPE_CHECKING:
    from agents.trajectory.atif import Builder, Trajectory

#: How the gateway signs its own errors.
GATEWAY = "Skill Assay"
#: Agents within agents, that deep and no deeper.
DEPTH = 20
#: Characters of a message.
BRIEF = 300


def json_lines(data: bytes) -> list[JsonObject]:
    """The JSON objects among the lines; others (banners, a last line that was cut off) are left out."""
    rows = []
    for line in data.splitlines():
        if not line.lstrip().startswith(b"{"):
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            rows.append(row)
    return rows


def last_line(data: bytes) -> str:
    """The last line of what a program said, short enough for a message."""
    lines = data.decode("utf-8", errors="replace").strip().splitlines()
    return lines[-1][:BRIEF] if lines else "it said nothing"


def died(done: Done) -> str:
    """Why a client ended that left no word of its own in its log."""
    return f"it ended with exit code {done.code}: {last_line(done.errors or done.output)}"


def brief(said: object) -> str:
    """What somebody said as one line, short enough for a message."""
    return " ".join(str(said).split())[:BRIEF]


def by_gateway(said: str) -> bool:
    """Whether an error is the gateway's own refusal, of which it knows better than the client what it means."""
    return f"{GATEWAY}:" in said


def plain_prompt(prompt: str) -> str:
    """The prompt for clients that take a line which starts with a slash for a command: after a blank it is text."""
    return (" " if prompt.startswith("/") else "") + prompt


def dicts(value: object) -> list[JsonObject]:
    """The objects among what may be a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def object_at(holder: object, key: str) -> JsonObject:
    """The object that an object has under a key; an empty one where either is none."""
    found = holder.get(key) if isinstance(holder, dict) else None
    return found if isinstance(found, dict) else {}


def string(value: object) -> str | None:
    """What is a text and not empty."""
    return value if isinstance(value, str) and value else None


def count(value: object) -> int | None:
    """What is a number of something."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def content_text(content: object) -> str:
    """The text of a message or result: a text, or the texts among its parts; other parts are named by their kind."""
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) if "text" in part else f"[{part.get('type')}]" for part in dicts(content))


def embed(
    builder: "Builder",
    started: Iterable[tuple[str | None, str | None]],
    known: Container[str],
    done: set[str],
    depth: int,
    child: Callable[[str, int], "Trajectory"],
) -> None:
    """Put the agents that calls started into a trajectory, each once: `started` are calls with the names of their agents.

    `child` gives the trajectory of an agent by its name, and how deep it lies.
    """
    for call, name in started:
        if name is not None and name in known and name not in done and depth < DEPTH:
            done.add(name)
            builder.subagent(child(name, depth + 1), call)
