import pytest

from benchmark.core.errors import Fault, SetupError, UsageError, unknown


def test_nearest_names_are_offered():
    assert "bakery-page" in str(unknown("project", "bakery", ["bakery-page", "guest-book"]))
    assert "guest-book" not in str(unknown("project", "bakery", ["bakery-page", "guest-book"]))


def test_without_a_near_name_what_is_known_is_listed():
    message = str(unknown("skill", "zzz", ["one", "two"]))
    assert "'zzz'" in message and "one, two" in message


def test_a_long_list_of_names_is_cut():
    message = str(unknown("skill", "zzz", [f"name{at:02}" for at in range(20)]))
    assert "name11" in message and "name12" not in message


def test_errors_are_one_line():
    assert "\n" not in str(unknown("skill", "a\nb", ["one"]))


def test_a_missing_thing_is_a_usage_error_and_a_fault_is_not():
    assert issubclass(SetupError, UsageError)
    assert not issubclass(Fault, UsageError)
    with pytest.raises(UsageError):
        raise unknown("x", "y", [])
