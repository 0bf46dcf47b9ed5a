"""A plan as lines for a terminal: what will be run, what it costs at most, and what it can find."""

from collections.abc import Iterator, Mapping

from benchmark.plan.forecast import Outlook
from benchmark.run.session import RunSession, left_out
from reports.formatting import amount, near
from reports.verdict.phrasing import unsound
from skills.parsing.rules import brief


def plan_lines(run: RunSession, expected: Outlook, tools: Mapping[str, str]) -> Iterator[str]:
    """What will be run, before anything is."""
    plan = run.plan
    conditions = ", ".join(f"{count} {name}" for name, count in expected.by_condition.items())
    known = f", {expected.known} answered by the store" if expected.known else ""
    yield f"assay: {_count(expected.trials)} ({conditions}), {expected.shared} more saved by sharing{known}"
    yield f"assay: panel {expected.panel_hash[:12]} · sandbox {run.sandbox} · {_tools(tools)}store {near(run.store.root)}"
    yield f"assay: {_money(expected)}; {_effect(expected)}"
    for skill in plan.skills.values():
        yield from (f"assay: note: {skill.id} {note}" for note in brief(skill.diagnostics))
    seen = set()
    for absent in plan.absent:
        if (absent.skill, absent.reason) not in seen:
            seen.add((absent.skill, absent.reason))
            yield f"assay: absent: {absent.condition} of {absent.skill} on {absent.project}: {absent.reason}"
    if tests := left_out(plan):
        yield f"assay: left out of grading: {unsound(tests)}"


def _tools(tools: Mapping[str, str]) -> str:
    """What grading rests on, beside where it is done."""
    return "".join(f"{name} {version} · " for name, version in tools.items() if name not in ("sandbox", "image"))


def _money(expected: Outlook) -> str:
    if expected.prompt_tokens is None or expected.completion_tokens is None:
        return f"at most ${expected.usd:,.2f}" if expected.usd is not None else f"cost unknown ({expected.usd_reason})"
    tokens = expected.prompt_tokens + expected.completion_tokens
    if not tokens:
        return "no model is asked, nothing is spent"
    usd = f"${expected.usd:,.2f}" if expected.usd is not None else f"cost unknown ({expected.usd_reason})"
    return f"at most {amount(tokens)} tokens (estimated at 4 bytes each), {usd}"


def _effect(expected: Outlook) -> str:
    families = "1 family" if expected.families == 1 else f"{expected.families} families"
    size = f"{families} × {expected.replicates} replicate{'' if expected.replicates == 1 else 's'}"
    if expected.smallest_effect_points is None:
        return f"{size}: {expected.smallest_effect_reason}"
    found = f"{size} find an effect of {expected.smallest_effect_points:.0f} points or more (80 % power)"
    return f"{found}; {_nothing(expected)}"


def _nothing(expected: Outlook) -> str:
    """The chance that an effect of nothing is called so."""
    margin = f"NO PRACTICAL EFFECT within ±{expected.margin_points:g} points"
    chance = expected.no_practical_effect_chance
    if chance is None:
        return f"{margin}: {expected.no_practical_effect_reason}"
    said = "< 0.1 %" if chance < 0.001 else f"{100 * chance:.1f} %" if chance < 0.1 else f"{100 * chance:.0f} %"
    return f"{margin} would be reached in {said} of audits without any effect"


def _count(trials: int) -> str:
    return "1 trial" if trials == 1 else f"{trials} trials"
