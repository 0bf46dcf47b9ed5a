import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from benchmark.core.errors import UsageError
from benchmark.core.files import sha256
from benchmark.core.model import Limits
from benchmark.store.store import LostBlob, Store
from tests.factory import NOON, record, spec

FREE = Limits()


def keys(made):
    return made.work, made.grade


def blob(root, digest):
    return root / "blobs" / digest[:2] / digest[2:]


def python(code: str, *args: object, **options) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", code, *map(str, args)], stdout=subprocess.PIPE, text=True, **options)


def test_opening_writes_nothing(tmp_path):
    store = Store(tmp_path / "runs")
    assert store.entries() == [] and store.panels() == [] and store.spent() == 0 and store.grade("ab" * 32) is None
    assert not (tmp_path / "runs").exists()


def test_blobs_are_kept_by_their_hash(tmp_path):
    store = Store(tmp_path)
    digest = store.put(b"data")
    assert digest == sha256(b"data") == store.put(b"data")
    assert Store(tmp_path).get(digest) == b"data"


def test_a_file_is_kept_like_its_bytes_and_stays_where_it_is(tmp_path):
    store, source = Store(tmp_path / "store"), tmp_path / "file"
    for data in (b"", b"x" * 3_000_000):
        source.write_bytes(data)
        digest = store.put_file(source)
        assert (digest, store.get(digest)) == (sha256(data), data)
        assert store.put_file(source) == store.put(data) == digest
    assert source.exists()


def test_a_missing_blob_is_named(tmp_path):
    with pytest.raises(KeyError, match="no blob"):
        Store(tmp_path).get("ab" * 32)


def test_an_altered_blob_is_told(tmp_path):
    store = Store(tmp_path)
    digest = store.put(b"data")
    (tmp_path / "blobs" / digest[:2] / digest[2:]).write_bytes(b"Data")
    with pytest.raises(LostBlob, match="altered"):
        store.get(digest)


@pytest.mark.parametrize("spoil", [b"", b"dat", b"Data"])
def test_a_blob_that_is_not_as_it_was_is_written_again(tmp_path, spoil):
    digest = Store(tmp_path).put(b"data")
    blob(tmp_path, digest).write_bytes(spoil)
    store = Store(tmp_path)
    with pytest.raises(LostBlob):
        store.get(digest)
    assert list(store.lost) == [digest] and store.put(b"data") == digest
    assert Store(tmp_path).get(digest) == b"data"


def test_blobs_that_are_gone_or_empty_are_seen_without_being_read(tmp_path):
    store = Store(tmp_path)
    whole, emptied, nothing = store.put(b"data"), store.put(b"more"), store.put(b"")
    blob(tmp_path, emptied).write_bytes(b"")
    for digest in (whole, emptied, nothing, "ab" * 32):
        store.look_for(digest)
    assert set(store.lost) == {emptied, "ab" * 32}


def test_trees_come_back_and_share_files(tmp_path):
    store = Store(tmp_path)
    tree = {"a": b"same", "b/c": b"same", "d": b""}
    assert store.get_tree(store.put_tree(tree)) == tree
    assert sum(path.is_file() for path in (tmp_path / "blobs").rglob("*")) == 3


def test_a_record_is_found_again_by_another_store(tmp_path):
    made = record()
    Store(tmp_path).append(made)
    assert Store(tmp_path).find(*keys(made), FREE) == made


def test_a_record_is_found_by_the_store_that_has_read_its_index(tmp_path):
    store = Store(tmp_path)
    assert store.entries() == []
    first, second = record(spec("a")), record(spec("b"))
    store.append(first)
    store.append(second)
    assert store.find(*keys(first), FREE) == first and store.find(*keys(second), FREE) == second


@pytest.mark.parametrize("status", ["broken", "not_delivered"])
def test_only_measured_records_answer(tmp_path, status):
    made = record(status=status, reason="why")
    Store(tmp_path).append(made)
    assert Store(tmp_path).find(*keys(made), FREE) is None
    assert [entry.status for entry in Store(tmp_path).entries()] == [status]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_measured_record_comes_before_a_broken_one_however_old(tmp_path, order):
    pair = [record(started=NOON), record(status="broken", reason="why", started=NOON + 5)]
    store = Store(tmp_path)
    for at in order:
        store.append(pair[at])
    assert store.find(*keys(pair[0]), FREE) == pair[0] == Store(tmp_path).find(*keys(pair[0]), FREE)
    assert [entry.status for entry in Store(tmp_path).entries()] == ["measured"]


def test_the_newest_measured_record_answers(tmp_path):
    store = Store(tmp_path)
    for started in (NOON + 1, NOON + 3, NOON + 2):
        store.append(record(started=started))
    found = store.find(*keys(record()), FREE)
    assert found and found.started == NOON + 3
    assert [entry.started for entry in store.answering(*keys(record()), FREE)] == [NOON + 3, NOON + 2, NOON + 1]


def test_a_record_before_the_given_moment_does_not_answer(tmp_path):
    store = Store(tmp_path)
    store.append(record())
    assert store.find(*keys(record()), FREE, NOON)
    assert store.find(*keys(record()), FREE, NOON + 1) is None


def test_another_grade_is_another_record(tmp_path):
    store = Store(tmp_path)
    store.append(record())
    assert store.find(record().work, sha256(b"other checks"), FREE) is None


@pytest.mark.parametrize(
    ("then", "now", "limit", "answers"),
    [
        ({}, {}, None, True),
        ({}, {}, "seconds", True),
        ({"seconds": 10}, {"seconds": 20}, "seconds", False),
        ({"seconds": 20}, {"seconds": 10}, "seconds", False),
        ({"seconds": 10}, {"seconds": 20}, None, True),
        ({"seconds": 20}, {"seconds": 2}, None, True),
        ({"seconds": 20}, {"seconds": 1.9}, None, False),
        ({}, {"tokens": 100}, None, True),
        ({}, {"tokens": 99}, None, False),
        ({}, {"usd": 1e-4}, None, True),
        ({}, {"usd": 0.99e-4}, None, False),
        ({"turns": 1}, {"turns": 4}, None, True),
        ({"turns": 4}, {"turns": 1}, None, False),
    ],
)
def test_records_answer_under_limits_that_they_kept(tmp_path, then, now, limit, answers):
    """Attempts of the factory take 2 s, 100 tokens and $0.0001; turns are in no record."""
    made = record(spec(limits=Limits(**then)), limit=limit)
    Store(tmp_path).append(made)
    assert (Store(tmp_path).find(*keys(made), Limits(**now)) is not None) is answers


def test_a_record_under_the_right_limits_answers_behind_a_newer_one_under_others(tmp_path):
    tight = Limits(seconds=1)
    store = Store(tmp_path)
    store.append(record(started=NOON))
    store.append(record(spec(limits=tight), started=NOON + 9, limit="seconds", attempt_seconds=1.0))
    old, new = store.find(*keys(record()), FREE), store.find(*keys(record()), tight)
    assert old and new and (old.started, new.started) == (NOON, NOON + 9)


def test_tokens_that_were_not_reported_cannot_keep_a_token_limit(tmp_path):
    made = record()
    task = made.tasks[0]
    blind = task.attempts[0].model_copy(update={"usage": task.attempts[0].usage.model_copy(update={"prompt_tokens": None})})
    made = made.model_copy(update={"tasks": (task.model_copy(update={"attempts": (blind,)}),)})
    Store(tmp_path).append(made)
    assert Store(tmp_path).find(*keys(made), Limits(tokens=10**9)) is None
    assert Store(tmp_path).find(*keys(made), FREE)


@pytest.mark.parametrize("cut", [1, 2, 100])
def test_a_torn_last_line_costs_that_record_only(tmp_path, cut):
    store = Store(tmp_path)
    first, second = record(spec("a")), record(spec("b"))
    store.append(first)
    store.append(second)
    (path,) = (tmp_path / "records").iterdir()
    path.write_bytes(path.read_bytes()[:-cut])
    again = Store(tmp_path)
    assert again.find(*keys(first), FREE) == first and again.find(*keys(second), FREE) is None
    again.append(second)
    assert Store(tmp_path).find(*keys(second), FREE) == second


WRITER = """
import sys
from pathlib import Path
from benchmark.store.store import Store
from tests.factory import record, spec
store = Store(Path(sys.argv[1]))
for at in range(int(sys.argv[2])):
    store.append(record(spec(sys.argv[3], replicate=at)))
    store.put(b"blob %d" % at)
    store.spend(0.25)
    print(at, flush=True)
"""


@pytest.mark.parametrize("acknowledged", [1, 40])
def test_what_was_appended_survives_kill_9(tmp_path, acknowledged):
    writer = python(WRITER, tmp_path, 10**6, "a")
    assert writer.stdout
    for _ in range(acknowledged):
        writer.stdout.readline()
    os.kill(writer.pid, signal.SIGKILL)
    rest = writer.communicate()[0].split()
    assert writer.returncode == -signal.SIGKILL
    store = Store(tmp_path)
    found = [store.read(entry).spec.replicate for entry in store.entries()]
    assert len(found) >= acknowledged + len(rest)
    assert sorted(found) == list(range(len(found)))
    for blob in (path for path in (tmp_path / "blobs").rglob("*") if path.is_file() and not path.name.startswith(".")):
        store.get(blob.parent.name + blob.name)


def test_several_processes_append_at_once(tmp_path):
    writers = [python(WRITER, tmp_path, 25, name) for name in "abcd"]
    assert [writer.wait() for writer in writers if writer.communicate()] == [0] * 4
    store = Store(tmp_path)
    assert len(store.entries()) == 100
    assert {store.read(entry).spec.id for entry in store.entries()} == {
        spec(name, replicate=at).id for name in "abcd" for at in range(25)
    }
    assert store.spent() == 25.0
    assert store.get(sha256(b"blob 24")) == b"blob 24"


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from benchmark.core.errors import StoreFailed
from benchmark.store.store import Store
from tests.factory import record, spec
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = Store(Path(sys.argv[1]))
store.append(record(spec("a")))
resource.setrlimit(resource.RLIMIT_FSIZE, (len(record().model_dump_json()) + 100, resource.RLIM_INFINITY))
try:
    store.append(record(spec("b")))
except StoreFailed as failed:
    print(failed)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
store.append(record(spec("c")))
"""


def test_a_line_that_a_full_disk_cut_spoils_nothing_after_it(tmp_path):
    writer = python(FULL_DISK, tmp_path)
    said = writer.communicate()[0].splitlines()
    assert len(said) == 1 and "cannot be written: File too large" in said[0] and writer.returncode == 0
    store = Store(tmp_path)
    assert all(path.read_bytes().endswith(b"\n") for path in (tmp_path / "records").iterdir()), "nothing of the torn line"
    assert sorted(store.read(entry).spec.project for entry in store.entries()) == ["a", "c"]


def test_two_stores_are_merged_by_copying(tmp_path):
    left, right = Store(tmp_path / "left"), Store(tmp_path / "right")
    one, other = record(spec("a")), record(spec("b"))
    tree = {"x": b"1"}
    left.append(one)
    left.append(record(spec("c"), status="broken", reason="why", started=NOON + 9))
    left.put_tree(tree)
    right.append(other)
    right.append(record(spec("c")))
    digest = right.put_tree({**tree, "y": b"2"})
    right.put_grade("ab" * 32, {"checks": [{"task": 1}]})
    right.put_panel("p" * 64, {"hash": "p" * 64})
    shutil.copytree(tmp_path / "right", tmp_path / "left", dirs_exist_ok=True)
    merged = Store(tmp_path / "left")
    assert merged.find(*keys(one), FREE) == one and merged.find(*keys(other), FREE) == other
    assert merged.find(*keys(record(spec("c"))), FREE)
    assert merged.get_tree(digest) == {"x": b"1", "y": b"2"}
    assert merged.grade("ab" * 32) == {"checks": [{"task": 1}]}
    assert [path.stem for path in merged.panels()] == ["p" * 64]


def test_grades_are_kept_by_key(tmp_path):
    store = Store(tmp_path)
    store.put_grade("cd" * 32, {"told": "ü"})
    assert Store(tmp_path).grade("cd" * 32) == {"told": "ü"}
    assert store.grade("ce" * 32) is None


KEY = "cd" * 32
#: A grade as versions without checksums kept it, or somebody by hand.
SOLVED = b'{"checks": [], "told": null}'


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[:-20],
        lambda data: b"\x00" * len(data),
        lambda data: SOLVED,
        lambda data: data.replace(b'"unmet"', b"null"),
        lambda data: data.replace(b'{"key"', b'{"found": {"checks": [], "told": null}, "key"'),
        lambda data: b"[" * 100_000,
    ],
    ids=["empty", "cut", "garbage", "by hand", "edited", "added to", "deep"],
)
def test_a_grade_that_is_not_as_it_was_written_counts_as_absent(tmp_path, spoil):
    store = Store(tmp_path)
    store.put_grade(KEY, {"checks": [], "told": "unmet"})
    path = tmp_path / "grades" / KEY[:2] / f"{KEY[2:]}.json"
    path.write_bytes(spoil(path.read_bytes()))
    assert store.grade(KEY) is None
    store.put_grade(KEY, {"checks": [], "told": "unmet"})
    assert store.grade(KEY) == {"checks": [], "told": "unmet"}


def test_the_grade_of_another_key_is_not_taken_for_this_ones(tmp_path):
    store = Store(tmp_path)
    store.put_grade(KEY, {"told": "unmet"})
    store.put_grade("ce" * 32, {"told": None})
    paths = [tmp_path / "grades" / key[:2] / f"{key[2:]}.json" for key in ("ce" * 32, KEY)]
    paths[1].write_bytes(paths[0].read_bytes())
    assert store.grade(KEY) is None and store.grade("ce" * 32) == {"told": None}


@pytest.mark.parametrize("found", [{}, {"told": 1}, {"told": None, "checks": None}])
def test_a_grade_that_its_reader_finds_no_sense_in_counts_as_absent(tmp_path, found):
    store = Store(tmp_path)
    store.put_grade(KEY, found)
    assert store.grade(KEY, lambda row: (row["told"] + "!", len(row["checks"]))) is None


def test_the_last_plan_is_last(tmp_path):
    store = Store(tmp_path)
    for at, name in enumerate(("b", "a")):
        path = store.put_panel(name, {"hash": name})
        os.utime(path, ns=(at, at))
    assert [json.loads(path.read_text())["hash"] for path in store.panels()] == ["b", "a"]


def test_money_is_counted_from_a_moment_on(tmp_path):
    rows = [{"time": 10.0, "usd": 1.0}, {"time": 20.0, "usd": 0.5}]
    tmp_path.joinpath("spend.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"time": 30')
    assert Store(tmp_path).spent() == 1.5
    assert Store(tmp_path).spent(20.0) == 0.5
    assert Store(tmp_path).spent(20.1) == 0


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"time": 1}', '{"time": 1, "usd": NaN}', '{"time": 1, "usd": Infinity}', '{"time": 1, "usd": "x"}']
)
def test_money_that_cannot_be_counted_is_one_line_for_the_user(tmp_path, line):
    good = json.dumps({"time": 10.0, "usd": 1.0})
    tmp_path.joinpath("spend.jsonl").write_text(f"{good}\n{line}\n{good}\n")
    with pytest.raises(UsageError, match=rf"spend.jsonl, byte {len(good) + 1}: .*mend or remove that line"):
        Store(tmp_path).spent()


def test_looks_are_kept_by_plan(tmp_path):
    store = Store(tmp_path)
    assert store.looks() == {}
    store.put_look("ab", {"hash": "ab"})
    store.put_look("ab", {"hash": "ab", "looks": 2})
    tmp_path.joinpath("looks/cd.json").write_text("{")
    assert Store(tmp_path).looks() == {"ab": {"hash": "ab", "looks": 2}, "cd": None}


def test_no_half_written_files_are_left(tmp_path):
    store = Store(tmp_path)
    store.put(b"x")
    store.put_grade("ab" * 32, {})
    assert not list(tmp_path.rglob(".new-*"))


def test_two_workers_do_not_grade_the_same_bytes_at_once(tmp_path):
    code = "import sys; from filelock import FileLock; FileLock(sys.argv[1]).acquire(timeout=0)"
    command = [sys.executable, "-c", code, str(tmp_path / "grades/locks/ab")]
    with Store(tmp_path).grading("ab12"):
        held = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "Timeout" in held.stderr
    assert subprocess.run(command, timeout=60).returncode == 0
