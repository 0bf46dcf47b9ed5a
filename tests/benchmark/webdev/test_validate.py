"""Validation: a sound project is proved, and every way of being unsound is named."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from benchmark.suite.capabilities import Proof
from benchmark.webdev import validate
from benchmark.webdev.project import Project
from benchmark.webdev.validate import Validator, commit, committed, prove
from fixtures.web.site import GradingSite
from tests.fixtures.processes import all_end, started_by
from tests.tiny import CHECKS, FRUIT, MANIFEST, MUTANTS, SECOND, STATES, page, tiny

Proved = Callable[..., list[Proof]]


@pytest.fixture
def proved(tmp_path: Path, place: GradingSite, monkeypatch: pytest.MonkeyPatch) -> Proved:
    """The proofs of the tiny project's tasks with some of its files changed. What is proved in a process repeats."""
    monkeypatch.setattr(validate, "REPEATS", 1)

    def run(changes: Mapping[str, bytes] | None = None, tasks: tuple[int, ...] = (1, 2, 3)) -> list[Proof]:
        project = tiny(tmp_path / "tiny", changes)
        return list(Validator(project, place).tasks(tasks))

    return run


def reason(proofs: list[Proof]) -> str:
    (proof,) = proofs
    assert not proof.valid
    assert proof.reason
    return proof.reason


def test_a_sound_project_is_valid(proved: Proved) -> None:
    assert proved() == [Proof(f"tiny/{task:02d}", True, None) for task in (1, 2, 3)]


def test_a_reference_that_fails(proved: Proved) -> None:
    wrong = page(body=FRUIT.replace("Pear", "Plum"))
    words = reason(proved({"reference/02/index.html": wrong}, (2,)))
    assert words.startswith(
        "the reference fails on repeat 1: 'Both fruits are listed' (assertion): Apple and Pear | Apple, Plum"
    )


def test_a_reference_that_breaks_an_earlier_task(proved: Proved) -> None:
    wrong = STATES[2].replace(b"Shop", b"Stop")
    assert "'The page is called Shop'" in reason(proved({"reference/03/index.html": wrong}, (3,)))


def test_a_second_solution_that_fails(proved: Proved) -> None:
    wrong = SECOND.replace(b"<h3>Fruit</h3>", b"Fruit")
    words = reason(proved({"second/index.html": wrong}, (2,)))
    assert words.startswith("the second solution fails on repeat 1: 'The list has a heading' (assertion)")


def test_an_untouched_workspace_that_passes(proved: Proved) -> None:
    assert reason(proved({"start/index.html": page()}, (1,))) == "the untouched workspace passes all its checks"


def test_a_reference_of_the_task_before_that_passes(proved: Proved) -> None:
    assert (
        reason(proved({"reference/02/index.html": STATES[2]}, (3,))) == "the reference of the task before passes all its checks"
    )


def test_a_mutant_that_survives(proved: Proved) -> None:
    mutants = MUTANTS.replace('find = "2 fruits", replace = "3 fruits"', 'find = "2 fruits", replace = " 2 fruits"')
    assert reason(proved({"mutants.toml": mutants.encode()}, (3,))) == "mutant 'wrong-count' passes every check"


def test_a_check_that_no_mutant_fails(proved: Proved) -> None:
    mutants = MUTANTS.replace("<h2>Fruit</h2>", "Apple</li>").replace("<p>Fruit</p>", "Plum</li>")
    assert reason(proved({"mutants.toml": mutants.encode()}, (2,))) == "no mutant fails the check 'The list has a heading'"


def test_a_mutant_that_only_breaks_an_earlier_task_does_not_survive(proved: Proved) -> None:
    edit = '{ file = "index.html", find = "Shop", replace = "Stop" }'
    more = f'[[mutant]]\ntask = 3\nname = "renamed"\nfault = "f"\nedits = [{edit}]\n'
    assert proved({"mutants.toml": (MUTANTS + more).encode()}, (3,))[0].valid


def test_fewer_than_two_mutants(proved: Proved) -> None:
    one = MUTANTS[: MUTANTS.rindex("[[mutant]]")]
    assert reason(proved({"mutants.toml": one.encode()}, (3,))) == "it has 1 mutants, needs at least two"


def test_a_task_without_checks(proved: Proved) -> None:
    without = CHECKS[: CHECKS.index("@check(3")]
    assert reason(proved({"checks.py": without.encode()}, (3,))) == "it has no checks"


def with_edit(find: str) -> dict[str, bytes]:
    """The file of mutants with another text to be replaced by the first of task 3."""
    return {"mutants.toml": MUTANTS.replace('find = "2 fruits"', f'find = "{find}"').encode()}


def test_an_edit_that_does_not_fit_names_the_mutant_and_spoils_no_other_task(proved: Proved) -> None:
    first, third = proved(with_edit("2 fruit!"), (1, 3))
    assert first.valid
    assert third.reason and "mutant 03 'wrong-count': the text to replace stands 0 times in index.html" in third.reason


@pytest.mark.parametrize(("find", "times"), [("2 fruit!", 0), ("fruit", 1), ("li>", 4)])
def test_a_text_to_replace_stands_there_once(find: str, times: int, tmp_path: Path) -> None:
    project = tiny(tmp_path / "tiny", with_edit(find))
    (mutant,) = [item for item in project.mutants if item.name == "wrong-count"]
    if times == 1:
        assert b"3 fruits" in project.mutate(mutant)["index.html"]
        return
    with pytest.raises(ValueError, match=f"mutant 03 'wrong-count': the text to replace stands {times} times in index.html"):
        project.mutate(mutant)


def test_an_edit_of_a_file_that_is_not_there_does_not_fit(proved: Proved) -> None:
    mutants = MUTANTS.replace('file = "index.html", find = "2', 'file = "other.html", find = "2')
    assert "stands 0 times in other.html" in reason(proved({"mutants.toml": mutants.encode()}, (3,)))


# the whole command, in processes of its own

SOUND = MANIFEST.replace('"easy"', '"challenging"') + "changes_earlier = true\n"


def test_tasks_are_proved_in_processes_and_what_is_wrong_with_a_project_is_named_beside_them(tmp_path: Path) -> None:
    tiny(tmp_path / "sound", {"project.toml": SOUND.encode()})
    tiny(tmp_path / "torn", {"project.toml": SOUND.encode(), "mutants.toml": b"[[mutant]]\ntask = 'one'\n"})
    names = [str(tmp_path / name) for name in ("sound", "torn")]
    first, *proofs = prove(names, changed=False, write=True, jobs=2)
    assert first.id == names[1] and "mutants.toml: mutant.0.task" in str(first.reason)
    # What takes longest comes first.
    assert [proof.id for proof in sorted(proofs, key=lambda proof: proof.id)] == ["sound/01", "sound/02", "sound/03"]
    assert all(proof.valid for proof in proofs)
    assert sorted(committed(Project(tmp_path / "sound"))) == ["sound/01", "sound/02", "sound/03"]


STRAY = MUTANTS.replace("task = 3", "task = 4")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, None),
        ({"project.toml": MANIFEST.encode()}, "it has fewer than three challenging tasks"),
        ({"project.toml": MANIFEST.replace('"easy"', '"challenging"').encode()}, "no task changes earlier behaviour"),
        ({"mutants.toml": STRAY.encode()}, "it has checks or mutants for task 4, which does not exist"),
    ],
)
def test_what_a_project_must_have_as_a_whole(changes: dict[str, bytes], problem: str | None, tmp_path: Path) -> None:
    found = validate._shape(tiny(tmp_path / "tiny", {"project.toml": SOUND.encode(), **changes}))
    assert found is None if problem is None else str(found).startswith(problem)


def test_a_proof_holds_until_something_it_rests_on_changes(tmp_path: Path) -> None:
    project = tiny(tmp_path / "tiny")
    proofs = [Proof(project.task_id(task), task != 2) for task in (1, 2, 3)]
    commit(project, proofs)
    known = committed(project)
    assert sorted(known) == ["tiny/01", "tiny/03"]
    assert known == json.loads((project.folder / "validated.json").read_text())
    for name, data in {
        "checks.py": CHECKS.replace("2 fruits", "two fruits").encode(),
        "second/index.html": b"other",
        "reference/01/index.html": b"other",
        "start/index.html": b"other",
        "mutants.toml": MUTANTS.replace("No name", "Nameless").encode(),
        "project.toml": MANIFEST.replace("Call the", "Name the").encode(),
    }.items():
        changed = tiny(tmp_path / "tiny", {name: data})
        assert changed.validation_hash(1) != known["tiny/01"], name
    assert Project(tiny(tmp_path / "tiny").folder).validation_hash(1) == known["tiny/01"]


def test_a_committed_proof_is_not_run_again_under_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tiny(tmp_path / "tiny", {"project.toml": SOUND.encode()})
    commit(project, [Proof(project.task_id(task), True) for task in (1, 2, 3)])
    monkeypatch.setenv("ASSAY_BROWSER", "/bin/false")
    proofs = list(prove([str(project.folder)], changed=True, write=False, jobs=1))
    assert [proof.valid for proof in proofs] == [True, True, True]


def test_an_interrupted_validation_ends_with_130_and_leaves_nothing(tmp_path: Path) -> None:
    """Sent to the command alone, as from a script, and to all of its processes, as from a terminal."""
    for everyone in (False, True):
        temporary = tmp_path / str(everyone)
        temporary.mkdir()
        command = [sys.executable, "-c", "from benchmark.cli.main import main; main()", "validate", "--project", "guest-book"]
        with subprocess.Popen(
            [*command, "--jobs", "2"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(temporary)},
            cwd=Path(__file__).parents[3],
            start_new_session=True,
        ) as run:
            # Both of its processes serve a site and look at it.
            while len(list(temporary.glob("assay-site-*/browser/playwright_chromiumdev_profile-*"))) < 2:
                assert run.poll() is None
                time.sleep(0.05)
            started = started_by(run.pid)
            (os.killpg if everyone else os.kill)(run.pid, signal.SIGINT)
            said = run.communicate(timeout=60)[1].decode()
        assert (run.returncode, "Traceback" in said) == (130, False), said
        assert started and all_end(started)
        assert [str(path) for path in temporary.rglob("*")] == []
