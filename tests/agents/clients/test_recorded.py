"""What holds of every client's recorded logs: cut off anywhere they are read, and each answer has the tokens that the server
reported of it."""

from itertools import product

import pytest

from agents.base import Done
from agents.trajectory.atif import problems
from tests.agents.clients.recorded import case, client_of, costs, ends, sums

FOUR = ("claude-code", "codex", "gemini-cli", "kimi")
CASES = [*product(FOUR, ("c0", "native", "killed", "refused", "limit", "subagent"))]
CASES += [*product(["mini-swe-agent"], ("c0", "skill", "killed", "error", "words"))]
CASES += [*product(["openhands"], ("c0", "skill", "killed", "error", "task"))]
ASKED = "Write the report."


@pytest.mark.parametrize(("client", "name"), CASES)
def test_a_log_that_ends_anywhere_is_read(client: str, name: str) -> None:
    done, home, _ = case(client, name)
    reader = client_of(client)
    for path, data in home.items():
        for end in ends(data, max(211, len(data) // 100)):
            assert problems(reader.read(ASKED, done, home | {path: data[:end]}).trajectory) == [], end


@pytest.mark.parametrize(("client", "name"), CASES)
def test_output_that_ends_anywhere_is_read(client: str, name: str) -> None:
    done, home, _ = case(client, name)
    reader = client_of(client)
    for end in ends(done.output, 97):
        for logs in (home, {}):
            told = reader.read(ASKED, Done(137, done.output[:end], late=True), logs)
            assert problems(told.trajectory) == [], end


@pytest.mark.parametrize(("client", "name"), CASES)
def test_every_line_of_a_log_alone_is_read(client: str, name: str) -> None:
    done, home, _ = case(client, name)
    reader = client_of(client)
    for path, data in home.items():
        for line in data.splitlines():
            assert problems(reader.read(ASKED, done, {path: line}).trajectory) == []


@pytest.mark.parametrize(("client", "name"), [*product(FOUR, ("c0", "native", "limit", "killed"))])
def test_each_answer_has_the_tokens_that_the_server_reported_of_it(client: str, name: str) -> None:
    done, home, reported = case(client, name)
    assert costs(client_of(client).read(ASKED, done, home).trajectory) == reported


TOTALS = [*product(FOUR, ("c0", "native", "limit", "subagent")), ("codex", "killed"), ("kimi", "killed")]


@pytest.mark.parametrize(("client", "name"), TOTALS)
def test_its_total_is_what_the_server_reported(client: str, name: str) -> None:
    """Subagents included; of a run that was ended only where the client counts as it goes."""
    done, home, reported = case(client, name)
    usage = client_of(client).read(ASKED, done, home).usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens) == sums(reported)
    assert usage.source == "provider"
