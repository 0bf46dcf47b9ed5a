"""Many questions at once: Holm for the confirmatory family (METHOD.md, Verdicts); what is explored gets SciPy's own."""

from collections.abc import Sequence


def holm(values: Sequence[float]) -> list[float]:
    """Holm's adjusted p values, in the order given: each is the smallest family-wide level at which its test rejects."""
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted, least = [0.0] * len(values), 0.0
    for step, at in enumerate(order):
        least = max(least, min(1.0, (len(values) - step) * values[at]))
        adjusted[at] = least
    return adjusted


def holm_alphas(values: Sequence[float], alpha: float) -> list[float]:
    """The level at which Holm's step-down compares each p, in the order given.

    The i-th smallest of m is compared with alpha / (m − i + 1) until the first that does not reject; that one and all after
    it keep the level of this step. So an interval at 1 − the level excludes zero exactly where Holm rejects. Equal p values
    share the strictest level among them: the order of the questions decides nothing.
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    levels, stopped = [alpha] * len(values), False
    share, last = alpha, None
    for step, at in enumerate(order):
        if not stopped and values[at] != last:
            share = alpha / (len(values) - step)
        stopped = stopped or values[at] > share
        levels[at], last = share, values[at]
    return levels
