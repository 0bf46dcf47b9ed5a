"""Why a skill helps or hurts: its length or its content (METHOD.md, Verdicts, Mechanisms). Spoken after HELPS or HURTS only."""

from dataclasses import dataclass

from reports.audit.cells import Arm
from reports.audit.effects import Scope, difference, reach, strata
from reports.stats.intervals import Estimate, Interval
from reports.stats.method import MINIMUM_PARTNERS
from reports.stats.multiplicity import holm_alphas


@dataclass(frozen=True, slots=True)
class Mechanisms:
    """ΔLength = C2 − C0 and ΔContent = C1 − C2 on the same projects, the names they allow, and what keeps them from one."""

    length: Interval | None
    content: Interval | None
    names: tuple[str, ...]
    reason: str | None


def mechanisms(word: str, arms: tuple[Arm, Arm, Arm | None], partners: int, scope: Scope | None, alpha: float) -> Mechanisms:
    """The mechanisms of a verdict from its C1, C0 and C2 arms, on the projects that have all three, with Holm over the pair.

    The two effects share C2, so each is tested for what it would name; that the other's interval includes zero names nothing.
    Fewer than five distinct partners, or too few families or replicates with C2, name none.
    """
    treated, base, control = arms
    spoken = word in ("HELPS", "HURTS")
    if not control:
        return Mechanisms(None, None, (), "There is no C2 arm: it names no mechanism." if spoken else None)
    found = strata((treated, base, control))
    effects = (difference(found, scope, 2, 1), difference(found, scope, 0, 2))
    levels = _levels(effects, alpha)
    length, content = (effect.at(1 - level) for effect, level in zip(effects, levels, strict=True))
    if not spoken:
        return Mechanisms(length, content, (), None)
    if partners < MINIMUM_PARTNERS:
        count = f"{partners} distinct partner{'' if partners == 1 else 's'} in C2 of the {MINIMUM_PARTNERS} needed"
        return Mechanisms(
            length, content, (), f"{count}: it names no mechanism, and the content contrast reads “against <partner>”."
        )
    if reach(found).scope != scope:
        reason = "Too few families or replicates have all of C0, C1 and C2 to name a mechanism."
        return Mechanisms(length, content, ("mechanism undecided",), reason)
    names = []
    if length.high is not None and length.high < 0:
        names.append("LENGTH-DISTRACTED")
    if content.high is not None and content.high < 0:
        names.append("CONTENT-MISLED")
    if word == "HELPS" and content.low is not None and content.low > 0:
        names.append("CONTENT-POSITIVE")
    return Mechanisms(length, content, tuple(names) or ("mechanism undecided",), None)


def _levels(effects: tuple[Estimate, Estimate], alpha: float) -> tuple[float, float]:
    """Holm's levels of the pair. A test without a p rejects nothing and still counts: the pair was fixed before."""
    first, second = holm_alphas([1.0 if effect.p is None else effect.p for effect in effects], alpha)
    return first, second
