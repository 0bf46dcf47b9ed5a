"""Engines run trials. The one here runs them in the process that asks; records come from the store where they answer."""

import math
import time
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from agents.base import Agent
from benchmark.core.model import Record, TrialSpec
from benchmark.run.trial import grade_key, resolve, run_trial
from benchmark.store.budget import Budget
from benchmark.store.store import Store
from benchmark.suite.contract import Suite
from benchmark.suite.discovery import suite_of
from fixtures.sandbox.base import Sandbox

if TYPE_CHECKING:
    from fixtures.gateway.client import Gateway


class Engine(Protocol):
    """Takes trials as data and gives their records."""

    def result(self, spec: TrialSpec, agent: Agent | None = None) -> tuple[Record, bool]:
        """The record of a trial, and whether it was there before. Raises BudgetReached when it may not be run.

        `agent` works on it and on what it needs, by default the one that the spec names.
        """
        ...


def _needs(spec: TrialSpec) -> Iterator[TrialSpec]:
    for need in spec.needs:
        yield need
        yield from _needs(need)


class Known:
    """What the store already answers of a plan's trials."""

    def __init__(
        self,
        store: Store,
        sandbox: Sandbox,
        window: float,
        trials: Sequence[TrialSpec] = (),
        since: float = math.inf,
        shared: Collection[str] = (),
    ) -> None:
        """`window` is the panel's contemporary window in seconds, `trials` the plan's, to see what C0 stands beside; `since`
        when this run started (seconds since 1970); `shared` are the ids of trials that are asked for more than once."""
        self._since = since
        self._store = store
        self._sandbox = sandbox
        self._window = window
        self._trials = trials
        self._needed = {need.id for item in trials for need in _needs(item)} | set(shared)
        self._suites: dict[tuple[str, str], Suite] = {}
        self._grade_keys: dict[tuple[str, str], str] = {}
        self._settled: dict[tuple[str, str], bool] = {}

    def record(self, spec: TrialSpec, agent: Agent | None = None) -> Record | None:
        """The record that answers `spec`, where `agent` works in place of the one that the spec names.

        C0 beside treated trials that are still to run must be contemporary with them (METHOD.md); where all of those are
        there already, C0 of their time is as good as it was.
        """
        fresh = time.time() - self._window if spec.condition == "C0" and not self._all_treated(spec, agent) else 0.0
        keys = self._keys(spec, agent)
        return self._store.find(*keys, spec.agent.limits, fresh) if keys else None

    def failed(self, spec: TrialSpec, agent: Agent | None = None) -> Record | None:
        """The record of a trial that this run could not measure: those that need it do not run it again."""
        keys = self._keys(spec, agent)
        entry = self._store.newest(*keys) if keys else None
        return self._store.read(entry) if entry and entry.started >= self._since and not entry.fault else None

    def _keys(self, spec: TrialSpec, agent: Agent | None) -> tuple[str, str] | None:
        """The work and grade key of a trial; None where the store lacks its project's files: nothing was measured of it."""
        where = (spec.suite, spec.project)
        if where not in self._suites:
            try:
                self._suites[where] = suite_of(spec, self._store)
            except KeyError:
                return None
        suite = self._suites[where]
        resolved = resolve(spec, suite, self._sandbox, agent)
        if where not in self._grade_keys:
            self._grade_keys[where] = grade_key(suite, spec.project, resolved)
        return spec.work_key(resolved), self._grade_keys[where]

    def is_needed(self, spec: TrialSpec) -> bool:
        """Whether a trial of the plan needs this one, or it is asked for again."""
        return spec.id in self._needed

    def look_again(self) -> None:
        """Read the store anew: other processes write to it."""
        self._store = Store(self._store.root)

    def _all_treated(self, spec: TrialSpec, agent: Agent | None) -> bool:
        group = (spec.project, spec.agent.label)
        if group not in self._settled:
            treated = [item for item in self._trials if item.condition != "C0" and (item.project, item.agent.label) == group]
            self._settled[group] = bool(treated) and all(self.record(item, agent) is not None for item in treated)
        return self._settled[group]


class LocalEngine:
    """Runs trials here, one at a time.

    What others need is run by whichever worker comes to it first: the others wait for it, and take its record from the store.
    """

    def __init__(self, store: Store, sandbox: Sandbox, budget: Budget, known: Known, gateway: "Gateway | None" = None) -> None:
        self._gateway = gateway
        self._store = store
        self._sandbox = sandbox
        self._purse = budget
        self._known = known

    def result(self, spec: TrialSpec, agent: Agent | None = None) -> tuple[Record, bool]:
        if not self._known.is_needed(spec):
            return self._result(spec, agent)
        with self._store.running(spec.id):
            # Another worker may have run it while this one waited.
            self._known.look_again()
            return self._result(spec, agent)

    def _result(self, spec: TrialSpec, agent: Agent | None) -> tuple[Record, bool]:
        known = self._known.record(spec, agent)
        if known:
            return known, True
        if self._known.is_needed(spec) and (failed := self._known.failed(spec, agent)):
            return failed, True
        needs = [self.result(need, agent)[0] for need in spec.needs]
        self._purse.check()
        text = run_trial(spec.model_dump_json(), self._store.root, self._sandbox, self._gateway, needs, agent)
        return Record.model_validate_json(text), False
