"""OpenHands, an open agent: its command-line client in headless mode, with litellm to its model.

It needs Python 3.12, which is bound in from the machine: an interpreter's folder at PYTHON. At its start it clones a public
repository of skills; a sandbox has no network, so that fails at once and only the skills of its home are listed.
"""

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from agents.base import Done, ModelEndpoint
from agents.clients.client import INSIDE, PYTHON, Client, Launch, Package, ParsedLog
from agents.clients.logs import brief, by_gateway, died, json_lines, object_at, string
from agents.clients.script import ScriptedTurn
from agents.trajectory.atif import Builder, Trajectory
from benchmark.core.files import Files
from benchmark.core.json_types import JsonObject
from benchmark.core.model import Limits, Usage, total

PYTHON_VERSION = "3.12"
SETTINGS = ".openhands/agent_settings.json"
#: Isolated and without the packages of the machine's interpreter. An interpreter may have its library beside it: the way to
#: it, and to its packages, is not for the agent's commands.
RUN = ("env", f"LD_LIBRARY_PATH={PYTHON}/lib", f"{PYTHON}/bin/python{PYTHON_VERSION}", "-X", "utf8", "-I", "-S", "-c")
START = f"""import os, sys
del os.environ["LD_LIBRARY_PATH"]
sys.path.insert(0, {INSIDE!r})
sys.argv[1:] = ["--headless", "--json", "--task=" + sys.stdin.buffer.read().decode()]
from openhands_cli.entrypoint import main
main()"""
VERSION = f"import sys; sys.path.insert(0, {INSIDE!r}); from importlib.metadata import version; print(version('openhands'))"
ROOT = ".openhands/conversations/"
LISTED = re.compile(r"<skill>\s*<name>(.*?)</name>", re.DOTALL)


class OpenHands(Client):
    """OpenHands at its pin, with the settings of its own defaults but for retries, which the gateway does."""

    name = "openhands"
    version = "1.16.0"
    packages = (Package("pip", "openhands"),)
    version_command = (*RUN, VERSION)
    skills = ".openhands/skills"
    interpreter = PYTHON_VERSION
    logs = (f"{ROOT}*/base_state.json", f"{ROOT}*/events/event-*.json")
    needs = f"python{PYTHON_VERSION} on PATH (its folder is bound into the sandbox)"
    example: ClassVar[str] = "openai/gpt-5-mini"

    def launch(self, prompt: str, endpoint: ModelEndpoint, limits: Limits) -> Launch:
        """The prompt goes by standard input: as an argument it could be too long for the system."""
        del limits
        llm = {"model": f"openai/{endpoint.model}", "api_key": "none", "base_url": f"{endpoint.url}/v1", "num_retries": 0}
        condenser = {"llm": {**llm, "usage_id": "condenser"}, "max_size": 80, "keep_first": 4}
        settings = {
            "kind": "Agent",
            "llm": {**llm, "usage_id": "agent"},
            "system_prompt_kwargs": {"cli_mode": True},
            "condenser": {"kind": "LLMSummarizingCondenser", **condenser},
        }
        environment = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "OPENHANDS_SUPPRESS_BANNER": "1"}
        return Launch((*RUN, START), environment, prompt.encode(), {SETTINGS: json.dumps(settings).encode()})

    def read(self, prompt: str, done: Done, home: Files) -> ParsedLog:
        talks = _talks(home)
        roots = sorted((path for path in talks if "/subagents/" not in path), key=lambda path: talks[path].start)
        talk = talks[roots[0]] if roots else Talk()
        if not talk.events:  # more than can be kept of its log, or none
            talk = Talk({}, [row for row in json_lines(done.output) if isinstance(row.get("kind"), str)])
        builder = Builder(self.name, self.version, self.spec.model, session_id=string(talk.state.get("id")))
        if not any(event.get("source") == "user" for event in talk.events):
            builder.user(prompt)
        if not talk.events:
            builder.note(f"there is no log; {died(done)}")
            return ParsedLog(builder.build(), Usage(reason="it left no log"))
        children = {path: _child(path, talks) for path in talks if roots and _parent(path) == roots[0]}
        usage = _tell(builder, talk, {path: (talks[path].start, child) for path, child in children.items()})
        limit, fault = _end(talk)
        return ParsedLog(builder.build(usage), usage, limit, fault, _offered(talk))

    def opening(self, skill: str, body: str) -> list[ScriptedTurn]:
        del body
        return [{"tool": "invoke_skill", "input": {"name": skill}}, {"text": "Done."}]


@dataclass(frozen=True)
class Talk:
    """One conversation of its log: the state at its end, and its events in order."""

    state: dict[str, object] = field(default_factory=dict)
    events: list[JsonObject] = field(default_factory=list)

    @property
    def start(self) -> str:
        return str(self.events[0].get("timestamp")) if self.events else "~"


def _talks(home: Files) -> dict[str, Talk]:
    """Conversations by their folder. Files that are no whole JSON object are left out."""
    talks: dict[str, Talk] = {}
    for path in sorted(home):
        folder, mark, _ = path.rpartition("/events/event-")
        folder = folder or path.removesuffix("/base_state.json")
        try:
            found = json.loads(home[path])
        except (ValueError, RecursionError):
            continue
        if not folder.startswith(ROOT) or not isinstance(found, dict):
            continue
        talk = talks.setdefault(folder, Talk())
        if mark:
            talk.events.append(found)
        else:
            talk.state.update(found)
    return talks


def _parent(path: str) -> str:
    return path.rpartition("/subagents/")[0]


def _child(path: str, talks: Mapping[str, Talk]) -> Trajectory:
    """A subagent's conversation, with those of its own subagents."""
    talk = talks[path]
    builder = Builder(OpenHands.name, OpenHands.version, trajectory_id=path.rpartition("/")[2])
    below = {other: (talks[other].start, _child(other, talks)) for other in talks if _parent(other) == path}
    return builder.build(_tell(builder, talk, below))


def _tell(builder: Builder, talk: Talk, children: Mapping[str, tuple[str, Trajectory]]) -> Usage:
    """Add a conversation and its subagents; its usage as the client counts it."""
    used = _used(talk.state)
    answers: dict[str, list[JsonObject]] = {}
    tasks: list[tuple[str, str]] = []
    for event in talk.events:
        if event.get("kind") == "ActionEvent":
            answers.setdefault(_answer(event), []).append(event)
    for event in talk.events:
        if event.get("kind") != "ActionEvent":
            _say(builder, event, used)
        elif answers[_answer(event)][0] is event:
            _act(builder, answers[_answer(event)], used)
        if event.get("tool_name") == "task" and event.get("kind") == "ActionEvent":
            tasks.append((str(event.get("timestamp")), str(event.get("tool_call_id"))))
    for start, child in sorted(children.values(), key=lambda pair: pair[0]):
        # A task runs while its call waits.
        builder.subagent(child, next((call for time, call in reversed(tasks) if time <= start), None))
    status = talk.state.get("execution_status")
    if status is None:
        return Usage(reason="the log lacks its count")
    if status not in ("finished", "error", "stuck"):
        builder.note("it was ended while it worked: its log lacks what was under way then")
        return Usage(reason="it was ended while it worked, and it counts at the end")
    if status == "stuck":
        builder.note("it stopped because it found itself repeating the same steps")
    return total(list(used.values())) if used else Usage(reason="its log has no answer of a model")


def _answer(event: JsonObject) -> str:
    """What tells the model's answer that an action came from: several actions may be in one."""
    return str(event.get("llm_response_id") or event.get("id"))


def _act(builder: Builder, actions: list[JsonObject], used: Mapping[str, Usage]) -> None:
    first = actions[0]
    calls = []
    for action in actions:
        call = object_at(action, "tool_call")
        name = call.get("name") or action.get("tool_name")
        calls.append((string(action.get("tool_call_id")), str(name), call.get("arguments")))
    builder.agent(
        _text(first.get("thought")),
        reasoning=_reasoning(first),
        calls=calls,
        usage=used.get(_answer(first)),
        timestamp=string(first.get("timestamp")),
    )


def _say(builder: Builder, event: JsonObject, used: Mapping[str, Usage]) -> None:
    kind, time = event.get("kind"), string(event.get("timestamp"))
    if kind == "MessageEvent":
        message = object_at(event, "llm_message")
        text = _text(message.get("content"))
        if message.get("role") == "assistant":
            usage = used.get(_answer(event))
            builder.agent(text, reasoning=_reasoning(message), usage=usage, timestamp=time)
        elif event.get("source") == "user":
            builder.user(text, time)
        else:
            builder.system(text, time)
        if added := _text(event.get("extended_content")):
            builder.system(added, time)
    elif kind == "SystemPromptEvent":
        parts = [event.get("system_prompt"), event.get("dynamic_context")]
        builder.system("\n\n".join(filter(None, (_text([part]) for part in parts))), time)
    elif kind == "ObservationEvent":
        seen = object_at(event, "observation")
        code = seen.get("exit_code")
        wrong = bool(seen.get("is_error")) or code not in (0, None)
        builder.result(string(event.get("tool_call_id")), _text(seen.get("content")), error=wrong)
    elif kind in ("AgentErrorEvent", "UserRejectObservation"):
        said = event.get("error") or event.get("rejection_reason")
        builder.result(string(event.get("tool_call_id")), str(said), error=True)
    elif kind == "Condensation":
        builder.agent(str(event.get("summary") or ""), usage=used.get(_answer(event)), timestamp=time)
    elif kind == "ConversationErrorEvent":
        builder.system(f"{event.get('code')}: {event.get('detail')}", time)


def _used(state: JsonObject) -> dict[str, Usage]:
    """Usage by the id of the model's answer, subagents' answers included."""
    used = {}
    for metrics in object_at(object_at(state, "stats"), "usage_to_metrics").values():
        rows = metrics.get("token_usages") if isinstance(metrics, dict) else None
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict):
                used[str(row.get("response_id") or f"answer {len(used)}")] = _usage(row)
    return used


def _usage(row: JsonObject) -> Usage:
    """Tokens of one answer; the client's zeros stand for what its provider did not say."""
    prompt, cached, completion = (row.get(f"{name}_tokens") for name in ("prompt", "cache_read", "completion"))
    if not prompt:
        return Usage(reason="the answer has no usage")
    if not (isinstance(prompt, int) and isinstance(cached, int) and isinstance(completion, int)):
        return Usage(reason=f"the answer's usage is implausible: {str(row)[:200]}")
    if min(cached, completion) >= 0 and cached <= prompt:
        return Usage(prompt_tokens=prompt, cached_tokens=cached, completion_tokens=completion, source="provider")
    return Usage(reason=f"the answer's usage is implausible: {str(row)[:200]}")


def _end(talk: Talk) -> tuple[str | None, str | None]:
    """The limit and the fault that its last error names. It ends after one, with exit code 0."""
    errors = [event for event in talk.events if event.get("kind") == "ConversationErrorEvent"]
    if not errors or talk.state.get("execution_status") == "finished":
        return None, None
    code, detail = str(errors[-1].get("code")), str(errors[-1].get("detail"))
    if code == "MaxIterationsReached":
        return "turns", None
    if code.startswith("LLMContextWindow"):
        return "context", None
    if not by_gateway(detail) and (detail.startswith("litellm.") or code.startswith("LLM")):
        return None, f"its model failed: {brief(detail)}"
    return None, None


def _offered(talk: Talk) -> tuple[str, ...] | None:
    """The skills that its system prompt lists."""
    prompts = [event for event in talk.events if event.get("kind") == "SystemPromptEvent"]
    if not prompts:
        return None
    _, _, listed = _text([prompts[0].get("dynamic_context")]).rpartition("<available_skills>")
    return tuple(sorted({html.unescape(name).strip() for name in LISTED.findall(listed)}))


def _reasoning(holder: JsonObject) -> str | None:
    return string(holder.get("reasoning_content")) or "\n".join(_thoughts(holder.get("thinking_blocks"))) or None


def _thoughts(blocks: object) -> Iterator[str]:
    for block in blocks if isinstance(blocks, list) else ():
        if isinstance(block, dict) and isinstance(block.get("thinking"), str):
            yield block["thinking"]


def _text(parts: object) -> str:
    """The text of a list of content parts; other parts are named by their kind."""
    if isinstance(parts, str):
        return parts
    texts = []
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict):
            texts.append(str(part["text"]) if "text" in part else f"({part.get('type', 'something')} that is no text)")
        elif isinstance(part, str):
            texts.append(part)
    return "\n".join(texts)
