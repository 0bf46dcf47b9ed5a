"""Tokens as providers report them, in each wire format: what of them is the model's thoughts, and what cannot be."""

from typing import Any

import pytest

from agents.token_counts import read_usage

#: (wire format, usage, prompt, cached, completion)
XAI = {
    "prompt_tokens": 10120,
    "completion_tokens": 1499,
    "total_tokens": 14428,
    "prompt_tokens_details": {"cached_tokens": 128},
    "completion_tokens_details": {"reasoning_tokens": 2809},
}
INSIDE = {
    "prompt_tokens": 100,
    "completion_tokens": 50,
    "total_tokens": 150,
    "completion_tokens_details": {"reasoning_tokens": 30},
}
BESIDE = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 22, "output_tokens_details": {"reasoning_tokens": 7}}
GEMINI = {"promptTokenCount": 10, "candidatesTokenCount": 5, "thoughtsTokenCount": 7}
READ = [
    ("chat", XAI, 10120, 128, 4308),
    ("chat", INSIDE, 100, 0, 50),
    ("chat", {**INSIDE, "total_tokens": None}, 100, 0, 50),
    # Without a total: more thoughts than completion cannot be a part of it.
    ("chat", {**XAI, "total_tokens": None}, 10120, 128, 4308),
    ("chat", {"prompt_tokens": 10, "completion_tokens": 0, "total_tokens": 17, "reasoning_tokens": 7}, 10, 0, 7),
    ("responses", BESIDE, 10, 0, 12),
    ("responses", {**BESIDE, "output_tokens": 12, "total_tokens": 22}, 10, 0, 12),
    ("gemini", GEMINI, 10, 0, 12),
    ("gemini", {**GEMINI, "totalTokenCount": 22}, 10, 0, 12),
    ("gemini", {**GEMINI, "candidatesTokenCount": 12, "totalTokenCount": 22}, 10, 0, 12),
    ("gemini", {"promptTokenCount": 10, "toolUsePromptTokenCount": 3, "totalTokenCount": 13}, 13, 0, 0),
    ("anthropic", {"input_tokens": 4, "output_tokens": 9, "output_tokens_details": {"thinking_tokens": 7}}, 4, 0, 9),
]
NEITHER = [
    (
        "chat",
        {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 900},
        "100 prompt, 50 completion tokens, 900 in total",
    ),
    ("chat", {**XAI, "total_tokens": 14427}, "10120 prompt, 1499 completion and 2809 reasoning tokens, 14427 in total"),
    ("responses", {**BESIDE, "total_tokens": 23}, "10 prompt, 5 completion and 7 reasoning tokens, 23 in total"),
    ("gemini", {**GEMINI, "totalTokenCount": 30}, "10 prompt, 5 completion and 7 reasoning tokens, 30 in total"),
    ("chat", {**INSIDE, "completion_tokens_details": {"reasoning_tokens": -1}}, "reasoning tokens '-1'"),
    ("chat", {**INSIDE, "total_tokens": "150"}, "total tokens '150'"),
    ("anthropic", {"input_tokens": 4}, "no completion tokens"),
]


@pytest.mark.parametrize(("wire", "reported", "prompt", "cached", "completion"), READ)
def test_thoughts_are_counted_once_wherever_they_are_reported(
    wire: str, reported: dict[str, Any], prompt: int, cached: int, completion: int
) -> None:
    usage = read_usage(wire, reported)
    assert (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens) == (prompt, cached, completion)
    assert (usage.source, usage.reason) == ("provider", None)


@pytest.mark.parametrize(("wire", "reported", "why"), NEITHER)
def test_numbers_that_do_not_add_up_are_not_measured(wire: str, reported: dict[str, Any], why: str) -> None:
    usage = read_usage(wire, reported)
    assert (usage.tokens, usage.source) == (None, "none")
    assert usage.reason == f"the provider's usage is implausible: {why}"
