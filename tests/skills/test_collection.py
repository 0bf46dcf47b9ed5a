"""What must hold of the skills in this checkout."""

import re
import tomllib

import pytest

from benchmark.suites import find_suite
from skills.match import partners
from skills.parse import LARGE, Skill, find_skills, load_skill
from skills.tiers import COLLECTION, load_library, load_tiers

FOLDERS = find_skills(COLLECTION)
PATHS = re.compile(r"(?:references|scripts|assets)/[\w./-]*\w")


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def made(request) -> Skill:
    return load_skill(request.param)


def test_every_skill_loads_without_a_note(made):
    assert made.diagnostics == ()
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


def test_tiers_name_only_projects_and_skills_that_exist():
    rows = load_tiers(COLLECTION / "tiers.toml")
    projects = set(find_suite("webdev").projects())
    assert set(rows) == {folder.name for folder in FOLDERS}
    for row in rows.values():
        assert set(row.core) <= projects and len(set(row.core)) == len(row.core)
        assert row.why.endswith(".")


def test_every_project_has_a_skill_that_is_core_for_it():
    core = {project for row in load_tiers(COLLECTION / "tiers.toml").values() for project in row.core}
    assert core == set(find_suite("webdev").projects())


def test_the_stacks_in_the_comment_of_the_tiers_are_those_of_the_projects():
    text = (COLLECTION / "tiers.toml").read_text()
    tomllib.loads(text)
    suite = find_suite("webdev")
    for project in suite.projects():
        found = re.search(rf"^#.*\b{project}\s+((?:[\w-]+, )+[\w-]+)", text, re.MULTILINE)
        assert found and tuple(found[1].split(", ")) == tuple(suite.stack(project))


def test_a_skill_of_usual_length_has_five_partners_to_draw_from():
    """METHOD.md: fewer than five distinct partners name no mechanism."""
    library = load_library(COLLECTION)
    target = next(member for member in library if member.skill.id == "accessible-web-pages")
    found = partners(target.skill, find_suite("webdev").projects(), library, 20261130)
    assert len({item.id for item in found.values() if isinstance(item, Skill)}) >= 5
