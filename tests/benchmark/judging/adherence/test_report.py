"""Which steps were followed: what a judge is asked, which attempts, and what is made of its marks."""

import json
from pathlib import Path

import pytest

from benchmark.core.errors import UsageError
from benchmark.store.store import Store
from skills.delivery.deliver import disguised
from skills.profile import workflow
from tests.benchmark.judging.adherence.test_judgement import LABEL, LINT, READ, SKILL_MD, target, trajectory
from tests.benchmark.judging.judged import judged, marked, marks, stored, treated, written
from tests.factory import keep
from tests.model_server import TOO_LONG, Said, serving, tokens


def test_marks_are_kept_with_their_evidence_and_nothing_is_asked_twice(tmp_path: Path) -> None:
    store, told = stored(tmp_path / "s"), []
    with serving(Said(marks(), tokens(100, 20))) as server:
        result = judged(store, server, tell=told.append)
        again = judged(store, server)
        assert len(server.requests) == 1
    (row,) = result["rows"]
    assert {name: row[name] for name in ("skill", "agent", "delivery", "condition")} == {
        "skill": "tidy", "agent": "noop", "delivery": "prompt", "condition": "C1",
    }  # fmt: skip
    assert (row["followed"], row["skipped"], row["contradicted"]) == (0.5, 0.0, 0.5)
    assert (row["attempts"], row["steps_not_applicable"], row["steps_not_judged"]) == (1, 1, 0)
    assert marked(result)["read"] | {"reason": None} == READ | {"turn": "2", "reason": None}
    assert (result["asked"], result["known"], result["stopped"], result["missing"]) == (1, 0, None, [])
    assert result["usage"]["prompt_tokens"] == 100 and result["usage"]["usd"] is None
    assert (again["asked"], again["known"]) == (0, 1) and again["rows"] == result["rows"]
    assert told == ["1 of 1 · webdev/alpha/tidy/C1/noop/r0, task 1, attempt 1: 1 followed, 1 contradicted, 1 not applicable"]
    (path,) = (store.root / "judgements").iterdir()
    kept = json.loads(path.read_text())
    assert path.stem == result["attempts"][0]["judgement"]
    assert (kept["model"], kept["asked"], kept["usage"]["completion_tokens"], kept["workflow"]) == (
        "judge-1", 1, 20, result["attempts"][0]["workflow"],
    )  # fmt: skip
    assert kept["date"][:2] == "20"


def test_another_judge_and_an_edited_workflow_are_asked_anew(tmp_path: Path) -> None:
    store = stored(tmp_path / "s")
    with serving(marks()) as server:
        first = judged(store, server)
        assert judged(store, server, model="judge-2")["asked"] == 1
        path = workflow.path_in(store.root, target())
        path.write_text(path.read_text().replace("Run the linter.", "Lint everything, twice."))
        edited = judged(store, server)
        assert len(server.requests) == 3
        assert "Lint everything, twice." in server.requests[2].contents[0]
    assert edited["asked"] == 1 and edited["attempts"][0]["workflow"] != first["attempts"][0]["workflow"]
    assert len(list((store.root / "judgements").iterdir())) == 3


def test_thoughts_before_an_answer_are_no_part_of_it(tmp_path: Path) -> None:
    with serving("<think>" + marks({"step": "read", "mark": "skipped"}) + "</think>" + marks()) as server:
        result = judged(stored(tmp_path / "s"), server)
        assert len(server.requests) == 1
    assert marked(result)["read"]["mark"] == "followed"


def test_the_judge_is_told_what_was_wrong_and_may_mend_it(tmp_path: Path) -> None:
    store = stored(tmp_path / "s")
    invented = marks(READ | {"turn": 7}, LINT, LABEL)
    # What held at first stays: the second answer counts only for what was asked again.
    with serving(invented, marks(READ, {"step": "lint", "mark": "skipped"}, LABEL)) as server:
        result = judged(store, server)
        first, second = server.requests
    assert second.contents[:2] == [first.contents[0], invented]
    assert "- read: followed needs the number of a turn in the log as evidence, and 7 is none" in second.contents[2]
    assert "lint" not in second.contents[2]
    assert {name: row["mark"] for name, row in marked(result).items()} == {
        "read": "followed", "lint": "contradicted", "label": "not_applicable",
    }  # fmt: skip
    assert result["usage"]["prompt_tokens"] == 20


def test_what_is_invented_twice_is_not_judged_and_not_counted(tmp_path: Path) -> None:
    store = stored(tmp_path / "s")
    with serving(marks(READ | {"quote": "rm -rf everything"}, {"step": "lint", "mark": "skipped"}, LABEL)) as server:
        result = judged(store, server)
        assert len(server.requests) == 2
        assert judged(store, server)["asked"] == 0
    assert marked(result)["read"] == {
        "step": "read",
        "mark": "not_judged",
        "turn": None,
        "quote": None,
        "reason": "the quote 'rm -rf everything' does not occur in turn 2",
    }
    (row,) = result["rows"]
    assert (row["followed"], row["skipped"], row["steps_not_judged"], row["attempts"]) == (0.0, 1.0, 1, 1)


NO_JSON = {
    "prose": "I cannot judge this.",
    "torn": '{"marks": [',
    "nested lists": "[" * 100_000,
    "nested objects": '{"a":' * 100_000,
    "nothing": "",
    "another form": '{"marks": 1}',
}


@pytest.mark.parametrize("said", NO_JSON.values(), ids=NO_JSON)
def test_an_answer_that_is_no_json_leaves_nothing_judged(tmp_path: Path, said: str) -> None:
    store = stored(tmp_path / "s")
    with serving(said) as server:
        result = judged(store, server)
        assert len(server.requests) == 2
    assert [row["mark"] for row in marked(result).values()] == ["not_judged"] * 3
    assert all(row["reason"] for row in marked(result).values())
    (row,) = result["rows"]
    assert (row["followed"], row["attempts"], row["attempts_not_judged"]) == (None, 0, 1)
    assert result["attempts"][0]["status"] == "not_judged"


# which attempts


def test_only_what_had_the_skill_before_it_is_judged(tmp_path: Path) -> None:
    store = stored(
        tmp_path / "s",
        {"delivery": "native", "opened": None},
        {"delivery": "native", "opened": 2, "done": trajectory("So npm run lint is not needed, I say.")},
        {"delivery": "prompt", "opened": None},
        {"status": "not_delivered"},
    )
    with serving(marks()) as server:
        result = judged(store, server)
        assert len(server.requests) == 2
    assert [(row["status"], row["delivery"]) for row in result["attempts"]] == [
        ("not_opened", "native"), ("judged", "native"), ("judged", "prompt"),
    ]  # fmt: skip
    assert [(row["delivery"], row["attempts"], row["attempts_not_opened"]) for row in result["rows"]] == [
        ("native", 1, 1), ("prompt", 1, 0),
    ]  # fmt: skip
    assert result["rows"][0]["followed"] == 0.5


def test_means_are_over_attempts_and_equal_trajectories_are_asked_once(tmp_path: Path) -> None:
    other = trajectory("So npm run lint is not needed, really.")
    store = stored(tmp_path / "s", {}, {}, {"done": other})
    skipped = [{"step": name, "mark": "skipped"} for name in ("read", "lint", "label")]
    with serving(marks(), marks(*skipped)) as server:
        result = judged(store, server)
        assert len(server.requests) == 2
    (row,) = result["rows"]
    assert row["attempts"] == 3
    assert [round(row[mark], 4) for mark in ("followed", "skipped", "contradicted")] == [0.3333, 0.3333, 0.3333]


def test_a_trajectory_that_cannot_be_read_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    store = stored(tmp_path / "s", {"done": b'{"steps": []}'}, {})
    with serving(marks()) as server:
        result = judged(store, server)
    assert [row["status"] for row in result["attempts"]] == ["not_judged", "judged"]
    assert "its trajectory cannot be read" in result["attempts"][0]["reason"]
    assert result["rows"][0]["attempts_not_judged"] == 1


def test_a_log_that_the_judge_cannot_take_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    store = stored(tmp_path / "s", {"done": trajectory("npm run lint is not needed?")}, {})
    with serving(TOO_LONG, marks()) as server:
        result = judged(store, server)
        assert [row["status"] for row in result["attempts"]] == ["not_judged", "judged"]
        assert "does not fit the judge's context" in result["attempts"][0]["reason"]
        assert judged(store, server)["asked"] == 1


def test_skills_without_a_workflow_are_named_with_the_command(tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    plain_control = target(SKILL_MD.replace("lint", "test"), "other")
    hidden = disguised(target(SKILL_MD.replace("lint", "audit"), "third"), target())
    keep(
        store,
        [
            treated(store, target()),
            treated(store, plain_control, "C2"),
            treated(store, hidden, "C2", delivery="native", replicate=1),
        ],
    )
    with serving(marks()) as server:
        with pytest.raises(UsageError, match=r"no skill of this plan .*assay steps tidy --model judge-1 .*\(and 2 more\)"):
            judged(store, server)
        assert server.requests == []
        written(store, target())
        # The steps of a control are those of the skill whose text it has.
        written(store, target(SKILL_MD.replace("lint", "audit"), "third"))
        result = judged(store, server)
    assert [row["status"] for row in result["attempts"]] == ["judged", "no_steps", "judged"]
    assert result["missing"] == [{"skill": "other", "command": f"assay steps other --model judge-1 --runs {store.root}"}]
    assert [(row["skill"], row["condition"]) for row in result["rows"]] == [("other", "C2"), ("third", "C2"), ("tidy", "C1")]


def test_a_judgement_that_was_edited_is_named(tmp_path: Path) -> None:
    store = stored(tmp_path / "s")
    with serving(marks()) as server:
        judged(store, server)
        (path,) = (store.root / "judgements").iterdir()
        path.write_text(path.read_text().replace("contradicted", "ignored"))
        with pytest.raises(UsageError, match=r"is no judgement .* remove it"):
            judged(store, server)
