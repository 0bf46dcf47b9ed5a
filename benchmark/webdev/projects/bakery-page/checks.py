"""Checks of the bakery's page: geometry relative to other things on the page, keyboard, colours as computed."""

from itertools import pairwise
from typing import Any

from playwright.sync_api import Locator, Page, expect

from benchmark.webdev.checks import check, require

NAV = ("Breads", "Opening hours", "Questions", "Find us")
BREADS = {
    "Country Loaf": "£4.20",
    "Seeded Rye": "£4.80",
    "Oat Porridge Bread": "£4.60",
    "Spelt Tin": "£4.40",
    "Walnut Batard": "£5.10",
    "Olive Focaccia": "£3.50",
}
ANSWERS = {
    "Do you bake without wheat?": "Seeded Rye is made without wheat",
    "Can I order ahead?": "Call before four in the afternoon",
    "How do I keep bread fresh?": "Cut side down on a board",
}
SKIP = "Skip to content"

# Words for the browser: colours as numbers, what is behind an element, which texts can be seen and where they are.
LIB = """
const canvas = document.createElement('canvas');
canvas.width = canvas.height = 1;
const pen = canvas.getContext('2d', {willReadFrequently: true});
const rgba = (colour) => {
  pen.clearRect(0, 0, 1, 1);
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
};
const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
const paper = (() => {
  const probe = document.createElement('i');
  probe.style.cssText = 'all: initial; background-color: Canvas';
  document.documentElement.append(probe);
  const colour = rgba(getComputedStyle(probe).backgroundColor);
  probe.remove();
  return colour;
})();
const behind = (element) => {
  const layers = [];
  for (let node = element; node; node = node.parentElement) {
    layers.push(rgba(getComputedStyle(node).backgroundColor));
    if (layers.at(-1)[3] === 1) break;
  }
  return layers.reverse().reduce((below, top) => over(top, below), paper);
};
const luminance = (colour) => {
  const [r, g, b] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (one, other) => {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
const opacity = (element) => {
  let product = 1;
  for (let node = element; node; node = node.parentElement) product *= Number(getComputedStyle(node).opacity);
  return product;
};
const clipped = (element) => {
  for (let node = element; node; node = node.parentElement) {
    const style = getComputedStyle(node);
    if (style.clipPath !== 'none' || (style.clip !== 'auto' && style.position !== 'static')) return true;
    const box = node.getBoundingClientRect();
    if (style.overflowX !== 'visible' && (box.width <= 2 || box.height <= 2)) return true;
  }
  return false;
};
const textRect = (node) => {
  const range = document.createRange();
  range.selectNodeContents(node);
  const box = range.getBoundingClientRect();
  return {x: box.x, y: box.y, right: box.right, bottom: box.bottom, width: box.width, height: box.height};
};
const texts = () => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const words = node.data.trim().replace(/\\s+/g, ' ');
    const element = node.parentElement;
    if (!words || words === 'Skip to content' || element.closest('script, style, noscript, template')) continue;
    if (!element.checkVisibility({visibilityProperty: true, contentVisibilityAuto: true})) continue;
    const box = textRect(node);
    if (box.width < 1 || box.height < 1 || box.right <= 0 || clipped(element) || opacity(element) < 0.05) continue;
    const ground = behind(element);
    const ink = rgba(getComputedStyle(element).color);
    ink[3] *= opacity(element);
    const seen = {ground: luminance(ground), contrast: contrast(over(ink, ground), ground)};
    found.push({words: words.slice(0, 60), ...box, ...seen});
  }
  return found;
};
"""

STILL = """async () => {
  const moving = document.getAnimations().filter((item) => item.playState === 'running'
    && item.timeline === document.timeline && Number.isFinite(Number(item.effect.getComputedTiming().endTime)));
  await Promise.all(moving.map((item) => item.finished.catch(() => {})));
}"""

SETTLED = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  await frame();
  await frame();
  let [last, same] = [NaN, 0];
  for (let turn = 0; turn < 180 && same < 5; turn += 1) {
    await frame();
    same = scrollY === last ? same + 1 : 0;
    last = scrollY;
  }
}"""

SHOWN = """(element) => {
  const box = element.getBoundingClientRect();
  const wide = Math.min(box.right, innerWidth) - Math.max(box.left, 0);
  const high = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
  return wide > 4 && high > 4 && element.checkVisibility() && !clipped(element) && opacity(element) > 0.05;
}"""

ON_TOP = """(element) => {
  const box = element.getBoundingClientRect();
  const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return Boolean(hit) && (element.contains(hit) || hit.contains(element));
}"""

OPAQUE = """(header, x, y) => {
  const hit = document.elementFromPoint(x, y);
  if (!hit || !header.contains(hit) && !hit.contains(header)) return false;
  for (let node = hit; node && node !== document.body; node = node.parentElement) {
    const style = getComputedStyle(node);
    if (rgba(style.backgroundColor)[3] > 0.99 || style.backgroundImage !== 'none') return opacity(node) > 0.99;
  }
  return false;
}"""

FOCUSED = """() => {
  const element = document.activeElement;
  window.assaySeen ??= new WeakSet();
  if (!element || element === document.body || window.assaySeen.has(element)) return null;
  window.assaySeen.add(element);
  const style = getComputedStyle(element);
  const ring = rgba(style.outlineColor);
  const inside = parseFloat(style.outlineOffset) <= -parseFloat(style.outlineWidth);
  const ground = behind(inside ? element : element.parentElement);
  return {
    words: element.textContent.trim().slice(0, 60),
    counts: element.matches('a, summary'),
    thick: ['none', 'hidden'].includes(style.outlineStyle) ? 0 : parseFloat(style.outlineWidth),
    auto: style.outlineStyle === 'auto',
    contrast: contrast(over(ring, ground), ground),
  };
}"""


def run(page: Page, expression: str) -> Any:
    """What `expression`, a function without arguments, says in the page with the words of LIB at hand."""
    return page.evaluate(f"() => {{ {LIB} return ({expression})(); }}")


def ask(item: Locator, expression: str) -> Any:
    """What `expression`, a function of an element, says of `item` with the words of LIB at hand."""
    return item.evaluate(f"(element) => {{ {LIB} return ({expression})(element); }}")


def box(item: Locator, name: str) -> dict[str, float]:
    """Where `item` is: x, y, width, height, right, bottom, in the window."""
    expect(item, f"{name} can be seen").to_be_visible()
    found = item.bounding_box()
    require(found is not None, f"{name} takes room on the page", "it takes none")
    assert found is not None
    return {**found, "right": found["x"] + found["width"], "bottom": found["y"] + found["height"]}


def text_box(item: Locator, name: str) -> dict[str, float]:
    """Where the text in `item` is, without padding."""
    expect(item, f"{name} can be seen").to_be_visible()
    return ask(item, "textRect")


def size(page: Page, width: int, height: int = 800) -> None:
    page.set_viewport_size({"width": width, "height": height})


def settle(page: Page) -> None:
    """Wait for transitions and smooth scrolling to end."""
    page.evaluate(STILL)
    page.evaluate(SETTLED)


def scroll(page: Page, top: float) -> None:
    page.evaluate("(top) => window.scrollTo({top, behavior: 'instant'})", top)
    settle(page)


def brand(page: Page) -> Locator:
    return page.get_by_role("banner").get_by_text("Hollow Lane Bakery", exact=True)


def nav_link(page: Page, name: str) -> Locator:
    return page.get_by_role("banner").get_by_role("link", name=name, exact=True)


def heading(page: Page, name: str) -> Locator:
    return page.get_by_role("heading", name=name, exact=True)


def card(page: Page, name: str) -> Locator:
    return page.get_by_role("listitem").filter(has=heading(page, name))


def card_rows(page: Page) -> list[list[tuple[str, dict[str, float]]]]:
    """The cards by row, from top to bottom and left to right."""
    rows: list[list[tuple[str, dict[str, float]]]] = []
    expect(page.get_by_role("listitem").filter(has=heading(page, "Olive Focaccia")), "the cards show").to_be_visible()
    cards = []
    for name in BREADS:
        place = card(page, name).bounding_box()
        require(place is not None, f"the card of {name} can be seen", "it takes no room on the page")
        assert place is not None
        ends = {"right": place["x"] + place["width"], "bottom": place["y"] + place["height"]}
        cards.append((name, {**place, **ends}))
    for name, place in sorted(cards, key=lambda item: (round(item[1]["y"] / 4), item[1]["x"])):
        if rows and abs(rows[-1][0][1]["y"] - place["y"]) <= 3:
            rows[-1].append((name, place))
        else:
            rows.append([(name, place)])
    return [sorted(row, key=lambda item: item[1]["x"]) for row in rows]


def px(*values: float) -> str:
    return ", ".join(f"{value:.0f}px" for value in values)


def main_part(page: Page) -> Locator:
    return page.get_by_role("main")


def week(page: Page) -> Locator:
    return page.get_by_role("complementary", name="This week", exact=True)


def question(page: Page, name: str) -> Locator:
    return page.locator("summary").filter(has_text=name)


def click_question(page: Page, name: str) -> None:
    expect(question(page, name), f'the question "{name}" can be seen').to_be_visible()
    question(page, name).click()


def answer(page: Page, name: str) -> Locator:
    return page.get_by_text(ANSWERS[name])


def tab_to(page: Page, words: str) -> bool:
    """Press Tab until the element with `words` has the focus; whether it came to it."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if words in (page.evaluate("document.activeElement.textContent") or "")[:200]:
            return True
    return False


def rings(page: Page) -> list[dict[str, Any]]:
    """What the keyboard outline looks like on each link and question, in the order of the Tab key."""
    found = []
    for _ in range(40):
        page.keyboard.press("Tab")
        page.evaluate(STILL)
        seen = run(page, FOCUSED)
        if seen is None:
            break
        if seen["counts"]:
            found.append(seen)
    return found


def weak_text(page: Page, least: float) -> list[str]:
    """Texts that can be seen and have less contrast than `least`, in words."""
    weak = [item for item in run(page, "texts") if item["contrast"] < least - 0.02]
    return [f'"{item["words"]}" has {item["contrast"]:.2f} to 1' for item in weak]


@check(1, "Our name and the four links stand in one row")
def header_row(page: Page) -> None:
    page.goto("/")
    name = text_box(brand(page), "our name in the header")
    links = [text_box(nav_link(page, item), f"the link {item} in the header") for item in NAV]
    middles = [item["y"] + item["height"] / 2 for item in links]
    require(
        max(middles) - min(middles) <= 4,
        "the four links stand at one height",
        f"middles at {px(*middles)} from the top",
    )
    middle = name["y"] + name["height"] / 2
    require(
        abs(middle - middles[0]) <= 14,
        "our name stands in the same row as the links",
        f"middle of our name at {px(middle)}, of the links at {px(middles[0])} from the top",
    )
    stops = [name, *links]
    gaps = [right["x"] - left["right"] for left, right in pairwise(stops)]
    require(
        min(gaps) >= 11.5,
        "our name, Breads, Opening hours, Questions, Find us from left to right, at least 12px apart",
        f"gaps between one and the next of {px(*gaps)}",
    )


@check(1, "Header and content share one centred column")
def one_column(page: Page) -> None:
    page.goto("/")
    for width in (1280, 1600):
        size(page, width)
        name = text_box(brand(page), "our name in the header")
        edge = (width - 1100) / 2
        require(
            edge - 1 <= name["x"] <= edge + 150,
            f"our name begins at the left of a column of at most 1100px in the middle of a window of {width}px",
            f"our name begins at {px(name['x'])} from the left",
        )
        for title in ("Bread with time in it", "Our breads"):
            place = text_box(heading(page, title), f'the heading "{title}"')
            require(
                abs(place["x"] - name["x"]) <= 4,
                f'the heading "{title}" begins at the same left edge as our name (window of {width}px)',
                f"the heading at {px(place['x'])}, our name at {px(name['x'])}",
            )
        left, right = name["x"], width - text_box(nav_link(page, "Find us"), "the link Find us")["right"]
        require(
            abs(left - right) <= 36,
            f"the link Find us ends at the right end of the centred column (window of {width}px)",
            f"{px(left)} free at the left of our name, {px(right)} free at the right of Find us",
        )


@check(2, "Three, two or one card to a row by the width of the window")
def cards_wrap(page: Page) -> None:
    page.goto("/")
    for width, count in ((1280, 3), (1040, 3), (960, 2), (620, 2), (580, 1), (400, 1)):
        size(page, width)
        rows = card_rows(page)
        shape = [len(row) for row in rows]
        require(shape == [count] * (6 // count), f"{count} to a row in a window of {width}px", f"rows of {shape}")
        order = [name for row in rows for name, _ in row]
        require(order == list(BREADS), "the cards stand in the order of the list", ", ".join(order))
        places = [place for row in rows for _, place in row]
        widths = [place["width"] for place in places]
        require(max(widths) - min(widths) <= 2, f"equally wide cards in a window of {width}px", px(*widths))
        ends = (min(place["x"] for place in places), max(place["right"] for place in places))
        require(
            ends[0] >= 15 and ends[1] <= width - 15,
            f"all cards inside the window of {width}px, at least 16px from its edges",
            f"from {px(ends[0])} to {px(ends[1])}",
        )
        gaps = [right["x"] - left["right"] for row in rows for (_, left), (_, right) in pairwise(row)]
        gaps += [below[0][1]["y"] - above[0][1]["bottom"] for above, below in pairwise(rows)]
        require(min(gaps) >= 15.5, f"at least 16px between cards in a window of {width}px", f"gaps of {px(*gaps)}")


@check(2, "Cards of one row are equally high, with the prices on one line")
def cards_even(page: Page) -> None:
    page.goto("/")
    for width in (1280, 800):
        size(page, width)
        for row in card_rows(page):
            names = ", ".join(name for name, _ in row)
            heights = [place["height"] for _, place in row]
            require(max(heights) - min(heights) <= 2, f"equally high cards: {names} (window of {width}px)", px(*heights))
            feet = []
            for name, place in row:
                price = text_box(card(page, name).get_by_text(BREADS[name], exact=True), f"the price of {name}")
                feet.append(price["bottom"])
                require(
                    place["bottom"] - price["bottom"] <= 60 and price["y"] > place["y"] + place["height"] / 2,
                    f"the price of {name} stands at the foot of its card",
                    f"it ends {px(place['bottom'] - price['bottom'])} above the card's lower edge",
                )
            require(
                max(feet) - min(feet) <= 3,
                f"the prices of {names} stand on one line (window of {width}px)",
                f"they end at {px(*feet)} from the top",
            )


@check(2, "Each card has a border and room inside it")
def cards_border(page: Page) -> None:
    page.goto("/")
    for name, words in (("Country Loaf", "Our everyday sourdough"), ("Olive Focaccia", "Green olives")):
        item = card(page, name)
        place = box(item, f"the card of {name}")
        borders = item.evaluate(
            """(element) => ['Top', 'Right', 'Bottom', 'Left'].map((side) => {
                const style = getComputedStyle(element);
                return style[`border${side}Style`] === 'none' ? 0 : parseFloat(style[`border${side}Width`]);
            })"""
        )
        require(min(borders) > 0, f"a border on all four sides of the card of {name}", f"borders of {px(*borders)}")
        parts = (
            item.get_by_role("heading", name=name, exact=True),
            item.get_by_text(words),
            item.get_by_text(BREADS[name], exact=True),
        )
        inside = [text_box(part, f"a text in the card of {name}") for part in parts]
        room = (
            min(part["x"] for part in inside) - place["x"],
            min(part["y"] for part in inside) - place["y"],
            place["right"] - max(part["right"] for part in inside),
            place["bottom"] - max(part["bottom"] for part in inside),
        )
        require(
            min(room) >= 11.5,
            f"at least 12px between border and text in the card of {name}",
            f"left, top, right, bottom: {px(*room)}",
        )


@check(3, "The table shows when we open on each day of the week")
def hours_table(page: Page) -> None:
    page.goto("/")
    table = page.get_by_role("table", name="Opening hours", exact=True)
    expect(table, 'a table with the caption "Opening hours" can be seen').to_be_visible()
    expect(table.get_by_role("columnheader"), "the table's column headers are Day, Opens and Closes").to_have_text(
        ["Day", "Opens", "Closes"]
    )
    expect(table.get_by_role("rowheader"), "the seven days are the headers of their rows").to_have_text(
        ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    )
    week_times = {
        "Monday": ["Closed"],
        "Tuesday": ["7:00", "18:00"],
        "Wednesday": ["7:00", "18:00"],
        "Thursday": ["7:00", "18:00"],
        "Friday": ["7:00", "18:00"],
        "Saturday": ["7:30", "14:00"],
        "Sunday": ["Closed"],
    }
    for day, times in week_times.items():
        row = table.get_by_role("row").filter(has=page.get_by_role("rowheader", name=day, exact=True))
        expect(row.get_by_role("cell"), f"the row of {day} says {' and '.join(times)}").to_have_text(times)
    expect(page.get_by_text("We are closed on Mondays"), "the old sentence is gone").to_have_count(0)


@check(3, "Times end on one line and Closed spans both columns")
def hours_aligned(page: Page) -> None:
    page.goto("/")
    table = page.get_by_role("table", name="Opening hours", exact=True)
    place = box(table, "the table of opening hours")
    require(place["width"] <= 481, "the table is 480px wide at the most", px(place["width"]))
    heads = [table.get_by_role("columnheader", name=name, exact=True) for name in ("Opens", "Closes")]
    for name, head, times in (("Opens", heads[0], ("7:00", "7:30")), ("Closes", heads[1], ("18:00", "14:00"))):
        column = box(head, f"the column header {name}")
        ends = [text_box(head, f"the column header {name}")["right"]]
        ends += [text_box(table.get_by_role("cell", name=time, exact=True).first, time)["right"] for time in times]
        require(
            max(ends) - min(ends) <= 2 and column["right"] - max(ends) <= 40,
            f"the header {name} and its times end on one line at the right of the column",
            f"they end at {px(*ends)}; the column ends at {px(column['right'])}",
        )
    left, right = box(heads[0], "the column header Opens")["x"], box(heads[1], "the column header Closes")["right"]
    for index in (0, 1):
        cell = box(table.get_by_role("cell", name="Closed", exact=True).nth(index), "a cell with Closed")
        require(
            abs(cell["x"] - left) <= 2 and abs(cell["right"] - right) <= 2,
            "the cell with Closed reaches over the columns Opens and Closes",
            f"the cell from {px(cell['x'])} to {px(cell['right'])}, the columns from {px(left)} to {px(right)}",
        )


@check(4, "A click opens an answer, a second click closes it")
def answers_open(page: Page) -> None:
    page.goto("/")
    expect(page.locator("script"), "the page has no script").to_have_count(0)
    for name in ANSWERS:
        expect(question(page, name), f'the question "{name}" can be seen').to_be_visible()
        expect(answer(page, name), f'the answer to "{name}" is hidden at first').to_be_hidden()
    for name in ANSWERS:
        click_question(page, name)
        expect(answer(page, name), f'the answer to "{name}" shows after a click').to_be_visible()
        click_question(page, name)
        expect(answer(page, name), f'the answer to "{name}" is hidden after a second click').to_be_hidden()


@check(4, "Only one answer is open, with the mouse and with the keyboard")
def one_answer(page: Page) -> None:
    page.goto("/")
    first, second, third = ANSWERS
    click_question(page, first)
    expect(answer(page, first), f'the answer to "{first}" shows after a click').to_be_visible()
    click_question(page, third)
    expect(answer(page, third), f'the answer to "{third}" shows after a click').to_be_visible()
    expect(answer(page, first), f'the answer to "{first}" closes when another opens').to_be_hidden()
    page.reload()
    require(tab_to(page, second), f'the Tab key reaches the question "{second}"', "it never has the focus")
    page.keyboard.press("Enter")
    expect(answer(page, second), f'Enter opens the answer to "{second}"').to_be_visible()
    page.keyboard.press("Space")
    expect(answer(page, second), f'Space closes the answer to "{second}"').to_be_hidden()


@check(4, "The whole row of a question can be clicked")
def question_row(page: Page) -> None:
    page.goto("/")
    for name in ANSWERS:
        row = box(question(page, name), f'the question "{name}"')
        require(row["height"] >= 43.5, f'the question "{name}" is at least 44px high', px(row["height"]))
        around = box(page.locator("details").filter(has_text=name), f'the row of "{name}"')
        require(
            row["width"] >= around["width"] * 0.88,
            f'the question "{name}" takes the whole width of its row',
            f"{px(row['width'])} of {px(around['width'])}",
        )
        question(page, name).click(position={"x": row["width"] - 6, "y": row["height"] / 2})
        expect(answer(page, name), f'a click at the far right of "{name}" opens its answer').to_be_visible()


@check(5, "Skip to content shows up at the first Tab only")
def skip_shows(page: Page) -> None:
    page.goto("/")
    skip = page.get_by_role("link", name=SKIP, exact=True)
    expect(skip, f'there is a link "{SKIP}"').to_have_count(1)
    settle(page)
    require(not ask(skip, SHOWN), f'"{SKIP}" cannot be seen before it has the focus', "it can be seen")
    page.keyboard.press("Tab")
    expect(skip, f'"{SKIP}" is the first stop of the Tab key').to_be_focused()
    settle(page)
    place = text_box(skip, f'"{SKIP}" with the focus')
    require(
        ask(skip, SHOWN) and place["x"] >= 0 and 0 <= place["y"] <= 150 and place["width"] >= 60,
        f'"{SKIP}" with the focus stands readable at the top of the window',
        f"its text at {px(place['x'])} from the left and {px(place['y'])} from the top, {px(place['width'])} wide",
    )
    require(
        skip.evaluate(
            """(element) => {
                const box = element.getBoundingClientRect();
                return element.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
            }"""
        ),
        f'"{SKIP}" with the focus stands on top of everything else',
        "something else covers it",
    )


@check(5, "Skip to content leads past the header")
def skip_leads(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name=SKIP, exact=True)
    expect(skip, f'"{SKIP}" is the first stop of the Tab key').to_be_focused()
    page.keyboard.press("Enter")
    settle(page)
    page.keyboard.press("Tab")
    link = main_part(page).get_by_role("link").first
    expect(link, f'the Tab after "{SKIP}" reaches the first link in the main content').to_be_focused()


@check(5, "The keyboard's place is outlined, the mouse's is not")
def outlines(page: Page) -> None:
    page.goto("/")
    _clear_outlines(rings(page))
    page.reload()
    name = next(iter(ANSWERS))
    click_question(page, name)
    settle(page)
    style = question(page, name).evaluate("(element) => getComputedStyle(element).outlineStyle")
    require(style == "none", f'no outline on "{name}" after a click with the mouse', f"an outline ({style})")


def _clear_outlines(found: list[dict[str, Any]]) -> None:
    require(len(found) >= 12, "the Tab key reaches all links and questions of the page", f"it reaches {len(found)}")
    for item in found:
        require(
            item["thick"] >= 2.9 and not item["auto"],
            f'"{item["words"]}" has an outline at least 3px thick when the keyboard reaches it',
            "the browser's own thin outline" if item["auto"] else px(item["thick"]),
        )
        require(
            item["contrast"] >= 2.98 or item["words"] == SKIP,
            f'the outline of "{item["words"]}" has a contrast of at least 3 to 1 with the background around it',
            f"{item['contrast']:.2f} to 1",
        )


@check(6, "This week stands beside the main content, or below it in a narrow window")
def week_beside(page: Page) -> None:
    page.goto("/")
    expect(main_part(page).get_by_role("complementary"), "This week is not inside the main part").to_have_count(0)
    for width in (1280, 1040):
        size(page, width)
        side, content = box(week(page), 'the block "This week"'), box(main_part(page), "the main content")
        cards = max(place["right"] for row in card_rows(page) for _, place in row)
        require(
            side["x"] >= cards + 23.5,
            f"This week stands at the right of the cards, at least 24px away (window of {width}px)",
            f"the cards end at {px(cards)}, This week begins at {px(side['x'])}",
        )
        require(
            abs(side["y"] - content["y"]) <= 48,
            "the top of This week is level with the top of the main content",
            f"{px(side['y'])} and {px(content['y'])} from the top",
        )
        require(239 <= side["width"] <= 301, "This week is 240px to 300px wide", px(side["width"]))
        left, right = text_box(brand(page), "our name")["x"], width - side["right"]
        require(
            abs(left - right) <= 36,
            f"main content and This week together fill the centred column (window of {width}px)",
            f"{px(left)} free at the left, {px(right)} free at the right",
        )
    size(page, 960)
    side, content = box(week(page), 'the block "This week"'), box(main_part(page), "the main content")
    require(
        side["y"] >= content["bottom"] - 1,
        "This week stands under the main content in a window of 960px",
        f"it begins at {px(side['y'])}, the main content ends at {px(content['bottom'])}",
    )


@check(6, "The footer stands at the bottom, also in a very high window")
def footer_bottom(page: Page) -> None:
    page.goto("/")
    footer = page.get_by_role("contentinfo")
    place = box(footer, "the footer")
    over = max(box(main_part(page), "the main content")["bottom"], box(week(page), "This week")["bottom"])
    require(
        place["y"] >= over - 1,
        "the footer comes after everything else",
        f"it begins at {px(place['y'])}, not {px(over)}",
    )
    require(
        abs(place["x"]) <= 1 and place["width"] >= 1279,
        "the footer runs over the whole width of the window",
        f"from {px(place['x'])} to {px(place['right'])} of 1280px",
    )
    size(page, 1280, 4000)
    place = box(footer, "the footer")
    require(
        abs(place["bottom"] - 4000) <= 2,
        "in a window of 4000px height the footer ends at the bottom of the window",
        f"it ends at {px(place['bottom'])} from the top",
    )


@check(7, "The header stays in sight and nothing slides over it")
def header_stays(page: Page) -> None:
    page.goto("/")
    bar = header_bottom(page)
    require(bar <= 121, "the header is 120px high at the most", px(bar))
    middle = box(card(page, "Walnut Batard"), "the card of Walnut Batard")
    for top in (middle["y"], 100_000):
        scroll(page, top)
        for name in NAV:
            link = nav_link(page, name)
            place = text_box(link, f"the link {name} in the header")
            require(
                place["y"] >= 0 and place["bottom"] <= 121,
                f"the link {name} stays at the top of the window after scrolling",
                f"it is at {px(place['y'])} from the top",
            )
            require(ask(link, ON_TOP), f"the link {name} is not covered after scrolling", "something else covers it")
    name, link = text_box(brand(page), "our name"), text_box(nav_link(page, "Breads"), "the link Breads")
    opaque = page.get_by_role("banner").evaluate(
        f"(header, [x, y]) => {{ {LIB} return ({OPAQUE})(header, x, y); }}",
        [(name["right"] + link["x"]) / 2, (link["y"] + link["bottom"]) / 2],
    )
    require(opaque, "the header has an opaque background", "the page shows through it")


def header_bottom(page: Page) -> float:
    """Where the header ends: the lower edge of its texts or, if that is lower, of the header itself."""
    texts = [text_box(item, "a text in the header")["bottom"] for item in (brand(page), nav_link(page, "Find us"))]
    return max(*texts, box(page.get_by_role("banner"), "the header")["bottom"])


@check(7, "A link of the header leads to a heading that can be read")
def jumps_clear(page: Page) -> None:
    page.goto("/")
    size(page, 1280, 500)
    for name, title in zip(NAV, ("Our breads", *NAV[1:]), strict=True):
        scroll(page, 0)
        nav_link(page, name).click()
        settle(page)
        bar = header_bottom(page)
        place = text_box(heading(page, title), f'the heading "{title}"')
        require(
            place["y"] >= bar - 1 and place["bottom"] <= 500,
            f'the heading "{title}" is entirely below the header after a click on {name}',
            f"the header ends at {px(bar)}, the heading's text begins at {px(place['y'])} from the top of the window",
        )
        at_end = page.evaluate("scrollY + innerHeight >= document.documentElement.scrollHeight - 2")
        require(
            at_end or place["y"] <= bar + 151,
            f'the heading "{title}" is at most 150px below the header after a click on {name}',
            f"{px(place['y'] - bar)} below it",
        )


@check(7, "The Tab key never ends up behind the header")
def focus_clear(page: Page) -> None:
    page.goto("/")
    size(page, 1280, 500)
    links = (
        main_part(page).get_by_role("link", name="01632 960 123", exact=True),
        question(page, "Can I order ahead?"),
    )
    for item in links:
        expect(item, "the telephone number and the second question can be seen").to_be_visible()
    for item, name in zip(links, ("the telephone number", "the second question"), strict=True):
        for away, back in (("Tab", "Shift+Tab"), ("Shift+Tab", "Tab")):
            item.focus()
            page.keyboard.press(away)
            place = box(item, name)
            scroll(page, page.evaluate("scrollY") + place["y"] - 2)
            page.keyboard.press(back)
            expect(item, f"{back} reaches {name}").to_be_focused()
            settle(page)
            place, bar = text_box(item, name), header_bottom(page)
            require(
                place["y"] >= bar - 1,
                f"{name} is not hidden behind the header when {back} reaches it",
                f"the header ends at {px(bar)}, {name} begins at {px(place['y'])} from the top of the window",
            )


@check(8, "On a phone the links stand two by two and are easy to tap")
def phone_links(page: Page) -> None:
    page.goto("/")
    for width in (690, 390):
        size(page, width)
        name = text_box(brand(page), "our name in the header")
        links = [box(nav_link(page, item), f"the link {item}") for item in NAV]
        tops, lefts = [item["y"] for item in links], [item["x"] for item in links]
        require(
            all(top >= name["bottom"] - 2 for top in tops),
            f"our name stands above the links in a window of {width}px",
            f"our name ends at {px(name['bottom'])}, the links begin at {px(*tops)}",
        )
        require(
            abs(tops[0] - tops[1]) <= 2
            and abs(tops[2] - tops[3]) <= 2
            and tops[2] >= links[0]["bottom"] - 1
            and abs(lefts[0] - lefts[2]) <= 2
            and abs(lefts[1] - lefts[3]) <= 2
            and lefts[1] >= links[0]["right"] - 1,
            f"Breads and Opening hours in one row, Questions and Find us in the next (window of {width}px)",
            f"tops of {px(*tops)}, left edges of {px(*lefts)}",
        )
        widths = [item["width"] for item in links]
        gap = lefts[1] - links[0]["right"]
        require(
            max(widths) - min(widths) <= 2 and gap <= 17 and widths[0] >= width * 0.36,
            f"all four links are equally wide and fill the column up to a gap of 16px (window of {width}px)",
            f"{px(*widths)} wide with a gap of {px(gap)}",
        )
        heights = [item["height"] for item in links]
        require(min(heights) >= 43.5, "each link can be tapped on at least 44px of height", px(*heights))


@check(8, "On a phone the header scrolls away")
def phone_header(page: Page) -> None:
    page.goto("/")
    for width, stays in ((690, False), (710, True), (390, False)):
        size(page, width, 600)
        scroll(page, 0)
        expect(brand(page), f"our name shows at the top of the page in a window of {width}px").to_be_in_viewport()
        scroll(page, 900)
        if stays:
            expect(brand(page), f"the header stays in sight in a window of {width}px").to_be_in_viewport()
        else:
            expect(brand(page), f"the header scrolls away in a window of {width}px").not_to_be_in_viewport()
            expect(nav_link(page, "Breads"), "the links scroll away with the header").not_to_be_in_viewport()


@check(8, "A window of 320px shows every text without scrolling sideways")
def narrowest(page: Page) -> None:
    page.goto("/")
    for width in (320, 480):
        size(page, width)
        wide = page.evaluate(
            """() => [document.documentElement, document.body].some(
                (item) => ['hidden', 'clip'].includes(getComputedStyle(item).overflowX)
            ) ? innerWidth : document.documentElement.scrollWidth"""
        )
        require(wide <= width + 1, f"the page cannot be scrolled sideways at {width}px", f"it is {px(wide)} wide")
        outside = [item for item in run(page, "texts") if item["right"] > width + 1 or item["x"] < -1]
        require(
            not outside,
            f"no text reaches out of a window of {width}px",
            "; ".join(f'"{item["words"]}" from {px(item["x"])} to {px(item["right"])}' for item in outside[:5]),
        )
    size(page, 320)
    link = main_part(page).get_by_role("link", name="@hollowlanebakery.example")
    place = text_box(link, "the e-mail address")
    require(place["x"] >= 0 and place["right"] <= 321, "the e-mail address is inside the window", px(place["right"]))
    table = page.get_by_role("table", name="Opening hours", exact=True)
    for name in ("Day", "Opens", "Closes"):
        column = box(table.get_by_role("columnheader", name=name, exact=True), f"the column {name}")
        require(column["x"] >= -1 and column["right"] <= 321, f"the column {name} is inside the window", px(column["right"]))


@check(9, "In the dark all text is light on dark, with enough contrast")
def dark_text(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto("/")
    click_question(page, "Can I order ahead?")
    expect(answer(page, "Can I order ahead?"), "the answer shows after a click").to_be_visible()
    settle(page)
    bright = [f'"{item["words"]}"' for item in run(page, "texts") if item["ground"] > 0.2]
    require(
        not bright,
        "a dark colour behind every text on a device set to dark",
        f"a light one behind {'; '.join(bright[:6])}",
    )
    weak = weak_text(page, 4.5)
    require(not weak, "a contrast of at least 4.5 to 1 for every text on a device set to dark", "; ".join(weak[:6]))


@check(9, "On a light device the page is light, with enough contrast")
def light_text(page: Page) -> None:
    page.goto("/")
    click_question(page, "Can I order ahead?")
    expect(answer(page, "Can I order ahead?"), "the answer shows after a click").to_be_visible()
    settle(page)
    ground = run(page, "() => luminance(behind(document.body))")
    require(ground >= 0.6, "a light background of the page on a device set to light", f"a brightness of {ground:.2f} of 1")
    weak = weak_text(page, 4.5)
    require(not weak, "a contrast of at least 4.5 to 1 for every text on a device set to light", "; ".join(weak[:6]))


@check(9, "The keyboard's place is outlined in the dark too")
def dark_outlines(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto("/")
    ground = run(page, "() => luminance(behind(document.body))")
    require(ground <= 0.2, "a dark background of the page on a device set to dark", f"a brightness of {ground:.2f} of 1")
    _clear_outlines(rings(page))


@check(10, "On paper there are no links of the header and no This week")
def paper_parts(page: Page) -> None:
    page.goto("/")
    name = page.get_by_text("Hollow Lane Bakery", exact=True).filter(visible=True)
    expect(week(page), "This week shows on the screen").to_be_visible()
    size(page, 794, 500)
    page.emulate_media(media="print")
    for link in NAV:
        expect(nav_link(page, link), f"the link {link} of the header is not printed").to_be_hidden()
    expect(page.get_by_text("Cinnamon knots are back"), "This week is not printed").to_be_hidden()
    shown = page.get_by_text(SKIP, exact=True).evaluate_all(f"(items) => {{ {LIB} return items.filter({SHOWN}).length; }}")
    require(shown == 0, f'"{SKIP}" is not printed', "it is")
    expect(name, "our name is printed once, at the top").to_have_count(1)
    expect(name, "our name is printed at the top").to_be_in_viewport()
    scroll(page, 100_000)
    expect(name, "our name stands at the top only and does not come along on every page").not_to_be_in_viewport()
    for bread in BREADS:
        inside = card(page, bread).evaluate("(element) => getComputedStyle(element).breakInside")
        require(
            inside in ("avoid", "avoid-page"),
            f"the card of {bread} is not split over two pages",
            f"break inside: {inside}",
        )


@check(10, "On paper all three answers can be read")
def paper_answers(page: Page) -> None:
    page.goto("/")
    for name in ANSWERS:
        expect(answer(page, name), f'the answer to "{name}" stands in the page once').to_have_count(1)
        expect(answer(page, name), f'the answer to "{name}" stays closed on the screen').to_be_hidden()
    page.emulate_media(media="print")
    printed = run(page, "texts")
    for name, words in ANSWERS.items():
        expect(answer(page, name), f'the answer to "{name}" is printed though it is closed').to_be_visible()
        spots = [item for item in printed if words[:30] in item["words"]]
        require(bool(spots), f'the answer to "{name}" is printed though it is closed', "it is not shown")
        foot = box(question(page, name), f'the question "{name}"')["bottom"]
        require(spots[0]["y"] >= foot - 2, f'the answer to "{name}" stands below its question', "it overlaps it")
    page.emulate_media(media="screen")
    expect(answer(page, next(iter(ANSWERS))), "the first answer is closed on the screen again").to_be_hidden()


@check(10, "Paper is white and text dark, also from a device set to dark")
def paper_colours(page: Page) -> None:
    page.goto("/")
    for scheme in ("dark", "light"):
        page.emulate_media(media="print", color_scheme=scheme)
        settle(page)
        found = run(page, "texts")
        require(len(found) >= 30, "the words of the page are printed", f"{len(found)} pieces of text")
        tinted = [f'"{item["words"]}"' for item in found if item["ground"] < 0.97]
        require(
            not tinted,
            f"plain white behind every text on paper (device set to {scheme})",
            f"not behind {'; '.join(tinted[:6])}",
        )
        weak = weak_text(page, 7)
        require(
            not weak,
            f"a contrast of at least 7 to 1 on paper for every text (device set to {scheme})",
            "; ".join(weak[:6]),
        )
