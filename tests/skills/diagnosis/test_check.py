import json
from pathlib import Path

import pytest

from benchmark.core.errors import UsageError
from skills.diagnosis.check import Checked, as_rows, check_lines, check_paths, failed, github_lines
from skills.diagnosis.claims import LOADS, clients, consequences, version
from skills.parsing.rules import Diagnostic

GOOD = b"---\nname: good\ndescription: What it does.\n---\nRules.\n"
BAD = b"---\nname: bad\ndescription: Use when: asked.\nversion: 1\n---\nRules.\n"
NOTHING = b"Rules.\n"


@pytest.fixture
def root(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, data in (("good", GOOD), ("bad", BAD), ("deep/nothing", NOTHING)):
        (tmp_path / "skills" / name).mkdir(parents=True)
        (tmp_path / "skills" / name / "SKILL.md").write_bytes(data)
    return Path("skills")


def test_a_linter_s_lines(root):
    lines = list(check_lines(check_paths([root])))
    bad, nothing = (
        "; ".join(f"{client} {does}" for client, does in consequences(rule).items() if does != LOADS)
        for rule in ("yaml-colon", "no-frontmatter")
    )
    assert lines == [
        f"skills/bad/SKILL.md:3: error[yaml] has a colon and a space in an unquoted value; put the value in quotes ({bad})",
        "skills/deep/nothing/SKILL.md:1: error[no-frontmatter] has no frontmatter: its first line is Rules. and not ---; "
        f"put name and description between two lines --- at the top ({nothing})",
        "3 skills: 2 errors, 0 warnings, 0 notes",
        "what clients do was asked of " + ", ".join(f"{client} {version(client)}" for client in clients()),
    ]


def test_nothing_to_tell(root):
    checked = check_paths([root / "good"])
    assert list(check_lines(checked)) == ["1 skill: 0 errors, 0 warnings, 0 notes"]
    assert list(github_lines(checked)) == [] and not failed(checked)


def test_a_path_may_be_a_file_a_skill_or_a_folder_and_each_skill_is_told_once(root):
    good = Path("skills/good/SKILL.md")
    assert [one.path for one in check_paths([good, root / "good"])] == [good]
    assert [one.path for one in check_paths([root / "good", root])] == [
        good,
        Path("skills/bad/SKILL.md"),
        Path("skills/deep/nothing/SKILL.md"),
    ]


def test_a_path_within_the_skill_itself(root, monkeypatch):
    monkeypatch.chdir(root / "bad")
    assert next(check_lines(check_paths([Path()]))).startswith("SKILL.md:3: error[yaml] ")


def test_other_cases_of_the_file_are_found(root):
    (root / "good/SKILL.md").rename(root / "good/Skill.md")
    (one,) = check_paths([root / "good"])
    assert one.path == Path("skills/good/Skill.md") and [item.code for item in one.diagnostics] == ["file-case"]
    assert len(check_paths([root])) == 3 and failed([one])


@pytest.mark.parametrize(("path", "words"), [("gone", "no such folder"), ("skills/empty", "no SKILL.md was found")])
def test_paths_without_skills_are_refused(root, path, words):
    (root / "empty").mkdir()
    with pytest.raises(UsageError, match=words):
        check_paths([Path(path)])


def test_a_skill_that_cannot_be_mounted_does_not_end_the_check(root):
    (root / "my skill").mkdir()
    (root / "my skill/SKILL.md").write_bytes(GOOD)
    checked = check_paths([root])
    (one,) = [one for one in checked if one.skill is None]
    assert one.diagnostics[0].code == "unusable" and one.diagnostics[0].message.endswith("rename it") and not one.loads
    assert len(checked) == 4 and as_rows([one])[0]["bytes"] is None


def test_commands_for_github_are_escaped():
    item = Diagnostic("a:b", "note", 7, "50 %\r\nof \x1b[31mit\u202e: a, b")
    other = Diagnostic("eol", "warning", None, "all")
    assert list(github_lines([Checked(Path("a,b/100%/c:d/SKILL.md"), None, (item, other))])) == [
        "::notice file=a%2Cb/100%25/c%3Ad/SKILL.md,line=7,title=a%3Ab::50 %25\\r%0Aof \\x1b[31mit\\u202e: a, b",
        "::warning file=a%2Cb/100%25/c%3Ad/SKILL.md,title=eol::all",
    ]


def test_github_is_told_errors_with_their_lines(root):
    assert next(github_lines(check_paths([root]))).startswith("::error file=skills/bad/SKILL.md,line=3,title=yaml::has a colon")


def test_rows_are_json_and_say_what_each_client_does(root):
    rows = json.loads(json.dumps(as_rows(check_paths([root]))))
    assert [(row["skill"], row["loads"], len(row["diagnostics"])) for row in rows] == [
        ("bad", True, 1),
        ("nothing", True, 1),
        ("good", True, 0),
    ]
    assert rows[0]["clients"] == rows[0]["diagnostics"][0]["clients"] == consequences("yaml-colon")
    assert rows[0]["diagnostics"][0]["line"] == 3 and rows[2]["bytes"] == len(GOOD)
