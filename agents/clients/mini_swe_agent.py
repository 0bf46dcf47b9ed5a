"""mini-swe-agent, a small open agent whose one tool is a shell: `mini` in its unattended mode, with litellm to its model.

It reads no skill directories, so a skill reaches it in the prompt alone. A run ends when the model prints a line that the
client's own prompt names; words without a command are answered with an error, three in a row end the run.
"""

import json
import shlex
from collections.abc import Iterator
from typing import ClassVar

import yaml

from agents.base import Done, ModelEndpoint
from agents.clients.client import HOME, INSIDE, Client, Launch, Package, ParsedLog
from agents.clients.logs import brief, by_gateway, dicts, died, object_at
from agents.clients.script import ScriptedTurn
from agents.trajectory.atif import Builder
from benchmark.core.files import Files
from benchmark.core.json_types import JsonObject
from benchmark.core.model import Limits, Usage, total

CONFIG = ".mini/run.yaml"
LOG = ".mini/log.json"
#: Isolated, with its packages put in front: a PYTHONPATH would reach the commands of the agent, which have no use for them.
START = f"import sys; sys.path.insert(0, {INSIDE!r}); from minisweagent.run.mini import app; app()"
VERSION = f"import sys; sys.path.insert(0, {INSIDE!r}); import minisweagent; print(minisweagent.__version__)"
PYTHON = "/usr/bin/python3"
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


class MiniSweAgent(Client):
    """mini-swe-agent at its pin. Its settings are its own `mini.yaml` but for the limits, which are kept from outside."""

    name = "mini-swe-agent"
    version = "2.4.6"
    provider = "openai"
    packages = (Package("pip", "mini-swe-agent"),)
    version_command = (PYTHON, "-I", "-c", VERSION)
    skills = None
    logs = (LOG,)
    example: ClassVar[str] = "openai/gpt-5-mini"

    def launch(self, prompt: str, endpoint: ModelEndpoint, limits: Limits) -> Launch:
        """The prompt goes by a file: as an argument it could be too long for the system."""
        del limits
        run = {
            "run": {"task": prompt},
            "agent": {"cost_limit": 0},
            "model": {
                "model_name": f"openai/{endpoint.model}",
                "model_class": "litellm",
                "model_kwargs": {"api_base": f"{endpoint.url}/v1", "api_key": "none", "max_retries": 0},
            },
        }
        # As ASCII: YAML refuses some characters, and reads JSON's pairs for those beyond the first plane as two.
        config = yaml.safe_dump(run, default_style='"', width=2**31, sort_keys=False).encode("ascii")
        files = ("-c", f"{INSIDE}/minisweagent/config/mini.yaml", "-c", f"{HOME}/{CONFIG}", "-o", f"{HOME}/{LOG}")
        return Launch(
            (PYTHON, "-I", "-c", START, "-y", "--exit-immediately", *files),
            {
                "MSWEA_CONFIGURED": "true",
                "MSWEA_COST_TRACKING": "ignore_errors",
                "MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "1",
                "MSWEA_SILENT_STARTUP": "1",
                "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            },
            home={CONFIG: config},
        )

    def read(self, prompt: str, done: Done, home: Files) -> ParsedLog:
        info, messages = _log(home.get(LOG, b""))
        builder = Builder(self.name, self.version, self.spec.model)
        if not messages:
            builder.user(prompt)
            builder.note(f"there is no log; {died(done)}")
            return ParsedLog(builder.build(), Usage(reason="it left no log"))
        used = [use for message in messages for use in _tell(builder, message)]
        last = messages[-1]
        ended = last.get("role") == "exit"
        if info.get("mini_version", self.version) != self.version:
            builder.note(f"its log is of version {str(info['mini_version'])[:40]}")
        if not ended:
            builder.note("it was ended while it worked: its log lacks what was under way then")
        usage = total(used) if used else Usage(reason="its log has no answer of a model")
        if not ended:
            usage = Usage(reason="it was ended while it worked, so its count is not complete")
        limit, fault = _end(last) if ended else (None, None)
        return ParsedLog(builder.build(usage), usage, limit, fault)

    def opening(self, skill: str, body: str) -> list[ScriptedTurn]:
        del skill
        return [{"shell": f"cat {shlex.quote(body)}"}, {"shell": SUBMIT}]


def _log(data: bytes) -> tuple[JsonObject, list[JsonObject]]:
    """What the log says of the run and its messages; of a log that was cut off, those that are whole."""
    text = data.decode("utf-8", errors="replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}, list(_whole(text))
    if not isinstance(found, dict):
        return {}, []
    info, messages = found.get("info"), found.get("messages")
    rows = messages if isinstance(messages, list) else []
    return info if isinstance(info, dict) else {}, [row for row in rows if isinstance(row, dict)]


def _whole(text: str) -> Iterator[JsonObject]:
    mark = '\n  "messages": ['
    at = text.find(mark)
    decoder = json.JSONDecoder()
    while at >= 0 and (at := text.find("{", at)) >= 0:
        try:
            row, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield row


def _tell(builder: Builder, message: JsonObject) -> list[Usage]:
    """Add one message of the log; the usage that came with it."""
    role, extra, content = message.get("role"), object_at(message, "extra"), _text(message.get("content"))
    response = object_at(extra, "response")
    if role == "assistant":
        return [_turn(builder, message, response, extra.get("timestamp"))]
    if role == "tool":
        code = extra.get("returncode")
        skipped = extra.get("exception_info") == "action was not executed"  # said also of the one that submits
        builder.result(_id(message.get("tool_call_id")), content, error=code not in (0, None) and not skipped)
    elif role == "user" and "interrupt_type" not in extra:
        builder.user(content)
    elif role == "user":
        # An answer that was no command is in the log only with the error that it got.
        used = []
        if response:
            choices = response.get("choices")
            first = choices[0] if isinstance(choices, list) and choices else None
            said = object_at(first, "message")
            used = [_turn(builder, said, response, extra.get("timestamp"))]
        builder.system(content)
        return used
    elif role == "exit":
        builder.system(f"{extra.get('exit_status') or 'ended'}: {content}".removesuffix(": "))
    else:
        builder.system(content)
    return []


def _turn(builder: Builder, message: JsonObject, response: JsonObject, timestamp: object) -> Usage:
    usage = _usage(response.get("usage"))
    calls = []
    for call in dicts(message.get("tool_calls")):
        if function := object_at(call, "function"):
            calls.append((_id(call.get("id")), str(function.get("name")), function.get("arguments")))
    reasoning = message.get("reasoning_content")
    builder.agent(
        _text(message.get("content")),
        reasoning=reasoning if isinstance(reasoning, str) else None,
        calls=calls,
        usage=usage,
        timestamp=timestamp if isinstance(timestamp, str | int | float) else None,
        model=str(response["model"]) if response.get("model") else None,
    )
    return usage


def _usage(told: object) -> Usage:
    """Tokens as litellm hands on what the provider said; its zeros stand for what was not said."""
    if not isinstance(told, dict):
        return Usage(reason="the answer has no usage")
    details = told.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    prompt, completion = told.get("prompt_tokens"), told.get("completion_tokens")
    figures = [figure for figure in (prompt, completion, cached) if figure is not None]
    if not prompt or completion is None:
        return Usage(reason="the answer has no usage")
    if not all(isinstance(figure, int) and figure >= 0 for figure in figures) or (cached or 0) > prompt:
        return Usage(reason=f"the answer's usage is implausible: {str(told)[:200]}")
    return Usage(prompt_tokens=prompt, cached_tokens=cached, completion_tokens=completion, source="provider")


def _end(message: JsonObject) -> tuple[str | None, str | None]:
    """The limit that the client names at its end, and the fault that it names."""
    extra = object_at(message, "extra")
    status, said = str(extra.get("exit_status")), str(extra.get("exception_str") or "")
    if status == "LimitsExceeded":
        return "turns", None
    if status == "TimeExceeded":
        return "seconds", None
    if status == "ContextWindowExceededError":
        return "context", None
    if said.startswith("litellm.") and not by_gateway(said):
        return None, f"its model failed: {brief(said)}"
    return None, None


def _id(given: object) -> str | None:
    return str(given) if given else None


def _text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else "" if content is None else json.dumps(content)
