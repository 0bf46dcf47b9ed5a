"""The plan and the results as lines for a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmark.core.files import names
from benchmark.plan.forecast import Outlook
from benchmark.run.session import RunSession, left_out
from reports.audit.delivery import IN_PROMPT, NOTE, named
from reports.failures import Outputs, failure_lines
from reports.formatting import amount, bounds, dollars, in_table, level, percent, percent_bounds, points, share
from reports.output.table import print_table
from reports.result_tables import PurityLine, TokenCounts
from reports.results import Results, Written
from reports.verdict.phrasing import covered
from skills.parsing.rules import brief

SCRIPTED = "The agent is scripted: its response is planted in the panel. These numbers show the instrument, not a model."
LOCAL = "is a model of 135 million parameters that runs on this machine: it is there to prove the path, not to be ranked."


def plan_lines(run: RunSession, expected: Outlook, tools: Mapping[str, str]) -> Iterator[str]:
    """What will be run, before anything is."""
    plan = run.plan
    conditions = ", ".join(f"{count} {name}" for name, count in expected.by_condition.items())
    known = f", {expected.known} answered by the store" if expected.known else ""
    yield f"assay: {_count(expected.trials)} ({conditions}), {expected.shared} more saved by sharing{known}"
    yield f"assay: panel {expected.panel_hash[:12]} · sandbox {run.sandbox} · {_tools(tools)}store {near(run.store.root)}"
    yield f"assay: {_money(expected)}; {_effect(expected)}"
    for skill in plan.skills.values():
        yield from (f"assay: note: {skill.id} {note}" for note in brief(skill.diagnostics))
    seen = set()
    for absent in plan.absent:
        if (absent.skill, absent.reason) not in seen:
            seen.add((absent.skill, absent.reason))
            yield f"assay: absent: {absent.condition} of {absent.skill} on {absent.project}: {absent.reason}"
    if tests := left_out(plan):
        yield f"assay: left out of grading: {unsound(tests)}"


def _tools(tools: Mapping[str, str]) -> str:
    """What grading rests on, beside where it is done."""
    return "".join(f"{name} {version} · " for name, version in tools.items() if name not in ("sandbox", "image"))


def unsound(quarantined: Mapping[str, Sequence[str]]) -> str:
    """How many tests of which projects are left out, and why."""
    count = sum(map(len, quarantined.values()))
    of = names((f"{project}: {len(lines)}" for project, lines in quarantined.items()), 8)
    return f"{count} {'test that fails' if count == 1 else 'tests that fail'} with the reference too ({of})"


def _money(expected: Outlook) -> str:
    if expected.prompt_tokens is None or expected.completion_tokens is None:
        return f"at most ${expected.usd:,.2f}" if expected.usd is not None else f"cost unknown ({expected.usd_reason})"
    tokens = expected.prompt_tokens + expected.completion_tokens
    if not tokens:
        return "no model is asked, nothing is spent"
    usd = f"${expected.usd:,.2f}" if expected.usd is not None else f"cost unknown ({expected.usd_reason})"
    return f"at most {amount(tokens)} tokens (estimated at 4 bytes each), {usd}"


def _effect(expected: Outlook) -> str:
    families = "1 family" if expected.families == 1 else f"{expected.families} families"
    size = f"{families} × {expected.replicates} replicate{'' if expected.replicates == 1 else 's'}"
    if expected.smallest_effect_points is None:
        return f"{size}: {expected.smallest_effect_reason}"
    found = f"{size} find an effect of {expected.smallest_effect_points:.0f} points or more (80 % power)"
    return f"{found}; {_nothing(expected)}"


def _nothing(expected: Outlook) -> str:
    """The chance that an effect of nothing is called so."""
    margin = f"NO PRACTICAL EFFECT within ±{expected.margin_points:g} points"
    chance = expected.no_practical_effect_chance
    if chance is None:
        return f"{margin}: {expected.no_practical_effect_reason}"
    said = "< 0.1 %" if chance < 0.001 else f"{100 * chance:.1f} %" if chance < 0.1 else f"{100 * chance:.0f} %"
    return f"{margin} would be reached in {said} of audits without any effect"


def _count(trials: int) -> str:
    return "1 trial" if trials == 1 else f"{trials} trials"


def near(path: Path) -> str:
    """A path as short as it can be said from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def result_lines(written: Written) -> Iterator[str]:
    """One line an arm, one a contrast, the verdicts in a sentence each, and where the pages are."""
    results = written.results
    if results.scripted:
        yield SCRIPTED
    yield from (f"{model} {LOCAL}" for model in results.local_models)
    yield f"Trials: {covered(results.coverage)}"
    yield from (f"not used: {line}" for line in results.facts.get("not_used", ()))
    yield from (f"lost: {line}" for line in results.facts.get("lost", ()))
    if results.quarantined:
        yield f"left out of grading: {unsound(results.quarantined)}"
    yield from _baselines(results)
    if results.arms:
        yield from _arms(results)
        yield from _contrasts(results)
        yield from _delivery(results)
        yield from _tokens(results)
    for condition, skill, reason in dict.fromkeys((row.condition, row.skill, row.reason) for row in results.absent):
        yield f"absent: {condition} of {skill}: {reason}"
    yield from _sections(results)
    yield from (line.sentence for line in results.verdicts)
    yield from (f"verdicts: {line}" for line in results.facts.get("verdicts", ()))
    yield from (line.why for line in results.gates)
    yield from _files({name: near(path) for name, path in written.files.items()})
    if written.look:
        yield f"looks: {written.look}"
    yield from failure_lines(written.failures)


def summary_lines(written: Written) -> tuple[list[str], bool]:
    """The lines of `result_lines`, and whether any output failed; where the lines cannot be made they are one of these."""
    outputs = Outputs(Path())
    lines = outputs.make("terminal", lambda: list(result_lines(written)))
    if lines is None:
        return list(failure_lines([*written.failures, *outputs.failed])), True
    return lines, bool(written.failures)


def _files(files: Mapping[str, str]) -> Iterator[str]:
    """Where to find what was written."""
    first = [f"{title}: {files[name]}" for name, title in (("page", "Report"), ("json", "numbers")) if name in files]
    if first:
        yield " · ".join(first)
    if "allure" in files:
        yield f"Allure: {files['allure']} (allure generate)"
    if "tables" in files:
        yield f"Tables: {files['tables']}"
    if "parquet" in files:
        yield f"Trials: {files['parquet']}"


def proven(purity: PurityLine) -> str:
    """In how many baselines the absence of every skill that they are compared with is proven."""
    said = f"baseline proven free of the skill in {purity.free} of {purity.of} {'trial' if purity.of == 1 else 'trials'}"
    contaminated = f"; {purity.contaminated} contaminated, in no contrast" if purity.contaminated else ""
    unproven = f"; not proven: {'; '.join(purity.unproven[:3])}" if purity.unproven else ""
    return f"{said}{contaminated}{unproven}"


def _baselines(results: Results) -> Iterator[str]:
    if results.purity.of:
        yield f"C0: {proven(results.purity)}"
    for reason in sorted({trial.reason or "" for trial in results.trials if trial.status == "contaminated"})[:5]:
        yield f"contaminated: {reason}"


def arm_name(what: str, agent: str, delivery: str, results: Results) -> str:
    """An arm or contrast for a narrow place, with its delivery where there is one to tell."""
    return " ".join(part for part in (what, named(delivery, results.deliveries), agent) if part)


def _arms(results: Results) -> Iterator[str]:
    metrics = [metric for metric in results.metrics if metric.shown]
    judged = any(line.judge_usd is not None for line in results.arms)
    rows = []
    for line in results.arms:
        row = [line.skill, arm_name(line.condition, line.agent, line.delivery, results), f"{line.measured}/{line.planned}"]
        row += [in_table(line.metrics[metric.name], metric) for metric in metrics]
        rows.append([*row, dollars(line.judge_usd)] if judged else row)
    heads = [metric.title for metric in metrics]
    yield from print_table(["skill", "arm", "trials", *heads, *(["judge"] if judged else [])], rows)


def _contrasts(results: Results) -> Iterator[str]:
    rows = [
        [
            line.skill,
            arm_name(line.name, line.agent, line.delivery, results),
            points(line.difference.estimate),
            bounds(line.difference),
            percent(line.rho.estimate),
            percent_bounds(line.rho),
            f"{line.difference.families} × {line.replicates}",
        ]
        for line in results.contrasts
    ]
    if not rows:
        return
    head = f"{level(results.contrasts[0].difference.level or 0)} interval"
    columns = [
        "skill",
        "contrast",
        f"Δ{results.primary.title}, points",
        head,
        "token ratio",
        "interval",
        "families × replicates",
    ]
    yield from print_table(columns, rows)
    cautions: dict[str, list[str]] = {}
    for line in results.contrasts:
        if line.caution:
            name = f"{line.skill} {arm_name(line.name, line.agent, line.delivery, results)}"
            cautions.setdefault(line.caution, []).append(name)
    for caution, concerned in cautions.items():
        yield f"caution: {caution} ({names(concerned, 3)})"


def part(count: int | None, whole: int) -> str:
    """Count / total with percentage."""
    return "—" if count is None or not whole else f"{count}/{whole} = {100 * count / whole:.0f} %"


def _delivery(results: Results) -> Iterator[str]:
    """How skills were read where reading is up to the agent."""
    rows = []
    for line in results.delivery:
        if line.delivery == "prompt":
            continue
        rows.append(
            [
                line.skill,
                arm_name(line.condition, line.agent, line.delivery, results),
                part(line.listed, line.attempts),
                part(line.read, line.readable),
                part(line.read_trials, line.readable_trials),
                "—" if line.first_read is None else f"{line.first_read:.1f} (n = {line.read})",
                share(line.seen) if line.seen is not None else "—",
                str(line.not_delivered),
            ]
        )
    if rows:
        columns = ["skill", "delivery", "listed", "read", "trials that read", "first read in request", "body seen"]
        yield from print_table([*columns, "not delivered"], rows)
        yield NOTE
    notes: dict[str, list[str]] = {}
    for line in results.delivery:
        if line.note and line.delivery != "prompt":
            notes.setdefault(line.note, []).append(line.skill)
    if any(line.delivery == "prompt" for line in results.delivery):
        yield IN_PROMPT
    for note, concerned in notes.items():
        yield f"Delivery: {names(list(dict.fromkeys(concerned)), 3)}: {note}"


def counted(sums: TokenCounts) -> str:
    """Prompt, cached and completion tokens of one count."""
    counts = (sums.prompt_tokens, sums.cached_tokens, sums.completion_tokens)
    prompt, cached, completion = ("not given" if count is None else amount(count) for count in counts)
    return f"{prompt} prompt ({cached} cached), {completion} completion"


def _tokens(results: Results) -> Iterator[str]:
    """Where clients count their tokens otherwise than the gateway does."""
    lines = results.reported_tokens
    seen = set()
    for line in lines:
        counts = f"gateway {counted(line.gateway)}; client {counted(line.client)}"
        # Arms of several skills share their C0.
        if line.differ and (line.condition, counts) not in seen:
            seen.add((line.condition, counts))
            where = f"{line.skill} {arm_name(line.condition, line.agent, line.delivery, results)}"
            yield f"tokens: {where}: counts differ in {line.differ} of {line.attempts} attempts; {counts}"
    agreed = sum(not line.differ for line in lines)
    if agreed:
        yield f"tokens: clients count as the gateway does in {agreed} of {len(lines)} arms in which they count"


def _sections(results: Results) -> Iterator[str]:
    """What the suite adds, as far as it is for a terminal."""
    for section in results.sections:
        if section.terminal and section.table:
            yield f"{section.title}:"
            yield from print_table(section.table.columns, section.table.rows, section.table.labels)
        yield from section.notes if section.terminal else ()
