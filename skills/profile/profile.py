"""What a skill gives and what it prescribes, counted: design assets and constraints (OpenSkillEval §3.3 and Table 2).

The counting rules; their words, patterns, weights and thresholds are data (`profile.toml`):

* Directives are occurrences of words of the MUST class and of the NEVER class in the body of SKILL.md, in any case, in English,
  Chinese, Japanese and Korean. "MUST NOT" is one NEVER; "not required" is neither.
* Frontmatter, code, quotes (block quotes but no call-outs, and words in quotation marks), heads of tables, and labels and
  legends that say what such words mean, are left out. A text (paragraph, item, row, heading) that is repeated counts once.
* Raw counts decide scores; beside them stand counts per 1,000 bytes of SKILL.md, for long skills have more of everything.
* A structural lock fixes the form of the work: skeleton, exact count, output format, ordered gate, grammar. A kind counts once.
* Files are sorted by folder, name and ending; licences, tests, fonts and pictures are none of the four kinds.
* Design lines are lines of the body, code included, with a word or a code of colour, type, layout or look.

The paper mapped its counts to scores by hand. Here thresholds do it, so scores describe and rank; they are no measured effect.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from skills.parsing.blocks import Block, blocks_of, lines_of
from skills.parsing.parse import Skill, split
from skills.slicing.imperatives import folded

RULES = Path(__file__).parent / "profile.toml"

#: What makes a block quote a call-out of the skill's own and no quotation: a GitHub alert, a bold lead-in, a warning sign.
_CALLOUT = re.compile(r"\s*(?:\[!\w+\]|\*\*|__|[⚠⛔❗❌🚨🛑🚫🚧✅])")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]*>")
#: A quotation mark after a digit or a letter is an inch, not the beginning of a quotation.
_QUOTATION = re.compile(r"(?<!\w)\"(?=\S)[^\"]{1,200}?(?<=\S)\"(?!\w)|“[^”]{1,200}”|「[^」]{1,200}」|『[^』]{1,200}』")
_LATIN = re.compile(r"[a-z]+")
_UPPER = re.compile(r"[A-Z][A-Z -]+[A-Z]")


@dataclass(frozen=True)
class Lock:
    """A kind of structural lock and the line of SKILL.md, from 1, where the text begins in which it was first seen."""

    kind: str
    title: str
    line: int


@dataclass(frozen=True)
class Profile:
    """The countable signals of one skill and its two scores, 0 to 5. `size` is the bytes of its SKILL.md."""

    skill: str
    size: int
    templates: int
    references: int
    scripts: int
    data: int
    design_lines: int
    must: int
    never: int
    locks: tuple[Lock, ...]
    asset_score: int
    constraint_score: int

    @property
    def must_per_1000(self) -> float:
        """MUST-class directives per 1,000 bytes of SKILL.md."""
        return 1000 * self.must / self.size if self.size else 0.0

    @property
    def never_per_1000(self) -> float:
        """NEVER-class directives per 1,000 bytes of SKILL.md."""
        return 1000 * self.never / self.size if self.size else 0.0


def profile(skill: Skill) -> Profile:
    """The profile of a skill. Never raises: bytes that are not UTF-8 are read as replacement characters."""
    text = skill.data.decode("utf-8", "replace")
    body = split(text)[1]
    texts = list(_prose(body))
    must, never = directives(plain for _, plain in texts)
    locks = tuple(_locks(texts, len(lines_of(text[: len(text) - len(body)].encode()))))
    files: dict[str, int] = dict.fromkeys(("templates", "references", "scripts", "data", "other"), 0)
    for name in skill.files:
        files[file_kind(name)] += 1
    del files["other"]
    lines = sum(map(_speaks_of_design, body.splitlines()))
    return Profile(
        skill=skill.id,
        size=len(skill.data),
        **files,
        design_lines=lines,
        must=must,
        never=never,
        locks=locks,
        asset_score=asset_score(**files, design_lines=lines),
        constraint_score=constraint_score(must, never, len(locks)),
    )


def asset_score(templates: int = 0, references: int = 0, scripts: int = 0, data: int = 0, design_lines: int = 0) -> int:
    """Table 2's A, 0 to 5, of counts of files and lines: the thresholds that their weighted sum reaches."""
    rules = _rules()["score"]["asset"]
    counts = {"templates": templates, "references": references, "scripts": scripts, "data": data, "design_lines": design_lines}
    counted = {name: min(count, rules["most"].get(name, count)) for name, count in counts.items()}
    return _reached(sum(rules["weights"][name] * count for name, count in counted.items()), rules["thresholds"])


def constraint_score(must: int, never: int, locks: int = 0) -> int:
    """Table 2's C, 0 to 5, of counts of directives and of kinds of locks: the thresholds that their sum reaches.

    Monotone in each. Without locks it is the paper's for all 17 skills that Table 2 has counts of.
    """
    rules = _rules()["score"]["constraint"]
    return _reached(must + never + rules["lock"] * locks, rules["thresholds"])


def _reached(points: float, thresholds: Sequence[float]) -> int:
    # Weights such as 0.02 have no exact binary form: 175 lines are to reach 3.5.
    return sum(points + 1e-9 >= threshold for threshold in thresholds)


def directives(texts: Iterable[str]) -> tuple[int, int]:
    """How many directives of the MUST class and of the NEVER class are in plain texts; a repeated text counts once."""
    pattern, kinds = _words()
    must = never = 0
    for text in dict.fromkeys(" ".join(text.split()) for text in texts):
        if _legend(text):
            continue
        for word in pattern.findall(text.lower()):
            must += kinds[word] == "must"
            never += kinds[word] == "never"
    return must, never


def file_kind(name: str) -> str:
    """`templates`, `references`, `scripts`, `data` or `other`, from the relative path of a file beside SKILL.md."""
    path = PurePosixPath(name.lower())
    for rule in _rules()["files"]:
        named = any(fnmatchcase(path.name, pattern) for pattern in rule["names"])
        if named or path.suffix[1:] in rule["endings"] or not set(path.parts[:-1]).isdisjoint(rule["folders"]):
            return rule["kind"]
    return "other"


def _prose(body: str) -> Iterator[tuple[int, str]]:
    """The texts of a body in which words may prescribe, plain, with the line of the body on which each begins, from 0."""
    blocks = blocks_of(lines_of(body.encode("utf-8", "replace")))[0]
    callouts = {_quote(block) for block in blocks if _CALLOUT.match(block.text)}
    for block in blocks:
        if block.form in ("fence", "code", "break", "head") or _quote(block) not in {None, *callouts}:
            continue
        text = _TAG.sub(" ", _COMMENT.sub(" ", block.text)) if "<" in block.text else block.text
        yield block.first, " ".join(_QUOTATION.sub(" ", folded(text)).split())


def _quote(block: Block) -> int | None:
    """The number of the outermost quote around a block."""
    return next((one.number for one in block.within if one.form == "quote"), None)


def _locks(texts: Sequence[tuple[int, str]], before: int) -> Iterator[Lock]:
    """The kinds of locks in texts of which `before` lines of SKILL.md come first."""
    joined = "\n".join(text for _, text in texts)
    for kind, rule in _rules()["locks"].items():
        if found := _lock(kind).search(joined):
            yield Lock(kind, rule["title"], before + texts[joined.count("\n", 0, found.start())][0] + 1)


def _speaks_of_design(line: str) -> bool:
    latin, cjk, code = _design()
    if not latin.isdisjoint(_LATIN.findall(line.lower())) or (("#" in line or "(" in line) and code.search(line)):
        return True
    return not line.isascii() and any(word in line for word in cjk)


def _legend(text: str) -> bool:
    """Whether a text only names or explains the words of directives."""
    rules = _rules()["directives"]["legend"]
    if not _label().sub("", text).strip(" \t\x1f*:：-–—/|,.;()[]0123456789⚠️❗🚨"):
        return True
    shouted = {word.lower() for word in _UPPER.findall(text)}
    return len(shouted & set(rules["words"])) >= rules["several"]


@cache
def _rules() -> dict[str, Any]:
    return tomllib.loads(RULES.read_text(encoding="utf-8"))


@cache
def _words() -> tuple[re.Pattern[str], dict[str, str]]:
    """The pattern of all words that may prescribe, the longest first ("must not" before "must"), and the class of each."""
    rules = _rules()["directives"]
    kinds = {word: kind for kind in ("must", "never", "neither") for words in rules[kind].values() for word in words}
    return re.compile(_any(kinds)), kinds


@cache
def _label() -> re.Pattern[str]:
    return re.compile(_any(_rules()["directives"]["legend"]["words"]), re.IGNORECASE)


@cache
def _design() -> tuple[frozenset[str], tuple[str, ...], re.Pattern[str]]:
    rules = _rules()["design"]
    return frozenset(rules["latin"]), tuple(rules["cjk"]), re.compile("|".join(rules["code"]))


@cache
def _lock(kind: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in _rules()["locks"][kind]["patterns"]), re.IGNORECASE)


def _any(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first; those in Latin letters stand between word boundaries."""
    ordered = sorted(words, key=len, reverse=True)
    latin = "|".join(re.escape(word) for word in ordered if word.isascii())
    others = [re.escape(word) for word in ordered if not word.isascii()]
    # ASCII boundaries: between a letter of Chinese and one of ours stands no \b.
    return "|".join([rf"(?<![A-Za-z0-9_])(?:{latin})(?![A-Za-z0-9_])", *others] if latin else others)


def profile_lines(profiles: Iterable[Profile]) -> Iterator[str]:
    """Each skill's two scores and, indented, what they are made of."""
    for one in profiles:
        yield f"{one.skill}: assets {one.asset_score}/5, constraints {one.constraint_score}/5"
        files = ", ".join(
            f"{count} {noun if count == 1 else many}"
            for count, noun, many in (
                (one.templates, "template", "templates"),
                (one.references, "reference", "references"),
                (one.scripts, "script", "scripts"),
                (one.data, "data file", "data files"),
                (one.design_lines, "design line", "design lines"),
            )
            if count
        )
        yield f"  assets: {files or 'none'}"
        rate = f"per 1,000 bytes {one.must_per_1000:.1f} and {one.never_per_1000:.1f}"
        locks = f"{len(one.locks)} structural lock{'' if len(one.locks) == 1 else 's'}"
        yield f"  constraints: {one.must} MUST, {one.never} NEVER ({rate}), {locks}"
        yield from (f"    line {lock.line}: {lock.title}" for lock in one.locks)
