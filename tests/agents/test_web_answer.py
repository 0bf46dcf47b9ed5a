"""How a model's answer is read: which block is which file, and what the model is told instead of a guess."""

import json
import time
from pathlib import Path

import pytest

from agents.web_answer import NO_FILE, parse_answer
from benchmark.core.files import Files

CASES = json.loads((Path(__file__).parents[1] / "data" / "answers.json").read_text(encoding="utf-8"))


def told(text: str, there: Files | None = None) -> str:
    """What the model is told about an answer of which nothing is written."""
    answer = parse_answer(text, there)
    assert answer.files == {}
    assert answer.wrong
    return answer.wrong


@pytest.mark.parametrize(("text", "files"), [case for case in CASES.values() if isinstance(case[1], dict)])
def test_answers_seen_with_real_models_give_their_files(text: str, files: dict[str, str]) -> None:
    answer = parse_answer(text)
    assert answer.wrong is None
    assert answer.files == {name: content.encode() for name, content in files.items()}


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("a diff instead of a file", "'```diff app.js' on line 1 holds changes and not a file: the whole file is wanted"),
        ("a Markdown file with a fence of its own", "'```md README.md' on line 1 holds the line '```bash'"),
    ],
)
def test_answers_seen_with_real_models_that_are_refused_say_why(case: str, words: str) -> None:
    assert words in told(CASES[case][0])


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("```html index.html\na\n```", {"index.html": "a\n"}),
        ("1. first\n\n   ```js src/app.js\n   a\n     b\n   ```\n2. second\n", {"src/app.js": "a\n  b\n"}),
        ("> ```js app.js\n> a\n> ```\n", {"app.js": "a\n"}),
        ("````md README.md\n```js x.js\nno file\n```\n````\n", {"README.md": "```js x.js\nno file\n```\n"}),
        ("~~~css style.css\n```\n~~~\n", {"style.css": "```\n"}),
        ("```md README.md\n~~~\nx\n~~~\n```\n", {"README.md": "~~~\nx\n~~~\n"}),
        (
            "```md README.md\n1. a\n\n    ```sh\n    npm i\n    ```\n```",
            {"README.md": "1. a\n\n    ```sh\n    npm i\n    ```\n"},
        ),
        ("```js app.js\n```", {"app.js": ""}),
        ("```js app.js\r\na\r\nb\r\n```\r\n", {"app.js": "a\nb\n"}),
        ("Run:\n```bash\nnpm start\n```\n```js app.js\na 😀\n```", {"app.js": "a 😀\n"}),
        ("```text\nsrc/\n  app.js\n```\n```js src/app.js\na\n```", {"src/app.js": "a\n"}),
        ("```js app.js\none\n```\nand again\n```js ./app.js\none\n```", {"app.js": "one\n"}),
        ("I put a <canvas> into <main>.\n\n```js app.js\na\n```", {"app.js": "a\n"}),
        ("```diff changes.patch\n@@ -1 +1 @@\n-a\n+b\n```", {"changes.patch": "@@ -1 +1 @@\n-a\n+b\n"}),
    ],
)
def test_a_fence_whose_info_string_names_a_file_is_that_file(text: str, files: dict[str, str]) -> None:
    answer = parse_answer(text)
    assert answer.wrong is None
    assert answer.files == {name: content.encode() for name, content in files.items()}


@pytest.mark.parametrize(
    ("info", "name"),
    [
        *(
            ("js path=app.js", "app.js"),
            ('js title="app.js"', "app.js"),
            ("path=app.js", "app.js"),
            ("js filename=`app.js`", "app.js"),
        ),
        *(("app.js", "app.js"), ("css ./a/./b.css", "a/b.css"), ("js:src/app.js", "src/app.js"), ("js : app.js", "app.js")),
        *(
            ("file: app.js", "app.js"),
            ("js File: app.js", "app.js"),
            ("js:path:app.js", "app.js"),
            ("js file=Dockerfile", "Dockerfile"),
        ),
        *(("js (app.js)", "app.js"), ("[app.js]", "app.js"), ("js <app.js>", "app.js"), ("js file: [app.js]", "app.js")),
        *(("ts app/[id].ts", "app/[id].ts"), ("ts [id].ts", "[id].ts"), ("tsx (shop)/page.tsx", "(shop)/page.tsx")),
        *(("html INDEX.HTML", "INDEX.HTML"), ("HTML Index.html", "Index.html"), ("text .gitignore", ".gitignore")),
        *(('text path="two words.txt"', "two words.txt"), ('text "two words.txt"', "two words.txt"), ("patch.js", "patch.js")),
    ],
)
def test_forms_of_names_beside_a_fence_that_are_certain(info: str, name: str) -> None:
    answer = parse_answer(f"~~~{info}\nx\n~~~\n")
    assert answer.wrong is None
    assert answer.files == {name: b"x\n"}


@pytest.mark.parametrize(
    "info",
    [
        *(
            "text some words",
            "js see app.js below",
            "js updated app.js",
            "js app.js (new)",
            "js app.js {1,3}",
            "js app.js:10-20",
        ),
        *("js showLineNumbers", "python 3.11", "js title=Example", 'js title="My Example"', "js {1,3}", "{.js}", "js,ignore"),
        *("node.js", "js // app.js", "js src/app.js(new)", "js path=my app.js", "text house rules.txt", "jsx react/router"),
    ],
)
def test_forms_of_names_that_are_not_certain_are_told_and_nothing_else_is_written(info: str) -> None:
    assert "is not certain to be a file's path" in told(f"```html index.html\nfine\n```\n~~~{info}\nx\n~~~\n")


@pytest.mark.parametrize("name", ["house rules.txt", "Makefile", "src/what: is this?.js", "node.js"])
def test_a_name_that_the_workspace_has_is_certain(name: str) -> None:
    assert parse_answer(f"```text {name}\nx\n```\n", {name: b"old\n"}).files == {name: b"x\n"}


@pytest.mark.parametrize(
    "above",
    [
        *(
            "### index.html",
            "**index.html**",
            "`index.html`:",
            "#### **`index.html`**",
            "index.html\n---",
            "File: `index.html`",
        ),
        *("### 1. index.html", "Here it is.\n**index.html:**", "1. **index.html**\n"),
    ],
)
def test_a_path_alone_right_above_a_block_names_it(above: str) -> None:
    assert parse_answer(f"{above}\n\n```html\n<p>\n```\n").files == {"index.html": b"<p>\n"}


@pytest.mark.parametrize(
    "above",
    ["### The page", "Here is index.html:", "### index.html\n\nIt has a heading now.", "### index.html and style.css", ""],
)
def test_prose_above_a_block_names_nothing(above: str) -> None:
    assert "'```html' on line" in told(f"```js app.js\na\n```\n{above}\n```html\n<p>\n```\n")


def test_of_two_blocks_below_one_name_the_second_has_none() -> None:
    assert "'```css' on line 6 names no file" in told("### index.html\n\n```html\n<p>\n```\n```css\np {}\n```\n")


@pytest.mark.parametrize(
    ("language", "line", "name"),
    [
        *(("js", "// app.js", "app.js"), ("js", "// file: src/app.js", "src/app.js"), ("css", "/* style.css */", "style.css")),
        *(("html", "<!-- index.html -->", "index.html"), ("python", "# tool.py", "tool.py")),
    ],
)
def test_a_comment_on_the_first_line_names_a_block_and_stays_in_the_file(language: str, line: str, name: str) -> None:
    assert parse_answer(f"```{language}\n{line}\nx\n```\n").files == {name: f"{line}\nx\n".encode()}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("```json\n// data.json\n{}\n```", "names no file"),
        ("```md\n# README.md\n```", "names no file"),
        ("```js\n// the app.js file\n```", "names no file"),
        ("### a.js\n```js\n// src/a.js\n```", "is named in two ways: 'a.js' and 'src/a.js'"),
        ("### setup.sh\n```bash\nnpm i\n```", "is an example by its language and 'setup.sh' by what names it"),
        ("```bash\n# package.json\nnpm i\n```", "is an example by its language and 'package.json' by what names it"),
    ],
)
def test_what_names_a_block_otherwise_must_be_certain_too(text: str, words: str) -> None:
    assert words in told(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # an inner fence as long as the outer: with a language, without one, and below a name
        ("```md README.md\n# T\n```bash\nnpm i\n```\nMore\n```\n", "holds the line '```bash'"),
        ("```md README.md\n# T\n```\nnpm i\n```\nMore\n```\n", "has neither a language nor a path"),
        ("```md README.md\n# T\n```\nsrc/app.js\n```\nMore\n```\n", "has neither a language nor a path"),
        ("~~~md README.md\n~~~~js\nx\n~~~~\n~~~\n", "holds the line '~~~~js'"),
        ("````markdown\n```js app.js\na\n```\n````\n", "names no file"),
        ("```text\n```js app.js\na\n```\n", "holds the line '```js app.js'"),
        # fences that are none where they stand
        ("<details>\n```js b.js\nx\n```\n</details>\n", "'```js b.js', begins no code block"),
        ("text\n\n    ```js b.js\n    x\n    ```\n", "'```js b.js', begins no code block"),
        ("```js `b.js`\nx\n```\n", "'```js `b.js`', begins no code block"),
        ("**b.js**\n\n    let b\n", "is named 'b.js' and not fenced"),
        # blocks without an end
        ("```js b.js\nx", "is not closed"),
        ("1. a\n   ```js b.js\nx\n   ```\n", "is not closed"),
        # markup of other protocols
        ('<file path="b.js">\nx\n</file>\n', "outside of a code block"),
        ("<write_to_file>\n<path>b.js</path>\n</write_to_file>\n", "outside of a code block"),
        # thinking in the middle
        ("First:\n<think>\nhm\n</think>\n\nx\n", "outside of a code block"),
        ("```js b.js\nx\n```\n<think>\nhm\n</think>\n", "outside of a code block"),
    ],
)
def test_nothing_that_may_have_been_meant_as_a_file_is_dropped(text: str, words: str) -> None:
    assert words in told(text)
    assert words in told(f"```html index.html\n```\n{text}")


@pytest.mark.parametrize(
    "content",
    [
        *("--- a/app.js\n+++ b/app.js\n@@ -1 +1 @@\n-a\n+b", "@@ -1,2 +1,3 @@ function x() {\n+b"),
        *("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE", "*** Begin Patch\n*** Update File: app.js\n-a\n+b\n*** End Patch"),
    ],
)
def test_changes_are_no_file(content: str) -> None:
    assert "holds changes and not a file: the whole file is wanted" in told(f"```js app.js\n{content}\n```\n")


@pytest.mark.parametrize("info", ["diff app.js", "diff:app.js", "patch file=app.js", "udiff [app.js]", "DIFF app.js"])
def test_a_block_of_changes_by_its_language_is_no_file(info: str) -> None:
    assert "holds changes and not a file" in told(f"```{info}\n-a\n+b\n```\n")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        *(("// ... existing code ...", "a.js"), ("  // ...", "a.js"), ("/* … the other rules */", "a.css"), ("# ...", "a.py")),
        *(("<!-- rest of the page unchanged -->", "a.html"), ("{/* ... */}", "a.jsx"), ("// (existing code)", "a.js")),
    ],
)
def test_a_file_that_leaves_something_out_is_not_whole(line: str, name: str) -> None:
    text = f"```text {name}\na\n{line}\nb\n```\n"
    assert "leaves something out" in told(text)
    assert parse_answer(text, {name: f"{line}\n".encode()}).files, "the file had that line before"


@pytest.mark.parametrize(
    "line", ["const [a, ...rest] = list;", "f(...existing); // unchanged", "// the rest of the list is drawn"]
)
def test_code_with_dots_and_such_words_is_whole(line: str) -> None:
    assert parse_answer(f"```js app.js\n{line}\n```\n").files == {"app.js": f"{line}\n".encode()}


@pytest.mark.parametrize(
    "before",
    [
        *("<think>\n```js other.js\nold\n```\n</think>\n", "<think>\n```js other.js\nnever closed\n</think>\n"),
        *("<thinking>```js x.js\n```</thinking>", "\n<THINK>a</THINK>\n<reasoning>b</reasoning>\n"),
        *("Hm.\n\n```js other.js\nold\n```\n\n</think>\n\n", "<think>\r\n```js other.js\r\nold\r\n```\r\n</think>\r\n"),
    ],
)
def test_drafts_in_what_the_model_thought_are_no_files(before: str) -> None:
    assert parse_answer(f"{before}```html index.html\n<p>\n```\n").files == {"index.html": b"<p>\n"}


def test_a_file_may_speak_of_thinking() -> None:
    text = "```html index.html\n<think>\n</think>\n```\n```js app.js\na\n```\n"
    assert parse_answer(text).files == {"index.html": b"<think>\n</think>\n", "app.js": b"a\n"}


def test_an_answer_that_never_ends_thinking_is_told() -> None:
    assert "ends before its thinking does" in told("<think>\n```html index.html\n<p>\n```\n")


def test_lines_are_counted_with_what_was_thought() -> None:
    assert "'```css' on line 4" in told("<think>\na\n</think>\n```css\np {}\n```\n")


@pytest.mark.parametrize("text", ["", "I would change the heading.", "```bash\nnpm start\n```", "    indented.js\n    a"])
def test_an_answer_without_a_file_is_told_what_is_missing(text: str) -> None:
    assert told(text) == NO_FILE


@pytest.mark.parametrize(
    ("name", "words"),
    [
        *(("../x", "leads out"), ("a/../../x.js", "leads out"), ("/etc/x", "leads out"), ("/index.html", "leads out")),
        *((".skills/x.js", "not a file of the workspace"), ("./.skills/s/SKILL.md", "not a file of the workspace")),
        *(("node_modules/x.js", "not a file of the workspace"), ("a\\b.js", "not a usable file name")),
        *((f"{'x' * 300}.js", "longer than"), ("C:\\b.js", "not certain"), ("a/" * 20 + "b.js", "longer than")),
    ],
)
def test_one_refused_name_spoils_the_answer_and_is_named(name: str, words: str) -> None:
    message = told(f"```html index.html\nfine\n```\n```js {name}\nevil\n```\n")
    assert message.startswith("Nothing was written. ") and repr(name)[:40] in message and words in message


def test_two_versions_of_a_file_are_told() -> None:
    text = "```js app.js\none\n```\n```js ./app.js\ntwo\n```"
    assert "'```js ./app.js' on line 4 gives 'app.js' a second time and differently" in told(text)


@pytest.mark.parametrize(("info", "there"), [("txt path=src", "src/app.js"), ("txt index.html/part.html", "index.html")])
def test_a_file_in_the_place_of_a_folder_is_refused(info: str, there: str) -> None:
    assert "is a file and a folder at once" in told(f"```{info}\na\n```", {there: b""})


def test_two_files_of_one_answer_that_exclude_each_other_are_refused() -> None:
    assert "'a.js' is a file and a folder" in told("```txt a.js\n1\n```\n```txt a.js/b.js\n2\n```")


def test_names_that_differ_by_case_alone_are_told() -> None:
    text = "```html INDEX.HTML\na\n```"
    assert "'INDEX.HTML' differs from 'index.html' in upper and lower case alone" in told(text, {"index.html": b""})
    assert "in upper and lower case alone" in told(f"{text}\n```html index.html\na\n```")
    assert parse_answer(text, {"index.html": b"", "INDEX.HTML": b""}).files == {"INDEX.HTML": b"a\n"}


@pytest.mark.parametrize(("char", "words"), [("\0", "NUL"), ("\ud83d", "surrogate")])
def test_what_is_no_text_is_told(char: str, words: str) -> None:
    assert words in told(f"```js app.js\n{char}\n```\n")


def test_what_is_told_has_a_bound() -> None:
    message = told("".join(f"```js\n{number}\n```\n" for number in range(500)))
    assert "and 492 more" in message and len(message) < 2_000
    assert len(told(f"```js {'../' * 50_000}\nx\n```\n")) < 2_000


@pytest.mark.parametrize(
    "text", ["[" * 200_000, "```js " + "../" * 60_000 + ":\nx\n```\n", "```js\n//" + " " * 200_000 + "x\n```\n"]
)
def test_hostile_answers_are_read_in_seconds(text: str) -> None:
    start = time.monotonic()
    parse_answer(text)
    assert time.monotonic() - start < 20
