"""Temporary folders that name the process they belong to, so that what a killed process left behind can be removed.

A folder's name holds its owner's process id, that process's start time and this machine, as in
`assay-site-4711.90210.1f0c9a3e-x7_k2b9q`. A process that was given the id later has another start time.
"""

import contextlib
import hashlib
import os
import re
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmark.core.start_time import start_time

#: `sandbox`, without a word of the suite, is for folders whose names containers show to the agents in them.
OWNED = re.compile(r"(?:assay-[a-z]+|sandbox)-(?P<pid>\d+)\.(?P<start>\d+)\.(?P<machine>[0-9a-f]{8})-\w+")
#: Where folders that containers show are made, the first that can be written to: neither the operator's temporary folder nor
#: anything below their home, and not removed when they log out, as /run/user and /dev/shm are.
NEUTRAL_ROOTS = ("/run", "/var/tmp")
#: A socket's path has at most 107 bytes; an owned folder's name and what lies in it take up to sixty of them.
LONGEST_ROOT = 45


def owner() -> str:
    """This process by machine, id and start time, so that a later process with the same id is not taken for it."""
    return f"{socket.gethostname()}:{os.getpid()}:{start_time(os.getpid())}"


def prefix(kind: str | None) -> str:
    """The first part of the name of a temporary folder of this process; without a kind, one that does not name the suite."""
    word = f"assay-{kind}" if kind else "sandbox"
    return f"{word}-{os.getpid()}.{start_time(os.getpid()) or 0}.{_machine()}-"


def short_root() -> Path:
    """The temporary folder, or /tmp where its path is too long for the sockets in a folder below it."""
    named = tempfile.gettempdir()
    return Path(named if len(os.fsencode(named)) <= LONGEST_ROOT else "/tmp")


def neutral_root() -> Path:
    """Where folders belong that are bound into containers, whose mount tables show a folder's path on the host."""
    return next((Path(root) for root in NEUTRAL_ROOTS if os.access(root, os.W_OK | os.X_OK)), short_root())


@contextmanager
def neutral_folder() -> Iterator[Path]:
    """A private folder of this process to bind into containers, or whose folders are; removed at the end of the block."""
    folder = Path(tempfile.mkdtemp(prefix=prefix(None), dir=neutral_root()))
    try:
        yield folder
    finally:
        remove(folder)


def remove(folder: Path) -> None:
    """Remove a folder of this user with all that is in it, folders without any rights included."""
    with contextlib.suppress(OSError):
        folder.chmod(0o700)
    for above, names, _ in os.walk(folder):
        for path in (Path(above, name) for name in names):
            if not path.is_symlink():
                with contextlib.suppress(OSError):
                    path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned() -> list[Path]:
    """Remove this user's folders whose process is gone, and only those; their paths."""
    removed = []
    roots = {Path(tempfile.gettempdir()), Path("/tmp"), *map(Path, NEUTRAL_ROOTS)}
    for folder in sorted(path for root in roots if root.is_dir() for path in root.iterdir() if _abandoned(path)):
        remove(folder)
        if not folder.exists():
            removed.append(folder)
    return removed


def _abandoned(path: Path) -> bool:
    named = OWNED.fullmatch(path.name)
    if not named or named["machine"] != _machine():
        return False
    with contextlib.suppress(OSError):
        mine = not path.is_symlink() and path.is_dir() and path.stat().st_uid == os.getuid()
        # Where processes do not say when they started, nothing shows that this one is gone.
        return mine and named["start"] != "0" and start_time(int(named["pid"])) != named["start"]
    return False


def _machine() -> str:
    """This machine, and on it the processes that are seen from here: a container's are others than its host's."""
    with contextlib.suppress(OSError):
        return hashlib.sha256(f"{socket.gethostname()} {os.readlink('/proc/self/ns/pid')}".encode()).hexdigest()[:8]  # noqa: PTH115
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]
