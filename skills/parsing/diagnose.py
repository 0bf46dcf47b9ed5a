"""What is to be said of a skill before it is given to anybody: its bytes, its frontmatter, its body, its folder.

What clients do with each fault is in `claims`; what a body names and what runs when it is loaded, in `mentions`.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePosixPath

from skills.parsing import frontmatter
from skills.parsing.frontmatter import BREAK, FrontmatterKey, Head, line_at
from skills.parsing.mentions import mentions
from skills.parsing.rules import Diagnostic, client_keys, found

#: Bytes of a SKILL.md above which its cost is told.
LARGE = 100_000
#: The specification's limits: characters of name, description and compatibility, and its advice on lines of body.
NAME, DESCRIPTION, COMPATIBILITY, BODY = 64, 1024, 500, 500
#: What the client with the least room shows of a description.
SHOWN = 250
KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_KINDS = {"int": "number", "float": "number", "bool": "truth value", "null": "null", "seq": "list", "map": "map"}


def lenient(data: bytes) -> str:
    """The bytes as text, whatever they are: what is not UTF-8 becomes U+FFFD."""
    return data.decode("utf-8", errors="replace")


def diagnose(
    data: bytes, folder: str, files: Collection[str], links: Sequence[str] = (), filename: str = "SKILL.md"
) -> tuple[Diagnostic, ...]:
    """All that is to be said of a skill, by line; what is about the file or the folder as a whole comes first.

    `data` is its SKILL.md, found as `filename` in `folder`; `files` are the names of its other files, `links` of those entries
    that are links.
    """
    items = [*_folder(files, links, filename), *_bytes(data)]
    if not is_utf16(data):
        text = lenient(data)
        head = frontmatter.read(text)
        items += [*head.problems, *_values(head, folder), *_body(text, files)]
    return tuple(sorted(items, key=lambda item: item.line or 0))


def is_utf16(data: bytes) -> bool:
    """Whether this is UTF-16, with or without a byte order mark."""
    return data.startswith((b"\xff\xfe", b"\xfe\xff", b"-\x00-\x00-\x00", b"\x00-\x00-\x00-"))


def _folder(files: Collection[str], links: Sequence[str], filename: str) -> Iterator[Diagnostic]:
    if filename != "SKILL.md":
        yield found("file-case-lower" if filename == "skill.md" else "file-case", name=filename)
    for name in sorted(files):
        if PurePosixPath(name).name == "SKILL.md":
            yield found("nested-skill", path=name)
    for name in links:
        yield found("symlink-skill") if name == filename else found("symlink", path=name)


def _bytes(data: bytes) -> Iterator[Diagnostic]:
    if len(data) > LARGE:
        yield found("large", size=len(data), tokens=len(data) // 4)
    if is_utf16(data):
        yield found("encoding-utf16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "encoding-utf16-unmarked", 1)
        return
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        yield found("encoding", _line(data, error.start), at=error.start, byte=data[error.start])
    if data.startswith(b"\xef\xbb\xbf"):
        yield found("bom", 1)
    if b"\0" in data:
        yield found("nul", _line(data, data.index(b"\0")), count=data.count(b"\0"))
    if data.strip() and not data.endswith((b"\n", b"\r")):
        yield found("no-final-newline", _line(data, len(data)))
    yield from _line_ends(data)


def _line_ends(data: bytes) -> Iterator[Diagnostic]:
    if b"\r" not in data:
        return
    crlf = data.count(b"\r\n")
    counts = {"CRLF": crlf, "LF": data.count(b"\n") - crlf, "CR": data.count(b"\r") - crlf}
    kinds = [kind for kind, count in counts.items() if count]
    if len(kinds) > 1:
        ends = BREAK.findall(data.decode("latin-1"))
        odd = next(number for number, end in enumerate(ends, start=1) if end != ends[0])
        yield found("eol-mixed", odd, kinds=", ".join(f"{counts[kind]} {kind}" for kind in kinds))
    else:
        yield found("eol" if kinds == ["CRLF"] else "eol-cr")


def _line(data: bytes, index: int) -> int:
    return line_at(data[:index].decode("latin-1"), index)


def _values(head: Head, folder: str) -> Iterator[Diagnostic]:
    """What is wrong with what a frontmatter says, where there is one."""
    if not head.there:
        return
    yield from _name(head, folder)
    yield from _description(head)
    switch = head.entry("disable-model-invocation")
    switch = switch if switch and switch.text.lower() in ("true", "yes", "on", "1") else None
    for entry in head.entries or ():
        if entry is switch:
            plain = entry.kind == "bool" and entry.text.lower() == "true"
            yield found("hidden" if plain else "hidden-loosely", entry.line, value=entry.text)
        elif entry.key not in KEYS:
            yield found("client-key" if entry.key in client_keys() else "unknown-key", entry.line, key=entry.key)
        elif entry.key == "compatibility":
            yield from _compatibility(entry)
        elif entry.key == "allowed-tools" and entry.kind == "map":
            yield found("type-tools", entry.line)
        elif entry.key == "metadata" and entry.kind not in ("map", "null"):
            yield found("type-no-map", entry.line, kind=_KINDS.get(entry.kind, "text" if entry.kind == "str" else entry.kind))
        elif entry.key == "metadata":
            yield from (found("type-metadata", line, key=key) for key, kind, line in entry.values if kind != "str")


def _name(head: Head, folder: str) -> Iterator[Diagnostic]:
    entry, line = head.entry("name"), head.lines.get("name", 1)
    name = head.name
    if entry:
        yield from _kind(entry)
    if not name:
        yield found("name-missing", line, folder=folder)
        return
    if entry and entry.kind in ("list", "map"):
        return
    plain = unicodedata.normalize("NFKC", name)
    if not _NAME.fullmatch(name):
        words = plain.split("-")
        other = all(word.isalnum() for word in words) and plain == plain.lower()
        yield found("name-script" if other else "name-regex", line, name=name)
    if len(plain) > NAME:
        yield found("name-length", line, size=len(plain))
    if plain != unicodedata.normalize("NFKC", folder):
        yield found("name-dir", line, name=name, folder=folder)


def _description(head: Head) -> Iterator[Diagnostic]:
    entry, line = head.entry("description"), head.lines.get("description", 1)
    if entry:
        yield from _kind(entry)
    if not head.description:
        rule = "no-description" if entry is None else "null-description" if entry.written else "empty-description"
        yield found(rule, line, value=entry.written if entry else "")
    elif len(head.description) > DESCRIPTION:
        yield found("desc-length", line, size=len(head.description))
    elif len(head.description) > SHOWN:
        yield found("desc-cut", line, size=len(head.description), shown=SHOWN)


def _kind(entry: FrontmatterKey) -> Iterator[Diagnostic]:
    """A name or description that YAML does not read as text; an empty one is told elsewhere."""
    value, kind = entry.text, entry.kind
    if kind in ("list", "map"):
        yield found("type-text", entry.line, key=entry.key, kind=kind)
    elif kind == "timestamp":
        yield found("type-date", entry.line, key=entry.key, value=value)
    elif kind == "bool" and value.lower() not in ("true", "false"):
        yield found("type-word", entry.line, key=entry.key, value=value)
    elif kind in ("int", "float", "bool"):
        yield found("type-scalar", entry.line, key=entry.key, value=value, kind=_KINDS[kind])


def _compatibility(entry: FrontmatterKey) -> Iterator[Diagnostic]:
    if entry.kind in ("list", "map"):
        yield found("type-compatibility", entry.line, kind=entry.kind)
    elif not entry.text.strip():
        yield found("compat-empty", entry.line)
    elif len(entry.text) > COMPATIBILITY:
        yield found("compat-length", entry.line, size=len(entry.text))


def _body(text: str, files: Collection[str]) -> Iterator[Diagnostic]:
    body = frontmatter.split(text)[1]
    first = line_at(text, len(text) - len(body))
    if not body.strip("\0 \t\r\n\f\v\ufeff"):
        yield found("empty-body")
        return
    size = len(BREAK.findall(body)) + (not body.endswith(("\n", "\r")))
    if size > BODY:
        yield found("long-body", first + BODY, size=size)
    yield from mentions(body, first, files)
