"""Numbers of every small suite are on its own scale, in its own words, and better in the direction that is better."""

import re
from typing import Any

import pytest

from tests.suites.runs import NAMES, Whole

#: By suite its unit, its bounds, and how a value of the primary metric reads.
SCALES = {
    "greetings": ("share", 0, 1, "higher", r"had [\d.]+ % of the lines right"),
    "typos": ("typos", 0, 20, "lower", r"made [\d.]+ typos"),
    "essays": ("points of 5", 1, 5, "higher", r"reached [\d.]+ points of 5 in quality"),
    "relay": ("share", 0, 1, "higher", r"reached [\d.]+ % in carried"),
}
#: What only suites of chains and browsers may say.
FOREIGN = r"\bchains?\b|\bbrowsers?\b|chromium|playwright|pass@?[12]\b|\btcd\b|web-?bench|\bwebdev\b|\bpages? solved\b"


def numbers(whole: Whole, skill: str) -> tuple[dict[str, Any], float, float]:
    """The verdict on a skill, and the primary metric with it and without it."""
    name = whole.results["metrics"][0]["name"]
    treated, base = (whole.about("arms", skill, condition)["metrics"][name] for condition in ("C1", "C0"))
    return whole.about("verdicts", skill), treated, base


def test_what_is_planted_is_found_in_both_signs(whole: Whole) -> None:
    lower = SCALES[whole.suite][3] == "lower"
    for skill, word, sign in (("good", "HELPS", 1), ("evil", "HURTS", -1)):
        verdict, treated, base = numbers(whole, skill)
        assert verdict["word"] == word, verdict["sentence"]
        assert verdict["estimate"] * sign > 0 and verdict["low"] * sign > 0 and verdict["high"] * sign > 0
        assert (treated - base) * sign * (-1 if lower else 1) > 0, "the metric itself moves in its own direction"


def test_differences_are_shares_of_the_scale(whole: Whole) -> None:
    _, low, high, better, _ = SCALES[whole.suite]
    for skill in ("good", "evil"):
        verdict, treated, base = numbers(whole, skill)
        step = (treated - base) / (high - low) * (-1 if better == "lower" else 1)
        assert verdict["estimate"] == pytest.approx(step)
        assert -1 <= verdict["estimate"] <= 1
        assert all(-1 <= value <= 1 for value in whole.about("contrasts", skill)["families"].values())


def test_results_say_what_scale_every_number_is_on(whole: Whole) -> None:
    unit, low, high, better, _ = SCALES[whole.suite]
    first, *others = whole.results["metrics"]
    assert (first["unit"], first["low"], first["high"], first["better"], first["primary"]) == (unit, low, high, better, True)
    assert not any(metric["primary"] for metric in others)
    assert {"tokens", "usd", "seconds"} <= {metric["name"] for metric in others}
    names = {metric["name"] for metric in whole.results["metrics"]}
    for line in whole.results["arms"]:
        assert set(line["metrics"]) == names
        interval = line["interval"]
        assert low <= interval["estimate"] <= high, "an arm's interval is in the metric's own unit"


def test_the_sentence_is_in_the_suites_own_words_and_unit(whole: Whole) -> None:
    unit, low, high, _, phrase = SCALES[whole.suite]
    for skill in ("good", "evil"):
        sentence = whole.about("verdicts", skill)["sentence"]
        assert re.search(rf"with {skill} in its prompt, planted {phrase}; without it, ", sentence), sentence
        assert not re.search(FOREIGN, sentence, re.IGNORECASE)
        if unit != "share":
            own = re.search(rf"\(([+−][\d.]+) on {low} to {high}\)", sentence)
            assert own, f"the difference stands in the scale's own unit: {sentence}"
            _, treated, base = numbers(whole, skill)
            assert float(own[1].replace("−", "-")) == pytest.approx(treated - base, abs=0.06)


def test_fewer_typos_are_better_and_a_difference_of_them_is_not_called_typos(whole_of: Any) -> None:
    """Points of the scale rise where typos fall: a head that says Δtypos would turn the number round (fault E1)."""
    whole = whole_of("typos")
    verdict, treated, base = numbers(whole, "good")
    assert treated < base and verdict["word"] == "HELPS"
    assert "made 0.0 typos" in verdict["sentence"]
    heads = [line for line in whole.first.out.splitlines() if "95 % interval" in line and "contrast" in line]
    assert heads and all("Δtypos, points" in line for line in heads), heads


def test_the_terminal_names_the_suites_metric_and_nothing_of_other_suites(whole: Whole) -> None:
    said = whole.first.out.partition("= Skill Assay =")[2]
    assert whole.results["metrics"][0]["title"] in said
    assert not re.search(FOREIGN, said, re.IGNORECASE), said


def test_the_page_names_no_chain_no_browser_and_no_metric_of_other_suites(whole: Whole) -> None:
    page = re.sub(r"<style.*?</style>|data:[\w/;,+=%.-]+|/\S+", " ", whole.page(), flags=re.DOTALL)
    found = [page[max(0, hit.start() - 60) : hit.end() + 60] for hit in re.finditer(FOREIGN, page, re.IGNORECASE)]
    assert not found
    assert whole.results["metrics"][0]["title"] in page
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", whole.page()))
    assert re.search(SCALES[whole.suite][4], text)


@pytest.mark.parametrize("suite", NAMES)
def test_a_suite_without_tasks_that_are_solved_speaks_of_no_solved_task(suite: str, whole_of: Any) -> None:
    page = whole_of(suite).page()
    assert not re.search(r"extra solved task|tasks were solved", page)


def test_a_suite_adds_its_section_to_the_page_the_terminal_and_the_results(essays: Whole) -> None:
    (section,) = essays.results["sections"]
    assert section["title"] == "What the judge saw"
    assert section["columns"] == ["skill", "arm", "clarity", "structure"]
    assert ["good", "C1", "5.00", "4.00"] in section["rows"]
    assert "What the judge saw" in essays.page() and "What the judge saw" in essays.first.out


def test_other_suites_add_no_section(whole: Whole) -> None:
    assert bool(whole.results["sections"]) == (whole.suite == "essays")
