"""Trajectories for tests: a good one, and short ways to change it."""

import json
from pathlib import Path
from typing import Any

from agents.trajectory.atif import ToolCall, Trajectory, read
from benchmark.core.model import Usage

SCHEMA = json.loads((Path(__file__).parents[2] / "data" / "atif-v1.8.schema.json").read_bytes())
CALL = {"tool_call_id": "a", "function_name": "sh", "arguments": {"command": "ls", "cwd": None}}
IMAGE = {"type": "image", "source": {"media_type": "image/png", "path": "shot.png"}}
SOUND = {"type": "audio", "source": {"media_type": "audio/mp3", "path": "beep.mp3"}}


def usage(prompt: int, cached: int = 0, completion: int = 1, usd: float | None = 0.01) -> Usage:
    return Usage(prompt_tokens=prompt, cached_tokens=cached, completion_tokens=completion, usd=usd, source="provider")


def good() -> dict[str, Any]:
    """A file of version 1.8 with nothing wrong."""
    return {
        "schema_version": "ATIF-v1.8",
        "agent": {"name": "a", "version": "1"},
        "steps": [
            {"step_id": 1, "source": "user", "message": "Do it.", "timestamp": "2026-01-01T10:00:00Z"},
            {
                "step_id": 2,
                "source": "agent",
                "message": "",
                "timestamp": "2026-01-01T10:00:01+00:00",
                "tool_calls": [CALL],
                "observation": {"results": [{"source_call_id": "a", "content": "app.js"}]},
                "metrics": {"prompt_tokens": 10, "cached_tokens": 4, "completion_tokens": 2, "cost_usd": 0.1},
                "llm_call_count": 1,
            },
        ],
        "final_metrics": {"total_prompt_tokens": 10, "total_cost_usd": 0.1, "total_steps": 2},
    }


def child(**fields: Any) -> dict[str, Any]:
    steps = [{"step_id": 1, "source": "user", "message": "Look."}]
    return {"trajectory_id": "sub", "agent": {"name": "a", "version": "1"}, "steps": steps, **fields}


def changed(path: str, value: Any, base: dict[str, Any] | None = None) -> dict[str, Any]:
    """The good file with one field set, `path` being like steps.1.message."""
    data = json.loads(json.dumps(base or good()))
    *above, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place = data
    for part in above:
        place = place[part]
    place[last] = value
    return data


def load(data: dict[str, Any]) -> Trajectory:
    return read(json.dumps(data).encode())


def calls_of(made: Trajectory, index: int) -> list[ToolCall]:
    return list(made.steps[index].tool_calls or ())


def refs(*items: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"source_call_id": "a", "subagent_trajectory_ref": list(items)}]
