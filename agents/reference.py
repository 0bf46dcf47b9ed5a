"""`reference`: writes the committed solution. Shows that a chain can be walked to its end."""

from agents.base import Ask, Run, Workspace
from agents.scripted import Scripted
from benchmark.errors import Fault


class ReferenceAgent(Scripted):
    name = "reference"

    def run(self, ask: Ask, workspace: Workspace) -> Run:
        if ask.answers is None:
            raise Fault("the reference agent was given no answers; the suite has none for this task")
        workspace.write(ask.answers.reference)
        return self.told(ask, f"wrote the reference of task {ask.task}", ask.answers.reference)
