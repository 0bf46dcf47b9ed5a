"""Reading the skills of the corpus (or of the collection, where that is not here) beside parsing them as Markdown alone."""

from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from skills.parsing.parse import find_skills, load_skill
from skills.profile.profile import profile
from skills.slicing.slices import slice_skill
from skills.slicing.variants import NotAblated, without

ROOT = Path(__file__).parent.parent
CORPUS = ROOT.parent / "shared" / "corpus" / "skills"
FOLDERS = find_skills(CORPUS if CORPUS.is_dir() else ROOT / "skills" / "collection")
GROUP = f"reading {len(FOLDERS)} skills"


#: Parsing and slicing together; profiles.
BAR, PROFILE_BAR = 5.0, 20.0


def told(benchmark: Any) -> float:
    """The milliseconds a file."""
    took = 1000 * benchmark.stats.stats.median / len(FOLDERS)
    benchmark.extra_info["figures"] = {"ms a file": took}
    return took


@pytest.mark.benchmark(group=GROUP)
def test_baseline_markdown_alone(benchmark: Any) -> None:
    texts = [load_skill(folder).text for folder in FOLDERS]
    parser = MarkdownIt("commonmark").enable("table")
    benchmark.pedantic(lambda: [parser.parse(text) for text in texts], rounds=3, warmup_rounds=1)
    told(benchmark)


@pytest.mark.benchmark(group=GROUP)
def test_loaded_with_diagnostics(benchmark: Any) -> None:
    benchmark.pedantic(lambda: [load_skill(folder).diagnostics for folder in FOLDERS], rounds=3, warmup_rounds=1)
    assert told(benchmark) < BAR


@pytest.mark.benchmark(group=GROUP)
def test_loaded_and_sliced(benchmark: Any) -> None:
    def read() -> None:
        for folder in FOLDERS:
            skill = load_skill(folder)
            assert skill.diagnostics is not None
            slice_skill(skill)

    benchmark.pedantic(read, rounds=3, warmup_rounds=1)
    assert told(benchmark) < BAR


@pytest.mark.benchmark(group=GROUP)
def test_without_rules(benchmark: Any) -> None:
    skills = [load_skill(folder) for folder in FOLDERS]

    def cut() -> None:
        for skill in skills:
            try:
                without(skill, "rules")
            except NotAblated:
                continue

    benchmark.pedantic(cut, rounds=3, warmup_rounds=1)
    told(benchmark)


@pytest.mark.benchmark(group=GROUP)
def test_profiled(benchmark: Any) -> None:
    skills = [load_skill(folder) for folder in FOLDERS]
    benchmark.pedantic(lambda: [profile(skill) for skill in skills], rounds=3, warmup_rounds=1)
    assert told(benchmark) < PROFILE_BAR
