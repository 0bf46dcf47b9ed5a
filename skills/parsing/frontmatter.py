"""The frontmatter of a SKILL.md: where it ends, what it says, and where clients that read it would stumble.

Nothing of it is constructed: values are taken as the text that is written, and no tag is executed.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import yaml

from skills.parsing.rules import Diagnostic, found, visible

BREAK = re.compile(r"\r\n|\r|\n")
_OPENER = re.compile(r"\ufeff?---[^\S\r\n]*(?:\r\n|\r|\n)")
#: More than three dashes are a fault that some clients take for the end.
_CLOSER = re.compile(r"(?<=[\r\n])(-{3,})([^\S\r\n]*)(?:\r\n|\r|\n|\Z)")
_DOTS = re.compile(r"(?<=[\r\n])\.\.\.[^\S\r\n]*(?=[\r\n]|\Z)")
#: What stands before a first line --- and cannot be seen: format characters (byte order marks among them), controls, blanks.
_BEFORE = re.compile(
    r"([^\S\r\n]|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\x00-\x08\x0e-\x1f])+(?=---[^\S\r\n]*[\r\n])"
)
_VALUE = re.compile(r"\ufeff?---[^\S\r\n]*[^\s-]")
#: Possessive: a line end of two characters must not be tried as two in a file of nothing else.
_BLANK_LINES = re.compile(r"\ufeff?(?>[^\S\r\n]*(?>\r\n|\r|\n))++---[^\S\r\n]*[\r\n]")
_FIELD = re.compile(r"(name|description):[ \t]*(.*)")
_COMMENT = re.compile(r"[ \t]+(#[^\r\n]*)")
_YAML = "tag:yaml.org,2002:"
#: Keys whose value is prose, in which a # is meant as one.
_PROSE = ("name", "description", "compatibility")


@dataclass(frozen=True)
class FrontmatterKey:
    """A key of the frontmatter with its line. `kind` is YAML's word for the value, `text` its text where it is a scalar."""

    key: str
    line: int
    kind: str
    text: str
    values: tuple[tuple[str, str, int], ...] = ()
    """Of a map: its keys, the kinds of their values, their lines."""
    written: str = ""
    """A scalar as it is written, also where that is a word for nothing."""


@dataclass(frozen=True)
class Head:
    """What a frontmatter says. `entries` is None where it could not be read as YAML, or where there is none.

    `name` and `description` are read line by line then, and are empty where there is nothing; `lines` are those of the keys.
    `there` is False where no frontmatter is, or one that has no keys at all.
    """

    name: str
    description: str
    entries: tuple[FrontmatterKey, ...] | None
    problems: tuple[Diagnostic, ...]
    lines: Mapping[str, int] = field(default_factory=dict)
    there: bool = True

    def entry(self, key: str) -> FrontmatterKey | None:
        """The last entry of that key."""
        return next((entry for entry in reversed(self.entries or ()) if entry.key == key), None)


def split(text: str) -> tuple[str, str]:
    """A SKILL.md's frontmatter, without its fences, and the body after it; without a frontmatter all is body."""
    place = _place(text)
    return (text[place[0] : place[1]], text[place[2] :]) if place else ("", text)


def line_at(text: str, index: int) -> int:
    """The line, from 1, in which the character at `index` stands. LF, CRLF and CR end lines."""
    return 1 + bisect_right(_breaks(text), index)


@lru_cache(maxsize=4)
def _breaks(text: str) -> list[int]:
    """Where the lines of a text after the first begin; kept for the next questions about the same text."""
    return [match.end() for match in BREAK.finditer(text)]


def read(text: str) -> Head:
    """What the frontmatter of a SKILL.md says, and what is to be said of its form."""
    place = _place(text)
    if place is None:
        return Head("", "", None, (_without(text),), there=False)
    start, end, _ = place
    source = text[start:end]
    problems = list(_fences(text, start, end))
    try:
        loader = _Loader(source)
        node = loader.get_single_node()
    except (yaml.YAMLError, RecursionError) as error:
        values, lines = _by_line(source, line_at(text, start))
        problems.append(_no_yaml(error, text, start, all(values.values())))
        return Head(values["name"], values["description"], None, tuple(problems), lines)
    problems += [found("flow-style", line_at(text, start + index), what=what) for index, what in loader.oddities]
    if node is not None and not isinstance(node, yaml.MappingNode):
        kind = "list" if isinstance(node, yaml.SequenceNode) else "text"
        problems.append(found("type-frontmatter", line_at(text, start), kind=kind))
        return Head("", "", None, tuple(problems), there=False)
    problems += _losses(node, text, start)
    entries = tuple(_entries(node, text, start))
    texts = {entry.key: entry.text.strip() for entry in entries}
    for entry in entries:
        # A list or a map where a text should be is read as Gemini CLI reads it.
        if entry.kind in ("list", "map") and entry.key in ("name", "description"):
            texts[entry.key] = _by_line(source, 0)[0][entry.key]
    lines = {entry.key: entry.line for entry in entries}
    return Head(texts.get("name", ""), texts.get("description", ""), entries, tuple(problems), lines)


def _place(text: str) -> tuple[int, int, int] | None:
    """Where the frontmatter begins and ends and the body begins."""
    opener = _OPENER.match(text)
    closer = _CLOSER.search(text, opener.end()) if opener else None
    return (opener.end(), closer.start(), closer.end()) if opener and closer else None


def _without(text: str) -> Diagnostic:
    if opener := _OPENER.match(text):
        dots = _DOTS.search(text, opener.end())
        return found("closer", line_at(text, dots.start())) if dots else found("unclosed", 1)
    if _BLANK_LINES.match(text):
        return found("lead-blank", 1)
    if before := _BEFORE.match(text):
        return found("lead-space" if before[0].isspace() else "lead-invisible", 1, what=_blanks(before[0]))
    if _VALUE.match(text):
        return found("opener-value", 1)
    first = BREAK.split(text, maxsplit=1)[0].removeprefix("\ufeff")
    return found("no-frontmatter", 1, first=first if first.strip() else "blank" if text.strip() else "not there")


def _blanks(text: str) -> str:
    """Blank or invisible characters in words."""
    return "white space" if not text.strip(" \t") else visible(text)


def _fences(text: str, start: int, end: int) -> Iterator[Diagnostic]:
    """What is wrong with the lines around a frontmatter, and lines within it that a client takes for its end."""
    opener = BREAK.split(text[:start], maxsplit=1)[0].removeprefix("\ufeff").removeprefix("---")
    if opener:
        yield found("opener-space" if not opener.strip(" \t") else "opener-odd-space", 1, what=_blanks(opener))
    closer = _CLOSER.match(text, end)
    assert closer, "a frontmatter ends where its closing line begins"
    if closer[1] != "---":
        yield found("closer-dashes", line_at(text, end), line=closer[1])
    elif closer[2]:
        yield found("closer-space", line_at(text, end), what=_blanks(closer[2]))
    # Where a client stops reading nothing after it counts: the first of each kind is enough.
    places: dict[str, int] = {}
    for number, line in enumerate(BREAK.split(text[start:end]), start=line_at(text, start)):
        if "---" in line:
            places.setdefault("inner-dashes-line" if line.strip() == "---" else "inner-dashes", number)
    yield from (found(rule, number) for rule, number in places.items())


class _Loader(yaml.SafeLoader):
    """YAML's tree without its values, and what the reference validator's own dialect does not allow in it."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.oddities: list[tuple[int, str]] = []

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            self._odd(event, "an anchor or alias")
        elif event.tag is not None:
            if event.tag.removeprefix(_YAML) not in ("str", "int", "float", "bool", "null", "timestamp", "seq", "map"):
                raise yaml.MarkedYAMLError(problem=f"unknown tag {event.tag}", problem_mark=event.start_mark)
            self._odd(event, "a tag")
        elif isinstance(event, yaml.CollectionStartEvent) and event.flow_style:
            self._odd(event, "a list in brackets" if isinstance(event, yaml.SequenceStartEvent) else "a map in braces")
        return super().compose_node(parent, index)

    def _odd(self, event: yaml.Event, what: str) -> None:
        # One of a kind is enough to be told.
        if all(what != other for _, other in self.oddities):
            self.oddities.append((event.start_mark.index, what))


def _no_yaml(error: yaml.YAMLError | RecursionError, text: str, start: int, readable: bool) -> Diagnostic:
    """What is wrong with a frontmatter that is no YAML; `readable` where name and description can be read by line."""
    mark = getattr(error, "problem_mark", None)
    # What cannot stand in YAML at all, such as a NUL, has a position and no mark.
    index = mark.index if mark else getattr(error, "position", 0)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "nested too deeply"
    return found(
        _yaml_rule(problem, text, start + index) if readable else "yaml-unreadable",
        line_at(text, start + index),
        problem=problem,
    )


#: What a value that is no YAML begins with.
_BEGINS = {
    "*": "yaml-alias",
    "[": "yaml-bracket",
    "{": "yaml-bracket",
    "`": "yaml-reserved",
    "@": "yaml-reserved",
    "%": "yaml-percent",
}


def _yaml_rule(problem: str, text: str, index: int) -> str:
    """The rule for what is wrong at a place of a frontmatter that is no YAML: clients mend some faults and not others."""
    if r"'\t'" in problem:
        return "tab"
    first = max(text.rfind(end, 0, index) for end in "\r\n") + 1
    line, *after = BREAK.split(text[first:], maxsplit=2)
    # Where the first colon of its line is the one at fault, the line above is no key.
    if problem.startswith("mapping values are not allowed") and ":" in text[first:index]:
        return "yaml-colon-lines" if after and after[0][:1] in (" ", "\t") else "yaml-colon"
    if re.match(r"[\w-]+:[ \t]*(['\"]).*\1[ \t]*$", line):
        return "yaml-quotes"
    value = re.match(r"[\w-]+:[ \t]*(.?)", line)
    if rule := _BEGINS.get(value[1]) if value else None:
        return rule
    return "yaml-tag" if problem.startswith("unknown tag !") else "yaml"


def _by_line(source: str, first: int) -> tuple[dict[str, str], dict[str, int]]:
    """Name and description read line by line, with indented lines that go on, as Gemini CLI does where YAML fails.

    And the lines they are in; that of the source's first is `first`.
    """
    values, places = {"name": "", "description": ""}, {}
    lines = BREAK.split(source)
    for number, line in enumerate(lines):
        if match := _FIELD.fullmatch(line):
            parts = [match[2].strip()]
            for more in lines[number + 1 :] if match[1] == "description" else ():
                if more[:1] not in (" ", "\t") or not more.strip():
                    break
                parts.append(more.strip())
            if parts[0] in ("|", ">", "|-", ">-", "|+", ">+"):
                parts = parts[1:]
            values[match[1]] = _unquoted(" ".join(filter(None, parts)))
            places[match[1]] = first + number
    return values, places


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value


def _losses(node: yaml.MappingNode | None, text: str, start: int) -> Iterator[Diagnostic]:
    """Keys that another of the same name hides, and what is lost as a comment."""
    for mapping in (node, *(value for _, value in node.value if isinstance(value, yaml.MappingNode))) if node else ():
        lines: dict[str, int] = {}
        for key, _ in mapping.value:
            line = line_at(text, start + key.start_mark.index)
            if isinstance(key, yaml.ScalarNode) and lines.setdefault(key.value, line) != line:
                yield found("dup-key" if mapping is node else "dup-key-inner", line, key=key.value, first=lines[key.value])
    for key, value in node.value if node else ():
        if isinstance(value, yaml.ScalarNode) and value.style is None and key.value in _PROSE:
            end = start + value.end_mark.index
            if lost := _COMMENT.match(text, end):
                yield found("hash-truncation", line_at(text, end), lost=lost[1], key=key.value)


def _entries(node: yaml.MappingNode | None, text: str, start: int) -> Iterator[FrontmatterKey]:
    for key, value in node.value if node else ():
        name = key.value if isinstance(key, yaml.ScalarNode) else "(a key that is no text)"
        scalar = isinstance(value, yaml.ScalarNode)
        kind = value.tag.removeprefix(_YAML) if scalar else "list" if isinstance(value, yaml.SequenceNode) else "map"
        below = value.value if isinstance(value, yaml.MappingNode) else ()
        rows = tuple(
            (str(inner.value), other.tag.removeprefix(_YAML), line_at(text, start + inner.start_mark.index))
            for inner, other in below
        )
        said = value.value if scalar and kind != "null" else ""
        written = value.value if scalar else ""
        yield FrontmatterKey(name, line_at(text, start + key.start_mark.index), kind, said, rows, written)
