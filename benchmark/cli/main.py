"""The `assay` command: what is done beside running pytest. Every command takes --json."""

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from benchmark.cli.console import Json, Names, Runs, existing, show, tell
from benchmark.cli.report import calibrate, report
from benchmark.cli.skills import skills
from benchmark.cli.validate import validate
from benchmark.core.errors import SetupError, StoreFailed, UsageError, system_reason
from benchmark.core.text import print_anything, print_error, print_line
from benchmark.plan.panel import Overrides, load_panel
from benchmark.plan.suite_settings import given_settings, given_to, setting, usual_panel, with_suite_options
from benchmark.run import interrupts
from benchmark.suite.discovery import suite_module, suite_names

app = typer.Typer(
    help="Skill Assay: should this skill be given to this agent for this kind of work? Trials are run by pytest; "
    "this command plans, checks, reports and cleans up.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.add_typer(skills, name="skills")
app.command()(report)
app.command()(calibrate)
app.command()(validate)
for _suite in suite_names():
    if _commands := suite_module(_suite, "cli"):
        app.add_typer(_commands.COMMANDS)

#: What the system says of files that cannot be read or written where they are: nothing of it is a fault of ours.
DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EISDIR, errno.EEXIST}
DISK |= {errno.EFBIG, errno.EIO, errno.ENAMETOOLONG}

PanelFile = Annotated[Path | None, typer.Option("--panel", help="The audit's panel.", metavar="FILE")]
BudgetOption = Annotated[
    float | None, typer.Option("--budget-usd", help="The most that may be spent; needed for priced models.", metavar="USD")
]


def main() -> None:
    """Run the command; a mistake in what was asked is one line and exit code 2, a disk that fails one and exit code 3."""
    print_anything()
    interrupts.watch()
    try:
        sys.exit(app(standalone_mode=False))
    except UsageError as error:
        print_error(error)
        sys.exit(2)
    except StoreFailed as failed:
        print_error(failed)
        sys.exit(3)
    except typer.Exit as leave:
        sys.exit(leave.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(interrupts.EXIT_CODE)
    except OSError as error:
        if error.errno not in DISK:
            raise
        print_error(system_reason(error))
        sys.exit(3)
    except Exception as error:
        # typer raises its own usage errors with a message and an exit code; all else is a fault of ours and shows itself.
        if not hasattr(error, "format_message"):
            raise
        message = error.format_message()  # type: ignore[attr-defined]
        # A command of commands that is called alone has shown its help and has no more to say.
        if message:
            print_error(f"{message}; see assay --help")
        sys.exit(2)


@app.command()
def doctor(
    build: Annotated[bool, typer.Option("--build", help="Build the sandbox's image from its Dockerfile first.")] = False,
    agent: Annotated[
        str | None, typer.Option(help="Prove that this agent can be measured: its positive control.", metavar="NAME")
    ] = None,
    model: Annotated[str | None, typer.Option(help="The agent's model; default: a scripted one.", metavar="ID")] = None,
    api_base: Annotated[str | None, typer.Option(help="An OpenAI-compatible endpoint.", metavar="URL")] = None,
    as_json: Json = False,
) -> None:
    """Examine this machine: browser, Node, packages, engine, image, commands inside. Exit 1 if something is missing.

    npm packages of projects are installed into the cache; with --build the image is built. Nothing else is changed.
    With --agent one agent is examined instead: it is installed, started in the sandbox, and must be seen to open a skill.
    """
    if agent:
        _doctor_agent(agent, model, api_base, as_json)
    from benchmark.cli.doctor import Finding, examine
    from benchmark.suite.discovery import find_suite

    findings: list[Finding] = []
    for finding in examine([find_suite(name) for name in suite_names()], build_image=build):
        findings.append(finding)
        if not as_json:
            print_line(f"{'ok     ' if finding.ok else 'missing'} {finding.name}: {finding.found}")
            if finding.advice:
                print_line(f"        needed for {finding.needed_for}: {finding.advice}")
    if as_json:
        rows = [finding.model_dump() for finding in findings]
        show({"ok": all(item.ok for item in findings), "findings": rows}, True, list)
    raise typer.Exit(0 if all(finding.ok for finding in findings) else 1)


def _doctor_agent(name: str, model: str | None, api_base: str | None, as_json: bool) -> None:
    from benchmark.cli.doctor import control_lines, examine_agent
    from benchmark.core.errors import Fault
    from benchmark.core.model import AgentSpec

    try:
        found = examine_agent(AgentSpec(name=name, model=model, api_base=api_base))
    except Fault as fault:
        raise SetupError(f"{name}: {fault}") from fault
    show(found.model_dump(mode="json"), as_json, lambda: control_lines(found))
    raise typer.Exit(0 if found.ok else 1)


@app.command()
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
    from benchmark.cli.plan_lines import plan_lines
    from benchmark.plan.forecast import outlook
    from benchmark.run.session import answered, left_out, open_sandbox, open_session

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
    run = open_session(chosen, runs.resolve(), sandbox, unsandboxed=True)
    try:
        opened = open_sandbox(run.sandbox)
        try:
            expected, tools = outlook(run.plan, answered(run, opened)), run.plan.suite.grading_tools(opened)
        finally:
            opened.close()
    except (SetupError, RuntimeError) as missing:
        expected, tools = outlook(run.plan), {"not ready": str(missing)}
    absent = [item.model_dump() for item in run.plan.absent]
    trials = [spec.id for spec in run.plan.trials]
    data = {**expected.model_dump(), "absent_arms": absent, "quarantined": left_out(run.plan), "trial_ids": trials}
    show(data, as_json, lambda: plan_lines(run, expected, tools))


@app.command()
def regrade(
    runs: Runs = Path("runs"),
    budget_usd: BudgetOption = None,
    as_json: Json = False,
) -> None:
    """Grade kept workspaces again with today's checks, tools and judge, without running an agent.

    A judge that failed is asked again. Trials that would have gone another way (a stop or a feedback differs) are named; the
    next pytest run runs them again.
    """
    from benchmark.run.regrade import regrade_store
    from benchmark.store.store import Store

    existing(runs)
    with _asking():
        outcome = regrade_store(Store(runs.resolve()), budget_usd)

    def lines() -> Iterator[str]:
        yield f"{outcome.unchanged} up to date, {len(outcome.regraded)} graded anew, {len(outcome.rerun)} to run again"
        yield from (f"to run again: {trial}" for trial in outcome.rerun)

    show(outcome.model_dump(mode="json"), as_json, lines)


@app.command()
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
    from benchmark.judging.adherence.steps import find_skill, step_lines, take_apart
    from benchmark.store.store import Store

    store = Store(runs.resolve())
    with _asking():
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


@app.command()
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
    from benchmark.judging.adherence.report import judge_all, lines
    from benchmark.store.store import Store

    existing(runs)

    with _asking():
        result = judge_all(Store(runs.resolve()), panel_hash, model, api_base, budget_usd, tell)
    show(result, as_json, lambda: lines(result))
    raise typer.Exit(3 if result["fault"] else 0)


@contextmanager
def _asking() -> Iterator[None]:
    """A fault of a model that is asked is one line and exit 3, a spent budget one that says how to go on."""
    from benchmark.core.errors import BudgetReached, Fault

    try:
        yield
    except Fault as fault:
        print_error(fault)
        raise typer.Exit(3) from fault
    except BudgetReached as reached:
        raise UsageError(str(reached)) from reached


@app.command()
def clean(as_json: Json = False) -> None:
    """Remove containers and temporary folders whose process is gone, and only those."""
    from benchmark.core.temporary import remove_abandoned
    from fixtures.sandbox.docker import reap

    folders = [str(folder) for folder in remove_abandoned()]
    containers: list[str] = []
    without = None
    try:
        containers = reap()
    except SetupError as error:
        without = str(error)  # a machine without an engine has folders all the same

    def lines() -> Iterator[str]:
        yield f"removed: containers without a worker {len(containers)}, temporary folders without an owner {len(folders)}"
        if without:
            yield f"containers were not looked for: {without}"

    show({"removed": containers, "folders": folders}, as_json, lines)


if __name__ == "__main__":
    main()
