from types import SimpleNamespace
from typing import Any

import pytest

from skills.match import fits, partners
from skills.parse import Skill
from skills.tiers import Member, Routing
from tests.factory import skill


def member(made: Skill, *core: str, judged: bool = True) -> Member:
    return Member(made, Routing(why="because", core=core) if judged else None)


def pool(*sizes: int) -> list[Member]:
    return [member(skill(f"p{at}", size, fill=chr(97 + at))) for at, size in enumerate(sizes)]


@pytest.mark.parametrize(("size", "fit"), [(379, False), (380, True), (400, True), (420, True), (421, False)])
def test_the_tolerance_is_five_per_cent_ends_included(size, fit):
    assert fits(skill("t", 400), skill("o", size)) is fit


def test_the_tolerance_is_relative_to_the_target():
    # 5 % of 400 is 20, 5 % of 420 is 21: 399 fits a target of 420 and 421 does not fit one of 400.
    assert fits(skill("t", 420), skill("o", 399))
    assert fits(skill("t", 399), skill("o", 420)) is False


def test_the_ends_hold_for_every_size():
    def sized(size: int) -> Any:
        return SimpleNamespace(ref=SimpleNamespace(size=size))

    for size in range(1, 20_000):
        widest = size // 20
        assert fits(sized(size), sized(size + widest)) and fits(sized(size), sized(size - widest))
        assert not fits(sized(size), sized(size + widest + 1))


def test_projects_take_different_partners_while_there_are_some():
    projects = [f"project{at}" for at in range(8)]
    for seed in range(5):
        chosen = partners(skill("t", 400), projects, pool(400, 401, 402), seed)
        used = [found.id for found in chosen.values() if isinstance(found, Skill)]
        assert sorted(used.count(f"p{at}") for at in range(3)) == [2, 3, 3]
        assert len(set(used[:3])) == 3


def test_partners_are_drawn_by_the_seed():
    draws = {partners(skill("t", 400), ["a"], pool(400, 401, 402, 403), seed)["a"].id for seed in range(40)}  # type: ignore[union-attr]
    assert draws == {"p0", "p1", "p2", "p3"}
    once, again = (partners(skill("t", 400), "abc", pool(400, 401, 402), 3) for _ in range(2))
    assert once == again


def test_the_order_of_projects_and_pool_does_not_matter():
    members = pool(400, 401, 402)
    assert partners(skill("t", 400), "abc", members, 1) == partners(skill("t", 400), "cab", members[::-1], 1)


def test_only_skills_judged_irrelevant_for_the_project_are_partners():
    members = [
        member(skill("core", 400, fill="1"), "a"),
        member(skill("nobody", 400, fill="2"), judged=False),
        member(skill("skip", 410, fill="3"), "b"),
    ]
    assert partners(skill("t", 400), ["a"], members, 0)["a"] == members[2].skill


def test_the_target_is_not_its_own_partner_under_any_name():
    target = skill("t", 400)
    copy = Skill("copy", target.name, target.description, target.data, {})
    edited = skill("t", 401)
    found = partners(target, ["a"], [member(target), member(copy), member(edited)], 0)["a"]
    assert isinstance(found, str)


def test_without_a_partner_the_nearest_miss_is_named():
    reason = partners(skill("t", 400), ["a"], pool(300, 430, 500), 0)["a"]
    assert isinstance(reason, str)
    assert all(part in reason for part in ("no partner", "400 bytes", "p1", "430 bytes", "+7.5%"))


def test_a_pool_without_irrelevant_skills_says_so():
    reason = partners(skill("t", 400), ["a"], [member(skill("o", 400, fill="o"), "a")], 0)["a"]
    assert isinstance(reason, str) and "judged irrelevant" in reason
