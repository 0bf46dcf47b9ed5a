"""The results as lines for a terminal."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmark.core.files import names
from reports.audit.delivery import IN_PROMPT, NOTE, named
from reports.failures import Outputs, failure_lines
from reports.formatting import bounds, dollars, in_table, level, near, percent, percent_bounds, points, share
from reports.output.table import print_table
from reports.results import Results, Written
from reports.verdict.phrasing import LOCAL, SCRIPTED, covered, part, proven, token_counts, unsound


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


def _tokens(results: Results) -> Iterator[str]:
    """Where clients count their tokens otherwise than the gateway does."""
    lines = results.reported_tokens
    seen = set()
    for line in lines:
        counts = f"gateway {token_counts(line.gateway)}; client {token_counts(line.client)}"
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
