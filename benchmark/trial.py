"""Run one trial: sandbox → deliver → agent → grade → record. The only place where agents, skills and fixtures meet."""

import time
import traceback
from importlib.metadata import version
from pathlib import Path
from typing import Any

from agents.base import Pay, free
from benchmark.errors import BudgetReached, Fault, UsageError
from benchmark.files import hash_json
from benchmark.model import Delivered, Record, Resolved, SkillRef, TrialSpec, total
from benchmark.store import Store
from benchmark.suites import Grading, Room, Suite, find_suite
from fixtures.agent import make_agent
from fixtures.sandbox.base import Sandbox
from skills.deliver import mounted, proven, requests_with
from skills.parse import Skill, as_skill


def resolve(spec: TrialSpec, sandbox: Sandbox) -> Resolved:
    """What the names in a spec stand for on this machine today."""
    return Resolved(
        agent_version=make_agent(spec.agent).version,
        sandbox=sandbox.kind,
        image=sandbox.image(),
        browser=sandbox.browser_version(),
        playwright=version("playwright"),
    )


def grade_key(suite: Suite, project: str, resolved: Resolved) -> str:
    """The hash of all that decides how a workspace is graded: checks, grader, browser, Playwright, and where."""
    where = [resolved.browser, resolved.playwright, resolved.sandbox, resolved.image]
    return hash_json([suite.grade_key(project), where])


def run_trial(spec_json: str, root: Path, sandbox: Sandbox, api: Any, pay: Pay = free) -> str:
    """Run the trial that `spec_json` describes and append its record to the store at `root`; the record as JSON.

    Skills come from the store's blobs, never from host paths. A fault of ours gives a record that is `broken`; what the
    agent ran into is an outcome. Raises UsageError for a spec that this checkout cannot run, BudgetReached.
    """
    spec = TrialSpec.model_validate_json(spec_json)
    store = Store(root)
    suite = find_suite(spec.suite)
    if suite.inputs(spec.project) != spec.inputs or suite.protocol != spec.protocol:
        raise Fault(f"{spec.id}: the project or the protocol changed since the trial was planned; plan again")
    resolved = resolve(spec, sandbox)
    record = _measure(spec, store, suite, sandbox, api, resolved, pay)
    store.append(record)
    return record.model_dump_json()


def _measure(spec: TrialSpec, store: Store, suite: Suite, sandbox: Sandbox, api: Any, resolved: Resolved, pay: Pay) -> Record:
    agent = make_agent(spec.agent)
    skill = load_from(store, spec.skill) if spec.skill else None
    key = grade_key(suite, spec.project, resolved)
    base: dict[str, Any] = {
        "spec": spec,
        "work": spec.work_key(resolved),
        "grade": key,
        "resolved": resolved,
        "scripted": agent.scripted,
        "task_count": suite.task_count(spec.project),
        "package_version": version("skill-assay"),
        "started": time.time(),
    }
    clock = time.monotonic()
    try:
        with sandbox.box(mounted(skill) if skill else {}) as box:
            room = Room(spec, agent, skill, box, Grading(sandbox, api, store, key), pay)
            installed, manifest = box.installed(), box.manifest()
            tasks, sent = suite.run(room)
    except (BudgetReached, UsageError):
        raise
    except Exception as error:
        # A fault that nobody foresaw is ours as well: recorded with its place, never taken for the agent's failure.
        reason = str(error) if isinstance(error, Fault) else _unforeseen(error)
        return Record(**base, status="broken", reason=reason, seconds=round(time.monotonic() - clock, 3))
    carrying = requests_with(skill, sent)
    delivered = Delivered(installed=installed, manifest=manifest, requests=len(sent), requests_with_skill=carrying)
    reason = proven(spec.condition, skill, installed, len(sent), carrying)
    return Record(
        **base,
        status="not_delivered" if reason else "measured",
        reason=reason,
        seconds=round(time.monotonic() - clock, 3),
        tasks=tuple(tasks),
        usage=total([attempt.usage for task in tasks for attempt in task.attempts]),
        delivered=delivered,
    )


def _unforeseen(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    places = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames[-4:]))
    return f"{type(error).__name__}: {error} ({places})"


def keep_skill(store: Store, skill: Skill) -> None:
    """Put a skill's bytes into the store, where trials find it by its hash."""
    store.put_tree({**skill.files, "SKILL.md": skill.data})


def load_from(store: Store, ref: SkillRef) -> Skill:
    """The skill that `ref` names, from the store. Raises Fault when its bytes are not there."""
    try:
        return as_skill(ref.id, store.get_tree(ref.tree))
    except KeyError as error:
        raise Fault(f"skill {ref.id}: {error.args[0]}; plan the trial again with the same store") from error
