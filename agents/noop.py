"""`noop`: does nothing. Shows what the untouched workspace is worth."""

from agents.base import Ask, Run, Step, Workspace
from agents.scripted import estimate
from benchmark.model import AgentSpec


class NoopAgent:
    version = "1"
    scripted = True

    def __init__(self, spec: AgentSpec) -> None:
        del spec

    def run(self, ask: Ask, workspace: Workspace) -> Run:
        del workspace
        return Run(estimate(ask, {}), (Step("agent", "did nothing"),), (ask.prompt,))
