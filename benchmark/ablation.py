"""The slice arms of a plan: C3, the target without a slice; L3, with irrelevant bytes in its place; and fresh C1 trials beside them.

METHOD.md, C3: pairs get C1 trials that had no part in selecting them, and L3 takes another draw at each replicate.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from benchmark.model import Condition, Delivery
from skills.labels import Kind
from skills.match import candidates
from skills.parse import Skill
from skills.slices import REMOVABLE
from skills.tiers import Member
from skills.variants import NotAblated, replaced, without


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
    for kind in REMOVABLE:
        shortened, filled = named("C3", kind), named("L3", kind)
        if shortened not in wanted and filled not in wanted:
            continue
        try:
            cut = without(target, kind)
        except NotAblated as why:
            found.absent |= {condition: str(why) for condition in (shortened, filled) if condition in wanted or shortened in wanted}
            continue
        if shortened in wanted:
            found.arms += [Arm(shortened, cut.skill, replicate) for replicate in range(replicates)]
        try:
            found.arms += _filled(filled, target, kind, candidates(target, project, pool, seed, delivery), replicates, seed)
        except NotAblated as why:
            found.absent[filled] = str(why)
    if found.arms:
        found.arms += [Arm("C1:fresh", target, replicate) for replicate in range(replicates)]
    return found


def named(condition: str, kind: Kind) -> Condition:
    """The condition that is about a slice: `C3:-antipatterns` of the slice `anti-patterns`."""
    return cast(Condition, f"{condition}:-{kind.replace('-', '')}")


def _filled(condition: Condition, target: Skill, kind: Kind, able: Sequence[Skill], replicates: int, seed: int) -> list[Arm]:
    """One filled skill a replicate, each from another partner as long as there are others. Raises NotAblated without any."""
    if not able:
        raise NotAblated(f"no irrelevant skill of the pool could lend text for the {kind} of {target.id}: it has no C2 partner")
    arms: list[Arm] = []
    usable = list(able)
    for replicate in range(replicates):
        while True:
            partner = usable[replicate % len(usable)]
            try:
                arms.append(Arm(condition, replaced(target, kind, partner, seed + replicate).skill, replicate, partner.id))
                break
            except NotAblated:
                # A partner whose words cannot stand there is passed over, never squeezed in.
                usable.remove(partner)
                if not usable:
                    raise
    return arms

