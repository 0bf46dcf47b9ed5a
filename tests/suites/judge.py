"""A judge for the essays of tests/data/suites: it likes those that say GOOD, and can be made to fail."""

import json
from contextlib import AbstractContextManager
from typing import Any, Literal

from tests.in_thread import in_thread
from tests.model_server import Asked, ModelServer, Said, _Handler, failing, tokens

GOOD = {"clarity": 5, "structure": 4, "why": "It says what it is about."}
POOR = {"clarity": 2, "structure": 1, "why": "It wanders."}
PROMPT_TOKENS, COMPLETION_TOKENS = 100, 20


class _Patient(_Handler):
    """Asks who comes again to come at once."""

    def end_headers(self) -> None:
        self.send_header("Retry-After", "0")
        super().end_headers()


class JudgeServer(ModelServer):
    """Grades by a word in the essay; `mood` is what it does instead of that."""

    def __init__(self) -> None:
        super().__init__([""])
        self.RequestHandlerClass = _Patient
        self.mood: Literal["well", "down", "nonsense"] = "well"

    def take(self, asked: Asked) -> Said:
        super().take(asked)
        if self.mood == "down":
            return failing(500, "the judge is at lunch")
        if self.mood == "nonsense":
            return Said("It is a fine essay.")
        grade = GOOD if "GOOD" in words(asked) else POOR
        return Said(json.dumps(grade), usage=tokens(PROMPT_TOKENS, COMPLETION_TOKENS))


def words(asked: Asked) -> str:
    """The text of a request's messages."""
    parts: list[Any] = [part for content in asked.contents for part in (content if isinstance(content, list) else [content])]
    return "\n".join(part if isinstance(part, str) else part.get("text", "") for part in parts)


def pictures(asked: Asked) -> list[str]:
    """The addresses of a request's pictures."""
    parts: list[Any] = [part for content in asked.contents if isinstance(content, list) for part in content]
    return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


def judging() -> AbstractContextManager[JudgeServer]:
    """A judge for the length of a `with` block."""
    return in_thread(JudgeServer())
