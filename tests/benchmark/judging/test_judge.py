"""A judge's money and faults, the steps that it takes a skill apart into, and the two commands."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmark.core.errors import BudgetReached, Fault, SetupError, UsageError
from benchmark.judging.adherence.report import judge_all, lines
from benchmark.judging.adherence.steps import find_skill, take_apart
from benchmark.store.store import Store
from fixtures.gateway.models.scripted import scripted
from skills.profile import workflow
from tests.benchmark.judging.adherence.test_judgement import SKILL_MD, STEPS, target, trajectory
from tests.benchmark.judging.judged import marks, stored, treated
from tests.factory import keep
from tests.fixtures.gateway.upstream import answering, completion, failing, upstream
from tests.model_server import Said, serving, tokens

# money and faults


@pytest.fixture
def openai(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes a server be OpenAI for gateways that start from now on: endpoints of one's own have no price."""

    def be(server: Any) -> None:
        folder = tmp_path / "site"
        folder.mkdir()
        table = folder / "providers.toml"
        table.write_text(f'[openai]\nkey = "OPENAI_API_KEY"\nwires.chat = "{server.url}/v1"\n', encoding="utf-8")
        words = f"import pathlib, fixtures.gateway.providers.providers as p\np.TABLE = pathlib.Path({str(table)!r})\n"
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
        assert "budget of this run is spent" in (result["stopped"] or "")
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
    stopped = result["stopped"] or ""
    assert result["fault"] and "401" in stopped and "key expired" in stopped
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
        [sys.executable, "-m", "benchmark.cli.main", *map(str, args)],
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
