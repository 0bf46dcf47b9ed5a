"""The HTML page in a real browser, at a phone's width and a desk's, and without a network."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmark.model import Delivered, Usage
from benchmark.store import Store
from fixtures.browser import launch
from reports.delivery import IN_PROMPT, NOTE
from reports.terminal import LOCAL
from reports.write import write_all
from tests.factory import Row, evidence, keep, kept, row, wire

PROJECTS = ("bakery-page", "course-signup", "guest-book", "rainfall-chart", "reading-list", "ui-elements")


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a small audit with gains, losses, an absent arm and a broken trial."""
    root = tmp_path_factory.mktemp("runs")
    rows: list[Row] = []
    for number, project in enumerate(PROJECTS):
        rows += row(project, "C0", "1112x-----", "111112x---", "11x-------")
        rows += row(project, "C1", "1111111111", "1111211x--", "1" * number + "x" + "-" * (9 - number))
        rows += row(project, "C2", "1x--------", "12x-------", "111x------", injected=f"partner-{number}")
    rows += row("bakery-page", "C0", "1x", first=3, status="broken", reason="the engine went away")
    plan = keep(Store(root), rows)
    return Path(write_all(Store(root), plan["hash"])["files"]["page"])


@pytest.fixture(scope="module")
def client_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two clients under three deliveries, with contaminated baselines and counts that differ."""
    root = tmp_path_factory.mktemp("clients")
    leaked = Delivered(wire=Store(root).put(wire("the task", f"the task\n{kept().body}")))
    clean = Delivered(wire=Store(root).put(wire("the task")))
    rows: list[Row] = []
    for name, model, reads in (
        ("claude-code", "anthropic/claude-sonnet-4-5", (2, 4, None)),
        ("kimi", "local/smollm2-135m", (5,)),
    ):
        own = {"agent": {"name": name, "model": model}, "scripted": False}
        told = Usage(prompt_tokens=93, cached_tokens=12, completion_tokens=5, source="provider")
        for number, project in enumerate(PROJECTS):
            rows += row(project, "C0", "112x", "11x-", delivered=clean, attempt={"reported": told}, **own)
            if not number:
                rows += row(project, "C0", "1111", first=2, delivered=leaked, **own)
            rows += row(project, "C1", "1112", "1" * (number % 4) + "x---"[number % 4 :], **own)
            for at, read in enumerate(reads):
                seen = {"evidence": evidence(opened=read, seen=0.8), "reported": told}
                rows += row(project, "C1", "112x", first=at, delivery="native", attempt=seen, **own)
                rows += row(
                    project, "C2", "1x--", first=at, delivery="native", injected=f"partner-{number}", attempt=seen, **own
                )
            rows += row(project, "C1", "1111", delivery="forced", attempt={"evidence": evidence(opened=2)}, **own)
    lost = {"status": "not_delivered", "reason": "C1: in 1 of 3 attempts the client never listed the skill to its model"}
    rows += row(
        PROJECTS[0], "C1", "11x-", first=1, delivery="forced", agent={"name": "kimi", "model": "local/smollm2-135m"}, **lost
    )
    plan = keep(Store(root), rows)
    return Path(write_all(Store(root), plan["hash"])["files"]["page"])


@pytest.fixture(scope="module")
def chromium(playwright: Any) -> Any:
    opened = launch(playwright)
    yield opened
    opened.close()


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("which", ["page_file", "client_page"])
def test_the_page_opens_quietly_and_fits(which: str, request: pytest.FixtureRequest, chromium: Any, width: int) -> None:
    page_file: Path = request.getfixturevalue(which)
    context = chromium.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(page_file.as_uri())
    assert said == []
    assert asked == [page_file.as_uri()]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page must not scroll sideways"
    overlaps = page.evaluate(
        """() => [...document.querySelectorAll('figure svg')].flatMap(svg => {
            const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
            return boxes.flatMap(([a, p], i) => boxes.slice(i + 1).filter(([, q]) =>
                Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
                Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1).map(([b]) => `${a} / ${b}`));
        })"""
    )
    assert overlaps == [], "labels of the pictures must not overlap"
    context.close()


def test_the_page_says_whose_numbers_it_shows(page_file: Path) -> None:
    text = page_file.read_text(encoding="utf-8")
    assert "The agent is scripted" in text
    assert not re.search(r"(src|href)=\"https?:", text)
    assert len(text.encode()) < 2_000_000


@pytest.mark.parametrize("which", ["page_file", "client_page"])
def test_the_page_never_says_what_the_method_forbids(which: str, request: pytest.FixtureRequest) -> None:
    page_file: Path = request.getfixturevalue(which)
    text = re.sub(r"<[^>]+>", " ", page_file.read_text(encoding="utf-8")).lower()
    forbidden = ["no effect", "safe to ship", "for your project", "tcd confirms", "effect when opened", "hurts easy tasks"]
    forbidden += ["rankings do not transfer", "more replicates will decide"]
    assert [words for words in forbidden if words in text] == []


def test_results_json_has_null_for_what_was_not_measured(page_file: Path) -> None:
    results = json.loads((page_file.parent / "results.json").read_text(encoding="utf-8"))
    broken = [trial for trial in results["trials"] if trial["status"] == "broken"]
    assert broken and all(not any(trial["metrics"].values()) for trial in broken)


def words(page: Path) -> str:
    text = re.sub(r"<(svg|style).*?</\1>", " ", page.read_text(encoding="utf-8"), flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", text).replace("&#39;", "'").split())


def test_every_delivery_has_a_section_and_a_line(client_page: Path) -> None:
    text = words(client_page)
    for delivery in ("prompt", "native", "forced"):
        assert f"target with claude-code-anthropic-claude-sonnet-4-5, {delivery}" in text
    # Of three native replicates two were read; what was forced was always read.
    assert "C1 native 108/108 = 100 % 72/108 = 67 % 12/18 = 67 % 3.0 n = 72 80.0 % 0" in text
    assert "C1 forced 24/24 = 100 % 24/24 = 100 % 6/6 = 100 % 2.0 n = 24 100.0 % 0" in text
    assert NOTE in text and IN_PROMPT in text
    assert 'aria-label="Read rate by delivery"' in client_page.read_text(encoding="utf-8")


def test_a_page_of_prompts_alone_has_no_read_rates(page_file: Path) -> None:
    text = words(page_file)
    assert IN_PROMPT in text and NOTE not in text and "target with noop C" not in text
    assert "Read rate by delivery" not in page_file.read_text(encoding="utf-8")
    assert "baseline proven free of the skill in 18 of 18 trials" in text


def test_reasons_counts_and_the_small_model_are_on_the_page(client_page: Path, page_file: Path) -> None:
    text = words(client_page)
    assert "2 contaminated: the body of the skill target was in request 2 of the baseline" in text
    assert "1 not delivered: C1: in 1 of 3 attempts the client never listed the skill" in text
    assert "baseline proven free of the skill in 24 of 26 trials; 2 contaminated, in no contrast" in text
    assert f"local/smollm2-135m {LOCAL}" in text
    assert "Who counted the tokens" in text and "10.0k prompt (1.3k cached), 540 completion" in text
    assert "1 broken: the engine went away" in words(page_file) and LOCAL not in words(page_file)
