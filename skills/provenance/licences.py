"""Under which licence a skill may be passed on: what its frontmatter, a file of its own or one around it says.

A licence is known by its name or by the words at the beginning of its text (licences.toml). Nothing is guessed: what is not
recognised is `unknown`, and what reserves all rights is closed.
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmark.core.files import Files
from benchmark.core.model import Data
from skills.parsing import frontmatter
from skills.parsing.diagnose import lenient
from skills.parsing.parse import Skill

UNKNOWN = "unknown"
CLOSED = "proprietary"
#: A licence's title stands within so many characters of its text.
HEAD = 600
#: So many bytes of a file are read for it.
LARGE = 100_000
PROJECT = "pyproject.toml"


@dataclass(frozen=True)
class Licence:
    """A licence by its SPDX name (`unknown`, `proprietary` where there is none) and what said so."""

    id: str
    said: str

    @property
    def closed(self) -> bool:
        return self.id == CLOSED


class _KnownLicence(Data):
    """How a licence's text begins, and what a frontmatter may call it."""

    id: str
    titles: tuple[str, ...]
    names: tuple[str, ...]


class _LicenceTable(Data):
    """All of `licences.toml`."""

    closed: tuple[str, ...]
    files: tuple[str, ...]
    licence: tuple[_KnownLicence, ...]


@cache
def _table() -> _LicenceTable:
    return _LicenceTable.model_validate(tomllib.loads(Path(__file__).with_name("licences.toml").read_text(encoding="utf-8")))


def licence_of(skill: Skill, around: Iterable[Files] = ()) -> Licence:
    """The licence of a skill: its frontmatter's, else that of a licence file of its own, else of one `around` it.

    `around` are the files that say a licence (`may_say`) in the folders above it, the nearest first. What the skill itself
    says to be closed is closed, whatever else it says.
    """
    own = [licence for licence in (_stated(skill), _filed(skill.files, "its ")) if licence]
    others = [licence for files in around if (licence := _filed(files, "the source's "))]
    closed = [licence for licence in own if licence.closed]
    known = [licence for licence in (*own, *others) if licence.id != UNKNOWN]
    return next(iter((*closed, *known, *own, *others)), Licence(UNKNOWN, "nothing says under which licence it is"))


def may_say(name: str) -> bool:
    """Whether a file of that name says under which licence what lies beside it is: LICENSE, COPYING.md, pyproject.toml …"""
    return _is_licence(name) or name == PROJECT


def licence_around(folder: Path, top: Path | None = None) -> list[Files]:
    """What says a licence in the folders above `folder`, the nearest first, up to the root of the repository that it is in.

    In no repository up to `top`, and not at all without it: what lies above has nothing to do with it then.
    """
    above = list(folder.resolve().parents)
    ends = [place for place, path in enumerate(above) if (path / ".git").exists() or (top and path == top.resolve())]
    return [_sayings(path) for path in above[: ends[0] + 1]] if ends else []


def _sayings(folder: Path) -> Files:
    paths = [path for path in sorted(folder.iterdir()) if may_say(path.name) and path.is_file() and not path.is_symlink()]
    return {path.name: path.read_bytes()[:LARGE] for path in paths}


def _is_licence(name: str) -> bool:
    stem, _, ending = name.lower().partition(".")
    return stem in _table().files and ending in ("", "md", "txt", "rst")


def _stated(skill: Skill) -> Licence | None:
    entry = frontmatter.read(lenient(skill.data)).entry("license")
    text = entry.text.strip() if entry else ""
    return _named(text, "its frontmatter") if text else None


def _named(text: str, who: str) -> Licence:
    said = f"{who} says {text[:80]!r}"
    plain = _plain(text)
    if any(f" {word} " in plain for word in _table().closed):
        return Licence(CLOSED, said)
    found = []
    for row in _table().licence:
        for name in row.names:
            if f" {name} " in plain and row.id not in found:
                found.append(row.id)
                # A name within this one is not another licence.
                plain = plain.replace(f" {name} ", " ")
    # Of several the choice or the sum is meant, as it is written there.
    return Licence(found[0] if len(found) == 1 else text if found else UNKNOWN, said)


def _filed(files: Files, whose: str) -> Licence | None:
    """What the licence files among `files` say, and where there is none the `license` of a pyproject.toml."""
    answers = []
    for name, data in sorted(files.items()):
        if not _is_licence(name):
            continue
        said = f"{whose}{name}"
        plain = _plain(data.decode("utf-8", "replace"))
        row = next((row for row in _table().licence if any(f" {title} " in plain[:HEAD] for title in row.titles)), None)
        closed = any(f" {word} " in plain[:HEAD] for word in _table().closed)
        answers.append(Licence(row.id if row else CLOSED if closed else UNKNOWN, said))
    if not answers and (name := _project_licence(files.get(PROJECT, b""))):
        answers.append(_named(name, f"{whose}{PROJECT}"))
    return next((licence for licence in answers if licence.id != UNKNOWN), answers[0] if answers else None)


def _project_licence(data: bytes) -> str:
    try:
        found = tomllib.loads(data.decode()).get("project", {}).get("license", "")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return ""
    return found if isinstance(found, str) else ""


def _plain(text: str) -> str:
    """A text in lower case with one space for whatever is no letter or digit, and one at either end."""
    return f" {re.sub(r'[^a-z0-9]+', ' ', text.lower()).strip()} "
