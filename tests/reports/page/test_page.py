"""The HTML page in a real browser, at a phone's width and a desk's, and without a network."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from benchmark.core.model import Delivered, Usage
from benchmark.store.store import Store
from fixtures.web.browser import launch
from reports.audit.delivery import IN_PROMPT, NOTE
from reports.chains.buckets import DESCRIPTIVE
from reports.output.write import write_all
from reports.page import html as page_html
from reports.verdict.phrasing import LOCAL, NEVER
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
    return write_all(Store(root), plan.hash).files["page"]


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
    return write_all(Store(root), plan.hash).files["page"]


@pytest.fixture(scope="module")
def words_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of five skills, one of every verdict."""
    root = tmp_path_factory.mktemp("words")
    answers = {
        "helping": ("1111111111", "111111111x", "11111111x-"),
        "hurting": ("1x--------", "11x-------", "1x--------"),
        "idle": ("11111x----", "11111x----", "11111x----"),
        "open": ("11111111x-", "11x-------", "111111x---"),
        "lost": ("11111x----", "11111x----", "11111x----"),
    }
    rows: list[Row] = []
    for number, project in enumerate((*PROJECTS, "sketch-pad", "meal-planner")):
        last = "1111x-----" if number % 2 else "111111x---"
        rows += row(project, "C0", "11111x----", "11111x----", last, targets=tuple(answers))
        for name, chains in answers.items():
            lost = {"status": "not_delivered", "reason": "C1: its bytes were in no request"} if name == "lost" else {}
            # The undecided one helps on one half of the projects and hurts on the other.
            chosen = ("1x--------",) * 3 if name == "open" and number % 2 else (*chains[:2], chains[2] if number else last)
            rows += row(project, "C1", *chosen, targets=(name,), injected=name, **lost)
            rows += row(project, "C2", "1111x-----", last, targets=(name,), injected=f"partner-{number}")
    plan = keep(Store(root), rows, looks=1)
    return write_all(Store(root), plan.hash).files["page"]


@pytest.fixture(scope="module")
def slices_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a skill with its slices, whose agents left markup behind."""
    root = tmp_path_factory.mktemp("slices")
    rows: list[Row] = []
    for number, project in enumerate(PROJECTS):
        for at, condition in enumerate(("C0", "C1", "C1:fresh", "C3:-rules", "L3:-rules", "C3:-antipatterns", "L3:-examples")):
            # The skill gains on the third project and loses on the last; of slices it is all the same.
            depth = {2: 8, 5: 1}.get(number, 4) if condition == "C1" else 4 + (at + number) % 3 if at > 1 else 4
            chains = ["1" * solved + "x" + "-" * (9 - solved) for solved in (depth, depth + 1, depth)]
            rows += row(project, condition, *chains, injected=None if condition == "C0" else "target")
    plan = keep(Store(root), [_hostile(Store(root), item) for item in rows])
    return write_all(Store(root), plan.hash).files["page"]


HOSTILE = "</pre><script>alert('said')</script><img src=x onerror=alert(1)>"


def _hostile(store: Store, item: Row) -> Row:
    """The row with records whose workspace and feedback are markup."""

    def tree(task: int) -> str:
        return store.put_tree({f"<b>{task}.html": HOSTILE.encode(), "page.txt": f"{HOSTILE}\n".encode() * task})

    kept_records = []
    for record in item.records:
        tasks = [
            task.model_copy(
                update={
                    "attempts": tuple(
                        one.model_copy(update={"workspace": tree(task.task), "feedback": None if one.solved else HOSTILE})
                        for one in task.attempts
                    )
                }
            )
            for task in record.tasks
        ]
        kept_records.append(record.model_copy(update={"tasks": tuple(tasks)}))
    return Row(item.spec, item.targets, tuple(kept_records))


PAGES = ["page_file", "client_page", "words_page", "slices_page"]


@pytest.fixture(scope="module", params=PAGES)
def any_page(request: pytest.FixtureRequest) -> Path:
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def chromium(playwright: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    opened = launch(playwright, tmp_path_factory.mktemp("browser") / "group")
    yield opened
    opened.close()


#: Boxes of text of one picture that lie upon each other; an axis of a row of estimates is a picture as well.
OVERLAPS = """() => [...document.querySelectorAll('figure svg, .axis')].flatMap(picture => {
    const texts = [...picture.querySelectorAll(picture.matches('svg') ? 'text' : 'span')];
    const boxes = texts.map(t => [t.textContent, t.getBoundingClientRect()]).filter(([, p]) => p.width);
    return boxes.flatMap(([a, p], i) => boxes.slice(i + 1).filter(([, q]) =>
        Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
        Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1).map(([b]) => `${a} / ${b}`));
})"""
#: Text of pictures as it is seen: its size in pixels after the picture was scaled.
SIZES = """() => [...document.querySelectorAll('figure svg text')].map(t => {
    const svg = t.closest('svg[viewBox]');
    return parseFloat(getComputedStyle(t).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
})"""
CONTRASTS = """() => [...document.querySelectorAll('.badge')].map(badge => {
    const light = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
        .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const style = getComputedStyle(badge);
    const [a, b] = [light(style.color), light(style.backgroundColor)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
})"""


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1440, "dark")])
def test_the_page_opens_quietly_and_fits(any_page: Path, chromium: Any, width: int, scheme: str) -> None:
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(any_page.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert said == []
    assert asked == [any_page.as_uri()]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page must not scroll sideways"
    assert page.evaluate(OVERLAPS) == [], "labels of the pictures must not overlap"
    assert min(page.evaluate(SIZES), default=9) >= 9, "text of pictures must be readable"
    assert min(page.evaluate(CONTRASTS)) >= 4.5
    assert page.evaluate("document.querySelectorAll('script, img, link, iframe').length") == 0
    context.close()


def test_a_phone_shows_the_verdict_and_how_sure_it_is_at_once(page_file: Path, chromium: Any) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(page_file.as_uri())
    for shown in (".card .badge", ".card .do", "text=How sure:", ".card svg.strip"):
        box = page.locator(shown).first.bounding_box()
        assert box and box["y"] + box["height"] <= 844, shown
    context.close()


def test_links_lead_to_one_place_each(any_page: Path) -> None:
    text = any_page.read_text(encoding="utf-8")
    ids = re.findall(r' id="([^"]+)"', text)
    assert [name for name in set(ids) if ids.count(name) > 1] == []
    assert [name for name in re.findall(r'href="#([^"]+)"', text) if name not in ids] == []


def test_the_page_never_says_what_the_method_forbids(any_page: Path) -> None:
    text = words(any_page)
    assert [pattern for pattern in NEVER if re.search(pattern, text, re.I)] == []


def test_every_verdict_has_scope_model_version_date_and_what_to_do(words_page: Path) -> None:
    html = words_page.read_text(encoding="utf-8")
    rows = [" ".join(unescape(re.sub(r"<[^>]+>", " ", one)).split()) for one in re.findall(r"<tr><th.*?</tr>", html, re.S)]
    found = {row.split()[0]: row for row in rows if "client version 1, 2027-01-15" in row}
    expected = {
        "helping": ("▲ HELPS", "Inject it"),
        "hurting": ("▼ HURTS", "Withhold it"),
        "idle": ("≈ NO PRACTICAL EFFECT", "Test more"),
        "lost": ("× NOT DELIVERED", "Test more"),
        "open": ("? UNDECIDED", "Test more"),
    }
    assert {name: [part for part in parts if part not in found[name]] for name, parts in expected.items()} == {
        name: [] for name in expected
    }
    assert all("no model" in row and "on projects like these" in row for row in found.values())


def test_what_is_explored_says_so(slices_page: Path) -> None:
    html = slices_page.read_text(encoding="utf-8")
    for title in ("Quality against cost", "Agents beside each other"):
        assert re.search(rf'{title} <span class="tag">exploratory', html), title
    assert re.search(r"<h2[^>]*>Where arms diverged \(exploratory, an illustration\)</h2>", html)
    text = words(slices_page)
    assert "exploratory C3 is the skill without a slice" in text
    assert text.count(DESCRIPTIVE) == 2
    assert len(re.findall(r"C1−[CL]3:-\w+ exploratory", text)) == 4


def test_what_agents_wrote_is_text(slices_page: Path) -> None:
    html = slices_page.read_text(encoding="utf-8")
    assert "<script" not in html and "<img" not in html
    assert "&lt;script&gt;alert" in html and "<ins>+&lt;/pre&gt;&lt;script&gt;" in html and "&lt;b&gt;" in html


def test_arms_part_side_by_side(slices_page: Path) -> None:
    text = words(slices_page)
    gain, loss = PROJECTS[2], PROJECTS[5]
    assert f"Largest shrunken gain: target on {gain}" in text and f"Largest shrunken loss: target on {loss}" in text
    assert text.count("points after shrinkage (± one standard deviation)") == 2
    assert re.search(r"C0 , without the skill: (not )?solved at attempt \d", text)
    assert re.search(r"C1 , with it: (not )?solved at attempt \d", text)


def large(root: Path, skills: int) -> str:
    """The page of an audit of so many skills with two models."""
    rows: list[Row] = []
    names = [f"skill-{number:02d}" for number in range(skills)]
    for project in PROJECTS[:3]:
        for model in ("provider/one", "provider/two"):
            own = {"agent": {"model": model}, "scripted": False}
            for name in names:
                rows += row(project, "C1", "11111x----", "1111111x--", targets=(name,), injected=name, **own)
            rows += row(project, "C0", "11111x----", "111x------", targets=names, **own)
    store = Store(root)
    plan = keep(store, rows)
    text = write_all(store, plan.hash).files["page"].read_text(encoding="utf-8")
    assert re.search(r"\d+ more questions have no room for their details", text)
    # Every verdict is there whatever room there is for details.
    assert len(re.findall(r'class="badge undecided"', text)) >= 2 * skills
    return text


def test_details_have_what_room_the_limit_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert page_html.LIMIT < 2_000_000
    monkeypatch.setattr(page_html, "LIMIT", 500_000)
    assert 250_000 < len(large(tmp_path, 12).encode()) <= 500_000


@pytest.mark.nightly
def test_a_large_audit_stays_below_two_megabytes(tmp_path: Path) -> None:
    assert page_html.LIMIT / 2 < len(large(tmp_path, 60).encode()) < 2_000_000


def test_the_page_says_whose_numbers_it_shows(page_file: Path) -> None:
    text = page_file.read_text(encoding="utf-8")
    assert "The agent is scripted" in text
    assert not re.search(r"(src|href)=\"https?:", text)
    assert len(text.encode()) < 2_000_000


def test_results_json_has_null_for_what_was_not_measured(page_file: Path) -> None:
    results = json.loads((page_file.parent / "results.json").read_text(encoding="utf-8"))
    broken = [trial for trial in results["trials"] if trial["status"] == "broken"]
    assert broken and all(not any(trial["metrics"].values()) for trial in broken)


def test_tests_that_are_left_out_are_named_with_their_project(tmp_path: Path) -> None:
    store = Store(tmp_path)
    plan = keep(store, [*row("alpha", "C0", "2x"), *row("alpha", "C1", "11")])
    many = [f"test/task-{at}.spec.js › <b>says</b>: failed 2 of 6 runs of the reference" for at in range(1, 46)]
    store.put_panel(plan.hash, plan.model_dump(mode="json") | {"quarantined": {"beta": many, "alpha": many[:1]}})
    page = write_all(store, plan.hash).files["page"]
    text = words(page)
    assert "Left out of grading: 46 tests that fail with the reference too (alpha: 1, beta: 45); which" in text
    assert "alpha: 1 test/task-1.spec.js › &lt;b&gt;says&lt;/b&gt;: failed 2 of 6 runs of the reference beta: 45" in text
    assert "test/task-40.spec.js" in text and "test/task-41.spec.js" not in text and "5 more are in results.json" in text
    html = page.read_text(encoding="utf-8")
    assert html.count('href="#left-out"') == html.count('id="left-out"') == 1


def test_nothing_is_said_of_tests_where_none_is_left_out(any_page: Path) -> None:
    assert "eft out of grading" not in words(any_page)


def test_error_at_1_stands_beside_the_first_try(page_file: Path) -> None:
    heads = re.findall(r"<tr>(<th scope=\"col\">arm</th>.*?pass1.*?)</tr>", page_file.read_text(encoding="utf-8"))
    assert heads and all('>first try</th><th scope="col">error@1</th><th' in head for head in heads)


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
