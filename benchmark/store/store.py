"""Records on disk: append-only lines and content-addressed blobs, safe to kill, to resume from and to merge.

    records/<host>-<pid>-<time>.jsonl   one fsynced line a trial; every process has a file of its own. A line ends with the
                                        SHA-256 of the record before it, so that an edit is noticed (not prevented)
    blobs/ab/<hash>                     prompts, trajectories, screenshots, files, and trees (a tree lists files by hash)
    grades/ab/<hash>.json               what the checks said of one tree, so that the same bytes are graded once; with its key
                                        and a SHA-256 like a record: one that is not as it was written counts as absent
    panels/<hash>.json                  the plan of each run: what every record was made for
    looks/<hash>.json                   when the verdicts of a finished plan were first spoken, and of which trials
    spend.jsonl                         what model calls cost, for the budget

Two stores are merged by copying one folder over the other.
"""

import hashlib
import json
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock

from benchmark.core.errors import SetupError, StoreFailed, UsageError, system_reason
from benchmark.core.files import Files, listing, sha256, unwritable, write_whole
from benchmark.core.model import Limits, Record
from benchmark.store.journal import BadRecord, Journal, JournalEntry, entry_of, lines, opened, record_in, sealed

T = TypeVar("T")
FOLDERS = ("blobs", "grades", "looks", "panels", "records")


class LostBlob(KeyError):
    """A blob that the store has not got any more, or not as it was written."""

    def __str__(self) -> str:
        return self.args[0]


class Store:
    """The records of a folder. Opening one writes nothing; the folder appears with the first thing kept.

    Whatever writes raises StoreFailed where it cannot.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        #: By hash why blobs that were asked for could not be had.
        self.lost: dict[str, str] = {}
        self._journal = Journal(root / "records")
        self._index: dict[tuple[str, str], list[JournalEntry]] | None = None
        self._bad: list[str] = []

    def check_writable(self) -> None:
        """See that something can be kept here, leaving nothing behind. Raises SetupError with what is in the way."""
        above = next(one for one in (self.root, *self.root.parents) if os.path.lexists(one))
        inside = [self.root / name for name in FOLDERS]
        for folder in [above, *filter(os.path.lexists, inside)]:
            if why := unwritable(folder):
                raise SetupError(f"cannot keep records in {self.root}: {why} ({folder}); mend that, or give another --runs")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreFailed(
                f"the store {self.root} cannot be written: {system_reason(error, self.root)}; mend that and run the same "
                "command again: what was kept before is not run again"
            ) from error

    def _write(self, path: Path, data: bytes) -> None:
        with self._writing():
            write_whole(path, data)

    # blobs

    def put(self, data: bytes) -> str:
        """Keep `data`; its hash. A blob that is there and is not as it was written is written again."""
        digest = sha256(data)
        path = self._blob(digest)
        with self._writing():
            if not path.is_file() or path.read_bytes() != data:
                write_whole(path, data)
        return digest

    def put_file(self, path: Path) -> str:
        """Keep the bytes of a file, however many, without holding all of them; their hash."""
        with path.open("rb") as source:
            digest = hashlib.file_digest(source, "sha256").hexdigest()
            source.seek(0)
            with self._writing():
                if not self._blob(digest).is_file():
                    write_whole(self._blob(digest), iter(lambda: source.read(1 << 20), b""))
        return digest

    def get(self, digest: str) -> bytes:
        """The blob of that hash. Raises LostBlob, a KeyError, when the store has none or it was altered."""
        try:
            data = self._blob(digest).read_bytes()
        except OSError as error:
            missing = isinstance(error, FileNotFoundError)
            why = f"no blob {digest} in the store" if missing else f"the blob {digest} cannot be read: {error.strerror}"
        else:
            if sha256(data) == digest:
                return data
            why = f"the blob {digest} does not have its hash: it was {'altered' if data else 'emptied'} in the store"
        self.lost[digest] = why
        raise LostBlob(why)

    def look_for(self, digest: str) -> None:
        """Note a blob as lost that is not there, or is empty. What is in it is only read by `get`."""
        try:
            size = self._blob(digest).stat().st_size
        except OSError:
            self.lost[digest] = f"no blob {digest} in the store"
        else:
            if not size and digest != _EMPTY:
                self.lost[digest] = f"the blob {digest} does not have its hash: it was emptied in the store"

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
        line = sealed(record.model_dump_json().encode())
        with self._writing():
            path, offset = self._journal.append(line)
        if self._index is not None:
            _enter(self._index, entry_of(path, offset, line))

    def entries(self) -> list[JournalEntry]:
        """The newest entry of every (work, grade) pair; a measured one comes before a broken one, however old."""
        return [max(reversed(group), key=_rank) for group in self._indexed().values()]

    def newest(self, work: str, grade: str) -> JournalEntry | None:
        """The entry that was started last under these keys, whatever became of its trial."""
        return max(self._indexed().get((work, grade), []), key=lambda entry: entry.started, default=None)

    def find(self, work: str, grade: str, limits: Limits, not_before: float = 0.0) -> Record | None:
        """The newest record that answers a trial with these keys under these limits, if there is one."""
        for entry in self.answering(work, grade, limits):
            if entry.started < not_before:
                return None
            try:
                return self.read(entry)
            except BadRecord:
                continue
        return None

    def answering(self, work: str, grade: str, limits: Limits) -> Iterator[JournalEntry]:
        """The measured entries that answer a trial with these keys under these limits, the newest first.

        A record that hit a limit answers only for the same limits; one that did not answers for any that allow it.
        """
        group = self._indexed().get((work, grade), [])
        for entry in sorted(group, key=_rank)[::-1]:
            if entry.status != "measured" or (entry.hit_limit and entry.limits != limits):
                continue
            if limits.allows(entry.limits) or self._kept(entry, limits):
                yield entry

    def read(self, entry: JournalEntry) -> Record:
        """The record of an entry. Raises BadRecord where it was edited, or is of a form that this version does not know."""
        if entry.fault:
            raise BadRecord(entry.fault)
        with entry.path.open("rb") as journal:
            journal.seek(entry.offset)
            return record_in(journal.readline(), entry.path, entry.offset)

    def bad(self) -> list[str]:
        """Why lines of the store hold no record as it was written, one sentence a line, whatever trial they were of."""
        self._indexed()
        return list(self._bad)

    def all_entries(self) -> Iterator[JournalEntry]:
        """Every entry, also those that newer ones stand for."""
        for group in self._indexed().values():
            yield from group

    def _kept(self, entry: JournalEntry, limits: Limits) -> bool:
        """Whether a record that ran under wider limits kept these."""
        try:
            return not _exceeds(self.read(entry), limits)
        except BadRecord:
            return False

    def _indexed(self) -> dict[tuple[str, str], list[JournalEntry]]:
        if self._index is None:
            index: dict[tuple[str, str], list[JournalEntry]] = {}
            for path in sorted((self.root / "records").glob("*.jsonl"), key=_opened):
                for offset, line in self._lines(path):
                    entry = entry_of(path, offset, line)
                    if entry.fault:
                        self._bad.append(entry.fault)
                    # A line that no longer says of which trial it was answers for none.
                    if entry.work and entry.grade:
                        _enter(index, entry)
            self._index = index
        return self._index

    def _lines(self, path: Path) -> Iterator[tuple[int, bytes]]:
        try:
            yield from lines(path)
        except OSError as error:
            raise StoreFailed(
                f"the store {self.root} cannot be read: {system_reason(error, self.root)}; mend or move that file"
            ) from error

    # grades

    def grade(self, key: str, read: Callable[[dict[str, Any]], T] = dict) -> T | None:
        """What the checks said under this key before, as `read` takes it; None where they did not, or that cannot be trusted.

        That is a grade that was emptied, cut, edited, copied from another key, or that `read` finds no sense in (ValueError,
        KeyError, TypeError): it is made again.
        """
        try:
            text, whole = opened(self._grade(key).read_bytes())
            row = json.loads(text) if whole else {}
            return read(row["found"]) if row["key"] == key else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def grading(self, key: str) -> AbstractContextManager[None]:
        """Held while a tree is graded, so that a worker that needs the same grade at the same time waits for it."""
        return self._locked(self.root / "grades" / "locks" / key[:2])

    def asking(self, key: str) -> AbstractContextManager[None]:
        """Held while a judge is asked, inside of `grading`: a lock of its own, or two grades would wait for each other."""
        return self._locked(self.root / "grades" / "locks" / f"judge-{key[:2]}")

    def running(self, trial: str) -> AbstractContextManager[None]:
        """Held while a trial that others need is run, so that they wait for its record."""
        return self._locked(self.root / "locks" / sha256(trial.encode()))

    @contextmanager
    def _locked(self, path: Path) -> Iterator[None]:
        with self._writing():
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(path)
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def put_grade(self, key: str, found: Mapping[str, object]) -> None:
        # The key is sealed with it: the grade of other bytes, copied here, is not taken for this one's.
        self._write(self._grade(key), sealed(json.dumps({"key": key, "found": found}).encode()))

    def _grade(self, key: str) -> Path:
        return self.root / "grades" / key[:2] / f"{key[2:]}.json"

    # plans

    def put_panel(self, digest: str, plan: Mapping[str, object]) -> Path:
        path = self.root / "panels" / f"{digest}.json"
        self._write(path, json.dumps(plan, indent=1).encode())
        return path

    def panels(self) -> list[Path]:
        """The plans of this store's runs, the last one last."""
        return sorted((self.root / "panels").glob("*.json"), key=lambda path: path.stat().st_mtime_ns)

    # looks

    def put_look(self, digest: str, look: Mapping[str, object]) -> None:
        self._write(self.root / "looks" / f"{digest}.json", json.dumps(look, indent=1).encode())

    def looks(self) -> dict[str, object]:
        """What was kept of looks, by the plan's hash; None for a file that is no JSON."""
        found: dict[str, object] = {}
        for path in sorted((self.root / "looks").glob("*.json")):
            try:
                found[path.stem] = json.loads(path.read_bytes())
            except ValueError:
                found[path.stem] = None
        return found

    # money

    def spend(self, usd: float) -> None:
        """Note what a model call cost. Lines this short are appended whole by several processes at once."""
        with self._writing():
            self.root.mkdir(parents=True, exist_ok=True)
            with (self.root / "spend.jsonl").open("ab") as out:
                out.write(json.dumps({"time": time.time(), "usd": usd}).encode() + b"\n")

    def spent(self, since: float = 0.0) -> float:
        """US dollars spent from this store since a moment (seconds since 1970).

        Raises UsageError for a line that is none of ours: a budget cannot be kept with what it does not say.
        """
        path, total = self.root / "spend.jsonl", 0.0
        for offset, line in self._lines(path):
            try:
                row = json.loads(line)
                when, usd = float(row["time"]), float(row["usd"])
                if not (math.isfinite(when) and math.isfinite(usd)):
                    raise ValueError("not a finite number")
            except (ValueError, KeyError, TypeError) as error:
                raise UsageError(f"{path}, byte {offset}: not a line of what was spent; mend or remove that line") from error
            total += usd if when >= since else 0.0
        return total


_EMPTY = sha256(b"")


def _enter(index: dict[tuple[str, str], list[JournalEntry]], entry: JournalEntry) -> None:
    index.setdefault((entry.work, entry.grade), []).append(entry)


def _opened(path: Path) -> tuple[int, str]:
    """When a file of records was begun, by its name: of two grades of one trial, which started once, the later one counts."""
    said = path.stem.rpartition("-")[2]
    return int(said) if said.isdecimal() else 0, path.name


def _rank(entry: JournalEntry) -> tuple[bool, float]:
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
