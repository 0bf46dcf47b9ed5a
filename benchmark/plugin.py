"""The pytest side of running trials: options, the plan before collection, and one case a trial. `fixtures.plugin` runs it."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark.expression import Expression

from agents.registry import AGENTS
from benchmark.core.errors import StoreFailed, UsageError
from benchmark.core.model import DELIVERIES
from benchmark.core.text import print_anything, print_error
from benchmark.plan.forecast import check_budget, outlook
from benchmark.plan.panel import Overrides, load_panel
from benchmark.plan.suite_settings import given_settings, setting, usual_panel
from benchmark.run import interrupts
from benchmark.run.session import Cassettes, RunSession, answered, keep_inputs, open_sandbox, open_session, preflight
from benchmark.suite.discovery import suite_options
from fixtures.gateway.client import Gateway, GatewayRun, opened
from reports.verdict.gate import parse

RUN = pytest.StashKey[RunSession]()
#: The run's gateway as JSON, the same for all workers.
GATEWAY = pytest.StashKey[str]()
SANDBOX = pytest.StashKey[Any]()
GATES = pytest.StashKey[list[str]]()
#: What a case tells the controller, under these names in the report's properties: of its record, and why the run must end.
PROPERTY, STOPPED = "assay", "assay-stopped"
BENCHMARK = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("assay", "Skill Assay: should this skill be given to this agent for this kind of work?")
    add = group.addoption
    add("--panel", type=Path, default=None, metavar="FILE", help="the audit's panel (default: panels/demo.toml)")
    add("--agent", metavar="NAME", help=f"who works: {', '.join(AGENTS)} (default: the panel's agents)")
    add("--model", metavar="ID", help="its model: PROVIDER/NAME, or NAME alone for a client's own provider")
    add("--api-base", metavar="URL", help="an OpenAI-compatible endpoint of your own; its key is taken from ASSAY_API_KEY")
    add("--judge-model", metavar="ID", help="the model that grades, for suites that ask one")
    add("--judge-api-base", metavar="URL", help="the judge's endpoint, where it is one of your own")
    for suite, options in suite_options().items():
        for option in options:
            given = {"metavar": option.metavar} if option.const is None else {"action": "store_const", "const": option.const}
            add(option.name, dest=setting(suite, option.key), help=option.help, **given)
    add("--project", action="append", default=[], metavar="NAME", help="only this project (again for more; * works)")
    add("--skill", action="append", default=[], metavar="NAME|PATH", help="audit this skill: a collection name or a folder")
    add("--pool", action="append", default=[], metavar="DIR", help="more skills to draw length-matched controls from")
    add("--condition", action="append", default=[], metavar="C", help="only this condition, C1 or C3:-rules (again for more)")
    add("--replicates", type=int, metavar="N", help="trials an arm on each project")
    add("--delivery", action="append", default=[], metavar="HOW", help=f"how the skill reaches it: {', '.join(DELIVERIES)}")
    add("--sandbox", choices=("docker", "local"), help="default: local for scripted agents, docker for all others")
    add("--allow-unsandboxed", action="store_true", help="let model-written code run on this machine with --sandbox local")
    add("--runs", type=Path, default=Path("runs"), metavar="DIR", help="the store of records (default: runs)")
    add("--budget-usd", type=float, metavar="USD", help="the most that this run may spend; needed for priced models")
    add("--record", type=Path, metavar="DIR", help="keep what models answer as cassettes, to be replayed without them")
    add("--replay", type=Path, metavar="DIR", help="take models' answers from cassettes; a changed request is an error")
    add("--gate", action="append", default=[], metavar="EXPR", help="exit 1 unless it holds: 'verdict != HURTS'")
    add("--must-solve", action="store_true", help="report every task that was not solved as a failed subtest")


def overrides(config: pytest.Config) -> Overrides:
    """What the command line changes of the panel."""
    option: Any = config.getoption
    return Overrides(
        agent=option("--agent"),
        model=option("--model"),
        api_base=option("--api-base"),
        projects=tuple(option("--project")),
        skills=tuple(option("--skill")),
        pool=tuple(option("--pool")),
        conditions=tuple(option("--condition")),
        delivery=tuple(option("--delivery")),
        replicates=option("--replicates"),
        budget_usd=option("--budget-usd"),
        judge_model=option("--judge-model"),
        judge_api_base=option("--judge-api-base"),
        suite_settings=given_settings(lambda suite, key: option(setting(suite, key))),
    )


def runs_trials(config: pytest.Config) -> bool:
    """Whether this invocation runs trials: `pytest tests` needs no panel, no engine and no browser.

    In a folder of one's own, `--panel` says so.
    """
    if config.getoption("--panel"):
        return True
    paths = [Path(str(arg).partition("::")[0]).resolve() for arg in config.args]
    return any(path.is_relative_to(BENCHMARK) or BENCHMARK.is_relative_to(path) for path in paths)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Work out the plan before collection; a mistake in what was asked is one line and exit code 2."""
    if config.option.help or config.option.version or not runs_trials(config):
        return None
    print_anything()
    # A worker ends with the controller: a second interrupt has nothing to add there.
    interrupts.watch(leave=not hasattr(config, "workerinput"))
    config.add_cleanup(interrupts.unwatch)
    try:
        _set_up(config)
    except (UsageError, StoreFailed) as error:
        print_error(error)
        return 2
    except KeyboardInterrupt:
        return interrupts.EXIT_CODE
    return None


def _set_up(config: pytest.Config) -> None:
    asked = overrides(config)
    panel = load_panel(config.getoption("--panel") or usual_panel(asked), asked)
    worker = getattr(config, "workerinput", None)
    option: Any = config.getoption
    run = open_session(
        panel,
        option("--runs").resolve(),
        option("--sandbox"),
        unsandboxed=option("--allow-unsandboxed"),
        since=worker["assay_since"] if worker else None,
        cassettes=_cassettes(option("--record"), option("--replay")),
    )
    config.stash[RUN] = run
    _check_selection(config, run)
    # A gate that cannot be read is told before anything is spent.
    config.stash[GATES] = config.option.gate
    for text in config.option.gate:
        parse(text, run.plan.suite.primary.name)
    if worker:
        config.stash[GATEWAY] = worker["assay_gateway"]
        return
    if config.option.collectonly:
        return
    run.store.check_writable()
    if not run.cassettes.replay:
        check_budget(run.plan, outlook(run.plan))
    config.stash[GATEWAY] = _gateway(config, run) if run.asks_models else ""
    sandbox = open_sandbox(run.sandbox)
    try:
        preflight(run, sandbox, opened_gateway(config))
        tools = run.plan.suite.grading_tools(sandbox)
        config.stash[SANDBOX] = (outlook(run.plan, answered(run, sandbox)), tools)
        keep_inputs(run, sandbox)
    finally:
        sandbox.close()


def _check_selection(config: pytest.Config, run: RunSession) -> None:
    """Raise UsageError where `-k` selects no trial of the plan.

    What is collected beside trials, and what pytest cannot read, is left to pytest.
    """
    wanted = config.option.keyword.strip()
    paths = [Path(str(arg).partition("::")[0]).resolve() for arg in config.args]
    if not wanted or not all(path.is_relative_to(BENCHMARK) for path in paths):
        return
    try:
        expression = Expression.compile(wanted)
    except SyntaxError:
        return

    def selected(trial: str) -> bool:
        # What pytest matches: the names of the case, its module and its folder.
        names = (f"test_trial[{trial}]".lower(), "test_trials.py", BENCHMARK.name)
        return expression.evaluate(lambda part, /, **_: any(part.lower() in name for name in names))

    if not any(selected(spec.id) for spec in run.plan.trials):
        raise UsageError(f"no trial of this plan matches -k {wanted!r}; assay plan --json lists their ids")


def _cassettes(record: Path | None, replay: Path | None) -> Cassettes:
    if record and replay:
        raise UsageError("--record and --replay exclude each other: give one of them")
    if replay and not replay.is_dir():
        raise UsageError(f"no cassettes at {replay}; make them with --record {replay}")
    return Cassettes(str(record.resolve()) if record else None, str(replay.resolve()) if replay else None)


def _gateway(config: pytest.Config, run: RunSession) -> str:
    """What the run's gateway is told; its folder and itself go when pytest does."""
    exits = ExitStack()
    config.add_cleanup(exits.close)
    gateway = exits.enter_context(
        opened(
            run.models,
            run.store.root,
            since=run.since,
            budget_usd=run.plan.panel.budget.usd,
            record=run.cassettes.record,
            replay=run.cassettes.replay,
        )
    )
    return gateway.run.model_dump_json()


def opened_gateway(config: pytest.Config) -> Any:
    """The run's gateway as this process reaches it; None where no agent asks a model."""
    told = config.stash.get(GATEWAY, "")
    if not told:
        return None
    return Gateway(GatewayRun.model_validate_json(told))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell an xdist worker when the run's money started to count, and where its gateway is."""
    if RUN in node.config.stash:
        node.workerinput["assay_since"] = node.config.stash[RUN].since
        node.workerinput["assay_gateway"] = node.config.stash.get(GATEWAY, "")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One case a trial of the panel, in the plan's order; nothing is built to be deselected."""
    if RUN in metafunc.config.stash and {"trial", "record"} <= set(metafunc.fixturenames):
        trials = metafunc.config.stash[RUN].plan.trials
        metafunc.parametrize("trial", trials, ids=[spec.id for spec in trials], indirect=True)
