"""What only some suites have. Generic code asks for a capability with `isinstance`, never for a suite by name."""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from benchmark.core.files import Files
from benchmark.core.model import Data, Difficulty
from benchmark.suite.contract import Suite
from fixtures.sandbox.base import Sandbox

if TYPE_CHECKING:
    from benchmark.core.panel import Panel


@dataclass(frozen=True, slots=True)
class Proof:
    """What validation says of one task; `reason` names the first thing that is wrong."""

    id: str
    valid: bool
    reason: str | None = None


class Chained(Suite, ABC):
    """Ordered tasks with two attempts each; a chain ends at the first task that is not solved."""

    attempts = 2

    @abstractmethod
    def difficulties(self, project: str) -> Sequence[Difficulty]:
        """The difficulty of every task, in the chain's order."""


class Validates(ABC):
    """Tasks that prove themselves: `assay validate` runs their solutions and mutants."""

    @abstractmethod
    def validate(self, projects: Iterable[str], *, changed: bool, write: bool, jobs: int) -> Generator[Proof, None, None]:
        """Prove the projects' tasks. With `changed`, those whose committed hash still holds are valid without being run;
        with `write`, the hashes of what was proved are committed. Closing it ends what is being proved."""


class Judged:
    """Grading asks a model: the panel names it in its table [judge], and `Grading.judge` is the way to it."""


class NeedsBrowser(Suite, ABC):
    """Grading looks at pages in a browser (`Sandbox.place`): its version and Playwright's are in the grade's key."""

    def grading_tools(self, sandbox: Sandbox) -> dict[str, str]:
        # Where a page is graded decides as well: fonts and the browser's surroundings are the image's.
        return {
            "browser": sandbox.browser_version(),
            "playwright": version("playwright"),
            "sandbox": sandbox.kind,
            "image": sandbox.image(),
        }


class SuiteOption(Data):
    """A command-line option that a suite adds to pytest and to `assay plan`: it sets `key` in the panel's table of the suite.

    One with a `const` takes no value and sets the key to that; `path` values are made absolute. A suite lists its options as
    OPTIONS in an `options.py`, which is read before any suite is.
    """

    name: str
    key: str
    help: str
    metavar: str = "VALUE"
    const: str | None = None
    path: bool = False


class SuiteCommand(Data):
    """The name and the line of help under which `assay` lists the commands of a suite's `cli.py`.

    A suite has it as COMMAND in its `options.py`, and the commands as COMMANDS, a `typer.Typer`, in the `cli.py`, which is
    imported when one of them is called.
    """

    name: str
    help: str


class ProjectSource(Suite, ABC):
    """Projects that lie elsewhere (a checkout, a folder) may take the place of the suite's own."""

    @abstractmethod
    def for_panel(self, panel: "Panel") -> Suite:
        """The suite over the projects that the panel wants in place of its own; itself where it wants none.

        Raises UsageError.
        """

    @abstractmethod
    def from_stored_projects(self, sources: Mapping[str, Files]) -> Suite:
        """The suite over projects as a store keeps them, by name."""

    @abstractmethod
    def project_snapshot(self, project: str) -> Files | None:
        """What a store must keep for a trial to be run from it; None where the project is the suite's own."""

    def usual_panel(self, settings: Mapping[str, object]) -> str | None:
        """The panel file in `panels/` that is run where only these settings were given; None for the usual one."""
        del settings
        return None
