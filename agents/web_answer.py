"""Reading a model's answer: which fenced code block is which file, and what of it is not understood for certain.

Markdown is parsed by markdown-it. An answer is taken whole or not at all: a block is a file whose name is certain, or an
example that is marked as one, or a problem that the model is told. Nothing is guessed and nothing is dropped in silence.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from markdown_it import MarkdownIt
from markdown_it.token import Token

from benchmark.core.files import Files, UnsafeName, safe_name

#: Languages of commands and of what they print: blocks of these that name no file are examples.
EXAMPLES = frozenset(
    (
        *("bash", "sh", "shell", "zsh", "console", "shell-session", "terminal", "powershell", "ps1", "bat", "cmd"),
        *("text", "txt", "plaintext", "plain", "output", "log"),
    )
)
#: Names of languages and platforms that look like a file's.
PLATFORMS = frozenset(("asp.net", "next.js", "node.js", "nuxt.js", "three.js", "vue.js"))
#: How much of what is wrong is told, in problems and in characters of a name.
PROBLEMS = 8
SHOWN = 80
#: Longer than any path that can be written.
LONGEST = 4_096
HOW = (
    "Give every file once, whole, in a block that begins ```language path: a path relative to the project's folder, with / "
    'between folders, and path="…" around an unusual one. Use a longer fence (````) around a file that contains ``` itself. '
    "What is not a file goes into a ```text or ```bash block without a path."
)
NO_FILE = "No file was found in the answer. Put each file whole into a block that begins ```language path."

#: Links matter to nobody here, and thousands of opening brackets take half a minute to look for them.
MARKDOWN = MarkdownIt("commonmark").disable(["link", "image", "entity"])
THOUGHT = r"(?:think|thinking|thought|reasoning)"
THINKING = re.compile(rf"\s*<({THOUGHT})>.*?</\1>", re.DOTALL | re.IGNORECASE)
OPENS_THINKING = re.compile(rf"\s*<{THOUGHT}>", re.IGNORECASE)
#: Models whose prompt ends with the opening tag answer with the closing one alone.
ENDS_THINKING = re.compile(rf"[ \t]*</{THOUGHT}>[ \t]*", re.IGNORECASE)
#: Markup outside of code blocks that means something to whoever writes files.
MARKUP = re.compile(
    rf"</?{THOUGHT}\b|<(?:file|create_file|write_file|write_to_file)\b|<[\w:.-]+\s[^<>]*\b(?:path|filename|filepath)\s*=", re.I
)
#: A line that would begin or end a fence, were it outside of everything else.
FENCE = re.compile(r"[\s>*+\-\d.)]*(`{3,}|~{3,})")
MARKED = r"(?:file|filename|file[_-]?path|path|title|name)\s*[:=]\s*"
INFO = re.compile(rf"(?:(?!{MARKED})[a-z][\w+#-]*(?:\s*:\s*|\s+))?(?P<mark>{MARKED})?(?P<name>\S.*)", re.IGNORECASE)
LANGUAGE = re.compile(r"[a-z][\w+#.-]*", re.IGNORECASE)
QUOTED = re.compile(r"""(["'`])(?P<name>[^"'`]+)\1""")
BRACKETS = re.compile(r"\[([^\[\]]+)\]|\(([^()]+)\)|<([^<>]+)>")
#: What a path has only where it is quoted.
ODD = r"\s:=,;\"'`<>{}|*?#"
SUFFIX = r"\.[a-z]\w{0,19}"
#: What needs no mark to be a path: it ends like a file's name, or begins or climbs like a path.
PATH = re.compile(
    rf"(?!@)(?:[^{ODD}]*[/\\])?[\w.$+~\[\]-]*{SUFFIX}|(?:\.{{0,2}}[/\\]|[^{ODD}]*\.\.[/\\])[^{ODD}]*", re.IGNORECASE
)
WORD = re.compile(rf"[^{ODD}]+")
NUMBERED = re.compile(r"\d+[.)]\s+")
COMMENTS = (("//", ""), ("# ", ""), ("-- ", ""), ("/*", "*/"), ("<!--", "-->"))
OF_CHANGES = re.compile(r"(?:u?diff|patch)(?![\w.+#-])", re.IGNORECASE)
CHANGES = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|<{5,9} ?\w|>{5,9} ?\w|\*\*\* (?:Begin Patch|Update File:)", re.ASCII)
#: A comment that stands for what was left out, as models write it: "// ... existing code ...".
LEFT_OUT = re.compile(
    r"\s*(?://|#|/\*|<!--|\{/\*|--)\s*(?:\.{3}|…|\(?(?:the )?(?:rest of|remaining|existing|previous)\b.*"
    r"\b(?:code|unchanged|omitted|same|as before)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ParsedAnswer:
    """The files of one reply, and what is wrong with it in words for the model. One of the two is empty."""

    files: Files
    wrong: str | None = None


class _Unclear(ValueError):
    """Something in an answer is not understood for certain; the message says what, and is for the model."""


@dataclass(frozen=True)
class _Block:
    """A code block: its fence (none where it is indented), what is said beside it, the path right above it, what it holds."""

    line: int
    fence: str
    info: str
    content: str
    closed: bool
    above: str | None

    def __str__(self) -> str:
        shown = _short(self.fence + self.info) if self.fence else "indented text"
        return f"{shown} on line {self.line}"


def parse_answer(text: str, there: Mapping[str, bytes] | None = None) -> ParsedAnswer:
    """The files that a reply names, all of them or none. `there` are the workspace's files."""
    there = there or {}
    files: Files = {}
    if "\0" in text:
        return ParsedAnswer({}, "Nothing was written: the answer holds a NUL character.")
    try:
        text = _without_thinking(text)
    except _Unclear as unclear:
        return ParsedAnswer({}, f"Nothing was written: {unclear}.")
    tokens = MARKDOWN.parse(text)
    wrong = []
    for block in _blocks(tokens):
        try:
            name = _name(block, there)
            if name is None:
                continue
            name = safe_name(name)
            data = _content(block, name, there.get(name, b""))
            if files.setdefault(name, data) != data:
                raise _Unclear(f"gives {_short(name)} a second time and differently")
        except UnsafeName as unsafe:
            wrong.append(f"{block}: {unsafe}")
        except _Unclear as unclear:
            wrong.append(f"{block} {unclear}")
    wrong += [*_lost(text, tokens), *_clashes(files, there)]
    if wrong:
        more = f"; and {len(wrong) - PROBLEMS} more" if len(wrong) > PROBLEMS else ""
        return ParsedAnswer({}, f"Nothing was written. Not understood: {'; '.join(wrong[:PROBLEMS])}{more}. {HOW}")
    return ParsedAnswer(files) if files else ParsedAnswer({}, NO_FILE)


def _without_thinking(text: str) -> str:
    """The answer with what the model thought before it left empty, so that lines keep their numbers."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    start = 0
    while thought := THINKING.match(text, start):
        start = thought.end()
    if OPENS_THINKING.match(text, start):
        raise _Unclear("the answer ends before its thinking does; close it, and give the files after it")
    if start == 0:
        lines = text.split("\n")
        inside = _fenced(MARKDOWN.parse(text))
        for number, line in enumerate(lines):
            if ENDS_THINKING.fullmatch(line) and number not in inside:
                before = "\n".join(lines[:number])
                start = 0 if MARKUP.search(before) else len(before) + 1 + len(line)
                break
    return "\n" * text.count("\n", 0, start) + text[start:]


def _blocks(tokens: Sequence[Token]) -> Iterator[_Block]:
    """The fenced blocks of a document in order, and indented ones that a name stands above."""
    above: str | None = None
    for token in tokens:
        if token.type == "inline":
            above = _last_line(token)
        elif token.map and (token.type == "fence" or (token.type == "code_block" and above)):
            lines = token.content.count("\n") + (not token.content.endswith("\n") and token.content != "")
            closed = token.map[1] - token.map[0] == lines + 2
            yield _Block(token.map[0] + 1, token.markup, token.info.strip(), token.content, closed, above)
        # Only what stands right above a block may name it.
        if token.type != "inline" and not token.type.endswith("_close"):
            above = None


def _last_line(inline: Token) -> str | None:
    """The path that the last line of a heading or paragraph consists of, emphasis, numbering and a colon aside."""
    words: list[str] = []
    for child in inline.children or []:
        words = [] if child.type in ("softbreak", "hardbreak") else [*words, child.content]
    return _path(NUMBERED.sub("", "".join(words).strip(), count=1).removesuffix(":"))


def _path(text: str) -> str | None:
    """The path that a text consists of, with or without "file:" before it."""
    text = re.sub(rf"^{MARKED}", "", text.strip(), count=1, flags=re.IGNORECASE)
    return text if len(text) <= LONGEST and PATH.fullmatch(text) else None


def _name(block: _Block, there: Mapping[str, bytes]) -> str | None:
    """The file that a block is; None for an example. Raises _Unclear."""
    if not block.fence:
        raise _Unclear(f"is named {_short(block.above or '')} and not fenced")
    if not block.closed:
        raise _Unclear("is not closed")
    opener = next((line for line in block.content.split("\n") if _would_open(line, block.fence)), None)
    if opener is not None:
        raise _Unclear(f"holds the line {_short(opener.strip())}, so that its end is not certain: use a longer fence around it")
    name = _from_info(block.info, there)
    if name is not None:
        return name
    if not block.info:
        # It may as well be the end of a file that holds a fence, and what follows up to the next end.
        raise _Unclear("has neither a language nor a path, so that it is not certain to be the beginning of a block")
    found = {path for path in (block.above, _from_comment(block)) if path}
    if len(found) > 1:
        raise _Unclear(f"is named in two ways: {' and '.join(map(_short, sorted(found)))}")
    if block.info.lower() in EXAMPLES:
        if found:
            raise _Unclear(f"is an example by its language and {_short(found.pop())} by what names it")
        return None
    if not found:
        raise _Unclear("names no file")
    return found.pop()


def _would_open(line: str, fence: str) -> bool:
    """Whether a line inside a block begins a block of its own that the outer fence does not outweigh."""
    return re.match(rf" {{0,3}}{fence[0]}{{{len(fence)},}}\s*[^\s{fence[0]}]", line) is not None


def _from_info(info: str, there: Mapping[str, bytes]) -> str | None:
    """The name in an info string; None where it is a language alone. Raises _Unclear for anything else."""
    given = INFO.fullmatch(info)
    if given is None:  # it is empty
        return None
    name = given["name"].strip()
    if info in there or name in there:
        return info if info in there else name
    # A title may be one of the block and not of the file.
    marked = given["mark"] and not given["mark"].lower().startswith(("title", "name"))
    if quoted := QUOTED.fullmatch(name):
        name = quoted["name"]
        certain = marked or re.search(f"{SUFFIX}$", name, re.IGNORECASE)
    else:
        if bracketed := BRACKETS.fullmatch(name):
            name = next(filter(None, bracketed.groups()))
        certain = (marked and WORD.fullmatch(name)) or (_path(name) == name and info.lower() not in PLATFORMS)
    if certain:
        return name
    if LANGUAGE.fullmatch(info) and info.lower() not in PLATFORMS:
        return None
    raise _Unclear(f"has {_short(name)} beside its fence, which is not certain to be a file's path")


def _from_comment(block: _Block) -> str | None:
    """The path that a comment on the first line consists of. In Markdown and JSON that is no comment."""
    line = block.content.partition("\n")[0].strip()
    if block.info.lower() in ("md", "markdown", "json"):
        return None
    texts = (line.removeprefix(begin).removesuffix(end) for begin, end in COMMENTS if line.startswith(begin))
    return next(filter(None, map(_path, texts)), None)


def _content(block: _Block, name: str, before: bytes) -> bytes:
    """What a block holds, as a file's bytes. Raises _Unclear for anything but a whole file; `before` is the file so far."""
    known = set(before.decode(errors="replace").splitlines())
    new = [line for line in block.content.split("\n") if line not in known]
    if not name.lower().endswith((".diff", ".patch")) and (OF_CHANGES.match(block.info) or any(map(CHANGES.match, new))):
        raise _Unclear("holds changes and not a file: the whole file is wanted")
    short = next(filter(LEFT_OUT.match, new), None)
    if short is not None:
        raise _Unclear(f"leaves something out with {_short(short.strip())}: the whole file is wanted")
    try:
        return block.content.encode()
    except UnicodeEncodeError as error:
        raise _Unclear("holds half of a surrogate pair, which is no character") from error


def _fenced(tokens: Sequence[Token]) -> set[int]:
    """The numbers of all lines in fenced blocks, from 0."""
    return {line for token in tokens if token.type == "fence" and token.map for line in range(*token.map)}


def _lost(text: str, tokens: Sequence[Token]) -> list[str]:
    """What could have been meant as a file and is no block: fences within indented text or HTML, and markup for files."""
    inside = _fenced(tokens)
    lost = [
        f"line {number + 1}, {_short(line.strip())}, begins no code block where it stands"
        for number, line in enumerate(text.split("\n"))
        if number not in inside and FENCE.match(line)
    ]
    outside = [token for token in tokens if token.type == "html_block"]
    # Some tags of such protocols are no HTML; what is quoted as code says nothing.
    outside += [child for token in tokens for child in token.children or [] if child.type in ("html_inline", "text")]
    lost += [f"{_short(token.content.strip())} outside of a code block" for token in outside if MARKUP.search(token.content)]
    return lost


def _clashes(files: Files, there: Mapping[str, bytes]) -> list[str]:
    """What cannot be meant: a file that would have to be a folder at the same time, or that differs from another by case."""
    taken = {*files, *there}
    folders = {above.as_posix() for name in taken for above in PurePosixPath(name).parents}
    bad = [name for name in files if name in folders]
    bad += [name for name in files if any(above.as_posix() in there for above in PurePosixPath(name).parents)]
    same = {name.casefold(): name for name in [*files, *there]}
    others = [(name, same[name.casefold()]) for name in files if name not in there and same[name.casefold()] != name]
    return [f"{name!r} is a file and a folder at once" for name in bad] + [
        f"{_short(name)} differs from {_short(other)} in upper and lower case alone" for name, other in others
    ]


def _short(text: str) -> str:
    return repr(text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…")
