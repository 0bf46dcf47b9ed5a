"""A suite that names an image for a project: its trials work there, and say so."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.sandbox.docker import DockerSandbox
from tests.fixtures.workspaces import own_image
from tests.suites.runs import SUITES, assay, records, run

#: Other runs of this test on the same engine have theirs.
TAG = f"skill-assay/of-a-suite:test-{uuid.uuid4().hex[:12]}"
PANEL = 'suite = "pictured"\nprojects = ["english"]\nconditions = ["C0"]\nreplicates = 1\n[[agents]]\nname = "reference"\n'


@pytest.fixture
def suites(tmp_path: Path) -> Path:
    """A folder with the suite of greetings, in which one project asks for an image."""
    text = (SUITES / "greetings" / "suite.py").read_text(encoding="utf-8")
    asks = f'    def image(self, project: str) -> str | None:\n        return "{TAG}" if project == "english" else None\n\n'
    changed = text.replace('name = "greetings"', 'name = "pictured"').replace("    def projects(", f"{asks}    def projects(")
    assert changed.count(asks) == 1
    (tmp_path / "suites" / "pictured").mkdir(parents=True)
    (tmp_path / "suites" / "pictured" / "suite.py").write_text(changed, encoding="utf-8")
    (tmp_path / "panel.toml").write_text(PANEL, encoding="utf-8")
    return tmp_path / "suites"


def test_a_suite_with_an_image_is_refused_where_there_are_none(suites: Path, tmp_path: Path) -> None:
    done = run("--panel", tmp_path / "panel.toml", "--runs", tmp_path / "runs", ASSAY_SUITES=str(suites))
    assert done.code == 2 and f"a task asks for the image {TAG!r}: run it with --sandbox docker" in done.err, done.all
    assert not records(tmp_path / "runs")


@pytest.fixture
def image(docker_sandbox: DockerSandbox) -> Iterator[str]:
    """The identity of an image of that name."""
    with own_image(docker_sandbox, TAG) as name:
        yield docker_sandbox.image(name)


@pytest.mark.docker
def test_a_project_is_worked_on_in_its_image(suites: Path, tmp_path: Path, image: str) -> None:
    arguments = ("--panel", tmp_path / "panel.toml", "--runs", tmp_path / "runs", "--sandbox", "docker")
    done = run(*arguments, ASSAY_SUITES=str(suites))
    assert done.code == 0, done.all
    (record,) = records(tmp_path / "runs")
    assert (record["status"], record["resolved"]["image"]) == ("measured", image)
    again = run(*arguments, ASSAY_SUITES=str(suites))
    assert "1 from the store" in again.out, again.all
    regraded = assay("regrade", "--runs", tmp_path / "runs", "--json", ASSAY_SUITES=str(suites))
    assert regraded.code == 0 and '"unchanged": 1' in regraded.out, regraded.all
