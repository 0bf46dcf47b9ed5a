"""What a plan will come to before any of it is run: trials, tokens, money, and the smallest effect it can find."""

from collections import Counter
from collections.abc import Iterable, Sequence

from agents.client import Client
from agents.llm import costs_money, price_of
from benchmark.engine import Known
from benchmark.errors import UsageError
from benchmark.model import AgentSpec, Data, TrialSpec
from benchmark.planner import Plan
from benchmark.store import Store
from fixtures.agent import make_agent, model_id
from fixtures.sandbox.base import Sandbox
from reports.statistics import chance_of_no_effect, smallest_effect


class Outlook(Data):
    """A plan in numbers. Tokens and money are upper bounds: every task reached, every attempt used."""

    panel_hash: str
    trials: int
    by_condition: dict[str, int]
    shared: int
    known: int | None
    absent: int
    prompt_tokens: int | None
    completion_tokens: int | None
    usd: float | None
    usd_reason: str | None
    families: int
    replicates: int
    smallest_effect_points: float | None
    smallest_effect_reason: str | None
    #: The chance that an audit of this size calls an effect of nothing NO PRACTICAL EFFECT, at the panel's margin.
    no_practical_effect_chance: float | None
    no_practical_effect_reason: str | None
    margin_points: float


def outlook(plan: Plan, store: Store, sandbox: Sandbox | None) -> Outlook:
    """The plan in numbers. Without a sandbox it is not known how many trials the store answers."""
    known = None
    if sandbox is not None and (store.root / "records").is_dir():
        answered = Known(store, sandbox, plan.panel.window, plan.trials)
        known = sum(answered.record(spec) is not None for spec in plan.trials)
    elif sandbox is not None:
        known = 0
    prompt, completion, usd, reason = _tokens(plan)
    families = {plan.suite.family(item.project) for item in plan.assignments}
    effect, why = smallest_effect(len(families), plan.panel.replicates)
    margin = plan.panel.margin_points / 100
    chance, unlikely = chance_of_no_effect(len(families), plan.panel.replicates, margin, plan.panel.looks)
    return Outlook(
        panel_hash=plan.digest,
        trials=len(plan.trials),
        by_condition=dict(sorted(Counter(spec.condition for spec in plan.trials).items())),
        shared=plan.shared,
        known=known,
        absent=len(plan.absent),
        prompt_tokens=prompt,
        completion_tokens=completion,
        usd=usd,
        usd_reason=reason,
        families=len(families),
        replicates=plan.panel.replicates,
        smallest_effect_points=effect,
        smallest_effect_reason=why,
        no_practical_effect_chance=chance,
        no_practical_effect_reason=unlikely,
        margin_points=plan.panel.margin_points,
    )


def _tokens(plan: Plan) -> tuple[int | None, int | None, float | None, str | None]:
    agents = {spec.label: make_agent(spec) for spec in plan.panel.agents}
    asked = [spec for spec in plan.trials if not agents[spec.agent.label].scripted]
    if not asked:
        return 0, 0, 0.0, None
    if any(isinstance(agents[spec.agent.label], Client) for spec in asked):
        return None, None, *_bounded(plan, asked)
    prompt = completion = 0
    usd: float | None = 0.0
    reason = None
    for spec in asked:
        size = spec.skill.size if spec.skill else 0
        cast = plan.suite.forecast(spec.project, size, 2)
        prompt += cast.prompt_tokens
        completion += cast.completion_tokens
        price = price_of(model_id(spec.agent), spec.agent.api_base)
        if price is None:
            usd, reason = None, f"no price is known for {spec.agent.model}"
        elif usd is not None:
            usd += (cast.prompt_tokens * price.prompt + cast.completion_tokens * price.completion) / 1e6
    return prompt, completion, usd, reason


def _bounded(plan: Plan, asked: Sequence[TrialSpec]) -> tuple[float | None, str | None]:
    """What real clients may spend at most: they decide themselves how often they ask, so only a limit on money bounds it."""
    usd = 0.0
    for spec in asked:
        if spec.agent.limits.usd is None:
            return (
                None,
                f"{spec.agent.name} decides itself how often it asks; limits = {{ usd = … }} in the panel would bound it",
            )
        usd += spec.agent.limits.usd * 2 * plan.suite.task_count(spec.project)
    return usd, None


def check_budget(plan: Plan, expected: Outlook) -> None:
    """Raise UsageError for a model that costs money with no budget to spend on it, or with no price to keep to one."""
    most = f", up to ${expected.usd:,.2f} for this plan" if expected.usd is not None else ""
    affordable(plan.panel.agents, plan.panel.budget.usd, "run", most)


def affordable(agents: Iterable[AgentSpec], budget_usd: float | None, what: str, most: str = "") -> None:
    """Raise UsageError for a model that costs money with no budget to spend on it, or with no price to keep to one.

    `what` is to be paid for; `most` says in words what it may come to.
    """
    asked = {agent.model: model_id(agent) for agent in agents if agent.model and not agent.api_base}
    priced = {model: full for model, full in asked.items() if costs_money(full)}
    for model, full in priced.items():
        if price_of(full) is None:
            raise UsageError(f"no price is known for {model}, so no budget could hold; add its row to agents/prices.toml")
    if priced and budget_usd is None:
        named = ", ".join(sorted(priced))
        raise UsageError(f"{named} costs money{most}: give --budget-usd AMOUNT, the most that this {what} may spend")
