"""The steps that a skill prescribes, written down once by a model: what `assay steps` does."""

import os
from collections.abc import Iterator
from pathlib import Path

from agents.llm import ContextOverflow
from benchmark.core.errors import Fault, UsageError
from benchmark.core.model import SkillRef, Usage
from benchmark.core.stored_plan import StoredPlan
from benchmark.judging.judge import judging
from benchmark.run.trial import load_from
from benchmark.store.store import Store
from reports.audit.load import load_plan
from skills.parsing.parse import Skill, load_skill, usable
from skills.profile import workflow as workflows
from skills.profile.workflow import Kept, Rejected
from skills.routing.tiers import COLLECTION


def find_skill(store: Store, asked: str) -> Skill:
    """The skill of that folder, or that a run of the store used under that name, or of the collection. Raises UsageError."""
    if os.sep in asked or Path(asked).exists():
        return usable(load_skill(Path(asked)))
    for panel in reversed(store.panels()):
        refs = [ref for ref in _refs(load_plan(store, panel.stem)) if ref.id == asked]
        # A control under another's name has the same steps; its own name comes first.
        for ref in sorted(refs, key=lambda ref: ref.folder != ref.id):
            return load_from(store, ref)
    if (COLLECTION / asked).is_dir():
        return usable(load_skill(COLLECTION / asked))
    raise UsageError(f"no skill {asked!r}: neither a folder, nor in a run of {store.root}, nor in the collection")


def _refs(plan: StoredPlan) -> list[SkillRef]:
    return list(dict.fromkeys(row.spec.skill for row in plan.trials if row.spec.skill))


def take_apart(
    store: Store, skill: Skill, model: str, api_base: str | None, budget_usd: float | None, *, again: bool
) -> tuple[Kept, Usage | None]:
    """The workflow of a skill, made by a model unless the store has it; and what making it cost, None where nothing was asked.

    Raises Fault for a model whose answers do not hold, and what `judging` raises.
    """
    path = workflows.path_in(store.root, skill)
    if path.is_file() and not again:
        return workflows.load(path), None
    asked = workflows.question(skill)
    with judging(store, model, api_base, budget_usd) as judge, judge.session(f"steps/{skill.id}") as session:
        try:
            steps = session.ask(asked, lambda answer: workflows.steps_in(skill, answer))
        except Rejected as rejected:
            raise Fault(f"{model} gave no usable steps of {skill.id} in {session.asked} tries: {rejected}") from rejected
        except ContextOverflow as overflow:
            raise Fault(f"{skill.id} does not fit the context of {model}: {overflow}") from overflow
    return workflows.save(path, workflows.made(skill, model, workflows.today(), steps)), session.usage


def step_lines(kept: Kept, usage: Usage | None) -> Iterator[str]:
    """A workflow for a terminal."""
    flow = kept.workflow
    yield f"{flow.skill}: {len(flow.steps)} steps, taken apart by {flow.model} on {flow.date}"
    for number, step in enumerate(flow.steps, start=1):
        where = f" (lines {step.lines[0]}–{step.lines[1]})" if step.lines else ""
        yield f"{number:>3}  {step.does}{where}"
        if step.when != workflows.ALWAYS:
            yield f"     when: {step.when}"
    cost = "it was there already, as it stands" if usage is None else "made now"
    usd = "" if usage is None else ", cost not measured" if usage.usd is None else f", ${usage.usd:,.4f}"
    yield f"{kept.path} ({cost}{usd}); edit it as you see fit, and run assay followed"
