"""The projects of a Web-Bench checkout, in the place of the suite's own."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from benchmark.core.errors import UsageError, unknown
from benchmark.core.files import Files
from benchmark.webdev.options import Settings
from benchmark.webdev.webbench.chain_project import WebBenchProject
from benchmark.webdev.webbench.checkout import Checkout
from benchmark.webdev.webbench.needs import needs
from benchmark.webdev.webbench.project import BenchProject
from benchmark.webdev.webbench.quarantine import USUAL, Quarantine


def projects_of(settings: Settings, asked: Sequence[str]) -> dict[str, WebBenchProject]:
    """The projects of the checkout in a panel's settings that can run, with its quarantine; none where there is no checkout.

    Raises UsageError.
    """
    if not settings.webbench:
        return {}
    quarantine = Quarantine.load(Path(settings.quarantine) if settings.quarantine else USUAL)
    projects = runnable(Checkout(Path(settings.webbench)), asked)
    graded = {name: item.graded_with(quarantine.of(item), settings.test_source) for name, item in projects.items()}
    return {name: WebBenchProject(item) for name, item in graded.items()}


def stored_projects(sources: Mapping[str, Files]) -> dict[str, WebBenchProject]:
    """The projects as a store keeps them, by name."""
    return {name: WebBenchProject(BenchProject(name, files)) for name, files in sources.items()}


def runnable(checkout: Checkout, asked: Sequence[str]) -> dict[str, BenchProject]:
    """Those of the projects asked for, by name or pattern, that can run here.

    A project that needs more than npm packages is there only when it is named. Raises UsageError for one that needs a network,
    with the reason.
    """
    named = {item for item in asked if not any(sign in item for sign in "*?[")}
    for name in named - set(checkout.names):
        raise unknown("project", name, checkout.names)
    projects = {}
    for name in checkout.names:
        if name not in named and not any(fnmatchcase(name, item) for item in asked):
            continue
        project = checkout.project(name)
        status, reason = needs(project)
        if status == "needs network" and name in named:
            raise UsageError(f"project {name} cannot run without a network: {reason}")
        if status == "runs" or (status == "needs a build" and name in named):
            projects[name] = project
    if not projects:
        raise UsageError(
            f"no project of {checkout.root} that fits {', '.join(asked)} can run here; `assay webbench list` says why"
        )
    return projects
