"""Whole runs of pytest on this checkout, as a person starts them: resuming, killing, broken things, bad input."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.commands import OPTIONS, PYTEST, ROOT, Done, assay, clean, fresh, run

#: Trials of an agent that does nothing: the shortest run in which pages are opened.
PANEL = """
suite = "webdev"
replicates = {replicates}
seed = 4
projects = ["bakery-page"]
skills = ["accessible-web-pages"]
[[agents]]
name = "{agent}"
"""


@pytest.fixture
def panel(tmp_path: Path) -> Path:
    """Three trials."""
    path = tmp_path / "panel.toml"
    path.write_text(PANEL.format(replicates=1, agent="noop"), encoding="utf-8")
    return path


@pytest.fixture
def store(measured: Path, tmp_path: Path) -> Path:
    """A store with the trials of the panel."""
    return shutil.copytree(measured, tmp_path / "runs")


def started(panel: Path, store: Path) -> "subprocess.Popen[str]":
    """A run in a session of its own that has measured at least one trial."""
    command = [sys.executable, "-m", PYTEST, *OPTIONS, "--panel", str(panel), "--runs", str(store)]
    process = subprocess.Popen(
        command, cwd=ROOT, env=clean(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    end = time.monotonic() + 120
    while not (store / "records").is_dir() or not records(store):
        assert process.poll() is None and time.monotonic() < end, "no record came"
        time.sleep(0.02)
    return process


def records(store: Path) -> list[dict[str, object]]:
    return [json.loads(line) for path in (store / "records").glob("*.jsonl") for line in path.read_text().splitlines()]


def test_a_run_measures_every_trial_and_writes_the_pages(measured: Path) -> None:
    said = measured.with_name("said").read_text(encoding="utf-8")
    assert "2 workers" in said and "3 trials" in said and "3 measured" in said
    results = json.loads((measured / "report" / "results.json").read_text(encoding="utf-8"))
    assert results["coverage"] == {
        "planned": 3, "measured": 3, "contaminated": 0, "not_delivered": 0, "broken": 0, "limited": 0, "historical": 0,
        "not_run": 0,
    }  # fmt: skip
    assert [line["metrics"]["pass2"] for line in results["arms"]] == [0.0, 0.0, 0.0]
    assert (measured / "report" / "report.html").stat().st_size < 2_000_000
    assert list((measured / "report" / "allure-results").glob("*-result.json"))


def test_the_same_command_again_takes_everything_from_the_store(panel: Path, store: Path) -> None:
    """In an interpreter of its own, which finds the checkout by itself although the store is outside of it."""
    before = records(store)
    again = fresh(PYTEST, "--panel", panel, "--runs", store)
    assert again.returncode == 0
    assert "3 from the store" in again.stdout and f"rootdir: {ROOT}\n" in again.stdout
    assert records(store) == before


def test_more_replicates_run_only_what_is_new(panel: Path, store: Path) -> None:
    before = records(store)
    assert run("--panel", panel, "--runs", store, "--replicates", 2).returncode == 0
    after = records(store)
    assert len(after) == 6 and all(row in after for row in before)


def test_a_killed_run_costs_at_most_the_trials_in_flight(tmp_path: Path) -> None:
    panel, store = tmp_path / "panel.toml", tmp_path / "runs"
    panel.write_text(PANEL.format(replicates=3, agent="noop"), encoding="utf-8")
    process = started(panel, store)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    kept = records(store)
    assert run("--panel", panel, "--runs", store).returncode == 0
    after = records(store)
    assert all(row in after for row in kept)
    assert len(after) == 9


def test_must_solve_turns_unsolved_tasks_into_failures(panel: Path, store: Path) -> None:
    done = run("--panel", panel, "--runs", store, "--condition", "C0", "--must-solve")
    assert done.returncode == 1
    assert "task 1" in done.stdout


def test_an_interrupt_ends_with_130_and_keeps_the_report(tmp_path: Path) -> None:
    panel, store = tmp_path / "panel.toml", tmp_path / "runs"
    panel.write_text(PANEL.format(replicates=6, agent="noop"), encoding="utf-8")
    process = started(panel, store)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert (store / "report" / "report.html").is_file()


def test_a_trial_that_our_side_breaks_is_broken_and_never_unsolved(panel: Path, tmp_path: Path) -> None:
    """A browser that is none: it answers to --version and then to nothing."""
    fake = tmp_path / "browser"
    fake.write_text("#!/bin/sh\n[ \"$1\" = --version ] && echo 'Chromium 1.0' && exit 0\nexit 7\n", encoding="utf-8")
    fake.chmod(0o755)
    store = tmp_path / "runs"
    done = run("--panel", panel, "--runs", store, "--condition", "C0", ASSAY_BROWSER=str(fake))
    assert done.returncode == 3, done.stdout
    assert [row["status"] for row in records(store)] == ["broken"]
    results = json.loads((store / "report" / "results.json").read_text(encoding="utf-8"))
    assert results["arms"][0]["metrics"]["pass2"] is None
    assert run("--panel", panel, "--runs", store, "--condition", "C0").returncode == 0, "a later record supersedes it"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--project", "bakery-pgae"], ["unknown project 'bakery-pgae'", "bakery-page"]),
        (["--skill", "no\x1b[2J\u202esuch"], [r"no\x1b[2J\u202esuch"]),
        (["--project", "bakery\rassay: fine"], [r"bakery\rassay: fine"]),
        (["--skill", "acessible-web-pages"], ["unknown skill", "accessible-web-pages"]),
        (["--agent", "planed"], ["unknown agent 'planed'", "planted"]),
        (["--condition", "C9"], ["unknown condition 'C9'"]),
        (["--delivery", "promt"], ["unknown delivery 'promt'", "prompt"]),
        (["--panel", "no-such.toml"], ["no panel at no-such.toml"]),
        (["--panel", "README.md"], ["README.md is not a panel"]),
        (["--agent", "web"], ["agent web needs a model"]),
        (["--model", "claude-sonnet-4-5"], ["its provider is not known", "--model PROVIDER/NAME"]),
        (["--model", "anthropic/claude-sonnet-4-5"], ["costs money", "--budget-usd"]),
        (["--model", "acme/frontier-1", "--budget-usd", "5"], ["unknown provider 'acme'", "--api-base"]),
        (["--model", "openai/frontier-1", "--budget-usd", "5"], ["no price is known for openai/frontier-1"]),
        (["--agent", "claude-code"], ["agent claude-code needs a model"]),
        (["--agent", "codex", "--model", "m", "--api-base", "http://127.0.0.1:9", "--sandbox", "local"], ["only in Docker"]),
        (["--agent", "mini-swe-agent", "--model", "gpt-5", "--delivery", "native"], ["reads no skill directory", "prompt"]),
        (["--model", "m", "--api-base", "http://127.0.0.1:9", "--delivery", "native"], ["web reads no skill directory"]),
        (["--agent", "noop", "--delivery", "forced"], ["--delivery forced cannot reach it", "use --delivery prompt"]),
        (["--model", "athropic/m", "--budget-usd", "5"], ["unknown provider 'athropic'", "did you mean anthropic"]),
        (["--model", "m", "--api-base", "nowhere"], ["--api-base 'nowhere' is no address"]),
        (["--model", "m", "--api-base", "http://127.0.0.1:9"], ["nothing answers at http://127.0.0.1:9"]),
        (["--record", "a", "--replay", "b"], ["--record and --replay exclude each other"]),
        (["--replay", "no-such"], ["no cassettes at no-such"]),
        (["--model", "m", "--api-base", "http://127.0.0.1:9", "--sandbox", "local"], ["--allow-unsandboxed"]),
        (["--replicates", "0"], ["replicates"]),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_exit_code_2(arguments: list[str], words: list[str], tmp_path: Path) -> None:
    refused(run("--runs", tmp_path / "runs", *arguments), words)
    assert not (tmp_path / "runs").exists()


def test_a_terminal_is_told_the_same(tmp_path: Path) -> None:
    """In an interpreter of its own."""
    done = fresh(PYTEST, "--runs", tmp_path / "runs", "--skill", "no\x1b[2J\u202esuch")
    refused(done, [r"no\x1b[2J\u202esuch"])
    assert not (tmp_path / "runs").exists()


def refused(done: Done, words: list[str]) -> None:
    """One line with these words is all that was said."""
    assert done.returncode == 2, done.stdout + done.stderr
    lines = [line for line in done.stderr.splitlines() if line]
    assert len(lines) == 1 and lines[0].startswith("assay: ")
    assert all(word in lines[0] for word in words), lines[0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "holds no SKILL.md"),
        (b"", "is empty"),
        (b"---\nname: x\n---\n\xff\xfe", "not UTF-8"),
    ],
)
def test_a_skill_that_cannot_be_injected_is_refused_first(content: bytes | None, words: str, tmp_path: Path) -> None:
    skill = tmp_path / "mine"
    skill.mkdir()
    if content is not None:
        (skill / "SKILL.md").write_bytes(content)
    done = run("--skill", skill, "--project", "bakery-page", "--runs", tmp_path / "runs")
    assert done.returncode == 2
    assert words in done.stderr


def test_a_large_skill_with_crlf_runs_and_says_so(tmp_path: Path, panel: Path) -> None:
    skill = tmp_path / "mine"
    skill.mkdir()
    (skill / "SKILL.md").write_bytes(b"---\r\nname: mine\r\ndescription: mine\r\n---\r\n" + b"Use it.\r\n" * 33_000)
    arguments = ["--panel", panel, "--skill", skill, "--project", "bakery-page", "--runs", tmp_path / "runs"]
    done = run(*arguments, "--condition", "C1", "--condition", "C2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "CRLF" in done.stdout and "297,0" in done.stdout
    assert "no partner" in done.stdout, "the tolerance is never widened"
    (row,) = records(tmp_path / "runs")
    seen = [attempt["evidence"] for task in row["tasks"] for attempt in task["attempts"]]  # type: ignore[attr-defined]
    assert [(one["requests"], one["carrying"]) for one in seen] == [(1, 1), (1, 1)]


def test_no_browser_is_said_before_the_first_trial(panel: Path, tmp_path: Path) -> None:
    done = run("--panel", panel, "--runs", tmp_path / "runs", ASSAY_BROWSER="/nowhere/chromium")
    assert done.returncode == 2
    assert "/nowhere/chromium" in done.stderr


def test_no_engine_is_said_before_the_first_trial(panel: Path, tmp_path: Path) -> None:
    done = run("--panel", panel, "--runs", tmp_path / "runs", "--sandbox", "docker", DOCKER_HOST="unix:///nowhere/docker.sock")
    assert done.returncode == 2
    assert "no Docker engine answers" in done.stderr and "--sandbox local" in done.stderr


def test_planning_writes_nothing(tmp_path: Path) -> None:
    store = tmp_path / "runs"
    done = assay("plan", "--runs", store, "--json")
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    assert plan["trials"] == len(plan["trial_ids"]) == 88
    assert (plan["shared"], plan["families"], round(plan["smallest_effect_points"])) == (10, 8, 22)
    assert not store.exists()


def test_the_suites_own_tests_need_no_panel(tmp_path: Path) -> None:
    """`pytest tests` plans nothing unless a panel is named, whoever the agent is."""
    done = run("tests/benchmark/core/test_errors.py", "--collect-only", "-q", "--agent", "no-such")
    assert done.returncode == 0, done.stderr


@pytest.mark.docker
def test_a_run_in_docker_leaves_no_container(panel: Path, tmp_path: Path) -> None:
    import docker

    done = run("--panel", panel, "--runs", tmp_path / "runs", "--sandbox", "docker", "-n", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    client = docker.from_env()
    end = time.monotonic() + 20
    while left := orphans(client):
        assert time.monotonic() < end, left
        time.sleep(0.1)
    client.close()


def orphans(client: Any) -> list[str]:
    """Containers whose worker has gone; those of other runs on this machine have theirs."""
    from benchmark.core.start_time import start_time
    from fixtures.sandbox.container import LABEL

    found = []
    here = socket.gethostname()
    for item in client.api.containers(filters={"label": LABEL}):
        host, _, rest = item["Labels"][LABEL].partition(":")
        pid, _, started = rest.partition(":")
        if host == here and start_time(int(pid)) != started:
            found.append(item["Id"])
    return found


@pytest.mark.docker
def test_a_model_is_audited_in_docker(tmp_path: Path) -> None:
    """The README's command for one's own skill, against a scripted model on loopback that answers with a real page."""
    from tests.model_server import serving

    page = (ROOT / "benchmark/webdev/projects/bakery-page/reference/01/index.html").read_text(encoding="utf-8")
    style = (ROOT / "benchmark/webdev/projects/bakery-page/reference/01/style.css").read_text(encoding="utf-8")
    answer = f"Here it is.\n\n````html index.html\n{page}````\n\n````css style.css\n{style}````\n"
    with serving(answer) as server:
        arguments = ["--skill", "skills/collection/accessible-web-pages", "--project", "bakery-page", "--replicates", 1]
        done = run(*arguments, "--model", "scripted", "--api-base", server.url, "--runs", tmp_path / "runs")
        assert done.returncode == 0, done.stdout + done.stderr
        asked = len(server.requests)
    rows = records(tmp_path / "runs")
    assert sorted(row["spec"]["condition"] for row in rows) == ["C0", "C1", "C2"]  # type: ignore[index]
    assert {task["outcome"] for row in rows for task in row["tasks"][:1]} == {"solved"}  # type: ignore[index]
    assert asked == sum(len(task["attempts"]) for row in rows for task in row["tasks"])  # type: ignore[index]
    results = json.loads((tmp_path / "runs/report/results.json").read_text(encoding="utf-8"))
    assert not results["scripted"]
