"""Real clients in real containers against a scripted model: a chain of two tasks in every arm, and what is proven of it."""

import base64
import json
import lzma
import shlex
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from agents.clients.client import HOME, Client, skill_path
from agents.clients.script import ScriptedTurn
from agents.registry import make_agent
from agents.trajectory.atif import problems, read
from benchmark.core.model import AgentSpec, Limits, Record, TrialSpec
from benchmark.run.attempt import request_texts
from benchmark.run.positive_control import SKILL
from benchmark.run.trial import keep_skill, run_trial
from benchmark.store.store import Store
from benchmark.webdev.chain_project import NativeProject
from benchmark.webdev.project import Project
from benchmark.webdev.suite import SUITE
from fixtures.gateway.client import Gateway
from fixtures.gateway.models.scripted import ScriptedModel, scripted
from fixtures.packages.packages import cache_folder
from fixtures.sandbox.docker import DockerSandbox
from skills.delivery.deliver import disguised
from skills.delivery.evidence import look, marks
from skills.parsing.parse import Skill, load_skill
from tests import tiny
from tests.factory import skill as made_skill

pytestmark = pytest.mark.docker

MODEL = "scripted-model"
SCHEMA = json.loads((Path(__file__).parents[2] / "data" / "atif-v1.8.schema.json").read_text(encoding="utf-8"))
CLIENTS = ("claude-code", "codex", "gemini-cli", "kimi", "mini-swe-agent")
#: Two tasks of the tiny shop, and what solves each.
TASKS = {"Call the page Shop.": tiny.STATES[0], "List Apple and Pear": tiny.STATES[1]}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The tiny shop, cut to two tasks, as the suite's only project."""
    manifest = tiny.MANIFEST.partition('[[tasks]]\ntitle = "Count the fruit"')[0]
    checks = tiny.CHECKS.partition("@check(3")[0]
    mutants = tiny.MUTANTS.partition("[[mutant]]\ntask = 3")[0]
    changes = {"project.toml": manifest.encode(), "checks.py": checks.encode(), "mutants.toml": mutants.encode()}
    project = tiny.tiny(tmp_path / "shop", changes)
    monkeypatch.setitem(SUITE.__dict__, "_projects", {"shop": NativeProject(project)})
    return project


def turns(answer: bytes, opening: list[ScriptedTurn]) -> list[ScriptedTurn]:
    """What opens the skill, if it is to be opened, then what solves a task, then the end."""
    encoded = base64.b64encode(answer).decode()
    calls = [turn for turn in opening if "text" not in turn]
    return [*calls, {"shell": f"echo {encoded} | base64 -d > index.html"}, {"text": "Done."}]


def script(client: Client, opened: bool, folder: str) -> dict[str, Any]:
    opening = client.opening(folder, skill_path(client, folder)) if opened else []
    return {
        "match": [[words, turns(answer, opening)] for words, answer in reversed(TASKS.items())],
        "turns": [{"text": "Nothing to do."}],
    }


def trial(
    name: str, condition: str, delivery: str | None, injected: Skill | None, server: ScriptedModel, provider: str, **limits: Any
) -> TrialSpec:
    return TrialSpec.model_validate(
        {
            "suite": "webdev",
            "project": "shop",
            "condition": condition,
            "delivery": delivery,
            "agent": AgentSpec(
                name=name, model=f"{provider}/{MODEL}", api_base=server.url, limits=Limits(**{"seconds": 240, **limits})
            ),
            "skill": injected.ref if injected else None,
            "replicate": 0,
            "inputs": SUITE.inputs("shop"),
            "protocol": SUITE.protocol,
        }
    )


def run(spec: TrialSpec, root: Path, injected: Skill | None, sandbox: Any, gateway: Gateway) -> Record:
    store = Store(root)
    if injected:
        keep_skill(store, injected)
    record = Record.model_validate_json(run_trial(spec.model_dump_json(), root, sandbox, gateway))
    assert record.status != "broken", record.reason
    return record


def wire(store: Store, record: Record) -> list[str]:
    """The texts that the model was sent in a trial, from its record alone."""
    assert record.delivered.wire
    rows = [json.loads(line) for line in lzma.decompress(store.get(record.delivered.wire)).splitlines()]
    return list(request_texts(row["body"] for row in rows if row.get("kind") == "generate"))


def client_of(name: str) -> Client:
    agent = make_agent(AgentSpec(name=name, model=MODEL))
    assert isinstance(agent, Client)
    return agent


def arms(name: str) -> list[tuple[str, str | None]]:
    native = [("C1", "native"), ("C1", "forced")] if client_of(name).skills else []
    return [("C0", None), ("C1", "prompt"), *native]


#: The client that starts fastest shows by day what holds of every arm and every client; each of the others has one arm by day.
FASTEST = "codex"


def marks_of(name: str, delivery: str | None = None) -> list[pytest.MarkDecorator]:
    """What a client is marked with in an arm, or in a test of every client."""
    by_day = name == FASTEST or delivery == ("native" if client_of(name).skills else "prompt")
    return [] if by_day else [pytest.mark.nightly]


def every(*names: str) -> list[Any]:
    return [pytest.param(name, marks=marks_of(name)) for name in names]


ARMS = [
    pytest.param(name, *arm, id=f"{name}-{arm[0]}-{arm[1]}", marks=marks_of(name, arm[1]))
    for name in CLIENTS
    for arm in arms(name)
]


@pytest.mark.parametrize(("name", "condition", "delivery"), ARMS)
def test_a_chain_of_two_tasks(
    name: str,
    condition: str,
    delivery: str | None,
    shop: Project,
    tmp_path: Path,
    docker_sandbox: DockerSandbox,
    gateway: Gateway,
) -> None:
    client, target = client_of(name), load_skill(SKILL)
    injected = target if condition == "C1" else None
    provider = client.provider or "openai"
    with scripted(script(client, delivery in ("native", "forced"), target.id), models=[MODEL]) as server:
        spec = trial(name, condition, delivery, injected, server, provider)
        record = run(spec, tmp_path / "runs", injected, docker_sandbox, gateway)
        reported = list(server.reported)
    store = Store(tmp_path / "runs")
    assert record.status == "measured", record.reason
    assert [(task.outcome, len(task.attempts)) for task in record.tasks] == [("solved", 1), ("solved", 1)]
    for attempt in (task.attempts[0] for task in record.tasks):
        evidence, prompt = attempt.evidence, store.get(attempt.prompt).decode()
        assert ("Use the skill" in prompt) == (delivery == "forced")
        if delivery == "prompt":
            assert evidence and (evidence.opened, evidence.carrying > 0) == (1, True)
        elif delivery:
            assert evidence and evidence.listed == 1 and evidence.opened == 2
            assert evidence.bytes == evidence.body_bytes or evidence.lines == evidence.body_lines
        else:
            assert evidence is None
        trajectory = read(store.get(attempt.trajectory))
        jsonschema.validate(json.loads(store.get(attempt.trajectory)), SCHEMA)
        assert problems(trajectory) == []
        assert trajectory.agent.version == client.version
        if attempt.reported and attempt.reported.tokens is not None:
            assert attempt.reported.tokens == attempt.usage.tokens
    seen = look(marks(target, tiny.MANIFEST.splitlines()), wire(store, record))
    assert (seen.listed is None, seen.opened is None) == ((True, True) if condition == "C0" else (False, False))
    totals = [sum(getattr(one, part) for one in reported) for part in ("prompt", "cached", "completion")]
    assert totals == [record.usage.prompt_tokens, record.usage.cached_tokens, record.usage.completion_tokens]
    assert record.usage.source == "provider"


@pytest.mark.parametrize("name", every("claude-code", "codex"))
def test_a_control_goes_by_the_targets_name_and_shows_its_own_body(
    name: str, shop: Project, tmp_path: Path, docker_sandbox: DockerSandbox, gateway: Gateway
) -> None:
    client, target = client_of(name), load_skill(SKILL)
    partner = disguised(load_skill(SKILL.parent.parent / "collection" / "python-packaging"), target)
    assert partner.ref.folder == target.id
    with scripted(script(client, True, target.id), models=[MODEL]) as server:
        spec = trial(name, "C2", "native", partner, server, client.provider or "openai")
        record = run(spec, tmp_path / "runs", partner, docker_sandbox, gateway)
    assert record.status == "measured", record.reason
    store = Store(tmp_path / "runs")
    sent = wire(store, record)
    assert look(marks(target), sent).opened is None and look(marks(target), sent).listed == 1
    assert look(marks(partner), sent).opened == 2
    assert target.id in record.spec.id and "python-packaging" in record.spec.id


@pytest.mark.parametrize("name", every("claude-code", "codex", "gemini-cli", "kimi"))
def test_an_agent_that_does_not_open_the_skill_was_treated(
    name: str, shop: Project, tmp_path: Path, docker_sandbox: DockerSandbox, gateway: Gateway
) -> None:
    client, target = client_of(name), load_skill(SKILL)
    with scripted(script(client, False, target.id), models=[MODEL]) as server:
        spec = trial(name, "C1", "native", target, server, client.provider or "openai")
        record = run(spec, tmp_path / "runs", target, docker_sandbox, gateway)
    assert record.status == "measured"
    first = record.tasks[0].attempts[0].evidence
    assert first and (first.listed, first.opened, first.bytes) == (1, None, 0)


@pytest.mark.parametrize("name", every("claude-code", "codex", "gemini-cli", "kimi"))
def test_a_canary_in_the_operators_home_and_one_in_the_image_never_reach_the_baseline(
    name: str,
    shop: Project,
    tmp_path: Path,
    docker_sandbox: DockerSandbox,
    gateway: Gateway,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    canary = made_skill("canary", fill="canary line that tells\n")
    home = tmp_path / "operator"
    monkeypatch.setenv("ASSAY_CACHE", str(cache_folder()))
    client = client_of(name)
    places = [f"{folder}/canary" for folder in (client.skills, ".agents/skills") if folder]
    for folder in dict.fromkeys(places):
        (home / folder).mkdir(parents=True)
        (home / folder / "SKILL.md").write_bytes(canary.data)
    monkeypatch.setenv("HOME", str(home))
    with (
        _with_canary(docker_sandbox, canary, places) as image,
        scripted(script(client, False, ""), models=[MODEL]) as server,
    ):
        monkeypatch.setattr(docker_sandbox, "chosen", image)
        spec = trial(name, "C0", None, None, server, client.provider or "openai")
        record = run(spec, tmp_path / "runs", None, docker_sandbox, gateway)
    assert record.status == "measured"
    assert "canary" not in "\n".join(wire(Store(tmp_path / "runs"), record))
    assert not [name for name in record.delivered.manifest if "canary" in name]


@contextmanager
def _with_canary(docker_sandbox: DockerSandbox, canary: Skill, places: list[str]) -> Iterator[Any]:
    """The sandbox's image with a skill in the places of the home that a client reads, for as long as the block lasts."""
    from dataclasses import replace

    from fixtures.sandbox.container import LABEL

    # Other processes have theirs at the same time.
    tag = f"test-{uuid.uuid4().hex[:12]}"
    text = shlex.quote(canary.text)
    lay = " && ".join(f"mkdir -p {HOME}/{place} && printf %s {text} > {HOME}/{place}/SKILL.md" for place in places)
    made = docker_sandbox.client.api.create_container(
        docker_sandbox.chosen.name,
        ["/bin/bash", "-c", f"{lay} && chmod -R a+rX /home"],
        host_config=docker_sandbox.client.api.create_host_config(
            network_mode="none",
            binds={host: {"bind": inside, "mode": "ro"} for host, inside in docker_sandbox.chosen.binds.items()},
        ),
        labels={LABEL: "canary"},
    )
    try:
        docker_sandbox.client.api.start(made["Id"])
        assert docker_sandbox.client.api.wait(made["Id"])["StatusCode"] == 0
        docker_sandbox.client.api.commit(made["Id"], "skill-assay/canary", tag)
    finally:
        docker_sandbox.client.api.remove_container(made["Id"], force=True)
    try:
        yield replace(docker_sandbox.chosen, name=f"skill-assay/canary:{tag}")
    finally:
        docker_sandbox.client.images.remove(f"skill-assay/canary:{tag}", force=True)
