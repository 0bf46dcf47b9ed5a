"""The positive control, with a shell script in the place of a client: what it must see, and what it must not overlook."""

import json
from pathlib import Path
from typing import Any

import pytest

from agents import registry
from agents.registry import make_agent
from benchmark.core.errors import SetupError, UsageError
from benchmark.core.model import AgentSpec
from benchmark.run.positive_control import SKILL, control, require
from benchmark.run.session import check_client
from fixtures.sandbox.docker import DockerSandbox
from tests.agents.clients.test_client import Shell

pytestmark = pytest.mark.docker

SAY = """
import json, sys, urllib.request
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": sys.stdin.read()}]}).encode()
asked = urllib.request.Request("http://127.0.0.1:8110/v1/chat/completions", body, {"content-type": "application/json"})
urllib.request.urlopen(asked).read()
"""
FILE = "~/.shell/skills/tide-table-footer/SKILL.md"
LIST = f"head -n 4 {FILE} 2>/dev/null | python3 -c '{SAY}'"
OPEN = f"cat {FILE} 2>/dev/null | python3 -c '{SAY}'"


@pytest.fixture(autouse=True)
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(registry.AGENTS, "shell", f"{Shell.__module__}:Shell")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


def spec(script: str, model: str | None = None) -> AgentSpec:
    return AgentSpec(name="shell", model=model, options={"script": script})


def test_a_client_that_lists_and_opens_passes(docker_sandbox: DockerSandbox) -> None:
    found = control(spec(f"{LIST}; {OPEN}"), docker_sandbox)
    assert (found.ok, found.reason) == (True, None)
    assert (found.installed, found.listed_at, found.opened_at, found.clean) == (True, 1, 2, True)
    assert 0 < found.bytes <= found.body_bytes
    assert found.scripted_model and found.usage.tokens and found.usage.tokens > 0


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (f"{LIST}; {LIST}", "the skill was not seen as opened"),
        (f"echo hello | python3 -c '{SAY}'", "the client never listed the skill to its model"),
    ],
    ids=["listed only", "nothing of it"],
)
def test_one_that_does_not_is_not_measured(script: str, reason: str, docker_sandbox: DockerSandbox) -> None:
    found = control(spec(script), docker_sandbox)
    assert (found.ok, found.reason, found.opened) == (False, reason, False)
    with pytest.raises(SetupError, match=f"shell is not measured: {reason}; see assay doctor --agent shell"):
        require(spec(script, "m"), docker_sandbox)


def test_one_that_has_the_skill_from_elsewhere_is_not_measured(docker_sandbox: DockerSandbox) -> None:
    text = SKILL.joinpath("SKILL.md").read_text(encoding="utf-8")
    leak = f"cat <<'END' | python3 -c '{SAY}'\n{text}\nEND"
    found = control(spec(f"{LIST}; {OPEN}; {leak}"), docker_sandbox)
    assert (found.ok, found.clean, found.reason) == (False, False, "the skill was seen although it was not there")


def test_a_pass_is_remembered_and_a_failure_is_not(docker_sandbox: DockerSandbox, tmp_path: Path, monkeypatch: Any) -> None:
    with pytest.raises(SetupError):
        require(spec(LIST, "m"), docker_sandbox)
    assert not list((tmp_path / "cache").rglob("*.json"))
    require(spec(f"{LIST}; {OPEN}", "m"), docker_sandbox)
    (kept,) = (tmp_path / "cache" / "controls").glob("*.json")
    assert json.loads(kept.read_text(encoding="utf-8"))["opened"] is True
    monkeypatch.setattr("benchmark.run.positive_control.control", lambda *_: pytest.fail("asked again"))
    require(spec("exit 1", "m"), docker_sandbox)


def test_another_version_than_the_pin_stops(docker_sandbox: DockerSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    client: Any = make_agent(AgentSpec(name="shell", model="m"))
    assert check_client(client, docker_sandbox) == "1"
    monkeypatch.setattr(Shell, "version", "2.0")
    with pytest.raises(SetupError, match=r"shell 2\.0 was expected in the sandbox, and it says: 1"):
        check_client(client, docker_sandbox)
    monkeypatch.setattr(Shell, "version_command", ("/client/none", "--version"))
    with pytest.raises(SetupError, match=r"shell 2\.0 was expected in the sandbox, and it says: .*"):
        check_client(client, docker_sandbox)


def test_a_scripted_agent_has_no_control(docker_sandbox: DockerSandbox) -> None:
    with pytest.raises(UsageError, match="noop asks no model"):
        control(AgentSpec(name="noop"), docker_sandbox)
