"""Irrelevant words and code of a partner, in the form and at the length of what they replace (METHOD.md, L3)."""

import random
import re
from collections.abc import Sequence

from skills.blocks import OWN, Block, decoded
from skills.parse import Skill
from skills.slices import document

#: Less code than this says nothing: fences are then filled with words.
LEAST_CODE = 40

_WORD = re.compile(r"[^\W\d_][\w'’-]*[.,;]?")
#: What makes a line what it is: indentation, quote and item markers, a checkbox, a heading's signs, an opening tag.
_FRAME = re.compile(
    r"[ \t]*(?:>[ \t]?)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:\[[ xX]\][ \t]+)?(?:#{1,6}[ \t]+)?(?:</?[A-Za-z][^>\n]*>)?"
)
_INDENT = re.compile(r"[ \t]*")
_QUOTED = re.compile(r"[ \t]*(?:>[ \t]*)*")
_STRUCTURE = re.compile(r"\s*(?:[-=:|\s]+|`{3,}.*|~{3,}.*|</?[A-Za-z][^>]*>)\s*")
_CELL = re.compile(r"((?<!\\)\|)")


class Filler:
    """The text of a partner as a stream from a drawn place on, round and round."""

    def __init__(self, partner: Skill, draw: random.Random) -> None:
        read = document(partner)
        prose = " ".join(block.text for block in read.blocks if block.form in ("paragraph", "row", "heading"))
        self._words = _WORD.findall(prose) or _WORD.findall(partner.name + " " + partner.description) or ["skill"]
        code = [
            line for block in read.blocks if block.form in ("fence", "code") for line in block.text.splitlines() if line.strip()
        ]
        self._code = [re.sub(r"[`~]", " ", line).strip() for line in code] if sum(map(len, code)) >= LEAST_CODE else []
        self._word = draw.randrange(len(self._words))
        self._line = draw.randrange(len(self._code)) if self._code else 0

    def block(self, block: Block, lines: Sequence[bytes]) -> list[bytes]:
        """The lines of a block with other words in them: as many lines, each of as many bytes."""
        if block.form in ("fence", "code"):
            return self._fenced(block, lines)
        return [self._replaced(line, in_row=block.form in ("row", "head")) for line in lines]

    def _fenced(self, block: Block, lines: Sequence[bytes]) -> list[bytes]:
        frame = _QUOTED if any(one.form == "quote" for one in block.within) else _INDENT
        inner = range(1, len(lines)) if block.form == "fence" else range(len(lines))
        out = list(lines)
        for number in inner:
            text, end = _ended(lines[number])
            closes = number == len(lines) - 1 and block.form == "fence" and _STRUCTURE.fullmatch(text)
            start = frame.match(text)
            if closes or start is None or not text.strip():
                continue
            # An item may begin on the line of its fence or its indented code.
            head = text[: start.end()] if number else text[: max(start.end(), _marked(text))]
            out[number] = (head + self._code_of(len(text.encode()) - len(head.encode()))).encode() + end
        return out

    def _replaced(self, line: bytes, *, in_row: bool) -> bytes:
        text, end = _ended(line)
        if not text.strip() or _STRUCTURE.fullmatch(text):
            return line
        if in_row:
            return "".join(self._cell(part) for part in _CELL.split(text)).encode() + end
        match = _FRAME.match(text)
        head = text[: match.end()] if match else ""
        own = OWN.match(text[len(head) :])
        close = "**" if own and own[1] == "**" else ""
        head += own[0] if own else ""
        return (head + self._words_of(len(text.encode()) - len(head.encode()) - len(close)) + close).encode() + end

    def _cell(self, part: str) -> str:
        core = part.strip()
        if not core or core == "|":
            return part
        before = part[: len(part) - len(part.lstrip())]
        return before + self._words_of(len(core.encode())) + part[len(before) + len(core) :]

    def _words_of(self, size: int) -> str:
        text = ""
        while len(text.encode()) < size:
            text += (" " if text else "") + self._words[self._word % len(self._words)]
            self._word += 1
        return _fitted(text, size)

    def _code_of(self, size: int) -> str:
        if not self._code:
            return self._words_of(size)
        text = ""
        while len(text.encode()) < size:
            text += (" " if text else "") + self._code[self._line % len(self._code)]
            self._line += 1
        return _fitted(text, size)


def _fitted(text: str, size: int) -> str:
    """The first `size` bytes of a text, at a character's end and without space at it."""
    cut = text.encode()[:size].decode("utf-8", "ignore")
    return cut[:-1] + "." if cut.endswith(" ") else cut


def _ended(line: bytes) -> tuple[str, bytes]:
    """A line's text and its end."""
    bare = line.rstrip(b"\r\n")
    return decoded(bare), line[len(bare) :]


def _marked(text: str) -> int:
    match = re.match(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*", text)
    return match.end() if match else 0
