"""What words say of sign: whether a text commands or prohibits, and what a title makes of its section.

The words are data (`polarity.toml`), in English, Chinese, Japanese and Korean. A text is judged clause by clause: one that begins
with a prohibition is one, also where it goes on to name the better way; a command with a prohibition after it is both.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

Sign = Literal["bad", "good", "both"]
Title = Literal["scope", "both", "anti", "examples", "meta", "overview", "rules"]

#: A text that begins with a prohibition is one, unless it is long and this little of it prohibits.
LEADING, SHORT = 0.15, 240
#: A command with a prohibition after it is both where that is this much of it.
LIKE = 0.25
#: Longer than this a title's last words do not name its kind.
LONGEST_TITLE = 6
#: A bold start of more words is a clause, not the name of one.
LONGEST_LABEL = 3
WORDS = Path(__file__).parent / "polarity.toml"

# Bounded, for a text of nothing but openers must not take the square of its length.
_CODE = re.compile(r"(`+)[^`].{0,400}?\1", re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,400})\]\([^()\n]{0,400}\)")
_QUOTED = re.compile(r"[\"“][^\"”\n]{1,200}[\"”]")
_HIDDEN = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad\ufe0e\ufe0f]")
_CHECKBOX = re.compile(r"^\s*\[[ xX]?\]\s+")
_NUMBER = re.compile(r"^\s*(?:(?:step|phase|part|rule|section|category)\s+)?\(?(?:\d+(?:\.\d+)*|[a-z])[.):]\s+", re.IGNORECASE)
_CLAUSE = re.compile(r"(?:[.;!?:](?=\s|$)|[。；！？：，]|\s[-–—]+\s|—|\s→\s|\n{2,}|,\s+(?=(?:and|but)\s))\s*")
_PURPOSE = re.compile(r"\bto \w+[^.;]{0,80}\b(?:and|or) (?:avoid|not)\b|\bwhile avoiding\b|\bin order (?:not )?to\b")
_LABEL = re.compile(
    r"^\s*(?:\*\*|__)(?P<bold>[^*_\n]{1,80}?)(?:\*\*|__)\s*(?:\([^)]*\)\s*)?[:：—–-]?\s*|^\s*(?P<plain>[^:：\n*`]{1,40}?)[:：]\s+"
)


@cache
def words() -> Mapping[str, Any]:
    """The lexicon as it stands in its file."""
    return tomllib.loads(WORDS.read_text(encoding="utf-8"))


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """A text without emphasis, code, zero-width characters and curly quotes; upper case stays."""
    text = _HIDDEN.sub("", text).replace("’", "'").replace("‘", "'")
    text = _LINK.sub(r"\1", text)
    text = _CODE.sub(" code ", text)
    return re.sub(r"[ \t]{2,}", " ", re.sub(r"(?<!\w)[*_~]+|[*_~]+(?!\w)|\*+", "", text))


def title(text: str) -> Title | None:
    """What a heading or lead-in makes of its section; None where it only names a topic."""
    plain = folded(text)
    for mark, kind in ((words()["marks"]["bad"], "anti"), (words()["marks"]["good"], "rules")):
        if _begins(plain, mark):
            rest = _bare(plain)
            named = _titled(rest)
            return named if named in ("both", "examples") else kind
    return _titled(_bare(plain))


def _titled(text: str) -> Title | None:
    for kind, pattern in _titles().items():
        if pattern.fullmatch(text) or pattern.fullmatch(text.split(" (")[0].strip()):
            return "anti" if kind == "anti_whole" else kind
    # A title may carry its kind after a topic: "Testing: common mistakes", or at its end.
    if len(text.split()) > LONGEST_TITLE:
        return None
    about = re.search(rf"\b{_any(words()['text']['against'])}\b", text)
    kinds: list[Title] = ["both", "examples"] if about else ["both", "anti", "examples"]
    parts = [part.strip() for part in re.split(r"\s*[:：—–|/&,]\s*|\s+-\s+|\s+(?:and|or)\s+", text)]
    for part in parts if len(parts) > 1 else ():
        for kind in kinds:
            if _titles()[kind].fullmatch(part):
                return kind
    return next((kind for kind in kinds if _ends(kind).search(text)), None)


@cache
def _titles() -> dict[Title, re.Pattern[str]]:
    return {kind: re.compile(_any(patterns)) for kind, patterns in words()["titles"].items()}


@cache
def _ends(kind: str) -> re.Pattern[str]:
    """A kind's words at a title's end or, in scripts without spaces, anywhere."""
    listed = words()["titles"][kind]
    latin = [one for one in listed if one.isascii()]
    others = [one for one in listed if not one.isascii()]
    return re.compile(rf"(?<=[\w)] )(?:{_any(latin)})$|{_any(others)}")


def column(text: str) -> Literal["bad", "good", "faults", "terms"] | None:
    """What a table's column holds, by its head."""
    plain = folded(text)
    for sign in ("bad", "good"):
        if _begins(plain, words()["marks"][sign]):
            return sign
    bare = _bare(plain)
    for kind in ("bad", "good", "faults", "terms"):
        if re.fullmatch(_any(words()["columns"][kind]), bare):
            return kind
    return None


def sign(text: str) -> Sign | None:
    """Whether an item's own words command, prohibit or do both; None where they do not say."""
    plain = _CHECKBOX.sub("", folded(text))
    for name in ("bad", "good"):
        if _begins(plain, words()["marks"][name]):
            return name
    labelled, rest = _label(_CHECKBOX.sub("", _HIDDEN.sub("", text)))
    if labelled:
        return labelled
    clauses = [clause for clause in _CLAUSE.split(_QUOTED.sub(" quoted ", folded(rest))) if clause.strip()]
    if not clauses:
        return None
    signs = [_prohibits(clause, first=number == 0) for number, clause in enumerate(clauses)]
    if not any(signs):
        return None
    size = [len(clause) for clause in clauses]
    share = sum(length for length, bad in zip(size, signs, strict=True) if bad) / sum(size)
    if signs[0]:
        return "bad" if share >= LEADING or sum(size) <= SHORT else "both"
    return "both" if share >= LIKE else None


def _label(text: str) -> tuple[Sign | None, str]:
    """What a label in front says, and the text that it does not say it of."""
    match = _LABEL.match(text)
    if not match:
        return None, text
    named = _bare(folded(match["bold"] or match["plain"]).rstrip(":："))
    for name in ("bad", "good"):
        if re.fullmatch(_any(words()["labels"][name]), named):
            return name, text
    rest = text[match.end() :]
    if (
        not rest.strip()
        or len(named.split()) > LONGEST_LABEL
        or _prohibits(folded(match["bold"] or match["plain"]), first=True)
    ):
        return None, text
    # A short name in front of the text is no clause: "**State**: never mutate it".
    return None, rest


def introduces_examples(text: str) -> bool:
    """Whether a short text is nothing but a lead-in to an example."""
    return bool(re.fullmatch(_any(words()["labels"]["examples"]), _bare(folded(text))))


def _prohibits(clause: str, *, first: bool = False) -> bool:
    start, opening, anywhere, shouted = _negatives()
    if shouted.search(clause) and not clause.isupper():
        return True
    low = clause.strip().lower().lstrip("\"'“([#>-–—• ")
    if _PURPOSE.search(low):
        return False
    return bool(start.match(low) or anywhere.search(low) or (first and opening.match(low)))


@cache
def _negatives() -> tuple[re.Pattern[str], ...]:
    negative = words()["negative"]
    joins = _any(negative["joins"])
    return (
        re.compile(rf"(?:(?:{joins}),? )*{_any(negative['start'])}(?!\w)"),
        re.compile(rf"(?:(?:{joins}),? )*{_any(negative['first'])}(?!\w)"),
        re.compile("|".join(rf"(?:(?<!\w)(?:{one})(?!\w))" if one.isascii() else f"(?:{one})" for one in negative["anywhere"])),
        re.compile(rf"\b{_any(negative['shouted'])}\b"),
    )


def _any(patterns: Iterable[str]) -> str:
    return f"(?:{'|'.join(patterns)})"


def _begins(text: str, marks: str) -> bool:
    bare = text.lstrip(" \t[(*_#>-")
    return bare[:1] != "" and bare[0] in marks


def _bare(text: str) -> str:
    """A title's words alone, in lower case: without numbers, marks, emoji and final punctuation."""
    text = _NUMBER.sub("", text.strip().lower())
    text = re.sub(r"^[^\w\"'(\[]+|[\s:：.!?！？。]+$", "", text)
    return re.sub(r"\s+", " ", text.strip("\"'“”[] "))
