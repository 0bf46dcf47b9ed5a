import time

import pytest

from benchmark.core.errors import BudgetReached
from benchmark.core.model import Limits, TrialSpec
from benchmark.run.engine import Known, LocalEngine
from benchmark.run.trial import grade_key, resolve
from benchmark.store.budget import Budget
from benchmark.store.store import Store
from benchmark.suite.discovery import find_suite
from tests.factory import DAY, HOUR, Bare, record, spec

WINDOW = 2 * DAY


def trial(condition: str = "C0", **changes) -> TrialSpec:
    suite = find_suite("webdev")
    return spec("bakery-page", condition, **changes).model_copy(update={"inputs": suite.inputs("bakery-page")})


def measured(made: TrialSpec, sandbox: Bare, age: float, **changes):
    resolved = resolve(made, find_suite("webdev"), sandbox)
    key = grade_key(find_suite("webdev"), made.project, resolved)
    return record(made, work=made.work_key(resolved), grade=key, started=time.time() - age, **changes)


def engine(store: Store, usd: float | None = None) -> LocalEngine:
    return LocalEngine(store, Bare(), Budget(store, usd, 0.0), Known(store, Bare(), WINDOW))


@pytest.mark.parametrize(
    ("condition", "age", "known"),
    [("C0", HOUR, True), ("C0", 47 * HOUR, True), ("C0", 49 * HOUR, False), ("C1", 49 * HOUR, True), ("C2", 400 * DAY, True)],
)
def test_a_baseline_answers_within_the_window_only(tmp_path, condition, age, known):
    store, made = Store(tmp_path), trial(condition)
    store.append(measured(made, Bare(), age))
    assert (Known(store, Bare(), WINDOW).record(made) is not None) is known


def test_an_old_baseline_answers_where_nothing_is_left_to_run_against_it(tmp_path):
    store, base, treated = Store(tmp_path), trial(), trial("C1")
    store.append(measured(base, Bare(), 49 * HOUR))
    assert Known(store, Bare(), WINDOW, [base, treated]).record(base) is None
    store.append(measured(treated, Bare(), 49 * HOUR))
    assert Known(store, Bare(), WINDOW, [base, treated]).record(base)


def test_another_machine_does_not_answer(tmp_path):
    store, made = Store(tmp_path), trial("C1")
    store.append(measured(made, Bare(), HOUR))

    class Newer(Bare):
        def browser_version(self) -> str:
            return "none 2"

    assert Known(store, Newer(), WINDOW).record(made) is None
    assert Known(store, Bare(), WINDOW).record(made)


def test_what_is_known_is_not_run_and_costs_nothing(tmp_path):
    store, made = Store(tmp_path), trial("C1")
    kept = measured(made, Bare(), HOUR)
    store.append(kept)
    store.spend(10)
    assert engine(store, usd=5).result(made) == (kept, True)


def test_a_fault_gives_a_broken_record_that_is_run_again(tmp_path):
    made = trial()
    for _ in range(2):
        found, known = engine(Store(tmp_path)).result(made)
        assert (found.status, known, found.tasks) == ("broken", False, ())
        assert "no boxes here" in (found.reason or "")
    store = Store(tmp_path)
    store.append(measured(made, Bare(), HOUR))
    found, known = engine(Store(tmp_path)).result(made)
    assert (found.status, known) == ("measured", True)


def test_raised_limits_run_what_hit_them_again(tmp_path):
    store = Store(tmp_path)
    tight = trial("C1", limits=Limits(seconds=5))
    store.append(measured(tight, Bare(), HOUR, limit="seconds"))
    assert Known(store, Bare(), WINDOW).record(tight)
    assert Known(store, Bare(), WINDOW).record(trial("C1", limits=Limits(seconds=50))) is None


def test_a_spent_budget_stops_before_the_trial(tmp_path):
    store = Store(tmp_path)
    store.spend(5)
    with pytest.raises(BudgetReached, match=r"\$5"):
        engine(store, usd=5).result(trial())
    assert not (tmp_path / "records").exists()


def test_the_purse_is_one_for_all_workers_and_counts_from_its_run_on(tmp_path):
    store = Store(tmp_path)
    store.spend(100)
    purses = [Budget(Store(tmp_path), 1.0, time.time()) for _ in range(2)]
    Store(tmp_path).spend(0.75)
    for purse in purses:
        purse.check()
    Store(tmp_path).spend(0.25)
    for purse in purses:
        with pytest.raises(BudgetReached):
            purse.check()


def test_a_purse_without_a_bottom_never_ends(tmp_path):
    Store(tmp_path).spend(1e9)
    Budget(Store(tmp_path), None, 0.0).check()
