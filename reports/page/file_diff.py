"""What changed between two workspaces, as plain text of bounded size. Both sides are hostile: agents wrote them.

Nothing here is markup, no control character and no sign that turns the direction of text survives, and what was cut is said.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from benchmark.core.text import visible

#: Characters of one file's difference, and of all of them.
FILE_LIMIT, ALL_LIMIT = 8_000, 24_000
#: Characters of one line of a file, and of a file's name.
LINE_LIMIT, NAME_LIMIT = 400, 120
#: Files that are listed.
MOST_FILES = 40
#: Comparing takes time that grows with the square of lines that are alike: of a file, and of all files of a workspace.
FILE_LINES, ALL_LINES = 2_000, 6_000
FILE_BYTES = 256 * 1024


def plain(text: str, limit: int) -> str:
    """Text that can be shown anywhere: at most `limit` characters of it, what controls a terminal or a page written out."""
    head = visible(text[:limit], lines=True)
    return f"{head}… ({len(text) - limit} characters more)" if len(text) > limit else head


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file that differs: `change` is added, removed or changed; `diff` the unified difference of text, None with a `note`
    for what is binary or too large."""

    name: str
    change: str
    diff: str | None
    note: str | None


@dataclass(frozen=True, slots=True)
class Changes:
    """The files that differ, by name; the `note` says what is left out."""

    files: Sequence[FileChange]
    note: str | None


def changes(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Changes:
    """What differs between two workspaces."""
    names = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    files: list[FileChange] = []
    characters, lines = ALL_LIMIT, ALL_LINES
    for name in names[:MOST_FILES]:
        left, right = before.get(name), after.get(name)
        texts = _lines(left), _lines(right)
        count = sum(len(text) for text in texts if text is not None)
        diff: str | None = None
        if None in texts:
            note = "binary"
        elif _too_large(left, right, texts):
            note = "too large to be compared"
        elif characters <= 0 or count > lines:
            note = "not shown: the differences before it fill the space"
        else:
            diff, note = _unified(texts[0] or [], texts[1] or [], min(FILE_LIMIT, characters))
            note = note or (None if count else "empty file")
            characters -= len(diff)
            lines -= count
        change = "added" if left is None else "removed" if right is None else "changed"
        files.append(FileChange(plain(name, NAME_LIMIT), change, diff, note))
    more = len(names) - len(files)
    return Changes(files, "no file differs" if not names else f"{more} more files differ and are not listed" if more else None)


def _lines(data: bytes | None) -> list[str] | None:
    """The lines of a text file, nothing of no file; None of what is not text."""
    if data is None:
        return []
    if b"\0" in data:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    # Not splitlines: it would also end lines at signs that no editor takes for an end.
    rows = text.split("\n")
    return rows[:-1] if rows[-1] == "" else [*rows[:-1], f"{rows[-1]}\n\\ No newline at end of file"]


def _too_large(left: bytes | None, right: bytes | None, texts: Sequence[Sequence[str] | None]) -> bool:
    bytes_ = max(len(side) for side in (left or b"", right or b""))
    return bytes_ > FILE_BYTES or any(len(text or ()) > FILE_LINES for text in texts)


def _unified(before: Sequence[str], after: Sequence[str], limit: int) -> tuple[str, str | None]:
    """The unified difference without its two lines of names, cut at `limit` characters; and how much was cut."""
    # The two lines of names are the caller's to show.
    rows = [_row(row) for row in islice(difflib.unified_diff(before, after, lineterm=""), 2, None)]
    kept = _within(rows, limit)
    cut = len(rows) - len(kept)
    return "\n".join(kept), f"{cut} more lines of the difference are cut" if cut else None


def _row(row: str) -> str:
    # A last line without an end carries the sentence that says so on a line of its own.
    return "\n".join(plain(part, LINE_LIMIT) for part in row.split("\n"))


def _within(rows: Iterable[str], limit: int) -> list[str]:
    kept: list[str] = []
    for row in rows:
        limit -= len(row) + 1
        if limit < 0:
            break
        kept.append(row)
    return kept
