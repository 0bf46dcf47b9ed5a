import pytest
import yaml

from benchmark.core.files import sha256
from benchmark.core.model import DELIVERIES, Delivery, Evidence
from skills.delivery.deliver import delivery_failure, disguised, mounted, preamble
from skills.parsing.parse import as_skill, split
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
    assert preamble(as_skill("mine", {"SKILL.md": data}), "prompt").encode().count(data) == 1


def test_a_target_and_a_control_look_alike():
    one, other = skill("one", 400, FILES), skill("two", 400, FILES)
    for delivery in DELIVERIES:
        assert preamble(one, delivery).replace("one", "two") == preamble(other, delivery)
        assert "C1" not in preamble(one, delivery) and "target" not in preamble(one, delivery)


def test_other_files_are_mounted_beside_and_named():
    made = skill("mine", files=FILES)
    assert mounted(made, "prompt") == {"mine/references/a.md": b"a", "mine/scripts/b.py": b"b"}
    assert ".skills/mine/" in preamble(made, "prompt")
    assert mounted(skill("mine"), "prompt") == {} and ".skills" not in preamble(skill("mine"), "prompt")


def test_a_client_gets_the_whole_folder_and_the_prompt_none_of_it():
    made = skill("mine", files=FILES)
    for delivery in ("native", "forced"):
        assert mounted(made, delivery) == {"mine/SKILL.md": made.data, **mounted(made, "prompt")}
    assert preamble(made, "native") == ""
    assert "`mine`" in preamble(made, "forced") and made.description not in preamble(made, "forced")


def test_a_disguised_control_has_the_targets_name_and_description_and_its_own_body():
    target = as_skill("goal", {"SKILL.md": '---\nname: goal-name\ndescription: "Ünï: 日本 #1"\n---\ntarget body\n'.encode()})
    partner = as_skill("other", {"SKILL.md": b"---\nname: other\nlicense: MIT\n---\n# Body\r\nits own\n", **FILES})
    made = disguised(partner, target)
    assert (made.id, made.name, made.description, made.ref.folder) == ("other", "goal-name", "Ünï: 日本 #1", "goal")
    assert (made.body, made.files) == (partner.body, partner.files)
    assert yaml.safe_load(split(made.text)[0]) == {"name": "goal-name", "description": "Ünï: 日本 #1"}
    assert "other" not in made.text
    assert set(mounted(made, "native")) == {"goal/SKILL.md", "goal/references/a.md", "goal/scripts/b.py"}
    assert preamble(made, "forced") == preamble(target, "forced")


def sent(requests: int = 1, carrying: int = 0, listed: int | None = None) -> Evidence:
    return Evidence(requests=requests, carrying=carrying, listed=listed)


def files_of(made, delivery: Delivery = "prompt"):
    return {name: sha256(data) for name, data in mounted(made, delivery).items()}


def test_a_baseline_needs_no_proof():
    assert delivery_failure("C0", None, None, {}, [sent()]) is None


def test_delivery_is_proven_by_files_and_requests():
    made = skill("mine", files=FILES)
    assert delivery_failure("C1", "prompt", made, files_of(made), [sent(3, 3), sent(5, 1)]) is None
    assert delivery_failure("C2", "prompt", skill("plain"), {}, [sent(1, 1)]) is None
    for delivery in ("native", "forced"):
        assert delivery_failure("C1", delivery, made, files_of(made, delivery), [sent(listed=1), sent(9, listed=4)]) is None


@pytest.mark.parametrize("delivery", ["prompt", "native", "forced"])
@pytest.mark.parametrize(
    "changes",
    [{"mine/scripts/b.py": None}, {"mine/scripts/b.py": sha256(b"B")}, {"mine/more": sha256(b"")}],
    ids=["missing", "altered", "more"],
)
def test_files_that_are_not_the_skills_are_no_delivery(changes, delivery):
    made = skill("mine", files=FILES)
    there = {name: value for name, value in (files_of(made, delivery) | changes).items() if value}
    reason = delivery_failure("C1", delivery, made, there, [sent(1, 1, 1)])
    assert reason and "C1" in reason and next(iter(changes)) in reason


def test_an_attempt_whose_requests_lack_the_skill_is_no_delivery():
    reason = delivery_failure("C2", "prompt", skill("mine"), {}, [sent(3, 3), sent(4, 0)])
    assert reason and "3 of 7" in reason
    made = skill("mine")
    reason = delivery_failure("C1", "native", made, files_of(made, "native"), [sent(1, 1, None), sent(2, 0, 1)])
    assert reason and "1 of 2 attempts" in reason and "listed" in reason


@pytest.mark.parametrize("delivery", ["prompt", "native", "forced"])
def test_an_attempt_that_asked_nothing_says_nothing_and_alone_proves_nothing(delivery):
    made = skill("mine")
    there = files_of(made, delivery)
    assert delivery_failure("C1", delivery, made, there, [sent(2, 1, 1), sent(0)]) is None
    for attempts in ([], [sent(0)], [sent(0), sent(0)]):
        reason = delivery_failure("C1", delivery, made, there, attempts)
        assert reason and "no request" in reason
