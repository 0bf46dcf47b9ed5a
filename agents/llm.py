"""The one door to models: litellm, imported on first use, with our own dated prices and without its network look-ups."""

import os
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmark.errors import Fault
from benchmark.model import Data, Usage

PRICES = Path(__file__).parent / "prices.toml"
TRIES = 4
#: Providers that run on machines of one's own: what they cost is not a matter of tokens.
OWN = ("ollama", "ollama_chat", "hosted_vllm", "vllm", "lm_studio", "llamafile")
#: Refused keys and unknown models do not get better by asking again.
FINAL_STATUS = (400, 401, 403, 404, 422)
Message = dict[str, str]


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


def complete(
    model: str,
    messages: Sequence[Message],
    *,
    api_base: str | None,
    seconds: float,
    max_tokens: int | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Reply:
    """Ask `model` once, trying again after 429 and 5xx within bounds. Temperature 0, as the study's protocol has it.

    With `api_base` the endpoint speaks OpenAI's chat API; its key is $ASSAY_API_KEY and no other, so that a provider's key
    never goes to an address given on the command line. Raises Fault, ContextOverflow, and TimeoutError when `seconds` are over.
    """
    litellm = _litellm()
    name = model if not api_base or model.startswith("openai/") else f"openai/{model}"
    extra: dict[str, Any] = {"api_base": api_base, "client": _client(api_base)} if api_base else {}
    if max_tokens:
        extra["max_tokens"] = max_tokens
    end = time.monotonic() + seconds
    for attempt in range(1, TRIES + 1):
        try:
            answer = litellm.completion(
                model=name,
                messages=list(messages),
                temperature=0,
                timeout=max(1.0, end - time.monotonic()),
                num_retries=0,
                max_retries=0,
                drop_params=True,
                **extra,
            )
            return _reply(answer, price_of(model, api_base))
        except litellm.ContextWindowExceededError as error:
            raise ContextOverflow(_first_line(error)) from error
        except Exception as error:
            # litellm calls a gateway's own 504 a time-out as well; only the end of our time is the attempt's limit.
            if isinstance(error, litellm.Timeout) and time.monotonic() >= end:
                raise TimeoutError(f"{model} did not answer within the attempt's time") from error
            status = getattr(error, "status_code", None)
            wait = min(30.0, 2.0**attempt)
            if status in FINAL_STATUS or attempt == TRIES or time.monotonic() + wait > end:
                raise Fault(f"{model}: {_first_line(error)} (status {status}, try {attempt} of {TRIES})") from error
            sleep(wait)
    raise AssertionError("unreachable: the last try returns or raises")


def _litellm() -> Any:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.suppress_debug_info = True
    return litellm


def _client(api_base: str) -> Any:
    """A client that has nothing of the operator's but $ASSAY_API_KEY; of itself it would take key, organization and project."""
    import openai

    nothing: Any = {"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()}
    key = os.environ.get("ASSAY_API_KEY") or "none"
    return openai.OpenAI(api_key=key, base_url=api_base, max_retries=0, default_headers=nothing)


def _reply(answer: Any, price: Price | None) -> Reply:
    choice = answer.choices[0]
    used = getattr(answer, "usage", None)
    # Where a provider reports nothing litellm says 0, which no prompt has.
    if used is None or not used.prompt_tokens or used.completion_tokens is None:
        usage = Usage(reason="the provider reported no usage")
    else:
        details = getattr(used, "prompt_tokens_details", None)
        cached = getattr(details, "cached_tokens", None) or 0
        usd = cost(price, used.prompt_tokens, cached, used.completion_tokens)
        usage = Usage(
            prompt_tokens=used.prompt_tokens,
            cached_tokens=cached,
            completion_tokens=used.completion_tokens,
            usd=usd,
            source="provider",
            reason=None if usd is not None else "no price is known for this model",
        )
    return Reply(choice.message.content or "", usage, cut=choice.finish_reason == "length")


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
