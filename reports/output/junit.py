"""JUnit XML of an audit: what was measured, broken or not run, and what its gates said, for tools that read test reports.

pytest's own `--junitxml` stays as it is; this one is made from the results and can be made again.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from xml.etree import ElementTree

from benchmark.core.text import visible
from reports.formatting import points
from reports.result_lines import Key, VerdictLine
from reports.result_tables import TrialLine
from reports.results import GateLine, Results
from reports.verdict.phrasing import place

#: How JUnit calls a trial that was not measured. A skill that did not arrive is a fault of its delivery, not a case left out.
_KINDS = {"broken": "error", "not_delivered": "error", "contaminated": "error", "historical": "skipped", "not_run": "skipped"}
_LONGEST = 4000


def junit_xml(results: Results) -> str:
    """The results as JUnit XML.

    A suite for every (skill, agent, delivery) with a case for every trial in which the skill was injected and for every gate
    outcome, and the verdict in its properties. C0 and C2 are shared by skills: each of their trials stands once, in suites of
    their own. A measured trial passes whatever it solved; broken, contaminated and not delivered ones are errors, those that
    did not run are skipped; a gate that did not hold is a failure. Times are seconds of trials.
    """
    root = ElementTree.Element("testsuites", name=_clean(f"assay {results.suite}"))
    suites: dict[Key, list[ElementTree.Element]] = {}
    verdicts = {line.key: line for line in results.verdicts}
    for trial in results.trials:
        suites.setdefault(_place(trial), []).append(_trial(trial))
    for verdict in verdicts:
        suites.setdefault(verdict, [])
    for number, gate in enumerate(results.gates, start=1):
        suites.setdefault((gate.skill, gate.agent or "", gate.delivery or "") if gate.skill else ("gates", "", ""), []).append(
            _gate(gate, number)
        )
    for key in sorted(suites):
        properties = _properties(results, verdicts.get(key), key[1])
        root.append(_suite(key, suites[key], properties, results.first_trial))
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    root.set("time", f"{sum(float(suite.get('time', '0')) for suite in root):.3f}")
    ElementTree.indent(root, " ")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _place(trial: TrialLine) -> Key:
    """The suite that a trial stands in."""
    if trial.condition in ("C0", "C2"):
        return f"shared {trial.condition}", trial.agent, trial.delivery or ""
    return trial.skill or "", trial.agent, trial.delivery or ""


def _trial(trial: TrialLine) -> ElementTree.Element:
    seconds = trial.metrics.get("seconds")
    case = _case(f"{trial.agent}.{trial.project}", trial.id, seconds)
    kind = _KINDS.get(trial.status)
    if kind:
        # A trial that was not run needs no reason: the run ended before it.
        reason = trial.reason or ("" if trial.status == "not_run" else "no reason was recorded")
        _say(case, kind, trial.status, f"{trial.status.replace('_', ' ')}{reason and f': {reason}'}")
    return case


def _gate(gate: GateLine, number: int) -> ElementTree.Element:
    # Numbered: readers of JUnit take cases of one class and name for one.
    case = _case("gate", f"{number}: {gate.expression}", None)
    if not gate.passed:
        _say(case, "failure", "undecided" if gate.undecided else "failed", gate.why)
    return case


def _case(classname: str, name: str, seconds: float | None) -> ElementTree.Element:
    case = ElementTree.Element("testcase", classname=_clean(classname), name=_clean(name))
    if seconds is not None:
        case.set("time", f"{seconds:.3f}")
    return case


def _say(case: ElementTree.Element, kind: str, what: str, message: str) -> None:
    said = _clean(message)
    found = ElementTree.SubElement(case, kind, message=said.split("\n", 1)[0])
    if kind != "skipped":
        found.set("type", what)
        found.text = said


def _properties(results: Results, verdict: VerdictLine | None, agent: str) -> Iterable[tuple[str, str]]:
    yield "panel", results.panel_hash
    yield "date", results.last_trial or "no trial has run"
    if verdict is None:
        if agent:
            yield "agent", agent
        return
    yield "model", verdict.model or "no model"
    yield "client_version", verdict.client_version or "not recorded"
    yield "verdict", verdict.word
    yield "scope", place(verdict.scope)
    yield "estimate_points", points(verdict.estimate)
    low, high = verdict.low, verdict.high
    yield "interval_points", "not measured" if low is None or high is None else f"{points(low)} to {points(high)}"
    yield "interval_level", f"{verdict.level:.6g}"
    yield "families_x_replicates", f"{verdict.families} × {verdict.replicates}"
    yield "sentence", verdict.sentence


def _suite(
    key: Key, cases: Sequence[ElementTree.Element], properties: Iterable[tuple[str, str]], first: str | None
) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", name=_clean(" · ".join(part for part in key if part)), tests=str(len(cases)))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(sum(case.find(tag) is not None for case in cases)))
    suite.set("time", f"{sum(float(case.get('time', '0')) for case in cases):.3f}")
    if first:
        suite.set("timestamp", datetime.strptime(first, "%Y-%m-%d %H:%M UTC").isoformat())
    holder = ElementTree.SubElement(suite, "properties")
    for name, value in properties:
        ElementTree.SubElement(holder, "property", name=name, value=_clean(value))
    suite.extend(cases)
    return suite


def _clean(text: str) -> str:
    """The text with what XML cannot hold written out, and not without end."""
    kept = visible(text, lines=True)
    return kept if len(kept) <= _LONGEST else f"{kept[:_LONGEST]} … ({len(kept) - _LONGEST} characters cut)"
