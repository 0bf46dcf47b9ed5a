"""`assay` itself: commands that are listed without being imported, and found where they are called."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmark.cli.late import LateCommand
from benchmark.cli.main import app
from benchmark.core.errors import UsageError
from benchmark.suite.discovery import suite_commands

COMMANDS: dict[str, Any] = dict(app().commands)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_what_is_listed_of_a_command_is_what_it_says_of_itself(name: str) -> None:
    listed = COMMANDS[name]
    assert isinstance(listed, LateCommand)
    found = listed.loaded()
    assert found.name == name
    assert listed.help == " ".join(found.help.partition("\n\n")[0].split())


def test_the_list_imports_no_command() -> None:
    code = (
        "import sys; from benchmark.cli.main import app; app()(['--help'], standalone_mode=False); "
        "print([name for name in sys.modules if name.startswith('benchmark.cli.')], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "skills" in done.stdout
    assert done.stderr.strip() == "['benchmark.cli.late', 'benchmark.cli.main']"


def test_the_called_command_is_resolved_in_place_of_its_line() -> None:
    context: Any = SimpleNamespace(token_normalize_func=None, resilient_parsing=False)
    name, command, rest = app().resolve_command(context, ["skills", "list", "--json"])
    assert (name, rest) == ("skills", ["list", "--json"])
    assert "list" in command.commands


def test_a_suite_names_what_its_cli_adds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = tmp_path / "quizzes"
    suite.mkdir()
    for file in ("suite.py", "cli.py"):
        (suite / file).write_text("raise AssertionError('not to be imported')", encoding="utf-8")
    monkeypatch.setenv("ASSAY_SUITES", str(tmp_path))
    with pytest.raises(UsageError, match=r"quizzes.options\.py has no COMMAND"):
        suite_commands()
    (suite / "options.py").write_text(
        "from benchmark.suite.capabilities import SuiteCommand\n"
        "COMMAND = SuiteCommand(name='quiz', help='What quizzes there are.')\nOPTIONS = ()\n",
        encoding="utf-8",
    )
    assert suite_commands()["quizzes"].name == "quiz"
