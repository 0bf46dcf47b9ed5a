"""Commands that are forked are those that a person starts: the same words, exit code and streams."""

import sys
from pathlib import Path

import pytest

from tests.commands import ASSAY, ROOT, assay, clean, command, fresh


@pytest.mark.parametrize("line", ["plan --project bakery-page", "plan --project bakery", "--help"])
def test_a_forked_command_is_one_that_was_started(line: str) -> None:
    forked, started = assay(*line.split()), fresh(ASSAY, *line.split())
    assert (forked.returncode, forked.stdout, forked.stderr) == (started.returncode, started.stdout, started.stderr)


PROGRAM = """
import atexit, gc, json, os, sys
atexit.register(lambda: print("at the end", flush=True))
print(json.dumps([sys.argv[1:], os.getcwd(), os.environ.get("SAID"), "scipy.stats" in sys.modules, gc.get_freeze_count() > 0]))
print("wrong", file=sys.stderr)
raise SystemExit(5)
"""


def test_a_program_has_its_words_folder_environment_and_end_and_finds_all_imported(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    done = command("program", ["--one", 2], clean(SAID="so"), tmp_path)
    assert (done.returncode, done.stderr) == (5, "wrong\n")
    assert done.stdout == f'[["--one", "2"], "{tmp_path}", "so", true, true]\nat the end\n'
    assert Path.cwd() == ROOT and "program" not in sys.modules
