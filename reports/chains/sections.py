"""The sections that a suite of chains adds to a report: tables and pictures by question, and two parts of the whole audit."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from benchmark.core.model import CONDITIONS
from benchmark.suite.section import Question, Section, Table
from reports.audit.arm_pairs import ArmPair
from reports.audit.delivery import named
from reports.audit.metrics import Audit, TrialObservation
from reports.chains.any_at import any_at
from reports.chains.buckets import DESCRIPTIVE, Buckets, Given, buckets, cuts
from reports.chains.divergence import NOTE, PairEffect, divergence
from reports.chains.endings import endings
from reports.chains.figures import reached
from reports.chains.page_divergence import divergence_view
from reports.formatting import points, share
from reports.page.html import page_environment
from reports.page.strips import difference_words
from reports.results import Results
from reports.stats.statistics import ALPHA
from reports.verdict.verdict_lines import shrunken

HERE = Path(__file__).parent
MAIN = ("C0", "C1", "C2")
CUTS = {"difficulty": "By difficulty", "position": "By place in the chain"}
TITLES = {1: "Largest shrunken gain", -1: "Largest shrunken loss"}


def sections(audit: Audit, results: Results) -> Iterator[Section]:
    """By question any@k, what each part of the tasks contributes, and how far chains got; then where arms diverged and where
    chains ended."""
    questions: list[Question] = list(dict.fromkeys(line.key for line in results.arms))
    yield _any_at(audit, results)
    for key in questions:
        yield from _buckets(audit, key)
        yield from _reached(audit, key)
    environment = page_environment(results, HERE)
    yield _divergence(audit, environment)
    ends = endings(audit)
    html = environment.get_template("endings.html.j2").render(endings=ends)
    yield Section("Where chains ended", html=Markup(html), terminal=False)


def _any_at(audit: Audit, results: Results) -> Section:
    """One table for all arms: the highest k that an arm has replicates for."""
    rows = []
    for line in results.arms:
        observations = audit.arm(*line.key, line.condition)
        known = [(k, value) for k, value in any_at(observations, _families(observations)).items() if value is not None]
        how = named(line.delivery, results.deliveries)
        name = " ".join(word for word in (line.condition, how, line.agent) if word)
        cells = (str(known[-1][0]), share(known[-1][1])) if known else ("—", "—")
        rows.append((line.skill, name, *cells))
    notes = ("any@k: the unbiased chance that at least one of k chains of an arm solves a task; no measure of one chain.",)
    return Section("Solved by any of k chains", Table(("skill", "arm", "k", "any@k"), rows, labels=2), notes=notes)


def _families(observations: Sequence[TrialObservation]) -> dict[str, str]:
    return {item.project: item.family for item in observations}


def _buckets(audit: Audit, key: Question) -> Iterator[Section]:
    """What each part of the tasks contributes to C1 − C0."""
    sides = ArmPair("C1", "C0", *(audit.arm(*key, condition) for condition in ("C1", "C0")))
    if not sides.left or not sides.right:
        return
    level = 1 - ALPHA / audit.plan.panel.looks
    for name, labels in cuts(audit).items():
        made = buckets(sides, labels, audit.suite.primary, level)
        title = f"{CUTS[name]}: what each part of the tasks contributes to C1 − C0"
        if made.reason:
            yield Section(title, notes=(f"{made.reason}.",), question=key, terminal=False)
        else:
            yield Section(title, _bucket_table(made), notes=(DESCRIPTIVE,), question=key, terminal=False)


def _bucket_table(made: Buckets) -> Table:
    rows = [
        (
            line.bucket,
            f"{100 * line.share:.0f} %",
            points(line.contribution),
            difference_words(line.difference),
            _given(line.given_base),
            _given(line.given_treated),
        )
        for line in made.rows
    ]
    columns = (
        "tasks",
        "share of tasks",
        "contribution, points",
        "difference there",
        "C0, of those reached",
        "C1, of those reached",
    )
    return Table(columns, [*rows, ("sum", "100 %", points(made.sum), "", "", "")])


def _given(line: Given) -> str:
    return "none reached" if line.solved is None else f"{100 * line.solved:.0f} %"


def _reached(audit: Audit, key: Question) -> Iterator[Section]:
    """How far chains got, of the main arms and of those of slices."""
    arms = {name: audit.arm(*key, name) for name in CONDITIONS}
    title = ", ".join(word for word in (key[0], key[1], named(key[2], audit.deliveries)) if word)
    curves = _curves(arms, MAIN)
    if curves:
        yield Section(
            "How far chains got: the share that solved each task",
            figure=reached(curves, f"How far chains got, {title}"),
            question=key,
            terminal=False,
        )
    sliced = _curves(arms, [name for name, items in arms.items() if items and name not in MAIN])
    if sliced:
        yield Section(
            "The same of the arms of slices, beside their own fresh C1 trials",
            figure=reached(sliced, f"Arms of slices, {title}"),
            question=key,
            terminal=False,
        )


def _curves(arms: Mapping[str, Sequence[TrialObservation]], names: Sequence[str]) -> dict[str, list[float]]:
    """By arm the share of its measured chains that solved task 1, 2, … n."""
    curves = {}
    for name in names:
        chains = [item.solved for item in arms[name] if item.status == "measured"]
        if chains:
            longest = max(map(len, chains))
            curves[name] = [sum(len(c) > task and c[task] for c in chains) / len(chains) for task in range(longest)]
    return curves


def _divergence(audit: Audit, environment) -> Section:
    effects = [PairEffect(item.key[0], item.key[1], item.key[2], item.project, item) for item in shrunken(audit)]
    views = [divergence_view(title, divergence(audit, effects, sign)) for sign, title in TITLES.items()]
    html = environment.get_template("divergence.html.j2").render(views=views)
    return Section("Where arms diverged (exploratory, an illustration)", html=Markup(html), notes=(NOTE,), terminal=False)
