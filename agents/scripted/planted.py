"""`planted`: a scripted agent with a known answer to what it is given, so that the instrument can be seen to find it.

It never sets an outcome: at each attempt it writes the reference or one of the task's mutants, and the browser decides.
Whether it errs is drawn for every attempt of every trial; how it errs at an attempt of a task is a habit, always the same.
The panel plants how likely it is to write the reference:

    [agents.options]
    solve = 0.75                    # chance at an attempt with no skill in the prompt
    per_kilobyte = -0.02            # distracted by length: what each kilobyte of any skill adds to the chance
    [agents.options.content]        # by skill name: helped (> 0) or misled (< 0) by that skill's content
    accessible-web-pages = 0.2
    [agents.options.phrases]        # what a phrase that stands in the prompt adds: an effect of the slice that holds it
    "Name every control" = 0.3

Skills that are named nowhere, with `per_kilobyte` 0, leave it indifferent.
"""

import random

from pydantic import Field, ValidationError

from agents.base import AttemptRequest, AttemptResult, WorkspaceFiles
from agents.scripted.scripted import Scripted
from benchmark.core.errors import Fault, UsageError
from benchmark.core.files import names
from benchmark.core.model import AgentSpec, Data


class PlantedOptions(Data):
    """What is planted. Chances are clipped to 0…1 after adding up."""

    solve: float = Field(0.75, ge=0, le=1)
    per_kilobyte: float = Field(0.0, ge=-1, le=1)
    content: dict[str, float] = Field(default_factory=dict)
    phrases: dict[str, float] = Field(default_factory=dict)
    seed: int = 0

    def chance(self, skill_name: str | None, skill_bytes: int, prompt: str) -> float:
        """The chance of writing the reference at one attempt."""
        shift = self.per_kilobyte * skill_bytes / 1000 + self.content.get(skill_name or "", 0.0)
        shift += sum(effect for phrase, effect in self.phrases.items() if phrase in prompt)
        return min(1.0, max(0.0, self.solve + shift))


class PlantedAgent(Scripted):
    name = "planted"

    def __init__(self, spec: AgentSpec) -> None:
        try:
            self._plan = PlantedOptions.model_validate(spec.options)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise UsageError(f"agent planted: option {where!r}: {first['msg']} (got {first['input']!r})") from error

    def run(self, request: AttemptRequest, workspace: WorkspaceFiles) -> AttemptResult:
        if request.solutions is None or not request.solutions.mutants:
            raise Fault("the planted agent was given no answers to choose from; the suite has none for this task")
        draw = random.Random(f"{self._plan.seed}/{request.noise}")
        chance = self._plan.chance(request.skill_name, request.skill_bytes, request.prompt)
        if draw.random() < chance:
            name, files = "the reference", request.solutions.reference
        else:
            mutant = _habit(request, self._plan.seed)
            name, files = f"the mutant {mutant!r}", request.solutions.mutants[mutant]
        workspace.write(files)
        said = f"wrote {name} of task {request.task} ({names(files)}); its chance of the reference was {chance:.2f}"
        return self.told(request, said, files)


def _habit(request: AttemptRequest, seed: int) -> str:
    """The mistake made at this attempt of this task: the same in every trial, as models repeat theirs."""
    faults = sorted(request.solutions.mutants) if request.solutions else []
    return random.Random(f"{seed}/{faults}/{request.attempt}").choice(faults)
