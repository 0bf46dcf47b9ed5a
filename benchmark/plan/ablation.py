"""The slice arms of a plan: C3, the target without a slice; L3, with irrelevant bytes in its place; fresh C1 trials beside it.

METHOD.md, C3: pairs get C1 trials that had no part in selecting them, and L3 takes another draw at each replicate.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import cast

from benchmark.core.files import hash_json
from benchmark.core.model import Condition, Delivery
from skills.matching.match import candidates
from skills.parsing.parse import Skill
from skills.routing.tiers import Member
from skills.slicing.kinds import Kind
from skills.slicing.slices import REMOVABLE
from skills.slicing.variants import Ablation, NotAblated


@dataclass(frozen=True)
class Arm:
    """One trial of a slice's contrasts; `partner` is whose text stands in the slice's place."""

    condition: Condition
    skill: Skill
    replicate: int
    partner: str | None = None


@dataclass
class SliceArms:
    """The trials of one skill's slices on one project, and which arms are absent and why."""

    arms: list[Arm] = field(default_factory=list)
    absent: dict[Condition, str] = field(default_factory=dict)


def slice_arms(
    target: Skill,
    project: str,
    wanted: Sequence[Condition],
    pool: Sequence[Member],
    replicates: int,
    seed: int,
    delivery: Delivery,
) -> SliceArms:
    """The arms of the slices that are asked for. Beside each C3 stands its L3; with either come fresh C1 trials."""
    found = SliceArms()
    lenders: list[Skill] | None = None
    for kind in REMOVABLE:
        shortened, filled = named("C3", kind), named("L3", kind)
        asked: list[Condition] = [one for one in (shortened, filled) if one in wanted or shortened in wanted]
        if not asked:
            continue
        try:
            ablation = Ablation(target, kind)
            cut = ablation.removed()
        except NotAblated as why:
            found.absent.update((condition, str(why)) for condition in asked)
            continue
        if shortened in asked:
            found.arms += [Arm(shortened, cut.skill, replicate) for replicate in range(replicates)]
        if lenders is None:
            lenders = candidates(target, project, pool, seed, delivery)
        try:
            found.arms += [
                Arm(filled, skill, replicate, partner)
                for replicate, (skill, partner) in enumerate(_draws(ablation, lenders, project, replicates, seed))
            ]
        except NotAblated as why:
            found.absent[filled] = str(why)
    if found.arms:
        found.arms += [Arm("C1:fresh", target, replicate) for replicate in range(replicates)]
    return found


def named(condition: str, kind: Kind) -> Condition:
    """The condition that is about a slice: `C3:-antipatterns` of the slice `anti-patterns`."""
    return cast(Condition, f"{condition}:-{kind.replace('-', '')}")


def _draws(ablation: Ablation, lenders: Iterable[Skill], project: str, count: int, seed: int) -> list[tuple[Skill, str]]:
    """`count` times the skill with other words in the slice's place, and whose they are: each time another partner's, as far
    as there are others. Raises NotAblated without any."""
    waiting = deque(lenders)
    if not waiting:
        raise NotAblated(f"{ablation.skill.id} has no C2 partner on {project} that could lend text for its {ablation.kind}")
    drawn: list[tuple[Skill, str]] = []
    while len(drawn) < count:
        partner = waiting.popleft()
        try:
            draw = int(hash_json([seed, project, len(drawn)])[:12], 16)
            drawn.append((ablation.replaced(partner, draw).skill, partner.id))
            waiting.append(partner)
        except NotAblated:
            # A partner whose words cannot stand there is passed over, never squeezed in.
            if not waiting:
                raise
    return drawn
