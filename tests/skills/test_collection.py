"""What must hold of the skills in this checkout."""

import re
import tomllib

import pytest

from benchmark.suite.discovery import find_suite
from benchmark.webdev.webbench.checkout import Checkout
from skills.matching.match import candidates, partners
from skills.parsing.parse import LARGE, Skill, find_skills, load_skill
from skills.parsing.rules import brief
from skills.routing.tiers import COLLECTION, load_library, load_tiers

FOLDERS = find_skills(COLLECTION)
PATHS = re.compile(r"(?:references|scripts|assets)/[\w./-]*\w")


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def made(request) -> Skill:
    return load_skill(request.param)


def test_every_skill_loads_without_a_note(made):
    assert brief(made.diagnostics) == []
    assert made.ref.size <= LARGE


def test_every_skill_says_what_it_is_for(made):
    assert made.name == made.id
    assert 40 <= len(made.description) <= 1024


def test_every_file_that_a_skill_names_exists_and_the_other_way_round(made):
    assert set(PATHS.findall(made.text)) == set(made.files)


def test_a_skill_holds_no_file_but_references_scripts_and_assets(made):
    assert {name.partition("/")[0] for name in made.files} <= {"references", "scripts", "assets"}


def test_skills_differ():
    assert len({load_skill(folder).data for folder in FOLDERS}) == len(FOLDERS)


def web_bench() -> dict[str, tuple[str, ...]]:
    """Web-Bench's projects with their stacks, as the comment of the tiers lists them: one a line."""
    text = (COLLECTION / "tiers.toml").read_text().partition("Web-Bench's stable projects")[2]
    listed = re.findall(r"^#   ([\w-]+) +((?:[\w-]+, )*[\w-]+)$", text, re.MULTILINE)
    return {name: tuple(stack.split(", ")) for name, stack in listed}


def test_tiers_name_only_projects_and_skills_that_exist():
    rows = load_tiers(COLLECTION / "tiers.toml")
    own = set(find_suite("webdev").projects())
    known = own | set(web_bench())
    assert len(known) == len(own) + 50
    assert set(rows) == {folder.name for folder in FOLDERS}
    for row in rows.values():
        judged = row.judged or ()
        assert set(row.core) <= known and len(set(row.core)) == len(row.core)
        assert set(judged) <= known - set(row.core) and len(set(judged)) == len(judged)
        assert row.why.endswith(".")


def test_every_skill_is_core_or_irrelevant_on_every_project_of_our_own():
    rows = load_tiers(COLLECTION / "tiers.toml")
    for project in find_suite("webdev").projects():
        assert [name for name, row in rows.items() if row.tier(project) is None] == []


def test_every_project_has_a_skill_that_is_core_for_it():
    core = {project for row in load_tiers(COLLECTION / "tiers.toml").values() for project in row.core}
    assert set(find_suite("webdev").projects()) <= core
    assert set(web_bench()) - core == {"esmodule", "parcel", "threejs", "typescript", "vite", "webpack"}


def test_the_stacks_in_the_comment_of_the_tiers_are_those_of_the_projects():
    text = (COLLECTION / "tiers.toml").read_text()
    tomllib.loads(text)
    suite = find_suite("webdev")
    for project in suite.projects():
        found = re.search(rf"^#.*\b{project}\s+((?:[\w-]+, )+[\w-]+)", text, re.MULTILINE)
        assert found and tuple(found[1].split(", ")) == tuple(suite.stack(project))


def test_the_stacks_of_web_bench_in_the_comment_are_those_of_a_checkout(request):
    path = request.config.getoption("--webbench", None)
    if path is None:
        pytest.skip("needs --webbench PATH")
    checkout = Checkout(path)
    assert web_bench() == {name: checkout.project(name).stack for name in checkout.names}


def test_what_is_near_a_web_bench_project_s_stack_is_neither_tried_on_it_nor_its_control():
    """The skill of another framework, database or kind of component is no irrelevant text."""
    rows = load_tiers(COLLECTION / "tiers.toml")
    near = {
        "vite-preact-apps": {"react", "react-no-ts", "vue", "svelte", "vite", "nextjs"},
        "sql-migrations": {"expressjs", "fastify-react", "prisma", "sequelize"},
        "form-validation": {"expressjs", "react", "selector"},
        "web-components": {"expressjs", "fastify", "react", "vue"},
        "node-http-api": {"nextjs", "nuxt", "webpack"},
        "css-layout": {"color", "less", "tailwind", "react"},
        "canvas-2d-drawing": {"color", "draw"},
    }
    assert {(name, rows[name].tier(project)) for name, projects in near.items() for project in projects} == {
        (name, None) for name in near
    }


def test_wherever_a_skill_of_usual_length_is_core_five_controls_can_be_drawn():
    library = load_library(COLLECTION)
    for target in library:
        if 3_800 < target.skill.ref.size < 4_200 and target.routing:
            for project in target.routing.core:
                found = candidates(target.skill, project, library, 0)
                assert len(found) >= 5, (target.skill.id, project)


def test_a_skill_of_usual_length_has_five_partners_to_draw_from():
    """METHOD.md: fewer than five distinct partners name no mechanism."""
    library = load_library(COLLECTION)
    target = next(member for member in library if member.skill.id == "accessible-web-pages")
    found = partners(target.skill, find_suite("webdev").projects(), library, 20261130)
    assert len({item.id for item in found.values() if isinstance(item, Skill)}) >= 5
