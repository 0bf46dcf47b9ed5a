"""The bootstrap of pairs beside scipy's, and the report of WebDev-Skills-Bench's whole panel beside reading it with pandas."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PAIRS, RESAMPLES = 117, 10_000
BOOTSTRAP = f"bootstrap of {PAIRS} pairs, {RESAMPLES:,} resamples"
REPORT = "report of 112,320 task records"
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime, used.ru_stime, used.ru_maxrss / 1024)
"""


@pytest.fixture(scope="module")
def values() -> list[float]:
    """Differences of pairs in shares, as three replicates of 20 tasks an arm give them."""
    import numpy as np

    return list(np.random.default_rng(0).integers(-24, 22, PAIRS) / 60)


@pytest.mark.benchmark(group=BOOTSTRAP)
def test_baseline_scipy(benchmark: Any, values: list[float]) -> None:
    import numpy as np
    from scipy import stats

    def resampled() -> Any:
        return stats.bootstrap((values,), np.mean, n_resamples=RESAMPLES, method="percentile", rng=np.random.default_rng(0))

    benchmark.pedantic(resampled, rounds=9, warmup_rounds=1)


@pytest.mark.benchmark(group=BOOTSTRAP)
def test_pair_bootstrap(benchmark: Any, values: list[float]) -> None:
    from reports.paper_tables.estimators import pair_bootstrap

    benchmark.pedantic(pair_bootstrap, (values, RESAMPLES), rounds=9, warmup_rounds=1)


@pytest.fixture(scope="module")
def panel() -> Iterator[Path]:
    """Half a gigabyte, which pytest's own folders would keep for three runs."""
    with TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "perf.paper_panel", "write", folder], cwd=ROOT, check=True)
        yield Path(folder)


def measured(benchmark: Any, what: str, folder: Path) -> None:
    """Do it in a process of its own, twice; the least CPU seconds and peak MiB go to the figures.

    System time is told apart: making 13,000 files takes one second or ten, as the file system has room beside the folder.
    """
    command = [sys.executable, "-c", MEASURE, sys.executable, "-m", "perf.paper_panel", what, str(folder)]
    seen = []

    def once() -> None:
        said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        seen.append(tuple(map(float, said.split())))

    benchmark.pedantic(once, rounds=2)
    names = ("CPU s in user mode", "CPU s of the system", "peak MiB")
    benchmark.extra_info["figures"] = dict(zip(names, map(min, zip(*seen, strict=True)), strict=True))


@pytest.mark.benchmark(group=REPORT)
def test_baseline_reading_with_pandas(benchmark: Any, panel: Path) -> None:
    measured(benchmark, "pandas", panel)


@pytest.mark.benchmark(group=REPORT)
def test_report(benchmark: Any, panel: Path) -> None:
    measured(benchmark, "report", panel)


@pytest.mark.benchmark(group=REPORT)
def test_report_with_tables(benchmark: Any, panel: Path) -> None:
    measured(benchmark, "tables", panel)
