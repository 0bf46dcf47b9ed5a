"""What the customer can see and do with the rainfall chart, task by task."""

import re
import time
from collections.abc import Callable
from typing import NamedTuple

from playwright.sync_api import Locator, Page, Route, expect

from benchmark.webdev.checks import check, require

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
RAIN = {
    2022: (54, 41, 37, 0, 23, None, 18, None, 76, 69, 92, 61),
    2023: (72, 30, 66, 58, 44, 22, 85, 63, 51, 90, 97, 74),
    2024: (88, 64, 48, 35, 96, 71, 42, 50, 118, 83, 57, 76),
}
ANY_BAR = re.compile(rf"^({'|'.join(MONTHS)}): ")
TOLERANCE = 3.0
WAIT_SECONDS = 3.0


class Box(NamedTuple):
    """Where something is in the window, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle_x(self) -> float:
        return (self.left + self.right) / 2

    @property
    def middle_y(self) -> float:
        return (self.top + self.bottom) / 2


def box_of(thing: Locator, what: str) -> Box:
    expect(thing, f"{what} is there, exactly once").to_have_count(1)
    edges = thing.evaluate("e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; }")
    return Box(*edges)


def near(one: float, other: float, tolerance: float = TOLERANCE) -> bool:
    return abs(one - other) <= tolerance


def eventually(page: Page, read: Callable[[], tuple[bool, object]], what: str) -> None:
    """Require that what `read` says holds within the usual time."""
    end = time.monotonic() + WAIT_SECONDS
    holds, seen = read()
    while not holds and time.monotonic() < end:
        page.evaluate("() => new Promise((done) => requestAnimationFrame(done))")
        holds, seen = read()
    require(holds, what, seen)


def chart_of(page: Page, year: int = 2024) -> Locator:
    return page.get_by_role("group", name=f"Monthly rainfall {year}", exact=True)


def image(page: Page, name: str) -> Locator:
    return page.get_by_role("img", name=name, exact=True)


def bars(page: Page) -> Locator:
    return page.get_by_role("img", name=ANY_BAR)


def bar_name(year: int, month: str) -> str:
    amount = RAIN[year][MONTHS.index(month)]
    return f"{month}: no data" if amount is None else f"{month}: {amount} mm"


def bar(page: Page, year: int, month: str) -> Locator:
    return image(page, bar_name(year, month))


def bar_box(page: Page, year: int, month: str) -> Box:
    return box_of(bar(page, year, month), f"the bar named “{bar_name(year, month)}”")


def open_chart(page: Page) -> None:
    page.goto("/")
    expect(chart_of(page), "the page shows the chart named “Monthly rainfall 2024”").to_have_count(1)
    expect(bars(page), "the chart has twelve bars named with month and amount").to_have_count(12)


def serve_file(page: Page, text: str) -> None:
    page.route(re.compile(r"/rainfall\.csv"), lambda route: route.fulfill(body=text, content_type="text/csv"))


def error_status(status: int) -> Callable[[Route], None]:
    return lambda route: route.fulfill(status=status, body="Something went wrong")


def one_year_file(year: int, amounts: list[str], line_end: str = "\n") -> str:
    rows = [f"month,{year}"] + [f"{month},{amount}" for month, amount in zip(MONTHS, amounts, strict=True)]
    return line_end.join(rows) + line_end


def radio(page: Page, year: int) -> Locator:
    return page.get_by_role("radio", name=str(year), exact=True)


def choose_year(page: Page, year: int) -> None:
    radio(page, year).press("Space")
    expect(radio(page, year), f"the radio button “{year}” is chosen after the space key").to_be_checked()
    expect(chart_of(page, year), f"the chart is named “Monthly rainfall {year}” once {year} is chosen").to_have_count(1)


def scale_number(page: Page, year: int, number: int) -> Locator:
    return chart_of(page, year).get_by_text(str(number), exact=True).filter(visible=True)


def pixels_per_mm(page: Page, year: int, end: int) -> float:
    zero = box_of(scale_number(page, year, 0), "the number 0 of the scale")
    last = box_of(scale_number(page, year, end), f"the number {end} of the scale")
    return (zero.middle_y - last.middle_y) / end


def require_scale(page: Page, year: int, end: int) -> None:
    for number in range(0, end + 1, 20):
        expect(scale_number(page, year, number), f"the scale shows {number} once").to_have_count(1)
    over = end + 20
    expect(scale_number(page, year, over), f"the scale ends at {end}, so it does not show {over}").to_have_count(0)


def require_height(page: Page, year: int, end: int, month: str) -> None:
    amount = RAIN[year][MONTHS.index(month)] or 0

    def read() -> tuple[bool, object]:
        height, wanted = bar_box(page, year, month).height, pixels_per_mm(page, year, end) * amount
        return near(height, wanted), f"{height:.0f} pixels where the scale asks for {wanted:.0f}"

    eventually(page, read, f"the bar “{bar_name(year, month)}” is as high as {amount} mm in the scale")


def tooltip(page: Page) -> Locator:
    return page.get_by_role("tooltip")


def point_at(page: Page, year: int, month: str) -> None:
    """Move the pointer to the lower part of a bar, away from any line across it."""
    bar(page, year, month).scroll_into_view_if_needed()
    box = bar_box(page, year, month)
    page.mouse.move(box.middle_x, box.bottom - box.height * 0.3)


def point_nowhere(page: Page) -> None:
    page.mouse.move(2, 2)


def tab_into_bars(page: Page) -> int:
    """Press Tab until a bar has the focus: the position of that bar."""
    for _ in range(40):
        page.keyboard.press("Tab")
        position = focused_bar(page)
        if position >= 0:
            return position
    require(False, "pressing Tab again and again leads to a bar", "40 presses from the start of the page met no bar")
    return -1


def focused_bar(page: Page) -> int:
    return bars(page).evaluate_all("all => all.indexOf(document.activeElement)")


# Task 1: bars from the data file


@check(1, "Twelve named bars stand in order on one baseline, as high as their amounts")
def proportional(page: Page) -> None:
    open_chart(page)
    boxes = {month: bar_box(page, 2024, month) for month in MONTHS}
    lefts = [box.left for box in boxes.values()]
    require(lefts == sorted(set(lefts)), "the bars stand in the order of the months", [round(x) for x in lefts])
    base, unit = boxes["January"].bottom, boxes["September"].height / 118
    require(unit * 118 >= 199, "the tallest bar is at least 200 pixels tall", f"{unit * 118:.0f} pixels")
    for month, box in boxes.items():
        amount = RAIN[2024][MONTHS.index(month)] or 0
        seen = f"it ends {box.bottom - base:.0f} pixels below that of January"
        require(near(box.bottom, base, 2), f"the bar of {month} stands on the baseline", seen)
        seen = f"{box.height:.0f} pixels instead of {unit * amount:.0f}"
        require(near(box.height, unit * amount), f"the bar of {month} is as high as {amount} mm asks for", seen)


@check(1, "The chart shows what the data file holds now, for its last column")
def follows_the_file(page: Page) -> None:
    old, new = range(31, 43), ["12.5", "25", *(str(n) for n in range(51, 61))]
    rows = [f"{month},{was},{now}" for month, was, now in zip(MONTHS, old, new, strict=True)]
    serve_file(page, "\n".join(["month,2024,2025", *rows]) + "\n")
    page.goto("/")
    chart = chart_of(page, 2025)
    expect(chart, "a new last column 2025 makes it the chart “Monthly rainfall 2025”").to_have_count(1)
    expect(bars(page), "it has one bar for each of the twelve months").to_have_count(12)
    low = box_of(image(page, "January: 12.5 mm"), "the bar named “January: 12.5 mm”")
    high = box_of(image(page, "February: 25 mm"), "the bar named “February: 25 mm”")
    seen = f"{low.height:.1f} and {high.height:.1f} pixels"
    require(near(high.height, 2 * low.height), "the bar of 25 mm is twice as high as that of 12.5 mm", seen)


# Task 2: month labels and a scale


@check(2, "Every bar has its month in three letters centred below it")
def month_labels(page: Page) -> None:
    open_chart(page)
    for month in MONTHS:
        short = month[:3]
        label = chart_of(page).get_by_text(short, exact=True).filter(visible=True)
        text, under = box_of(label, f"the label “{short}”"), bar_box(page, 2024, month)
        seen = f"its middle is {text.middle_x - under.middle_x:.0f} pixels to the right of the bar's"
        require(near(text.middle_x, under.middle_x, 6), f"“{short}” is centred under its bar", seen)
        seen = f"its top is {under.bottom - text.top:.0f} pixels above the baseline"
        require(text.top >= under.bottom - 3, f"“{short}” is below the baseline", seen)


@check(2, "The bars end at the height of their amounts in the scale")
def scale_fits_bars(page: Page) -> None:
    open_chart(page)
    title = chart_of(page).get_by_text("Rainfall (mm)", exact=True).filter(visible=True)
    expect(title, "the chart shows “Rainfall (mm)” once, as the title of the scale").to_have_count(1)
    require_scale(page, 2024, 120)
    first = bar_box(page, 2024, "January")
    unit = pixels_per_mm(page, 2024, 120)
    for number in range(0, 121, 20):
        text = box_of(scale_number(page, 2024, number), f"the number {number} of the scale")
        off = text.middle_y - (first.bottom - unit * number)
        require(near(off, 0, 8), f"{number} is at its height above the baseline", f"{off:.0f} pixels too low")
        seen = f"it ends {text.right - first.left:.0f} pixels right of the first bar's left edge"
        require(text.right <= first.left, f"{number} is left of the bars", seen)
    for month in ("March", "September", "December"):
        require_height(page, 2024, 120, month)


@check(2, "A largest amount of exactly 60 mm ends the scale at 60")
def scale_end(page: Page) -> None:
    serve_file(page, one_year_file(2024, ["60", *(str(n) for n in range(21, 32))]))
    open_chart(page)
    require_scale(page, 2024, 60)
    unit, height = pixels_per_mm(page, 2024, 60), box_of(image(page, "January: 60 mm"), "“January: 60 mm”").height
    require(near(height, unit * 60), "the bar of 60 mm ends at 60", f"{height:.0f} instead of {unit * 60:.0f} pixels")


# Task 3: choosing the year


@check(3, "Choosing 2023 redraws the chart with its bars and its scale, and 2024 comes back")
def choose(page: Page) -> None:
    open_chart(page)
    group = page.get_by_role("group", name="Year", exact=True)
    group = group.or_(page.get_by_role("radiogroup", name="Year", exact=True)).first
    names = group.get_by_role("radio")
    expect(names, "the group “Year” has three radio buttons").to_have_count(3)
    for position, year in enumerate(RAIN):
        text = f"the radio button at place {position + 1} is named “{year}”"
        expect(names.nth(position), text).to_have_accessible_name(str(year))
    expect(radio(page, 2024), "2024 is chosen when the page opens").to_be_checked()
    choose_year(page, 2023)
    expect(bars(page), "the chart of 2023 has twelve bars, none left over from 2024").to_have_count(12)
    expect(chart_of(page, 2024), "the chart is no longer named for 2024").to_have_count(0)
    require_scale(page, 2023, 100)
    for month in ("February", "November"):
        require_height(page, 2023, 100, month)
    choose_year(page, 2024)
    expect(bars(page), "the chart of 2024 has its twelve bars again").to_have_count(12)
    require_scale(page, 2024, 120)
    require_height(page, 2024, 120, "September")


@check(3, "The arrow keys go through the years one after the other")
def years_by_arrows(page: Page) -> None:
    open_chart(page)
    radio(page, 2024).focus()
    for year in (2023, 2022):
        page.keyboard.press("ArrowUp")
        expect(radio(page, year), f"the up arrow goes on to the radio button “{year}”").to_be_checked()
        expect(radio(page, year), f"the keyboard focus is on the radio button “{year}”").to_be_focused()
        expect(chart_of(page, year), f"the chart shows {year}").to_have_count(1)
    page.keyboard.press("ArrowDown")
    expect(radio(page, 2023), "the down arrow goes back to the radio button “2023”").to_be_checked()
    expect(bar(page, 2023, "March"), "the chart has the bar “March: 66 mm”").to_have_count(1)


# Task 4: dry months, unmeasured months and a missing file


@check(4, "A dry month has a thin bar of 0 mm, an unmeasured month a mark “no data”")
def dry_and_unmeasured(page: Page) -> None:
    open_chart(page)
    choose_year(page, 2022)
    dry, base = bar_box(page, 2022, "April"), bar_box(page, 2022, "January").bottom
    require(0.5 <= dry.height <= 4.5, "the bar of the dry April is 1 to 4 pixels high", f"{dry.height:.1f} pixels")
    require(near(dry.bottom, base, 4), "the bar of April is on the baseline", f"{dry.bottom - base:.1f} pixels below")
    for month in ("June", "August"):
        mark = bar_box(page, 2022, month)
        seen = f"{mark.right - mark.left:.0f} by {mark.height:.0f} pixels"
        require(mark.right > mark.left and mark.height > 0, f"the mark of {month} can be seen", seen)
        false = image(page, f"{month}: 0 mm")
        expect(false, f"the unmeasured {month} is not given as 0 mm").to_have_count(0)
        between = bar_box(page, 2022, "July").middle_x if month == "August" else bar_box(page, 2022, "May").middle_x
        require(mark.middle_x > between, f"the mark of {month} stands at its place in the year", f"{mark.middle_x:.0f}")
    expect(bars(page), "2022 has twelve bars and marks in all").to_have_count(12)
    require_scale(page, 2022, 100)
    require_height(page, 2022, 100, "September")


@check(4, "Windows line ends, spaces, blank lines and cells of spaces do no harm")
def windows_file(page: Page) -> None:
    rows = [f" {month} , {index + 30} , {index + 45} " for index, month in enumerate(MONTHS)]
    rows[1] = " February , 31 ,   "
    rows[11] = " December ,  ,   "
    serve_file(page, "\r\n".join(["month , 2023 , 2024 ", *rows, "", ""]))
    open_chart(page)
    for name in ("January: 45 mm", "February: no data", "November: 55 mm", "December: no data"):
        expect(image(page, name), f"there is “{name}” once").to_have_count(1)
    require_scale(page, 2024, 60)
    choose_year(page, 2023)
    for name in ("February: 31 mm", "December: no data"):
        expect(image(page, name), f"2023 has “{name}” once").to_have_count(1)


@check(4, "A file that cannot be loaded gives an alert and no chart")
def missing_file(page: Page) -> None:
    answers = {"an error status of 500": 500, "an error status of 404": 404, "no answer": 0}
    address = re.compile(r"/rainfall\.csv")
    for case, status in answers.items():
        if status:
            page.route(address, error_status(status))
        else:
            page.route(address, lambda route: route.abort())
        page.goto("/")
        text = "The rainfall data could not be loaded."
        expect(page.get_by_role("alert"), f"an alert reads “{text}” after {case} from the server").to_have_text(text)
        chart = page.get_by_role("group", name=re.compile("^Monthly rainfall"))
        expect(chart, f"no chart is shown after {case} from the server").to_have_count(0)
        page.unroute(address)


# Task 5: tooltips for pointer and keyboard


@check(5, "Pointing at a bar shows its tooltip above it, leaving hides it")
def tooltip_by_pointer(page: Page) -> None:
    open_chart(page)
    expect(tooltip(page), "there is no tooltip at first").to_have_count(0)
    for month, text in (("March", "March 2024: 48 mm"), ("September", "September 2024: 118 mm")):
        point_at(page, 2024, month)
        expect(tooltip(page), f"the tooltip of {month} reads “{text}”").to_have_text(text)
        tip, below = box_of(tooltip(page), "the tooltip"), bar_box(page, 2024, month)
        seen = f"it ends {tip.bottom - below.top:.0f} pixels below the bar's top"
        require(tip.bottom <= below.top + 2, f"the tooltip of {month} is above the bar", seen)
        seen = f"its middle is {tip.middle_x - below.middle_x:.0f} pixels to the right"
        require(near(tip.middle_x, below.middle_x, 6), f"the tooltip of {month} is centred on the bar", seen)
    point_nowhere(page)
    expect(tooltip(page), "the tooltip is gone when the pointer has left").to_have_count(0)


@check(5, "The keyboard focus shows the tooltip, for unmeasured months too")
def tooltip_by_focus(page: Page) -> None:
    open_chart(page)
    position = tab_into_bars(page)
    require(position == 0, "the first bar that Tab reaches is January", MONTHS[position])
    expect(tooltip(page), "the tooltip of the focused January is shown").to_have_text("January 2024: 88 mm")
    bar(page, 2024, "October").focus()
    expect(bar(page, 2024, "October"), "the bar of October can have the focus").to_be_focused()
    expect(tooltip(page), "the tooltip of October replaces it").to_have_text("October 2024: 83 mm")
    choose_year(page, 2022)
    expect(tooltip(page), "the tooltip is gone when the focus has left the bars").to_have_count(0)
    bar(page, 2022, "June").focus()
    expect(tooltip(page), "an unmeasured month has a tooltip").to_have_text("June 2022: no data")
    tip, mark = box_of(tooltip(page), "the tooltip"), bar_box(page, 2022, "June")
    seen = f"it ends {tip.bottom - mark.top:.0f} pixels below the mark's top"
    require(tip.bottom <= mark.top + 2, "the tooltip is above the mark of the unmeasured month", seen)


@check(5, "The pointer goes before the focus, and Escape hides the tooltip")
def pointer_and_escape(page: Page) -> None:
    open_chart(page)
    bar(page, 2024, "May").focus()
    point_at(page, 2024, "March")
    expect(tooltip(page), "the one tooltip is that of the bar pointed at").to_have_text("March 2024: 48 mm")
    point_nowhere(page)
    expect(tooltip(page), "the focused bar's tooltip comes back").to_have_text("May 2024: 96 mm")
    page.keyboard.press("Escape")
    expect(tooltip(page), "Escape hides the tooltip of the focused bar").to_have_count(0)
    radio(page, 2024).focus()
    point_at(page, 2024, "August")
    expect(tooltip(page), "pointing at a bar shows a tooltip again").to_have_text("August 2024: 50 mm")
    page.keyboard.press("Escape")
    expect(tooltip(page), "Escape hides it while the focus is on the year").to_have_count(0)
    point_at(page, 2024, "October")
    expect(tooltip(page), "pointing at another bar shows its tooltip").to_have_text("October 2024: 83 mm")


# Task 6: average line and legend


def require_average(page: Page, year: int, end: int, name: str, exact: float) -> Box:
    found: list[Box] = []

    def read() -> tuple[bool, object]:
        line = box_of(image(page, name), f"the line named “{name}”")
        first, last = bar_box(page, year, "January"), bar_box(page, year, "December")
        found[:] = [line]
        off = line.middle_y - (first.bottom - pixels_per_mm(page, year, end) * exact)
        thin, across = line.height <= 6, line.left <= first.left + 2 and line.right >= last.right - 2
        return near(off, 0) and thin and across, f"{off:.0f} pixels too low, {line.height:.0f} thick, across: {across}"

    eventually(page, read, f"“{name}” is a thin line across all bars at its height in the scale")
    return found[0]


def tick(page: Page, name: str) -> Locator:
    legend = page.get_by_role("group", name="Legend", exact=True)
    return legend.get_by_role("checkbox", name=name, exact=True)


def switch(page: Page, name: str, ticked: bool) -> None:
    tick(page, name).press("Space")
    text = f"the space key {'ticks' if ticked else 'unticks'} “{name}” in the legend"
    expect(tick(page, name), text).to_be_checked(checked=ticked)


@check(6, "The average line stands at the average of the measured months")
def average_line(page: Page) -> None:
    open_chart(page)
    require_average(page, 2024, 120, "Average: 69 mm", 69)
    choose_year(page, 2023)
    require_average(page, 2023, 100, "Average: 62.7 mm", 752 / 12)
    choose_year(page, 2022)
    require_average(page, 2022, 100, "Average: 47.1 mm", 47.1)
    expect(page.get_by_role("img", name=re.compile("^Average")), "there is one average line").to_have_count(1)


@check(6, "A year without measurements has a scale to 20 and no average line")
def nothing_measured(page: Page) -> None:
    serve_file(page, one_year_file(2024, [""] * 12))
    page.goto("/")
    expect(bars(page), "there are twelve marks of unmeasured months").to_have_count(12)
    require_scale(page, 2024, 20)
    expect(page.get_by_role("img", name=re.compile("^Average")), "there is no average line").to_have_count(0)


@check(6, "The legend hides and shows bars and average, over a change of year and a reload")
def legend(page: Page) -> None:
    open_chart(page)
    for name in ("Bars", "Average"):
        expect(tick(page, name), f"“{name}” in the legend is ticked at first").to_be_checked()
    before = require_average(page, 2024, 120, "Average: 69 mm", 69)
    switch(page, "Bars", False)
    expect(bars(page), "the bars are gone").to_have_count(0)
    require_scale(page, 2024, 120)
    after = box_of(image(page, "Average: 69 mm"), "the average line")
    seen = f"it moved by {after.top - before.top:.0f} pixels"
    require(near(after.top, before.top, 2), "the average line stays where it was", seen)
    choose_year(page, 2023)
    expect(image(page, "Average: 62.7 mm"), "the average line of 2023 is shown").to_have_count(1)
    expect(bars(page), "the bars stay hidden when the year changes").to_have_count(0)
    page.reload()
    expect(image(page, "Average: 69 mm"), "the average line is shown after a reload").to_have_count(1)
    expect(tick(page, "Bars"), "“Bars” is still unticked after a reload").not_to_be_checked()
    expect(bars(page), "the bars stay hidden after a reload").to_have_count(0)
    switch(page, "Bars", True)
    expect(bars(page), "ticking “Bars” brings the twelve bars back").to_have_count(12)
    switch(page, "Average", False)
    expect(image(page, "Average: 69 mm"), "the average line is gone").to_have_count(0)
    choose_year(page, 2022)
    expect(bars(page), "the bars and marks of 2022 are all there").to_have_count(12)
    switch(page, "Bars", False)
    expect(image(page, "June: no data"), "the “no data” marks go with the bars").to_have_count(0)


# Task 7: the numbers as a table


def table_of(page: Page, year: int) -> Locator:
    return page.get_by_role("table", name=f"Monthly rainfall {year}", exact=True)


def press_button(page: Page, name: str) -> None:
    button = page.get_by_role("button", name=name, exact=True)
    expect(button, f"there is a button “{name}”").to_have_count(1)
    button.click()


def require_row(table: Locator, header: str, amount: str) -> None:
    row = table.get_by_role("row").filter(has=table.page.get_by_role("rowheader", name=header, exact=True))
    expect(row, f"the table has one row with the header “{header}”").to_have_count(1)
    expect(row.get_by_role("cell"), f"the amount of “{header}” is “{amount}”").to_have_text([amount])


@check(7, "The button shows the table of the chosen year and hides it again")
def show_table(page: Page) -> None:
    open_chart(page)
    expect(page.get_by_role("table"), "there is no table at first").to_have_count(0)
    press_button(page, "Show table")
    table = table_of(page, 2024)
    expect(table, "the table “Monthly rainfall 2024” is shown").to_have_count(1)
    expect(table.get_by_role("columnheader"), "its columns are “Month” and “Rainfall (mm)”").to_have_text(
        ["Month", "Rainfall (mm)"]
    )
    expect(table.get_by_role("row"), "it has a header row, twelve months and the total").to_have_count(14)
    for month, amount in zip(MONTHS, RAIN[2024], strict=True):
        require_row(table, month, str(amount))
    require_row(table, "Total", "828")
    last = table.get_by_role("row").last.get_by_role("rowheader")
    expect(last, "the total is the last row").to_have_text("Total")
    press_button(page, "Hide table")
    expect(page.get_by_role("table"), "the table is hidden again").to_have_count(0)
    expect(page.get_by_role("button", name="Show table", exact=True), "the button reads “Show table”").to_have_count(1)


@check(7, "The table follows the year, and unmeasured months and decimals read well")
def table_follows(page: Page) -> None:
    open_chart(page)
    press_button(page, "Show table")
    choose_year(page, 2022)
    table = table_of(page, 2022)
    expect(table, "the table stays and is named “Monthly rainfall 2022”").to_have_count(1)
    expect(table.get_by_role("row"), "it has a header row, twelve months and the total").to_have_count(14)
    for header, amount in (("April", "0"), ("June", "no data"), ("December", "61"), ("Total", "471")):
        require_row(table, header, amount)
    serve_file(page, one_year_file(2024, ["0.1", "0.2", *["0"] * 9, "12.4"]))
    page.goto("/")
    press_button(page, "Show table")
    require_row(table_of(page, 2024), "December", "12.4")
    require_row(table_of(page, 2024), "Total", "12.7")


# Task 8: comparing with another year


def compare_list(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Compare with", exact=True)


def compare(page: Page, year: int | None) -> None:
    expect(compare_list(page), "there is a drop-down list “Compare with”").to_have_count(1)
    compare_list(page).select_option(label=str(year or "None"))


def points(page: Page, year: int) -> Locator:
    return page.get_by_role("img", name=re.compile(rf"^({'|'.join(MONTHS)}) {year}: "))


def lines(page: Page) -> Locator:
    return page.get_by_role("img", name=re.compile(r"^\d{4} from "))


def require_comparison(page: Page, choice: str, offers: list[str]) -> None:
    def read() -> tuple[bool, object]:
        script = "s => [s.selectedOptions[0]?.label, [...s.options].map((o) => o.label)]"
        seen = compare_list(page).evaluate(script)
        return seen == [choice, offers], f"“{seen[0]}” of {seen[1]}"

    expect(compare_list(page), "there is a drop-down list “Compare with”").to_have_count(1)
    eventually(page, read, f"“Compare with” is at “{choice}” and offers {', '.join(offers)}")


@check(8, "The points of the other year stand over the bars in a scale for both")
def comparison_points(page: Page) -> None:
    open_chart(page)
    choose_year(page, 2023)
    compare(page, 2024)
    expect(points(page, 2024), "the comparison has a point for each of the twelve months").to_have_count(12)
    expect(bars(page), "the twelve bars of 2023 are still there").to_have_count(12)
    require_scale(page, 2023, 120)
    require_height(page, 2023, 120, "November")
    for month in ("January", "July", "September"):
        amount = RAIN[2024][MONTHS.index(month)] or 0
        point = box_of(image(page, f"{month} 2024: {amount} mm"), f"the point “{month} 2024: {amount} mm”")
        under = bar_box(page, 2023, month)
        side = point.middle_x - under.middle_x
        up = under.bottom - pixels_per_mm(page, 2023, 120) * amount - point.middle_y
        seen = f"{side:.0f} pixels to the right and {up:.0f} too high"
        require(near(side, 0) and near(up, 0), f"the point of {month} is over its bar at {amount} mm", seen)
    name = "2024 from January to December"
    expect(image(page, name), f"one unbroken line is named “{name}”").to_have_count(1)
    expect(lines(page), "there is no other line").to_have_count(1)


@check(8, "The line breaks at unmeasured months, and a month alone has only its point")
def comparison_gaps(page: Page) -> None:
    open_chart(page)
    compare(page, 2022)
    expect(points(page, 2022), "2022 has ten points, one for every measured month").to_have_count(10)
    for name in ("April 2022: 0 mm", "July 2022: 18 mm"):
        expect(image(page, name), f"there is a point “{name}”").to_have_count(1)
    spans = (("January", "May", 54, 0), ("September", "December", 92, 61))
    for start, end, most, least in spans:
        name = f"2022 from {start} to {end}"
        line, unit = box_of(image(page, name), f"the line “{name}”"), pixels_per_mm(page, 2024, 120)
        first, last = bar_box(page, 2024, start), bar_box(page, 2024, end)
        wanted = Box(first.middle_x, first.bottom - unit * most, last.middle_x, first.bottom - unit * least)
        seen = f"from {line.left:.0f}, {line.top:.0f} to {line.right:.0f}, {line.bottom:.0f}"
        text = f"the line goes from {start} to {end}, between {least} and {most} mm: from "
        text += f"{wanted.left:.0f}, {wanted.top:.0f} to {wanted.right:.0f}, {wanted.bottom:.0f}"
        require(all(near(a, b, 5) for a, b in zip(line, wanted, strict=True)), text, seen)
    expect(lines(page), "there are just these two lines").to_have_count(2)


@check(8, "List and legend follow the comparison and the year")
def comparison_controls(page: Page) -> None:
    open_chart(page)
    require_comparison(page, "None", ["None", "2022", "2023"])
    expect(tick(page, "Comparison"), "the legend has no “Comparison” yet").to_have_count(0)
    compare(page, 2022)
    expect(tick(page, "Comparison"), "“Comparison” in the legend is ticked").to_be_checked()
    switch(page, "Comparison", False)
    expect(points(page, 2022), "the points are hidden").to_have_count(0)
    expect(lines(page), "the lines are hidden").to_have_count(0)
    switch(page, "Comparison", True)
    expect(points(page, 2022), "the points are shown again").to_have_count(10)
    choose_year(page, 2023)
    require_comparison(page, "2022", ["None", "2022", "2024"])
    expect(points(page, 2022), "the comparison stays when the shown year changes").to_have_count(10)
    choose_year(page, 2022)
    require_comparison(page, "None", ["None", "2023", "2024"])
    expect(points(page, 2022), "a year is not compared with itself").to_have_count(0)
    expect(tick(page, "Comparison"), "the legend has no “Comparison” any more").to_have_count(0)
    compare(page, 2023)
    expect(points(page, 2023), "another comparison can be chosen").to_have_count(12)
    compare(page, None)
    expect(points(page, 2023), "“None” ends the comparison").to_have_count(0)


# Task 9: one tab stop for the bars


@check(9, "The bars are one tab stop that remembers the month")
def one_tab_stop(page: Page) -> None:
    open_chart(page)
    position = tab_into_bars(page)
    require(position == 0, "Tab enters the bars at January the first time", MONTHS[position])
    page.keyboard.press("Tab")
    position = focused_bar(page)
    require(position < 0, "the next Tab leaves the bars", f"the bar of {MONTHS[position]} has the focus")
    page.keyboard.press("Shift+Tab")
    expect(bar(page, 2024, "January"), "Shift and Tab lead back to January").to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(bar(page, 2024, "March"), "two right arrows lead to March").to_be_focused()
    page.keyboard.press("Shift+Tab")
    position = focused_bar(page)
    require(position < 0, "Shift and Tab leave the bars", f"the bar of {MONTHS[position]} has the focus")
    page.keyboard.press("Tab")
    expect(bar(page, 2024, "March"), "Tab comes back to March, where the focus was last").to_be_focused()


@check(9, "Arrow keys, Home and End go through the months and stop at the ends")
def months_by_arrows(page: Page) -> None:
    open_chart(page)
    choose_year(page, 2022)
    bar(page, 2022, "May").focus()
    steps = (
        *(("ArrowRight", "June"), ("ArrowRight", "July"), ("ArrowLeft", "June"), ("End", "December")),
        *(("ArrowRight", "December"), ("ArrowLeft", "November"), ("Home", "January"), ("ArrowLeft", "January")),
    )
    before = "May"
    for key, month in steps:
        page.keyboard.press(key)
        expect(bar(page, 2022, month), f"{key} leads from {before} to {month}").to_be_focused()
        before = month
    expect(tooltip(page), "the tooltip is that of the focused month").to_have_text("January 2022: 54 mm")


@check(9, "Up and down change the year while the focus stays on the month")
def years_from_bars(page: Page) -> None:
    open_chart(page)
    bar(page, 2024, "June").focus()
    steps = (
        *(("ArrowUp", 2024, "71 mm"), ("ArrowDown", 2023, "22 mm"), ("ArrowDown", 2022, "no data")),
        *(("ArrowDown", 2022, "no data"), ("ArrowUp", 2023, "22 mm")),
    )
    for key, year, amount in steps:
        page.keyboard.press(key)
        expect(chart_of(page, year), f"{key} shows {year}").to_have_count(1)
        expect(bar(page, year, "June"), f"the focus is on June after {key}").to_be_focused()
        expect(radio(page, year), f"the radio button “{year}” is chosen after {key}").to_be_checked()
        text = f"June {year}: {amount}"
        expect(tooltip(page), f"the tooltip reads “{text}” after {key}").to_have_text(text)
    page.keyboard.press("ArrowRight")
    expect(bar(page, 2023, "July"), "the right arrow goes on to July").to_be_focused()


# Task 10: small screens


def require_no_sideways_scrolling(page: Page) -> None:
    def read() -> tuple[bool, object]:
        width = page.evaluate("() => document.documentElement.scrollWidth")
        return width <= 360, f"the content is {width} pixels wide"

    eventually(page, read, "nothing needs sideways scrolling in a window of 360 pixels")


@check(10, "Nothing is cut off in a window 360 pixels wide")
def fits_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    open_chart(page)
    press_button(page, "Show table")
    compare(page, 2023)
    expect(table_of(page, 2024), "the table is shown").to_have_count(1)
    require_no_sideways_scrolling(page)
    for month in MONTHS:
        box = bar_box(page, 2024, month)
        inside = box.left >= 0 and box.right <= 360
        require(inside, f"the bar of {month} is inside the window", f"from {box.left:.0f} to {box.right:.0f}")
    for month in ("January", "December"):
        bar(page, 2024, month).focus()
        text = f"{month} 2024: {RAIN[2024][MONTHS.index(month)]} mm"
        expect(tooltip(page), f"the tooltip of {month} reads “{text}”").to_have_text(text)
        tip = box_of(tooltip(page), "the tooltip")
        seen = f"from {tip.left:.0f} to {tip.right:.0f} of 360 pixels"
        require(tip.left >= 0 and tip.right <= 360, f"the tooltip of {month} is wholly inside the window", seen)
        require_no_sideways_scrolling(page)


@check(10, "Text and bars stay large enough in a window 360 pixels wide")
def readable_on_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    open_chart(page)
    for number in (20, 100):
        height = box_of(scale_number(page, 2024, number), f"the number {number} of the scale").height
        require(height >= 10, "the numbers of the scale are at least 11 pixels in size", f"{height:.1f} pixels high")
    height = bar_box(page, 2024, "September").height
    require(height >= 149, "the tallest bar is at least 150 pixels tall", f"{height:.0f} pixels")
    letter = box_of(chart_of(page).get_by_text("S", exact=True).filter(visible=True), "the label “S”")
    require(letter.height >= 10, "the month labels are at least 11 pixels in size", f"{letter.height:.1f} pixels high")
    off = letter.middle_x - bar_box(page, 2024, "September").middle_x
    require(near(off, 0, 5), "“S” is centred under the bar of September", f"{off:.0f} pixels to the right")
    require_height(page, 2024, 120, "March")


@check(10, "Resizing the window changes the labels at once and keeps everything chosen")
def live_resize(page: Page) -> None:
    open_chart(page)
    choose_year(page, 2023)
    compare(page, 2022)
    switch(page, "Average", False)
    bar(page, 2023, "May").focus()
    for width, letters in ((360, 1), (1280, 3)):
        page.set_viewport_size({"width": width, "height": 740})
        where = f"in a window {width} pixels wide"
        for label, count in {"J": 3, "M": 2, "D": 1, "Jan": 1, "Dec": 1}.items():
            text = chart_of(page, 2023).get_by_text(label, exact=True).filter(visible=True)
            wanted = count if len(label) == letters else 0
            expect(text, f"the chart of 2023 has “{label}” {wanted} times {where}").to_have_count(wanted)

        def fits(width: int = width) -> tuple[bool, object]:
            box = bar_box(page, 2023, "December")
            return box.right <= width, f"it ends at {box.right:.0f} pixels"

        eventually(page, fits, f"the last bar is inside the window {where}")
        expect(bar(page, 2023, "May"), f"the focus is still on May {where}").to_be_focused()
        expect(points(page, 2022), f"the comparison is still shown {where}").to_have_count(10)
        average = page.get_by_role("img", name=re.compile("^Average"))
        expect(average, f"the average line is still hidden {where}").to_have_count(0)
        require_height(page, 2023, 100, "November")
