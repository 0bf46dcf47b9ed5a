"""What the scripted agents share: how they tell what they did, and token estimates that say they are estimates."""

from collections.abc import Mapping
from typing import ClassVar

from agents.base import AttemptRequest, AttemptResult
from agents.trajectory.atif import Builder
from benchmark.core.model import AgentSpec, Delivery, Usage


class Scripted:
    """Base of the agents that write only what the suite itself holds. They see a skill in the prompt and nowhere else."""

    name: ClassVar[str]
    version = "1"
    scripted = True
    provider: str | None = None
    deliveries: tuple[Delivery, ...] = ("prompt",)
    bundled: frozenset[str] = frozenset()

    def __init__(self, spec: AgentSpec) -> None:
        del spec

    def told(self, request: AttemptRequest, message: str, wrote: Mapping[str, bytes]) -> AttemptResult:
        """The run of an attempt in which these files were written."""
        usage = estimate(request, wrote)
        builder = Builder(self.name, self.version)
        builder.user(request.prompt)
        builder.agent(message, usage=usage)
        return AttemptResult(builder.build(), usage)


def estimate(request: AttemptRequest, wrote: Mapping[str, bytes]) -> Usage:
    """Tokens as a quarter of the bytes: no model was asked, so this shows proportions and nothing more. Cost is zero."""
    return Usage(
        prompt_tokens=len(request.prompt.encode()) // 4,
        cached_tokens=0,
        completion_tokens=sum(map(len, wrote.values())) // 4,
        usd=0.0,
        source="estimate",
        reason="scripted agent: tokens are bytes / 4, no model was asked",
    )
