"""What stands in the way of a project, and why."""

import pytest

from benchmark.webdev.webbench.checkout import Checkout
from benchmark.webdev.webbench.needs import STATUSES, compiled, needs
from benchmark.webdev.webbench.project import BenchProject
from tests.benchmark.webdev.webbench.test_project import packaged


def test_every_project_has_a_status_and_a_reason(checkout: Checkout) -> None:
    for name in checkout.names:
        project = checkout.project(name)
        status, reason = needs(project)
        assert status in STATUSES and reason
        assert status != "needs a build" or compiled(project)


def test_what_runs_says_what_it_takes(small: Checkout) -> None:
    assert needs(small.project("tally")) == ("runs", "npm packages alone")
    assert needs(small.project("plant-board")) == ("runs", "npm packages alone; a vite build; an init script")
    own = packaged(small.project("tally"), scripts={"build": "node scripts/build.js"})
    assert needs(own) == ("runs", "npm packages alone; a build of its own (node scripts/build.js)")


def test_the_worst_counts(small: Checkout) -> None:
    tally = small.project("tally")
    native = packaged(tally, dependencies={"sqlite3": "^5.1.7"})
    assert needs(native)[0] == "needs a build" and "native module" in needs(native)[1]
    assert compiled(native) == ("sqlite3",) and compiled(tally) == ()
    both = packaged(tally, dependencies={"sqlite3": "^5.1.7", "prisma": "~6.6.0", "@prisma/client": "~6.6.0"})
    assert needs(both) == ("needs network", "prisma downloads its engine when it is installed or first run")
    assert compiled(both) == ("sqlite3",)


@pytest.mark.parametrize("script", ["cd $EVAL_PROJECT_ROOT && npm i && npm run build", "npm install", "npm ci", "yarn add x"])
def test_a_script_that_installs_needs_the_network(small: Checkout, script: str) -> None:
    status, reason = needs(packaged(small.project("tally"), scripts={"init": script}))
    assert status == "needs network" and reason.startswith("its init script installs packages anew")
    assert needs(packaged(small.project("tally"), scripts={"build": script}))[0] == "needs network"


def test_a_script_that_installs_nothing_does_not(small: Checkout) -> None:
    scripts = {"init": "npm run init-db && rimraf tasks", "build": "", "test": "npm install"}
    assert needs(packaged(small.project("tally"), scripts=scripts)) == ("runs", "npm packages alone; an init script")


def test_what_only_specs_show_is_noted_by_name(small: Checkout) -> None:
    files = {name.replace("projects/tally/", "projects/canvas/"): data for name, data in small.files("tally").items()}
    status, reason = needs(BenchProject("canvas", files))
    assert status == "runs" and reason.startswith("npm packages alone; its specs wait for clocks")
