"""Who has a partner in a pool and who has none: what C2 can be had for, before anybody judges tiers (METHOD.md, C2).

Coverage is by length, script, topic and likeness alone. On a project the pool shrinks to skills tiered `skip` for it, and
`assay plan` says what is absent there.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchmark.core.model import Delivery
from skills.matching.match import TOLERANCE, Miss, missed, same
from skills.parsing.parse import Skill

#: METHOD.md: against fewer different partners no mechanism is named.
ENOUGH = 5


@dataclass(frozen=True)
class PartnerCoverage:
    """One target: the ids of its partners in the pool, each body once, and the skill that came nearest without being one.

    `miss` is None where every other skill of the pool is a partner.
    """

    skill: Skill
    partners: tuple[str, ...]
    miss: Miss | None


def coverage(targets: Iterable[Skill], pool: Sequence[Skill], delivery: Delivery = "prompt") -> list[PartnerCoverage]:
    """The coverage of each target in `pool`, both of skills that can be injected (skills.parsing.parse.usable)."""
    rows = []
    for target in targets:
        found = sorted(
            (missed(target, other, delivery) for other in pool if not same(target, other)), key=lambda item: item.rank
        )
        able = {item.skill.body: item.skill.id for item in reversed(found) if not item.reasons}
        miss = next((item for item in found if item.reasons), None)
        rows.append(PartnerCoverage(target, tuple(sorted(able.values())), miss))
    return rows


def coverage_lines(rows: Sequence[PartnerCoverage]) -> Iterator[str]:
    """The coverage for the terminal: the shares, each skill with the number of its partners, and what the others miss."""
    if not rows:
        yield "no skills to match"
        return
    some, enough = (sum(len(row.partners) >= least for row in rows) for least in (1, ENOUGH))
    share = f"{some / len(rows):.0%}", f"{enough / len(rows):.0%}"
    yield f"{some} of {len(rows)} skills ({share[0]}) have a partner, {enough} ({share[1]}) {ENOUGH} or more"
    yield f"by length (±{TOLERANCE:.0%}), script, topic and likeness alone; `assay plan` asks the tiers of each project as well"
    for row in sorted(rows, key=lambda row: (len(row.partners), row.skill.id, row.skill.ref.tree)):
        count = len(row.partners)
        line = f"{row.skill.id} ({row.skill.ref.size:,} bytes): {count or 'no'} {'partner' if count == 1 else 'partners'}"
        if count:
            yield line
        else:
            yield f"{line}; " + (f"the nearest is {row.miss}" if row.miss else "the pool holds no other skill")
