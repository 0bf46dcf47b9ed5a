"""`kimi`: Moonshot's coding agent Kimi Code, run headless; it reads skills below `~/.kimi-code/skills`, lists them in its
system prompt (descriptions cut to 250 characters) and opens one by the tool `Skill`.

What it did and what each answer cost is in its sessions' records, one file an agent; standard output has less and serves
without. It takes a prompt only as an argument, which may be too long for the system: a few lines of script read it from
standard input instead.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from agents.base import Done, ModelEndpoint
from agents.clients.client import INSIDE, NODE, NODE_PACKAGE, Client, Launch, Package, ParsedLog
from agents.clients.logs import brief, by_gateway, content_text, dicts, embed, json_lines, last_line, object_at, string
from agents.clients.script import ScriptedTurn
from agents.trajectory.atif import Builder, Trajectory
from benchmark.core.files import Files
from benchmark.core.json_types import JsonObject
from benchmark.core.model import Limits, Usage, total

MAIN = f"{INSIDE}/node_modules/@moonshot-ai/kimi-code/dist/main.mjs"
#: Its search tools are nothing without ripgrep, which it would download; this is the version that it would.
START = f"""const {{ mkdirSync, readFileSync, symlinkSync }} = await import("node:fs");
const bin = process.env.HOME + "/.kimi-code/bin";
mkdirSync(bin, {{ recursive: true }});
symlinkSync("{INSIDE}/node_modules/@vscode/ripgrep-linux-" + process.arch + "/bin/rg", bin + "/rg");
const prompt = readFileSync(0, "utf8");
process.argv = [process.execPath, "{MAIN}", "--prompt=" + prompt, "--output-format=stream-json"];
await import("{MAIN}");"""
#: Background tasks end with it: it would wait for a server that it started. The tools that are off need a network, or time.
CONFIG = """default_model = "model"

[providers.gateway]
type = {type}
base_url = {url}
api_key = "none"

[models.model]
provider = "gateway"
model = {model}
max_context_size = {context}
capabilities = {capabilities}

[loop_control]
max_attempts_per_step = 1

[task]
print_background_mode = "exit"

[tools]
disabled = ["FetchURL", "CronCreate", "CronDelete", "CronList"]
"""
#: What it takes a model to be that it knows nothing else of; and what others are taken to be.
OWN = {"type": "kimi", "context": 262_144, "capabilities": ["image_in", "thinking"]}
OTHERS = {"type": "openai", "context": 131_072, "capabilities": []}
ENVIRONMENT = {"KIMI_CODE_NO_AUTO_UPDATE": "1", "KIMI_DISABLE_TELEMETRY": "1", "KIMI_CODE_BUILTIN_PRODUCT_SKILLS": "0"}
#: Asks for as many tokens as fit the context, which most providers refuse; with this it leaves the number to them.
UNBOUNDED = {"KIMI_MODEL_MAX_COMPLETION_TOKENS": "0"}
#: A prompt that begins with this, blanks aside, sets a goal instead: a character without a width goes before it.
COMMAND, GUARD = "/goal", "\u200b"
LIMITS = {"context.overflow": "context", "loop.max_steps_exceeded": "turns"}
LISTING = "Current available skills:"
LISTED = re.compile(r"^- ([^:\n]+):", re.MULTILINE)


class Kimi(Client):
    """Kimi Code of one pinned version. Its own skill `write-goal` has no switch."""

    name = "kimi"
    version = "2.1.0"
    provider = "moonshot"
    packages = (Package("npm", "kimi"), NODE_PACKAGE)
    version_command = (NODE, MAIN, "--version")
    skills = ".kimi-code/skills"
    bundled = frozenset({"write-goal"})
    logs = (".kimi-code/sessions/*/agents/*/wire.jsonl",)
    needs = "Linux with glibc 2.28 or newer on x86-64 or ARM64"
    example = "moonshot/kimi-k2.5"

    def launch(self, prompt: str, endpoint: ModelEndpoint, limits: Limits) -> Launch:
        del limits
        model = self.spec.model or ""
        own = model.startswith(f"{self.provider}/") or ("/" not in model and not self.spec.api_base)
        settings = {**(OWN if own else OTHERS), "url": f"{endpoint.url}/v1", "model": endpoint.model}
        config = CONFIG.format(**{name: json.dumps(value) for name, value in settings.items()})
        guard = GUARD if prompt.lstrip().startswith(COMMAND) else ""
        return Launch(
            command=(NODE, "--input-type=module", "--eval", START),
            environment={**ENVIRONMENT, **({} if own else UNBOUNDED)},
            stdin=(guard + prompt).encode("utf-8", "replace"),
            home={".kimi-code/config.toml": config.encode()},
        )

    def read(self, prompt: str, done: Done, home: Files) -> ParsedLog:
        said = json_lines(done.output)
        log = _Log(said, home)
        usage = log.usage
        trajectory = log.trajectory(self, prompt, usage)
        error = log.main.error
        limit = LIMITS.get(str(error.get("code")))
        fault = None if limit else _failure(error)
        if not log.asked and not error and done.code and not done.late:
            fault = f"it ended with exit code {done.code}: {_last_words(done)}"
        return ParsedLog(trajectory, usage, limit, fault, log.main.offered)

    def opening(self, skill: str, body: str) -> list[ScriptedTurn]:
        del body
        return [{"tool": "Skill", "input": {"skill": skill}}, {"text": "Done."}]


@dataclass
class _ModelTurn:
    """An answer of the model, or a part of it."""

    time: float | None
    text: str = ""
    thoughts: str = ""
    calls: list[tuple[str | None, str, object]] = field(default_factory=list)
    usage: Usage | None = None

    @property
    def empty(self) -> bool:
        return not (self.text or self.thoughts or self.calls or self.usage)


@dataclass
class _Message:
    """A message to the model; `prompt` when it is what the agent was asked."""

    text: str
    time: float | None
    prompt: bool


@dataclass
class _ToolResult:
    """What came back of a call."""

    call: str | None
    text: str
    error: bool


class _KimiAgent:
    """One agent as its records have it. `spawned` are its own agents by call, `costs` what each request cost."""

    def __init__(self, rows: Iterable[JsonObject]) -> None:
        self.items: list[_ModelTurn | _Message | _ToolResult] = []
        self.spawned: list[tuple[str, str | None]] = []
        self.costs: list[Usage] = []
        self.error: JsonObject = {}
        self.offered: tuple[str, ...] | None = None
        self.model: str | None = None
        self._turns: dict[str, _ModelTurn] = {}
        self._open: _ModelTurn | None = None
        for row in rows:
            self._take(row)

    @property
    def turns(self) -> list[_ModelTurn]:
        return [item for item in self.items if isinstance(item, _ModelTurn) and not item.empty]

    def _take(self, row: JsonObject) -> None:
        kind, time = row.get("type"), _seconds(row.get("time"))
        if kind == "context.append_loop_event" and isinstance(event := row.get("event"), dict):
            self._event(event, time)
        elif kind == "context.append_message" and isinstance(message := row.get("message"), dict):
            first = not any(isinstance(item, _Message) for item in self.items)
            self.items.append(_Message(content_text(message.get("content")), time, first))
        elif kind == "context.apply_compaction":
            summary = row.get("contextSummary") or row.get("summary")
            text = content_text(summary.get("content")) if isinstance(summary, dict) else content_text(summary)
            self.items.append(_Message(text, time, False))
        elif kind == "usage.record":
            self.costs.append(_usage(row.get("usage")))
            if self._open and row.get("usageScope") == "turn":
                self._open.usage = self.costs[-1]
        elif kind == "profile.bind" and isinstance(instructions := row.get("systemPrompt"), str):
            _, mark, listing = instructions.rpartition(LISTING)
            self.offered = tuple(sorted({name.strip() for name in LISTED.findall(listing)})) if mark else ()
        elif kind == "llm.request":
            self.model = string(row.get("model")) or self.model
        elif kind == "subagent.spawned" and (name := string(row.get("subagentId"))):
            self.spawned.append((name, string(row.get("parentToolCallId"))))
        elif kind == "turn.ended":
            self.error = object_at(row, "error")

    def _event(self, event: JsonObject, time: float | None) -> None:
        kind = event.get("type")
        if kind == "step.begin":
            self._open = self._turns[str(event.get("uuid"))] = _ModelTurn(time)
            self.items.append(self._open)
        elif kind == "step.end":
            turn = self._turns.get(str(event.get("uuid")))
            if turn and isinstance(event.get("usage"), dict):
                turn.usage = _usage(event["usage"])
            self._open = None
        elif kind == "tool.result":
            result = object_at(event, "result")
            came = _ToolResult(
                string(event.get("toolCallId")), content_text(result.get("output")), result.get("isError") is True
            )
            self.items.append(came)
        elif turn := self._turns.get(str(event.get("stepUuid"))):
            if kind == "tool.call":
                turn.calls.append((string(event.get("toolCallId")), str(event.get("name")), event.get("args")))
            elif kind == "content.part" and isinstance(part := event.get("part"), dict):
                turn.text += content_text(part.get("text"))
                turn.thoughts += content_text(part.get("think"))

    def add(self, items: Iterable[_ModelTurn | _ToolResult]) -> None:
        """Take over what standard output has and the records lack, as when it was killed before it had written them."""
        known = {call for turn in self.turns for call, *_ in turn.calls}
        answered = {item.call for item in self.items if isinstance(item, _ToolResult)}
        texts = {turn.text for turn in self.turns}
        for item in items:
            if isinstance(item, _ToolResult):
                if item.call not in answered:
                    self.items.append(item)
            elif not ({call for call, *_ in item.calls} & known if item.calls else item.text in texts):
                last = self.items[-1] if self.items else None
                if isinstance(last, _ModelTurn) and not last.calls and last.text in ("", item.text):
                    last.text, last.calls = item.text, item.calls
                else:
                    self.items.append(item)


class _Log:
    """All agents of a run by name."""

    def __init__(self, said: list[JsonObject], home: Files) -> None:
        agents = {path.split("/")[-2]: _KimiAgent(json_lines(home[path])) for path in sorted(home) if path.count("/") > 1}
        self.main = agents.setdefault("main", _KimiAgent(()))
        self.main.add(_spoken(said))
        self._agents = agents
        folders = [path.split("/")[-4] for path in home if path.count("/") > 3]
        ids = [string(row.get("session_id")) for row in said]
        self._session = next((name for name in [*ids, *folders] if name), None)

    @property
    def asked(self) -> bool:
        """Whether a model has answered."""
        return any(agent.turns for agent in self._agents.values())

    @property
    def usage(self) -> Usage:
        """What all requests of all agents cost, those of the client's own included."""
        costs = [cost for agent in self._agents.values() for cost in agent.costs]
        return total(costs) if costs else Usage(reason="the client's log has no answer of a model")

    def trajectory(self, client: Kimi, prompt: str, usage: Usage) -> Trajectory:
        """The main agent with those that it started in it."""
        main = self.main
        builder = Builder(client.name, client.version, main.model or client.spec.model, session_id=self._session)
        if not any(isinstance(item, _Message) for item in main.items):
            builder.user(prompt)
        self._fill(builder, main)
        done = {"main"}
        self._embed(client, builder, main, done, 0)
        left = [(None, name) for name in self._agents]
        embed(builder, left, self._agents, done, 0, lambda name, deep: self._child(client, name, done, deep))
        return builder.build(usage)

    def _child(self, client: Kimi, name: str, done: set[str], depth: int) -> Trajectory:
        agent = self._agents[name]
        builder = Builder(client.name, client.version, agent.model, trajectory_id=name, session_id=self._session)
        self._fill(builder, agent)
        self._embed(client, builder, agent, done, depth)
        return builder.build(total(agent.costs) if agent.costs else None)

    def _embed(self, client: Kimi, builder: Builder, agent: _KimiAgent, done: set[str], depth: int) -> None:
        started = [(call, name) for name, call in agent.spawned]
        embed(builder, started, self._agents, done, depth, lambda name, deep: self._child(client, name, done, deep))

    def _fill(self, builder: Builder, agent: _KimiAgent) -> None:
        latest = 0.0
        for item in agent.items:
            if isinstance(item, _ToolResult):
                builder.result(item.call, item.text, error=item.error)
                continue
            risen = item.time if item.time and item.time >= latest else None
            latest = max(latest, item.time or 0.0)
            if isinstance(item, _Message):
                (builder.user if item.prompt else builder.system)(item.text.removeprefix(GUARD), risen)
            elif not item.empty:
                builder.agent(
                    item.text,
                    reasoning=item.thoughts or None,
                    calls=item.calls,
                    usage=item.usage or Usage(reason="the client's log does not say what this answer cost"),
                    timestamp=risen,
                    model=agent.model,
                )


def _spoken(said: Iterable[JsonObject]) -> Iterable[_ModelTurn | _ToolResult]:
    """What standard output has: messages in the form of OpenAI's API."""
    for row in said:
        if row.get("role") == "tool":
            yield _ToolResult(string(row.get("tool_call_id")), content_text(row.get("content")), False)
        elif row.get("role") == "assistant":
            turn = _ModelTurn(None, content_text(row.get("content")))
            for call in dicts(row.get("tool_calls")):
                function = call.get("function")
                if isinstance(function, dict):
                    turn.calls.append((string(call.get("id")), str(function.get("name")), function.get("arguments")))
            yield turn


def _usage(told: object) -> Usage:
    parts = [
        told.get(name) if isinstance(told, dict) else None for name in ("inputOther", "inputCacheRead", "inputCacheCreation")
    ]
    output = told.get("output") if isinstance(told, dict) else None
    figures = [figure if isinstance(figure, int) and not isinstance(figure, bool) else -1 for figure in (*parts, output)]
    if min(figures) < 0 or not sum(figures[:3]):
        return Usage(reason="the client's log does not say what this answer cost")
    fresh, cached, created, completion = figures
    return Usage(prompt_tokens=fresh + cached + created, cached_tokens=cached, completion_tokens=completion, source="provider")


def _failure(error: JsonObject) -> str | None:
    """What the provider answered at the end in place of the model, if it did not answer."""
    code, text = str(error.get("code")), content_text(error.get("message"))
    failed = code.startswith("provider.") and code != "provider.filtered" and not by_gateway(text)
    return brief(f"{code}: {text}") if failed else None


def _last_words(done: Done) -> str:
    """The last line of what it said that is not about where to read more."""
    lines = [line for line in (done.errors or done.output).splitlines() if not line.startswith(b"See log:")]
    return last_line(b"\n".join(lines))


def _seconds(time: object) -> float | None:
    return time / 1000 if isinstance(time, int | float) and not isinstance(time, bool) and time > 0 else None
