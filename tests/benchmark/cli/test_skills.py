"""`assay skills …` as a person types it: what is printed, as JSON too, and with which exit code."""

import json
import shutil
from pathlib import Path

import pytest

from tests import commands
from tests.commands import ROOT, Done

COLLECTION = ROOT / "skills" / "collection"
GOOD = "---\nname: mine\ndescription: Ties knots. Use for ropes.\n---\n# Mine\n\n- Tie a bowline.\n"


def assay(*words: object) -> Done:
    """`assay skills WORDS`."""
    return commands.assay("skills", *words)


def put(folder: Path, text: str = GOOD, name: str = "mine") -> Path:
    (folder / name).mkdir(parents=True)
    (folder / name / "SKILL.md").write_text(text, encoding="utf-8")
    return folder / name


def collection(folder: Path) -> Path:
    """A collection of two of our skills, with their rows of the lock."""
    for name in ("css-layout", "bash-scripting"):
        shutil.copytree(COLLECTION / name, folder / name)
    assert assay("lock", "--into", folder).returncode == 0
    return folder


def test_check_is_a_linter(tmp_path: Path):
    good, bad = put(tmp_path / "a"), put(tmp_path / "b", GOOD.replace("name: mine", "name: mine\nname: other"))
    done = assay("check", good)
    assert (done.returncode, done.stdout) == (0, "1 skill: 0 errors, 0 warnings, 0 notes\n")
    done = assay("check", good, bad)
    assert done.returncode == 1
    assert f"{bad}/SKILL.md:3: error[dup-key]" in done.stdout and "2 skills: 1 error" in done.stdout
    rows = json.loads(assay("check", bad, "--json").stdout)["skills"]
    assert [(one["code"], one["line"]) for one in rows[0]["diagnostics"] if one["severity"] == "error"] == [("dup-key", 3)]
    github = assay("check", bad, "--format", "github")
    assert github.returncode == 1 and github.stdout.startswith(f"::error file={bad}/SKILL.md,line=3,title=dup-key::")


def test_slices_show_the_file_and_what_is_removed():
    done = assay("slices", "accessible-web-pages", "--lines")
    assert done.returncode == 0
    assert "R rules           2,723 bytes   68.1%; C3 removes 2,723 bytes" in done.stdout
    assert "66-75    anti-patterns ## Never" in done.stdout
    (row,) = json.loads(assay("slices", "accessible-web-pages", "--json").stdout)["skills"]
    assert sum(row["bytes"].values()) == 3998 and sum(one["bytes"] for one in row["slices"]) == 3998
    small = json.loads(assay("slices", "bash-scripting", "--json").stdout)["skills"][0]["removed"]
    assert all(isinstance(cut, int) or "bytes" in cut for cut in small.values())


def test_slices_say_where_a_code_block_never_ends(tmp_path: Path):
    text = GOOD + "\n```html\n<div>\n\n- Never use inline styles.\n"
    done = assay("slices", put(tmp_path, text))
    assert "warning: line 9 opens a code block that is never closed: all after it is code; close it with ```" in done.stdout
    assert "code block" not in assay("slices", put(tmp_path / "closed", text + "```\n")).stdout


def test_check_tells_who_keeps_a_skill_from_the_model_and_advises_nothing_against_it(tmp_path: Path):
    hidden = GOOD.replace("---\n# M", "disable-model-invocation: true\n---\n# M")
    done = assay("check", put(tmp_path, hidden))
    assert done.returncode == 0 and "mine/SKILL.md:4: warning[hidden] has disable-model-invocation: true" in done.stdout
    assert "claude-code does not list it" in done.stdout and "codex" not in done.stdout.splitlines()[0]
    assert "metadata" not in done.stdout and "what clients do was asked of skills-ref" in done.stdout


def test_check_shows_no_control_characters(tmp_path: Path):
    done = assay("check", put(tmp_path, name="ev\x1b[31mil"))
    assert done.returncode == 1 and "\x1b" not in done.stdout and "<U+001B ESCAPE>" in done.stdout
    assert "a skill's name, its folder's, must be visible" in done.stdout


def test_match_shows_partners_and_the_nearest_miss():
    done = assay("match", "responsive-pages")
    assert (
        "0 of 1 skills (0%) have a partner" in done.stdout and "the nearest is sql-migrations with 3,905 bytes" in done.stdout
    )
    (row,) = json.loads(assay("match", "css-layout", "--delivery", "native", "--json").stdout)["skills"]
    assert row["partners"] == ["technical-interviews"]
    assert assay("match", "--delivery", "post").returncode == 2


def test_profile_counts():
    (row,) = json.loads(assay("profile", "css-layout", "--json").stdout)["skills"]
    assert (row["asset_score"], row["constraint_score"]) == (1, 1)
    assert "css-layout: assets 1/5, constraints 1/5" in assay("profile", "css-layout").stdout


def test_tiers_suggest_and_never_vote(tmp_path: Path):
    done = assay("tiers", "vanilla-dom-state")
    assert "no votes.csv" in done.stdout and "judged by nobody: core? for reading-list (dom)" in done.stdout
    rows = ["skill,project,a,b,adjudicated,note", "x,p,core,core,,", "x,q,skip,skip,,", "x,r,core,skip,,", "x,s,skip,skip,,"]
    (tmp_path / "votes.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    found = json.loads(assay("tiers", "vanilla-dom-state", "--into", tmp_path, "--json").stdout)
    assert found["agreement"]["kappa"] == pytest.approx(0.5)


def test_a_collection_is_added_to_listed_and_kept_true(tmp_path: Path):
    folder, mine = (
        collection(tmp_path / "kept"),
        put(tmp_path / "elsewhere", GOOD.replace("---\n# M", "license: MIT\n---\n# M")),
    )
    done = assay("add", mine, "--into", folder)
    assert done.returncode == 0 and "mine: added" in done.stdout and "licence MIT" in done.stdout
    listed = assay("list", "--into", folder)
    assert listed.returncode == 0 and [line.split()[0] for line in listed.stdout.splitlines()[1:4]] == [
        "bash-scripting",
        "css-layout",
        "mine",
    ]
    (folder / "mine" / "SKILL.md").write_text(GOOD + "- Coil it.\n", encoding="utf-8")
    changed = assay("list", "--into", folder)
    assert changed.returncode == 1 and "mine" in changed.stdout
    assert assay("lock", "--into", folder).returncode == 1, "what comes from elsewhere is not renewed"
    again = assay("add", mine, "--into", folder)
    assert again.returncode == 2 and "Traceback" not in again.stderr


def test_leaks_are_found(tmp_path: Path):
    assert assay("leaks", "css-layout").returncode == 0
    task = (ROOT / "benchmark/webdev/projects/bakery-page/project.toml").read_text(encoding="utf-8")
    sentence = next(line for line in task.splitlines() if len(line.split()) > 14 and '"' not in line and "=" not in line)
    done = assay("leaks", put(tmp_path, GOOD + f"- {sentence}\n"))
    assert done.returncode == 1 and "mine/SKILL.md:8: has words of bakery-page" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["slices", "acessible-web-pages"], "did you mean accessible-web-pages"),
        (["check", "nowhere"], "nowhere"),
        (["add", "nowhere"], "nowhere"),
        (["list", "--into", "nowhere"], "nowhere"),
        (["profile", "README.md"], "SKILL.md"),
        (["match", "--pool", "nowhere"], "nowhere"),
        (["check"], "Missing argument"),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_exit_code_2(words: list[str], said: str):
    done = assay(*words)
    assert done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
