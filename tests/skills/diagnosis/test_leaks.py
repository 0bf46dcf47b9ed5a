from pathlib import Path
from typing import Any

import pytest

from benchmark.suite.discovery import all_passages, find_suite
from skills.diagnosis.leaks import Passage, Watch, leak_lines, leaks
from skills.parsing.parse import as_skill, find_skills, load_skill
from skills.routing.tiers import COLLECTION
from tests.factory import skill
from tests.tiny import CHECKS

CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus" / "skills"
TASK = (
    "Keep the page to HTML and CSS, without any script. The heading is called “Breads of the week”, and every price stands at "
    "the foot of its card beside the button “Order now”."
)
PASSAGES = (
    Passage("shop", "instruction of task 01", TASK),
    Passage("shop", "title of a check of task 01", "Every price names its currency"),
    Passage("shop", "title of task 02", "On paper"),
    Passage("shop", "a check of task 01", CHECKS, code=True),
)
HEAD = "---\nname: cards\ndescription: Cards.\n---\n"


@pytest.fixture(scope="module")
def watch() -> Watch:
    return Watch(all_passages())


def found(body: str, **files: bytes) -> list[tuple[str, int, int, str, str]]:
    made = as_skill("cards", {"SKILL.md": (HEAD + body).encode(), **files})
    return [(one.file, one.first, one.last, one.passage.where, one.text) for one in leaks(made, Watch(PASSAGES))]


def test_a_sentence_of_a_task_is_found_with_its_line():
    body = "# Cards\n\nCards are lists. Every price stands at the foot of its card.\n"
    text = "Every price stands at the foot of its card"
    assert found(body) == [("SKILL.md", 7, 7, "instruction of task 01", text)]


@pytest.mark.parametrize(
    "body",
    [
        "Every price stands at\nthe foot of its card.",
        "> EVERY price stands\r\n> **at the foot** of _its_ card.",
        "Every\u200b price st\u200bands at the foot of its card.",
    ],
)
def test_markup_case_line_breaks_and_unseen_characters_hide_nothing(body):
    ((_, first, last, where, _),) = found(body)
    assert (first, where) == (5, "instruction of task 01") and last in (5, 6)


@pytest.mark.parametrize(
    "body",
    [
        "Put each price at the lower end of its card.",
        "Every price stands at the foot of a card.",
        "The heading is bold. Order now, pay later.",
        "Print it on paper.",
        "Titles are short.",
    ],
)
def test_what_is_reworded_or_short_is_not_claimed(body):
    assert found(body) == []


def test_a_copied_title_of_a_check_is_found():
    body = "- [ ] Every price names its currency\n"
    assert found(body) == [("SKILL.md", 5, 5, "title of a check of task 01", "Every price names its currency")]


def test_one_label_is_chance_and_two_of_one_project_are_none():
    assert found("Call it “Order now”.") == []
    assert found("Call it “Order now”.\n\nAbove it: Breads of the week.") == [
        ("SKILL.md", 5, 5, "instruction of task 01", "Order now"),
        ("SKILL.md", 7, 7, "instruction of task 01", "Breads of the week"),
    ]
    assert found("Call it “Order nowhere”. Or order now: breads of the Week.") == []


def test_code_of_a_check_is_found_in_any_file_of_the_skill():
    lines = CHECKS.splitlines()[3:8]
    ((file, first, _, where, text),) = found("See the script.", **{"scripts/look.py": "\n".join(lines).encode()})
    assert (file, first, where) == ("scripts/look.py", 1, "a check of task 01")
    assert text.startswith("check(1") and text.endswith("no title")
    # What every test of a page has in common is no leak.
    assert found('```python\npage.goto("/")\nitems = page.get_by_role("listitem").all_inner_texts()\n```\n') == []


def test_files_that_are_no_text_are_left_out():
    assert found("Nothing.", **{"a.bin": b"\0" + TASK.encode(), "b.txt": b"\xff" + TASK.encode()}) == []


def test_a_line_for_the_terminal_names_file_lines_and_what_they_are_of():
    made = as_skill("cards", {"SKILL.md": (HEAD + "Every price stands\nat the foot of its card.\n").encode()})
    (line,) = leak_lines(made, leaks(made, Watch(PASSAGES)))
    assert line == (
        "cards/SKILL.md:5-6: has words of shop, instruction of task 01: “Every price stands at the foot of its card”"
    )


def test_a_skill_made_from_a_task_of_ours_is_found(watch):
    suite = find_suite("webdev")
    bakery: Any = suite.projects()["bakery-page"]
    project = bakery.project
    told = project.manifest.tasks[3].instruction
    made = as_skill("told", {"SKILL.md": f"{HEAD}{told}".encode()})
    assert {one.passage.where for one in leaks(made, watch)} == {"instruction of task 04"}
    solved = as_skill("solved", {"SKILL.md": HEAD.encode(), "assets/style.css": project.reference(10)["style.css"]})
    assert {one.passage.project for one in leaks(solved, watch)} == {"bakery-page"}
    assert {one.file for one in leaks(solved, watch)} == {"assets/style.css"}
    check = next(one for one in project.checks if one.task == 3)
    titled = as_skill("titled", {"SKILL.md": f"{HEAD}\n* {check.title}\n".encode()})
    assert [(one.first, one.text) for one in leaks(titled, watch)] == [(6, check.title)]


@pytest.mark.parametrize("folder", find_skills(COLLECTION), ids=lambda folder: folder.name)
def test_no_skill_of_the_collection_holds_words_of_a_task_or_a_test(folder, watch):
    made = load_skill(folder)
    assert list(leak_lines(made, leaks(made, watch))) == []


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not in this checkout")
def test_skills_that_know_nothing_of_our_tasks_are_not_claimed(watch):
    folders = find_skills(CORPUS)
    assert len(folders) == 288
    assert [line for made in map(load_skill, folders) for line in leak_lines(made, leaks(made, watch))] == []


def test_a_skill_of_no_words_leaks_nothing(watch):
    assert leaks(skill(fill=" "), watch) == []
