"""Tokens of one answer, read from the usage that its provider reports, in each of the four wire formats.

A wrong number is worse than no number: what is implausible is not measured, with the reason.
"""

from typing import Any

from benchmark.core.json_types import JsonObject
from benchmark.core.model import Usage

#: More tokens than any model takes in one request: a provider that says so is wrong.
MOST_TOKENS = 100_000_000
NO_USAGE = "the provider reported no usage"

#: Prompt with all that was cached, cached, completion with all that was thought.
Counts = tuple[Any, Any, Any]


class Implausible(ValueError):
    """A count that is impossible; the message names it."""


def read_usage(wire: str, reported: JsonObject) -> Usage:
    """The tokens of a usage block, or a usage that says why there are none."""
    try:
        prompt, cached, completion = READ[wire](reported)
        for name, count in (("prompt", prompt), ("cached", cached), ("completion", completion)):
            _count(name, count)
        if prompt == 0:
            raise Implausible("0 prompt tokens")
        if cached > prompt:
            raise Implausible(f"{cached} cached of {prompt} prompt tokens")
    except Implausible as error:
        return Usage(reason=f"the provider's usage is implausible: {error}")
    return Usage(prompt_tokens=prompt, cached_tokens=cached, completion_tokens=completion, source="provider")


def _anthropic(usage: JsonObject) -> Counts:
    # What it thought is part of what it put out, and there is no total.
    read, created = _or_zero(usage.get("cache_read_input_tokens")), _or_zero(usage.get("cache_creation_input_tokens"))
    prompt = _count("prompt", usage.get("input_tokens")) + _count("cached", read) + _count("cached", created)
    return prompt, read, usage.get("output_tokens")


def _chat(usage: JsonObject) -> Counts:
    details = _mapping(usage.get("prompt_tokens_details"))
    # DeepSeek and Moonshot have names of their own for it.
    cached = details.get("cached_tokens", usage.get("cached_tokens", usage.get("prompt_cache_hit_tokens")))
    thought = _mapping(usage.get("completion_tokens_details")).get("reasoning_tokens", usage.get("reasoning_tokens"))
    completion = _completion(usage.get("prompt_tokens"), usage.get("completion_tokens"), thought, usage.get("total_tokens"))
    return usage.get("prompt_tokens"), _or_zero(cached), completion


def _responses(usage: JsonObject) -> Counts:
    cached = _mapping(usage.get("input_tokens_details")).get("cached_tokens")
    thought = _mapping(usage.get("output_tokens_details")).get("reasoning_tokens")
    completion = _completion(usage.get("input_tokens"), usage.get("output_tokens"), thought, usage.get("total_tokens"))
    return usage.get("input_tokens"), _or_zero(cached), completion


def _gemini(usage: JsonObject) -> Counts:
    # Gemini leaves out what is 0, and counts what tools put into the prompt apart.
    tools = _or_zero(usage.get("toolUsePromptTokenCount"))
    prompt = _count("prompt", usage.get("promptTokenCount")) + _count("prompt", tools)
    said, thought = _or_zero(usage.get("candidatesTokenCount")), _or_zero(usage.get("thoughtsTokenCount"))
    total = usage.get("totalTokenCount")
    # What it thought is beside what it said, also where no total proves it.
    total = prompt + _count("completion", said) + _count("reasoning", thought) if total is None else total
    return prompt, _or_zero(usage.get("cachedContentTokenCount")), _completion(prompt, said, thought, total)


def _completion(prompt: Any, said: Any, thought: Any, total: Any) -> int:
    """The completion with the model's thoughts in it. Most providers count them there; some report them beside it, and the
    total tells which (where it is missing: more thoughts than completion cannot be in it)."""
    prompt, said, thought = _count("prompt", prompt), _count("completion", said), _count("reasoning", _or_zero(thought))
    if total is None:
        return said if thought <= said else said + thought
    _count("total", total)
    if total == prompt + said:
        return said
    if total == prompt + said + thought:
        return said + thought
    beside = f" and {thought} reasoning" if thought else ""
    raise Implausible(f"{prompt} prompt, {said} completion{beside} tokens, {total} in total")


READ = {"anthropic": _anthropic, "chat": _chat, "responses": _responses, "gemini": _gemini}


def _count(name: str, value: Any) -> int:
    if value is None:
        raise Implausible(f"no {name} tokens")
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_TOKENS:
        raise Implausible(f"{name} tokens {str(value)[:40]!r}")
    return value


def _or_zero(value: Any) -> Any:
    return 0 if value is None else value


def _mapping(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}
