"""Lines of records and their checksums: what was edited answers nothing and is told, what was not is read."""

import json
import re
import shutil

import pytest

from benchmark.core.errors import UsageError
from benchmark.core.files import sha256
from benchmark.core.model import Limits, Record
from benchmark.store.store import BadRecord, Store
from tests.benchmark.store.test_store import FREE, keys
from tests.factory import NOON, record, spec


def journal(root):
    (path,) = (root / "records").iterdir()
    return path


def rewrite(path, change) -> None:
    """Edit every line of a file."""
    path.write_bytes(b"".join(change(line) for line in path.read_bytes().splitlines(keepends=True)))


def unseal(line: bytes) -> bytes:
    """The line as it was before lines had a checksum."""
    return re.sub(rb',"sha256":"[0-9a-f]{64}"}', b"}", line)


def test_a_line_is_the_record_and_its_checksum(tmp_path):
    Store(tmp_path).append(record())
    line = journal(tmp_path).read_bytes()
    row = json.loads(line)
    assert row.pop("sha256") == sha256(unseal(line).rstrip(b"\n"))
    assert Record.model_validate(row) == record()
    (entry,) = Store(tmp_path).entries()
    assert (entry.sealed, entry.fault, entry.suite, entry.protocol) == (True, None, "webdev", 1)


EDITS = {
    "another outcome": lambda line: line.replace(b'"outcome":"unsolved"', b'"outcome":"solved"'),
    "a digit": lambda line: line.replace(b'"seconds":60.0', b'"seconds":61.0'),
    "another checksum": lambda line: re.sub(rb'"sha256":"[0-9a-f]{64}"}\n', b'"sha256":"' + b"ab" * 32 + b'"}\n', line),
    "written anew": lambda line: json.dumps(json.loads(line)).encode() + b"\n",
    "no JSON": lambda line: line.replace(b',"status"', b' "status"'),
    "not a number": lambda line: unseal(line).replace(b'"usd":0.0001', b'"usd":NaN'),
    "started at no time": lambda line: unseal(line).replace(b'"started":1800000000.0', b'"started":1e999'),
    "a field less": lambda line: unseal(line).replace(b'"scripted":true,', b""),
    "an unknown field": lambda line: unseal(line).replace(b'"scripted":true,', b'"scripted":true,"won":1,'),
    "bytes": lambda line: line.replace(b'"title"', b'"\xff\xfe"'),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edited_record_answers_nothing_and_is_told_with_its_place(tmp_path, edit):
    whole, made = record(spec("a")), record(spec("b"))
    store = Store(tmp_path)
    store.append(whole)
    offset = journal(tmp_path).stat().st_size
    store.append(made)
    head, tail = journal(tmp_path).read_bytes().splitlines(keepends=True)
    assert edit(tail) != tail
    journal(tmp_path).write_bytes(head + edit(tail))
    again = Store(tmp_path)
    assert again.find(*keys(made), FREE) is None and again.find(*keys(whole), FREE) == whole
    (entry,) = [entry for entry in again.all_entries() if entry.work == made.work]
    with pytest.raises(BadRecord, match=rf"^record was edited.*: records/{journal(tmp_path).name}, byte {offset}$") as told:
        again.read(entry)
    # What only the whole model sees is told when the record is read.
    assert again.bad() == ([str(told.value)] if entry.fault else [])
    again.append(made)
    assert Store(tmp_path).find(*keys(made), FREE) == made


def test_an_edited_record_does_not_hide_an_older_one(tmp_path):
    old, new = record(started=NOON), record(started=NOON + 9)
    Store(tmp_path / "a").append(new)
    rewrite(journal(tmp_path / "a"), lambda line: line.replace(b'"seconds":60.0', b'"seconds":61.0'))
    store = Store(tmp_path / "b")
    store.append(old)
    shutil.copytree(tmp_path / "a", tmp_path / "b", dirs_exist_ok=True)
    merged = Store(tmp_path / "b")
    assert merged.find(*keys(old), FREE) == old and len(merged.bad()) == 1
    assert [entry.started for entry in merged.entries()] == [NOON]


def test_an_edit_between_the_index_and_the_reading_is_noticed(tmp_path):
    store = Store(tmp_path)
    store.append(record())
    (entry,) = store.entries()
    rewrite(journal(tmp_path), lambda line: line.replace(b'"seconds":60.0', b'"seconds":61.0'))
    with pytest.raises(BadRecord, match="byte 0"):
        store.read(entry)
    assert store.find(*keys(record()), FREE) is None
    assert list(store.answering(*keys(record()), Limits(seconds=30))) == []


@pytest.mark.parametrize("line", [b"{broken}\n", b"[]\n", b"7\n", b'"x"\n', b"null\n", b"[" * 50_000 + b"\n", b"\xff\n"])
def test_a_line_that_says_nothing_of_a_trial_is_told_and_passed_over(tmp_path, line):
    store = Store(tmp_path)
    store.append(record())
    path = journal(tmp_path)
    path.write_bytes(line + path.read_bytes())
    again = Store(tmp_path)
    assert again.find(*keys(record()), FREE) == record()
    assert again.bad() == [f"record was edited: records/{path.name}, byte 0"]


def test_records_from_before_checksums_are_read_and_known_as_such(tmp_path):
    for name in "ab":
        Store(tmp_path / name).append(record(spec(name)))
    rewrite(journal(tmp_path / "a"), unseal)
    shutil.copytree(tmp_path / "a", tmp_path / "b", dirs_exist_ok=True)
    store = Store(tmp_path / "b")
    assert {store.read(entry).spec.project: entry.sealed for entry in store.entries()} == {"a": False, "b": True}
    assert store.bad() == []


def test_a_record_that_cannot_be_read_is_to_run_again_when_grading(tmp_path):
    from benchmark.run.regrade import regrade_store

    Store(tmp_path).append(record())
    rewrite(journal(tmp_path), EDITS["an unknown field"])
    outcome = regrade_store(Store(tmp_path))
    (told,) = outcome.rerun
    assert told.startswith("record was edited or is of another version (won: ") and outcome.regraded == []


def test_line_ends_of_another_system_and_empty_lines_are_no_edit(tmp_path):
    store = Store(tmp_path)
    made = [record(spec(name)) for name in "ab"]
    for one in made:
        store.append(one)
    rewrite(journal(tmp_path), lambda line: line.replace(b"\n", b"\r\n\r\n"))
    again = Store(tmp_path)
    assert [again.find(*keys(one), FREE) for one in made] == made and again.bad() == []


@pytest.mark.parametrize("version", [1, 2])
def test_a_store_of_an_earlier_version_is_refused_in_one_line(tmp_path, version):
    Store(tmp_path).append(record())
    older = b'"schema_version":%d' % version
    rewrite(journal(tmp_path), lambda line: unseal(line).replace(b'"schema_version":3', older))
    with pytest.raises(
        UsageError, match=rf"holds records of schema {version}, and this version .* give another --runs"
    ) as told:
        Store(tmp_path).entries()
    assert "\n" not in str(told.value)
