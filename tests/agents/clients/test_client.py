"""What every client is held to, with shell scripts in the place of one: limits, left-overs, floods, and doing nothing."""

from pathlib import Path
from typing import Any

import pytest

from agents import registry
from agents.base import Done, ModelEndpoint
from agents.clients.client import Client, Launch, ParsedLog
from agents.clients.logs import json_lines, last_line
from agents.clients.script import ScriptedTurn
from agents.trajectory.atif import Builder, read, write
from benchmark.core.errors import UsageError
from benchmark.core.files import Files
from benchmark.core.model import AgentSpec, Attempt, Limits, Record, TrialSpec, Usage
from benchmark.run.trial import run_trial
from benchmark.store.store import Store
from benchmark.webdev.chain_project import NativeProject
from benchmark.webdev.suite import SUITE
from fixtures.gateway.client import Gateway
from fixtures.gateway.models.scripted import scripted
from fixtures.sandbox.docker import DockerSandbox
from tests import tiny

ASK = """
import json, urllib.request
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hello"}]}).encode()
asked = urllib.request.Request("http://127.0.0.1:8110/v1/chat/completions", body, {"content-type": "application/json"})
urllib.request.urlopen(asked).read()
"""


class Shell(Client):
    """A client that is the script in its options."""

    name = "shell"
    version = "1"
    packages = ()
    version_command = ("echo", "1")
    skills = ".shell/skills"

    def launch(self, prompt: str, endpoint: ModelEndpoint, limits: Limits) -> Launch:
        del prompt, endpoint, limits
        return Launch(("bash", "-c", str(self.spec.options["script"])), {"ASK": ASK}, home={".shell/settings": b"{}"})

    def read(self, prompt: str, done: Done, home: Files) -> ParsedLog:
        builder = Builder(self.name, self.version)
        builder.user(prompt)
        builder.agent(done.output.decode(errors="replace")[:1000] + f" exit {done.code}")
        return ParsedLog(builder.build(), Usage(reason="it does not say"))

    def opening(self, skill: str, body: str) -> list[ScriptedTurn]:
        return [{"shell": f"cat {body}"}, {"text": skill}]


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gateway: Gateway, docker_sandbox: DockerSandbox) -> Any:
    monkeypatch.setitem(registry.AGENTS, "shell", f"{__name__}:Shell")
    monkeypatch.setitem(SUITE.__dict__, "_projects", {"shop": NativeProject(tiny.tiny(tmp_path / "shop"))})

    def run(script: str, seconds: float = 30, **limits: Any) -> Record:
        with scripted([{"text": "Hello."}], models=["m"]) as server:
            spec = TrialSpec.model_validate(
                {
                    "suite": "webdev",
                    "project": "shop",
                    "condition": "C0",
                    "delivery": None,
                    "agent": {
                        "name": "shell",
                        "model": "openai/m",
                        "api_base": server.url,
                        "options": {"script": script},
                        "limits": {"seconds": seconds, **limits},
                    },
                    "skill": None,
                    "replicate": 0,
                    "inputs": SUITE.inputs("shop"),
                    "protocol": SUITE.protocol,
                }
            )
            return Record.model_validate_json(run_trial(spec.model_dump_json(), tmp_path / "runs", docker_sandbox, gateway))

    return run


@pytest.mark.docker
def test_one_that_ignores_its_limit_is_ended_with_all_it_started_and_graded(trial: Any) -> None:
    script = "trap '' TERM; setsid bash -c \"trap '' TERM; while true; do sleep 1; touch alive; done\" & sleep 600"
    record = trial(script, seconds=2)
    assert (record.status, record.tasks[0].outcome) == ("measured", "unsolved")
    assert [attempt.limit for attempt in record.tasks[0].attempts] == ["seconds", "seconds"]
    assert all(attempt.seconds < 20 for attempt in record.tasks[0].attempts)


@pytest.mark.docker
def test_a_flood_of_output_is_dropped_and_the_attempt_counts(trial: Any) -> None:
    record = trial('python3 -c "$ASK"; head -c 50000000 /dev/zero | tr "\\0" x; head -c 50000000 /dev/zero >&2')
    assert (record.status, record.tasks[0].outcome) == ("measured", "unsolved")
    assert [attempt.limit for attempt in record.tasks[0].attempts] == [None, None]


@pytest.mark.docker
def test_forks_are_held_by_the_container_and_gone_afterwards(trial: Any) -> None:
    record = trial('python3 -c "$ASK"; f() { f | f & }; f; sleep 1; exit 0', seconds=20)
    assert record.status == "measured"


@pytest.mark.docker
def test_one_that_exits_0_having_done_nothing_is_not_measured(trial: Any) -> None:
    record = trial("exit 0")
    assert (record.status, record.reason) == ("broken", "shell ended without having asked the model anything")


@pytest.mark.docker
def test_one_that_is_not_there_is_not_measured(trial: Any) -> None:
    record = trial("exec /client/none")
    assert record.status == "broken" and record.reason.startswith("shell: it ended with exit code 127: ")


@pytest.mark.docker
@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 127", "shell: it ended with exit code 127: it said nothing"),
        ("echo gone >&2; exit 126", "shell: it ended with exit code 126: gone"),
        ("chmod 000 /work", "the workspace cannot be read: its folder has no right to be entered"),
    ],
)
def test_what_an_agent_brings_about_once_the_model_has_answered_is_unsolved_for_a_reason(
    script: str, reason: str, trial: Any
) -> None:
    record = trial(f'python3 -c "$ASK"; {script}')
    assert (record.status, record.tasks[0].outcome, record.reason) == ("measured", "unsolved", None)
    assert [(attempt.reason, attempt.limit) for attempt in record.tasks[0].attempts] == [(reason, None)] * 2
    assert all(attempt.checks for attempt in record.tasks[0].attempts), "what can be graded is graded"


@pytest.mark.docker
def test_a_limit_on_turns_is_told_to_the_client_and_is_the_attempts(trial: Any) -> None:
    record = trial('python3 -c "$ASK"; python3 -c "$ASK"; touch reached', turns=1)
    assert [attempt.limit for attempt in record.tasks[0].attempts] == ["turns", "turns"]
    assert record.tasks[0].attempts[0].usage.tokens == record.tasks[0].attempts[1].usage.tokens > 0


@pytest.mark.docker
def test_its_home_is_a_new_one_at_every_attempt(trial: Any, tmp_path: Path) -> None:
    leave = "mkdir ~/kept ~/.shell/kept /tmp/kept /work/.skills; chmod 0 ~/kept; touch /dev/shm/kept /work/.skills/kept"
    record = trial(f'python3 -c "$ASK"; ls -A ~ ~/.shell /tmp /dev/shm /work/.skills; {leave}')
    assert record.status == "measured", record.reason
    saw = [_said(tmp_path / "runs", attempt) for attempt in record.tasks[0].attempts]
    assert saw[0] == saw[1] and "settings" in saw[0] and "kept" not in saw[0]


def _said(root: Path, attempt: Attempt) -> str:
    return str(read(Store(root).get(attempt.trajectory)).steps[1].message)


def test_json_lines_are_told_from_the_rest() -> None:
    assert json_lines(b'banner\n{"a": 1}\n[1]\n\n  {"b": 2}\n{"torn": ') == [{"a": 1}, {"b": 2}]
    assert json_lines(b"\xff\xfe{") == []
    assert json_lines(b'{"a": ' + b"[" * 200_000 + b'\n{"b": 2}') == [{"b": 2}]


def test_the_last_line_is_short_enough_for_a_message() -> None:
    assert last_line(b"one\ntwo\n\n") == "two"
    assert last_line(b"") == "it said nothing"
    assert len(last_line(b"x" * 5000)) == 300


def test_a_client_needs_a_model() -> None:
    with pytest.raises(UsageError, match="agent shell needs a model"):
        Shell(AgentSpec(name="shell"))


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini-cli", "kimi", "mini-swe-agent", "openhands"])
@pytest.mark.parametrize("said", [b"", b"\xff\x00 garbage\n{\n", b'{"type": "result"}\n{"type": 7}\n[]\n'])
def test_a_log_that_says_nothing_is_still_a_trajectory(name: str, said: bytes) -> None:
    client: Any = registry.make_agent(AgentSpec(name=name, model="m"))
    told = client.read("Do it.", Done(0, said, said), {pattern.replace("*", "x"): said for pattern in client.logs})
    assert read(write(told.trajectory)).agent.version == client.version
    assert told.usage.tokens is None
