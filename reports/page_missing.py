"""What was skipped, what broke and where chains ended, in as many words as a page has room for."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from benchmark.store import Store
from reports.changes import plain
from reports.metrics import Audit, Observation
from reports.terminal import counted

#: Reasons that are shown one by one, and the trials listed of each.
REASONS, TRIALS = 40, 40
#: Chains whose end is shown, and characters of HTML of all that their last attempts were told.
ENDINGS, TOLD = 400, 200_000
#: Rows of tables of tokens and of delivery, and projects with tests that are left out; tests listed of each.
ROWS, TESTS = 150, 40


def reasons(audit: Audit) -> dict[str, Any]:
    """Why trials were not measured, the most frequent reason first."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for item in audit.observations.values():
        if item.status not in ("measured", "not_run"):
            groups[item.status, item.reason or "no reason was recorded"].append(item.id)
    rows = [
        {"status": status, "reason": plain(reason, 500), "count": len(trials), "trials": trials[:TRIALS]}
        for (status, reason), trials in groups.items()
    ]
    rows.sort(key=lambda row: (-row["count"], row["status"], row["reason"]))
    return {"rows": rows[:REASONS], "more": max(0, len(rows) - REASONS)}


def absent(results: Mapping[str, Any]) -> dict[str, Any]:
    """Arms that the plan could not have, by reason."""
    groups: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for row in results["absent"]:
        groups[row["condition"], row["skill"], row["reason"]].append(row["project"])
    rows = [
        {"condition": condition, "skill": skill, "reason": reason, "projects": sorted(set(projects))}
        for (condition, skill, reason), projects in groups.items()
    ]
    return {"rows": rows[:ROWS], "more": max(0, len(rows) - ROWS)}


def left_out_tests(results: Mapping[str, Any]) -> dict[str, Any]:
    """By project the tests that no attempt was graded by, in words."""
    found = {project: [plain(line, 300) for line in lines] for project, lines in results["quarantined"].items()}
    rows = [{"project": project, "count": len(found[project]), "tests": found[project][:TESTS]} for project in sorted(found)]
    return {"rows": rows[:ROWS], "more": max(0, len(rows) - ROWS)}


def tokens(results: Mapping[str, Any]) -> dict[str, Any]:
    """Tokens as both sides counted them; what arms of several skills share is shown once."""
    rows = list(_counts(results))
    return {"rows": rows[:ROWS], "more": max(0, len(rows) - ROWS)}


def _counts(results: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    seen = set()
    for line in results["reported_tokens"]:
        key = (line["condition"], line["agent"], counted(line["gateway"]), counted(line["client"]))
        if line["condition"] != "C0" or key not in seen:
            seen.add(key)
            yield line


def endings(audit: Audit, store: Store) -> dict[str, Any]:
    """Where chains ended before their last task, by project, and what their last attempt left undone.

    What is told is bounded in all: agents decide how long it is.
    """
    ended = [item for item in audit.observations.values() if _ended(item)]
    left, rows = TOLD, []
    for item in ended[:ENDINGS]:
        row = _ending(item, store)
        left -= 200 + len(escape(row["told"] + "".join(text for check in row["checks"] for text in check.values())))
        if left < 0:
            break
        rows.append(row)
    return {"groups": _by_project(rows), "count": len(ended), "more": len(ended) - len(rows)}


def _ended(item: Observation) -> bool:
    if item.record is None:
        return False
    return item.status in ("broken", "not_delivered", "contaminated") or (bool(item.solved) and not all(item.solved))


def _by_project(rows: Sequence[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["item"].project].append(row)
    return sorted(groups.items())


def _ending(item: Observation, store: Store) -> dict[str, Any]:
    line = {"item": item, "task": None, "limit": None, "told": "", "checks": []}
    if item.status != "measured" or item.record is None:
        return {**line, "told": plain(item.reason or "", 2_000)}
    last = next((task for task in store.read(item.record).scored if task.outcome == "unsolved"), None)
    if last is None:
        return line
    attempt = last.attempts[-1]
    checks = [
        {
            "title": plain(check.title, 300),
            "failure": str(check.failure),
            "expected": plain(check.expected, 2_000),
            "seen": plain(check.seen, 2_000),
        }
        for check in attempt.checks
        if check.failure
    ]
    return {**line, "task": {"number": last.task, "title": plain(last.title, 300)}, "limit": attempt.limit, "checks": checks}
