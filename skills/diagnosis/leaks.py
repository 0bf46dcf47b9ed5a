"""Words of a task or of its tests that stand in a skill: whoever reads such a skill was told the answer.

Three things are looked for, by counts in leaks.toml that neither our skills nor the corpus reach: words in a row that are a
task's (or the whole of a short title or label), words in a row of a check's or a solution's code, and several exact labels of
one project. What was reworded is not found, nor what has one label or a title of a few plain words in common.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmark.core.model import Data
from skills.parsing.parse import Skill

#: Characters that nobody sees: a word goes on after them.
UNSEEN = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
WORD = re.compile(rf"[^\W_]+(?:[{UNSEEN}]+[^\W_]+)*")
LABEL = re.compile(r'"([^"\n]{2,200})"|“([^”\n]{2,200})”|`([^`\n]{2,200})`')
LINE = re.compile(r"\r\n|\r|\n")
#: So much of a leak's words is shown on a line.
SHOWN = 100


@dataclass(frozen=True, slots=True)
class Passage:
    """Words that no skill may hold: of a `project`, `where` they stand in it, and whether they are code or sentences."""

    project: str
    where: str
    text: str
    code: bool = False


@dataclass(frozen=True, slots=True)
class Leak:
    """Words of `passage` in lines `first` to `last` of a skill's `file`; `text` is how the skill has them."""

    file: str
    first: int
    last: int
    passage: Passage
    text: str


class Counts(Data):
    """leaks.toml."""

    run: int
    whole: int
    code: int
    telling: int
    labels: int
    stop: frozenset[str]


@cache
def counts() -> Counts:
    return Counts.model_validate(tomllib.loads(Path(__file__).with_name("leaks.toml").read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True)
class _Word:
    """A word in plain form, and where it stands in its text: its line and its first and last characters."""

    plain: str
    line: int
    start: int
    end: int


class Watch:
    """Passages made ready to be looked for; one serves any number of skills."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._rows: dict[int, dict[tuple[str, ...], tuple[Passage, Sequence[str], int]]] = {}
        self.labels: dict[str, dict[str, Passage]] = {}
        for passage in passages:
            self._add(passage, passage.text)
            if not passage.code:
                for label in filter(None, (text for match in LABEL.finditer(passage.text) for text in match.groups())):
                    self._add(passage, label)
                    if len(label.split()) > 1:
                        self.labels.setdefault(passage.project, {}).setdefault(label, passage)

    def _add(self, passage: Passage, text: str) -> None:
        words = [word.plain for word in _words(text)]
        known = counts()
        length = known.code if passage.code else min(known.run, len(words))
        # Two words that are joined by a hyphen or a slash are a name of something, such as a header: no title.
        if length < known.run and (length < known.whole or len(text.split()) < known.whole):
            return
        rows = self._rows.setdefault(length, {})
        for at in range(len(words) - length + 1):
            row = tuple(words[at : at + length])
            if sum(word not in known.stop and not word.isdecimal() for word in row) >= known.telling:
                rows.setdefault(row, (passage, words, at))

    def runs(self, words: Sequence[str]) -> Iterator[tuple[int, int, Passage]]:
        """Where words in a row are a passage's: the first, the one after the last, and the passage. Longest kinds first."""
        for length, rows in sorted(self._rows.items(), reverse=True):
            at = 0
            while at <= len(words) - length:
                found = rows.get(tuple(words[at : at + length]))
                if found is None:
                    at += 1
                    continue
                passage, theirs, place = found
                end = length
                while at + end < len(words) and place + end < len(theirs) and words[at + end] == theirs[place + end]:
                    end += 1
                yield at, at + end, passage
                at += end


def leaks(skill: Skill, watch: Watch) -> list[Leak]:
    """What `skill` holds of the passages watched for, by file and line; files that are no text are left out."""
    found: list[Leak] = []
    texts = {name: text for name, data in {"SKILL.md": skill.data, **skill.files}.items() if (text := _text(data)) is not None}
    for name, text in texts.items():
        found += _runs(name, text, watch)
    for labels in watch.labels.values():
        seen = [(name, label, place) for label in labels for name, text in texts.items() for place in _places(label, text)]
        if len({label for _, label, _ in seen}) >= counts().labels:
            for name, label, place in seen:
                line = len(LINE.findall(texts[name], 0, place)) + 1
                if not any(leak.file == name and leak.first <= line <= leak.last for leak in found):
                    found.append(Leak(name, line, line, labels[label], label))
    return sorted(found, key=lambda leak: (leak.file != "SKILL.md", leak.file, leak.first, leak.last, leak.text))


def leak_lines(skill: Skill, found: Sequence[Leak]) -> Iterator[str]:
    """The leaks of a skill for the terminal, one line each."""
    for leak in found:
        lines = f"{leak.first}" if leak.first == leak.last else f"{leak.first}-{leak.last}"
        text = " ".join(leak.text.split())
        shown = text if len(text) <= SHOWN else f"{text[:SHOWN].rstrip()}…"
        yield f"{skill.id}/{leak.file}:{lines}: has words of {leak.passage.project}, {leak.passage.where}: “{shown}”"


def _runs(name: str, text: str, watch: Watch) -> list[Leak]:
    words = list(_words(text))
    found: list[Leak] = []
    covered: set[int] = set()
    for start, end, passage in watch.runs([word.plain for word in words]):
        if not covered.issuperset(range(start, end)):
            covered.update(range(start, end))
            first, last = words[start], words[end - 1]
            found.append(Leak(name, first.line, last.line, passage, text[first.start : last.end]))
    return found


def _places(label: str, text: str) -> Iterator[int]:
    """Where `text` has the label as it is spelled, not as a part of longer words."""
    at = text.find(label)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(label) : at + len(label) + 1]
        if not (before.isalnum() and label[0].isalnum()) and not (after.isalnum() and label[-1].isalnum()):
            yield at
        at = text.find(label, at + 1)


def _text(data: bytes) -> str | None:
    try:
        return None if b"\0" in data else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _words(text: str) -> Iterator[_Word]:
    """The words of a text, folded so that markup, case, width, line breaks and characters that nobody sees do not matter."""
    line, at = 1, 0
    for match in WORD.finditer(text):
        line += len(LINE.findall(text, at, match.start()))
        at = match.start()
        plain = match[0] if match[0].isascii() else unicodedata.normalize("NFKC", re.sub(f"[{UNSEEN}]", "", match[0]))
        yield _Word(plain.casefold(), line, match.start(), match.end())
