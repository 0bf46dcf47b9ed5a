"""Checks of the project `ui-elements`: custom elements by their tags, attributes, properties and events."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from playwright.sync_api import Locator, Page, expect

from benchmark.webdev.checks import check, require

#: Where the paused clock stands.
NOON = datetime(2031, 5, 1, 12, tzinfo=UTC)


def add(page: Page, html: str) -> None:
    """Puts `html` at the top of the page, as a script would."""
    page.evaluate("html => document.body.insertAdjacentHTML('afterbegin', html)", html)


def listen(target: Locator, kind: str, mark: str = "") -> None:
    """From now on, how often the event reached `target` and its last detail stand in attributes of the page's root."""
    target.evaluate(
        """(element, [kind, mark]) => {
            const root = document.documentElement;
            let times = 0;
            root.setAttribute(`data-heard-${mark}`, '0');
            element.addEventListener(kind, (event) => {
                root.setAttribute(`data-heard-${mark}`, String(++times));
                root.setAttribute(`data-detail-${mark}`, String(event.detail?.value ?? event.detail?.index));
            });
        }""",
        [kind, mark or kind],
    )


def heard(page: Page, mark: str, times: int, words: str) -> None:
    expect(page.locator("html"), f"{words}; times").to_have_attribute(f"data-heard-{mark}", str(times))


def told(page: Page, mark: str, detail: str, words: str) -> None:
    expect(page.locator("html"), words).to_have_attribute(f"data-detail-{mark}", detail)


def pause(page: Page) -> None:
    """Opens the demo page with the clock standing still at `NOON`."""
    page.clock.install(time=NOON - timedelta(minutes=1))
    page.goto("/")
    page.clock.pause_at(NOON)


def same(seen: Any, wanted: Any, words: str) -> None:
    require(seen == wanted, f"{words} ({wanted!r})", repr(seen))


def entries(form: Locator) -> list[list[str]]:
    """What the form would send, as pairs of name and value."""
    return form.evaluate("form => [...new FormData(form)].map(([name, value]) => [name, String(value)])")


def tab(page: Page, list_name: str, name: str) -> Locator:
    return page.get_by_role("tablist", name=list_name, exact=True).get_by_role("tab", name=name, exact=True)


def tab_names(page: Page, list_name: str, names: list[str], words: str) -> None:
    expect(page.get_by_role("tablist", name=list_name, exact=True).get_by_role("tab"), words).to_have_text(names)


def chosen(tab: Locator, words: str) -> None:
    expect(tab, words).to_have_attribute("aria-selected", "true")


def star(page: Page, stars: int, label: str = "Your rating") -> Locator:
    group = page.get_by_role("radiogroup", name=label, exact=True)
    return group.get_by_role("radio", name="1 star" if stars == 1 else f"{stars} stars", exact=True)


def click_star(page: Page, stars: int, label: str = "Your rating") -> None:
    # The radio button itself may lie invisibly over or under the star that is seen.
    star(page, stars, label).dispatch_event("click")


def rated(page: Page, stars: int, words: str, label: str = "Your rating") -> None:
    """Of the five stars of the rating, that one is chosen, and no other."""
    for number in range(1, 6):
        state = "chosen" if number == stars else "not chosen"
        name = "1 star" if number == 1 else f"{number} stars"
        expect(star(page, number, label), f"{words}: {name} is {state}").to_be_checked(checked=number == stars)


def toast(page: Page, message: str) -> Locator:
    return page.locator("#toasts").get_by_role("button", name=f"Dismiss: {message}", exact=True)


def show_toast(page: Page, message: str, seconds: int | None = None) -> None:
    page.locator("#toasts").evaluate(
        "(area, [message, seconds]) => seconds === null ? area.show(message) : area.show(message, { seconds })",
        [message, seconds],
    )
    expect(toast(page, message), f"a toast “{message}” with its dismiss button appears").to_be_visible()


def come_back(page: Page) -> None:
    """Leaves the page and opens it again, so that nothing but what is stored can bring anything back."""
    page.goto("about:blank")
    page.goto("/")


# Task 1


@check(1, "The demo page shows the four prices")
def demo_prices(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", name="Prices", exact=True), "there is a heading Prices").to_be_visible()
    for name, text in (("notebook", "€12.50"), ("desk", "$1,299.00"), ("stickers", "¥300")):
        tag = page.locator(f"price-tag#price-{name}")
        expect(tag, f"the price of the {name} is {text}").to_have_text(text)
        expect(tag, f"the price of the {name} can be seen").to_be_visible()
    expect(page.locator("price-tag#price-custom"), "the custom order has no price yet").to_have_text("Price on request")


@check(1, "A price tag follows its attributes and its amount property")
def price_follows(page: Page) -> None:
    page.goto("/")
    tag = page.locator("#price-notebook")
    tag.evaluate("tag => tag.setAttribute('amount', '2000')")
    expect(tag, "the price follows the attribute amount").to_have_text("€2,000.00")
    tag.evaluate("tag => tag.setAttribute('currency', 'GBP')")
    expect(tag, "the price follows the attribute currency").to_have_text("£2,000.00")
    same(tag.evaluate("tag => tag.amount"), 2000, "the property amount reads as the number")
    for wrong in ("cheap", "", " "):
        tag.evaluate("(tag, wrong) => tag.setAttribute('amount', wrong)", wrong)
        expect(tag, f"an amount of {wrong!r} is no price").to_have_text("Price on request")
        same(tag.evaluate("tag => tag.amount"), None, f"the property amount is null for {wrong!r}")
    tag.evaluate("tag => { tag.amount = 0; }")
    expect(tag, "an amount of 0 is a price").to_have_text("£0.00")
    page.evaluate(
        """() => {
            const tag = document.createElement('price-tag');
            tag.id = 'made';
            tag.amount = 7.5;
            document.body.prepend(tag);
        }"""
    )
    made = page.locator("#made")
    expect(made, "a price tag made by a script shows the amount it was given").to_have_text("$7.50")
    expect(made, "setting the property amount sets the attribute").to_have_attribute("amount", "7.5")
    made.evaluate("tag => tag.removeAttribute('amount')")
    expect(made, "without an amount there is no price").to_have_text("Price on request")


# Task 2


@check(2, "A copy field shows its value, labelled and read-only")
def copy_field_shows(page: Page) -> None:
    page.goto("/")
    for label, value in (("Invite link", "https://fernhill.example/join/42"), ("Coupon code", "FERN-10")):
        field = page.get_by_role("textbox", name=label, exact=True)
        expect(field, f"the text field {label} shows its value").to_have_value(value)
        expect(field, f"the text field {label} is read-only").not_to_be_editable()
    host = page.locator("copy-field#coupon-code")
    button = host.get_by_role("button", name="Copy Coupon code", exact=True)
    expect(button, "Copy Coupon code can be pressed").to_be_enabled()
    host.evaluate("field => { field.value = ''; }")
    expect(button, "the button is disabled while the value is empty").to_be_disabled()
    host.evaluate("field => field.setAttribute('value', 'FERN-20')")
    field = page.get_by_role("textbox", name="Coupon code", exact=True)
    expect(field, "the field follows the attribute value").to_have_value("FERN-20")
    expect(button, "the button works again once there is a value").to_be_enabled()
    same(host.evaluate("field => field.value"), "FERN-20", "the property value reads the attribute")


@check(2, "Copying writes to the clipboard, says so and fires an event")
def copying(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/")
    listen(page.locator("body"), "copied")
    link, coupon = page.locator("#invite-link"), page.locator("#coupon-code")
    link.get_by_role("button", name="Copy Invite link", exact=True).click()
    expect(link.get_by_role("status"), "the field says that it was copied").to_have_text("Copied")
    expect(coupon.get_by_text("Copied", exact=True), "the other field says nothing").to_be_hidden()
    heard(page, "copied", 1, "the event copied reaches the page once")
    told(page, "copied", "https://fernhill.example/join/42", "the event's detail.value is what was copied")
    clipboard = page.evaluate("() => navigator.clipboard.readText()")
    same(clipboard, "https://fernhill.example/join/42", "the clipboard holds the value")
    page.evaluate(
        """() => {
            navigator.clipboard.writeText = () => Promise.reject(new DOMException('No', 'NotAllowedError'));
            navigator.clipboard.write = navigator.clipboard.writeText;
            document.execCommand = () => false;
        }"""
    )
    coupon.get_by_role("button", name="Copy Coupon code", exact=True).click()
    expect(coupon.get_by_role("status"), "the field says that it could not copy").to_have_text("Could not copy")
    heard(page, "copied", 1, "no event copied is fired when the browser refuses")


@check(2, "“Copied” goes away two seconds after the last press")
def copied_goes(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    pause(page)
    listen(page.locator("body"), "copied")
    field = page.locator("#invite-link")
    button = field.get_by_role("button", name="Copy Invite link", exact=True)
    status = field.get_by_role("status")
    button.click()
    heard(page, "copied", 1, "the first press copies")
    page.clock.run_for(1_500)
    expect(status, "“Copied” still stands after 1.5 seconds").to_have_text("Copied")
    button.click()
    heard(page, "copied", 2, "the second press copies too")
    page.clock.run_for(1_500)
    expect(status, "“Copied” stands 1.5 seconds after the second press").to_have_text("Copied")
    page.clock.run_for(700)
    gone = field.get_by_text("Copied", exact=True)
    expect(gone, "“Copied” is gone 2 seconds after the second press").to_be_hidden()


# Task 3


@check(3, "Choosing a tab shows its panel alone, on a phone too")
def tabs_by_click(page: Page) -> None:
    page.goto("/")
    names = ["Description", "Shipping", "Returns"]
    tab_names(page, "Product details", names, "the tab list Product details has one tab for each panel")
    texts = ["Made of recycled paper.", "Ships within 2 days.", "Return within 30 days."]
    for index in (0, 2, 1):
        if index:
            tab(page, "Product details", names[index]).click()
        chosen(tab(page, "Product details", names[index]), f"the tab {names[index]} is the chosen one")
        panel = page.get_by_role("tabpanel", name=names[index], exact=True)
        expect(panel, f"the panel {names[index]} is shown").to_be_visible()
        for other in range(3):
            words = f"“{texts[other]}” is {'seen' if other == index else 'hidden'} while {names[index]} is chosen"
            expect(page.get_by_text(texts[other]), words).to_be_visible(visible=other == index)
    panels = "".join(f"<tab-panel label='Chapter number {n}'>Text {n}.</tab-panel>" for n in range(1, 10))
    add(page, f"<tab-set label='Chapters'>{panels}</tab-set>")
    page.set_viewport_size({"width": 360, "height": 740})
    last = tab(page, "Chapters", "Chapter number 9")
    expect(last, "the ninth tab is there").to_be_attached()
    width = page.evaluate("() => document.documentElement.scrollWidth")
    require(width <= 360, "in a window 360 pixels wide the page does not scroll sideways", f"it is {width} pixels wide")
    last.click()
    expect(page.get_by_text("Text 9."), "the last of nine tabs can be chosen on a phone").to_be_visible()


@check(3, "Tabs are operated by keyboard")
def tabs_by_keyboard(page: Page) -> None:
    page.goto("/")
    add(
        page,
        "<tab-set label='Sizes'><tab-panel label='Small'>Pocket size.</tab-panel>"
        "<tab-panel label='Medium'><button>Order medium</button></tab-panel>"
        "<tab-panel label='Large'>Wall size.</tab-panel></tab-set>",
    )
    tab(page, "Sizes", "Small").focus()
    steps = (
        ("ArrowLeft", "Large"),
        ("ArrowRight", "Small"),
        ("ArrowRight", "Medium"),
        ("Home", "Small"),
        ("End", "Large"),
        ("ArrowLeft", "Medium"),
    )
    for key, name in steps:
        page.keyboard.press(key)
        expect(tab(page, "Sizes", name), f"{key} moves the focus to {name}").to_be_focused()
        chosen(tab(page, "Sizes", name), f"{key} chooses {name}")
    button = page.get_by_role("button", name="Order medium", exact=True)
    expect(button, "the panel of the chosen tab is shown").to_be_visible()
    expect(page.get_by_text("Pocket size."), "the other panels are hidden").to_be_hidden()
    page.keyboard.press("Tab")
    for name in ("Small", "Medium", "Large"):
        expect(tab(page, "Sizes", name), f"Tab leaves the tab list, it does not stop at {name}").not_to_be_focused()
    button.focus()
    page.keyboard.press("Shift+Tab")
    if page.get_by_role("tabpanel", name="Medium", exact=True).evaluate("panel => panel.matches(':focus')"):
        page.keyboard.press("Shift+Tab")
    expect(tab(page, "Sizes", "Medium"), "Shift+Tab comes back to the chosen tab").to_be_focused()


@check(3, "The selected number and the tab-change event tell what is chosen")
def tabs_selected(page: Page) -> None:
    page.goto("/")
    add(
        page,
        "<div id='around'><tab-set id='sizes' label='Sizes' selected='1'><tab-panel label='Small'>Pocket.</tab-panel>"
        "<tab-panel label='Medium'>Desk.</tab-panel><tab-panel label='Large'>Wall.</tab-panel></tab-set></div>",
    )
    sizes = page.locator("tab-set#sizes")
    listen(sizes, "tab-change")
    expect(page.get_by_text("Desk."), "the panel that the attribute selected names is shown first").to_be_visible()
    sizes.evaluate("set => { set.selected = 2; }")
    expect(page.get_by_text("Wall."), "setting the property selected shows that panel").to_be_visible()
    sizes.evaluate("set => set.setAttribute('selected', '0')")
    expect(page.get_by_text("Pocket."), "setting the attribute selected shows that panel").to_be_visible()
    heard(page, "tab-change", 0, "no tab-change is fired when a script chooses")
    tab(page, "Sizes", "Large").click()
    heard(page, "tab-change", 1, "tab-change is fired once when the visitor chooses")
    told(page, "tab-change", "2", "its detail.index is the number of the new tab")
    expect(sizes, "the attribute selected follows the visitor").to_have_attribute("selected", "2")
    same(sizes.evaluate("set => set.selected"), 2, "the property selected follows the visitor")
    tab(page, "Sizes", "Large").click()
    heard(page, "tab-change", 1, "choosing the same tab again fires nothing")
    listen(page.locator("#around"), "tab-change", "around")
    tab(page, "Sizes", "Large").focus()
    page.keyboard.press("ArrowLeft")
    chosen(tab(page, "Sizes", "Medium"), "the left arrow chooses Medium")
    heard(page, "around", 0, "tab-change does not bubble")
    chosen(tab(page, "Product details", "Description"), "the other tab set stays as it was")
    sizes.evaluate("set => { set.selected = 7; }")
    expect(page.get_by_text("Pocket."), "a number that fits no tab counts as 0").to_be_visible()
    same(sizes.evaluate("set => set.selected"), 0, "the property selected reads 0 then")


# Task 4


def count_down(page: Page, name: str, **left: float) -> Locator:
    """A countdown that a script puts into the page, to the moment that is `left` away from `NOON`."""
    until = (NOON + timedelta(**left)).isoformat().replace("+00:00", "Z")
    add(page, f"<p><count-down id='{name}' until='{until}'></count-down></p>")
    return page.locator(f"#{name}")


@check(4, "The countdown shows the time left, every second and after a sleep")
def countdown_shows(page: Page) -> None:
    pause(page)
    demo = page.locator("count-down#offer-ends")
    shape = re.compile(r"^\s*24716 d (11:59:5\d|12:00:0\d)\s*$")
    expect(demo, "the demo page counts down to 2099 in days, hours, minutes and seconds").to_have_text(shape)
    long = count_down(page, "long", days=2, hours=3, minutes=4, seconds=5)
    short = count_down(page, "short", hours=3, seconds=1.5)
    expect(long, "days stand before the clock").to_have_text("2 d 03:04:05")
    expect(short, "without days only the clock; a second that has begun counts in full").to_have_text("03:00:02")
    page.clock.run_for(1_100)
    expect(long, "one second later it shows one second less").to_have_text("2 d 03:04:04")
    page.clock.run_for(5_000)
    expect(long, "six seconds later it has crossed the minute").to_have_text("2 d 03:03:59")
    page.clock.fast_forward(7_200_000)
    page.clock.run_for(1_000)
    expect(long, "after a sleep of two hours it shows what is really left").to_have_text("2 d 01:03:58")
    long.evaluate("element => element.setAttribute('until', '2031-05-01T15:00:00Z')")
    page.clock.run_for(1_000)
    expect(long, "a changed moment counts at once").to_have_text("00:59:52")
    long.evaluate("element => element.setAttribute('until', 'soon')")
    expect(long, "a moment that cannot be read is no date").to_have_text("No date")


@check(4, "The countdown ends once, and not while it is out of the page")
def countdown_ends(page: Page) -> None:
    pause(page)
    listen(page.locator("body"), "count-end")
    past = count_down(page, "past", seconds=-10)
    expect(past, "a moment in the past is up at once").to_have_text("Time is up")
    first = count_down(page, "first", seconds=3)
    page.clock.run_for(2_500)
    expect(first, "the last second counts in full").to_have_text("00:00:01")
    heard(page, "count-end", 0, "nothing is fired before the time has come, nor for a moment in the past")
    page.clock.run_for(1_100)
    expect(first, "the time is up").to_have_text("Time is up")
    page.clock.run_for(5_000)
    heard(page, "count-end", 1, "count-end reaches the page once")
    gone = count_down(page, "gone", seconds=20)
    back = count_down(page, "back", seconds=30)
    page.evaluate(
        """() => {
            window.kept = ['gone', 'back'].map((id) => document.getElementById(id));
            window.fired = 0;
            for (const element of window.kept) {
                element.addEventListener('count-end', () => { window.fired += 1; });
                element.remove();
            }
        }"""
    )
    page.clock.run_for(15_000)
    same(page.evaluate("() => window.fired"), 0, "an element out of the page fires nothing")
    page.evaluate("() => document.body.prepend(window.kept[1])")
    expect(back, "put back, it shows the right time").to_have_text("00:00:07")
    expect(gone, "the other one is still out of the page").not_to_be_attached()
    page.clock.run_for(1_100)
    expect(back, "put back, it goes on").to_have_text("00:00:06")
    page.clock.run_for(8_000)
    expect(back, "put back, it comes to its end").to_have_text("Time is up")
    same(page.evaluate("() => window.fired"), 1, "put back, it fires count-end once")


# Task 5


@check(5, "A chosen star is what the form sends")
def stars_chosen(page: Page) -> None:
    page.goto("/")
    form = page.get_by_role("form", name="Review", exact=True)
    rated(page, 0, "at first no star is chosen")
    same([e for e in entries(form) if e[0] == "stars"], [], "without a rating the form sends no stars")
    for stars in (4, 2):
        click_star(page, stars)
        rated(page, stars, f"after a click on star {stars}")
        same([e for e in entries(form) if e[0] == "stars"], [["stars", str(stars)]], "the form sends the rating")
        same(page.locator("#rating").evaluate("r => r.value"), stars, "the property value is the rating as a number")
    add(page, "<star-rating label='Film' value='8' max='10'></star-rating>")
    radios = page.get_by_role("radiogroup", name="Film", exact=True).get_by_role("radio")
    expect(radios, "with max 10 there are ten stars").to_have_count(10)
    expect(star(page, 8, "Film"), "the attribute value is the rating it begins with").to_be_checked()


@check(5, "Keyboard and scripts set the rating, and only the visitor's choices fire events")
def stars_by_keyboard(page: Page) -> None:
    page.goto("/")
    rating = page.locator("star-rating#rating")
    listen(rating, "input")
    listen(rating, "change")
    star(page, 1).focus()
    for key, stars in (("Space", 1), ("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2)):
        page.keyboard.press(key)
        rated(page, stars, f"after {key}")
    heard(page, "input", 4, "four choices fire input, each once")
    heard(page, "change", 4, "four choices fire change, each once")
    for given, stars in ((5, 5), (9, 5), (-2, 0), (3, 3), ("many", 0), (4, 4)):
        rating.evaluate("(rating, given) => { rating.value = given; }", given)
        same(rating.evaluate("rating => rating.value"), stars, f"the rating after a script has set {given!r}")
        rated(page, stars, f"after a script has set {given!r}")
    heard(page, "input", 4, "a script's setting fires no input")
    heard(page, "change", 4, "a script's setting fires no change")
    words = page.get_by_role("textbox", name="Your words", exact=True)
    star(page, 4).focus()
    page.keyboard.press("Tab")
    expect(words, "Tab leaves the stars in one step").to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(star(page, 4), "Shift+Tab comes back to the chosen star").to_be_focused()


@check(5, "A rating can be required, reset and disabled like any field")
def stars_in_form(page: Page) -> None:
    page.goto("/")
    form = page.get_by_role("form", name="Review", exact=True)
    form.evaluate("form => form.addEventListener('submit', (event) => event.preventDefault())")
    listen(form, "submit")
    send = page.get_by_role("button", name="Send review", exact=True)
    send.click()
    heard(page, "submit", 0, "the review cannot be sent without a star")
    click_star(page, 3)
    send.click()
    heard(page, "submit", 1, "the review can be sent with a star")
    click_star(page, 5)
    page.get_by_role("button", name="Start over", exact=True).click()
    rated(page, 0, "after Start over")
    send.click()
    heard(page, "submit", 1, "after Start over a star is required again")
    add(
        page,
        "<form aria-label='Films'><fieldset><star-rating name='film' label='Film' value='2'></star-rating></fieldset>"
        "<button type='reset'>Reset films</button></form>",
    )
    films = page.get_by_role("form", name="Films", exact=True)
    same(entries(films), [["film", "2"]], "the form sends the rating it began with")
    click_star(page, 5, "Film")
    page.get_by_role("button", name="Reset films", exact=True).click()
    rated(page, 2, "a reset brings back the rating it began with", "Film")
    same(entries(films), [["film", "2"]], "after a reset the form sends the rating it began with")
    for what, on, off in (
        ("a disabled fieldset", "f => { f.disabled = true; }", "f => { f.disabled = false; }"),
        (
            "the attribute disabled",
            "f => f.querySelector('star-rating').setAttribute('disabled', '')",
            "f => f.querySelector('star-rating').removeAttribute('disabled')",
        ),
    ):
        fieldset = films.locator("fieldset").first
        fieldset.evaluate(on)
        expect(star(page, 4, "Film"), f"{what} disables the stars").to_be_disabled()
        same(entries(films), [], f"with {what} nothing is sent")
        fieldset.evaluate(off)
        expect(star(page, 4, "Film"), f"without {what} the stars work again").to_be_enabled()


# Task 6


@check(6, "Toasts are read out, show plain text and can be dismissed")
def toasts_shown(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Show a toast", exact=True).click()
    hello = toast(page, "Hello from Fernhill")
    expect(hello, "the button shows a toast with a dismiss button").to_be_visible()
    status = page.get_by_role("status").filter(has_text="Hello from Fernhill").first
    expect(status, "the toast stands in a status region").to_be_visible()
    box = hello.bounding_box() or {"x": 0, "y": 0}
    require(box["x"] > 640 and box["y"] > 400, "the toast is in the bottom right corner", f"at {box['x']}, {box['y']}")
    show_toast(page, "Save <b>now</b>")
    area = page.locator("toast-area#toasts")
    expect(area, "markup in a message is shown as text").to_contain_text("Save <b>now</b>")
    hello.click()
    expect(hello, "a dismissed toast is gone at once").to_be_hidden()
    expect(toast(page, "Save <b>now</b>"), "the other toast stays").to_be_visible()
    for message in ("One", "Two", "Three"):
        show_toast(page, message)
    expect(toast(page, "Save <b>now</b>"), "the fourth toast pushes out the oldest").to_be_hidden()
    dismiss = area.get_by_role("button", name=re.compile("^Dismiss: "))
    expect(dismiss, "three toasts stand there").to_have_count(3)


@check(6, "Toasts go by themselves, but wait for pointer and focus")
def toasts_go(page: Page) -> None:
    pause(page)
    page.mouse.move(5, 5)
    show_toast(page, "Stays", 0)

    def lives(message: str, seconds: int, since: str) -> None:
        page.clock.run_for(seconds * 1_000 - 500)
        expect(toast(page, message), f"the toast still stands shortly before {seconds} s {since}").to_be_visible()
        page.clock.run_for(1_500)
        expect(toast(page, message), f"the toast is gone {seconds} s {since}").to_be_hidden()

    show_toast(page, "Default")
    lives("Default", 5, "after it came")
    show_toast(page, "Longer", 10)
    lives("Longer", 10, "after it came")
    show_toast(page, "Pointed at")
    page.clock.run_for(3_000)
    toast(page, "Pointed at").hover()
    page.clock.run_for(20_000)
    expect(toast(page, "Pointed at"), "a toast under the pointer stays").to_be_visible()
    page.mouse.move(5, 5)
    lives("Pointed at", 5, "after the pointer has left")
    show_toast(page, "Focused")
    page.clock.run_for(3_000)
    toast(page, "Focused").focus()
    page.clock.run_for(20_000)
    expect(toast(page, "Focused"), "a toast with the focus in it stays").to_be_visible()
    page.get_by_role("button", name="Show a toast", exact=True).focus()
    lives("Focused", 5, "after the focus has left")
    expect(toast(page, "Stays"), "a toast of 0 seconds stays until it is dismissed").to_be_visible()


@check(6, "Copying and sending a review show toasts")
def toasts_used(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/")
    for label in ("Invite link", "Coupon code"):
        page.get_by_role("button", name=f"Copy {label}", exact=True).click()
        expect(toast(page, f"{label} copied"), f"copying shows “{label} copied”").to_be_visible()
    page.evaluate("() => { window.stayed = true; }")
    words = page.get_by_role("textbox", name="Your words", exact=True)
    for stars, message in ((4, "Thanks for 4 stars"), (1, "Thanks for 1 star")):
        click_star(page, stars)
        words.fill("Lovely paper")
        page.get_by_role("button", name="Send review", exact=True).click()
        expect(toast(page, message), f"sending the review shows “{message}”").to_be_visible()
        rated(page, 0, "the form is reset after sending")
        expect(words, "the words are reset after sending").to_have_value("")
    same(page.evaluate("() => window.stayed === true"), True, "sending the review does not load the page anew")


# Task 7


@check(7, "Accent and corners can be set for the page or one element")
def themed(page: Page) -> None:
    page.goto("/")
    link = page.get_by_role("button", name="Copy Invite link", exact=True)
    coupon = page.get_by_role("button", name="Copy Coupon code", exact=True)
    first, second = tab(page, "Product details", "Description"), tab(page, "Product details", "Shipping")

    def accent(target: Locator, what: str, hue: str) -> None:
        expect(target, f"{what} has the accent colour").to_have_css("background-color", hue)

    def look(hue: str, when: str) -> None:
        accent(link, f"the copy button {when}", hue)
        expect(first, f"the chosen tab {when} has the accent colour").to_have_css("color", hue)
        expect(second, f"the other tab {when} has another colour").not_to_have_css("color", hue)

    look("rgb(31, 111, 74)", "by default")
    expect(link, "the copy button has corners of 6px by default").to_have_css("border-top-left-radius", "6px")
    berry = page.get_by_role("button", name="Berry theme", exact=True)
    theme = page.get_by_role("button", name="Berry theme", exact=True, pressed=True)
    expect(theme, "Berry theme is not pressed at first").to_be_hidden()
    berry.click()
    look("rgb(180, 30, 90)", "in the berry theme")
    expect(theme, "Berry theme says that it is pressed").to_be_visible()
    berry.click()
    look("rgb(31, 111, 74)", "after the berry theme was switched off")
    expect(theme, "Berry theme says that it is no longer pressed").to_be_hidden()
    page.locator("#coupon-code").evaluate(
        "f => { f.style.setProperty('--ui-accent', 'rgb(1, 2, 3)'); f.style.setProperty('--ui-radius', '11px'); }"
    )
    accent(coupon, "the one copy field that was given an accent", "rgb(1, 2, 3)")
    expect(coupon, "its corners are its own").to_have_css("border-top-left-radius", "11px")
    accent(link, "the other copy field", "rgb(31, 111, 74)")
    expect(link, "the other copy field keeps its corners").to_have_css("border-top-left-radius", "6px")
    page.evaluate("() => document.documentElement.style.setProperty('--ui-radius', '3px')")
    expect(link, "corners set on the page's root count").to_have_css("border-top-left-radius", "3px")


@check(7, "Parts of the elements can be styled by the page")
def parts(page: Page) -> None:
    page.goto("/")
    page.add_style_tag(
        content="copy-field::part(field) { letter-spacing: 3px; }"
        "copy-field::part(button) { background-color: rgb(9, 8, 7); letter-spacing: 5px; }"
        "tab-set::part(tab) { letter-spacing: 2px; word-spacing: 7px; }"
        "tab-set::part(selected-tab) { letter-spacing: 4px; color: rgb(9, 8, 7); }"
    )
    field = page.get_by_role("textbox", name="Invite link", exact=True)
    button = page.get_by_role("button", name="Copy Invite link", exact=True)
    expect(field, "the page styles the text field as a part").to_have_css("letter-spacing", "3px")
    expect(button, "the page styles the copy button as a part").to_have_css("letter-spacing", "5px")
    expect(button, "the page's colour wins over our own").to_have_css("background-color", "rgb(9, 8, 7)")
    names = ("Description", "Shipping", "Returns")
    for picked in ("Description", "Returns"):
        tab(page, "Product details", picked).click()
        for name in names:
            target = tab(page, "Product details", name)
            expect(target, f"the page styles every tab as a part, {name} too").to_have_css("word-spacing", "7px")
            spacing = "4px" if name == picked else "2px"
            words = f"only the chosen tab has the part selected-tab; {picked} is chosen, this is {name}"
            expect(target, words).to_have_css("letter-spacing", spacing)


# Task 8

ROOMS = (
    "<tab-set id='rooms' label='Rooms'><tab-panel label='Attic'>Under the roof.</tab-panel>"
    "<tab-panel label='Bath'>With a tub.</tab-panel><tab-panel label='Cellar'>With wine.</tab-panel>"
    "<tab-panel label='Den'>With a fire.</tab-panel></tab-set>"
)


def panel_set(page: Page, label: str, script: str) -> None:
    page.locator(f"#rooms > tab-panel[label='{label}']").evaluate(script)


@check(8, "The tabs follow panels that come, go and change their label")
def tabs_follow(page: Page) -> None:
    page.goto("/")
    add(page, ROOMS)
    rooms = page.locator("#rooms")
    tab(page, "Rooms", "Cellar").click()
    tab(page, "Rooms", "Cellar").focus()
    listen(rooms, "tab-change")
    rooms.evaluate(
        """set => {
            const panel = document.createElement('tab-panel');
            panel.setAttribute('label', 'Annex');
            panel.textContent = 'Next door.';
            set.prepend(panel);
        }"""
    )
    tab_names(page, "Rooms", ["Annex", "Attic", "Bath", "Cellar", "Den"], "a new panel has its tab in its place")
    chosen(tab(page, "Rooms", "Cellar"), "the shown panel stays chosen when one comes before it")
    expect(page.get_by_text("With wine."), "the shown panel stays shown").to_be_visible()
    expect(page.get_by_text("Next door."), "the new panel is hidden").to_be_hidden()
    expect(rooms, "the attribute selected takes the new number").to_have_attribute("selected", "3")
    same(rooms.evaluate("set => set.selected"), 3, "the property selected takes the new number")
    panel_set(page, "Bath", "panel => panel.setAttribute('label', 'Bathroom')")
    tab_names(page, "Rooms", ["Annex", "Attic", "Bathroom", "Cellar", "Den"], "a new label shows on its tab")
    panel_set(page, "Annex", "panel => panel.remove()")
    tab_names(page, "Rooms", ["Attic", "Bathroom", "Cellar", "Den"], "a removed panel has no tab")
    expect(tab(page, "Rooms", "Cellar"), "the focus stays on its tab through all this").to_be_focused()
    same(rooms.evaluate("set => set.selected"), 2, "the property selected goes down again")
    panel_set(page, "Cellar", "panel => panel.remove()")
    chosen(tab(page, "Rooms", "Den"), "the next panel is shown when the shown one is removed")
    expect(page.get_by_text("With a fire."), "the next panel is visible").to_be_visible()
    panel_set(page, "Den", "panel => panel.remove()")
    chosen(tab(page, "Rooms", "Bathroom"), "without a next one, the nearest before is shown")
    expect(page.get_by_text("With a tub."), "the panel before is visible").to_be_visible()
    expect(rooms, "the attribute selected names the panel now shown").to_have_attribute("selected", "1")
    heard(page, "tab-change", 0, "tab-change is for the visitor's choices only")


@check(8, "Disabled tabs cannot be chosen")
def tabs_disabled(page: Page) -> None:
    page.goto("/")
    add(page, ROOMS)
    listen(page.locator("#rooms"), "tab-change")
    panel_set(page, "Bath", "panel => panel.setAttribute('disabled', '')")
    panel_set(page, "Den", "panel => panel.setAttribute('disabled', '')")
    bath = tab(page, "Rooms", "Bath")
    expect(bath, "a disabled panel has a disabled tab").to_be_disabled()
    bath.click(force=True)
    chosen(tab(page, "Rooms", "Attic"), "a click on a disabled tab changes nothing")
    tab(page, "Rooms", "Attic").focus()
    for key, name in (("ArrowRight", "Cellar"), ("ArrowRight", "Attic"), ("ArrowLeft", "Cellar")):
        page.keyboard.press(key)
        expect(tab(page, "Rooms", name), f"{key} passes over disabled tabs to {name}").to_be_focused()
        chosen(tab(page, "Rooms", name), f"{key} chooses {name}")
    for key, name in (("Home", "Attic"), ("End", "Cellar")):
        page.keyboard.press(key)
        chosen(tab(page, "Rooms", name), f"{key} passes over disabled tabs to {name}")
    heard(page, "tab-change", 5, "each of five key presses is a choice")
    panel_set(page, "Cellar", "panel => panel.setAttribute('disabled', '')")
    chosen(tab(page, "Rooms", "Attic"), "when the shown panel is disabled, the nearest one that is not is shown")
    expect(page.get_by_text("Under the roof."), "that panel is visible").to_be_visible()
    expect(page.get_by_text("With wine."), "the disabled panel is hidden").to_be_hidden()
    panel_set(page, "Bath", "panel => panel.removeAttribute('disabled')")
    expect(bath, "a tab works again without disabled").to_be_enabled()
    bath.click()
    expect(page.get_by_text("With a tub."), "its panel can be chosen").to_be_visible()
    heard(page, "tab-change", 6, "disabling is no choice of the visitor")


@check(8, "A tab set works inside another and after a move")
def tabs_nested(page: Page) -> None:
    page.goto("/")
    details, zones = page.locator("tab-set#details"), page.locator("tab-set#zones")
    names = ["Description", "Shipping", "Returns"]
    tab_names(page, "Product details", names, "the outer tab list has only its own tabs")
    tab(page, "Product details", "Shipping").click()
    tab_names(page, "Shipping zones", ["Europe", "World"], "the inner tab list has only its own tabs")
    listen(details, "tab-change", "outer")
    listen(zones, "tab-change", "inner")
    tab(page, "Shipping zones", "World").click()
    world, europe = page.get_by_text("7 to 14 days on the way."), page.get_by_text("3 to 5 days on the way.")
    expect(world, "the inner tab shows its panel").to_be_visible()
    expect(europe, "the other inner panel is hidden").to_be_hidden()
    tab(page, "Shipping zones", "World").focus()
    page.keyboard.press("ArrowRight")
    expect(europe, "the arrow key goes round in the inner tab list").to_be_visible()
    chosen(tab(page, "Product details", "Shipping"), "the outer tab stays as it was")
    expect(page.get_by_text("Ships within 2 days."), "the outer panel stays as it was").to_be_visible()
    heard(page, "inner", 2, "the inner tab set fires for its two choices")
    heard(page, "outer", 0, "the outer tab set fires nothing for the inner one's choices")
    tab(page, "Shipping zones", "World").click()
    details.evaluate("set => document.body.prepend(set)")
    chosen(tab(page, "Product details", "Shipping"), "a tab set that was moved keeps its chosen tab")
    tab_names(page, "Product details", names, "a tab set that was moved has each tab once")
    expect(world, "the inner tab set keeps its shown panel too").to_be_visible()
    tab(page, "Product details", "Shipping").focus()
    page.keyboard.press("ArrowRight")
    chosen(tab(page, "Product details", "Returns"), "after the move an arrow key moves by one")
    expect(page.get_by_text("Return within 30 days."), "after the move a choice shows its panel").to_be_visible()
    heard(page, "outer", 1, "after the move a choice fires once")


# Task 9


@check(9, "What was set before loading counts, and keeps working")
def late_loading(page: Page) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto("/late.html")
    heading = page.get_by_role("heading", name="Late loading", exact=True)
    expect(heading, "the page late.html has the heading Late loading").to_be_visible()
    defined = page.evaluate("() => Boolean(customElements.get('price-tag') || customElements.get('star-rating'))")
    same(defined, False, "the elements are not defined before the button is pressed; defined")
    page.evaluate(
        """() => {
            document.getElementById('late-price').amount = 7.5;
            const link = document.getElementById('late-link');
            link.label = 'Early link';
            link.value = 'https://fernhill.example/early';
            const tabs = document.getElementById('late-tabs');
            tabs.selected = 1;
            tabs.querySelector('tab-panel').label = 'First';
            document.getElementById('late-rating').value = 4;
        }"""
    )
    load = page.get_by_role("button", name="Load elements", exact=True)
    load.click()
    price, link, tabs = page.locator("#late-price"), page.locator("#late-link"), page.locator("#late-tabs")
    form = page.get_by_role("form", name="Late review", exact=True)

    def shows(amount: str, label: str, value: str, tab_name: str, text: str, stars: int, when: str) -> None:
        expect(price, f"the price {when}").to_have_text(amount)
        expect(page.get_by_role("textbox", name=label, exact=True), f"the field {label} {when}").to_have_value(value)
        chosen(tab(page, "Late tabs", tab_name), f"{tab_name} is the chosen tab {when}")
        expect(page.get_by_text(text), f"its panel is shown {when}").to_be_visible()
        rated(page, stars, f"the rating {when}", "Late rating")
        same(entries(form), [["stars", str(stars)]], f"the form sends the rating {when}")

    early = "that was set before loading"
    shows("€7.50", "Early link", "https://fernhill.example/early", "Two", "Second panel.", 4, early)
    tab_names(page, "Late tabs", ["First", "Two"], f"the tabs have the label {early}")
    expect(page.get_by_text("First panel."), "the other panel is hidden").to_be_hidden()
    page.evaluate(
        """() => {
            document.getElementById('late-price').amount = 9;
            const link = document.getElementById('late-link');
            link.label = 'New link';
            link.value = 'https://fernhill.example/new';
            document.getElementById('late-tabs').selected = 0;
            document.getElementById('late-rating').value = 1;
        }"""
    )
    later = "that was set after loading"
    shows("€9.00", "New link", "https://fernhill.example/new", "First", "First panel.", 1, later)
    price.evaluate("tag => tag.setAttribute('amount', '11')")
    same(price.evaluate("tag => tag.amount"), 11, "the property amount reads the attribute")
    link.evaluate("field => field.setAttribute('value', 'https://fernhill.example/attr')")
    same(link.evaluate("field => field.value"), "https://fernhill.example/attr", "the property reads the attribute")
    tab(page, "Late tabs", "Two").click()
    same(tabs.evaluate("set => set.selected"), 1, "the property selected reads the visitor's choice")
    click_star(page, 5, "Late rating")
    same(page.locator("#late-rating").evaluate("r => r.value"), 5, "the property value reads the visitor's choice")
    load.click()
    shows("€11.00", "New link", "https://fernhill.example/attr", "Two", "Second panel.", 5, "after a second press")
    require(not errors, "late.html works without an error", "; ".join(errors))


@check(9, "Properties and attributes stay in step in both directions")
def reflection(page: Page) -> None:
    page.goto("/")
    rows = [
        ["price-tag", "amount", 4.5, "4.5", "12", 12, None],
        ["price-tag", "currency", "GBP", "GBP", "JPY", "JPY", "USD"],
        ["copy-field", "label", "Link", "Link", "Code", "Code", ""],
        ["copy-field", "value", "one", "one", "two", "two", ""],
        ["tab-set", "label", "Rooms", "Rooms", "Sizes", "Sizes", ""],
        ["tab-set", "selected", 1, "1", "2", 2, 0],
        ["tab-panel", "label", "Attic", "Attic", "Bath", "Bath", ""],
        ["tab-panel", "disabled", True, None, "", True, False],
        ["count-down", "until", "2031-06-01T00:00:00Z", "2031-06-01T00:00:00Z", "soon", "soon", ""],
        ["star-rating", "name", "stars", "stars", "film", "film", ""],
        ["star-rating", "label", "Film", "Film", "Book", "Book", ""],
        ["star-rating", "max", 3, "3", "7", 7, 5],
        ["star-rating", "required", True, None, "", True, False],
        ["star-rating", "disabled", True, None, "", True, False],
    ]
    wrong = page.evaluate(
        """rows => rows.flatMap(([tag, name, given, text, other, read, without]) => {
            const element = document.createElement(tag);
            if (tag === 'tab-set') {
                element.innerHTML = '<tab-panel label="A"></tab-panel><tab-panel label="B"></tab-panel>'
                    + '<tab-panel label="C"></tab-panel>';
            }
            document.body.prepend(element);
            const wrong = [];
            const look = (holds, words) => {
                if (!holds) wrong.push(`<${tag}> ${name} ${words}`);
            };
            look(element[name] === without, `reads as ${element[name]} without the attribute`);
            element[name] = given;
            look(element.hasAttribute(name) && (text === null || element.getAttribute(name) === text),
                `set to ${given} leaves the attribute at ${element.getAttribute(name)}`);
            look(element[name] === given, `set to ${given} reads as ${element[name]}`);
            element.setAttribute(name, other);
            look(element[name] === read, `reads as ${element[name]} with the attribute "${other}"`);
            if (typeof given === 'boolean') {
                element[name] = false;
                look(!element.hasAttribute(name), 'set to false leaves the attribute there');
            }
            element.removeAttribute(name);
            look(element[name] === without, `reads as ${element[name]} after the attribute was removed`);
            element.remove();
            return wrong;
        })""",
        rows,
    )
    require(not wrong, "each property and the attribute of its name say the same", "; ".join(wrong))
    add(page, "<star-rating id='film' label='Film'></star-rating>")
    page.locator("#film").evaluate("rating => { rating.max = 3; rating.label = 'Book'; rating.disabled = true; }")
    stars = page.get_by_role("radiogroup", name="Book", exact=True).get_by_role("radio")
    expect(stars, "the property max sets how many stars there are").to_have_count(3)
    expect(stars.first, "the property disabled disables the stars").to_be_disabled()


# Task 10

LETTER = """<draft-form key="KEY"><form aria-label="Letter KEY">
  <input name="city" aria-label="City">
  <select name="size" aria-label="Size"><option>Small</option><option>Large</option></select>
  <input type="radio" name="speed" value="slow" aria-label="Slow" checked>
  <input type="radio" name="speed" value="fast" aria-label="Fast">
  <input type="checkbox" name="gift" aria-label="Gift wrap" checked>
  <input type="password" name="phrase" aria-label="Pass phrase">
</form></draft-form>"""


def letter(page: Page, key: str) -> Locator:
    """A letter form with a draft of its own key, as a script puts it into the page."""
    add(page, LETTER.replace("KEY", key))
    return page.get_by_role("form", name=f"Letter {key}", exact=True)


def notice(page: Page, key: str) -> Locator:
    return page.locator(f"draft-form[key='{key}']").get_by_text("Draft restored").first


def write_review(page: Page) -> None:
    page.get_by_role("textbox", name="Your words", exact=True).fill("Lovely paper")
    click_star(page, 4)
    page.get_by_role("checkbox", name="Publish my name", exact=True).check()


def review_is(page: Page, words: str, stars: int, publish: bool, when: str) -> None:
    text = page.get_by_role("textbox", name="Your words", exact=True)
    expect(text, f"the words {when}").to_have_value(words)
    rated(page, stars, f"the stars {when}")
    box = page.get_by_role("checkbox", name="Publish my name", exact=True)
    expect(box, f"Publish my name {when} is {'ticked' if publish else 'not ticked'}").to_be_checked(checked=publish)


@check(10, "A review that was begun is there again")
def draft_restored(page: Page) -> None:
    page.goto("/")
    discard = page.get_by_role("button", name="Discard draft", exact=True)
    expect(notice(page, "review"), "without a draft there is no message").to_be_hidden()
    expect(discard, "without a draft there is nothing to discard").to_be_hidden()
    write_review(page)
    stored = page.evaluate("() => localStorage.getItem('draft:review')")
    require(bool(stored), "the draft is stored as draft:review", "nothing is stored under this name")
    come_back(page)
    review_is(page, "Lovely paper", 4, True, "of the draft after coming back")
    status = page.get_by_role("status").filter(has_text="Draft restored").first
    expect(status, "a status message says that the draft is restored").to_be_visible()
    expect(discard, "the draft can be discarded").to_be_visible()
    form = page.get_by_role("form", name="Review", exact=True)
    sent = [["stars", "4"], ["words", "Lovely paper"], ["publish", "on"]]
    same(entries(form), sent, "the form sends what was restored")
    page.get_by_role("checkbox", name="Publish my name", exact=True).uncheck()
    star(page, 4).focus()
    page.keyboard.press("ArrowLeft")
    come_back(page)
    review_is(page, "Lovely paper", 3, False, "of the changed draft after coming back again")


@check(10, "Discarding, resetting and sending end the draft")
def draft_dropped(page: Page) -> None:
    page.goto("/")
    for button in ("Discard draft", "Start over", "Send review"):
        write_review(page)
        come_back(page)
        expect(notice(page, "review"), "the draft is restored").to_be_visible()
        page.get_by_role("button", name=button, exact=True).click()
        expect(notice(page, "review"), f"{button} takes the message away").to_be_hidden()
        discard = page.get_by_role("button", name="Discard draft", exact=True)
        expect(discard, f"after {button} there is nothing to discard").to_be_hidden()
        review_is(page, "", 0, False, f"after {button}")
        come_back(page)
        review_is(page, "", 0, False, f"after {button} and coming back")
        expect(notice(page, "review"), f"after {button} no draft comes back").to_be_hidden()


@check(10, "Every form has its own draft of all kinds of fields, but no passwords")
def drafts_apart(page: Page) -> None:
    page.goto("/")
    one, two = letter(page, "one"), letter(page, "two")
    one.get_by_label("City", exact=True).fill("Bergen")
    one.get_by_label("Size", exact=True).select_option("Large")
    one.get_by_label("Fast", exact=True).check()
    one.get_by_label("Gift wrap", exact=True).uncheck()
    one.get_by_label("Pass phrase", exact=True).fill("open-sesame")
    two.get_by_label("City", exact=True).fill("Oslo")
    page.evaluate("() => localStorage.setItem('draft:three', '{broken')")
    come_back(page)
    one, two, three = letter(page, "one"), letter(page, "two"), letter(page, "three")
    expect(notice(page, "one"), "the first letter says that its draft is restored").to_be_visible()
    expect(notice(page, "two"), "the second letter says that its draft is restored").to_be_visible()
    restored = [["city", "Bergen"], ["size", "Large"], ["speed", "fast"], ["phrase", ""]]
    same(entries(one), restored, "the first letter's fields after coming back, the password empty")
    started = [["city", ""], ["size", "Small"], ["speed", "slow"], ["gift", "on"], ["phrase", ""]]
    same(entries(two), [["city", "Oslo"], *started[1:]], "the second letter's fields after coming back")
    same(entries(three), started, "a draft that cannot be read leaves the third letter as it was")
    expect(notice(page, "three"), "the third letter has no draft").to_be_hidden()
    kept = page.evaluate("() => JSON.stringify({ ...localStorage })")
    require("open-sesame" not in kept, "a password is not stored", "it stands in the browser's localStorage")
    three.get_by_label("City", exact=True).fill("Tromsø")
    come_back(page)
    three = letter(page, "three")
    expect(three.get_by_label("City", exact=True), "the third letter has a draft now").to_have_value("Tromsø")
