"""Trials and their regrading: run for real with a scripted agent on a tiny project, then graded again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmark.core.model import AgentSpec, Record, TrialSpec
from benchmark.run.regrade import regrade_store
from benchmark.run.trial import run_trial
from benchmark.store.store import Store
from benchmark.webdev.chain_project import NativeProject
from benchmark.webdev.suite import SUITE
from fixtures.sandbox.local import LocalSandbox
from tests.tiny import CHECKS, page, tiny

Changed = Callable[[str, str], None]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs")


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Changed:
    """Make the suite consist of the tiny project, with one text of its checks changed."""

    def run(old: str = "", new: str = "") -> None:
        project = tiny(tmp_path / "tiny", {"checks.py": CHECKS.replace(old, new).encode() if old else CHECKS.encode()})
        monkeypatch.setitem(SUITE.__dict__, "_projects", {"tiny": NativeProject(project)})

    run()
    return run


@pytest.fixture
def ran(changed: Changed, store: Store, sandbox: LocalSandbox) -> Callable[..., Record]:
    """Run a trial of the tiny project with a scripted agent."""

    def run(agent: str = "planted", **options: Any) -> Record:
        spec = TrialSpec(
            suite="webdev",
            project="tiny",
            condition="C0",
            delivery=None,
            agent=AgentSpec(name=agent, options=options),
            skill=None,
            replicate=0,
            inputs=SUITE.inputs("tiny"),
            protocol=SUITE.protocol,
        )
        return Record.model_validate_json(run_trial(spec.model_dump_json(), store.root, sandbox, None))

    return run


def again(store: Store) -> dict[str, Any]:
    """Regrade as the command does: with a store that is opened anew."""
    return regrade_store(Store(store.root)).model_dump(mode="json")


def test_a_trial_leaves_a_measured_record(ran: Callable[..., Record], store: Store) -> None:
    record = ran("reference")
    assert (record.status, [task.outcome for task in record.tasks]) == ("measured", ["solved"] * 3)
    (entry,) = store.entries()
    assert store.read(entry) == record
    assert sorted(record.delivered.manifest) == []


def test_with_nothing_changed_nothing_is_graded(ran: Callable[..., Record], store: Store) -> None:
    ran("reference")
    assert again(store) == {"unchanged": 1, "regraded": [], "rerun": []}
    assert len(Store(store.root).entries()) == 1


def test_changed_checks_with_the_same_verdicts_and_feedback_give_a_regraded_record(
    ran: Callable[..., Record], changed: Changed, store: Store
) -> None:
    old = ran("planted", solve=0)
    assert [len(task.attempts) for task in old.tasks] == [2, 0, 0]
    changed("import check, require", "import check, require  # the same, but for a remark")
    outcome = again(store)
    assert outcome == {"unchanged": 0, "regraded": [old.spec.id], "rerun": []}
    entries = Store(store.root).entries()
    assert len(entries) == 2
    new = next(record for record in map(Store(store.root).read, entries) if record.regraded)
    assert (new.work, new.grade != old.grade) == (old.work, True)
    assert [task.outcome for task in new.tasks] == [task.outcome for task in old.tasks]
    assert [a.workspace for task in new.tasks for a in task.attempts] == [a.workspace for t in old.tasks for a in t.attempts]
    assert again(store) == {"unchanged": 1, "regraded": [], "rerun": []}


def test_a_changed_title_that_the_second_attempt_was_told_asks_for_another_run(
    ran: Callable[..., Record], changed: Changed, store: Store
) -> None:
    old = ran("planted", solve=0)
    changed("The page is called Shop", "The page has its name")
    assert again(store) == {"unchanged": 0, "regraded": [], "rerun": [old.spec.id]}
    assert len(Store(store.root).entries()) == 1


def test_a_changed_title_that_nobody_was_told_is_regraded(ran: Callable[..., Record], changed: Changed, store: Store) -> None:
    old = ran("reference")
    changed("The page is called Shop", "The page has its name")
    assert again(store)["regraded"] == [old.spec.id]
    new = next(record for record in map(Store(store.root).read, Store(store.root).entries()) if record.regraded)
    assert new.tasks[0].attempts[0].checks[0].title == "The page has its name"


def test_a_changed_verdict_asks_for_another_run(ran: Callable[..., Record], changed: Changed, store: Store) -> None:
    old = ran("reference")
    changed('text == ["2 fruits"]', 'text == ["two fruits"]')
    assert again(store)["rerun"] == [old.spec.id]


def test_a_changed_task_is_not_regraded(
    ran: Callable[..., Record], store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = ran("reference")
    other = tiny(tmp_path / "other" / "tiny", {"start/index.html": page("Other")})
    monkeypatch.setitem(SUITE.__dict__, "_projects", {"tiny": NativeProject(other)})
    assert again(store)["rerun"] == [f"{old.spec.id}: the task changed, not only its checks"]
    monkeypatch.setitem(SUITE.__dict__, "_projects", {})
    assert again(store)["rerun"] == [f"{old.spec.id}: the project is gone"]
