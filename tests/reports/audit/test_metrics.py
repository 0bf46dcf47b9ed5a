import pytest

from benchmark.core.model import Limits, Usage
from benchmark.store.store import Store
from benchmark.suite.discovery import find_suite
from reports.audit.metrics import observe
from tests.factory import DAY, NOON, Row, audit, keep, record, row, spec

SUITE = find_suite("webdev")


def value(name: str, made):
    return next(metric for metric in SUITE.all_metrics if metric.name == name).value(made)


@pytest.mark.parametrize(
    ("chain", "pass2", "tcd", "pass1", "first_try"),
    [
        ("1111", 1.0, 4, 1.0, 1.0),
        ("12x-", 0.5, 2, 0.25, 0.25),
        ("21x-", 0.5, 2, 0.0, 0.25),
        ("2122", 1.0, 4, 0.0, 0.25),
        ("1121", 1.0, 4, 0.5, 0.75),
        ("x---", 0.0, 0, 0.0, 0.0),
    ],
)
def test_chains_by_hand(chain, pass2, tcd, pass1, first_try):
    made = record(chain=chain)
    found = [value(name, made)[0] for name in ("pass2", "tcd", "pass1", "first_try")]
    assert found == [pass2, tcd, pass1, first_try]


def test_the_primary_metric_is_pass2():
    assert SUITE.primary.name == "pass2" and sum(metric.primary for metric in SUITE.all_metrics) == 1


@pytest.mark.parametrize("status", ["broken", "not_delivered"])
def test_what_was_not_measured_has_no_number_but_a_reason(status):
    made = record(status=status, reason="the network failed")
    for metric in SUITE.all_metrics:
        assert metric.value(made) == (None, "the network failed")


def test_tokens_that_were_not_reported_are_not_zero():
    number, reason = value("tokens", record(tokens=None))
    assert number is None and reason == "the provider reported no usage"
    assert value("tokens", record(tokens=0)) == (0.0, None)


def test_tokens_and_money_stay_apart():
    made = record(usage=Usage(prompt_tokens=100, cached_tokens=40, completion_tokens=7, usd=0.25, source="provider"))
    names = ("tokens", "prompt_tokens", "cached_tokens", "completion_tokens", "usd", "seconds")
    assert [value(name, made)[0] for name in names] == [107, 100, 40, 7, 0.25, 60]


def test_every_planned_trial_is_observed(tmp_path):
    rows = [*row("alpha", "C0", "1x", None), *row("alpha", "C1", "x-", status="broken", reason="sandbox")]
    made = audit(tmp_path, rows)
    assert [item.status for item in made.observations.values()] == ["measured", "not_run", "broken"]
    first, missing, broken = made.observations.values()
    assert (first.values["pass2"], first.solved, first.family) == (0.5, (True, False), "family of alpha")
    assert missing.values == {} and missing.reason and missing.record is None
    assert broken.values["pass2"] is None and broken.reason == "sandbox" and broken.solved == ()


def test_a_broken_trial_that_was_run_again_is_measured(tmp_path):
    (item,) = row("alpha", "C1", "11")
    made = audit(tmp_path, [item._replace(records=(*item.records, record(item.spec, status="broken", started=NOON + 9)))])
    assert [found.status for found in made.observations.values()] == ["measured"]


def test_limits_that_stopped_attempts_are_named(tmp_path):
    made = audit(tmp_path, row("alpha", "C1", "1x", limit="seconds"))
    (item,) = made.observations.values()
    assert item.limits == ("seconds",) * 3


def test_a_record_under_other_limits_does_not_count(tmp_path):
    tight = spec("alpha", "C1", limits=Limits(seconds=1))
    made = audit(tmp_path, [Row(spec("alpha", "C1"), ("target",), (record(tight, limit="seconds"),))])
    assert [item.status for item in made.observations.values()] == ["not_run"]


def test_an_arm_is_what_counts_for_it(tmp_path):
    rows = [
        *row("alpha", "C0", "11", "1x", targets=("one", "two")),
        *row("alpha", "C1", "x-", targets=("one",), injected="one"),
        *row("alpha", "C1", "11", targets=("two",), injected="two"),
    ]
    made = audit(tmp_path, rows)
    assert [item.values["pass2"] for item in made.arm("one", "noop", "prompt", "C0")] == [1.0, 0.5]
    assert [item.values["pass2"] for item in made.arm("one", "noop", "prompt", "C1")] == [0.0]
    assert [item.skill for item in made.arm("two", "noop", "prompt", "C1")] == ["two"]
    assert (
        made.arm("two", "noop", "prompt", "C2")
        == []
        == made.arm("two", "nobody", "prompt", "C0")
        == made.arm("three", "noop", "prompt", "C0")
    )


def baseline(made, target="target") -> list[tuple[str, float]]:
    return [(item.status, item.started - NOON) for item in made.arm(target, "noop", "prompt", "C0")]


@pytest.mark.parametrize(
    ("started", "status"),
    [(-2 * DAY, "measured"), (-2 * DAY - 1, "historical"), (0, "measured"), (2 * DAY, "measured"), (2 * DAY + 1, "historical")],
)
def test_a_baseline_outside_the_window_is_historical(tmp_path, started, status):
    rows = [*row("alpha", "C0", "11", started=NOON + started), *row("alpha", "C1", "11")]
    made = audit(tmp_path, rows)
    assert baseline(made) == [(status, started)]
    assert [item.status for item in made.observations.values()] == [status, "measured"]


def test_the_window_is_the_panels(tmp_path):
    rows = [*row("alpha", "C0", "11", started=NOON - DAY), *row("alpha", "C1", "11")]
    assert baseline(audit(tmp_path / "a", rows, window=DAY - 1)) == [("historical", -DAY)]
    assert baseline(audit(tmp_path / "b", rows, window=DAY)) == [("measured", -DAY)]


def test_a_baseline_alone_is_not_historical(tmp_path):
    rows = [*row("alpha", "C0", "11", started=NOON - 90 * DAY), *row("alpha", "C1", "x-", status="broken", reason="x")]
    assert baseline(audit(tmp_path, rows)) == [("measured", -90 * DAY)]


def test_treated_trials_of_other_projects_do_not_make_a_baseline_contemporary(tmp_path):
    rows = [
        *row("alpha", "C0", "11"),
        *row("alpha", "C1", "11", started=NOON + 90 * DAY),
        *row("beta", "C1", "11"),
    ]
    assert baseline(audit(tmp_path, rows)) == [("historical", 0)]


def test_a_baseline_run_again_later_does_not_take_the_place_of_the_contemporary_one(tmp_path):
    """The same command a month later runs C0 anew and finds the treated trials: they keep the C0 of their time."""
    (zero,) = row("alpha", "C0", "1x")
    later = record(zero.spec, "11", started=NOON + 30 * DAY)
    made = audit(tmp_path, [zero._replace(records=(*zero.records, later)), *row("alpha", "C1", "11")])
    assert baseline(made) == [("measured", 0)]
    assert [item.values["pass2"] for item in made.arm("target", "noop", "prompt", "C0")] == [0.5]


def test_each_skill_has_the_baseline_of_its_own_time(tmp_path):
    (zero,) = row("alpha", "C0", "1x", targets=("old", "new", "never"))
    later = record(zero.spec, "11", started=NOON + 30 * DAY)
    rows = [
        zero._replace(records=(*zero.records, later)),
        *row("alpha", "C1", "11", targets=("old",), injected="old"),
        *row("alpha", "C1", "11", targets=("new",), injected="new", started=NOON + 30 * DAY),
        *row("alpha", "C1", "11", targets=("never",), injected="never", started=NOON + 15 * DAY),
    ]
    made = audit(tmp_path, rows)
    assert baseline(made, "old") == [("measured", 0)]
    assert baseline(made, "new") == [("measured", 30 * DAY)]
    assert [status for status, _ in baseline(made, "never")] == ["historical"]


def test_facts_count_the_records_that_are_shown(tmp_path):
    rows = [*row("alpha", "C0", "11", "11"), *row("alpha", "C1", "11", None, package_version="0.2.0")]
    facts = audit(tmp_path, rows).facts
    assert facts["package_version"] == {"0.1.0": 2, "0.2.0": 1}
    assert facts["scripted"] == {"True": 3}
    assert facts["agent"] == {"noop (agent version 1)": 3}


def test_a_number_that_is_not_finite_is_not_measured(tmp_path):
    """Usage takes an infinite cost; the store keeps it as null, and a record of another hand may say 1e999."""
    rows = row("alpha", "C0", "11", usage=Usage(prompt_tokens=1, completion_tokens=1, usd=float("inf"), source="provider"))
    made = audit(tmp_path / "a", rows)
    (item,) = made.observations.values()
    assert item.status == "measured" and item.values["usd"] is None and item.values["tokens"] == 2
    assert made.facts["usage_reason"] == {"cost not reported": 1}
    plan = keep(Store(tmp_path / "b"), row("alpha", "C0", "11"))
    (path,) = (tmp_path / "b/records").iterdir()
    head, _ = path.read_bytes().rsplit(b',"sha256"', 1)
    path.write_bytes(head.replace(b'"usd":0.001', b'"usd":1e999') + b"}\n")
    made = observe(Store(tmp_path / "b"), plan, DAY)
    (item,) = made.observations.values()
    assert item.status == "measured" and item.values["usd"] is None and item.values["tokens"] == 1000
    assert made.facts["usage_reason"] == {"cost is no finite number": 1}
    assert made.facts["records"] == {"made before records had a checksum: an edit may go unnoticed": 1}


def test_an_edited_baseline_leaves_the_others_of_its_trial(tmp_path):
    """A C0 trial that was run twice, and of which the one record was edited, stands on the other."""
    (zero,) = row("alpha", "C0", "1x")
    store = Store(tmp_path)
    plan = keep(store, [zero, *row("alpha", "C1", "11")])
    Store(tmp_path).append(record(zero.spec, "11", started=NOON + 9))
    first, second = sorted((tmp_path / "records").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    whole = second.read_bytes()
    second.write_bytes(whole.replace(b'"seconds":60.0', b'"seconds":61.0'))
    made = observe(Store(tmp_path), plan, DAY)
    assert [(item.status, item.values["pass2"]) for item in made.observations.values()] == [
        ("measured", 0.5),
        ("measured", 1.0),
    ]
    assert list(made.facts["not_used"]) == [f"record was edited: records/{second.name}, byte 0"]
    first.write_bytes(first.read_bytes().replace(b'"seconds":60.0', b'"seconds":61.0'))
    made = observe(Store(tmp_path), plan, DAY)
    assert {item.status for item in made.observations.values()} == {"broken"}
    assert all(item.record is None and item.values == {} for item in made.observations.values())
