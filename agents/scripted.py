"""What the scripted agents share: token estimates that say they are estimates."""

from collections.abc import Mapping

from agents.base import Ask
from benchmark.model import Usage


def estimate(ask: Ask, wrote: Mapping[str, bytes]) -> Usage:
    """Tokens as a quarter of the bytes: no model was asked, so this shows proportions and nothing more. Cost is zero."""
    return Usage(
        prompt_tokens=len(ask.prompt.encode()) // 4,
        cached_tokens=0,
        completion_tokens=sum(map(len, wrote.values())) // 4,
        usd=0.0,
        source="estimate",
        reason="scripted agent: tokens are bytes / 4, no model was asked",
    )
