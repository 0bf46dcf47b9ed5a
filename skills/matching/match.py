"""The length-matched irrelevant partner of a skill: what C2 injects (WebDev-Skills-Bench §3; METHOD.md, C2).

A partner is, as it is delivered, within ±5 % of the target in the bytes of its SKILL.md, of its body and of what enters the
prompt, as they are and with LF line ends; it is tiered `skip` for the project, in the target's script, of another topic and
no near duplicate. No criterion is ever widened: where no skill meets all, the arm is absent and says which one was nearest.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from benchmark.core.files import hash_json, sha256
from benchmark.core.model import Delivery
from skills.delivery.deliver import disguised, preamble
from skills.matching.similar import lexicon, resemblance, shared_topics, traits
from skills.parsing.parse import Skill, split
from skills.routing.tiers import Member

TOLERANCE = 0.05


@dataclass(frozen=True)
class Miss:
    """How near a skill is to being a partner: the criteria it misses, with what was found, and how far its length is off.

    `gap` is relative to the target's bytes of SKILL.md. Script, topic and likeness are looked at where the lengths fit.
    """

    skill: Skill
    size: int
    gap: float
    reasons: tuple[str, ...]

    @property
    def rank(self) -> tuple[int, float, str, str]:
        """The nearest first: fewest criteria missed, then by length."""
        return len(self.reasons), abs(self.gap), self.skill.id, self.skill.ref.tree

    def __str__(self) -> str:
        return f"{self.skill.id} with {self.size:,} bytes ({self.gap:+.1%}), which misses on {' and '.join(self.reasons)}"


def fits(wanted: int, size: int) -> bool:
    """Whether `size` is within ±5 % of `wanted`, relative to what is wanted, ends included."""
    return abs(size - wanted) <= TOLERANCE * wanted


def lengths(skill: Skill, delivery: Delivery = "prompt") -> dict[str, int]:
    """The bytes of a skill that a partner is matched in, by what they are bytes of: SKILL.md, its body and the prompt's part.

    As they are, because that enters the prompt, and with LF line ends, because a line end is one token either way.
    """
    body, body_breaks, breaks = _sizes(skill.data)
    return {
        "bytes": len(skill.data),
        "body bytes": body,
        "bytes in the prompt": len(preamble(skill, delivery).encode()),
        "bytes with LF line ends": len(skill.data) - breaks,
        "body bytes with LF line ends": body - body_breaks,
    }


def as_delivered(partner: Skill, target: Skill, delivery: Delivery) -> Skill:
    """The partner as C2 delivers it: where clients list skills, under the target's name and description."""
    return partner if delivery == "prompt" else disguised(partner, target)


def missed(target: Skill, other: Skill, delivery: Delivery = "prompt") -> Miss:
    """What keeps `other` from being the target's partner whatever the project; a miss without reasons where nothing does."""
    wanted, found = lengths(target, delivery), lengths(as_delivered(other, target, delivery), delivery)
    reasons = [f"{what} ({found[what]:,} for {size:,})" for what, size in wanted.items() if not fits(size, found[what])]
    gap = (found["bytes"] - wanted["bytes"]) / wanted["bytes"]
    return Miss(other, found["bytes"], gap, tuple(reasons[:1] or _unlike(target, other)))


def partners(
    target: Skill, projects: Iterable[str], pool: Sequence[Member], seed: int, delivery: Delivery = "prompt"
) -> dict[str, Skill | str]:
    """For each project the partner of `target` as it is delivered, or why there is none.

    As many projects as the pool allows have a partner of their own; the others repeat the least used. Which ones is drawn by
    `seed`, and depends neither on the pool's order nor on the process.
    """
    projects = sorted(projects)
    found = [(member, missed(target, member.skill, delivery)) for member in pool if not same(target, member.skill)]
    able = [member for member, miss in found if not miss.reasons]
    options: dict[str, dict[str, Skill]] = {}
    for project in projects:
        options[project] = {_body(skill): skill for skill in _drawn(target, project, able, seed)}
    drawn = _spread({project: list(bodies) for project, bodies in options.items()})
    return {
        project: as_delivered(options[project][drawn[project]], target, delivery)
        if project in drawn
        else _reason(target, project, found)
        for project in projects
    }


def candidates(target: Skill, project: str, pool: Sequence[Member], seed: int, delivery: Delivery = "prompt") -> list[Skill]:
    """All that could be the target's partner on a project, each body once, in an order drawn by `seed`: whose text L3 takes."""
    able = [member for member in pool if member.tier(project) == "skip" and not same(target, member.skill)]
    return _drawn(target, project, [member for member in able if not missed(target, member.skill, delivery).reasons], seed)


def _drawn(target: Skill, project: str, able: Sequence[Member], seed: int) -> list[Skill]:
    """The skills tiered `skip` for the project in their drawn order, each body once."""
    skills = [member.skill for member in able if member.tier(project) == "skip"]
    skills.sort(key=lambda skill: hash_json([seed, target.ref.tree, project, skill.ref.tree]))
    once: dict[str, Skill] = {}
    for skill in skills:
        once.setdefault(_body(skill), skill)
    return list(once.values())


def same(target: Skill, other: Skill) -> bool:
    """Whether `other` is the target itself, by its bytes or by its name."""
    return other.data == target.data or other.id == target.id


def _unlike(target: Skill, other: Skill) -> list[str]:
    """The criteria of the text that a skill of the right length does not meet."""
    reasons = []
    scripts = traits(target).script, traits(other).script
    if scripts[0] != scripts[1]:
        reasons.append(f"script ({scripts[1] or 'no letters'} for {scripts[0] or 'no letters'})")
    if topics := shared_topics(target, other):
        reasons.append(f"topic ({', '.join(topics)})")
    if (likeness := resemblance(target, other)) >= lexicon().alike:
        reasons.append(f"near-duplicate ({likeness:.0%} of the text in common)")
    return reasons


def _spread(options: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """One option for each project that has any, the first ones preferred, so that the most used is used as little as can be.

    Augmenting paths (Kuhn 1955), round by round: each round gives every option room for one project more. A path never
    empties an option, so that the first round settles the greatest number of different ones.
    """
    holders: dict[str, list[str]] = {option: [] for found in options.values() for option in found}

    def place(project: str, room: int, seen: set[str]) -> bool:
        fresh = [option for option in options[project] if option not in seen]
        seen.update(fresh)
        for option in fresh:
            if len(holders[option]) < room:
                holders[option].append(project)
                return True
        for option in fresh:
            for holder in holders[option]:
                if place(holder, room, seen):
                    holders[option].remove(holder)
                    holders[option].append(project)
                    return True
        return False

    left, room = [project for project, found in options.items() if found], 0
    while left:
        room += 1
        left = [project for project in left if not place(project, room, set())]
    return {project: option for option, projects in holders.items() for project in projects}


def _reason(target: Skill, project: str, found: Sequence[tuple[Member, Miss]]) -> str:
    wanted = f"no partner for {target.id} on {project} within ±{TOLERANCE:.0%} of its {target.ref.size:,} bytes"
    misses = []
    for member, miss in found:
        tier = member.tier(project)
        tiers = [] if tier == "skip" else ["tier (core)" if tier else "tier (nobody judged it irrelevant)"]
        misses.append(replace(miss, reasons=(*tiers, *miss.reasons)))
    near = min(misses, key=lambda miss: miss.rank, default=None)
    return f"{wanted}; the nearest is {near}" if near else f"{wanted}: the pool holds no other skill"


def _body(skill: Skill) -> str:
    return sha256(skill.body.encode())


@lru_cache(maxsize=4096)
def _sizes(data: bytes) -> tuple[int, int, int]:
    """Bytes of the body, and the CRLF line ends of the body and of all."""
    body = split(data.decode("utf-8"))[1].encode()
    return len(body), body.count(b"\r\n"), data.count(b"\r\n")
