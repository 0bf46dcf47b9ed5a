"""Which module may import which: the arrows of DESIGN.md, no circles, folders that one can take in, and few late imports."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("agents", "benchmark", "fixtures", "reports", "skills")
#: Python that is data of a suite or a skill, or a program of its own inside a container.
NOT_OURS = ("projects", "repositories", "cases", "collection", "inside")

EVERYTHING = ("agents", "benchmark", "fixtures", "reports", "skills")
GROUND = ("benchmark.core",)
BELOW_SUITE = ("benchmark.core", "benchmark.store", "agents", "skills", "fixtures")
BELOW_RUN = (*BELOW_SUITE, "benchmark.suite", "benchmark.plan", "benchmark.judging")
READ = ("benchmark.core", "benchmark.store", "benchmark.suite", "skills")
#: What lies flat in `reports/`: types, the text of numbers, and what went wrong.
SHARED = (
    "reports.results",
    "reports.result_lines",
    "reports.result_tables",
    "reports.formatting",
    "reports.failures",
    "reports.collector",
)
#: What was sent to models is kept in the form of their APIs, which is data.
AUDIT = (*READ, *SHARED, "reports.stats", "reports.audit", "fixtures.gateway.wires")
VERDICT = (*AUDIT, "reports.verdict")
#: What the modules of a folder may import beside their own folder: the longest entry that fits a module counts.
FLOORS: dict[str, tuple[str, ...]] = {
    "agents": GROUND,
    "skills": GROUND,
    "fixtures": ("benchmark.core", "benchmark.store", "agents", "skills"),
    # The pytest fixtures themselves stand above what they provide.
    "fixtures.plugin": EVERYTHING,
    "benchmark.core": (),
    "benchmark.store": GROUND,
    "benchmark.suite": BELOW_SUITE,
    # A forecast needs the numbers of METHOD.md, which rest on nothing.
    "benchmark.plan": ("benchmark.core", "benchmark.store", "benchmark.suite", "agents", "skills", "reports.stats"),
    # Asking a judge is part of grading; which steps were followed is asked of what was recorded.
    "benchmark.judging": (*BELOW_SUITE, "benchmark.suite"),
    "benchmark.judging.adherence": (*BELOW_RUN, "benchmark.run", "reports.audit"),
    "benchmark.run": BELOW_RUN,
    "benchmark.cli": (*BELOW_RUN, "benchmark.run", "reports"),
    "benchmark.plugin": EVERYTHING,
    "benchmark.rootdir": (),
    # A suite's folder: everything but the command line, of which its own commands share the options.
    "benchmark": (*BELOW_RUN, "benchmark.run", "benchmark.cli.console", "reports"),
    "reports": READ,
    "reports.result_lines": (*READ, *SHARED),
    "reports.result_tables": (*READ, *SHARED),
    "reports.results": (*READ, *SHARED),
    "reports.stats": (),
    "reports.audit": AUDIT,
    "reports.verdict": VERDICT,
    "reports.calibration": (*VERDICT, "reports.page"),
    "reports.page": VERDICT,
    "reports.paper_tables": (*VERDICT, "reports.page"),
    "reports.chains": (*VERDICT, "reports.page"),
    "reports.output": (*READ, "reports"),
    "reports.plugin": EVERYTHING,
}
#: Imports against the arrows that are left, each with its reason. A row that is no longer true fails as well.
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("benchmark.suite.contract", "reports.audit.metrics"): "for types alone: a suite's sections are made of what was observed",
    ("benchmark.suite.contract", "reports.results"): "for types alone: a suite's sections may show what was found",
}
#: Modules of a folder, its `__init__.py` not counted.
MODULES = 15
#: What is found by name in a suite's folder stands above the rest of it, subfolders as well.
ENTRIES = ("suite", "cli")
#: Imports of our own inside functions, in all.
LATE = 8
#: How a late import says why, on its line or the one above; the figure is in seconds, or MB.
REASON = re.compile(r"# late: costs \d+(\.\d+)? (s|MB) ")


class Import(NamedTuple):
    source: str
    target: str
    line: int
    #: Inside a function: made when it is called.
    late: bool
    #: Below TYPE_CHECKING: never made.
    checking: bool


@cache
def modules() -> Mapping[str, Path]:
    """Our modules by name."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if not set(parts) & set(NOT_OURS):
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports() -> tuple[Import, ...]:
    """Every import of one of our modules by another."""
    return tuple(sorted({row for name, path in modules().items() for row in _imports(name, path)}))


def _imports(name: str, path: Path) -> Iterator[Import]:
    def below(node: ast.AST, late: bool, checking: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            deeper = late or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            typed = checking or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
            for target in _targets(child):
                yield Import(name, target, child.lineno, deeper, typed)  # type: ignore[attr-defined]
            yield from below(child, deeper, typed)

    yield from below(ast.parse(path.read_text(encoding="utf-8")), False, False)


def _targets(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        names = [item.name for item in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        full = [f"{node.module}.{item.name}" for item in node.names]
        names = [name if name in modules() else node.module for name in full]
    else:
        names = []
    yield from (name for name in names if name.split(".")[0] in PACKAGES)


def floor(name: str) -> str:
    """The longest entry of FLOORS that a module belongs to; a suite's folder, which has none, is a floor of its own."""
    fitting = [entry for entry in FLOORS if _within(name, entry)]
    longest = max(fitting, key=len)
    return ".".join(name.split(".")[:2]) if longest == "benchmark" else longest


def _within(name: str, entry: str) -> bool:
    return name == entry or name.startswith(f"{entry}.")


def allowed(row: Import) -> bool:
    """Whether an import goes along the arrows."""
    own, other = floor(row.source), floor(row.target)
    entry = own if own in FLOORS else "benchmark"
    return own == other or any(_within(row.target, name) for name in FLOORS[entry])


def circles(edges: Mapping[str, Set[str]]) -> list[list[str]]:
    """The groups of modules each of which leads to each other (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(edges.get(name, ())):
            if other not in index:
                visit(other)
            if other in stack:
                low[name] = min(low[name], low[other])
        if low[name] == index[name]:
            at = stack.index(name)
            group = stack[at:]
            del stack[at:]
            if len(group) > 1:
                found.append(sorted(group))

    for name in sorted(edges):
        if name not in index:
            visit(name)
    return found


def graph(rows: Iterable[Import]) -> dict[str, set[str]]:
    edges: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        edges[row.source].add(row.target)
    return edges


def test_imports_go_down() -> None:
    """Late ones and those for types count as well: an arrow is what a reader has to know."""
    wrong = {(row.source, row.target) for row in imports() if not allowed(row)}
    new = [f"{source} imports {target}" for source, target in sorted(wrong - set(EXCEPTIONS))]
    assert not new, "against the arrows of DESIGN.md, Layout:\n" + "\n".join(new)
    past = [f"{source} no longer imports {target}" for source, target in sorted(set(EXCEPTIONS) - wrong)]
    assert not past, "remove from EXCEPTIONS:\n" + "\n".join(past)


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert circles(graph(row for row in imports() if not row.late and not row.checking)) == []


def test_no_folder_leads_to_itself_by_way_of_others() -> None:
    """Modules that lie flat in a package stand for themselves."""
    edges: dict[str, set[str]] = defaultdict(set)
    for row in imports():
        if not row.late and not row.checking and (row.source, row.target) not in EXCEPTIONS:
            source, target = _folder(row.source), _folder(row.target)
            if source != target:
                edges[source].add(target)
    assert circles(edges) == []


def _folder(name: str) -> str:
    parent, _, last = name.rpartition(".")
    entry = last in ENTRIES and f"{parent}.suite" in modules()
    return name if entry or parent in PACKAGES or modules()[name].name == "__init__.py" else parent


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}) == [["b", "c"]]
    assert circles({"a": {"b"}, "b": {"c"}, "c": set()}) == []


def test_a_folder_can_be_taken_in() -> None:
    counts = Counter(path.parent for path in modules().values() if path.name != "__init__.py")
    crowded = {str(folder.relative_to(ROOT)): count for folder, count in counts.items() if count > MODULES}
    assert not crowded, f"more than {MODULES} modules: part these folders"


def test_every_folder_says_what_lives_there() -> None:
    folders = {path.parent for path in modules().values()}
    silent = [str(folder.relative_to(ROOT)) for folder in folders if not _says(folder / "__init__.py")]
    assert not sorted(silent), "an __init__.py says in one docstring what lives in its folder and what does not"


def _says(path: Path) -> bool:
    body = ast.parse(path.read_text(encoding="utf-8")).body if path.is_file() else []
    return bool(body) and ast.get_docstring(ast.Module(body, [])) is not None


def test_few_imports_are_late() -> None:
    """Only what costs start-up time is imported inside functions (`perf/test_collection.py` measures it)."""
    late = [row for row in imports() if row.late]
    by_source = Counter(row.source for row in late)
    assert len({(row.source, row.line) for row in late}) <= LATE, f"{sum(by_source.values())}: {by_source.most_common(12)}"


def test_late_imports_say_what_they_cost() -> None:
    silent = [f"{row.source}, line {row.line}: {row.target}" for row in imports() if row.late and not _reason(row)]
    assert not silent, 'import at the top, or say "# late: costs … s (what), and …" beside it:\n' + "\n".join(silent)


def _reason(row: Import) -> bool:
    lines = modules()[row.source].read_text(encoding="utf-8").splitlines()
    return any(REASON.search(line) for line in lines[max(row.line - 2, 0) : row.line])


@pytest.mark.parametrize(
    ("source", "target", "right"),
    [
        ("benchmark.store.store", "benchmark.core.model", True),
        ("benchmark.core.model", "benchmark.store.store", False),
        ("skills.parsing.parse", "skills.diagnosis.diagnose", True),
        ("agents.llm", "skills.parsing.parse", False),
        ("reports.audit.metrics", "benchmark.run.trial", False),
        ("reports.plugin", "benchmark.plugin", True),
        ("benchmark.webdev.suite", "benchmark.cli.main", False),
        ("benchmark.webdev.suite", "benchmark.webdev.webbench.suite", True),
        ("benchmark.run.trial", "benchmark.webdev.suite", False),
    ],
)
def test_the_arrows(source: str, target: str, right: bool) -> None:
    assert allowed(Import(source, target, 1, False, False)) is right
