"""Which skills a collection consists of, where they are from, and that they are still what they were: `collection.lock`.

A table for each skill: a repository's name is no pin, for skills change and differ from copy to copy (research note §4);
hashes are. Rows of our own skills follow the skill (`renew`); a row of a skill from elsewhere stays, and the skill must.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import tomli_w
from pydantic import Field, ValidationError

from benchmark.core.errors import UsageError
from benchmark.core.model import Data, Sha
from skills.parsing.parse import Skill, find_skills, load_skill
from skills.provenance.licences import licence_around, licence_of

LOCK = "collection.lock"
OWN = "own"

_HEAD = """\
# Where each skill of this folder is from, and what it was when it came: hashes are of SKILL.md and of all its files.
# Written by `assay skills add` and `assay skills lock`.
"""


class Locked(Data):
    """One skill's row.

    `source` is `own`, the address of a repository, or `local:NAME` for a folder that only its owner has; `path` is the
    skill's folder in it. `sha256` and `bytes` are of SKILL.md, `tree` and `files` (how many) of it with its other files.
    """

    source: str
    commit: str | None = None
    path: str
    licence: str
    sha256: Sha
    tree: Sha
    bytes: int = Field(ge=0)
    files: int = Field(ge=1)

    @property
    def own(self) -> bool:
        return self.source == OWN


def row_of(skill: Skill, source: str, commit: str | None, path: str, licence: str) -> Locked:
    """The row of a skill as it lies there."""
    return Locked(
        source=source,
        commit=commit,
        path=path,
        licence=licence,
        sha256=skill.ref.sha256,
        tree=skill.ref.tree,
        bytes=skill.ref.size,
        files=len(skill.files) + 1,
    )


def load_lock(folder: Path) -> dict[str, Locked]:
    """The rows of the lock in `folder` by skill id, none where it has no lock. Raises UsageError on a faulty one."""
    path = folder / LOCK
    if not path.is_file():
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return {skill: Locked.model_validate(row) for skill, row in data.items()}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}; take it from the history of the repository") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "a row"
        raise UsageError(f"{path}: {where}: {first['msg']}; take it from the history of the repository") from error


def write_lock(folder: Path, rows: Mapping[str, Locked]) -> None:
    """Write the lock of `folder`, rows by skill id: all of it or nothing."""
    new = folder / f".{LOCK}"
    try:
        tables = {skill: row.model_dump(exclude_none=True) for skill, row in sorted(rows.items())}
        new.write_text(f"{_HEAD}\n{tomli_w.dumps(tables)}", encoding="utf-8")
        new.replace(folder / LOCK)
    finally:
        new.unlink(missing_ok=True)


def check_lock(folder: Path) -> list[str]:
    """What is not as the lock of `folder` says, one line each with what to do; none where all is."""
    rows, skills = load_lock(folder), list(_skills(folder))
    problems: list[str] = []
    for name, where in sorted(_doubled(skills)):
        problems.append(f"{name}: {where} are all called so; rename all but one")
    known = {skill.id: skill for skill in skills}
    for name in sorted(known.keys() | rows.keys()):
        problems += _problems(name, known.get(name), rows.get(name))
    return problems


def renew(folder: Path) -> list[str]:
    """Bring the lock of `folder` up to what lies there, own skills alone; what was done, a line each.

    A skill without a row is taken for an own one, under the licence that it or the project around it states. Rows without a
    skill go. A skill from elsewhere keeps its row, whatever lies there: `check_lock` tells.
    """
    before, rows, done = load_lock(folder), {}, []
    for skill in _skills(folder):
        row = before.get(skill.id)
        if row is None or row.own:
            licence = row.licence if row else licence_of(skill, licence_around(folder / skill.id)).id
            row = row_of(skill, OWN, None, skill.id, licence)
        rows[skill.id] = row
    for name in sorted(before.keys() | rows.keys()):
        if name not in rows:
            done.append(f"{name}: taken out, for there is no such skill any more")
        elif name not in before:
            done.append(f"{name}: put in as our own, licence {rows[name].licence}")
        elif rows[name] != before[name]:
            done.append(f"{name}: renewed, SKILL.md {before[name].sha256[:12]} → {rows[name].sha256[:12]}")
    if done:
        write_lock(folder, rows)
    return done


def _skills(folder: Path) -> Iterator[Skill]:
    if not folder.is_dir():
        raise UsageError(f"no folder at {folder}; give the folder of a collection")
    return map(load_skill, find_skills(folder))


def _doubled(skills: Iterable[Skill]) -> Iterator[tuple[str, str]]:
    places: dict[str, list[str]] = {}
    for skill in skills:
        places.setdefault(skill.id, []).append(str(skill.source.parent if skill.source else skill.id))
    return ((name, " and ".join(found)) for name, found in places.items() if len(found) > 1)


def _problems(name: str, skill: Skill | None, row: Locked | None) -> Iterator[str]:
    if skill is None:
        yield f"{name}: has a row in {LOCK} and no folder; put the skill back, or take the row out with assay skills lock"
    elif row is None:
        yield (
            f"{name}: has no row in {LOCK}; if it is ours, run assay skills lock; if it is from elsewhere, take it out "
            "and add it with assay skills add SOURCE"
        )
    elif (now := row_of(skill, row.source, row.commit, row.path, row.licence)) != row:
        what = _difference(row, now)
        if row.own:
            yield f"{name}: {what}; if that is meant, run assay skills lock"
        else:
            at = f"{row.source} at {row.commit[:12]}" if row.commit else row.source
            yield f"{name}: {what}, and is no longer what {at} has; put it back, or take it out and add it again"


def _difference(row: Locked, now: Locked) -> str:
    if row.sha256 != now.sha256:
        return f"SKILL.md has changed from {row.sha256[:12]} ({row.bytes:,} bytes) to {now.sha256[:12]} ({now.bytes:,} bytes)"
    if row.tree != now.tree:
        return f"its other files have changed: from {row.tree[:12]} ({row.files} files) to {now.tree[:12]} ({now.files} files)"
    return f"its row says {row.bytes:,} bytes and {row.files} files, it has {now.bytes:,} and {now.files}"
