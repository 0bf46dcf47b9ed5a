import json
import os
from dataclasses import replace

import pytest

from benchmark.core.errors import UsageError
from benchmark.store.store import Store
from reports.audit.load import audit_of, load_plan
from reports.output.write import write_all, written_json
from tests.factory import DAY, NOON, audit, keep, row
from tests.reports.as_json import results

ROWS = [*row("alpha", "C0", "1x", "11"), *row("alpha", "C1", "11", "x-", tokens=1500), *row("alpha", "C2", None)]


def test_results_are_json_with_every_trial_and_null_for_what_was_not_measured(tmp_path):
    found = json.loads(json.dumps(results(audit(tmp_path, ROWS)), allow_nan=False))
    counts = {"not_delivered": 0, "broken": 0, "contaminated": 0, "historical": 0, "not_run": 1, "limited": 0}
    assert found["coverage"] == {"planned": 5, "measured": 4, **counts}
    assert [(line["condition"], line["metrics"]["pass2"]) for line in found["arms"]] == [
        ("C0", 0.75),
        ("C1", 0.5),
        ("C2", None),
    ]
    assert [line["name"] for line in found["contrasts"]] == ["C1−C0", "C2−C0", "C1−C2"]
    assert found["contrasts"][0]["difference"]["estimate"] == -0.25 and found["contrasts"][1]["difference"]["estimate"] is None
    assert found["scripted"] is True and found["suite"] == "webdev"
    assert [trial["metrics"].get("pass2") for trial in found["trials"]] == [0.5, 1.0, 1.0, 0.0, None]
    assert found["first_trial"] == found["last_trial"] == "2027-01-15 08:00 UTC"


def test_results_say_which_tests_are_left_out_where_the_plan_does(tmp_path):
    made = audit(tmp_path, ROWS)
    assert results(made)["quarantined"] == made.plan.quarantined == {}
    left_out = {"alpha": ("test/task-1.spec.js › a: failed 1 of 3 runs of the reference",)}
    plan = made.plan.model_copy(update={"quarantined": left_out})
    assert results(replace(made, plan=plan))["quarantined"] == {"alpha": [*left_out["alpha"]]}


def test_days_span_the_trials_that_ran(tmp_path):
    found = results(audit(tmp_path, [*row("alpha", "C0", "1x"), *row("alpha", "C1", "11", None, started=NOON + DAY)]))
    assert (found["first_trial"], found["last_trial"]) == ("2027-01-15 08:00 UTC", "2027-01-16 08:00 UTC")


def test_nothing_run_has_no_dates_and_no_numbers(tmp_path):
    found = results(audit(tmp_path, row("alpha", "C0", None)))
    assert (found["first_trial"], found["scripted"], found["coverage"]["measured"]) == (None, False, 0)


def test_a_mix_of_agents_is_not_called_scripted(tmp_path):
    rows = [*row("alpha", "C0", "1x"), *row("alpha", "C1", "11", scripted=False)]
    assert results(audit(tmp_path, rows))["scripted"] is False


def test_pages_are_written_from_the_store_alone(tmp_path):
    keep(Store(tmp_path / "runs"), ROWS)
    written = write_all(Store(tmp_path / "runs"), None)
    found = written_json(written)
    folder = tmp_path / "runs/report"
    kept = json.loads((folder / "results.json").read_text())
    assert kept == {key: value for key, value in found.items() if key not in ("files", "failed")}
    names = ("allure-results", "results.json", "advice.json", "junit.xml", "report.html")
    assert list(written.files.values()) == [folder / name for name in names]
    assert (written.failures, written.look) == ([], None)
    assert (folder / "report.html").read_text().lstrip().lower().startswith("<!doctype html>")
    names = [json.loads(path.read_text())["name"] for path in (folder / "allure-results").glob("*-result.json")]
    # Four trials ran; what the suite adds is a result of its own.
    assert len(names) == 5 and sum("what the suite adds" in name for name in names) == 1
    again = written_json(write_all(Store(tmp_path / "runs"), None, tmp_path / "elsewhere/deep"))
    assert again["arms"] == found["arms"] and (tmp_path / "elsewhere/deep/report.html").exists()


def test_the_last_plan_is_taken_unless_another_is_named(tmp_path):
    store = Store(tmp_path)
    first, second = (keep(store, row(project, "C0", "1x")) for project in ("alpha", "beta"))
    for at, made in enumerate((second, first)):
        os.utime(tmp_path / "panels" / f"{made.hash}.json", (at, at))
    assert load_plan(store, None).hash == first.hash
    assert load_plan(store, second.hash[:8]).hash == second.hash


@pytest.mark.parametrize("digest", [None, "ffff"])
def test_a_plan_that_is_not_there_is_a_usage_error(tmp_path, digest):
    with pytest.raises(UsageError, match="--runs"):
        load_plan(Store(tmp_path), digest)


def test_the_panels_window_decides_what_is_historical(tmp_path):
    rows = [*row("alpha", "C0", "1x", started=NOON - 3 * DAY), *row("alpha", "C1", "11")]
    for name, window, status in (("a", "48h", "historical"), ("b", "3d", "measured")):
        store = Store(tmp_path / name)
        plan = keep(store, rows, contemporary=window)
        made = audit_of(Store(tmp_path / name), plan)
        assert made.arm("target", "noop", "prompt", "C0")[0].status == status


def test_every_line_says_its_delivery_and_models_of_this_machine_are_named(tmp_path):
    rows = [
        *row("alpha", "C0", "1x", agent={"model": "local/smollm2-135m"}),
        *row("alpha", "C1", "11", delivery="native", agent={"model": "local/smollm2-135m"}),
        *row("alpha", "C1", "1x", agent={"model": "local/smollm2-135m"}),
    ]
    found = json.loads(json.dumps(results(audit(tmp_path, rows)), allow_nan=False))
    assert found["local_models"] == ["local/smollm2-135m"] and found["deliveries"] == ["native", "prompt"]
    arms = [(line["delivery"], line["condition"], line["metrics"]["pass2"]) for line in found["arms"]]
    assert arms == [("native", "C0", 0.5), ("native", "C1", 1.0), ("prompt", "C0", 0.5), ("prompt", "C1", 0.5)]
    assert [(line["delivery"], line["difference"]["estimate"]) for line in found["contrasts"]] == [
        ("native", 0.5),
        ("prompt", 0.0),
    ]
    assert [line["delivery"] for line in found["delivery"]] == ["native", "prompt"]
    assert [(trial["delivery"], trial["opened"], trial["proven_free"]) for trial in found["trials"]] == [
        (None, None, True),
        ("native", 2, None),
        ("prompt", 3, None),
    ]
    assert results(audit(tmp_path / "b", ROWS))["local_models"] == []
