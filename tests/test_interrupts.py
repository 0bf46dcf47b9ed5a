"""Ctrl-C at a terminal: pytest runs on one of its own, and the key is pressed there, so that the kernel sends the signal to
everything in the foreground, as it does for a person."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.commands import ASSAY, OPTIONS, PYTEST, ROOT, clean
from tests.test_runs import records

CTRL_C = b"\x03"


class Terminal:
    """A program in the foreground of a terminal of its own."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        self.pid, self._screen = pty.fork()
        if not self.pid:
            os.chdir(ROOT)
            os.execve(sys.executable, [sys.executable, *command], env)
        self.said = ""

    def press(self, key: bytes) -> None:
        os.write(self._screen, key)

    def read_until(self, pattern: str) -> None:
        """Read on until the pattern is in all that was said."""
        while not re.search(pattern, self.said):
            assert self._read(), f"ended before {pattern!r}: {self.said}"

    def end(self) -> int:
        """Read to the end; the exit code, negative for a signal."""
        while self._read():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _read(self) -> bool:
        try:
            data = os.read(self._screen, 65536)
        except OSError:  # how Linux says that nobody has the terminal any more
            return False
        self.said += data.decode(errors="replace")
        return bool(data)

    def close(self) -> None:
        os.close(self._screen)


@contextmanager
def terminal(*command: object, env: dict[str, str] | None = None) -> Iterator[Terminal]:
    """A terminal in whose foreground Python runs the command."""
    opened = Terminal([*map(str, command)], clean() if env is None else env)
    try:
        yield opened
    finally:
        opened.close()


PANEL = """
suite = "webdev"
replicates = 1
seed = 4
projects = ["*"]
skills = ["accessible-web-pages"]
conditions = ["C0"]
[[agents]]
name = "noop"
"""


@pytest.fixture
def panel(tmp_path: Path) -> Path:
    """A trial on each project: with nothing done each spends its time in a browser, waiting for what does not come."""
    (tmp_path / "panel.toml").write_text(PANEL, encoding="utf-8")
    return tmp_path / "panel.toml"


def in_order(said: str, store: Path) -> None:
    """Nothing was recorded as broken, and nobody was shown our insides."""
    assert {row["status"] for row in records(store)} == {"measured"}
    assert "Traceback" not in said and "INTERNALERROR" not in said and "Exception ignored" not in said, said


@pytest.mark.parametrize("workers", [pytest.param([], marks=pytest.mark.nightly), ["-n", "2"]])
def test_an_interrupt_ends_a_run_with_130_and_breaks_no_trial(panel: Path, tmp_path: Path, workers: list[str]) -> None:
    store = tmp_path / "runs"
    with terminal("-m", PYTEST, *OPTIONS, "--panel", panel, "--runs", store, *workers) as shown:
        shown.read_until(r"\b1/\d+ trials")
        shown.press(CTRL_C)
        code = shown.end()
    assert code == 130, shown.said
    in_order(shown.said, store)
    results = json.loads((store / "report" / "results.json").read_text(encoding="utf-8"))
    assert results["coverage"]["broken"] == 0 and results["coverage"]["not_run"] > 0


@pytest.mark.parametrize("workers", [[], pytest.param(["-n", "2"], marks=pytest.mark.nightly)])
def test_a_second_interrupt_ends_it_at_once_without_a_traceback(panel: Path, tmp_path: Path, workers: list[str]) -> None:
    store = tmp_path / "runs"
    with terminal("-m", PYTEST, *OPTIONS, "--panel", panel, "--runs", store, *workers) as shown:
        shown.read_until(r"\b1/\d+ trials")
        shown.press(CTRL_C)
        shown.read_until("Ctrl-C again ends at once")
        shown.press(CTRL_C)
        code = shown.end()
    assert code == 130, shown.said
    in_order(shown.said, store)


def test_an_interrupt_before_the_first_trial_ends_with_130(panel: Path, tmp_path: Path) -> None:
    """While the run is set up: its browser takes its time to say its version."""
    slow = tmp_path / "browser"
    slow.write_text("#!/bin/sh\necho started > /dev/tty\nexec sleep 1000\n", encoding="utf-8")
    slow.chmod(0o755)
    store = tmp_path / "runs"
    with terminal("-c", SLOW, slow, "--panel", panel, "--runs", store) as shown:
        shown.read_until("started")
        shown.press(CTRL_C)
        code = shown.end()
    assert code == 130 and "Traceback" not in shown.said, shown.said
    assert not (store / "records").exists()


SLOW = "import os, sys; os.environ['ASSAY_BROWSER'] = sys.argv.pop(1); import pytest; sys.exit(pytest.console_main())"


WAITING = """
import sys
from pathlib import Path
from fixtures.web.browser import end_browser, fresh_page, launch
from fixtures.web.playwright_thread import DrivenBrowser, PlaywrightThread
group = Path(sys.argv[1])
playwright = PlaywrightThread()
browser = DrivenBrowser(playwright, lambda api: launch(api, group), lambda: end_browser(group))
def waits(opened):
    with fresh_page(opened, "http://127.0.0.1:1") as page:
        print("waiting", flush=True)
        page.wait_for_selector("#never", timeout=60_000)
try:
    browser.look(waits, 60)
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(browser.look(lambda opened: opened.is_connected(), 60), flush=True)
browser.close()
playwright.close()
print("all is well", flush=True)
"""


def test_playwright_outlives_an_interrupt_while_a_page_is_waited_for(tmp_path: Path) -> None:
    with terminal("-c", WAITING, tmp_path / "group") as shown:
        shown.read_until("waiting")
        shown.press(CTRL_C)
        code = shown.end()
    assert code == 0 and re.search(r"interrupted\s+True\s+all is well", shown.said), shown.said


SWALLOWED = """
import os, signal, sys, time
from contextlib import contextmanager
from pathlib import Path
from benchmark.run import interrupts
from benchmark.core.errors import Fault
from benchmark.store.store import Store
from tests.benchmark.run.test_engine import engine, trial
from tests.factory import Bare

@contextmanager
def workspace(self, spec):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    finally:
        raise Fault("the container went with the interrupt")
    yield

Bare.workspace = workspace
interrupts.watch()
engine(Store(Path(sys.argv[1]))).result(trial())
"""


def test_an_interrupt_that_another_exception_replaces_still_is_one(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SWALLOWED, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.stderr.rstrip().endswith("KeyboardInterrupt"), done.stderr
    assert not (tmp_path / "records").exists()


TWICE = """
import signal, sys
from benchmark.run import interrupts
interrupts.watch(leave=sys.argv[1] == "leave")
try:
    print("ready", flush=True)
    signal.pause()
except KeyboardInterrupt:
    print("first", flush=True)
for line in sys.stdin:
    print("went on", flush=True)
"""


@pytest.mark.parametrize(("how", "code"), [("leave", 130), ("stay", 0)])
def test_what_a_second_interrupt_does(how: str, code: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", TWICE, how], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin and process.stdout
    for line in ("ready", "first"):
        assert process.stdout.readline() == f"{line}\n"
        process.send_signal(signal.SIGINT)
    said, _ = process.communicate("x\n" if how == "stay" else None, timeout=60)
    assert process.returncode == code and said == ("went on\n" if how == "stay" else "")


def test_interrupts_that_are_ignored_stay_so() -> None:
    """As of a command that a shell was told to run in the background."""
    code = "from signal import *; from benchmark.run.interrupts import watch; signal(SIGINT, SIG_IGN); watch(); raise_signal(2)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60).returncode == 0


def test_a_command_that_is_interrupted_ends_with_130(tmp_path: Path) -> None:
    """`assay report` waits for its results to be read out of a pipe."""
    store = tmp_path / "runs"
    (store / "records").mkdir(parents=True)
    (store / "panels").mkdir()
    os.mkfifo(store / "panels" / "plan.json")
    with terminal("-m", ASSAY, "report", "--runs", store) as shown, (store / "panels" / "plan.json").open("w"):
        shown.press(CTRL_C)
        code = shown.end()
    assert code == 130 and "Traceback" not in shown.said, shown.said
