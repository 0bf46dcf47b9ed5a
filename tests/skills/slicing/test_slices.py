"""Slices are the file, whatever it holds; what says what a part is, and in which order; the corpus."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills.parsing.blocks import lines_of
from skills.parsing.parse import as_skill
from skills.slicing.kinds import KINDS, Held
from skills.slicing.labels import label
from skills.slicing.slices import REMOVABLE, Slice, document, slice_skill

CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus" / "skills"
HEAD = "---\nname: demo\ndescription: About pages.\n---\n"

#: Pieces of Markdown, whole and broken, of which a random document is made.
PIECES = [
    "# Title", "## Avoid", "### ✅ Do", "##### Don’t", "Avoid\n---", "Title\n===", "words", "Never do this.",
    "Use A; avoid B.", "❌ bad\n✅ good", "- item", "- Never", "  - child", "* other", "1. one", "10) ten", "- [ ] No keys",
    "- ```\n  # Avoid\n  ```", "-", "> quote", "> - Never", "> ## Avoid", "> [!WARNING]", ">", "> > ```", "```",
    "```python\n# Avoid\n```", "````md\n```\n````", "~~~", "~~~ text", "```\na → b\n└─ c → d\n```", "    code",
    "\tcode", "| Do | Don't |\n|---|---|\n| a | b |", "| a |\n|---|", "| row |", "|---|",
    "| Excuse | Reality |\n|:--|--:|\n| \"a\" | b |", "<Good>", "</Good>", "<Bad>", "</Bad>", "<example>", "<div>\n<p>",
    "<!-- Never -->", "<!--", "-->", "<a href='x'>", "---", "***", "**Common mistakes**", "**Bad:** a", "Avoid:",
    "Example:", "Steps:", "[a]: b", "[a](b.md)", "See `a.md`", "$ARGUMENTS", "!`git status`", "不要", "## 避けるべきこと",
    "## 금지", "\u200bNE\u200bVER", "\x00", "\ufeff", "\ufffd", "a\\", "  ",
]  # fmt: skip
ENDS = ["\n", "\n", "\n\n", "\r\n", "\r\n\r\n", "\r", "\n   \n"]
HEADS = ["", HEAD, HEAD.replace("\n", "\r\n"), "\ufeff" + HEAD, "---\nname: demo\n", "---\n---\n", "\n" + HEAD]


def slices_of(data: bytes) -> tuple[Slice, ...]:
    return slice_skill(as_skill("demo", {"SKILL.md": data}))


def kinds(text: str) -> list[str]:
    """The kind of each line of a body."""
    return [one.kind for one in slices_of((HEAD + text).encode()) for _ in range(one.first, one.last + 1)][4:]


def check(data: bytes) -> None:
    """All that holds of the slices of any file."""
    slices = slices_of(data)
    assert b"".join(one.data for one in slices) == data
    assert [one.first for one in slices] == [1, *(one.last + 1 for one in slices)][: len(slices)]
    assert sum(one.last - one.first + 1 for one in slices) == len(lines_of(data))
    assert all(len(lines_of(one.data)) == one.last - one.first + 1 for one in slices)
    assert all(one.kind in KINDS for one in slices)
    assert all(one.kind != other.kind for one, other in pairwise(slices))
    assert slices_of(data) == slices


@st.composite
def markdown(draw: st.DrawFn) -> bytes:
    text = draw(st.sampled_from(HEADS))
    for piece in draw(st.lists(st.sampled_from(PIECES), max_size=14)):
        before = draw(st.sampled_from(["", "", "", "  ", "    ", "> ", "- ", "1. "]))
        text += (
            before
            + piece.replace("\n", draw(st.sampled_from(["\n", "\n" + " " * len(before), "\r\n"])))
            + draw(st.sampled_from(ENDS))
        )
    return (text.rstrip("\r\n ") if draw(st.booleans()) else text).encode()


@given(st.binary(max_size=300))
def test_slices_of_any_bytes_are_the_file(data: bytes):
    check(data)
    check(HEAD.encode() + data)


@given(st.text("#-*+>`~|<>/[]()!:.;, \t\n\r\x00\ufeff\u2028\x0bab1é❌✅不", max_size=120))
def test_slices_of_any_marks_are_the_file(text: str):
    check(HEAD.encode() + text.encode())


@given(markdown())
def test_slices_of_any_markdown_are_the_file(data: bytes):
    check(data)


@given(markdown())
def test_lines_of_blocks_follow_one_another_and_have_the_blocks_kind(data: bytes):
    read = document(as_skill("demo", {"SKILL.md": data}))
    lines = [line for block in read.blocks for line in range(block.first, block.end)]
    assert lines == sorted(set(lines)) and all(0 <= line < len(read.lines) - read.head for line in lines)
    for block, kind in zip(read.blocks, read.block_kinds, strict=True):
        assert {read.kinds[read.head + line] for line in range(block.first, block.end)} == {kind}


@given(markdown())
def test_a_run_of_blocks_has_a_kind_where_all_have_it(data: bytes):
    read = document(as_skill("demo", {"SKILL.md": data}))
    found, _ = label(read.blocks, read.tags)
    held = Held(read.blocks, found)
    for place in reversed(range(len(found))):
        held.settle(place)
    solid = [kind if block.form != "break" else None for block, kind in zip(read.blocks, found, strict=True)]
    for first in range(len(found) + 1):
        for end in range(first, len(found) + 1):
            inside = set(solid[first:end]) - {None}
            assert held.kind(first, end) == (inside.pop() if len(inside) == 1 else None)


def test_the_corpus():
    if not CORPUS.is_dir():
        pytest.skip("the corpus is not here")
    paths = sorted(CORPUS.rglob("SKILL.md"))
    for path in paths:
        check(path.read_bytes())
    assert len(paths) == 288


def test_a_slice_has_its_bytes_and_lines():
    data = (HEAD + "# Demo\n\nAbout pages.\n\n## Avoid\n\n- Grids\n\n## Do\n\n- Columns\n").encode()
    found = slices_of(data)
    assert [(one.kind, one.first, one.last) for one in found] == [("header", 1, 8), ("anti-patterns", 9, 12), ("rules", 13, 15)]
    assert found[1].data == b"## Avoid\n\n- Grids\n\n"


def test_what_may_be_cut_out_are_rules_anti_patterns_and_examples():
    assert REMOVABLE == ("rules", "anti-patterns", "examples")
    assert KINDS == ("header", "rules", "anti-patterns", "examples", "mixed", "neutral", "meta")


def test_a_document_has_the_lines_of_its_frontmatter_and_counts_blocks_from_there():
    read = document(as_skill("demo", {"SKILL.md": (HEAD + "\n# Demo\n\n<Bad>\n\nGrids\n\n</Bad>\n").encode()}))
    assert (read.head, len(read.lines)) == (4, 12)
    assert [(block.first, block.end) for block in read.blocks] == [(1, 2), (5, 6)]
    assert [tag.line for tag in read.tags] == [3, 7] and read.kinds[7:] == ["examples"] * 5


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("## Avoid\n\n- ✅ Columns\n", "rules"),
        ("## Do\n\n- Never grids\n", "anti-patterns"),
        ("## Do\n\n<anti-patterns>\n\n- Grids\n", "anti-patterns"),
        ("## Avoid\n\n<example>\n\n- Grids\n", "examples"),
        ("## Do\n\nAvoid:\n\n- Grids\n", "anti-patterns"),
        ("## Do\n\n**Common mistakes**\n\n- Grids\n", "anti-patterns"),
        ("<example>\n\nAvoid:\n\n- Grids\n", "examples"),
        ("## Do\n\n| Mistake | Why |\n|---|---|\n| Grids | They are rigid |\n", "anti-patterns"),
        ("## Avoid\n\n| Do | Don't |\n|---|---|\n| Columns | Grids |\n", "mixed"),
        ("## Avoid\n\n| Layout | Why |\n|---|---|\n| Grids | They are rigid |\n", "anti-patterns"),
        ("## Avoid\n\n### Layout\n\n- Grids\n", "anti-patterns"),
        ("## Avoid\n\n### Do\n\n- Columns\n", "rules"),
        ("## Avoid\n\n## Layout\n\n- Columns\n", "rules"),
        ("- Columns\n", "rules"),
    ],
    ids=[
        "a mark before the heading",
        "the item's words before the heading",
        "a wrapper tag before the heading",
        "a wrapper tag of examples before the heading",
        "a lead-in before the heading",
        "a bold lead-in before the heading",
        "a wrapper tag before a lead-in",
        "a table's column before the heading",
        "columns of both signs before the heading",
        "a heading where the table says nothing",
        "an outer heading where the inner one says nothing",
        "the nearest heading",
        "no heading of the same level before it",
        "else a rule",
    ],
)
def test_what_says_what_a_part_is(text: str, kind: str):
    assert kinds(text)[-1] == kind
