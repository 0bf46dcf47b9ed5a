"""Lines of records: how they are written, sealed with a checksum, and read again, whatever became of them since."""

import contextlib
import json
import math
import os
import re
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from benchmark.core.errors import UsageError
from benchmark.core.files import sha256, write_whole
from benchmark.core.model import Limits, Record

SCHEMA: int = Record.model_fields["schema_version"].default
#: How a line of a record ends: its last member is the hash of the record's JSON without it.
_SEAL = re.compile(rb',"sha256":"([0-9a-f]{64})"}')
_SEAL_SIZE = len(',"sha256":""}') + 64
#: What an edited line still says of the trial that it was of.
_CLAIMS = [re.compile(rb'"%s":\s*"([0-9a-f]{64})"' % name) for name in (b"work", b"grade")]


class BadRecord(ValueError):
    """A line of the store that holds no record as it was written: which, and why, in one line."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """Where a record lies and what is needed to decide whether it answers a trial.

    `fault` says why the line cannot be trusted, None where it can: such an entry is `broken`, whatever the line says. Records
    that were made before lines had a checksum are not `sealed`: an edit of theirs may go unnoticed.
    """

    path: Path
    offset: int
    work: str
    grade: str
    status: str
    started: float
    limits: Limits
    hit_limit: bool
    suite: str = ""
    protocol: int = 0
    sealed: bool = False
    fault: str | None = None


class Journal:
    """Where this process appends: a file of its own in `folder`, which appears with the first line."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path: Path | None = None

    def append(self, line: bytes) -> tuple[Path, int]:
        """Write a line, on disk when this returns; its file and where it begins. Raises OSError, and then nothing is left."""
        if self._path is None:
            path = self._folder / f"{socket.gethostname()}-{os.getpid()}-{time.time_ns()}.jsonl"
            write_whole(path, b"")
            self._path = path
        path, offset = self._path, self._path.stat().st_size
        try:
            with path.open("ab") as out:
                out.write(line + b"\n")
                out.flush()
                os.fsync(out.fileno())
        except OSError:
            # The line may be cut short (a full disk). What of it cannot be taken back stays the last of this file.
            self._path = None
            with contextlib.suppress(OSError):
                os.truncate(path, offset)
                if not offset:
                    path.unlink()
            raise
        return path, offset


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The whole lines of a file with their offsets; the torn last line of a killed writer is passed over."""
    if not path.exists():
        return
    with path.open("rb") as journal:
        offset = 0
        for line in journal:
            if line.endswith(b"\n") and (text := line.rstrip(b"\r\n")):
                yield offset, text
            offset += len(line)


def sealed(record: bytes) -> bytes:
    """A JSON object that is not empty, with the hash of it as its last member, so that one tool reads both."""
    return b'%s,"sha256":"%s"}' % (record[:-1], sha256(record).encode())


def opened(line: bytes) -> tuple[bytes, bool]:
    """The JSON that was sealed, and whether it was. Raises ValueError for what is not as it was sealed."""
    seal = _SEAL.fullmatch(line, max(0, len(line) - _SEAL_SIZE))
    if seal is None:
        return line, False
    record = line[: seal.start()] + b"}"
    if sha256(record).encode() != seal[1]:
        raise ValueError("it does not have its checksum")
    return record, True


def record_in(line: bytes, path: Path, offset: int) -> Record:
    """The record in the line that begins at `offset` of `path`. Raises BadRecord."""
    try:
        return Record.model_validate_json(opened(line.rstrip(b"\r\n"))[0])
    except ValueError as error:
        raise BadRecord(_said(error, path, offset)) from error


def _said(error: Exception, path: Path, offset: int) -> str:
    """What is wrong with a line, and where it is, in one line without paths of this machine."""
    where = f"{path.parent.name}/{path.name}, byte {offset}"
    if not isinstance(error, ValidationError):
        return f"record was edited: {where}"
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    return f"record was edited or is of another version ({field}: {first['msg']}): {where}"


def entry_of(path: Path, offset: int, line: bytes) -> JournalEntry:
    """What a line says of its record; with a fault where it is not as it was written.

    Raises UsageError for a whole record of an earlier version: its store cannot be gone on with.
    """
    try:
        record, whole = opened(line)
        row = json.loads(record, parse_constant=_refuse)
        if "sha256" in row:
            raise ValueError("the checksum is not where it was written")
        version = row["schema_version"]
        if isinstance(version, int) and version < SCHEMA:
            raise UsageError(
                f"{path.parent.parent} holds records of schema {version}, and this version reads and writes schema {SCHEMA}; "
                "give another --runs, or go on with the version that made them"
            )
        return _claimed(path, offset, row, whole)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        claims = [found[1].decode() if (found := claim.search(line)) else "" for claim in _CLAIMS]
        fault = _said(error, path, offset)
        return JournalEntry(path, offset, *claims, status="broken", started=0.0, limits=Limits(), hit_limit=False, fault=fault)


def _claimed(path: Path, offset: int, row: Mapping[str, Any], whole: bool) -> JournalEntry:
    spec, started = row["spec"], float(row["started"])
    texts = (row["work"], row["grade"], row["status"])
    if not math.isfinite(started + float(row["seconds"])) or not all(isinstance(text, str) for text in texts):
        raise ValueError("no record has such values")
    return JournalEntry(
        path,
        offset,
        *texts,
        started=started,
        limits=Limits.model_validate(spec["agent"]["limits"]),
        hit_limit=any(attempt["limit"] for task in row["tasks"] for attempt in task["attempts"]),
        suite=spec["suite"],
        protocol=spec["protocol"],
        sealed=whole,
    )


def _refuse(constant: str) -> None:
    """What is not measured is null in records: NaN and Infinity, which JSON does not have, were written by others."""
    raise ValueError(f"{constant} is no value")
