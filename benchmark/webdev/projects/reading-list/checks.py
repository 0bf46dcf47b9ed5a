"""Checks of the reading list: a page that keeps books in plain JavaScript."""

import json
import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Locator, Page, TimeoutError, expect

from benchmark.webdev.checks import check, require

Book = tuple[str, str]

DUNE: Book = ("Dune", "Frank Herbert")
EMMA: Book = ("Emma", "Jane Austen")
EYRE: Book = ("Jane Eyre", "Charlotte Brontë")
IVANHOE: Book = ("Ivanhoe", "Walter Scott")


def field(page: Page, name: str) -> Locator:
    """The text field of that name, also when it is a search field."""
    named = page.get_by_role("textbox", name=name, exact=True)
    return named.or_(page.get_by_role("searchbox", name=name, exact=True))


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def mark(page: Page, title: str) -> Locator:
    return page.get_by_role("checkbox", name=f"Read {title}", exact=True)


def items(page: Page) -> Locator:
    """The books' list items, without those of a list inside a book."""
    all_items = page.get_by_role("list", name="Books", exact=True).get_by_role("listitem")
    return all_items.and_(page.locator(":not(li *, [role=listitem] *)"))


def statuses(page: Page, text: str | re.Pattern[str]) -> Locator:
    """What announces `text` to screen readers when it changes."""
    return page.get_by_role("status").or_(page.locator("[aria-live=polite]")).filter(has_text=text)


def said(page: Page, text: str) -> Locator:
    """What of the page shows `text`; nothing where it is hidden."""
    return page.get_by_text(text).filter(visible=True)


def add(page: Page, *books: Book) -> None:
    for title, author in books:
        field(page, "Title").fill(title)
        field(page, "Author").fill(author)
        button(page, "Add book").click()


def open_with(page: Page, *books: Book) -> None:
    page.goto("/")
    add(page, *books)


def expect_titles(page: Page, what: str, *titles: str) -> None:
    """The list shows exactly the books with `titles`, in their order."""
    if titles:
        expect(items(page), what).to_have_text([re.compile(re.escape(title)) for title in titles])
    else:
        expect(items(page).filter(has=page.get_by_role("checkbox")), what).to_have_count(0)


def expect_count(page: Page, text: str, what: str) -> None:
    line = statuses(page, re.compile(r"\d+ books?, \d+ read"))
    expect(line.last, what).to_have_text(re.compile(rf"(?<!\d){text}(?!\w)"))


def expect_said(page: Page, text: str, what: str) -> None:
    expect(said(page, text).first, what).to_be_visible()


def expect_unsaid(page: Page, text: str, what: str) -> None:
    expect(said(page, text), what).to_have_count(0)


def expect_status(page: Page, text: str) -> None:
    expect(statuses(page, text).last, f"a status says “{text}”").to_contain_text(text)


def expect_pressed(page: Page, name: str) -> None:
    """Of the three view buttons only `name` is pressed."""
    for other in ("All", "To read", "Read"):
        pressed = other == name
        shown = page.get_by_role("button", name=other, exact=True, pressed=pressed)
        words = "pressed" if pressed else "not pressed"
        expect(shown, f"with the view “{name}” the button “{other}” is marked as {words}").to_be_visible()


def expect_sort(page: Page, name: str, what: str) -> None:
    expect(sort(page).locator("option:checked"), what).to_have_text(name)


def expect_address(page: Page, view: str, what: str) -> None:
    pattern = rf"#{re.escape(view)}$" if view else r"^[^#]*#?$"
    expect(page, what).to_have_url(re.compile(pattern))


def expect_invalid(control: Locator, what: str) -> None:
    """The field is given out as invalid to assistive technology, by an attribute or by the browser's own validation."""
    valid = control.evaluate("field => (field.getAttribute('aria-invalid') ?? 'false') === 'false' && field.validity.valid")
    require(not valid, what, "it is not marked as invalid")


def sort(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Sort by", exact=True)


def import_file(page: Page, text: str) -> None:
    file = {"name": "reading-list.json", "mimeType": "application/json", "buffer": text.encode()}
    page.get_by_label("Import books", exact=True).set_input_files([file])


@check(1, "Books that are added stand in the list in order, and the form is ready for the next")
def books_are_added(page: Page) -> None:
    page.goto("/")
    expect_said(page, "No books yet", "an empty list says “No books yet”")
    add(page, DUNE)
    expect_titles(page, "the list holds Dune after it is added", "Dune")
    expect_unsaid(page, "No books yet", "“No books yet” is gone once there is a book")
    expect(field(page, "Title"), "“Title” is empty after a book is added").to_have_value("")
    expect(field(page, "Author"), "“Author” is empty after a book is added").to_have_value("")
    expect(field(page, "Title"), "the cursor is in “Title” after a book is added").to_be_focused()
    page.keyboard.type("Emma")
    field(page, "Author").fill("Jane Austen")
    field(page, "Author").press("Enter")
    expect_titles(page, "the list holds Dune and then Emma, which was added with Enter", "Dune", "Emma")
    expect(items(page).last, "a list item shows the author too").to_contain_text("Jane Austen")


@check(1, "Blank titles add nothing, and odd characters are shown as typed")
def blank_and_odd_titles(page: Page) -> None:
    page.goto("/")
    for blank in ("", "   "):
        add(page, (blank, "Nobody"))
        expect_said(page, "No books yet", "a blank title adds nothing, so the page still says “No books yet”")
    odd = "Salt & <b>Pepper</b>"
    add(page, (odd, ""))
    expect_titles(page, f"only the book with a title is in the list, shown as it was typed: {odd}", odd)


@check(2, "The count follows adding, ticking and unticking by keyboard")
def count_follows(page: Page) -> None:
    page.goto("/")
    expect_count(page, "0 books, 0 read", "the count of an empty list is “0 books, 0 read”")
    add(page, DUNE)
    expect_count(page, "1 book, 0 read", "the count of a single book is “1 book, 0 read”")
    add(page, EMMA)
    expect_count(page, "2 books, 0 read", "the count of two books is “2 books, 0 read”")
    mark(page, "Dune").focus()
    page.keyboard.press("Space")
    expect_count(page, "2 books, 1 read", "the count is “2 books, 1 read” after one is ticked")
    expect(mark(page, "Dune"), "the focus is still on the checkbox that was ticked by keyboard").to_be_focused()
    page.keyboard.press("Space")
    expect(mark(page, "Dune"), "the space bar pressed again unticks the book").not_to_be_checked()
    expect_count(page, "2 books, 0 read", "the count is “2 books, 0 read” after the mark is taken away")


@check(2, "A mark belongs to one book, stays when another is added, and strikes the title through")
def mark_belongs_to_one(page: Page) -> None:
    open_with(page, EMMA, ("Emma", "Alexander McCall Smith"))
    mark(page, "Emma").nth(1).check()
    expect(mark(page, "Emma").nth(1), "the second Emma is ticked").to_be_checked()
    expect(mark(page, "Emma").nth(0), "the first Emma, of the same title, is not ticked").not_to_be_checked()
    add(page, DUNE)
    expect(mark(page, "Dune"), "a new book is not ticked").not_to_be_checked()
    expect(mark(page, "Emma").nth(1), "the second Emma is still ticked after another book is added").to_be_checked()
    expect_count(page, "3 books, 1 read", "the count is “3 books, 1 read”")
    struck = """(item, title) => [item, ...item.querySelectorAll('*')].some((part) =>
        part.textContent.includes(title) && getComputedStyle(part).textDecorationLine.includes('line-through'))"""
    for index, title, read in ((0, "Emma", False), (1, "Emma", True), (2, "Dune", False)):
        seen = items(page).nth(index).evaluate(struck, title)
        expected = "the title of a read book is struck through, that of another is not"
        require(seen is read, expected, f"book {index + 1} ({title}) is {'' if seen else 'not '}struck through")


@check(3, "Books, order and marks survive a reload")
def survives_reload(page: Page) -> None:
    open_with(page, EMMA, DUNE)
    page.reload()
    expect_titles(page, "Emma and Dune are in the list after a reload, in this order", "Emma", "Dune")
    mark(page, "Dune").check()
    page.reload()
    expect(mark(page, "Dune"), "Dune is still ticked after a reload").to_be_checked()
    expect(mark(page, "Emma"), "Emma is still not ticked after a reload").not_to_be_checked()
    expect_count(page, "2 books, 1 read", "the count is “2 books, 1 read” after a reload")
    mark(page, "Dune").uncheck()
    page.reload()
    expect(mark(page, "Dune"), "the mark that was taken away stays away after a reload").not_to_be_checked()


@check(3, "Unusable stored data gives an empty list that works")
def unusable_data(page: Page) -> None:
    page.goto("/")
    for broken in ("{oops", "null", "42"):
        page.evaluate("text => localStorage.setItem('reading-list', text)", broken)
        page.reload()
        expect_said(page, "No books yet", f"with “{broken}” stored the page says “No books yet”")
        expect_count(page, "0 books, 0 read", f"with “{broken}” stored the count is “0 books, 0 read”")
    add(page, DUNE)
    page.reload()
    expect_titles(page, "a book added after that is in the list and stays after a reload", "Dune")


@check(3, "Two tabs show the same list")
def two_tabs(page: Page) -> None:
    page.goto("/")
    other = page.context.new_page()
    other.goto("/")
    add(page, DUNE)
    expect_titles(other, "a book added in one tab shows up in the other", "Dune")
    mark(other, "Dune").check()
    expect(mark(page, "Dune"), "a book ticked in the second tab is ticked in the first").to_be_checked()
    add(other, EMMA)
    expect_titles(page, "a book added in the second tab shows up in the first", "Dune", "Emma")
    expect_count(page, "2 books, 1 read", "the count in the first tab is “2 books, 1 read”")


@check(4, "The three buttons choose what is shown, with the keyboard too")
def buttons_choose(page: Page) -> None:
    open_with(page, DUNE, EMMA, IVANHOE)
    mark(page, "Emma").check()
    expect_pressed(page, "All")
    button(page, "To read").focus()
    page.keyboard.press("Enter")
    expect_titles(page, "“To read” shows the two books that are not ticked", "Dune", "Ivanhoe")
    expect_pressed(page, "To read")
    expect(button(page, "To read"), "the focus stays on “To read” after it is chosen by keyboard").to_be_focused()
    expect_count(page, "3 books, 1 read", "the count still speaks of all: “3 books, 1 read”")
    button(page, "Read").click()
    expect_titles(page, "“Read” shows the one book that is ticked", "Emma")
    expect_pressed(page, "Read")
    button(page, "All").click()
    expect_titles(page, "“All” shows all three books", "Dune", "Emma", "Ivanhoe")


@check(4, "A book leaves or misses the view as soon as it does not fit")
def view_follows(page: Page) -> None:
    page.goto("/")
    button(page, "Read").click()
    expect_said(page, "No books yet", "without any books the view “Read” says “No books yet”")
    add(page, DUNE)
    expect_said(page, "Nothing to show", "with one book that is not read, the view “Read” says “Nothing to show”")
    expect_unsaid(page, "No books yet", "the page does not say “No books yet” when there is a book")
    expect_titles(page, "a book added while “Read” is chosen is not shown")
    button(page, "To read").click()
    expect_titles(page, "“To read” shows the book that was added", "Dune")
    expect_unsaid(page, "Nothing to show", "“Nothing to show” is gone when there is something to show")
    mark(page, "Dune").click()
    expect_titles(page, "a book ticked while “To read” is chosen leaves the view")
    expect_said(page, "Nothing to show", "the page says “Nothing to show” when the last book left the view")


@check(5, "Undo brings a deleted book back to its place with its mark")
def undo_restores(page: Page) -> None:
    open_with(page, DUNE, EMMA, IVANHOE)
    mark(page, "Emma").check()
    button(page, "Delete Emma").click()
    expect_titles(page, "Emma is gone once it is deleted", "Dune", "Ivanhoe")
    expect_count(page, "2 books, 0 read", "the count is “2 books, 0 read” after the read book is deleted")
    expect_said(page, "Deleted Emma", "the page says “Deleted Emma”")
    button(page, "Undo").click()
    expect_titles(page, "Emma is back between Dune and Ivanhoe after “Undo”", "Dune", "Emma", "Ivanhoe")
    expect(mark(page, "Emma"), "Emma is still marked as read after “Undo”").to_be_checked()
    expect(button(page, "Undo"), "the button “Undo” is gone after it was used").to_be_hidden()
    expect_unsaid(page, "Deleted Emma", "“Deleted Emma” is gone after “Undo”")
    page.reload()
    expect_titles(page, "the three books are there after a reload, in the same order", "Dune", "Emma", "Ivanhoe")


@check(5, "Undo is offered for six seconds after the latest deletion")
def undo_time(page: Page) -> None:
    page.clock.install(time=datetime(2025, 3, 1, 10, tzinfo=UTC))
    open_with(page, DUNE, EMMA, IVANHOE)
    page.clock.pause_at(datetime(2025, 3, 1, 11, tzinfo=UTC))
    button(page, "Delete Dune").click()
    page.clock.run_for(4_000)
    expect_said(page, "Deleted Dune", "“Deleted Dune” is still there 4 seconds after the deletion")
    button(page, "Delete Emma").click()
    page.clock.run_for(4_000)
    expect_said(page, "Deleted Emma", "“Deleted Emma” is there 4 seconds after the second deletion")
    expect_unsaid(page, "Deleted Dune", "the message does not speak of Dune any more")
    button(page, "Undo").click()
    page.clock.run_for(100)
    expect_titles(page, "“Undo” brings back Emma, deleted last, and not Dune", "Emma", "Ivanhoe")
    button(page, "Delete Ivanhoe").click()
    page.clock.run_for(5_500)
    expect(button(page, "Undo"), "“Undo” is still there 5.5 seconds after the deletion").to_be_visible()
    page.clock.run_for(1_000)
    expect(button(page, "Undo"), "“Undo” is gone 6.5 seconds after the deletion").to_be_hidden()
    expect_unsaid(page, "Deleted Ivanhoe", "the message is gone 6.5 seconds after the deletion")
    expect_titles(page, "the deleted book stays away when the time is over", "Emma")


@check(5, "The keyboard's focus goes to Undo and back, and a deletion lasts")
def undo_focus(page: Page) -> None:
    open_with(page, DUNE, EMMA)
    button(page, "Delete Dune").focus()
    page.keyboard.press("Enter")
    expect(button(page, "Undo"), "the focus is on “Undo” after a deletion").to_be_focused()
    page.keyboard.press("Enter")
    expect(button(page, "Delete Dune"), "the focus is on “Delete Dune” after Dune came back").to_be_focused()
    page.keyboard.press("Enter")
    expect_titles(page, "Dune is deleted again", "Emma")
    page.reload()
    expect_titles(page, "the deleted book is gone after a reload", "Emma")


@check(6, "Saving an edit changes the book and nothing else")
def edit_saves(page: Page) -> None:
    open_with(page, ("  Dnue ", "Frank Herbert"), EMMA)
    mark(page, "Dnue").check()
    button(page, "Edit Dnue").click()
    expect(field(page, "Edit title"), "the cursor is in “Edit title”").to_be_focused()
    expect(field(page, "Edit title"), "“Edit title” holds the title, without spaces around it").to_have_value("Dnue")
    expect(field(page, "Edit author"), "“Edit author” holds the author").to_have_value("Frank Herbert")
    field(page, "Edit title").fill("Dune")
    field(page, "Edit title").press("Enter")
    expect_titles(page, "the book has its new title in its old place after Enter", "Dune", "Emma")
    expect(mark(page, "Dune"), "the edited book is still marked as read").to_be_checked()
    expect(button(page, "Edit Dune"), "the focus is on “Edit Dune” after saving").to_be_focused()
    button(page, "Edit Emma").click()
    field(page, "Edit author").fill("J. Austen")
    button(page, "Save").click()
    expect(items(page).nth(1), "Emma's author is the one that was saved").to_contain_text("J. Austen")
    page.reload()
    expect_titles(page, "the changes are there after a reload", "Dune", "J. Austen")


@check(6, "Cancel, Escape and another Edit leave a book as it was")
def edit_is_left(page: Page) -> None:
    open_with(page, DUNE, EMMA)
    for way in ("Escape", "Cancel"):
        button(page, "Edit Dune").click()
        field(page, "Edit title").fill("Something else")
        if way == "Escape":
            field(page, "Edit title").press("Escape")
        else:
            button(page, "Cancel").click()
        expect_titles(page, f"Dune is as it was after {way}", "Dune", "Emma")
        expect(button(page, "Edit Dune"), f"the focus is on “Edit Dune” after {way}").to_be_focused()
    button(page, "Edit Dune").click()
    field(page, "Edit title").fill("Something else")
    button(page, "Edit Emma").click()
    expect(field(page, "Edit title"), "the only form for editing is now that of Emma").to_have_value("Emma")
    button(page, "Cancel").click()
    expect_titles(page, "Dune is as it was after another book's “Edit” was chosen", "Dune", "Emma")


@check(6, "A blank title is refused with a message, in editing and in adding")
def blank_title_message(page: Page) -> None:
    open_with(page, DUNE)
    expect_unsaid(page, "Title is required", "the page does not say “Title is required” before anything is wrong")
    button(page, "Edit Dune").click()
    field(page, "Edit title").fill("  ")
    button(page, "Save").click()
    expect_said(page, "Title is required", "the page says “Title is required” when a blank title is saved")
    expect_invalid(field(page, "Edit title"), "“Edit title” is marked as invalid when a blank title is saved")
    button(page, "Cancel").click()
    expect_titles(page, "Dune still has its title", "Dune")
    expect_unsaid(page, "Title is required", "the message is gone once editing is cancelled")
    add(page, ("  ", "Nobody"))
    expect_said(page, "Title is required", "the page says “Title is required” when a blank title is added")
    expect(field(page, "Title"), "the cursor is in “Title” when a blank title is added").to_be_focused()
    expect_invalid(field(page, "Title"), "“Title” is marked as invalid when a blank title is added")
    add(page, EMMA)
    expect_titles(page, "a book with a title is added after that", "Dune", "Emma")
    expect_unsaid(page, "Title is required", "the message is gone once a book is added")


@check(7, "Search finds text in title and author, within the chosen view")
def search_finds(page: Page) -> None:
    open_with(page, EYRE, DUNE, EMMA, ("C++ (for all)", ""))
    field(page, "Search").press_sequentially(" JANE ")
    expect_titles(page, "“ JANE ” finds Jane Eyre and the book by Jane Austen", "Jane Eyre", "Emma")
    field(page, "Search").fill("bronte")
    expect_titles(page, "“bronte” finds the book by Charlotte Brontë", "Jane Eyre")
    field(page, "Search").fill("c++ (")
    expect_titles(page, "“c++ (” finds the book whose title begins with it", "C++ (for all)")
    field(page, "Search").fill("jane")
    mark(page, "Emma").check()
    button(page, "To read").click()
    expect_titles(page, "“jane” in the view “To read” finds only the book that is not read", "Jane Eyre")
    field(page, "Search").fill("herbert jane")
    expect_titles(page, "a text that is in no title and in no author finds nothing")
    expect_said(page, "Nothing to show", "the page says “Nothing to show” when the search finds nothing")
    field(page, "Search").fill("")
    expect_titles(page, "an empty search shows the whole view again", "Jane Eyre", "Dune", "C++")


@check(7, "Sorting changes what is seen and never my order")
def sorting(page: Page) -> None:
    open_with(page, ("The Hobbit", "tolkien"), ("emma", "Jane Austen"), ("Éclair", ""))
    add(page, ("A Room", "Virginia Woolf"), ("Persuasion", "Jane Austen"))
    expect_sort(page, "My order", "“My order” is chosen at first")
    sort(page).select_option(label="Title")
    by_title = ("Éclair", "emma", "The Hobbit", "Persuasion", "A Room")
    expect_titles(page, "by title: without regard to capitals, accents, “The” and “A”", *by_title)
    sort(page).select_option(label="Author")
    by_author = ("emma", "Persuasion", "The Hobbit", "A Room", "Éclair")
    expect_titles(page, "by author: capitals do not count, equal authors in my order, no author last", *by_author)
    mark(page, "emma").check()
    add(page, DUNE)
    sort(page).select_option(label="My order")
    mine = ("The Hobbit", "emma", "Éclair", "A Room", "Persuasion", "Dune")
    expect_titles(page, "“My order” is the order in which the books were added", *mine)
    page.reload()
    expect_titles(page, "“My order” is the same after a reload", *mine)


@check(7, "A narrow screen does not scroll sideways")
def narrow(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    open_with(page, DUNE, ("Rind" * 30, "Nobody"))
    expect_titles(page, "both books are shown", "Dune", "Rind" * 30)
    expect(field(page, "Search"), "the search field is shown").to_be_visible()
    beyond = page.evaluate("() => document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth")
    expected = "at 360 pixels, with a title that is one very long word, the page is no wider than the screen"
    require(beyond <= 1, expected, f"it is {beyond} pixels wider")


@check(8, "The address follows the view")
def address_follows(page: Page) -> None:
    open_with(page, DUNE, EMMA)
    button(page, "Read").click()
    expect_address(page, "show=read", "the address ends in #show=read after “Read” is chosen")
    sort(page).select_option(label="Title")
    expect_address(page, "show=read&sort=title", "the address ends in #show=read&sort=title when sorted by title")
    field(page, "Search").fill("dune")
    whole = "show=read&q=dune&sort=title"
    expect_address(page, whole, f"the address ends in #{whole} after a search for “dune”")
    button(page, "All").click()
    expect_address(page, "q=dune&sort=title", "the address ends in #q=dune&sort=title after “All” is chosen")
    sort(page).select_option(label="Author")
    field(page, "Search").fill("")
    expect_address(page, "sort=author", "the address ends in #sort=author when only the sorting is left")
    sort(page).select_option(label="My order")
    expect_address(page, "", "nothing stands after # when the view is as at the start")


@check(8, "An address shows its view")
def address_is_shown(page: Page) -> None:
    open_with(page, ("Rocannon", "Ursula Le Guin"), DUNE, ("Dispossessed", "Ursula Le Guin"), ("Lathe", "Le Guin"))
    mark(page, "Lathe").check()
    page.goto("/#show=to-read&q=le%20guin&sort=title")
    for moment in ("when the address is changed", "after a reload"):
        expect_titles(page, f"the unread books by Le Guin by title, {moment}", "Dispossessed", "Rocannon")
        expect_pressed(page, "To read")
        expect(field(page, "Search"), f"“Search” holds “le guin” {moment}").to_have_value("le guin")
        expect_sort(page, "Title", f"“Sort by” is “Title” {moment}")
        page.reload()
    page.goto("/#show=burnt&sort=author")
    expect_titles(page, "all by author: an unknown “show” counts as “All”", "Dune", "Lathe", "Rocannon", "Dispossessed")
    expect_pressed(page, "All")
    expect(field(page, "Search"), "“Search” is empty when the address has none").to_have_value("")
    page.goto("/#sort=weight&q=c%2B%2B%26d%25")
    expect(field(page, "Search"), "“Search” holds what the address says, “c++&d%”").to_have_value("c++&d%")
    expect_sort(page, "My order", "an unknown “sort” counts as “My order”")
    field(page, "Search").fill("50% & more")
    expect(page, "the address changes with the search").not_to_have_url(re.compile("d%25"))
    page.reload()
    expect(field(page, "Search"), "“Search” holds “50% & more” after a reload").to_have_value("50% & more")


@check(8, "Back and Forward go through the views, not through the letters of a search")
def history_steps(page: Page) -> None:
    open_with(page, DUNE, EMMA)
    mark(page, "Dune").check()
    button(page, "Read").click()
    sort(page).select_option(label="Title")
    field(page, "Search").press_sequentially("emm")
    expect_address(page, "show=read&q=emm&sort=title", "the address holds the search that was typed")
    page.go_back()
    expect_address(page, "show=read", "Back leads to the view before sorting, whatever was typed since")
    expect_sort(page, "My order", "“Sort by” is back at “My order” after Back")
    expect(field(page, "Search"), "“Search” is empty after Back").to_have_value("")
    expect_titles(page, "the list shows the read book after Back", "Dune")
    page.go_back()
    expect_pressed(page, "All")
    expect_titles(page, "the list shows both books after the second Back", "Dune", "Emma")
    page.go_forward()
    expect_pressed(page, "Read")
    expect_titles(page, "the list shows the read book after Forward", "Dune")


@check(9, "The move buttons arrange the list, keep the focus and the order")
def move_buttons(page: Page) -> None:
    open_with(page, DUNE, EMMA, IVANHOE)
    expect(button(page, "Move Dune up"), "the first book cannot be moved up").to_be_disabled()
    expect(button(page, "Move Ivanhoe down"), "the last book cannot be moved down").to_be_disabled()
    button(page, "Move Ivanhoe up").focus()
    page.keyboard.press("Enter")
    expect_titles(page, "Ivanhoe stands second after one move up", "Dune", "Ivanhoe", "Emma")
    expect(button(page, "Move Ivanhoe up"), "the focus is still on “Move Ivanhoe up”").to_be_focused()
    expect_status(page, "Ivanhoe moved to position 2 of 3")
    page.keyboard.press("Enter")
    expect_titles(page, "Ivanhoe stands first after two moves up", "Ivanhoe", "Dune", "Emma")
    expect(button(page, "Move Ivanhoe up"), "Ivanhoe, now first, cannot be moved up").to_be_disabled()
    expect(button(page, "Move Dune up"), "Dune, now second, can be moved up").to_be_enabled()
    other = "the focus is on “Move Ivanhoe down” once “Move Ivanhoe up” is disabled"
    expect(button(page, "Move Ivanhoe down"), other).to_be_focused()
    expect_status(page, "Ivanhoe moved to position 1 of 3")
    page.reload()
    expect_titles(page, "the new order is there after a reload", "Ivanhoe", "Dune", "Emma")


@check(9, "Alt and the arrow keys move the book that has the focus")
def move_keys(page: Page) -> None:
    open_with(page, DUNE, EMMA, IVANHOE)
    mark(page, "Dune").focus()
    page.keyboard.press("Alt+ArrowDown")
    expect_titles(page, "Dune stands second after Alt and arrow down", "Emma", "Dune", "Ivanhoe")
    expect(mark(page, "Dune"), "the focus is still on Dune's checkbox").to_be_focused()
    page.keyboard.press("Alt+ArrowDown")
    expect_titles(page, "Dune stands last after the second time", "Emma", "Ivanhoe", "Dune")
    page.keyboard.press("Alt+ArrowDown")
    expect_titles(page, "Dune still stands last after the third time", "Emma", "Ivanhoe", "Dune")
    expect(mark(page, "Dune"), "the focus is still on Dune's checkbox at the end of the list").to_be_focused()
    button(page, "Delete Ivanhoe").focus()
    page.keyboard.press("ArrowUp")
    expect_titles(page, "an arrow key without Alt moves nothing", "Emma", "Ivanhoe", "Dune")
    page.keyboard.press("Alt+ArrowUp")
    expect_titles(page, "Ivanhoe stands first after Alt and arrow up", "Ivanhoe", "Emma", "Dune")
    expect(button(page, "Delete Ivanhoe"), "the focus is still on “Delete Ivanhoe”").to_be_focused()


@check(9, "Nothing can be moved in a partial or sorted list")
def moving_only_in_whole_list(page: Page) -> None:
    open_with(page, IVANHOE, EMMA, DUNE)
    moves = page.get_by_role("button", name=re.compile("^Move "))
    expect(moves, "three books in my order have six move buttons").to_have_count(6)
    sort(page).select_option(label="Title")
    expect(moves, "a sorted list has no move buttons").to_have_count(0)
    mark(page, "Emma").focus()
    page.keyboard.press("Alt+ArrowUp")
    sort(page).select_option(label="My order")
    expect_titles(page, "Alt and arrow up moved nothing in a sorted list", "Ivanhoe", "Emma", "Dune")
    field(page, "Search").fill("m")
    expect(moves, "a searched list has no move buttons").to_have_count(0)
    field(page, "Search").fill("")
    button(page, "To read").click()
    expect(moves, "the view “To read” has no move buttons").to_have_count(0)
    mark(page, "Dune").focus()
    page.keyboard.press("Alt+ArrowUp")
    button(page, "All").click()
    expect_titles(page, "Alt and arrow up moved nothing in the view “To read”", "Ivanhoe", "Emma", "Dune")
    expect(moves, "the move buttons are back in the complete list").to_have_count(6)


@check(10, "Export downloads all books in my order")
def export(page: Page) -> None:
    open_with(page, DUNE, ("Émile & “Zoë”", ""), EMMA)
    mark(page, "Emma").check()
    sort(page).select_option(label="Title")
    button(page, "To read").click()
    expect(button(page, "Export books"), "there is a button “Export books”").to_be_visible()
    try:
        with page.expect_download() as download:
            button(page, "Export books").click()
    except TimeoutError:
        require(False, "“Export books” downloads a file", "no download")
    name = download.value.suggested_filename
    require(name == "reading-list.json", "the file is named reading-list.json", name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export.json"
        download.value.save_as(path)
        text = path.read_bytes().decode("utf-8-sig", errors="replace")
    expected = [
        {"title": "Dune", "author": "Frank Herbert", "read": False},
        {"title": "Émile & “Zoë”", "author": "", "read": False},
        {"title": "Emma", "author": "Jane Austen", "read": True},
    ]
    try:
        same = json.loads(text) == expected
    except ValueError:
        same = False
    require(same, f"the file holds all books as JSON: {json.dumps(expected, ensure_ascii=False)}", text[:600])


@check(10, "Import adds the new books at the end and skips those that are there")
def import_adds(page: Page) -> None:
    open_with(page, DUNE)
    text = json.dumps(
        [
            {"title": "Emma", "author": "Jane Austen", "read": True},
            {"title": " DUNE ", "author": "frank herbert ", "read": True},
            {"title": "Dune", "author": "Someone Else", "read": False},
            {"title": "  Beowulf "},
            {"title": "emma", "author": "JANE AUSTEN"},
        ]
    )
    import_file(page, text)
    expect_status(page, "Imported 3 books, skipped 2")
    after = ("Dune", "Emma", "Someone Else", "Beowulf")
    expect_titles(page, "the three new books stand after Dune, in the file's order", *after)
    expect(mark(page, "Emma"), "Emma is marked as read, as in the file").to_be_checked()
    expect(mark(page, "Dune").nth(0), "the Dune that was there is still not read").not_to_be_checked()
    expect(mark(page, "Beowulf"), "a book without “read” in the file is not read").not_to_be_checked()
    import_file(page, json.dumps([{"title": "Ulysses", "author": "James Joyce"}, {"title": "beowulf", "author": ""}]))
    expect_status(page, "Imported 1 book, skipped 1")
    page.reload()
    expect_titles(page, "the imported books are there after a reload", *after, "Ulysses")
    expect_count(page, "5 books, 1 read", "the count is “5 books, 1 read”")


@check(10, "A file that is no list of books is refused as a whole")
def import_refuses(page: Page) -> None:
    files = (
        "Dune, Emma",
        '{"title": "Beowulf"}',
        '[{"title": "Beowulf"}, {"author": "Homer"}]',
        '[{"title": "Beowulf"}, {"title": "  "}]',
        '[{"title": "Beowulf"}, null]',
    )
    open_with(page, DUNE)
    for text in files:
        import_file(page, text)
        expect_said(page, "This file cannot be imported", f"the page refuses a file that holds: {text}")
        expect_titles(page, f"the list is as it was after a file that holds: {text}", "Dune")
        import_file(page, json.dumps([{"title": "Dune", "author": "Frank Herbert", "read": False}]))
        expect_status(page, "Imported 0 books, skipped 1")
    expect_titles(page, "the list is still as it was after all these files", "Dune")
