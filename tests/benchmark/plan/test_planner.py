import math
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmark.core.errors import UsageError
from benchmark.core.model import AgentSpec, Delivery
from benchmark.core.panel import Panel
from benchmark.plan.planner import BASELINE, Plan, plan
from skills.parsing.parse import as_skill
from tests.factory import skill, write_skill

ALL = ("*",)
TWO = ("accessible-web-pages", "data-drawing-svg-canvas")


def planned(*skills: str, projects: tuple[str, ...] = ALL, agents: tuple[str, ...] = ("noop",), **panel) -> Plan:
    specs = tuple(AgentSpec(name=name) for name in agents)
    return plan(Panel(skills=skills, projects=projects, agents=specs, **{"suite": "webdev", "seed": 7, **panel}))


def refusal(*skills: str, **panel) -> str:
    with pytest.raises(UsageError) as caught:
        planned(*skills, **panel)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def arms(made: Plan) -> Counter[tuple[str, str]]:
    return Counter((spec.project, spec.condition) for spec in made.trials)


def untiered(folder: Path, skill_id: str = "mine", size: int = 4000, fill: str = "m") -> str:
    return f"path:{write_skill(folder, skill(skill_id, size, fill=fill))}"


def test_each_arm_of_one_skill_has_the_replicates():
    made = planned("data-drawing-svg-canvas", replicates=3)
    assert arms(made) == {(p, c): 3 for p in ("rainfall-chart", "sketch-pad") for c in ("C0", "C1", "C2")}
    assert made.shared == 0 and len(made.assignments) == 18


@pytest.mark.parametrize("replicates", [1, 2, 3, 4, 5])
def test_the_shared_baseline_grows_with_the_root_of_the_skills(replicates):
    made = planned(*TWO, "canvas-2d-drawing", replicates=replicates)
    count = arms(made)
    # sketch-pad is core for all three, rainfall-chart for two, every other project for one.
    assert count["sketch-pad", "C0"] == math.ceil(replicates * math.sqrt(3))
    assert count["rainfall-chart", "C0"] == math.ceil(replicates * math.sqrt(2))
    assert count["bakery-page", "C0"] == replicates
    assert count["sketch-pad", "C1"] == 3 * replicates


def test_four_skills_double_the_baseline_exactly(tmp_path):
    paths = [untiered(tmp_path, f"s{at}", fill=str(at)) for at in range(4)]
    assert arms(planned(*paths, projects=("bakery-page",), replicates=3))["bakery-page", "C0"] == 6


def test_the_baseline_counts_for_every_skill_of_its_project():
    made = planned(*TWO, replicates=3)
    zero = [row for row in made.assignments if (row.project, row.condition) == ("sketch-pad", "C0")]
    assert Counter(row.skill for row in zero) == dict.fromkeys(TWO, 5)
    assert len({row.trial for row in zero}) == 5


def test_a_partner_of_two_skills_runs_once(tmp_path):
    one = write_skill(tmp_path, skill("one", 8900, fill="1"))
    two = write_skill(tmp_path, skill("two", 8901, fill="2"))
    # Only technical-interviews (8,887 bytes) is within 5 % and irrelevant for a page with css.
    made = planned(f"path:{one}", f"path:{two}", projects=("bakery-page",), replicates=2)
    controls = [spec for spec in made.trials if spec.condition == "C2"]
    assert [spec.skill.id for spec in controls if spec.skill] == ["technical-interviews"] * 2
    rows = [row for row in made.assignments if row.condition == "C2"]
    assert Counter(row.skill for row in rows) == {"one": 2, "two": 2}
    assert made.shared == 2 + 3  # two controls, and of the baseline ⌈2·√2⌉ = 3 trials


def test_partners_differ_between_projects_where_the_pool_allows():
    made = planned("accessible-web-pages")
    chosen = {(spec.project, spec.skill.id) for spec in made.trials if spec.condition == "C2" and spec.skill}
    assert len(chosen) == 8 == len({name for _, name in chosen})


def test_no_partner_is_absent_with_the_nearest_miss():
    made = planned("responsive-pages", replicates=2)
    assert {row.project for row in made.absent} == {"bakery-page", "course-signup", "reading-list"}
    assert {(row.skill, row.condition) for row in made.absent} == {("responsive-pages", "C2")}
    size = Path("skills/collection/responsive-pages/SKILL.md").stat().st_size
    others = [path for path in Path("skills/collection").glob("*/SKILL.md") if path.parent.name != "responsive-pages"]
    near = min(others, key=lambda path: abs(path.stat().st_size - size))
    for row in made.absent:
        assert f"{size:,} bytes" in row.reason
        assert near.parent.name in row.reason and f"{near.stat().st_size:,} bytes" in row.reason
    assert all(spec.condition != "C2" for spec in made.trials)


def test_a_pool_adds_partners(tmp_path):
    # Of the target's 1,607 bytes 1,357 are its body: a partner fits in both.
    head = f"---\nname: short\ndescription: {'About nothing at all. ' * 10}\n---\n"
    write_skill(tmp_path, as_skill("short", {"SKILL.md": f"{head}{'x' * 1357}".encode()}))
    (tmp_path / "tiers.toml").write_text('[short]\nwhy = "It is about nothing."\ncore = []\n')
    made = planned("responsive-pages", replicates=1, pool=(f"path:{tmp_path}",))
    assert made.absent == ()
    assert {spec.skill.id for spec in made.trials if spec.condition == "C2" and spec.skill} == {"short"}


def test_a_skill_of_the_pool_that_nobody_judged_is_no_partner(tmp_path):
    write_skill(tmp_path, skill("short", 1600))
    assert len(planned("responsive-pages", replicates=1, pool=(f"path:{tmp_path}",)).absent) == 3


@pytest.mark.parametrize(
    ("head", "core", "partners"),
    [
        ('suite = "webdev"\n', "[]", {"short"}),
        ("", "[]", {"short"}),
        ('suite = "slides"\n', "[]", set()),
        ('suite = "slides"\n', '["bakery-page", "guest-book"]', set()),
    ],
)
def test_what_was_judged_for_another_suite_is_not_judged_for_this_one(tmp_path, head, core, partners):
    text = f"---\nname: short\ndescription: {'About nothing at all. ' * 10}\n---\n{'x' * 1357}"
    write_skill(tmp_path, as_skill("short", {"SKILL.md": text.encode()}))
    (tmp_path / "tiers.toml").write_text(f'{head}[short]\nwhy = "It is about nothing."\ncore = {core}\n')
    made = planned("responsive-pages", replicates=1, pool=(f"path:{tmp_path}",))
    assert {spec.skill.id for spec in made.trials if spec.condition == "C2" and spec.skill} == partners
    assert len(made.absent) == (0 if partners else 3)


@pytest.mark.parametrize(
    ("agent", "delivery", "text", "words"),
    [
        (
            "claude-code",
            "native",
            "disable-model-invocation: true\n---\nBody\n",
            "does not list it, which has disable-model-invocation",
        ),
        ("claude-code", "forced", "disable-model-invocation: true\n---\nBody\n", "does not list it"),
        ("kimi", "native", "disable-model-invocation: true\n---\nBody\n", "does not list it"),
        (
            "gemini-cli",
            "native",
            "--- \n# Body\n\nNever use tables.\n",
            "loads an empty body, which has white space after the closing",
        ),
        ("codex", "native", "----\n# Body\n\nNever use tables.\n", "does not list it, which closes its frontmatter with ----"),
    ],
)
def test_a_client_that_gets_nothing_of_a_skill_is_refused_native_delivery(tmp_path, agent, delivery, text, words):
    data = f"---\nname: mine\ndescription: Ties knots.\n{text}".encode()
    path = f"path:{write_skill(tmp_path, as_skill('mine', {'SKILL.md': data}))}"

    def panel(name: str, *how: Delivery) -> Panel:
        spec = AgentSpec(name=name, model="provider/model")
        return Panel(
            suite="webdev",
            skills=(path,),
            projects=("bakery-page",),
            agents=(spec,),
            delivery=how,
            conditions=("C0", "C1"),
            seed=7,
        )

    with pytest.raises(UsageError) as caught:
        plan(panel(agent, "prompt", delivery))
    message = str(caught.value)
    assert message.startswith(f"{delivery} delivery of mine is not possible: {agent} ") and words in message
    assert message.endswith(f"leave {agent} out or deliver by prompt") and "metadata" not in message and "\n" not in message
    assert plan(panel(agent, "prompt")).trials and plan(panel("noop", "prompt")).trials


def test_clients_that_show_the_skill_get_it_natively(tmp_path):
    data = b"---\nname: mine\ndescription: Ties knots.\ndisable-model-invocation: true\n---\nBody\n"
    path = f"path:{write_skill(tmp_path, as_skill('mine', {'SKILL.md': data}))}"
    specs = tuple(AgentSpec(name=name, model="provider/model") for name in ("codex", "gemini-cli"))
    panel = Panel(
        suite="webdev",
        skills=(path,),
        projects=("bakery-page",),
        agents=specs,
        delivery=("native",),
        conditions=("C1",),
        seed=7,
    )
    assert {spec.agent.name for spec in plan(panel).trials} == {"codex", "gemini-cli"}


def test_two_skills_of_one_name_in_the_pool_are_refused(tmp_path):
    write_skill(tmp_path, skill("css-layout", 1600))
    assert "css-layout" in refusal("responsive-pages", pool=(f"path:{tmp_path}",))


def test_a_pool_that_repeats_a_skill_is_no_clash():
    made = planned("accessible-web-pages", pool=("path:skills/collection",))
    assert [spec.id for spec in made.trials] == [spec.id for spec in planned("accessible-web-pages").trials]


def test_a_skill_without_tiers_needs_projects(tmp_path):
    path = untiered(tmp_path)
    assert "--project" in refusal(path)
    assert "--project" in refusal(path, projects=("bakery*",))
    made = planned(path, projects=("bakery-page", "guest-book"))
    assert {row.project for row in made.assignments} == {"bakery-page", "guest-book"}
    assert {row.chosen_by for row in made.assignments} == {"user"}


def test_a_skill_with_tiers_runs_where_it_is_core():
    made = planned("css-layout", replicates=1)
    assert {row.project for row in made.assignments} == {"bakery-page", "course-signup", "reading-list"}
    assert {row.chosen_by for row in made.assignments} == {"tiers"}


def test_tiers_beside_a_skill_are_read(tmp_path):
    path = untiered(tmp_path)
    (tmp_path / "tiers.toml").write_text('[mine]\nwhy = "Its subject is forms."\ncore = ["course-signup"]\n')
    for given in (path, f"{path}/SKILL.md"):
        assert {row.project for row in planned(given).assignments} == {"course-signup"}


def test_skills_that_cover_none_of_the_projects_are_refused_with_what_they_cover():
    assert "guest-book" in refusal("node-http-api", projects=("bakery-page",))


def test_a_pattern_takes_skills_and_leaves_out_those_that_cover_nothing():
    made = planned("*", projects=("sketch-pad",), replicates=1)
    assert set(made.skills) == {"accessible-web-pages", "canvas-2d-drawing", "data-drawing-svg-canvas"}


def test_two_targets_of_one_name_are_refused(tmp_path):
    paths = [untiered(tmp_path / name, fill=name) for name in "ab"]
    assert "mine" in refusal(*paths, projects=("bakery-page",))
    assert len(planned(paths[0], paths[0], projects=("bakery-page",), replicates=1).skills) == 1


@pytest.mark.parametrize(
    ("panel", "names"),
    [
        ({"projects": ("bakery",)}, ["bakery", "bakery-page"]),
        ({"suite": "webdevs"}, ["webdevs", "webdev"]),
    ],
)
def test_unknown_names_come_with_the_nearest(panel, names):
    message = refusal("css-layout", **panel)
    assert all(name in message for name in names)


def test_an_unknown_skill_comes_with_the_nearest():
    assert "css-layout" in refusal("css-layouts")


def test_without_skills_the_baseline_alone_is_planned():
    made = planned(projects=("bakery-page", "guest-book"), replicates=2)
    assert arms(made) == {("bakery-page", "C0"): 2, ("guest-book", "C0"): 2}
    assert {row.skill for row in made.assignments} == {BASELINE}
    assert planned(conditions=("C1", "C2")).trials == ()


@pytest.mark.parametrize("wanted", [("C0",), ("C1",), ("C2",), ("C0", "C1"), ("C1", "C2")])
def test_only_wanted_conditions_are_planned(wanted):
    made = planned("css-layout", conditions=wanted, replicates=1)
    assert {spec.condition for spec in made.trials} == set(wanted)


def test_a_baseline_has_neither_skill_nor_delivery():
    for spec in planned(*TWO, replicates=1).trials:
        assert (spec.skill is None) == (spec.delivery is None) == (spec.condition == "C0")


def test_every_agent_has_trials_of_its_own():
    made = planned("css-layout", agents=("noop", "reference"), replicates=1)
    assert Counter(spec.agent.name for spec in made.trials) == {"noop": 9, "reference": 9}
    assert made.shared == 0


def test_a_delivery_named_twice_counts_once():
    assert len(planned("css-layout", delivery=("prompt", "prompt"), replicates=1).assignments) == 9


DELIVERIES = ("prompt", "native", "forced")


def delivered(*skills: str, **panel) -> Plan:
    client = AgentSpec(name="claude-code", model="m", api_base="http://127.0.0.1:9")
    return plan(
        Panel(suite="webdev", skills=skills, projects=ALL, agents=(client,), seed=7, replicates=1, delivery=DELIVERIES, **panel)
    )


def test_deliveries_share_the_baseline_and_nothing_else():
    made = delivered("css-layout")
    count = Counter((spec.condition, spec.delivery) for spec in made.trials)
    assert count == {("C0", None): 3} | {(condition, how): 3 for condition in ("C1", "C2") for how in DELIVERIES}
    rows = Counter((row.condition, row.delivery) for row in made.assignments)
    assert rows == {(condition, how): 3 for condition in ("C0", "C1", "C2") for how in DELIVERIES}
    assert made.shared == 2 * 3


def test_a_control_that_clients_list_goes_by_its_targets_name_and_description():
    made = delivered("css-layout")
    target = made.skills["css-layout"]
    by_tree = {skill.ref.tree: skill for skill in made.injected}
    for spec in made.trials:
        if spec.condition != "C2":
            continue
        assert spec.skill and spec.skill.id != target.id
        listed = by_tree[spec.skill.tree]
        hidden = (listed.name, listed.description) == (target.name, target.description)
        assert hidden == (spec.delivery != "prompt") == (spec.skill.folder == target.id)
        assert abs(spec.skill.size - target.ref.size) <= 0.05 * target.ref.size
        assert target.body not in listed.text


def test_every_injected_skill_is_kept_and_every_assignment_has_a_trial():
    made = planned(*TWO)
    ids = {spec.id for spec in made.trials}
    assert {row.trial for row in made.assignments} == ids and len(ids) == len(made.trials)
    assert {s.skill.tree for s in made.trials if s.skill} == {skill.ref.tree for skill in made.injected}


def test_blocks_run_together_the_longest_first():
    made = planned(*TWO, replicates=3)
    blocks = [(spec.project, spec.replicate % 3) for spec in made.trials]
    runs = [block for at, block in enumerate(blocks) if at == 0 or blocks[at - 1] != block]
    assert len(runs) == len(set(runs)) == 24
    weights = [made.suite.weight(project) for project, _ in runs]
    assert weights == sorted(weights, reverse=True) and weights[0] > weights[-1]


def test_conditions_are_in_random_order_within_blocks():
    made = planned("accessible-web-pages", replicates=5)
    firsts = Counter(spec.condition for spec in made.trials[::3])
    assert set(firsts) == {"C0", "C1", "C2"}


def test_a_seed_fixes_the_plan_and_another_changes_it():
    one, again, other = (planned(*TWO, seed=seed) for seed in (1, 1, 2))
    assert one.trials == again.trials and one.digest == again.digest
    assert [spec.id for spec in one.trials] != [spec.id for spec in other.trials]


def test_the_digest_has_the_design_and_not_the_budget():
    made = planned("css-layout", replicates=2)
    digest = made.digest
    assert planned("css-layout", replicates=2, budget={"usd": 5}).digest == digest
    assert planned("css-layout", replicates=3).digest != digest
    assert planned("css-layout", replicates=2, looks=2).digest != digest
    assert planned("css-layout", replicates=2, margin_points=4).digest != digest


def test_the_panel_leaves_no_trace_in_a_trial():
    """A record answers for any panel that asks for its trial: no name, count, seed or margin of the panel is in it."""
    small = planned("css-layout", replicates=1, conditions=("C0", "C1"), seed=1)
    large = planned("css-layout", replicates=5, conditions=("C0", "C1"), seed=2, margin_points=1)
    assert all(spec in large.trials for spec in small.trials)


def test_two_processes_make_the_same_plan(tmp_path):
    outputs = []
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-m", "benchmark.cli.main", "plan", "--json", "--runs", str(tmp_path / "runs")],
            capture_output=True,
            check=True,
            timeout=200,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
