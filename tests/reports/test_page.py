"""The HTML page in a real browser, at a phone's width and a desk's, and without a network."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmark.store import Store
from fixtures.browser import launch
from reports.write import write_all
from tests.factory import keep, row

PROJECTS = ("bakery-page", "course-signup", "guest-book", "rainfall-chart", "reading-list", "ui-elements")


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a small audit with gains, losses, an absent arm and a broken trial."""
    root = tmp_path_factory.mktemp("runs")
    rows = []
    for number, project in enumerate(PROJECTS):
        rows += row(project, "C0", "1112x-----", "111112x---", "11x-------")
        rows += row(project, "C1", "1111111111", "1111211x--", "1" * number + "x" + "-" * (9 - number))
        rows += row(project, "C2", "1x--------", "12x-------", "111x------", injected=f"partner-{number}")
    rows += row("bakery-page", "C0", "1x", first=3, status="broken", reason="the engine went away")
    plan = keep(Store(root), rows)
    return Path(write_all(Store(root), plan["hash"])["files"]["page"])


@pytest.fixture(scope="module")
def chromium(playwright: Any) -> Any:
    opened = launch(playwright)
    yield opened
    opened.close()


@pytest.mark.parametrize("width", [390, 1440])
def test_the_page_opens_quietly_and_fits(page_file: Path, chromium: Any, width: int) -> None:
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


def test_the_page_never_says_what_the_method_forbids(page_file: Path) -> None:
    text = re.sub(r"<[^>]+>", " ", page_file.read_text(encoding="utf-8")).lower()
    forbidden = ["no effect", "safe to ship", "for your project", "tcd confirms", "effect when opened", "hurts easy tasks"]
    forbidden += ["rankings do not transfer", "more replicates will decide"]
    assert [words for words in forbidden if words in text] == []


def test_results_json_has_null_for_what_was_not_measured(page_file: Path) -> None:
    results = json.loads((page_file.parent / "results.json").read_text(encoding="utf-8"))
    broken = [trial for trial in results["trials"] if trial["status"] == "broken"]
    assert broken and all(not any(trial["metrics"].values()) for trial in broken)
