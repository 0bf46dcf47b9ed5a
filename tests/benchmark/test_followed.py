"""Steps followed: real gateways and real sockets, a model that answers from a script, evidence that must be there."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from agents.trajectory import Trajectory, write
from benchmark.errors import BudgetReached, Fault, SetupError, UsageError
from benchmark.followed import judge_all, lines
from benchmark.model import Attempt, Evidence
from benchmark.steps import find_skill, take_apart
from benchmark.store import Store
from fixtures.gateway.scripted import scripted
from skills import workflow
from skills.deliver import disguised
from skills.parse import Skill
from skills.workflow import WorkflowStep
from tests.benchmark.test_marking import LABEL, LINT, READ, SKILL_MD, STEPS, target, trajectory
from tests.factory import Row, keep, record, spec, tasks
from tests.fixtures.gateway.upstream import answering, completion, failing, upstream
from tests.model_server import TOO_LONG, ModelServer, Said, serving, tokens

GOOD = [READ, LINT, LABEL]


def marks(*rows: Mapping[str, Any]) -> str:
    return "Here you are:\n```json\n" + json.dumps({"marks": list(rows or GOOD)}) + "\n```"


def treated(store: Store, made: Skill, condition: str = "C1", **changes: Any) -> Row:
    """A measured trial of one task and one attempt, in which the skill was opened unless told otherwise."""
    delivery, opened = changes.pop("delivery", "prompt"), changes.pop("opened", 1)
    done: Trajectory | bytes = changes.pop("done", trajectory())
    trial = spec("alpha", condition, changes.pop("replicate", 0), made.id).model_copy(
        update={"skill": made.ref, "delivery": delivery}
    )
    store.put_tree({**made.files, "SKILL.md": made.data})
    kept = store.put(done if isinstance(done, bytes) else write(done))
    (task,) = tasks("1")
    attempts: tuple[Attempt, ...] = tuple(
        one.model_copy(update={"trajectory": kept, "evidence": Evidence(requests=2, opened=opened)}) for one in task.attempts
    )
    made_tasks = (task.model_copy(update={"attempts": attempts}),)
    return Row(trial, ("tidy",), (record(trial, "1", tasks=made_tasks, **changes),))


def stored(root: Path, *more: Mapping[str, Any], steps: Sequence[WorkflowStep] = STEPS) -> Store:
    """A store with a trial for each mapping of changes (one without any), and the skill's workflow."""
    store = Store(root)
    rows = [treated(store, target(), replicate=at, **changes) for at, changes in enumerate(more or ({},))]
    keep(store, rows)
    written(store, target(), steps)
    return store


def written(store: Store, made: Skill, steps: Sequence[WorkflowStep] = STEPS) -> workflow.Kept:
    flow = workflow.made(made, "m", "2026-01-02", tuple(steps))
    return workflow.save(workflow.path_in(store.root, made), flow)


def judged(store: Store, server: ModelServer, budget: float | None = None, **more: Any) -> dict[str, Any]:
    told = more.get("tell", [].append)
    return judge_all(Store(store.root), None, more.get("model", "judge-1"), server.url, budget, told)


def marked(result: Mapping[str, Any], at: int = 0) -> dict[str, Any]:
    return {row["step"]: row for row in result["attempts"][at]["marks"]}


# judging


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
    assert told == ["1 of 1 · alpha/tidy/C1/noop/r0, task 1, attempt 1: 1 followed, 1 contradicted, 1 not applicable"]
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


# money and faults


@pytest.fixture
def openai(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes a server be OpenAI for gateways that start from now on: endpoints of one's own have no price."""

    def be(server: Any) -> None:
        folder = tmp_path / "site"
        folder.mkdir()
        table = folder / "providers.toml"
        table.write_text(f'[openai]\nkey = "OPENAI_API_KEY"\nwires.chat = "{server.url}/v1"\n', encoding="utf-8")
        words = f"import pathlib, fixtures.gateway.providers as p\np.TABLE = pathlib.Path({str(table)!r})\n"
        (folder / "sitecustomize.py").write_text(words, encoding="utf-8")
        monkeypatch.setenv("PYTHONPATH", str(folder))
        monkeypatch.setenv("OPENAI_API_KEY", "sk-real-0123456789")

    return be


LISTED = answering({"object": "list", "data": [{"id": "o4-mini"}, {"id": "judge-1"}]})


def test_the_budget_ends_it_and_what_was_judged_is_kept(tmp_path: Path, openai: Any) -> None:
    store = stored(tmp_path / "s", {}, {"done": trajectory("npm run lint is not needed now")})
    dear = answering(completion(marks(), usage=(1_000_000, 0)))
    with upstream(dear, models=LISTED) as server:
        openai(server)
        result = judge_all(store, None, "openai/o4-mini", None, 1.0, [].append)
        assert len(server.posts) == 1
        assert (result["asked"], result["fault"]) == (1, False)
        assert "budget of this run is spent" in result["stopped"]
        assert [row["status"] for row in result["attempts"]] == ["judged", "not_judged"]
        assert result["attempts"][1]["reason"] == result["stopped"]
        assert result["usage"]["usd"] == store.spent() == pytest.approx(1.1)
        more = judge_all(store, None, "openai/o4-mini", None, 1.0, [].append)
        assert (more["known"], more["asked"], more["stopped"]) == (1, 1, None)
        assert len(server.posts) == 2


def test_the_budget_can_end_between_two_tries(tmp_path: Path, openai: Any) -> None:
    with upstream(answering(completion("no json", usage=(1_000_000, 0))), models=LISTED) as server:
        openai(server)
        with pytest.raises(BudgetReached, match="larger --budget-usd"):
            take_apart(Store(tmp_path / "s"), target(), "openai/o4-mini", None, 1.0, again=False)
        assert len(server.posts) == 1


@pytest.mark.parametrize(
    ("model", "base", "words"),
    [
        ("openai/o4-mini", None, "give --budget-usd AMOUNT"),
        ("openai/of-tomorrow", None, "no price is known for openai/of-tomorrow"),
        ("o4-mini", None, "--model PROVIDER/NAME"),
        ("judge-1", "not an address", "is no address"),
    ],
)
def test_a_judge_that_cannot_be_had_is_a_mistake(tmp_path: Path, model: str, base: str | None, words: str) -> None:
    store = stored(tmp_path / "s")
    with pytest.raises(UsageError, match=words):
        judge_all(store, None, model, base, None, [].append)
    with pytest.raises(UsageError, match=words):
        take_apart(store, target(), model, base, None, again=True)


def test_a_refused_key_is_told_before_anything_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_API_KEY", "sk-wrong-0123456789")
    with upstream(models=failing(401, "no such key")) as server:
        with pytest.raises(SetupError, match=r"refuses the key in ASSAY_API_KEY \(401: no such key\)"):
            judge_all(stored(tmp_path / "s"), None, "judge-1", server.url, None, [].append)
        assert server.posts == []


def test_a_provider_that_refuses_ends_it_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_API_KEY", "sk-wrong-0123456789")
    store = stored(tmp_path / "s", {}, {"done": trajectory("npm run lint is not needed?!")}, {"done": trajectory("third")})
    with upstream(answering(completion(marks())), failing(401, "key expired"), models=LISTED) as server:
        result = judge_all(store, None, "judge-1", server.url, None, [].append)
        assert len(server.posts) == 2
    assert result["fault"] and "401" in result["stopped"] and "key expired" in result["stopped"]
    assert [row["status"] for row in result["attempts"]] == ["judged", "not_judged", "not_judged"]
    assert "sk-wrong" not in json.dumps(result)
    assert any("STOPPED" in line and "401" in line for line in lines(result))


# steps

ANSWER = {
    "steps": [
        {"id": step.id, "does": step.does, "when": step.when, "quote": step.quote}
        | dict(zip(("first_line", "last_line"), step.lines or (), strict=True))
        for step in STEPS
    ]
}


def test_a_skill_is_taken_apart_once(tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    with serving(Said(json.dumps(ANSWER), tokens(70, 30))) as server:
        kept, usage = take_apart(store, target(), "judge-1", server.url, None, again=False)
        assert kept.workflow.steps == STEPS and kept.workflow.model == "judge-1"
        assert usage and usage.tokens == 100
        kept.path.write_text(kept.path.read_text().replace("Run the linter.", "My own words."))
        edited, none = take_apart(store, target(), "judge-1", server.url, None, again=False)
        assert none is None and edited.workflow.steps[1].does == "My own words."
        assert len(server.requests) == 1
        anew, _ = take_apart(store, target(), "judge-1", server.url, None, again=True)
        assert anew.workflow.steps == STEPS and len(server.requests) == 2


def test_an_invented_quote_is_told_and_mended(tmp_path: Path) -> None:
    wrong = json.loads(json.dumps(ANSWER))
    wrong["steps"][1]["quote"] = "Run the tests twice."
    with serving(json.dumps(wrong), json.dumps(ANSWER)) as server:
        kept, usage = take_apart(Store(tmp_path / "s"), target(), "judge-1", server.url, None, again=False)
        assert (
            "step 2: the quote 'Run the tests twice.' does not stand in line 6 of the skill" in server.requests[1].contents[2]
        )
    assert kept.workflow.steps == STEPS
    assert usage and usage.tokens == 30


def test_steps_that_are_invented_twice_are_a_fault_and_nothing_is_kept(tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    wrong = json.loads(json.dumps(ANSWER))
    wrong["steps"][0]["quote"] = "Invented from nothing."
    with serving(json.dumps(wrong)) as server:
        with pytest.raises(Fault, match=r"no usable steps of tidy in 2 tries: step 1: the quote 'Invented from nothing.'"):
            take_apart(store, target(), "judge-1", server.url, None, again=False)
        assert len(server.requests) == 2
    assert not (store.root / "workflows").exists()


def test_a_skill_may_lie_in_a_folder_a_run_or_the_collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = stored(tmp_path / "s")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "SKILL.md").write_text("Do this.")
    monkeypatch.chdir(tmp_path)
    assert find_skill(store, "mine").text == "Do this."
    assert find_skill(store, "./mine/SKILL.md").id == "mine"
    assert find_skill(store, "tidy").text == SKILL_MD
    assert find_skill(store, "css-layout").id == "css-layout"
    with pytest.raises(UsageError, match="no skill 'gone'"):
        find_skill(store, "gone")
    with pytest.raises(UsageError, match="no skill at"):
        find_skill(store, "./gone")


# the commands


def assay(cwd: Path, *args: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmark.cli", *map(str, args)],
        cwd=cwd, capture_output=True, text=True, timeout=120, env={**os.environ},
    )  # fmt: skip


def test_from_a_skill_to_a_table(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    keep(store, [treated(store, target())])
    turns = {"match": [["You take apart", [{"text": json.dumps(ANSWER)}]]], "turns": [{"text": marks()}]}
    with scripted(turns, models=["judge-1"]) as server:
        base = ["--model", "judge-1", "--api-base", server.url]
        before = assay(tmp_path, "followed", *base)
        assert (before.returncode, before.stdout) == (2, "") and "assay steps tidy" in before.stderr
        made = assay(tmp_path, "steps", "tidy", *base, "--out", "copy.toml")
        assert made.returncode == 0, made.stderr
        assert "Run the linter. (lines 6–6)" in made.stdout and "when: there are forms" in made.stdout
        path = workflow.path_in(store.root, target())
        assert str(path) in made.stdout and (tmp_path / "copy.toml").read_bytes() == path.read_bytes()
        assert assay(tmp_path, "steps", "tidy", *base, "--out", "copy.toml").returncode == 2
        known = assay(tmp_path, "steps", "tidy", *base, "--json")
        data = json.loads(known.stdout)
        assert (data["made"], data["file"], len(data["steps"])) == (False, str(path), 3)
        done = assay(tmp_path, "followed", *base)
        assert done.returncode == 0, done.stderr
        # No progress where nobody watches.
        assert done.stderr == ""
        assert "association, not effect" in done.stdout.splitlines()[0]
        (row,) = [line for line in done.stdout.splitlines() if line.startswith("tidy")]
        assert row.split()[:8] == ["tidy", "noop", "prompt", "C1", "1", "50", "%", "0"]
        assert "1 asked (cost not measured), 0 known" in done.stdout
        again = json.loads(assay(tmp_path, "followed", *base, "--json").stdout)
        assert (again["asked"], again["known"]) == (0, 1) and again["attempts"][0]["marks"][0]["mark"] == "followed"
        assert len(server.reported) == 2


def test_faults_of_the_judge_are_one_line_and_exit_3(tmp_path: Path) -> None:
    store = stored(tmp_path / "runs")
    with upstream(failing(401, "key expired"), models=LISTED) as server:
        base = ["--model", "judge-1", "--api-base", server.url]
        done = assay(tmp_path, "followed", *base)
        assert done.returncode == 3 and "STOPPED before the last attempt" in done.stdout
        made = assay(tmp_path, "steps", "tidy", "--again", *base)
    assert (made.returncode, made.stdout) == (3, "")
    assert len(made.stderr.splitlines()) == 1 and made.stderr.startswith("assay: ") and "401" in made.stderr
    # What is there already is not lost to a try that failed.
    assert workflow.load(workflow.path_in(store.root, target())).workflow.steps == STEPS
