"""The models of ATIF (Agent Trajectory Interchange Format), versions 1.0 to 1.8.

They hold every rule of the format, also those that its JSON Schema cannot express, and take any text and any JSON: lone
surrogates, endless nesting and numbers that JSON lacks become text that can be written.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from agents.trajectory.text import mend, plain
from benchmark.core.model import Data

Version = Literal[
    "ATIF-v1.0", "ATIF-v1.1", "ATIF-v1.2", "ATIF-v1.3", "ATIF-v1.4", "ATIF-v1.5", "ATIF-v1.6", "ATIF-v1.7", "ATIF-v1.8"
]
CURRENT: Version = "ATIF-v1.8"
#: The minor version of ATIF 1 in which a field came, `parts` being lists of content parts.
SINCE = {
    "is_copied_context": 5,
    "parts": 6,
    "trajectory_id": 7,
    "subagent_trajectories": 7,
    "llm_call_count": 7,
    "extra": 7,
    "audio": 8,
}
ALIASES = {
    "audio/mp3": "audio/mpeg",
    "audio/wave": "audio/wav",
    "audio/x-wav": "audio/wav",
    "audio/m4a": "audio/mp4",
    "audio/x-m4a": "audio/mp4",
    "audio/x-aac": "audio/aac",
    "audio/x-flac": "audio/flac",
    "audio/aif": "audio/aiff",
    "audio/x-aiff": "audio/aiff",
}
AGENT_ONLY = ("model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics")


def _object(value: object) -> object:
    return plain(value) if isinstance(value, dict) else value


def _number(value: object) -> object:
    if isinstance(value, bool):
        raise PydanticCustomError("number", "a number is needed")
    return value


def _wrong(at: str, message: str) -> PydanticCustomError:
    return PydanticCustomError("rule", "{message}", {"at": at, "message": message})


Text = Annotated[str, BeforeValidator(mend)]
Whole = Annotated[int, BeforeValidator(_number)]
Real = Annotated[float, BeforeValidator(_number)]
Json = Annotated[dict[str, object], BeforeValidator(_object)]


class Part(Data):
    """Base of the parts of a trajectory. `extra` fields hold what the format has no place for."""

    model_config = ConfigDict(allow_inf_nan=False)


class ImageSource(Part):
    """Where a picture is: a path relative to the trajectory's file, or a URL."""

    media_type: Literal["image/jpeg", "image/png", "image/gif", "image/webp"]
    path: Text


class AudioSource(Part):
    """Where a sound is; usual other names of media types are accepted."""

    media_type: Annotated[
        Literal["audio/wav", "audio/mpeg", "audio/mp4", "audio/aac", "audio/ogg", "audio/flac", "audio/webm", "audio/aiff"],
        BeforeValidator(lambda value: ALIASES.get(value, value) if isinstance(value, str) else value),
    ]
    path: Text
    duration_sec: Real | None = Field(default=None, ge=0)


def _kind(source: object) -> str:
    media = source.get("media_type") if isinstance(source, dict) else getattr(source, "media_type", None)
    return "audio" if str(media).startswith("audio") else "image"


Source = Annotated[Annotated[ImageSource, Tag("image")] | Annotated[AudioSource, Tag("audio")], Discriminator(_kind)]


class ContentPart(Part):
    """One part of a message or result: text, or a picture or sound by its source."""

    type: Literal["text", "image", "audio"]
    text: Text | None = None
    source: Source | None = None

    @model_validator(mode="after")
    def _fits(self) -> "ContentPart":
        if self.type == "text":
            if self.text is None or self.source is not None:
                raise _wrong("text", "a text part has a text and no source")
        elif self.text is not None or not isinstance(self.source, ImageSource if self.type == "image" else AudioSource):
            raise _wrong("source", f"an {self.type} part has a source of its kind and no text")
        return self


Content = Text | tuple[ContentPart, ...]


class SubagentRef(Part):
    """The trajectory of a subagent, embedded (`trajectory_id`) or in a file; `session_id` is only information."""

    trajectory_id: Text | None = None
    session_id: Text | None = None
    trajectory_path: Text | None = None
    extra: Json | None = None

    @model_validator(mode="after")
    def _named(self) -> "SubagentRef":
        if self.trajectory_id is None and self.trajectory_path is None:
            raise _wrong("", "a reference needs trajectory_id or trajectory_path")
        return self


class ToolCall(Part):
    """One call of a tool. `extra` {"interrupted": true} marks one that never came back."""

    tool_call_id: Text
    function_name: Text
    arguments: Json
    extra: Json | None = None


class ObservationResult(Part):
    """What came back, of the call `source_call_id` of the same step or of none."""

    source_call_id: Text | None = None
    content: Content | None = None
    subagent_trajectory_ref: tuple[SubagentRef, ...] | None = None
    extra: Json | None = None


class Observation(Part):
    """All that came back during a step."""

    results: tuple[ObservationResult, ...]


class Metrics(Part):
    """Tokens and US dollars of a step's model calls. `prompt_tokens` includes `cached_tokens`; None is not known."""

    prompt_tokens: Whole | None = None
    completion_tokens: Whole | None = None
    cached_tokens: Whole | None = None
    cost_usd: Real | None = None
    prompt_token_ids: tuple[Whole, ...] | None = None
    completion_token_ids: tuple[Whole, ...] | None = None
    logprobs: tuple[Real, ...] | None = None
    extra: Json | None = None


class FinalMetrics(Part):
    """Tokens and US dollars of a whole trajectory with its subagents; `total_steps` are its own steps."""

    total_prompt_tokens: Whole | None = None
    total_completion_tokens: Whole | None = None
    total_cached_tokens: Whole | None = None
    total_cost_usd: Real | None = None
    total_steps: Whole | None = Field(default=None, ge=0)
    extra: Json | None = None


class TrajectoryAgent(Part):
    """Who acted: the client, its version, and the model of steps that name none."""

    name: Text
    version: Text
    model_name: Text | None = None
    tool_definitions: tuple[Json, ...] | None = None
    extra: Json | None = None


class Step(Part):
    """One turn. `llm_call_count` 0 is an agent's step without a model call, None one where calls were not counted."""

    step_id: Whole = Field(ge=1)
    source: Literal["system", "user", "agent"]
    message: Content
    timestamp: Text | None = None
    model_name: Text | None = None
    reasoning_effort: Text | Whole | Real | None = None
    reasoning_content: Text | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    is_copied_context: bool | None = None
    llm_call_count: Whole | None = Field(default=None, ge=0)
    extra: Json | None = None

    @property
    def results(self) -> tuple[ObservationResult, ...]:
        """What came back during the step."""
        return self.observation.results if self.observation else ()

    @model_validator(mode="after")
    def _rules(self) -> "Step":
        if self.timestamp is not None and not is_time(self.timestamp):
            raise _wrong("timestamp", f"no ISO 8601 time: {self.timestamp!r:.80}")
        given = [name for name in AGENT_ONLY if getattr(self, name) is not None]
        if self.source != "agent" and given:
            raise _wrong(given[0], f"only agent steps have it, and this step's source is {self.source!r}")
        if self.source == "agent" and self.llm_call_count == 0:
            for name in ("metrics", "reasoning_content"):
                if getattr(self, name) is not None:
                    raise _wrong(name, "a step with llm_call_count 0 has none")
        calls = {call.tool_call_id for call in self.tool_calls or ()}
        for index, result in enumerate(self.results):
            if result.source_call_id is not None and result.source_call_id not in calls:
                at = f"observation.results[{index}].source_call_id"
                raise _wrong(at, f"no call of this step has the id {result.source_call_id!r:.80}")
        return self


class Trajectory(Part):
    """What an agent did, step by step; `subagent_trajectories` are whole trajectories of agents that it started."""

    schema_version: Version = CURRENT
    session_id: Text | None = None
    trajectory_id: Text | None = None
    agent: TrajectoryAgent
    steps: tuple[Step, ...] = Field(min_length=1)
    notes: Text | None = None
    final_metrics: FinalMetrics | None = None
    continued_trajectory_ref: Text | None = None
    subagent_trajectories: tuple["Trajectory", ...] | None = None
    extra: Json | None = None

    @model_validator(mode="after")
    def _rules(self) -> "Trajectory":
        for index, step in enumerate(self.steps):
            if step.step_id != index + 1:
                raise _wrong(f"steps[{index}].step_id", f"{step.step_id} instead of {index + 1}: steps are numbered from 1")
        seen: set[str] = set()
        for index, child in enumerate(self.subagent_trajectories or ()):
            at = f"subagent_trajectories[{index}].trajectory_id"
            if child.trajectory_id is None:
                raise _wrong(at, "an embedded trajectory needs one")
            if child.trajectory_id in seen:
                raise _wrong(at, f"{child.trajectory_id!r:.80} is the id of another one here")
            seen.add(child.trajectory_id)
        minor = int(self.schema_version.rpartition(".")[2])
        for at, name in _dated(self):
            if SINCE[name] > minor:
                raise _wrong(at, f"is part of ATIF-v1.{SINCE[name]} and later, and the file declares {self.schema_version}")
        return self


def is_time(text: str) -> bool:
    """Whether a text is an ISO 8601 time, with or without a zone."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _dated(trajectory: Trajectory) -> Iterator[tuple[str, str]]:
    """Where a trajectory has fields that came after version 1.0, and their names in SINCE."""
    for name in ("trajectory_id", "subagent_trajectories"):
        if getattr(trajectory, name) is not None:
            yield name, name
    for index, step in enumerate(trajectory.steps):
        at = f"steps[{index}]"
        for name in ("is_copied_context", "llm_call_count"):
            if getattr(step, name) is not None:
                yield f"{at}.{name}", name
        yield from _dated_content(f"{at}.message", step.message)
        for number, call in enumerate(step.tool_calls or ()):
            if call.extra is not None:
                yield f"{at}.tool_calls[{number}].extra", "extra"
        for number, result in enumerate(step.results):
            here = f"{at}.observation.results[{number}]"
            if result.extra is not None:
                yield f"{here}.extra", "extra"
            yield from _dated_content(f"{here}.content", result.content)
            for place, ref in enumerate(result.subagent_trajectory_ref or ()):
                if ref.trajectory_id is not None:
                    yield f"{here}.subagent_trajectory_ref[{place}].trajectory_id", "trajectory_id"


def _dated_content(at: str, content: Content | None) -> Iterator[tuple[str, str]]:
    if isinstance(content, tuple):
        yield at, "parts"
        for index, part in enumerate(content):
            if part.type == "audio":
                yield f"{at}[{index}]", "audio"
