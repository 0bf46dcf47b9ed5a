"""The calibration: chains have the moments they are stated to have, the bars can be missed, and the verdicts meet them."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from reports.calibration import demonstrations as made
from reports.calibration.calibrate import (
    Setting,
    audits,
    bar,
    calibration_lines,
    load,
    measure,
    on_jobs,
    settings,
    summary,
    write_calibration,
)
from reports.calibration.chain_model import Impossible, Latent, arm_of, generator, population, solve
from reports.verdict.verdicts import judge

SEED = 7


def setting(**changes: Any) -> Setting:
    usual: dict[str, Any] = {key: values[0] for key, values in load()["usual"].items()}
    chosen: dict[str, Any] = usual | {"kind": "null"} | changes
    return Setting(rates=tuple(load()["rates"][chosen["rate"]]), **chosen)


@pytest.mark.parametrize(
    ("rates", "tasks", "chain_sd", "family_sd"),
    [
        ((0.5,), 10, 0.2, 0.1),
        ((0.35, 0.5, 0.65), 20, 0.36, 0.4),
        ((0.05,), 10, 0.12, 0.2),
        ((0.95,), 5, 0.12, 0.1),
        ((0.5,), 10, 0.12, 0.0),
    ],
)
def test_drawn_chains_have_the_stated_moments(rates: tuple[float, ...], tasks: int, chain_sd: float, family_sd: float) -> None:
    drawn = population(tasks, rates, (0.0,), chain_sd, family_sd)
    rng, runs = generator(SEED, f"moments {rates}"), 20_000
    (treated, treated_means), (base, base_means) = (drawn.draw(rng, runs, len(rates), 4) for _ in range(2))
    assert base.mean() == pytest.approx(sum(rates) / len(rates), abs=0.01)
    assert base.var(axis=2, ddof=1).mean() ** 0.5 == pytest.approx(chain_sd, rel=0.02)
    assert ((treated_means - base_means).var(axis=0).mean()) ** 0.5 == pytest.approx(family_sd, abs=0.01)
    # The chains of a family lie around its own mean.
    assert (treated - treated_means[:, :, None]).mean() == pytest.approx(0.0, abs=0.005)
    achieved = drawn.achieved()
    assert (achieved["chain_sd"], achieved["family_sd"]) == (
        pytest.approx(chain_sd, abs=1e-4),
        pytest.approx(family_sd, abs=1e-4),
    )


def test_an_effect_is_stated_in_points_of_pass2_near_a_bound_too() -> None:
    for rates, effect in (((0.5,), 0.1), ((0.85,), 0.1), ((0.3,), 0.5), ((0.15,), -0.1)):
        drawn = population(10, rates, (0.0, effect), 0.2, 0.1)
        rng = generator(SEED, f"effect {rates}")
        base, treated = (drawn.draw(rng, 40_000, 1, 2, arm)[0] for arm in range(2))
        assert treated.mean() - base.mean() == pytest.approx(effect, abs=0.006)


def test_a_flat_chain_without_spread_is_geometric() -> None:
    chance, tasks = 0.8, 10
    latent = Latent(tasks, 0.0, 0.0, (float(np.log(chance / (1 - chance))),))
    assert latent.survival()[0, 0] == pytest.approx([chance**k for k in range(1, tasks + 1)])
    depths = np.arange(tasks + 1)
    weights = np.array([chance**k * (1 - chance if k < tasks else 1.0) for k in depths])
    means, chain_sd, family_sd = latent.moments()
    assert means[0] == pytest.approx((weights * depths).sum() / tasks)
    assert chain_sd == pytest.approx(((weights * depths**2).sum() - (weights * depths).sum() ** 2) ** 0.5 / tasks)
    assert family_sd == 0.0


def test_what_cannot_be_is_said_not_drawn() -> None:
    with pytest.raises(Impossible, match=r"at a mean Pass@2 of 5 % a chain sd of 0\.36"):
        solve(10, (0.05,), 0.36, 0.0)
    with pytest.raises(Impossible, match=r"of 105 % leaves no chance"):
        solve(10, (0.95, 1.05), 0.12, 0.0)
    line = measure(setting(rate="ceiling", chain_sd=0.36), SEED, 10, 0)
    assert "s² + τ²/2 is at most 0.048" in line.get("skipped", "")
    assert "words" not in line


def test_skills_share_c0_with_more_replicates() -> None:
    base, treated = next(audits(setting(skills=4, projects=2), SEED, 1))
    assert len(treated) == 4
    assert {len(cell.values) for cell in base.values()} == {6}
    assert {len(cell.values) for arm in treated for cell in arm.values()} == {3}
    assert len(base) == 16
    assert len({cell.family for cell in base.values()}) == 8
    arm = arm_of([[0.1, 0.2, 0.3, 0.4]], projects=2, replicates=2)
    assert [(cell.project, cell.values) for cell in arm.values()] == [("f0-0", (0.1, 0.2)), ("f0-1", (0.3, 0.4))]


def test_rare_wins_are_rare_and_large() -> None:
    rare = setting(kind="rare", rate="low", effect_points=50, share=0.1, families=50, family_sd=0.0)
    gains = [
        sum(treated[name].values) / 3 - sum(base[name].values) / 3
        for base, (treated,) in audits(rare, SEED, 400)
        for name in base
    ]
    assert rare.effect == pytest.approx(0.05)
    assert np.mean(gains) == pytest.approx(0.05, abs=0.01)
    assert stats.skew(gains) > 0.5


def test_the_same_seed_gives_the_same_figures_and_cells_do_not_share_it() -> None:
    first, again = (measure(setting(), SEED, 300, 0) for _ in range(2))
    assert first == again
    assert measure(setting(), SEED + 1, 300, 0)["words"] != first["words"]
    names = [one.name for grid in ("full", "small") for one in settings(grid)]
    assert len(set(names)) == len({*settings("full"), *settings("small")})
    draws = [generator(SEED, name).random() for name in set(names)]
    assert len(set(draws)) == len(draws)


def test_processes_change_no_figure_and_no_order() -> None:
    work = [(measure, setting(families=families), SEED, 60, 3) for families in (6, 15, 8)]
    told: list[str] = []
    alone, together = on_jobs(1, work, told.append), on_jobs(2, work, told.append)
    assert alone == together
    assert [line["families"] for line in together] == [6, 15, 8]
    assert told[-1] == "3 of 3 cells and demonstrations"


def test_a_judge_that_speaks_too_soon_fails_the_bars() -> None:
    def rash(questions: Any, *, margin: float) -> list[Any]:
        """One standard error in place of the t interval."""
        said = []
        for verdict in judge(questions, margin=margin):
            found = verdict.interval
            assert found.estimate is not None
            assert found.high is not None
            half = (found.high - found.estimate) / stats.t.ppf(0.5 + found.level / 2, verdict.families - 1)
            narrow = replace(found, low=found.estimate - half, high=found.estimate + half)
            word = "HELPS" if found.estimate > half else "HURTS" if found.estimate < -half else "UNDECIDED"
            said.append(replace(verdict, word=word, interval=narrow))
        return said

    line = measure(setting(), SEED, 300, 3, judge=rash)
    assert [one["met"] for one in line["bars"]] == [False] * 4
    assert line["helps_or_hurts"] == pytest.approx(2 * stats.t.sf(1, 7), abs=0.08)


def test_bars_are_widened_by_the_error_of_few_runs_only() -> None:
    assert bar("helps", 0.04, {"most": 0.035}, 1000, 0)["met"] is False
    assert bar("helps", 0.04, {"most": 0.035}, 1000, 3)["limit"] == pytest.approx(0.035 + 3 * (0.035 * 0.965 / 1000) ** 0.5)
    assert bar("right", 0.79, {"least": 0.8}, 1000, 3)["met"] is True
    assert bar("coverage", None, {"least": 0.935}, 1000, 3)["met"] is None
    assert load()["grids"]["full"]["monte_carlo_sds"] == 0
    assert load()["grids"]["full"]["runs"] >= 4000


def test_the_full_grid_has_what_the_method_names() -> None:
    null = [one for one in settings("full") if one.kind == "null"]
    assert {one.families for one in null} >= {6, 8, 15, 30, 50}
    assert {one.chain_sd for one in null} == {0.12, 0.2, 0.36}
    assert {one.family_sd for one in null} == {0.0, 0.1, 0.2, 0.4}
    assert {one.rate for one in null} >= {"floor", "ceiling"}
    assert {one.skills for one in null} == {1, 4}
    assert len({one.tasks for one in null}) > 1
    power = [one for one in settings("full") if one.kind == "power"]
    assert [(one.effect_points, one.families, one.replicates, one.chain_sd, one.family_sd) for one in power] == [
        (10, 40, 3, 0.2, 0.1),
        (30, 8, 5, 0.36, 0.1),
    ]


@pytest.fixture(scope="module")
def small() -> dict[str, Any]:
    """The small grid with fewer runs, in this process."""
    data = load()["grids"]["small"]
    lines = [measure(one, SEED, 400, data["monte_carlo_sds"]) for one in settings("small")]
    cheap = ("interval", "wins", "mcnemar", "rise")
    told = [one.make(SEED, 400) for one in made.demonstrations(load()) if one.maker in cheap]
    return {
        "grid": "small", "seed": SEED, "runs": 400, "margin_points": 5, "monte_carlo_sds": 3, "jobs": 1, "seconds": 1.0,
        "met": all(one["met"] for line in lines for one in line["bars"]), "bars": summary(lines), "cells": lines,
        "skipped": [{"name": "null: <b>", "reason": "cannot be"}], "demonstrations": told,
    }  # fmt: skip


def test_the_verdicts_meet_their_bars_on_the_small_grid(small: Any) -> None:
    assert [(line["name"], one) for line in small["cells"] for one in line["bars"] if not one["met"]] == []
    assert {scope for line in small["cells"] for scope in line["scopes"]} == {
        "ON PROJECTS LIKE THESE",
        "ON THESE PROJECTS ONLY",
    }
    assert all(sum(line["words"].values()) == pytest.approx(1) for line in small["cells"])


def test_the_page_and_the_lines_say_what_was_found(small: Any, tmp_path: Path) -> None:
    paths = write_calibration(small, tmp_path / "out")
    assert json.loads(paths[0].read_text(encoding="utf-8")) == json.loads(json.dumps(small))
    page = paths[1].read_text(encoding="utf-8")
    assert page.count("<svg ") == 2
    assert "All bars are met." in page
    assert "null: &lt;b&gt;" in page
    assert not re.findall(r'(?:src|href)="(?!#)', page.replace('xlink:href="#', 'href="#'))
    assert "prefers-color-scheme: dark" in page
    lines = calibration_lines(small)
    assert lines[0] == "Calibration, small grid: 14 cells × 400 runs, 1 s, seed 7"
    assert sum(line.startswith("met ") for line in lines) == len(small["bars"])
    assert "1 cell cannot be: no chains have such sds at such a mean of Pass@2." in lines


def test_a_bar_not_met_is_said_by_cell(small: Any) -> None:
    line: Any = {**small["cells"][0], "bars": [bar("helps", 0.2, {"most": 0.035}, 400, 3)]}
    result: Any = {**small, "met": False, "cells": [line], "bars": summary([line])}
    told = "\n".join(calibration_lines(result))
    assert f"NOT MET  {line['name']}: HELPS 20.00 %, limit 6.26 %" in told
    assert "NOT MET  no effect: HELPS at most 3.5 %: 0 of 1 cell; worst 20.00 %" in told


def test_bootstraps_equal_those_of_scipy() -> None:
    rng = np.random.default_rng(SEED)
    units = rng.exponential(size=(3, 8))
    for bca in (False, True):
        ours = np.array(made.bootstrap_bounds(units, np.random.default_rng(1), bca))
        for row in range(3):
            found = stats.bootstrap(
                (units[row],), np.mean, n_resamples=20_000, method="BCa" if bca else "percentile", rng=np.random.default_rng(2)
            ).confidence_interval
            assert ours[:, row] == pytest.approx([found.low, found.high], rel=0.08)


def test_exact_mcnemar_equals_the_binomial_test() -> None:
    pairs = [(111, 74), (0, 0), (3, 9), (5, 5)]
    ours = made.exact_mcnemar(np.array([b for b, _ in pairs]), np.array([c for _, c in pairs]))
    assert ours == pytest.approx([stats.binomtest(b, b + c).pvalue if b + c else 1.0 for b, c in pairs])
    assert ours[0] == pytest.approx(0.00795, abs=5e-6)


def test_figures_of_the_method_that_need_no_luck() -> None:
    found = {one.name: one.make(SEED, 1000) for one in made.demonstrations(load()) if one.maker in ("rise", "wins", "survival")}
    rises = [line["low"] for name, line in found.items() if name.startswith("A uniform rise")]
    # From 0.75 to 0.70 a task, in closed form: METHOD.md has 6.9 and 1.0.
    exact = [100 * sum(0.75**k - 0.70**k for k in span) / len(span) for span in (range(1, 6), range(11, 21))]
    assert [round(value, 1) for value in exact] == [6.9, 1.0]
    assert rises == pytest.approx(exact, abs=0.15)
    assert found["Survival of wins with no effect at all"]["high"] == pytest.approx(65, abs=2)


def test_every_demonstration_of_the_data_file_has_its_maker() -> None:
    known = made.demonstrations(load())
    assert {one.maker for one in known} == set(made.MAKERS)
    assert len({one.name for one in known}) == len(known)
    assert all(len(set(one.told)) == len(one.told) for one in known)


def test_the_reading_of_intervals_misnames_and_the_verdict_does_not() -> None:
    reading, verdict = (one for one in made.demonstrations(load()) if one.maker == "mechanism")
    chosen = replace(reading, cases=reading.cases[1:2], told=reading.told[1:2]).make(SEED, 600)
    assert 44 <= chosen["low"] <= 78
    assert chosen["inside"] == 1
    assert replace(verdict, cases=verdict.cases[:1], told=verdict.told[:1]).make(SEED, 400)["high"] < 6
