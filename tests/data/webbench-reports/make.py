"""Make the reports in this folder anew: `python make.py NODE_MODULES BROWSER [CASE …]`.

NODE_MODULES holds @playwright/test; what comes out goes to a folder named after its version. The specs in `lab` are run in
a temporary folder, whose path is written as /bench. Each case is a JSON file with what `webbench.report.Ran` wants.
"""

import contextlib
import http.server
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
#: Name of the case -> spec files by their numbers (0 is init), more arguments, more environment.
CASES: dict[str, tuple[list[int], list[str], dict[str, str]]] = {
    "pass": ([0], [], {}),
    "expectations": ([0, 1], [], {}),
    "first-failure": ([0, 1], ["--max-failures=1"], {}),
    "actions": ([2], [], {}),
    "actions-again": ([2], [], {}),
    "kinds": ([0, 3], [], {}),
    "crash": ([4], [], {}),
    "network": ([5], [], {}),
    "spec-syntax": ([0, 6], [], {}),
    "spec-module": ([0, 7], [], {}),
    "workspace-syntax": ([0, 8], [], {}),
    "workspace-missing": ([0, 9], [], {}),
    "workspace-throws": ([0, 10], [], {}),
    "workspace-exits": ([0, 11], [], {}),
    "workspace-in-test": ([12], [], {}),
    "titles": ([13], [], {}),
    "bytes": ([15], [], {}),
    "stray-error": ([17], [], {}),
    "no-tests": ([0, 18], [], {}),
    "only-skipped": ([3], ["--grep", "left out"], {}),
    "no-spec": ([19], [], {}),
    "config": ([0], ["-c", "broken.config.js"], {}),
    "web-server": ([0], ["-c", "server.config.js"], {}),
    "no-browser": ([0], [], {"LAB_BROWSER": "/usr/bin/no-browser"}),
    "false-browser": ([0], [], {"LAB_BROWSER": "/bin/false"}),
    "stopped": ([0, 14], [], {}),
    "killed": ([0, 14], [], {}),
}


class Site(http.server.SimpleHTTPRequestHandler):
    """The workspace, and paths that answer badly."""

    closing = threading.Event()

    def do_GET(self) -> None:
        if self.path == "/hangs":
            self.closing.wait()
        elif self.path == "/no-content":
            self.send_response(204)
            self.end_headers()
        elif self.path == "/resets":
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        pass


def slim(suite: dict[str, Any]) -> None:
    """Leave out what the reader does not look at and what is long: each first error a second time, attachments."""
    for result in (result for spec in suite["specs"] for test in spec["tests"] for result in test["results"]):
        result.pop("error", None)
        result["attachments"] = []
    for inner in suite.get("suites", []):
        slim(inner)


def run(case: str, bench: Path, modules: Path, site: str, browser: str) -> dict[str, object]:
    numbers, more, extra = CASES[case]
    specs = [f"test/{f'task-{number}' if number else 'init'}.spec.js" for number in numbers]
    report = bench / "out/report.json"
    report.unlink(missing_ok=True)
    lab = {"LAB_RESULTS": str(bench / "out/results"), "LAB_REPORT": str(report), "LAB_SITE": site, "LAB_BROWSER": browser}
    lab |= {"LAB_CLOSED": "http://127.0.0.1:10123/", "EVAL_PROJECT_ROOT": str(bench / "workspace"), "FORCE_COLOR": "1"}
    env = {key: value for key, value in os.environ.items() if key != "CI"} | lab | extra
    process = subprocess.Popen(
        [bench / "node_modules/.bin/playwright", "test", *specs, *more],
        cwd=bench / "repo/projects/shop",
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout
    said = b""
    for line in process.stdout:
        said += line
        if b"task-14.spec.js:4" in line:
            process.send_signal(signal.SIGKILL if case == "killed" else signal.SIGINT)
            break  # a worker may outlive the run and hold its output open
    code = process.wait()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    said += process.stdout.read()
    written = json.loads(report.read_text(errors="replace")) if report.exists() else None
    late = case in ("killed", "stopped")
    made = {"code": code, "late": late, "specs": specs, "said": said.decode(errors="replace"), "report": written}
    for suite in written["suites"] if written else []:
        slim(suite)
    neutral = json.dumps(made).replace(str(bench), "/bench").replace(str(modules.resolve()), "/bench/node_modules")
    return json.loads(neutral)


def main(modules: Path, browser: str, cases: list[str]) -> None:
    version = json.loads((modules / "@playwright/test/package.json").read_text())["version"]
    target = HERE / version
    target.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        bench = Path(folder)
        (bench / "node_modules").symlink_to(modules.resolve())
        shutil.copytree(HERE / "lab", bench / "repo/projects/shop", ignore=shutil.ignore_patterns("workspace"))
        shutil.copytree(HERE / "lab/workspace", bench / "workspace")
        handler = lambda *args: Site(*args, directory=str(bench / "workspace"))  # noqa: E731
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever).start()
            for case in cases or CASES:
                made = run(case, bench, modules, f"http://127.0.0.1:{server.server_port}", browser)
                (target / f"{case}.json").write_text(json.dumps(made, indent=1).replace(str(server.server_port), "3000") + "\n")
            Site.closing.set()
            server.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
