"""What misleads a slicer, one synthetic case each: Markdown, words of four languages, ends of lines, size, nesting."""

import tomllib
from pathlib import Path

import pytest

from skills.parsing.parse import as_skill, load_skill
from skills.slicing.kinds import Kind
from skills.slicing.slices import slice_skill

CASES = {
    case["id"]: case["lines"]
    for case in tomllib.loads((Path(__file__).parent / "hazards.toml").read_text(encoding="utf-8"))["hazard"]
}
LETTERS: dict[str, Kind] = {
    "h": "header",
    "r": "rules",
    "a": "anti-patterns",
    "x": "examples",
    "m": "mixed",
    "n": "neutral",
    "i": "meta",
}
HEAD = b"---\nname: demo\ndescription: Never use it for mail. Always for pages.\n---\n"
HEADER = [LETTERS["h"]] * 4
#: A body with a kind of each sort, for what is about bytes and not about words.
BODY = b"# Demo\n\nIt is about pages.\n\n## Avoid\n\n- Grids\n\n## Do\n\n- Columns\n\n```css\n/* Never */\n```\n"
KINDS_OF_BODY = [LETTERS[letter] for letter in "hhhhaaaannrrxxx"]


def case_of(lines: str) -> tuple[list[str], list[Kind]]:
    """The lines of a body and the kind of each; a blank line is of the kind of the line before it."""
    texts: list[str] = []
    kinds: list[Kind] = []
    for line in lines.splitlines():
        letter, _, text = line.partition("|")
        texts.append(text)
        kinds.append(LETTERS[letter] if letter else kinds[-1])
    return texts, kinds


def kinds_of(data: bytes) -> list[Kind]:
    """The kind of each line of a file, whose slices are checked to be it."""
    slices = slice_skill(as_skill("demo", {"SKILL.md": data}))
    assert b"".join(one.data for one in slices) == data
    return [one.kind for one in slices for _ in range(one.first, one.last + 1)]


def by_line(texts: list[str], kinds: list[Kind]) -> str:
    return "\n".join(f"{kind:14}| {text}" for text, kind in zip(texts, kinds, strict=True))


@pytest.mark.parametrize("name", CASES)
def test_hazard(name: str):
    texts, want = case_of(CASES[name])
    found = kinds_of(HEAD + "".join(f"{text}\n" for text in texts).encode())
    assert by_line(texts, found[4:]) == by_line(texts, want)
    assert found[:4] == HEADER


@pytest.mark.parametrize(
    "name", ["recommended code below a negative heading", "Japanese", "a call-out with a heading and mixed rules"]
)
@pytest.mark.parametrize("end", ["\r\n", "\r"], ids=["CRLF", "CR"])
def test_other_ends_of_lines_change_no_kind(name: str, end: str):
    texts, want = case_of(CASES[name])
    found = kinds_of(HEAD.replace(b"\n", end.encode()) + "".join(f"{text}{end}" for text in texts).encode())
    assert found == [*HEADER, *want]


def test_mixed_ends_of_lines_change_no_kind():
    lines = (HEAD + BODY).split(b"\n")[:-1]
    ends = [b"\r\n", b"\n", b"\n", b"\r\n"]
    data = b"".join(line + ends[number % 4] for number, line in enumerate(lines))
    assert data.count(b"\r\n") > 8 and kinds_of(data) == [*HEADER, *KINDS_OF_BODY]


@pytest.mark.parametrize("cut", [1, 2, 5], ids=["after a fence", "within its end", "after its last line"])
def test_no_final_newline(cut: int):
    data = (HEAD + BODY)[:-cut]
    assert not data.endswith(b"\n") and kinds_of(data)[:-1] == [*HEADER, *KINDS_OF_BODY][: data.count(b"\n")]
    assert kinds_of(data)[-1] == "examples"


@pytest.mark.parametrize("body", [b"", b"\n", b"\n\n \n"], ids=["nothing", "a blank line", "blank lines"])
def test_an_empty_body_is_all_header(body: bytes):
    assert set(kinds_of(HEAD + body)) == {"header"}


def test_a_file_of_nothing_has_no_slices():
    assert slice_skill(as_skill("demo", {"SKILL.md": b""})) == ()


def test_rules_in_the_frontmatter_are_header():
    head = b"---\nname: demo\ndescription: |\n  Never build grids.\n  - Avoid rows\nmetadata:\n  rule: columns\n---\n"
    assert kinds_of(head + BODY) == [*(["header"] * 8), *KINDS_OF_BODY]


def test_without_a_frontmatter_the_body_begins_at_once():
    assert kinds_of(BODY) == KINDS_OF_BODY


def test_a_byte_order_mark_hides_no_title():
    assert kinds_of(b"\xef\xbb\xbf" + HEAD + BODY) == [*HEADER, *KINDS_OF_BODY]
    assert kinds_of(b"\xef\xbb\xbf" + BODY) == KINDS_OF_BODY


def test_a_byte_that_is_no_text_changes_no_other_word():
    body = "# Demo\n\n- 不要用网格\n- caf\xe9 ".encode().replace(b"\xc3\xa9", b"\xe9") + b"\n- \x00Never\n- Columns\n"
    assert kinds_of(HEAD + body)[6:] == ["anti-patterns", "rules", "rules", "rules"]


def test_a_line_of_more_than_ten_thousand_characters():
    body = (
        b"## Pages\n\n- "
        + b"Columns are as wide as their text. " * 400
        + b"\n- Never "
        + b"put a grid in a grid " * 600
        + b"\n"
    )
    assert max(map(len, body.splitlines())) > 10_000
    assert kinds_of(HEAD + body)[4:] == ["neutral", "neutral", "rules", "anti-patterns"]


def test_a_file_of_290_thousand_bytes():
    part = BODY.removeprefix(b"# Demo\n\nIt is about pages.\n\n")
    data = HEAD + b"# Demo\n\nIt is about pages.\n\n" + part * (290_000 // len(part))
    assert len(data) > 289_000
    assert kinds_of(data) == [*HEADER, *KINDS_OF_BODY[:4], *(KINDS_OF_BODY[4:] * (290_000 // len(part)))]


@pytest.mark.parametrize("depth", [1, 6], ids=["one level, as one client looks", "six levels, as another does"])
def test_a_skill_within_a_skill_is_sliced_by_itself(tmp_path: Path, depth: int):
    inner = tmp_path.joinpath("demo", *["skills"] * (depth - 1), "inner")
    inner.mkdir(parents=True)
    (tmp_path / "demo" / "SKILL.md").write_bytes(HEAD + BODY)
    (inner / "SKILL.md").write_bytes(b"---\nname: inner\ndescription: Inner.\n---\n## Avoid\n\n- Rows\n")
    outer = slice_skill(load_skill(tmp_path / "demo"))
    assert [one.kind for one in outer] == ["header", "anti-patterns", "neutral", "rules", "examples"]
    assert [(one.kind, one.first, one.last) for one in slice_skill(load_skill(inner))] == [
        ("header", 1, 4),
        ("anti-patterns", 5, 7),
    ]
