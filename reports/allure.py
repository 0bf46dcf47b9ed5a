"""Allure results made from records: one result a trial, tasks and attempts as steps, with what a reviewer wants to see.

Written with the classes that allure-pytest brings, after the run, so that they can be made again from the store.
"""

import json
import shutil
import uuid
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmark.files import hash_json
from benchmark.model import Attempt, Record, TaskResult
from benchmark.store import Store
from reports.delivery import named
from reports.metrics import Audit, Observation

#: The classes carry their fields by a library that type checkers do not see through.
_model: Any = import_module("allure_commons.model2")
_STATUS = {"measured": "passed", "not_delivered": "broken", "broken": "broken", "contaminated": "broken"}
_STATUS |= {"historical": "skipped"}


def write_allure(audit: Audit, store: Store, folder: Path) -> int:
    """Write the results of every trial that has a record below `folder`, which is emptied first; how many."""
    from allure_commons.logger import AllureFileLogger

    shutil.rmtree(folder, ignore_errors=True)
    logger = AllureFileLogger(str(folder))
    count = 0
    for item in audit.observations.values():
        if item.record is None:
            continue
        logger.report_result(_result(item, store.read(item.record), audit, store, folder))
        count += 1
    (folder / "environment.properties").write_text(_environment(audit), encoding="utf-8")
    return count


def _result(item: Observation, record: Record, audit: Audit, store: Store, folder: Path) -> Any:
    start = int(record.started * 1000)
    solved = sum(task.outcome == "solved" for task in record.tasks)
    skill = item.skill or "no skill"
    arm = " ".join(word for word in (item.condition, item.delivery and named(item.delivery, audit.deliveries)) if word)
    result = _model.TestResult(
        uuid=str(uuid.uuid4()),
        name=f"{item.project} · {arm} · {skill} · replicate {item.replicate}: {solved}/{record.task_count} solved",
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
            step, clock = _task(task, store, folder, clock)
            result.steps.append(step)
    return result


def _parameters(item: Observation, record: Record) -> dict[str, Any]:
    metrics = {name: value for name, value in item.values.items() if value is not None}
    model = record.spec.agent.model or "none"
    return {"agent": item.agent, "model": model, "scripted": record.scripted, **_reached(item), **metrics}


def _reached(item: Observation) -> dict[str, str]:
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


def _task(task: TaskResult, store: Store, folder: Path, clock: int) -> tuple[Any, int]:
    step = _model.TestStepResult(name=f"Task {task.task} ({task.difficulty}): {task.title} — {task.outcome}", start=clock)
    step.status = "passed" if task.outcome == "solved" else "failed"
    for attempt in task.attempts:
        part, clock = _attempt(attempt, store, folder, clock)
        step.steps.append(part)
    step.stop = clock
    return step, clock


def _attempt(attempt: Attempt, store: Store, folder: Path, clock: int) -> tuple[Any, int]:
    limit = f", stopped by its limit on {attempt.limit}" if attempt.limit else ""
    step = _model.TestStepResult(
        name=f"Attempt {attempt.number}: {'solved' if attempt.solved else 'not solved'}{limit}", start=clock
    )
    step.status = "passed" if attempt.solved else "failed"
    if attempt.feedback:
        step.statusDetails = _model.StatusDetails(message=attempt.feedback)
    step.attachments.append(_attach(folder, "prompt", store.get(attempt.prompt), "text/plain", "txt"))
    step.attachments.append(_attach(folder, "trajectory", store.get(attempt.trajectory), "application/json", "json"))
    for check in attempt.checks:
        part = _model.TestStepResult(
            name=f"Task {check.task}: {check.title}", start=clock, stop=clock + int(check.seconds * 1000)
        )
        part.status = "failed" if check.failure else "passed"
        if check.failure:
            part.statusDetails = _model.StatusDetails(message=f"{check.failure}: expected {check.expected}; seen: {check.seen}")
        if check.screenshot:
            part.attachments.append(_attach(folder, "screenshot", store.get(check.screenshot), "image/jpeg", "jpg"))
        step.steps.append(part)
    step.stop = clock + int((attempt.seconds + attempt.grading_seconds) * 1000)
    return step, step.stop


def _attach(folder: Path, name: str, data: bytes, kind: str, ending: str) -> Any:
    """An attachment; equal contents share a file."""
    source = f"{hash_json([name, data.hex()])[:32]}-attachment.{ending}"
    path = folder / source
    if not path.exists():
        path.write_bytes(data)
    return _model.Attachment(name=name, source=source, type=kind)


def _environment(audit: Audit) -> str:
    rows = {name: ", ".join(values) for name, values in audit.facts.items()}
    rows["panel"] = audit.plan["hash"]
    return "".join(f"{name}={json.dumps(value, ensure_ascii=False)[1:-1]}\n" for name, value in sorted(rows.items()))
