"""What an agent is: it gets an `AttemptRequest` and a workspace, and says in a `AttemptResult` what it did and what it cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from benchmark.core.files import Files
from benchmark.core.model import Delivery, Limits, Usage

if TYPE_CHECKING:  # its models take their time, and collecting trials needs none of them
    from agents.trajectory.atif import Trajectory


class WorkspaceFiles(Protocol):
    """The files an agent works on, wherever they are."""

    def files(self) -> Files:
        """All files by relative path, under the limits of `benchmark.core.files`."""
        ...

    def write(self, files: Mapping[str, bytes]) -> None:
        """Add or replace files. Raises UnsafeName before anything is written when one name is not allowed."""
        ...


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended. `late` when it was ended for taking too long, `cut` when it said more than was kept."""

    code: int
    output: bytes
    errors: bytes = b""
    late: bool = False
    cut: bool = False


class Shell(WorkspaceFiles, Protocol):
    """A workspace in which commands can be run, with a home of its own beside it: what a real client needs."""

    def fresh_home(self, files: Mapping[str, bytes]) -> None:
        """Make the home hold exactly `files` (and the skill, where one is installed)."""
        ...

    def run(self, command: Sequence[str], environment: Mapping[str, str], stdin: bytes, seconds: float) -> Done:
        """Run a command in the workspace; when it has ended, or has been ended, nothing that it started is left."""
        ...

    def collect(self, patterns: Sequence[str]) -> Files:
        """The files below the home whose paths match one of the shell patterns, by path, under size limits."""
        ...


class ModelEndpoint(Protocol):
    """The way to the model: a Unix socket of this trial alone, and where it is found inside the sandbox."""

    @property
    def socket(self) -> Path: ...

    @property
    def url(self) -> str:
        """The address inside the sandbox, without the API's version."""
        ...

    @property
    def model(self) -> str:
        """The name to ask for."""
        ...


@dataclass(frozen=True)
class ScriptedSolutions:
    """What scripted agents may write: the state that solves the task, and states with one fault each, by name."""

    reference: Files
    mutants: Mapping[str, Files]


@dataclass(frozen=True)
class AttemptRequest:
    """One attempt's assignment. `prompt` is all that a model is told; the rest is for scripted agents.

    `skill_bytes` is the size of the skill that this arm injects (0 for none) and `skill_name` its name; `noise` is a string
    that is new for every attempt of every trial, for seeded draws. `endpoint` leads to the model; scripted agents have none.
    """

    prompt: str
    task: int
    attempt: int
    limits: Limits
    noise: str
    skill_name: str | None = None
    skill_bytes: int = 0
    solutions: ScriptedSolutions | None = None
    endpoint: ModelEndpoint | None = None


@dataclass(frozen=True)
class AttemptResult:
    """What an attempt came to, as the agent itself tells it.

    `usage` is its own count (the gateway's is kept beside it); `limit` names one that stopped it; `fault` why it came to
    nothing, whoever's doing that was; `offered` are the names of the skills that it says it offered to the model,
    None where it does not say.
    """

    trajectory: "Trajectory"
    usage: Usage
    limit: str | None = None
    fault: str | None = None
    offered: tuple[str, ...] | None = None


class Agent(Protocol):
    """Somebody who works on tasks, made from an AgentSpec.

    `scripted` agents write only what the suite itself holds, so a sandbox adds nothing. `provider` serves the models that are
    named without one. `deliveries` are the ways in which a skill can reach this agent; `bundled` the skills of its own that
    no switch turns off.
    """

    @property
    def version(self) -> str: ...

    @property
    def scripted(self) -> bool: ...

    @property
    def provider(self) -> str | None: ...

    @property
    def deliveries(self) -> tuple[Delivery, ...]: ...

    @property
    def bundled(self) -> frozenset[str]: ...

    def run(self, request: AttemptRequest, workspace: WorkspaceFiles) -> AttemptResult:
        """Work on one attempt. Raises Fault when our side fails, BudgetReached when the money is spent."""
        ...
