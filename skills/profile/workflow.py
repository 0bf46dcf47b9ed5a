"""A skill taken apart into the steps that it prescribes (OpenSkillEval §2.3): by a model, once, into a file to be edited.

    workflows/<sha256 of SKILL.md>.toml    in the store; used as it stands

A model's step must come from where it says: its quote is looked for in the lines that it names. The skill is data of unknown
origin, and so is what the model makes of it: nothing of either is ever more than text.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from pydantic import Field, ValidationError, model_validator

from benchmark.core.errors import UsageError
from benchmark.core.files import sha256, write_whole
from benchmark.core.model import Data, Name, Sha
from skills.parsing.parse import Skill, split

TEMPLATE = Path(__file__).parent / "decompose.txt.j2"
FOLDER = "workflows"
LEAST, MOST = 3, 12
#: A shorter quote than this is anybody's.
SHORTEST_QUOTE = 8
LONGEST = 500
ALWAYS = "always"
HEAD = """\
# What the skill {name!r} prescribes, step by step. Edit it as you see fit: `assay followed` uses this file as it stands.
# `lines` and `quote` say where in SKILL.md a step comes from; a step that you add needs neither.
"""
_STEP_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_NUMBERED = re.compile(r"^[ \t]*\d+\| ?", re.MULTILINE)


class Rejected(Exception):
    """A model's answer that does not hold; `problems` say why, in words for the model."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


class WorkflowStep(Data):
    """One step: what it does in an imperative sentence, when, and the lines of SKILL.md (from 1) that it comes from."""

    id: str = Field(pattern=f"^{_STEP_ID.pattern}$")
    does: str = Field(min_length=1)
    when: str = ALWAYS
    lines: tuple[int, int] | None = None
    quote: str = ""


class Workflow(Data):
    """The steps of a skill, and who took it apart. `body_sha256` is of SKILL.md without its frontmatter."""

    skill: Name
    skill_sha256: Sha
    body_sha256: Sha
    model: str
    date: str
    steps: tuple[WorkflowStep, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _distinct(self) -> "Workflow":
        names = [step.id for step in self.steps]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"two steps are called {twice!r}")
        return self


class Kept(Data):
    """A workflow with the file that it is in; `sha256` is the file's, as it stands."""

    path: Path
    sha256: Sha
    workflow: Workflow


# taking apart


@cache
def template(path: Path) -> Template:
    """A prompt's template. What is put into it is never interpreted."""
    return Environment(undefined=StrictUndefined, keep_trailing_newline=True).from_string(path.read_text(encoding="utf-8"))


def question(skill: Skill) -> str:
    """What a model is asked. Raises UsageError for a skill that is nothing but a frontmatter."""
    lines, first = _lines(skill)
    if not any(map(str.strip, lines[first - 1 :])):
        raise UsageError(f"skill {skill.id!r} has no text after its frontmatter, so it prescribes no steps")
    numbered = "\n".join(f"{number:>4}| {' '.join(line.splitlines())}" for number, line in enumerate(lines, start=1))
    # No text can hold a part of its own hash, so that nothing in the skill can look like its end.
    tag = f"skill-{skill.ref.sha256[:16]}"
    return template(TEMPLATE).render(tag=tag, lines=numbered, least=LEAST, most=MOST, first=first, last=len(lines))


def steps_in(skill: Skill, answer: Any) -> tuple[WorkflowStep, ...]:
    """The steps of a model's answer. Raises Rejected for one that is not of the form, or that quotes what is not there."""
    rows = answer.get("steps") if isinstance(answer, dict) else None
    if not isinstance(rows, list):
        raise Rejected(['the answer has no list "steps"'])
    problems = [] if LEAST <= len(rows) <= MOST else [f"{len(rows)} steps; {LEAST} to {MOST} are wanted"]
    steps: list[WorkflowStep] = []
    for number, row in enumerate(rows[: MOST + 1], start=1):
        try:
            step = _step(skill, row)
            if any(other.id == step.id for other in steps):
                raise Rejected([f"another step has the id {step.id!r} already"])
            steps.append(step)
        except Rejected as rejected:
            problems.append(f"step {number}: {rejected}")
    if problems:
        raise Rejected(problems)
    return tuple(steps)


def _step(skill: Skill, row: Any) -> WorkflowStep:
    if not isinstance(row, dict):
        raise Rejected(["is no object"])
    texts = {name: row.get(name) for name in ("id", "does", "when", "quote")}
    if wrong := next((name for name, value in texts.items() if not isinstance(value, str) or not value.strip()), None):
        raise Rejected([f"{wrong!r} is no text"])
    name, does, when, quote = (str(value) for value in texts.values())
    if not _STEP_ID.fullmatch(name):
        raise Rejected([f"the id {name!r:.60} has other characters than a-z, 0-9 and -, or more than 40"])
    if long := next((key for key in ("does", "when") if len(texts[key] or "") > LONGEST), None):
        raise Rejected([f"{long!r} has more than {LONGEST} characters; one sentence is wanted"])
    first, last = row.get("first_line"), row.get("last_line")
    lines, start = _lines(skill)
    if not (type(first) is int and type(last) is int and start <= first <= last <= len(lines)):
        raise Rejected([f"first_line {first!r:.20} and last_line {last!r:.20} are no lines between {start} and {len(lines)}"])
    found = _quoted(quote, lines[first - 1 : last])
    if found is None:
        raise Rejected([_not_there(quote, lines, start, first, last)])
    when = ALWAYS if when.strip().rstrip(".").lower() == ALWAYS else when
    return WorkflowStep(id=name, does=one_line(does), when=one_line(when), lines=(first, last), quote=one_line(found)[:LONGEST])


def _quoted(quote: str, lines: Sequence[str]) -> str | None:
    """The quote in plain form if it stands in these lines; numbers that it was copied with do not count."""
    text = plain("\n".join(lines))
    for form in (plain(quote), plain(_NUMBERED.sub("", quote))):
        if form and form in text and (len(form) >= SHORTEST_QUOTE or form == text):
            return form
    return None


def _not_there(quote: str, lines: Sequence[str], start: int, first: int, last: int) -> str:
    words = plain(_NUMBERED.sub("", quote))
    where = f"lines {first} to {last}" if first != last else f"line {first}"
    if len(words) < SHORTEST_QUOTE and words in plain("\n".join(lines[first - 1 : last])):
        return f"the quote {words!r} is shorter than {SHORTEST_QUOTE} characters"
    near = next((number for number in range(start, len(lines) + 1) if words in plain(lines[number - 1])), None)
    return f"the quote {words!r:.80} does not stand in {where}" + (f" but in line {near}" if near else " of the skill")


def _lines(skill: Skill) -> tuple[list[str], int]:
    """The lines of SKILL.md as editors count them, and the number of the first one after the frontmatter."""
    text = skill.text
    before = text[: len(text) - len(skill.body)]
    lines = text.split("\n")
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines, before.count("\n") + 1


def plain(text: str) -> str:
    """A text with every run of white space as one space."""
    return " ".join(text.split())


def one_line(text: str) -> str:
    """A text of any origin as one line that a file can hold and a terminal can show."""
    return plain("".join(char if char.isprintable() else " " for char in text))


# the file


def path_in(root: Path, skill: Skill) -> Path:
    """Where the store at `root` keeps the workflow of exactly this SKILL.md."""
    return root / FOLDER / f"{skill.ref.sha256}.toml"


def find(root: Path, skill: Skill) -> Kept | None:
    """The workflow that a store has for a skill: of exactly its SKILL.md, or of one that differs in the frontmatter alone.

    A control under another skill's name (METHOD.md, C2 under native delivery) is such a one. Raises UsageError for a file
    that is none.
    """
    exact = path_in(root, skill)
    if exact.is_file():
        return load(exact)
    body = _body_hash(skill)
    others = (load(path) for path in sorted((root / FOLDER).glob("*.toml")))
    return next((kept for kept in others if kept.workflow.body_sha256 == body), None)


def load(path: Path) -> Kept:
    """The workflow in a file. Raises UsageError that names the file and what is wrong."""
    data = path.read_bytes()
    try:
        return Kept(path=path, sha256=sha256(data), workflow=Workflow.model_validate(tomllib.loads(data.decode("utf-8"))))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        said = f"{where}: {first['msg']}"
    except ValueError as error:
        said = str(error)
    raise UsageError(f"{path}: {plain(said)}; mend it, or make it anew with assay steps … --again")


def made(skill: Skill, model: str, date: str, steps: tuple[WorkflowStep, ...]) -> Workflow:
    """The workflow of a skill."""
    return Workflow(
        skill=skill.id, skill_sha256=skill.ref.sha256, body_sha256=_body_hash(skill), model=model, date=date, steps=steps
    )


def save(path: Path, workflow: Workflow) -> Kept:
    """Write a workflow; what it is when it is read back."""
    parts = [HEAD.format(name=workflow.skill), *_rows(workflow.model_dump(exclude={"steps"}))]
    for step in workflow.steps:
        parts += ["\n[[steps]]\n", *_rows(step.model_dump(exclude_none=True))]
    write_whole(path, "".join(parts).encode())
    return load(path)


def today() -> str:
    """The date, in UTC."""
    return datetime.now(UTC).date().isoformat()


def _rows(values: Mapping[str, object]) -> list[str]:
    # JSON's strings are TOML's but for one character.
    return [f"{key} = {json.dumps(value, ensure_ascii=False).replace(chr(127), ' ')}\n" for key, value in values.items()]


def _body_hash(skill: Skill) -> str:
    return sha256(split(skill.text)[1].encode())
