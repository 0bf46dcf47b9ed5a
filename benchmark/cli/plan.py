"""`assay plan`: what a run would consist of."""

from pathlib import Path
from typing import Annotated

import typer

from benchmark.cli.console import Json, Names, Runs
from benchmark.plan.panel import Overrides, load_panel
from benchmark.plan.suite_settings import given_settings, given_to, setting, usual_panel, with_suite_options

PanelFile = Annotated[Path | None, typer.Option("--panel", help="The audit's panel.", metavar="FILE")]


@with_suite_options
def plan(
    context: typer.Context,
    panel: PanelFile = None,
    agent: Annotated[str | None, typer.Option(help="Who works.", metavar="NAME")] = None,
    model: Annotated[str | None, typer.Option(help="The agent's model.", metavar="ID")] = None,
    api_base: Annotated[str | None, typer.Option(help="An OpenAI-compatible endpoint.", metavar="URL")] = None,
    project: Names = None,
    skill: Annotated[list[str] | None, typer.Option(help="Audit this skill.", metavar="NAME|PATH")] = None,
    pool: Annotated[list[str] | None, typer.Option(help="More skills to draw controls from.", metavar="DIR")] = None,
    condition: Annotated[list[str] | None, typer.Option(help="Only this condition.", metavar="C")] = None,
    replicates: Annotated[int | None, typer.Option(help="Trials an arm on each project.", metavar="N")] = None,
    delivery: Annotated[list[str] | None, typer.Option(help="prompt, native or forced.", metavar="HOW")] = None,
    sandbox: Annotated[str | None, typer.Option(help="docker or local.", metavar="KIND")] = None,
    judge_model: Annotated[str | None, typer.Option(help="The model that grades.", metavar="ID")] = None,
    judge_api_base: Annotated[str | None, typer.Option(help="The judge's endpoint.", metavar="URL")] = None,
    runs: Runs = Path("runs"),
    as_json: Json = False,
) -> None:
    """Print what a run would consist of: trials, sharing, tokens, cost, smallest effect detectable. Writes nothing."""
    asked = Overrides(
        agent=agent,
        model=model,
        api_base=api_base,
        projects=tuple(project or ()),
        skills=tuple(skill or ()),
        pool=tuple(pool or ()),
        conditions=tuple(condition or ()),
        delivery=tuple(delivery or ()),
        replicates=replicates,
        judge_model=judge_model,
        judge_api_base=judge_api_base,
        suite_settings=given_settings(lambda suite, key: given_to(context).get(setting(suite, key))),
    )
    chosen = load_panel(panel or usual_panel(asked), asked)
    # late: costs 0.2 s (agents, sandboxes, trials), which the options and their help do without
    from benchmark.cli.planned import show_plan

    show_plan(chosen, runs.resolve(), sandbox, as_json=as_json)
