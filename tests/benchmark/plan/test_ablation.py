"""The slice arms of real plans: what stands beside what, how often, whose words, and why an arm is absent."""

from collections import Counter
from pathlib import Path

import pytest

from benchmark.core.errors import UsageError
from benchmark.core.model import CONDITIONS, AgentSpec
from benchmark.core.panel import Panel
from benchmark.plan.ablation import named, slice_arms
from benchmark.plan.forecast import outlook
from benchmark.plan.panel import DEMO, Overrides, load_panel
from benchmark.plan.planner import Plan, plan
from skills.matching.match import candidates
from skills.parsing.parse import Skill, as_skill
from skills.routing.tiers import COLLECTION, Member, Routing, load_library
from skills.slicing.slices import REMOVABLE
from skills.slicing.variants import without
from tests.factory import RESOLVED, skill, write_skill

SKILL, PROJECT = "accessible-web-pages", "bakery-page"
SLICES = ("C3:-rules", "C3:-antipatterns", "C3:-examples")


def planned(*conditions: str, name: str = SKILL, projects: tuple[str, ...] = (PROJECT,), **panel) -> Plan:
    design = {
        "suite": "webdev",
        "skills": (name,),
        "projects": projects,
        "agents": (AgentSpec(name="noop"),),
        "conditions": conditions,
        "seed": 7,
    }
    return plan(Panel.model_validate({**design, **panel}))


def small(name: str, kind: str, size: str) -> str:
    return f"the {kind} of {name} are {size}; under 200 bytes or 2% nothing is removed"


def counted(made: Plan) -> dict[str, int]:
    return dict(Counter(spec.condition for spec in made.trials))


def skills_of(made: Plan, condition: str) -> list[Skill]:
    by_tree = {one.ref.tree: one for one in made.injected}
    return [by_tree[spec.skill.tree] for spec in made.trials if spec.condition == condition and spec.skill]


def test_beside_c3_stand_l3_and_fresh_c1_trials():
    made = planned("C3:-rules", replicates=3)
    assert counted(made) == {"C3:-rules": 3, "L3:-rules": 3, "C1:fresh": 3}
    assert made.absent == ()
    assert {row.replicate for row in made.assignments if row.condition == "L3:-rules"} == {0, 1, 2}


def test_l3_is_asked_for_by_itself_and_c3_is_not_planned_then():
    assert counted(planned("L3:-examples", replicates=2)) == {"L3:-examples": 2, "C1:fresh": 2}


def test_fresh_trials_are_the_same_for_all_slices():
    made = planned("C0", "C1", *SLICES, replicates=2)
    arms = {name: 2 for condition in SLICES for name in (condition, condition.replace("C3", "L3"))}
    assert counted(made) == {"C0": 2, "C1": 2, "C1:fresh": 2, **arms}
    assert made.shared == 0


def test_a_plan_without_slices_has_no_fresh_trials():
    assert counted(planned("C0", "C1", "C2", replicates=1)) == {"C0": 1, "C1": 1, "C2": 1}


def test_the_names_of_trials_say_which_slice():
    made = planned("C3:-antipatterns", replicates=1)
    assert sorted(spec.id for spec in made.trials) == [
        f"webdev/{PROJECT}/{SKILL}/{condition}/noop/r0" for condition in ("C1:fresh", "C3:-antipatterns", "L3:-antipatterns")
    ]


def test_fresh_trials_are_trials_of_their_own():
    made = planned("C1", "C3:-rules", replicates=2)
    by_condition = {spec.condition: spec for spec in made.trials if spec.replicate == 0}
    fresh, first = by_condition["C1:fresh"], by_condition["C1"]
    assert fresh.skill == first.skill and fresh.skill
    assert fresh.work_key(RESOLVED) != first.work_key(RESOLVED)
    assert len({spec.work_key(RESOLVED) for spec in made.trials}) == len(made.trials) == 8


def test_fresh_trials_cannot_be_asked_for_alone(tmp_path: Path):
    with pytest.raises(UsageError) as caught:
        load_panel(DEMO, Overrides(conditions=("C1:fresh",)))
    known, offered = str(caught.value).split("; ")
    assert known == "unknown condition 'C1:fresh'"
    assert "C1:fresh" not in offered and any(name in offered for name in CONDITIONS)
    panel = tmp_path / "panel.toml"
    panel.write_text('suite = "webdev"\nconditions = ["C1", "C1:fresh"]\n[[agents]]\nname = "noop"\n', encoding="utf-8")
    with pytest.raises(UsageError, match="C1:fresh"):
        load_panel(panel)
    assert planned("C1:fresh").trials == ()


def test_c3_is_the_skill_without_the_slice_in_every_replicate():
    made = planned("C3:-antipatterns", replicates=3)
    target = made.skills[SKILL]
    cut = without(target, "anti-patterns").skill
    assert [one.ref for one in skills_of(made, "C3:-antipatterns")] == [cut.ref] * 3
    assert b"Never put a click handler on a" in target.data and b"Never put a click handler on a" not in cut.data
    assert all(spec.skill and spec.skill.id == spec.skill.folder == SKILL for spec in made.trials)


def test_l3_is_another_draw_of_another_partner_at_each_replicate():
    made = planned("L3:-rules", replicates=4)
    target = made.skills[SKILL]
    rows = [row for row in made.assignments if row.condition == "L3:-rules"]
    lenders = candidates(target, PROJECT, load_library(COLLECTION), 7)
    assert [row.partner for row in rows] == [lenders[at % len(lenders)].id for at in range(4)]
    assert len({one.ref.tree for one in skills_of(made, "L3:-rules")}) == 4
    slice_bytes = without(target, "rules").cut
    assert all(abs(one.ref.size - target.ref.size) <= 0.05 * slice_bytes for one in skills_of(made, "L3:-rules"))
    assert {row.partner for row in made.assignments if row.condition != "L3:-rules"} == {None}


def test_partners_repeat_only_when_all_have_lent_and_then_lend_other_words():
    pool = load_library(COLLECTION)
    target = next(member.skill for member in pool if member.skill.id == SKILL)
    lenders = candidates(target, PROJECT, pool, 7)[:3]
    few = [member for member in pool if member.skill in lenders]
    arms = slice_arms(target, PROJECT, ["L3:-rules"], few, 7, 7, "prompt").arms
    assert [arm.partner for arm in arms[:7]] == [lenders[at % 3].id for at in range(7)]
    assert len({arm.skill.ref.tree for arm in arms[:7]}) == 7


def test_another_seed_and_another_project_draw_otherwise():
    one, again, other = (planned("L3:-rules", replicates=3, seed=seed) for seed in (7, 7, 8))
    assert [row.trial for row in one.assignments] == [row.trial for row in again.assignments]
    assert one.digest == again.digest != other.digest
    trees = [{one.ref.tree for one in skills_of(made, "L3:-rules")} for made in (one, other)]
    assert trees[0].isdisjoint(trees[1])
    two = planned("L3:-rules", projects=(PROJECT, "reading-list"), replicates=3)
    assert len({spec.skill.tree for spec in two.trials if spec.condition == "L3:-rules" and spec.skill}) == 6


def test_a_small_slice_is_absent_with_its_bytes_and_the_others_are_there():
    made = planned(*SLICES, name="responsive-pages", replicates=1, projects=("bakery-page",))
    reasons = {row.condition: row.reason for row in made.absent}
    found = small("responsive-pages", "anti-patterns", "148 bytes (9.21%)")
    assert reasons["C3:-antipatterns"] == reasons["L3:-antipatterns"] == found
    assert reasons["C3:-examples"] == reasons["L3:-examples"] == small("responsive-pages", "examples", "0 bytes (0.00%)")
    # It has no C2 partner either: the slice is removed, and nobody can lend words for it.
    assert reasons["L3:-rules"] == "responsive-pages has no C2 partner on bakery-page that could lend text for its rules"
    assert counted(made) == {"C3:-rules": 1, "C1:fresh": 1}


def test_without_any_slice_there_are_no_fresh_trials(tmp_path: Path):
    plain = as_skill("plain", {"SKILL.md": b"---\nname: plain\ndescription: Little.\n---\n# Plain\n\nIt is about pages.\n"})
    made = planned(*SLICES, name=f"path:{write_skill(tmp_path, plain)}")
    assert made.trials == () and len(made.absent) == 6
    assert {row.reason for row in made.absent} == {small("plain", kind, "0 bytes (0.00%)") for kind in REMOVABLE}
    assert {(row.skill, row.project) for row in made.absent} == {("plain", PROJECT)}


def test_every_delivery_has_arms_of_its_own():
    client = AgentSpec(name="claude-code", model="m", api_base="http://127.0.0.1:9")
    made = planned("C0", "C3:-examples", agents=(client,), delivery=("prompt", "native", "forced"), replicates=2)
    assert Counter((spec.condition, spec.delivery) for spec in made.trials) == {
        ("C0", None): 2,
        **{(name, how): 2 for name in ("C3:-examples", "L3:-examples", "C1:fresh") for how in ("prompt", "native", "forced")},
    }
    names = {(spec.skill.id, spec.skill.folder) for spec in made.trials if spec.skill}
    assert names == {(SKILL, SKILL)}, "an agent finds each arm under the target's name"


def test_absent_arms_are_told_once_for_each_delivery():
    client = AgentSpec(name="claude-code", model="m", api_base="http://127.0.0.1:9")
    made = planned("C3:-examples", name="responsive-pages", agents=(client,), delivery=("prompt", "native"))
    assert Counter(row.condition for row in made.absent) == {"C3:-examples": 2, "L3:-examples": 2}


def test_arms_of_a_replicate_run_together_in_random_order():
    made = planned("C0", "C1", *SLICES, replicates=6)
    blocks = [spec.replicate for spec in made.trials]
    assert [blocks[at] for at in range(0, len(blocks), 9)] == list(dict.fromkeys(blocks)), "nine arms a block"
    assert len({tuple(spec.condition for spec in made.trials[at : at + 9]) for at in range(0, 54, 9)}) == 6


def test_the_forecast_counts_them(tmp_path: Path):
    made = planned("C0", "C1", "C3:-rules", "C3:-examples", replicates=2)
    found = outlook(made)
    slices = ("C3:-rules", "L3:-rules", "C3:-examples", "L3:-examples", "C1:fresh")
    assert found.by_condition == dict.fromkeys(("C0", "C1", *slices), 2)
    assert (found.trials, found.absent, found.shared) == (14, 0, 0)


def test_nobody_lends_where_no_words_could_stand():
    """A processing instruction is one by its first two characters, and the rules in it are words."""
    body = f"## Work\n\nNever b.\n\n<?php {'keep it ' * 40}?>\n"
    target = as_skill("gardens", {"SKILL.md": f"---\nname: gardens\ndescription: Of plots.\n---\n{body}".encode()})
    pool = [Member(skill(name, target.ref.size, fill=name), Routing(why="because", core=())) for name in "bc"]
    found = slice_arms(target, PROJECT, ["C3:-rules"], pool, 2, 7, "prompt")
    assert [arm.condition for arm in found.arms] == ["C3:-rules"] * 2 + ["C1:fresh"] * 2
    last = candidates(target, PROJECT, pool, 7)[-1].id
    assert found.absent == {"L3:-rules": f"{last} has no text that could stand for the rules of gardens"}


def test_each_slice_has_its_conditions():
    arms = [named(arm, kind) for kind in REMOVABLE for arm in ("C3", "L3")]
    assert [*arms] == [name for name in CONDITIONS if name.startswith(("C3", "L3"))]
