"""Workspaces as data: a tree is a mapping of relative path to bytes, and every name in it is safe to write.

What an agent made comes back as such a tree, read under limits, with links and odd files left out and named.
"""

import errno
import hashlib
import io
import json
import os
import tarfile
import tempfile
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

Files = dict[str, bytes]

MAX_FILES = 2_000
MAX_BYTES = 32 * 1024 * 1024
MAX_NAME = 240
MAX_DEPTH = 16
#: Never the agent's work: skills stand apart (DESIGN.md, invariant 10), packages come from the cache.
APART = (".skills", "node_modules")


class UnsafeName(ValueError):
    """A path that must not be written: it leads out of the workspace or into a place that stands apart."""


class TooMuch(ValueError):
    """A workspace over the limits on files, bytes, depth or length of names."""


class Unreadable(ValueError):
    """A workspace that cannot be read for what has been done to it, such as the loss of all rights."""


def safe_name(name: str) -> str:
    """The path `name` in its plain form. Raises UnsafeName for anything but a relative path within the workspace."""
    path = PurePosixPath(name)
    if not name.strip() or name != name.strip() or any(_unusable(char) for char in name) or "\\" in name:
        raise UnsafeName(f"{name!r} is not a usable file name")
    if path.is_absolute() or ".." in path.parts:
        raise UnsafeName(f"{name!r} leads out of the workspace")
    if not path.parts or path.parts[0] in APART:
        raise UnsafeName(f"{name!r} is not a file of the workspace")
    if len(path.as_posix().encode()) > MAX_NAME or len(path.parts) > MAX_DEPTH:
        raise UnsafeName(f"{name[:60]!r}… is longer than {MAX_NAME} bytes or deeper than {MAX_DEPTH} folders")
    return path.as_posix()


def _unusable(char: str) -> bool:
    """Control characters, and lone surrogates: what a name that is not UTF-8 is read as."""
    return unicodedata.category(char) in ("Cc", "Cs")


def check_size(files: Mapping[str, bytes]) -> None:
    """Raise TooMuch when a tree is over the limits."""
    if len(files) > MAX_FILES:
        raise TooMuch(f"{len(files)} files, at most {MAX_FILES} are kept")
    total = sum(map(len, files.values()))
    if total > MAX_BYTES:
        raise TooMuch(f"{total} bytes, at most {MAX_BYTES} are kept")


def write_tree(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write `files` below `folder`, which must exist and be ours. All names are checked before anything is written.

    Raises UnsafeName also for what is in the way: a link, a folder where a file would go, a file where a folder would.
    """
    wanted = {folder / safe_name(name): data for name, data in files.items()}
    for path in wanted:
        name = path.relative_to(folder).as_posix()
        for above in path.parents[: len(path.parts) - len(folder.parts) - 1]:
            if above.is_symlink():
                raise UnsafeName(f"{name!r} goes through a link")
            if above in wanted or (above.exists() and not above.is_dir()):
                raise UnsafeName(f"{name!r} would make a folder of the file {above.relative_to(folder).as_posix()!r}")
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise UnsafeName(f"{name!r} is a link, a folder or a special file")
    for path, data in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def write_whole(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file so that readers see all of it or nothing, whoever else writes the same; it is on disk when this returns.

    Where that fails what was there before stays, and nothing else is left.
    """
    make_folder(path.parent)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as out:
            out.writelines([data] if isinstance(data, bytes) else data)
            out.flush()
            # Before it gets its name: a file system may keep the name and lose what was in the file when the power goes.
            os.fsync(out.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def unwritable(folder: Path) -> str | None:
    """Why nothing can be written in a folder, None where something can. What is written to see that has no name and is gone."""
    try:
        if not folder.is_dir():
            return "no folder"
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(4096))
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        return error.strerror or str(error)
    return None


def make_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing; they are on disk when this returns."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for one in missing:
        _sync_folder(one.parent)


def _sync_folder(folder: Path) -> None:
    """Have the names in a folder on disk. Some file systems (of networks) cannot do that for folders."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)


def read_tree(folder: Path) -> Files:
    """The regular files below `folder` under the limits; links, special files and what stands apart are left out."""
    files: Files = {}
    total = 0
    stack = [folder]
    while stack:
        for path in sorted(stack.pop().iterdir()):
            name = path.relative_to(folder).as_posix()
            if path.is_symlink() or PurePosixPath(name).parts[0] in APART:
                continue
            if path.is_dir():
                stack.append(path)
            elif path.is_file():
                total += path.stat().st_size
                if len(files) >= MAX_FILES or total > MAX_BYTES:
                    raise TooMuch(f"more than {MAX_FILES} files or {MAX_BYTES} bytes")
                files[safe_name(name)] = path.read_bytes()
    return dict(sorted(files.items()))


def pack(files: Mapping[str, bytes], mode: int = 0o644) -> bytes:
    """A tar archive of `files`."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(safe_name(name))
            entry.size, entry.mode = len(data), mode
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def unpack(data: bytes) -> Files:
    """The regular files of a tar archive that something hostile may have made; the rest of it is left out."""
    files: Files = {}
    total = 0
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for entry in archive:
            parts = PurePosixPath(entry.name).parts
            if not entry.isfile() or not parts or parts[0] in APART:
                continue
            name = safe_name(entry.name)
            # Counted before it is read: a sparse entry is a few bytes here and any number of them when read.
            total += entry.size
            if len(files) >= MAX_FILES or total > MAX_BYTES:
                raise TooMuch(f"more than {MAX_FILES} files or {MAX_BYTES} bytes")
            stream = archive.extractfile(entry)
            files[name] = stream.read() if stream else b""
    return dict(sorted(files.items()))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def listing(files: Mapping[str, bytes]) -> bytes:
    """A tree as the names and hashes of its files: the form in which stores keep it."""
    return json.dumps({name: sha256(data) for name, data in sorted(files.items())}).encode()


def tree_hash(files: Mapping[str, bytes]) -> str:
    """One hash for the names and contents of a tree: that of its listing."""
    return sha256(listing(files))


def hash_json(value: object) -> str:
    """The hash of a JSON value in its canonical form."""
    return sha256(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode())


def names(files: Iterable[str], limit: int = 5) -> str:
    """A few names for a message."""
    listed = sorted(files)
    return ", ".join(listed[:limit]) + (f" and {len(listed) - limit} more" if len(listed) > limit else "")


def text_files(files: Files) -> list[str]:
    """The text files among `files`."""
    found = []
    for data in files.values():
        try:
            found.append(data.decode("utf-8"))
        except UnicodeDecodeError:
            continue
    return found
