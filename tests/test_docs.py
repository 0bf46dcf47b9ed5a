"""What the README and the pages of docs/ show is run: commands as far as they need no paid model, links and names whole."""

import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from benchmark.plan.panel import PANELS
from tests.commands import ASSAY, OPTIONS, PYTEST, ROOT, Done, clean, command, run

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def commands() -> list[str]:
    """Every line of every `sh` block, once."""
    found: dict[str, None] = {}
    for page in PAGES:
        for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S):
            for line in block.replace("\\\n", " ").splitlines():
                if line.strip():
                    found[line.strip()] = None
    return list(found)


def tried(line: str, store: Path) -> Done:
    """What came of a command as it can be run here: collected instead of asking a model, with a store of its own."""
    program, *words = [_own(word, store.parent) for word in shlex.split(line)]
    if program == "pytest":
        return command(PYTEST, [*OPTIONS, *words, "--collect-only", "-q", "--runs", store], clean())
    if program == "assay":
        return command(ASSAY, [word for word in words if word != "--write"], clean())
    assert program == "make"
    return subprocess.run(["make", "-n", *words], cwd=ROOT, env=clean(), capture_output=True, text=True, timeout=120)


def _own(word: str, folder: Path) -> str:
    """What only the reader has: a skill of their own becomes a real one of that name, a folder of skills our collection."""
    if not word.startswith("../"):
        return word
    if "more-skills" in word:
        return "skills/collection"
    if "web-bench" in word:
        return str(_checkout(folder / "web-bench"))
    if "my-collection" in word:
        (folder / "my-collection").mkdir(exist_ok=True)
        return str(folder / "my-collection")
    skill = folder / Path(word).name
    skill.mkdir(exist_ok=True)
    (skill / "SKILL.md").write_bytes((ROOT / "skills/collection/css-layout/SKILL.md").read_bytes())
    return str(skill)


def _checkout(folder: Path) -> Path:
    """A checkout with the names of Web-Bench's projects that the pages speak of; each is a copy of our small one's."""
    small = ROOT / "tests" / "data" / "webbench"
    if not folder.exists():
        shutil.copytree(small / "libraries", folder / "libraries")
        for name in tomllib.loads((PANELS / "webbench.toml").read_text(encoding="utf-8"))["projects"]:
            shutil.copytree(small / "projects" / "tally", folder / "projects" / name)
    return folder


@pytest.mark.parametrize("line", [line for line in commands() if line.split()[0] in ("pytest", "make")])
def test_commands_are_accepted(line: str, tmp_path: Path) -> None:
    done = tried(line, tmp_path / "runs")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no tests collected" not in done.stdout


RUN = ("assay plan", "assay validate", "assay skills", "assay webbench")
#: Runs containers for minutes, and has tests of its own.
LONG = "assay webbench validate"


@pytest.mark.parametrize("line", [line for line in commands() if line.startswith(RUN) and not line.startswith(LONG)])
def test_assay_commands_work(line: str, tmp_path: Path) -> None:
    done = tried(line, tmp_path / "runs")
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_kind_of_command_shown_is_known() -> None:
    """Of `assay`, what is not run above has tests of its own; nothing else is shown."""
    rest = [line for line in commands() if line.split()[0] not in ("pytest", "make")]
    own = ("plan", "validate", "skills", "webbench", "doctor", "report", "calibrate", "regrade", "clean", "steps", "followed")
    known = (*(f"assay {name}" for name in own), "python -m tests.")
    assert [line for line in rest if not line.startswith(known)] == []


def test_the_suite_that_is_walked_through_runs_as_shown(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "suites.md").read_text(encoding="utf-8")
    (panel,) = re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S)
    (line,) = re.findall(r"^```text\n(.*?)^```", page, re.M | re.S)
    setting, *words = shlex.split(line)
    (tmp_path / "greetings.toml").write_text(panel, encoding="utf-8")
    own = {"greetings.toml": str(tmp_path / "greetings.toml"), "/tmp/greetings": str(tmp_path / "runs")}
    assert words[0] == PYTEST
    done = run(*(own.get(word, word) for word in words[1:]), **dict([setting.split("=")]))
    assert done.returncode == 0 and "4 measured in" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("doc", PAGES, ids=lambda doc: doc.name)
def test_links_lead_somewhere(doc: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", doc.read_text(encoding="utf-8"))
    assert [target for target in targets if "://" not in target and not (doc.parent / target).exists()] == []


def test_the_projects_are_named_everywhere() -> None:
    """The matrix of the nightly job, the how-to for CI and the table of projects name every project."""
    names = sorted(path.parent.name for path in (ROOT / "benchmark/webdev/projects").glob("*/project.toml"))
    for page in (".github/workflows/nightly.yml", "docs/audit.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert f"[{', '.join(names)}]" in text, page
    table = (ROOT / "docs/webdev.md").read_text(encoding="utf-8")
    assert [name for name in names if f"`{name}`" not in table] == []


def test_the_package_lists_its_folders() -> None:
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    folders = [path.parent for top in ("agents", "benchmark", "fixtures", "reports", "skills") for path in
               (ROOT / top).rglob("__init__.py")]  # fmt: skip
    assert sorted(packages) == sorted(path.relative_to(ROOT).as_posix().replace("/", ".") for path in folders)


def test_nothing_names_this_machine() -> None:
    """No path of a developer's machine, and no package index, is committed."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    index = ("pypi." + "org", "registry.npmjs" + ".org", "deb.debian" + ".org")
    found = []
    for name in listed:
        path = ROOT / name
        if path.suffix in (".png", ".jpg") or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found += [f"{name}: {word}" for word in (*index, str(ROOT)) if word in text]
    assert found == []
