"""Whether a run can pay for the models that it asks: a priced model needs a price and a budget."""

from collections.abc import Iterable

from agents.llm import costs_money, price_of
from agents.registry import model_id
from benchmark.core.errors import UsageError
from benchmark.core.model import AgentSpec


def affordable(agents: Iterable[AgentSpec], budget_usd: float | None, what: str, most: str = "") -> None:
    """Raise UsageError for a model that costs money with no budget to spend on it, or with no price to keep to one.

    `what` is to be paid for; `most` says in words what it may cost at most.
    """
    asked = {agent.model: model_id(agent) for agent in agents if agent.model and not agent.api_base}
    priced = {model: full for model, full in asked.items() if costs_money(full)}
    for model, full in priced.items():
        if price_of(full) is None:
            raise UsageError(f"no price is known for {model}, so no budget could hold; add its row to agents/prices.toml")
    if priced and budget_usd is None:
        named = ", ".join(sorted(priced))
        raise UsageError(f"{named} costs money{most}: give --budget-usd AMOUNT, the most that this {what} may spend")
