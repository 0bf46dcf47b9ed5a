"""Allure results made from records: one result a trial, tasks and attempts as steps, with what a reviewer wants to see.

Written with the classes that allure-pytest brings, after the run, so that they can be made again from the store.
"""

import json
import shutil
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmark.core.files import hash_json, sha256
from benchmark.core.model import Attempt, Record, TaskResult
from benchmark.core.score import UNIT, Score
from benchmark.core.text import visible, visible_json
from benchmark.store.store import LostBlob, Store
from benchmark.suite.section import Section
from reports.audit.delivery import named
from reports.audit.metrics import Audit, TrialObservation
from reports.collector import uncollected
from reports.formatting import in_unit

#: The classes carry their fields by a library that type checkers do not see through.
_model: Any = import_module("allure_commons.model2")
_STATUS = {"measured": "passed", "not_delivered": "broken", "broken": "broken", "contaminated": "broken"}
_STATUS |= {"historical": "skipped"}


@uncollected()
def write_allure(audit: Audit, store: Store, folder: Path, sections: Sequence[Section] = ()) -> int:
    """Write the results of every trial that has a record below `folder`, which is emptied first; how many.

    What the suite adds is one more result, with its tables and pictures attached.
    """
    if folder.exists():
        shutil.rmtree(folder)
    try:
        return _write_results(audit, store, folder, sections)
    except BaseException:
        # Part of the results would be taken for all of them.
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _write_results(audit: Audit, store: Store, folder: Path, sections: Sequence[Section]) -> int:
    folder.mkdir(parents=True)
    shelf = _Shelf(store, folder)
    count = 0
    for item in audit.observations.values():
        if item.record is None:
            continue
        result = _result(item, store.read(item.record), audit, shelf)
        _write(result, folder)
        count += 1
    if sections:
        _write(_added(audit, shelf, sections), folder)
    (folder / "environment.properties").write_text(_environment(audit), encoding="utf-8")
    return count


def _write(result: Any, folder: Path) -> None:
    # As Allure's own logger writes it, which takes more than three times as long.
    text = json.dumps(result, default=_fields, ensure_ascii=False)
    (folder / result.file_pattern.format(prefix=result.uuid)).write_text(text, encoding="utf-8")


def _added(audit: Audit, shelf: "_Shelf", sections: Sequence[Section]) -> Any:
    """The result that holds what the suite adds to an audit."""
    suite = audit.suite
    result = _model.TestResult(
        uuid=str(uuid.uuid4()),
        name=f"{suite.title or suite.name}: what the suite adds",
        fullName=f"{suite.name}.sections",
        historyId=hash_json([suite.name, "sections"]),
        status="passed",
        labels=[_model.Label("epic", suite.name), _model.Label("suite", suite.name), _model.Label("framework", "pytest")],
    )
    for section in sections:
        title = f"{section.title} ({', '.join(section.question)})" if section.question else section.title
        if section.table:
            rows = [section.table.columns, *section.table.rows]
            text = "".join("\t".join(cell.replace("\t", " ") for cell in row) + "\n" for row in rows)
            result.attachments.append(shelf.attach_text(title, text, "text/tab-separated-values", "tsv"))
        if section.figure:
            result.attachments.append(shelf.attach_text(title, section.figure, "image/svg+xml", "svg"))
    return result


def _fields(item: Any) -> dict[str, Any]:
    """What Allure keeps of one of its objects: no field that says nothing, and no text but what can be read."""
    rows = {name: value for name, value in vars(item).items() if value or value is False}
    return {name: visible(value, lines=True) if isinstance(value, str) else value for name, value in rows.items()}


def _readable(show: Callable[[str], str], data: bytes) -> bytes:
    """What an attachment shows of text of any origin; the store has it as it was."""
    return show(data.decode("utf-8", "replace")).encode()


_READABLE: dict[str, Callable[[bytes], bytes]] = {
    "text/plain": partial(_readable, partial(visible, lines=True)),
    "application/json": partial(_readable, visible_json),
}


@dataclass(frozen=True)
class _Shelf:
    """The attachments of the results in `folder`; equal contents share a file."""

    store: Store
    folder: Path
    written: set[str] = field(default_factory=set)

    def attach(self, name: str, digest: str, kind: str, ending: str) -> Any:
        """An attachment of the blob with that hash."""
        source = f"{digest[:32]}-attachment.{ending}"
        if source not in self.written:
            (self.folder / source).write_bytes(_READABLE.get(kind, bytes)(self._kept(digest)))
            self.written.add(source)
        return _model.Attachment(name=name, source=source, type=kind)

    def attach_text(self, name: str, text: str, kind: str, ending: str) -> Any:
        """An attachment of a text that is in no store."""
        data = visible(text, lines=True).encode()
        source = f"{sha256(data)[:32]}-attachment.{ending}"
        (self.folder / source).write_bytes(data)
        return _model.Attachment(name=name, source=source, type=kind)

    def _kept(self, digest: str) -> bytes:
        """The blob, or why there is none: what was deleted or altered is no reason to leave out the rest."""
        try:
            return self.store.get(digest)
        except LostBlob as lost:
            return str(lost).encode()


def _result(item: TrialObservation, record: Record, audit: Audit, shelf: _Shelf) -> Any:
    start = int(record.started * 1000)
    skill = item.skill or "no skill"
    arm = " ".join(word for word in (item.condition, item.delivery and named(item.delivery, audit.deliveries)) if word)
    result = _model.TestResult(
        uuid=str(uuid.uuid4()),
        name=f"{item.project} · {arm} · {skill} · replicate {item.replicate}: {_came_to(item, audit)}",
        fullName=f"{audit.suite.name}.{item.id}",
        historyId=hash_json(item.id),
        testCaseId=hash_json(item.id),
        status=_STATUS[item.status],
        statusDetails=_model.StatusDetails(message=item.reason) if item.reason else None,
        start=start,
        stop=start + int(record.seconds * 1000),
        labels=[
            _model.Label("epic", audit.suite.name),
            _model.Label("feature", item.project),
            _model.Label("story", f"{arm} {skill}"),
            _model.Label("suite", audit.suite.name),
            _model.Label("host", record.resolved.sandbox),
            _model.Label("framework", "pytest"),
            _model.Label("tag", item.condition),
        ],
        parameters=[_model.Parameter(name, str(value)) for name, value in _parameters(item, record).items()],
    )
    clock = start
    for task in record.tasks:
        if task.attempts:
            step, clock = _task(task, shelf, clock)
            result.steps.append(step)
    return result


def _came_to(item: TrialObservation, audit: Audit) -> str:
    """The trial's primary metric in words."""
    metric = audit.suite.primary
    return f"{metric.title} {in_unit(item.values.get(metric.name), metric)}"


def _parameters(item: TrialObservation, record: Record) -> dict[str, Any]:
    metrics = {name: value for name, value in item.values.items() if value is not None}
    model = record.spec.agent.model or "none"
    return {"agent": item.agent, "model": model, "scripted": record.scripted, **_reached(item), **metrics}


def _reached(item: TrialObservation) -> dict[str, str]:
    """How the skill of a trial reached its agent."""
    if item.delivery is None:
        proof = {None: {}, True: {"baseline": "proven free of the skill"}, False: {"baseline": item.unproven or item.status}}
        return {"delivery": "none", **proof[item.free]}
    seen = [one.evidence for one in item.attempts if one.evidence]
    if item.delivery == "prompt":
        return {"delivery": "prompt", "listed": "in the prompt", "opened": "in the prompt"}
    listed, opened = (sum(getattr(one, name) is not None for one in seen) for name in ("listed", "opened"))
    said = {"listed": listed, "opened": opened}
    return {"delivery": item.delivery, **{name: f"{count} of {len(seen)} attempts" for name, count in said.items()}}


def _task(task: TaskResult, shelf: _Shelf, clock: int) -> tuple[Any, int]:
    score = task.score
    hard = f" ({task.difficulty})" if task.difficulty else ""
    step = _model.TestStepResult(name=f"Task {task.task}{hard}: {task.title} — {task.outcome or _scored(score)}", start=clock)
    step.status = _step_status(score)
    for attempt in task.attempts:
        part, clock = _attempt(attempt, shelf, clock)
        step.steps.append(part)
    step.stop = clock
    return step, clock


def _scored(score: Score | None) -> str:
    """A score in words, with its dimensions."""
    if score is None:
        return "not reached"
    if score.value is None:
        return f"no score: {score.reason}"
    if score.scale == UNIT and score.value in (0, 1) and not score.dimensions:
        return "solved" if score.value else "not solved"
    scale = f"{score.value:g} on {score.scale.low} to {score.scale.high}"
    parts = "".join(
        f", {name} {part.value if part.value is not None else part.reason}" for name, part in score.dimensions.items()
    )
    return f"{scale}{parts}"


def _step_status(score: Score | None) -> str:
    """How Allure marks a step: a score between the ends of its scale is neither right nor wrong, and passed."""
    if score is None or score.value is None:
        return "broken"
    return "failed" if score.scale == UNIT and score.value == 0 else "passed"


def _attempt(attempt: Attempt, shelf: _Shelf, clock: int) -> tuple[Any, int]:
    limit = f", stopped by its limit on {attempt.limit}" if attempt.limit else f", {attempt.reason}" if attempt.reason else ""
    step = _model.TestStepResult(name=f"Attempt {attempt.number}: {_scored(attempt.score)}{limit}", start=clock)
    step.status = _step_status(attempt.score)
    if attempt.feedback:
        step.statusDetails = _model.StatusDetails(message=attempt.feedback)
    step.attachments.append(shelf.attach("prompt", attempt.prompt, "text/plain", "txt"))
    step.attachments.append(shelf.attach("trajectory", attempt.trajectory, "application/json", "json"))
    for check in attempt.checks:
        part = _model.TestStepResult(
            name=f"Task {check.task}: {check.title}", start=clock, stop=clock + int(check.seconds * 1000)
        )
        part.status = "failed" if check.failure else "passed"
        if check.failure:
            part.statusDetails = _model.StatusDetails(message=f"{check.failure}: expected {check.expected}; seen: {check.seen}")
        if check.screenshot:
            part.attachments.append(shelf.attach("screenshot", check.screenshot, "image/jpeg", "jpg"))
        step.steps.append(part)
    step.stop = clock + int((attempt.seconds + attempt.grading_seconds) * 1000)
    return step, step.stop


def _environment(audit: Audit) -> str:
    rows = {name: ", ".join(values) for name, values in audit.facts.items()}
    rows["panel"] = audit.plan.hash
    values = {name: json.dumps(visible(value), ensure_ascii=False)[1:-1] for name, value in sorted(rows.items())}
    return "".join(f"{name}={value}\n" for name, value in values.items())
