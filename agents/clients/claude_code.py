"""`claude-code`: Anthropic's coding agent, run headless with `claude -p`; it reads skills below `~/.claude/skills`.

What it did is on its standard output; what each answer cost, and what its subagents said, only in the session's log.
"""

import json
import platform
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from agents.base import Done, ModelEndpoint
from agents.clients.client import INSIDE, Client, Launch, Package, ParsedLog
from agents.clients.logs import (
    brief,
    by_gateway,
    content_text,
    count,
    dicts,
    died,
    embed,
    json_lines,
    object_at,
    plain_prompt,
    string,
)
from agents.clients.script import ScriptedTurn
from agents.trajectory.atif import Builder, Trajectory
from benchmark.core.files import Files
from benchmark.core.json_types import JsonObject
from benchmark.core.model import Limits, Usage

CPU = {"aarch64": "arm64", "arm64": "arm64"}.get(platform.machine(), "x64")
#: The binary itself: what npm links as `claude` is made by an install script, and those never run.
BINARY = f"{INSIDE}/node_modules/@anthropic-ai/claude-code-linux-{CPU}/claude"
#: The first two need a network. The others keep a client that has finished alive until they fire or its time is over.
TOOLS_OFF = "WebSearch,WebFetch,ScheduleWakeup,Monitor"
FLAGS = (
    "--output-format",
    "stream-json",
    "--verbose",
    "--permission-mode",
    "bypassPermissions",
    "--disallowedTools",
    TOOLS_OFF,
)
SETTINGS = {"disableBundledSkills": True, "skillOverrides": {"plugin-authoring": "off", "doctor": "off"}}
#: The messages of these it wrote itself, without a model.
SYNTHETIC = "<synthetic>"
#: The thread that is no subagent's.
MAIN = ""
LIMITS = {
    "error_max_turns": "turns",
    "max_turns": "turns",
    "error_max_budget_usd": "usd",
    "budget_exhausted": "usd",
    "prompt_too_long": "context",
    "blocking_limit": "context",
    "rapid_refill_breaker": "context",
}


class ClaudeCode(Client):
    """Claude Code of one pinned version."""

    name = "claude-code"
    version = "2.1.332"
    provider = "anthropic"
    packages = (Package("npm", "claude-code"),)
    version_command = (BINARY, "--version")
    skills = ".claude/skills"
    logs = (".claude/projects/*.jsonl",)
    needs = "Linux with glibc on x86-64 or ARM64"

    def launch(self, prompt: str, endpoint: ModelEndpoint, limits: Limits) -> Launch:
        del limits
        model = endpoint.model
        families = ("SONNET", "OPUS", "HAIKU", "FABLE")
        return Launch(
            command=(BINARY, "-p", "--model", model, *FLAGS),
            environment={
                "ANTHROPIC_BASE_URL": endpoint.url,
                "ANTHROPIC_API_KEY": "none",
                **{f"ANTHROPIC_DEFAULT_{family}_MODEL": model for family in families},
                "CLAUDE_CODE_SUBAGENT_MODEL": model,
                "CLAUDE_CODE_MAX_RETRIES": "0",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                # A server left running in the background would keep a client that has finished until its time is over.
                "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
                "DISABLE_AUTOUPDATER": "1",
            },
            stdin=plain_prompt(prompt).encode("utf-8", "replace"),
            home={".claude/settings.json": json.dumps(SETTINGS).encode()},
        )

    def read(self, prompt: str, done: Done, home: Files) -> ParsedLog:
        said = json_lines(done.output)
        log = _Log(said, home)
        results = [row for row in said if row.get("type") == "result"]
        result = results[-1] if results else {}
        usage = _total(result)
        trajectory = log.trajectory(self, prompt, usage)
        limit = LIMITS.get(str(result.get("subtype"))) or LIMITS.get(str(result.get("terminal_reason")))
        fault = _fault(result) if result else None
        if not result and done.code and not done.late and not log.asked:
            fault = died(done)
        return ParsedLog(trajectory, usage, limit, fault, _offered(said))

    def opening(self, skill: str, body: str) -> list[ScriptedTurn]:
        del body
        return [{"tool": "Skill", "input": {"skill": skill}}, {"text": "Done."}]


@dataclass
class _ModelTurn:
    """An answer of the model: the client logs each block of it in a row of its own, all with the id of the answer."""

    model: str | None
    time: str | None
    text: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[tuple[str | None, str, object]] = field(default_factory=list)
    usage: JsonObject | None = None
    whole: bool = False


@dataclass
class _Message:
    """Something that the user or the client itself said."""

    text: str
    time: str | None


@dataclass
class _ToolResult:
    """What came back of a call."""

    call: str | None
    text: str | None
    error: bool


class _Log:
    """All rows of a run by thread: MAIN, and those of subagents by the agent's id.

    Standard output and the session's log have the same rows, by uuid. The log's come first: only they say what an answer
    cost. It may be missing or end early; then standard output has the rest.
    """

    def __init__(self, said: list[JsonObject], home: Files) -> None:
        logged = [row for name in sorted(home) for row in json_lines(home[name])]
        self._agents = _agents_by_call([*said, *logged])
        self._threads: dict[str, list[_ModelTurn | _Message | _ToolResult]] = {MAIN: []}
        self._turns: dict[str, _ModelTurn] = {}
        self.session = next((str(row["session_id"]) for row in said if row.get("session_id")), None)
        self.model = next((str(row["model"]) for row in said if row.get("subtype") == "init" and row.get("model")), None)
        seen: set[str] = set()
        for row in [*logged, *said]:
            uuid = str(row.get("uuid"))
            if row.get("type") in ("user", "assistant") and isinstance(row.get("message"), dict) and uuid not in seen:
                seen.add(uuid)
                self._take(row)

    @property
    def asked(self) -> bool:
        """Whether a model has answered."""
        return any(turn.model != SYNTHETIC for turn in self._turns.values())

    def _take(self, row: JsonObject) -> None:
        message, time = object_at(row, "message"), string(row.get("timestamp"))
        parent = row.get("parent_tool_use_id")
        agent = (
            row.get("agentId") or row.get("agent_id") or (self._agents.get(str(parent), f"call {parent}") if parent else None)
        )
        thread = self._threads.setdefault(str(agent) if agent else MAIN, [])
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else dicts(content)
        if row["type"] == "user":
            for block in blocks:
                if block.get("type") == "tool_result":
                    error = block.get("is_error") is True
                    text = None if block.get("content") is None else content_text(block["content"])
                    thread.append(_ToolResult(string(block.get("tool_use_id")), text, error))
                elif block.get("type") == "text":
                    thread.append(_Message(str(block.get("text")), time))
            return
        name = str(message.get("id") or row.get("uuid"))
        if name not in self._turns:
            self._turns[name] = _ModelTurn(string(message.get("model")), time)
            thread.append(self._turns[name])
        _grow(self._turns[name], blocks)
        # Before the answer has stopped the figures are those of its beginning.
        whole = message.get("stop_reason") is not None
        usage = message.get("usage")
        if isinstance(usage, dict) and (whole or not self._turns[name].whole):
            self._turns[name].usage, self._turns[name].whole = usage, whole

    def trajectory(self, client: ClaudeCode, prompt: str, usage: Usage) -> Trajectory:
        """The main thread with the subagents' in it. `usage` is the client's own total."""
        builder = Builder(client.name, client.version, self.model or client.spec.model, session_id=self.session)
        main = self._threads[MAIN]
        first = next((item for item in main if isinstance(item, _Message) and item.text.strip() == prompt.strip()), None)
        builder.user(prompt, first.time if first else None)
        done: set[str] = {MAIN}
        self._fill(builder, (item for item in main if item is not first), first.time if first else None)
        self._embed(client, builder, main, done, 0)
        left = [(None, name) for name in self._threads]
        embed(builder, left, self._threads, done, 0, lambda name, deep: self._child(client, name, done, deep))
        return builder.build(usage)

    def _child(self, client: ClaudeCode, name: str, done: set[str], depth: int) -> Trajectory:
        builder = Builder(client.name, client.version, self.model, trajectory_id=name, session_id=self.session)
        thread = self._threads[name]
        first = next((item for item in thread[:1] if isinstance(item, _Message)), None)
        if first:
            builder.user(first.text, first.time)
        self._fill(builder, thread[1:] if first else thread, first.time if first else None)
        self._embed(client, builder, thread, done, depth)
        return builder.build()

    def _embed(self, client: ClaudeCode, builder: Builder, thread: Iterable[Any], done: set[str], depth: int) -> None:
        """Embed the agents that the calls of a thread started."""
        calls = [call for item in thread if isinstance(item, _ModelTurn) for call, *_ in item.calls]
        started = [(call, self._agents.get(str(call), f"call {call}")) for call in calls]
        embed(builder, started, self._threads, done, depth, lambda name, deep: self._child(client, name, done, deep))

    def _fill(self, builder: Builder, thread: Iterable[Any], time: str | None) -> None:
        latest = time or ""
        for item in thread:
            if isinstance(item, _ToolResult):
                builder.result(item.call, item.text, error=item.error)
                continue
            # Some rows carry a time before that of the row above them. All are written alike, so that texts compare.
            risen = item.time if (item.time or "") >= latest else None
            latest = max(latest, item.time or "")
            if isinstance(item, _Message):
                builder.system(item.text, risen)
                continue
            made = item.model != SYNTHETIC
            builder.agent(
                "\n".join(item.text),
                reasoning="\n".join(item.thoughts) or None,
                calls=item.calls,
                usage=_usage(item) if made else None,
                timestamp=risen,
                model=item.model if made else None,
                call_count=1 if made else 0,
            )


def _agents_by_call(rows: Iterable[JsonObject]) -> dict[str, str]:
    """The ids of subagents by the calls that started them."""
    found: dict[str, str] = {}
    for row in rows:
        if row.get("parent_tool_use_id") and row.get("agent_id"):
            found.setdefault(str(row["parent_tool_use_id"]), str(row["agent_id"]))
        if row.get("subtype") == "task_started" and row.get("task_type") == "local_agent":
            found.setdefault(str(row.get("tool_use_id")), str(row.get("task_id")))
        about = row.get("toolUseResult") or row.get("tool_use_result")
        if isinstance(about, dict) and about.get("agentId"):
            for block in dicts(object_at(row, "message").get("content")):
                if block.get("type") == "tool_result":
                    found.setdefault(str(block.get("tool_use_id")), str(about["agentId"]))
    return found


def _grow(turn: _ModelTurn, blocks: Iterable[JsonObject]) -> None:
    for block in blocks:
        kind = block.get("type")
        if kind == "text":
            turn.text.append(str(block.get("text")))
        elif kind == "thinking" and block.get("thinking"):
            turn.thoughts.append(str(block["thinking"]))
        elif kind == "tool_use":
            turn.calls.append((string(block.get("id")), str(block.get("name")), block.get("input")))


def _usage(turn: _ModelTurn) -> Usage:
    found = turn.usage or {}
    parts = [count(found.get(f"{name}_tokens")) for name in ("input", "cache_creation_input", "cache_read_input")]
    if parts[0] is None:
        return Usage(reason="the client's log does not say what this answer cost")
    return Usage(
        prompt_tokens=sum(part or 0 for part in parts),
        cached_tokens=parts[2] or 0,
        completion_tokens=count(found.get("output_tokens")) if turn.whole else None,
        source="provider",
        reason=None if turn.whole else "the client's log has only the figures from the beginning of this answer",
    )


def _total(result: JsonObject) -> Usage:
    """The client's total over all models, subagents included, as its last result has it."""
    models = dicts(list(object_at(result, "modelUsage").values()))
    if not models:
        return Usage(reason="the client counted no answer" if result else "the client ended before it gave its total")
    names = ("inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens", "outputTokens")
    figures = [[count(one.get(name)) for name in names] for one in models]
    if any(part is None for row in figures for part in row):
        return Usage(reason="the client's total lacks a figure")
    fresh, created, cached, completion = (sum(part or 0 for part in column) for column in zip(*figures, strict=True))
    priced = all(one.get("costBasis") in ("list", "managed") for one in models)
    usd = result.get("total_cost_usd") if priced else None
    return Usage(
        prompt_tokens=fresh + created + cached,
        cached_tokens=cached,
        completion_tokens=completion,
        usd=float(usd) if isinstance(usd, int | float) and usd >= 0 else None,
        source="provider",
        reason=None if priced else "the client knows no price of this model",
    )


def _fault(result: JsonObject) -> str | None:
    failed = result.get("is_error") is True and (
        result.get("api_error_status") is not None or result.get("terminal_reason") == "api_error"
    )
    text = brief(result.get("result") or result.get("errors") or "it does not say why")
    return text if failed and not by_gateway(text) else None


def _offered(said: Iterable[JsonObject]) -> tuple[str, ...] | None:
    lists = [row.get("skills") for row in said if row.get("type") == "system" and row.get("subtype") == "init"]
    found = [names for names in lists if isinstance(names, list)]
    return tuple(sorted({str(name) for names in found for name in names})) if found else None
