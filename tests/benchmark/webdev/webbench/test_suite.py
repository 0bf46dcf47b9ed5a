"""A checkout's projects in the place of the suite's own: what is planned of them, what a trial can be run from, the keys."""

import json
from pathlib import Path

import pytest

from benchmark.core.errors import UsageError
from benchmark.core.files import Files, sha256
from benchmark.core.model import AgentSpec, Resolved, TrialSpec
from benchmark.core.panel import Panel
from benchmark.core.stored_plan import PlannedTrial, StoredPlan
from benchmark.plan.panel import PANELS, Overrides, load_panel
from benchmark.plan.planner import Plan, plan
from benchmark.run.engine import Known
from benchmark.run.session import open_session
from benchmark.store.store import Store
from benchmark.suite.capabilities import ProjectSource
from benchmark.suite.contract import Suite
from benchmark.suite.discovery import suite_in, suite_of
from benchmark.webdev.suite import SUITE
from benchmark.webdev.webbench.checkout import Checkout
from benchmark.webdev.webbench.project import BenchProject, Quarantined
from benchmark.webdev.webbench.quarantine import Quarantine

RESOLVED = Resolved(agent_version="1", sandbox="docker", image="i", versions={"browser": "b", "playwright": "p"})


def snapshot(suite: Suite, project: str) -> Files | None:
    assert isinstance(suite, ProjectSource)
    return suite.project_snapshot(project)


def panel(root: Path, *projects: str, **more: object) -> Panel:
    given = {"projects": projects or ("*",), "conditions": ("C0",), "agents": (AgentSpec(name="reference"),), **more}
    settings = {key: given.pop(key) for key in ("quarantine", "test_source") if key in given}
    return Panel.model_validate({"suite": "webdev", "suite_settings": {"webbench": str(root), **settings}, **given})


def planned(root: Path, *projects: str, **more: object) -> Plan:
    return plan(panel(root, *projects, **more))


def trial(found: Plan, project: str) -> TrialSpec:
    return next(spec for spec in found.trials if spec.project == project)


def key(spec: TrialSpec) -> str:
    return spec.work_key(RESOLVED)


def edited(root: Path, name: str, old: str, new: str) -> None:
    text = (root / name).read_text(encoding="utf-8")
    assert old in text
    (root / name).write_text(text.replace(old, new), encoding="utf-8")


def test_the_checkouts_projects_take_the_place_of_the_suites_own(checkout: Checkout) -> None:
    suite = SUITE.for_panel(panel(checkout.root, *checkout.names[:2]))
    assert list(suite.projects()) == list(checkout.names[:2]) and suite.metrics == SUITE.metrics
    for name in suite.projects():
        assert suite.task_count(name) == len(suite.difficulties(name)) == len(checkout.project(name).scored)
        assert suite.family(name) and suite.forecast(name, 1_000).prompt_tokens > 0 and suite.weight(name) > 0
    assert SUITE.for_panel(Panel(suite="webdev", agents=(AgentSpec(name="reference"),))) is SUITE


def test_a_trial_can_be_run_from_the_store_alone(small: Checkout, tmp_path: Path) -> None:
    found = planned(small.root, "tally")
    spec, store = trial(found, "tally"), Store(tmp_path)
    with pytest.raises(KeyError):
        suite_of(spec, store)
    source = snapshot(found.suite, "tally")
    assert source and spec.source == store.put_tree(source)
    kept = suite_of(spec, store)
    assert kept.inputs("tally") == spec.inputs and kept.task_count("tally") == 3
    rows = StoredPlan.model_construct(panel=found.panel, trials=(PlannedTrial.model_construct(spec=spec),))
    assert list(suite_in(rows, store).projects()) == ["tally"]
    assert list(suite_in(rows, Store(tmp_path / "other")).projects()) == []


def test_what_the_store_has_no_files_of_was_not_measured(small: Checkout, tmp_path: Path, docker_free: object) -> None:
    known = Known(Store(tmp_path), docker_free, 1.0)  # type: ignore[arg-type]
    assert known.record(trial(planned(small.root, "tally"), "tally")) is None


@pytest.fixture
def docker_free() -> object:
    """As much of a sandbox as naming versions takes."""

    class Named:
        kind = "docker"

        def image(self) -> str:
            return "image"

        def browser_version(self) -> str:
            return "browser"

    return Named()


def test_specs_are_in_the_key_of_the_grade_and_not_of_the_work(copy: Path) -> None:
    before = planned(copy)
    edited(copy, "projects/tally/test/task-1.spec.js", "'1'", "'2'")
    after = planned(copy)
    one, other = trial(before, "tally"), trial(after, "tally")
    assert one.source != other.source and key(one) == key(other)
    assert before.suite.grade_key("tally") != after.suite.grade_key("tally")
    assert before.suite.grade_key("plant-board") == after.suite.grade_key("plant-board")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("projects/tally/tasks.jsonl", "Add one", "Add 1"),
        ("projects/tally/src-init/index.html", "Add one", "Add 1"),
    ],
)
def test_what_an_agent_is_shown_is_in_the_key_of_the_work(copy: Path, name: str, old: str, new: str) -> None:
    before = trial(planned(copy), "tally")
    edited(copy, name, old, new)
    assert key(before) != key(trial(planned(copy), "tally"))


def test_hiding_the_tests_is_another_treatment(small: Checkout) -> None:
    shown, hidden = (trial(planned(small.root, test_source=how), "tally") for how in ("shown", "hidden"))
    assert key(shown) != key(hidden)


def test_the_quarantine_holds_for_the_spec_file_that_it_was_found_with(copy: Path, tmp_path: Path) -> None:
    spec = "test/task-3.spec.js"
    data = (copy / "projects" / "tally" / spec).read_bytes()
    row = Quarantined(spec=spec, title="the total outlives the page", failures=2, runs=5, sha256=sha256(data))
    kept = tmp_path / "quarantine.json"
    Quarantine().with_rows("tally", [row]).save(kept)
    found = planned(copy, quarantine=str(kept))
    source = snapshot(found.suite, "tally")
    assert source and BenchProject("tally", source).quarantine == (row,)
    assert found.suite.grade_key("tally") != planned(copy).suite.grade_key("tally")
    assert key(trial(found, "tally")) == key(trial(planned(copy), "tally"))
    (copy / "projects" / "tally" / spec).write_bytes(data + b"\n")
    source = snapshot(planned(copy, quarantine=str(kept)).suite, "tally")
    assert source and BenchProject("tally", source).quarantine == ()


def test_a_project_that_needs_more_is_there_only_when_it_is_named(copy: Path) -> None:
    more = '"dependencies": {"sqlite3": "^5.1.7"}, "devDependencies": {'
    edited(copy, "projects/tally/package.json", '"devDependencies": {', more)
    assert list(planned(copy).suite.projects()) == ["plant-board"]
    assert list(planned(copy, "tally").suite.projects()) == ["tally"]
    edited(copy, "projects/tally/package.json", '"sqlite3": "^5.1.7"', '"mongodb-memory-server": "^10.1.3"')
    with pytest.raises(UsageError, match=r"tally cannot run without a network: .*mongod"):
        planned(copy, "tally")
    with pytest.raises(UsageError, match=r"no project of .* that fits tal.* can run here"):
        planned(copy, "tal*")


def test_mistakes_are_told_with_the_value(small: Checkout, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown project 'taly'; did you mean tally"):
        planned(small.root, "taly")
    with pytest.raises(UsageError, match="no checkout of Web-Bench"):
        planned(tmp_path)
    with pytest.raises(UsageError, match="run only in Docker"):
        open_session(panel(small.root), tmp_path, "local", unsandboxed=True)
    (tmp_path / "quarantine.json").write_text('{"projects": 3}', encoding="utf-8")
    with pytest.raises(UsageError, match=r"quarantine\.json is no quarantine file"):
        planned(small.root, quarantine=str(tmp_path / "quarantine.json"))


def test_docker_is_what_a_checkout_runs_in_also_with_a_scripted_agent(small: Checkout, tmp_path: Path) -> None:
    assert open_session(panel(small.root), tmp_path, None, unsandboxed=False).sandbox == "docker"


def test_paths_in_a_panel_count_from_its_folder(small: Checkout, tmp_path: Path) -> None:
    (tmp_path / "bench").symlink_to(small.root)
    file = tmp_path / "mine.toml"
    file.write_text(
        'suite = "webdev"\nconditions = ["C0"]\n[webdev]\nwebbench = "bench"\n[[agents]]\nname = "noop"\n', encoding="utf-8"
    )
    assert load_panel(file).suite_settings == {"webbench": str(small.root)}
    hidden = Overrides(suite_settings={"webdev": {"test_source": "hidden"}})
    assert load_panel(file, hidden).suite_settings["test_source"] == "hidden"
    over = load_panel(
        PANELS / "webbench.toml", Overrides(suite_settings={"webdev": {"webbench": str(small.root)}}, projects=("tally",))
    )
    assert [spec.id for spec in plan(over).trials] == ["webdev/tally/no-skill/C0/reference/r0"]


def test_the_source_holds_all_that_a_trial_needs_and_no_path_of_this_machine(checkout: Checkout) -> None:
    source = snapshot(planned(checkout.root, checkout.names[0]).suite, checkout.names[0])
    assert source and json.loads(source["checkout.json"])["test_source"] == "shown"
    assert str(checkout.root).encode() not in b"".join(source.values())
