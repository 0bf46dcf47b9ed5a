"""A plan as the store keeps it: what reports know of trials, whether they ran or not."""

from benchmark.core.model import Condition, Data, Delivery, TrialSpec
from benchmark.core.panel import Panel


class Assignment(Data):
    """What a trial counts for: an arm of the contrast of one skill on one project. A shared trial has several."""

    skill: str
    project: str
    condition: Condition
    delivery: Delivery
    agent: str
    replicate: int
    trial: str
    chosen_by: str
    #: Whose text stands in the place of a slice, of L3.
    partner: str | None = None


class Absent(Data):
    """An arm that will have no trials, and why."""

    skill: str
    project: str
    condition: Condition
    reason: str


class PlannedTrial(Data):
    """A trial with the two keys that its records are found by (DESIGN.md, Two keys)."""

    id: str
    #: The agent's label: its name, and its model's where it has one.
    agent: str
    spec: TrialSpec
    work: str
    grade: str


class PlannedSkill(Data):
    """A target skill: the size of its SKILL.md in bytes, its hash, and what was noticed in it."""

    bytes: int
    sha256: str
    notes: tuple[str, ...]


class StoredPlan(Data):
    """All trials of a panel in the order they run, what each counts for, what is absent and what is left out of grading."""

    hash: str
    panel: Panel
    #: The family of every project (METHOD.md, Estimates).
    families: dict[str, str]
    trials: tuple[PlannedTrial, ...]
    assignments: tuple[Assignment, ...]
    absent: tuple[Absent, ...]
    #: By project the checks that are left out of grading, in words.
    quarantined: dict[str, tuple[str, ...]]
    skills: dict[str, PlannedSkill]
