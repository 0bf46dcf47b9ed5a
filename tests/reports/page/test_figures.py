"""Pictures: where marks stand on their axis, that labels have room in a browser, and that text stays what it was."""

import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from fixtures.web.browser import launch
from reports.chains.figures import reached
from reports.page import figures
from reports.page.strips import StripRow, Strips, difference_words, interval_row, strips
from reports.result_lines import IntervalLine, TrialCoverage
from reports.result_tables import CostArm, DeliveryLine
from tests.reports.page.test_page import OVERLAPS, SIZES


def svg(found: Strips, at: int = 0) -> str:
    return found.rows[at].svg


def test_marks_stand_where_their_numbers_are():
    """The axis spans 0 to 50 points with 6 % of that to either side: −3 to 53, so that 25 is its middle."""
    found = strips([StripRow("a", 0.25, 0.0, 0.5)])
    assert '<svg x="50.0%" y="11"' in svg(found)
    assert 'class="bar" x1="5.36%" x2="94.64%"' in svg(found) and 'class="zero" x1="5.36%" x2="5.36%"' in svg(found)
    assert found.ticks == [
        (5.36, "0"),
        (23.21, "+10"),
        (41.07, "+20"),
        (58.93, "+30"),
        (76.79, "+40"),
        (94.64, "+50"),
    ]


def test_rows_share_one_axis_and_bars_begin_at_zero():
    found = strips([StripRow("gain", 0.3, mark="bar"), StripRow("loss", -0.3, mark="bar"), StripRow("none", None)])
    assert '<rect x="50.0%" width="44.64%"' in svg(found) and '<rect x="5.36%" width="44.64%"' in svg(found, 1)
    assert svg(found, 2).count("<line") == 1
    assert found.ticks == [(20.24, "−20"), (50.0, "0"), (79.76, "+20")]


def test_an_interval_beyond_what_can_be_ends_in_an_arrow():
    found = strips([StripRow("wide", 0.5, -2.04, 3.04)])
    assert svg(found).count("M0 0L8-5V5z") == 1 and svg(found).count("M0 0L-8-5V5z") == 1
    assert [text for _, text in found.ticks] == ["−100", "−50", "0", "+50", "+100"]
    within = strips([StripRow("arm", 0.9, 0.7, 1.3)], within=(0.0, 1.0), tick=lambda value: f"{100 * value:g}")
    assert svg(within).count("<path") == 2 and within.ticks[-1][1] == "100"


def test_the_margin_is_a_band_about_zero():
    found = strips([StripRow("a", 0.02, -0.01, 0.05)], margin=0.05)
    # ±10 points with 6 % of 20 to either side: −11.2 to 11.2.
    assert '<rect class="band" x="27.68%" width="44.64%"' in svg(found)


def test_what_was_not_measured_has_no_mark_and_says_why():
    found = strips([interval_row("a", IntervalLine(None, None, None, reason="no trial was measured"))])
    assert list(found.ticks) == [] and svg(found) == "" and found.rows[0].row.said == "not measured: no trial was measured"
    alike = IntervalLine(0.2, None, None, reason="no spread between families")
    assert difference_words(alike) == "+20.0: no spread between families"
    assert difference_words(IntervalLine(-0.0001, -0.1, 0.1)) == "0.0 (−10.0 to +10.0)"


ARMS = ("C0", "C1", "C2", "C1:fresh", "C3:-rules", "L3:-rules", "C3:-antipatterns", "L3:-antipatterns", "C3:-examples")


def arms(agents: int, seed: int, spread: float = 1.0) -> list[CostArm]:
    dice = random.Random(seed)
    return [
        CostArm(
            agent=f"claude-code-provider-model-{agent}",
            condition=name,
            quality=0.5 + spread * (dice.random() - 0.5),
            interval=IntervalLine(None),
            cost=20_000 + spread * 15_000 * dice.random(),
            reason=None,
            coverage=TrialCoverage(1, measured=1),
            front=dice.random() < 0.3,
        )
        for agent in range(agents)
        for name in ARMS
    ]


def cost(rows: list[CostArm], unit: str, title: str) -> str:
    return figures.cost(rows, unit, title, "Pass@2, % of its scale")


def read_rate(delivery: str) -> DeliveryLine:
    counts = {"trials": 1, "not_delivered": 0, "attempts": 2, "listed": 2, "readable": 2, "read": 1, "read_rate": 0.5}
    more = {"readable_trials": 1, "read_trials": 1, "first_read": 1.0, "seen": 1.0, "note": None}
    return DeliveryLine("target", "kimi-local", delivery, "C1", ("target",), **counts, **more)


def written(folder: Path, *pictures: str) -> str:
    page = folder / "pictures.html"
    style = "body { margin: 16px } figure { margin: 0 } svg { width: 100%; height: auto; max-width: 33rem; display: block }"
    shown = "".join(f"<figure>{picture}</figure>" for picture in pictures)
    page.write_text(f"<!doctype html><meta charset=utf-8><style>{style}</style>{shown}", encoding="utf-8")
    return page.as_uri()


def test_labels_have_room_whatever_lies_together(tmp_path: Path, playwright: Any) -> None:
    crowds = [cost(arms(agents, seed, spread), "tokens", f"{agents} {seed} {spread}")
              for agents in (1, 3) for seed in range(3) for spread in (1.0, 0.1)]  # fmt: skip
    equal = [replace(line, quality=0.4, cost=0.001, front=True) for line in arms(2, 0)]
    curves = {name: [1 - at / 20 for at in range(20)] for name in ARMS}
    crowds += [cost(equal, "USD", "equal"), reached(curves, "curves"), reached({}, "nothing")]
    rates = [read_rate(name) for name in ("native", "forced")]
    crowds.append(figures.read_rates(rates, "rates"))
    address = written(tmp_path, *crowds)
    browser = launch(playwright, tmp_path / "group")
    for width in (390, 1440):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(address)
        assert page.evaluate(OVERLAPS) == [], width
        assert min(page.evaluate(SIZES)) >= 9, width
    browser.close()


def test_every_arm_with_room_has_its_name_and_dominated_ones_are_hollow():
    picture = cost(arms(1, 1), "tokens", "one agent")
    assert [name for name in ARMS if f">{name}</text>" not in picture] == []
    assert "tokens a trial" in picture and "fill-opacity: 0; stroke: var(--c0" in picture


def test_numbers_stay_what_they_were_and_titles_are_escaped():
    near = [replace(line, cost=0.00123 + at / 1e5) for at, line in enumerate(arms(1, 0))]
    picture = cost(near, "USD", 'a "title" & <b>')
    assert 'aria-label="a &quot;title&quot; &amp; &lt;b&gt;"' in picture
    assert re.search(r">0\.001\d+</text>", picture)
    assert "DejaVu" not in picture and "<metadata" not in picture and "#1d6fb8" not in picture.replace("var(--c1, #1d6fb8)", "")


def test_ids_of_two_pictures_do_not_meet():
    ids = [set(re.findall(r' id="([^"]+)"', reached({"C0": [0.5]}, title))) for title in ("one title", "one title more")]
    assert ids[0] and not ids[0] & ids[1]
    # The same picture twice is the same text: reports can be compared.
    assert reached({"C0": [0.5]}, "a") == reached({"C0": [0.5]}, "a")
