"""The length-matched irrelevant partner of a skill: what C2 injects (WebDev-Skills-Bench §3; METHOD.md, C2)."""

from collections import Counter
from collections.abc import Iterable, Sequence

from benchmark.files import hash_json
from skills.parse import Skill
from skills.tiers import Member

TOLERANCE = 0.05


def fits(target: Skill, other: Skill) -> bool:
    """Whether `other` is within ±5 % of the target's bytes, relative to the target, ends included."""
    return abs(other.ref.size - target.ref.size) <= TOLERANCE * target.ref.size


def partners(target: Skill, projects: Iterable[str], pool: Sequence[Member], seed: int) -> dict[str, Skill | str]:
    """For each project the partner of `target`, or why there is none.

    Partners are tiered `skip` for the project. The least used so far is taken, ties by seeded draw, so that projects get
    different partners where there are several. The tolerance is never widened.
    """
    others = [member for member in pool if member.skill.data != target.data and member.skill.id != target.id]
    used: Counter[str] = Counter()
    chosen: dict[str, Skill | str] = {}
    for project in sorted(projects):
        irrelevant = [member.skill for member in others if member.tier(project) == "skip"]
        able = [skill for skill in irrelevant if fits(target, skill)]
        if not able:
            chosen[project] = _reason(target, project, irrelevant)
            continue
        draw = {skill.ref.tree: hash_json([seed, target.ref.tree, project, skill.ref.tree]) for skill in able}
        best = min(able, key=lambda skill: (used[skill.ref.tree], draw[skill.ref.tree]))
        used[best.ref.tree] += 1
        chosen[project] = best
    return chosen


def _reason(target: Skill, project: str, irrelevant: Sequence[Skill]) -> str:
    size = target.ref.size
    wanted = f"no partner: no skill tiered skip for {project} is within ±{TOLERANCE:.0%} of {target.id}'s {size:,} bytes"
    if not irrelevant:
        return f"{wanted}; the pool holds no skill that was judged irrelevant"
    near = min(irrelevant, key=lambda skill: abs(skill.ref.size - size))
    return f"{wanted}; the nearest is {near.id} with {near.ref.size:,} bytes ({(near.ref.size - size) / size:+.1%})"
