"""A chat server that answers from a script, in the form of OpenAI's API: what a model is to our tests.

Answers are used up in their order, the last one repeats. Requests are kept as they came over the wire.
"""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.in_thread import in_thread


@dataclass(frozen=True)
class Said:
    """One answer: a text with what it is said to have cost, or a failure with a status. `usage` None reports nothing."""

    text: str = ""
    usage: dict[str, Any] | None = field(default_factory=lambda: tokens(10, 5))
    status: int = 200
    error: dict[str, Any] = field(default_factory=dict)
    finish: str = "stop"
    #: Answer only after the client has gone away (or `ModelServer.release` is set).
    silent: bool = False


def tokens(prompt: int, completion: int, cached: int | None = None) -> dict[str, Any]:
    """A usage as OpenAI reports it."""
    usage: dict[str, Any] = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    if cached is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": cached}
    return usage


def failing(status: int, message: str = "scripted failure", code: str | None = None) -> Said:
    """An answer that is an error."""
    return Said(status=status, error={"message": message, "type": "scripted", "code": code})


#: What OpenAI says of a request that is longer than the model's context.
TOO_LONG = failing(
    400,
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    "context_length_exceeded",
)


#: The models that it says it has.
NAMES = ("scripted", "judge-1", "judge-2")
#: What OpenAI says of a key that is none.
REFUSED = {"error": {"message": "Incorrect API key provided.", "type": "invalid_request_error", "code": "invalid_api_key"}}


@dataclass(frozen=True)
class Asked:
    """One request as it arrived: its headers, its raw body and the body as JSON."""

    headers: dict[str, str]
    raw: bytes
    body: dict[str, Any]

    @property
    def contents(self) -> list[str]:
        """What the messages say, in their order."""
        return [message["content"] for message in self.body["messages"]]


class ModelServer(ThreadingHTTPServer):
    """Serves the script on a free port of loopback."""

    daemon_threads = True

    def __init__(self, script: Sequence[Said | str], port: int = 0, key: str | None = None) -> None:
        """With `key`, no other is let in: what providers do before they look at a request."""
        super().__init__(("127.0.0.1", port), _Handler)
        self._script = [Said(item) if isinstance(item, str) else item for item in script]
        self._lock = threading.Lock()
        self._key = key
        self.requests: list[Asked] = []
        self.release = threading.Event()

    @property
    def url(self) -> str:
        """The address to give as --api-base."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def lets_in(self, authorization: str | None) -> bool:
        """Whether a request has the key."""
        return self._key is None or authorization == f"Bearer {self._key}"

    def take(self, asked: Asked) -> Said:
        """Keep the request and draw the next answer."""
        with self._lock:
            said = self._script[min(len(self.requests), len(self._script) - 1)]
            self.requests.append(asked)
            return said


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer  # type: ignore[assignment]

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the terminal clean."""

    def do_GET(self) -> None:
        if self.path != "/v1/models":
            self._answer(404, {"error": {"message": f"nothing at {self.path}"}})
        elif self.server.lets_in(self.headers["Authorization"]):
            self._answer(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in NAMES]})
        else:
            self._answer(401, REFUSED)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.server.lets_in(self.headers["Authorization"]):
            self._answer(401, REFUSED)
            return
        said = self.server.take(Asked({key.lower(): value for key, value in self.headers.items()}, raw, json.loads(raw)))
        if said.silent:
            self.server.release.wait(60)
            self.close_connection = True
            return
        self._answer(said.status, {"error": said.error} if said.status != 200 else _completion(said))

    def _answer(self, status: int, body: Any) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _completion(said: Said) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": said.text}, "finish_reason": said.finish}
    answer = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "scripted", "choices": [choice]}
    return answer if said.usage is None else {**answer, "usage": said.usage}


@contextmanager
def serving(*script: Said | str, key: str | None = None) -> Iterator[ModelServer]:
    """A server for the length of a `with` block."""
    with in_thread(ModelServer(script, key=key)) as server:
        try:
            yield server
        finally:
            server.release.set()


def main() -> None:
    """`python -m tests.model_server ANSWER.md [PORT]`: serve one answer until interrupted; tokens are characters / 4."""
    import sys
    from pathlib import Path

    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    server = Estimating([text], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(server.url, flush=True)
    server.serve_forever()


class Estimating(ModelServer):
    """Says of every answer that it took as many tokens as a quarter of the characters."""

    def take(self, asked: Asked) -> Said:
        said = super().take(asked)
        return replace(said, usage=tokens(len("".join(asked.contents)) // 4, len(said.text) // 4, 0))


if __name__ == "__main__":
    main()
