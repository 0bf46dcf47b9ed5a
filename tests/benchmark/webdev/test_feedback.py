"""What an agent is told of the checks that failed, and how much of it."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from benchmark.webdev.checks import require
from benchmark.webdev.grade import CheckResult, explain, feedback
from tests.benchmark.webdev.test_grade import visit

# feedback


def result(title: str, expected: str = "this", seen: str = "that", **more: Any) -> CheckResult:
    return CheckResult(1, title, 0.1, "assertion", expected, seen, **more)


def test_feedback_names_the_failed_checks_only() -> None:
    held = CheckResult(1, "held", 0.1)
    assert feedback([held, result("The total updates", '"£3"', '"£2"')]) == (
        '- The total updates\n  expected: "£3"\n  seen: "£2"\n'
    )


def test_every_part_has_two_thousand_characters_at_most(graded: Callable[..., list[CheckResult]]) -> None:
    long = "x" * 5_000
    page = f"<h1>{long}</h1>"
    told, required = graded(
        page,
        visit(lambda page: expect(page.get_by_role("heading")).to_have_text("y" * 5_000)),
        visit(lambda page: require(False, long, long)),
    )
    for item in (told, required):
        assert len(item.expected) <= 2_000 and len(item.seen) <= 2_000
        assert item.seen.endswith("…")


def test_feedback_has_eight_thousand_characters_at_most_and_counts_the_rest() -> None:
    told = feedback([result(f"check {number}", "e" * 1_000, "s" * 1_000) for number in range(30)])
    assert len(told) <= 8_000
    assert told.count("expected:") == 3
    assert told.endswith("- and 27 more that failed\n")


def test_an_error_of_the_check_itself_is_told_without_its_text() -> None:
    failure, expected, seen = explain(KeyError("s3cret"))
    assert failure == "assertion"
    assert "s3cret" not in expected + seen
