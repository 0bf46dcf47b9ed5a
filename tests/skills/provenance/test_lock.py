import tomllib
from pathlib import Path

import pytest

from benchmark.core.errors import UsageError
from benchmark.core.files import sha256, tree_hash
from skills.parsing.parse import as_skill, load_skill
from skills.provenance.licences import licence_of
from skills.provenance.listing import list_lines, list_rows
from skills.provenance.lock import LOCK, Locked, check_lock, load_lock, renew, row_of, write_lock
from skills.routing.tiers import COLLECTION
from tests.factory import skill, write_skill

ROOT = Path(__file__).parents[3]
COMMIT = "103124b029b96a5042280844f475115628099805"


def put(folder: Path, skill_id: str, size: int = 400, source: str | None = None, files: dict[str, bytes] | None = None) -> Path:
    """A skill of the collection in `folder`, with a row where it has a `source`."""
    made = skill(skill_id, size, files)
    path = write_skill(folder, made)
    if source:
        commit = None if source == "own" else COMMIT
        write_lock(folder, {**load_lock(folder), skill_id: row_of(made, source, commit, skill_id, "MIT")})
    return path


def test_the_lock_of_the_collection_is_true():
    rows = load_lock(COLLECTION)
    assert check_lock(COLLECTION) == [] and len(rows) == 20
    licence = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["license"]
    assert {(row.source, row.commit, row.licence) for row in rows.values()} == {("own", None, licence)}
    data = (COLLECTION / "css-layout" / "SKILL.md").read_bytes()
    assert (rows["css-layout"].sha256, rows["css-layout"].bytes) == (sha256(data), len(data))


def test_a_row_is_the_hashes_and_counts_of_a_skill(tmp_path):
    put(tmp_path, "mine", source="https://example.org/skills.git", files={"references/a.md": b"a"})
    row = load_lock(tmp_path)["mine"]
    data = (tmp_path / "mine" / "SKILL.md").read_bytes()
    assert row == Locked(
        source="https://example.org/skills.git",
        commit=COMMIT,
        path="mine",
        licence="MIT",
        sha256=sha256(data),
        tree=tree_hash({"SKILL.md": data, "references/a.md": b"a"}),
        bytes=400,
        files=2,
    )
    assert check_lock(tmp_path) == []


def test_rows_are_written_in_order_and_any_name_and_text_is_read_back(tmp_path):
    row = row_of(skill(), 'a "b" \\ é\x7f', None, "x\ty", "MIT")
    rows = {"b.c": row, "a": row, 'd"e': row}
    write_lock(tmp_path, rows)
    assert load_lock(tmp_path) == rows
    assert [line for line in (tmp_path / LOCK).read_text().splitlines() if line.startswith("[")] == [
        "[a]",
        '["b.c"]',
        '["d\\"e"]',
    ]


def test_a_folder_without_a_lock_has_no_rows(tmp_path):
    assert load_lock(tmp_path) == {}


@pytest.mark.parametrize("text", ["[a", "[a]\nsource = 'own'\n", "a = 1\n", b"\xff"])
def test_a_faulty_lock_is_refused_in_one_line(tmp_path, text):
    (tmp_path / LOCK).write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(UsageError, match="take it from the history") as caught:
        load_lock(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_changed_skill_of_ours_is_told_with_both_hashes_and_renewed(tmp_path):
    path = put(tmp_path, "mine", source="own") / "SKILL.md"
    old = sha256(path.read_bytes())
    path.write_bytes(path.read_bytes() + b"more\n")
    new = sha256(path.read_bytes())
    assert check_lock(tmp_path) == [
        f"mine: SKILL.md has changed from {old[:12]} (400 bytes) to {new[:12]} (405 bytes); "
        "if that is meant, run assay skills lock"
    ]
    assert renew(tmp_path) == [f"mine: renewed, SKILL.md {old[:12]} → {new[:12]}"]
    assert check_lock(tmp_path) == [] and load_lock(tmp_path)["mine"].licence == "MIT"
    assert renew(tmp_path) == []


def test_a_changed_skill_from_elsewhere_is_an_error_that_renewing_does_not_remove(tmp_path):
    folder = put(tmp_path, "theirs", source="https://example.org/skills.git", files={"references/a.md": b"a"})
    (folder / "references" / "a.md").write_bytes(b"b")
    (problem,) = check_lock(tmp_path)
    assert problem.startswith("theirs: its other files have changed: from ")
    assert problem.endswith(
        "and is no longer what https://example.org/skills.git at 103124b029b9 has; put it back, or take it out and add it again"
    )
    assert renew(tmp_path) == [] and check_lock(tmp_path) == [problem]


def test_a_skill_without_a_row_and_a_row_without_a_skill_are_told(tmp_path):
    put(tmp_path, "gone", source="own")
    put(tmp_path, "new")
    (tmp_path / "gone" / "SKILL.md").unlink()
    assert check_lock(tmp_path) == [
        "gone: has a row in collection.lock and no folder; put the skill back, or take the row out with assay skills lock",
        "new: has no row in collection.lock; if it is ours, run assay skills lock; "
        "if it is from elsewhere, take it out and add it with assay skills add SOURCE",
    ]
    assert renew(tmp_path) == [
        "gone: taken out, for there is no such skill any more",
        "new: put in as our own, licence unknown",
    ]
    assert check_lock(tmp_path) == []


def test_two_skills_of_one_name_are_told(tmp_path):
    put(tmp_path, "mine", source="own")
    put(tmp_path / "deep", "mine")
    assert any("are all called so; rename all but one" in problem for problem in check_lock(tmp_path))


def test_a_new_skill_is_under_the_licence_of_the_project_around_it(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "LICENSE").write_text("MIT License\n\nCopyright (c) 2026 Somebody\n")
    put(tmp_path / "skills", "mine")
    assert renew(tmp_path / "skills") == ["mine: put in as our own, licence MIT"]


def stated(value: str, files: dict[str, bytes] | None = None, around: list[dict[str, bytes]] | None = None) -> str:
    head = f"---\nname: mine\ndescription: d\n{f'license: {value}' if value else ''}\n---\nBody.\n"
    return licence_of(as_skill("mine", {"SKILL.md": head.encode(), **(files or {})}), around or []).id


@pytest.mark.parametrize(
    "text, name",
    [
        ("MIT", "MIT"),
        ("MIT-0", "MIT-0"),
        ("Apache 2.0", "Apache-2.0"),
        ("Apache License, Version 2.0", "Apache-2.0"),
        ("CC-BY-NC-4.0", "CC-BY-NC-4.0"),
        ("MIT OR Apache-2.0", "MIT OR Apache-2.0"),
        ("Proprietary. LICENSE.txt has complete terms", "proprietary"),
        ("UNLICENSED", "proprietary"),
        ("The usual", "unknown"),
        ("", "unknown"),
    ],
)
def test_the_licence_that_a_frontmatter_states(text, name):
    assert stated(text) == name


@pytest.mark.parametrize(
    "text, name",
    [
        (
            "                                 Apache License\n                           Version 2.0, January 2004\n",
            "Apache-2.0",
        ),
        ("# The MIT License (MIT)\n", "MIT"),
        ("BSD 3-Clause License\n\nCopyright (c) 2026, A. All rights reserved.\n", "BSD-3-Clause"),
        ("BSD 2-Clause License\n", "BSD-2-Clause"),
        ("Mozilla Public License Version 2.0\n", "MPL-2.0"),
        ("GNU GENERAL PUBLIC LICENSE\n   Version 3, 29 June 2007\n", "GPL-3.0"),
        ("GNU LESSER GENERAL PUBLIC LICENSE\n   Version 2.1, February 1999\n", "LGPL-2.1"),
        ("Attribution 4.0 International\n", "CC-BY-4.0"),
        ("Attribution-NonCommercial-ShareAlike 4.0 International\n", "CC-BY-NC-SA-4.0"),
        ("© 2026 A company. All rights reserved.\n", "proprietary"),
        ("Do as you like.\n", "unknown"),
    ],
)
def test_the_licence_that_a_file_is_by_its_title(text, name):
    assert stated("", {"LICENSE.txt": text.encode()}) == name
    assert stated("", {}, [{}, {"LICENSE": text.encode()}]) == name
    assert stated("", {"docs/LICENSE.txt": text.encode(), "license.py": text.encode()}) == "unknown"


def test_what_is_nearest_to_the_skill_says_its_licence_and_closed_is_closed():
    mit, closed = b"MIT License\n", b"All rights reserved.\n"
    assert stated("Complete terms in LICENSE.txt", {"LICENSE.txt": b"Apache License Version 2.0"}) == "Apache-2.0"
    assert stated("Apache-2.0", {"LICENSE": mit}) == "Apache-2.0"
    assert stated("MIT", {"LICENSE": closed}) == "proprietary"
    assert stated("MIT", {}, [{"LICENSE": closed}]) == "MIT"
    assert stated("", {}, [{"pyproject.toml": b'[project]\nlicense = "Apache-2.0"\n'}]) == "Apache-2.0"
    assert stated("", {}, [{"pyproject.toml": b"[project"}]) == "unknown"


def text_of(words: str) -> str:
    return "".join(f"{words} {at} " for at in range(80))


def test_the_list_shows_size_source_tiers_near_duplicates_and_what_is_wrong(tmp_path):
    put(tmp_path, "mine", 1400, source="own", files={"references/a.md": b"a"})
    put(tmp_path, "theirs", 420, source="https://example.org/skills.git")
    for name, words in (("one", "The red fox"), ("two", "The red fox"), ("other", "A blue whale")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: d\n---\n{text_of(words)}{name}\n")
    (tmp_path / "tiers.toml").write_text('[mine]\nwhy = "w."\ncore = ["bakery-page"]\n[theirs]\nwhy = "w."\ncore = []\n')
    rows = {row.id: row for row in list_rows(tmp_path)}
    assert list(rows) == ["mine", "one", "other", "theirs", "two"]
    assert (rows["mine"].bytes, rows["mine"].files, rows["mine"].core) == (1400, 2, ("bakery-page",))
    assert rows["one"].core is None and rows["one"].locked is None
    assert [near.id for near in rows["one"].near] == ["two"] and rows["one"].near[0].share > 0.9
    assert rows["other"].near == ()
    lines = list(list_lines(tmp_path))
    assert lines[0].split() == ["skill", "bytes", "files", "source", "licence", "core", "for"]
    assert lines[1].split() == ["mine", "1,400", "2", "own", "MIT", "1", "project"]
    assert lines[4].split() == ["theirs", "420", "1", "https://example.org/skills.git@103124b029b9", "MIT", "0", "projects"]
    assert lines[2].endswith("not judged")
    assert any(line.startswith("one: near duplicate of two, ") for line in lines)
    assert sum(line.startswith("lock: ") for line in lines) == 3


def test_skills_of_the_collection_are_no_near_duplicates_of_each_other():
    rows = list_rows(COLLECTION)
    assert [row.id for row in rows if row.near] == []
    assert {len(row.core) for row in rows if row.core is not None} >= {0, 1, 8}


def test_the_list_of_a_folder_without_skills_says_so(tmp_path):
    with pytest.raises(UsageError, match="no skills below"):
        list(list_lines(tmp_path))


def test_a_collection_that_is_not_there_is_told(tmp_path):
    with pytest.raises(UsageError, match="give the folder of a collection"):
        check_lock(tmp_path / "none")
    assert load_skill(COLLECTION / "css-layout").id == "css-layout"
