"""HTTP over Unix sockets: the one client for them."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx


def unix_client(socket: str | Path, seconds: float) -> "httpx.Client":
    """A client whose requests go to a Unix socket; each of their steps may take so many seconds."""
    # Not at the top: pytest collects modules that reach this one, and the library takes 100 ms to load.
    import httpx

    # There is no TLS on a Unix socket, and what it needs takes 20 ms to load.
    transport = httpx.HTTPTransport(uds=str(socket), verify=False)
    return httpx.Client(transport=transport, base_url="http://gateway", timeout=seconds, trust_env=False)
