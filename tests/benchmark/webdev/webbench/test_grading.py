"""What the grading container reads of a configuration. What it does is in test_course.py."""

import json

import pytest

from benchmark.webdev.webbench.grading import ProjectServer, server_in
from benchmark.webdev.webbench.report import PlaywrightRun


def listed(server: object, said: str = "") -> PlaywrightRun:
    return PlaywrightRun(0, said, json.dumps({"config": {"webServer": server}, "suites": [], "errors": []}).encode(), False)


def test_a_server_starts_with_its_variables_and_in_its_own_copy_of_the_repository() -> None:
    given = {
        "command": " npm run db -- /bench/projects/shop/eval/work && npm run dev ",
        "url": "http://localhost:3211",
        "timeout": 120_000,
        "env": {"DB_HOST": "/bench/projects/shop/eval/work/test.sqlite", "DEPTH": 3},
        "cwd": "/bench/projects/shop/server",
        "reuseExistingServer": True,
    }
    assert server_in(listed(given)) == ProjectServer(
        command="npm run db -- /site/projects/shop/eval/work && npm run dev",
        url="http://localhost:3211",
        seconds=120,
        variables={"DB_HOST": "/site/projects/shop/eval/work/test.sqlite", "DEPTH": "3"},
        folder="/site/projects/shop/server",
    )


def test_a_server_without_a_limit_has_playwrights() -> None:
    found = server_in(listed({"command": "npx serve site -p 3211", "url": "http://127.0.0.1:3211"}))
    assert (found.seconds, found.variables, found.folder, found.static) == (60, {}, None, True)


@pytest.mark.parametrize(("command", "static"), [("npx serve x", True), ("serve x", True), ("npx vite --port 3211", False)])
def test_what_only_hands_out_files_is_known(command: str, static: bool) -> None:
    assert ProjectServer(command=command, url="http://localhost:3211", seconds=60).static is static


@pytest.mark.parametrize("server", [None, [], {"url": "http://localhost:3211"}, {"command": 3, "url": "x"}])
def test_a_configuration_without_a_server_is_told_with_playwrights_words(server: object) -> None:
    said = "some\nError: Cannot find module './util'\n  at x"
    with pytest.raises(ValueError, match=r"name no web server: Error: Cannot find module './util'"):
        server_in(listed(server, said))
