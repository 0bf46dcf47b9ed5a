"""Essays are judged by a model from words and a picture: metered apart, asked once a store, and never scored by a failure."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.suites.judge import COMPLETION_TOKENS, PROMPT_TOKENS, JudgeServer, judging
from tests.suites.runs import Whole, assay, records, results, run, write_panel


@pytest.fixture
def judge() -> Iterator[JudgeServer]:
    with judging() as server:
        yield server


def scores(store: Path) -> list[Any]:
    """The newest score of every trial."""
    rows = {row["spec"]["condition"]: row for row in records(store)}
    return [rows[name]["tasks"][0]["attempts"][-1]["score"] for name in sorted(rows)]


def test_the_judge_is_shown_the_words_and_the_picture_as_data(essays: Whole) -> None:
    for text, addresses in essays.shown:
        assert "Grade this essay about" in text and ("GOOD" in text) != ("POOR" in text)
        (address,) = addresses
        assert address.startswith("data:image/png;base64,iVBOR"), "nothing is fetched from anywhere"


def test_the_same_essay_is_asked_once_a_store(essays: Whole) -> None:
    essays_made = {(row["spec"]["project"], row["tasks"][0]["attempts"][0]["workspace"]) for row in essays.records}
    assert len(essays.shown) == len(set(essays.shown)) == len(essays_made) == 12
    assert set(essays.asked) == {12}, "neither resuming nor grading again asks anything"


def test_what_the_judge_cost_stands_apart_from_the_agents_usage(essays: Whole) -> None:
    spent = [row["judge_usage"] for row in essays.records]
    assert sum(usage["prompt_tokens"] for usage in spent) == 12 * PROMPT_TOKENS
    assert sum(usage["completion_tokens"] for usage in spent) == 12 * COMPLETION_TOKENS
    for usage in spent:
        asked = usage["prompt_tokens"] > 0
        assert (usage["usd"], usage["reason"]) == ((None, "no price is known for this model") if asked else (0, None))
    assert all(row["usage"]["prompt_tokens"] < PROMPT_TOKENS for row in essays.records)
    assert all(row["usage"]["source"] == "estimate" for row in essays.records), "the agent is scripted"
    known = [line["judge_usd"] for line in essays.results["arms"]]
    assert known == [None] * 4, "a part that is not known is not nothing"


def test_a_score_has_its_dimensions_and_the_answer_as_evidence(essays: Whole) -> None:
    for row in essays.records:
        score = row["tasks"][0]["attempts"][-1]["score"]
        parts = {name: part["value"] for name, part in score["dimensions"].items()}
        assert parts in ({"clarity": 5, "structure": 4}, {"clarity": 2, "structure": 1})
        assert score["value"] == sum(parts.values()) / 2 and score["scale"] == {"low": 1, "high": 5, "better": "higher"}
        (evidence,) = score["evidence"]
        answer = (essays.store / "blobs" / evidence[:2] / evidence[2:]).read_text("utf-8")
        assert json.loads(answer)["why"] == score["explanation"]


def test_suites_that_are_not_judged_ask_no_judge(whole_of: Any) -> None:
    whole = whole_of("greetings")
    assert whole.asked[-1] == 0
    assert {row["judge_usage"] for row in whole.records} == {None}
    assert {line["judge_usd"] for line in whole.results["arms"]} == {None}


def test_a_judge_that_fails_gives_no_score_and_is_asked_again_by_regrade(judge: JudgeServer, tmp_path: Path) -> None:
    store = tmp_path / "runs"
    panel = write_panel(tmp_path, "essays", replicates=1, projects=["bees"], skills=["good"], judge=judge.url)
    arguments = ("--panel", panel, "--runs", store)
    judge.mood = "nonsense"
    done = run(*arguments)
    assert done.code == 0, done.all
    asked = len(judge.requests)
    assert asked in (2, 4), "twice for each of the essays, which may be the same"
    assert {row["status"] for row in records(store)} == {"measured"}, "the trial is measured, its score is not"
    for score in scores(store):
        assert score["value"] is None and score["reason"].startswith("judge: its answer was rejected twice"), score
    arms = results(store)["arms"]
    assert {line["metrics"]["quality"] for line in arms} == {None} and all(line["metrics"]["tokens"] for line in arms)
    assert "not measured" in (store / "report" / "report.html").read_text("utf-8")

    judge.mood = "down"
    down = assay("regrade", "--runs", store, "--json")
    assert down.code == 0 and len(json.loads(down.out)["regraded"]) == 2, down.all
    assert all(score["value"] is None and "the judge is at lunch" in score["reason"] for score in scores(store))

    judge.mood = "well"
    well = assay("regrade", "--runs", store, "--json")
    assert len(json.loads(well.out)["regraded"]) == 2, well.all
    assert all(score["value"] in (4.5, 1.5) for score in scores(store))
    asked = len(judge.requests)

    resumed = run(*arguments)
    assert resumed.code == 0 and "2 from the store" in resumed.out, resumed.all
    assert len(judge.requests) == asked
    arms = results(store)["arms"]
    assert {line["metrics"]["quality"] for line in arms} <= {4.5, 1.5}


def test_two_grades_whose_locks_fall_together_do_not_wait_for_each_other(tmp_path: Path) -> None:
    """A judge is asked inside of a grade: with one kind of lock the same worker would wait for itself."""
    from benchmark.store.store import Store

    store, key = Store(tmp_path), "ab" + "0" * 62
    with store.grading(key), store.asking(key):
        assert store.grade(key) is None


def test_of_two_grades_of_one_trial_the_later_counts_whatever_process_wrote_it(essays: Whole, tmp_path: Path) -> None:
    """Both have the trial's start and keys, and files are named by process: 1000 comes before 999 in the alphabet."""
    from benchmark.core.model import Record
    from benchmark.store.journal import sealed
    from benchmark.store.store import Store

    kept = Store(essays.store)
    first: Record = kept.read(kept.entries()[0])
    (tmp_path / "records").mkdir()
    for name, record in {"host-999-1": first, "host-1000-2": first.model_copy(update={"regraded": True})}.items():
        line = sealed(record.model_dump_json().encode())
        (tmp_path / "records" / f"{name}.jsonl").write_bytes(line + b"\n")
    store = Store(tmp_path)
    (entry,) = store.entries()
    found = store.find(first.work, first.grade, first.spec.agent.limits)
    assert store.read(entry).regraded and found is not None and found.regraded
