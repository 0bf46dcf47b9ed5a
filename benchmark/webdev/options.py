"""What may be set of this suite: the keys of a panel's table [webdev], and the options that set them."""

from typing import ClassVar, Literal

from benchmark.core.model import Data
from benchmark.suite.capabilities import SuiteCommand, SuiteOption


class Settings(Data):
    """`webbench` is a checkout whose projects take the place of the suite's own, `quarantine` the file of its tests that are
    left out; `test_source` whether attempt 2 sees Web-Bench's report as it is, which shows test source."""

    webbench: str | None = None
    quarantine: str | None = None
    test_source: Literal["shown", "hidden"] = "shown"

    #: The keys whose values are paths; a panel's count from its folder.
    paths: ClassVar[tuple[str, ...]] = ("webbench", "quarantine")


OPTIONS = (
    SuiteOption(
        name="--webbench",
        key="webbench",
        metavar="DIR",
        path=True,
        help="run the projects of this checkout of Web-Bench (docs/web-bench.md)",
    ),
    SuiteOption(
        name="--hide-test-source",
        key="test_source",
        const="hidden",
        help="Web-Bench: tell attempt 2 expected and seen, no test source",
    ),
)
COMMAND = SuiteCommand(name="webbench", help="What a checkout of Web-Bench holds and what of it can run here.")
