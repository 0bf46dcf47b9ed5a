"""The blocks of a Markdown body: forms, lines, containers, lone tags; in a time that no input squares."""

import gc
import time

import pytest

from skills.parsing.blocks import CELL, Block, blocks_of, decoded, lines_of
from skills.slicing.labels import label


def blocks(text: str) -> list[Block]:
    return blocks_of(lines_of(text.encode()))[0]


def forms(text: str) -> list[tuple[str, int, int]]:
    return [(block.form, block.first, block.end) for block in blocks(text)]


def tags(text: str) -> list[tuple[str, bool, int]]:
    return [(tag.name, tag.closes, tag.line) for tag in blocks_of(lines_of(text.encode()))[1]]


def test_each_form_with_its_lines():
    text = "# Title\n\nwords\nmore\n\nunder\n-----\n\n```py x\ncode\n```\n\n    indented\n\n---\n\n"
    text += "| a | b |\n|---|---|\n| c | d |\n\n<!-- c -->\n"
    assert forms(text) == [
        ("heading", 0, 1),
        ("paragraph", 2, 4),
        ("heading", 5, 7),
        ("fence", 8, 11),
        ("code", 12, 13),
        ("break", 14, 15),
        ("head", 16, 18),
        ("row", 18, 19),
        ("html", 20, 21),
    ]
    found = blocks(text)
    assert [(found[0].level, found[0].text), (found[2].level, found[2].text)] == [(1, "Title"), (2, "under")]
    assert (found[3].info, found[3].text) == ("py x", "code\n")
    assert (found[6].text, found[7].text) == (f"a{CELL}b", f"c{CELL}d")


def test_a_row_of_fewer_cells_has_as_many_as_its_head():
    assert [block.text.split(CELL) for block in blocks("| a | b |\n|---|---|\n| c |\n")] == [["a", "b"], ["c", ""]]


def test_a_fence_that_is_not_closed_reaches_to_the_end():
    assert forms("```\na\n\n## b\n") == [("fence", 0, 4)]


def test_lines_that_begin_with_a_mark_are_blocks_of_their_own():
    assert forms("❌ grids\n✅ columns\n\n**Bad:** a\n**Good:** b\n") == [("paragraph", n, n + 1) for n in (0, 1, 3, 4)]
    assert forms("❌ grids\nas they were\n") == [("paragraph", 0, 2)]


def test_containers_from_the_outside_in():
    inner = blocks("> - a\n>   - b\n")[1]
    assert [one.form for one in inner.within] == ["quote", "list", "item", "list", "item"]
    assert inner.item is inner.within[4] and inner.group is inner.within[1]
    assert blocks("a\n")[0].item is None and blocks("> a\n")[0].group is None
    row = blocks("| a |\n|---|\n| b |\n")[1]
    assert row.group is not None and row.group.form == "table" and row.item is None


@pytest.mark.parametrize(
    ("line", "indents"),
    [("- a", [2]), ("  * a", [4]), ("10. a", [4]), ("1)  a", [3]), ("- - a", [2, 4]), ("1. - a", [3, 5]), ("> - a", [4])],
)
def test_what_an_items_marker_takes_up(line: str, indents: list[int]):
    assert [one.indent for one in blocks(f"{line}\n")[0].within if one.form == "item"] == indents


def test_lone_tags_are_told_apart_from_code_and_hide_no_fence():
    text = "<Good>\n```js\n<b>\n```\nwords\n</Good>\n"
    assert tags(text) == [("good", False, 0), ("good", True, 5)]
    assert forms(text) == [("fence", 1, 4), ("paragraph", 4, 5)]
    assert tags("- ```html\n  <div>\n  ```\n\n<example>\n\na\n\n</example>\n") == [("example", False, 4), ("example", True, 8)]
    assert tags("<a href='x'>\n\n<a>b</a>\n<1>\n") == [("a", False, 0)]
    assert tags("> ~~~\n> <b>\n> ~~~\n") == []


def test_lines_end_where_commonmark_ends_them():
    assert lines_of(b"a\r\nb\nc\rd") == [b"a\r\n", b"b\n", b"c\r", b"d"]
    assert lines_of("a\u2028b\x0bc\x0cd\x85e".encode()) == ["a\u2028b\x0bc\x0cd\x85e".encode()]
    assert lines_of(b"") == []


def test_bytes_that_are_no_utf_8_keep_their_lines():
    assert decoded("é".encode()) == "é" and decoded(b"\xe9\n") == "é\n"
    assert [block.text for block in blocks_of(lines_of(b"caf\xe9 \xe4\xb8\x8d\n\xe2\n"))[0]] == ["caf\ufffd 不\n\ufffd"]


def test_a_byte_order_mark_is_no_word():
    assert [(block.form, block.text) for block in blocks("\ufeff# Title\n")] == [("heading", "Title")]


@pytest.mark.parametrize("unit", ["- ", "> ", "1. ", "> - ", "<a>\n", "* > 1) "])
def test_deep_nesting_does_not_crash(unit: str):
    lines = lines_of((unit * 20_000 + "a\n").encode())
    found, lone = blocks_of(lines)
    assert all(len(block.within) <= 40 for block in found) and len(lone) == (20_000 if unit == "<a>\n" else 0)


def test_a_list_that_is_indented_further_and_further_does_not_crash():
    found = blocks("".join(f"{'  ' * depth}- Never:\n" for depth in range(400)))
    assert found[0].text == "Never:" and len(found) < 40


LINES = {
    "openers of links": "[",
    "pictures": "![](",
    "code": "`` `",
    "emphasis": "**",
    "labels": "**a** (",
    "tags that stay open": "<a ",
    "comments that stay open": "<!--",
    "items in a line": "- ",
    "quotes in a line": ">",
    "bars": "|",
    "quotation marks": '"a ',
    "clauses": "a; if b, ",
    "purposes": "to use and ",
    "joining words": "please and ",
    "Chinese": "不别避免",
    "headings": "## Avoid\n",
    "sections": "# a\n\nb\n\n",
    "bold lines": "**Avoid**\n\n",
    "lone tags": "<Good>\n\na\n\n",
    "tags in pairs": "<Good>\n\na\n\n</Good>\n\n",
    "closing tags": "</a>\n\na\n\n",
    "rows": "| never | b |\n",
    "tables": "| Bad | Good |\n|---|---|\n\n",
    "items": "- a\n",
    "lead-ins": "Never:\n\n- a\n\n",
    "nested lead-ins": "- Never:\n\n  - a\n\n",
    "fences": "```\na\n```\n",
    "fences that stay open": "~~~ a\n",
    "breaks": "***\n",
    "quotes": "> [!NOTE]\n\n",
}


def test_forty_thousand_bytes_of_anything_are_read_within_seconds():
    # Squared, a microsecond a pair of lines would be minutes.
    assert {name: seconds for name in LINES if (seconds := _seconds(_head(name), LINES[name], 40_000)) > 5} == {}


@pytest.mark.nightly
@pytest.mark.parametrize("name", LINES)
def test_eight_times_the_bytes_take_no_more_than_about_eight_times_the_time(name: str):
    # Squared it would be sixty-four times; what takes less than four tenths of a second is no matter.
    head = _head(name)
    assert _seconds(head, LINES[name], 100_000) < max(0.4, 24 * _seconds(head, LINES[name], 12_500))


def _head(name: str) -> str:
    """What comes first, for lines that are nothing without it."""
    return "| a | b |\n|---|---|\n" if name == "rows" else ""


def _seconds(head: str, unit: str, size: int) -> float:
    lines = lines_of((head + unit * (size // len(unit.encode()))).encode())
    # A collection would count what other tests have left behind.
    gc.disable()
    try:
        start = time.process_time()
        label(*blocks_of(lines))
        return time.process_time() - start
    finally:
        gc.enable()
