"""Records on disk: append-only lines and content-addressed blobs, safe to kill, to resume from and to merge.

    records/<host>-<pid>-<time>.jsonl   one fsynced line a trial; every process has a file of its own
    blobs/ab/<hash>                     prompts, trajectories, screenshots, files, and trees (a tree lists files by hash)
    grades/ab/<hash>.json               what the checks said of one tree, so that the same bytes are graded once
    panels/<hash>.json                  the plan of each run: what every record was made for
    spend.jsonl                         what model calls cost, for the budget

Two stores are merged by copying one folder over the other.
"""

import json
import os
import socket
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from benchmark.files import Files, listing, sha256
from benchmark.model import Limits, Record


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a record lies and what is needed to decide whether it answers a trial."""

    path: Path
    offset: int
    work: str
    grade: str
    status: str
    started: float
    limits: Limits
    hit_limit: bool


class Store:
    """The records of a folder. Opening one writes nothing; the folder appears with the first thing kept."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._journal: Path | None = None
        self._index: dict[tuple[str, str], list[Entry]] | None = None

    # blobs

    def put(self, data: bytes) -> str:
        """Keep `data`; its hash."""
        digest = sha256(data)
        path = self._blob(digest)
        if not path.exists():
            _write(path, data)
        return digest

    def get(self, digest: str) -> bytes:
        """The blob of that hash. Raises KeyError when the store has none, ValueError when it was altered."""
        try:
            data = self._blob(digest).read_bytes()
        except FileNotFoundError:
            raise KeyError(f"{self.root}: no blob {digest}") from None
        if sha256(data) != digest:
            raise ValueError(f"{self._blob(digest)}: the content does not have its hash; the store was edited")
        return data

    def put_tree(self, files: Mapping[str, bytes]) -> str:
        """Keep a workspace; the hash of its listing."""
        for data in files.values():
            self.put(data)
        return self.put(listing(files))

    def get_tree(self, digest: str) -> Files:
        return {name: self.get(blob) for name, blob in json.loads(self.get(digest)).items()}

    def _blob(self, digest: str) -> Path:
        return self.root / "blobs" / digest[:2] / digest[2:]

    # records

    def append(self, record: Record) -> None:
        """Keep a record: one line, on disk when this returns."""
        if self._journal is None:
            folder = self.root / "records"
            folder.mkdir(parents=True, exist_ok=True)
            self._journal = folder / f"{socket.gethostname()}-{os.getpid()}-{time.time_ns()}.jsonl"
        journal, line = self._journal, record.model_dump_json().encode()
        try:
            with journal.open("ab") as out:
                offset = out.tell()
                out.write(line + b"\n")
                out.flush()
                os.fsync(out.fileno())
        except OSError:
            # The line may be torn (a full disk): nothing may follow it in this file.
            self._journal = None
            raise
        if self._index is not None:
            _enter(self._index, _entry(journal, offset, json.loads(line)))

    def entries(self) -> list[Entry]:
        """The newest entry of every (work, grade) pair; a measured one comes before a broken one, however old."""
        return [max(reversed(group), key=_rank) for group in self._indexed().values()]

    def find(self, work: str, grade: str, limits: Limits, not_before: float = 0.0) -> Record | None:
        """The newest record that answers a trial with these keys under these limits, if there is one."""
        entry = next(self.answering(work, grade, limits), None)
        return self.read(entry) if entry and entry.started >= not_before else None

    def answering(self, work: str, grade: str, limits: Limits) -> Iterator[Entry]:
        """The measured entries that answer a trial with these keys under these limits, the newest first.

        A record that hit a limit answers only for the same limits; one that did not answers for any that allow it.
        """
        group = self._indexed().get((work, grade), [])
        for entry in sorted(group, key=_rank)[::-1]:
            if entry.status != "measured" or (entry.hit_limit and entry.limits != limits):
                continue
            if limits.allows(entry.limits) or not _exceeds(self.read(entry), limits):
                yield entry

    def read(self, entry: Entry) -> Record:
        with entry.path.open("rb") as lines:
            lines.seek(entry.offset)
            return Record.model_validate_json(lines.readline())

    def _indexed(self) -> dict[tuple[str, str], list[Entry]]:
        if self._index is None:
            self._index = {}
            for path in sorted((self.root / "records").glob("*.jsonl")):
                for offset, line in _lines(path):
                    _enter(self._index, _entry(path, offset, line))
        return self._index

    # grades

    def grade(self, key: str) -> list[dict[str, Any]] | None:
        """What the checks said under this key before, if they did."""
        path = self.root / "grades" / key[:2] / f"{key[2:]}.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def grading(self, key: str) -> AbstractContextManager[object]:
        """Held while a tree is graded, so that a worker that needs the same grade at the same time waits for it."""
        path = self.root / "grades" / "locks" / key[:2]
        path.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(path)

    def put_grade(self, key: str, checks: list[dict[str, Any]]) -> None:
        _write(self.root / "grades" / key[:2] / f"{key[2:]}.json", json.dumps(checks).encode())

    # plans

    def put_panel(self, digest: str, plan: Mapping[str, Any]) -> Path:
        path = self.root / "panels" / f"{digest}.json"
        _write(path, json.dumps(plan, indent=1).encode())
        return path

    def panels(self) -> list[Path]:
        """The plans of this store's runs, the last one last."""
        return sorted((self.root / "panels").glob("*.json"), key=lambda path: path.stat().st_mtime_ns)

    # money

    def spend(self, usd: float) -> None:
        """Note what a model call cost. Lines this short are appended whole by several processes at once."""
        self.root.mkdir(parents=True, exist_ok=True)
        with (self.root / "spend.jsonl").open("ab") as out:
            out.write(json.dumps({"time": time.time(), "usd": usd}).encode() + b"\n")

    def spent(self, since: float = 0.0) -> float:
        """US dollars spent from this store since a moment (seconds since 1970)."""
        rows = _lines(self.root / "spend.jsonl")
        return sum(row["usd"] for _, row in rows if row["time"] >= since)


def _write(path: Path, data: bytes) -> None:
    """Write a file so that readers see all of it or nothing, whoever else writes the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    with os.fdopen(handle, "wb") as out:
        out.write(data)
    Path(name).replace(path)


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The whole lines of a JSON Lines file with their offsets; the torn last line of a killed writer is passed over."""
    if not path.exists():
        return
    with path.open("rb") as lines:
        offset = 0
        for line in lines:
            if line.endswith(b"\n"):
                try:
                    yield offset, json.loads(line)
                except ValueError as error:
                    raise ValueError(f"{path}, byte {offset}: not a record ({error}); the store was edited") from error
            offset += len(line)


def _entry(path: Path, offset: int, line: Mapping[str, Any]) -> Entry:
    limit = any(attempt["limit"] for task in line["tasks"] for attempt in task["attempts"])
    limits = Limits.model_validate(line["spec"]["agent"]["limits"])
    return Entry(path, offset, line["work"], line["grade"], line["status"], line["started"], limits, limit)


def _enter(index: dict[tuple[str, str], list[Entry]], entry: Entry) -> None:
    index.setdefault((entry.work, entry.grade), []).append(entry)


def _rank(entry: Entry) -> tuple[bool, float]:
    return entry.status == "measured", entry.started


def _exceeds(record: Record, limits: Limits) -> bool:
    """Whether any attempt of a record used more than `limits` allow, or may have: turns are not counted in records."""
    ran = record.spec.agent.limits.turns
    if limits.turns is not None and (ran is None or limits.turns < ran):
        return True
    for attempt in (attempt for task in record.tasks for attempt in task.attempts):
        usage = attempt.usage
        if attempt.seconds > limits.seconds:
            return True
        if limits.tokens is not None and (usage.tokens is None or usage.tokens > limits.tokens):
            return True
        if limits.usd is not None and (usage.usd is None or usage.usd > limits.usd):
            return True
    return False
