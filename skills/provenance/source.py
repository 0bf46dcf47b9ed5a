"""Where a skill is taken from: a folder, or a git repository at some commit, as names and bytes and nothing that runs.

Of a repository nothing is checked out. Its objects are fetched into a bare one of ours and read from there, so that no hook,
filter, submodule or link of it has a say, and what is too large is known before it is read.
"""

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from benchmark.core.errors import UsageError
from benchmark.core.files import APART, MAX_BYTES, MAX_FILES, Files, TooMuch, UnsafeName, read_tree, safe_name
from skills.parsing.parse import find_skills, skill_folder
from skills.provenance import git
from skills.provenance.licences import LARGE, licence_around, may_say

_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.I)
#: host:path as ssh has it, or a helper of git's; Windows' drives have one letter.
_REMOTE = re.compile(r"[^/\s:@]+@[^/\s:]+:|[^/\s:@]{2,}:")
_REVISION = re.compile(r"[A-Za-z0-9_][\w./+-]*")


class Origin(Protocol):
    """An opened source: the skills in it, by their folders (`.` is its root), and their bytes.

    `name` is what a lock says of it, `commit` None where there is none, `folder` what its root is called.
    """

    name: str
    commit: str | None
    folder: str
    skills: list[str]

    def files(self, path: str) -> tuple[Files, list[str]]:
        """The files of the skill at `path`, and the names of what was left out: links, submodules, odd files.

        Raises TooMuch, UnsafeName.
        """
        ...

    def around(self, path: str) -> list[Files]:
        """What says a licence in the folders above `path`, the nearest first."""
        ...


@dataclass(frozen=True)
class SourceRequest:
    """What a source's text asks for: a folder or an address, a revision, a path in it."""

    place: str
    revision: str | None
    path: str | None


def read_source(text: str, commit: str | None = None, path: str | None = None) -> SourceRequest:
    """`PLACE[@REVISION][#PATH]`: a folder or the address of a git repository, and in it a revision and a skill's folder.

    `commit` and `path` say the same for themselves. A folder that is called so as a whole, with `@` and `#`, is meant first.
    Raises UsageError where a part is given twice, or is nothing that could be one.
    """
    place, revision, inside = text.strip(), None, None
    if not Path(place).exists():
        place, _, inside = place.partition("#")
        if not Path(place).exists():
            place, revision = _revision(place)
    if (revision and commit and revision != commit) or (inside and path and inside != path):
        raise UsageError(f"{text!r} names another revision or path than is asked for beside it; say it once")
    revision, inside = commit or revision, path or inside or None
    if not place or place.startswith("-"):
        raise UsageError(f"{text!r} is neither a folder nor the address of a git repository")
    if revision and (not _REVISION.fullmatch(revision) or ".." in revision):
        raise UsageError(f"{revision!r} is no revision; give a branch, a tag or a commit")
    try:
        inside = inside and ("." if PurePosixPath(inside) == PurePosixPath() else safe_name(inside))
    except UnsafeName as error:
        raise UsageError(f"{inside!r} is no folder in {place}: {error}") from error
    return SourceRequest(place, revision, inside)


def _revision(text: str) -> tuple[str, str | None]:
    """An address and the revision after it: the last `@` behind the host and within or after a name."""
    authority = _URL.match(text) or _REMOTE.match(text)
    start = authority.end() if authority else 0
    if authority and "://" in authority[0]:
        start = text.find("/", start) if "/" in text[start:] else len(text)
    at = max((match.start() for match in re.finditer(r"(?<=[^/])@", text) if match.start() >= start), default=-1)
    return (text, None) if at < 0 else (text[:at], text[at + 1 :])


@contextmanager
def open_source(asked: SourceRequest) -> Iterator[Origin]:
    """The source, for as long as it is read. Raises UsageError for what is none, SetupError where git is missing."""
    folder = Path(asked.place)
    if not folder.exists():
        if not (_URL.match(asked.place) or _REMOTE.match(asked.place)):
            raise UsageError(f"no folder at {asked.place}, and that is no address of a git repository either")
        with tempfile.TemporaryDirectory(prefix="assay-add-") as temporary:
            yield Repository(git.fetch(Path(temporary), asked.place, asked.revision), git.public(asked.place))
        return
    if not folder.is_dir():
        folder = folder.parent if folder.name.lower() == "skill.md" else folder
        if not folder.is_dir():
            raise UsageError(f"{asked.place} is a file; give the folder that holds SKILL.md")
    folder = skill_folder(folder)
    if not git.is_repository(folder):
        if asked.revision:
            raise UsageError(f"{folder} is no git repository and has no {asked.revision}; give the repository and #PATH")
        yield Folder(folder)
        return
    with tempfile.TemporaryDirectory(prefix="assay-add-") as temporary:
        name = git.origin(folder) or f"local:{folder.name}"
        lying = None if asked.revision or not (folder / ".git").exists() else folder
        yield Repository(git.fetch(Path(temporary), str(folder), asked.revision), name, folder.name.removesuffix(".git"), lying)


class Folder:
    """A folder that is no repository, as it lies there."""

    commit: str | None = None

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.folder = folder.name
        self.name = f"local:{folder.name}"
        self.skills = [path.relative_to(folder).as_posix() for path in find_skills(folder, links=False)]

    def files(self, path: str) -> tuple[Files, list[str]]:
        return _lying(self._folder / path)

    def around(self, path: str) -> list[Files]:
        return licence_around(self._folder / path, self._folder)


class Repository:
    """A fetched repository at one commit, `lying` where it was taken from a working tree that must not differ from it."""

    def __init__(self, fetched: git.Fetched, name: str, folder: str = "", lying: Path | None = None) -> None:
        self._fetched, self._lying = fetched, lying
        self.name = name
        self.commit: str | None = fetched.commit
        self.folder = folder or re.split(r"[/:]", name.rstrip("/"))[-1].removesuffix(".git")
        found = [PurePosixPath(name).parent.as_posix() for name in fetched.entries if PurePosixPath(name).name == "SKILL.md"]
        odd = [PurePosixPath(name).parent for name in fetched.entries if PurePosixPath(name).name.lower() == "skill.md"]
        # As in a folder (parse.find_skills): within a skill another case is but a page.
        found += [path.as_posix() for path in odd if not any(_within(path.as_posix(), above) for above in found)]
        self.skills = sorted(found)

    def files(self, path: str) -> tuple[Files, list[str]]:
        prefix = "" if path == "." else f"{path}/"
        inside = {name.removeprefix(prefix): entry for name, entry in self._fetched.entries.items() if name.startswith(prefix)}
        inside = {name: entry for name, entry in inside.items() if name.split("/")[0] not in APART}
        plain = {safe_name(name): entry for name, entry in inside.items() if entry.plain}
        if len(plain) > MAX_FILES or sum(entry.size for entry in plain.values()) > MAX_BYTES:
            raise TooMuch(f"more than {MAX_FILES} files or {MAX_BYTES} bytes")
        contents = self._fetched.read([entry.sha for entry in plain.values()])
        files = dict(zip(plain, contents, strict=True))
        left = sorted(name for name, entry in inside.items() if not entry.plain)
        if self._lying:
            self._check(path, files, left)
        return files, left

    def around(self, path: str) -> list[Files]:
        parents = [parent.as_posix() for parent in PurePosixPath(path).parents] if path != "." else []
        entries = {name: entry for name, entry in self._fetched.entries.items() if entry.plain and entry.size <= LARGE}
        found = []
        for parent in parents:
            here = [
                name for name in entries if PurePosixPath(name).parent.as_posix() == parent and may_say(name.split("/")[-1])
            ]
            contents = self._fetched.read([entries[name].sha for name in here])
            found.append({name.split("/")[-1]: data for name, data in zip(here, contents, strict=True)})
        return found

    def _check(self, path: str, files: Files, left: Sequence[str]) -> None:
        """Raise UsageError where the working tree has something else at `path` than the commit."""
        assert self._lying
        lying, _ = _lying(self._lying / path)
        lying = {name: data for name, data in lying.items() if not any(_within(name, one) for one in left)}
        changed = sorted(name for name in lying.keys() | files.keys() if lying.get(name) != files.get(name))
        if changed:
            raise UsageError(
                f"{self._lying / path} differs from what is committed ({', '.join(changed[:3])}{' …' if changed[3:] else ''}); "
                "commit it, or take what is committed with @HEAD"
            )


def _lying(folder: Path) -> tuple[Files, list[str]]:
    """The files of a folder without its history, and the links in it."""
    files = {name: data for name, data in read_tree(folder).items() if ".git" not in name.split("/")}
    links = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_symlink()]
    return files, sorted(link for link in links if link.split("/")[0] not in APART)


def _within(name: str, folder: str) -> bool:
    return folder in (".", name) or name.startswith(f"{folder}/")
