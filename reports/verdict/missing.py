"""Whether what is missing could have made a verdict (METHOD.md, Estimates, Intention-to-treat)."""

from collections.abc import Sequence

from reports.audit.cells import Arm
from reports.audit.effects import Scope, difference, lacking, strata
from reports.stats.intervals import measured
from reports.stats.method import BROKEN_IMBALANCE


def missing_share(arm: Arm) -> float:
    """The share of an arm's trials that are missing, 0..1; those that were not delivered are missing as well."""
    absent = sum([lacking(cell) for cell in arm.values()])
    return absent / max(1, absent + sum([len(measured(cell.values)) for cell in arm.values()]))


def worst_case_overturns(treated: Arm, base: Arm, sign: int, scope: Scope, level: float) -> str | None:
    """Why missing trials take HELPS (sign 1) or HURTS (−1) away, in a sentence; None where they do not.

    Missing trials of the treated arm get the value least favourable to the verdict (0 or 1), those of the base the opposite;
    projects and families of which an arm is missing altogether come back that way. The interval has to exclude zero still.
    """
    shares = missing_share(treated), missing_share(base)
    if not any(shares):
        return None
    if abs(shares[0] - shares[1]) > BROKEN_IMBALANCE + 1e-9:
        return (
            f"{100 * shares[0]:.0f} % of the C1 trials and {100 * shares[1]:.0f} % of the C0 trials are missing: "
            f"more than {100 * BROKEN_IMBALANCE:.0f} points apart."
        )
    worst: Sequence[float] = (0.0, 1.0) if sign > 0 else (1.0, 0.0)
    imputed = difference(strata((treated, base), worst), scope).at(level)
    if imputed.sign == sign:
        return None
    absent = sum([lacking(cell) for arm in (treated, base) for cell in arm.values()])
    trials = "1 missing trial takes" if absent == 1 else f"{absent} missing trials take"
    return f"Counted at their worst, {trials} the difference away."
