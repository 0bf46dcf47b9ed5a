import pytest

from benchmark.core.errors import UsageError
from benchmark.core.model import AgentSpec
from benchmark.core.panel import Panel, PanelBudget
from benchmark.plan.forecast import check_budget, outlook
from benchmark.plan.planner import Plan, plan
from benchmark.run.session import Cassettes, RunSession, answered
from benchmark.run.trial import grade_key, resolve
from benchmark.store.store import Store
from benchmark.suite.discovery import find_suite
from reports.stats.statistics import smallest_effect
from tests.factory import Bare, record

PRICED = {"name": "web", "model": "anthropic/claude-sonnet-4-5"}


def planned(*agents: dict, **panel) -> Plan:
    specs = tuple(AgentSpec(**agent) for agent in agents or ({"name": "noop"},))
    return plan(
        Panel(suite="webdev", agents=specs, **{"skills": ("css-layout",), "replicates": 2, "conditions": ("C0", "C1"), **panel})
    )


def expect(made: Plan, tmp_path, sandbox=None):
    store = Store(tmp_path / "runs")
    known = None if sandbox is None else answered(RunSession(made, store, "local", 0.0, Cassettes()), sandbox)
    return outlook(made, known)


def test_trials_are_counted_by_condition(tmp_path):
    made = expect(planned(), tmp_path)
    assert (made.trials, made.by_condition, made.shared, made.absent) == (12, {"C0": 6, "C1": 6}, 0, 0)
    assert (made.families, made.replicates) == (3, 2)
    assert made.smallest_effect_points == smallest_effect(3, 2)[0]
    assert not (tmp_path / "runs").exists()


def test_scripted_agents_spend_nothing(tmp_path):
    made = expect(planned(), tmp_path)
    assert (made.prompt_tokens, made.completion_tokens, made.usd, made.usd_reason) == (0, 0, 0.0, None)


def test_a_priced_model_is_forecast_by_its_price(tmp_path):
    made = planned(PRICED)
    suite = find_suite("webdev")
    size = next(skill.ref.size for skill in made.injected)
    casts = [suite.forecast(p, s) for p in ("bakery-page", "course-signup", "reading-list") for s in (0, size)]
    assert all(casts)
    prompt, completion = 2 * sum(c.prompt_tokens for c in casts if c), 2 * sum(c.completion_tokens for c in casts if c)
    found = expect(made, tmp_path)
    assert (found.prompt_tokens, found.completion_tokens) == (prompt, completion)
    assert found.usd == pytest.approx((3 * prompt + 15 * completion) / 1e6)


def test_a_skill_adds_its_bytes_to_every_request():
    suite = find_suite("webdev")
    tasks = suite.task_count("bakery-page")
    plain, longer = (suite.forecast("bakery-page", size) for size in (0, 4000))
    assert plain and longer
    assert longer.prompt_tokens - plain.prompt_tokens == 2 * tasks * 1000
    assert longer.completion_tokens == plain.completion_tokens


def test_one_family_has_no_smallest_effect(tmp_path):
    made = expect(planned(projects=("bakery-page",)), tmp_path)
    assert made.smallest_effect_points is None and made.smallest_effect_reason


def test_what_the_store_answers_is_known(tmp_path):
    made, sandbox = planned(), Bare()
    assert expect(made, tmp_path).known is None
    assert expect(made, tmp_path, sandbox).known == 0
    store = Store(tmp_path / "runs")
    for spec in made.trials[:5]:
        resolved = resolve(spec, made.suite, sandbox)
        key = grade_key(made.suite, spec.project, resolved)
        # Treated trials answer whenever they ran; these started long ago, so that no C0 among them does.
        store.append(record(spec, work=spec.work_key(resolved), grade=key, started=1.0))
    treated = sum(spec.condition == "C1" for spec in made.trials[:5])
    assert 0 < treated < 5
    assert expect(made, tmp_path, sandbox).known == treated


def test_a_priced_model_needs_a_budget(tmp_path):
    made = planned(PRICED)
    with pytest.raises(UsageError, match="--budget-usd") as caught:
        check_budget(made, expect(made, tmp_path))
    assert "claude-sonnet-4-5" in str(caught.value)
    granted = planned(PRICED, budget=PanelBudget(usd=5))
    check_budget(granted, expect(granted, tmp_path))


@pytest.mark.parametrize("budget", [PanelBudget(), PanelBudget(usd=5)])
def test_a_model_without_a_price_is_refused_whatever_the_budget(tmp_path, budget):
    made = planned({"name": "web", "model": "nobody/knows-it"}, budget=budget)
    found = expect(made, tmp_path)
    assert found.usd is None and "nobody/knows-it" in (found.usd_reason or "")
    with pytest.raises(UsageError, match="no price is known for nobody/knows-it"):
        check_budget(made, found)


@pytest.mark.parametrize(
    "agent",
    [
        {"name": "noop"},
        {"name": "web", "model": "x", "api_base": "http://127.0.0.1:1/v1"},
        {"name": "web", "model": "ollama/x"},
    ],
)
def test_what_costs_nothing_needs_no_budget(tmp_path, agent):
    made = planned(agent)
    check_budget(made, expect(made, tmp_path))


def test_one_unknown_price_makes_the_whole_cost_unknown(tmp_path):
    agents = (PRICED, {"name": "web", "model": "x", "api_base": "http://127.0.0.1:1/v1"})
    for order in (agents, agents[::-1]):
        assert expect(planned(*order), tmp_path).usd is None
