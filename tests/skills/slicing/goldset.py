"""The gold set as data: what was labelled, what the slicer says of it, and the two side by side in bytes."""

import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from benchmark.core.files import sha256
from skills.parsing.blocks import lines_of
from skills.parsing.parse import as_skill
from skills.slicing.kinds import KINDS, Kind
from skills.slicing.slices import slice_skill

CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus" / "skills"
LABELS = Path(__file__).parent / "gold" / "labels.toml"


@dataclass(frozen=True)
class Labelled:
    """One skill of the set with a label for each line."""

    file: str
    half: str
    data: bytes
    labels: tuple[str, ...]


@cache
def gold() -> tuple[Labelled, ...]:
    """The set, each file checked to be the one that was labelled, each line to have one label."""
    if not CORPUS.is_dir():
        pytest.skip("the corpus is not here")
    rows = tomllib.loads(LABELS.read_text(encoding="utf-8"))["skill"]
    return tuple(_labelled(row) for row in rows)


def _labelled(row: dict[str, str]) -> Labelled:
    data = (CORPUS / row["file"]).read_bytes()
    assert sha256(data) == row["sha256"], f"{row['file']} is not the file that was labelled"
    labels: list[str] = []
    for item in row["lines"].replace("\n", " ").split(","):
        span, label = item.split()
        first, _, last = span.partition("-")
        assert int(first) == len(labels) + 1 and label in KINDS, f"{row['file']}: {item}"
        labels += [label] * (int(last or first) - int(first) + 1)
    assert len(labels) == len(lines_of(data)), row["file"]
    return Labelled(row["file"], row["half"], data, tuple(labels))


def predicted(item: Labelled) -> list[Kind]:
    """A kind for each line by the slicer."""
    made = slice_skill(as_skill(item.file.split("/")[1], {"SKILL.md": item.data}))
    return [one.kind for one in made for _ in range(one.first, one.last + 1)]


def fences_only(item: Labelled) -> list[Kind]:
    """The baseline: the frontmatter, what lies between lines of three backticks, and all else a rule."""
    kinds: list[Kind] = []
    inside = False
    lines = lines_of(item.data)
    head = next((number for number, line in enumerate(lines) if number and line.strip() == b"---"), -1)
    for number, line in enumerate(lines):
        fence = line.lstrip().startswith((b"```", b"~~~"))
        kinds.append("header" if number <= head else "examples" if inside or fence else "rules")
        inside ^= fence
    return kinds


def confusion(half: str, by: Callable[[Labelled], list[Kind]] = predicted) -> Counter[tuple[str, str]]:
    """Bytes by gold label and label given, over one half of the set."""
    counts: Counter[tuple[str, str]] = Counter()
    for item in gold():
        if item.half == half:
            for want, given, line in zip(item.labels, by(item), lines_of(item.data), strict=True):
                counts[want, given] += len(line)
    return counts


def precision(counts: Counter[tuple[str, str]], kind: str) -> float:
    """Of the bytes given a kind, the share that have it."""
    return counts[kind, kind] / (sum(counts[other, kind] for other in KINDS) or 1)


def recall(counts: Counter[tuple[str, str]], kind: str) -> float:
    """Of the bytes of a kind, the share that were given it."""
    return counts[kind, kind] / (sum(counts[kind, other] for other in KINDS) or 1)


def agreement(counts: Counter[tuple[str, str]]) -> float:
    """The share of all bytes that were given the gold label."""
    return sum(counts[kind, kind] for kind in KINDS) / sum(counts.values())


def table(counts: Counter[tuple[str, str]]) -> str:
    """The confusion table as Markdown: gold in rows, given in columns, bytes, with recall and precision at the ends."""
    head = f"| gold \\ given | {' | '.join(KINDS)} | recall |"
    rows = [
        f"| {kind} | {' | '.join(f'{counts[kind, other]:,}' for other in KINDS)} | {recall(counts, kind):.3f} |"
        for kind in KINDS
    ]
    foot = f"| precision | {' | '.join(f'{precision(counts, kind):.3f}' for kind in KINDS)} | {agreement(counts):.3f} |"
    return "\n".join([head, "|---" * (len(KINDS) + 2) + "|", *rows, foot])
