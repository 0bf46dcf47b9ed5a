import time
from typing import Any

import pytest

from reports.formatting import amount, duration
from reports.output.live import EVERY_SECONDS, Live


class Screen:
    """Keeps what a terminal reporter is told."""

    def __init__(self, isatty: bool) -> None:
        self.isatty = isatty
        self.lines: list[str] = []
        self.drawn: list[str] = []

    def rewrite(self, line: str, erase: bool) -> None:
        assert erase
        self.drawn.append(line)

    def write_line(self, line: str) -> None:
        self.lines.append(line)

    def ensure_newline(self) -> None: ...


def brief(**changes) -> Any:
    return {"known": False, "status": "measured", "solved": 3, "tasks": 10, "tokens": 1000, "usd": 0.5, **changes}


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0"), (950, "950"), (12_345, "12.3k"), (4_500_000, "4.5M"), (2e9, "2.0G"), (-1500, "-1.5k")]
)
def test_amounts_are_short(number, text):
    assert amount(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0.0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (125, "2 min 05 s"), (3600, "1 h 00 min"), (7325, "2 h 02 min")],
)
def test_durations_are_for_people(seconds, text):
    assert duration(seconds) == text


def test_trials_tasks_tokens_and_cost_add_up():
    live = Live(None, 4, 100.0)
    live.note(brief())
    live.note(brief(solved=10, tokens=2000, usd=1.0))
    line = live.line(160.0)
    assert all(part in line for part in ("2/4 trials", "13/20 tasks", "3.0k tokens", "$1.50", "about 1 min 00 s left"))


def test_trials_from_the_store_cost_nothing_and_take_no_time():
    live = Live(None, 4, 100.0)
    live.note(brief(known=True))
    assert "0 tokens" in live.line(160.0) and "$0.00" in live.line(160.0)
    assert "1 from the store" in live.line(160.0) and "left" not in live.line(160.0)
    live.note(brief())
    assert "about 2 min 00 s left" in live.line(160.0)


def test_what_was_not_measured_is_said_and_stays_so():
    live = Live(None, 2, 0.0)
    live.note(brief(tokens=None, usd=None))
    live.note(brief())
    assert "tokens not measured" in live.line(1.0) and "cost not measured" in live.line(1.0)


def test_broken_and_skipped_trials_are_counted_apart():
    live = Live(None, 5, 0.0)
    live.note(brief(status="broken", solved=0, tokens=None))
    live.note(brief(status="not_delivered"))
    live.note(None)
    live.note(None, skipped=True)
    assert (live.done, live.broken, live.skipped) == (4, 3, 1)
    assert "3 broken" in live.line(1.0) and "1 not run" in live.line(1.0)


def test_the_end_has_no_time_left():
    live = Live(None, 1, 0.0)
    live.note(brief())
    assert "left" not in live.line(9.0)


def test_a_terminal_is_redrawn_and_a_log_is_spared():
    now = time.monotonic()
    terminal, log, late = Screen(True), Screen(False), Screen(False)
    for screen, started in ((terminal, now), (log, now), (late, now - EVERY_SECONDS)):
        live = Live(screen, 3, started)
        for _ in range(3):
            live.note(brief())
        live.close()
    assert len(terminal.drawn) == 3 and terminal.lines == []
    assert len(log.lines) == 1 and "3/3" in log.lines[0]
    assert ["1/3" in late.lines[0], "3/3" in late.lines[-1], len(late.lines)] == [True, True, 2]
