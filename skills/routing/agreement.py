"""How far two annotators agree on which skill covers which project (WebDev-Skills-Bench §3, Routing)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skills.routing.votes import Vote


@dataclass(frozen=True)
class Agreement:
    """The two-by-two table of votes and what it comes to.

    `raw` is the share of pairs on which both said the same, `kappa` Cohen's: how far that is above what their own shares of
    `core` would give by chance. Either is None where it is not defined, and `reason` says why. `core` counts the pairs that
    are core after adjudication, `unreconciled` those that nobody has settled (they are skip).
    """

    both_core: int
    both_skip: int
    a_only: int
    b_only: int
    core: int
    unreconciled: int
    raw: float | None
    kappa: float | None
    reason: str | None

    @property
    def pairs(self) -> int:
        return self.agreed + self.disagreed

    @property
    def agreed(self) -> int:
        return self.both_core + self.both_skip

    @property
    def disagreed(self) -> int:
        return self.a_only + self.b_only


def agreement(votes: Sequence[Vote]) -> Agreement:
    """The agreement of two annotators on the pairs that they voted on."""
    table = Counter((vote.a, vote.b) for vote in votes)
    cells = table["core", "core"], table["skip", "skip"], table["core", "skip"], table["skip", "core"]
    kappa, reason = cohen_kappa(*cells)
    return Agreement(
        *cells,
        core=sum(vote.tier == "core" for vote in votes),
        unreconciled=sum(vote.unreconciled for vote in votes),
        raw=(cells[0] + cells[1]) / len(votes) if votes else None,
        kappa=kappa,
        reason=reason,
    )


def cohen_kappa(both_core: int, both_skip: int, a_only: int, b_only: int) -> tuple[float | None, str | None]:
    """Cohen's κ of a two-by-two table, (observed − expected) / (1 − expected), or None and why it is not defined."""
    pairs = both_core + both_skip + a_only + b_only
    if not pairs:
        return None, "there are no votes"
    a, b = both_core + a_only, both_core + b_only
    expected = a * b + (pairs - a) * (pairs - b)
    if expected == pairs * pairs:
        return None, f"both said {'core' if a else 'skip'} of every pair, so chance alone would agree as well"
    return ((both_core + both_skip) * pairs - expected) / (pairs * pairs - expected), None


def agreement_lines(votes: Sequence[Vote]) -> Iterator[str]:
    """The agreement in a few lines, and every pair that is still to be settled."""
    found = agreement(votes)
    if found.raw is None:
        yield "agreement: not measured: there are no votes"
        return
    skills, projects = {vote.skill for vote in votes}, {vote.project for vote in votes}
    yield f"{found.pairs:,} pairs of {len(skills)} skills and {len(projects)} projects, judged by two annotators"
    kappa = f"Cohen's κ {found.kappa:.2f}" if found.kappa is not None else f"Cohen's κ not defined: {found.reason}"
    yield f"agreed on {found.agreed:,} of {found.pairs:,} ({100 * found.raw:.1f} %), {kappa}"
    both = f"both core {found.both_core:,} · both skip {found.both_skip:,}"
    yield f"{both} · only A core {found.a_only:,} · only B core {found.b_only:,}"
    settled = found.disagreed - found.unreconciled
    rest = f"{found.unreconciled:,} unreconciled and therefore skip"
    yield f"{found.core:,} core after adjudication ({settled:,} settled, {rest})"
    for vote in votes:
        if vote.unreconciled:
            yield f"  to settle: {vote.skill} on {vote.project}: A {vote.a}, B {vote.b}{f' ({vote.note})' if vote.note else ''}"
