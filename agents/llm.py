"""Asking a model through the gateway, our own dated prices, and litellm for those who translate between APIs."""

import json
import os
import re
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agents.base import Door
from benchmark.errors import Fault
from benchmark.model import Data, Usage
from benchmark.unix_http import unix_client

PRICES = Path(__file__).parent / "prices.toml"
#: Providers that run on machines of one's own: what they cost is not a matter of tokens.
OWN = ("ollama", "ollama_chat", "hosted_vllm", "vllm", "lm_studio", "llamafile", "local")
#: How providers say that a request does not fit.
TOO_LONG = re.compile(
    r"context.?(length|window|size)|(prompt|input|request) is too long|exceeds? the (maximum|max) (number of|allowed) .*tokens"
    r"|maximum context|too many (input )?tokens|input token count|reduce the length|request_too_large",
    re.IGNORECASE,
)
#: Text, or parts of text and pictures (data URLs) as the chat completions API has them.
Content = str | list[dict[str, Any]]
Message = dict[str, Content]


class Price(Data):
    """US dollars for a million tokens."""

    prompt: float
    cached: float
    completion: float


@dataclass(frozen=True)
class Reply:
    """One answer of a model. `cut` when it ended at the model's own output limit."""

    text: str
    usage: Usage
    cut: bool = False


class ContextOverflow(Exception):
    """The request does not fit the model's context: a limit the agent ran into, not a fault of ours."""


class ApiRefused(Exception):
    """The gateway or the provider refused the request; the gateway knows why, and whether that is a limit or a fault."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{message} (status {status})")
        self.status = status
        self.message = message


@cache
def prices() -> dict[str, Price]:
    """The price table of this repository by model id; its date stands in the file."""
    table = tomllib.loads(PRICES.read_text(encoding="utf-8"))
    return {name: Price.model_validate(row) for name, row in table["models"].items()}


def costs_money(model: str, api_base: str | None = None) -> bool:
    """Whether asking this model is paid for by the token: all but endpoints and servers of one's own."""
    return not api_base and model.partition("/")[0] not in OWN


def price_of(model: str, api_base: str | None = None) -> Price | None:
    """The price of a model by its id, with or without the provider in front; None for an endpoint of one's own."""
    if api_base:
        return None
    return prices().get(model) or prices().get(model.rpartition("/")[2])


def cost(price: Price | None, prompt: int, cached: int, completion: int) -> float | None:
    """US dollars of a call; cached tokens are part of the prompt's."""
    if price is None:
        return None
    return ((prompt - cached) * price.prompt + cached * price.cached + completion * price.completion) / 1e6


def too_long(status: int, said: str) -> bool:
    """Whether a provider's error says that the request does not fit the model's context."""
    return status == 413 or (status in (400, 422) and TOO_LONG.search(said) is not None)


def chat(door: Door, messages: Sequence[Message], *, seconds: float, max_tokens: int | None = None) -> Reply:
    """Ask the model behind `door` once. Temperature 0, as the study's protocol has it.

    Trying again, keys, prices and budgets are the gateway's. Raises TimeoutError when `seconds` are over, ContextOverflow,
    ApiRefused when the request is refused (a limit or a budget of ours included), and Fault when no answer can be had.
    """
    import httpx

    body: dict[str, Any] = {"model": door.model, "messages": list(messages), "temperature": 0}
    if max_tokens:
        body["max_tokens"] = max_tokens
    end = time.monotonic() + seconds
    try:
        with unix_client(door.socket, max(0.1, seconds)) as client:
            answer = client.post("/v1/chat/completions", json=body)
    except httpx.TimeoutException as error:
        raise TimeoutError(f"{door.model} did not answer within the attempt's time") from error
    except httpx.HTTPError as error:
        if time.monotonic() >= end:
            raise TimeoutError(f"{door.model} did not answer within the attempt's time") from error
        raise Fault(f"{door.model}: the gateway does not answer ({type(error).__name__})") from error
    if answer.status_code != 200:
        said = _said(answer.content)
        if too_long(answer.status_code, said):
            raise ContextOverflow(said)
        if 400 <= answer.status_code < 500:
            raise ApiRefused(answer.status_code, said)
        raise Fault(f"{door.model}: {said} (status {answer.status_code})")
    try:
        return _reply(answer.json())
    except (ValueError, LookupError, TypeError) as error:
        raise Fault(f"{door.model}: the answer is no chat completion ({type(error).__name__})") from error


def litellm() -> Any:
    """The library, imported when it is first needed (3 to 6 CPU seconds), without its look-ups in the network."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm as library

    library.suppress_debug_info = True
    library.drop_params = True
    library.num_retries = 0
    return library


def _reply(answer: Any) -> Reply:
    choice = answer["choices"][0]
    text = choice["message"].get("content") or ""
    if not isinstance(text, str):
        raise TypeError("content is no text")
    return Reply(text, _usage(answer.get("usage")), cut=choice.get("finish_reason") == "length")


def _usage(used: Any) -> Usage:
    """The usage as reported here; the gateway's own is the one that is priced and checked."""
    if not isinstance(used, dict) or not used.get("prompt_tokens") or used.get("completion_tokens") is None:
        return Usage(reason="the provider reported no usage")
    cached = (used.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    try:
        return Usage(
            prompt_tokens=used["prompt_tokens"],
            cached_tokens=cached,
            completion_tokens=used["completion_tokens"],
            source="provider",
            reason="priced at the gateway",
        )
    except ValidationError:
        return Usage(reason="the provider's usage is implausible")


def _said(body: bytes) -> str:
    """What an error says, in one line."""
    try:
        found = json.loads(body)["error"]["message"]
    except (ValueError, LookupError, TypeError):
        found = body.decode("utf-8", errors="replace")
    return " ".join(str(found).split())[:300] or "no word"
