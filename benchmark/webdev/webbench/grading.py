"""The grading container of a Web-Bench project: the repository's layout, the project's packages, its server, its own specs.

Three kinds of users share it. The `site` user runs what agents made: `init`, `build`, the server. The container's own user
runs Playwright and the browser, in folders that `site` cannot look into: specs are not there to be read or bent by a build.
Packages are mounted read-only, with the caches that tools want to write there on memory.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from pydantic import Field

from agents.base import Done
from benchmark.core.errors import Fault
from benchmark.core.files import Files, pack
from benchmark.core.model import Data
from benchmark.webdev.webbench.project import BenchProject
from benchmark.webdev.webbench.report import PlaywrightRun, last_words
from fixtures.sandbox.container import USER, Bounds, Container
from fixtures.sandbox.docker import ENVIRONMENT, KEEPER, DockerSandbox
from fixtures.sandbox.image import SITE_UID
from fixtures.web import user_agent
from fixtures.web.site import SiteFailed

#: The repository as specs know it: nobody but the runner can look into it, and not even the runner can change it, since some
#: specs load an agent's code.
ROOT = "/bench"
ROOT_OWNER = f"{KEEPER.partition(':')[0]}:{USER.rpartition(':')[2]}"
#: The repository as builds and servers know it, without specs. What they leave of it goes with every workspace.
SITE = "/site"
#: Where the runner's own things lie: specs' transforms, results, the report.
OWN = "/own"
PORT = 3211
#: Web-Bench's limit for a run of specs. Its builds have none; one that hangs must end all the same.
RUN_SECONDS = 600.0
BUILD_SECONDS = 180.0
SITE_USER = f"{SITE_UID}:{SITE_UID}"
#: Who hands out plain files to all workspaces of a trial: not the user whose processes end with each of them.
STATIC_USER = f"{SITE_UID + 2}:{SITE_UID + 2}"
#: What `serve` reads, when it starts, of the folder that it serves.
SERVE_READS = frozenset({"serve.json", "now.json", "package.json"})
#: Small programs that run inside.
INSIDE = Path(__file__).parent / "inside"
#: Whatever the workspace before left goes, unreadable folders included. Linux spares the process that asks for all of its
#: user's to be ended, and no other: nothing may bound this one. Specs may write into a workspace, as upstream. The packages are
#: read-only; a project's own `node_modules`, empty, is where tools keep their caches. Says whether a server is still up.
LAY = f"""
kill -9 -1
find /site /tmp /dev/shm -xdev -mindepth 1 -user site -type d ! -perm -700 -exec chmod u+rwx {{}} \\; 2>/dev/null
find /site /tmp /dev/shm -xdev -mindepth 1 -user site -delete 2>/dev/null
umask 0; cd /site && tar -x --no-same-owner && mkdir -p "$@" && ln -s /packages/node_modules . || exit 8
(exec 3<>/dev/tcp/127.0.0.1/{PORT}) 2>/dev/null && echo up; true
"""
#: Packages as links, of one place for projects and libraries alike: a second Playwright would refuse to run. Those of the
#: workspace (pairs of name and folder) lead to where they lie, since what lies among packages is run as it is, and specs' own
#: libraries are transformed first.
REPOSITORY = """
cd /bench && tar -x --no-same-owner && mkdir node_modules && ln -s /packages/node_modules/{*,.bin} node_modules/ || exit 8
while [ $# -gt 0 ]; do
  mkdir -p "node_modules/$(dirname "$1")" && ln -s "/bench/$2" "node_modules/$1" || exit 8
  shift 2
done
"""
START = f"""
while (exec 3<>/dev/tcp/127.0.0.1/{PORT}) 2>/dev/null; do sleep 0.01; done
setsid sh -c "$1" >/tmp/server-$UID.log 2>&1 </dev/null &
exec python3 /tools/answers.py "$2" $! "$3"
"""
#: Nothing that the specs, or an agent's code in them, have started is left when they have ended.
PLAYWRIGHT = """
rm -rf /own/results /own/report.json
node /packages/node_modules/@playwright/test/cli.js "$@" >&2
code=$?
cat /own/report.json 2>/dev/null
for one in /proc/[0-9]*; do
  [ -O "$one" ] && [ "${one#/proc/}" != $$ ] && [ "${one#/proc/}" != $PPID ] && kill -9 "${one#/proc/}"
done 2>/dev/null
exit $code
"""
LIST = 'exec node /packages/node_modules/@playwright/test/cli.js test --list --reporter=json -c "$1"'


class ProjectServer(Data):
    """How a project's configuration serves its site: the command, with which variables and where (None: the project's folder),
    the address that must answer, the seconds it has."""

    command: str
    url: str
    seconds: float
    variables: dict[str, str] = Field(default_factory=dict)
    folder: str | None = None

    @property
    def static(self) -> bool:
        """Whether it only hands out files: then nothing that an agent makes can keep it from starting."""
        words = self.command.split()
        return words[:2] == ["npx", "serve"] or words[:1] == ["serve"]


class Bench:
    """An open grading container of one project."""

    def __init__(self, container: Container, project: BenchProject, browser: str, version: str) -> None:
        """`browser` is the browser's path inside, `version` what it says of itself."""
        self._container = container
        self._project = project
        self._browser = {user_agent.BROWSER: browser, "ASSAY_BRANDS": user_agent.brands_header(user_agent.version_in(version))}
        #: Of the workspace that was laid out last: whether a server was up then, and whether it needs one of its own.
        self._up = self._plain = False
        self._home = f"projects/{project.name}"
        repository = project.repository()
        self._beside = {name: data for name, data in repository.items() if not name.startswith(f"{self._home}/test/")}
        self.workspace = f"{SITE}/{self._home}/eval/work"
        #: What is left out of words: nobody outside knows these folders.
        self.roots = (self.workspace, *(f"{root}/{self._home}" for root in (SITE, ROOT)), SITE, ROOT)

    def lay(self, files: Files) -> None:
        """End what ran before and lay `files` out as the workspace. Raises Fault."""
        work = {f"{self._home}/eval/work/{name}": data for name, data in files.items()}
        archive = pack({**self._beside, **work}, mode=0o666)
        folders = (self.workspace, f"{SITE}/{self._home}/node_modules")
        done = self._site(LAY, *folders, stdin=archive, folder="/", bounded=False)
        if done.code:
            # Among hundreds that were dying there was no room for it.
            self._container.end_all(SITE_USER)
            done = self._site(LAY, *folders, stdin=archive, folder="/", bounded=False)
        if done.code:
            raise Fault(f"the workspace could not be laid out for grading: {done.output.decode(errors='replace')[-200:]}")
        self._up = done.output.split()[-1:] == [b"up"]
        self._plain = SERVE_READS.isdisjoint(files) and not self._project.has_build and not self._project.has_init_script

    def script(self, name: str, task: str) -> None:
        """Run the project's script of that name. Raises SiteFailed with what it said when it fails or takes too long."""
        done = self._site('exec sh -c "$1"', self._project.script(name), task=task, seconds=BUILD_SECONDS)
        said = done.output.decode(errors="replace")
        if done.late:
            raise SiteFailed(f"`{name}` did not end within {BUILD_SECONDS:g} s", said)
        if done.code:
            raise SiteFailed(f"`{name}` ended with exit code {done.code}", said)

    def serve(self, server: ProjectServer, task: str) -> None:
        """Have the project's server answer, in a session of its own. Raises SiteFailed when it ends or does not answer in time.

        One that only hands out files, and finds no settings among them, goes on for the next workspace.
        """
        keep = server.static and self._plain
        if self._up and keep:
            return
        if self._up:
            self._container.end_all(STATIC_USER)
        words = (server.command, server.url, f"{server.seconds:g}")
        user = STATIC_USER if keep else SITE_USER
        where = {"folder": server.folder or "", "variables": server.variables}
        done = self._site(START, *words, task=task, seconds=server.seconds + 20, user=user, **where)
        if done.code:
            what = "ended before it answered" if done.code == 9 else f"did not answer within {server.seconds:g} s"
            raise SiteFailed(f"the server {what}", self.served())

    def served(self) -> str:
        """The last words of the server."""
        return self._site("tail -qc 4000 /tmp/server-*.log", folder="/").output.decode(errors="replace")

    def run(self, specs: Sequence[str], task: str, first: str | None, skipped: str | None) -> PlaywrightRun:
        """Run spec files with Playwright's binary; with `first` that one before the others, up to the first failure.

        `skipped` is a pattern of titles that are left out.
        """
        words = ["test", *specs, "-c", self._config(), "--workers=1", "--output", f"{OWN}/results"]
        words += ["--max-failures=1"] if first else []
        words += ["--grep-invert", skipped, "--pass-with-no-tests"] if skipped else []
        more = {**self._browser, "ASSAY_REPORT": f"{OWN}/report.json"}
        more |= {"ASSAY_FIRST": first.rpartition("/")[2]} if first else {}
        done = self._container.run(
            ["bash", "-c", PLAYWRIGHT, "playwright", *words],
            seconds=RUN_SECONDS,
            folder=f"{ROOT}/{self._home}",
            environment=self._variables(task, OWN) | more,
            apart=True,
        )
        if done.code not in (0, 1):
            # A runner that did not come to its end leaves processes of its own behind.
            self._container.end_all()
        return PlaywrightRun(done.code, done.errors.decode("utf-8", errors="replace"), done.output or None, done.late)

    def listed(self) -> PlaywrightRun:
        """What Playwright says of the project's own configuration and specs, without running them; as JSON in `report`."""
        done = self._container.run(
            ["bash", "-c", LIST, "playwright", self._project.config],
            seconds=120,
            folder=f"{ROOT}/{self._home}",
            environment=self._variables("task-1", OWN),
            apart=True,
        )
        return PlaywrightRun(done.code, done.errors.decode("utf-8", errors="replace"), done.output or None, done.late)

    def _config(self) -> str:
        return f"assay.config.{_kind(self._project)}"

    def _site(
        self,
        script: str,
        *words: str,
        task: str = "",
        stdin: bytes = b"",
        seconds: float = 60,
        folder: str = "",
        user: str = SITE_USER,
        bounded: bool = True,
        variables: Mapping[str, str] | None = None,
    ) -> Done:
        return self._container.run(
            ["bash", "-c", script, "site", *words],
            user=user,
            stdin=stdin,
            seconds=seconds,
            folder=folder or f"{SITE}/{self._home}",
            environment=self._variables(task, "/tmp") | dict(variables or {}),
            bounded=bounded,
        )

    def _variables(self, task: str, home: str) -> dict[str, str]:
        """What Web-Bench's evaluator sets; CI is not among them. `home` is where temporary files go."""
        return {
            "HOME": home,
            "TMPDIR": home,
            "PATH": f"/tools:/packages/node_modules/.bin:{ENVIRONMENT['PATH']}",
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
    binds = {
        str(INSIDE / "hosts"): "/etc/hosts",
        str(INSIDE): "/tools",
        **user_agent.TOOL,
        str(packages / "node_modules"): "/packages/node_modules",
    }
    bounds = Bounds(memory=4096, disk=512, processes=1024)
    with sandbox.container(binds, ("/tmp", SITE), private={OWN: USER, ROOT: ROOT_OWNER}, bounds=bounds) as container:
        pairs = [word for pair in project.workspace().items() for word in pair]
        done = container.run(["bash", "-c", REPOSITORY, "lay", *pairs], user=KEEPER, stdin=pack(_repository(project)))
        if done.code:
            raise Fault(f"the specs could not be laid out: {done.output.decode(errors='replace')[-200:]}")
        yield Bench(container, project, sandbox.browser_path, sandbox.browser_version())


def _repository(project: BenchProject) -> Files:
    """What the runner has: the repository's layout, and a configuration that derives from the project's own."""
    folder, kind, base = f"projects/{project.name}", _kind(project), project.config
    entry = {
        "cjs": f"module.exports = require('/tools/derive.cjs')(require('./{base}'))\n",
        "mjs": f"import derive from '/tools/derive.cjs'\nimport * as found from './{base}'\nexport default derive(found)\n",
    }
    return {**project.repository(), f"{folder}/assay.config.{kind}": entry[kind].encode()}


def _kind(project: BenchProject) -> str:
    """The extension of a derived configuration that can load the project's: as a module only where it must, since that
    costs every process of Playwright a loader."""
    module = project.config.endswith(".mjs") or (project.config.endswith(".js") and project.package.get("type") == "module")
    return "mjs" if module else "cjs"


def server_in(listed: PlaywrightRun) -> ProjectServer:
    """The web server of the configuration that `Bench.listed` read. Raises ValueError where there is none to be read."""
    try:
        found = json.loads(listed.report or b"")["config"]["webServer"]
        # The configuration was read where the specs are; what it starts knows another copy of the repository.
        found = json.loads(json.dumps(found).replace(f"{ROOT}/", f"{SITE}/"))
        return ProjectServer(
            command=found["command"].strip(),
            url=found["url"],
            seconds=found.get("timeout", 60_000) / 1000,
            variables={name: str(value) for name, value in (found.get("env") or {}).items()},
            folder=found.get("cwd"),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        said = last_words(listed.said)
        raise ValueError(f"its configuration and specs do not load, or name no web server: {said}") from error
