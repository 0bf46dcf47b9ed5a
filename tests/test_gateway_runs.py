"""Whole runs of pytest with a model behind the gateway: cassettes, a gateway that is killed, keys that are refused."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.commands import OPTIONS, PYTEST, ROOT, Done, clean
from tests.commands import run as run_here
from tests.model_server import Said, failing, serving
from tests.suites.runs import SUITES
from tests.test_runs import records

SKILL = (
    "---\nname: mine\ndescription: About mine.\n---\n# Mine\nEvery heading of the page is written in the brand's own voice.\n"
)
ANSWER = "```html index.html\n<!doctype html><title>x</title>\n```\n"


def skill(folder: Path, text: str = SKILL) -> Path:
    (folder / "mine").mkdir(exist_ok=True)
    (folder / "mine" / "SKILL.md").write_text(text, encoding="utf-8")
    return folder / "mine"


def run(*arguments: object, **environment: str) -> Done:
    """`pytest ARGUMENTS` where the small suites are: whom models are asked for is not what is tested here."""
    return run_here(*arguments, ASSAY_SUITES=str(SUITES), **environment)


def arguments(tmp_path: Path, store: str, url: str, *more: object) -> list[object]:
    """Two trials, of one request each."""
    panel = tmp_path / "panel.toml"
    panel.write_text('suite = "greetings"\nprojects = ["english"]\n', encoding="utf-8")
    arms = ["--panel", panel, "--condition", "C0", "--condition", "C1", "--replicates", 1]
    model = ["--agent", "web", "--model", "scripted", "--api-base", url, "--sandbox", "local", "--allow-unsandboxed"]
    return ["--runs", tmp_path / store, "--skill", tmp_path / "mine", *arms, *model, *more]


def outcomes(store: Path) -> list[Any]:
    rows: list[Any] = records(store)
    return sorted((row["spec"]["condition"], row["usage"]["prompt_tokens"], row["usage"]["completion_tokens"]) for row in rows)


def test_a_recorded_run_is_replayed_without_its_model_and_a_changed_request_is_an_error(tmp_path: Path) -> None:
    skill(tmp_path)
    with serving(ANSWER) as server:
        url = server.url
        done = run(*arguments(tmp_path, "one", url, "--record", tmp_path / "cassettes"))
        assert done.returncode == 0, done.stdout + done.stderr
        asked = len(server.requests)
    assert asked == 2
    again = run(*arguments(tmp_path, "two", url, "--replay", tmp_path / "cassettes"))
    assert again.returncode == 0, again.stdout + again.stderr
    assert outcomes(tmp_path / "two") == outcomes(tmp_path / "one")
    skill(tmp_path, SKILL.replace("voice", "tone"))
    changed = run(*arguments(tmp_path, "three", url, "--replay", tmp_path / "cassettes"))
    assert changed.returncode == 3, changed.stdout + changed.stderr
    rows: list[Any] = records(tmp_path / "three")
    (broken,) = [row for row in rows if row["status"] == "broken"]
    assert broken["spec"]["condition"] == "C1"
    assert "tone" in broken["reason"] and "voice" in broken["reason"]
    assert "sk-" not in "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "cassettes").rglob("*.jsonl"))


def test_a_gateway_that_is_killed_breaks_the_trial_in_flight_and_no_other(tmp_path: Path) -> None:
    skill(tmp_path)
    with serving(Said(silent=True), ANSWER) as server:
        command = [sys.executable, "-m", PYTEST, *OPTIONS, *map(str, arguments(tmp_path, "runs", server.url))]
        env = clean(ASSAY_SUITES=str(SUITES))
        with subprocess.Popen(command, cwd=ROOT, env=env, stdout=-1, stderr=subprocess.STDOUT, text=True) as process:
            end = time.monotonic() + 120
            while not server.requests:
                assert process.poll() is None and time.monotonic() < end, "no request came"
                time.sleep(0.02)
            os.kill(gateway_of(process.pid), signal.SIGKILL)
            said, _ = process.communicate(timeout=120)
        assert process.returncode == 3, said
    rows: list[Any] = records(tmp_path / "runs")
    assert sorted(row["status"] for row in rows) == ["broken", "measured"]
    (broken,) = [row for row in rows if row["status"] == "broken"]
    assert broken["reason"].startswith("the gateway ended during the trial")
    with serving(ANSWER) as server:
        again = run(*arguments(tmp_path, "runs", server.url))
    assert again.returncode == 0, again.stdout + again.stderr


def test_what_a_provider_says_does_not_steer_the_terminal(tmp_path: Path) -> None:
    skill(tmp_path)
    nasty = "quota \x1b]0;owned\x07\x1b[2J\u202egone\rassay: gate holds"
    with serving(failing(403, nasty)) as server:
        done = run(*arguments(tmp_path, "runs", server.url))
    assert done.returncode == 3, done.stdout
    rows: list[Any] = records(tmp_path / "runs")
    assert "\x1b]0;owned" in rows[0]["reason"], "the record has what was said"
    assert r"quota \x1b]0;owned\x07\x1b[2J\u202egone assay: gate holds" in done.stdout
    assert not re.search("[\x1b\x07\r\u202e]", done.stdout + done.stderr)


def gateway_of(parent: int) -> int:
    """The gateway that a run of pytest has started."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            above = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if above == parent and b"fixtures.gateway" in words:
            return int(entry.name)
    raise AssertionError("no gateway was started")


def refusal(tmp_path: Path, *more: object, **environment: str) -> str:
    """The one line of a run that does not begin."""
    local = ("--sandbox", "local", "--allow-unsandboxed")
    asked = ("--runs", tmp_path / "runs", "--skill", skill(tmp_path), "--project", "bakery-page", "--agent", "web", *local)
    done = run(*asked, *more, **environment)
    assert done.returncode == 2, done.stdout + done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("assay: "), done.stderr
    assert not (tmp_path / "runs" / "records").exists()
    return lines[0]


def test_a_missing_key_stops_before_the_first_trial(tmp_path: Path) -> None:
    said = refusal(tmp_path, "--model", "anthropic/claude-haiku-4-5", "--budget-usd", 1, ANTHROPIC_API_KEY="")
    assert "ANTHROPIC_API_KEY is not set" in said
    assert not (tmp_path / "runs").exists()


def test_a_refused_key_and_an_unknown_model_stop_before_the_first_trial(tmp_path: Path) -> None:
    with serving(ANSWER, key="sk-right") as server:
        there = ("--api-base", server.url)
        said = refusal(tmp_path, *there, "--model", "scripted", ASSAY_API_KEY="sk-wrong", OPENAI_API_KEY="sk-right")
        assert "own refuses the key in ASSAY_API_KEY (401: Incorrect API key provided.)" in said and "sk-" not in said
        said = refusal(tmp_path, *there, "--model", "scribted", ASSAY_API_KEY="sk-right")
        assert "own has no model 'scribted'" in said and "did you mean scripted?" in said
        assert server.requests == []
        done = run(*arguments(tmp_path, "runs", server.url), ASSAY_API_KEY="sk-right")
        assert done.returncode == 0, done.stdout + done.stderr
        assert {asked.headers["authorization"] for asked in server.requests} == {"Bearer sk-right"}
    assert [path for path in (tmp_path / "runs").rglob("*") if path.is_file() and b"sk-right" in path.read_bytes()] == []


def test_the_gateway_goes_with_the_run_also_where_paths_are_too_long_for_sockets(tmp_path: Path) -> None:
    skill(tmp_path)
    temporary = tmp_path / ("t" * 60)
    temporary.mkdir()
    before = set(Path("/tmp").glob("assay-gw-*"))
    with serving(ANSWER) as server:
        done = run(*arguments(tmp_path, "runs", server.url), "-n", "2", TMPDIR=str(temporary))
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(temporary.glob("assay-gw-*")) == []
    assert [row["status"] for row in records(tmp_path / "runs")] == ["measured", "measured"]
    assert {path for path in set(Path("/tmp").glob("assay-gw-*")) - before if not any(path.iterdir())} == set()
