"""The grading container of a Web-Bench project: the repository's layout, the project's packages, its server, its own specs.

Three kinds of users share it. The `site` user runs what agents made: `init`, `build`, the server. The container's own user
runs Playwright and the browser, in folders that `site` cannot look into: specs are not there to be read or bent by a build.
Packages are mounted read-only, with the caches that tools want to write there on memory.
"""

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from agents.base import Done
from benchmark.errors import Fault
from benchmark.files import Files, pack, safe_name
from benchmark.model import Data
from benchmark.webdev.webbench.project import BenchProject
from benchmark.webdev.webbench.report import Ran, last_words
from fixtures.sandbox.container import Bounds, Container
from fixtures.sandbox.docker import ENVIRONMENT, DockerSandbox
from fixtures.sandbox.image import SITE_UID
from fixtures.site import SiteFailed

ROOT = "/bench"
#: Where the runner's own things lie: specs' transforms, results, the report.
OWN = "/own"
PORT = 3211
#: Web-Bench's limit for a run of specs. Its builds have none; one that hangs must end all the same.
RUN_SECONDS = 600.0
BUILD_SECONDS = 180.0
#: Caches that tools keep in a project's `node_modules`, which holds nothing else: its packages lie above, read-only.
CACHES = (".vite", ".vite-temp", ".cache")
SITE_USER = f"{SITE_UID}:{SITE_UID}"
HERE = Path(__file__).parent
#: What configurations call `npx X`: X of the project's packages, and nothing that would have to be fetched.
NPX = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
exec "$@"
"""
#: Whatever the workspace before left goes, unreadable folders included. Specs may write into a workspace, as upstream.
LAY = """
find "$1" "$2" /tmp -user site -type d ! -perm -700 -exec chmod u+rwx {} \\; 2>/dev/null
find "$1" "$2" /tmp -user site -delete 2>/dev/null
umask 0; mkdir "$1" && cd "$1" && tar -x --no-same-owner || exit 8
"""
START = f"""
while (exec 3<>/dev/tcp/127.0.0.1/{PORT}) 2>/dev/null; do sleep 0.01; done
setsid sh -c "$1" >/tmp/server.log 2>&1 </dev/null &
exec python3 /tools/answers.py "$2" $! "$3"
"""
PLAYWRIGHT = """
rm -rf /own/results /own/report.json
node /bench/node_modules/@playwright/test/cli.js "$@" >&2
code=$?
cat /own/report.json 2>/dev/null
exit $code
"""
LIST = 'exec node /bench/node_modules/@playwright/test/cli.js test --list --reporter=json -c "$1"'


class Server(Data):
    """How a project's configuration serves its site: the command, the address that must answer, the seconds it has."""

    command: str
    url: str
    seconds: float

    @property
    def static(self) -> bool:
        """Whether it only hands out files: then nothing that an agent makes can keep it from starting."""
        words = self.command.split()
        return words[:2] == ["npx", "serve"] or words[:1] == ["serve"]


class Bench:
    """An open grading container of one project."""

    def __init__(self, container: Container, project: BenchProject, browser: str) -> None:
        self._container = container
        self._project = project
        self.folder = f"{ROOT}/projects/{project.name}"
        self.workspace = f"{self.folder}/eval/work"
        self._browser = browser

    def lay(self, files: Files) -> None:
        """End what ran before and lay `files` out as the workspace. Raises Fault."""
        self._container.end_all(SITE_USER)
        done = self._site(LAY, self.workspace, f"{self.folder}/node_modules", stdin=pack(files, mode=0o666), folder="/")
        if done.code:
            raise Fault(f"the workspace could not be laid out for grading: {done.output.decode(errors='replace')[-200:]}")

    def script(self, name: str, task: str) -> None:
        """Run the project's script of that name. Raises SiteFailed with what it said when it fails or takes too long."""
        done = self._site('exec sh -c "$1"', self._project.package["scripts"][name], task=task, seconds=BUILD_SECONDS)
        said = done.output.decode(errors="replace")
        if done.late:
            raise SiteFailed(f"`{name}` did not end within {BUILD_SECONDS:g} s", said)
        if done.code:
            raise SiteFailed(f"`{name}` ended with exit code {done.code}", said)

    def serve(self, server: Server, task: str) -> None:
        """Start the project's server in a session of its own. Raises SiteFailed when it ends or does not answer in time."""
        done = self._site(START, server.command, server.url, f"{server.seconds:g}", task=task, seconds=server.seconds + 20)
        if done.code:
            what = "ended before it answered" if done.code == 9 else f"did not answer within {server.seconds:g} s"
            raise SiteFailed(f"the server {what}", self.served())

    def served(self) -> str:
        """The last words of the server."""
        return self._site("tail -c 4000 /tmp/server.log", folder="/").output.decode(errors="replace")

    def run(self, specs: Sequence[str], task: str, first: str | None, skipped: str | None) -> Ran:
        """Run spec files with Playwright's binary; with `first` that one before the others, up to the first failure.

        `skipped` is a pattern of titles that are left out.
        """
        words = ["test", *specs, "-c", self._config(), "--output", f"{OWN}/results"]
        words += ["--max-failures=1"] if first else []
        words += ["--grep-invert", skipped, "--pass-with-no-tests"] if skipped else []
        more = {"ASSAY_BROWSER": self._browser, "ASSAY_REPORT": f"{OWN}/report.json"}
        more |= {"ASSAY_FIRST": first.rpartition("/")[2]} if first else {}
        done = self._container.run(
            ["bash", "-c", PLAYWRIGHT, "playwright", *words],
            seconds=RUN_SECONDS,
            folder=self.folder,
            environment=self._variables(task, OWN) | more,
            apart=True,
        )
        return Ran(done.code, done.errors.decode("utf-8", errors="replace"), done.output or None, done.late)

    def listed(self) -> Ran:
        """What Playwright says of the project's own configuration and specs, without running them; as JSON in `report`."""
        done = self._container.run(
            ["bash", "-c", LIST, "playwright", self._project.config],
            seconds=120,
            folder=self.folder,
            environment=self._variables("task-1", OWN),
            apart=True,
        )
        return Ran(done.code, done.errors.decode("utf-8", errors="replace"), done.output or None, done.late)

    def _config(self) -> str:
        return f"assay.config.{_kind(self._project)}"

    def _site(
        self, script: str, *words: str, task: str = "", stdin: bytes = b"", seconds: float = 60, folder: str = ""
    ) -> Done:
        return self._container.run(
            ["bash", "-c", script, "site", *words],
            user=SITE_USER,
            stdin=stdin,
            seconds=seconds,
            folder=folder or self.folder,
            environment=self._variables(task, "/tmp"),
        )

    def _variables(self, task: str, home: str) -> dict[str, str]:
        """What Web-Bench's evaluator sets; CI is not among them. `home` is where temporary files go."""
        return {
            "HOME": home,
            "TMPDIR": home,
            "PATH": f"{ROOT}/.assay:{ROOT}/node_modules/.bin:{ENVIRONMENT['PATH']}",
            "EVAL": "true",
            "EVAL_TASK": task,
            "EVAL_PROJECT_ROOT": self.workspace,
            "EVAL_PROJECT_PORT": str(PORT),
            "IS_EVAL_PRODUCTION": "true",
            "MAX_TEST_WORKERS": "1",
            "NO_UPDATE_CHECK": "1",
        }


@contextmanager
def opened(sandbox: DockerSandbox, project: BenchProject, packages: Path) -> Iterator[Bench]:
    """A grading container for one trial's workspaces; `packages` has the project's `node_modules`. Raises Fault."""
    tree = Path(tempfile.mkdtemp(prefix="assay-bench-"))
    try:
        folder = f"{ROOT}/projects/{project.name}"
        specs = _lay_repository(tree, project)
        binds = {
            str(tree): ROOT,
            # Above projects and libraries, so that both find the same: a second Playwright would refuse to run.
            str(packages / "node_modules"): f"{ROOT}/node_modules",
            str(HERE / "answers.py"): "/tools/answers.py",
            str(tree / ".assay" / "hosts"): "/etc/hosts",
        }
        writable = ("/tmp", f"{folder}/eval", *(f"{folder}/node_modules/{name}" for name in CACHES))
        bounds = Bounds(memory=4096, disk=512, processes=1024)
        with sandbox.container(binds, writable, private=(OWN, f"{folder}/test"), bounds=bounds) as container:
            done = container.run(["tar", "-x", "-C", f"{folder}/test", "--no-same-owner"], stdin=pack(specs))
            if done.code:
                raise Fault(f"the specs could not be laid out: {done.output.decode(errors='replace')[-200:]}")
            yield Bench(container, project, sandbox.browser_path)
    finally:
        shutil.rmtree(tree, ignore_errors=True)


def _lay_repository(tree: Path, project: BenchProject) -> Files:
    """Write the repository's layout with mount points, all but the specs; those."""
    home = f"projects/{project.name}"
    specs: Files = {}
    for name, data in project.repository().items():
        if name.startswith(f"{home}/test/"):
            specs[name.removeprefix(f"{home}/test/")] = data
            continue
        path = tree / safe_name(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    folder = tree / home
    base, kind = project.config, _kind(project)
    (folder / "assay.derive.cjs").write_bytes((HERE / "derive.cjs").read_bytes())
    entry = {
        "cjs": f"module.exports = require('./assay.derive.cjs')(require('./{base}'))\n",
        "mjs": f"import derive from './assay.derive.cjs'\nimport * as found from './{base}'\nexport default derive(found)\n",
    }
    (folder / f"assay.config.{kind}").write_text(entry[kind], encoding="utf-8")
    tools = tree / ".assay"
    tools.mkdir()
    (tools / "hosts").write_text("127.0.0.1 localhost\n", encoding="utf-8")
    (tools / "npx").write_text(NPX, encoding="utf-8")
    for path in [tree, *tree.rglob("*")]:
        path.chmod(0o755 if path.is_dir() or path.name == "npx" else 0o644)
    # A memory-backed folder takes the mode of what it covers.
    own = {"eval": 0o777, "test": 0o700, "node_modules": 0o755, **{f"node_modules/{name}": 0o777 for name in CACHES}}
    for path, mode in [(tree / "node_modules", 0o755), *((folder / name, mode) for name, mode in own.items())]:
        path.mkdir(exist_ok=True)
        path.chmod(mode)
    return specs


def _kind(project: BenchProject) -> str:
    """The extension of a derived configuration that can load the project's: as a module only where it must, since that
    costs every process of Playwright a loader."""
    module = project.config.endswith(".mjs") or (project.config.endswith(".js") and project.package.get("type") == "module")
    return "mjs" if module else "cjs"


def server_in(listed: Ran) -> Server:
    """The web server of the configuration that `Bench.listed` read. Raises ValueError where there is none to be read."""
    try:
        found = json.loads(listed.report or b"")["config"]["webServer"]
        return Server(command=found["command"].strip(), url=found["url"], seconds=found.get("timeout", 60_000) / 1000)
    except (ValueError, KeyError, TypeError) as error:
        said = last_words(listed.said)
        raise ValueError(f"its configuration and specs do not load, or name no web server: {said}") from error
