"""How a skill reaches the agent, and the proof that it was within reach (DESIGN.md, delivery and invariant 2).

`prompt`: the bytes of SKILL.md in the prompt, all else beside the workspace; only SKILL.md counts for length
(WebDev-Skills-Bench §3, workspace-aware injection). `native`: the whole folder in the client's own skill directory, which
the agent may discover. `forced`: that, and one sentence in the prompt (OpenSkillEval §3.1, force-using).
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import yaml

from benchmark.core.files import names, sha256
from benchmark.core.model import Condition, Delivery, Evidence, Sha
from skills.parsing.parse import Skill

FOLDER = ".skills"


def mounted(skill: Skill, delivery: Delivery) -> dict[str, bytes]:
    """The files of the skill that are bound into the sandbox: below `.skills/` or the client's skill directory."""
    folder = skill.ref.folder
    files = skill.files if delivery == "prompt" else {**skill.files, "SKILL.md": skill.data}
    return {f"{folder}/{name}": data for name, data in files.items()}


def preamble(skill: Skill, delivery: Delivery) -> str:
    """The part of a prompt that carries or names a skill; nothing in it tells a target from a control."""
    if delivery == "native":
        return ""
    if delivery == "forced":
        return f"Use the skill `{skill.name}` for this work: open it first and follow it.\n"
    where = f"Its other files are in {FOLDER}/{skill.ref.folder}/ (read-only).\n" if skill.files else ""
    return f"A skill is available for this work.\n{where}<skill>\n{skill.text}\n</skill>\n"


def disguised(partner: Skill, target: Skill) -> Skill:
    """The partner's content under the target's name and description: what C2 is where clients list skills.

    An agent decides by name and description whether to open a skill; with the partner's own, C2 would differ from C1 in how
    often it is opened, not in what is read.
    """
    data = f"{_frontmatter(target.name, target.description)}{partner.body}".encode()
    folder = target.folder or target.id
    return replace(partner, name=target.name, description=target.description, data=data, folder=folder, source=None)


@lru_cache(maxsize=256)
def _frontmatter(name: str, description: str) -> str:
    """Cached: a planner disguises a whole pool for each target."""
    head = yaml.safe_dump({"name": name, "description": description}, sort_keys=False, allow_unicode=True, width=10**6)
    return f"---\n{head}---\n"


def delivery_failure(
    condition: Condition,
    delivery: Delivery | None,
    skill: Skill | None,
    installed: dict[str, Sha],
    attempts: Sequence[Evidence],
) -> str | None:
    """Why the skill was not within the agent's reach, or None where it was (or where none was to be)."""
    if skill is None or delivery is None:
        return None
    wanted = {name: sha256(data) for name, data in mounted(skill, delivery).items()}
    if installed != wanted:
        wrong = [name for name in {**wanted, **installed} if wanted.get(name) != installed.get(name)]
        return f"{condition}: the skill's files in the sandbox are not those of the skill ({names(wrong, 3)})"
    # An attempt that a limit ended before it asked anything shows nothing of what was within reach.
    asked = [item for item in attempts if item.requests]
    if not asked:
        return f"{condition}: no request to a model was seen that could have carried the skill"
    if delivery == "prompt":
        if any(not item.carrying for item in asked):
            carrying, requests = (sum(getattr(item, name) for item in asked) for name in ("carrying", "requests"))
            return f"{condition}: {carrying} of {requests} requests carried the skill's bytes"
    elif unlisted := sum(item.listed is None for item in asked):
        return f"{condition}: in {unlisted} of {len(asked)} attempts the client never listed the skill to its model"
    return None
