"""The panel as data: an audit's design, fixed before its first trial. Reading its file is `benchmark.plan.panel`."""

import re
from typing import Any

from pydantic import Field

from benchmark.core.errors import UsageError
from benchmark.core.model import AgentSpec, Condition, Data, Delivery

_UNITS = {"h": 3600.0, "d": 86400.0, "m": 60.0}


class PanelBudget(Data):
    """What a run may cost at most."""

    usd: float | None = Field(default=None, gt=0)


class Panel(Data):
    """An audit's design, fixed before its first trial (METHOD.md, Design of an audit)."""

    suite: str
    replicates: int = Field(default=3, ge=1)
    margin_points: float = Field(default=5, gt=0)
    looks: int = Field(default=1, ge=1)
    contemporary: str = "48h"
    seed: int = 0
    projects: tuple[str, ...] = ("*",)
    skills: tuple[str, ...] = ()
    pool: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ("C0", "C1", "C2")
    delivery: tuple[Delivery, ...] = ("prompt",)
    agents: tuple[AgentSpec, ...] = Field(min_length=1)
    #: The model that grades, for suites that are judged.
    judge: AgentSpec | None = None
    budget: PanelBudget = PanelBudget()
    #: The suite's own settings: in the file a table of the suite's name.
    suite_settings: dict[str, Any] = Field(default_factory=dict)

    @property
    def margin(self) -> float:
        """The margin as a share of the primary metric's scale."""
        return self.margin_points / 100

    @property
    def window(self) -> float:
        """For how many seconds C0 trials count as contemporary."""
        found = re.fullmatch(r"(\d+(?:\.\d+)?)([hdm])", self.contemporary)
        if not found:
            raise UsageError(f"contemporary = {self.contemporary!r} is not a time; write it like '48h' or '2d'")
        return float(found[1]) * _UNITS[found[2]]
