import json
import shutil
from datetime import UTC, datetime, timedelta

import pytest

from benchmark.store.store import Store
from reports.audit.load import audit_of
from reports.output.write import write_all, written_json
from reports.verdict.looks import note
from tests.factory import keep, record, ref, row
from tests.reports.as_json import results

PROJECTS = "abcdef"
MORNING = datetime(2027, 1, 16, 8, tzinfo=UTC)
ADVISED = {"HELPS": "inject", "UNDECIDED": "test more"}


def chain(depth: int) -> str:
    return "1" * depth + "x" + "-" * (9 - depth)


def wiggle(project: str, again: int) -> int:
    """Families and replicates differ by a task."""
    at = PROJECTS.index(project)
    return (at + again * at) % 3 - 1


def arms(replicates: int, projects: str = PROJECTS, skill: str = "target", start: int = 0, targets=()) -> list:
    """C0 about 3 and C1 about 7 of ten tasks, which HELPS; replicates before `start` were kept before."""
    rows = []
    for project in projects:
        for condition, depth in (("C0", 3), ("C1", 7)):
            depths = [chain(depth + wiggle(project, again) * (condition == "C1")) for again in range(replicates)]
            # C0 does not depend on the skill: a second skill's rows share it.
            injected = skill if condition == "C1" else None
            rows += row(project, condition, *depths, targets=targets or (skill,), injected=injected)
    return [item._replace(records=()) if item.spec.replicate < start else item for item in rows]


def two_skills() -> list:
    """Three replicates of `target` and of `two`, which share their C0."""
    rows = arms(3, targets=("target", "two")) + [item for item in arms(3, skill="two") if item.spec.condition == "C1"]
    return [item._replace(targets=(item.spec.skill.id,)) if item.spec.skill else item for item in rows]


class Reports:
    """Reports plans of one store, each an hour after the one before."""

    def __init__(self, root) -> None:
        self.root = root
        self.now = MORNING

    def plan(self, rows, **panel):
        return keep(Store(self.root), rows, **panel)

    def of(self, plan) -> dict:
        """The verdict line by skill, as a report speaks it."""
        store = Store(self.root)
        audit = audit_of(store, plan)
        found = results(audit, store)
        note(store, audit, self.now)
        self.now += timedelta(hours=1)
        # Advice never says more than the verdicts do.
        words = {line["skill"]: line["word"] for line in found["verdicts"]}
        assert all(line["action"] == ADVISED[words[line["skill"]]] for line in found["advice"])
        return {line["skill"]: line for line in found["verdicts"]}

    def looks(self) -> dict:
        return {path.stem: json.loads(path.read_text()) for path in (self.root / "looks").glob("*.json")}


@pytest.fixture
def reports(tmp_path):
    return Reports(tmp_path / "runs")


def test_a_plan_reported_twice_is_one_look(reports):
    plan = reports.plan(arms(3))
    first, second = reports.of(plan)["target"], reports.of(plan)["target"]
    assert first["word"] == second["word"] == "HELPS" and first["exploratory"] is None
    (look,) = reports.looks().values()
    assert (look["hash"], look["time"], look["looks"]) == (plan.hash, "2027-01-16T08:00:00.000000+00:00", 1)
    (asked,) = look["questions"]
    assert (asked["scope"], asked["projects"], len(asked["trials"])) == ("ON PROJECTS LIKE THESE", list(PROJECTS), 18)


def test_more_replicates_after_the_verdict_are_exploratory(reports):
    three = reports.plan(arms(3))
    assert reports.of(three)["target"]["word"] == "HELPS"
    line = reports.of(reports.plan(arms(5, start=3)))["target"]
    assert line["word"] == "UNDECIDED" and line["estimate"] == pytest.approx(0.4, abs=0.05)
    told = f"its trials were looked at before, on 2027-01-16 (plan {three.hash[:12]}), and 1 look was planned"
    assert line["exploratory"] == told and told in line["reasons"][0] and told in line["sentence"]
    # The verdict that was planned stays what it was, whatever was looked at since.
    assert reports.of(three)["target"]["word"] == "HELPS"


def test_a_second_look_that_both_panels_planned_is_allowed_at_half_the_level(reports):
    first = reports.of(reports.plan(arms(3), looks=2))["target"]
    second = reports.of(reports.plan(arms(5, start=3), looks=2))["target"]
    assert [line["word"] for line in (first, second)] == ["HELPS", "HELPS"]
    assert [line["level"] for line in (first, second)] == pytest.approx([0.975, 0.975])
    third = reports.of(reports.plan(arms(6, start=5), looks=2))["target"]
    assert third["word"] == "UNDECIDED" and "2 looks were planned" in third["reasons"][0]


def test_looks_cannot_be_raised_after_the_first(reports):
    reports.of(reports.plan(arms(3), looks=1))
    line = reports.of(reports.plan(arms(5, start=3), looks=2))["target"]
    assert line["word"] == "UNDECIDED" and "1 look was planned" in line["reasons"][0]


@pytest.mark.parametrize("keeps", [1, 17, 35])
def test_an_unfinished_plan_is_undecided_and_no_look(reports, keeps):
    """As after a stop for money, or a kill: the rest is run later, and the verdict is the plan's first."""
    rows = arms(3)
    plan = reports.plan([item._replace(records=()) if at >= keeps else item for at, item in enumerate(rows)])
    line = reports.of(plan)["target"]
    wait = f"{36 - keeps} of its 36 trials of C1 and C0 have not run"
    said = f"Its plan is not finished, {wait}, and only a finished plan is judged."
    assert (line["word"], line["reasons"][0]) == ("UNDECIDED", said)
    assert line["needed_words"] == "the same command runs the rest of the plan" and line["needed"] is None
    assert "exploratory" not in line["sentence"] and reports.looks() == {}
    reports.plan([item if at >= keeps else item._replace(records=()) for at, item in enumerate(rows)])
    assert reports.of(plan)["target"]["word"] == "HELPS" and len(reports.looks()) == 1


def test_a_question_waits_for_the_others_of_its_plan(reports):
    rows = [item._replace(records=()) if item.targets == ("two",) else item for item in two_skills()]
    plan = reports.plan(rows)
    lines = reports.of(plan)
    assert lines["target"]["reasons"][0] == "Its plan is not finished, and only a finished plan is judged."
    assert "18 of its 36 trials" in lines["two"]["reasons"][0] and reports.looks() == {}


def test_other_skills_are_not_affected(reports):
    reports.of(reports.plan(arms(3)))
    lines = reports.of(reports.plan(two_skills()))
    assert {skill: line["word"] for skill, line in lines.items()} == {"target": "UNDECIDED", "two": "HELPS"}


def test_a_skill_whose_bytes_changed_is_a_new_question(reports):
    reports.of(reports.plan(arms(3)))
    rows = []
    for item in arms(4, start=3):
        if item.spec.skill:
            made = item.spec.model_copy(update={"skill": ref("target", "One more rule.\n")})
            depth = chain(7 + wiggle(made.project, made.replicate))
            item = item._replace(spec=made, records=(record(made, depth),))
        rows.append(item)
    assert reports.of(reports.plan(rows))["target"]["word"] == "HELPS" and len(reports.looks()) == 2


def test_looks_come_along_when_stores_are_merged(reports, tmp_path):
    other = Reports(tmp_path / "other")
    three, five = arms(3), arms(5, start=3)
    reports.of(reports.plan(three))
    plan = other.plan(five)
    assert "not finished" in other.of(plan)["target"]["reasons"][0]
    shutil.copytree(tmp_path / "runs", tmp_path / "other", dirs_exist_ok=True)
    other.now += timedelta(days=1)
    assert "looked at before" in other.of(plan)["target"]["reasons"][0]


@pytest.mark.parametrize(("replicates", "looks"), [(3, 0), (5, len(PROJECTS))])
def test_jobs_of_a_project_each_do_not_use_up_the_look_of_the_whole(reports, tmp_path, replicates, looks):
    """docs/audit.md, In CI: every job reports its project; merged, the whole panel is reported once."""
    for project in PROJECTS:
        job = Reports(tmp_path / project)
        line = job.of(job.plan(arms(replicates, project)))["target"]
        assert "PROJECTS LIKE THESE" not in line["scope"] or line["word"] == "UNDECIDED"
        shutil.copytree(tmp_path / project, tmp_path / "runs", dirs_exist_ok=True)
    line = reports.of(reports.plan(arms(replicates, start=replicates)))["target"]
    assert (line["word"], line["scope"], len(reports.looks())) == ("HELPS", "ON PROJECTS LIKE THESE", looks + 1)


def test_on_these_projects_only_the_same_projects_are_the_same_question(reports):
    assert reports.of(reports.plan(arms(5, "ab")))["target"]["word"] == "HELPS"
    again = reports.of(reports.plan(arms(6, "ab", start=5)))["target"]
    assert (again["word"], again["scope"]) == ("UNDECIDED", "ON THESE PROJECTS ONLY")
    assert "looked at before" in again["reasons"][0]


def test_what_was_too_little_for_a_verdict_was_no_look(reports):
    few = reports.of(reports.plan(arms(2)))["target"]
    assert few["word"] == "UNDECIDED" and reports.looks() == {}
    assert reports.of(reports.plan(arms(3, start=2)))["target"]["word"] == "HELPS"


@pytest.mark.parametrize("text", ["{", "[]", '{"questions": [{}], "time": "x", "looks": 1}', '{"hash": "x", "date": "y"}'])
def test_a_look_that_cannot_be_read_is_told(reports, text):
    plan = reports.plan(arms(3))
    path = reports.root / "looks" / f"{'ab' * 32}.json"
    path.parent.mkdir()
    path.write_text(text)
    store = Store(reports.root)
    line = results(audit_of(store, plan), store)["verdicts"][0]
    assert line["word"] == "UNDECIDED" and f"looks/{'ab' * 32}.json cannot be read" in line["reasons"][0]


def test_writing_the_pages_is_what_looks(reports):
    three, five = reports.plan(arms(3)), reports.plan(arms(5, start=3))
    words = []
    for plan in (three, three, five, three):
        found = written_json(write_all(Store(reports.root), plan.hash))
        words.append(found["verdicts"][0]["word"])
        assert json.loads((reports.root / "report/results.json").read_text())["verdicts"] == found["verdicts"]
        assert found["panel_hash"] == plan.hash
    assert words == ["HELPS", "HELPS", "UNDECIDED", "HELPS"]
    shutil.rmtree(reports.root / "looks")
    # The folder can be deleted; then nobody knows.
    assert write_all(Store(reports.root), five.hash).results.verdicts[0].word == "HELPS"
