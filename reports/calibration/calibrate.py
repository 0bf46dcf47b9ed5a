"""Whether verdicts stand: `reports.verdict.verdicts.judge` on generated chains whose truth is known (METHOD.md, Calibration).

A cell of the grid is a generating model; its runs are audits of it. What judge says of them is counted and held against
the bars. `calibration.toml` has the models and the bars, `reports.calibration.demonstrations` makes METHOD's figures of other
methods.
"""

import math
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Literal

from reports.audit.cells import Arm
from reports.calibration.chain_model import Impossible, Population, arm_of, generator, population
from reports.calibration.demonstrations import Demonstration, demonstrations
from reports.calibration.figures import Bar, BarSummary, Calibration, Cell
from reports.calibration.page import calibration_lines, write_calibration
from reports.stats.method import MARGIN
from reports.verdict.verdicts import Question
from reports.verdict.verdicts import judge as judge_by_method

__all__ = ["Setting", "calibrate", "calibration_lines", "load", "measure", "settings", "write_calibration"]

DATA = Path(__file__).with_name("calibration.toml")
#: Runs drawn at once: a few MB of chains.
BATCH = 250
WORDS = ("NOT DELIVERED", "NO PRACTICAL EFFECT", "HELPS", "HURTS", "UNDECIDED")
Judge = Callable[..., Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Setting:
    """One cell of the grid; fields as in calibration.toml, `rates` the base rates that families take in turn."""

    kind: str
    families: int
    replicates: int
    projects: int
    tasks: int
    rate: str
    rates: tuple[float, ...]
    chain_sd: float
    family_sd: float
    skills: int
    effect_points: float
    share: float

    @property
    def name(self) -> str:
        parts = [f"{self.kind}: {self.families} families × {self.replicates}", f"{self.tasks} tasks", f"{self.rate} rate"]
        parts += [f"s {self.chain_sd:g}", f"τ {self.family_sd:g}"]
        parts += [f"{self.projects} projects a family"] if self.projects > 1 else []
        parts += [f"{self.skills} skills share C0"] if self.skills > 1 else []
        if self.effect_points:
            parts.append(f"{self.effect_points:+g} points" + (f" in {self.share:.0%} of families" if self.share < 1 else ""))
        return ", ".join(parts)

    @property
    def effect(self) -> float:
        """The true mean effect over families, as a share."""
        return self.effect_points * self.share / 100

    def population(self) -> Population:
        effects = (0.0, self.effect_points / 100) if self.effect_points else (0.0,)
        return population(self.tasks, self.rates, effects, self.chain_sd, self.family_sd)


@cache
def load() -> dict[str, Any]:
    """The data file."""
    return tomllib.loads(DATA.read_text(encoding="utf-8"))


def settings(grid: str) -> list[Setting]:
    """The cells of a grid, each block the product of its lists."""
    data = load()
    found = []
    for block in data["grids"][grid]["cells"]:
        lists = {**data["usual"], **{key: value for key, value in block.items() if key != "kind"}}
        for values in product(*lists.values()):
            chosen = dict(zip(lists, values, strict=True))
            found.append(Setting(kind=block["kind"], rates=tuple(data["rates"][chosen["rate"]]), **chosen))
    return found


def audits(setting: Setting, seed: int, runs: int) -> Iterator[tuple[Arm, list[Arm]]]:
    """C0 and the C1 of each skill, run after run. Skills share C0, which has ⌈R·√K⌉ replicates (METHOD.md, Design)."""
    import numpy as np

    drawn, rng = setting.population(), generator(seed, setting.name)
    base_replicates = math.ceil(setting.replicates * math.sqrt(setting.skills))
    for start in range(0, runs, BATCH):
        count = min(BATCH, runs - start)
        base, _ = drawn.draw(rng, count, setting.families, setting.projects * base_replicates)
        treated = []
        for _ in range(setting.skills):
            affected = rng.random((count, setting.families)) < setting.share
            arms = np.where(affected, 1, 0) if setting.effect_points else 0
            treated.append(drawn.draw(rng, count, setting.families, setting.projects * setting.replicates, arms)[0].tolist())
        for run, values in enumerate(base.tolist()):
            yield (
                arm_of(values, setting.projects, base_replicates),
                [arm_of(skill[run], setting.projects, setting.replicates) for skill in treated],
            )


def measure(setting: Setting, seed: int, runs: int, sds: float, judge: Judge | None = None) -> Cell:
    """One cell: what judge said of its runs, with the bars. A cell that cannot be generated has a reason instead.

    HELPS and HURTS are counted a run: one wrong word of several skills is a wrong page. Coverage is of the intervals that
    were given; families without spread give none, and their share stands beside it.
    """
    cell: Any = {"name": setting.name, **asdict(setting), "effect": setting.effect, "runs": runs}
    try:
        cell["achieved"] = setting.population().achieved()
    except Impossible as error:
        cell["skipped"] = str(error)
        return cell
    said, counts = _judged(setting, seed, runs, judge)
    asked = runs * setting.skills
    measures = {
        "helps_or_hurts": counts["HELPS or HURTS"] / runs,
        "helps": counts["HELPS"] / runs,
        "hurts": counts["HURTS"] / runs,
        "coverage": counts["covered"] / counts["intervals"] if counts["intervals"] else None,
        "right": said["HELPS" if setting.effect > 0 else "HURTS"] / asked if setting.effect else None,
    }
    cell["words"] = {word: said[word] / asked for word in WORDS if said[word]}
    cell["scopes"] = {scope: count / asked for scope, count in sorted(said.items()) if scope not in WORDS}
    cell |= measures | {"without_interval": 1 - counts["intervals"] / asked}
    cell["errors"] = {name: None if rate is None else monte_carlo(rate, runs) for name, rate in measures.items()}
    cell["bars"] = [bar(name, measures[name], limit, runs, sds) for name, limit in bars(setting.kind).items()]
    return cell


def _judged(setting: Setting, seed: int, runs: int, judge: Judge | None) -> tuple[Counter[str], Counter[str]]:
    """Words and scopes by question; by run the signs that were spoken; intervals, and those that hold the true effect."""
    judge = judge or judge_by_method
    said: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for base, treated in audits(setting, seed, runs):
        questions = [
            Question(key=(f"skill-{number}",), treated=arm, base=base, control=None, partners=0)
            for number, arm in enumerate(treated)
        ]
        signs = set()
        for verdict in judge(questions, margin=MARGIN):
            said.update((verdict.word, verdict.scope))
            signs |= {verdict.word} & {"HELPS", "HURTS"}
            low, high = verdict.interval.low, verdict.interval.high
            if low is not None and high is not None:
                counts.update({"intervals": 1, "covered": low <= setting.effect <= high})
        counts.update(signs)
        counts["HELPS or HURTS"] += bool(signs)
    return said, counts


def bars(kind: str) -> dict[str, dict[str, float]]:
    return load()["bars"].get(kind, {})


def monte_carlo(rate: float, runs: int) -> float:
    """The standard error of a rate over independent runs."""
    return math.sqrt(rate * (1 - rate) / runs)


def bar(measure: str, found: float | None, limit: Mapping[str, float], runs: int, sds: float) -> Bar:
    """One bar of one cell: `bar` is METHOD's, `limit` what it is held against: widened by `sds` standard errors at the bar."""
    most = "most" in limit
    value = limit["most" if most else "least"]
    held = value + (1 if most else -1) * sds * monte_carlo(value, runs)
    met = None if found is None else (found <= held if most else found >= held)
    return {"measure": measure, "found": found, "side": "most" if most else "least", "bar": value, "limit": held, "met": met}


def calibrate(grid: Literal["small", "full"], jobs: int, tell: Callable[[str], None]) -> Calibration:
    """Run a grid on `jobs` processes; the result as JSON. `tell` gets a line now and then."""
    data = load()
    chosen, seed, began = data["grids"][grid], data["seed"], time.monotonic()
    runs, sds = chosen["runs"], chosen["monte_carlo_sds"]
    work: list[tuple[Any, ...]] = [(measure, setting, seed, runs, sds) for setting in settings(grid)]
    work += [(Demonstration.make, one, seed, chosen["demonstration_runs"]) for one in demonstrations(data)]
    done = on_jobs(jobs, work, tell)
    lines: list[Cell] = [line for line in done if "kind" in line]
    tested = [line for line in lines if "skipped" not in line]
    return {
        "grid": grid,
        "seed": seed,
        "runs": runs,
        "margin_points": 100 * MARGIN,
        "monte_carlo_sds": sds,
        "jobs": jobs,
        "seconds": round(time.monotonic() - began, 1),
        "met": all(one["met"] is not False for line in tested for one in line["bars"]),
        "bars": summary(tested),
        "cells": tested,
        "skipped": [{"name": line["name"], "reason": line["skipped"]} for line in lines if "skipped" in line],
        "demonstrations": [line for line in done if "kind" not in line],
    }


def on_jobs(jobs: int, work: Sequence[tuple[Any, ...]], tell: Callable[[str], None]) -> list[Any]:
    """The results in the order of `work`; the slowest start first. Seeds go by name, so `jobs` changes no figure."""
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    results: dict[int, Any] = {}
    step = max(1, len(work) // 20)

    def keep(index: int, line: Any) -> None:
        results[index] = line
        if len(results) % step == 0 or len(results) == len(work):
            tell(f"{len(results)} of {len(work)} cells and demonstrations")

    if jobs <= 1:
        for index, (function, *arguments) in enumerate(work):
            keep(index, function(*arguments))
    else:
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            slowest = sorted(range(len(work)), key=lambda index: -_cost(work[index][1]))
            futures = {pool.submit(*work[index]): index for index in slowest}
            for future in as_completed(futures):
                keep(futures[future], future.result())
    return [results[index] for index in range(len(work))]


def _cost(item: Any) -> float:
    return item.families * item.projects * item.skills if isinstance(item, Setting) else 60.0


def summary(cells: Sequence[Cell]) -> list[BarSummary]:
    """By kind of cell and bar: how many cells meet it, and the cell that is nearest to failing or furthest beyond."""
    rows: dict[tuple[str, str], list[tuple[Bar, str]]] = {}
    for line in cells:
        for one in line["bars"]:
            rows.setdefault((line["kind"], one["measure"]), []).append((one, line["name"]))
    found: list[BarSummary] = []
    for (kind, measure), held in rows.items():
        known = [(share, name) for one, name in held if (share := one["found"]) is not None]
        sign = 1 if held[0][0]["side"] == "most" else -1
        worst = max(known, key=lambda row: sign * row[0], default=None)
        found.append(
            {
                "kind": kind,
                "measure": measure,
                "side": held[0][0]["side"],
                "bar": held[0][0]["bar"],
                "limit": held[0][0]["limit"],
                "cells": len(held),
                "met": sum(one["met"] is True for one, _ in held),
                "worst": worst[0] if worst else None,
                "worst_cell": worst[1] if worst else None,
            }
        )
    return found
