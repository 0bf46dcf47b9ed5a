"""The `webdev` suite under the suite contract: projects, hashes, forecasts and metrics."""

from typing import Any

import pytest

from benchmark.core.model import Record, TaskResult
from benchmark.suite.discovery import find_suite, suite_names
from benchmark.webdev.chain_project import NativeProject
from benchmark.webdev.metrics import METRICS
from benchmark.webdev.suite import SUITE
from tests.tiny import MANIFEST, tiny

PROJECTS = sorted(SUITE.projects())


def test_the_suite_is_found_by_its_folder() -> None:
    assert "webdev" in suite_names()
    assert find_suite("webdev") is SUITE
    assert SUITE.primary.name == "pass2"
    assert len({metric.name for metric in SUITE.all_metrics}) == len(SUITE.all_metrics) > len(METRICS)


@pytest.mark.parametrize("name", PROJECTS)
def test_every_project_is_whole(name: str) -> None:
    chain = SUITE.projects()[name]
    assert isinstance(chain, NativeProject)
    project = chain.project
    count = SUITE.task_count(name)
    assert SUITE.family(name) and SUITE.stack(name)
    assert SUITE.start(name)
    assert {item.task for item in project.checks} == set(range(1, count + 1))
    for mutant in project.mutants:
        assert project.mutate(mutant) != project.reference(mutant.task)
    assert all(project.reference(task) != project.reference(task - 1) for task in range(1, count + 1))


def test_inputs_hold_what_the_agent_sees_and_not_the_checks(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def hashes(changes: dict[str, bytes]) -> tuple[str, str]:
        project = tiny(tmp_path / "tiny", changes)
        monkeypatch.setitem(SUITE.__dict__, "_projects", {"tiny": NativeProject(project)})
        return SUITE.inputs("tiny"), SUITE.grade_key("tiny")

    inputs, grade = hashes({})
    assert hashes({}) == (inputs, grade)
    checks = (tmp_path / "tiny" / "checks.py").read_bytes()
    assert hashes({"checks.py": checks + b"# more\n"})[0] == inputs
    assert hashes({"checks.py": checks + b"# more\n"})[1] != grade
    assert hashes({"start/index.html": b"other"})[0] != inputs
    assert hashes({"project.toml": MANIFEST.replace("Call the", "Name the").encode()})[0] != inputs
    assert hashes({"second/index.html": b"other"}) == (inputs, grade)


def test_a_forecast_counts_the_skill_at_every_attempt() -> None:
    name = PROJECTS[0]
    without, skilled = SUITE.forecast(name, 0), SUITE.forecast(name, 4_000)
    assert skilled.prompt_tokens - without.prompt_tokens == 1_000 * 2 * SUITE.task_count(name)
    assert skilled.completion_tokens == without.completion_tokens > 0
    once = SUITE.projects()[name].forecast(0, attempts=1)
    assert once.prompt_tokens * 2 == pytest.approx(without.prompt_tokens, abs=2)


def record(*outcomes: str, status: str = "measured") -> Record:
    """A record whose tasks have these outcomes: s at the first try, S at the second, u unsolved, - not reached."""
    tasks = tuple(_task(number, mark) for number, mark in enumerate(outcomes, start=1))
    zero = "0" * 64
    spec = {
        "suite": "webdev",
        "project": "tiny",
        "condition": "C0",
        "delivery": None,
        "agent": {"name": "noop"},
        "skill": None,
        "replicate": 0,
        "inputs": zero,
        "protocol": 1,
    }
    resolved = {"agent_version": "1", "sandbox": "local", "image": "host", "versions": {"browser": "b", "playwright": "p"}}
    return Record.model_validate(
        {
            "spec": spec,
            "work": zero,
            "grade": zero,
            "status": status,
            "reason": None if status == "measured" else "the sandbox went away",
            "resolved": resolved,
            "started": 1.0,
            "seconds": 2.5,
            "scripted": True,
            "tasks": tasks,
            "task_count": len(outcomes),
            "usage": {"prompt_tokens": 9, "completion_tokens": 1, "reason": "no price is known for this model"},
            "package_version": "0",
        }
    )


def _task(number: int, mark: str) -> TaskResult:
    zero = "0" * 64
    solved = {"s": (True,), "S": (False, True), "u": (False, False), "-": ()}[mark]
    attempts = [
        {
            "number": at,
            "score": {"value": float(good)},
            "workspace": zero,
            "prompt": zero,
            "trajectory": zero,
            "usage": {},
            "seconds": 1,
            "grading_seconds": 1,
            "checks": (),
        }
        for at, good in enumerate(solved, start=1)
    ]
    outcome = {"s": "solved", "S": "solved", "u": "unsolved", "-": "not_reached"}[mark]
    return TaskResult.model_validate(
        {"task": number, "title": f"t{number}", "difficulty": "easy", "outcome": outcome, "attempts": attempts}
    )


def values(found: Record) -> dict[str, float | None]:
    return {metric.name: metric.value(found)[0] for metric in SUITE.all_metrics}


@pytest.mark.parametrize(
    ("outcomes", "depth", "prefix", "first"),
    [("ssss", 4, 4, 4), ("sSs-", 3, 1, 2), ("u---", 0, 0, 0), ("Ssu-", 2, 0, 1), ("ssSs", 4, 2, 3)],
)
def test_metrics_of_a_chain(outcomes: str, depth: int, prefix: int, first: int) -> None:
    found = values(record(*outcomes))
    assert found["tcd"] == depth
    assert found["pass2"] == depth / 4
    assert found["pass1"] == prefix / 4
    assert found["first_try"] == first / 4
    assert (found["tokens"], found["seconds"]) == (10, 2.5)


def test_what_was_not_measured_is_none_with_a_reason_and_never_zero() -> None:
    broken = record("-", "-", status="broken")
    assert set(values(broken).values()) == {None}
    assert {metric.value(broken)[1] for metric in SUITE.all_metrics} == {"the sandbox went away"}
    by_name = {metric.name: metric for metric in SUITE.all_metrics}
    assert by_name["usd"].value(record("s")) == (None, "no price is known for this model")
    assert by_name["cached_tokens"].value(record("s"))[0] is None
