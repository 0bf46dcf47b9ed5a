import json
import re
import time
import unicodedata
from typing import Any

import pytest

from benchmark.core.model import CheckOutcome
from benchmark.store.store import Store
from benchmark.suite.discovery import find_suite
from reports.audit.metrics import observe
from reports.audit.shrink import Shrunk
from reports.chains.divergence import MOST_CHECKS, Divergence, PairEffect, divergence
from reports.chains.failed_checks import PART_LIMIT, FailedCheck
from reports.chains.page_divergence import divergence_view
from reports.chains.sections import HERE
from reports.page.file_diff import ALL_LIMIT, FILE_LIMIT, FILE_LINES, LINE_LIMIT, MOST_FILES, Changes, changes, plain
from reports.page.html import page_environment
from reports.results import as_json
from tests.factory import DAY, Row, keep, record, row, spec
from tests.reports import lines

SUITE = find_suite("webdev")
WHO = ("target", "noop", "prompt")


def effect(project, estimate, skill="target", reason=None, delivery="prompt"):
    """The raw value is far off, so that a page that showed it would be seen to."""
    return PairEffect(
        skill, "noop", delivery, project, Shrunk((skill, "noop", delivery), project, 0.987654, estimate, 0.05, reason)
    )


class Made:
    """An audit over a store; chains are kept with a workspace a task, `page.txt` naming the tasks done and who did them."""

    def __init__(self, root):
        self.store = Store(root)
        self.rows: list[Row] = []

    def tree(self, name, task, solved=True, **files):
        done = "".join(f"task {at}\n" for at in range(1, task + solved))
        text = f"by {name}\n{done}" + ("" if solved else f"task {task} wrong\n")
        return self.store.put_tree({"page.txt": text.encode(), **files})

    def chain(self, project, condition, replicate, letters, files=None, checks=None, inputs=None, **changes):
        """One trial; `files` are added to the workspace of the last task that was attempted."""
        made = spec(project, condition, replicate, delivery=changes.pop("delivery", "prompt"))
        if inputs:
            made = made.model_copy(update={"inputs": inputs})
        kept = record(made, letters, **changes)
        tasks = []
        for task in kept.tasks:
            more = files if files and task.task == sum(letter != "-" for letter in letters) else {}
            attempts = []
            for attempt in task.attempts:
                update: dict[str, Any] = {"workspace": self.tree(condition, task.task, attempt.solved, **(more or {}))}
                update["feedback"] = (
                    None if attempt.solved else f"feedback of {condition} r{replicate} attempt {attempt.number}"
                )
                if checks and not attempt.solved:
                    update["checks"] = checks
                attempts.append(attempt.model_copy(update=update))
            tasks.append(task.model_copy(update={"attempts": tuple(attempts)}))
        self.rows.append(Row(made, ("target",), (kept.model_copy(update={"tasks": tuple(tasks)}),)))
        return self

    def look(self, *effects) -> dict[str, Any]:
        """The pairs with the largest gain and loss."""
        plan = keep(self.store, self.rows)
        made = observe(Store(self.store.root), plan, 2 * DAY)
        return {name: divergence(made, effects, sign) for name, sign in (("gain", 1), ("loss", -1))}


def html(found):
    """What the page shows of pairs."""
    template = page_environment(lines.results(), HERE).get_template("divergence.html.j2")
    return template.render(views=[divergence_view(name, line) for name, line in found.items()])


def test_the_first_task_at_which_arms_part_with_both_attempts(tmp_path):
    made = Made(tmp_path).chain("a", "C0", 0, "12x-").chain("a", "C1", 0, "1121")
    found = made.look(effect("a", 0.12), effect("b", 0.02))
    gain = found["gain"]
    assert (gain.effect.project, gain.effect.size, gain.effect.shrunk.sd, gain.reason) == ("a", 0.12, 0.05, None)
    assert (gain.task, gain.title, gain.parting, gain.pairs_of_chains) == (3, "Task number 3", 1, 1)
    zero, one = gain.sides["C0"], gain.sides["C1"]
    assert (zero.attempt, zero.solved, zero.tasks_solved) == (2, False, 2)
    assert zero.told == "feedback of C0 r0 attempt 1" and zero.feedback == "feedback of C0 r0 attempt 2"
    assert (
        zero.checks == [FailedCheck(title="It adds up.", failure="assertion", expected="a sum of 4", seen="a sum of 5")]
        and not zero.more_checks
    )
    assert (one.attempt, one.solved, one.told, one.feedback, one.checks) == (
        2,
        True,
        "feedback of C1 r0 attempt 1",
        None,
        [],
    )
    (file,) = zero.changes.files
    assert (file.name, file.change, file.note) == ("page.txt", "changed", None)
    assert file.diff == "@@ -1,3 +1,4 @@\n by C0\n task 1\n task 2\n+task 3 wrong"
    assert one.changes.files[0].diff == "@@ -1,3 +1,4 @@\n by C1\n task 1\n task 2\n+task 3"
    assert zero.client_version == "1" and zero.date == "2027-01-15" and zero.trial.startswith("webdev/a/no-skill/C0/")
    assert found["loss"] == Divergence("No pair loses after shrinkage.")
    shown = html(found)
    assert "+12.0 ± 5.0 points after shrinkage" in shown and not re.search(r"0\.987|98\.[78]", shown)


def test_the_largest_loss_is_where_c0_went_on(tmp_path):
    made = Made(tmp_path).chain("a", "C0", 0, "1111").chain("a", "C1", 0, "1x--")
    made.chain("b", "C0", 0, "11x-").chain("b", "C1", 0, "1x--")
    found = made.look(effect("a", -0.4), effect("b", -0.1))
    assert (found["loss"].effect.project, found["loss"].task) == ("a", 2)
    assert found["loss"].sides["C0"].solved and not found["loss"].sides["C1"].solved
    assert found["gain"] == Divergence("No pair gains after shrinkage.")


def test_the_typical_chains_are_shown(tmp_path):
    """Depths C0 0, 3, 3 (mean 2), C1 9, 5, 4 (mean 6): nearest are 3 (the first of two) and 5, not the starkest 0 and 9."""
    made = Made(tmp_path)
    for replicate, depth in enumerate((0, 3, 3)):
        made.chain("a", "C0", replicate, "1" * depth + "x" + "-" * (9 - depth))
    for replicate, depth in enumerate((9, 5, 4)):
        made.chain("a", "C1", replicate, "1" * depth + "x" + "-" * (9 - depth))
    gain = made.look(effect("a", 0.2), effect("b", 0))["gain"]
    assert (gain.sides["C0"].replicate, gain.sides["C1"].replicate, gain.task) == (1, 1, 4)
    assert (gain.parting, gain.pairs_of_chains) == (9, 9)
    assert gain.sides["C0"].tasks_solved == 3


def test_equally_typical_chains_part_as_early_as_they_can(tmp_path):
    """C0 depths 1 and 3 are one off their mean each, C1 depths 4: the earlier parting is shown."""
    made = Made(tmp_path).chain("a", "C0", 0, "111x-").chain("a", "C0", 1, "1x---")
    made.chain("a", "C1", 0, "1111x").chain("a", "C1", 1, "1111x")
    gain = made.look(effect("a", 0.2), effect("b", 0))["gain"]
    assert (gain.sides["C0"].replicate, gain.sides["C1"].replicate, gain.task) == (1, 0, 2)


def test_only_chains_that_part_the_effects_way_are_shown(tmp_path):
    made = Made(tmp_path).chain("a", "C0", 0, "11x").chain("a", "C0", 1, "x--").chain("a", "C1", 0, "1x-")
    gain = made.look(effect("a", 0.2), effect("b", 0))["gain"]
    assert (gain.sides["C0"].replicate, gain.task, gain.parting, gain.pairs_of_chains) == (1, 1, 1, 2)


def test_no_chains_that_part_this_way_are_a_sentence(tmp_path):
    made = Made(tmp_path).chain("a", "C0", 0, "11x").chain("a", "C1", 0, "11x")
    found = made.look(effect("a", 0.2), effect("a", -0.1, skill="other"))
    assert found["gain"].reason == "No chain of C1 on a got further than one of C0." and found["gain"].effect.size == 0.2
    assert found["loss"].reason == "No chain of C1 on a has a record of its tasks."


def test_an_arm_without_a_record_is_a_sentence(tmp_path):
    made = Made(tmp_path).chain("a", "C0", 0, "11x")
    made.rows += row("a", "C1", None)
    assert made.look(effect("a", 0.2), effect("b", 0))["gain"].reason == "No chain of C1 on a has a record of its tasks."


@pytest.mark.parametrize(
    ("effects", "words"),
    [
        ([], "no pair has both arms measured"),
        ([effect("a", None, reason="one pair alone")], "one pair alone"),
        ([effect("a", float("nan"))], "no pair has both arms measured"),
        ([effect("a", 0.0), effect("b", -0.1)], "No pair gains"),
        ([effect("a", 0.1), effect("b", 0.1), effect("c", 0.05, skill="other")], "none of them stands out"),
    ],
)
def test_no_largest_pair_is_a_sentence(tmp_path, effects, words):
    found = Made(tmp_path).chain("a", "C0", 0, "1x").look(*effects)
    assert words in found["gain"].reason and found["gain"] == Divergence(found["gain"].reason)


def test_of_equal_pairs_the_first_by_name_is_shown(tmp_path):
    made = Made(tmp_path)
    for project in "cab":
        made.chain(project, "C0", 0, "1x").chain(project, "C1", 0, "11")
    assert made.look(effect("c", 0.2), effect("b", 0.2), effect("a", 0.1))["gain"].effect.project == "b"


def test_the_first_task_is_compared_with_what_the_project_starts_from(tmp_path):
    start = SUITE.start("bakery-page")
    own = {"inputs": SUITE.inputs("bakery-page")}
    made = Made(tmp_path).chain("bakery-page", "C0", 0, "x" + "-" * 9, files=start, **own)
    made.chain("bakery-page", "C1", 0, "1x" + "-" * 8, **own)
    gain = made.look(effect("bakery-page", 0.2), effect("b", 0))["gain"]
    assert gain.task == 1
    (file,) = gain.sides["C0"].changes.files
    assert (file.name, file.change, file.diff) == ("page.txt", "added", "@@ -0,0 +1,2 @@\n+by C0\n+task 1 wrong")
    removed = [file.name for file in gain.sides["C1"].changes.files if file.change == "removed"]
    assert removed == sorted(start)


@pytest.mark.parametrize("project", ["bakery-page", "gone"])
def test_a_project_that_has_changed_since_is_not_compared_with(tmp_path, project):
    made = Made(tmp_path).chain(project, "C0", 0, "x-").chain(project, "C1", 0, "1x")
    side = made.look(effect(project, 0.2), effect("b", 0))["gain"].sides["C0"]
    assert side.changes.files == () and "changed since the trial" in side.changes.note and side.feedback


def test_a_workspace_that_is_gone_or_damaged_is_a_sentence(tmp_path):
    made = Made(tmp_path).chain("a", "C0", 0, "1x").chain("a", "C1", 0, "11")
    for digest, data in ((made.tree("C0", 2, False), None), (made.tree("C1", 2), b"not what was kept")):
        path = made.store.root / "blobs" / digest[:2] / digest[2:]
        path.unlink()
        if data:
            path.write_bytes(data)
    sides = made.look(effect("a", 0.2), effect("b", 0))["gain"].sides
    for condition, why in (("C0", f"no blob {made.tree('C0', 2, False)} in the store"), ("C1", "it was altered in the store")):
        assert sides[condition].changes.files == ()
        assert sides[condition].changes.note.startswith("The workspace is not in the store as it was kept: ")
        assert why in sides[condition].changes.note
    assert sides["C0"].feedback == "feedback of C0 r0 attempt 2"


def test_deliveries_are_told_apart(tmp_path):
    made = Made(tmp_path).chain("a", "C0", 0, "1x").chain("a", "C1", 0, "1x").chain("a", "C1", 0, "11", delivery="native")
    gain = made.look(effect("a", 0.2, delivery="native"), effect("a", 0.0))["gain"]
    assert gain.effect.delivery == "native" and gain.sides["C1"].trial.startswith("webdev/a/target/C1-native/")


def test_what_agents_wrote_is_bounded_plain_text(tmp_path):
    nasty = "<script>alert(1)</script>\x1b[31m\u202edetrever\x00\r" + "y" * 50_000
    checks = tuple(
        CheckOutcome(task=2, title=f"Check {at} {nasty}", seconds=0, failure="assertion", expected=nasty, seen=nasty)
        for at in range(30)
    )
    files = {
        "big.txt": ("line\n" * 100_000).encode(),
        "long.txt": ("z" * 200_000).encode(),
        "picture.png": b"\x89PNG\r\n\x00\xff",
        **{f"f{at:03}.txt": f"{nasty[:70]}\n{at}\n".encode() * 60 for at in range(200)},
    }
    made = Made(tmp_path).chain("a", "C0", 0, "1x", files=files, checks=checks).chain("a", "C1", 0, "11", files=files)
    found = made.look(effect("a", 0.2), effect("b", 0))
    side = found["gain"].sides["C0"]
    assert len(side.checks) == MOST_CHECKS and side.more_checks == 20
    assert side.checks[0].expected.startswith("<script>alert(1)</script>\\x1b[31m\\u202edetrever\\x00\\r")
    assert len(side.checks[0].seen) < PART_LIMIT + 100
    listed = side.changes.files
    assert len(listed) == MOST_FILES and side.changes.note == "164 more files differ and are not listed"
    assert sum(len(file.diff or "") for file in listed) <= ALL_LIMIT
    shown = html(found)
    for text in (json.dumps(as_json(found), ensure_ascii=False), shown.replace("\n", "").replace("\t", "")):
        assert len(text) < 300_000
        assert not [char for char in text if unicodedata.category(char) in ("Cc", "Cs", "Zl") or "\u202a" <= char <= "\u202e"]
    assert "<script" not in shown


# Changes of workspaces


def names(found):
    return {file.name: (file.change, file.note) for file in found.files}


def test_files_are_added_removed_changed_binary_or_as_they_were():
    before = {"same": b"1\n", "gone": b"x\n", "text": b"one\ntwo\n", "bytes": b"\0\1", "latin": "ü".encode("latin-1")}
    after = {"same": b"1\n", "new": b"", "text": b"one\n2\n", "bytes": b"\0\2\3", "latin": "ö".encode("latin-1")}
    found = changes(before, after)
    assert found.note is None and names(found) == {
        "bytes": ("changed", "binary"),
        "gone": ("removed", None),
        "latin": ("changed", "binary"),
        "new": ("added", "empty file"),
        "text": ("changed", None),
    }
    by_name = {file.name: file for file in found.files}
    assert by_name["text"].diff == "@@ -1,2 +1,2 @@\n one\n-two\n+2" and by_name["gone"].diff == "@@ -1 +0,0 @@\n-x"
    assert by_name["bytes"].diff is None and by_name["new"].diff == ""
    assert changes(before, before) == Changes([], "no file differs")


def test_a_last_line_without_an_end_and_other_ends_are_seen():
    (file,) = changes({"a": b"x\ny"}, {"a": b"x\ny\n"}).files
    assert file.diff == "@@ -1,2 +1,2 @@\n x\n-y\n\\ No newline at end of file\n+y"
    (file,) = changes({"a": b"x\n"}, {"a": b"x\r\n"}).files
    assert file.diff == "@@ -1 +1 @@\n-x\n+x\\r"
    # Signs that only Python takes for the end of a line do not make one.
    (file,) = changes({"a": b""}, {"a": "p\x0cq\u2028r\n".encode()}).files
    assert file.diff == "@@ -0,0 +1 @@\n+p\\x0cq\\u2028r"


def test_a_long_file_is_cut_and_says_by_how_much():
    (file,) = changes({}, {"a": b"".join(b"%05d\n" % at for at in range(1_900))}).files
    assert file.diff
    shown = file.diff.split("\n")
    assert len(file.diff) <= FILE_LIMIT and shown[:2] == ["@@ -0,0 +1,1900 @@", "+00000"]
    assert file.note == f"{1_901 - len(shown)} more lines of the difference are cut"


def test_a_long_line_is_cut_and_a_file_of_too_many_lines_is_named():
    found = changes({}, {"a": b"w" * 5_000 + b"\n", "b": b"\n" * (FILE_LINES + 1), "c": b"w" * 300_000})
    assert names(found)["b"] == names(found)["c"] == ("added", "too large to be compared")
    assert (found.files[0].diff or "").endswith(f"… ({5_001 - LINE_LIMIT} characters more)")


def test_the_whole_is_bounded_too():
    found = changes({}, {f"{at:02}": b"some words here\n" * 400 for at in range(30)})
    told = [len(file.diff or "") for file in found.files]
    assert sum(told) <= ALL_LIMIT and told[0] > 0 and told[-1] == 0
    assert found.files[-1].note == "not shown: the differences before it fill the space"


def test_files_made_to_be_slow_to_compare_are_not():
    """Lines alike as often as difflib still looks at them, in an order that takes one off at a time."""
    head = [line for at in range(500) for line in (f"k{at}", f"f{at}")]
    tail = [f"k{at}" for at in reversed(range(500)) for _ in range(2)]
    left = "\n".join(f"k{at}" for at in range(500) for _ in range(4)).encode()
    right = "\n".join([*head, *tail]).encode()
    started = time.process_time()
    changes({f"{at}": left for at in range(40)}, {f"{at}": right for at in range(40)})
    assert time.process_time() - started < 20


def test_plain_text_is_what_it_was_or_written_out():
    assert plain("Grüße 😀\n\tdone", 100) == "Grüße 😀\n\tdone"
    assert plain("a\x07\ud800\u2066b\x85", 100) == "a\\x07\\ud800\\u2066b\\x85"
    assert plain("abcdef", 4) == "abcd… (2 characters more)"
