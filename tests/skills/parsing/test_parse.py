from pathlib import Path

import pytest

from benchmark.core.errors import UsageError
from benchmark.core.files import sha256, tree_hash
from skills.parsing.parse import as_skill, find_skills, load_skill, split, usable

HEAD = b"---\nname: Mine\ndescription: What it does.\n---\n"


def put(folder, data: bytes, **files: bytes):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_bytes(data)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def codes(skill) -> set[str]:
    return {item.code for item in skill.diagnostics}


def refusal(folder) -> str:
    with pytest.raises(UsageError) as caught:
        usable(load_skill(folder))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_skill_is_its_bytes(tmp_path):
    data = HEAD + b"# Rules\n"
    made = load_skill(put(tmp_path / "mine", data, extra=b"\x00\xff"))
    assert (made.id, made.name, made.description) == ("mine", "Mine", "What it does.")
    assert made.data == data and made.files == {"extra": b"\x00\xff"} and usable(made) is made
    assert (made.ref.size, made.ref.sha256) == (len(data), sha256(data))
    assert made.ref.tree == tree_hash({"SKILL.md": data, "extra": b"\x00\xff"})


def test_the_path_may_name_the_file(tmp_path):
    folder = put(tmp_path / "mine", HEAD)
    assert load_skill(folder / "SKILL.md") == load_skill(folder)


def test_the_id_is_that_of_the_folder_however_it_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(put(tmp_path / "mine", HEAD))
    assert load_skill(Path()).id == load_skill(Path("SKILL.md")).id == load_skill(Path("../mine/.")).id == "mine"


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n"])
def test_an_empty_skill_is_refused(tmp_path, data):
    assert "empty" in refusal(put(tmp_path / "mine", data))


def test_bytes_that_are_no_utf8_are_refused_with_their_place(tmp_path):
    message = refusal(put(tmp_path / "mine", HEAD + b"caf\xe9"))
    assert f"byte {len(HEAD) + 3}" in message and "0xe9" in message


@pytest.mark.parametrize("data", [HEAD.decode().encode("utf-16"), b"\xed\xa0\x80", b"\xc0\x80"])
def test_other_encodings_are_refused(tmp_path, data):
    assert "UTF-8" in refusal(put(tmp_path / "mine", data))


def test_a_missing_skill_is_told_apart_from_a_missing_folder(tmp_path):
    assert "no such folder" in refusal(tmp_path / "gone")
    assert "SKILL.md" in refusal(tmp_path)
    (tmp_path / "dir/SKILL.md").mkdir(parents=True)
    refusal(tmp_path / "dir")


def test_what_cannot_be_mounted_is_refused(tmp_path):
    assert "cannot be mounted" in refusal(put(tmp_path / "mine", HEAD, **{"a\\b": b""}))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("my skill", "no spaces"),
        ("a@b", "no spaces"),
        ("a:b", "no spaces"),
        ("a[1]", "no spaces"),
        ("a" * 240, "may have 100 characters and has 240"),
        ("a" * 101, "may have 100 characters and has 101"),
        ("a\x07b", "must be visible and has <U+0007 CONTROL CHARACTER>"),
        ("ev\x1b[31mil", "must be visible and has <U+001B ESCAPE>"),
        ("new\nline", "must be visible and has <U+000A LINE FEED>"),
    ],
)
def test_a_folder_name_that_no_trial_could_have_is_refused_with_the_reason(tmp_path, name, words):
    message = refusal(put(tmp_path / name, HEAD))
    assert words in message and message.endswith("rename it") and message.isprintable()


def test_a_name_whose_bytes_do_not_fit_a_path_is_refused(tmp_path):
    assert "longer than 240 bytes" in refusal(put(tmp_path / ("字" * 80), HEAD))


def test_a_folder_that_is_a_link_goes_by_the_links_name(tmp_path, monkeypatch):
    put(tmp_path / "store/v1.2", HEAD.replace(b"Mine", b"mine"))
    (tmp_path / "skills").mkdir()
    link = tmp_path / "skills/mine"
    link.symlink_to(Path("../store/v1.2"))
    monkeypatch.chdir(tmp_path / "skills")
    for path in (link, link / "SKILL.md", Path("mine"), Path("mine/SKILL.md"), Path("../skills/mine")):
        assert load_skill(path).id == "mine" and "name-dir" not in codes(load_skill(path))
    assert find_skills(tmp_path / "skills") == [link] and find_skills(tmp_path / "skills", links=False) == []


def test_links_that_lead_in_circles_or_nowhere_are_no_skills(tmp_path):
    put(tmp_path / "a", HEAD)
    (tmp_path / "a/self").symlink_to(tmp_path / "a")
    (tmp_path / "up").symlink_to(tmp_path)
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    assert find_skills(tmp_path) == [tmp_path / "a"]


def test_crlf_enters_as_it_is_and_is_noted(tmp_path):
    data = HEAD.replace(b"\n", b"\r\n") + b"a\r\nb"
    made = load_skill(put(tmp_path / "mine", data))
    assert made.data == data and made.text.encode() == data and made.ref.size == len(data)
    assert made.description == "What it does." and "eol" in codes(made)


def test_a_byte_order_mark_enters_as_it_is_and_is_noted(tmp_path):
    data = b"\xef\xbb\xbf" + HEAD
    made = load_skill(put(tmp_path / "mine", data))
    assert made.text.encode() == data and made.ref.size == len(data)
    assert made.name == "Mine" and made.body == "" and "bom" in codes(made)


@pytest.mark.parametrize(("size", "noted"), [(100_000, False), (100_001, True), (300 * 1024, True)])
def test_a_large_skill_loads_and_is_noted(tmp_path, size, noted):
    made = load_skill(put(tmp_path / "mine", HEAD.ljust(size, b"x")))
    assert made.ref.size == size and len(made.text) == size
    assert ("large" in codes(made)) is noted


@pytest.mark.parametrize(
    "head",
    [
        b"No frontmatter.",
        b"---\nnever closed: yes\n",
        b"---\n- a list\n---\n",
        b"---\nx: [broken\n---\n",
        b"---\ndate: 2024-13-45\n---\n",
        b"---\nx: " + b"[" * 1000 + b"\n---\n",
        b"---\n---\n",
        b"---\nname:\ndescription:\n---\n",
        b" ---\nname: x\n---\n",
    ],
    ids=["none", "open", "list", "faulty", "date", "nested", "empty", "null", "indented"],
)
def test_frontmatter_that_says_nothing_is_no_error(tmp_path, head):
    made = load_skill(put(tmp_path / "mine", head))
    assert (made.name, made.description) == ("mine", "")
    assert usable(made) is made
    assert {"no-description", "no-frontmatter", "unclosed", "type"} & codes(made)


def test_frontmatter_values_that_are_no_text_become_text(tmp_path):
    made = load_skill(put(tmp_path / "mine", b"---\nname: 5\ndescription: 2024-01-02\n---\n"))
    assert (made.name, made.description) == ("5", "2024-01-02")


def test_links_and_packages_are_not_mounted(tmp_path):
    (tmp_path / "secret").write_bytes(b"key")
    folder = put(tmp_path / "mine", HEAD)
    (folder / "link").symlink_to(tmp_path / "secret")
    put(folder / "node_modules", b"")
    put(folder / "references", b"nested")
    assert load_skill(folder).files == {"references/SKILL.md": b"nested"}


def test_every_byte_counts_for_the_reference():
    plain = as_skill("a", {"SKILL.md": HEAD, "x": b"1"}).ref
    assert as_skill("a", {"x": b"1", "SKILL.md": HEAD}).ref == plain
    others = [
        as_skill("a", {"SKILL.md": HEAD + b" ", "x": b"1"}).ref,
        as_skill("a", {"SKILL.md": HEAD, "x": b"2"}).ref,
        as_skill("a", {"SKILL.md": HEAD, "y": b"1"}).ref,
        as_skill("a", {"SKILL.md": HEAD}).ref,
    ]
    assert len({plain.tree, *(other.tree for other in others)}) == 5
    assert [other.sha256 == plain.sha256 for other in others] == [False, True, True, True]


def test_skills_are_found_at_any_depth(tmp_path):
    for name in ("b", "a/deep", "a"):
        put(tmp_path / name, HEAD)
    assert find_skills(tmp_path) == [tmp_path / "a", tmp_path / "a/deep", tmp_path / "b"]


def test_a_skill_is_found_under_any_case_of_its_file_but_not_a_page_within_a_skill(tmp_path):
    put(tmp_path / "a", HEAD)
    for name in ("a/docs/skill.md", "b/skill.md", "c/Skill.MD"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(HEAD)
    assert find_skills(tmp_path) == [tmp_path / "a", tmp_path / "b", tmp_path / "c"]
    assert load_skill(tmp_path / "c").data == HEAD and load_skill(tmp_path / "b/skill.md").id == "b"


def test_what_clients_would_not_find_is_not_injected(tmp_path):
    put(tmp_path / "mine", HEAD)
    (tmp_path / "mine/SKILL.md").rename(tmp_path / "mine/skill.md")
    assert "rename it" in refusal(tmp_path / "mine")


def test_what_cannot_be_injected_still_loads(tmp_path):
    data = HEAD + "caf\u00e9".encode("latin-1")
    made = load_skill(put(tmp_path / "mine", data))
    assert (made.data, made.name, made.body, made.ref.size) == (data, "Mine", "caf\ufffd", len(data))
    with pytest.raises(UnicodeDecodeError):
        made.text  # noqa: B018
    assert load_skill(put(tmp_path / "empty", b"")).name == "empty"


def test_utf_16_without_a_mark_is_refused(tmp_path):
    assert "UTF-16" in refusal(put(tmp_path / "mine", HEAD.decode().encode("utf-16-le")))


def test_what_is_refused_is_told_without_a_file_as_well():
    with pytest.raises(UsageError, match=r"^mine is empty"):
        usable(as_skill("mine", {"SKILL.md": b" "}))


def test_links_do_not_tell_skills_apart(tmp_path):
    folder = put(tmp_path / "mine", HEAD)
    plain = load_skill(folder)
    (folder / "link").symlink_to("SKILL.md")
    assert load_skill(folder) == plain and load_skill(folder).links == ("link",)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("---\na: b\n---\nbody", ("a: b\n", "body")),
        ("---\r\na: b\r\n---\r\nbody\r\n", ("a: b\r\n", "body\r\n")),
        ("\ufeff--- \ra\r---\t\rbody", ("a\r", "body")),
        ("---\n---\n---\n", ("", "---\n")),
        ("---\na: |\n  ---\n---", ("a: |\n  ---\n", "")),
        ("---\na: x\u2028---\u2028y\n---\nbody", ("a: x\u2028---\u2028y\n", "body")),
        ("---\na\n----\nbody", ("a\n", "body")),
        ("---\na\n--\nbody", ("", "---\na\n--\nbody")),
        ("\n---\na\n---\n", ("", "\n---\na\n---\n")),
        ("", ("", "")),
    ],
)
def test_the_frontmatter_ends_at_the_first_line_of_dashes(text, parts):
    assert split(text) == parts
