"""What the model was sent of a skill: listed, opened, and which of its bytes, from the texts of requests alone.

The same look at the requests of C0 proves its absence, for any skill, also long after the trial. Clients number lines, wrap
them, cut them, and put files into JSON or XML: both sides are brought to one plain form before they are compared.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from benchmark.core.model import Evidence
from skills.parsing.parse import Skill

#: A line of prose says where it comes from when it has this many characters; code and headings occur anywhere.
TELLING = 24
#: A shorter line than this is not looked for at all: it was seen when its neighbours were.
SHORT = 16
#: Clients cut lines of 2,000 characters and more; long ones are looked for in pieces of about this many.
PIECE = 200
#: So many telling lines of which each follows the other in the body, or half of all, mean that it was opened: sentences that
#: related texts share stand scattered.
ENOUGH = 3
#: Clients cut long descriptions, at 80 characters and more; an ellipsis may be among them.
START = 72
#: Bytes, about, of the lines that are known from earlier requests, to be passed over; and what one takes beside its letters.
#: Beyond that all are forgotten and looked through again, which takes time and changes nothing that is found.
KNOWN_BYTES = 64_000_000
LINE_BYTES = 120
#: A list has a skill's name within so many characters of its description.
NEAR = 400

_CHUNK = re.compile(rf"\s*\S{{1,{PIECE}}}\s*")
_FENCE = re.compile(r"\s*(```|~~~)")
#: Matches begin where a run of backslashes does: a million of them must not be tried from each.
_ESCAPED_SPACE = re.compile(r"(?<!\\)\\+[nrt]")
_ESCAPED_CODE = re.compile(r"(?<!\\)(?:\\+u[0-9a-fA-F]{4})+")
_ENTITY = re.compile(r"&(?:amp;)*(lt|gt|amp|quot|apos|#39|#34|#x27|#x22);")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "#39": "'", "#34": '"', "#x27": "'", "#x22": '"'}
#: Stands between lines that did not follow each other; in no text.
_GAP = "\x00"


@dataclass(frozen=True)
class Marks:
    """What to look for of one skill, in plain form.

    `segments` are the body from its beginning to its end: a line (or a piece of one) and its bytes, None for a line that is
    not looked for. `telling` are those, in their order, that prove that it was opened when a `run` of them or half are seen;
    where there are none, nothing can prove it.
    """

    names: tuple[str, ...]
    description: str
    data: str
    segments: tuple[tuple[str | None, int], ...]
    telling: tuple[str, ...]
    run: int
    body_bytes: int


def marks(skill: Skill, known: Iterable[str] = ()) -> Marks:
    """The marks of `skill`; what occurs in `known` (the task's own files and words) tells nothing and is left out."""
    elsewhere = "\n".join(_plain(text) for text in known)
    # Clients that list a skill without a description show how its body begins.
    described = _plain(skill.description) or next((_plain(line) for line, prose in _lines(skill.body) if prose), "")
    names = tuple(dict.fromkeys((_plain(skill.name), _plain(skill.ref.folder))))
    if _listed(names, described, elsewhere):
        described = ""
    segments: list[tuple[str | None, int]] = []
    prose: list[str] = []
    for raw, telling in _pieces(skill.body):
        plain = _plain(raw)
        sought = len(plain) >= SHORT and plain not in elsewhere and plain not in described
        segments.append((plain if sought else None, len(raw.encode())))
        if sought and telling and len(plain) >= TELLING:
            prose.append(plain)
    telling, run = _proof(prose, [line for line, _ in segments if line])
    return Marks(names, described, skill.text, tuple(segments), telling, run, len(skill.body.encode()))


def _proof(prose: Sequence[str], every: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """The lines that prove that a body was opened, and how many in a row do."""
    prose, every = tuple(dict.fromkeys(prose)), tuple(dict.fromkeys(every))
    if len(prose) >= ENOUGH:
        return prose, ENOUGH
    if sum(map(len, every)) < ENOUGH * SHORT:
        return (), 0
    # A body of little but code: a row of its lines may be anybody's, half of them are not.
    return every, len(every)


def look(skill: Marks, requests: Iterable[str]) -> Evidence:
    """The evidence of one attempt. `requests` are the texts that the model was sent, one a request, in their order."""
    return looks([skill], requests)[0]


def looks(skills: Sequence[Marks], requests: Iterable[str]) -> list[Evidence]:
    """The evidence of several skills in the same requests, at little more than the cost of one.

    A conversation is sent again with every request: only lines that are new in it are looked through, so that the time
    grows with what was said and not with how often.
    """
    found = [_SkillSighting(skill) for skill in skills]
    known: set[str] = set()
    held = 0
    for text in requests:
        fresh = _fresh(text, known)
        held += len(fresh) + LINE_BYTES * (fresh.count("\n") + 1)
        if held > KNOWN_BYTES:
            known, held = set(), 0
        words = _words(fresh)
        plain, different = " ".join(words), set(words)
        for one in found:
            one.see(text, plain, different)
    return [one.evidence() for one in found]


@dataclass
class _SkillSighting:
    """What was seen of one skill so far."""

    skill: Marks
    requests: int = 0
    carrying: int = 0
    listed: int | None = None
    opened: int | None = None
    seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        # A word inside a line stands alone wherever the line does, which is quickly told of a text.
        self._left = {line: max(line.split()[1:-1], key=len, default=None) for line, _ in self.skill.segments if line}

    def see(self, text: str, plain: str, words: set[str]) -> None:
        self.requests += 1
        self.carrying += self.skill.data in text
        if self.listed is None and _listed(self.skill.names, self.skill.description, plain):
            self.listed = self.requests
        here = [line for line, word in self._left.items() if (word is None or word in words) and line in plain]
        for line in here:
            del self._left[line]
        self.seen.update(here)
        if here and self.opened is None and self._proven():
            self.opened = self.requests

    def _proven(self) -> bool:
        telling = self.skill.telling
        row = longest = count = 0
        for line in telling:
            row = row + 1 if line in self.seen else 0
            longest, count = max(longest, row), count + (row > 0)
        return longest >= self.skill.run > 0 or count >= max(min(ENOUGH, len(telling)), len(telling) / 2) > 0

    def evidence(self) -> Evidence:
        opened = self.opened is not None
        return Evidence(
            requests=self.requests,
            carrying=self.carrying,
            listed=self.listed,
            opened=self.opened,
            lines=sum(line in self.seen for line in self.skill.telling) if opened else 0,
            body_lines=len(self.skill.telling),
            bytes=self._covered() if opened else 0,
            body_bytes=self.skill.body_bytes,
        )

    def _covered(self) -> int:
        """The bytes of what was seen. A line that is not looked for was seen where those on both sides of it were."""
        bytes_seen, between, before = 0, 0, True
        for line, size in self.skill.segments:
            if line is None:
                between += size
                continue
            here = line in self.seen
            bytes_seen += (between if before and here else 0) + (size if here else 0)
            between, before = 0, here
        return bytes_seen + (between if before else 0)


def _listed(names: Sequence[str], description: str, plain: str) -> bool:
    """Whether the text has the description, as far as clients show it, and beside it one of the names."""
    start = description[:START]
    at = plain.find(start) if start else -1
    while at >= 0:
        near = plain[max(0, at - NEAR) : at] + _GAP + plain[at + len(start) : at + len(description) + NEAR]
        if any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", near) for name in names):
            return True
        at = plain.find(start, at + 1)
    return False


def _fresh(text: str, known: set[str]) -> str:
    """The lines of a text that are not among the `known`, which they are from now on."""
    lines = text.split("\n")
    kept: list[str] = []
    for line in lines:
        if line not in known:
            kept.append(line)
        elif kept and kept[-1] is not _GAP:
            kept.append(_GAP)
    known.update(lines)
    return "\n".join(kept)


def _lines(body: str) -> Iterator[tuple[str, bool]]:
    """The lines of a body as they are, and whether they are prose: no code, no heading, not blank."""
    fence = None
    for line in body.splitlines(keepends=True):
        found = _FENCE.match(line)
        edge = bool(found and fence in (None, found[1]))
        if found and edge:
            fence = None if fence else found[1]
        yield line, not (edge or fence or line.startswith("#")) and bool(line.strip())


def _pieces(body: str) -> Iterator[tuple[str, bool]]:
    """The same with long lines in pieces, which together are the line."""
    for line, prose in _lines(body):
        piece = ""
        for chunk in _CHUNK.findall(line) if len(line.strip()) > PIECE else ():
            if len(piece) + len(chunk) > PIECE and piece.strip():
                yield piece, prose
                piece = ""
            piece += chunk
        yield piece or line, prose


def _plain(text: str) -> str:
    return " ".join(_words(text))


def _words(text: str) -> list[str]:
    """The words of a text in plain form: no runs of white space, nothing escaped for JSON (however often) or XML.

    Both sides lose the same, such as the backslashes that were in the text itself.
    """
    if "\\" in text:
        if "\\u" in text:
            text = _ESCAPED_CODE.sub(_decoded, text)
        text = _ESCAPED_SPACE.sub(" ", text).replace("\\", "")
    if "&" in text:
        text = _ENTITY.sub(lambda found: _ENTITIES[found[1]], text)
    return text.replace("\ufeff", "").split()


def _decoded(found: re.Match[str]) -> str:
    units = b"".join(int(code[:4], 16).to_bytes(2, "big") for code in re.split(r"\\+u", found[0]) if code)
    return units.decode("utf-16-be", "replace")
