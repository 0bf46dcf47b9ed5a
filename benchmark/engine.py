"""Engines run trials. The one here runs them in the process that asks; records come from the store where they answer."""

import time
from typing import Any, Protocol

from benchmark.errors import BudgetReached
from benchmark.model import Record, TrialSpec
from benchmark.store import Store
from benchmark.suites import find_suite
from benchmark.trial import grade_key, resolve, run_trial
from fixtures.sandbox.base import Sandbox


class Engine(Protocol):
    """Takes trials as data and gives their records."""

    def result(self, spec: TrialSpec) -> tuple[Record, bool]:
        """The record of a trial, and whether it was there before. Raises BudgetReached when it may not be run."""
        ...


class Purse:
    """The money of a run, shared by all its workers through the store. `usd` None is no limit."""

    def __init__(self, store: Store, usd: float | None, since: float) -> None:
        self._store = store
        self._usd = usd
        self._since = since

    def check(self) -> None:
        """Raise BudgetReached when the money is spent."""
        if self._usd is not None and self._store.spent(self._since) >= self._usd:
            raise BudgetReached(f"the budget of ${self._usd:g} is spent; run again with a larger --budget-usd to go on")

    def pay(self, usd: float | None) -> None:
        """Note what a call cost, then check."""
        if usd:
            self._store.spend(usd)
        self.check()


class LocalEngine:
    """Runs trials here, one at a time."""

    def __init__(self, store: Store, sandbox: Sandbox, api: Any, purse: Purse, window: float) -> None:
        self._store = store
        self._sandbox = sandbox
        self._api = api
        self._purse = purse
        self._window = window

    def result(self, spec: TrialSpec) -> tuple[Record, bool]:
        known = find_known(spec, self._store, self._sandbox, self._window)
        if known:
            return known, True
        self._purse.check()
        text = run_trial(spec.model_dump_json(), self._store.root, self._sandbox, self._api, self._purse.pay)
        return Record.model_validate_json(text), False


def find_known(spec: TrialSpec, store: Store, sandbox: Sandbox, window: float) -> Record | None:
    """The record that answers `spec`. A C0 record answers only within the panel's contemporary window (METHOD.md)."""
    resolved = resolve(spec, sandbox)
    fresh = time.time() - window if spec.condition == "C0" else 0.0
    key = grade_key(find_suite(spec.suite), spec.project, resolved)
    return store.find(spec.work_key(resolved), key, spec.agent.limits, fresh)
