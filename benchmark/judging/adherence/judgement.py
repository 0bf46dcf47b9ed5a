"""Marks for the steps of a workflow, each with evidence that is looked for in the trajectory (OpenSkillEval §2.3).

What a judge cites must be there: a turn of the agent, and words of that turn's message, of its calls' arguments, or of what
came back. That proves that the words exist, not that they mean what the judge says.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from benchmark.core.files import hash_json
from benchmark.core.json_types import JsonObject
from benchmark.core.model import Data, Sha, Usage
from skills.profile.workflow import ALWAYS, SHORTEST_QUOTE, Rejected, Workflow, WorkflowStep, plain, template

if TYPE_CHECKING:
    from agents.trajectory.atif import Step, Trajectory

TEMPLATE = Path(__file__).parent / "judgement.txt.j2"
#: Raised by hand when what is asked, shown or accepted changes other than by the template.
PROTOCOL = 1
#: Characters of a trajectory that a judge is shown, about 60,000 tokens.
BUDGET = 240_000
#: Of what a tool returned, and of what the user or the client said, the beginning and the end are shown.
RESULT, GIVEN = 6_000, 8_000
#: Of the quote that is kept.
KEPT = 300

Mark = Literal["followed", "skipped", "contradicted", "not_applicable", "not_judged"]
GIVABLE = ("followed", "skipped", "contradicted", "not_applicable")
PROVEN = ("followed", "contradicted")
#: Those that are counted.
MARKS = ("followed", "skipped", "contradicted")


class StepMark(Data):
    """What became of one step. `turn` and `quote` are the evidence; `reason` says why it is not judged."""

    step: str
    mark: Mark
    turn: str | None = None
    quote: str | None = None
    reason: str | None = None


class AdherenceJudgement(Data):
    """What a judge said of one trajectory, kept for good. `shown` of its `turns` were before the judge, `asked` times."""

    schema_version: Literal[1] = 1
    trajectory: Sha
    workflow: Sha
    skill: Sha
    model: str
    prompt: Sha
    date: str
    marks: tuple[StepMark, ...]
    shown: int
    turns: int
    asked: int
    usage: Usage

    def share(self, mark: str) -> float | None:
        """The share of a mark among the steps that applied and were judged; None where there are none."""
        counted = [item.mark for item in self.marks if item.mark in MARKS]
        return counted.count(mark) / len(counted) if counted else None  # type: ignore[arg-type]

    def count(self, mark: str) -> int:
        return sum(item.mark == mark for item in self.marks)


def version() -> str:
    """The hash of all that decides what a judge is asked and which of its marks hold."""
    return hash_json([PROTOCOL, TEMPLATE.read_text(encoding="utf-8"), BUDGET, RESULT, GIVEN])


@dataclass(frozen=True)
class LogTurn:
    """One step of a trajectory, or of a subagent's that is part of it. `label` is its number there."""

    label: str
    step: "Step"

    @cached_property
    def did(self) -> str:
        """What the agent said and called, in plain form, arguments both as texts and as JSON."""
        calls = [call.arguments for call in self.step.tool_calls or ()]
        parts = [_text(self.step.message), *("\n".join(_leaves(item)) for item in calls), *map(_json, calls)]
        return plain("\n".join(parts))

    @cached_property
    def came(self) -> str:
        """What came back, in plain form."""
        return plain("\n".join(_text(result.content) for result in self.step.results))


def turns_of(trajectory: "Trajectory", prefix: str = "") -> Iterator[LogTurn]:
    """The turns of a trajectory, then those of its subagents as `id/number`."""
    yield from (LogTurn(f"{prefix}{step.step_id}", step) for step in trajectory.steps)
    for child in trajectory.subagent_trajectories or ():
        yield from turns_of(child, f"{prefix}{child.trajectory_id}/")


@dataclass(frozen=True)
class TrajectoryLog:
    """A trajectory as a judge is shown it. `shown` of its turns are in `text`; `tag` occurs in none of them."""

    text: str
    tag: str
    turns: tuple[LogTurn, ...]
    shown: int

    @property
    def cut(self) -> bool:
        return self.shown < len(self.turns)


def log_of(trajectory: "Trajectory", digest: str, skill: str, budget: int = BUDGET) -> TrajectoryLog:
    """The log of a trajectory whose file has the hash `digest`, in at most `budget` characters; `skill` is SKILL.md's text."""
    tag = f"log-{digest[:16]}"
    turns = tuple(turns_of(trajectory))
    parts: list[str] = []
    left = budget
    for shown, turn in enumerate(turns):
        text = f"===== {tag} turn {turn.label}: {turn.step.source} =====\n{_shown(turn.step, skill)}\n"
        if len(text) > left:
            # The beginning of a turn that does not fit is of use only where there is nothing else.
            parts += [text[:left]] if not parts else []
            return TrajectoryLog("".join(parts), tag, turns, shown)
        parts.append(text)
        left -= len(text)
    return TrajectoryLog("".join(parts), tag, turns, len(turns))


def _shown(step: "Step", skill: str) -> str:
    if step.source != "agent":
        return _ends(_text(step.message).replace(skill, "[the text of the skill]"), GIVEN)
    parts = [_text(step.message)]
    for call in step.tool_calls or ():
        arguments = "\n".join(
            f"{key}: {item if isinstance(item, str) else _json(item)}" for key, item in call.arguments.items()
        )
        parts.append(f"[calls {call.function_name}]\n{arguments}")
    parts += [f"[came back]\n{_ends(_text(result.content), RESULT)}" for result in step.results]
    return "\n".join(part for part in parts if part)


def _ends(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    tail = most // 3
    return f"{text[: most - tail]}\n[… {len(text) - most:,} characters left out …]\n{text[-tail:]}"


def _text(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(part.text if part.text is not None else f"[{part.type}]" for part in content)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _leaves(item)


def question(workflow: Workflow, log: TrajectoryLog) -> str:
    """What a judge is asked."""
    return template(TEMPLATE).render(
        steps=workflow.steps,
        tag=log.tag,
        log=log.text,
        cut=log.cut,
        shown=log.shown,
        turns=len(log.turns),
        least=SHORTEST_QUOTE,
    )


class Marking:
    """Collects a judge's marks over its tries: what holds is kept, what does not is asked for once more."""

    def __init__(self, workflow: Workflow, log: TrajectoryLog, skill: str) -> None:
        self._steps = workflow.steps
        self._log = log
        self._skill = plain(skill)
        self._turns = {turn.label: turn for turn in log.turns[: log.shown]}
        self._marks: dict[str, StepMark] = {}
        self._wrong: dict[str, str] = {}

    def take(self, answer: Any) -> None:
        """Take an answer's marks. Raises Rejected while there are steps without one."""
        rows = answer.get("marks") if isinstance(answer, dict) else None
        if not isinstance(rows, list):
            raise Rejected(['the answer has no list "marks"'])
        rows = [row for row in rows if isinstance(row, dict)]
        for step in self._steps:
            if step.id not in self._marks:
                try:
                    self._marks[step.id] = self._mark(step, [row for row in rows if row.get("step") == step.id])
                except Rejected as rejected:
                    self._wrong[step.id] = str(rejected)
        if missing := [step.id for step in self._steps if step.id not in self._marks]:
            raise Rejected([f"{name}: {self._wrong[name]}" for name in missing])

    def result(self, failure: str | None = None) -> tuple[StepMark, ...]:
        """One mark for every step; those without one are not judged, for their own reason or because of `failure`."""
        return tuple(
            self._marks.get(step.id)
            or StepMark(step=step.id, mark="not_judged", reason=self._wrong.get(step.id, failure or "the judge was not asked"))
            for step in self._steps
        )

    def _mark(self, step: WorkflowStep, rows: Sequence[JsonObject]) -> StepMark:
        if len(rows) != 1:
            raise Rejected(["has two marks" if rows else "has no mark"])
        (row,) = rows
        mark = row.get("mark")
        if mark not in GIVABLE:
            raise Rejected([f"the mark {mark!r:.40} is none of {', '.join(GIVABLE)}"])
        if mark in PROVEN:
            return self._proven(step, mark, row)
        if mark == "not_applicable" and step.when == ALWAYS:
            raise Rejected(["is to be done always, so it cannot be not_applicable"])
        if self._log.cut:
            reason = f"only {self._log.shown} of {len(self._log.turns)} turns fit, so what came later is not known"
            return StepMark(step=step.id, mark="not_judged", reason=reason)
        return StepMark(step=step.id, mark=mark)

    def _proven(self, step: WorkflowStep, mark: Mark, row: JsonObject) -> StepMark:
        label, quote = row.get("turn"), row.get("quote")
        turn = self._turns.get(str(label))
        if turn is None or isinstance(label, bool):
            raise Rejected([f"{mark} needs the number of a turn in the log as evidence, and {label!r:.40} is none"])
        if turn.step.source != "agent":
            raise Rejected([f"turn {turn.label} is the {turn.step.source}'s; only what the agent did is evidence"])
        words = plain(quote) if isinstance(quote, str) else ""
        if len(words) < SHORTEST_QUOTE:
            raise Rejected([f"{mark} needs a quote of {SHORTEST_QUOTE} characters or more from turn {turn.label}"])
        if words not in turn.did:
            if words not in turn.came:
                raise Rejected([f"the quote {words!r:.80} does not occur in turn {turn.label}"])
            if words in self._skill:
                raise Rejected([f"the quote {words!r:.80} is the skill's own text, which the agent read in turn {turn.label}"])
        return StepMark(step=step.id, mark=mark, turn=turn.label, quote=words[:KEPT])
