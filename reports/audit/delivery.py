"""How skills reached agents: listed, opened, when first and how much, by delivery (OpenSkillEval §3.1), and who counted what.

Opening a skill is what an agent did after it was treated: no outcome is set against it here, for that would show an
association and no effect (METHOD.md, intention-to-treat).
"""

from collections.abc import Iterable, Sequence

from benchmark.core.model import Evidence, Usage
from reports.audit.metrics import Audit, TrialObservation
from reports.result_tables import DeliveryLine, PurityLine, TokenCounts, TokenLine

#: What there is to say of a skill whose text is in the prompt.
IN_PROMPT = "Delivery: prompt (skill text included in every request)"
NO_LINES = "its body has no line that tells where it comes from: that it was opened cannot be proven"
NOTE = (
    "Opening a skill comes after the treatment: how outcomes differ between trials in which it was opened and others is an "
    "association, not an effect, and is not shown."
)
COUNTS = ("prompt_tokens", "cached_tokens", "completion_tokens")


def named(delivery: str, deliveries: Sequence[str]) -> str:
    """The delivery as tables and titles say it: nothing where all is `prompt`."""
    return "" if list(deliveries) == ["prompt"] else delivery


def delivery_line(audit: Audit, skill: str, agent: str, delivery: str, condition: str) -> DeliveryLine | None:
    """How one arm's skill reached the agent, None where the plan has no such arm.

    `listed` is counted over the attempts of all trials that ran and asked something; reading over those of measured trials,
    in which the skill was within reach. `first_read` is the mean number of the request in which the body first was, `seen`
    the mean share of its bytes, both over attempts in which it was opened. Under `prompt` reading is no finding: None.
    """
    observations = audit.arm(skill, agent, delivery, condition)
    if not observations:
        return None
    ran = [item for item in observations if item.status in ("measured", "not_delivered")]
    tried = [one for item in ran for one in _asked(item)]
    trials = [found for item in ran if item.status == "measured" and (found := _asked(item))]
    telling = [found for kept in trials if (found := [one for one in kept if one.body_lines])]
    within = [one for kept in telling for one in kept]
    opened = [one for one in within if one.opened is not None]
    said = delivery == "prompt"
    return DeliveryLine(
        skill=skill,
        agent=agent,
        delivery=delivery,
        condition=condition,
        injected=sorted({item.skill for item in observations if item.skill}),
        trials=len(observations),
        not_delivered=sum(item.status == "not_delivered" for item in observations),
        attempts=len(tried),
        listed=None if said else sum(one.listed is not None for one in tried),
        readable=len(within),
        read=None if said else len(opened),
        read_rate=None if said else _share(len(opened), len(within)),
        readable_trials=len(telling),
        read_trials=None if said else sum(any(one.opened is not None for one in kept) for kept in telling),
        first_read=None if said else _mean(one.opened for one in opened if one.opened is not None),
        seen=None if said else _mean(one.bytes / one.body_bytes for one in opened),
        note=IN_PROMPT if said else NO_LINES if trials and not telling else None,
    )


def _asked(item: TrialObservation) -> list[Evidence]:
    """What was seen in those attempts of a trial that asked a model anything."""
    return [one.evidence for one in item.attempts if one.evidence and one.evidence.requests]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def token_line(audit: Audit, skill: str, agent: str, delivery: str, condition: str) -> TokenLine | None:
    """The tokens of one arm as the gateway counted them and as the client did, None where no client counted.

    Both sums go over the attempts in which both counted, `differ` of which disagree in a count that both gave; in
    `client_only` further ones the gateway has no count.
    """
    measured = [item for item in audit.arm(skill, agent, delivery, condition) if item.status == "measured"]
    counted = [
        (one.usage, one.reported)
        for item in measured
        for one in item.attempts
        if one.reported and one.reported.tokens is not None
    ]
    if not counted:
        return None
    both = [(usage, reported) for usage, reported in counted if usage.tokens is not None]
    return TokenLine(
        skill=skill,
        agent=agent,
        delivery=delivery,
        condition=condition,
        attempts=len(both),
        client_only=len(counted) - len(both),
        differ=sum(differ(usage, reported) for usage, reported in both),
        gateway=_sums(usage for usage, _ in both),
        client=_sums(reported for _, reported in both),
    )


def differ(usage: Usage, reported: Usage) -> bool:
    """Whether two counts of the same attempt disagree in a number that both have."""
    pairs = [(getattr(usage, name), getattr(reported, name)) for name in COUNTS]
    return any(left != right for left, right in pairs if left is not None and right is not None)


def _sums(usages: Iterable[Usage]) -> TokenCounts:
    """The sums of each count, None for one that was not given everywhere."""
    listed = list(usages)
    sums: dict[str, int | None] = {}
    for name in COUNTS:
        values = [getattr(usage, name) for usage in listed]
        sums[name] = None if None in values else sum(values)
    return TokenCounts(**sums)


def purity(audit: Audit) -> PurityLine:
    """How many baselines are proven free of the skills that they are compared with, and what stands against the others."""
    looked = [item for item in audit.observations.values() if item.free is not None]
    return PurityLine(
        of=len(looked),
        free=sum(item.free is True for item in looked),
        contaminated=sum(item.status == "contaminated" for item in looked),
        unproven=sorted({item.unproven for item in looked if item.unproven}),
    )
