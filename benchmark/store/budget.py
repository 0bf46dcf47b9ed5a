"""The money of a run: one budget for all its workers and its gateway, kept in the store."""

import time

from benchmark.core.errors import BudgetReached
from benchmark.store.store import Store

BUDGET_EXHAUSTED = "the budget of this run is spent; run again with a larger --budget-usd to go on"


class Budget:
    """What a run may spend. `usd` None is no limit; `since` (seconds since 1970) is when its money started to count."""

    def __init__(self, store: Store, usd: float | None, since: float) -> None:
        self._store = store
        self._usd = usd
        self._since = since
        self._spent = 0.0
        self._again = 0.0

    def check(self) -> None:
        """Look into the store, and raise BudgetReached when the money is spent."""
        self._again = 0.0
        if self.exhausted():
            raise BudgetReached(f"the budget of ${self._usd:g} is spent; run again with a larger --budget-usd to go on")

    def exhausted(self) -> bool:
        """Whether the money is spent."""
        left = self.left()
        return left is not None and left <= 0

    def left(self) -> float | None:
        """US dollars that may still be spent; None where there is no limit. What others spend from the same store is looked up
        from time to time, what goes through this budget counts at once."""
        if self._usd is None:
            return None
        now = time.monotonic()
        if now >= self._again:
            self._spent = self._store.spent(self._since)
            # The file of a long run takes time to read: no more than a twentieth of ours.
            self._again = time.monotonic() + max(1.0, 20 * (time.monotonic() - now))
        return self._usd - self._spent

    @property
    def message(self) -> str:
        """What a client is told when the money is spent."""
        return f"the run's budget of ${self._usd:g} is spent"

    def pay(self, usd: float) -> None:
        """Note what a call cost."""
        if usd > 0:
            self._store.spend(usd)
            self._spent += usd
