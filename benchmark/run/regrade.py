"""Grade what was kept again, without running an agent (DESIGN.md, Two keys)."""

import time
from contextlib import ExitStack
from typing import Any

from pydantic import Field

from agents.pricing import affordable
from benchmark.core.errors import Fault
from benchmark.core.model import Data, Record
from benchmark.judging.channel import judge_of
from benchmark.run.session import open_sandbox
from benchmark.run.task import unmeasured
from benchmark.run.trial import grade_key, tool_versions
from benchmark.store.store import BadRecord, JournalEntry, LostBlob, Store
from benchmark.suite.capabilities import Judged
from benchmark.suite.contract import Grading
from benchmark.suite.discovery import suite_of
from fixtures.gateway.client import opened
from fixtures.sandbox.base import Sandbox


class Regraded(Data):
    """What became of a store's measured records: how many were up to date, which trials were graded anew, and which cannot be
    without running the agent again, each with the reason where it is known."""

    unchanged: int = 0
    regraded: list[str] = Field(default_factory=list)
    rerun: list[str] = Field(default_factory=list)


def regrade_store(store: Store, budget_usd: float | None = None) -> Regraded:
    """Bring every measured record to today's grade key, each in the kind of sandbox that it was made in.

    A record that a judge gave no score is asked about again. Raises UsageError for a judge that costs money without a budget,
    SetupError where the store cannot be written.
    """
    store.check_writable()
    measured = [entry for entry in store.entries() if entry.status == "measured"]
    newest = {entry.work: entry for entry in sorted(measured, key=lambda entry: entry.started)}
    have = {(entry.work, entry.grade) for entry in measured}
    with ExitStack() as exits:
        grader = _Regrader(store, budget_usd, have, exits)
        for entry in newest.values():
            grader.regrade(entry)
    return Regraded(unchanged=grader.unchanged, regraded=grader.regraded, rerun=grader.rerun)


class _Regrader:
    """Grades records one after the other; sandboxes and the gateway are opened when the first record needs them."""

    def __init__(self, store: Store, budget_usd: float | None, have: set[tuple[str, str]], exits: ExitStack) -> None:
        self._store = store
        self._budget_usd = budget_usd
        self._have = have
        self._exits = exits
        self._sandboxes: dict[str, Sandbox] = {}
        self._gateways: dict[str | None, Any] = {}
        self.unchanged = 0
        self.regraded: list[str] = []
        self.rerun: list[str] = []

    def regrade(self, entry: JournalEntry) -> None:
        """One record; why it has to run again is noted."""
        try:
            record = self._store.read(entry)
            reason = self._regraded(record)
        except (BadRecord, Fault) as error:
            reason = str(error) if isinstance(error, BadRecord) else f"{entry.work[:12]}: {error}"
        if reason is not None:
            self.rerun.append(reason)

    def _regraded(self, record: Record) -> str | None:
        spec = record.spec
        try:
            suite = suite_of(spec, self._store)
        except KeyError as error:
            return f"{spec.id}: {error.args[0]}"
        if spec.project not in suite.projects():
            return f"{spec.id}: the project is gone"
        if suite.inputs(spec.project) != spec.inputs:
            return f"{spec.id}: the task changed, not only its checks"
        sandbox = self._sandbox(record.resolved.sandbox)
        resolved = record.resolved.model_copy(update={"versions": tool_versions(spec, suite, sandbox)})
        key = grade_key(suite, spec.project, resolved)
        if (record.work, key) in self._have and not _lacks_score(record):
            self.unchanged += 1
            return None
        try:
            judge = judge_of(spec, self._store, self._gateway(record)) if isinstance(suite, Judged) else None
            tasks = suite.regrade(record, Grading(sandbox, self._store, key, judge, resolved.versions))
        except (Fault, LostBlob) as error:
            return f"{spec.id}: {error}"
        if tasks is None:
            return spec.id
        spent = judge.usage if judge else None
        update = {"tasks": tasks, "grade": key, "resolved": resolved, "regraded": True, "judge_usage": spent}
        self._store.append(record.model_copy(update=update))
        self.regraded.append(spec.id)
        return None

    def _gateway(self, record: Record) -> Any:
        """The way to the judge, opened with the first record that has one."""
        judge = record.spec.judge
        if judge is None:
            return None
        affordable([judge], self._budget_usd, "command")
        if judge.model not in self._gateways:
            self._gateways[judge.model] = self._exits.enter_context(
                opened([judge.model], self._store.root, since=time.time(), budget_usd=self._budget_usd)
            )
        return self._gateways[judge.model]

    def _sandbox(self, kind: str) -> Sandbox:
        if kind not in self._sandboxes:
            self._sandboxes[kind] = open_sandbox("docker" if kind == "docker" else "local")
            self._exits.callback(self._sandboxes[kind].close)
        return self._sandboxes[kind]


def _lacks_score(record: Record) -> bool:
    """Whether a grade of the record could not be had: a judge that failed is asked again."""
    return any(task.score is not None and unmeasured(task.score) for task in record.tasks)
