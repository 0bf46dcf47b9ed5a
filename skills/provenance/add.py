"""Bring a skill from somewhere into a collection, with where it is from, its hashes and its licence.

Bytes alone are copied and nothing of it is run. What fails leaves the collection as it was: the skill is laid out beside it
and moved into it as a whole, and the lock is written last.
"""

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchmark.core.errors import UsageError
from benchmark.core.files import TooMuch, UnsafeName, names, write_tree
from skills.diagnosis.leaks import Leak, Passage, Watch, leak_lines, leaks
from skills.parsing.parse import Skill, find_skills, load_skill, usable
from skills.provenance.licences import UNKNOWN, Licence, licence_of
from skills.provenance.listing import Near, near_lines, nearest
from skills.provenance.lock import OWN, Locked, load_lock, row_of, write_lock
from skills.provenance.source import Origin, open_source, read_source


@dataclass(frozen=True)
class Added:
    """A skill that a collection now has: its row, what to know of it, its near duplicates there, and what it leaks.

    `new` is False where the collection had it already, file by file. Diagnostics are `skill.diagnostics`.
    """

    skill: Skill
    row: Locked
    new: bool
    warnings: tuple[str, ...]
    near: tuple[Near, ...]
    leaks: tuple[Leak, ...]


def add(
    source: str,
    into: Path,
    *,
    path: str | None = None,
    commit: str | None = None,
    licence: str | None = None,
    passages: Iterable[Passage] = (),
) -> Added:
    """Add the skill at `source` to the collection in the folder `into`.

    `source` is `PLACE[@REVISION][#PATH]`: a folder or a git repository, local or by its address, a branch, tag or commit of
    it, and the skill's folder in it; `commit` and `path` say the same for themselves. A folder is taken as it lies there, a
    repository's root folder as it is committed, which must be what lies there unless a revision is named. A `licence` that is
    given stands for what the skill says; without it, a proprietary skill is refused. `passages` are what it must not hold
    (`benchmark.suite.discovery.all_passages`): what it does is told.

    Raises UsageError where there is no skill or more than one, its name is taken, or it cannot be injected.
    """
    if not into.is_dir():
        raise UsageError(f"no folder at {into}; give the folder of a collection")
    if licence is not None and (not licence.strip() or not licence.isprintable()):
        raise UsageError(f"the licence {licence!r} is no name; give one such as MIT or Apache-2.0")
    asked, watch = read_source(source, commit, path), Watch(passages)
    try:
        with (
            open_source(asked) as origin,
            tempfile.TemporaryDirectory(dir=into.resolve().parent, prefix=".adding-") as temporary,
        ):
            return _add(origin, _choose(origin, asked.path), into, Path(temporary), licence, watch)
    except OSError as error:
        raise UsageError(f"nothing was added to {into}: {error.strerror} ({error.filename})") from error


def _add(origin: Origin, where: str, into: Path, temporary: Path, licence: str | None, watch: Watch) -> Added:
    others = {skill.id: usable(skill) for skill in map(load_skill, find_skills(into))}
    laid, left = _lay_out(origin, where, temporary)
    skill = _load(laid, origin)
    found = Licence(licence.strip(), "given") if licence else licence_of(skill, origin.around(where))
    if found.closed:
        raise UsageError(f"{skill.id} is not to be copied: {found.said}; if you may, say under which terms with --licence")
    near = nearest(skill, (other for other in others.values() if other.id != skill.id))
    leaking = leaks(skill, watch)
    rows = load_lock(into)
    new = not _there(into / skill.id, skill, rows.get(skill.id))
    row = row_of(skill, origin.name, origin.commit, where, found.id)
    row = row if new else rows.get(skill.id, row)
    if new or skill.id not in rows:
        _keep(laid, into / skill.id, {**rows, skill.id: row}, new)
    warnings = tuple(_warnings(row, found, left))
    return Added(load_skill(into / skill.id), row, new, warnings, tuple(near), tuple(leaking))


def added_lines(added: Added) -> Iterator[str]:
    """What was added, for the terminal, and what to know of it."""
    row, skill = added.row, added.skill
    at = f" at {row.commit[:12]}" if row.commit else ""
    inside = "" if row.path == "." else f", {row.path}"
    yield (
        f"{skill.id}: {'added' if added.new else 'is there already'}; from {row.source}{at}{inside}; "
        f"SKILL.md {row.bytes:,} bytes, {row.files} {'file' if row.files == 1 else 'files'}, licence {row.licence}"
    )
    for warning in added.warnings:
        yield f"warning: {warning}"
    for item in skill.diagnostics:
        yield f"{skill.id}/SKILL.md{f':{item.line}' if item.line else ''}: {item.severity}[{item.code}] {item.message}"
    yield from near_lines(skill.id, added.near)
    yield from leak_lines(skill, added.leaks)


def _choose(origin: Origin, path: str | None) -> str:
    """The folder of the one skill that is meant. Raises UsageError where it is not one."""
    known = sorted(origin.skills)
    asked = path or "."
    if PurePosixPath(asked).name.lower() == "skill.md":
        asked = PurePosixPath(asked).parent.as_posix()
    below = [one for one in known if one == asked or asked == "." or one.startswith(f"{asked}/")]
    if asked in known:
        if below[1:]:
            raise UsageError(
                f"{origin.name} at {asked} holds skills within the skill ({names(set(below) - {asked})}): a collection has "
                "each in a folder of its own; take one of these with #PATH"
            )
        return asked
    if not below:
        others = f"; it has skills at {names(known)}" if known else ": there is no SKILL.md in it"
        raise UsageError(f"no skill at {asked} in {origin.name}{others}")
    if len(below) > 1:
        raise UsageError(f"{origin.name} has {len(below)} skills: {names(below, 20)}; say which with #PATH")
    return below[0]


def _lay_out(origin: Origin, where: str, temporary: Path) -> tuple[Path, list[str]]:
    """The skill's folder, laid out under the name that it will have, and what was left out."""
    folder = temporary / (origin.folder if where == "." else PurePosixPath(where).name)
    try:
        files, left = origin.files(where)
        if not any(name.lower() == "skill.md" for name in files):
            raise UsageError(f"{origin.name}: the SKILL.md at {where} is a link or no plain file, and links are not followed")
        folder.mkdir()
        write_tree(folder, files)
    except (TooMuch, UnsafeName) as error:
        raise UsageError(f"{origin.name}: the skill at {where} is not to be mounted: {error}") from error
    return folder, left


def _load(laid: Path, origin: Origin) -> Skill:
    try:
        return usable(load_skill(laid))
    except UsageError as error:
        # Where it is laid out for a moment tells nobody anything.
        raise UsageError(f"{origin.name}: {str(error).replace(f'{laid.parent}/', '')}") from error


def _there(folder: Path, skill: Skill, row: Locked | None) -> bool:
    """Whether the collection has this very skill. Raises UsageError where it has another one under its name."""
    if not folder.exists() and row is None:
        return False
    if not folder.exists():
        raise UsageError(f"{skill.id} has a row in the lock and no folder; take the row out with assay skills lock first")
    if load_skill(folder).ref.tree == skill.ref.tree:
        return True
    whose = (
        "another"
        if row is None or row.source == OWN
        else f"that of {row.source}{f' at {row.commit[:12]}' if row.commit else ''}"
    )
    raise UsageError(f"the name {skill.id} is taken: {folder} is {whose} skill; take that one out first, or keep it")


def _keep(laid: Path, target: Path, rows: dict[str, Locked], new: bool) -> None:
    """Move the skill into the collection and write the lock; neither where one of them fails."""
    if new:
        laid.rename(target)
    try:
        write_lock(target.parent, rows)
    except BaseException:
        if new:
            shutil.rmtree(target, ignore_errors=True)
        raise


def _warnings(row: Locked, found: Licence, left: list[str]) -> Iterator[str]:
    if row.licence == UNKNOWN:
        yield f"its licence is unknown ({found.said}): find out before you pass it on, and write it into the lock"
    if left:
        yield f"left out, for links and submodules are not followed: {names(left)}"
