"""Whether a baseline is one: what each C0 trial was sent, looked through for every skill that it is compared with.

DESIGN.md, invariant 1: purity is computed from the record, against any skill, also long after the trial.
"""

import io
import json
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmark.core.errors import Fault
from benchmark.core.files import names, text_files
from benchmark.core.model import Evidence, Record
from benchmark.core.stored_plan import StoredPlan
from benchmark.store.store import Store
from benchmark.suite.contract import Suite
from fixtures.gateway.wires.wire_formats import prompt_text
from skills.delivery.evidence import looks, marks
from skills.parsing.parse import Skill, as_skill


@dataclass(frozen=True)
class Purity:
    """What is known of one C0 trial. `found` says in words what was in it, `unproven` why its purity could not be shown.

    With neither it is proven free of every skill that it is compared with.
    """

    found: str | None = None
    unproven: str | None = None


class Inspector:
    """Looks through the C0 trials of a plan; a trial's requests are unpacked once, for all its skills together."""

    def __init__(self, store: Store, suite: Suite, plan: StoredPlan) -> None:
        self._store = store
        self._suite = suite
        self._refs = {row.spec.skill.id: row.spec.skill for row in plan.trials if row.spec.condition == "C1" and row.spec.skill}
        self._compared: dict[str, list[str]] = {}
        for row in plan.assignments:
            skills = self._compared.setdefault(row.trial, [])
            # The baseline alone is compared with no skill, and goes by a name that none has.
            if row.condition == "C0" and row.skill in plan.skills and row.skill not in skills:
                skills.append(row.skill)
        self._loaded: dict[str, Skill | None] = {}

    def of(self, trial: str, record: Record) -> Purity | None:
        """What is known of a C0 trial; None where it is compared with no skill."""
        compared = self._compared.get(trial, [])
        if not compared:
            return None
        skills = [skill for skill in map(self._skill, compared) if skill]
        try:
            seen = self._seen(record, skills)
        except (KeyError, ValueError, EOFError, lzma.LZMAError) as error:
            return Purity(unproven=f"what it was sent cannot be read: {error.args[0] if error.args else error}")
        found = [words for skill, one in zip(skills, seen, strict=True) if (words := _leak(skill, one, record))]
        if found:
            return Purity(found="; ".join(found))
        if missing := [name for name in compared if self._skill(name) is None]:
            return Purity(unproven=f"the bytes of {names(missing)} are not in the store")
        if not all(one.requests for one in seen):
            return Purity(unproven="nothing of what it was sent was kept")
        return Purity()

    def _skill(self, name: str) -> Skill | None:
        if name not in self._loaded:
            try:
                ref = self._refs[name]
                self._loaded[name] = as_skill(ref.id, self._store.get_tree(ref.tree), ref.folder)
            except (Fault, KeyError, ValueError):
                self._loaded[name] = None
        return self._loaded[name]

    def _seen(self, record: Record, skills: Sequence[Skill]) -> list[Evidence]:
        """The evidence of each skill in what a trial was sent: of a scripted agent its prompts, of others the requests."""
        project = record.spec.project
        start = text_files(self._suite.start(project)) if project in self._suite.projects() else []
        prompts = [self._store.get(attempt.prompt).decode() for task in record.tasks for attempt in task.attempts]
        if record.delivered.wire is None:
            return looks([marks(skill, start) for skill in skills], prompts if record.scripted else [])
        sent = requests(self._store.get(record.delivered.wire))
        return looks([marks(skill, [*prompts, *start]) for skill in skills], sent)


def requests(wire: bytes) -> Iterator[str]:
    """The texts that a trial's model was sent, one a request, from the record's `wire`; one at a time, as they are long."""
    with lzma.open(io.BytesIO(wire)) as lines:
        for line in lines:
            row = json.loads(line)
            if row.get("kind") == "generate" and row.get("refused") is None:
                yield from [prompt_text(row["body"])] if isinstance(row["body"], dict) else []


def _leak(skill: Skill, seen: Evidence, record: Record) -> str | None:
    """What of a skill was in a baseline, in words."""
    lay = [name for name, digest in record.delivered.manifest.items() if digest == skill.ref.sha256]
    if lay:
        return f"the skill {skill.id} lay in the sandbox of the baseline: {names(lay)}"
    if seen.opened is not None:
        return f"the body of the skill {skill.id} was in request {seen.opened} of the baseline"
    if seen.listed is not None:
        return f"the skill {skill.id} was listed in request {seen.listed} of the baseline"
    if seen.carrying:
        return f"the skill {skill.id} was in {seen.carrying} requests of the baseline, byte for byte"
    return None
