"""Steps of a trajectory while it is built: what comes back of a step's calls is joined to it later."""

from dataclasses import dataclass, field
from typing import Literal

from agents.trajectory.checks import INTERRUPTED
from agents.trajectory.models import (
    ContentPart,
    Metrics,
    Observation,
    ObservationResult,
    Step,
    SubagentRef,
    ToolCall,
)

Source = Literal["system", "user", "agent"]


@dataclass
class OpenCall:
    """A call: the client's id of it may repeat, `id` does not."""

    step: int
    id: str
    name: str
    arguments: dict[str, object]
    answered: bool = False


@dataclass
class OpenResult:
    """What came back of a call, or of none. The agents that a call started may be known before it `came`."""

    call: str | None
    content: str | tuple[ContentPart, ...] | None = None
    error: bool = False
    came: bool = False
    subagents: list[str] = field(default_factory=list)


@dataclass
class OpenStep:
    """A step with its calls and what came back of them so far."""

    source: Source
    message: str
    timestamp: str | None
    copied: bool
    reasoning: str | None = None
    metrics: Metrics | None = None
    model: str | None = None
    call_count: int | None = None
    calls: list[OpenCall] = field(default_factory=list)
    results: list[OpenResult] = field(default_factory=list)
    extra: dict[str, object] | None = None

    def closed(self, number: int) -> Step:
        """The step as the format has it, with the calls that never came back marked."""
        calls = tuple(
            ToolCall(
                tool_call_id=call.id,
                function_name=call.name,
                arguments=call.arguments,
                extra=None if call.answered else {INTERRUPTED: True},
            )
            for call in self.calls
        )
        results = tuple(
            ObservationResult(
                source_call_id=result.call,
                content=result.content,
                subagent_trajectory_ref=tuple(SubagentRef(trajectory_id=name) for name in result.subagents) or None,
                extra={"error": True} if result.error else None,
            )
            for result in self.results
        )
        return Step(
            step_id=number,
            source=self.source,
            message=self.message,
            timestamp=self.timestamp,
            model_name=self.model,
            reasoning_content=self.reasoning,
            tool_calls=calls or None,
            observation=Observation(results=results) if results else None,
            metrics=self.metrics,
            is_copied_context=self.copied or None,
            llm_call_count=self.call_count,
            extra=self.extra,
        )
