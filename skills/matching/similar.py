"""What a skill is written in and about, and whether two are alike: what keeps a control inert (METHOD.md, C2).

Topics are declared, not learnt (topics.toml): two skills are of one topic, or are not, whatever else a pool holds. A skill's
subject is what its name says, or its description where the name says nothing; two skills are of one topic if the subject of
one is what the other declares in name or description, or has in its body often enough. So `react` and a guide to forms with
many React examples are, and two skills that both happen to mention caching are not. The border is drawn wide: a partner that
is left out costs a choice, one that is let in could help.
"""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from hashlib import blake2b
from heapq import nsmallest
from itertools import pairwise
from pathlib import Path

from benchmark.core.model import Data
from skills.parsing.parse import Skill, split

#: Words in a row that make one shingle, and how many of the smallest hashes are a text's sketch.
SHINGLE, SKETCH = 4, 256
#: A word keeps the dots, hyphens and signs inside it: next.js, css-in-js, ui/ux, c++.
WORD = re.compile(r"[^\W_]+(?:[.\-/][^\W_]+)*[+#]*")
#: Scripts whose words no space divides (Thai, Lao, Myanmar, Khmer, kana, Han): each of their letters is read as a word.
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
#: What is in Latin letters whatever the language: code in fences and in a line, addresses, tags.
CODE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)|`[^`\n]+`|https?://\S+|<[^<>\n]+>", re.M | re.S)


class Lexicon(Data):
    """skills/matching/topics.toml: which words are one topic, which are none, and where the borders are."""

    mentions: int
    alike: float
    kana: float
    stop: frozenset[str]
    name_only: frozenset[str]
    topics: dict[str, tuple[str, ...]]

    @cached_property
    def topic_of(self) -> dict[str, str]:
        return {" ".join(map(_singular, word.split())): topic for topic, words in self.topics.items() for word in words}


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    return Lexicon.model_validate(tomllib.loads(Path(__file__).with_name("topics.toml").read_text(encoding="utf-8")))


class Traits:
    """What of one skill's content is compared, derived when it is first asked for and once for each content (`traits`)."""

    def __init__(self, name: str, description: str, body: str) -> None:
        self._name, self._description, self._body = name, description, body

    @cached_property
    def script(self) -> str:
        """The script that most bytes of its letters are in, code and addresses left out: `latin`, `han`, `kana` …

        Bytes, because lengths are matched by them. Empty where there is no letter.
        """
        text = f"{self._description}\n{self._body}"
        weights = _scripts(CODE.sub(" ", text)) or _scripts(text)
        han, kana = weights["han"], weights["kana"]
        if kana and kana >= lexicon().kana * (han + kana):
            weights["kana"] += weights.pop("han", 0)
        return max(sorted(weights), key=lambda script: weights[script], default="")

    @cached_property
    def subject(self) -> frozenset[str]:
        """The topics of its name, or of its description where the name has none."""
        return frozenset(topic for topic, _ in _topics(self._name)) or self._described

    @cached_property
    def about(self) -> frozenset[str]:
        """Its subject, what its description declares, and what its body has often enough."""
        counts = Counter(topic for topic, in_names in _topics(self._body) if not in_names)
        return self.subject | self._described | {topic for topic, count in counts.items() if count >= lexicon().mentions}

    @cached_property
    def _described(self) -> frozenset[str]:
        return frozenset(topic for topic, in_names in _topics(self._description) if not in_names)

    @cached_property
    def sketch(self) -> tuple[int, ...]:
        """The body's MinHash: the smallest hashes of its shingles, in order (Broder 1997: one permutation, the s smallest).

        Own lines, because the library for it imports scipy: half a CPU second in every collection of a panel.
        """
        words = list(_words(self._body))
        shingles = {" ".join(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1))}
        hashes = (int.from_bytes(blake2b(shingle.encode(), digest_size=8).digest(), "big") for shingle in shingles)
        return tuple(nsmallest(SKETCH, hashes))


def traits(skill: Skill) -> Traits:
    """The traits of a skill's content."""
    return _traits(skill.name, skill.description, skill.data)


@lru_cache(maxsize=4096)
def _traits(name: str, description: str, data: bytes) -> Traits:
    return Traits(name, description, split(data.decode("utf-8"))[1])


def shared_topics(one: Skill, other: Skill) -> tuple[str, ...]:
    """The topics that make two skills be of one topic, by name; none where they are not."""
    a, b = traits(one), traits(other)
    return tuple(sorted((a.subject & b.about) | (b.subject & a.about)))


def resemblance(one: Skill, other: Skill) -> float:
    """The part of all sequences of four words that two bodies have in common, 0 to 1: Jaccard's index by their MinHashes.

    Exact for two bodies of up to 256 different sequences; else its standard error is at most 0.03.
    """
    a, b = traits(one).sketch, traits(other).sketch
    smallest = sorted({*a, *b})[:SKETCH]
    return len({*a}.intersection(b, smallest)) / len(smallest)


def _scripts(text: str) -> Counter[str]:
    """Bytes of the letters of each script. The first word of a letter's name in Unicode is its script."""
    weights: Counter[str] = Counter()
    for letter, count in Counter(unicodedata.normalize("NFKC", text)).items():
        if letter.isalpha():
            script = unicodedata.name(letter, "").partition(" ")[0].partition("-")[0].lower()
            script = {"cjk": "han", "hiragana": "kana", "katakana": "kana"}.get(script, script)
            weights[script] += count * len(letter.encode())
    return weights


def _words(text: str) -> Iterator[str]:
    text = text.lower()
    for match in WORD.finditer(text if text.isascii() else UNSPACED.sub(r" \g<0> ", text)):
        yield match[0]


def _topics(text: str) -> Iterator[tuple[str, bool]]:
    """The topic of each word that has one, and whether the word is one that is a subject in names alone."""
    known = lexicon()
    words = [_singular(word) for word in _parts(_words(text), known)]
    paired = False
    for word, after in pairwise([*words, ""]):
        if paired:
            paired = False
        elif topic := known.topic_of.get(f"{word} {after}"):
            paired = True
            yield topic, False
        elif topic := known.topic_of.get(word):
            yield topic, word in known.name_only
        elif word not in known.stop and not word.isdecimal():
            yield word, word in known.name_only


def _parts(words: Iterable[str], known: Lexicon) -> Iterator[str]:
    """Words with hyphens that the topics do not have as a whole are read by their parts: zustand-state-management."""
    for word in words:
        if ("-" in word or "/" in word) and _singular(word) not in known.topic_of:
            yield from re.split(r"[\-/]", word)
        else:
            yield word


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "js")) else word
