"""What a plan will come to before any of it is run: trials, tokens, money, and the smallest effect it can find."""

from collections import Counter
from collections.abc import Sequence

from agents.clients.client import Client
from agents.llm import costs_money, price_of
from agents.pricing import affordable
from agents.registry import make_agent, model_id
from benchmark.core.model import Data, TrialSpec
from benchmark.plan.planner import Plan
from reports.stats.statistics import chance_of_no_effect, smallest_effect


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


def outlook(plan: Plan, known: int | None = None) -> Outlook:
    """The plan in numbers; `known` is how many of its trials the store answers, None where that was not looked up."""
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
    if plan.panel.judge is not None and costs_money(model_id(plan.panel.judge), plan.panel.judge.api_base):
        return None, None, None, "what its judge costs depends on what it is shown"
    if not asked:
        return 0, 0, 0.0, None
    if any(isinstance(agents[spec.agent.label], Client) for spec in asked):
        return None, None, *_bounded(plan, asked)
    prompt = completion = 0
    usd: float | None = 0.0
    reason = None
    for spec in asked:
        size = spec.skill.size if spec.skill else 0
        cast = plan.suite.forecast(spec.project, size)
        if cast is None:
            return None, None, *_bounded(plan, asked)
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
        usd += spec.agent.limits.usd * plan.suite.attempts * plan.suite.task_count(spec.project)
    return usd, None


def check_budget(plan: Plan, expected: Outlook) -> None:
    """Raise UsageError for a model that costs money with no budget to spend on it, or with no price to keep to one."""
    most = f", up to ${expected.usd:,.2f} for this plan" if expected.usd is not None else ""
    judges = [plan.panel.judge] if plan.panel.judge else []
    affordable([*plan.panel.agents, *judges], plan.panel.budget.usd, "run", most)
