"""The vocabulary of DESIGN.md as frozen data. No input or output here; everything else knows this module."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from benchmark.core.files import hash_json
from benchmark.core.score import Score

Sha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[^\s/@\[\]:]+$", max_length=100)]

#: No skill, the target skill, a length-matched irrelevant skill; the target without one slice (C3), and with as many irrelevant
#: bytes in its place (L3); the target once more in fresh trials, which alone stand beside C3 and L3 (METHOD.md, C3).
Condition = Literal[
    "C0", "C1", "C2", "C1:fresh",
    "C3:-rules", "L3:-rules", "C3:-antipatterns", "L3:-antipatterns", "C3:-examples", "L3:-examples",
]  # fmt: skip
CONDITIONS: tuple[Condition, ...] = get_args(Condition)
#: How a skill reaches the agent: its text in the prompt, the client's own skill directory, or that and a directive to use it.
Delivery = Literal["prompt", "native", "forced"]
DELIVERIES: tuple[Delivery, ...] = ("prompt", "native", "forced")
Tier = Literal["core", "skip"]
#: Of a task.
Outcome = Literal["solved", "unsolved", "not_reached"]
#: Of a trial: measured, or why it was not.
Status = Literal["measured", "not_delivered", "broken"]
FailureClass = Literal["assertion", "timeout", "crash", "server", "load", "grader"]
Difficulty = Literal["easy", "moderate", "challenging"]


class Data(BaseModel):
    """Base of everything that is written down: frozen, and strict about what it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Limits(Data):
    """What one attempt may use before it is stopped; what it left is graded all the same."""

    seconds: float = Field(default=900, gt=0)
    #: Requests to the model. None is the agent's own measure: four for `web`, as many as the time allows for real clients.
    turns: int | None = Field(default=None, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    usd: float | None = Field(default=None, gt=0)

    def allows(self, other: "Limits") -> bool:
        """Whether everything that ran under `other` could have run under this."""
        return (
            self.seconds >= other.seconds
            and (self.turns is None or (other.turns is not None and self.turns >= other.turns))
            and (self.tokens is None or (other.tokens is not None and self.tokens >= other.tokens))
            and (self.usd is None or (other.usd is not None and self.usd >= other.usd))
        )


class AgentSpec(Data):
    """Who works: an agent of `agents/`, its model if it has one, and settings of its own."""

    name: Name
    model: str | None = None
    api_base: str | None = None
    options: dict[str, object] = {}
    limits: Limits = Limits()

    @property
    def label(self) -> str:
        """A short name for ids and tables."""
        return f"{self.name}-{re.sub(r'[^A-Za-z0-9.]+', '-', self.model)}" if self.model else self.name


class SkillRef(Data):
    """A skill as content: `tree` is the hash of all its files, `size` the bytes of its SKILL.md.

    `folder` is the name under which a client finds it: a control goes by the target's (METHOD.md, C2 under native delivery).
    """

    id: Name
    tree: Sha
    sha256: Sha
    size: int
    folder: Name


class TrialSpec(Data):
    """One trial to run. `inputs` is the hash of what the suite shows the agent; `skill` is what this arm injects.

    `source` names the project's files in the store, where the project is none of the suite's own. `needs` are the trials whose
    records this one uses; `judge` is the model that grades, where one does.
    """

    suite: Name
    project: Name
    condition: Condition
    delivery: Delivery | None
    agent: AgentSpec
    skill: SkillRef | None
    replicate: int = Field(ge=0)
    inputs: Sha
    protocol: int
    source: Sha | None = None
    needs: tuple["TrialSpec", ...] = ()
    judge: "AgentSpec | None" = None

    @property
    def id(self) -> str:
        """A stable name for people and pytest: suite/project/skill/condition/agent/replicate; the condition says how it is
        delivered where that is not `prompt`, and a control that goes by another skill's name says which."""
        skill = self.skill.id if self.skill else "no-skill"
        if self.skill and self.skill.folder != self.skill.id:
            skill = f"{skill}-as-{self.skill.folder}"
        how = f"-{self.delivery}" if self.delivery not in (None, "prompt") else ""
        return f"{self.suite}/{self.project}/{skill}/{self.condition}{how}/{self.agent.label}/r{self.replicate}"

    def work_key(self, resolved: "Resolved") -> str:
        """The hash of all that the agent saw or that shaped what it did; limits are compared, not hashed.

        C1 and C2 are the same treatment of a skill under `prompt` delivery but for its role, which the agent cannot
        see; the condition is in the key so that a record says what it was made for.
        """
        return hash_json([self._work(), resolved.agent_version, resolved.image, resolved.sandbox])

    def _work(self) -> Mapping[str, object]:
        # What of a project's files an agent sees is in `inputs`; the rest of them grades, and so does a judge.
        outside = {"agent": {"limits"}, "source": True, "judge": True, "needs": True}
        work = self.model_dump(mode="json", exclude=outside)
        return work | {"needs": [need._work() for need in self.needs]} if self.needs else work


class Resolved(Data):
    """What names stood for on the day: the agent's version (of a real client, its pin), the sandbox, its image, and the
    `versions` of the tools that grading rests on, as far as the suite declares them."""

    agent_version: str
    sandbox: str
    image: str
    versions: dict[str, str] = {}


class Usage(Data):
    """Tokens and money of one or more model calls. `None` is not measured, and `reason` says why."""

    prompt_tokens: int | None = Field(default=None, ge=0)
    cached_tokens: int | None = Field(default=None, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)
    usd: float | None = Field(default=None, ge=0)
    source: Literal["provider", "estimate", "none"] = "none"
    reason: str | None = None

    @property
    def tokens(self) -> int | None:
        """Prompt and completion tokens together."""
        if self.prompt_tokens is None or self.completion_tokens is None:
            return None
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Usage") -> "Usage":
        def add(left: Any, right: Any) -> Any:
            return None if left is None or right is None else left + right

        # What is in part an estimate is one.
        sources = {self.source, other.source}
        return Usage(
            prompt_tokens=add(self.prompt_tokens, other.prompt_tokens),
            cached_tokens=add(self.cached_tokens, other.cached_tokens),
            completion_tokens=add(self.completion_tokens, other.completion_tokens),
            usd=add(self.usd, other.usd),
            source="none" if "none" in sources else "estimate" if "estimate" in sources else "provider",
            reason=self.reason or other.reason,
        )


def total(usages: list[Usage]) -> Usage:
    """The sum of usages; with one part not measured the sum is not measured."""
    if not usages:
        return Usage(prompt_tokens=0, cached_tokens=0, completion_tokens=0, usd=0.0)
    result = usages[0]
    for usage in usages[1:]:
        result = result + usage
    return result


class CheckOutcome(Data):
    """What one check said of one workspace. `failure` is None where it held.

    `stopped`: it was ended at its time limit, so that what it says may depend on how busy the machine was.
    """

    task: int
    title: str
    seconds: float
    failure: FailureClass | None = None
    expected: str = ""
    seen: str = ""
    screenshot: Sha | None = None
    reruns: int = 0
    stopped: bool = False


class Evidence(Data):
    """What the model was sent of one skill in an attempt. Places count the attempt's requests from 1; None is never.

    `listed`: its name and description were in the request. `opened`: distinctive lines of its body were; `lines` of them in
    all, `body_lines` there are, `bytes` is what they come to of `body_bytes`. `carrying` requests held SKILL.md byte for byte.
    """

    requests: int = 0
    carrying: int = 0
    listed: int | None = None
    opened: int | None = None
    lines: int = 0
    body_lines: int = 0
    bytes: int = 0
    body_bytes: int = 0


class Attempt(Data):
    """One agent run on a task and how what it left was graded. `workspace` names a tree in the store.

    `limit` names one that stopped the agent; `reason` says what else spoiled its work, such as that its client failed after the
    model had answered, or that it left a workspace that cannot be read. `usage` is the gateway's count, `reported` the client's
    own where it has one; both are kept where they differ. `evidence` is of the skill that this arm injects.
    """

    number: int
    score: Score
    workspace: Sha
    prompt: Sha
    trajectory: Sha
    usage: Usage
    reported: Usage | None = None
    evidence: Evidence | None = None
    offered: tuple[str, ...] | None = None
    limit: str | None = None
    reason: str | None = None
    seconds: float
    grading_seconds: float
    graded_before: bool = False
    feedback: str | None = None
    checks: tuple[CheckOutcome, ...] = ()

    @property
    def solved(self) -> bool:
        """Whether its score is the best of its scale."""
        return self.score.best


class TaskResult(Data):
    """What became of one task. One that is not `scored` prepares the others and counts only in what it cost.

    `outcome` is of tasks that are solved or not, None of those that only have a score.
    """

    task: int
    title: str
    difficulty: Difficulty | None = None
    outcome: Outcome | None = None
    attempts: tuple[Attempt, ...] = ()
    scored: bool = True

    @property
    def score(self) -> Score | None:
        """The last attempt's score; None of a task that was not reached."""
        return self.attempts[-1].score if self.attempts else None


class Delivered(Data):
    """What is proven of the skill's way to the agent, from what was sent and what lay in the sandbox.

    `wire` names what was sent: a blob of JSON lines, one a request, xz-compressed; from it the presence or absence of any
    skill can be computed later (None for scripted agents, which ask no model).
    """

    installed: dict[str, Sha] = {}
    manifest: dict[str, Sha] = {}
    wire: Sha | None = None


class Record(Data):
    """Everything kept of a trial; the only input of reports. `work` and `grade` are its keys.

    `usage` is the agent's, `judge_usage` what model judges cost (None where none was asked). `needs` names, by trial, the last
    workspace of each trial that this one used.
    """

    schema_version: Literal[3] = 3
    spec: TrialSpec
    work: Sha
    grade: Sha
    status: Status
    reason: str | None = None
    resolved: Resolved
    started: float
    seconds: float
    scripted: bool
    tasks: tuple[TaskResult, ...] = ()
    task_count: int
    usage: Usage = Usage()
    judge_usage: Usage | None = None
    needs: dict[str, Sha] = {}
    delivered: Delivered = Delivered()
    regraded: bool = False
    package_version: str

    @property
    def scored(self) -> tuple[TaskResult, ...]:
        """The results of the tasks that count, in their order; as many as `task_count` where it was measured."""
        return tuple(task for task in self.tasks if task.scored)

    @property
    def hit_limit(self) -> bool:
        return any(attempt.limit for task in self.tasks for attempt in task.attempts)
