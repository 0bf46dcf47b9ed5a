"""What words say of sign: whether a text commands or prohibits, and what a title makes of its section.

The words are data (`imperatives.toml`), in English, Chinese, Japanese and Korean. A text is judged clause by clause: one that
begins with a prohibition is one, also where it goes on to name the better way; a command with a prohibition after it is both.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Literal

Sign = Literal["bad", "good", "both"]
Title = Literal["scope", "both", "anti", "examples", "meta", "overview", "rules"]
Column = Literal["bad", "good", "faults", "terms", "meanings"]

#: A text that begins with a prohibition is one, unless it is long and this little of it prohibits.
LEADING, SHORT = 0.15, 240
#: A command with a prohibition after it is both where that is this much of it.
LIKE = 0.25
#: In a longer title neither its last words nor a part between and, or, commas names its kind.
LONGEST_TITLE = 6
#: A start of more words, or of more characters where words have no spaces between them, is a clause and no label of one.
LONGEST_LABEL, LONGEST_UNSPACED_LABEL = 3, 8
WORDS = Path(__file__).parent / "imperatives.toml"

# Bounded, for a text of nothing but openers must not take the square of its length.
_CODE = re.compile(r"(?<!`)(`{1,8})(?!`).{0,400}?\1", re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,400})\]\([^()\n]{0,400}\)")
_COMMENT = re.compile(r"<!--.{0,2000}?-->", re.DOTALL)
_QUOTED = re.compile(r"[\"“][^\"”\n]{1,200}[\"”]|「[^「」\n]{1,200}」|『[^『』\n]{1,200}』")
#: Zero-width characters, soft hyphens and the signs that choose a picture's form: none is seen.
_HIDDEN = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad\ufe0e\ufe0f]")
_APOSTROPHES = str.maketrans("’‘ʼ＇", "''''")
_EMPHASIS = re.compile(r"(?<!\w)[*_~]+|[*_~]+(?!\w)|\*+")
_SPACES = re.compile(r"[ \t]{2,}")
#: What stands before an item's or a call-out's words.
_BEFORE = re.compile(r"^\s*\[(?:[ xX]?|!\w{1,20})\]\s+")
_NUMBER = re.compile(r"^\s*(?:(?:step|phase|part|rule|section|category)\s+)?\(?(?:\d+(?:\.\d+)*|[a-z])[.):]\s+", re.IGNORECASE)
_CLAUSE = re.compile(r"(?:[.;!?:](?=\s|$)|[。；！？：，]|\s[-–—]+\s|—|\s→\s|\n{2,}|,\s+(?=(?:and|but)\s))\s*")
_PURPOSE = re.compile(r"\bto \w+[^.;]{0,80}\b(?:and|or) (?:avoid|not)\b|\bwhile avoiding\b|\bin order (?:not )?to\b")
_LABEL = re.compile(
    r"\s*(?:\*\*|__)(?P<bold>[^*_\n]{1,80}?)(?:\*\*|__)\s*(?:\([^()]{0,80}\)\s*)?[:：—–-]?\s*|\s*(?P<plain>[^:：\n*`]{1,40}?)(?::\s+|：\s*)"
)
_DASHES = re.compile(r"\s*[:：—–]\s*|\s+-\s+")
_PARTS = re.compile(rf"{_DASHES.pattern}|\s*[|/&,]\s*|\s+(?:and|or)\s+")
_ENDS = re.compile(r"^[^\w\"'(\[]+|[\s:：.!?！？。]+$")


@cache
def lexicon() -> Mapping[str, Any]:
    """The lexicon as it stands in its file."""
    return tomllib.loads(WORDS.read_text(encoding="utf-8"))


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """A text without emphasis, code, comments, zero-width characters and curly quotes; upper case stays."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", _HIDDEN.sub("", text)).translate(_APOSTROPHES)
    if "<!--" in text:
        text = _COMMENT.sub(" ", text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "`" in text:
        text = _CODE.sub(" code ", text)
    return _SPACES.sub(" ", _EMPHASIS.sub("", text))


@lru_cache(maxsize=4096)
def title(text: str) -> Title | None:
    """What a heading or lead-in makes of its section; None where it only names a topic."""
    plain = folded(text)
    marked = _marked(plain)
    named = _titled(_bare(plain))
    if marked is None or named in ("both", "examples"):
        return named
    return "anti" if marked == "bad" else "rules"


def _titled(text: str) -> Title | None:
    before = text.split(" (")[0].strip()
    for kind, pattern in _titles().items():
        if pattern.fullmatch(text) or pattern.fullmatch(before):
            return kind
    against = re.search(rf"\b{phrase('against').pattern}\b|{phrase('against_unspaced').pattern}", text)
    kinds: tuple[Title, ...] = ("both", "examples") if against else ("both", "anti", "examples")
    # A title may carry its kind beside a topic: "Testing: common mistakes", or at its end.
    short = len(text.split()) <= LONGEST_TITLE
    for between in (_DASHES, _PARTS) if short else (_DASHES,):
        parts = between.split(text)
        for part, kind in product(parts if len(parts) > 1 else (), kinds):
            if _titles(whole=False)[kind].fullmatch(part.strip()):
                return kind
    return next((kind for kind in kinds if _at_end(kind).search(text)), None) if short else None


@cache
def _titles(*, whole: bool = True) -> dict[Title, re.Pattern[str]]:
    """What titles of each kind look like: `whole` titles, or parts of them."""
    listed = dict(lexicon()["titles"])
    if whole:
        listed["anti"] = [*listed["anti"], *lexicon()["whole_titles"]["anti"]]
    return {kind: re.compile(_any(patterns)) for kind, patterns in listed.items()}


@cache
def _at_end(kind: str) -> re.Pattern[str]:
    """A kind's words at a title's end or, in scripts without spaces, anywhere."""
    listed = lexicon()["titles"][kind]
    latin = [one for one in listed if one.isascii()]
    others = [one for one in listed if not one.isascii()]
    return re.compile(rf"(?<=[\w)] ){_any(latin)}$|{_any(others)}")


@lru_cache(maxsize=1024)
def column(text: str) -> Column | None:
    """What a table's column holds, by its head."""
    plain = folded(text)
    bare = _bare(plain)
    return _marked(plain) or next((kind for kind, pattern in _named("columns").items() if pattern.fullmatch(bare)), None)


def sign(text: str) -> Sign | None:
    """Whether an item's own words command, prohibit or do both; None where they do not say."""
    if marked := _marked(_BEFORE.sub("", folded(text), count=1)):
        return marked
    labelled, rest = _label(_BEFORE.sub("", _HIDDEN.sub("", text), count=1))
    if labelled:
        return labelled
    clauses = [clause for clause in _CLAUSE.split(_QUOTED.sub(" quoted ", folded(rest))) if clause.strip()]
    signs = [_prohibits(clause, first=number == 0) for number, clause in enumerate(clauses)]
    if not any(signs):
        return None
    sizes = [len(clause) for clause in clauses]
    share = sum(size for size, bad in zip(sizes, signs, strict=True) if bad) / sum(sizes)
    if signs[0]:
        return "bad" if share >= LEADING or sum(sizes) <= SHORT else "both"
    return "both" if share >= LIKE else None


def _label(text: str) -> tuple[Sign | None, str]:
    """What a label in front says, and the text that it does not say it of."""
    match = _LABEL.match(text)
    if not match:
        return None, text
    plain = folded(match["bold"] or match["plain"])
    named = _bare(plain.rstrip(":："))
    for name in ("bad", "good"):
        if _named("labels")[name].fullmatch(named):
            return name, text
    rest = text[match.end() :]
    long = len(named.split()) > LONGEST_LABEL or (not named.isascii() and len(named) > LONGEST_UNSPACED_LABEL)
    if long or not rest.strip() or _prohibits(plain, first=True):
        return None, text
    # A short name in front of the text is no clause: "**State**: never mutate it".
    return None, rest


def introduces_examples(text: str) -> bool:
    """Whether a short text is nothing but a lead-in to an example."""
    return bool(_named("labels")["examples"].fullmatch(_bare(folded(text))))


@cache
def phrase(name: str) -> re.Pattern[str]:
    """The phrases that the lexicon lists in `[text]` under a name, over text in lower case."""
    return re.compile(_any(lexicon()["text"][name]))


@cache
def _named(table: str) -> dict[Any, re.Pattern[str]]:
    return {name: re.compile(_any(patterns)) for name, patterns in lexicon()[table].items()}


def _prohibits(clause: str, *, first: bool) -> bool:
    negatives = _negatives()
    if negatives["shouted"].search(clause) and not clause.isupper():
        return True
    low = clause.strip().lower().lstrip("\"'“([#>-–—• ")
    if _PURPOSE.search(low):
        return False
    if negatives["start"].match(low) or (first and negatives["first"].match(low)) or negatives["anywhere"].search(low):
        return True
    return not low.isascii() and bool(negatives["unspaced"].search(low))


@cache
def _negatives() -> dict[str, re.Pattern[str]]:
    negative = lexicon()["negative"]
    joins = rf"(?:{_any(negative['joins'])},? ){{0,4}}"
    condition = rf"(?:{_any(negative['conditions'])} [^,]{{1,80}}, )?"
    return {
        "start": re.compile(rf"{joins}{condition}{joins}{_any(negative['start'])}(?!\w)"),
        "first": re.compile(rf"{joins}{_any(negative['first'])}(?!\w)"),
        "anywhere": re.compile(rf"(?<!\w){_any(negative['anywhere'])}(?!\w)"),
        "unspaced": re.compile(_any(negative["unspaced"])),
        "shouted": re.compile(rf"\b{_any(negative['shouted'])}\b"),
    }


def _any(patterns: Iterable[str]) -> str:
    return f"(?:{'|'.join(patterns)})"


def _marked(plain: str) -> Literal["bad", "good"] | None:
    """What a mark at the beginning of a folded text says."""
    mark = plain.lstrip(" \t[(*_#>-")[:1]
    for name in ("bad", "good") if mark else ():
        if mark in lexicon()["marks"][name]:
            return name
    return None


def _bare(text: str) -> str:
    """A title's words alone, in lower case: without numbers, marks, emoji and final punctuation."""
    text = _ENDS.sub("", _NUMBER.sub("", text.strip().lower(), count=1))
    return " ".join(text.strip("\"'“”[] ").split())
