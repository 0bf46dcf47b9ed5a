"""From a panel to its trials: pairing of skills and projects, partners, sharing, order (METHOD.md, Design of an audit)."""

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from benchmark.core.errors import UsageError, unknown
from benchmark.core.files import hash_json, tree_hash
from benchmark.core.model import AgentSpec, Condition, Delivery, SkillRef, TrialSpec
from benchmark.core.panel import Panel
from benchmark.core.stored_plan import Absent, Assignment
from benchmark.suite.capabilities import Judged, ProjectSource
from benchmark.suite.contract import Suite
from benchmark.suite.discovery import find_suite
from skills.diagnosis import claims
from skills.matching.match import partners
from skills.parsing.parse import Skill
from skills.routing.tiers import COLLECTION, Member, load_library, load_member

#: What trials without a target skill count for: a panel may ask for the baseline alone.
BASELINE = "no-skill"


@dataclass(frozen=True)
class Plan:
    """All trials of a panel in the order they run, what each counts for, and what is absent."""

    panel: Panel
    suite: Suite
    trials: tuple[TrialSpec, ...]
    assignments: tuple[Assignment, ...]
    absent: tuple[Absent, ...]
    skills: dict[str, Skill]
    injected: tuple[Skill, ...]

    @property
    def digest(self) -> str:
        """The panel's hash: what an audit was fixed to be before its first trial."""
        trials = sorted(spec.model_dump_json() for spec in self.trials)
        return hash_json([self.panel.model_dump(mode="json", exclude={"budget"}), trials])

    @property
    def shared(self) -> int:
        """How many trials sharing saves."""
        return len(self.assignments) - len(self.trials)


@dataclass(frozen=True)
class _Target:
    skill: Skill
    projects: tuple[str, ...]
    chosen_by: str


def plan(panel: Panel) -> Plan:
    """The trials of `panel`. Raises UsageError for names that are not known and skills that cannot be placed."""
    suite = suite_for(panel)
    projects = _projects(panel, suite)
    library = [member.within(suite.name) for member in load_library(COLLECTION)]
    added = [member for item in panel.pool for member in load_library(Path(item.removeprefix("path:")))]
    pool = [*library, *(member.within(suite.name) for member in added)]
    _one_skill_a_name(pool)
    targets = _targets(panel, suite, projects, library)
    _deliverable(panel, [target.skill for target in targets])
    build = _Builder(panel, suite, pool)
    for agent in panel.agents:
        for delivery in dict.fromkeys(panel.delivery):
            build.add(agent, delivery, targets, projects)
    return build.plan({target.skill.id: target.skill for target in targets})


def suite_for(panel: Panel) -> Suite:
    """The panel's suite over the projects that it wants. Raises UsageError, also for a judge that is missing or unwanted."""
    suite = find_suite(panel.suite)
    if isinstance(suite, Judged) and panel.judge is None:
        raise UsageError(
            f"suite {suite.name} is graded by a model; name it with --judge-model MODEL, or in the panel's [judge]"
        )
    if panel.judge is not None and not isinstance(suite, Judged):
        raise UsageError(f"suite {suite.name} asks no judge; remove [judge] from the panel, or --judge-model")
    return suite.for_panel(panel) if isinstance(suite, ProjectSource) else suite


def _one_skill_a_name(pool: Sequence[Member]) -> None:
    """Reject two skills with the same name: trials are named by skill."""
    seen: dict[str, SkillRef] = {}
    for member in pool:
        if seen.setdefault(member.skill.id, member.skill.ref) != member.skill.ref:
            raise UsageError(f"two different skills of the pool are called {member.skill.id!r}; rename one folder")


def _deliverable(panel: Panel, skills: Sequence[Skill]) -> None:
    """Raise UsageError where a client that is to find a skill by itself does not list it, or loads nothing of it."""
    native = [delivery for delivery in panel.delivery if delivery != "prompt"]
    for skill in skills if native else ():
        for agent in panel.agents:
            if why := claims.undeliverable(skill.diagnostics, agent.name):
                raise UsageError(
                    f"{native[0]} delivery of {skill.id} is not possible: {why}; leave {agent.name} out or deliver by prompt"
                )


def _projects(panel: Panel, suite: Suite) -> tuple[str, ...]:
    known = tuple(suite.projects())
    chosen: list[str] = []
    for pattern in panel.projects:
        found = [name for name in known if fnmatchcase(name, pattern)]
        if not found:
            raise unknown("project", pattern, known)
        chosen += [name for name in found if name not in chosen]
    return tuple(name for name in known if name in chosen)


def _targets(panel: Panel, suite: Suite, projects: Sequence[str], library: Sequence[Member]) -> list[_Target]:
    by_name = {member.skill.id: member for member in library}
    targets: dict[str, _Target] = {}
    missed: dict[str, str] = {}
    for item in panel.skills:
        if item.startswith("path:"):
            members = [load_member(Path(item.removeprefix("path:"))).within(suite.name)]
        else:
            members = [member for name, member in by_name.items() if fnmatchcase(name, item)]
            if not members:
                raise unknown("skill", item, by_name)
        for member in members:
            target = _target(member, projects, panel)
            known = targets.get(member.skill.id)
            if known and known.skill.ref != member.skill.ref:
                raise UsageError(f"two different skills are called {member.skill.id!r}; rename one folder")
            if target:
                targets[member.skill.id] = target
            elif member.routing:
                here = [name for name in member.routing.core if name in suite.projects()]
                missed[member.skill.id] = ", ".join(here) or "no project"
    if panel.skills and not targets:
        rows = [f"{name} is core for {core}" for name, core in missed.items()]
        raise UsageError(f"none of the skills covers a chosen project; {'; '.join(rows)}")
    return list(targets.values())


def _target(member: Member, projects: Sequence[str], panel: Panel) -> _Target | None:
    """The projects that a skill is tried on: those it is core for, or those the user named; None where there are none."""
    skill = member.skill
    if member.routing is None:
        if any("*" in pattern for pattern in panel.projects):
            raise UsageError(
                f"skill {skill.id!r} has no tiers: nobody has judged which projects it covers; name them with "
                "--project NAME (recorded as your choice), or give it a table in a tiers.toml beside its folder"
            )
        return _Target(skill, tuple(projects), "user")
    core = tuple(name for name in projects if member.tier(name) == "core")
    return _Target(skill, core, "tiers") if core else None


class _Builder:
    """Collects trials; the same trial asked for twice is one trial that counts twice."""

    def __init__(self, panel: Panel, suite: Suite, pool: Sequence[Member]) -> None:
        self._panel = panel
        self._suite = suite
        self._pool = pool
        self._inputs: dict[str, str] = {}
        self._sources: dict[str, str | None] = {}
        self._trials: dict[str, TrialSpec] = {}
        self._assignments: list[Assignment] = []
        self._absent: dict[tuple[str, str, str], Absent] = {}
        self._injected: dict[str, Skill] = {}

    def add(self, agent: AgentSpec, delivery: Delivery, targets: Sequence[_Target], projects: Sequence[str]) -> None:
        wanted = self._panel.conditions
        for project in projects if not targets else ():
            for replicate in range(self._panel.replicates if "C0" in wanted else 0):
                trial = self._trial(agent, delivery, project, "C0", None, replicate)
                self._assign(BASELINE, "user", project, "C0", delivery, agent, replicate, trial)
        for target in targets:
            found = partners(target.skill, target.projects, self._pool, self._panel.seed, delivery) if "C2" in wanted else {}
            for project in target.projects:
                treated = sum(project in other.projects for other in targets)
                baseline = math.ceil(self._panel.replicates * math.sqrt(treated) - 1e-9)
                arms: list[tuple[Condition, Skill | None, int]] = [("C0", None, baseline)]
                arms.append(("C1", target.skill, self._panel.replicates))
                partner = found.get(project)
                if isinstance(partner, Skill):
                    arms.append(("C2", partner, self._panel.replicates))
                elif partner is not None:
                    key = (target.skill.id, project, f"C2 {delivery}")
                    self._absent[key] = Absent(skill=target.skill.id, project=project, condition="C2", reason=partner)
                for condition, skill, count in arms:
                    for replicate in range(count if condition in wanted else 0):
                        trial = self._trial(agent, delivery, project, condition, skill, replicate)
                        self._assign(target.skill.id, target.chosen_by, project, condition, delivery, agent, replicate, trial)
                self._ablate(agent, delivery, target, project)

    def _ablate(self, agent: AgentSpec, delivery: Delivery, target: _Target, project: str) -> None:
        """The arms of the slices that the panel asks for, and why others are not there."""
        panel = self._panel
        if not any(condition.startswith(("C3", "L3")) for condition in panel.conditions):
            return
        # late: costs 0.05 s (a parser of Markdown), and most plans are without slices
        from benchmark.plan.ablation import slice_arms

        found = slice_arms(target.skill, project, panel.conditions, self._pool, panel.replicates, panel.seed, delivery)
        for arm in found.arms:
            trial = self._trial(agent, delivery, project, arm.condition, arm.skill, arm.replicate)
            who = (target.skill.id, target.chosen_by, project)
            self._assign(*who, arm.condition, delivery, agent, arm.replicate, trial, arm.partner)
        for condition, reason in found.absent.items():
            absent = Absent(skill=target.skill.id, project=project, condition=condition, reason=reason)
            self._absent[target.skill.id, project, f"{condition} {delivery}"] = absent

    def plan(self, skills: dict[str, Skill]) -> Plan:
        return Plan(
            panel=self._panel,
            suite=self._suite,
            trials=tuple(_order(self._trials.values(), self._suite, self._panel)),
            assignments=tuple(self._assignments),
            absent=tuple(self._absent.values()),
            skills=skills,
            injected=tuple(self._injected.values()),
        )

    def _trial(
        self, agent: AgentSpec, delivery: Delivery, project: str, condition: Condition, skill: Skill | None, replicate: int
    ) -> str:
        spec = self._spec(agent, delivery, project, condition, skill, replicate)
        self._trials.setdefault(spec.id, spec)
        return spec.id

    def _spec(
        self, agent: AgentSpec, delivery: Delivery, project: str, condition: Condition, skill: Skill | None, replicate: int
    ) -> TrialSpec:
        """The trial, with those of the same arm and replicate that it needs, which are planned as well."""
        ref = self._ref(skill)
        if project not in self._inputs:
            self._inputs[project] = self._suite.inputs(project)
            source = self._suite.project_snapshot(project) if isinstance(self._suite, ProjectSource) else None
            self._sources[project] = None if source is None else tree_hash(source)
        needs = [self._spec(agent, delivery, other, condition, skill, replicate) for other in self._suite.needs(project)]
        for need in needs:
            self._trials.setdefault(need.id, need)
        return TrialSpec(
            suite=self._suite.name,
            project=project,
            condition=condition,
            delivery=delivery if skill else None,
            agent=agent,
            skill=ref,
            replicate=replicate,
            inputs=self._inputs[project],
            protocol=self._suite.protocol,
            source=self._sources[project],
            needs=tuple(needs),
            judge=self._panel.judge,
        )

    def _ref(self, skill: Skill | None) -> SkillRef | None:
        if skill is None:
            return None
        self._injected.setdefault(skill.ref.tree, skill)
        return skill.ref

    def _assign(
        self,
        skill: str,
        chosen_by: str,
        project: str,
        condition: Condition,
        delivery: Delivery,
        agent: AgentSpec,
        replicate: int,
        trial: str,
        partner: str | None = None,
    ) -> None:
        self._assignments.append(
            Assignment(
                skill=skill,
                project=project,
                condition=condition,
                delivery=delivery,
                agent=agent.label,
                replicate=replicate,
                trial=trial,
                chosen_by=chosen_by,
                partner=partner,
            )
        )


def _order(trials: Iterable[TrialSpec], suite: Suite, panel: Panel) -> list[TrialSpec]:
    """Trials in waves: those that need others come after them. In a wave blocks of one project and replicate, the longest
    first; within a block conditions in seeded random order."""
    blocks: dict[tuple[str, int], list[TrialSpec]] = {}
    for spec in trials:
        blocks.setdefault((spec.project, spec.replicate % panel.replicates), []).append(spec)
    draw = random.Random(panel.seed)
    keys = sorted(blocks)
    draw.shuffle(keys)
    keys.sort(key=lambda key: -suite.weight(key[0]))
    ordered = []
    for key in keys:
        block = sorted(blocks[key], key=lambda spec: spec.id)
        draw.shuffle(block)
        ordered += block
    return sorted(ordered, key=_wave)


def _wave(spec: TrialSpec) -> int:
    """How many waves come before a trial's."""
    return 1 + max(map(_wave, spec.needs)) if spec.needs else 0
