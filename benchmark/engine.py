"""Engines run trials. The one here runs them in the process that asks; records come from the store where they answer."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from benchmark.model import Record, TrialSpec
from benchmark.purse import Purse
from benchmark.store import Store
from benchmark.suites import suite_of
from benchmark.trial import grade_key, resolve, run_trial
from fixtures.sandbox.base import Sandbox

if TYPE_CHECKING:
    from fixtures.gateway.client import Gateway


class Engine(Protocol):
    """Takes trials as data and gives their records."""

    def result(self, spec: TrialSpec) -> tuple[Record, bool]:
        """The record of a trial, and whether it was there before. Raises BudgetReached when it may not be run."""
        ...


class Known:
    """What the store already answers of a plan's trials."""

    def __init__(self, store: Store, sandbox: Sandbox, window: float, trials: Sequence[TrialSpec] = ()) -> None:
        """`window` is the panel's contemporary window in seconds, `trials` the plan's, to see what C0 stands beside."""
        self._store = store
        self._sandbox = sandbox
        self._window = window
        self._trials = trials
        self._grade_keys: dict[tuple[str, str], str] = {}
        self._settled: dict[tuple[str, str], bool] = {}

    def record(self, spec: TrialSpec) -> Record | None:
        """The record that answers `spec`.

        C0 beside treated trials that are still to run must be contemporary with them (METHOD.md); where all of those are
        there already, C0 of their time is as good as it was.
        """
        fresh = time.time() - self._window if spec.condition == "C0" and not self._all_treated(spec) else 0.0
        resolved = resolve(spec, self._sandbox)
        where = (spec.suite, spec.project)
        if where not in self._grade_keys:
            try:
                suite = suite_of(spec, self._store)
            except KeyError:
                return None  # what the project's files are not there for, nothing was measured of
            self._grade_keys[where] = grade_key(suite, spec.project, resolved)
        return self._store.find(spec.work_key(resolved), self._grade_keys[where], spec.agent.limits, fresh)

    def _all_treated(self, spec: TrialSpec) -> bool:
        group = (spec.project, spec.agent.label)
        if group not in self._settled:
            treated = [item for item in self._trials if item.condition != "C0" and (item.project, item.agent.label) == group]
            self._settled[group] = bool(treated) and all(self.record(item) is not None for item in treated)
        return self._settled[group]


class LocalEngine:
    """Runs trials here, one at a time."""

    def __init__(
        self, store: Store, sandbox: Sandbox, api: Any, purse: Purse, known: Known, gateway: "Gateway | None" = None
    ) -> None:
        self._gateway = gateway
        self._store = store
        self._sandbox = sandbox
        self._api = api
        self._purse = purse
        self._known = known

    def result(self, spec: TrialSpec) -> tuple[Record, bool]:
        known = self._known.record(spec)
        if known:
            return known, True
        self._purse.check()
        text = run_trial(spec.model_dump_json(), self._store.root, self._sandbox, self._api, self._gateway)
        return Record.model_validate_json(text), False
