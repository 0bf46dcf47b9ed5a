"""What an agent is: it gets an `Ask` and a workspace, and says in a `Run` what it did and what it cost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from benchmark.files import Files
from benchmark.model import Limits, Usage

#: Told of every model call's cost in US dollars (None: not known). Raises BudgetReached when the money is spent.
Pay = Callable[[float | None], None]


def free(usd: float | None) -> None:
    """A purse without a bottom."""


class Workspace(Protocol):
    """The files an agent works on, wherever they are."""

    def files(self) -> Files:
        """All files by relative path, under the limits of `benchmark.files`."""
        ...

    def write(self, files: Mapping[str, bytes]) -> None:
        """Add or replace files. Raises UnsafeName before anything is written when one name is not allowed."""
        ...


@dataclass(frozen=True)
class Answers:
    """What scripted agents may write: the state that solves the task, and states with one fault each, by name."""

    reference: Files
    mutants: Mapping[str, Files]


@dataclass(frozen=True)
class Ask:
    """One attempt's assignment. `prompt` is all that a model is told; the rest is for scripted agents.

    `skill_bytes` is the size of the skill that the prompt carries (0 for none) and `skill_name` its name; `noise` is a
    string that is new for every attempt of every trial, for seeded draws. `pay` is told what each model call cost.
    """

    prompt: str
    task: int
    attempt: int
    limits: Limits
    noise: str
    skill_name: str | None = None
    skill_bytes: int = 0
    answers: Answers | None = None
    pay: Pay = free


@dataclass(frozen=True)
class Step:
    """One step of a trajectory: who spoke or acted, and what was said. Becomes ATIF with the real clients."""

    source: str
    message: str
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """What an attempt came to. `requests` are the texts that were sent to the model; `limit` names one that stopped it."""

    usage: Usage
    steps: tuple[Step, ...]
    requests: tuple[str, ...]
    limit: str | None = None


class Agent(Protocol):
    """Somebody who works on tasks, made from an AgentSpec.

    `scripted` agents write only what the suite itself holds, so a sandbox adds nothing."""

    version: str
    scripted: bool

    def run(self, ask: Ask, workspace: Workspace) -> Run:
        """Work on one attempt. Raises Fault when our side fails, BudgetReached when the money is spent."""
        ...


def trajectory(run: Run) -> dict[str, Any]:
    """A run's steps as JSON."""
    return {"steps": [{"source": step.source, "message": step.message, **step.detail} for step in run.steps]}
