"""What adapters make trajectories with: events of a client's log go in one by one, a valid trajectory comes out."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import overload

from agents.trajectory.checks import METRICS, disagreements, sums
from agents.trajectory.models import (
    CURRENT,
    ContentPart,
    FinalMetrics,
    Metrics,
    Step,
    Trajectory,
    TrajectoryAgent,
    is_time,
)
from agents.trajectory.open_steps import OpenCall, OpenResult, OpenStep, Source
from agents.trajectory.text import CUT, LIMIT, plain, shorter
from benchmark.core.json_types import JsonObject
from benchmark.core.model import Usage

#: Characters that one builder keeps at full length; after that every text is cut to SHORT.
ROOM = 20_000_000
SHORT = 1_000


class Builder:
    """Makes a trajectory of what an adapter reads in a client's log, event by event; builds a valid one whatever it gets."""

    def __init__(
        self,
        name: str,
        version: str,
        model: str | None = None,
        *,
        trajectory_id: str | None = None,
        session_id: str | None = None,
        tools: Sequence[JsonObject] | None = None,
    ) -> None:
        self._trajectory_id = trajectory_id
        self._session_id = session_id
        definitions = tuple(dict(tool) for tool in tools or ()) or None
        self._agent = TrajectoryAgent(name=name, version=version, model_name=model, tool_definitions=definitions)
        self._steps: list[OpenStep] = []
        self._calls: dict[str, list[OpenCall]] = {}
        self._ids: set[str] = set()
        self._children: list[Trajectory] = []
        self._names = {trajectory_id} if trajectory_id else set[str]()
        self._notes: dict[str, None] = {}
        self._orphans: list[str] = []
        self._no_times: list[str] = []
        self._room = ROOM

    def user(self, text: str, timestamp: str | float | None = None, *, copied: bool = False) -> int:
        """A message of the user. Returns the step's index from 0, as the other methods that add a step."""
        return self._add("user", text, timestamp, copied)

    def system(self, text: str, timestamp: str | float | None = None, *, copied: bool = False) -> int:
        """A message that neither the user nor the model wrote."""
        return self._add("system", text, timestamp, copied)

    def agent(
        self,
        message: str,
        *,
        reasoning: str | None = None,
        calls: Sequence[tuple[str | None, str, object]] = (),
        usage: Usage | None = None,
        timestamp: str | float | None = None,
        model: str | None = None,
        call_count: int | None = 1,
        copied: bool = False,
    ) -> int:
        """One turn of the agent, `calls` being (id, name, arguments) of the tools that it called.

        Arguments are an object or its JSON; anything else is kept as {"raw": text}. `timestamp` is ISO 8601 or seconds since
        1970. `call_count` is the number of model calls that made the step: 0 for a turn that the client wrote itself, None
        where it is not known. `copied` marks history of an earlier session, which no total counts.
        """
        index = self._add("agent", message, timestamp, copied)
        step = self._steps[index]
        metrics = _metrics(usage)
        if reasoning or metrics:
            call_count = call_count or None
        step.reasoning = self._text(reasoning) if reasoning else None
        step.metrics, step.model, step.call_count = metrics, model, call_count
        step.calls = [self._call(index, *call) for call in calls]
        return index

    def result(self, call_id: str | None, content: str | Sequence[ContentPart] | None, *, error: bool = False) -> None:
        """What a call came back with, joined to the step that holds the call; without one it becomes a step of its own."""
        if isinstance(content, str) or content is None:
            kept = self._text(content)
        else:
            kept = tuple(self._part(part) for part in content)
        call = self._find(call_id)
        if call is None:
            self._orphans.append(str(call_id))
            step = self._steps[self._add("system", "", None, False)]
            step.extra = {"orphan_result": True, "call_id": call_id}
            step.results.append(OpenResult(None, kept, error, came=True))
            return
        call.answered = True
        result = self._result_of(call, fresh=True)
        result.content, result.error, result.came = kept, error, True

    def subagent(self, trajectory: Trajectory, call_id: str | None = None) -> None:
        """Embed the trajectory of an agent that a call started; without a call it is embedded and a note says so."""
        name = self._free(trajectory.trajectory_id or "subagent")
        names = {old: name if old == trajectory.trajectory_id else self._free(old) for old in _ids(trajectory)}
        self._children.append(_renamed(trajectory, name, names))
        call = self._find(call_id, last=True)
        if call is None:
            self.note(f"it is not known which call started the subagent {name!r}")
            return
        self._result_of(call).subagents.append(name)

    def note(self, text: str) -> None:
        """Say something about the trajectory that a reader of it must know; each text is kept once."""
        self._notes[text] = None

    def build(self, usage: Usage | None = None) -> Trajectory:
        """The trajectory so far. `usage` is the total as the client reports it, subagents included.

        The client's figures go before the sum of the steps; where they differ, the notes hold both. Calls that nothing
        came back from are marked as interrupted.
        """
        notes = list(self._notes)
        if self._orphans:
            notes.append(f"{len(self._orphans)} results name a call that is not in the log: {_few(self._orphans)}")
        if self._no_times:
            notes.append(f"{len(self._no_times)} timestamps were left out because they are no times: {_few(self._no_times)}")
        if not self._steps:
            notes.append("the client's log holds nothing of what was said")
        built = Trajectory(
            trajectory_id=self._trajectory_id,
            session_id=self._session_id,
            agent=self._agent,
            steps=tuple(step.closed(number) for number, step in enumerate(self._steps, 1))
            or (Step(step_id=1, source="user", message=""),),
            subagent_trajectories=tuple(self._children) or None,
        )
        final = _final(built, usage)
        for _, text in disagreements(built, final):
            notes.append(f"{text}; the first is what the client reported")
        return built.model_copy(update={"final_metrics": final, "notes": plain("\n".join(notes)) or None})

    def _add(self, source: Source, text: str, timestamp: str | float | None, copied: bool) -> int:
        self._steps.append(OpenStep(source, self._text(text or ""), self._time(timestamp), copied))
        return len(self._steps) - 1

    def _time(self, given: str | float | None) -> str | None:
        try:
            text = given if isinstance(given, str) or given is None else datetime.fromtimestamp(given, UTC).isoformat()
        except (ValueError, OverflowError, OSError):
            text = ""
        if text is None or is_time(text):
            return text
        self._no_times.append(str(given))
        return None

    @overload
    def _text(self, text: str) -> str: ...

    @overload
    def _text(self, text: str | None) -> str | None: ...

    def _text(self, text: str | None) -> str | None:
        if text is None:
            return None
        limit = min(LIMIT, max(SHORT, self._room))
        self._room -= min(len(text), limit)
        return text if len(text) <= limit else text[:limit] + CUT

    def _part(self, part: ContentPart) -> ContentPart:
        return part if part.text is None else part.model_copy(update={"text": self._text(part.text)})

    def _call(self, index: int, given: str | None, name: str, arguments: object) -> OpenCall:
        call_id = plain(str(given or f"call-{len(self._ids) + 1}"))
        unique, number = call_id, 1
        while unique in self._ids:
            number += 1
            unique = f"{call_id}#{number}"
        self._ids.add(unique)
        if unique != call_id:
            self.note(f"the client gave the call id {call_id!r} more than once; later ones are numbered")
        call = OpenCall(index, unique, str(name), self._arguments(arguments))
        self._calls.setdefault(call_id, []).append(call)
        return call

    def _arguments(self, given: object) -> dict[str, object]:
        if isinstance(given, str):
            try:
                read = json.loads(given)
            except (ValueError, RecursionError):
                read = None
            given = read if isinstance(read, dict) else {"raw": given}
        found: dict[str, object] = plain(given if isinstance(given, dict) else {} if given is None else {"raw": given})
        limit = min(LIMIT, max(SHORT, self._room))
        for longest in (limit, limit // 10, limit // 100):
            text = json.dumps(found, ensure_ascii=False)
            if len(text) <= 2 * limit:
                break
            found = shorter(found, longest)
        else:
            found = {"raw": text[:limit] + CUT}
        self._room -= min(len(text), 2 * limit)
        return found

    def _free(self, wanted: str) -> str:
        """A trajectory id that nothing in the file has yet."""
        name, number = wanted, 1
        while name in self._names:
            number += 1
            name = f"{wanted}-{number}"
        self._names.add(name)
        return name

    def _find(self, call_id: str | None, last: bool = False) -> OpenCall | None:
        """The call with the client's id: the first that waits for its result, else the latest."""
        calls = self._calls.get(plain(str(call_id)), []) if call_id else []
        waiting = [call for call in calls if not call.answered]
        return waiting[0] if waiting and not last else calls[-1] if calls else None

    def _result_of(self, call: OpenCall, fresh: bool = False) -> OpenResult:
        """The call's result to be filled; of a `fresh` one nothing came yet."""
        results = self._steps[call.step].results
        mine = [found for found in results if found.call == call.id]
        if mine and not (fresh and mine[-1].came):
            return mine[-1]
        results.append(OpenResult(call.id))
        return results[-1]


def _metrics(usage: Usage | None) -> Metrics | None:
    """A step's usage; where the figures come from, or why there are none, is kept with them."""
    if usage is None:
        return None
    about = {"source": None if usage.source == "none" else usage.source, "reason": usage.reason}
    made = Metrics(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cached_tokens=usage.cached_tokens,
        cost_usd=usage.usd,
        extra={key: value for key, value in about.items() if value} or None,
    )
    return made if made != Metrics() else None


def _final(built: Trajectory, usage: Usage | None) -> FinalMetrics:
    told = _metrics(usage)
    figures: dict[str, float | None] = {}
    reported = []
    for name, figure in sums(built).items():
        value = getattr(told, name, None)
        if value is not None:
            reported.append(METRICS[name])
        figures[METRICS[name]] = figure.value if value is None else value
    extra = {"client_reported": reported} if reported else None
    return FinalMetrics.model_validate({**figures, "total_steps": len(built.steps), "extra": extra})


def _ids(trajectory: Trajectory) -> Iterator[str]:
    """The ids of a trajectory and all embedded in it, in order."""
    if trajectory.trajectory_id is not None:
        yield trajectory.trajectory_id
    for child in trajectory.subagent_trajectories or ():
        yield from _ids(child)


def _renamed(trajectory: Trajectory, name: str, names: Mapping[str, str]) -> Trajectory:
    """A trajectory with other ids, in what it embeds and refers to as well, so that a file has each id once."""
    data = {**trajectory.model_dump(), "trajectory_id": name}
    todo = [data]
    while todo:
        one = todo.pop()
        if one is not data:
            one["trajectory_id"] = names[one["trajectory_id"]]
        one["schema_version"] = CURRENT
        for step in one["steps"]:
            for result in (step["observation"] or {"results": ()})["results"]:
                for ref in result["subagent_trajectory_ref"] or ():
                    ref["trajectory_id"] = names.get(ref["trajectory_id"], ref["trajectory_id"])
        todo += one["subagent_trajectories"] or ()
    return Trajectory.model_validate(data)


def _few(names: list[str]) -> str:
    return ", ".join(f"{name!r:.80}" for name in names[:3]) + (", …" if names[3:] else "")
