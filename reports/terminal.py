"""The plan and the results as lines for a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from benchmark.files import names
from benchmark.forecast import Outlook
from benchmark.session import RunSession, left_out
from benchmark.text import visible
from reports.delivery import NOTE, named
from reports.live import amount
from reports.outputs import Outputs, failure_lines
from skills.rules import brief

SCRIPTED = "The agent is scripted: its response is planted in the panel. These numbers show the instrument, not a model."
LOCAL = "is a model of 135 million parameters that runs on this machine: it is there to prove the path, not to be ranked."


def plan_lines(run: RunSession, expected: Outlook, browser: str) -> Iterator[str]:
    """What will be run, before anything is."""
    plan = run.plan
    conditions = ", ".join(f"{count} {name}" for name, count in expected.by_condition.items())
    known = f", {expected.known} answered by the store" if expected.known else ""
    yield f"assay: {_count(expected.trials)} ({conditions}), {expected.shared} more saved by sharing{known}"
    yield f"assay: panel {expected.panel_hash[:12]} · sandbox {run.sandbox} · {browser} · store {_near(run.store.root)}"
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


def _near(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def result_lines(results: Mapping[str, Any]) -> Iterator[str]:
    """One line an arm, one a contrast, the verdicts in a sentence each, and where the pages are."""
    if results["scripted"]:
        yield SCRIPTED
    yield from (f"{model} {LOCAL}" for model in results["local_models"])
    coverage = results["coverage"]
    yield "Trials: " + ", ".join(
        f"{count} {name.replace('_', ' ')}" for name, count in coverage.items() if count or name == "planned"
    )
    yield from (f"not used: {said}" for said in results["facts"].get("not_used", ()))
    yield from (f"lost: {said}" for said in results["facts"].get("lost", ()))
    if results["quarantined"]:
        yield f"left out of grading: {unsound(results['quarantined'])}"
    yield from _baselines(results)
    if results["arms"]:
        yield from _arms(results)
        yield from _contrasts(results)
        yield from _delivery(results)
        yield from _tokens(results)
    for absent in {(row["skill"], row["condition"], row["reason"]) for row in results["absent"]}:
        yield f"absent: {absent[1]} of {absent[0]}: {absent[2]}"
    yield from (line["sentence"] for line in results["verdicts"])
    yield from (f"verdicts: {said}" for said in results["facts"].get("verdicts", ()))
    yield from (line["why"] for line in results["gates"])
    yield from _files({name: _near(Path(path)) for name, path in results.get("files", {}).items()})
    if results.get("look"):
        yield f"looks: {results['look']}"
    yield from failure_lines(results.get("failed", ()))


def summary_lines(results: dict[str, Any]) -> list[str]:
    """The lines of `result_lines`; where they cannot be made that is one of the outputs that `failed`."""
    outputs = Outputs(Path())
    lines = outputs.make("terminal", lambda: list(result_lines(results)))
    if lines is None:
        results["failed"] += outputs.failed
        return list(failure_lines(results["failed"]))
    return lines


def _files(files: Mapping[str, str]) -> Iterator[str]:
    """Where to find what was written."""
    first = [f"{title}: {files[name]}" for name, title in (("page", "Report"), ("json", "numbers")) if name in files]
    if first:
        yield " · ".join(first)
    if "allure" in files:
        yield f"Allure: {files['allure']} (allure generate)"
    if "tables" in files:
        yield f"Tables: {files['tables']}"


def _table(columns: list[str], rows: list[list[str]]) -> Iterator[str]:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index < 2 else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(visible, row))
    out = StringIO()
    Console(file=out, width=220, no_color=True).print(table)
    yield from (line.rstrip() for line in out.getvalue().rstrip().splitlines())


def share(value: float | None) -> str:
    """A share of tasks in per cent."""
    return "not measured" if value is None else f"{100 * value:.1f} %"


def points(value: float | None) -> str:
    """A difference of shares in points."""
    return "—" if value is None else f"{100 * value:+.1f}"


def bounds(interval: Mapping[str, Any]) -> str:
    """An interval's ends in points, or why there is none."""
    if interval["low"] is None:
        return interval["reason"] or "—"
    return f"[{points(interval['low'])}, {points(interval['high'])}]"


def any_at(line: Mapping[str, Any]) -> str:
    """The highest k of any@k that the arm has replicates for."""
    known = [(k, value) for k, value in line["any_at"].items() if value is not None]
    return f"@{known[-1][0]} {share(known[-1][1])}" if known else "—"


def proven(purity: Mapping[str, Any]) -> str:
    """In how many baselines the absence of every skill that they are compared with is proven."""
    said = (
        f"baseline proven free of the skill in {purity['free']} of {purity['of']} {'trial' if purity['of'] == 1 else 'trials'}"
    )
    contaminated = f"; {purity['contaminated']} contaminated, in no contrast" if purity["contaminated"] else ""
    unproven = f"; not proven: {'; '.join(purity['unproven'][:3])}" if purity["unproven"] else ""
    return f"{said}{contaminated}{unproven}"


def _baselines(results: Mapping[str, Any]) -> Iterator[str]:
    if results["purity"]["of"]:
        yield f"C0: {proven(results['purity'])}"
    for reason in sorted({trial["reason"] for trial in results["trials"] if trial["status"] == "contaminated"})[:5]:
        yield f"contaminated: {reason}"


def arm_name(line: Mapping[str, Any], results: Mapping[str, Any]) -> str:
    """An arm or contrast for a narrow place, with its delivery where there is one to tell."""
    what = line["condition"] if "condition" in line else line["name"]
    return " ".join(part for part in (what, named(line["delivery"], results["deliveries"]), line["agent"]) if part)


def _arms(results: Mapping[str, Any]) -> Iterator[str]:
    rows = []
    for line in results["arms"]:
        value = line["metrics"]
        rows.append(
            [
                line["skill"],
                arm_name(line, results),
                f"{line['measured']}/{line['planned']}",
                share(value["pass2"]),
                "—" if value["tcd"] is None else f"{value['tcd']:.1f}",
                share(value["pass1"]),
                share(value["first_try"]),
                share(value["error1"]),
                any_at(line),
                "not measured" if value["tokens"] is None else amount(value["tokens"]),
                "not measured" if value["cached_tokens"] is None else amount(value["cached_tokens"]),
                "not measured" if value["usd"] is None else f"${value['usd']:.2f}",
                "—" if value["seconds"] is None else f"{value['seconds']:.1f} s",
            ]
        )
    quality = ["Pass@2", "TCD", "pass1", "first_try", "error@1", "any"]
    yield from _table(["skill", "arm", "trials", *quality, "tokens", "cached", "cost", "time"], rows)


def _contrasts(results: Mapping[str, Any]) -> Iterator[str]:
    rows = []
    for line in results["contrasts"]:
        rows.append(
            [
                line["skill"],
                arm_name(line, results),
                points(line["pass2"]["estimate"]),
                bounds(line["pass2"]),
                "—" if line["rho"]["estimate"] is None else f"{100 * line['rho']['estimate']:+.0f} %",
                "—" if line["rho"]["low"] is None else f"[{100 * line['rho']['low']:+.0f}, {100 * line['rho']['high']:+.0f}] %",
                f"{line['pass2']['families']} × {line['replicates']}",
            ]
        )
    if not rows:
        return
    level = 100 * results["contrasts"][0]["pass2"]["level"]
    yield from _table(["skill", "contrast", "ΔPass@2", f"{level:g} % interval", "ρ", "interval", "families × replicates"], rows)
    cautions: dict[str, list[str]] = {}
    for line in results["contrasts"]:
        if line["caution"]:
            cautions.setdefault(line["caution"], []).append(f"{line['skill']} {arm_name(line, results)}")
    for caution, concerned in cautions.items():
        yield f"caution: {caution} ({names(concerned, 3)})"


def part(count: int | None, whole: int) -> str:
    """So many of so many, with the share."""
    return "—" if count is None or not whole else f"{count}/{whole} = {100 * count / whole:.0f} %"


def _delivery(results: Mapping[str, Any]) -> Iterator[str]:
    """How skills were read where reading is up to the agent."""
    rows = []
    for line in results["delivery"]:
        if line["delivery"] == "prompt":
            continue
        rows.append(
            [
                line["skill"],
                arm_name(line, results),
                part(line["listed"], line["attempts"]),
                part(line["read"], line["readable"]),
                part(line["read_trials"], line["readable_trials"]),
                "—" if line["first_read"] is None else f"{line['first_read']:.1f} (n = {line['read']})",
                share(line["seen"]) if line["seen"] is not None else "—",
                str(line["not_delivered"]),
            ]
        )
    if rows:
        columns = [
            "skill",
            "delivery",
            "listed",
            "read",
            "trials that read",
            "first read in request",
            "body seen",
            "not delivered",
        ]
        yield from _table(columns, rows)
        yield NOTE
    notes: dict[str, list[str]] = {}
    for line in results["delivery"]:
        if line["note"]:
            notes.setdefault(line["note"], []).append("prompt" if line["delivery"] == "prompt" else line["skill"])
    for note, concerned in notes.items():
        yield f"delivery: {names(list(dict.fromkeys(concerned)), 3)}: {note}"


def counted(sums: Mapping[str, int | None]) -> str:
    """Prompt, cached and completion tokens of one count."""
    said = ["not given" if value is None else amount(value) for value in sums.values()]
    return f"{said[0]} prompt ({said[1]} cached), {said[2]} completion"


def _tokens(results: Mapping[str, Any]) -> Iterator[str]:
    """Where clients count their tokens otherwise than the gateway does."""
    lines = results["reported_tokens"]
    seen = set()
    for line in lines:
        counts = f"gateway {counted(line['gateway'])}; client {counted(line['client'])}"
        # Arms of several skills share their C0.
        if line["differ"] and (line["condition"], counts) not in seen:
            seen.add((line["condition"], counts))
            where = f"{line['skill']} {arm_name(line, results)}"
            yield f"tokens: {where}: counts differ in {line['differ']} of {line['attempts']} attempts; {counts}"
    agreed = sum(not line["differ"] for line in lines)
    if agreed:
        yield f"tokens: clients count as the gateway does in {agreed} of {len(lines)} arms in which they count"
