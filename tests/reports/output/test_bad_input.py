"""What an audit says where a number cannot be had: a statement in its place, never a zero, never a crash."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from benchmark.core.errors import UsageError
from benchmark.core.model import Usage
from benchmark.core.stored_plan import StoredPlan
from benchmark.plan.panel import load_panel
from benchmark.store.store import Store
from reports.output.terminal import result_lines
from reports.output.write import write_all, written_json
from reports.verdict.phrasing import NEVER
from tests.factory import RESOLVED, Row, keep, plan_of, record, row

SIX = "abcdef"
LIKE, ONLY = "ON PROJECTS LIKE THESE", "ON THESE PROJECTS ONLY"


def chain(depth: int) -> str:
    return "1" * depth + "x" * (depth < 10) + "-" * (9 - depth)


def arm(condition: str, projects: str, replicates: int, depth: int = 5, step: int = 1, **how: Any) -> list[Row]:
    """Chains that solve `depth` tasks, give or take `step` by project and by replicate."""
    rows = []
    for at, project in enumerate(projects):
        depths = [depth + step * ((at + (at + 1) * again) % 3 - 1) for again in range(replicates)]
        rows += row(project, condition, *(chain(one) if how.get("ran", True) else None for one in depths), **_other(how))
    return rows


def _other(how: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in how.items() if name != "ran"}


def audited(root: Path, rows: list[Row], **panel: Any) -> dict[str, Any]:
    """The results of rows kept in a store, once everything is written and looked through."""
    return reported(root, keep(Store(root), rows, **panel))


def reported(root: Path, plan: StoredPlan) -> dict[str, Any]:
    written = write_all(Store(root), plan.hash)
    assert not written.failures
    page = written.files["page"].read_text()
    terminal = "\n".join(result_lines(written))
    words = unescape(re.sub(r"<(style|svg)\b.*?</\1>|<[^>]*>", " ", page, flags=re.S))
    for text in (terminal, words):
        assert not re.search(r"\b(nan|NaN|inf|Infinity|None(?! of))\b", text)
        assert not [pattern for pattern in NEVER if re.search(pattern, text, re.I)]
    for name in ("json", "advice"):
        json.loads(written.files[name].read_text(), parse_constant=pytest.fail)
    found = written_json(written)
    for line in found["verdicts"]:
        assert line["reasons"] and line["sentence"] in terminal
    return {**found, "terminal": terminal, "words": " ".join(words.split())}


def decided(found: dict[str, Any]) -> tuple[str, str, str]:
    """Word, scope and the first reason of the only verdict."""
    (line,) = found["verdicts"]
    return line["word"], line["scope"], line["reasons"][0]


ENOUGH = "One on these projects only needs 5 replicates an arm on every project, and the fewest are"
SITUATIONS = {
    "no C0 arm": (arm("C1", SIX, 3), "UNDECIDED", LIKE, "There is no C0 arm to compare."),
    "no C0 measured": (
        [*arm("C0", SIX, 3, status="broken", reason="no network"), *arm("C1", SIX, 3)],
        "UNDECIDED",
        LIKE,
        "No C0 trial was measured.",
    ),
    "no C1 measured": (
        [*arm("C0", SIX, 3), *arm("C1", SIX, 3, status="broken", reason="no network")],
        "UNDECIDED",
        LIKE,
        "No C1 trial was measured.",
    ),
    "arms on different projects": (
        [*arm("C0", "abc", 3), *arm("C1", "def", 3)],
        "UNDECIDED",
        LIKE,
        "No project has measured trials in both C1 and C0.",
    ),
    "one replicate": (
        [*arm("C0", SIX, 1), *arm("C1", SIX, 1, 7, 2)],
        "UNDECIDED",
        LIKE,
        f"Too little for a verdict on projects like these: 1 measured replicate an arm of the 3 needed. {ENOUGH} 1.",
    ),
    "one project": (
        [*arm("C0", "a", 3), *arm("C1", "a", 3, 7, 2)],
        "UNDECIDED",
        LIKE,
        f"Too little for a verdict on projects like these: 1 family of the 6 needed. {ENOUGH} 3.",
    ),
    "all ties": (
        [*arm("C0", SIX, 3), *arm("C1", SIX, 3)],
        "UNDECIDED",
        LIKE,
        "There is no spread between families, which is no certainty; the difference is +0.0 points.",
    ),
    "constant values": (
        [*arm("C0", SIX, 3, 4, 0), *arm("C1", SIX, 3, 6, 0)],
        "UNDECIDED",
        LIKE,
        "There is no spread between families, which is no certainty; the difference is +20.0 points.",
    ),
    "constant values of one project": (
        [*arm("C0", "a", 5, 4, 0), *arm("C1", "a", 5, 6, 0)],
        "UNDECIDED",
        ONLY,
        "There is no spread between replicates, which is no certainty; the difference is +20.0 points.",
    ),
    "nothing solved": (
        [*arm("C0", SIX, 3, 0, 0), *arm("C1", SIX, 3, 0, 0)],
        "UNDECIDED",
        LIKE,
        "There is no spread between families, which is no certainty; the difference is +0.0 points.",
    ),
    "nothing delivered": (
        [*arm("C0", SIX, 3), *arm("C1", SIX, 3, status="not_delivered", reason="never listed")],
        "NOT DELIVERED",
        LIKE,
        "The skill was not within the agent's reach in 18 of the 18 treated trials that ran.",
    ),
    "nothing ran": (
        [*arm("C0", SIX, 3, ran=False), *arm("C1", SIX, 3, ran=False)],
        "UNDECIDED",
        LIKE,
        "Its plan is not finished, 36 of its 36 trials of C1 and C0 have not run, and only a finished plan is judged.",
    ),
}


@pytest.mark.parametrize(("rows", "word", "scope", "reason"), SITUATIONS.values(), ids=SITUATIONS)
def test_a_statement_stands_in_place_of_the_number(tmp_path, rows, word, scope, reason):
    found = audited(tmp_path, rows)
    assert decided(found) == (word, scope, reason)
    (line,) = [line for line in found["advice"] if line["stack"] is None]
    assert (line["action"], line["word"]) == ("test more", word)
    if word == "UNDECIDED":
        assert line["gain"]["reason"] or (line["gain"]["low"] is not None and "Too little" in reason)
    assert reason in found["words"]
    for arm_line in found["arms"]:
        if not arm_line["measured"]:
            assert set(arm_line["metrics"].values()) == {None} and arm_line["interval"]["reason"]


def test_a_plan_without_treated_trials_says_why_it_has_no_verdict(tmp_path):
    found = audited(tmp_path, [*arm("C0", SIX, 3), *arm("C2", SIX, 3)])
    assert found["verdicts"] == found["advice"] == []
    (said,) = found["facts"]["verdicts"]
    assert said == "none: the plan has no C1 trials, and a verdict compares C1 with C0"
    assert f"verdicts: {said}" in found["terminal"]
    assert "verdicts" not in audited(tmp_path / "b", [*arm("C0", "a", 1), *arm("C1", "a", 1)])["facts"]


@pytest.mark.parametrize("usd", [float("inf"), None])
def test_a_cost_that_is_no_number_is_not_measured(tmp_path, usd):
    spent = Usage(prompt_tokens=90, completion_tokens=10, usd=usd, source="provider")
    found = audited(tmp_path, [*arm("C0", SIX, 3), *arm("C1", SIX, 3, 7, 2, usage=spent)])
    zero, treated = (line["metrics"] for line in found["arms"])
    assert zero["usd"] == pytest.approx(0.001) and treated["usd"] is None and treated["tokens"] == 100
    assert found["facts"]["usage_reason"]["cost not reported"] == 18
    assert found["cost"][0]["unit"] == "tokens" and decided(found)[0] == "HELPS"


@pytest.mark.parametrize(
    ("token", "status", "reason"),
    [
        (b"NaN", "broken", "record was edited: records/"),
        (b"-Infinity", "broken", "record was edited: records/"),
        (b"-1.0", "broken", "record was edited or is of another version (usage.usd: "),
        (b"1e999", "measured", None),
    ],
)
def test_a_cost_that_another_hand_wrote(tmp_path, token, status, reason):
    """Without the checksum, as in stores of before; JSON has no NaN, and pydantic reads 1e999 as infinite."""
    rows = [*arm("C0", SIX, 3), *arm("C1", SIX, 3, 7, 2)]
    plan = keep(Store(tmp_path), rows)
    (path,) = (tmp_path / "records").iterdir()
    lines = path.read_bytes().splitlines(keepends=True)
    head, tail = lines[0].rsplit(b',"sha256"', 1)[0], b'"usd":0.001'
    at = head.rindex(tail)
    path.write_bytes(b"".join([head[:at], b'"usd":', token, head[at + len(tail) :], b"}\n", *lines[1:]]))
    found = reported(tmp_path, plan)
    trial = found["trials"][0]
    assert trial["status"] == status and (trial["reason"] or "").startswith(reason or "")
    assert trial["metrics"].get("usd") is None and found["coverage"]["broken"] == (status == "broken")
    # One of 18 missing in one arm is more than five points.
    assert decided(found)[0] == ("HELPS" if status == "measured" else "UNDECIDED")
    if status == "measured":
        assert found["facts"]["usage_reason"] == {"": 35, "cost is no finite number": 1}
        assert found["arms"][0]["metrics"]["usd"] == pytest.approx(0.001)
        assert sorted(found["facts"]["records"].values()) == [1, 35]


def test_an_edited_record_is_not_counted_and_said(tmp_path):
    rows = [*arm("C0", SIX, 3), *arm("C1", SIX, 3, 7, 2)]
    plan = keep(Store(tmp_path), rows)
    (path,) = (tmp_path / "records").iterdir()
    lines = path.read_bytes().splitlines(keepends=True)
    lines[-1] = lines[-1].replace(b'"outcome":"unsolved"', b'"outcome":"solved"')
    path.write_bytes(b"".join(lines))
    found = reported(tmp_path, plan)
    reason = f"record was edited: records/{path.name}, byte {len(b''.join(lines[:-1]))}"
    (broken,) = [trial for trial in found["trials"] if trial["status"] != "measured"]
    assert (broken["status"], broken["reason"], broken["metrics"]) == ("broken", reason, {})
    assert list(found["facts"]["not_used"]) == [reason] and found["facts"]["records"] == {"with a checksum": 35}
    assert f"not used: {reason}" in found["terminal"] and reason in found["words"]
    (line,) = found["verdicts"]
    assert (line["measured"], line["broken"]) == (35, 1) and "1 of 36 trials of C1 and C0 are missing." in line["reasons"]
    # Run again, the trial counts; that a line was edited is said still.
    Store(tmp_path).append(rows[-1].records[0])
    again = reported(tmp_path, plan)
    assert again["coverage"]["measured"] == 36 and list(again["facts"]["not_used"]) == [reason]


def test_a_store_whose_every_line_was_edited(tmp_path):
    plan = keep(Store(tmp_path), [*arm("C0", SIX, 3), *arm("C1", SIX, 3)])
    (path,) = (tmp_path / "records").iterdir()
    path.write_bytes(path.read_bytes().replace(b'"regraded":false', b'"regraded":true'))
    found = reported(tmp_path, plan)
    assert found["coverage"]["broken"] == 36 and decided(found) == ("UNDECIDED", LIKE, "No C1 trial was measured.")
    *told, more = found["facts"]["not_used"]
    assert len(told) == 5 and more == "31 more such lines"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        ("delete", r"no blob \w{64} in the store"),
        ("alter", "it was altered in the store"),
        ("empty", "it was emptied in the store"),
    ],
)
def test_blobs_that_are_gone_or_altered_leave_the_numbers(tmp_path, spoil, said):
    plan = keep(Store(tmp_path), [*arm("C0", SIX, 3), *arm("C1", SIX, 3, 7, 2)])
    for path in [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]:
        if spoil == "delete":
            path.unlink()
        else:
            path.write_bytes(path.read_bytes() + b"x" if spoil == "alter" else b"")
    found = reported(tmp_path, plan)
    assert found["coverage"]["measured"] == 36 and found["purity"]["free"] == 0
    (why,) = found["purity"]["unproven"]
    assert why.startswith("what it was sent cannot be read: ") and str(tmp_path) not in found["words"]
    attached = list((tmp_path / "report/allure-results").glob("*attachment*"))
    # Tables and pictures are the suite's, made from numbers.
    blobs = [path for path in attached if path.suffix not in (".tsv", ".svg")]
    assert blobs and all(re.search(said, path.read_text()) for path in blobs)
    lost = [line for line in found["facts"]["lost"] if re.search(said, line)]
    assert lost and all(f"lost: {line}" in found["terminal"] for line in lost)


def test_records_of_other_protocols_are_counted_and_not_used(tmp_path):
    rows = [*arm("C0", "ab", 3), *arm("C1", "ab", 3)]
    plan = keep(Store(tmp_path), rows)
    store = Store(tmp_path)
    for protocol, chosen in ((2, rows[:3]), (3, rows[:1])):
        for item in chosen:
            spec = item.spec.model_copy(update={"protocol": protocol})
            store.append(record(spec, chain(10)))
    found = reported(tmp_path, plan)
    told = [
        "3 records of protocol 2, another procedure than this plan's",
        "1 record of protocol 3, another procedure than this plan's",
    ]
    assert list(found["facts"]["not_used"]) == told and all(f"not used: {said}" in found["terminal"] for said in told)
    assert all(said in found["words"] for said in ("3 records of protocol 2", "1 record of protocol 3"))
    assert found["coverage"]["measured"] == 12 and found["arms"][0]["metrics"]["pass2"] == pytest.approx(0.5)


def test_a_plan_of_a_protocol_that_nothing_was_measured_under_has_not_run(tmp_path):
    rows = [*arm("C0", "a", 3), *arm("C1", "a", 3)]
    keep(Store(tmp_path), rows)
    new = [Row(item.spec.model_copy(update={"protocol": 2}), item.targets, ()) for item in rows]
    plan = plan_of(new).model_copy(update={"hash": "ab" * 32})
    assert plan.trials[0].work == new[0].spec.work_key(RESOLVED) != rows[0].spec.work_key(RESOLVED)
    Store(tmp_path).put_panel(plan.hash, plan.model_dump(mode="json"))
    found = reported(tmp_path, plan)
    assert found["coverage"]["not_run"] == 6 and "6 of its 6 trials" in decided(found)[2]
    assert list(found["facts"]["not_used"]) == ["6 records of protocol 1, another procedure than this plan's"]


@pytest.mark.parametrize(
    ("agents", "label"),
    [
        ([("web", "a/b", None), ("web", "a-b", None)], "web-a-b"),
        ([("web", "m_1", None), ("web", "m 1", None)], "web-m-1"),
        ([("web", "m", None), ("web-m", None, None)], "web-m"),
        ([("web", "m", "http://127.0.0.1:1/v1"), ("web", "m", "http://127.0.0.1:2/v1")], "web-m"),
    ],
)
def test_models_that_tables_could_not_tell_apart_are_refused(tmp_path, agents, label):
    text = 'suite = "webdev"\n'
    for name, model, base in agents:
        rows = {"name": name, "model": model, "api_base": base}
        text += "[[agents]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in rows.items() if value)
    (tmp_path / "panel.toml").write_text(text)
    with pytest.raises(UsageError, match=f"two agents are called '{label}'.*into a panel each"):
        load_panel(tmp_path / "panel.toml")


def test_two_models_have_a_verdict_each_under_their_own_names(tmp_path):
    rows = []
    for model, depth in (("a/b", 8), ("a/c", 5)):
        own = {"agent": {"name": "web", "model": model}, "scripted": False}
        rows += [*arm("C0", SIX, 3, 5, 1, **own), *arm("C1", SIX, 3, depth, 2 if depth == 8 else 1, **own)]
    found = audited(tmp_path, rows)
    assert [(line["agent"], line["model"], line["word"]) for line in found["verdicts"]] == [
        ("web-a-b", "a/b", "HELPS"),
        ("web-a-c", "a/c", "UNDECIDED"),
    ]
    assert all(f"model {line['model']}" in line["sentence"] for line in found["verdicts"])
