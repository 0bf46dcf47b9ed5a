"""Grading by a Web-Bench project's own specs beside calling Playwright's binary by hand, and beside upstream's way.

CPU seconds a graded task, of every process that has a part in it (perf/webbench_ways.py). Rounds of the three ways are run in
turn, so that whatever else the machine does meets all of them alike; the ratio is the median of the rounds' ratios.
`--webbench DIR` takes a project of a real checkout in place of the small one's.
"""

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from benchmark.webdev.webbench.checkout import Checkout
from fixtures.sandbox.docker import DockerSandbox
from perf.webbench_ways import Used, Ways
from tests.conftest import docker_sandbox

__all__ = ["docker_sandbox"]

SMALL = Path(__file__).parent.parent / "tests" / "data" / "webbench"
#: Graded in one container each round: all of a short chain, or two from the middle of one of twenty.
SMALL_TASKS, REAL_TASKS = ("tally", (0, 1, 2, 3)), ("calculator", (5, 10))
ROUNDS = 3
#: CPU of ours over by hand's, the share of the container included.
BAR = 1.15
Rounds = dict[str, list[Used]]


class Told:
    """A benchmark's clock for rounds that were run before: it goes on by what each of them took."""

    def __init__(self) -> None:
        self._now = 0.0

    def __call__(self) -> float:
        return self._now

    def rounds(self, benchmark: Any, rounds: Rounds, way: str) -> None:
        """Tell pytest-benchmark of one way, with its figures; `ratio` is to by hand."""
        used = iter(rounds[way])

        def once() -> None:
            self._now += next(used).wall

        benchmark.pedantic(once, rounds=len(rounds[way]))
        figures = {"CPU s": median(round.cpu for round in rounds[way])}
        figures["CPU s of the whole machine"] = median(round.machine for round in rounds[way])
        benchmark.extra_info.update(
            figures=figures, ratio=ratio(rounds, way, "by_hand"), rounds=[vars(one) for one in rounds[way]]
        )


def ratio(rounds: Rounds, way: str, base: str) -> float:
    return median(one.cpu / other.cpu for one, other in zip(rounds[way], rounds[base], strict=True))


TOLD = Told()


def measured(request: pytest.FixtureRequest, sandbox: DockerSandbox, names: Sequence[str], short: bool = False) -> Rounds:
    """`ROUNDS` rounds of each way in turn; `short`: of task 1 alone, and the container is all its own."""
    root = request.config.getoption("--webbench")
    name, tasks = REAL_TASKS if root else SMALL_TASKS
    with TemporaryDirectory() as folder:
        ways = Ways(Checkout(root or SMALL).project(name), (1,) if short else tasks, sandbox, Path(folder))
        rounds: Rounds = {way: [] for way in names}
        for _ in range(ROUNDS):
            for way in names:
                rounds[way].append(getattr(ways, way)())
    return rounds


@pytest.fixture(scope="module")
def chain(request: pytest.FixtureRequest, docker_sandbox: DockerSandbox) -> Rounds:
    return measured(request, docker_sandbox, ("by_hand", "ours", "upstream"))


@pytest.fixture(scope="module")
def alone(request: pytest.FixtureRequest, docker_sandbox: DockerSandbox) -> Rounds:
    return measured(request, docker_sandbox, ("by_hand", "ours"), short=True)


GROUP = "a task graded by Web-Bench's specs"
ALONE = "task 1 alone in a grading container"


@pytest.mark.benchmark(group=GROUP, timer=TOLD)
def test_baseline_playwright_by_hand(benchmark: Any, chain: Rounds) -> None:
    TOLD.rounds(benchmark, chain, "by_hand")


@pytest.mark.benchmark(group=GROUP, timer=TOLD)
def test_upstream_npx(benchmark: Any, chain: Rounds) -> None:
    TOLD.rounds(benchmark, chain, "upstream")


@pytest.mark.benchmark(group=GROUP, timer=TOLD)
def test_looks_of_a_trial(benchmark: Any, chain: Rounds) -> None:
    TOLD.rounds(benchmark, chain, "ours")
    benchmark.extra_info["bars"] = {"to by hand": BAR, "to upstream": 1.0}
    assert ratio(chain, "ours", "by_hand") <= BAR
    assert ratio(chain, "ours", "upstream") < 1


@pytest.mark.benchmark(group=ALONE, timer=TOLD)
def test_baseline_playwright_by_hand_for_task_1(benchmark: Any, alone: Rounds) -> None:
    TOLD.rounds(benchmark, alone, "by_hand")


@pytest.mark.benchmark(group=ALONE, timer=TOLD)
def test_look_at_task_1(benchmark: Any, alone: Rounds) -> None:
    """Reported without a bar: here the container and the server's start weigh as much as they ever can."""
    TOLD.rounds(benchmark, alone, "ours")
