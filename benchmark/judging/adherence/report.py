"""Steps followed: which of a skill's steps an agent followed, skipped or contradicted once it had the skill before it.

OpenSkillEval §3.1 (Fig. 2b): adherence is looked at after access, so only attempts whose prompt carried the skill or that
opened it are judged. What comes out is description: association, not effect.

    judgements/<hash>.json    in the store: trajectory, workflow file, judge and prompt make the hash; nothing is asked twice
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Literal, TypedDict

from pydantic import ValidationError

from agents.llm import ContextOverflow
from agents.trajectory.atif import BadTrajectory, read
from benchmark.core.errors import BudgetReached, Fault, UsageError
from benchmark.core.files import hash_json, write_whole
from benchmark.core.model import Sha, SkillRef, total
from benchmark.core.stored_plan import StoredPlan
from benchmark.judging.adherence.judgement import MARKS, AdherenceJudgement, Mark, Marking, log_of, question, version
from benchmark.judging.judge import Judge, judging
from benchmark.run.trial import load_from
from benchmark.store.store import Store
from reports.audit.load import audit_of, load_plan
from skills.parsing.parse import Skill
from skills.profile import workflow as workflows
from skills.profile.workflow import Kept, Rejected, today

FOLDER = "judgements"
#: What an attempt is counted under.
GROUP = ("skill", "agent", "delivery", "condition")
TITLE = "Steps followed once the skill was before the agent (association, not effect: set against no outcome)"
Tell = Callable[[str], None]


@dataclass(frozen=True)
class AttemptToJudge:
    """An attempt that may be judged; `group` are the values of GROUP, the skill being the injected one."""

    group: tuple[str, str, str, str]
    trial: str
    task: int
    attempt: int
    trajectory: Sha
    opened: bool
    ref: SkillRef

    @property
    def name(self) -> str:
        return f"{self.trial}, task {self.task}, attempt {self.attempt}"


class _Group(TypedDict):
    """What an attempt is counted under: the names are those of GROUP."""

    skill: str
    agent: str
    delivery: str
    condition: str


class AttemptRow(_Group):
    """One attempt as the result has it."""

    trial: str
    task: int
    attempt: int
    status: Literal["judged", "not_judged", "not_opened", "no_steps"]
    reason: str | None
    judgement: str | None
    workflow: str | None
    marks: list[dict[str, str | None]]


class AdherenceRow(_Group):
    """Means over the attempts of a group; None where none was judged."""

    attempts: int
    followed: float | None
    skipped: float | None
    contradicted: float | None
    attempts_not_judged: int
    attempts_not_opened: int
    attempts_without_steps: int
    steps_not_applicable: int
    steps_not_judged: int


class MissingSteps(TypedDict):
    """A skill whose steps are not written down, and the command that does it."""

    skill: str
    command: str


class AdherenceResult(TypedDict):
    """All that is shown, as JSON has it; `stopped` says why the last attempts were not judged."""

    title: str
    panel_hash: str
    model: str
    rows: list[AdherenceRow]
    missing: list[MissingSteps]
    attempts: list[AttemptRow]
    asked: int
    known: int
    usage: dict[str, int | float | str | None]
    stopped: str | None
    fault: bool


# judging


def attempts_to_judge(store: Store, plan: StoredPlan) -> list[AttemptToJudge]:
    """The attempts of a plan's measured trials that had a skill, in the plan's order."""
    found = []
    for seen in audit_of(store, plan).observations.values():
        if seen.status != "measured" or seen.record is None:
            continue
        record = store.read(seen.record)
        spec = record.spec
        if spec.skill is None or spec.delivery is None:
            continue
        group = (spec.skill.id, spec.agent.label, spec.delivery, spec.condition)
        for task in record.tasks:
            for attempt in task.attempts:
                opened = spec.delivery == "prompt" or (attempt.evidence is not None and attempt.evidence.opened is not None)
                found.append(AttemptToJudge(group, spec.id, task.task, attempt.number, attempt.trajectory, opened, spec.skill))
    return found


@dataclass(frozen=True)
class Due:
    """A judgement that is wanted, by its key."""

    case: AttemptToJudge
    skill: Skill
    kept: Kept


def judge_all(
    store: Store, digest: str | None, model: str, api_base: str | None, budget_usd: float | None, tell: Tell
) -> AdherenceResult:
    """Judge what has not been judged of a plan, and sum it up. `tell` gets a line for every judgement that is made.

    What was reached before the money was spent, or before the provider failed, is in the result; `stopped` says why the rest
    is not. Raises UsageError where no skill has a workflow, and what `judging` raises.
    """
    plan = load_plan(store, digest)
    everything = attempts_to_judge(store, plan)
    skills = {ref: load_from(store, ref) for ref in dict.fromkeys(case.ref for case in everything)}
    kept = {ref: workflows.find(store.root, skill) for ref, skill in skills.items()}
    missing = _missing(kept, model, store)
    if everything and not any(kept.values()):
        raise UsageError(f"no skill of this plan has its steps written down yet; {_commands(missing)}")
    prompt, keys, due = version(), {}, {}
    for case in everything:
        workflow = kept[case.ref]
        if case.opened and workflow:
            keys[case] = key = hash_json([case.trajectory, workflow.sha256, model, prompt])
            due.setdefault(key, Due(case, skills[case.ref], workflow))
    known = {key: found for key in due if (found := _load(store, key))}
    work = _Work(store, model, prompt, dict(known), {})
    stopped = work.through({key: item for key, item in due.items() if key not in known}, api_base, budget_usd, tell)
    fresh = [found for key, found in work.done.items() if key not in known]
    rows = [_attempt(case, kept[case.ref], keys.get(case), work, stopped) for case in everything]
    return {
        "title": TITLE,
        "panel_hash": plan.hash,
        "model": model,
        "rows": _rows(rows, work.done),
        "missing": missing,
        "attempts": rows,
        "asked": len(fresh),
        "known": len(known),
        "usage": total([item.usage for item in fresh]).model_dump(mode="json"),
        "stopped": stopped[1] if stopped else None,
        "fault": bool(stopped and stopped[0] == "fault"),
    }


@dataclass
class _Work:
    """Judgements by key: those that are there, and why others are not."""

    store: Store
    model: str
    prompt: str
    done: dict[str, AdherenceJudgement]
    failed: dict[str, str]

    def through(
        self, due: Mapping[str, Due], api_base: str | None, budget_usd: float | None, tell: Tell
    ) -> tuple[str, str] | None:
        """Make the judgements that are due; why it had to stop before the last, if it had to."""
        if not due:
            return None
        with judging(self.store, self.model, api_base, budget_usd) as judge:
            for number, (key, item) in enumerate(due.items(), start=1):
                try:
                    said = self._one(judge, key, item)
                except BudgetReached as reached:
                    return "budget", str(reached)
                except Fault as fault:
                    return "fault", str(fault)
                tell(f"{number} of {len(due)} · {item.case.name}: {said}")
        return None

    def _one(self, judge: Judge, key: str, item: Due) -> str:
        case, flow = item.case, item.kept
        try:
            log = log_of(read(self.store.get(case.trajectory)), case.trajectory, item.skill.text)
        except (BadTrajectory, KeyError, ValueError) as error:
            self.failed[key] = f"its trajectory cannot be read: {error.args[0] if error.args else error}"
            return f"not judged: {self.failed[key]}"
        marking, failure = Marking(flow.workflow, log, item.skill.text), None
        with judge.session(f"{case.trial}/{case.task}/{case.attempt}") as session:
            try:
                session.ask(question(flow.workflow, log), marking.take)
            except Rejected as rejected:
                failure = str(rejected)
            except ContextOverflow as overflow:
                self.failed[key] = f"does not fit the judge's context: {overflow}"
                return f"not judged: {self.failed[key]}"
        found = AdherenceJudgement(
            trajectory=case.trajectory,
            workflow=flow.sha256,
            skill=case.ref.sha256,
            model=self.model,
            prompt=self.prompt,
            date=today(),
            marks=marking.result(failure),
            shown=log.shown,
            turns=len(log.turns),
            asked=session.asked,
            usage=session.usage,
        )
        write_whole(_path(self.store, key), found.model_dump_json(indent=1).encode())
        self.done[key] = found
        counts = {name: found.count(name) for name in (*MARKS, "not_applicable", "not_judged")}
        return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items() if count)


def _path(store: Store, key: str) -> Path:
    return store.root / FOLDER / f"{key}.json"


def _load(store: Store, key: str) -> AdherenceJudgement | None:
    path = _path(store, key)
    if not path.is_file():
        return None
    try:
        return AdherenceJudgement.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise UsageError(f"{path} is no judgement ({error.error_count()} faults); remove it to have it made anew") from error


# summing up


def _missing(kept: Mapping[SkillRef, Kept | None], model: str, store: Store) -> list[MissingSteps]:
    names = dict.fromkeys(ref.id for ref, found in kept.items() if found is None)
    return [{"skill": name, "command": f"assay steps {name} --model {model} --runs {store.root}"} for name in names]


def _commands(missing: Sequence[MissingSteps]) -> str:
    more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    return f"write them down with: {missing[0]['command']}{more}"


def _attempt(
    case: AttemptToJudge, kept: Kept | None, key: str | None, work: _Work, stopped: tuple[str, str] | None
) -> AttemptRow:
    """One attempt as the result has it."""
    found = work.done.get(key or "")
    status: Literal["judged", "not_judged", "not_opened", "no_steps"] = "judged"
    reason = None
    if not case.opened:
        status = "not_opened"
    elif kept is None:
        status = "no_steps"
    elif found is None:
        status, reason = "not_judged", work.failed.get(key or "") or (stopped[1] if stopped else None)
    elif found.share("followed") is None:
        status, reason = "not_judged", "none of its steps was judged"
    return {
        **_group(case.group),
        "trial": case.trial,
        "task": case.task,
        "attempt": case.attempt,
        "status": status,
        "reason": reason,
        "judgement": key if found else None,
        "workflow": kept.sha256 if kept else None,
        "marks": [mark.model_dump(mode="json") for mark in found.marks] if found else [],
    }


def _group(values: tuple[str, str, str, str]) -> _Group:
    skill, agent, delivery, condition = values
    return {"skill": skill, "agent": agent, "delivery": delivery, "condition": condition}


def _rows(attempts: Sequence[AttemptRow], done: Mapping[str, AdherenceJudgement]) -> list[AdherenceRow]:
    """Means over attempts for every skill, agent, delivery and condition; None where no attempt was judged."""
    groups: dict[tuple[str, str, str, str], list[AttemptRow]] = {}
    for item in attempts:
        groups.setdefault((item["skill"], item["agent"], item["delivery"], item["condition"]), []).append(item)
    rows: list[AdherenceRow] = []
    for group, items in sorted(groups.items()):
        judged = [done[item["judgement"]] for item in items if item["judgement"]]
        statuses = [item["status"] for item in items]
        rows.append(
            {
                **_group(group),
                "attempts": statuses.count("judged"),
                "followed": _mean(judged, "followed"),
                "skipped": _mean(judged, "skipped"),
                "contradicted": _mean(judged, "contradicted"),
                "attempts_not_judged": statuses.count("not_judged"),
                "attempts_not_opened": statuses.count("not_opened"),
                "attempts_without_steps": statuses.count("no_steps"),
                "steps_not_applicable": sum(one.count("not_applicable") for one in judged),
                "steps_not_judged": sum(one.count("not_judged") for one in judged),
            }
        )
    return rows


def _mean(judged: Sequence[AdherenceJudgement], mark: Mark) -> float | None:
    shares = [share for one in judged if (share := one.share(mark)) is not None]
    return fmean(shares) if shares else None


def lines(result: AdherenceResult) -> Iterator[str]:
    """The result for a terminal."""
    yield result["title"]
    head = ["skill", "agent", "delivery", "", "attempts", *MARKS, "not applicable", "not judged", "not opened"]
    table = [head]
    for row in result["rows"]:
        shares = ["—" if (share := row[mark]) is None else f"{100 * share:.0f} %" for mark in MARKS]
        unjudged = f"{row['attempts_not_judged']} att., {row['steps_not_judged']} steps"
        counts = [f"{row['steps_not_applicable']} steps", unjudged, f"{row['attempts_not_opened']} att."]
        table.append([*(row[name] for name in GROUP), str(row["attempts"]), *shares, *counts])
    widths = [max(len(line[at]) for line in table) for at in range(len(head))]
    for line in table:
        cells = [
            cell.ljust(width) if at < 4 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
    for item in result["missing"]:
        yield f"no steps of {item['skill']} are written down: {item['command']}"
    usage = result["usage"]
    usd = "cost not measured" if usage["usd"] is None else f"${usage['usd']:,.2f}"
    yield f"Judge {result['model']}: {result['asked']} asked ({usd}), {result['known']} known from before"
    if result["stopped"]:
        yield f"STOPPED before the last attempt: {result['stopped']}"
