"""What grading gives: a number on a declared scale, or None with the reason why there is none."""

import math
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Scale(_Frozen):
    """The bounds of a number and the direction that is better; None is no bound on that side."""

    low: float | None = None
    high: float | None = None
    better: Literal["higher", "lower"] = "higher"

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if any(bound is not None and not math.isfinite(bound) for bound in (self.low, self.high)):
            raise ValueError(f"a bound of a scale is a finite number or None, not {self.low} to {self.high}")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ValueError(f"the lower bound of a scale lies below the upper one, not {self.low} to {self.high}")
        return self

    @property
    def bounded(self) -> bool:
        """Whether both ends are given, so that values can be oriented."""
        return self.low is not None and self.high is not None

    def contains(self, value: float) -> bool:
        """Whether a value is a finite number within the bounds."""
        return math.isfinite(value) and (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def oriented(self, value: float) -> float:
        """The value as a share of the scale: 0 is its worst end, 1 its best (METHOD.md, Metrics, Scale).

        Raises ValueError for a scale that lacks a bound.
        """
        low, high = self._ends()
        share = (value - low) / (high - low)
        return share if self.better == "higher" else 1 - share

    def restored(self, share: float) -> float:
        """The value on the scale of an oriented one: the inverse of `oriented`."""
        low, high = self._ends()
        return low + (share if self.better == "higher" else 1 - share) * (high - low)

    def difference(self, oriented: float) -> float:
        """A difference of oriented values in the scale's own unit, with its own sign: −0.25 on 0–20, lower better, is 5."""
        low, high = self._ends()
        return oriented * (high - low) * (1 if self.better == "higher" else -1)

    def _ends(self) -> tuple[float, float]:
        if self.low is None or self.high is None:
            raise ValueError("a scale without both bounds has no share")
        return self.low, self.high


#: Of a task that is solved or not, and of a share.
UNIT = Scale(low=0, high=1)


class Score(_Frozen):
    """A grade: `value` on `scale`, or None with the `reason` why it could not be had. Dimensions are scores by name.

    `explanation` is for people; `evidence` names blobs of the store that the grade rests on (screenshots, a judge's answer).
    """

    value: float | None
    scale: Scale = UNIT
    reason: str | None = None
    dimensions: "dict[str, Score]" = {}
    explanation: str = ""
    evidence: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _within(self) -> Self:
        if self.value is None and not self.reason:
            raise ValueError("a score without a value says why in its reason")
        if self.value is not None and not self.scale.contains(self.value):
            raise ValueError(f"a score of {self.value} lies outside its scale, {self.scale.low} to {self.scale.high}")
        return self

    @property
    def best(self) -> bool:
        """Whether the value is the best of its scale: of a task that is solved or not, whether it is solved."""
        best = self.scale.high if self.scale.better == "higher" else self.scale.low
        return self.value is not None and self.value == best


def solved(yes: bool, explanation: str = "") -> Score:
    """The score of a task that is solved or not."""
    return Score(value=1.0 if yes else 0.0, explanation=explanation)
