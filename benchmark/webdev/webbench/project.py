"""One project of Web-Bench as data: its tasks, the states of a workspace, what grades it, and the packages that it needs.

It is made from files alone: in a trial they come back from the store, and there is no checkout. No Node, and nothing is read
but data files of ours.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path, PurePosixPath
from typing import TypedDict, cast

from benchmark.core.files import Files, hash_json, tree_hash
from benchmark.core.json_types import JsonObject
from benchmark.core.model import Data, Sha
from benchmark.webdev.webbench.tasks import TASKS, BenchTask, parse_tasks

CHECKOUT = "checkout.json"
RUNNER = "@playwright/test"
#: What of a project is not laid out for grading: the reference, and the state before task 1.
NOT_LAID_OUT = ("src/", "src-init/", "eval/", "test-results/")
SPEC = re.compile(r"test/(init|task-(\d+))\.spec\.(?:[cm]?[jt]sx?)")


class Quarantined(Data):
    """A test that failed with the reference in `failures` of `runs`, of the spec file with this hash."""

    spec: str
    title: str
    failures: int
    runs: int
    sha256: Sha


class _CheckoutFacts(TypedDict, total=False):
    """What a project's files say of the checkout that they are of, and of the choices of a panel."""

    commit: str | None
    pins: dict[str, str]
    quarantine: list[JsonObject]
    test_source: str


class BenchProject:
    """A project from the files that `Checkout.files(name)` gave. What is faulty in them raises ValueError when it is read."""

    def __init__(self, name: str, files: Files) -> None:
        self.name = name
        self.files = files
        self._own = _below(files, f"projects/{name}/")
        if "package.json" not in self._own:
            raise ValueError(f"projects/{name} has no package.json")

    @cached_property
    def tasks(self) -> tuple[BenchTask, ...]:
        """Init first where there is one. Raises ValueError with the file and the line or entry that is faulty."""
        name = next((name for name in TASKS if name in self._own), None)
        if name is None:
            raise ValueError(f"projects/{self.name} has no {' and no '.join(TASKS)}")
        return parse_tasks(f"projects/{self.name}/{name}", self._own[name])

    @property
    def scored(self) -> tuple[BenchTask, ...]:
        return tuple(task for task in self.tasks if task.number)

    @property
    def has_init(self) -> bool:
        return self.tasks[0].number == 0

    @property
    def start(self) -> Files:
        """What a chain begins with: the assets, and the initial sources where no task asks for them."""
        return self._assets if self.has_init else self.fallback

    @property
    def fallback(self) -> Files:
        """What follows a failed init task: assets and initial sources."""
        return self._assets | _below(self._own, "src-init/")

    @property
    def reference(self) -> Files:
        """Web-Bench's own solution of all tasks, with the assets."""
        return self._assets | _below(self._own, "src/")

    @cached_property
    def package(self) -> JsonObject:
        return _object(f"projects/{self.name}/package.json", self._own["package.json"])

    @property
    def family(self) -> str:
        """Projects of one family share most of their specs (families.toml); a project of none is its own."""
        return next((family for family, names in _table("families")["families"].items() if self.name in names), self.name)

    @property
    def stack(self) -> tuple[str, ...]:
        """Words that people use for what the project is built of, from its packages and the kinds of its files (stack.toml)."""
        wanted = set(self.dependencies)
        for folder in ("src", "src-init"):  # some hold a package of their own
            if data := self._own.get(f"{folder}/package.json"):
                wanted |= set(declared(_object(f"projects/{self.name}/{folder}/package.json", data)))
        sources = {name: data for name, data in self._own.items() if name.startswith(("src/", "src-init/"))}
        suffixes = {PurePosixPath(name).suffix for name in sources}
        text = b"\n".join(data for name, data in sources.items() if name.endswith((".html", ".js"))).decode(errors="replace")
        table = _table("stack")
        words = [word for word, packages in table["packages"].items() if wanted & set(packages)]
        words += [word for word, ends in table["files"].items() if suffixes & set(ends)]
        words += [word for word, passages in table["passages"].items() if any(passage in text for passage in passages)]
        return tuple(dict.fromkeys(words))

    @property
    def config(self) -> str:
        """The name of the project's own Playwright configuration. Raises ValueError where there is none."""
        found = next((name for name in sorted(self._own) if name.startswith("playwright.config.")), None)
        if found is None:
            raise ValueError(f"projects/{self.name} has no playwright.config")
        return found

    @property
    def served(self) -> str:
        """How the project's own configuration serves a workspace: "static", "vite" or "own server"."""
        command = re.search(r"\bcommand:\s*([`'\"])(.*?)\1", self._own[self.config].decode(errors="replace"), re.DOTALL)
        words = command[2] if command else ""
        tool = re.search(r"\bnpx (serve|vite)\b", words)
        return {"serve": "static", "vite": "vite"}[tool[1]] if tool else "own server"

    @property
    def has_build(self) -> bool:
        return bool(self.script("build"))

    @property
    def has_init_script(self) -> bool:
        return bool(self.script("init"))

    def script(self, name: str) -> str:
        """A script of package.json; "" where it is missing or empty."""
        scripts = self.package.get("scripts")
        found = scripts.get(name) if isinstance(scripts, dict) else None
        return found.strip() if isinstance(found, str) else ""

    def specs(self, task: int) -> tuple[str, ...]:
        """The spec files that grade task number `task` (0: init), below the project: init's where there is one, then 1 … task.

        Raises ValueError where one is missing.
        """
        found = {int(match[2] or 0): name for name in sorted(self._own) if (match := SPEC.fullmatch(name))}
        if missing := [number for number in range(1, task + 1) if number not in found]:
            raise ValueError(f"projects/{self.name}/test has no task-{missing[0]}.spec")
        return tuple(found[number] for number in range(task + 1) if number in found)

    @property
    def dependencies(self) -> dict[str, str]:
        """npm packages by the range that package.json gives, workspace packages too."""
        return declared(self.package)

    def wanted(self) -> dict[str, str]:
        """npm packages to install, with the version that the checkout's lock pins, else the range as it stands: the project's
        without workspace packages, those of the workspace packages that it uses, and Playwright."""
        pins = self._checkout.get("pins", {})
        found: dict[str, str] = {}
        packages = [_object(f"{at}/package.json", self.files[f"{at}/package.json"]) for at in self.workspace().values()]
        for package in (self.package, *packages):
            rows = declared(package) if package is self.package else _texts(package.get("dependencies"))
            spaces = set(workspace_names(rows))
            found = {name: pins.get(name, spec) for name, spec in rows.items() if name not in spaces} | found
        return dict(sorted(({RUNNER: "*"} | found).items()))

    def workspace(self) -> dict[str, str]:
        """The workspace packages that the project needs, and that these need: name → folder in the repository."""
        packages = sorted(name for name in self.files if re.fullmatch(r"libraries/[^/]+/package\.json", name))
        return {str(_object(name, self.files[name]).get("name")): name.removesuffix("/package.json") for name in packages}

    def repository(self) -> Files:
        """What grading lays out below the repository's root: the project without its sources, and the libraries."""
        own = {f"projects/{self.name}/{name}": data for name, data in self._own.items() if not name.startswith(NOT_LAID_OUT)}
        return own | {name: data for name, data in self.files.items() if name.startswith("libraries/")}

    def inputs_hash(self) -> str:
        """All that an agent sees of the project. The date of a task is nothing that it sees."""
        tasks = [[task.id, task.level, task.description] for task in self.tasks]
        return hash_json([tree_hash(self.start), tree_hash(self.fallback), tasks])

    def specs_hash(self) -> str:
        """All that grades."""
        return tree_hash(self.repository())

    @property
    def commit(self) -> str | None:
        """The commit of the checkout that the files were read from, where it was known."""
        return self._checkout.get("commit")

    @cached_property
    def quarantine(self) -> tuple[Quarantined, ...]:
        return tuple(Quarantined.model_validate(row) for row in self._checkout.get("quarantine", ()))

    @property
    def test_source(self) -> str:
        """Whether the second attempt sees the report as Web-Bench gives it ("shown") or in words without source ("hidden")."""
        return self._checkout.get("test_source", "shown")

    def graded_with(self, quarantine: Iterable[Quarantined], test_source: str) -> "BenchProject":
        """The same project with the choices of a panel among its files, where a trial finds them."""
        rows = [row.model_dump(mode="json") for row in quarantine]
        facts = {**self._checkout, "quarantine": rows, "test_source": test_source}
        return BenchProject(self.name, {**self.files, CHECKOUT: json.dumps(facts, indent=1, sort_keys=True).encode()})

    @cached_property
    def _checkout(self) -> _CheckoutFacts:
        return cast(_CheckoutFacts, _object(CHECKOUT, self.files.get(CHECKOUT, b"{}")))

    @property
    def _assets(self) -> Files:
        return {name: data for name, data in self._own.items() if name.startswith("assets/")}


def declared(package: JsonObject) -> dict[str, str]:
    """The packages that a package.json names with their ranges. For one that is named twice, dependencies count, as in npm."""
    return _texts(package.get("devDependencies")) | _texts(package.get("dependencies"))


def workspace_names(rows: Mapping[str, str]) -> Iterable[str]:
    """Those packages that are the repository's own: no registry is ever asked for them."""
    return [name for name, spec in rows.items() if spec.startswith("workspace:")]


def _texts(rows: object) -> dict[str, str]:
    return {str(name): str(spec) for name, spec in rows.items()} if isinstance(rows, dict) else {}


def _below(files: Files, folder: str) -> Files:
    return {name.removeprefix(folder): data for name, data in files.items() if name.startswith(folder)}


def _object(name: str, data: bytes) -> JsonObject:
    try:
        found = json.loads(data)
    except ValueError as error:
        raise ValueError(f"{name} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise ValueError(f"{name} is no JSON object")
    return found


@cache
def _table(name: str) -> dict[str, dict[str, list[str]]]:
    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))
