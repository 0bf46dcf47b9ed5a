"""Ctrl-C: the first ends what runs in order, the second at once. Both end with exit code 130.

An interrupt is more than the exception that it raises: what it breaks on its way (a browser, a container, a connection) raises
exceptions of its own, which may replace it. So it is also remembered, and nothing is concluded from what happened meanwhile.
"""

import os
import signal
import threading
from types import FrameType

EXIT_CODE = 130

_came = False


def watch(*, leave: bool = True) -> None:
    """Remember interrupts from here on. With `leave` a second one ends the process at once, else it is ignored.

    Only Python's own handler is replaced: where interrupts are ignored or someone else's, that stays.
    """
    global _came
    _came = False
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return

    def first(number: int, frame: FrameType | None) -> None:
        global _came
        _came = True
        signal.signal(signal.SIGINT, _leave if leave else signal.SIG_IGN)
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, first)


def unwatch() -> None:
    """Give interrupts back to Python, unless one came: a second must still find its way out."""
    if threading.current_thread() is threading.main_thread() and not _came:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def check() -> None:
    """Raise KeyboardInterrupt if an interrupt came, regardless of what its exception was replaced by."""
    if _came:
        raise KeyboardInterrupt


def _leave(number: int, frame: FrameType | None) -> None:
    """Without any cleaning up: containers, the gateway and Playwright's driver end with their owner."""
    os._exit(EXIT_CODE)
