"""`noop`: does nothing. Shows what the untouched workspace is worth."""

from agents.base import AttemptRequest, AttemptResult, WorkspaceFiles
from agents.scripted.scripted import Scripted


class NoopAgent(Scripted):
    name = "noop"

    def run(self, request: AttemptRequest, workspace: WorkspaceFiles) -> AttemptResult:
        del workspace
        return self.told(request, "did nothing", {})
