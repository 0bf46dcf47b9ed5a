import pytest

from benchmark.files import sha256
from skills.deliver import block, mounted, proven, requests_with
from skills.parse import as_skill
from tests.factory import skill

FILES = {"references/a.md": b"a", "scripts/b.py": b"b"}


@pytest.mark.parametrize(
    "data",
    [
        b"---\r\nname: x\r\n---\r\nrules\r\n",
        b"\xef\xbb\xbfrules",
        "{{ 7 * 7 }} {% raw %} </skill> ünï 日本 \U0001f600".encode(),
        b"no newline at the end",
        b"\n\n trailing \n\n",
        b"nul \x00 and \x1b escapes",
        b"x" * 300_000,
    ],
    ids=["crlf", "bom", "markup", "plain", "blank", "control", "large"],
)
def test_the_prompt_carries_the_bytes_as_they_are(data):
    made = as_skill("mine", {"SKILL.md": data})
    assert block(made).encode().count(data) == 1
    assert requests_with(made, [f"before {block(made)} after"]) == 1


def test_only_requests_with_every_byte_count():
    made = as_skill("mine", {"SKILL.md": b"rules\r\nof a skill"})
    sent = ["nothing", block(made), block(made).replace("\r\n", "\n"), "rules\r\nof a skil", "x" + block(made)]
    assert requests_with(made, sent) == 2
    assert requests_with(None, sent) == 0


def test_a_request_that_is_no_valid_text_is_still_looked_at():
    made = as_skill("mine", {"SKILL.md": b"rules"})
    assert requests_with(made, ["\ud800 rules", "\udcff rules", "\ud800"]) == 2


def test_a_target_and_a_control_look_alike():
    one, other = skill("one", 400, FILES), skill("two", 400, FILES)
    assert block(one).replace("one", "two") == block(other)
    assert "C1" not in block(one) and "target" not in block(one)


def test_other_files_are_mounted_beside_and_named():
    made = skill("mine", files=FILES)
    assert mounted(made) == {"mine/references/a.md": b"a", "mine/scripts/b.py": b"b"}
    assert ".skills/mine/" in block(made)
    assert mounted(skill("mine")) == {} and ".skills" not in block(skill("mine"))


def test_a_baseline_needs_no_proof():
    assert proven("C0", None, {}, 3, 0) is None


def test_delivery_is_proven_by_files_and_requests():
    made = skill("mine", files=FILES)
    there = {name: sha256(data) for name, data in mounted(made).items()}
    assert proven("C1", made, there, 3, 3) is None
    assert proven("C2", skill("plain"), {}, 1, 1) is None


@pytest.mark.parametrize(
    "changes",
    [{"mine/scripts/b.py": None}, {"mine/scripts/b.py": sha256(b"B")}, {"mine/more": sha256(b"")}],
    ids=["missing", "altered", "more"],
)
def test_files_that_are_not_the_skills_are_no_delivery(changes):
    made = skill("mine", files=FILES)
    there = {name: sha256(data) for name, data in mounted(made).items()} | changes
    reason = proven("C1", made, {name: value for name, value in there.items() if value}, 1, 1)
    assert reason and "C1" in reason and next(iter(changes)) in reason


@pytest.mark.parametrize(("requests", "carrying"), [(0, 0), (3, 2), (1, 0)])
def test_a_request_without_the_skill_is_no_delivery(requests, carrying):
    reason = proven("C2", skill("mine"), {}, requests, carrying)
    assert reason and f"{carrying} of {requests}" in reason
