"""What a plan will come to before any of it is run: trials, tokens, money, and the smallest effect it can find."""

from collections import Counter

from agents.llm import costs_money, price_of
from benchmark.engine import Known
from benchmark.errors import UsageError
from benchmark.model import Data
from benchmark.planner import Plan
from benchmark.store import Store
from fixtures.sandbox.base import Sandbox
from reports.statistics import smallest_effect

SCRIPTED = ("reference", "noop", "planted")


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
    )


def _tokens(plan: Plan) -> tuple[int | None, int | None, float | None, str | None]:
    asked = [spec for spec in plan.trials if spec.agent.name not in SCRIPTED]
    if not asked:
        return 0, 0, 0.0, None
    prompt = completion = 0
    usd: float | None = 0.0
    reason = None
    for spec in asked:
        size = spec.skill.size if spec.skill else 0
        cast = plan.suite.forecast(spec.project, size, 2)
        prompt += cast.prompt_tokens
        completion += cast.completion_tokens
        price = price_of(spec.agent.model or "", spec.agent.api_base)
        if price is None:
            usd, reason = None, f"no price is known for {spec.agent.model}"
        elif usd is not None:
            usd += (cast.prompt_tokens * price.prompt + cast.completion_tokens * price.completion) / 1e6
    return prompt, completion, usd, reason


def check_budget(plan: Plan, expected: Outlook) -> None:
    """Raise UsageError for a model that costs money with no budget to spend on it, or with no price to keep to one."""
    agents = [agent for agent in plan.panel.agents if agent.model and costs_money(agent.model, agent.api_base)]
    for agent in agents:
        if price_of(agent.model or "", agent.api_base) is None:
            raise UsageError(f"no price is known for {agent.model}, so no budget could hold; add its row to agents/prices.toml")
    if agents and plan.panel.budget.usd is None:
        usd = f", up to ${expected.usd:,.2f} for this plan" if expected.usd is not None else ""
        names = ", ".join(sorted(agent.model or "" for agent in agents))
        raise UsageError(f"{names} costs money{usd}: give --budget-usd AMOUNT, the most that this run may spend")
