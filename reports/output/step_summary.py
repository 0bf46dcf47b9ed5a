"""What an audit says, as Markdown on the page of a GitHub Actions step."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from benchmark.core.text import visible
from reports.formatting import level, percent, points
from reports.result_lines import VerdictLine
from reports.results import Results
from reports.verdict.gate import row_of
from reports.verdict.phrasing import LOCAL, SCRIPTED, counted, covered

#: GitHub shows no summary of a step above 1 MiB at all.
LIMIT = 2**20
_MARKS = re.compile(r"([\\`*_\[\]<>#|~&@$^]|:(?=\S))")
_CUT = "\n\n**Cut here: GitHub takes 1 MiB a step.** The rest is in the full report.\n"
_COLUMNS = ("skill", "agent", "model", "delivery", "verdict", "points", "interval", "token ratio", "basis", "coverage")


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, in one line: nothing in it is markup or a link."""
    plain = " ".join(visible(" ".join(text.split())).split())
    return re.sub(r"\bwww\.", r"www\\.", _MARKS.sub(r"\\\1", plain))


def step_summary(results: Results, files: Mapping[str, Path], limit: int = LIMIT) -> str:
    """The results as Markdown of at most `limit` bytes; what is too long is cut after a whole line, and says so."""
    lines: list[str] = []
    left = limit - len(_CUT.encode())
    for line in _lines(results, files):
        left -= len(line.encode()) + 1
        if left < 0:
            return "\n".join(lines) + _CUT if lines else ""
        lines.append(line)
    return "\n".join(lines) + "\n"


def write_step_summary(results: Results, files: Mapping[str, Path], environ: Mapping[str, str]) -> Path | None:
    """Append the summary to the file that GITHUB_STEP_SUMMARY names, within what is left of its limit; None where none is."""
    name = environ.get("GITHUB_STEP_SUMMARY")
    if not name:
        return None
    path = Path(name)
    there = path.stat().st_size if path.exists() else 0
    text = step_summary(results, files, LIMIT - there - 1)
    with path.open("a", encoding="utf-8") as file:
        # What others wrote may end in the middle of a line.
        file.write(f"\n{text}" if there and text else text)
    return path


def _lines(results: Results, files: Mapping[str, Path]) -> Iterator[str]:
    yield f"## Skill Assay: {escaped(results.suite)}"
    yield ""
    if results.scripted:
        yield from (f"> {SCRIPTED}", "")
    for model in results.local_models:
        yield from (f"> {escaped(model)} {LOCAL}", "")
    verdicts, gates = results.verdicts, results.gates
    if not verdicts:
        yield "No verdict: the plan has no skill beside a baseline, or nothing has run."
    yield from (f"- {escaped(verdict.sentence)}" for verdict in verdicts)
    yield ""
    if gates:
        yield "### Gates"
        yield ""
        # Those that failed first: they are what a reader came for, and what is cut is cut from the end.
        for gate in sorted(gates, key=lambda gate: gate.passed):
            yield f"- {escaped(gate.why)}"
        yield ""
    if verdicts:
        yield "### Estimates"
        yield ""
        yield _row(_COLUMNS)
        yield _row(["---"] * len(_COLUMNS))
        yield from (_row(map(escaped, _cells(results, verdict))) for verdict in verdicts)
        yield ""
    yield _coverage(results)
    yield ""
    yield _where(files)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(results: Results, verdict: VerdictLine) -> list[str]:
    low, high, rho = verdict.low, verdict.high, row_of(results, verdict).values["rho"]
    counts = {"broken": verdict.broken, "not delivered": verdict.not_delivered, "limited": verdict.limited}
    missing = [f"{count} {said}" for said, count in counts.items() if count]
    return [
        verdict.skill,
        verdict.agent,
        verdict.model or "no model",
        verdict.delivery,
        verdict.word,
        points(verdict.estimate),
        "none" if low is None or high is None else f"{points(low)} to {points(high)} at {level(verdict.level)}",
        percent(rho if isinstance(rho, int | float) else None),
        counted(verdict.families, verdict.replicates),
        ", ".join([f"{verdict.measured} of {verdict.planned} trials measured", *missing]),
    ]


def _coverage(results: Results) -> str:
    when = f"; {results.first_trial} to {results.last_trial}" if results.first_trial else ""
    return f"Trials: {covered(results.coverage)}{escaped(when)}. Panel {results.panel_hash[:12]}."


def _where(files: Mapping[str, Path]) -> str:
    if not files:
        return "The full report: `assay report`."
    # Names below the folder of the runs: where the runner keeps its checkout is of no use to a reader.
    named = {name: "/".join(path.parts[-3:]) for name, path in files.items()}
    page, numbers = (escaped(named[name]) if name in named else "not written" for name in ("page", "json"))
    return f"The full report: {page}, its numbers: {numbers} (upload the folder as an artifact to keep it)."
