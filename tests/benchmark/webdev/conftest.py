"""Where the tests of this folder grade: a local sandbox with one browser for each process."""

from collections.abc import Iterator
from typing import Any

import pytest

from fixtures.sandbox.local import LocalSandbox
from fixtures.site import Place


@pytest.fixture(scope="session")
def sandbox(playwright: Any) -> Iterator[LocalSandbox]:
    del playwright  # closed after what drives its browser
    opened = LocalSandbox()
    yield opened
    opened.close()


@pytest.fixture
def place(sandbox: LocalSandbox) -> Iterator[Place]:
    with sandbox.place(None) as found:
        yield found
