"""`codex`: OpenAI's coding agent, run headless with `codex exec`; it reads skills below `~/.agents/skills`.

It has no tool for skills: it lists name, description and path, and the model opens a skill by reading its file in the
shell. What it did and what each answer cost is in its rollouts, one a thread; standard output has less and serves without.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from agents.base import Done, ModelEndpoint
from agents.clients.client import INSIDE, Client, Launch, Package, ParsedLog
from agents.clients.logs import brief, by_gateway, content_text, count, died, embed, json_lines, object_at, string
from agents.clients.script import ScriptedTurn
from agents.trajectory.atif import Builder, Trajectory
from benchmark.core.files import Files
from benchmark.core.json_types import JsonObject
from benchmark.core.model import Limits, Usage, total

#: npm's launcher rather than the binary: it finds that of the machine and puts the bundled `rg` on the path.
LAUNCHER = ("node", f"{INSIDE}/node_modules/@openai/codex/bin/codex.js")
FLAGS = ("exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
KEY = "GATEWAY_KEY"
CONFIG = """model_provider = "gateway"
web_search = "disabled"
check_for_update_on_startup = false

[analytics]
enabled = false

[skills.bundled]
enabled = false

[model_providers.gateway]
name = "gateway"
base_url = "{url}/v1"
env_key = "{key}"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
"""
#: What it says, as a code in the rollout and in words, when the conversation is longer than the model can read.
TOO_LONG = ("context_window_exceeded", "ran out of room in the model's context window")
#: One line of the list of skills that it shows to the model.
LISTED = re.compile(r"^- (.+?)(?:: .*)? \(file: .*\)$", re.MULTILINE)


class Codex(Client):
    """Codex of one pinned version."""

    name = "codex"
    version = "0.171.0"
    provider = "openai"
    packages = (Package("npm", "codex"),)
    version_command = (*LAUNCHER, "--version")
    skills = ".agents/skills"
    logs = (".codex/sessions/*.jsonl",)
    needs = "Node 16 or newer"
    example = "openai/gpt-5.1-codex"

    def launch(self, prompt: str, endpoint: ModelEndpoint, limits: Limits) -> Launch:
        del limits
        return Launch(
            command=(*LAUNCHER, *FLAGS, f"--model={endpoint.model}", "-"),
            environment={KEY: "none"},
            stdin=prompt.encode("utf-8", "replace"),
            home={".codex/config.toml": CONFIG.format(url=endpoint.url, key=KEY).encode()},
        )

    def read(self, prompt: str, done: Done, home: Files) -> ParsedLog:
        said = json_lines(done.output)
        threads = _threads(home)
        started = next((str(row["thread_id"]) for row in said if row.get("thread_id")), None)
        main = threads.get(started or "") or next((one for one in threads.values() if not one.parent), None)
        usage = _usage_of_all(said, threads, main)
        trajectory = _trajectory(self, prompt, main, threads, usage) if main else _from_output(self, prompt, said, usage)
        why = _failure(said)
        codes = [code for code in (main.errors if main else ()) if code]
        limit = "context" if TOO_LONG[0] in codes or TOO_LONG[1] in (why or "") else None
        fault = why if why and not limit and not by_gateway(why) else None
        if not said and done.code and not done.late:
            fault = died(done)
        return ParsedLog(trajectory, usage, limit, fault, main.offered if main else None)

    def opening(self, skill: str, body: str) -> list[ScriptedTurn]:
        del skill
        return [{"shell": f"cat {body}"}, {"text": "Done."}]


@dataclass
class _ModelTurn:
    """An answer of the model: its items up to the record of what it cost."""

    time: str | None
    text: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[tuple[str | None, str, object]] = field(default_factory=list)
    usage: Usage | None = None


@dataclass
class _Message:
    """A message to the model; `source` is who the client says it is from."""

    source: str
    text: str
    time: str | None


@dataclass
class _ToolResult:
    """What came back of a call."""

    call: str
    text: str
    error: bool


class _Thread:
    """A thread as its rollout has it. `errors` are the codes of what ended its turns, `spawned` its agents by call."""

    def __init__(self, name: str, parent: str | None, rows: Iterable[JsonObject]) -> None:
        self.name = name
        self.parent = parent
        self.model: str | None = None
        self.items: list[_ModelTurn | _Message | _ToolResult] = []
        self.errors: list[str | None] = []
        self.spawned: list[tuple[str, str]] = []
        self.usage = Usage(reason="the client counted no answer")
        self.offered: tuple[str, ...] | None = None
        self._open: _ModelTurn | None = None
        self._failed: set[str] = set()
        takers = {
            "response_item": self._item,
            "event_msg": self._event,
            "token_usage_record": self._cost,
            "turn_context": self._context,
        }
        for row in rows:
            payload, taker = row.get("payload"), takers.get(str(row.get("type")))
            if taker and isinstance(payload, dict):
                taker(payload, string(row.get("timestamp")))

    def _context(self, payload: JsonObject, _: str | None) -> None:
        self.model = self.model or string(payload.get("model"))
        self.offered = self.offered or ()

    def _item(self, payload: JsonObject, time: str | None) -> None:
        kind, call = str(payload.get("type")), payload.get("call_id")
        if kind == "message" and payload.get("role") != "assistant":
            text = content_text(payload.get("content"))
            if "<skills_instructions>" in text and payload.get("role") == "developer":
                self.offered = tuple(sorted({*(self.offered or ()), *LISTED.findall(text)}))
            self.items.append(_Message(str(payload.get("role")), text, time))
        elif kind == "message":
            self._turn(time).text.append(content_text(payload.get("content")))
        elif kind == "reasoning":
            thought = content_text(payload.get("content")) or content_text(payload.get("summary"))
            self._turn(time).thoughts += [thought] if thought else []
        elif kind.endswith("_call"):
            given = next((payload[key] for key in ("arguments", "input", "action") if payload.get(key) is not None), None)
            self._turn(time).calls.append((string(call or payload.get("id")), str(payload.get("name") or kind), given))
        elif kind.endswith("_output") and call:
            self.items.append(_ToolResult(str(call), content_text(payload.get("output")), str(call) in self._failed))
        elif kind.endswith("_output"):
            # What a tool tells the model unasked.
            self.items.append(_Message("tool", content_text(payload.get("output")), time))

    def _turn(self, time: str | None) -> _ModelTurn:
        if self._open is None:
            self._open = _ModelTurn(time)
            self.items.append(self._open)
        return self._open

    def _cost(self, payload: JsonObject, time: str | None) -> None:
        # Where a conversation is made shorter a model is asked without that anything of its answer is logged as one.
        self._turn(time).usage = _usage(payload.get("usage"))
        self._open = None
        self.usage = _usage(payload.get("thread_token_usage"))

    def _event(self, payload: JsonObject, _: str | None) -> None:
        item = payload.get("item")
        if payload.get("type") == "item_completed" and isinstance(item, dict):
            if item.get("status") == "failed":
                self._failed.add(str(item.get("id")))
            if item.get("tool") == "spawn_agent" and isinstance(item.get("receiver_thread_ids"), list):
                self.spawned += [(str(item.get("id")), str(name)) for name in item["receiver_thread_ids"]]
        error = payload.get("error")
        if isinstance(error, dict):
            self.errors.append(string(error.get("codex_error_info")))

    def fill(self, builder: Builder, prompt: str | None) -> None:
        """Put all that was said into a builder. `prompt` is the user's, where that is not the thread's first message."""
        first = next((item for item in self.items if isinstance(item, _Message) and _is_prompt(item, prompt)), None)
        if prompt is not None and first is None:
            builder.user(prompt)
        for item in self.items:
            if isinstance(item, _ToolResult):
                builder.result(item.call, item.text, error=item.error)
            elif isinstance(item, _Message):
                (builder.user if item is first else builder.system)(item.text, item.time)
            else:
                builder.agent(
                    "\n".join(item.text),
                    reasoning="\n".join(item.thoughts) or None,
                    calls=item.calls,
                    usage=item.usage or Usage(reason="the client's log does not say what this answer cost"),
                    timestamp=item.time,
                )


def _is_prompt(item: _Message, prompt: str | None) -> bool:
    """Whether a message is what the user asked; a subagent's first one that is no setting of the client's own."""
    if item.source != "user":
        return False
    return item.text.strip() == prompt.strip() if prompt is not None else not item.text.startswith("<")


def _threads(home: Files) -> dict[str, _Thread]:
    """All threads by id. A thread that took over its parent's history has that in its rollout as well: left out here."""
    threads: dict[str, _Thread] = {}
    for path in sorted(home):
        rows = json_lines(home[path])
        about = next(
            (meta for row in rows if row.get("type") == "session_meta" and isinstance(meta := row.get("payload"), dict)), {}
        )
        name = str(about.get("id") or path)
        start = count(about.get("subagent_history_start_ordinal")) or 0
        own = [row for row in rows if (count(row.get("ordinal")) or 0) >= start]
        thread = _Thread(name, string(about.get("parent_thread_id")), own)
        if thread.items and name not in threads:
            threads[name] = thread
    return threads


def _trajectory(client: Codex, prompt: str, main: _Thread, threads: Mapping[str, _Thread], usage: Usage) -> Trajectory:
    builder = Builder(client.name, client.version, main.model or client.spec.model, session_id=main.name)
    main.fill(builder, prompt)
    done = {main.name}
    _embed(client, builder, main, threads, done, 0)
    left = [(None, name) for name in threads]
    embed(builder, left, threads, done, 0, lambda name, deep: _child(client, threads[name], threads, done, deep))
    return builder.build(usage)


def _child(client: Codex, thread: _Thread, threads: Mapping[str, _Thread], done: set[str], depth: int) -> Trajectory:
    builder = Builder(client.name, client.version, thread.model, trajectory_id=thread.name)
    thread.fill(builder, None)
    _embed(client, builder, thread, threads, done, depth)
    return builder.build()


def _embed(
    client: Codex, builder: Builder, thread: _Thread, threads: Mapping[str, _Thread], done: set[str], depth: int
) -> None:
    """Embed the agents that a thread started."""
    embed(builder, thread.spawned, threads, done, depth, lambda name, deep: _child(client, threads[name], threads, done, deep))


def _from_output(client: Codex, prompt: str, said: Iterable[JsonObject], usage: Usage) -> Trajectory:
    """What standard output alone tells: each item, without what it cost and without its answer's bounds."""
    builder = Builder(client.name, client.version, client.spec.model)
    builder.note("the client's rollout is not there; this is what its standard output says")
    builder.user(prompt)
    for row in said:
        item = row.get("item")
        if row.get("type") not in ("item.started", "item.completed") or not isinstance(item, dict):
            continue
        kind, name, ended = item.get("type"), string(item.get("id")), row["type"] == "item.completed"
        if kind in ("agent_message", "reasoning"):
            text = str(item.get("text") or "")
            thought = text if kind == "reasoning" else None
            builder.agent("" if thought else text, reasoning=thought, call_count=None)
        elif kind == "error":
            builder.system(str(item.get("message")))
        elif ended:
            kept = {key: value for key, value in item.items() if key not in ("id", "type", "status", "aggregated_output")}
            builder.agent("", calls=[(name, str(kind), kept)], call_count=None)
            builder.result(name, string(item.get("aggregated_output")), error=item.get("status") == "failed")
    return builder.build(usage)


def _usage_of_all(said: Iterable[JsonObject], threads: Mapping[str, _Thread], main: _Thread | None) -> Usage:
    """The client's own total: at the end it counts the main thread alone, the others' are in their rollouts."""
    ends = [row.get("usage") for row in said if row.get("type") == "turn.completed"]
    own = _usage(ends[-1]) if ends else main.usage if main else Usage(reason="the client ended before it gave its total")
    if _spawned(said) - set(threads):
        return Usage(reason="the client's total leaves out a subagent whose rollout is not there")
    return total([own, *(thread.usage for thread in threads.values() if thread is not main)])


def _spawned(said: Iterable[JsonObject]) -> set[str]:
    """The threads of all agents that were started, by standard output."""
    items = [object_at(row, "item") for row in said]
    lists = [item.get("receiver_thread_ids") for item in items if item.get("tool") == "spawn_agent"]
    return {str(name) for names in lists if isinstance(names, list) for name in names}


def _usage(found: object) -> Usage:
    names = ("input_tokens", "cached_input_tokens", "output_tokens")
    prompt, cached, completion = (count(found.get(name)) if isinstance(found, dict) else None for name in names)
    if prompt is None or completion is None:
        return Usage(reason="the client's count lacks a figure")
    return Usage(prompt_tokens=prompt, cached_tokens=cached, completion_tokens=completion, source="provider")


def _failure(said: Iterable[JsonObject]) -> str | None:
    """Why the run failed, in the client's words and one line; None where it did not."""
    for row in said:
        error = row.get("error")
        if row.get("type") == "turn.failed":
            text = error.get("message") if isinstance(error, dict) else error
            return brief(text or "it does not say why")
    return None
