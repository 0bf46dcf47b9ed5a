"""`reference`: writes the committed solution. Shows that a chain can be walked to its end."""

from agents.base import Ask, Run, Step, Workspace
from agents.scripted import estimate
from benchmark.errors import Fault
from benchmark.model import AgentSpec


class ReferenceAgent:
    version = "1"
    scripted = True

    def __init__(self, spec: AgentSpec) -> None:
        del spec

    def run(self, ask: Ask, workspace: Workspace) -> Run:
        if ask.answers is None:
            raise Fault("the reference agent was given no answers; the suite has none for this task")
        workspace.write(ask.answers.reference)
        step = Step("agent", f"wrote the reference of task {ask.task}")
        return Run(estimate(ask, ask.answers.reference), (step,), (ask.prompt,))
