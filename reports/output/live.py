"""The live line: trials done, tasks solved, tokens, cost, time left."""

import time
from typing import Any, TypedDict

from reports.formatting import amount, duration

EVERY_SECONDS = 15.0


class TrialNews(TypedDict):
    """What a worker tells the controller of a trial; `keys` are those its record is found by, `work` and `grade`."""

    id: str
    keys: dict[str, str]
    status: str
    known: bool
    solved: int
    tasks: int
    tokens: int | None
    usd: float | None
    seconds: float


class Live:
    """Counts what came in. On a terminal the line is redrawn; elsewhere a new one is written now and then."""

    def __init__(self, reporter: Any, planned: int, started: float) -> None:
        self._reporter = reporter
        self._planned = planned
        self._started = started
        self._written = started
        self.done = self.known = self.broken = self.skipped = self.solved = self.tasks = 0
        self.tokens: float | None = 0
        self.usd: float | None = 0

    def note(self, brief: TrialNews | None, *, skipped: bool = False) -> None:
        """Count one case."""
        self.done += 1
        self.skipped += skipped
        if brief is None:
            self.broken += not skipped
        else:
            self.known += brief["known"]
            self.broken += brief["status"] != "measured"
            self.solved += brief["solved"]
            self.tasks += brief["tasks"]
            if not brief["known"]:
                self.tokens = None if self.tokens is None or brief["tokens"] is None else self.tokens + brief["tokens"]
                self.usd = None if self.usd is None or brief["usd"] is None else self.usd + brief["usd"]
        self._draw()

    def line(self, now: float) -> str:
        """The line as it stands at that moment of the monotonic clock."""
        parts = [f"{self.done}/{self._planned} trials"]
        if self.tasks:
            parts.append(f"{self.solved}/{self.tasks} tasks solved")
        parts.append("tokens not measured" if self.tokens is None else f"{amount(self.tokens)} tokens")
        parts.append("cost not measured" if self.usd is None else f"${self.usd:,.2f}")
        fresh = self.done - self.known
        left = self._planned - self.done
        if left and fresh:
            parts.append(f"about {duration(left * (now - self._started) / fresh)} left")
        for count, word in ((self.known, "from the store"), (self.broken, "broken"), (self.skipped, "not run")):
            if count:
                parts.append(f"{count} {word}")
        return "assay: " + " · ".join(parts)

    def _draw(self) -> None:
        now = time.monotonic()
        if self._reporter is None:
            return
        if self._reporter.isatty:
            self._reporter.rewrite(self.line(now), erase=True)
        elif now - self._written >= EVERY_SECONDS or self.done == self._planned:
            self._written = now
            self._reporter.ensure_newline()
            self._reporter.write_line(self.line(now))

    def close(self) -> None:
        """End the line."""
        if self._reporter is not None and self._reporter.isatty:
            self._reporter.ensure_newline()
