import pytest

from benchmark.forecast import outlook
from benchmark.model import AgentSpec
from benchmark.panel import Panel
from benchmark.session import open_session
from reports.terminal import SCRIPTED, any_at, bounds, plan_lines, points, result_lines, share
from reports.write import results
from tests.factory import audit, row, skill, write_skill


def plan_text(tmp_path, browser: str = "chromium 1", **panel) -> str:
    made = Panel(agents=(AgentSpec(name="noop"),), **{"skills": ("css-layout",), "replicates": 2, **panel})
    run = open_session(made, tmp_path / "runs", None, unsandboxed=False)
    return "\n".join(plan_lines(run, outlook(run.plan, run.store, None), browser))


def result_text(tmp_path, rows, **panel) -> str:
    return "\n".join(result_lines(results(audit(tmp_path, rows, **panel))))


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
    assert points(0.055) == "+5.5" and points(-0.1) == "-10.0"


def test_an_interval_or_its_reason_is_shown():
    assert bounds({"low": -0.05, "high": 0.1, "reason": None}) == "[-5.0, +10.0]"
    assert bounds({"low": None, "high": None, "reason": "no spread"}) == "no spread"


def test_the_highest_known_k_is_shown():
    assert any_at({"any_at": {"1": 0.5, "2": 0.75, "3": None}}) == "@2 75.0 %"
    assert any_at({"any_at": {}}) == any_at({"any_at": {"1": None}})


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
