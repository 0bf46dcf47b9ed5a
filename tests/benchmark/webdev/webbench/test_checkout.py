"""What is read from a checkout, and what is not."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from benchmark.core.errors import UsageError
from benchmark.core.files import check_size, safe_name
from benchmark.store.store import Store
from benchmark.webdev.webbench.checkout import LOCK, Checkout
from benchmark.webdev.webbench.project import BenchProject


def test_every_project_is_whole_and_can_be_kept(checkout: Checkout, tmp_path: Path) -> None:
    assert checkout.names and list(checkout.names) == sorted(checkout.names)
    store = Store(tmp_path)
    for name in checkout.names:
        project = checkout.project(name)
        assert all(safe_name(path) == path for path in project.files)
        check_size(project.files)
        last = project.scored[-1].number
        assert [task.number for task in project.scored] == list(range(1, last + 1))
        assert all(f"projects/{name}/{spec}" in project.repository() for spec in project.specs(last))
        assert project.reference != project.fallback
        again = BenchProject(name, store.get_tree(store.put_tree(project.files)))
        assert (again.inputs_hash(), again.specs_hash()) == (project.inputs_hash(), project.specs_hash())


def test_every_package_is_pinned_and_none_is_a_workspaces(checkout: Checkout) -> None:
    for name in checkout.names:
        project = checkout.project(name)
        wanted = project.wanted()
        assert not set(wanted) & set(project.workspace()) and not [one for one in wanted if one.startswith("@web-bench/")]
        assert all(version[0].isdigit() for version in wanted.values()), (name, wanted)


def test_what_runs_leave_behind_and_links_stay_out(copy: Path, small: Checkout) -> None:
    tally = copy / "projects" / "tally"
    left = [
        "node_modules/x.js",
        "src/node_modules/x.js",
        "eval/r.md",
        "test-results/t.json",
        "src-init/dist/a.js",
        "src/dist/a.js",
    ]
    for name in left:
        (tally / name).parent.mkdir(parents=True, exist_ok=True)
        (tally / name).write_text("left")
    (copy.parent / "secret").write_text("secret")
    (tally / "src" / "linked").symlink_to(copy.parent / "secret")
    (tally / "src" / "above").symlink_to(copy.parent)
    (tally / "src" / "deep").mkdir()
    (tally / "src" / "deep" / "eval").write_text("a file of the project")
    found = Checkout(copy).files("tally")
    assert set(found) - set(small.files("tally")) == {"projects/tally/src/deep/eval"}
    assert "projects/plant-board/src/assets/plants.json" not in Checkout(copy).files("plant-board")  # a link to ../assets


def test_only_the_libraries_that_are_needed_come_along(copy: Path) -> None:
    for name, needed in (("shop-util", {"@web-bench/test-util": "workspace:*"}), ("unused", {})):
        (copy / "libraries" / name).mkdir()
        package = {"name": f"@web-bench/{name}", "dependencies": needed}
        (copy / "libraries" / name / "package.json").write_text(json.dumps(package))
    assert set(Checkout(copy).project("tally").workspace()) == {"@web-bench/test-util"}
    declare(copy, {"@web-bench/shop-util": "workspace:^"})
    assert set(Checkout(copy).project("tally").workspace()) == {"@web-bench/shop-util", "@web-bench/test-util"}
    declare(copy, {"@web-bench/nowhere": "workspace:*"})
    with pytest.raises(
        UsageError, match=r"tally/package\.json needs the workspace package @web-bench/nowhere, which is not in"
    ):
        Checkout(copy).files("tally")


def test_a_version_counts_where_lock_and_package_agree(copy: Path) -> None:
    declare(copy, {"serve": "^15.0.0"})
    assert Checkout(copy).project("tally").wanted() == {"@playwright/test": "1.57.0", "serve": "^15.0.0"}
    lock = copy / LOCK
    lock.write_text(lock.read_text() + "\npackages:\n\n  /serve@14.2.4:\n    dev: true\n")
    assert Checkout(copy).project("plant-board").wanted()["vite"] == "7.1.5"
    lock.write_text("importers:\n  - [\n")
    with pytest.raises(UsageError, match=r"pnpm-lock\.yaml cannot be read"):
        Checkout(copy).files("tally")
    lock.unlink()
    assert Checkout(copy).project("tally").wanted() == {"@playwright/test": "^1.56.1", "serve": "^15.0.0"}


def test_stable_projects_with_tasks_are_listed(copy: Path) -> None:
    projects = copy / "projects"
    (projects / "readme.md").write_text("no project")
    (projects / "empty").mkdir()
    for name, settings in (("demo", {"eval": {"stable": False}}), ("template", {}), ("no-tasks", {"eval": {"stable": True}})):
        shutil.copytree(projects / "tally", projects / name)
        (projects / name / "package.json").write_text(json.dumps(settings))
    (projects / "no-tasks" / "tasks.jsonl").unlink()
    assert Checkout(copy).names == ("plant-board", "tally")
    (projects / "demo" / "package.json").write_text("{")
    with pytest.raises(UsageError, match=r"demo/package\.json cannot be read"):
        _ = Checkout(copy).names


def test_what_is_no_checkout_says_what_is_missing(tmp_path: Path, small: Checkout) -> None:
    with pytest.raises(UsageError, match="has no projects/ and no libraries/; get one with `git clone"):
        Checkout(tmp_path)
    (tmp_path / "projects").mkdir()
    with pytest.raises(UsageError, match="it has no libraries/; get one"):
        Checkout(tmp_path)
    with pytest.raises(UsageError, match="did you mean tally"):
        small.files("taly")


def test_what_cannot_be_kept_is_named(copy: Path) -> None:
    odd = copy / "projects" / "tally" / "src" / "a\\b.js"
    odd.write_text("")
    with pytest.raises(UsageError, match=r"src/a.+b\.js. is not a usable file name; is the checkout clean"):
        Checkout(copy).files("tally")
    odd.unlink()
    for number in range(2_001):
        (copy / "projects" / "tally" / "src" / f"{number}.js").touch()
    with pytest.raises(UsageError, match=r"project tally .* cannot be kept: 20\d\d files, at most 2000"):
        Checkout(copy).files("tally")


def test_the_commit_is_that_of_the_checkout_itself(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Checkout(copy).commit is None and Checkout(copy).project("tally").commit is None
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run([*git, *words], cwd=copy, check=True)
    monkeypatch.setenv("GIT_DIR", str(copy / "nowhere"))
    commit = Checkout(copy).commit
    assert commit and len(commit) == 40 and Checkout(copy).project("tally").commit == commit
    monkeypatch.setenv("PATH", "")
    assert Checkout(copy).commit is None


def declare(root: Path, packages: dict[str, str]) -> None:
    """Put packages among those that `tally` names."""
    path = root / "projects" / "tally" / "package.json"
    package = json.loads(path.read_text())
    package["devDependencies"].update(packages)
    path.write_text(json.dumps(package))
