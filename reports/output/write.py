"""Make everything that can be made from a plan and its records: results.json, the page, the Allure results."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

from benchmark.core.errors import StoreFailed, UsageError, unforeseen
from benchmark.core.files import write_whole
from benchmark.core.model import CONDITIONS
from benchmark.store.store import Store
from reports.audit.breakdown import breakdown
from reports.audit.compare import matrix, quality_and_cost
from reports.audit.contrasts import CONTRASTS, SLICE_CONTRASTS, STATUSES, arm, contrast
from reports.audit.delivery import delivery_line, purity, token_line
from reports.audit.load import audit_of, load_plan
from reports.audit.metrics import BAD_LINES, Audit, TrialObservation
from reports.collector import uncollected
from reports.failures import Outputs, ReportFailed
from reports.output.allure import write_allure
from reports.output.junit import junit_xml
from reports.output.parquet import write_parquet
from reports.output.step_summary import write_step_summary
from reports.page.html import page
from reports.result_lines import AdviceRow, PairLine, TrialCoverage
from reports.result_tables import TrialLine
from reports.results import Results, Written, as_json
from reports.verdict.advice import advise
from reports.verdict.gate import Gate, outcomes, parse
from reports.verdict.looks import note, unplanned
from reports.verdict.verdict_lines import shrunken, verdict_lines


@uncollected()
def results(audit: Audit, store: Store | None = None, gates: Sequence[Gate] = ()) -> Results:
    """The audit's results. With its store also which questions were looked at before."""
    plan = audit.plan
    agents = list(dict.fromkeys(row.agent for row in plan.assignments))
    skills = list(dict.fromkeys(row.skill for row in plan.assignments))
    arms, contrasts, delivered, tokens = [], [], [], []
    for agent, skill, delivery in product(agents, skills, audit.deliveries):
        key = (skill, agent, delivery)
        arms += [arm(audit, *key, condition) for condition in CONDITIONS]
        contrasts += [contrast(audit, *key, *row) for row in (*CONTRASTS, *SLICE_CONTRASTS)]
        delivered += [delivery_line(audit, *key, condition) for condition in CONDITIONS if condition != "C0"]
        tokens += [token_line(audit, *key, condition) for condition in CONDITIONS]
    statuses = [item.status for item in audit.observations.values()]
    ran = [item for item in audit.observations.values() if item.record]
    started = [item.started for item in ran]
    contrasts = [line for line in contrasts if line]
    verdicts = verdict_lines(audit, unplanned(store, audit) if store else {})
    shrunk = shrunken(audit)
    found = Results(
        panel_hash=plan.hash,
        panel=plan.panel,
        suite=audit.suite.name,
        metrics=audit.suite.all_metrics,
        scripted=list(audit.facts.get("scripted", {})) == ["True"],
        local_models=sorted({item.model for item in ran if item.model and item.model.startswith("local/")}),
        deliveries=audit.deliveries,
        facts=audit.facts,
        first_trial=_day(min(started)) if started else None,
        last_trial=_day(max(started)) if started else None,
        coverage=TrialCoverage(planned=len(statuses), **{name: statuses.count(name) for name in STATUSES}),
        purity=purity(audit),
        absent=plan.absent,
        quarantined=plan.quarantined,
        skills=plan.skills,
        arms=[line for line in arms if line],
        contrasts=contrasts,
        verdicts=verdicts,
        advice=advise(audit, verdicts, shrunk),
        pairs=[
            PairLine(item.key[0], item.key[1], item.key[2], item.project, item.estimate, item.sd, item.reason)
            for item in shrunk
        ],
        breakdown=breakdown(audit),
        matrix=matrix(audit, contrasts, verdicts),
        cost=quality_and_cost(audit, contrasts, verdicts),
        delivery=[line for line in delivered if line],
        reported_tokens=[line for line in tokens if line],
        trials=[_trial(item) for item in audit.observations.values()],
    )
    return replace(found, gates=outcomes(gates, found))


def _trial(item: TrialObservation) -> TrialLine:
    seen = [one.evidence for one in item.attempts]
    return TrialLine(
        id=item.id,
        project=item.project,
        family=item.family,
        condition=item.condition,
        delivery=item.delivery,
        agent=item.agent,
        skill=item.skill,
        replicate=item.replicate,
        status=item.status,
        reason=item.reason,
        proven_free=item.free,
        unproven=item.unproven,
        listed=sum(bool(one and one.listed) for one in seen) if item.skill else None,
        opened=sum(bool(one and one.opened) for one in seen) if item.skill else None,
        attempts=len(item.attempts),
        limits=item.limits,
        metrics=item.values,
    )


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _json_lines(results: Results) -> Iterator[str]:
    """The results as JSON with a line for each of their members, and for each item of those that are lists.

    A large audit's results take a fifth of the time and half the bytes of those with indentation, and never lie in memory as
    one text.
    """
    opened = "{"
    for one in fields(results):
        if one.name == "sections":
            continue
        value = getattr(results, one.name)
        yield f"{opened}\n{_compact(one.name)}: "
        opened = ","
        if isinstance(value, list | tuple) and value:
            yield from (f"{',' if at else '['}\n {_compact(as_json(row))}" for at, row in enumerate(value))
            yield "\n]"
        else:
            yield _compact(as_json(value))
    tables = [
        {"title": item.title, "question": item.question, **as_json(item.table)} for item in results.sections if item.table
    ]
    yield f",\n{_compact('sections')}: {_compact(tables)}\n}}\n"


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_all(
    store: Store,
    digest: str | None,
    out: Path | None = None,
    gates: Sequence[str] = (),
    *,
    tables: bool = False,
    parquet: bool = False,
) -> Written:
    """Write the outputs of a plan below `out` (default: `report/` in the store), one by one: what fails is told and leaves the
    others.

    `gates` are expressions. With `tables` those of the suite's paper as well, with `parquet` the trials as Parquet. That the
    verdicts of a finished plan were spoken is kept in the store: it is a look. Raises UsageError without a plan and for a gate
    that cannot be read, ReportFailed without numbers.
    """
    plan = load_plan(store, digest)
    try:
        audit = audit_of(store, plan)
        found = results(audit, store, [parse(text, audit.suite.primary.name) for text in gates])
    except (StoreFailed, UsageError):
        raise
    except Exception as error:
        raise ReportFailed(f"there is no report, its numbers cannot be made: {unforeseen(error)}") from error
    outputs = Outputs(out or store.root / "report")
    added = outputs.make("sections of the suite", lambda: tuple(audit.suite.sections(audit, found)))
    found, files = _written(outputs, audit, store, replace(found, sections=added or ()), tables=tables, parquet=parquet)
    look = _look(store, audit)
    outputs.make("step summary", lambda: write_step_summary(found, files, os.environ))
    return Written(found, files, outputs.failed, look)


def _written(
    outputs: Outputs, audit: Audit, store: Store, found: Results, *, tables: bool, parquet: bool
) -> tuple[Results, dict[str, Path]]:
    """Write every output; the results with what of the store is lost, and the paths of the outputs that could be written."""
    files: dict[str, Path] = {}

    def make(name: str, file: str, write: Callable[[Path], object]) -> None:
        path = outputs.folder / file
        if outputs.make(name, lambda: (write(path), path)):
            files[name] = path

    # It reads most of what trials left, so that what is lost of it is known to those that follow.
    make("allure", "allure-results", lambda path: write_allure(audit, store, path, found.sections))
    found = replace(found, facts={**found.facts, **_lost(store)})
    make("json", "results.json", lambda path: write_whole(path, map(str.encode, _json_lines(found))))
    make("advice", "advice.json", lambda path: write_whole(path, _indented(found.advice)))
    make("junit", "junit.xml", lambda path: write_whole(path, junit_xml(found).encode()))
    make("page", "report.html", lambda path: write_whole(path, page(found, audit).encode()))
    if tables:
        make("tables", "tables/tables.html", lambda path: audit.suite.write_tables(audit, path.parent))
    if parquet:
        make("parquet", "trials.parquet", lambda path: write_parquet(found, path))
    return found, files


def _indented(rows: Sequence[AdviceRow]) -> bytes:
    return json.dumps(as_json(rows), indent=1, ensure_ascii=False, allow_nan=False).encode()


def _lost(store: Store) -> dict[str, dict[str, int]]:
    """What the report lacks of what trials left, as a fact."""
    told = list(store.lost.values())
    rows = dict.fromkeys(told[:BAD_LINES], 1)
    if more := len(told) - len(rows):
        rows[f"{more} more such blobs"] = more
    return {"lost": rows} if rows else {}


def _look(store: Store, audit: Audit) -> str | None:
    """Keep that the verdicts were spoken; why that could not be, where it could not: a report does not hang on it."""
    try:
        note(store, audit, datetime.now(UTC))
    except StoreFailed as failed:
        return f"that these verdicts were looked at could not be kept: {failed}"
    return None


def written_json(written: Written) -> dict[str, Any]:
    """The results with the files that they were written to, as JSON."""
    results = json.loads("".join(_json_lines(written.results)))
    return {**results, "files": {name: str(path) for name, path in written.files.items()}, "failed": as_json(written.failures)}
