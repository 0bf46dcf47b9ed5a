"""What a block is by its own form and words, wherever it stands: a bold line, a lead-in, a pointer, a fence of words."""

import re

from skills.parsing.blocks import Block
from skills.slicing.imperatives import folded, introduces_examples, lexicon, phrase

#: A longer bold line is text.
LONGEST_BOLD = 120
_BOLD = re.compile(r"\s*(?:[^\w\s]{1,3}\s*)?(?:\*\*|__)[^*_\n](?:[^\n]*?[^*\n])?(?:\*\*|__)\s*[:：]?\s*")
_ALERT = re.compile(r"\s*\[!\w{1,20}\]\s*")


def is_comment(block: Block) -> bool:
    return block.form == "html" and block.text.lstrip().startswith("<!--")


def is_alert(block: Block) -> bool:
    """Whether it is the mark of a call-out on a line of its own: the heading of its quote."""
    return bool(block.within) and block.form == "paragraph" and bool(_ALERT.fullmatch(block.text))


def is_bold(block: Block) -> bool:
    """Whether a paragraph is one bold line: a heading in all but its form."""
    return block.form == "paragraph" and len(block.text) <= LONGEST_BOLD and bool(_BOLD.fullmatch(block.text))


def is_placeholder(block: Block) -> bool:
    """Whether a client puts something in its place: `$ARGUMENTS`, the output of a command."""
    return block.form == "paragraph" and bool(phrase("placeholder").fullmatch(block.text.strip().lower()))


def leads(block: Block) -> bool:
    """Whether a paragraph introduces what follows it."""
    return block.form == "paragraph" and block.text.rstrip(" \t\n*_").endswith((":", "："))


def only_introduces(block: Block) -> bool:
    """Whether a lead-in has no clause of its own."""
    plain = folded(block.text).strip().rstrip(":：")
    return len(plain.split()) <= 5 or introduces_examples(plain) or bool(phrase("opening").fullmatch(plain.lower()))


def remedies(text: str) -> bool:
    """Whether a text says what to do, by its first word."""
    return bool(phrase("remedy").match(folded(text).strip().lower()))


def points(text: str) -> bool:
    """Whether a text only says where more is to be read."""
    plain = text.strip().lower().lstrip("*_>- ")
    return bool(phrase("pointer").match(plain)) and bool(phrase("target").search(plain))


def worded(block: Block) -> bool:
    """Whether a fence says something in words: a process or a tree of decisions, drawn or in capitals, and no code."""
    text = lexicon()["text"]
    language = block.info.split()[0].lower() if block.info else ""
    if block.form == "code" or language not in text["languages"]:
        return False
    if language in text["diagrams"]:
        return True
    lines = [line for line in block.text.splitlines() if line.strip()]
    drawn = sum(any(stroke in line for stroke in text["strokes"]) for line in lines)
    pointed = sum(any(arrow in line for arrow in text["arrows"]) for line in lines)
    return (pointed and drawn >= 0.5 * len(lines)) or pointed > 0.5 * len(lines) or block.text.isupper()
