"""A suggestion of which projects a new skill may be core for, from the words that it declares.

It saves the two annotators reading, never judging: a `Suggestion` is neither a vote nor a row of the matrix, its "core?" and
"skip?" are no tiers, and nothing that plans or matches trials takes one.

The rule is that of `tiers.toml`, read by a program: a project is "core?" if a technology of its stack is the subject that the
skill declares. The subject is the skill's name and its description up to where that says when to use the skill; if no stack
word is in it, the rest of the description counts. A word that is in the stack of most projects (`html`) is the subject only of
a skill that names none that is in fewer.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from benchmark.core.model import Data
from skills.parsing.parse import Skill
from skills.routing.tiers import Member

WORDS = Path(__file__).parent / "stack_words.toml"


@dataclass(frozen=True)
class Hint:
    """What is suggested of one project, and the stack words that the skill declares of it."""

    project: str
    proposes: Literal["core?", "skip?"]
    words: tuple[str, ...]


@dataclass(frozen=True)
class Suggestion:
    """Hints for every project. Nobody has judged them."""

    skill: str
    hints: tuple[Hint, ...]

    def differing(self, member: Member) -> tuple[Hint, ...]:
        """The hints that say otherwise than the judgement that there is of their project."""
        return tuple(hint for hint in self.hints if (tier := member.tier(hint.project)) and hint.proposes != f"{tier}?")


def suggest(skill: Skill, stacks: Mapping[str, Sequence[str]]) -> Suggestion:
    """What the declared words of `skill` suggest of projects, given the stack of each."""
    shared = Counter(word.lower() for stack in stacks.values() for word in set(stack))
    declared = _declared(skill, frozenset(shared))
    common = {word for word, count in shared.items() if count > len(stacks) / 2}
    subject = declared - common or declared
    hints = []
    for project, stack in stacks.items():
        words = tuple(word for word in dict.fromkeys(map(str.lower, stack)) if word in subject)
        hints.append(Hint(project, "core?" if words else "skip?", words))
    return Suggestion(skill.id, tuple(hints))


def _declared(skill: Skill, words: frozenset[str]) -> set[str]:
    """Which of the stack words the skill declares as its subject."""
    rules = _rules().description
    said = re.sub(r"https?://\S+", " ", skill.description)
    said = re.sub(rf"\b(?:{_any(rules.exclusions)})\b[^.;,]*", " ", said, flags=re.IGNORECASE)
    about, *occasions = re.split(rf"\b(?:{_any(rules.occasions)})\b", said, maxsplit=1, flags=re.IGNORECASE)
    # A name has no full stops: "alpine-js" is Alpine.js.
    name = skill.name.replace("-js", "js")
    return _found(f"{name} \n {about}", words) or _found(" ".join(occasions), words)


def _found(text: str, words: frozenset[str]) -> set[str]:
    pattern, meant = _forms(words)
    named = {meant.get(form) or meant[form.lower()] for form in pattern.findall(text)}
    return named & words


@cache
def _forms(words: frozenset[str]) -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern of every form of every technology that is known, and which is meant by each form.

    Those in no stack take part, and the longest form wins: "shadow DOM" is not `dom`, nor "Tailwind CSS" `css`.
    """
    listed = _rules().forms
    meant = {word: word for word in words if word not in listed}
    meant |= {form: word for word, forms in listed.items() for form in forms}
    ordered = sorted(meant, key=len, reverse=True)
    patterns = (f"(?i:{re.escape(form)})" if form == form.lower() else re.escape(form) for form in ordered)
    # Boundaries are ASCII, for Chinese is written without spaces around names; "c" is not in "c++", nor "js" in "pixi.js".
    return re.compile(rf"(?<![A-Za-z0-9_.])(?:{'|'.join(patterns)})(?![A-Za-z0-9_+#])"), meant


def _any(phrases: Iterable[str]) -> str:
    return "|".join(map(re.escape, phrases))


class _DescriptionWords(Data):
    """Words of a description before which a subject ends: exclusions, and occasions to use the skill."""

    exclusions: tuple[str, ...]
    occasions: tuple[str, ...]


class _StackWords(Data):
    """All of the words' file: `forms` are those of a technology by its word."""

    forms: dict[str, tuple[str, ...]]
    description: _DescriptionWords


@cache
def _rules() -> _StackWords:
    return _StackWords.model_validate(tomllib.loads(WORDS.read_text(encoding="utf-8")))


def suggestion_lines(found: Suggestion, member: Member) -> Iterator[str]:
    """What is suggested of a skill, marked as nobody's judgement, and where it differs from one that there is."""
    core = [f"{hint.project} ({', '.join(hint.words)})" for hint in found.hints if hint.proposes == "core?"]
    yield f"{found.skill}: suggested from its words, judged by nobody: core? for {', '.join(core) or 'no project'}"
    if member.routing is None:
        yield "  not used for anything: two people judge, and a tiers.toml or votes.csv beside the skill says what they found"
    for hint in found.differing(member):
        words = f"it declares {', '.join(hint.words)}" if hint.words else "it declares no word of that stack"
        yield f"  differs from the judgement on {hint.project}, which is {member.tier(hint.project)}: {words}"
