"""What the body of a skill names: files that should be in its folder, and tokens that clients replace or run on loading; and
code blocks that never end.

Paths are resolved against the skill's root, as clients do. Code blocks hold files of the project as well as the skill's: what
only they name is a note. Of tokens a code block protects nothing, so that it is only said where they stand.
"""

import posixpath
import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import TYPE_CHECKING, TypedDict
from urllib.parse import unquote

from skills.parsing.frontmatter import BREAK
from skills.parsing.rules import Diagnostic, found

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

#: A path into one of the folders that the specification names, from the skill's root (or from a placeholder for it), that
#: ends in a file name. Not a part of a longer path, of a URL or of a pattern. Bounded: a body may be hostile.
_PATH = re.compile(
    r"(?<![\w./\\@%+~$>}\]*-])(?:(?:\$?\{[\w:-]{0,40}(?:skill|base)[\w:-]{0,40}\}|<[\w -]{0,40}skill[\w -]{0,40}>)/)?(?:\./)?"
    r"((?:(?:\.\./){1,9}(?:\.?[\w-][\w.-]*/){0,9})?(?:references|scripts|assets)/[\w./@+-]*[\w-]\.[A-Za-z]\w*)(?![\w/*{<(\[+@-])",
    re.IGNORECASE,
)
#: A script without an ending, as a command at the beginning of a code span.
_SCRIPT = re.compile(r"(?<=`)(?:\./)?(scripts/[\w-]+)(?=[ `])")
_FOLDERS = ("references/", "scripts/", "assets/")
#: A target of a link that is a place elsewhere, or a placeholder.
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|/|#|www\.|.*[<>{}$*]", re.IGNORECASE)
#: Links that are relative and look like a file: a word alone ("url", "link") is an example.
_FILE = re.compile(r".*[./]")
_ARGUMENTS = re.compile(r"(?<!\\)\$ARGUMENTS\b(?:\[\d+\])?")
_COMMAND = re.compile(r"(?:^|(?<=\s))!`[^`]+`")
_SPAN = re.compile(r"(?<=\S)!`[^`]+`")
#: What a code block may lie in, and ends with.
_AROUND = {"list_item": "list item", "blockquote": "quote"}
_COMMAND_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})!")


def mentions(body: str, first: int, files: Collection[str]) -> Iterator[Diagnostic]:
    """What is to be said of what a body names; its first line is line `first` of SKILL.md, `files` are the folder's others."""
    named = any(folder in body for folder in _FOLDERS)
    dynamic = "!`" in body or "$ARGUMENTS" in body or "`!" in body or "~!" in body
    links = "](" in body or "]:" in body
    fences = "```" in body or "~~~" in body
    if not (named or dynamic or links or fences):
        return
    lines = BREAK.split(body)
    code, targets, unclosed = _structure(body, lines)
    for number, fence, within in unclosed:
        yield found("unclosed-fence", first + number, fence=fence, within=within)
    if dynamic:
        yield from _tokens(lines, code, first)
    found_at: dict[str, tuple[int, bool]] = {}
    for number, line in enumerate(lines) if named else ():
        targets += [(match[1], number) for pattern in (_PATH, _SCRIPT) for match in pattern.finditer(line)]
    for target, number in targets:
        # The place that is prose tells more than that in a code block.
        path, place = posixpath.normpath(target), (number, number in code)
        known = found_at.get(path)
        if known is None or (place[1], number) < (known[1], known[0]):
            found_at[path] = place
    for path, (number, coded) in sorted(found_at.items(), key=lambda item: item[1][0]):
        if path.startswith("../") or path == "..":
            yield found("reference-escape", first + number, path=path)
        elif not _there(path, files):
            yield found("dangling-code" if coded else "dangling-reference", first + number, path=path)


def _there(path: str, files: Collection[str]) -> bool:
    return path in files or path in (".", "SKILL.md") or any(name.startswith(f"{path}/") for name in files)


def _tokens(lines: list[str], code: Collection[int], first: int) -> Iterator[Diagnostic]:
    for number, line in enumerate(lines):
        where = ", also inside a code block" if number in code else ""
        if _COMMAND_FENCE.match(line):
            yield found("dynamic-command", first + number, token=line.strip(), where="")
        for rule, pattern in (("dynamic-command", _COMMAND), ("dynamic-span", _SPAN), ("dynamic-arguments", _ARGUMENTS)):
            if match := pattern.search(line):
                yield found(rule, first + number, token=match[0], where=where)


class _Reference(TypedDict):
    """What the reader keeps of a link's definition: the target, and the lines that it stands in."""

    href: str
    map: list[int]


def _structure(body: str, lines: list[str]) -> tuple[set[int], list[tuple[str, int]], list[tuple[int, str, str]]]:
    """The lines that are in code blocks, numbered from 0; the relative targets of links with the lines they are in; and of code
    blocks that are never closed the line, the fence, and what they end with, where that is not the file."""
    env: dict[str, dict[str, _Reference]] = {}
    reader = _reader()
    code: set[int] = set()
    targets: list[tuple[str, int]] = []
    unclosed: list[tuple[int, str, str]] = []
    within: list[str] = []
    for token in reader.parse(body, env):
        if token.nesting:
            if (around := _AROUND.get(token.type.rpartition("_")[0])) is not None:
                within.append(around) if token.nesting == 1 else within.pop()
        elif token.type in ("fence", "code_block") and token.map:
            code.update(range(*token.map))
            if token.type == "fence" and not _closed(token.markup, lines[token.map[0] + 1 : token.map[1]]):
                unclosed.append((token.map[0], token.markup, f" to the end of its {within[-1]}" if within else ""))
        elif token.type == "inline" and token.map and "](" in token.content:
            inner: list[Token] = []
            reader.inline.parse(token.content, reader, env, inner)
            for href in (str(item.attrs.get("href") or item.attrs.get("src") or "") for item in inner):
                if target := _relative(href):
                    targets.append((target, _line_of(href, lines, token.map)))
    for row in env.get("references", {}).values():
        if target := _relative(row["href"]):
            targets.append((target, row["map"][0]))
    return code, targets, unclosed


def _closed(fence: str, lines: list[str]) -> bool:
    """Whether the last of a code block's lines after its first ends it: nothing but a fence as long, behind the markers of what
    is around it."""
    return bool(lines) and re.fullmatch(rf"[\s>]*{re.escape(fence)}{re.escape(fence[0])}*[ \t]*", lines[-1]) is not None


def _relative(href: str) -> str | None:
    """The path that a link leads to, None where that is no file beside the skill."""
    path = unquote(re.split(r"[#?]", href, maxsplit=1)[0])
    return path if path and not _ELSEWHERE.match(path) and _FILE.match(path) else None


def _line_of(href: str, lines: list[str], place: list[int]) -> int:
    """The line of a block in which a target is written: links may be written otherwise than they are given."""
    written = (href, unquote(href))
    return next((number for number in range(*place) if any(form in lines[number] for form in written)), place[0])


@cache
def _reader() -> "MarkdownIt":
    """A reader of CommonMark's blocks alone: what is in them is read only where it may hold links, which is dear."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark")
    reader.core.ruler.enableOnly(["normalize", "block"])
    return reader
