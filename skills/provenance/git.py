"""Git, as far as taking a skill needs it: fetch one commit of somebody's repository and read its objects.

The repository is not trusted: it is never worked in, its configuration is read for its address alone, and only transports
that start no programs of its choosing are allowed. Nobody is asked for a password.
"""

import os
import re
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.core.errors import SetupError, UsageError

#: The longest that one command may take.
SECONDS = 300.0
_OURS = ("gc.auto=0", "maintenance.auto=false", "core.hooksPath=/dev/null", "core.askPass=", "credential.interactive=false")
_HASH = re.compile(r"[0-9a-f]{4,64}")


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """What a tree has under a name: the object, its bytes (0 of a submodule), and whether it is a plain file."""

    sha: str
    size: int
    plain: bool


@dataclass(frozen=True)
class Fetched:
    """One commit in a bare repository of ours: all it has by path."""

    folder: Path
    commit: str
    entries: dict[str, TreeEntry]

    def read(self, shas: Sequence[str]) -> list[bytes]:
        """The contents of objects that `entries` has."""
        if not shas:
            return []
        out = run(self.folder, "cat-file", "--batch", given="".join(f"{sha}\n" for sha in shas).encode())
        contents, at = [], 0
        for _ in shas:
            end = out.index(b"\n", at)
            size = int(out[at:end].split()[2])
            contents.append(out[end + 1 : end + 1 + size])
            at = end + size + 2
        return contents


def fetch(folder: Path, place: str, revision: str | None) -> Fetched:
    """The repository at `place`, at its HEAD or a revision, fetched into `folder`, which is empty and ours.

    Raises UsageError with git's own words where that fails.
    """
    run(folder, "init", "--quiet", "--bare", "--template=", ".")
    try:
        _fetch(folder, place, "--depth=1", f"+{revision or 'HEAD'}:refs/taken")
        commit = _commit(folder, "refs/taken")
    except _Failed as error:
        if not revision or not _HASH.fullmatch(revision):
            raise UsageError(f"{_shown(place)} cannot be fetched at {revision or 'HEAD'}: {error}") from error
        commit = _search(folder, place, revision)
    return Fetched(folder, commit, _entries(run(folder, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)))


def _fetch(folder: Path, place: str, *what: str) -> None:
    run(
        folder,
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-recurse-submodules",
        "--no-write-fetch-head",
        *what[:-1],
        "--",
        place,
        what[-1],
    )


def _search(folder: Path, place: str, revision: str) -> str:
    """A commit by a part of its hash, or one that the other side gives only with what leads to it: among all there is."""
    try:
        run(
            folder,
            "fetch",
            "--quiet",
            "--no-recurse-submodules",
            "--",
            place,
            "+refs/heads/*:refs/heads/*",
            "+refs/tags/*:refs/tags/*",
        )
        return _commit(folder, revision)
    except _Failed as error:
        raise UsageError(f"{_shown(place)} cannot be fetched at {revision}: {error}") from error


def _commit(folder: Path, name: str) -> str:
    return run(folder, "rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}").decode().split()[-1]


def _entries(listing: bytes) -> dict[str, TreeEntry]:
    found = {}
    for line in listing.split(b"\0")[:-1]:
        about, _, name = line.partition(b"\t")
        mode, _, sha, size = about.decode().split()
        plain = mode in ("100644", "100755", "100664")
        # A name that is not UTF-8 is refused where it would be written.
        found[name.decode("utf-8", "surrogateescape")] = TreeEntry(sha, int(size) if size != "-" else 0, plain)
    return found


def is_repository(folder: Path) -> bool:
    """Whether `folder` is the root of a working tree, or a bare repository."""
    return (folder / ".git").exists() or all((folder / name).exists() for name in ("HEAD", "objects", "refs"))


def origin(folder: Path) -> str | None:
    """The address that a local repository was cloned from, None where it has none that others could use."""
    try:
        address = run(folder, "config", "--get", "remote.origin.url").decode().strip()
    except _Failed:
        return None
    remote = re.match(r"(?:https?|ssh|git)://|[^/\s:@]+@[^/\s:]+:", address)
    return public(address) if remote else None


def public(place: str) -> str:
    """An address as it may be written down: without the name and password that it may carry, and without a machine's paths."""
    if re.match(r"file://", place, re.I) or Path(place).exists():
        return f"local:{Path(place).name}"
    return _shown(place)


def _shown(text: str) -> str:
    """A text without the names and passwords of the addresses in it."""
    return re.sub(r"(?<=://)[^/@\s]*@", "", text)


class _Failed(UsageError):
    """A git command that did not succeed, with the last of its words."""


def run(folder: Path, *args: str, given: bytes = b"") -> bytes:
    """What a git command in `folder` prints. Raises UsageError with its words, SetupError where git is not installed."""
    command = ["git", *(part for setting in _OURS for part in ("-c", setting)), *args]
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise SetupError("git is not installed: it takes skills from repositories; install it, or add a folder") from error
    try:
        out, err = process.communicate(given, SECONDS)
    except BaseException as error:
        # Its helpers too: git waits for them, they for the network.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            raise UsageError(f"git {args[0]} took more than {SECONDS:.0f} s and was stopped; try again") from error
        raise
    if process.returncode:
        words = [line for line in err.decode(errors="replace").splitlines() if line.strip()]
        told = next((line for line in words if line.startswith("fatal:")), words[-1] if words else "no reason given")
        raise _Failed(_shown(told.removeprefix("fatal: ")))
    return out


def _environment() -> dict[str, str]:
    """The surroundings without what steers git elsewhere or asks somebody; proxies and the agent for ssh stay."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") and name != "SSH_ASKPASS"}
    return kept | {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
        "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
        "GIT_NO_LAZY_FETCH": "1",
        "LC_ALL": "C",
    }
