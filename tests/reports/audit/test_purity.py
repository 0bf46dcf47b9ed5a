"""Baselines that are none are found from what was kept of them; those that cannot be looked into are not proven."""

import lzma

import pytest

from benchmark.core.files import sha256
from benchmark.core.model import Delivered
from benchmark.store.store import Store
from reports.audit import purity as purity_module
from reports.audit.contrasts import CONTRASTS
from tests.factory import DAY, NOON, audit, kept, record, row, wire
from tests.reports.as_json import contrast, purity

LISTING = "- target: What target is good for."
TASK = "Do the task."


def observed(tmp_path, blob: bytes | None, targets=("target",), **changes):
    """What is observed of one C0 trial of a model that was sent `blob`, beside a C1 trial of every target."""
    store = Store(tmp_path)
    if blob is not None:
        changes = {"scripted": False, "delivered": Delivered(wire=store.put(blob)), **changes}
    treated = [item for name in targets for item in row("alpha", "C1", "11", injected=name, targets=(name,))]
    made = audit(tmp_path, [*row("alpha", "C0", "1x", targets=targets, **changes), *treated])
    return made, next(iter(made.observations.values()))


def test_a_clean_baseline_is_proven_free(tmp_path):
    made, zero = observed(tmp_path, wire(TASK, f"{TASK} and the files", f"{TASK} and more"))
    assert (zero.status, zero.free, zero.unproven) == ("measured", True, None)
    assert purity(made) == {"of": 1, "free": 1, "contaminated": 0, "unproven": []}


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ((TASK, TASK, f"{TASK}\n{LISTING}"), "the skill target was listed in request 3 of the baseline"),
        ((TASK, f"{TASK}\n{kept().body}"), "the body of the skill target was in request 2 of the baseline"),
        ((kept().text,), "the body of the skill target was in request 1 of the baseline"),
    ],
    ids=["listed", "opened", "whole"],
)
def test_a_baseline_with_the_skill_in_it_is_contaminated_and_in_no_contrast(tmp_path, sent, words):
    made, zero = observed(tmp_path, wire(*sent))
    assert (zero.status, zero.reason, zero.free) == ("contaminated", words, False)
    (found,) = made.arm("target", "noop", "prompt", "C0")
    assert found.status == "contaminated"
    line = contrast(made, "target", "noop", "prompt", *CONTRASTS[0])
    assert line and line["difference"]["estimate"] is None
    assert purity(made)["contaminated"] == 1


def test_a_baseline_with_one_skill_in_it_is_none_for_the_others(tmp_path):
    made, zero = observed(tmp_path, wire(TASK, LISTING), targets=("other-target", "target"))
    assert zero.status == "contaminated" and "target was listed" in (zero.reason or "")
    for name in ("target", "other-target"):
        assert [item.status for item in made.arm(name, "noop", "prompt", "C0")] == ["contaminated"]


def test_a_skill_that_lay_in_the_sandbox_is_found_though_nobody_asked(tmp_path):
    store = Store(tmp_path)
    manifest = {"home/agent/.x/skills/target/SKILL.md": kept().ref.sha256, "work/index.html": "0" * 64}
    _, zero = observed(tmp_path, wire(TASK), delivered=Delivered(wire=store.put(wire(TASK)), manifest=manifest))
    assert zero.status == "contaminated" and ".x/skills/target/SKILL.md" in (zero.reason or "")


def test_what_was_not_sent_to_the_model_is_no_evidence(tmp_path):
    for exchange in ({"kind": "count"}, {"refused": "turns"}):
        _, zero = observed(tmp_path / str(exchange), wire(TASK, **{}) + wire(kept().text, **exchange))
        assert (zero.status, zero.free) == ("measured", True)


def test_the_tasks_own_words_and_files_are_no_evidence(tmp_path):
    """The prompt that the store keeps is the task's, and so is what of it comes back in later requests."""
    store = Store(tmp_path)
    prompt = f"{TASK}\n{kept().body}".encode()
    sent = Delivered(wire=store.put(wire(prompt.decode(), prompt.decode())))
    _, zero = observed(tmp_path, b"", delivered=sent, attempt={"prompt": store.put(prompt)})
    assert zero.status == "measured"
    assert (zero.free, zero.unproven) == (True, None)


def test_but_the_bytes_of_a_skill_in_the_prompt_are(tmp_path):
    store = Store(tmp_path)
    prompt = f"{TASK}\n{kept().text}"
    sent = Delivered(wire=store.put(wire(prompt)))
    _, zero = observed(tmp_path, b"", delivered=sent, attempt={"prompt": store.put(prompt.encode())})
    assert zero.status == "contaminated" and "byte for byte" in (zero.reason or "")


def test_a_scripted_baseline_is_judged_by_its_prompts(tmp_path):
    _, clean = observed(tmp_path / "a", None)
    assert (clean.status, clean.free) == ("measured", True)
    prompt = Store(tmp_path / "b").put(f"{LISTING}\n{TASK}".encode())
    _, zero = observed(tmp_path / "b", None, attempt={"prompt": prompt})
    assert zero.status == "contaminated" and "listed in request 1" in (zero.reason or "")


def test_what_cannot_be_looked_into_is_measured_and_not_proven(tmp_path):
    missing = Delivered(wire=sha256(b"nowhere"))
    cases = {
        "no requests kept": {"blob": None, "scripted": False},
        "no blob": {"blob": b"", "delivered": missing},
        "no xz": {"blob": b"not xz at all"},
        "cut": {"blob": wire(*[f"{at} {sha256(str(at).encode())}" for at in range(500)])[:-40]},
        "no JSON": {"blob": lzma.compress(b"{broken\n")},
        "nothing asked": {"blob": lzma.compress(b"")},
        "no prompt": {"blob": wire(TASK), "attempt": {"prompt": sha256(b"gone")}},
    }
    for name, case in cases.items():
        made, zero = observed(tmp_path / name, **case)
        assert (zero.status, zero.free) == ("measured", False), name
        assert zero.unproven and purity(made)["unproven"] == [zero.unproven], name
        assert made.arm("target", "noop", "prompt", "C0")[0].status == "measured"


def test_a_skill_whose_bytes_are_gone_leaves_the_proof_out(tmp_path):
    store = Store(tmp_path)
    rows = row("alpha", "C0", "1x", scripted=False, delivered=Delivered(wire=store.put(wire(TASK))))
    made = audit(tmp_path, rows)
    (zero,) = made.observations.values()
    assert zero.free is False and "target" in (zero.unproven or "")


def test_a_baseline_alone_has_nothing_to_be_proven(tmp_path):
    made = audit(tmp_path, row("alpha", "C0", "1x", targets=()))
    assert [item.free for item in made.observations.values()] == [None]


def test_broken_baselines_are_not_looked_into(tmp_path):
    _, zero = observed(tmp_path, wire(kept().text), status="broken", reason="gone")
    assert (zero.status, zero.reason, zero.free) == ("broken", "gone", None)


def test_a_clean_record_of_the_same_trial_stands_in_for_a_contaminated_one(tmp_path):
    store = Store(tmp_path)
    bad, good = (Delivered(wire=store.put(wire(text))) for text in (LISTING, TASK))
    (zero,) = row("alpha", "C0", "1x", scripted=False, delivered=good)
    later = record(zero.spec, "11", scripted=False, delivered=bad, started=NOON + DAY)
    for name, treated in (("a", row("alpha", "C1", "11", started=NOON + DAY)), ("b", row("alpha", "C1", None))):
        for blob in (bad, good):
            assert blob.wire
            Store(tmp_path / name).put(store.get(blob.wire))
        made = audit(tmp_path / name, [zero._replace(records=(*zero.records, later)), *treated])
        assert [(item.status, item.started) for item in made.arm("target", "noop", "prompt", "C0")] == [("measured", NOON)]


def test_a_trials_requests_are_unpacked_once_for_all_its_skills_and_deliveries(tmp_path, monkeypatch):
    opened = []
    real = purity_module.requests
    monkeypatch.setattr(purity_module, "requests", lambda blob: opened.append(sha256(blob)) or real(blob))
    store = Store(tmp_path)
    blobs = [store.put(wire(TASK, f"{TASK} {at}")) for at in range(3)]
    zeros = [
        item
        for at, blob in enumerate(blobs)
        for item in row(
            "alpha", "C0", "1x", first=at, targets=("target", "two"), scripted=False, delivered=Delivered(wire=blob)
        )
    ]
    treated = [
        item
        for name in ("target", "two")
        for how in ("prompt", "native")
        for item in row("alpha", "C1", "11", injected=name, targets=(name,), delivery=how)
    ]
    made = audit(tmp_path, [*zeros, *treated])
    for name in ("target", "two"):
        for how in ("prompt", "native"):
            assert [item.free for item in made.arm(name, "noop", how, "C0")] == [True] * 3
    assert sorted(opened) == sorted(blobs)


def test_windows_and_purity_go_together(tmp_path):
    _, zero = observed(tmp_path, wire(TASK), started=NOON - 9 * DAY)
    assert (zero.status, zero.free) == ("historical", True)
