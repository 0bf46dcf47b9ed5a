"""The parser matrix, and what is said of bodies and folders."""

import time
import tomllib
from pathlib import Path

import pytest

from skills.diagnosis.check import check_paths
from skills.parsing.parse import Skill, as_skill, load_skill
from skills.parsing.rules import RULES, brief, found, visible
from skills.routing.tiers import COLLECTION
from tests.skills.diagnosis.forms import CASES, filled

CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus" / "skills"
HEAD = "---\nname: demo\ndescription: What it does.\n---\n"


def put(folder: Path, data: bytes, name: str = "SKILL.md") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    return folder


def said(skill: Skill) -> list[str]:
    return [f"{item.severity} {item.code} {item.line or '-'}" for item in skill.diagnostics]


def of(body: str, *files: str) -> list[str]:
    """What is said of a body that begins in line 5, in a folder with these files."""
    return said(as_skill("demo", {"SKILL.md": (HEAD + body).encode(), **dict.fromkeys(files, b"x")}))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_parser_matrix(case, tmp_path):
    folder = filled(case, case.get("folder", "demo"))
    data = filled(case, case["text"]).encode(case.get("encoding", "utf-8"))
    place = tmp_path / ("elsewhere" if case.get("linked") else folder)
    put(place, data, case.get("filename", "SKILL.md"))
    for name, text in case.get("files", {}).items():
        put((place / name).parent, text.encode())
    for name, target in case.get("links", {}).items():
        (place / name).symlink_to(target)
    if case.get("linked") == "folder":
        (tmp_path / folder).symlink_to(place)
    elif case.get("linked") == "file":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "SKILL.md").symlink_to(place / "SKILL.md")
    skill = load_skill(tmp_path / folder)
    assert (skill.data, skill.id) == (data, folder)
    # A name that is not there is the folder's.
    assert skill.name == (filled(case, case["name"]) if case["name"] != "demo" else folder)
    assert skill.description == filled(case, case["description"])
    if case["body"] != "*":
        assert skill.body == filled(case, case["body"])
    assert said(skill) == case["diagnostics"]


def test_the_matrix_has_every_code():
    codes = {row.split()[1] for case in CASES for row in case["diagnostics"]}
    rules = tomllib.loads(RULES.read_text(encoding="utf-8"))["rules"]
    assert codes == {row.get("code", name) for name, row in rules.items()} - {"unusable"}


def test_no_code_is_executed_and_no_document_grows(tmp_path):
    tag = f"!!python/object/apply:pathlib.Path.touch [!!python/object/apply:pathlib.Path [{tmp_path}/ran]]"
    bomb = "a: &a [x, x]\n" + "".join(
        f"{new}: &{new} [*{old}, *{old}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    for head in (f"name: demo\ndescription: {tag}\n", bomb, "x: " + "[" * 5000 + "\n", "x: " + "{a: " * 5000 + "\n"):
        load_skill(put(tmp_path / "demo", f"---\n{head}---\n".encode())).diagnostics  # noqa: B018
    assert not (tmp_path / "ran").exists()


def test_values_of_messages_are_one_line_and_short():
    item = found("unknown-key", 3, key="a\nb" + "c" * 200)
    assert item.message.startswith("has the key a bccc") and "…" in item.message and len(item.message) < 200


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain – text, 字 and 👩\u200d💻", "plain – text, 字 and 👩\u200d💻"),
        ("\ufeff\ufeff---", "<2 × U+FEFF BYTE ORDER MARK>---"),
        ("de\u200bmo", "de<U+200B ZERO WIDTH SPACE>mo"),
        ("de\u200dmo", "de<U+200D ZERO WIDTH JOINER>mo"),
        ("a\u00a0b\u202eb", "a<U+00A0 NO-BREAK SPACE>b<U+202E RIGHT-TO-LEFT OVERRIDE>b"),
        ("\x1b[31m\x07\n", "<U+001B ESCAPE>[31m<U+0007 CONTROL CHARACTER><U+000A LINE FEED>"),
        ("\udcff", "<U+DCFF>"),
    ],
)
def test_what_cannot_be_seen_is_named(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\ufeff\ufeff---\nname: demo\n---\n", "<2 × U+FEFF BYTE ORDER MARK> before the first ---"),
        ("\u200b---\nname: demo\n---\n", "<U+200B ZERO WIDTH SPACE> before the first ---"),
        ("\u00a0---\nname: demo\n---\n", "<U+00A0 NO-BREAK SPACE> before the first ---"),
        (" ---\nname: demo\n---\n", "white space before the first ---"),
        ("\x1b---\nname: demo\n---\n", "<U+001B ESCAPE> before the first ---"),
        ("---\u00a0\nname: demo\n---\n", "<U+00A0 NO-BREAK SPACE> after the opening ---"),
        ("---\nname: demo\n---\u3000\n", "<U+3000 IDEOGRAPHIC SPACE> after the closing ---"),
        ("---\nname: de\u200bmo\n---\n", "has the name de<U+200B ZERO WIDTH SPACE>mo"),
        ("---\nna\u00adme: demo\n---\n", "has the key na<U+00AD SOFT HYPHEN>me"),
        ("–--\nname: demo\n---\n", "its first line is –-- and not ---"),
    ],
)
def test_messages_say_what_is_invisible(text, words):
    assert any(words in item.message for item in as_skill("demo", {"SKILL.md": text.encode()}).diagnostics)


def test_several_of_a_code_are_one_message():
    items = [found("eol"), *(found("unknown-key", line, key=f"k{line}") for line in (3, 4, 5))]
    assert len(brief(items)) == 2 and brief(items)[1].endswith("(and 2 more like it)")


# the body


@pytest.mark.parametrize(
    ("body", "files", "told"),
    [
        ("Read `references/a.md`.\n", ["references/a.md"], []),
        ("Intro.\n\nRead `references/a.md` first.\n", [], ["warning dangling-reference 7"]),
        ("Read references/a.md, then references/b.md.\n", ["references/b.md"], ["warning dangling-reference 5"]),
        ("See [it](references/a.md#part).\n", ["references/a.md"], []),
        ("One\nline [it](guide.md) two\n", [], ["warning dangling-reference 6"]),
        ("See [it](a%20b.md).\n", ["a b.md"], []),
        ("See [it][1].\n\n[1]: guide.md\n", [], ["warning dangling-reference 7"]),
        ("![Shot](./img/shot.png)\n", ["img/shot.png"], []),
        ("See [folder](references/).\n", ["references/a.md"], []),
        ("See [it](#part), [url](https://x.org/references/a.md), [mail](mailto:a@b.c), [abs](/a.md), [word](url).\n", [], []),
        ("Fetch https://x.org/scripts/a.js into src/assets/b.png, references/*.md, assets/<name>.png.\n", [], []),
        ("Files in references/ and scripts/.\n", [], []),
        ("Run `scripts/pack PLAN`.\n", [], ["warning dangling-reference 5"]),
        (
            "Run `python {baseDir}/scripts/a.py` or <skill-dir>/scripts/b.py\n",
            ["scripts/a.py"],
            ["warning dangling-reference 5"],
        ),
        ("```bash\npython scripts/a.py\n```\n", [], ["note dangling-reference 6"]),
        ("```bash\npython scripts/a.py\n```\nThat is `scripts/a.py`.\n", [], ["warning dangling-reference 8"]),
        ("```md\n[it](guide.md)\n```\n", [], []),
        ("    # references/a.md\n", [], ["note dangling-reference 5"]),
        ("See [it](../other/SKILL.md).\n", [], ["warning reference-escape 5"]),
        ("Run `python ../../shared/scripts/a.py`.\n", [], ["warning reference-escape 5"]),
        ("See [it](references/../../b.md).\n", [], ["warning reference-escape 5"]),
        ("A\r\nRead `references/a.md`\r\n", [], ["note eol-mixed 5", "warning dangling-reference 6"]),
    ],
)
def test_references_are_resolved_against_the_root(body, files, told):
    assert of(body, *files) == told


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("State: !`git status`\n", ["error dynamic-command 5"]),
        ("A\n\n!`date`\n", ["error dynamic-command 7"]),
        ("```md\nState: !`git status`\n```\n", ["error dynamic-command 6"]),
        ("```!\ngit status\n```\n", ["error dynamic-command 5"]),
        ("End with `x!`, or `y`.\n", ["note dynamic-command 5"]),
        ("Use `!important` and `let!`.\n", []),
        ("Great! `code` follows.\n", []),
        ("Fix $ARGUMENTS and $ARGUMENTS[0].\n", ["warning dynamic-arguments 5"]),
        ("Not \\$ARGUMENTS nor $ARGUMENTS_LIST.\n", []),
    ],
)
def test_tokens_that_clients_replace_or_run_are_told(body, told):
    assert of(body) == told


def test_who_runs_a_command_and_where_it_stands_is_told():
    (item,) = as_skill("demo", {"SKILL.md": (HEAD + "~~~\n!`rm -r x`\n~~~\n").encode()}).diagnostics
    assert "!`rm -r x`" in item.message and "code block" in item.message


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("# T\n\n```html\n<div>\n\n- Never use it.\n", ["warning unclosed-fence 7"]),
        ("# T\n\n~~~\n```\nText\n", ["warning unclosed-fence 7"]),
        # A fence of its own inside: it closes the outer one, and the last opens another.
        ("```md\n```sh\nls\n```\n```\n\nNever.\n", ["warning unclosed-fence 9"]),
        ("- Item\n\n  ```js\n  f()\n\nAfter.\n", ["warning unclosed-fence 7"]),
        ("> ```js\n> f()\n\nAfter.\n", ["warning unclosed-fence 5"]),
        ("```", ["note no-final-newline 5", "warning unclosed-fence 5"]),
        ("````md\n```\n````\n", []),
        ("```js\nf()\n```\n", []),
        ("- ```js\n  f()\n  ```\n", []),
        ("> ```js\n> f()\n> ```\n", []),
        ("~~~\n```\n~~~~  \n", []),
        ("```\r\nf()\r\n```\r\n", ["note eol-mixed 5"]),
    ],
)
def test_a_code_block_that_is_never_closed_is_told_with_its_line(body, told):
    assert of(body) == told


@pytest.mark.parametrize(("lines", "told"), [(500, []), (501, ["warning long-body 505"]), (600, ["warning long-body 505"])])
def test_a_long_body_is_told_where_it_becomes_long(lines, told):
    assert of("a\n" * lines) == told


def test_a_large_file_is_told_with_its_cost():
    skill = as_skill("demo", {"SKILL.md": (HEAD + "x" * 100_000 + "\n").encode()})
    assert said(skill) == ["warning large -"] and "25,011 tokens" in skill.diagnostics[0].message


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "../" * 100_000 + "scripts/",
        HEAD + "{skill" * 50_000,
        HEAD + "references/a." * 20_000,
        HEAD + "!`" * 150_000,
        HEAD + ">" * 100_000,
        HEAD + "[" * 100_000,
        "---\nname: demo\ndescription: " + "a-" * 100_000 + "\n---\n",
        "\r\n" * 100_000 + "x",
        "\u00a0" * 200_000 + "--",
        HEAD + "```\n" + "> " * 50_000 + "\n",
        "---\n" + "".join(f"key{at}: x\n" for at in range(5_000)) + "---\n",
    ],
    ids=["escapes", "placeholders", "paths", "commands", "quotes", "brackets", "dashes", "lines", "blanks", "fence", "keys"],
)
def test_a_hostile_text_takes_no_more_than_its_size(text):
    clock = time.process_time()
    assert as_skill("demo", {"SKILL.md": text.encode()}).diagnostics
    assert time.process_time() - clock < 3


# the folder


@pytest.mark.parametrize("name", ["skill.md", "Skill.md"])
def test_another_case_of_the_file_is_told(tmp_path, name):
    skill = load_skill(put(tmp_path / "demo", HEAD.encode() + b"x\n", name))
    assert said(skill) == ["error file-case -"] and skill.files == {} and skill.data.endswith(b"x\n")


def test_the_right_case_comes_first(tmp_path):
    put(tmp_path / "demo", b"other", "skill.md")
    skill = load_skill(put(tmp_path / "demo", HEAD.encode() + b"x\n"))
    assert said(skill) == [] and skill.files == {"skill.md": b"other"}


def test_nested_skills_and_links_are_told(tmp_path):
    folder = put(tmp_path / "demo", HEAD.encode() + b"x\n")
    put(folder / "more", HEAD.encode())
    (folder / "link.md").symlink_to(tmp_path / "gone")
    (folder / "dir").symlink_to(tmp_path)
    skill = load_skill(folder)
    assert said(skill) == ["note nested-skill -", "note symlink -", "note symlink -"]
    assert skill.links == ("dir", "link.md") and set(skill.files) == {"more/SKILL.md"}


def test_a_skill_that_is_a_link_loads_and_is_an_error(tmp_path):
    real = put(tmp_path / "real", HEAD.encode() + b"x\n") / "SKILL.md"
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "SKILL.md").symlink_to(real)
    skill = load_skill(tmp_path / "demo")
    assert skill.data == real.read_bytes() and said(skill) == ["error symlink -"]


# real skills


def test_nothing_is_wrong_with_our_own_skills():
    assert [line for one in check_paths([COLLECTION]) for line in brief(one.diagnostics)] == []


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not in this checkout")
def test_every_skill_of_the_corpus_is_parsed():
    checked = check_paths([CORPUS])
    assert len(checked) == 288
    assert all(one.skill and one.skill.name and one.skill.description and one.loads for one in checked)
    assert not [item for one in checked for item in one.diagnostics if item.severity == "error"]
    for one in checked:
        assert one.skill and one.skill.data == one.path.read_bytes() and one.skill.text.endswith(one.skill.body)
        assert not one.skill.body.startswith("---")
        size = one.skill.data.count(b"\n") + 1
        assert all(item.line is None or 1 <= item.line <= size for item in one.diagnostics)
