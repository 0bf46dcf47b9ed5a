"""`reference`: writes the committed solution. Shows that a chain can be walked to its end."""

from agents.base import AttemptRequest, AttemptResult, WorkspaceFiles
from agents.scripted.scripted import Scripted
from benchmark.core.errors import Fault


class ReferenceAgent(Scripted):
    name = "reference"

    def run(self, request: AttemptRequest, workspace: WorkspaceFiles) -> AttemptResult:
        if request.solutions is None:
            raise Fault("the reference agent was given no answers; the suite has none for this task")
        workspace.write(request.solutions.reference)
        return self.told(request, f"wrote the reference of task {request.task}", request.solutions.reference)
