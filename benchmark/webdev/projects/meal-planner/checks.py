"""What the meal planner must do, seen from its pages."""

import json
import re

from playwright.sync_api import Locator, Page, expect

from benchmark.webdev.checks import check, require

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DISHES = (
    ("Lentil soup", "35 min", ("vegan", "vegetarian")),
    ("Pancakes", "25 min", ("vegetarian",)),
    ("Spaghetti al pomodoro", "20 min", ("quick", "vegan", "vegetarian")),
    ("Potato gratin", "75 min", ("vegetarian",)),
    ("Chicken curry", "45 min", ("spicy",)),
    ("Fried rice", "20 min", ("quick", "vegetarian")),
    ("Greek salad", "15 min", ("quick", "vegetarian")),
    ("Fish pie", "60 min", ()),
    ("Bean chilli", "50 min", ("spicy", "vegan", "vegetarian")),
    ("Omelette", "10 min", ("quick", "vegetarian")),
)
NAMES = [name for name, _, _ in DISHES]
ANY_DISH = re.compile("|".join(NAMES))
ANY_DAY = re.compile(f"^({'|'.join(DAYS)})$")
IN_DIALOG = """() => {
  const focused = document.activeElement;
  return focused === document.body || focused.closest("dialog, [role=dialog], [role=alertdialog]") !== null;
}"""
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"


def region(page: Page, day: str) -> Locator:
    return page.get_by_role("region", name=day, exact=True)


def nothing(page: Page, day: str) -> Locator:
    return region(page, day).get_by_text("Nothing planned", exact=True)


def button(scope: Page | Locator, name: str) -> Locator:
    return scope.get_by_role("button", name=name, exact=True)


def dialog(page: Page, name: str) -> Locator:
    return page.get_by_role("dialog", name=name, exact=True)


def open_dialog(page: Page, name: str) -> Locator:
    button(page, name).click()
    opened = dialog(page, name)
    expect(opened, f'the dialog "{name}" is open').to_be_visible()
    return opened


def closed(page: Page, why: str) -> None:
    expect(page.get_by_role("dialog"), f"the dialog is closed {why}").to_have_count(0)


def add(page: Page, day: str, *dishes: str) -> None:
    for dish in dishes:
        button(open_dialog(page, f"Add a dish to {day}"), dish).click()
        closed(page, "once a dish is chosen")


def dish_items(scope: Page | Locator, name: str) -> Locator:
    """The items of the list with this name, without those of a list of tags in a dish."""
    return scope.get_by_role("list", name=name, exact=True).get_by_role("listitem").filter(has_text=ANY_DISH)


def planned(page: Page, day: str, dishes: list[str], when: str) -> None:
    """The day has exactly these dishes in this order."""
    items = dish_items(region(page, day), f"Dishes on {day}")
    if dishes:
        expect(items, f"{when}: {day} has {', '.join(dishes)}, in this order").to_contain_text(dishes)
        expect(nothing(page, day), f'{when}: {day} does not say "Nothing planned"').to_be_hidden()
    else:
        expect(nothing(page, day), f'{when}: {day} says "Nothing planned"').to_be_visible()
        expect(items, f"{when}: {day} has no dish").to_have_count(0)


def servings(page: Page, day: str, dish: str) -> Locator:
    return page.get_by_label(f"Servings of {dish} on {day}", exact=True)


def set_servings(page: Page, day: str, dish: str, number: str) -> None:
    field = servings(page, day, dish)
    field.fill(number)
    field.press("Tab")


def reload(page: Page) -> None:
    page.evaluate(TWO_FRAMES)  # what an app does after it has drawn is done too
    page.reload()


def catalogue(page: Page, dishes: list[str], when: str) -> None:
    items = dish_items(page, "Dishes")
    if dishes:
        expect(items, f'{when}: the list "Dishes" shows {", ".join(dishes)}').to_contain_text(dishes)
    else:
        expect(items, f'{when}: the list "Dishes" shows no dish').to_have_count(0)
    says(page, f"{len(dishes)} of 10 dishes", when)


def link(page: Page, name: str) -> Locator:
    return page.get_by_role("navigation", name="Main", exact=True).get_by_role("link", name=name, exact=True)


def visit(page: Page, name: str) -> None:
    link(page, name).click()
    expect(heading(page, name), f'the page "{name}" is shown').to_be_visible()
    page.evaluate(TWO_FRAMES)  # the focus has moved too


def heading(page: Page, name: str) -> Locator:
    return page.get_by_role("heading", name=name, exact=True)


def shopping(page: Page, items: list[str], when: str) -> None:
    found = page.get_by_role("list", name="Shopping list", exact=True).get_by_role("listitem")
    if items:
        expect(found, f"{when}: the shopping list reads {', '.join(items)}").to_have_text(items)
    else:
        expect(found, f"{when}: there is nothing on the shopping list").to_have_count(0)


def box(page: Page, name: str) -> Locator:
    return page.get_by_role("checkbox", name=name, exact=True)


def says(page: Page, text: str, when: str) -> None:
    found = page.get_by_text(re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")).first
    expect(found, f'{when}: the page says "{text}"').to_be_visible()


@check(1, "The week has a part for each day")
def week(page: Page) -> None:
    page.goto("/")
    expect(heading(page, "Meal planner"), 'the heading "Meal planner" is there').to_be_visible()
    for day in DAYS:
        expect(region(page, day), f'there is one region with the name "{day}"').to_be_visible()
        title = region(page, day).get_by_role("heading", name=day, exact=True)
        expect(title, f"{day} has its name as heading").to_be_visible()
        expect(nothing(page, day), f'{day} says "Nothing planned"').to_be_visible()
    order = [text.strip() for text in page.get_by_role("heading", name=ANY_DAY).all_text_contents()]
    require(order == list(DAYS), "the days come from Monday to Sunday", ", ".join(order))


@check(1, "Every dish is listed with its time and tags")
def dishes_listed(page: Page) -> None:
    page.goto("/")
    items = dish_items(page, "Dishes")
    expect(items, "the list has all ten dishes in the order of the file").to_contain_text(NAMES)
    for index, (name, time, tags) in enumerate(DISHES):
        for text in (time, *tags):
            expect(items.nth(index), f'{name} comes with "{text}"').to_contain_text(text)


@check(1, "The days stand side by side on a wide screen and below each other on a phone")
def wide_and_narrow(page: Page) -> None:
    page.goto("/")
    expect(region(page, "Tuesday"), "Tuesday is shown").to_be_visible()
    monday, tuesday = region(page, "Monday").bounding_box(), region(page, "Tuesday").bounding_box()
    beside = monday and tuesday and tuesday["x"] >= monday["x"] + monday["width"] - 1
    level = monday and tuesday and abs(tuesday["y"] - monday["y"]) <= 2
    require(bool(beside and level), "on a wide screen Tuesday is to the right of Monday", f"{monday}, {tuesday}")
    page.set_viewport_size({"width": 360, "height": 700})
    boxes = [region(page, day).bounding_box() for day in DAYS]
    for day, above, below in zip(DAYS[1:], boxes, boxes[1:], strict=False):
        stacked = above and below and below["y"] >= above["y"] + above["height"] - 1
        require(bool(stacked), f"on a phone {day} stands below the day before it", f"{above}, {below}")
    width = page.evaluate("document.documentElement.scrollWidth")
    require(width <= 360, "nothing has to be scrolled sideways on a phone of 360 pixels", f"{width} pixels")


@check(2, "A chosen dish is added at the end of its day")
def add_dishes(page: Page) -> None:
    page.goto("/")
    opened = open_dialog(page, "Add a dish to Tuesday")
    for name in [*NAMES, "Cancel"]:
        expect(button(opened, name), f'the dialog has the button "{name}"').to_be_visible()
    button(opened, "Fried rice").click()
    closed(page, "once a dish is chosen")
    add(page, "Tuesday", "Chicken curry", "Lentil soup")
    add(page, "Sunday", "Fried rice")
    planned(page, "Tuesday", ["Fried rice", "Chicken curry", "Lentil soup"], "with three dishes chosen")
    planned(page, "Sunday", ["Fried rice"], "with one dish chosen")
    planned(page, "Monday", [], "with nothing chosen")


@check(2, "The dialog can be used and left with the keyboard")
def dialog_keyboard(page: Page) -> None:
    page.goto("/")
    opener = button(page, "Add a dish to Wednesday")
    for way in ("Escape", "Cancel", "a dish"):
        opener.press("Enter")
        opened = dialog(page, "Add a dish to Wednesday")
        expect(opened, "the dialog opens with the keyboard").to_be_visible()
        page.evaluate(TWO_FRAMES)
        for count in range(15 if way == "Escape" else 1):
            require(
                page.evaluate(IN_DIALOG),
                "the focus stays in the open dialog",
                f"it is elsewhere after the Tab key was pressed {count} times",
            )
            page.keyboard.press("Tab")
        if way == "Escape":
            page.keyboard.press("Escape")
        else:
            button(opened, "Omelette" if way == "a dish" else way).press("Enter")
        closed(page, f"after {way}")
        page.evaluate(TWO_FRAMES)
        expect(opener, f"after {way} the focus is on the button that opened the dialog").to_be_focused()
        planned(page, "Wednesday", ["Omelette"] if way == "a dish" else [], f"after {way}")


@check(2, "A dish cannot be added to the same day twice")
def no_dish_twice(page: Page) -> None:
    page.goto("/")
    add(page, "Friday", "Pancakes")
    opened = open_dialog(page, "Add a dish to Friday")
    expect(button(opened, "Pancakes"), "Pancakes cannot be chosen for Friday again").to_be_disabled()
    expect(button(opened, "Omelette"), "Omelette can be chosen for Friday").to_be_enabled()
    button(opened, "Cancel").click()
    opened = open_dialog(page, "Add a dish to Saturday")
    expect(button(opened, "Pancakes"), "Pancakes can be chosen for Saturday").to_be_enabled()


@check(3, "Removing takes one dish off one day, and the count follows")
def remove_dish(page: Page) -> None:
    page.goto("/")
    says(page, "No dishes planned", "with an empty week")
    add(page, "Monday", "Lentil soup")
    says(page, "1 dish planned", "with one dish")
    add(page, "Monday", "Omelette", "Fish pie")
    add(page, "Thursday", "Omelette")
    says(page, "4 dishes planned", "with dishes on two days")
    button(page, "Remove Omelette from Monday").click()
    planned(page, "Monday", ["Lentil soup", "Fish pie"], "with Omelette removed from Monday")
    planned(page, "Thursday", ["Omelette"], "with Omelette removed from Monday")
    says(page, "3 dishes planned", "with Omelette removed from Monday")
    button(page, "Remove Omelette from Thursday").click()
    planned(page, "Thursday", [], "with its only dish removed")
    says(page, "2 dishes planned", "with both removed")


@check(3, "After removing, the focus is on the day's button for adding")
def focus_after_removing(page: Page) -> None:
    page.goto("/")
    add(page, "Monday", "Pancakes")
    add(page, "Thursday", "Omelette", "Pancakes")
    for dish in ("Omelette", "Pancakes"):
        button(page, f"Remove {dish} from Thursday").press("Enter")
        expect(button(page, f"Remove {dish} from Thursday"), f"{dish} is removed").to_have_count(0)
        adding = button(page, "Add a dish to Thursday")
        expect(adding, f'with {dish} removed, the focus is on "Add a dish to Thursday"').to_be_focused()


@check(4, "Searching finds dishes by their name and ingredients")
def search(page: Page) -> None:
    page.goto("/")
    field = page.get_by_label("Search dishes", exact=True)
    catalogue(page, NAMES, "with nothing typed")
    field.fill("RICE")
    catalogue(page, ["Chicken curry", "Fried rice"], 'with "RICE" typed')
    field.fill("  onions ")
    found = ["Lentil soup", "Spaghetti al pomodoro", "Chicken curry", "Greek salad", "Bean chilli"]
    catalogue(page, found, 'with "onions" and white space around it typed')
    field.fill("pie")
    catalogue(page, ["Fish pie"], 'with "pie" typed')
    field.fill("")
    catalogue(page, NAMES, "with the field empty again")


@check(4, "Ticked tags and the search narrow the list down together")
def tags_together(page: Page) -> None:
    page.goto("/")
    boxes = page.get_by_role("group", name="Tags", exact=True).get_by_role("checkbox")
    expect(boxes, "there are four tags").to_have_count(4)
    for index, tag in enumerate(("quick", "spicy", "vegan", "vegetarian")):
        expect(boxes.nth(index), f'tag {index + 1} of the four is "{tag}"').to_have_accessible_name(tag)
    box(page, "vegan").check()
    catalogue(page, ["Lentil soup", "Spaghetti al pomodoro", "Bean chilli"], 'with "vegan" ticked')
    box(page, "spicy").check()
    catalogue(page, ["Bean chilli"], 'with "vegan" and "spicy" ticked')
    page.get_by_label("Search dishes", exact=True).fill("soup")
    catalogue(page, [], 'with "vegan" and "spicy" ticked and "soup" typed')
    says(page, "No dish fits.", "with no dish found")
    opened = open_dialog(page, "Add a dish to Monday")
    expect(button(opened, "Omelette"), "the dialog still offers all dishes").to_be_enabled()
    button(opened, "Cancel").click()
    box(page, "spicy").uncheck()
    catalogue(page, ["Lentil soup"], 'with "vegan" ticked and "soup" typed')
    expect(page.get_by_text("No dish fits."), 'with a dish found, "No dish fits." is gone').to_be_hidden()


@check(5, "The plan is still there after a reload")
def kept(page: Page) -> None:
    page.goto("/")
    add(page, "Monday", "Omelette", "Bean chilli", "Fish pie")
    add(page, "Sunday", "Pancakes")
    button(page, "Remove Bean chilli from Monday").click()
    planned(page, "Monday", ["Omelette", "Fish pie"], "with Bean chilli removed")
    reload(page)
    planned(page, "Monday", ["Omelette", "Fish pie"], "after a reload")
    planned(page, "Sunday", ["Pancakes"], "after a reload")
    planned(page, "Tuesday", [], "after a reload")
    says(page, "3 dishes planned", "after a reload")


@check(5, "Rubbish in the storage does no harm")
def rubbish(page: Page) -> None:
    page.goto("/")
    add(page, "Monday", "Pancakes")
    planned(page, "Monday", ["Pancakes"], "with a dish chosen")
    page.evaluate(TWO_FRAMES)
    keys = page.evaluate("Object.keys(localStorage)")
    require(len(keys) > 0, "the plan is kept in localStorage", "an empty localStorage")
    page.goto("about:blank")
    for text in ('{"Monday": [', "null", "42"):
        tab = page.context.new_page()
        script = f"for (const key of {json.dumps(keys)}) localStorage.setItem(key, {json.dumps(text)});"
        tab.add_init_script(script)
        tab.goto("/")
        planned(tab, "Monday", [], f"with {text} in the storage")
        add(tab, "Sunday", "Omelette")
        planned(tab, "Sunday", ["Omelette"], f"with {text} in the storage at first and a dish chosen then")
        tab.close()


@check(5, "A change in one tab appears in the other")
def two_tabs(page: Page) -> None:
    page.goto("/")
    other = page.context.new_page()
    other.goto("/")
    other.evaluate(TWO_FRAMES)
    add(page, "Monday", "Pancakes")
    planned(other, "Monday", ["Pancakes"], "in the second tab after a change in the first")
    add(other, "Monday", "Omelette")
    add(other, "Tuesday", "Fish pie")
    planned(page, "Monday", ["Pancakes", "Omelette"], "in the first tab after a change in the second")
    planned(page, "Tuesday", ["Fish pie"], "in the first tab after a change in the second")
    button(page, "Remove Pancakes from Monday").click()
    planned(other, "Monday", ["Omelette"], "in the second tab after the first removed Pancakes")
    planned(other, "Tuesday", ["Fish pie"], "in the second tab after the first removed Pancakes")


@check(6, "Each planned dish has its own servings, and they are kept")
def servings_kept(page: Page) -> None:
    page.goto("/")
    add(page, "Monday", "Lentil soup", "Omelette")
    add(page, "Tuesday", "Lentil soup")
    expect(servings(page, "Monday", "Lentil soup"), "a new dish has 4 servings").to_have_value("4")
    set_servings(page, "Monday", "Lentil soup", "12")
    servings(page, "Monday", "Omelette").fill("1")
    servings(page, "Monday", "Omelette").press("Enter")
    for when in ("once changed", "after a reload"):
        soup, omelette = servings(page, "Monday", "Lentil soup"), servings(page, "Monday", "Omelette")
        expect(soup, f"{when}, Lentil soup on Monday has 12 servings").to_have_value("12")
        expect(omelette, f"{when}, Omelette on Monday has 1 serving").to_have_value("1")
        tuesday = servings(page, "Tuesday", "Lentil soup")
        expect(tuesday, f"{when}, Lentil soup on Tuesday still has 4 servings").to_have_value("4")
        if when == "once changed":
            reload(page)


@check(6, "Servings that are not allowed go back to the last right number")
def servings_refused(page: Page) -> None:
    page.goto("/")
    add(page, "Monday", "Fish pie")
    field = servings(page, "Monday", "Fish pie")
    set_servings(page, "Monday", "Fish pie", "7")
    for number in ("0", "13", "", "2.5", "-3", "13"):
        set_servings(page, "Monday", "Fish pie", number)
        said = f'"{number}"' if number else "nothing"
        expect(field, f"with {said} put into the field it goes back to 7").to_have_value("7")
    reload(page)
    expect(field, "after a reload it is still 7").to_have_value("7")


@check(7, "The navigation leads from page to page")
def navigation(page: Page) -> None:
    page.goto("/")
    expect(link(page, "Plan"), '"Plan" is the current page at first').to_have_attribute("aria-current", "page")
    expect(page, "the title at first").to_have_title("Plan – Meal planner")
    for name, other in (("Shopping list", "Plan"), ("Plan", "Shopping list"), ("Shopping list", "Plan")):
        link(page, name).click()
        expect(heading(page, name), f'the focus is on the heading "{name}"').to_be_focused()
        expect(heading(page, other), f'the heading "{other}" is gone').to_be_hidden()
        expect(page, f'the title of the page "{name}"').to_have_title(f"{name} – Meal planner")
        expect(link(page, name), f'"{name}" is marked as the current page').to_have_attribute("aria-current", "page")
        marked = link(page, other)
        expect(marked, f'"{other}" is not marked as the current page').not_to_have_attribute("aria-current", "page")
        week_there = region(page, "Monday")
        if name == "Plan":
            expect(week_there, "the plan page shows the week").to_be_visible()
        else:
            expect(week_there, "the shopping list page does not show the week").to_be_hidden()
            says(page, "Nothing to buy yet.", "on the shopping list page")
        expect(heading(page, "Meal planner"), 'the heading "Meal planner" stays').to_be_visible()


@check(7, "Back, a reload and the address work as on any site")
def addresses(page: Page) -> None:
    page.goto("/#/shopping")
    expect(heading(page, "Shopping list"), "#/shopping shows the shopping list").to_be_visible()
    link(page, "Plan").click()
    expect(heading(page, "Plan"), "the link leads to the plan").to_be_visible()
    require(page.url.endswith("#/plan"), 'the link "Plan" leads to #/plan', page.url)
    page.go_back()
    expect(heading(page, "Shopping list"), "Back leads to the shopping list again").to_be_visible()
    expect(heading(page, "Plan"), "Back leads away from the plan").to_be_hidden()
    page.reload()
    expect(heading(page, "Shopping list"), "a reload stays on the shopping list").to_be_visible()
    expect(page, "the title after a reload").to_have_title("Shopping list – Meal planner")
    page.goto("/#/pantry")
    expect(heading(page, "Plan"), "an address that names no page shows the plan").to_be_visible()


@check(7, "The search for dishes is still there on coming back")
def search_stays(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Search dishes", exact=True).fill("rice")
    box(page, "quick").check()
    catalogue(page, ["Fried rice"], 'with "rice" typed and "quick" ticked')
    visit(page, "Shopping list")
    visit(page, "Plan")
    field = page.get_by_label("Search dishes", exact=True)
    expect(field, 'back on the plan, "rice" is still typed').to_have_value("rice")
    expect(box(page, "quick"), 'back on the plan, "quick" is still ticked').to_be_checked()
    catalogue(page, ["Fried rice"], "back on the plan")


@check(8, "The shopping list adds up the same ingredient of several dishes")
def merged(page: Page) -> None:
    page.goto("/")
    add(page, "Monday", "Lentil soup", "Fried rice")
    add(page, "Saturday", "Chicken curry")
    visit(page, "Shopping list")
    wanted = ["Carrots: 5", "Chicken: 600 g", "Coconut milk: 400 ml", "Curry paste: 2 tbsp", "Eggs: 4", "Onions: 4"]
    wanted += ["Red lentils: 300 g", "Rice: 720 g", "Salt", "Soy sauce: 4 tbsp", "Vegetable stock: 1.2 l"]
    shopping(page, wanted, "with Lentil soup, Fried rice and Chicken curry, 4 servings each")
    expect(page.get_by_text("Nothing to buy yet."), '"Nothing to buy yet." is gone').to_be_hidden()


@check(8, "Amounts follow the servings, and only their sums are rounded")
def rounded(page: Page) -> None:
    page.goto("/")
    for day, dish, number in (
        ("Monday", "Potato gratin", "7"),
        ("Tuesday", "Potato gratin", "7"),
        ("Wednesday", "Bean chilli", "4"),
        ("Friday", "Bean chilli", "8"),
        ("Sunday", "Bean chilli", "3"),
    ):
        add(page, day, dish)
        set_servings(page, day, dish, number)
    visit(page, "Shopping list")
    wanted = ["Cheese: 467 g", "Chilli flakes", "Cream: 933 ml", "Kidney beans: 2.25 kg", "Milk: 583 ml"]
    wanted += ["Onions: 9", "Peppers: 12", "Potatoes: 3.5 kg", "Salt", "Tinned tomatoes: 3 kg"]
    shopping(page, wanted, "with Potato gratin for 7 on two days and Bean chilli for 4, 8 and 3")
    visit(page, "Plan")
    set_servings(page, "Sunday", "Bean chilli", "4")
    button(page, "Remove Potato gratin from Tuesday").click()
    visit(page, "Shopping list")
    wanted = ["Cheese: 233 g", "Chilli flakes", "Cream: 467 ml", "Kidney beans: 2.4 kg", "Milk: 292 ml"]
    wanted += ["Onions: 10", "Peppers: 13", "Potatoes: 1.75 kg", "Salt", "Tinned tomatoes: 3.2 kg"]
    shopping(page, wanted, "with Potato gratin for 7 on one day and Bean chilli for 4, 8 and 4")


@check(8, "Units that do not go together stay apart, and the list follows the plan")
def apart(page: Page) -> None:
    page.goto("/")
    add(page, "Monday", "Spaghetti al pomodoro")
    add(page, "Tuesday", "Greek salad")
    visit(page, "Shopping list")
    items = page.get_by_role("list", name="Shopping list", exact=True).get_by_role("listitem")
    for text in ("Olive oil: 3 tbsp", "Olive oil: 100 ml", "Onions: 3", "Tomatoes: 8", "Tinned tomatoes: 800 g"):
        item = items.filter(has_text=re.compile(rf"^\s*{text}\s*$"))
        expect(item, f'"{text}" is on the list').to_have_count(1)
    visit(page, "Plan")
    button(page, "Remove Greek salad from Tuesday").click()
    visit(page, "Shopping list")
    wanted = ["Olive oil: 3 tbsp", "Onions: 1", "Salt", "Spaghetti: 500 g", "Tinned tomatoes: 800 g"]
    shopping(page, wanted, "with Greek salad removed")
    visit(page, "Plan")
    button(page, "Remove Spaghetti al pomodoro from Monday").click()
    visit(page, "Shopping list")
    says(page, "Nothing to buy yet.", "with all dishes removed")
    shopping(page, [], "with all dishes removed")


@check(9, "Items are ticked off, counted and kept")
def basket(page: Page) -> None:
    page.goto("/")
    add(page, "Monday", "Omelette")
    visit(page, "Shopping list")
    says(page, "0 of 3 in the basket", "with nothing ticked")
    for name in ("Eggs: 12", "Butter: 40 g"):
        box(page, name).click()
    says(page, "2 of 3 in the basket", "with two ticked")
    reload(page)
    says(page, "2 of 3 in the basket", "after a reload")
    expect(box(page, "Eggs: 12"), "after a reload Eggs are still ticked").to_be_checked()
    expect(box(page, "Salt"), "after a reload Salt is still not ticked").not_to_be_checked()
    box(page, "Eggs: 12").click()
    says(page, "1 of 3 in the basket", "with one of them unticked")
    box(page, "Salt").click()
    says(page, "2 of 3 in the basket", "with another one ticked")
    button(page, "Untick all").click()
    says(page, "0 of 3 in the basket", 'after "Untick all"')
    for name in ("Butter: 40 g", "Eggs: 12", "Salt"):
        expect(box(page, name), f'after "Untick all" {name} is not ticked').not_to_be_checked()


@check(9, "Ticked items come last, and the focus moves along")
def ticked_last(page: Page) -> None:
    page.goto("/")
    add(page, "Monday", "Fish pie")
    visit(page, "Shopping list")
    shopping(page, ["Butter: 60 g", "Cod: 500 g", "Milk: 300 ml", "Potatoes: 800 g"], "with nothing ticked")
    for name, order in (
        ("Milk: 300 ml", ["Butter: 60 g", "Cod: 500 g", "Potatoes: 800 g", "Milk: 300 ml"]),
        ("Butter: 60 g", ["Cod: 500 g", "Potatoes: 800 g", "Butter: 60 g", "Milk: 300 ml"]),
        ("Milk: 300 ml", ["Cod: 500 g", "Milk: 300 ml", "Potatoes: 800 g", "Butter: 60 g"]),
        ("Butter: 60 g", ["Butter: 60 g", "Cod: 500 g", "Milk: 300 ml", "Potatoes: 800 g"]),
    ):
        box(page, name).press("Space")
        shopping(page, order, f"after the space bar on {name}")
        expect(box(page, name), f"after the space bar on {name} its checkbox has the focus").to_be_focused()


@check(9, "A tick holds as long as the list asks for no more")
def tick_holds(page: Page) -> None:
    page.goto("/")
    add(page, "Monday", "Lentil soup")
    visit(page, "Shopping list")
    for name in ("Onions: 2", "Salt"):
        box(page, name).click()
    says(page, "2 of 5 in the basket", "with two ticked")
    visits = (
        ("2", ["Carrots: 2", "Red lentils: 150 g", "Vegetable stock: 600 ml", "Onions: 1", "Salt"], "Onions: 1", True),
        ("6", ["Carrots: 5", "Onions: 3", "Red lentils: 450 g", "Vegetable stock: 1.8 l", "Salt"], "Onions: 3", False),
        ("4", ["Carrots: 3", "Red lentils: 300 g", "Vegetable stock: 1.2 l", "Onions: 2", "Salt"], "Onions: 2", True),
    )
    for number, items, onions, ticked in visits:
        visit(page, "Plan")
        set_servings(page, "Monday", "Lentil soup", number)
        visit(page, "Shopping list")
        shopping(page, items, f"with Lentil soup for {number}")
        if ticked:
            expect(box(page, onions), f"with Lentil soup for {number} the onions are ticked").to_be_checked()
        else:
            expect(box(page, onions), f"with Lentil soup for {number} the onions are not ticked").not_to_be_checked()
    visit(page, "Plan")
    add(page, "Tuesday", "Greek salad")
    visit(page, "Shopping list")
    expect(box(page, "Onions: 4"), "with Greek salad added, the onions are not ticked").not_to_be_checked()
    expect(box(page, "Salt"), "with Greek salad added, Salt is still ticked").to_be_checked()


@check(10, "A day is copied to another one with its servings")
def copy_day(page: Page) -> None:
    page.goto("/")
    expect(button(page, "Copy Monday"), "a day without a dish cannot be copied").to_be_disabled()
    add(page, "Monday", "Pancakes", "Omelette")
    add(page, "Friday", "Fish pie", "Omelette")
    set_servings(page, "Monday", "Pancakes", "3")
    set_servings(page, "Monday", "Omelette", "2")
    opened = open_dialog(page, "Copy Monday")
    expect(button(opened, "Monday"), "Monday is not offered for itself").to_have_count(0)
    for day in DAYS[1:]:
        expect(button(opened, day), f'the dialog has the button "{day}"').to_be_visible()
    button(opened, "Friday").click()
    closed(page, "once a day is chosen")
    expect(button(page, "Copy Monday"), "the focus is on the button that opened the dialog").to_be_focused()
    planned(page, "Friday", ["Fish pie", "Omelette", "Pancakes"], "with Monday copied to Friday")
    planned(page, "Monday", ["Pancakes", "Omelette"], "with Monday copied to Friday")
    expect(servings(page, "Friday", "Pancakes"), "Pancakes come with their 3 servings").to_have_value("3")
    expect(servings(page, "Friday", "Omelette"), "Omelette on Friday keeps its 4 servings").to_have_value("4")
    set_servings(page, "Friday", "Pancakes", "9")
    expect(servings(page, "Friday", "Pancakes"), "Pancakes on Friday are changed to 9").to_have_value("9")
    expect(servings(page, "Monday", "Pancakes"), "Pancakes on Monday still have 3 servings").to_have_value("3")


@check(10, "Undo takes the changes back one after the other")
def undo_steps(page: Page) -> None:
    page.goto("/")
    undo = button(page, "Undo")
    expect(undo, "at first there is nothing to undo").to_be_disabled()
    add(page, "Monday", "Pancakes", "Omelette")
    field = servings(page, "Monday", "Pancakes")
    field.select_text()
    page.keyboard.type("12")
    page.keyboard.press("Tab")
    for _ in range(2):  # the second time it adds nothing
        button(open_dialog(page, "Copy Monday"), "Tuesday").click()
        closed(page, "once a day is chosen")
    button(page, "Remove Omelette from Monday").click()
    planned(page, "Monday", ["Pancakes"], "with Omelette removed")
    undo.click()
    planned(page, "Monday", ["Pancakes", "Omelette"], "with the removal undone")
    planned(page, "Tuesday", ["Pancakes", "Omelette"], "with the removal undone")
    undo.click()
    planned(page, "Tuesday", [], "with the copy undone")
    expect(field, "with the copy undone, Pancakes on Monday have 12 servings").to_have_value("12")
    undo.click()
    expect(field, "with the servings undone, they are 4 again").to_have_value("4")
    undo.click()
    planned(page, "Monday", ["Pancakes"], "with the second dish undone")
    reload(page)
    planned(page, "Monday", ["Pancakes"], "after a reload")
    expect(undo, "after a reload there is nothing to undo").to_be_disabled()
    button(page, "Remove Pancakes from Monday").click()
    planned(page, "Monday", [], "with Pancakes removed")
    undo.click()
    planned(page, "Monday", ["Pancakes"], "with that undone")
    expect(undo, "with all undone there is nothing more to undo").to_be_disabled()


@check(10, "Ctrl+Z undoes too, but not where one types")
def undo_key(page: Page) -> None:
    page.goto("/")
    add(page, "Monday", "Pancakes", "Omelette")
    field = page.get_by_label("Search dishes", exact=True)
    field.fill("rice")
    field.press("ControlOrMeta+z")
    servings(page, "Monday", "Pancakes").press("ControlOrMeta+z")
    open_dialog(page, "Add a dish to Tuesday")
    page.evaluate(TWO_FRAMES)
    page.keyboard.press("ControlOrMeta+z")
    page.keyboard.press("Escape")
    closed(page, "after Escape")
    page.evaluate(TWO_FRAMES)
    planned(page, "Monday", ["Pancakes", "Omelette"], "after Ctrl+Z in fields and in a dialog")
    button(page, "Add a dish to Tuesday").press("ControlOrMeta+z")
    planned(page, "Monday", ["Pancakes"], "after Ctrl+Z on a button")
    box(page, "quick").press("ControlOrMeta+z")
    planned(page, "Monday", [], "after Ctrl+Z once more, on a checkbox")
    expect(button(page, "Undo"), "there is nothing more to undo").to_be_disabled()
