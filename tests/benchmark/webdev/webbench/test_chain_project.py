"""Workspaces of a checkout looked at in real containers, by its own specs: what is told apart, run again, kept from whom."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from benchmark.core.files import Files, sha256
from benchmark.core.model import CheckOutcome
from benchmark.suite.contract import GradeReport
from benchmark.webdev.grade import FEEDBACK_LIMIT, GraderFault
from benchmark.webdev.webbench import chain_project, prepare
from benchmark.webdev.webbench.chain_project import SpecGrader, WebBenchProject
from benchmark.webdev.webbench.checkout import Checkout
from benchmark.webdev.webbench.project import BenchProject, Quarantined
from fixtures.sandbox.docker import DockerSandbox
from fixtures.web import user_agent

pytestmark = pytest.mark.docker

#: A build tool's configuration is code that runs wherever the site is built: what a hostile workspace would do first.
PROBE = """
const fs = require('fs')
const attempts = {
  specs: () => fs.readdirSync('/bench/projects/plant-board/test'),
  packages: () => fs.writeFileSync('/packages/node_modules/vite/package.json', '{}'),
  planted: () => fs.mkdirSync('/bench/node_modules/@playwright'),
  swapped: () => fs.unlinkSync('/bench/node_modules'),
  repository: () => fs.writeFileSync('/bench/projects/plant-board/playwright.config.js', ''),
  report: () => fs.writeFileSync('/own/report.json', '{}'),
  results: () => fs.readdirSync('/own'),
  ownConfig: () => fs.writeFileSync('/site/projects/plant-board/playwright.config.js', 'export default {}'),
  ownCache: () => fs.writeFileSync('/site/projects/plant-board/mine', 'fine'),
}
const found = {}
for (const [name, attempt] of Object.entries(attempts)) {
  try { attempt(); found[name] = 'done' } catch (error) { found[name] = error.code }
}
found.environment = Object.keys(process.env)
fs.writeFileSync(__dirname + '/found.json', JSON.stringify(found))
module.exports = { plugins: [] }
"""


#: In the process that serves: what comes with every request of the site.
LISTENS = """
const fs = require('fs')
const emit = require('http').Server.prototype.emit
require('http').Server.prototype.emit = function (event, request, ...rest) {
  if (event === 'request') {
    fs.appendFileSync('/site/seen', JSON.stringify([request.url, request.headers]) + '\\n')
  }
  return emit.call(this, event, request, ...rest)
}
module.exports = { plugins: [] }
"""
#: In the page: what its scripts see, told before anything else of it runs.
TELLS = b"""
const asked = new XMLHttpRequest()
const { userAgent, webdriver, userAgentData, onLine } = navigator
const told = { userAgent, webdriver, onLine, brands: userAgentData.brands }
asked.open('GET', '/told?' + encodeURIComponent(JSON.stringify(told)), false)
asked.send()
if (!location.hash) window.open('/index.html#popup', '_blank', 'noopener')
"""


#: One test of each task fails of it: after each that does, Playwright and the browser are started again.
MISTAKE = ("+ 1", "+ 1 + (output.value === '1')")


class Looks:
    """Looks at workspaces of projects, in a container of each that stays open."""

    def __init__(self, sandbox: DockerSandbox, exits: ExitStack) -> None:
        self._sandbox = sandbox
        self._exits = exits
        self._open: dict[int, SpecGrader] = {}

    def of(self, project: BenchProject) -> SpecGrader:
        return self._open.setdefault(id(project), SpecGrader(project, self._sandbox, self._exits))


@pytest.fixture(scope="module")
def looks(docker_sandbox: DockerSandbox) -> Iterator[Looks]:
    with ExitStack() as exits:
        yield Looks(docker_sandbox, exits)


@pytest.fixture(scope="module")
def tally(small: Checkout) -> BenchProject:
    return small.project("tally")


@pytest.fixture(scope="module")
def board(small: Checkout) -> BenchProject:
    return small.project("plant-board")


def failed(looked: GradeReport) -> list[CheckOutcome]:
    return [item for item in looked.checks if item.failure]


def changed(files: Mapping[str, bytes], name: str, old: str, new: str) -> Files:
    text = files[name].decode()
    assert text.count(old) == 1
    return {**files, name: text.replace(old, new).encode()}


def loading(checkout: Path, spec: str) -> BenchProject:
    """`tally` with a spec that loads the workspace's code into the process that tests, as a few of Web-Bench's do."""
    home = checkout / "projects" / "tally"
    loads = "require(require('path').join(process.env.EVAL_PROJECT_ROOT, 'tally.cjs'))\n"
    (home / "test" / spec).write_text(loads + (home / "test" / spec).read_text(encoding="utf-8"), encoding="utf-8")
    (home / "src" / "tally.cjs").write_text("module.exports = {}\n", encoding="utf-8")
    return Checkout(checkout).project("tally")


def test_the_final_solution_of_every_project_passes_all_its_specs(checkout: Checkout, looks: Looks) -> None:
    """Of the small checkout, or with --webbench of the projects that CI would have no time for."""
    names = [name for name in ("tally", "plant-board", "calculator", "less") if name in checkout.names]
    assert names
    for name in names:
        project = checkout.project(name)
        count = len(project.scored)
        looked = looks.of(project)(count, project.reference, 1)
        assert looked.score.best and looked.checks and not failed(looked), (name, looked.feedback)
        assert {item.task for item in looked.checks} >= set(range(1, count + 1))


def test_a_site_cannot_tell_the_runner_of_specs_from_a_stock_browser_that_is_online(board: BenchProject, looks: Looks) -> None:
    look = looks.of(board)
    listening = {**board.reference, "postcss.config.cjs": LISTENS.encode()}
    listening["board.js"] = TELLS + board.reference["board.js"]
    looked = look(1, listening, 1)
    assert looked.score.best, looked.feedback
    assert look._bench
    rows = [json.loads(line) for line in look._bench._container.run(["cat", "/site/seen"]).output.splitlines()]
    # The server is asked once by who waits for it.
    asked = [(url, headers) for url, headers in rows if "urllib" not in headers["user-agent"]]
    told = [json.loads(unquote(url.partition("?")[2])) for url, _ in asked if url.startswith("/told")]
    version = user_agent.version_in(looks._sandbox.browser_version())
    agent, brands = user_agent.user_agent(version), user_agent.brands_header(version)
    assert told and {(row["userAgent"], row["webdriver"], row["onLine"]) for row in told} == {(agent, False, True)}
    assert {", ".join(f'"{item["brand"]}";v="{item["version"]}"' for item in row["brands"]) for row in told} == {brands}
    assert {headers["user-agent"] for _, headers in asked} == {agent}
    assert {headers["sec-ch-ua"] for _, headers in asked if "sec-ch-ua" in headers} == {brands}


def test_the_first_attempt_is_told_of_every_spec(tally: BenchProject, looks: Looks) -> None:
    hasty = changed(tally.reference, "tally.js", *MISTAKE)
    looked = looks.of(tally)(3, hasty, 1)
    assert {item.task for item in looked.checks} == {0, 1, 2, 3} and looked.feedback
    assert {item.task for item in failed(looked)} == {1, 2, 3}
    assert "three presses count three" in looked.feedback and re.search(r"^ *> *\d+ \| ", looked.feedback, re.M)
    assert not any(root in looked.feedback for root in ("/bench", "/site", "/own"))
    assert len(looked.feedback) <= FEEDBACK_LIMIT


def test_the_second_attempt_runs_the_new_tasks_spec_first_and_stops_at_the_first_failure(
    tally: BenchProject, looks: Looks
) -> None:
    broken = changed(tally.reference, "tally.js", "localStorage.getItem('tally')", "null")
    looked = looks.of(tally)(3, broken, 2)
    assert [(item.task, bool(item.failure)) for item in looked.checks] == [(3, True)] and not looked.score.best
    assert looks.of(tally)(3, broken, 2).feedback == looked.feedback
    looked = looks.of(tally)(3, tally.reference, 2)
    assert looked.score.best and looked.checks[0].task == 3 and {item.task for item in looked.checks} == {0, 1, 2, 3}


def test_a_workspace_that_does_not_build_fails_with_the_builders_words(board: BenchProject, looks: Looks) -> None:
    torn = {**board.reference, "board.js": b"import './nowhere.js'\n"}
    looked = looks.of(board)(1, torn, 1)
    (check,) = looked.checks
    assert (check.failure, check.reruns, check.task) == ("server", 0, 1)
    assert looked.feedback and "nowhere.js" in looked.feedback and "/site" not in looked.feedback


def test_a_server_that_an_agent_keeps_from_starting_is_tried_again_and_then_believed(board: BenchProject, looks: Looks) -> None:
    # What only serving loads: the build is left alone.
    config = b"if (process.argv.includes('--port')) process.exit(3)\nmodule.exports = {}\n"
    shut = {**board.reference, "postcss.config.cjs": config}
    looked = looks.of(board)(0, shut, 1)
    # It ends before it answers, or, where the build tool was quicker to answer than to read its settings, a moment after.
    assert {check.failure for check in failed(looked)} == {"server"} and {check.reruns for check in looked.checks} == {2}
    assert looked.feedback and ("ended before it answered" in looked.feedback or "ERR_CONNECTION_REFUSED" in looked.feedback)


def test_a_workspace_can_neither_read_the_specs_nor_bend_what_grades_it(board: BenchProject, looks: Looks) -> None:
    look = looks.of(board)
    hostile = {**board.reference, "postcss.config.cjs": PROBE.encode()}
    assert look(0, hostile, 1).score.best
    assert look._bench
    said = look._bench._container.run(["cat", f"{look._bench.workspace}/found.json"]).output
    found = json.loads(said)
    environment = found.pop("environment")
    assert (found.pop("ownCache"), found.pop("ownConfig")) == ("done", "done")
    assert set(found.values()) <= {"EACCES", "EROFS", "EPERM"}, found
    assert "EVAL_TASK" in environment and not {"CI", "ASSAY_REPORT"} & set(environment)
    # What it did to what is its own is gone with the next workspace.
    assert look(0, board.reference, 1).score.best
    assert look._bench._container.run(["ls", "/site/projects/plant-board/mine"]).code


def test_a_fault_of_ours_is_run_again_twice_and_never_scored(
    tally: BenchProject, docker_sandbox: DockerSandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = prepare.prepare(tally, docker_sandbox)
    (tmp_path / "node_modules").mkdir()
    runs = []

    def once(self: SpecGrader, *arguments: Any) -> chain_project.SpecRun:
        runs.append(arguments)
        return original(self, *arguments)

    original = SpecGrader._once
    monkeypatch.setattr(SpecGrader, "_once", once)
    monkeypatch.setattr(chain_project, "prepare", lambda *_: real.model_copy(update={"packages": str(tmp_path)}))
    with ExitStack() as exits, pytest.raises(GraderFault, match="the server ended before it answered"):
        SpecGrader(tally, docker_sandbox, exits)(1, tally.reference, 1)
    # The last run asks whether the final solution fares any better.
    assert len(runs) == 1 + chain_project.RERUNS + 1


def test_a_workspace_that_brings_the_tests_down_is_told_from_a_fault_of_ours(copy: Path, looks: Looks) -> None:
    project = loading(copy, "task-1.spec.js")
    deadly = {**project.reference, "tally.cjs": b"process.kill(process.pid, 'SIGKILL')\n"}
    looked = looks.of(project)(1, deadly, 1)
    (check,) = looked.checks
    # Believed only since the final solution fared better in the same container, after it.
    assert (check.failure, check.reruns, check.task) == ("crash", chain_project.RERUNS, 1) and not looked.score.best


def test_a_plain_server_goes_on_until_a_workspace_brings_settings_for_one(tally: BenchProject, looks: Looks) -> None:
    bench, prepared = looks.of(tally)._opened()
    ask = "from urllib.request import *; import sys; sys.stdout.buffer.write(urlopen(sys.argv[1]).read())"
    find = "ps -eo pid,user:20,args 2>/dev/null | grep '[b]in/serve\\|[s]erve /site' || true"

    def servers() -> list[str]:
        return sorted(line.split()[0] for line in bench._container.run(["bash", "-c", find]).output.decode().splitlines())

    def shows_its_page(files: Files) -> bool:
        bench.lay(files)
        bench.serve(prepared.server, "task-1")
        page = bench._container.run(["python3", "-c", ask, f"{prepared.server.url}/index.html"], errors=False)
        return page.output == files["index.html"]

    assert tally.fallback["index.html"] != tally.reference["index.html"] and shows_its_page(tally.reference)
    first = servers()
    assert first
    assert shows_its_page(tally.fallback) and shows_its_page(tally.reference)
    assert servers() == first
    # Settings that hide the page: who brought them gets a server that knows them, and nobody after.
    hiding = {**tally.reference, "serve.json": b'{"rewrites": [{"source": "**", "destination": "/nowhere.html"}]}'}
    assert not shows_its_page(hiding) and not set(servers()) & set(first)
    assert shows_its_page(tally.reference)


def test_code_that_specs_load_outlives_no_run_and_changes_no_spec(copy: Path, looks: Looks) -> None:
    project = loading(copy, "task-1.spec.js")
    stays = """
    const fs = require('fs')
    require('child_process').spawn('sleep', ['987'], { detached: true, stdio: 'ignore' }).unref()
    try { fs.writeFileSync('/bench/projects/tally/test/task-1.spec.js', '') } catch (error) { console.log('spec', error.code) }
    try { fs.rmSync('/bench/projects/tally/test/task-2.spec.js') } catch (error) { console.log('rm', error.code) }
    """
    look = looks.of(project)
    assert look(1, {**project.reference, "tally.cjs": stays.encode()}, 1).score.best
    assert look._bench
    processes = look._bench._container.run(["bash", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"]).output
    assert b"sleep 987" not in processes and b"playwright" not in processes
    assert {item.task for item in look(2, project.reference, 1).checks} == {0, 1, 2}


def test_tests_in_quarantine_are_left_out_and_others_of_their_spec_are_not(tally: BenchProject, looks: Looks) -> None:
    spec = "test/task-3.spec.js"
    hashed = sha256(tally.files[f"projects/tally/{spec}"])
    row = Quarantined(spec=spec, title='a kept "1.5" counts as 0', failures=1, runs=3, sha256=hashed)
    eased = tally.graded_with([row], "shown")
    careless = changed(tally.reference, "tally.js", "Number.isInteger", "Number.isFinite")
    assert [item.title for item in failed(looks.of(tally)(3, careless, 1))] == [row.title]
    looked = looks.of(eased)(3, careless, 1)
    titles = {item.title for item in looked.checks}
    assert looked.score.best and row.title not in titles and {'a kept "many" counts as 0', 'a kept "-4" counts as 0'} <= titles


def test_a_spec_of_which_no_test_is_left_is_no_fault(tally: BenchProject, looks: Looks) -> None:
    spec = "test/task-1.spec.js"
    hashed = sha256(tally.files[f"projects/tally/{spec}"])
    titles = ("one press counts one", "three presses count three")
    thinned = tally.graded_with(
        [Quarantined(spec=spec, title=title, failures=1, runs=3, sha256=hashed) for title in titles], "shown"
    )
    looked = looks.of(thinned)(1, thinned.reference, 1)
    assert looked.score.best and {item.task for item in looked.checks} == {0}
    assert looks.of(thinned)(1, thinned.reference, 2).score.best


def test_feedback_can_hide_the_tests(tally: BenchProject, looks: Looks) -> None:
    hiding = tally.graded_with([], "hidden")
    told = looks.of(hiding)(1, changed(tally.reference, "tally.js", *MISTAKE), 1).feedback
    assert told and "three presses count three" in told and "expected: " in told and "seen: " in told
    for source in ("test(", "expect(", "locator", "#total", ".spec.", "page."):
        assert source not in told


def test_what_is_set_in_this_process_does_not_reach_the_specs(
    board: BenchProject, looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CI", "EVAL_TASK", "EVAL_PROJECT_PORT", "PLAYWRIGHT_BROWSERS_PATH"):
        monkeypatch.setenv(name, "1")
    looked = looks.of(board)(0, board.reference, 1)
    assert looked.score.best and "graded as an evaluation, not as CI" in {item.title for item in looked.checks}


def test_only_the_unscored_task_may_know_the_names_of_the_files_to_be(tally: BenchProject) -> None:
    walked = WebBenchProject(tally)
    assert "index.html" in walked.prompt(0, "", None) and [task.scored for task in walked.tasks] == [False, True, True, True]
    assert "The files that it is to have" not in walked.prompt(1, "", None)


WORKER = """
import sys
from contextlib import ExitStack
from pathlib import Path
from benchmark.webdev.webbench.checkout import Checkout
from benchmark.webdev.webbench.chain_project import SpecGrader
from fixtures.sandbox.docker import DockerSandbox

project = Checkout(Path(sys.argv[1])).project("plant-board")
sandbox = DockerSandbox()
with ExitStack() as exits:
    look = SpecGrader(project, sandbox, exits)
    bench, prepared = look._opened()
    bench.lay(project.reference)
    bench.serve(prepared.server, "task-1")
    print(bench._container.id, flush=True)
    sys.stdin.read()
"""


def test_a_killed_worker_leaves_no_server(board: BenchProject, small: Checkout, docker_sandbox: DockerSandbox) -> None:
    prepare.prepare(board, docker_sandbox)
    root = Path(__file__).parents[4]
    command = [sys.executable, "-c", WORKER, str(small.root)]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True, cwd=root, start_new_session=True) as worker:
        assert worker.stdout
        ident = worker.stdout.readline().strip()
        container = docker_sandbox.client.containers.get(ident)
        pids = [int(row[1]) for row in container.top()["Processes"]]
        assert any("vite" in " ".join(row) for row in container.top()["Processes"])
        os.kill(worker.pid, signal.SIGKILL)
        container.wait(condition="removed", timeout=60)
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
