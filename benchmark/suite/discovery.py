"""Suites are found by folder: one is a folder with a `suite.py` that exposes `SUITE`."""

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from benchmark.core.errors import UsageError, unknown
from benchmark.core.files import Files
from benchmark.core.model import TrialSpec
from benchmark.core.stored_plan import StoredPlan
from benchmark.store.store import Store
from benchmark.suite.capabilities import ProjectSource, SuiteCommand, SuiteOption
from benchmark.suite.contract import Suite, check_suite
from skills.diagnosis.leaks import Passage

HERE = Path(__file__).parent.parent
#: Folders of further suites, separated as in PATH: how the tests of the contract bring theirs.
SEARCH = "ASSAY_SUITES"
#: The package that suites of those folders are imported as.
ELSEWHERE = "assay_suites"


def suite_folders() -> dict[str, Path]:
    """The folder of every suite by its name, those of this checkout and those of ASSAY_SUITES."""
    places = [HERE, *(Path(item) for item in os.environ.get(SEARCH, "").split(os.pathsep) if item)]
    return {path.parent.name: path.parent for place in places for path in sorted(place.glob("*/suite.py"))}


def suite_names() -> list[str]:
    """The names of all suites."""
    return sorted(suite_folders())


@cache
def find_suite(name: str) -> Suite:
    """The suite of that name. Raises UsageError with the nearest names, or for metrics that can carry no verdict."""
    module = suite_module(name, "suite")
    if module is None:
        raise unknown("suite", name, suite_names())
    suite = getattr(module, "SUITE", None)
    if not isinstance(suite, Suite) or suite.name != name:
        raise UsageError(f"{module.__file__} exposes no Suite named {name!r} as SUITE; see docs/suites.md")
    return check_suite(suite)


def suite_module(suite: str, name: str) -> ModuleType | None:
    """The module of a suite's folder, such as its `cli`; None where it has none."""
    folder = suite_folders().get(suite)
    if folder is None or not (folder / f"{name}.py").is_file():
        return None
    if folder.parent == HERE:
        return import_module(f"benchmark.{suite}.{name}")
    package = f"{ELSEWHERE}.{suite}"
    if package not in sys.modules:
        _register(ELSEWHERE, folder.parent)
        _register(package, folder)
    return import_module(f"{package}.{name}")


def suite_options() -> dict[str, tuple[SuiteOption, ...]]:
    """The command-line options that suites add, by suite. Suites themselves are not imported for it."""
    found = {name: suite_module(name, "options") for name in suite_names()}
    return {name: tuple(module.OPTIONS) for name, module in found.items() if module}


def suite_commands() -> dict[str, SuiteCommand]:
    """What `assay` calls the commands that suites add, by suite. Neither suites nor the commands are imported for it.

    Raises UsageError for a `cli.py` whose `options.py` has no name for it.
    """
    found: dict[str, SuiteCommand] = {}
    for name, folder in suite_folders().items():
        if (folder / "cli.py").is_file():
            command = getattr(suite_module(name, "options"), "COMMAND", None)
            if not isinstance(command, SuiteCommand):
                raise UsageError(f"{folder / 'options.py'} has no COMMAND, the name of what cli.py adds; see docs/suites.md")
            found[name] = command
    return found


def _register(package: str, folder: Path) -> None:
    """Make the modules of a folder importable as a package, whether it has an `__init__.py` or not."""
    if package in sys.modules:
        return
    start = folder / "__init__.py"
    if start.is_file() and package != ELSEWHERE:
        spec = spec_from_file_location(package, start, submodule_search_locations=[str(folder)])
    else:
        spec = ModuleSpec(package, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
    assert spec
    module = sys.modules[package] = module_from_spec(spec)
    if spec.loader:
        spec.loader.exec_module(module)


def suite_of(spec: TrialSpec, store: Store) -> Suite:
    """The suite over the project of a trial. Raises KeyError where the store lacks the project's files."""
    suite = find_suite(spec.suite)
    return _over(suite, {spec.project: store.get_tree(spec.source)}) if spec.source else suite


def suite_in(plan: StoredPlan, store: Store) -> Suite:
    """The suite over the projects of a plan; those whose files are not in the store are unknown to it."""
    suite = find_suite(plan.panel.suite)
    named = {row.spec.project: row.spec.source for row in plan.trials}
    sources: dict[str, Files] = {}
    for project, source in named.items():
        with contextlib.suppress(KeyError, ValueError):
            if source:
                sources[project] = store.get_tree(source)
    return _over(suite, sources) if any(named.values()) else suite


def _over(suite: Suite, sources: Mapping[str, Files]) -> Suite:
    if not isinstance(suite, ProjectSource):
        raise UsageError(f"suite {suite.name!r} takes no projects from elsewhere, and this store's trials have some")
    return suite.from_stored_projects(sources)


def all_passages() -> Iterator[Passage]:
    """What no skill may hold of any project of any suite."""
    for suite in map(find_suite, suite_names()):
        for project in suite.projects():
            yield from suite.passages(project)
