"""Irrelevant words and code of a partner, in the form and at the length of what they replace (METHOD.md, L3).

Of a line stays what makes it a heading, an item, a row, a quote or code; of a label that it is bold, of a tag that it is there.
Marks (❌, ✅), labels, column heads and the names of tags go with the words, for they say what is good and what is bad.
"""

import random
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache

from skills.matching.similar import UNSPACED
from skills.parsing.blocks import Block, blocks_of, lines_of
from skills.parsing.parse import Skill

#: Less code than this many bytes would only repeat itself: fences are then filled with words.
LEAST_CODE = 40
#: So many words in a row are those of a text; fewer anybody writes.
SHINGLE = 5
#: A longer word or piece of code is an address or data, and not taken.
LONGEST = 40

Shingle = tuple[str, ...]

_PLAIN = re.compile(r"\w+")
_ONE = UNSPACED.pattern
_WORD = re.compile(rf"{_ONE}[。，、；]?|(?!{_ONE})[^\W\d_](?:(?:(?!{_ONE})[\w'’./-])*(?!{_ONE})\w)?[.,;]?")
#: What makes a line what it is: indentation, signs of quotes, items and headings, a checkbox.
_FRAME = re.compile(r"(?:[ \t]+|>|(?:[-*+]|\d{1,9}[.)]|\[[ xX]\]|#{1,6})(?=[ \t]))*")
_QUOTED, _INDENT = re.compile(r"[ \t]*(?:>[ \t]*)*"), re.compile(r"[ \t]*")
#: Underlines of headings and tables.
_DRAWN = re.compile(r"[-=:|\s]+")
_LABEL = re.compile(r"(\*\*|__)(\S(?:.*?\S)??)\1([:：]?)")
_CELL = re.compile(r"((?<!\\)\|)")
_OPENS = re.compile(r"([^`~]*(?:`{3,}|~{3,})[ \t]*[\w+#.-]*)(.*)")
_CLOSES = re.compile(r"[ \t>]*(?:`{3,}|~{3,})\s*")
_HTML = re.compile(r"(</?[A-Za-z][\w-]*)[^<>]*(>?)")
_TAG = re.compile(rb"(\s*</?)([\w.-]+)([^>]*)(>\s*)")


class Filler:
    """The text of a partner as two streams, words and code, from drawn places on, round and round.

    What the partner says in words that it is to `avoid` is left out: skills of one author share sentences.
    """

    def __init__(self, partner: Skill, draw: random.Random, avoid: Set[Shingle]) -> None:
        words, code = _stock(partner.body, f"{partner.name} {partner.description}")
        self._words = _Stream(_Words(_other(words, avoid)) or _Words(["skill"]), draw)
        self._code = _Stream(found, draw) if (found := _Words(_other(code, avoid))) else self._words

    def block(self, block: Block, lines: Sequence[bytes]) -> list[bytes]:
        """The lines of a block with other words in them: as many lines, each of as many bytes."""
        filled = []
        for number, line in enumerate(lines):
            bare = line.rstrip(b"\r\n")
            text = bare.decode("utf-8", "replace")
            if block.form in ("fence", "code"):
                text = self._coded(block, text, first=number == 0, last=number == len(lines) - 1)
            else:
                text = self._line(block, text)
            filled.append(text.encode() + line[len(bare) :])
        return filled

    def _coded(self, block: Block, text: str, *, first: bool, last: bool) -> str:
        if block.form == "fence" and first:
            # The language stays; what else is said of the code goes.
            opened = _OPENS.fullmatch(text)
            return opened[1] + opened[2][:1] + self._in_place_of(opened[2][1:]) if opened else text
        if block.form == "fence" and last and _CLOSES.fullmatch(text):
            return text
        quoted = any(one.form == "quote" for one in block.within)
        # Indented code may begin on the line of an item's marker.
        head, rest = _parted(_FRAME if first else _QUOTED if quoted else _INDENT, text)
        return head + self._in_place_of(rest, self._code)

    def _line(self, block: Block, text: str) -> str:
        head, rest = _parted(_FRAME, text)
        if _DRAWN.fullmatch(rest):
            return text
        if block.form in ("row", "head"):
            return head + "".join(cell if cell == "|" else self._in_place_of(cell) for cell in _CELL.split(rest))
        if block.form == "html":
            return head + self._html(rest)
        label = _LABEL.match(rest)
        if not label:
            return head + self._introducing(rest)
        # A label in bold stays one.
        return f"{head}{label[1]}{self._introducing(label[2])}{label[1]}{label[3]}{self._introducing(rest[label.end() :])}"

    def _introducing(self, text: str) -> str:
        """Other words; a colon at their end stays."""
        bare = text.rstrip()
        end = len(bare) - 1 if len(bare) > 1 and bare.endswith((":", "：")) else len(bare)
        return self._in_place_of(text[:end]) + text[end:]

    def _html(self, text: str) -> str:
        """Tags stay without their attributes, whose bytes go to the words."""
        out, at, spare = "", 0, 0
        for tag in _HTML.finditer(text):
            out += self._in_place_of(text[at : tag.start()], spare=spare)
            spare = 0 if text[at : tag.start()].strip() else spare
            out, at = out + tag[1] + tag[2], tag.end()
            spare += len(tag[0].encode()) - len((tag[1] + tag[2]).encode())
        return out + (self._in_place_of(text[at:], spare=spare) if text[at:].strip() else self._words.take(spare))

    def _in_place_of(self, text: str, stream: "_Stream | None" = None, spare: int = 0) -> str:
        """As many bytes of other words, and `spare` more; the spaces at both ends stay."""
        bare = text.strip()
        if not bare:
            return text
        start = text.index(bare)
        return text[:start] + (stream or self._words).take(len(bare.encode()) + spare) + text[start + len(bare) :]


class _Words:
    """Words in order, and where those of a length stand."""

    def __init__(self, words: Iterable[str]) -> None:
        self.list = [word for word in words if len(word.encode()) <= LONGEST]
        self._places: dict[int, list[int]] = {}
        for place, word in enumerate(self.list):
            self._places.setdefault(len(word.encode()), []).append(place)

    def __bool__(self) -> bool:
        return bool(self.list)

    def sized(self, size: int, after: int) -> int | None:
        """The place of the next word of `size` bytes from a place on, round and round; None where there is none."""
        places = self._places.get(size)
        return places[bisect_left(places, after) % len(places)] if places else None


class _Stream:
    """Words in their order from a drawn place on, as many as fill a number of bytes."""

    def __init__(self, words: _Words, draw: random.Random) -> None:
        self._words = words
        self._at = draw.randrange(len(words.list))

    def take(self, size: int) -> str:
        """Text of exactly `size` bytes: whole words one after the other, and last the next one that is just long enough."""
        out = ""
        while len(out.encode()) < size:
            word = self._words.list[self._at]
            if len(_joined(out, word).encode()) > size:
                return self._ended(out, word, size)
            out = _joined(out, word)
            self._at = (self._at + 1) % len(self._words.list)
        return out

    def _ended(self, out: str, word: str, size: int) -> str:
        """A text with its last word: one that fits, in place of the one before it where none does."""
        for begun in dict.fromkeys((out, out.rpartition(" ")[0])):
            room = size - len(begun.encode())
            for length in (room - 1, room) if begun else (room,):
                place = self._words.sized(length, self._at)
                if place is not None and len((whole := _joined(begun, self._words.list[place])).encode()) == size:
                    self._at = (place + 1) % len(self._words.list)
                    return whole
        cut = _joined(out, word).encode()[:size].decode("utf-8", "ignore").rstrip()
        return cut + "." * (size - len(cut.encode()))


@lru_cache(maxsize=256)
def _stock(body: str, said: str) -> tuple[list[str], list[str]]:
    """A skill's words and pieces of code; words of what is `said` of it where its body has none."""
    blocks, _ = blocks_of(lines_of(body.encode()))
    prose = " ".join(block.text for block in blocks if block.form in ("paragraph", "row", "heading"))
    code = " ".join(block.text for block in blocks if block.form in ("fence", "code"))
    pieces = re.sub(r"[`~]", " ", code).split() if len(code.encode()) >= LEAST_CODE else []
    return _WORD.findall(prose) or _WORD.findall(said), pieces


def shingles(text: str) -> set[Shingle]:
    """All runs of SHINGLE words of a text, whatever stands between them."""
    words = _PLAIN.findall(text.lower())
    return {tuple(words[at : at + SHINGLE]) for at in range(len(words) - SHINGLE + 1)}


def _other(words: Iterable[str], avoid: Set[Shingle]) -> Iterator[str]:
    """Words without those that would end a run that is to be avoided."""
    last: list[str] = []
    for word in words:
        tail = [*last, *_PLAIN.findall(word.lower())]
        if avoid.isdisjoint(tuple(tail[at : at + SHINGLE]) for at in range(len(tail) - SHINGLE + 1)):
            last = tail[1 - SHINGLE :]
            yield word


def renamed(line: bytes) -> bytes:
    """The line of a lone tag with another name that says nothing, as long as its own."""
    tag = _TAG.fullmatch(line)
    return tag[1] + _nothing(len(tag[2])) + tag[3][:1] + _nothing(len(tag[3]) - 1) + tag[4] if tag else line


def _nothing(size: int) -> bytes:
    return (b"tag" * (size // 3 + 1))[: max(0, size)]


def _parted(pattern: re.Pattern[str], text: str) -> tuple[str, str]:
    match = pattern.match(text)
    end = match.end() if match else 0
    return text[:end], text[end:]


def _joined(text: str, word: str) -> str:
    """A text and a word after it: with a space between, but in scripts that have none."""
    spaced = text and not UNSPACED.match(text[-1]) and not UNSPACED.match(word) and text[-1] not in "。，、；"
    return f"{text} {word}" if spaced else text + word
