"""`noop`: does nothing. Shows what the untouched workspace is worth."""

from agents.base import Ask, Run, Workspace
from agents.scripted import Scripted


class NoopAgent(Scripted):
    name = "noop"

    def run(self, ask: Ask, workspace: Workspace) -> Run:
        del workspace
        return self.told(ask, "did nothing", {})
