"""`gemini-cli`: Google's coding agent, run headless with its prompt on standard input; it reads skills below
`~/.gemini/skills`, lists them in its system instruction and opens one by the tool `activate_skill`.

What it did and what each answer cost is in its sessions, one an agent; standard output has the total, and what a session
lacks when it was ended. Names after an `@` in the prompt that are files of the workspace are replaced by those: a note says so.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from agents.base import Done, ModelEndpoint
from agents.clients.client import INSIDE, NODE, NODE_PACKAGE, Client, Launch, Package, ParsedLog
from agents.clients.logs import brief, by_gateway, count, dicts, died, embed, json_lines, plain_prompt, string
from agents.clients.script import ScriptedTurn
from agents.trajectory.atif import Builder, Trajectory
from benchmark.core.files import Files
from benchmark.core.json_types import JsonObject
from benchmark.core.model import Limits, Usage

MAIN = f"{INSIDE}/node_modules/@google/gemini-cli/bundle/gemini.js"
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False, "maxAttempts": 1},
    "skills": {"disabled": ["skill-creator", "antigravity-support"]},
    "tools": {"exclude": ["google_web_search", "web_fetch"]},
    # Else it looks for files whose names hold what comes after an `@` in the prompt, and shows the first to the model.
    "context": {"fileFiltering": {"enableRecursiveFileSearch": False}},
    # The workspace's `.env` is the project's, and the machine's memory is not what the sandbox may use.
    "advanced": {"ignoreLocalEnv": True, "autoConfigureMemory": False},
}
API_ERROR = "[API Error:"


class GeminiCli(Client):
    """Gemini CLI of one pinned version."""

    name = "gemini-cli"
    version = "0.61.0"
    provider = "gemini"
    packages = (Package("npm", "gemini-cli"), NODE_PACKAGE)
    version_command = (NODE, MAIN, "--version")
    skills = ".gemini/skills"
    logs = (".gemini/tmp/*/chats/*.jsonl",)
    needs = "Linux with glibc 2.28 or newer on x86-64 or ARM64"
    example = "gemini/gemini-2.5-flash"

    def launch(self, prompt: str, endpoint: ModelEndpoint, limits: Limits) -> Launch:
        del limits
        return Launch(
            command=(NODE, MAIN, f"--model={endpoint.model}", "--approval-mode=yolo", "--output-format=stream-json"),
            environment={
                "GEMINI_API_KEY": "none",
                "GOOGLE_GEMINI_BASE_URL": endpoint.url,
                "GEMINI_CLI_TRUST_WORKSPACE": "true",
                # Else it starts itself a second time with a heap of half the machine.
                "GEMINI_CLI_NO_RELAUNCH": "true",
            },
            stdin=plain_prompt(prompt).encode("utf-8", "replace"),
            home={".gemini/settings.json": json.dumps(SETTINGS).encode()},
        )

    def read(self, prompt: str, done: Done, home: Files) -> ParsedLog:
        said = json_lines(done.output)
        results = [row for row in said if row.get("type") == "result"]
        result = results[-1] if results else {}
        log = _Log(said, home)
        usage = _total(result)
        trajectory = log.trajectory(self, prompt, usage)
        limit = "turns" if any(row.get("message") == "Maximum session turns exceeded" for row in said) else None
        why = _failure(result)
        fault = why if why and not by_gateway(why) else None
        if not result and done.code and not done.late and not log.asked:
            fault = died(done)
        return ParsedLog(trajectory, usage, limit, fault)

    def opening(self, skill: str, body: str) -> list[ScriptedTurn]:
        del body
        return [{"tool": "activate_skill", "input": {"name": skill}}, {"text": "Done."}]


@dataclass
class _Call:
    """A call of a tool, and what came back of it; `agent` is the session of the agent that it started."""

    id: str | None
    name: str
    arguments: object
    answered: bool = False
    result: str | None = None
    error: bool = False
    agent: str | None = None


@dataclass
class _SessionMessage:
    """One message of a session: of the user or the client, or an answer of the model with its calls."""

    made: bool
    time: str | None
    text: str = ""
    thoughts: str = ""
    calls: dict[str, _Call] = field(default_factory=dict)
    tokens: object = None
    model: str | None = None
    #: Written by the client itself when it shortened the conversation.
    own: bool = False


class _Session:
    """What one agent did. Every message is kept as it was first, also where the client has forgotten or shortened it since."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.parent: str | None = None
        self.steps: dict[str, _SessionMessage] = {}

    @property
    def calls(self) -> dict[str, _Call]:
        return {name: call for step in self.steps.values() for name, call in step.calls.items()}

    def take(self, row: JsonObject) -> None:
        """One record of the session's file: a message, or a change of what has been before."""
        if row.get("type") in ("user", "gemini") and isinstance(row.get("id"), str):
            self._message(row)
        changed = row.get("$set")
        for message in dicts(changed.get("messages")) if isinstance(changed, dict) else ():
            # The same messages again, some of them cut: only what is new there is news.
            if message.get("type") in ("user", "gemini") and str(message.get("id")) not in self.steps:
                self._message(message, own=True)

    def _message(self, row: JsonObject, own: bool = False) -> None:
        parts = dicts(row.get("content"))
        content = row.get("content")
        text = content if isinstance(content, str) else "".join(_text(part.get("text")) for part in parts)
        came = _responses(parts)
        calls = self.calls
        for response in came:
            if (call := calls.get(str(response.get("id")))) and not call.answered:
                call.answered, (call.result, call.error) = True, _answer([response])
        if own and any(isinstance(part.get("functionCall"), dict) for part in parts):
            return
        if came and not text:
            return
        step = self.steps.setdefault(
            str(row["id"]), _SessionMessage(row["type"] == "gemini", string(row.get("timestamp")), own=own)
        )
        step.text = text or step.text
        if not step.made:
            return
        step.model = string(row.get("model")) or step.model
        step.tokens = row.get("tokens") or step.tokens
        thoughts = [f"{_text(one.get('subject'))}\n{_text(one.get('description'))}" for one in dicts(row.get("thoughts"))]
        step.thoughts = "\n".join(thought.strip() for thought in thoughts) or step.thoughts
        for call in dicts(row.get("toolCalls")):
            step.calls[str(call.get("id"))] = _call(call)

    def add(self, turns: Iterable[_SessionMessage]) -> None:
        """Take over what standard output has and the session lacks, as when it was ended while a tool was at work."""
        known = set(self.calls)
        texts = {step.text.strip() for step in self.steps.values() if step.made}
        last = next(reversed(self.steps.values()), None)
        for number, turn in enumerate(turns):
            if set(turn.calls) & known or (not turn.calls and turn.text.strip() in texts):
                continue
            if last and last.made and not last.calls and last.text.strip() == turn.text.strip():
                last.calls, last = turn.calls, None
            else:
                self.steps[f"output {number}"] = turn


class _Log:
    """All sessions of a run by id; the main one is that which standard output names."""

    def __init__(self, said: list[JsonObject], home: Files) -> None:
        self._sessions: dict[str, _Session] = {}
        kinds: dict[str, str] = {}
        for path in sorted(home):
            rows = json_lines(home[path])
            head = next((row for row in rows if row.get("sessionId")), {})
            name = str(head.get("sessionId") or path)
            session = self._sessions.setdefault(name, _Session(name))
            kinds[name] = str(head.get("kind"))
            session.parent = path.split("/chats/")[-1].rpartition("/")[0] or None
            for row in rows:
                session.take(row)
        started = next((str(row["session_id"]) for row in said if row.get("session_id")), None)
        name = started or next((name for name, kind in kinds.items() if kind != "subagent"), "unknown")
        self._main = self._sessions.setdefault(name, _Session(name))
        self._main.add(_turns(said))
        self._named = bool(started or kinds.get(name))
        self.model = next((str(row["model"]) for row in said if row.get("type") == "init" and row.get("model")), None)

    @property
    def asked(self) -> bool:
        """Whether a model has answered."""
        return any(step.made for session in self._sessions.values() for step in session.steps.values())

    def trajectory(self, client: GeminiCli, prompt: str, usage: Usage) -> Trajectory:
        """The main session with those of its agents in it. `usage` is the client's own total."""
        session = self._main.name if self._named else None
        builder = Builder(client.name, client.version, self.model or client.spec.model, session_id=session)
        users = [step for step in self._main.steps.values() if not step.made and not step.own]
        first = next((step for step in users if step.text.strip() == prompt.strip()), None)
        if first is None and users:
            first = users[0]
            builder.note("the client changed the prompt: it read an `@` in it as the name of a file or an agent")
        if first is None:
            builder.user(prompt)
        self._fill(builder, self._main, first)
        done = {self._main.name}
        self._embed(client, builder, self._main, done, 0)
        # Of agents that were at work when it was ended, the session does not say which call started them.
        waiting = [call for call in self._main.calls.values() if call.name == "invoke_agent" and not call.answered]
        left = [name for name in self._sessions if name not in done and self._sessions[name].parent == self._main.name]
        started = {name: call.id for name, call in zip(left, waiting, strict=True)} if len(left) == len(waiting) else {}
        others = [(started.get(name), name) for name in [*left, *self._sessions]]
        embed(builder, others, self._sessions, done, 0, lambda name, deep: self._child(client, name, done, deep))
        return builder.build(usage)

    def _child(self, client: GeminiCli, name: str, done: set[str], depth: int) -> Trajectory:
        builder = Builder(client.name, client.version, self.model, trajectory_id=name)
        session = self._sessions[name]
        self._fill(builder, session, next((step for step in session.steps.values() if not step.made), None))
        self._embed(client, builder, session, done, depth)
        return builder.build()

    def _embed(self, client: GeminiCli, builder: Builder, session: _Session, done: set[str], depth: int) -> None:
        """Embed the agents that the calls of a session started."""
        started = [(call.id, call.agent) for call in session.calls.values()]
        embed(builder, started, self._sessions, done, depth, lambda name, deep: self._child(client, name, done, deep))

    def _fill(self, builder: Builder, session: _Session, first: _SessionMessage | None) -> None:
        latest = ""
        for step in session.steps.values():
            # All times are written alike, so that texts compare.
            risen = step.time if (step.time or "") >= latest else None
            latest = max(latest, step.time or "")
            if step is first:
                builder.user(step.text, risen)
            elif not step.made:
                builder.system(step.text, risen)
            else:
                builder.agent(
                    step.text,
                    reasoning=None if step.own else step.thoughts or None,
                    calls=[(call.id, call.name, call.arguments) for call in step.calls.values()],
                    usage=None if step.own else _usage(step.tokens),
                    timestamp=risen,
                    model=step.model,
                    call_count=0 if step.own else 1,
                )
                for call in step.calls.values():
                    if call.answered:
                        builder.result(call.id, call.result, error=call.error)


def _turns(said: Iterable[JsonObject]) -> list[_SessionMessage]:
    """The model's answers as standard output has them: words and calls up to what came back of them."""
    turns: list[_SessionMessage] = []
    calls: dict[str, _Call] = {}
    fresh = True
    for row in said:
        kind = row.get("type")
        if kind == "tool_result":
            fresh = True
            if call := calls.get(str(row.get("tool_id"))):
                call.answered, call.result, call.error = True, string(row.get("output")), row.get("status") == "error"
        elif kind == "tool_use" or (kind == "message" and row.get("role") == "assistant"):
            if fresh:
                turns.append(_SessionMessage(True, string(row.get("timestamp"))))
                fresh = False
            if kind == "message":
                turns[-1].text += _text(row.get("content"))
                continue
            name = str(row.get("tool_id"))
            calls[name] = _Call(string(row.get("tool_id")), str(row.get("tool_name")), row.get("parameters"))
            turns[-1].calls[name] = calls[name]
    return turns


def _call(row: JsonObject) -> _Call:
    parts = _responses(dicts(row.get("result")))
    shown = row.get("resultDisplay")
    result, error = _answer(parts) if parts else (shown if isinstance(shown, str) else None, False)
    error = error or row.get("status") == "error"
    answered = bool(parts) or row.get("status") in ("success", "error", "cancelled")
    return _Call(
        string(row.get("id")), str(row.get("name")), row.get("args"), answered, result, error, string(row.get("agentId"))
    )


def _responses(parts: Iterable[JsonObject]) -> list[JsonObject]:
    """What came back of calls, among the parts of a message."""
    return dicts([part.get("functionResponse") for part in parts])


def _answer(responses: Iterable[JsonObject]) -> tuple[str, bool]:
    """What the model was told of a call, and whether that was an error."""
    texts, error = [], False
    for response in responses:
        told = response.get("response")
        if isinstance(told, dict) and ("output" in told or "error" in told):
            error = error or "error" in told
            told = told["error"] if "error" in told else told["output"]
        texts.append(told if isinstance(told, str) else json.dumps(told, ensure_ascii=False))
    return "\n".join(texts), error


def _usage(tokens: object) -> Usage:
    names = ("input", "tool", "output", "thoughts", "cached")
    figures = [count(tokens.get(name)) if isinstance(tokens, dict) else None for name in names]
    prompt, tool, output, thoughts, cached = (figure or 0 for figure in figures)
    if not prompt:
        return Usage(reason="the client's log does not say what this answer cost")
    if cached > prompt + tool:
        return Usage(reason=f"the client's figures are implausible: {str(tokens)[:200]}")
    return Usage(prompt_tokens=prompt + tool, cached_tokens=cached, completion_tokens=output + thoughts, source="provider")


def _total(result: JsonObject) -> Usage:
    """The client's total over all models, subagents included. Its output lacks thoughts, which only the sum of all has."""
    stats = result.get("stats")
    if not isinstance(stats, dict):
        return Usage(reason="the client ended before it gave its total")
    prompt, output, every, cached = (
        count(stats.get(name)) for name in ("input_tokens", "output_tokens", "total_tokens", "cached")
    )
    if not prompt or output is None:
        return Usage(reason="the client counted no answer")
    if (cached or 0) > prompt:
        return Usage(reason=f"the client's total is implausible: {str(stats)[:200]}")
    completion = max(output, (every or 0) - prompt)
    return Usage(prompt_tokens=prompt, cached_tokens=cached, completion_tokens=completion, source="provider")


def _failure(result: JsonObject) -> str | None:
    """What the API answered at the end in place of the model, if it did not answer."""
    error = result.get("error")
    text = brief(_text(error.get("message"))) if isinstance(error, dict) else ""
    return text if text.startswith(API_ERROR) else None


def _text(found: object) -> str:
    return found if isinstance(found, str) else ""
