"""A folder with bytedance/web-bench's layout: which projects it holds, and what of each goes into a store.

Only what is asked for is read, and no link is followed. A tree that leaves here holds `projects/<name>/…`, the workspace
packages that the project needs below `libraries/…`, and `checkout.json`: the commit, the package versions that the lock pins,
and the tests in quarantine (none here).
"""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from benchmark.core.errors import UsageError, unknown
from benchmark.core.files import Files, TooMuch, UnsafeName, check_size, safe_name
from benchmark.core.json_types import JsonObject
from benchmark.webdev.webbench.project import CHECKOUT, BenchProject, declared, workspace_names
from benchmark.webdev.webbench.tasks import TASKS

LOCK = Path("common/config/rush/pnpm-lock.yaml")
#: Rush copies the lock there before it is used; the paths in it start from there.
LOCK_USED_IN = Path("common/temp")
#: What running things leaves behind, wherever it lies; and at certain places of a project alone.
LEFTOVERS = frozenset({"node_modules", ".git", ".vite", "test-results", "playwright-report"})
LEFT_AT = frozenset({("eval",), ("src", "dist"), ("src-init", "dist")})
#: A version as npm publishes it, without pnpm's note of its peers.
EXACT = re.compile(r"(\d+\.\d+\.\d+[-+.\w]*)(\(.*\))?")
GIT_SECONDS = 30


class Checkout:
    """A checkout of Web-Bench at `root`. Raises UsageError when it is none."""

    def __init__(self, root: Path) -> None:
        self.root = root.expanduser().resolve()
        missing = [f"{name}/" for name in ("projects", "libraries") if not (self.root / name).is_dir()]
        if missing:
            raise UsageError(
                f"{root} is no checkout of Web-Bench: it has no {' and no '.join(missing)}; "
                "get one with `git clone https://github.com/bytedance/web-bench` and name its folder"
            )

    @cached_property
    def commit(self) -> str | None:
        """The commit that is checked out; None without git or its folder."""
        if not (self.root / ".git").exists():
            return None
        command = ["git", "-C", str(self.root), "rev-parse", "--verify", "HEAD"]
        # Within a hook of git's its variables would name another repository.
        outside = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=GIT_SECONDS, env=outside)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The projects that Web-Bench itself counts: those that call themselves stable and have tasks."""
        found = []
        for folder in sorted((self.root / "projects").iterdir()):
            package = folder / "package.json"
            if package.is_file() and any((folder / name).is_file() for name in TASKS):
                settings = _json(package).get("eval")
                if isinstance(settings, dict) and settings.get("stable") is True:
                    found.append(folder.name)
        return tuple(found)

    def files(self, name: str) -> Files:
        """All that is kept of a project. Raises UsageError for an unknown one, and for a tree that cannot be kept."""
        if name not in self.names:
            raise unknown("project", name, self.names)
        folders = [self.root / "projects" / name, *self._needed(self.root / "projects" / name)]
        files: Files = {}
        for folder in folders:
            for path in _walk(folder):
                files[self._safe(path)] = path.read_bytes()
        pins: dict[str, str] = {}
        for folder in folders:
            pins = {**self._pins(folder), **pins}
        facts = {"commit": self.commit, "pins": pins, "quarantine": []}
        files[CHECKOUT] = json.dumps(facts, indent=1, sort_keys=True).encode()
        try:
            check_size(files)
        except TooMuch as error:
            raise UsageError(f"project {name} of {self.root} cannot be kept: {error}; is its checkout clean?") from error
        return dict(sorted(files.items()))

    def project(self, name: str) -> BenchProject:
        return BenchProject(name, self.files(name))

    @cached_property
    def _libraries(self) -> dict[str, Path]:
        """The folders of the workspace packages by the name that their package.json gives."""
        packages = sorted((self.root / "libraries").glob("*/package.json"))
        return {str(_json(path).get("name")): path.parent for path in packages}

    def _needed(self, folder: Path) -> list[Path]:
        """The folders of the workspace packages that a package needs, and those that these need. Raises UsageError."""
        found: list[Path] = []
        waiting = [folder]
        while waiting:
            package = waiting.pop(0) / "package.json"
            for name in workspace_names(_declared(package)):
                if name not in self._libraries:
                    raise UsageError(f"{package} needs the workspace package {name}, which is not in {self.root / 'libraries'}")
                if (library := self._libraries[name]) not in found:
                    found.append(library)
                    waiting.append(library)
        return found

    @cached_property
    def _importers(self) -> dict[str, Any]:
        """What pnpm's lock says of each package of the repository. Empty without a lock. Raises UsageError for a faulty one."""
        try:
            lines = (self.root / LOCK).read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return {}
        # The other sections are some hundred thousand bytes that nobody asked for.
        start = lines.index("importers:") + 1 if "importers:" in lines else len(lines)
        end = next((at for at in range(start, len(lines)) if lines[at][:1].strip()), len(lines))
        try:
            found = yaml.safe_load("\n".join(lines[start:end])) or {}
        except yaml.YAMLError as error:
            raise UsageError(f"{self.root / LOCK} cannot be read: {' '.join(str(error).split())}") from error
        return found if isinstance(found, dict) else {}

    def _pins(self, folder: Path) -> dict[str, str]:
        """The exact versions of the lock for what a package's package.json declares in the same words."""
        importer = self._importers.get(os.path.relpath(folder, self.root / LOCK_USED_IN), {})
        rows = {**importer.get("devDependencies", {}), **importer.get("dependencies", {})}
        pins = {}
        for name, spec in _declared(folder / "package.json").items():
            row = rows.get(name)
            if isinstance(row, dict) and row.get("specifier") == spec and (exact := EXACT.fullmatch(str(row.get("version")))):
                pins[name] = exact[1]
        return pins

    def _safe(self, path: Path) -> str:
        name = path.relative_to(self.root).as_posix()
        try:
            return safe_name(name)
        except UnsafeName as error:
            raise UsageError(f"{self.root} holds a file that cannot be kept: {error}; is the checkout clean?") from error


def _walk(folder: Path) -> Iterator[Path]:
    """The regular files below `folder`, without links and leftovers."""
    waiting = [folder]
    while waiting:
        for path in sorted(waiting.pop().iterdir()):
            if path.is_symlink() or path.name in LEFTOVERS or path.relative_to(folder).parts in LEFT_AT:
                continue
            if path.is_dir():
                waiting.append(path)
            elif path.is_file():
                yield path


def _declared(package: Path) -> dict[str, str]:
    return declared(_json(package))


def _json(path: Path) -> JsonObject:
    """Raises UsageError when it is no JSON object."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise UsageError(f"{path} cannot be read: it is no JSON object")
    return found
