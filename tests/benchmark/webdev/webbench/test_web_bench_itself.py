"""Facts of bytedance/web-bench at commit 32075f1, counted in a real checkout; needs `--webbench PATH`."""

import itertools
import re
from collections import Counter
from collections.abc import Callable

from benchmark.webdev.webbench.checkout import Checkout
from benchmark.webdev.webbench.needs import needs
from benchmark.webdev.webbench.project import BenchProject

#: Easy, moderate and challenging tasks.
LEVELS = {
    (
        5,
        5,
        10,
    ): "angular react react-no-ts svelte vue jotai mobx redux zustand expressjs fastify fastify-react nextjs nuxt lowdb "
    "nosql prisma sequelize styled-components typescript",
    (5, 8, 7): "bom selector survey less sass stylus",
    (8, 0, 12): "flex float grid tailwind unocss",
    (7, 6, 7): "canvas parcel vite webpack",
    (4, 6, 10): "dom dom1 form svg-solar",
    (11, 0, 9): "calculator calculator-files",
    (5, 4, 11): "esmodule table",
    (5, 3, 12): "color",
    (6, 8, 6): "expression-editor",
    (8, 2, 10): "draw",
    (3, 6, 11): "chart",
    (4, 4, 12): "svg",
    (2, 7, 11): "svg-chart",
    (3, 2, 15): "threejs",
}
YML = (
    "chart color expression-editor fastify fastify-react jotai lowdb mobx nuxt parcel prisma redux selector svg-chart "
    "typescript vite webpack zustand"
)
INIT_TASK = (
    "bom calculator calculator-files canvas dom dom1 draw esmodule flex float form grid less sass stylus survey table tailwind "
    "threejs typescript"
)
INIT_SPEC_ALONE = "chart color selector svg svg-chart svg-solar unocss"
ASSETS = "canvas chart parcel svg-chart svg-solar tailwind vite"
BUILD = (
    "angular chart draw fastify-react jotai less lowdb mobx prisma react react-no-ts redux sass styled-components stylus "
    "svelte svg svg-chart svg-solar threejs unocss vue zustand"
)
INIT_SCRIPT = "parcel typescript vite webpack"
NEEDS = {
    "needs a build": "expressjs fastify fastify-react lowdb nextjs nuxt sequelize",
    "needs network": "nosql parcel prisma vite webpack",
}


def chosen(projects: dict[str, BenchProject], test: Callable[[BenchProject], object]) -> list[str]:
    return [name for name, project in projects.items() if test(project)]


def test_the_tasks_are_those_of_the_paper(real: Checkout) -> None:
    projects = {name: real.project(name) for name in real.names}
    levels = Counter(task.level for project in projects.values() for task in project.scored)
    assert len(projects) == 50 and levels == {"easy": 277, "moderate": 236, "challenging": 487}
    for counts, names in LEVELS.items():
        for name in names.split():
            own = Counter(task.level for task in projects[name].scored)
            assert (own["easy"], own["moderate"], own["challenging"]) == counts, name
    assert chosen(projects, lambda one: one.has_init) == INIT_TASK.split()
    assert chosen(projects, lambda one: f"projects/{one.name}/tasks.yml" in one.files) == YML.split()


def test_the_projects_are_laid_out_as_was_found(real: Checkout) -> None:
    projects = {name: real.project(name) for name in real.names}
    assert chosen(projects, lambda one: not one.has_init and one.specs(0)) == INIT_SPEC_ALONE.split()
    assert (
        chosen(projects, lambda one: any(name.startswith(f"projects/{one.name}/assets/") for name in one.files))
        == ASSETS.split()
    )
    assert chosen(projects, lambda one: one.has_build) == BUILD.split()
    assert chosen(projects, lambda one: one.has_init_script) == INIT_SCRIPT.split()
    for status, names in NEEDS.items():
        assert chosen(projects, lambda one, status=status: needs(one)[0] == status) == names.split()


def test_families_are_what_shares_most_of_its_specs(real: Checkout) -> None:
    projects = {name: real.project(name) for name in real.names}
    lines = {name: spec_lines(project) for name, project in projects.items()}
    for one, other in itertools.combinations(real.names, 2):
        shared = 2 * (lines[one] & lines[other]).total() / (lines[one].total() + lines[other].total())
        assert (shared > 0.5) == (projects[one].family == projects[other].family), (one, other, shared)


def spec_lines(project: BenchProject) -> Counter[str]:
    """The lines of a project's task specs that say what is tested."""
    found: Counter[str] = Counter()
    for name, data in project.files.items():
        if re.fullmatch(rf"projects/{project.name}/test/task-\d+\.spec\.js", name):
            plain = (re.sub(r"\s+", "", line).replace('"', "'").rstrip(";,") for line in data.decode().splitlines())
            found.update(
                line for line in plain if len(line) >= 8 and not re.match(r"//|import", line) and not NOISE.search(line)
            )
    return found


NOISE = re.compile(r"require\(|beforeEach|page\.goto")
