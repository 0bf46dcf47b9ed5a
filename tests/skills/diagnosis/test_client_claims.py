"""What `check` says of clients is what the pinned clients did when they were asked, and is of their present versions."""

import re
import tomllib
from typing import Any

import pytest

from agents.clients.client import Client
from agents.registry import AGENTS, make_agent
from benchmark.core.model import AgentSpec
from fixtures.packages.clients import LOCKS
from skills.diagnosis import claims
from skills.diagnosis.claims import BREAKS, EMPTY, LOADS, REJECTS, UNKNOWN, UNLISTED, VALIDATOR, consequences, outcome, told
from skills.parsing.parse import as_skill
from skills.parsing.rules import RULES, found
from tests.skills.diagnosis.ask_clients import differences, kept, rules_of
from tests.skills.diagnosis.client_answers import ASKED, ask
from tests.skills.diagnosis.forms import forms

AGAIN = "ask again: python -m tests.skills.diagnosis.ask_clients --write"
#: Clients that read skills and cannot be asked here, so that nothing is said of them: OpenHands needs a Python 3.12.
NOT_ASKED = {"openhands"}
RULES_TABLE: dict[str, Any] = tomllib.loads(RULES.read_text(encoding="utf-8"))["rules"]
#: A switch of the author's, and a cost: neither is a fault.
NO_FAULTS = {"hidden", "hidden-loosely"}


def does(text: str, client: str) -> str:
    return outcome(as_skill("demo", {"SKILL.md": text.encode()}).diagnostics)[client]


def test_every_client_that_reads_skills_was_asked():
    agents = (make_agent(AgentSpec(name=name, model="m/m")) for name in AGENTS)
    readers = {agent.name for agent in agents if isinstance(agent, Client) and agent.skills}
    assert readers - NOT_ASKED == set(claims.clients()) - {VALIDATOR}, AGAIN


@pytest.mark.parametrize("name", ASKED)
def test_the_claims_are_of_the_pinned_version(name: str):
    if name == VALIDATOR:
        pins = re.findall(rf"^{VALIDATOR}==(\S+)", (LOCKS / VALIDATOR / "requirements.txt").read_text(), re.MULTILINE)
    else:
        agent = make_agent(AgentSpec(name=name, model="m/m"))
        assert isinstance(agent, Client)
        pins = [agent.version]
    assert [claims.version(name)] == pins, f"{name} was asked in another version; {AGAIN} {name}"


def test_the_claims_are_about_the_forms_of_the_matrix():
    rows, asked = kept()["forms"], forms()
    new = [form.id for form in asked if rows.get(form.id, {}).get("digest") != form.digest]
    assert not new and rows.keys() == {form.id for form in asked}, f"{AGAIN} --new"
    missing = [(form.id, name) for form in asked for name in ASKED if name not in rows[form.id]]
    assert not missing, f"{AGAIN} --new"


def test_the_claims_are_by_the_rules_that_are_broken():
    assert {form: row["rules"] for form, row in kept()["forms"].items()} == rules_of(forms()), (
        "which rules the forms break has changed: python -m tests.skills.diagnosis.ask_clients --write --rules"
    )


def test_forms_that_break_one_rule_alone_are_treated_alike():
    """Where they are not, the rule stands for several faults, and nothing could be said of any of them."""
    differ = {
        (rule, client): sorted({told(row.get(client), client) for row in kept()["forms"].values() if row["rules"] == [rule]})
        for rule in RULES_TABLE
        for client in claims.clients()
    }
    assert {key: words for key, words in differ.items() if len(words) > 1} == {}


def test_of_every_rule_is_known_what_clients_do():
    unknown = [(rule, client) for rule in RULES_TABLE for client, words in consequences(rule).items() if words == UNKNOWN]
    assert {rule for rule, _ in unknown} == {"unusable", "yaml-unreadable"}, AGAIN


def test_nothing_is_wrong_where_nothing_is_said():
    """Of a skill without a diagnostic a client may show a part of the description, and nothing worse."""
    assert set(outcome([]).values()) <= {LOADS, UNKNOWN}


@pytest.mark.parametrize("rule", sorted(RULES_TABLE.keys() - {"unusable", "yaml-unreadable"}))
def test_the_severity_is_by_what_clients_do(rule: str):
    words = consequences(rule)
    lost = {client for client, word in words.items() if client != VALIDATOR and word in (EMPTY, UNLISTED, BREAKS)}
    worse = "shows another description", "shows no description", "runs commands of the body", "loads a part of the body"
    hurt = lost | {client for client, word in words.items() if client != VALIDATOR and word in worse}
    severity = RULES_TABLE[rule]["severity"]
    if rule in NO_FAULTS:
        assert severity == "warning" and lost
    elif hurt:
        assert severity == "error", hurt
    else:
        assert severity != "error"
        assert severity == "warning" or words[VALIDATOR] not in (REJECTS, BREAKS)


# what was reported of the pinned clients, as it was found outside of this project


@pytest.mark.parametrize(
    ("text", "client", "words"),
    [
        ("---\nname: demo\ndescription: Set up the harness: hooks and more.\n---\n# B\nDo.\n", "codex", LOADS),
        ("---\nname: demo\ndescription: Closing.\n--- \n# B\n\nNever.\n", "gemini-cli", EMPTY),
        ("---\nname: demo\ndescription: Closing.\n----\n# B\n\nNever.\n", "gemini-cli", EMPTY),
        ("---\nname: demo\ndescription: Closing.\n----\n# B\n\nNever.\n", "claude-code", LOADS),
        ("---\nname: demo\ndescription: Closing.\n----\n# B\n\nNever.\n", "codex", UNLISTED),
        ("\n---\nname: demo\ndescription: A blank line first.\n---\nBody\n", "claude-code", "shows another description"),
        ("---\nname: demo\ndescription: ~\n---\nBody\n", "claude-code", "shows another description"),
        ("---\nname: demo\ndescription: By hand.\ndisable-model-invocation: true\n---\nBody\n", "claude-code", UNLISTED),
        ("---\nname: demo\ndescription: By hand.\ndisable-model-invocation: true\n---\nBody\n", "codex", LOADS),
    ],
)
def test_reports_about_the_pinned_clients(text: str, client: str, words: str):
    assert does(text, client) == words


# how claims are put together


def test_a_set_of_faults_that_was_tried_is_as_it_was_seen_and_another_is_as_its_worst():
    tried = [found("no-description", 1), found("name-missing", 1, folder="demo")]
    assert outcome(tried) == {
        client: told(row, client)
        for client, row in ((name, kept()["forms"]["empty frontmatter"][name]) for name in claims.clients())
    }
    other = [found("closer-space", 4, what="white space"), found("eol"), found("unknown-key", 3, key="version")]
    assert outcome(other)["gemini-cli"] == EMPTY and outcome(other)[VALIDATOR] == REJECTS
    assert set(outcome([found("unusable", problem="x")]).values()) == {UNKNOWN}


@pytest.mark.parametrize(
    ("observation", "words"),
    [
        (None, UNKNOWN),
        ({"breaks": "it"}, BREAKS),
        ({"listed": False}, UNLISTED),
        ({"listed": True, "name": "own", "description": "own", "body": "whole"}, LOADS),
        ({"listed": True, "name": "own", "description": "own", "body": "file"}, LOADS),
        ({"listed": True, "name": "own", "description": "none", "body": "whole"}, "shows no description"),
        ({"listed": True, "name": "own", "description": "other: ---", "body": "empty"}, EMPTY),
        ({"listed": True, "name": "own", "description": "first 200", "body": "whole"}, "shows a part of the description"),
        ({"listed": True, "name": "own", "description": "own", "body": "ran"}, "runs commands of the body"),
    ],
)
def test_an_observation_in_words(observation: Any, words: str):
    assert told(observation, "codex") == words


# the clients themselves


@pytest.mark.docker
@pytest.mark.clients
@pytest.mark.parametrize("name", ASKED)
def test_the_clients_do_what_is_claimed(name: str):
    version, answers = ask(name, forms())
    assert version == claims.version(name)
    assert differences(kept(), name, answers) == []
