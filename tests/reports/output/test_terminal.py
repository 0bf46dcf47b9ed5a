import re
from dataclasses import replace

import pytest

from benchmark.cli.plan_lines import plan_lines
from benchmark.core.model import AgentSpec, Delivered, Usage
from benchmark.core.panel import Panel
from benchmark.plan.forecast import outlook
from benchmark.run.session import open_session
from benchmark.store.store import Store
from reports.audit.delivery import IN_PROMPT, NOTE
from reports.formatting import bounds, points, share
from reports.output.terminal import result_lines
from reports.output.write import results
from reports.result_lines import IntervalLine
from reports.results import Written
from reports.verdict.phrasing import LOCAL, SCRIPTED
from tests.factory import audit, evidence, kept, row, skill, usage, wire, write_skill


def plan_text(tmp_path, **panel) -> str:
    made = Panel(suite="webdev", agents=(AgentSpec(name="noop"),), **{"skills": ("css-layout",), "replicates": 2, **panel})
    run = open_session(made, tmp_path / "runs", None, unsandboxed=False)
    return "\n".join(plan_lines(run, outlook(run.plan), {"browser": "chromium 1", "sandbox": "local"}))


def result_text(tmp_path, rows, **panel) -> str:
    return "\n".join(result_lines(written(audit(tmp_path, rows, **panel))))


def written(made) -> Written:
    """The results of an audit as a report has them, with what the suite adds."""
    found = results(made)
    return Written(replace(found, sections=tuple(made.suite.sections(made, found))), {})


def test_the_plan_says_what_will_run_where(tmp_path):
    text = plan_text(tmp_path, conditions=("C0", "C1"))
    assert all(part in text for part in ("12 trials", "6 C0", "6 C1", "chromium 1", "local", "3 families"))
    assert all(line.startswith("assay: ") for line in text.splitlines())


def test_the_plan_names_absent_arms_once_and_notes_of_skills(tmp_path):
    bom = write_skill(tmp_path, skill("mine", 4000))
    (bom / "SKILL.md").write_bytes(b"\xef\xbb\xbf" + (bom / "SKILL.md").read_bytes()[3:])
    text = plan_text(tmp_path, skills=("responsive-pages", f"path:{bom}"), projects=("bakery-page",))
    assert text.count("C2 of responsive-pages") == 1
    assert "byte order mark" in text


def test_one_of_a_thing_is_singular(tmp_path):
    text = plan_text(tmp_path, projects=("bakery-page",), replicates=1, conditions=("C1",))
    assert "1 trial " in text and "1 family" in text and "1 replicates" not in text


def test_numbers_that_were_not_measured_are_not_zero():
    assert share(None) == "not measured" and points(None) != points(0.0)
    assert share(0.0) == "0.0 %" and share(0.4567) == "45.7 %"
    assert points(0.055) == "+5.5" and points(-0.1) == "−10.0"


def test_an_interval_or_its_reason_is_shown():
    assert bounds(IntervalLine(None, -0.05, 0.1)) == "[−5.0, +10.0]"
    assert bounds(IntervalLine(None, reason="no spread")) == "no spread"
    assert bounds(IntervalLine(None)) == "—"


def test_the_highest_known_k_is_shown(tmp_path):
    """beta has two replicates of the three that alpha has: any@3 is not known, any@2 is."""
    rows = [*row("alpha", "C0", "1x", "1x", "x-"), *row("beta", "C0", "1x", "11"), *row("alpha", "C1", "11", status="broken")]
    lines = result_text(tmp_path, rows).splitlines()
    at = lines.index("Solved by any of k chains:")
    table = [line.split() for line in lines[at : at + 8]]
    assert ["skill", "arm", "k", "any@k"] in table
    # Any two of alpha's three chains solve its first task and none its second; beta's two solve both of theirs.
    assert ["target", "C0", "noop", "2", "75.0", "%"] in table and ["target", "C1", "noop", "—", "—"] in table
    assert any(line.startswith("any@k: the unbiased chance") for line in lines)


def test_results_show_arms_contrasts_and_cautions(tmp_path):
    rows = [
        item
        for project, treated in (("alpha", "11x-"), ("beta", "1x--"))
        for item in (*row(project, "C0", "1x--"), *row(project, "C1", treated, tokens=1500))
    ]
    text = result_text(tmp_path, rows)
    assert SCRIPTED in text
    assert all(part in text for part in ("C1−C0", "25.0 %", "37.5 %", "+12.5", "+50 %", "2 × 1"))
    assert "caution: 2 families" in text


def test_results_say_what_was_not_measured(tmp_path):
    rows = [
        *row("alpha", "C0", "1x", None),
        *row("alpha", "C1", "11", tokens=None),
        *row("beta", "C1", "x-", status="broken", reason="x"),
    ]
    text = result_text(tmp_path, rows)
    assert all(part in text for part in ("4 planned", "2 measured", "1 broken", "1 not run", "not measured", "1/2"))


def test_a_model_is_not_called_scripted(tmp_path):
    assert SCRIPTED not in result_text(tmp_path, row("alpha", "C0", "11", scripted=False))


@pytest.mark.parametrize("chains", [(None, None), ()])
def test_nothing_run_is_no_error(tmp_path, chains):
    assert "0 measured" in (text := result_text(tmp_path, row("alpha", "C0", *chains))) or "planned" in text


def test_a_delivery_is_said_where_there_is_one_to_tell(tmp_path):
    zero, prompt = row("alpha", "C0", "1x"), row("alpha", "C1", "11")
    native = row("alpha", "C1", "11", delivery="native", attempt={"evidence": evidence(opened=3)})
    alone = result_text(tmp_path / "a", [*zero, *prompt])
    assert "C1 noop" in alone and "native" not in alone and "C1 prompt" not in alone
    assert IN_PROMPT in alone.splitlines() and NOTE not in alone
    both = result_text(tmp_path / "b", [*zero, *prompt, *native])
    assert all(part in both for part in ("C1 prompt noop", "C1 native noop", "C1−C0 native noop", "C0 native noop"))
    only = result_text(tmp_path / "c", [*zero, *native])
    assert "C1 native noop" in only and IN_PROMPT not in only


def test_how_skills_were_read_is_a_short_table(tmp_path):
    rows = [
        *row("alpha", "C1", "11", delivery="native", attempt={"evidence": evidence(opened=3, seen=0.5)}),
        *row("alpha", "C1", "1x", delivery="native", first=1, attempt={"evidence": evidence(opened=None)}),
    ]
    text = result_text(tmp_path, rows)
    assert all(part in text for part in ("5/5 = 100 %", "2/5 = 40 %", "1/2 = 50 %", "3.0 (n = 2)", "50.0 %", NOTE))


def test_baselines_are_said_to_be_proven_or_not(tmp_path):
    rows = [*row("alpha", "C0", "1x", "11"), *row("alpha", "C1", "11")]
    assert "C0: baseline proven free of the skill in 2 of 2 trials" in result_text(tmp_path / "a", rows)
    wired = Delivered(wire=Store(tmp_path / "b").put(wire("the task", kept().text)))
    rows = [*row("alpha", "C0", "1x", scripted=False, delivered=wired), *rows[1:]]
    text = result_text(tmp_path / "b", rows)
    assert "free of the skill in 1 of 2 trials; 1 contaminated, in no contrast" in text
    assert "1 contaminated" in text.splitlines()[0]
    assert "contaminated: the body of the skill target was in request 2 of the baseline" in text
    rows = [*row("alpha", "C0", "1x", scripted=False), *row("alpha", "C1", "11")]
    text = result_text(tmp_path / "c", rows)
    assert "in 0 of 1 trial; not proven: nothing of what it was sent was kept" in text


def test_counts_that_differ_are_both_shown(tmp_path):
    own = Usage(prompt_tokens=90, cached_tokens=30, completion_tokens=7)
    rows = [
        *row("alpha", "C0", "1", attempt={"reported": usage(100)}),
        *row("alpha", "C1", "1", attempt={"reported": own}),
    ]
    text = result_text(tmp_path, rows)
    assert "C1 noop: counts differ in 1 of 1 attempts" in text
    assert "gateway 100 prompt (0 cached), 0 completion; client 90 prompt (30 cached), 7 completion" in text
    assert "clients count as the gateway does in 1 of 2 arms" in text
    assert "tokens:" not in result_text(tmp_path / "b", row("alpha", "C0", "1"))


def test_cached_tokens_have_a_column(tmp_path):
    spent = Usage(prompt_tokens=9000, cached_tokens=4200, completion_tokens=7, usd=0.0, source="provider")
    text = result_text(tmp_path, row("alpha", "C0", "1", usage=spent))
    assert "cached" in text and "4.2k" in text


def test_error_at_1_has_a_column(tmp_path):
    # Of eight tasks four were reached and not solved at the first attempt.
    lines = result_text(tmp_path, row("alpha", "C0", "12x-", "112x")).splitlines()
    head, cells = (re.split(" {2,}", next(line for line in lines if part in line).strip()) for part in ("first try", "C0 noop"))
    assert head[head.index("first try") - 1 :][:3] == ["pass1", "first try", "error@1"]
    shown = dict(zip(head, cells, strict=True))
    assert [shown[name] for name in ("Pass@2", "TCD", "pass1", "first try", "error@1")] == [
        "62.5 %",
        "2.5",
        "37.5 %",
        "37.5 %",
        "50.0 %",
    ]


def test_tests_that_are_left_out_are_counted_by_project(tmp_path):
    made = audit(tmp_path, row("alpha", "C0", "1x"))
    assert "left out" not in "\n".join(result_lines(written(made)))
    for quarantined, said in (
        ({"alpha": ["a: failed"]}, "left out of grading: 1 test that fails with the reference too (alpha: 1)"),
        (
            {"beta": ["a", "b"], "alpha": ["c"]},
            "left out of grading: 3 tests that fail with the reference too (alpha: 1, beta: 2)",
        ),
    ):
        plan = made.plan.model_copy(update={"quarantined": quarantined})
        assert said in list(result_lines(written(replace(made, plan=plan))))


def test_the_small_model_of_this_machine_is_not_ranked(tmp_path):
    text = result_text(tmp_path, row("alpha", "C0", "1", agent={"model": "local/smollm2-135m"}))
    assert f"local/smollm2-135m {LOCAL}" in text and "135 million parameters" in text
    assert LOCAL not in result_text(tmp_path / "b", row("alpha", "C0", "1"))
