"""Keeps `pytest --skill ../mine` in this checkout.

pytest chooses its root before it knows our options, and takes the value of an option it does not know for a path to
collect: a skill, panel or store outside the checkout would move the root there, away from our configuration. This small
plugin, an entry point so that it is there early enough, starts pytest again with the root that the person stands in.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

PATHS = ("--panel", "--pool", "--runs", "--skill")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    """The outermost wrapper, so that pytest does not capture output yet: what is started again inherits the terminal."""
    given = [str(arg) for arg in early_config.invocation_params.args]
    here = Path.cwd()
    ours = Path(__file__).resolve().parent == here / "benchmark"
    chosen = any(arg == "-c" or arg.startswith(("--rootdir", "--config-file")) for arg in given)
    # A path that is not there yet does no harm here, but would in an xdist worker once the run has made it.
    if ours and not chosen and not os.environ.get("PYTEST_XDIST_WORKER") and _outside(given, here):
        root = ["-c", str(here / "pyproject.toml"), f"--rootdir={here}"]
        # The root's conftest.py is not looked at when a path outside was given, so its plugins are named here.
        plugins = ["-p", "benchmark.plugin", "-p", "fixtures.plugin", "-p", "reports.plugin"]
        os.execv(sys.executable, [sys.executable, "-m", "pytest", *root, *plugins, *given])
    return (yield)


def _outside(given: Sequence[str], here: Path) -> bool:
    """Whether an option of ours names something that is not in the checkout: only that moves the root."""
    named = [value.removeprefix("path:") for option, value in pairwise(given) if option in PATHS]
    return any(not (here / Path(value).expanduser()).resolve().is_relative_to(here) for value in named)
