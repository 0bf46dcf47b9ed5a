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
from typing import Any, Literal, TypedDict

from pydantic import BaseModel, Field, ValidationError

from agents.base import ModelEndpoint
from agents.token_counts import NO_USAGE, read_usage
from benchmark.core.errors import Fault, UsageError, unknown
from benchmark.core.model import AgentSpec, Data, Usage
from benchmark.core.unix_http import unix_client

PRICES = Path(__file__).parent / "prices.toml"
#: Reasons to end an answer that mean that it was cut off.
CUT_OFF = Path(__file__).parent / "cut_off.toml"
#: What is behind a model's name when it is a dated one of the model that was asked for.
DATED = re.compile(r"([-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4}|\d{3}|latest))?")
#: Providers that run on machines of one's own: what they cost is not a matter of tokens.
OWN = ("ollama", "ollama_chat", "hosted_vllm", "vllm", "lm_studio", "llamafile", "local")
#: How providers say that a request does not fit.
TOO_LONG = re.compile(
    r"context.?(length|window|size)|(prompt|input|request) is too long|exceeds? the (maximum|max) (number of|allowed) .*tokens"
    r"|maximum context|too many (input )?tokens|input token count|reduce the length|request_too_large",
    re.IGNORECASE,
)


class TextPart(TypedDict):
    """A text in a content that has parts, as the chat completions API has it."""

    type: Literal["text"]
    text: str


class ImageUrl(TypedDict):
    """Where a picture is: a data URL, so that nothing is fetched."""

    url: str


class ImagePart(TypedDict):
    """A picture in a content that has parts."""

    type: Literal["image_url"]
    image_url: ImageUrl


Content = str | list[TextPart | ImagePart]


class Message(TypedDict):
    """A message of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: Content


class Price(Data):
    """US dollars for a million tokens."""

    prompt: float
    cached: float
    completion: float


@dataclass(frozen=True)
class Reply:
    """One answer of a model; what it thought stands apart. `cut` when it ended before the model was done with it."""

    text: str
    usage: Usage
    cut: bool = False
    thoughts: str = ""


class SamplingOptions(Data):
    """What a panel's `options` may say of how a model answers. What they do not name is not sent: many models refuse it."""

    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    top_k: int | None = Field(default=None, ge=1)
    seed: int | None = None
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    reasoning_effort: str | None = None

    @classmethod
    def of(cls, spec: AgentSpec) -> "SamplingOptions":
        """The options of an agent. Raises UsageError that names the one that cannot be."""
        try:
            return cls.model_validate(spec.options)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(part) for part in first["loc"])
            if first["type"] == "extra_forbidden":
                raise unknown(f"option of agent {spec.name}", name, cls.model_fields) from None
            raise UsageError(f"agent {spec.name}: option {name!r}: {first['msg']} (got {first['input']!r})") from None


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


@cache
def usual_tiers() -> frozenset[str]:
    """What providers call the tier of service that our prices are of."""
    return frozenset(tomllib.loads(PRICES.read_text(encoding="utf-8"))["usual_tiers"])


def price_of_answer(
    model: str, api_base: str | None, answered: str | None, tier: str | None
) -> tuple[Price | None, str | None]:
    """The price of an answer to a request for `model` (its id), or why there is none.

    `answered` is the model that the provider says has answered, `tier` the tier of service where that is not the usual one.
    """
    price = price_of(model, api_base)
    if price is None:
        return None, "no price is known for this model"
    provider, _, asked = model.rpartition("/")
    # Some answer with a path in front of the name.
    name = (answered or asked).rpartition("/")[2]
    if not _same_but_for_its_date(asked.lower(), name.lower()):
        price = price_of(f"{provider}/{name}")
        if price is None:
            return None, f"the answer is of the model {name[:80]!r} and not of {asked!r}; no price is known for it"
    if tier is not None:
        return None, f"the answer is of the tier of service {tier[:80]!r}, for which no price is known"
    return price, None


def _same_but_for_its_date(asked: str, answered: str) -> bool:
    """Whether two names are one, or one is the other's with a date: providers answer to an alias with what is behind it."""
    short, long = sorted((asked, answered), key=len)
    return long.startswith(short) and DATED.fullmatch(long[len(short) :]) is not None


def cost(price: Price | None, prompt: int, cached: int, completion: int) -> float | None:
    """US dollars of a call; cached tokens are part of the prompt's."""
    if price is None:
        return None
    return ((prompt - cached) * price.prompt + cached * price.cached + completion * price.completion) / 1e6


def too_long(status: int, said: str) -> bool:
    """Whether a provider's error says that the request does not fit the model's context."""
    return status == 413 or (status in (400, 422) and TOO_LONG.search(said) is not None)


def chat(
    endpoint: ModelEndpoint,
    messages: Sequence[Message],
    *,
    seconds: float,
    options: SamplingOptions | None = None,
) -> Reply:
    """Ask the model behind `door` once, with the model's own sampling where `options` do not say otherwise.

    Trying again, keys, prices and budgets are the gateway's. Raises TimeoutError when `seconds` are over, ContextOverflow,
    ApiRefused when the request is refused (a limit or a budget of ours included), and Fault when no answer can be had.
    """
    import httpx

    sampling = options.model_dump(exclude_none=True) if options else {}
    body = {"model": endpoint.model, "messages": list(messages), **sampling}
    end = time.monotonic() + seconds
    try:
        with unix_client(endpoint.socket, max(0.1, seconds)) as client:
            answer = client.post("/v1/chat/completions", json=body)
    except httpx.TimeoutException as error:
        raise TimeoutError(f"{endpoint.model} did not answer within the attempt's time") from error
    except httpx.HTTPError as error:
        if time.monotonic() >= end:
            raise TimeoutError(f"{endpoint.model} did not answer within the attempt's time") from error
        raise Fault(f"{endpoint.model}: the gateway does not answer ({type(error).__name__})") from error
    if answer.status_code != 200:
        said = _said(answer.content)
        if too_long(answer.status_code, said):
            raise ContextOverflow(said)
        if 400 <= answer.status_code < 500:
            raise ApiRefused(answer.status_code, said)
        raise Fault(f"{endpoint.model}: {said} (status {answer.status_code})")
    try:
        return _reply(answer.json())
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise Fault(f"{endpoint.model}: the answer is no chat completion: {place or 'all of it'}: {first['msg']}") from None
    except ValueError as error:
        raise Fault(f"{endpoint.model}: the answer is no chat completion: it is not JSON") from error


def litellm() -> Any:
    """The library, imported when it is first needed (3 to 6 CPU seconds), without its look-ups in the network."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm as library

    library.suppress_debug_info = True
    library.drop_params = True
    library.num_retries = 0
    return library


class _Part(BaseModel):
    """A part of a content that is a list. `thinking` is a text, or parts again."""

    text: str | None = None
    refusal: str | None = None
    thinking: "str | list[_Part] | None" = None

    @property
    def thoughts(self) -> str:
        return "".join(part.text or "" for part in self.thinking) if isinstance(self.thinking, list) else self.thinking or ""


class _Message(BaseModel):
    content: str | list[_Part | str] | None = None
    refusal: str | None = None
    reasoning_content: Any = None
    reasoning: Any = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Completion(BaseModel):
    """A chat completion, as far as it is read here."""

    choices: list[_Choice] = Field(min_length=1)
    usage: Any = None


def _reply(answer: Any) -> Reply:
    """Raises ValidationError for what is no chat completion."""
    completion = _Completion.model_validate(answer)
    choice, message = completion.choices[0], completion.choices[0].message
    content = message.content if isinstance(message.content, list) else [message.content]
    parts = [part if isinstance(part, _Part) else _Part(text=part) for part in content]
    named = message.reasoning_content or message.reasoning
    thoughts = named if isinstance(named, str) else "".join(part.thoughts for part in parts)
    # Parts that are no text (a picture, a reference) say nothing to who asks for text.
    text = "".join(part.text or part.refusal or "" for part in parts) or message.refusal or ""
    return Reply(text, _usage(completion.usage), cut=(choice.finish_reason or "").lower() in cut_off(), thoughts=thoughts)


@cache
def cut_off() -> frozenset[str]:
    """The reasons to end an answer that mean that it was cut off, in lower case."""
    return frozenset(tomllib.loads(CUT_OFF.read_text(encoding="utf-8"))["reasons"])


def _usage(used: Any) -> Usage:
    """The usage as reported here; the gateway's own is the one that is priced."""
    usage = read_usage("chat", used) if used and isinstance(used, dict) else Usage(reason=NO_USAGE)
    return usage if usage.reason else usage.model_copy(update={"reason": "priced at the gateway"})


def _said(body: bytes) -> str:
    """What an error says, in one line."""
    try:
        found = json.loads(body)["error"]["message"]
    except (ValueError, LookupError, TypeError):
        found = body.decode("utf-8", errors="replace")
    return " ".join(str(found).split())[:300] or "no word"
