"""How a project's checks are written and loaded."""

from pathlib import Path

import pytest

from benchmark.webdev.checks import Unmet, load_checks, require

HEAD = "from benchmark.webdev.checks import check\n"


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "checks.py"
    path.write_text(HEAD + text, encoding="utf-8")
    return path


def test_require_says_nothing_when_it_holds_and_what_was_expected_and_seen_when_not() -> None:
    require(True, "anything", "anything")
    with pytest.raises(Unmet) as raised:
        require(False, "three rows", 2)
    assert (raised.value.expected, raised.value.seen) == ("three rows", "2")
    assert str(raised.value) == "expected three rows; saw 2"


def test_checks_are_ordered_by_task_and_then_as_written(tmp_path: Path) -> None:
    text = """
@check(2, "b")
def one(page): ...
@check(1, "z")
def two(page): ...
@check(2, "a")
def three(page): ...
def helper(page): ...
"""
    found = load_checks(written(tmp_path, text))
    assert [(item.task, item.title) for item in found] == [(1, "z"), (2, "b"), (2, "a")]
    assert "def two" in found[0].source


def test_a_check_takes_the_site_beside_the_page_only_if_it_asks_for_it(tmp_path: Path) -> None:
    text = """
@check(1, "page only")
def one(page): page.append("one")
@check(1, "both")
def two(page, site): page.append(site)
"""
    page: list[str] = []
    for item in load_checks(written(tmp_path, text)):
        item.run(page, "site")
    assert page == ["one", "site"]


def test_two_checks_of_a_task_with_one_title_are_refused(tmp_path: Path) -> None:
    text = """
@check(1, "same")
def one(page): ...
@check(1, "same")
def two(page): ...
@check(2, "same")
def three(page): ...
"""
    with pytest.raises(ValueError, match="task 1 has two checks titled 'same'"):
        load_checks(written(tmp_path, text))
