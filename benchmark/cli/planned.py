"""What `assay plan` shows of a panel, apart from its options, which are there without all that a plan needs."""

from pathlib import Path

from benchmark.cli.console import show
from benchmark.cli.plan_lines import plan_lines
from benchmark.core.errors import SetupError
from benchmark.plan.forecast import outlook
from benchmark.plan.panel import Panel
from benchmark.run.session import answered, left_out, open_sandbox, open_session


def show_plan(panel: Panel, runs: Path, sandbox: str | None, *, as_json: bool) -> None:
    """Print a plan: its outlook, what is absent, and what would grade; nothing is written."""
    run = open_session(panel, runs, sandbox, unsandboxed=True)
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
