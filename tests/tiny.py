"""A tiny static project of three tasks whose checks answer at once: for tests that walk, prove and grade chains."""

from collections.abc import Mapping
from pathlib import Path

from benchmark.core.files import write_tree
from benchmark.webdev.project import Project

CHECKS = """
from benchmark.webdev.checks import check, require

@check(1, "The page is called Shop")
def title(page):
    page.goto("/")
    require(page.title() == "Shop", 'the title "Shop"', page.title() or "no title")

@check(2, "Both fruits are listed")
def fruits(page):
    page.goto("/")
    items = page.get_by_role("listitem").all_inner_texts()
    require(items == ["Apple", "Pear"], "Apple and Pear", ", ".join(items) or "no list")

@check(2, "The list has a heading")
def heading(page):
    page.goto("/")
    texts = page.get_by_role("heading", name="Fruit").all_inner_texts()
    require(len(texts) == 1, 'one heading "Fruit"', len(texts))

@check(3, "The list says how many there are")
def total(page):
    page.goto("/")
    text = page.get_by_role("status").all_inner_texts()
    require(text == ["2 fruits"], '"2 fruits"', text)
"""

MUTANTS = """
[[mutant]]
task = 1
name = "wrong-title"
fault = "Another name"
edits = [{ file = "index.html", find = "<title>Shop", replace = "<title>Stop" }]
[[mutant]]
task = 1
name = "no-title"
fault = "No name"
edits = [{ file = "index.html", find = "<title>Shop</title>", replace = "" }]
[[mutant]]
task = 2
name = "one-fruit"
fault = "The second fruit is missing"
edits = [{ file = "index.html", find = "<li>Pear</li>", replace = "" }]
[[mutant]]
task = 2
name = "no-heading"
fault = "The heading is a paragraph"
edits = [{ file = "index.html", find = "<h2>Fruit</h2>", replace = "<p>Fruit</p>" }]
[[mutant]]
task = 3
name = "wrong-count"
fault = "Off by one"
edits = [{ file = "index.html", find = "2 fruits", replace = "3 fruits" }]
[[mutant]]
task = 3
name = "not-announced"
fault = "Text right, semantics wrong"
edits = [{ file = "index.html", find = " role=\\"status\\"", replace = "" }]
"""

MANIFEST = """
title = "A tiny shop"
family = "tiny"
stack = ["html"]
[[tasks]]
title = "Name the shop"
difficulty = "easy"
instruction = "Call the page Shop."
[[tasks]]
title = "List the fruit"
difficulty = "easy"
instruction = 'List Apple and Pear below the heading "Fruit".'
[[tasks]]
title = "Count the fruit"
difficulty = "easy"
instruction = 'Say "2 fruits" as a status.'
"""


def page(title: str = "Shop", body: str = "") -> bytes:
    """The project's one page."""
    return f"<!doctype html><html lang=en><title>{title}</title>\n<body>{body}</body></html>\n".encode()


FRUIT = "<h2>Fruit</h2><ul><li>Apple</li><li>Pear</li></ul>"
START = page("New page")
STATES = (page(), page(body=FRUIT), page(body=f'{FRUIT}<p role="status">2 fruits</p>'))
SECOND = page(
    body='<h3>Fruit</h3><div role="list"><p role=listitem>Apple</p><p role=listitem>Pear</p></div><output>2 fruits</output>'
)

FILES: dict[str, bytes] = {
    "project.toml": MANIFEST.encode(),
    "start/index.html": START,
    "start/note.txt": b"left alone\n",
    **{f"reference/{number:02d}/index.html": state for number, state in enumerate(STATES, start=1)},
    "second/index.html": SECOND,
    "mutants.toml": MUTANTS.encode(),
    "checks.py": CHECKS.encode(),
}


def tiny(folder: Path, changes: Mapping[str, bytes] | None = None) -> Project:
    """The project in `folder`, with some of its files changed."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tree(folder, {**FILES, **(changes or {})})
    return Project(folder)
