"""The sign-up form for evening courses: what a visitor can enter, what is refused, and what is sent."""

import json
import re
from datetime import UTC, datetime

from playwright.sync_api import Locator, Page, Route, expect

from benchmark.webdev.checks import check, require

FIRST = "Enter your first name"
LAST = "Enter your last name"
EMAIL = "Enter your e-mail address"
EMAIL_FORM = "Enter an e-mail address like name@example.com"
PHONE = "Enter a phone number with 7 to 15 digits"
COURSE = "Choose a course"
SESSION = "Choose a session"
BIRTH = "Enter your date of birth"
FUTURE = "The date of birth cannot be in the future"
YOUNG = "You must be at least 16 years old"
GUARDIAN = "Enter the name of a parent or guardian"
NOT_SENT = "Your sign-up could not be sent. Please try again."
NO_PRICE = "The price appears here once a course is selected."
PENDING = "Please choose"


def text_field(page: Page, name: str) -> Locator:
    return page.get_by_role("textbox", name=name, exact=True)


def dropdown(page: Page, name: str) -> Locator:
    return page.get_by_role("combobox", name=name, exact=True)


def checkbox(page: Page, name: str) -> Locator:
    return page.get_by_role("checkbox", name=name, exact=True)


def birth(page: Page) -> Locator:
    return page.get_by_label("Date of birth", exact=True)


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def heading(page: Page, name: str) -> Locator:
    return page.get_by_role("heading", name=name, exact=True)


def press(page: Page, name: str) -> None:
    """Press a button after the field before was left, so that a message that shows then does not move it away."""
    button(page, name).focus()
    button(page, name).click()


def described(field: Locator, name: str, message: str, when: str) -> None:
    words = re.compile(re.escape(message))
    expect(field, f"{name} {when}: the description of the field has “{message}”").to_have_accessible_description(words)


def told(page: Page, field: Locator, name: str, message: str, when: str) -> None:
    described(field, name, message, when)
    where = f"{name} {when}"
    expect(field, f"{where}: the field is marked as invalid").to_have_attribute("aria-invalid", "true")
    seen = page.get_by_text(message).filter(visible=True).first
    expect(seen, f"{where}: “{message}” can be seen on the page").to_be_visible()


def not_told(page: Page, field: Locator, name: str, message: str, when: str) -> None:
    where = f"{name} {when}"
    expect(field, f"{where}: the field is not marked as invalid").not_to_have_attribute("aria-invalid", "true")
    words = re.compile(re.escape(message))
    expect(field, f"{where}: no “{message}” in the description of the field").not_to_have_accessible_description(words)
    seen = page.get_by_text(message, exact=True).filter(visible=True)
    expect(seen, f"{where}: “{message}” is not on the page").to_have_count(0)


def chosen(page: Page, name: str, choice: str, when: str) -> None:
    selected = dropdown(page, name).locator("option:checked")
    expect(selected, f"{name} has “{choice}” chosen {when}").to_have_text(choice)


def set_today(page: Page, year: int, month: int, day: int, hour: int = 12, minute: int = 0) -> None:
    page.clock.set_fixed_time(datetime(year, month, day, hour, minute, tzinfo=UTC))


@check(1, "The four fields are there with their labels, in order, and browsers can fill them")
def four_fields(page: Page) -> None:
    page.goto("/")
    purposes = {
        "First name": "given-name",
        "Last name": "family-name",
        "E-mail": "email",
        "Phone (optional)": "tel",
    }
    for name, purpose in purposes.items():
        field = text_field(page, name)
        expect(field, f"there is a text field labelled “{name}”").to_be_visible()
        expect(field, f"“{name}” has the autocomplete value for it").to_have_attribute("autocomplete", purpose)
    text_field(page, "First name").focus()
    for name in [*purposes][1:]:
        page.keyboard.press("Tab")
        expect(text_field(page, name), f"the Tab key goes on to “{name}”, in the order asked for").to_be_focused()


@check(1, "Continue tells which of the required fields are empty")
def required_fields(page: Page) -> None:
    page.goto("/")
    press(page, "Continue")
    told(page, text_field(page, "First name"), "First name", FIRST, "when empty")
    told(page, text_field(page, "Last name"), "Last name", LAST, "when empty")
    told(page, text_field(page, "E-mail"), "E-mail", EMAIL, "when empty")
    phone = text_field(page, "Phone (optional)")
    expect(phone, "the optional phone number is not marked as invalid").not_to_have_attribute("aria-invalid", "true")


@check(1, "Messages go when the field is filled in, spaces do not count, and entries stay")
def messages_go(page: Page) -> None:
    page.goto("/")
    first, last = text_field(page, "First name"), text_field(page, "Last name")
    last.fill("Lee")
    first.fill("   ")
    press(page, "Continue")
    told(page, first, "First name", FIRST, "with spaces only")
    not_told(page, last, "Last name", LAST, "when filled in")
    first.fill("Ana")
    last.fill("")
    first.press("Enter")
    not_told(page, first, "First name", FIRST, "after it was filled in and Enter was pressed")
    told(page, last, "Last name", LAST, "after it was emptied and Enter was pressed")
    expect(first, "the first name stays in its field").to_have_value("Ana")


@check(2, "E-mail addresses that cannot work are refused, others pass")
def email_rule(page: Page) -> None:
    page.goto("/")
    field = text_field(page, "E-mail")
    wrong = ["ana", "@example.com", "ana@example", "ana@@example.com", "ana@example.", "ana@example..com"]
    for address in [*wrong, "a b@example.com"]:
        field.fill(address)
        press(page, "Continue")
        described(field, "E-mail", EMAIL_FORM, f"with “{address}”")
    told(page, field, "E-mail", EMAIL_FORM, "with a space inside")
    for address in ["ana.lee+courses@mail.example.co.uk", "  ana@example.com ", "o'neil@a-b.museum"]:
        field.fill(address)
        press(page, "Continue")
        not_told(page, field, "E-mail", EMAIL_FORM, f"with “{address}”")
    field.fill("")
    press(page, "Continue")
    told(page, field, "E-mail", EMAIL, "when empty")


@check(2, "Phone numbers need 7 to 15 digits and only the signs that are allowed")
def phone_rule(page: Page) -> None:
    page.goto("/")
    field = text_field(page, "Phone (optional)")
    for number in ["12 34 56", "1234567890123456", "(12)-3/4-5 6", "030 1234 ext 5", "030+1234567", "++4930123456"]:
        field.fill(number)
        press(page, "Continue")
        described(field, "Phone", PHONE, f"with “{number}”")
    told(page, field, "Phone", PHONE, "with two plus signs")
    for number in ["1234567", "+49 (0)30 / 1234-567", "123456789012345", ""]:
        field.fill(number)
        press(page, "Continue")
        not_told(page, field, "Phone", PHONE, f"with “{number}”" if number else "when empty")


@check(3, "All courses can be chosen, and the session waits for one")
def courses_offered(page: Page) -> None:
    page.goto("/")
    titles = [PENDING, "Pottery for beginners", "Italian conversation", "Bicycle repair"]
    options = dropdown(page, "Course").locator("option")
    expect(options, "Course offers “Please choose” and the three courses").to_have_text(titles)
    chosen(page, "Course", PENDING, "at first")
    expect(dropdown(page, "Session"), "Session cannot be used before a course is chosen").to_be_disabled()


@check(3, "The sessions follow the course")
def sessions_follow(page: Page) -> None:
    page.goto("/")
    course, session = dropdown(page, "Course"), dropdown(page, "Session")
    course.select_option("Pottery for beginners")
    expect(session, "Session can be used once a course is chosen").to_be_enabled()
    pottery = [PENDING, "Monday 18:30", "Thursday 19:00"]
    expect(session.locator("option"), "Session offers the two of the pottery course").to_have_text(pottery)
    chosen(page, "Session", PENDING, "for a course with two sessions")
    session.select_option("Thursday 19:00")
    course.select_option("Italian conversation")
    italian = [PENDING, "Tuesday 18:00", "Wednesday 20:00", "Saturday 17:00"]
    expect(session.locator("option"), "Session offers only the three of the Italian course").to_have_text(italian)
    chosen(page, "Session", PENDING, "after the course was changed")
    course.select_option("Bicycle repair")
    chosen(page, "Session", "Friday 17:30", "for a course with one session")
    course.select_option(PENDING)
    expect(session, "Session cannot be used after the course was taken back").to_be_disabled()


@check(3, "A missing course or session is told")
def course_required(page: Page) -> None:
    page.goto("/")
    course, session = dropdown(page, "Course"), dropdown(page, "Session")
    press(page, "Continue")
    told(page, course, "Course", COURSE, "when none is chosen")
    not_told(page, session, "Session", SESSION, "without a course")
    course.select_option("Italian conversation")
    press(page, "Continue")
    not_told(page, course, "Course", COURSE, "once one is chosen")
    told(page, session, "Session", SESSION, "when none is chosen")
    session.select_option("Wednesday 20:00")
    press(page, "Continue")
    not_told(page, session, "Session", SESSION, "once one is chosen")


def costs(page: Page, lines: list[tuple[str, str]], when: str) -> None:
    """The price area has these lines one after the other and none between; how they are wrapped is free."""
    amounts = [(label, re.escape(amount).replace("\\-", "[-−]\\s*")) for label, amount in lines]
    words = r"\s*".join(rf"{label}:?\s*{amount}" for label, amount in amounts)
    wanted = ", ".join(f"{label}: {amount}" for label, amount in lines)
    area = page.get_by_role("status").filter(has_text=re.compile("Total", re.I))
    pattern = re.compile(rf"{words}(?!\d)", re.I)
    expect(area, f"the price {when} reads: {wanted}").to_contain_text(pattern, use_inner_text=True)


@check(4, "The price follows the course, the kit and the concession")
def price_follows(page: Page) -> None:
    page.goto("/")
    waiting = page.get_by_role("status").filter(has_text=NO_PRICE)
    expect(waiting, f"without a course the price area reads “{NO_PRICE}”").to_be_visible()
    course = dropdown(page, "Course")
    course.select_option("Pottery for beginners")
    costs(page, [("Course fee", "€120.00"), ("Total", "€120.00")], "of pottery alone")
    checkbox(page, "Course kit").check()
    costs(page, [("Course fee", "€120.00"), ("Course kit", "€18.50"), ("Total", "€138.50")], "of pottery with kit")
    checkbox(page, "Concession").check()
    lines = [("Course fee", "€120.00"), ("Course kit", "€18.50"), ("Concession", "-€24.00"), ("Total", "€114.50")]
    costs(page, lines, "of pottery with kit and concession")
    course.select_option("Italian conversation")
    lines = [("Course fee", "€94.95"), ("Course kit", "€12.00"), ("Concession", "-€18.99"), ("Total", "€87.96")]
    costs(page, lines, "after a change to Italian, both ticks kept")
    course.select_option(PENDING)
    expect(waiting, f"with the course taken back the price area reads “{NO_PRICE}”").to_be_visible()


@check(4, "The kit can only be ticked while the course has one")
def kit_available(page: Page) -> None:
    page.goto("/")
    course, kit = dropdown(page, "Course"), checkbox(page, "Course kit")
    expect(kit, "the kit cannot be ticked before a course is chosen").to_be_disabled()
    course.select_option("Pottery for beginners")
    kit.check()
    checkbox(page, "Concession").check()
    course.select_option("Bicycle repair")
    expect(kit, "the kit cannot be ticked for a course without a kit").to_be_disabled()
    expect(kit, "the kit has lost its tick for a course without a kit").not_to_be_checked()
    lines = [("Course fee", "€64.50"), ("Concession", "-€12.90"), ("Total", "€51.60")]
    costs(page, lines, "of bicycle repair with concession")
    course.select_option("Pottery for beginners")
    expect(kit, "the kit can be ticked again for a course with a kit").to_be_enabled()
    expect(kit, "the kit stays unticked when a course with a kit is chosen again").not_to_be_checked()
    lines = [("Course fee", "€120.00"), ("Concession", "-€24.00"), ("Total", "€96.00")]
    costs(page, lines, "of pottery after the kit lost its tick")


@check(5, "The date of birth is required, not in the future, and 16 years ago at least")
def birth_rule(page: Page) -> None:
    set_today(page, 2026, 5, 10)
    page.goto("/")
    field = birth(page)
    expect(field, "“Date of birth” is a date field").to_have_attribute("type", "date")
    press(page, "Continue")
    told(page, field, "Date of birth", BIRTH, "when empty")
    entries = {"2026-05-11": FUTURE, "2026-05-10": YOUNG, "2010-05-11": YOUNG, "2010-06-01": YOUNG, "2010-12-31": YOUNG}
    for date, message in entries.items():
        field.fill(date)
        press(page, "Continue")
        described(field, "Date of birth", message, f"with {date}, on 10 May 2026")
    for date in ["2010-05-10", "2010-04-30", "1950-12-31"]:
        field.fill(date)
        press(page, "Continue")
        not_told(page, field, "Date of birth", YOUNG, f"with {date}, on 10 May 2026")


@check(5, "A parent or guardian is asked for at 16 and 17 only")
def guardian_asked(page: Page) -> None:
    set_today(page, 2026, 5, 10)
    page.goto("/")
    field = text_field(page, "Parent or guardian")
    expect(field, "no guardian is asked for without a date of birth").to_be_hidden()
    for date in ["2010-05-10", "2008-05-11"]:
        birth(page).fill(date)
        expect(field, f"a guardian is asked for with {date}, on 10 May 2026").to_be_visible()
        birth(page).fill("2008-05-10")
        expect(field, "no guardian is asked for of somebody who turns 18 today").to_be_hidden()
    birth(page).fill("2010-05-11")
    expect(field, "no guardian is asked for of somebody under 16").to_be_hidden()
    birth(page).fill("2009-01-01")
    press(page, "Continue")
    told(page, field, "Parent or guardian", GUARDIAN, "when empty")
    field.fill("Kim Lee")
    press(page, "Continue")
    not_told(page, field, "Parent or guardian", GUARDIAN, "when filled in")


@check(5, "Ages are right around midnight and for a birthday on 29 February")
def birth_edges(page: Page) -> None:
    set_today(page, 2026, 2, 28, 23, 50)
    page.goto("/")
    field, guardian = birth(page), text_field(page, "Parent or guardian")
    field.fill("2008-02-29")
    expect(guardian, "born on 29 February 2008 somebody is 17 on 28 February 2026, guardian asked for").to_be_visible()
    field.fill("2010-03-01")
    press(page, "Continue")
    told(page, field, "Date of birth", YOUNG, "with 2010-03-01, on 28 February 2026")
    set_today(page, 2026, 3, 1, 0, 10)
    press(page, "Continue")
    not_told(page, field, "Date of birth", YOUNG, "with 2010-03-01, page left open until 1 March 2026")
    told(page, guardian, "Parent or guardian", GUARDIAN, "when empty, page left open until the 16th birthday")
    field.fill("2008-02-29")
    expect(guardian, "born on 29 February 2008 somebody is 18 on 1 March 2026, no guardian asked for").to_be_hidden()


@check(6, "A wrong entry is told on leaving the field, not while typing and not when empty")
def told_on_leaving(page: Page) -> None:
    page.goto("/")
    first, last, email = text_field(page, "First name"), text_field(page, "Last name"), text_field(page, "E-mail")
    first.focus()
    page.keyboard.press("Tab")
    expect(last, "the Tab key goes on to Last name").to_be_focused()
    not_told(page, first, "First name", FIRST, "after it was left empty")
    page.keyboard.press("Tab")
    page.keyboard.type("ana@ex")
    not_told(page, email, "E-mail", EMAIL_FORM, "while it is being typed in")
    page.keyboard.press("Tab")
    told(page, email, "E-mail", EMAIL_FORM, "after leaving it with “ana@ex”")
    page.keyboard.type("12")
    not_told(page, text_field(page, "Phone (optional)"), "Phone", PHONE, "while it is being typed in")
    not_told(page, first, "First name", FIRST, "which nobody typed in, after other fields were")
    not_told(page, last, "Last name", LAST, "which nobody typed in, after other fields were")


@check(6, "A message that shows follows what is typed")
def message_follows(page: Page) -> None:
    page.goto("/")
    email = text_field(page, "E-mail")
    email.fill("ana@example")
    page.keyboard.press("Tab")
    told(page, email, "E-mail", EMAIL_FORM, "after leaving it with “ana@example”")
    email.fill("")
    told(page, email, "E-mail", EMAIL, "when the wrong address is taken out")
    email.press_sequentially("ana@example.c")
    not_told(page, email, "E-mail", EMAIL_FORM, "as soon as the address is right, while still in the field")
    not_told(page, email, "E-mail", EMAIL, "as soon as the address is right, while still in the field")
    expect(email, "the typing goes on in the e-mail field").to_be_focused()


@check(6, "Choosing a course settles its own message and that of the session")
def lists_follow(page: Page) -> None:
    page.goto("/")
    course, session = dropdown(page, "Course"), dropdown(page, "Session")
    press(page, "Continue")
    told(page, course, "Course", COURSE, "when none is chosen")
    course.select_option("Pottery for beginners")
    not_told(page, course, "Course", COURSE, "as soon as one is chosen")
    not_told(page, session, "Session", SESSION, "right after the course was chosen, before Continue")
    press(page, "Continue")
    told(page, session, "Session", SESSION, "when none is chosen")
    course.select_option("Bicycle repair")
    not_told(page, session, "Session", SESSION, "when the new course has one session only")


def listed(page: Page, messages: list[str], when: str) -> None:
    title = f"Please check {len(messages)} {'entry' if len(messages) == 1 else 'entries'}"
    expect(heading(page, title), f"the box is headed “{title}” {when}").to_be_visible()
    links = page.get_by_role("link").filter(has_text=re.compile("^\\s*(Enter|Choose|You must|The date of birth)"))
    expect(links, f"the links in the box are the messages in the order of the fields {when}").to_have_text(messages)


@check(7, "Continue opens the box of mistakes and moves the focus to its heading")
def summary_opens(page: Page) -> None:
    page.goto("/")
    press(page, "Continue")
    listed(page, [FIRST, LAST, EMAIL, BIRTH, COURSE], "with an empty form")
    expect(heading(page, "Please check 5 entries"), "the heading of the box has the focus").to_be_focused()
    text_field(page, "E-mail").fill("ana@")
    text_field(page, "Last name").fill("Lee")
    dropdown(page, "Course").select_option("Italian conversation")
    press(page, "Continue")
    listed(page, [FIRST, EMAIL_FORM, BIRTH, SESSION], "after another Continue")
    again = heading(page, "Please check 4 entries")
    expect(again, "the heading of the box has the focus after another Continue").to_be_focused()


@check(7, "Each link leads into its field, by mouse and by keyboard")
def summary_links(page: Page) -> None:
    page.goto("/")
    press(page, "Continue")
    listed(page, [FIRST, LAST, EMAIL, BIRTH, COURSE], "with an empty form")
    page.get_by_role("link", name=EMAIL, exact=True).click()
    expect(text_field(page, "E-mail"), f"a click on “{EMAIL}” puts the focus into E-mail").to_be_focused()
    page.keyboard.type("ana@example.com")
    expect(text_field(page, "E-mail"), "what is typed then stands in E-mail").to_have_value("ana@example.com")
    page.get_by_role("link", name=COURSE, exact=True).press("Enter")
    expect(dropdown(page, "Course"), f"Enter on “{COURSE}” puts the focus into Course").to_be_focused()
    page.get_by_role("link", name=BIRTH, exact=True).click()
    inside = birth(page)
    expect(inside, f"a click on “{BIRTH}” puts the focus into Date of birth").to_be_focused()


@check(7, "The box follows the corrections, and only Continue opens it")
def summary_follows(page: Page) -> None:
    page.goto("/")
    press(page, "Continue")
    listed(page, [FIRST, LAST, EMAIL, BIRTH, COURSE], "with an empty form")
    first, phone = text_field(page, "First name"), text_field(page, "Phone (optional)")
    first.press_sequentially("Ana")
    listed(page, [LAST, EMAIL, BIRTH, COURSE], "once the first name is typed")
    expect(first, "the focus stays in First name while somebody types").to_be_focused()
    phone.fill("12")
    listed(page, [LAST, EMAIL, BIRTH, COURSE], "while the phone number is typed")
    phone.press("Tab")
    listed(page, [LAST, EMAIL, PHONE, BIRTH, COURSE], "after the phone number was left wrong")
    phone.fill("")
    text_field(page, "Last name").fill("Lee")
    text_field(page, "E-mail").fill("ana@example.com")
    birth(page).fill("1990-05-04")
    listed(page, [COURSE], "with one mistake left")
    dropdown(page, "Course").select_option("Bicycle repair")
    box = page.get_by_role("heading", name=re.compile("^Please check"))
    expect(box, "the box is gone with the last mistake").to_have_count(0)
    phone.fill("12")
    phone.press("Tab")
    told(page, phone, "Phone", PHONE, "after leaving it with “12”")
    expect(box, "a mistake found on leaving a field does not open the box").to_have_count(0)


def fill_minor(page: Page) -> None:
    """A right sign-up of somebody who is 17 on 10 May 2026, with everything ticked."""
    text_field(page, "First name").fill("Ana")
    text_field(page, "Last name").fill("Lee")
    text_field(page, "E-mail").fill("ana@example.com")
    text_field(page, "Phone (optional)").fill("+49 30 1234567")
    birth(page).fill("2009-03-04")
    text_field(page, "Parent or guardian").fill("Kim Lee")
    dropdown(page, "Course").select_option("Pottery for beginners")
    dropdown(page, "Session").select_option("Thursday 19:00")
    checkbox(page, "Course kit").check()
    checkbox(page, "Concession").check()


def form_is_empty(page: Page, when: str) -> None:
    for name in ["First name", "Last name", "E-mail", "Phone (optional)"]:
        expect(text_field(page, name), f"{name} is empty {when}").to_have_value("")
    expect(birth(page), f"Date of birth is empty {when}").to_have_value("")
    expect(text_field(page, "Parent or guardian"), f"no guardian is asked for {when}").to_be_hidden()
    chosen(page, "Course", PENDING, when)
    expect(dropdown(page, "Session"), f"Session cannot be used {when}").to_be_disabled()
    expect(checkbox(page, "Course kit"), f"the kit is not ticked {when}").not_to_be_checked()
    expect(checkbox(page, "Course kit"), f"the kit cannot be ticked {when}").to_be_disabled()
    expect(checkbox(page, "Concession"), f"Concession is not ticked {when}").not_to_be_checked()
    price = page.get_by_role("status").filter(has_text=NO_PRICE)
    expect(price, f"the price area reads “{NO_PRICE}” {when}").to_be_visible()


@check(8, "Everything entered is there again after a reload, without messages")
def draft_returns(page: Page) -> None:
    set_today(page, 2026, 5, 10)
    page.goto("/")
    fill_minor(page)
    email = text_field(page, "E-mail")
    email.fill("ana@")
    text_field(page, "Last name").fill("")
    page.reload()
    expect(text_field(page, "First name"), "the first name is there after a reload").to_have_value("Ana")
    expect(email, "the unfinished e-mail address is there after a reload").to_have_value("ana@")
    phone = text_field(page, "Phone (optional)")
    expect(phone, "the phone number is there after a reload").to_have_value("+49 30 1234567")
    expect(birth(page), "the date of birth is there after a reload").to_have_value("2009-03-04")
    guardian = text_field(page, "Parent or guardian")
    expect(guardian, "the guardian's field shows with its name after a reload").to_have_value("Kim Lee")
    chosen(page, "Course", "Pottery for beginners", "after a reload")
    chosen(page, "Session", "Thursday 19:00", "after a reload")
    expect(checkbox(page, "Course kit"), "the kit is ticked after a reload").to_be_checked()
    expect(checkbox(page, "Concession"), "Concession is ticked after a reload").to_be_checked()
    lines = [("Course fee", "€120.00"), ("Course kit", "€18.50"), ("Concession", "-€24.00"), ("Total", "€114.50")]
    costs(page, lines, "after a reload")
    not_told(page, email, "E-mail", EMAIL_FORM, "right after a reload")
    not_told(page, text_field(page, "Last name"), "Last name", LAST, "right after a reload")


@check(8, "Clear form empties everything, for good")
def draft_cleared(page: Page) -> None:
    set_today(page, 2026, 5, 10)
    page.goto("/")
    fill_minor(page)
    text_field(page, "E-mail").fill("")
    press(page, "Continue")
    listed(page, [EMAIL], "with the e-mail address missing")
    press(page, "Clear form")
    form_is_empty(page, "after Clear form")
    not_told(page, text_field(page, "E-mail"), "E-mail", EMAIL, "after Clear form")
    box = page.get_by_role("heading", name=re.compile("^Please check"))
    expect(box, "the box of mistakes is gone after Clear form").to_have_count(0)
    expect(text_field(page, "First name"), "the focus is in First name after Clear form").to_be_focused()
    page.reload()
    form_is_empty(page, "after Clear form and a reload")


@check(8, "An unreadable draft does no harm, and what is typed then is kept")
def draft_unreadable(page: Page) -> None:
    key = "'course-signup-draft'"
    page.add_init_script(f"if (localStorage.getItem({key}) === null) localStorage.setItem({key}, '{{oops')")
    page.goto("/")
    form_is_empty(page, "with an unreadable draft")
    press(page, "Continue")
    listed(page, [FIRST, LAST, EMAIL, BIRTH, COURSE], "with an unreadable draft")
    text_field(page, "First name").press_sequentially("Ana")
    page.goto("/")
    expect(text_field(page, "First name"), "the first name is there on the next visit").to_have_value("Ana")


def reviewed(page: Page, rows: dict[str, str], when: str) -> None:
    expect(heading(page, "Check your details"), f"“Check your details” shows {when}").to_be_visible()
    for label, value in rows.items():
        words = re.compile(rf"(?<![\w-]){label}:?\s*{re.escape(value)}", re.I)
        seen = page.locator("body")
        expect(seen, f"the review has {label}: {value} {when}").to_contain_text(words, use_inner_text=True)


@check(9, "Continue shows everything that was entered for review, as it was typed")
def review_shows(page: Page) -> None:
    set_today(page, 2026, 5, 10)
    page.goto("/")
    fill_minor(page)
    text_field(page, "First name").fill("  <b>Ana</b> ")
    press(page, "Continue")
    title = heading(page, "Check your details")
    expect(title, "the heading “Check your details” has the focus").to_be_focused()
    rows = {
        "Name": "<b>Ana</b> Lee",
        "E-mail": "ana@example.com",
        "Phone": "+49 30 1234567",
        "Date of birth": "4 March 2009",
        "Parent or guardian": "Kim Lee",
        "Course": "Pottery for beginners",
        "Session": "Thursday 19:00",
        "Course kit": "Yes",
        "Concession": "Yes",
        "Total": "€114.50",
    }
    reviewed(page, rows, "after Continue")
    expect(text_field(page, "First name"), "the fields are not to be seen in the review").to_be_hidden()
    expect(button(page, "Continue"), "Continue is not to be seen in the review").to_be_hidden()
    price = page.get_by_role("status").filter(has_text="Course fee")
    expect(price, "the price area of the form is not to be seen in the review").to_be_hidden()


@check(9, "Details can be changed from the review, and the review follows")
def review_changes(page: Page) -> None:
    set_today(page, 2026, 5, 10)
    page.goto("/")
    fill_minor(page)
    press(page, "Continue")
    reviewed(page, {"Phone": "+49 30 1234567"}, "after Continue")
    press(page, "Change details")
    expect(text_field(page, "First name"), "Change details puts the focus into First name").to_be_focused()
    expect(text_field(page, "Last name"), "the last name is still in its field").to_have_value("Lee")
    chosen(page, "Session", "Thursday 19:00", "after Change details")
    expect(checkbox(page, "Course kit"), "the kit is still ticked after Change details").to_be_checked()
    expect(heading(page, "Check your details"), "the review is gone after Change details").to_be_hidden()
    birth(page).fill("1990-05-04")
    text_field(page, "Phone (optional)").fill("")
    dropdown(page, "Course").select_option("Bicycle repair")
    checkbox(page, "Concession").uncheck()
    press(page, "Continue")
    rows = {
        "Phone": "Not given",
        "Date of birth": "4 May 1990",
        "Course": "Bicycle repair",
        "Session": "Friday 17:30",
        "Course kit": "No",
        "Concession": "No",
        "Total": "€64.50",
    }
    reviewed(page, rows, "after the details were changed")
    guardian = page.get_by_text("Parent or guardian").filter(visible=True)
    expect(guardian, "no guardian is named for an adult").to_have_count(0)
    name = page.get_by_text("Kim Lee").filter(visible=True)
    expect(name, "the guardian's name from before is not in the review of an adult").to_have_count(0)


@check(10, "Send sign-up sends what was reviewed, thanks, and forgets the draft")
def sends(page: Page) -> None:
    set_today(page, 2026, 5, 10)
    bodies: list[str] = []

    def accept(route: Route) -> None:
        bodies.append(f"{route.request.method} {route.request.post_data}")
        route.fulfill(status=201, content_type="application/json", body="{}")

    page.route("**/api/signups", accept)
    page.goto("/")
    fill_minor(page)
    text_field(page, "First name").fill(" Ana ")
    text_field(page, "Phone (optional)").fill("")
    press(page, "Continue")
    press(page, "Send sign-up")
    thanks = heading(page, "Thank you, Ana!")
    expect(thanks, "the heading “Thank you, Ana!” has the focus once the answer is there").to_be_focused()
    expect(heading(page, "Check your details"), "the review is gone once the answer is there").to_be_hidden()
    require(len(bodies) == 1, "one request to api/signups", f"{len(bodies)} requests")
    sent = bodies[0]
    require(sent.startswith("POST {"), "a POST request with a JSON object", sent)
    wanted = {
        "firstName": "Ana",
        "lastName": "Lee",
        "email": "ana@example.com",
        "phone": "",
        "dateOfBirth": "2009-03-04",
        "guardian": "Kim Lee",
        "course": "Pottery for beginners",
        "session": "Thursday 19:00",
        "kit": True,
        "concession": True,
        "total": 114.5,
    }
    entries = json.loads(sent[5:])
    got = {name: entries.get(name) for name in wanted}
    require(json.dumps(got) == json.dumps(wanted), f"the object sent is {json.dumps(wanted)}", json.dumps(entries))
    page.reload()
    form_is_empty(page, "after a sign-up was sent and the page reloaded")


@check(10, "A double click sends one request, and the buttons wait for the answer")
def sends_once(page: Page) -> None:
    held: list[Route] = []
    page.route("**/api/signups", lambda route: held.append(route))
    page.goto("/")
    fill_minor(page)
    birth(page).fill("1990-05-04")
    press(page, "Continue")
    with page.expect_request("**/api/signups"):
        button(page, "Send sign-up").dblclick()
    expect(button(page, "Sending…"), "the button reads “Sending…” and is disabled until the answer").to_be_disabled()
    expect(button(page, "Change details"), "Change details is disabled until the answer").to_be_disabled()
    require(len(held) == 1, "one request after a double click", f"{len(held)} requests")
    expect(heading(page, "Check your details"), "the review stays until the answer is there").to_be_visible()
    held[0].fulfill(status=201, content_type="application/json", body="{}")
    expect(heading(page, "Thank you, Ana!"), "“Thank you, Ana!” shows once the answer is there").to_be_visible()
    require(len(held) == 1, "one request in all", f"{len(held)} requests")


@check(10, "A sign-up that could not be sent is told and can be sent again")
def sends_again(page: Page) -> None:
    held: list[Route] = []
    page.route("**/api/signups", lambda route: held.append(route))
    page.goto("/")
    fill_minor(page)
    birth(page).fill("1990-05-04")
    press(page, "Continue")
    alert = page.get_by_role("alert").filter(has_text=NOT_SENT)
    for attempt, when in enumerate(["after an answer with status 500", "without an answer"]):
        with page.expect_request("**/api/signups"):
            press(page, "Send sign-up")
        expect(button(page, "Sending…"), "the button reads “Sending…” until the answer").to_be_disabled()
        expect(alert, "there is no alert while a try is under way").to_have_count(0)
        require(len(held) == attempt + 1, "one request for each try", f"{len(held)} requests")
        if attempt == 0:
            held[0].fulfill(status=500, content_type="application/json", body="{}")
        else:
            held[1].abort()
        expect(alert, f"an alert reads “{NOT_SENT}” {when}").to_be_visible()
        expect(button(page, "Send sign-up"), f"Send sign-up works again {when}").to_be_enabled()
        expect(button(page, "Change details"), f"Change details works again {when}").to_be_enabled()
    expect(heading(page, "Check your details"), "the review stays when it could not be sent").to_be_visible()
    page.reload()
    last = text_field(page, "Last name")
    expect(last, "the draft is still there when nothing could be sent").to_have_value("Lee")
