"""Grade what was kept again, without running an agent (DESIGN.md, Two keys)."""

from importlib.metadata import version
from typing import Any

from benchmark.errors import Fault
from benchmark.model import Record
from benchmark.session import open_sandbox
from benchmark.store import BadRecord, LostBlob, Store
from benchmark.suites import Grading, suite_of
from benchmark.trial import grade_key
from fixtures.sandbox.base import Sandbox


def regrade_store(store: Store, api: Any) -> dict[str, Any]:
    """Bring every measured record to today's grade key, each in the kind of sandbox that it was made in.

    Returns counts and the ids of chains that must run again. Raises SetupError where the store cannot be written.
    """
    store.check_writable()
    sandboxes: dict[str, Sandbox] = {}
    measured = [entry for entry in store.entries() if entry.status == "measured"]
    newest = {entry.work: entry for entry in sorted(measured, key=lambda entry: entry.started)}
    have = {(entry.work, entry.grade) for entry in measured}
    outcome: dict[str, Any] = {"unchanged": 0, "regraded": [], "rerun": []}
    try:
        for entry in newest.values():
            try:
                record = store.read(entry)
            except BadRecord as error:
                outcome["rerun"].append(str(error))
                continue
            kind = record.resolved.sandbox
            if kind not in sandboxes:
                sandboxes[kind] = open_sandbox("docker" if kind == "docker" else "local")
            _one(record, store, api, sandboxes[kind], have, outcome)
    finally:
        for sandbox in sandboxes.values():
            sandbox.close()
    return outcome


def _one(record: Record, store: Store, api: Any, sandbox: Sandbox, have: set[tuple[str, str]], outcome: dict[str, Any]) -> None:
    project = record.spec.project
    try:
        suite = suite_of(record.spec, store)
    except KeyError as error:
        outcome["rerun"].append(f"{record.spec.id}: {error.args[0]}")
        return
    if project not in suite.projects():
        outcome["rerun"].append(f"{record.spec.id}: the project is gone")
        return
    if suite.inputs(project) != record.spec.inputs:
        outcome["rerun"].append(f"{record.spec.id}: the task changed, not only its checks")
        return
    update = {"browser": sandbox.browser_version(), "playwright": version("playwright")}
    resolved = record.resolved.model_copy(update=update)
    # The image it is graded in belongs to the grade; the one that the agent worked in stays what it was.
    key = grade_key(suite, project, resolved.model_copy(update={"image": sandbox.image()}))
    if (record.work, key) in have:
        outcome["unchanged"] += 1
        return
    try:
        tasks = suite.regrade(record, Grading(sandbox, api, store, key))
    except (Fault, LostBlob) as error:
        outcome["rerun"].append(f"{record.spec.id}: {error}")
        return
    if tasks is None:
        outcome["rerun"].append(record.spec.id)
        return
    store.append(record.model_copy(update={"tasks": tasks, "grade": key, "resolved": resolved, "regraded": True}))
    outcome["regraded"].append(record.spec.id)
