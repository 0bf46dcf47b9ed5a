"""How a skill reaches the agent under `prompt` delivery: the bytes of SKILL.md in the prompt, all else beside the workspace.

Only SKILL.md counts for length (WebDev-Skills-Bench §3, workspace-aware injection), so that the control is well defined.
"""

from collections.abc import Iterable

from benchmark.files import names, sha256
from benchmark.model import Condition, Sha
from skills.parse import Skill

FOLDER = ".skills"


def mounted(skill: Skill) -> dict[str, bytes]:
    """The skill's other files by their path below `.skills/`."""
    return {f"{skill.id}/{name}": data for name, data in skill.files.items()}


def block(skill: Skill) -> str:
    """The part of a prompt that carries a skill: its bytes and nothing that tells a target from a control."""
    where = f"Its other files are in {FOLDER}/{skill.id}/ (read-only).\n" if skill.files else ""
    return f"A skill is available for this work.\n{where}<skill>\n{skill.text}\n</skill>\n"


def requests_with(skill: Skill | None, requests: Iterable[str]) -> int:
    """How many of the texts that were sent hold the skill's SKILL.md byte for byte."""
    if skill is None:
        return 0
    return sum(skill.data in request.encode("utf-8", errors="replace") for request in requests)


def proven(condition: Condition, skill: Skill | None, installed: dict[str, Sha], requests: int, carrying: int) -> str | None:
    """Why the skill was not within the agent's reach, or None where it was (or where none was to be)."""
    if skill is None:
        return None
    wanted = {name: sha256(data) for name, data in mounted(skill).items()}
    if installed != wanted:
        wrong = [name for name in {**wanted, **installed} if wanted.get(name) != installed.get(name)]
        return f"{condition}: the skill's files in the sandbox are not those of the skill ({names(wrong, 3)})"
    if requests == 0 or carrying < requests:
        return f"{condition}: {carrying} of {requests} requests carried the skill's bytes"
    return None
