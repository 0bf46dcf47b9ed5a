"""Agents of other people: one module anywhere, and nothing else has to know of it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from agents.registry import AGENTS, GROUP, VARIABLE, make_agent
from benchmark.core.errors import UsageError
from benchmark.core.model import AgentSpec
from tests.suites.runs import SUITES, records
from tests.test_runs import ROOT, clean

MODULE = '''
from agents.scripted.scripted import Scripted


class Polite(Scripted):
    """Greets in English, whatever it is asked."""

    name = "polite"
    version = "7"

    def run(self, request, workspace):
        workspace.write({"greeting.txt": b"Hello\\nGood night\\n"})
        return self.told(request, "greeted", {})
'''
PANEL = """
suite = "greetings"
projects = ["english", "french"]
conditions = ["C0"]
[[agents]]
name = "polite"
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the module `polite_agent`, which Python finds."""
    (tmp_path / "polite_agent.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.delitem(sys.modules, "polite_agent", raising=False)
    return tmp_path


def test_an_agent_in_a_module_of_ones_own_runs_trials(module: Path) -> None:
    (module / "panel.toml").write_text(PANEL, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--panel", str(module / "panel.toml"), "--runs", str(module / "runs")],
        cwd=ROOT,
        env=clean(ASSAY_SUITES=str(SUITES), ASSAY_AGENTS="polite=polite_agent:Polite", PYTHONPATH=str(module)),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    kept = {row["spec"]["project"]: row for row in records(module / "runs")}
    assert {row["resolved"]["agent_version"] for row in kept.values()} == {"7"}
    scores = {name: row["tasks"][0]["attempts"][-1]["score"]["value"] for name, row in kept.items()}
    assert scores == {"english": 1.0, "french": 0.0}


def test_an_installed_package_brings_its_agent(module: Path) -> None:
    about = module / "polite-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: polite\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(
        f"[{GROUP}]\npolite = polite_agent:Polite\nnoop = polite_agent:Polite\nlost = polite_agent:Gone\n", encoding="utf-8"
    )
    assert make_agent(AgentSpec(name="polite")).version == "7"
    assert make_agent(AgentSpec(name="noop")).version == "1", "a name of ours stays ours"
    with pytest.raises(UsageError, match=r"agent 'lost' cannot be loaded from polite_agent:Gone: .*MODULE:CLASS"):
        make_agent(AgentSpec(name="lost"))
    with pytest.raises(UsageError, match=r"unknown agent 'polit'; did you mean polite"):
        make_agent(AgentSpec(name="polit"))


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("polite", "write NAME=MODULE:CLASS"),
        ("polite=polite_agent.Polite", "write NAME=MODULE:CLASS"),
        ("polite=no_such_module:Polite", "No module named 'no_such_module'"),
    ],
)
def test_a_variable_that_leads_nowhere_is_told_in_a_line(
    module: Path, monkeypatch: pytest.MonkeyPatch, named: str, said: str
) -> None:
    del module
    monkeypatch.setenv(VARIABLE, named)
    with pytest.raises(UsageError, match=said) as error:
        make_agent(AgentSpec(name="polite"))
    assert "\n" not in str(error.value)


#: What may be asked where no panel names an agent, and who judges.
USUAL = {"web"}


def test_nothing_outside_their_folder_knows_an_agent_by_name() -> None:
    names = set(AGENTS) - USUAL - {"reference"}  # a word of suites as well: the solution of a task
    texts = {
        (path.relative_to(ROOT).as_posix(), node.value)
        for top in ("benchmark", "fixtures", "reports")
        for path in (ROOT / top).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in names
    }
    assert not texts
