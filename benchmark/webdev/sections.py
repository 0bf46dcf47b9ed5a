"""What the suite of chains adds to the page, the terminal and Allure."""

from collections.abc import Iterator

from benchmark.suite.section import Section
from reports.metrics import Audit


def sections(audit: Audit) -> Iterator[Section]:
    """The sections of an audit of chains."""
    del audit
    yield from ()
