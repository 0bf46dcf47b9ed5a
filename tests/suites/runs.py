"""Whole runs of the small suites of tests/data/suites, as a person starts them, where neither a browser nor Playwright is."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmark.core.files import write_tree
from tests.commands import ASSAY, OPTIONS, PYTEST, ROOT, Done, clean, command
from tests.suites.judge import judging, pictures, words

SUITES = ROOT / "tests" / "data" / "suites"
NAMES = ("greetings", "typos", "essays", "relay")
#: The suites that are run in one process and resumed in two; the others the other way.
ONE_PROCESS = ("greetings", "typos")
#: The projects of each suite, which `--project *` may not stand for where a skill has no tiers.
PROJECTS = {
    "greetings": ("english", "french", "german", "italian", "polish", "spanish"),
    "typos": tuple(f"letter-{number}" for number in range(1, 7)),
    "essays": ("bees", "bread", "bridges", "clouds", "clocks", "maps"),
    "relay": tuple(
        f"{team}-{place}" for team in ("amber", "blue", "coral", "denim", "ebony", "fern") for place in ("first", "second")
    ),
}
#: Two skills of the same length: what each says is planted in the panel, and nothing else sets them apart.
SKILLS = ("good", "evil")
SKILL = "---\nname: {name}\ndescription: About {name} work.\n---\n# {name}\n\nRead every file once more before you finish.\n"
PANEL = """
suite = "{suite}"
replicates = {replicates}
seed = 4
projects = {projects}
skills = [{skills}]
conditions = ["C0", "C1"]
{judge}
[[agents]]
name = "planted"
[agents.options]
solve = 0.5
content = {{ good = 0.5, evil = -0.5 }}
"""
JUDGE = '[judge]\nmodel = "scripted"\napi_base = "{url}"\n'


@dataclass(frozen=True)
class Said:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def all(self) -> str:
        return self.out + self.err


def environment(started: Path | None = None, **more: str) -> dict[str, str]:
    """An environment that has the small suites and no browser; Playwright's driver would only leave the file `started`."""
    usual = {"ASSAY_SUITES": str(SUITES), "PATH": "/nowhere", "PLAYWRIGHT_NODEJS_PATH": "/nowhere/node"}
    found = clean(**usual | more)
    found.pop("ASSAY_BROWSER", None)
    if started:
        driver = started.with_name("driver")
        driver.write_text(f"#!/bin/sh\necho started > {started}\nexit 1\n", encoding="utf-8")
        driver.chmod(0o755)
        found["PLAYWRIGHT_NODEJS_PATH"] = str(driver)
    return found


def run(*arguments: object, started: Path | None = None, **more: str) -> Said:
    """`pytest ARGUMENTS`."""
    return _said(command(PYTEST, [*OPTIONS, *arguments], environment(started, **more)))


def assay(*arguments: object, **more: str) -> Said:
    """`assay ARGUMENTS`."""
    return _said(command(ASSAY, arguments, environment(None, **more)))


def _said(done: Done) -> Said:
    return Said(done.returncode, done.stdout, done.stderr)


def write_panel(
    folder: Path,
    suite: str,
    replicates: int = 3,
    projects: Sequence[str] = (),
    skills: Sequence[str] = SKILLS,
    judge: str = "",
) -> Path:
    """A panel with its skills beside it; `judge` is the address of one."""
    write_tree(folder, {f"{name}/SKILL.md": SKILL.format(name=name).encode() for name in SKILLS})
    path = folder / "panel.toml"
    text = PANEL.format(
        suite=suite,
        replicates=replicates,
        projects=json.dumps(list(projects or PROJECTS[suite])),
        skills=", ".join(f'"path:{name}"' for name in skills),
        judge=JUDGE.format(url=judge) if judge else "",
    )
    path.write_text(text, encoding="utf-8")
    return path


def records(store: Path) -> list[dict[str, Any]]:
    """Every record of a store, in the order of their start; of those that started together the one written last is the last."""
    files = sorted((store / "records").glob("*.jsonl"), key=lambda path: int(path.stem.rpartition("-")[2]))
    found = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    return sorted(found, key=lambda row: row["started"])


def results(store: Path) -> dict[str, Any]:
    return json.loads((store / "report" / "results.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Whole:
    """What became of one suite: a run, the same plan once more, and grading again. Every other suite is run in two processes
    and resumed in one; the rest are run in one and resumed in two."""

    suite: str
    folder: Path
    first: Said
    again: Said
    regraded: Said
    #: Records after each of these, and requests to a judge so far.
    kept: tuple[int, ...]
    asked: tuple[int, ...]
    #: A judge's requests: the words and the addresses of the pictures.
    shown: tuple[tuple[str, tuple[str, ...]], ...]
    #: Whether anything tried to start Playwright's driver.
    playwright: bool

    @property
    def store(self) -> Path:
        return self.folder / "runs"

    @property
    def results(self) -> dict[str, Any]:
        return results(self.store)

    @property
    def records(self) -> list[dict[str, Any]]:
        return records(self.store)

    def about(self, kind: str, skill: str, condition: str = "C1") -> dict[str, Any]:
        """The one line of a list of the results that is about a skill (and an arm, where it has arms)."""
        (line,) = [
            line for line in self.results[kind] if line["skill"] == skill and line.get("condition", condition) == condition
        ]
        return line

    def page(self) -> str:
        return (self.store / "report" / "report.html").read_text(encoding="utf-8")

    def save(self) -> None:
        (self.folder / "whole.json").write_text(json.dumps(asdict(self) | {"folder": str(self.folder)}), encoding="utf-8")


def load(folder: Path) -> Whole:
    """What `save` wrote."""
    row = json.loads((folder / "whole.json").read_text(encoding="utf-8"))
    for name in ("first", "again", "regraded"):
        row[name] = Said(**row[name])
    shown = tuple((text, tuple(addresses)) for text, addresses in row["shown"])
    return Whole(**row | {"folder": folder, "kept": tuple(row["kept"]), "asked": tuple(row["asked"]), "shown": shown})


def make(suite: str, folder: Path) -> Whole:
    """Take a suite through all of it. The judge of the one that is judged answers from this process."""
    kept: list[int] = []
    asked: list[int] = []
    store, started = folder / "runs", folder / "playwright-was-started"
    modes = ((), ("-n", "2")) if suite in ONE_PROCESS else (("-n", "2"), ())
    with judging() as judge:
        panel = write_panel(folder, suite, judge=judge.url if suite == "essays" else "")

        def noted(said: Said) -> Said:
            kept.append(len(records(store)))
            asked.append(len(judge.requests))
            return said

        plan = ("--panel", panel, "--runs", store)
        first = noted(run(*plan, *modes[0], "--gate", "verdict != HURTS", started=started))
        again = noted(run(*plan, *modes[1], "--gate", "delta > -0.95 and broken == 0", started=started))
        regraded = noted(assay("regrade", "--runs", store, "--json"))
        shown = tuple((words(one), tuple(pictures(one))) for one in judge.requests)
    return Whole(suite, folder, first, again, regraded, tuple(kept), tuple(asked), shown, started.exists())
