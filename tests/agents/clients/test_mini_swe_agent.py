"""mini-swe-agent's logs, as the real client wrote them in a sandbox against the scripted model, and how it is started."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from agents.base import Done
from agents.clients.client import ParsedLog
from agents.clients.mini_swe_agent import CONFIG, LOG, SUBMIT, MiniSweAgent
from agents.trajectory.atif import problems
from benchmark.core.errors import UsageError
from benchmark.core.model import AgentSpec, Limits, Usage
from tests.agents.clients.recorded import DATA, Door, client_of, sound

CASES = ("c0", "skill", "killed", "error", "words")
client = partial(client_of, "mini-swe-agent", "openai/scripted-model")


def case(name: str) -> dict[str, Any]:
    return json.loads((DATA / "clients" / "mini-swe-agent" / f"{name}.json").read_bytes())


def read(found: dict[str, Any], log: bytes | None = None) -> ParsedLog:
    home = {name: text.encode() for name, text in found["home"].items()} if log is None else {LOG: log}
    late = found["code"] == 124
    return client().read(
        "Write the report.", Done(found["code"], found["stdout"].encode(), found["stderr"].encode(), late), home
    )


def told(found: dict[str, Any], log: bytes | None = None) -> ParsedLog:
    """What is read in a log, or a case's own; its trajectory has nothing wrong."""
    one = read(found, log)
    return sound(one)


def turns(one: ParsedLog) -> list[tuple[str, list[str], list[str]]]:
    """Of the agent's steps: the words, the commands, and what came back."""
    return [
        (
            str(step.message),
            [str(call.arguments.get("command")) for call in step.tool_calls or ()],
            [str(result.content) for result in step.results],
        )
        for step in one.trajectory.steps
        if step.source == "agent"
    ]


def reported(found: dict[str, Any]) -> list[list[int]]:
    return [list(row) for row in found["reported"]]


def step_tokens(one: ParsedLog) -> list[list[int | None]]:
    metrics = [step.metrics for step in one.trajectory.steps if step.metrics]
    return [[found.prompt_tokens, found.cached_tokens, found.completion_tokens] for found in metrics]


@pytest.mark.parametrize("name", ["c0", "skill", "words"])
def test_tokens_are_what_the_server_reported(name: str) -> None:
    one = told(case(name))
    rows = reported(case(name))
    assert step_tokens(one) == rows
    prompt, cached, completion = (sum(column) for column in zip(*rows, strict=True))
    want = Usage(prompt_tokens=prompt, cached_tokens=cached, completion_tokens=completion, source="provider")
    assert one.usage == want
    assert (one.limit, one.fault, one.offered) == (None, None, None)
    final = one.trajectory.final_metrics
    assert final and (final.total_prompt_tokens, final.total_completion_tokens) == (prompt, completion)


def test_a_run() -> None:
    one = told(case("c0"))
    first, last = turns(one)
    assert first[1] == ["printf 'hello\\n' > report.txt && cat report.txt"]
    assert json.loads(first[2][0]) == {"returncode": 0, "output": "hello\n"}
    assert last[1] == [SUBMIT]
    assert [step.source for step in one.trajectory.steps] == ["system", "user", "agent", "agent", "system"]
    assert "Write the report. \U0001f600" in str(one.trajectory.steps[1].message)
    assert one.trajectory.steps[-1].message == "Submitted"
    errors = [result.extra for step in one.trajectory.steps for result in step.results]
    assert errors == [None, None], "the command that ends the run did run"


def test_the_opened_skill_is_in_a_result() -> None:
    opened = turns(told(case("skill")))[0]
    assert opened[1] == ["cat /work/.skills/report-writer/SKILL.md"]
    assert "exactly one line" in opened[2][0]


def test_words_without_a_command_are_steps_of_the_agent() -> None:
    one = told(case("words"))
    assert [words for words, _, _ in turns(one)] == ["I am done."] * 3
    assert one.trajectory.steps[-1].message == "RepeatedFormatError: RepeatedFormatError"


def test_a_killed_run_keeps_its_steps_and_has_no_total() -> None:
    one = told(case("killed"))
    assert [commands for _, commands, _ in turns(one)] == [["echo one"]]
    assert step_tokens(one) == reported(case("killed"))[:1]
    assert one.usage.tokens is None
    assert "ended while it worked" in str(one.usage.reason)
    assert "ended while it worked" in str(one.trajectory.notes)


def test_a_failed_provider_is_a_fault() -> None:
    one = told(case("error"))
    assert one.fault
    assert one.fault.startswith("its model failed: litellm.AuthenticationError")
    assert "\n" not in one.fault
    assert one.usage.tokens is None


@pytest.mark.parametrize(
    ("status", "said", "limit", "fault"),
    [
        ("ContextWindowExceededError", "litellm.ContextWindowExceededError: too long", "context", False),
        ("BadRequestError", "litellm.BadRequestError: Skill Assay: this attempt's 1 requests are used up", None, False),
        ("BadRequestError", "litellm.BadRequestError: unknown model", None, True),
        ("LimitsExceeded", "", "turns", False),
        ("TimeExceeded", "", "seconds", False),
        ("RepeatedFormatError", "", None, False),
        ("KeyError", "'messages'", None, False),
    ],
)
def test_how_a_run_ends(status: str, said: str, limit: str | None, fault: bool) -> None:
    found = case("c0")
    log = json.loads(found["home"][LOG])
    log["messages"][-1]["extra"] = {"exit_status": status, "exception_str": said}
    one = told(found, json.dumps(log, indent=2).encode())
    assert one.limit == limit
    assert bool(one.fault) is fault


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": -4, "completion_tokens": 1},
        {"prompt_tokens": 4, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 9}},
        {"prompt_tokens": "4", "completion_tokens": 1},
    ],
)
def test_usage_that_cannot_be_is_not_measured(usage: Any) -> None:
    found = case("c0")
    log = json.loads(found["home"][LOG])
    log["messages"][2]["extra"]["response"]["usage"] = usage
    one = told(found, json.dumps(log, indent=2).encode())
    assert one.usage.tokens is None
    assert one.usage.reason


def test_cached_tokens_that_nobody_reported_are_unknown() -> None:
    found = case("c0")
    log = json.loads(found["home"][LOG])
    del log["messages"][2]["extra"]["response"]["usage"]["prompt_tokens_details"]
    one = told(found, json.dumps(log, indent=2).encode())
    assert one.usage.cached_tokens is None
    assert one.usage.tokens == sum(row[0] + row[2] for row in reported(found))


@pytest.mark.parametrize("name", CASES)
def test_a_log_cut_anywhere_is_read(name: str) -> None:
    found = case(name)
    log = found["home"][LOG].encode()
    ends = [at + 1 for at, byte in enumerate(log) if byte == 10]
    whole = len(told(found).trajectory.steps)
    cut = [read(found, log[:end]).trajectory for end in [*ends, *range(0, len(log), 997)]]
    assert [problems(one) for one in cut] == [[]] * len(cut)
    kept = [len(one.steps) for one in cut]
    assert max(kept) <= whole
    assert len(set(kept)) > 1, "the messages before the cut are kept"


@pytest.mark.parametrize(
    "log", [b"", b"[]", b"null", b"\xff\xfe", b'{"messages": 3}', b'{"messages": [3, {"role": "assistant"}]}']
)
def test_no_log_of_it_is_read_too(log: bytes) -> None:
    one = told(case("c0"), log)
    assert one.usage.tokens is None
    assert one.fault is None


def test_without_a_log_the_prompt_and_its_last_words_are_kept() -> None:
    one = client().read("Write the report.", Done(1, b"", b"Traceback\nNo module named x"), {})
    assert one.trajectory.steps[0].message == "Write the report."
    assert "No module named x" in str(one.trajectory.notes)


AWKWARD = ("-n --help", "x" * 200_000, "{{ task }} \U0001f600 \x85 \u2028 \x7f \ttab\r\n'\"\\", "- a: [b", "")


@pytest.mark.parametrize("prompt", AWKWARD, ids=["dashes", "long", "signs", "yaml", "empty"])
def test_the_prompt_reaches_it_in_its_settings_alone(prompt: str) -> None:
    launch = client().launch(prompt, Door(), Limits())
    plain = client().launch("Write the report.", Door(), Limits(seconds=5, turns=3))
    assert (launch.command, launch.environment, launch.stdin) == (plain.command, plain.environment, b"")
    assert all(len(part) < 1000 for part in launch.command)
    settings = yaml.safe_load(launch.home[CONFIG])
    assert settings["run"]["task"] == prompt
    assert settings["model"]["model_name"] == "openai/scripted-model"
    assert settings["model"]["model_kwargs"]["api_base"] == "http://127.0.0.1:8110/v1"
    assert settings["agent"] == {"cost_limit": 0}


def test_no_key_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ASSAY_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "sk-secret")
    launch = client().launch("Write the report.", Door(), Limits())
    assert "sk-secret" not in repr(launch)


def test_it_needs_a_model_and_takes_skills_in_the_prompt_alone() -> None:
    assert client().deliveries == ("prompt",)
    assert client().opening("a b", "/work/.skills/a b/SKILL.md")[0] == {"shell": "cat '/work/.skills/a b/SKILL.md'"}
    with pytest.raises(UsageError, match="openai/gpt-5-mini"):
        MiniSweAgent(AgentSpec(name="mini-swe-agent"))


def test_the_lock_has_its_pin_and_no_address() -> None:
    lock = (Path(__file__).parents[3] / "agents" / "clients" / "mini-swe-agent" / "requirements.txt").read_text()
    assert f"\nmini-swe-agent=={client().version} \\\n    --hash=sha256:" in lock
    assert "://" not in lock
    assert lock.count("==") == sum(line.endswith("\\") and "==" in line for line in lock.splitlines()), "every line has a hash"
