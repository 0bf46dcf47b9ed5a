"""A project as data: tasks, states of the workspace, what grades it, what it needs."""

import json
from typing import Any

import pytest

from benchmark.core.files import Files, sha256
from benchmark.webdev.webbench.checkout import Checkout
from benchmark.webdev.webbench.project import CHECKOUT, BenchProject
from benchmark.webdev.webbench.tasks import parse_tasks


def variant(project: BenchProject, changes: dict[str, bytes | None]) -> BenchProject:
    """The project with files replaced, added or, where None, taken away."""
    files = {name: data for name, data in {**project.files, **changes}.items() if data is not None}
    return BenchProject(project.name, files)


def packaged(project: BenchProject, **changes: Any) -> BenchProject:
    return variant(project, {f"projects/{project.name}/package.json": json.dumps({**project.package, **changes}).encode()})


def row(**changes: Any) -> str:
    return json.dumps({"id": "task-1", "date": "2025-11-30", "level": "easy", "description": "Do it.", **changes})


def test_tasks_come_from_either_file_and_yml_goes_first(small: Checkout) -> None:
    tally, board = small.project("tally"), small.project("plant-board")
    assert [(task.id, task.number, task.level) for task in tally.tasks] == [
        ("init", 0, "easy"),
        ("task-1", 1, "easy"),
        ("task-2", 2, "moderate"),
        ("task-3", 3, "challenging"),
    ]
    assert tally.has_init and tally.scored == tally.tasks[1:]
    assert [(task.id, task.level) for task in board.tasks] == [
        ("task-1", "easy"),
        ("task-2", "moderate"),
        ("task-3", "challenging"),
    ]
    assert not board.has_init and board.scored == board.tasks
    assert board.tasks[0].date == "2025-11-30" and board.tasks[1].description.startswith("Add a field `input#find`")
    both = variant(board, {"projects/plant-board/tasks.jsonl": row(description="Another.").encode()})
    assert both.tasks == board.tasks


def test_tasks_are_read_leniently_where_nothing_is_lost() -> None:
    text = "\n".join(
        [
            "",
            row(level=" Chanllenging "),
            "  ",
            row(id="init", level="MODERATE", extra=1),
            row(id="task-2", description="a\u2028b"),
        ]
    )
    init, first, second = parse_tasks("tasks.jsonl", text.replace("\n", "\r\n").encode())
    assert (init.id, init.number, init.level, first.level) == ("init", 0, "moderate", "challenging")
    assert second.description == "a\u2028b"
    (undated,) = parse_tasks("tasks.yml", b"- {id: task-1, level: easy, description: Do it.}")
    assert undated.date == ""


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("tasks.jsonl", row() + "\n{", r"tasks\.jsonl, line 2: "),
        ("tasks.jsonl", row() + "\n\n" + row(id="task-3"), r"tasks\.jsonl, line 3: the id is 'task-3', where task-2 follows"),
        ("tasks.jsonl", row(id="init") + "\n" + row(id="init"), r"tasks\.jsonl, line 2: the id is 'init'"),
        ("tasks.jsonl", row(level="hard"), r"tasks\.jsonl, line 1: level: .*got 'hard'"),
        ("tasks.jsonl", row(description=""), r"tasks\.jsonl, line 1: description: "),
        ("tasks.jsonl", "[]", r"tasks\.jsonl, line 1: "),
        ("tasks.jsonl", row(id="init"), r"tasks\.jsonl holds no task"),
        ("tasks.jsonl", "\udcff", r"tasks\.jsonl is not UTF-8"),
        ("tasks.yml", "- id: task-1\n  level: easy\n", r"tasks\.yml, entry 1: description: Field required"),
        ("tasks.yml", "id: task-1", r"tasks\.yml holds no list of tasks"),
        ("tasks.yml", "- [", r"tasks\.yml: while parsing"),
    ],
)
def test_a_faulty_task_is_named_by_its_place(name: str, text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_tasks(name, text.encode(errors="surrogateescape"))


def test_the_workspace_begins_as_web_bench_has_it(small: Checkout) -> None:
    tally, board = small.project("tally"), small.project("plant-board")
    assert tally.start == {} and set(tally.fallback) == {"index.html"}
    assert set(tally.reference) == {"index.html", "tally.js"}
    assert set(board.start) == {"assets/plants.json", "board.js", "drafts/ideas.txt", "index.html"}
    assert board.fallback == board.start
    assert set(board.reference) == {"assets/plants.json", "board.js", "index.html"}
    with_assets = variant(tally, {"projects/tally/assets/a.png": b"png"})
    assert with_assets.start == {"assets/a.png": b"png"}
    # What the sources bring of their own lies over the assets.
    assert variant(board, {"projects/plant-board/src/assets/plants.json": b"[]"}).reference["assets/plants.json"] == b"[]"


def test_specs_are_cumulative_by_number(small: Checkout) -> None:
    tally = small.project("tally")
    assert tally.specs(0) == ("test/init.spec.js",)
    assert tally.specs(2) == ("test/init.spec.js", "test/task-1.spec.js", "test/task-2.spec.js")
    assert small.project("plant-board").specs(3)[2] == "test/task-2.spec.mjs"
    eleven: dict[str, bytes | None] = {f"projects/tally/test/task-{number}.spec.ts": b"" for number in range(4, 12)}
    more = variant(tally, {**eleven, "projects/tally/test/init.spec.js": None, "projects/tally/test/util/task-1.spec.js": b""})
    assert more.specs(11)[0] == "test/task-1.spec.js" and more.specs(11)[-2:] == (
        "test/task-10.spec.ts",
        "test/task-11.spec.ts",
    )
    assert more.specs(0) == () and len(more.specs(10)) == 10
    with pytest.raises(ValueError, match=r"projects/tally/test has no task-4\.spec"):
        tally.specs(5)


def test_packages_are_those_of_the_project_its_libraries_and_playwright(small: Checkout) -> None:
    tally = small.project("tally")
    assert tally.wanted() == {"@playwright/test": "1.57.0", "serve": "14.2.4"}
    library = {
        "name": "@web-bench/test-util",
        "dependencies": {"dayjs": "^1.11.0", "serve": "1.0.0", "@web-bench/x": "workspace:*"},
    }
    changed = variant(
        tally, {"libraries/test-util/package.json": json.dumps(library | {"devDependencies": {"lib-dev": "1.0.0"}}).encode()}
    )
    assert changed.wanted() == {"@playwright/test": "1.57.0", "dayjs": "^1.11.0", "serve": "14.2.4"}
    unpinned = variant(
        packaged(tally, devDependencies={"serve": "^14"}), {CHECKOUT: None, "libraries/test-util/package.json": None}
    )
    assert unpinned.wanted() == {"@playwright/test": "*", "serve": "^14"}
    assert tally.workspace() == {"@web-bench/test-util": "libraries/test-util"}


def test_grading_gets_no_sources(small: Checkout) -> None:
    board = small.project("plant-board")
    names = set(board.repository())
    assert {
        "projects/plant-board/vite.config.js",
        "projects/plant-board/test/util/plants.js",
        "libraries/test-util/src/index.js",
    } <= names
    assert "projects/plant-board/assets/plants.json" in names and CHECKOUT not in names
    assert not [name for name in names if "/plant-board/src" in name]


def test_hashes_change_with_what_they_stand_for(small: Checkout) -> None:
    tally = small.project("tally")
    tasks = tally.files["projects/tally/tasks.jsonl"]

    def differs(changes: dict[str, bytes | None]) -> tuple[bool, bool]:
        other = variant(tally, changes)
        return other.inputs_hash() != tally.inputs_hash(), other.specs_hash() != tally.specs_hash()

    assert differs({CHECKOUT: b"{}"}) == (False, False)
    assert differs({"projects/tally/src/tally.js": b""}) == (False, False)
    assert differs({"projects/tally/src-init/index.html": b""}) == (True, False)
    assert differs({"projects/tally/test/task-2.spec.js": b""}) == (False, True)
    assert differs({"libraries/test-util/src/index.js": b""}) == (False, True)
    assert differs({"projects/tally/tasks.jsonl": tasks.replace(b"raises", b"lifts")})[0]
    assert not differs({"projects/tally/tasks.jsonl": tasks.replace(b"2025-11-30", b"2025-12-01")})[0]


def test_the_quarantine_comes_with_the_files(small: Checkout) -> None:
    tally = small.project("tally")
    assert tally.quarantine == ()
    held = {"spec": "test/task-1.spec.js", "title": "one press", "failures": 1, "runs": 3, "sha256": sha256(b"")}
    (found,) = variant(tally, {CHECKOUT: json.dumps({"quarantine": [held]}).encode()}).quarantine
    assert (found.title, found.failures, found.runs) == ("one press", 1, 3)


def test_how_it_is_served_built_and_called(small: Checkout) -> None:
    tally, board = small.project("tally"), small.project("plant-board")
    assert (tally.served, tally.has_build, tally.has_init_script, tally.stack) == (
        "static",
        False,
        False,
        ("html", "javascript"),
    )
    assert (board.served, board.has_build, board.has_init_script) == ("vite", True, True)
    assert board.stack == ("vite", "html", "javascript")
    config = b"webServer: {\n  command: `npm run db -- ${DIR} && npm run dev`,\n  url: x }"
    assert variant(tally, {"projects/tally/playwright.config.js": config}).served == "own server"
    inner: Files = {"projects/tally/src/package.json": b'{"dependencies": {"react": "^18"}}', "projects/tally/src/a.tsx": b""}
    assert variant(tally, dict(inner)).stack == ("react", "typescript", "html", "javascript")


def test_families_come_from_the_data_file(small: Checkout) -> None:
    assert small.project("tally").family == "tally"
    files = {"projects/dom1/package.json": b"{}"}
    assert BenchProject("dom1", files).family == "elements"


def test_a_project_without_package_or_tasks_says_so() -> None:
    with pytest.raises(ValueError, match=r"projects/x has no package\.json"):
        BenchProject("x", {})
    with pytest.raises(ValueError, match=r"projects/x has no tasks\.yml and no tasks\.jsonl"):
        _ = BenchProject("x", {"projects/x/package.json": b"{}"}).tasks
    with pytest.raises(ValueError, match=r"projects/x/package\.json cannot be read"):
        _ = BenchProject("x", {"projects/x/package.json": b"{"}).package
