"""Generic code names no suite, no metric of one, no browser and no chain: what is only one suite's is a capability.

Code and messages are looked at, not comments and docstrings. ALLOWED says what is legitimate, and why.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmark.suite import discovery
from tests.test_runs import ROOT

#: Files that are one suite's, or a paper's, or of what is named anyway.
APART = (
    "benchmark/webdev/",  # the suite
    "reports/chains/",  # sections that suites with chains add
    # The tables of the papers, and the generating models of calibration, are about chains.
    "reports/paper_tables/",
    "reports/calibration/",
    "skills/collection/",
)
#: What no generic module may say.
METRICS = ("pass1", "pass2", "pass@1", "pass@2", "tcd", "first_try", "error1")
WORDS = rf"(?<![a-z])(?:{'|'.join(METRICS)}|web-?bench|chromium|playwright|browsers?|chain(?:s|ed)?)(?![a-z])"
#: By file, a part of what it may say, and why.
ALLOWED: dict[str, dict[str, str]] = {
    "benchmark/suite/capabilities.py": {
        "": "declares the capabilities NeedsBrowser and Chained, and the tools that the former grades with",
    },
    "benchmark/run/session.py": {"browser": "asks for the capability NeedsBrowser, and for its browser before the first trial"},
    "benchmark/cli/doctor.py": {"browser": "examines the machine for all capabilities"},
    "benchmark/cli/main.py": {"browser": "lists what doctor examines"},
    "reports/verdict/phrasing.py": {"tcd": "what METHOD.md forbids every text to say, of whatever suite"},
}


def generic() -> list[Path]:
    """The modules that no suite owns."""
    found = [path for top in ("benchmark", "reports", "agents", "skills") for path in (ROOT / top).rglob("*.py")]
    names = {path: path.relative_to(ROOT).as_posix() for path in found}
    folders = tuple(f"benchmark/{folder.name}/" for folder in discovery.HERE.iterdir() if (folder / "suite.py").is_file())
    return sorted(path for path, name in names.items() if not name.startswith((*APART, *folders)))


def said(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The identifiers and the strings of a module with their lines, without docstrings."""
    documents = {id(text) for node in ast.walk(tree) if (text := docstring(node))}
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            yield line, node.value
        elif isinstance(node, ast.Name):
            yield line, node.id
        elif isinstance(node, ast.Attribute):
            yield line, node.attr
        elif isinstance(node, ast.arg | ast.keyword) and node.arg:
            yield line, node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.alias):
            yield line, node.name
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield line, node.module


def docstring(node: ast.AST) -> ast.Constant | None:
    """The docstring of a module, a class or a function."""
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) or not node.body:
        return None
    first = node.body[0]
    found = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return first.value if found else None  # type: ignore[union-attr, return-value]


def split(text: str) -> str:
    """A name as words: `NeedsBrowser` and `needs_browser` both name one."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text).replace("_", " ").lower()


def hits(path: Path, suites: str) -> Iterator[tuple[int, str, str]]:
    """Line, word and text of what a module may not say."""
    for line, text in said(ast.parse(path.read_text(encoding="utf-8"))):
        # Names of metrics hold underscores, other names hold words.
        for shown in dict.fromkeys((text.lower(), split(text))):
            for word in re.findall(rf"{WORDS}|(?<![a-z-])(?:{suites})(?![a-z])", shown):
                yield line, word, text


def problems(suites: str) -> list[str]:
    found: dict[str, None] = {}
    for path in generic():
        name = path.relative_to(ROOT).as_posix()
        allowed = ALLOWED.get(name, {})
        for line, word, text in hits(path, suites):
            if not any(part in word for part in allowed):
                found[f"{name}:{line}: {word}: {text[:100]!r}"] = None
    return list(found)


@pytest.fixture
def suites(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delenv(discovery.SEARCH, raising=False)
    return "|".join(map(re.escape, discovery.suite_names()))


def test_no_generic_module_names_a_suite_or_what_only_one_has(suites: str) -> None:
    found = problems(suites)
    assert not found, "\n".join(["", *found])


def test_what_is_allowed_is_there(suites: str) -> None:
    """An entry that nothing needs any more goes."""
    for name, parts in ALLOWED.items():
        words = {word for _, word, _ in hits(ROOT / name, suites)}
        for part in parts:
            assert any(part in word for word in words), f"{name} no longer says {part!r}: remove it from ALLOWED"


def test_the_test_finds_what_it_is_for(tmp_path: Path) -> None:
    module = tmp_path / "some.py"
    module.write_text(
        '"""Pages in a browser."""\n'
        "# the browser\n"
        "from benchmark.webdev.chain import walk\n"
        "class Needs:\n    'A browser.'\n    pass2 = 1\n"
        "def of(record): return f'the chain of {record}: Pass@2'\n"
        "itertools.chainmap\n",
        encoding="utf-8",
    )
    assert [(line, word) for line, word, _ in hits(module, "webdev")] == [
        (3, "webdev"), (3, "chain"), (6, "pass2"), (7, "chain"), (7, "pass@2")
    ]  # fmt: skip
