"""The scripted agents: the reference, the one that does nothing, and the one with a planted answer."""

import random
from pathlib import Path

import pytest

from agents.base import AttemptRequest, ScriptedSolutions
from agents.registry import AGENTS, make_agent
from agents.scripted.noop import NoopAgent
from agents.scripted.planted import PlantedAgent, PlantedOptions
from agents.scripted.reference import ReferenceAgent
from agents.trajectory.atif import problems
from benchmark.core.errors import Fault, UsageError
from benchmark.core.files import Files
from benchmark.core.model import AgentSpec, Limits
from fixtures.sandbox.local import LocalWorkspace

REFERENCE: Files = {"index.html": b"right"}
MUTANTS: dict[str, Files] = {name: {"index.html": name.encode()} for name in ("blind", "deaf", "lame")}


@pytest.fixture
def box(tmp_path: Path) -> LocalWorkspace:
    return LocalWorkspace(tmp_path)


def an_ask(noise: str = "trial/1/1", *, attempt: int = 1, skill: str | None = None, size: int = 0) -> AttemptRequest:
    answers = ScriptedSolutions(REFERENCE, MUTANTS)
    return AttemptRequest("do it", 1, attempt, Limits(), noise, skill_name=skill, skill_bytes=size, solutions=answers)


def planted(**options: object) -> PlantedAgent:
    return PlantedAgent(AgentSpec(name="planted", options=options))


def wrote(agent: PlantedAgent, box: LocalWorkspace, ask: AttemptRequest) -> bytes:
    agent.run(ask, box)
    return box.files()["index.html"]


def test_every_agent_is_made_by_its_name_and_an_unknown_name_suggests_the_nearest() -> None:
    for name in AGENTS:
        assert make_agent(AgentSpec(name=name, model="openai/gpt-5")).version
    with pytest.raises(UsageError, match=r"unknown agent 'plantd'; did you mean planted"):
        make_agent(AgentSpec(name="plantd"))


def test_the_reference_agent_writes_the_reference_and_says_that_tokens_are_estimates(box: LocalWorkspace) -> None:
    run = ReferenceAgent(AgentSpec(name="reference")).run(an_ask(), box)
    assert box.files() == REFERENCE
    assert [step.message for step in run.trajectory.steps] == ["do it", "wrote the reference of task 1"]
    assert problems(run.trajectory) == []
    assert (run.usage.source, run.usage.usd, run.usage.prompt_tokens) == ("estimate", 0.0, len("do it") // 4)


def test_the_noop_agent_leaves_the_workspace_as_it_was(box: LocalWorkspace) -> None:
    box.write({"a.txt": b"1"})
    run = NoopAgent(AgentSpec(name="noop")).run(an_ask(), box)
    assert box.files() == {"a.txt": b"1"}
    assert run.limit is None


@pytest.mark.parametrize("agent", [ReferenceAgent(AgentSpec(name="reference")), PlantedAgent(AgentSpec(name="planted"))])
def test_a_scripted_agent_without_answers_is_our_fault(agent: ReferenceAgent | PlantedAgent, box: LocalWorkspace) -> None:
    with pytest.raises(Fault, match="was given no answers"):
        agent.run(AttemptRequest("do it", 1, 1, Limits(), "x"), box)


@pytest.mark.parametrize(
    ("options", "skill", "size", "chance"),
    [
        ({"solve": 0.5}, None, 0, 0.5),
        ({"solve": 0.5}, "any", 9_000, 0.5),
        ({"solve": 0.5, "per_kilobyte": -0.02}, "any", 5_000, 0.4),
        ({"solve": 0.5, "content": {"good": 0.2}}, "good", 0, 0.7),
        ({"solve": 0.5, "content": {"good": 0.2}}, "other", 0, 0.5),
        ({"solve": 0.5, "per_kilobyte": -0.02, "content": {"good": 0.2}}, "good", 5_000, 0.6),
        ({"solve": 0.9, "content": {"good": 0.5}}, "good", 0, 1.0),
        ({"solve": 0.1, "per_kilobyte": -0.1}, "long", 9_000, 0.0),
    ],
)
def test_the_chance_is_the_sum_of_what_was_planted_clipped(options: dict, skill: str, size: int, chance: float) -> None:
    assert PlantedOptions.model_validate(options).chance(skill, size, "Build it.") == pytest.approx(chance)


def test_a_phrase_adds_its_effect_where_it_stands_in_the_prompt():
    plan = PlantedOptions.model_validate({"solve": 0.5, "phrases": {"never do": 0.3, "always": -0.1}})
    chances = [plan.chance("any", 0, text) for text in ("", "you never do", "you never do, always")]
    assert chances == pytest.approx([0.5, 0.8, 0.7])


def test_a_certain_agent_always_writes_the_reference_and_a_hopeless_one_never(box: LocalWorkspace) -> None:
    for draw in range(20):
        assert wrote(planted(solve=1), box, an_ask(f"r{draw}")) == b"right"
        assert wrote(planted(solve=0), box, an_ask(f"r{draw}")).decode() in MUTANTS


def test_draws_are_reproducible_and_differ_between_trials_and_seeds(box: LocalWorkspace) -> None:
    def draws(seed: int) -> list[bytes]:
        return [wrote(planted(solve=0.5, seed=seed), box, an_ask(f"trial r{number}")) for number in range(40)]

    first = draws(0)
    assert first == draws(0)
    assert first != draws(1)
    assert 8 < first.count(b"right") < 32


def test_the_share_of_references_is_the_planted_chance(box: LocalWorkspace) -> None:
    agent = planted(solve=0.3, content={"good": 0.4})
    plain = sum(wrote(agent, box, an_ask(f"r{n}")) == b"right" for n in range(600)) / 600
    helped = sum(wrote(agent, box, an_ask(f"r{n}", skill="good")) == b"right" for n in range(600)) / 600
    # Four standard errors of a share of 600; the draws are seeded, so this either always holds or never.
    assert plain == pytest.approx(0.3, abs=0.075)
    assert helped == pytest.approx(0.7, abs=0.075)


def test_how_it_errs_is_a_habit_of_the_attempt_and_not_of_the_trial(box: LocalWorkspace) -> None:
    agent = planted(solve=0)
    habits = {attempt: {wrote(agent, box, an_ask(f"r{n}", attempt=attempt)) for n in range(10)} for attempt in range(1, 9)}
    assert all(len(made) == 1 for made in habits.values())
    assert len(set().union(*habits.values())) > 1


def test_the_draw_leaves_the_global_random_state_alone(box: LocalWorkspace) -> None:
    random.seed(7)
    expected = random.Random(7).random()
    planted(solve=0.5).run(an_ask(), box)
    assert random.random() == expected


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"solve": 1.5}, r"option 'solve': .*less than or equal to 1 \(got 1.5\)"),
        ({"solve": "often"}, r"option 'solve': .*number.*got 'often'"),
        ({"sovle": 0.5}, r"option 'sovle': .*not permitted"),
        ({"content": {"good": "much"}}, r"option 'content.good'"),
    ],
)
def test_a_faulty_option_is_a_usage_error_of_one_line(options: dict, words: str) -> None:
    with pytest.raises(UsageError, match=words) as raised:
        make_agent(AgentSpec(name="planted", options=options))
    assert "\n" not in str(raised.value)
