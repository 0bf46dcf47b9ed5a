"""What people say of a skill's parts goes before the slicer, for exactly the file that they read."""

from pathlib import Path

import pytest

from benchmark.core.errors import UsageError
from skills.parsing.parse import Skill, load_skill
from skills.slicing.slices import slice_skill

TEXT = b"""---
name: knots
description: Ties knots.
---

# Knots

- Tie a bowline.
- The granny knot is an old acquaintance.

Wet rope
holds better.
"""


def put(folder: Path, lines: list[str], sha256: str | None = None) -> Skill:
    (folder / "knots").mkdir()
    (folder / "knots" / "SKILL.md").write_bytes(TEXT)
    skill = load_skill(folder / "knots")
    rows = ", ".join(f"{row!r}" for row in lines)
    table = f"[knots]\nsha256 = '{sha256 or skill.ref.sha256}'\nlines = [{rows}]\n"
    (folder / "slices.toml").write_text(table, encoding="utf-8")
    return skill


def kinds(skill: Skill) -> list[tuple[str, int, int]]:
    return [(one.kind, one.first, one.last) for one in slice_skill(skill)]


def test_a_line_is_what_people_say_it_is(tmp_path: Path):
    skill = put(tmp_path, ["9 anti-patterns", "11-12 neutral"])
    assert kinds(skill) == [("header", 1, 7), ("rules", 8, 8), ("anti-patterns", 9, 10), ("neutral", 11, 12)]
    assert b"".join(one.data for one in slice_skill(skill)) == TEXT


def test_without_a_file_or_a_table_the_slicer_decides(tmp_path: Path):
    skill = put(tmp_path, ["9 anti-patterns"])
    (tmp_path / "slices.toml").write_text("", encoding="utf-8")
    assert kinds(skill) == [("header", 1, 7), ("rules", 8, 12)]


@pytest.mark.parametrize(
    ("lines", "sha256", "said"),
    [
        (["9 anti-patterns"], "0" * 64, "were read in another SKILL.md"),
        (["11 neutral"], None, "names no whole blocks of lines; the blocks there are 11-12"),
        (["40 neutral"], None, "the blocks there are none"),
        (["nine neutral"], None, "write it like '10-14 anti-patterns'"),
        (["9 bad"], None, "bad"),
        (["9 header"], None, "header"),
        (["9 anti-patterns"], "short", "a table needs `sha256` and `lines`"),
    ],
)
def test_what_cannot_hold_is_one_line(tmp_path: Path, lines: list[str], sha256: str | None, said: str):
    skill = put(tmp_path, lines, sha256)
    with pytest.raises(UsageError, match=said) as caught:
        slice_skill(skill)
    assert "slices.toml" in str(caught.value) and "\n" not in str(caught.value)
