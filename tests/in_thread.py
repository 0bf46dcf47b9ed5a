"""Servers of tests, each in a thread of its own."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import BaseServer
from typing import TypeVar

AnyServer = TypeVar("AnyServer", bound=BaseServer)


@contextmanager
def in_thread(server: AnyServer) -> Iterator[AnyServer]:
    """The server, answering for the length of a `with` block; its socket is closed with the block."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
