"""`assay steps` and `assay followed`: what a skill prescribes, and what agents did of it."""

from pathlib import Path
from typing import Annotated

import typer

from benchmark.cli.console import BudgetOption, Json, Runs, asking, existing, show, tell
from benchmark.core.errors import UsageError
from benchmark.judging.adherence.report import judge_all, lines
from benchmark.judging.adherence.steps import find_skill, step_lines, take_apart
from benchmark.store.store import Store


def steps(
    skill: Annotated[str, typer.Argument(help="A folder, or the name of a skill of the collection or of a run.")],
    model: Annotated[str, typer.Option(help="The model that takes the skill apart.", metavar="ID")],
    api_base: Annotated[str | None, typer.Option(help="An OpenAI-compatible endpoint.", metavar="URL")] = None,
    runs: Runs = Path("runs"),
    budget_usd: BudgetOption = None,
    out: Annotated[Path | None, typer.Option(help="Write a copy here as well.", metavar="FILE")] = None,
    again: Annotated[bool, typer.Option("--again", help="Make them anew where they are there, edited or not.")] = False,
    as_json: Json = False,
) -> None:
    """Write down the steps that a skill prescribes, once: a model takes it apart, and the file in the store can be edited."""
    store = Store(runs.resolve())
    with asking():
        kept, usage = take_apart(store, find_skill(store, skill), model, api_base, budget_usd, again=again)
    if out:
        if out.exists() and not again:
            raise UsageError(f"{out} is there already; give another --out, or --again to replace it")
        out.write_bytes(kept.path.read_bytes())
    data = {
        "file": str(kept.path),
        "made": usage is not None,
        "usage": usage.model_dump(mode="json") if usage else None,
        "sha256": kept.sha256,
        **kept.workflow.model_dump(mode="json"),
    }
    show(data, as_json, lambda: step_lines(kept, usage))


def followed(
    model: Annotated[str, typer.Option(help="The model that judges.", metavar="ID")],
    api_base: Annotated[str | None, typer.Option(help="An OpenAI-compatible endpoint.", metavar="URL")] = None,
    runs: Runs = Path("runs"),
    budget_usd: BudgetOption = None,
    panel_hash: Annotated[str | None, typer.Option("--panel-hash", help="Which plan of the store; default: the last.")] = None,
    as_json: Json = False,
) -> None:
    """Judge which of a skill's steps agents followed, skipped or contradicted once they had it before them.

    Skills need their steps written down (`assay steps`). What was judged before is not asked again. Exit 3 where the judge
    failed before the last attempt.
    """
    existing(runs)

    with asking():
        result = judge_all(Store(runs.resolve()), panel_hash, model, api_base, budget_usd, tell)
    show(result, as_json, lambda: lines(result))
    raise typer.Exit(3 if result["fault"] else 0)
