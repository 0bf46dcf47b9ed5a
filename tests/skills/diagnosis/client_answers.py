"""How the real, pinned clients are asked what they make of skills: in the sandbox that trials have, by a scripted model.

Many skills lie at once in a client's own skill directory. The first request of a run shows what the client lists; in a second
run the model opens each listed skill, and what is added to the conversation is what the client loads of it.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from agents.base import AttemptRequest
from agents.clients.client import HOME, Client, skill_path
from agents.clients.script import ScriptedTurn
from agents.registry import make_agent
from benchmark.core.errors import Fault, SetupError
from benchmark.core.model import AgentSpec, Limits
from benchmark.run.attempt import sent_texts
from benchmark.run.positive_control import SCRIPTED_MODEL
from benchmark.run.trial import workspace_spec
from fixtures.gateway.client import Gateway, opened
from fixtures.gateway.models.scripted import scripted
from fixtures.packages.clients import LOCKS
from fixtures.packages.packages import wheels
from fixtures.sandbox.docker import DockerSandbox
from skills.diagnosis.claims import VALIDATOR
from skills.parsing.frontmatter import read
from skills.parsing.parse import Skill
from tests.skills.diagnosis.forms import Form

#: How each client shows a skill to its model: the folder that it lies in, its name (where that is another) and its description.
LISTINGS = {
    "claude-code": r"^- (?P<folder>[^\n:(]+?)(?: \((?P<name>[^\n]*?)\))?: ?(?P<description>(?:(?!\n- |\n\n).)*)",
    "codex": r"^- (?P<name>[^\n]*?): (?P<description>(?:(?!\n- ).)*?) \(file: (?:[^\n()]*/)?(?P<folder>[^/\n]+)/SKILL\.md\)$",
    "gemini-cli": r"<name>(?P<name>[^\n]*)</name>\s*<description>(?P<description>(?:(?!</skill>|<name>).)*)</description>\s*"
    r"<location>[^\n]*/(?P<folder>[^/\n]+)/SKILL\.md</location>",
    "kimi": r"^- (?P<name>[^\n]*?): ?(?P<description>(?:(?!\n- ).)*)\n  Path: [^\n]*/(?P<folder>[^/\n]+)/SKILL\.md$",
}
#: All that can be asked.
ASKED = (VALIDATOR, *LISTINGS)
#: Where the list of skills begins, for clients that have other lists of that form.
BEGINS = {"claude-code": "The following skills are available for use with the Skill tool:"}
#: A skill is opened by its folder's name, in others by its own.
BY_FOLDER = ("claude-code",)
#: The model reads the file itself: there is no loader that could lose a part of it.
READS_FILES = ("codex",)
LIMITS = Limits(seconds=300, turns=60)
#: Together with a control; clients cut their lists where they become long.
FORMS, LETTERS = 16, 2_000
CONTROL = Form("", "demo-control", {"demo-control/SKILL.md": b"---\nname: demo-control\ndescription: Shows it.\n---\n# Seen\n"})
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&#39;": "'", "&amp;": "&"}

Observation = dict[str, Any]


class Broken(Exception):
    """A client does not get on with the skills that it was given. What fails on our side is a Fault and nobody's answer."""


def ask(name: str, asked: Sequence[Form]) -> tuple[str, dict[str, Observation]]:
    """The version of a client, and what it makes of each form, by its id. Raises Fault where it could not be asked."""
    if name == VALIDATOR:
        return _ask_validator(asked)
    client = _client(name)
    found: dict[str, Observation] = {}
    with _sandbox() as sandbox, opened([]) as gateway:
        for batch in _batches(asked):
            found |= _ask(client, sandbox, gateway, batch)
    return client.version, found


@contextmanager
def _sandbox() -> Iterator[DockerSandbox]:
    sandbox = DockerSandbox()
    try:
        yield sandbox
    finally:
        sandbox.close()


def _client(name: str, model: str = SCRIPTED_MODEL, api_base: str | None = None) -> Client:
    client = make_agent(AgentSpec(name=name, model=model, api_base=api_base))
    if not isinstance(client, Client) or name not in LISTINGS:
        raise Fault(f"{name} is no client whose list of skills can be read; those are {', '.join(LISTINGS)}")
    return client


def as_read(asked: Sequence[Form]) -> dict[str, Skill]:
    """The forms as our own loader reads them, by id."""
    with tempfile.TemporaryDirectory() as folder:
        places = {form.id: Path(folder) / form.digest for form in asked}
        for form in asked:
            form.lay_out(places[form.id])
        return {form.id: form.read(places[form.id]) for form in asked}


def _batches(asked: Sequence[Form]) -> list[list[Form]]:
    """Forms that can lie in one directory: few enough, not too long, and no two of one name."""
    batches: list[tuple[list[Form], set[str], int]] = []
    own = as_read(asked)
    for form in asked:
        names, size = {form.folder, own[form.id].name}, len(own[form.id].description)
        for at, (batch, taken, letters) in enumerate(batches):
            if len(batch) < FORMS and not names & taken and letters + size <= LETTERS:
                batch.append(form)
                batches[at] = (batch, taken | names, letters + size)
                break
        else:
            batches.append(([form], names, size))
    return [batch for batch, *_ in batches]


def _ask(client: Client, sandbox: DockerSandbox, gateway: Gateway, batch: Sequence[Form]) -> dict[str, Observation]:
    """What the client makes of forms that lie beside each other; where one of them breaks it, each is asked alone."""
    try:
        shown, texts = _run(client, sandbox, gateway, batch)
    except Broken as broken:
        if len(batch) == 1:
            return {batch[0].id: {"breaks": str(broken)}}
        half = len(batch) // 2
        return _ask(client, sandbox, gateway, batch[:half]) | _ask(client, sandbox, gateway, batch[half:])
    own = as_read(batch)
    return {
        form.id: (
            _observed(client, form, own[form.id], shown[form.folder], texts.get(form.folder, ""))
            if form.folder in shown
            else {"listed": False}
        )
        | _besides(form, shown)
        for form in batch
    }


def _besides(form: Form, shown: Mapping[str, tuple[str, str]]) -> Observation:
    """The skills within a form's own folder that the client lists as well."""
    deeper = [data for path, data in form.files.items() if re.fullmatch(rf"{re.escape(form.folder)}/.+/SKILL\.md", path)]
    within = [read(data.decode()).name for data in deeper]
    names = {name for name, _ in shown.values()}
    return {"besides": found} if (found := [name for name in within if name in names]) else {}


def _run(
    client: Client, sandbox: DockerSandbox, gateway: Gateway, batch: Sequence[Form]
) -> tuple[dict[str, tuple[str, str]], dict[str, str]]:
    """What the client lists (folder → name and description), and what its model is sent when it opens each (folder → text).

    Raises Broken where it does not list or load the control, or does not work at all; Fault where our side fails.
    """
    with tempfile.TemporaryDirectory(prefix="assay-forms-") as folder:
        Path(folder).chmod(0o755)
        for form in (CONTROL, *batch):
            form.lay_out(Path(folder))
        (first,) = _requests(client, sandbox, gateway, Path(folder), [])[:1]
        shown = _listed(client, first)
        if CONTROL.folder not in shown:
            raise Broken("it does not list the skill beside it")
        if client.name in READS_FILES:
            return shown, {}
        order = [CONTROL.folder, *(folder for folder in shown if folder != CONTROL.folder)]
        called = [one if client.name in BY_FOLDER else shown[one][0] for one in order]
        turns = [client.opening(name, skill_path(client, one))[0] for name, one in zip(called, order, strict=True)]
        requests = _requests(client, sandbox, gateway, Path(folder), turns)
    texts = {one: _added(before, after) for one, before, after in zip(order, requests, requests[1:], strict=False)}
    if len(texts) != len(order) or "# Seen" not in texts[CONTROL.folder]:
        raise Broken("it does not load the skill beside it")
    return shown, texts


def _requests(client: Client, sandbox: DockerSandbox, gateway: Gateway, folder: Path, turns: list[ScriptedTurn]) -> list[str]:
    """The texts that the model is sent in a run with the skills in `folder`, one a request."""
    with ExitStack() as exits:
        server = exits.enter_context(scripted([*turns, {"text": "Done."}], models=[SCRIPTED_MODEL]))
        spec = AgentSpec(name=client.name, model=f"{client.provider or 'openai'}/{SCRIPTED_MODEL}", api_base=server.url)
        agent = make_agent(spec)
        line = exits.enter_context(gateway.open("forms", spec, agent.provider))
        outfit = workspace_spec(agent, {}, "native", line, sandbox)
        outfit = replace(outfit, binds={**outfit.binds, str(folder): f"{HOME}/{client.skills}"})
        box = exits.enter_context(sandbox.workspace(outfit))
        said = box.run(client.version_command, {}, b"", 60).output.decode(errors="replace")
        if client.version not in said:
            raise Fault(f"{client.name} is {said.strip()[:40]!r} and not the pinned {client.version}")
        line.begin(LIMITS)
        run = agent.run(AttemptRequest("Do the work.", 1, 1, LIMITS, "forms", endpoint=line), box)
        heard = line.end()
    if run.limit:
        raise SetupError(f"{client.name} did not end within {LIMITS.seconds:g} s; ask it on a machine with less to do")
    if heard.fault:
        raise Fault(heard.fault)
    if run.fault:
        raise Broken(run.fault)
    texts = list(sent_texts(heard))
    if not texts:
        raise Broken("it ends without a request")
    return texts


def _listed(client: Client, text: str) -> dict[str, tuple[str, str]]:
    """The skills of a list: name and description by folder."""
    text = text[text.find(BEGINS[client.name]) :] if client.name in BEGINS else text
    rows = [one.groupdict() for one in re.finditer(LISTINGS[client.name], text, re.MULTILINE | re.DOTALL)]
    return {_plain(row["folder"]): (_plain(row["name"] or row["folder"]), _plain(row["description"])) for row in rows}


def _plain(text: str) -> str:
    for entity, character in _ENTITIES.items():
        text = text.replace(entity, character)
    return " ".join(text.split())


def _added(before: str, after: str) -> str:
    """What a conversation has more than it had."""
    same = next((at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), len(before))
    return after[same:]


def _observed(client: Client, form: Form, skill: Skill, shown: tuple[str, str], text: str) -> Observation:
    name, description = shown
    own, meant = _plain(skill.name), _plain(form.meant)
    if f"{name}: {description}" == f"{own}: {meant}":  # a name with a colon in it
        name, description = own, meant
    return {
        "listed": True,
        "name": "folder" if name == form.folder else "own" if name == own else name,
        "description": _described(description, meant),
        "body": "file" if client.name in READS_FILES else _loaded(form, skill, text),
    }


def _described(shown: str, meant: str) -> str:
    """How a description is shown: not at all, as its author meant it, the first so many characters of that, or another."""
    if not shown:
        return "none"
    if shown == meant:
        return "own"
    begun = shown.rstrip(".… ")
    return f"first {len(begun)}" if begun and meant.startswith(begun) else f"other: {shown[:60]}"


def _loaded(form: Form, skill: Skill, text: str) -> str:
    """How much of the body a text has: its lines, whatever stands around them."""
    if form.ran and form.ran in text:
        return "ran"
    body = skill.body if form.body is None else form.body
    lines = [line.strip() for line in body.replace("\0", "").splitlines() if line.strip()]
    seen = [line for line in lines if line in text.replace("\0", "")]
    if len(seen) == len(lines):
        return "whole"
    return "changed" if form.ran is not None else "part" if seen else "empty"


def _ask_validator(asked: Sequence[Form]) -> tuple[str, dict[str, Observation]]:
    """What the reference validator says of each form, and which description it reads."""
    lock = LOCKS / VALIDATOR / "requirements.txt"
    version = re.search(rf"^{VALIDATOR}==(\S+)", lock.read_text(encoding="utf-8"), re.MULTILINE)
    assert version
    packages = wheels(lock.read_bytes(), f"{sys.version_info.major}.{sys.version_info.minor}")
    script = Path(__file__).with_name("ask_validator.py")
    found: dict[str, Observation] = {}
    with tempfile.TemporaryDirectory() as folder:
        places = {form.id: Path(folder) / form.digest for form in asked}
        for form in asked:
            form.lay_out(places[form.id])
        command = [sys.executable, "-I", str(script), str(packages), *(str(places[form.id] / form.folder) for form in asked)]
        answers = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
        for form, answer in zip(asked, map(json.loads, answers.splitlines()), strict=True):
            if "description" in answer:
                answer["description"] = _described(_plain(answer["description"]), _plain(form.meant))
            found[form.id] = answer
    return version[1], found
