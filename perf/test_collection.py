"""Collecting more than 5,000 trials beside an empty run of pytest: CPU seconds and peak memory of the whole process."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=False)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


def collect(benchmark: Any, arguments: list[str], folder: Path) -> None:
    """Run `pytest ARGUMENTS` three times; the least CPU seconds and peak MiB go to the figures."""
    command = [sys.executable, "-c", MEASURE, sys.executable, "-m", "pytest", "-p", "no:anyio", "-p", "no:cacheprovider"]
    seen = []

    def once() -> None:
        said = subprocess.run([*command, *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout
        seen.append(tuple(map(float, said.split())))

    benchmark.pedantic(once, rounds=3, warmup_rounds=1)
    benchmark.extra_info["figures"] = {"CPU s": min(cpu for cpu, _ in seen), "peak MiB": min(memory for _, memory in seen)}


@pytest.mark.benchmark(group="collecting panels/scale.toml")
def test_baseline_empty_run(benchmark: Any, tmp_path: Path) -> None:
    (tmp_path / "test_empty.py").write_text("", encoding="utf-8")
    collect(benchmark, ["--collect-only", "-q"], tmp_path)


@pytest.mark.benchmark(group="collecting panels/scale.toml")
def test_scale_panel(benchmark: Any) -> None:
    collect(benchmark, ["--collect-only", "-q", "--panel", "panels/scale.toml"], ROOT)
