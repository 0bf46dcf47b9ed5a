"""Three ways to grade workspaces of a Web-Bench project by its own specs, with the CPU that each takes.

*ours* is a trial's looks, all in one grading container. *by hand* calls Playwright's binary, with a server that is started
once a round. *upstream* is `npx playwright test` with the configuration's own web server. The last two run on the host, in the
repository's layout, with the packages that ours uses; a round begins, as a trial does, with no specs compiled.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmark.core.files import write_tree
from benchmark.webdev.webbench.chain_project import SpecGrader
from benchmark.webdev.webbench.prepare import Prepared, prepare
from benchmark.webdev.webbench.project import BenchProject
from fixtures.sandbox.docker import DockerSandbox

TICK = os.sysconf("SC_CLK_TCK")
SECONDS = 600
#: The project's own configuration, with a browser that is there; by hand without its web server.
CONFIG = """
const base = require('./{base}')
const launchOptions = {{ executablePath: process.env.PERF_BROWSER }}
module.exports = {{ ...base, use: {{ ...base.use, launchOptions }}, reporter: 'line'{more} }}
"""
#: Runs commands one after the other beside a server ([] for none) and waits for whatever they left: prints the CPU seconds
#: of all of it. Processes whose parent has gone become its own (PR_SET_CHILD_SUBREAPER), so none is missed.
MEASURE = """
import ctypes, json, os, resource, socket, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
server, port, commands = json.loads(sys.argv[1])
if server:
    serving = subprocess.Popen(server, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while socket.socket().connect_ex(("127.0.0.1", port)):
        assert serving.poll() is None
codes = [subprocess.run(command, stdout=sys.stderr).returncode for command in commands]
if server:
    serving.terminate()
    serving.wait()
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([codes, used.ru_utime + used.ru_stime]))
"""


@dataclass(frozen=True)
class Used:
    """What one round took a graded task: CPU seconds of its processes, of the whole machine, and wall seconds."""

    cpu: float
    machine: float
    wall: float


class Ways:
    """A project's specs for `tasks`, run over its reference. The folder is laid out once."""

    def __init__(self, project: BenchProject, tasks: Sequence[int], sandbox: DockerSandbox, folder: Path) -> None:
        self.project = project
        self.tasks = tuple(tasks)
        self._sandbox = sandbox
        self._prepared: Prepared = prepare(project, sandbox)
        self._home = folder / "projects" / project.name
        self._site = self._home / "eval" / "work"
        self._modules = folder / "node_modules"
        write_tree(folder, project.repository())
        write_tree(self._site, project.reference)
        self._modules.mkdir()
        for entry in (Path(self._prepared.packages) / "node_modules").iterdir():
            (self._modules / entry.name).symlink_to(entry)
        for name, place in project.workspace().items():
            (self._modules / name).parent.mkdir(exist_ok=True)
            (self._modules / name).symlink_to(folder / place)
        for name, more in {"hand": ", webServer: undefined", "upstream": ""}.items():
            (self._home / f"{name}.config.cjs").write_text(CONFIG.format(base=project.config, more=more), encoding="utf-8")

    def ours(self) -> Used:
        """One container for all tasks. The engine's daemons are counted as a whole: nothing else should keep them busy."""
        begun, daemons, own = _Round(len(self.tasks)), _daemons(), _own()
        with ExitStack() as exits, ExitStack() as trial:
            look = SpecGrader(self.project, self._sandbox, trial)
            for task in self.tasks:
                checks = look(task, self.project.reference, 1).checks
                if any(check.failure or check.reruns for check in checks):
                    raise RuntimeError(f"task {task}: the reference failed: {checks}")
            assert look._bench
            shim = exits.enter_context(_Shim(look._bench._container.id))
        return begun.done(shim.seconds + _daemons() - daemons + _own() - own)

    def by_hand(self) -> Used:
        cli = self._modules / "@playwright" / "test" / "cli.js"
        port = _free_port()
        serve = ["node", str(self._modules / "serve" / "build" / "main.js"), str(self._site), "-p", str(port)]
        return self._on_host(["node", str(cli)], "hand.config.cjs", serve, port)

    def upstream(self) -> Used:
        return self._on_host(["npx", "playwright"], "upstream.config.cjs", [], _free_port())

    def _on_host(self, playwright: Sequence[str], config: str, server: Sequence[str], port: int) -> Used:
        commands = [[*playwright, "test", *self.project.specs(task), "-c", config] for task in self.tasks]
        begun = _Round(len(self.tasks))
        with tempfile.TemporaryDirectory() as scratch:
            done = subprocess.run(
                [sys.executable, "-c", MEASURE, json.dumps([server, port, commands])],
                cwd=self._home,
                env=self._variables(port, scratch),
                capture_output=True,
                text=True,
                timeout=SECONDS,
            )
        codes, cpu = json.loads(done.stdout or "[[1], 0]")
        if any(codes):
            raise RuntimeError(f"the reference failed: {codes} {(done.stdout + done.stderr)[-1000:]}")
        return begun.done(cpu)

    def _variables(self, port: int, scratch: str) -> dict[str, str]:
        """As ours has them (grading.py)."""
        return {
            "HOME": scratch,
            "TMPDIR": scratch,
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "PATH": os.environ["PATH"],
            "EVAL": "true",
            "EVAL_TASK": "task-1",
            "EVAL_PROJECT_ROOT": str(self._site),
            "EVAL_PROJECT_PORT": str(port),
            "IS_EVAL_PRODUCTION": "true",
            "MAX_TEST_WORKERS": "1",
            "NO_UPDATE_CHECK": "1",
            "npm_config_update_notifier": "false",
            "PERF_BROWSER": self._sandbox.browser_path,
        }


class _Round:
    """A round that begins when this is made."""

    def __init__(self, tasks: int) -> None:
        self._tasks = tasks
        self._machine, self._started = _machine(), time.perf_counter()

    def done(self, cpu: float) -> Used:
        """What it took, given the CPU seconds of its processes."""
        taken = (cpu, _machine() - self._machine, time.perf_counter() - self._started)
        return Used(*(value / self._tasks for value in taken))


class _Shim:
    """What runs a container on the host. Its own CPU and that of all it waited for: the container's processes, and those
    that brought each command into it. Followed to its end from when this is made; what runs inside then is counted apart,
    since nothing waits for it when its container goes."""

    def __init__(self, container: str) -> None:
        found = [pid for pid in _processes("containerd-shim") if container in _read(pid, "cmdline")]
        assert found, "no process on this machine runs the container: the engine must be here, not in a virtual machine"
        self._pid = found[0]
        self._left = _left_in(self._pid)
        self.seconds = 0.0
        self._thread = threading.Thread(target=self._follow)

    def __enter__(self) -> "_Shim":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()
        self.seconds += self._left

    def _follow(self) -> None:
        while (stat := _read(self._pid, "stat")) and not stat.rpartition(") ")[2].startswith("Z"):
            self.seconds = _seconds(stat)
            time.sleep(0.005)
        self.seconds = max(self.seconds, _seconds(stat))


def _left_in(shim: str) -> float:
    """CPU seconds of what runs in a shim's container beside PID 1."""
    stats = {pid.name: stat for pid in Path("/proc").iterdir() if pid.name.isdigit() and (stat := _read(pid.name, "stat"))}
    parents = {pid: stat.rpartition(") ")[2].split()[1] for pid, stat in stats.items()}

    def below(pid: str) -> bool:
        return parents.get(pid) == shim or (pid in parents and below(parents[pid]))

    return sum(_seconds(stat) for pid, stat in stats.items() if below(pid) and parents[pid] != shim)


def _own() -> float:
    """CPU seconds of this process and of those that it waited for."""
    return sum(os.times()[:4])


def _daemons() -> float:
    """CPU seconds of the engine's daemons and of those that they waited for."""
    return sum(_seconds(_read(pid, "stat")) for name in ("dockerd", "containerd") for pid in _processes(name))


def _processes(name: str) -> list[str]:
    return [pid.name for pid in Path("/proc").iterdir() if pid.name.isdigit() and _read(pid.name, "comm").strip() == name]


def _read(pid: str, file: str) -> str:
    with contextlib.suppress(OSError):
        return Path("/proc", pid, file).read_text(encoding="utf-8", errors="replace")
    return ""


def _seconds(stat: str) -> float:
    """CPU seconds of a process and of those that it waited for, from its line in /proc."""
    fields = stat.rpartition(") ")[2].split()
    return sum(map(int, fields[11:15])) / TICK


def _machine() -> float:
    """CPU seconds that all processors were not idle since the machine started."""
    user, nice, system, _idle, _waiting, irq, soft = map(int, Path("/proc/stat").read_text(encoding="ascii").split()[1:8])
    return (user + nice + system + irq + soft) / TICK


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
