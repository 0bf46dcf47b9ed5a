"""`assay regrade`: what was kept, graded by today's checks."""

from collections.abc import Iterator
from pathlib import Path

from benchmark.cli.console import BudgetOption, Json, Runs, asking, existing, show
from benchmark.run.regrade import regrade_store
from benchmark.store.store import Store


def regrade(
    runs: Runs = Path("runs"),
    budget_usd: BudgetOption = None,
    as_json: Json = False,
) -> None:
    """Grade kept workspaces again with today's checks, tools and judge, without running an agent.

    A judge that failed is asked again. Trials that would have gone another way (a stop or a feedback differs) are named; the
    next pytest run runs them again.
    """
    existing(runs)
    with asking():
        outcome = regrade_store(Store(runs.resolve()), budget_usd)

    def lines() -> Iterator[str]:
        yield f"{outcome.unchanged} up to date, {len(outcome.regraded)} graded anew, {len(outcome.rerun)} to run again"
        yield from (f"to run again: {trial}" for trial in outcome.rerun)

    show(outcome.model_dump(mode="json"), as_json, lines)
