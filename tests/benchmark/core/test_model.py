import pytest
from pydantic import ValidationError

from benchmark.core.model import AgentSpec, Limits, Record, TrialSpec, Usage, total
from tests.factory import RESOLVED, record, ref, spec, usage


def changed(made: TrialSpec, **update) -> str:
    return made.model_copy(update=update).work_key(RESOLVED)


def test_the_work_key_ignores_limits():
    limits = Limits(seconds=1, turns=1, tokens=1, usd=1)
    assert spec("a", "C1").work_key(RESOLVED) == spec("a", "C1", limits=limits).work_key(RESOLVED)


def test_the_work_key_has_all_that_shaped_the_work():
    made = spec("a", "C1", model="m", options={"solve": 0.5})
    agent = made.agent
    keys = [
        made.work_key(RESOLVED),
        changed(made, project="b"),
        changed(made, condition="C2"),
        changed(made, replicate=1),
        changed(made, inputs="0" * 64),
        changed(made, protocol=2),
        changed(made, skill=ref("target", "one byte more")),
        changed(made, skill=ref("renamed")),
        changed(made, agent=agent.model_copy(update={"model": "n"})),
        changed(made, agent=agent.model_copy(update={"options": {"solve": 0.6}})),
        changed(made, agent=agent.model_copy(update={"api_base": "http://x"})),
        changed(made, agent=agent.model_copy(update={"name": "other"})),
        made.work_key(RESOLVED.model_copy(update={"agent_version": "2"})),
        made.work_key(RESOLVED.model_copy(update={"image": "sha256:1"})),
        made.work_key(RESOLVED.model_copy(update={"sandbox": "docker"})),
    ]
    assert len(set(keys)) == len(keys)


def test_the_work_key_has_nothing_that_only_grades():
    other = RESOLVED.model_copy(update={"versions": {"browser": "chromium 2", "playwright": "2"}})
    assert spec().work_key(other) == spec().work_key(RESOLVED)


def test_the_work_key_survives_json():
    made = spec("a", "C1", options={"b": 1, "a": [1.5, None]})
    assert TrialSpec.model_validate_json(made.model_dump_json()).work_key(RESOLVED) == made.work_key(RESOLVED)


def test_an_id_names_project_skill_condition_agent_and_replicate():
    assert spec("a", "C1", 2, model="x/y:z 1").id == "webdev/a/target/C1/noop-x-y-z-1/r2"
    assert spec("a").id == "webdev/a/no-skill/C0/noop/r0"


def test_an_id_says_how_a_skill_is_delivered_where_that_is_not_in_the_prompt_and_whose_name_a_control_has():
    made = spec("a", "C2")
    native = made.model_copy(update={"delivery": "native"})
    assert native.id == "webdev/a/other/C2-native/noop/r0"
    assert made.skill
    hidden = native.model_copy(update={"skill": made.skill.model_copy(update={"folder": "target"})})
    assert hidden.id == "webdev/a/other-as-target/C2-native/noop/r0"
    assert len({item.work_key(RESOLVED) for item in (made, native, hidden)}) == 3


@pytest.mark.parametrize("name", ["a b", "a/b", "a@b", "a[b]", "a:b", "", "a" * 101, "a\n"])
def test_names_that_would_break_ids_are_refused(name):
    with pytest.raises(ValidationError):
        AgentSpec(name=name)


def test_data_is_frozen_and_knows_its_fields():
    with pytest.raises(ValidationError):
        spec().project = "b"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Limits.model_validate({"second": 1})


def test_a_record_survives_json():
    made = record(spec("a", "C1"))
    assert Record.model_validate_json(made.model_dump_json()) == made


@pytest.mark.parametrize(
    ("now", "then", "allows"),
    [
        ({}, {}, True),
        ({"seconds": 10}, {"seconds": 10}, True),
        ({"seconds": 9}, {"seconds": 10}, False),
        ({"turns": 3}, {"turns": 4}, False),
        ({"turns": 5}, {"turns": 4}, True),
        ({}, {"turns": 4}, True),
        ({"turns": 4}, {}, False),
        ({}, {"tokens": 5, "usd": 1}, True),
        ({"tokens": 5}, {}, False),
        ({"tokens": 5}, {"tokens": 6}, False),
        ({"tokens": 6}, {"tokens": 5}, True),
        ({"usd": 1}, {}, False),
        ({"usd": 1}, {"usd": 1}, True),
        ({"seconds": 1000, "usd": 1}, {"seconds": 10, "usd": 2}, False),
    ],
)
def test_limits_allow_what_ran_under_tighter_ones(now, then, allows):
    assert Limits(**now).allows(Limits(**then)) is allows


def test_usages_add_up():
    one = Usage(prompt_tokens=10, cached_tokens=4, completion_tokens=3, usd=0.5, source="provider")
    both = total([one, one])
    assert (both.prompt_tokens, both.cached_tokens, both.completion_tokens, both.usd) == (20, 8, 6, 1.0)
    assert (both.tokens, both.source) == (26, "provider")


def test_a_sum_of_which_a_part_is_an_estimate_is_one():
    one = Usage(prompt_tokens=10, cached_tokens=4, completion_tokens=3, usd=0.5, source="provider")
    cut = one.model_copy(update={"source": "estimate", "reason": "estimated: it was cut off"})
    both = total([one, cut, one])
    assert (both.tokens, both.usd, both.source, both.reason) == (39, 1.5, "estimate", "estimated: it was cut off")


def test_one_part_that_was_not_measured_makes_the_sum_not_measured():
    both = total([usage(10), usage(None), usage(10)])
    assert both.tokens is None and both.usd is None
    assert both.reason == "the provider reported no usage"


def test_no_calls_use_nothing():
    assert total([]).tokens == 0 and total([]).usd == 0


def test_a_record_knows_whether_an_attempt_hit_a_limit():
    assert not record().hit_limit
    assert record(limit="seconds").hit_limit
