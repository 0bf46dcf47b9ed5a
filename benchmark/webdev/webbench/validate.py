"""See that a project's specs hold for its own reference: run it again and again, and name the tests that fail all the same.

What fails in some runs only fails without an agent's doing. What fails in all of them cannot be passed here at all.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from benchmark.core.errors import Fault, SetupError
from benchmark.core.model import CheckOutcome, Data
from benchmark.webdev.webbench.chain_project import BUILT, SpecGrader
from benchmark.webdev.webbench.prepare import prepare
from benchmark.webdev.webbench.project import SPEC, BenchProject, Quarantined
from benchmark.webdev.webbench.quarantine import spec_hash
from benchmark.webdev.webbench.report import ENDS, LOADS
from fixtures.sandbox.docker import DockerSandbox

#: Runs of the reference where no number is asked for.
REPEAT = 3


class Validated(Data):
    """What `runs` runs of a project's reference came to: `quarantined` are the tests that failed at least once. Where the
    project could not be run so often, `reason` says why, and nothing is known of its tests."""

    project: str
    tests: int = 0
    runs: int
    quarantined: tuple[Quarantined, ...] = ()
    reason: str | None = None

    @property
    def failing(self) -> tuple[Quarantined, ...]:
        """The tests that failed in every run."""
        return tuple(row for row in self.quarantined if row.failures == row.runs)

    @property
    def ok(self) -> bool:
        return self.reason is None and not self.failing


def validate(project: BenchProject, sandbox: DockerSandbox, repeat: int, tell: Callable[[str], None]) -> Validated:
    """Run the reference against all specs, none of their tests left out, as chains run theirs and in one container.

    `tell` is told of every run as it ends.
    """
    runs: list[tuple[CheckOutcome, ...]] = []
    try:
        whole = project.graded_with((), project.test_source)
        specs = whole.specs(len(whole.scored))
        # Not while it is this process's turn to run specs: installing takes minutes.
        prepare(whole, sandbox)
        with ExitStack() as exits:
            grade = SpecGrader(whole, sandbox, exits)
            for number in range(1, repeat + 1):
                started = time.monotonic()
                checks = grade(len(whole.scored), whole.reference, 1).checks
                if no_test := next((item for item in checks if item.failure and _of_no_test(item, specs)), None):
                    return _not_run(project, len(runs), f"run {number}: {no_test.title}: {no_test.seen[-400:]}")
                runs.append(checks)
                tell(f"{project.name}: run {number} of {repeat}: {_counted(checks)}, {time.monotonic() - started:.1f} s")
    except (Fault, SetupError, ValueError) as error:
        return _not_run(project, len(runs), str(error))
    tests = {(item.task, item.title) for checks in runs for item in checks}
    return Validated(project=project.name, tests=len(tests), runs=repeat, quarantined=failed_once(whole, runs))


def failed_once(project: BenchProject, runs: Sequence[Sequence[CheckOutcome]]) -> tuple[Quarantined, ...]:
    """The tests that failed in at least one of these runs, in the order of their specs.

    A run that was stopped before it came to a test is none of that test's runs.
    """
    seen: Counter[tuple[int, str]] = Counter()
    failures: Counter[tuple[int, str]] = Counter()
    for checks in runs:
        # One test has several outcomes in a run where a configuration names several browsers.
        seen.update(list(dict.fromkeys((item.task, item.title) for item in checks)))
        failures.update(list(dict.fromkeys((item.task, item.title) for item in checks if item.failure)))
    specs = {_number(spec): spec for spec in project.specs(len(project.scored))}
    rows = []
    for task, title in sorted(failures, key=lambda test: test[0]):
        spec, key = specs[task], (task, title)
        sha = spec_hash(project, spec)
        assert sha, "a spec that ran is one of the project's files"
        rows.append(Quarantined(spec=spec, title=title, failures=failures[key], runs=seen[key], sha256=sha))
    return tuple(rows)


def _not_run(project: BenchProject, runs: int, why: str) -> Validated:
    return Validated(project=project.name, runs=runs, reason=" ".join(why.split()))


def _number(spec: str) -> int:
    """The task that a spec file belongs to, 0 for init."""
    match = SPEC.fullmatch(spec)
    return int(match[2] or 0) if match else 0


def _of_no_test(check: CheckOutcome, specs: Sequence[str]) -> bool:
    return check.title == BUILT or check.title in {f"{spec}{ends}" for spec in specs for ends in (LOADS, ENDS)}


def _counted(checks: Sequence[CheckOutcome]) -> str:
    passed = sum(not item.failure for item in checks)
    again = max((item.reruns for item in checks), default=0)
    more = f", after {again} more run{'' if again == 1 else 's'} that said nothing" if again else ""
    return f"{passed}/{len(checks)} passed{more}"
