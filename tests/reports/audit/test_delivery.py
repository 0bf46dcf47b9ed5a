import pytest

from benchmark.core.model import Usage
from reports.audit.delivery import IN_PROMPT, NO_LINES, differ, named
from tests.factory import audit, evidence, row, usage
from tests.reports.as_json import delivery_line, purity, token_line


def line(made, delivery="native", condition="C1", skill="target"):
    found = delivery_line(made, skill, "noop", delivery, condition)
    assert found is not None
    return found


def native(chain: str, opened, delivery="native", first=0, condition="C1", **changes):
    attempt = {"evidence": evidence(opened=opened, **changes.pop("seen", {}))}
    return row("alpha", condition, chain, delivery=delivery, first=first, attempt=attempt, **changes)


def test_read_rate_first_read_and_bytes_are_over_attempts_and_trials(tmp_path):
    rows = [
        *native("11", 2, seen={"seen": 1.0}),
        *native("1x", None, first=1),
        *native("111", 5, first=2, seen={"seen": 0.5}),
        *native("1", 2, delivery="forced"),
    ]
    found = line(audit(tmp_path, rows))
    # Two attempts opened it at request 2, three did not, three at request 5.
    assert (found["attempts"], found["listed"], found["readable"], found["read"]) == (8, 8, 8, 5)
    assert found["read_rate"] == pytest.approx(5 / 8)
    assert (found["trials"], found["readable_trials"], found["read_trials"]) == (3, 3, 2)
    assert found["first_read"] == pytest.approx((2 * 2 + 3 * 5) / 5)
    assert found["seen"] == pytest.approx((2 * 1.0 + 3 * 0.5) / 5)
    forced = line(audit(tmp_path / "b", rows), "forced")
    assert (forced["read_rate"], forced["first_read"], forced["trials"]) == (1.0, 2.0, 1)


def test_the_control_has_a_line_of_its_own(tmp_path):
    made = audit(tmp_path, [*native("11", 2), *native("1x", None, condition="C2", injected="ropes")])
    assert line(made)["read_rate"] == 1.0
    found = line(made, condition="C2")
    assert (found["read_rate"], found["injected"], found["read"]) == (0.0, ["ropes"], 0)
    assert (found["first_read"], found["seen"]) == (None, None)


def test_what_was_not_within_reach_is_listed_less_and_is_no_reading(tmp_path):
    rows = [
        *native("11", 1),
        *native("11", None, first=1, status="not_delivered", reason="not listed", seen={"listed": None}),
        *native("11", 1, first=2, status="broken", reason="gone"),
        *row("alpha", "C1", None, delivery="native", first=3),
    ]
    found = line(audit(tmp_path, rows))
    assert (found["trials"], found["not_delivered"], found["attempts"], found["listed"]) == (4, 1, 4, 2)
    assert (found["readable"], found["read"], found["readable_trials"]) == (2, 2, 1)


def test_under_prompt_reading_is_no_finding(tmp_path):
    found = line(audit(tmp_path, row("alpha", "C1", "11")), "prompt")
    assert found["note"] == IN_PROMPT
    assert {found[name] for name in ("listed", "read", "read_rate", "read_trials", "first_read", "seen")} == {None}


def test_a_body_without_telling_lines_is_not_called_unread(tmp_path):
    blank = evidence(opened=None).model_copy(update={"body_lines": 0})
    found = line(audit(tmp_path, row("alpha", "C1", "11", delivery="native", attempt={"evidence": blank})))
    assert (found["read_rate"], found["readable"], found["attempts"]) == (None, 0, 2)
    assert found["note"] == NO_LINES


def test_attempts_that_asked_nothing_or_have_no_evidence_are_not_counted(tmp_path):
    rows = [
        *native("11", None, seen={"requests": 0}),
        *row("alpha", "C1", "11", delivery="native", first=1, attempt={"evidence": None}),
    ]
    found = line(audit(tmp_path, rows))
    assert (found["attempts"], found["readable_trials"], found["read_rate"]) == (0, 0, None)


def test_an_arm_that_is_not_planned_has_no_line(tmp_path):
    made = audit(tmp_path, native("11", 2))
    assert delivery_line(made, "target", "noop", "native", "C2") is None
    assert delivery_line(made, "target", "noop", "prompt", "C1") is None
    assert token_line(made, "target", "noop", "native", "C1") is None


def test_a_delivery_is_named_unless_all_is_prompt():
    assert named("prompt", ["prompt"]) == ""
    assert named("prompt", ["prompt", "native"]) == "prompt" and named("forced", ["forced"]) == "forced"


def test_both_counts_are_kept_with_how_often_they_differ(tmp_path):
    own = Usage(prompt_tokens=90, cached_tokens=30, completion_tokens=7)
    rows = [
        *row("alpha", "C1", "11", attempt={"reported": usage(100)}),
        *row("alpha", "C1", "1", first=1, attempt={"reported": own}),
        *row("alpha", "C1", "1", first=2, attempt={"reported": own, "usage": Usage(reason="no usage")}),
        *row("alpha", "C1", "1", first=3, attempt={"reported": own}, status="broken", reason="gone"),
        *row("alpha", "C1", "1", first=4),
    ]
    found = token_line(audit(tmp_path, rows), "target", "noop", "prompt", "C1")
    assert found is not None
    assert (found["attempts"], found["differ"], found["client_only"]) == (3, 1, 1)
    assert found["gateway"] == {"prompt_tokens": 300, "cached_tokens": 0, "completion_tokens": 0}
    assert found["client"] == {"prompt_tokens": 290, "cached_tokens": 30, "completion_tokens": 7}


def test_a_count_that_one_side_lacks_is_no_difference():
    whole = Usage(prompt_tokens=90, cached_tokens=30, completion_tokens=7)
    part = Usage(prompt_tokens=90, completion_tokens=7)
    assert not differ(whole, part) and not differ(whole, whole)
    for name in ("prompt_tokens", "cached_tokens", "completion_tokens"):
        assert differ(whole, whole.model_copy(update={name: 8}))


def test_a_sum_with_a_part_missing_is_not_given(tmp_path):
    part = Usage(prompt_tokens=100, completion_tokens=0)
    found = token_line(audit(tmp_path, row("alpha", "C1", "1", attempt={"reported": part})), "target", "noop", "prompt", "C1")
    assert found and found["client"] == {"prompt_tokens": 100, "cached_tokens": None, "completion_tokens": 0}


def test_baselines_are_counted_once_whatever_they_are_shared_by(tmp_path):
    rows = [
        *row("alpha", "C0", "11", "1x", None, targets=("target", "two")),
        *row("alpha", "C1", "11"),
        *row("alpha", "C1", "11", delivery="native", attempt={"evidence": evidence()}),
        *row("alpha", "C1", "11", injected="two", targets=("two",)),
    ]
    assert purity(audit(tmp_path, rows)) == {"of": 2, "free": 2, "contaminated": 0, "unproven": []}
