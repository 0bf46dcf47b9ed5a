"""`pytest` and `assay` as a person types them, and what came of them.

Each command is a process of its own, with its environment, folder, output and exit code. It is forked from a server that has
imported what commands import (`tests.preloaded`): starting takes them longer than most of what is tested of them. Where an
interpreter's start is part of what is tested (signals, encodings, terminals), `started` and `fresh` start one.
"""

import atexit
import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import chdir
from functools import cache
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parent.parent
#: Programs as `python -m` names them.
PYTEST, ASSAY = "pytest", "benchmark.cli.main"
OPTIONS = (
    # With these `benchmark.rootdir` starts pytest again where a store or a skill is outside of the checkout.
    *("-c", str(ROOT / "pyproject.toml"), f"--rootdir={ROOT}", "-p", "benchmark.plugin", "-p", "fixtures.plugin"),
    *("-p", "reports.plugin"),
    # Who audits skills has no Hypothesis, and nothing that was imported before pytest rewrites its assertions.
    *("-p", "no:hypothesispytest", "-W", "ignore:Module already imported so cannot be rewritten"),
)
SECONDS = 300

Done = subprocess.CompletedProcess[str]


def clean(**more: str) -> dict[str, str]:
    """The environment without what this run of pytest has put there."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}, **more}


def run(*arguments: object, **environment: str) -> Done:
    """`pytest ARGUMENTS` in the checkout."""
    return command(PYTEST, [*OPTIONS, *arguments], clean(**environment))


def assay(*arguments: object, cwd: Path = ROOT, **environment: str) -> Done:
    """`assay ARGUMENTS`, in the checkout unless told otherwise."""
    return command(ASSAY, arguments, clean(**environment), cwd)


def fresh(module: str, *arguments: object, cwd: Path = ROOT, **environment: str) -> Done:
    """`python -m MODULE ARGUMENTS` in an interpreter that is started for it."""
    words = [sys.executable, "-m", module, *map(str, arguments)]
    env = clean(**environment)
    return subprocess.run(words, cwd=cwd, env=env, capture_output=True, encoding=_encoding(env), timeout=SECONDS)


def command(module: str, arguments: Sequence[object], env: Mapping[str, str], cwd: Path = ROOT) -> Done:
    """`python -m MODULE ARGUMENTS` in a process that is forked."""
    words = [module, *map(str, arguments)]
    with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
        process = _server().Process(target=_main, args=(words, cwd, dict(env), out.name, err.name))
        process.start()
        process.join(SECONDS)
        if late := process.exitcode is None:
            process.kill()
            process.join()
        code, said = process.exitcode, [_text(file, _encoding(env)) for file in (out, err)]
        process.close()
    if late or code is None:
        raise subprocess.TimeoutExpired(words, SECONDS, *said)
    return Done(words, code, *said)


@cache
def _server() -> ForkServerContext:
    """The server of this process; it ends with it."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.preloaded"])
    with chdir(ROOT):
        forkserver.ensure_running()
    return context


def _encoding(env: Mapping[str, str]) -> str:
    return env.get("PYTHONIOENCODING", "utf-8")


def _text(file: IO[bytes], encoding: str) -> str:
    file.seek(0)
    return file.read().decode(encoding)


def _main(words: Sequence[str], cwd: Path, env: Mapping[str, str], out: str, err: str) -> None:
    """What an interpreter does with `-m MODULE ARGUMENTS`, from its streams to what it does at its end."""
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_APPEND), number)
    sys.stdout = open(1, "w", encoding=_encoding(env), closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, _encoding(env), "backslashreplace", closefd=False)  # noqa: SIM115
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv[:] = words
    sys.path[0] = str(cwd)
    try:
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    finally:
        atexit._run_exitfuncs()
