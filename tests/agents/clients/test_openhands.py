"""OpenHands' logs, as the real client wrote them in a sandbox against the scripted model, and how it is started."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agents.base import Done
from agents.clients.client import ParsedLog, skill_path
from agents.clients.openhands import PYTHON, SETTINGS, START
from agents.trajectory.atif import problems
from benchmark.core.files import Files
from benchmark.core.model import Limits, Usage
from tests.agents.clients.recorded import DATA, Door, client_of, sound

CASES = ("c0", "skill", "killed", "error", "task")
client = partial(client_of, "openhands", "openai/scripted-model")


def case(name: str) -> dict[str, Any]:
    return json.loads((DATA / "clients" / "openhands" / f"{name}.json").read_bytes())


def files(found: dict[str, Any]) -> dict[str, bytes]:
    return {name: text.encode() for name, text in found["home"].items()}


def read(found: dict[str, Any], home: Files | None = None) -> ParsedLog:
    done = Done(found["code"], found["stdout"].encode(), found["stderr"].encode(), found["code"] == 124)
    return client().read("Write the report.", done, files(found) if home is None else home)


def told(found: dict[str, Any], home: Files | None = None) -> ParsedLog:
    """What is read in a log, or a case's own; its trajectory has nothing wrong."""
    one = read(found, home)
    return sound(one)


def changed(found: dict[str, Any], part: str, change: Any) -> dict[str, bytes]:
    """A case's log with the first file whose path holds `part` changed."""
    home = files(found)
    name = next(name for name in sorted(home) if part in name and "/subagents/" not in name)
    data = json.loads(home[name])
    change(data)
    return home | {name: json.dumps(data).encode()}


def turns(one: ParsedLog) -> list[tuple[str, list[tuple[str, dict[str, Any]]], list[str]]]:
    """Of the agent's steps: the words, the calls, and what came back."""
    return [
        (
            str(step.message),
            [(call.function_name, call.arguments) for call in step.tool_calls or ()],
            [str(result.content) for result in step.results],
        )
        for step in one.trajectory.steps
        if step.source == "agent"
    ]


def step_tokens(one: ParsedLog) -> list[list[int | None]]:
    metrics = [step.metrics for step in one.trajectory.steps if step.metrics]
    return [[found.prompt_tokens, found.cached_tokens, found.completion_tokens] for found in metrics]


def sums(rows: list[list[int]]) -> Usage:
    prompt, cached, completion = (sum(column) for column in zip(*rows, strict=True))
    return Usage(prompt_tokens=prompt, cached_tokens=cached, completion_tokens=completion, source="provider")


@pytest.mark.parametrize("name", ["c0", "skill"])
def test_tokens_are_what_the_server_reported(name: str) -> None:
    found = case(name)
    one = told(found)
    assert step_tokens(one) == found["reported"]
    assert one.usage == sums(found["reported"])
    assert (one.limit, one.fault) == (None, None)
    assert one.trajectory.notes is None


def test_a_run() -> None:
    one = told(case("c0"))
    first, last = turns(one)
    assert first[1][0][0] == "terminal"
    assert first[1][0][1]["command"] == "printf 'hello\\n' > report.txt && cat report.txt"
    assert first[2] == ["hello"]
    assert last == ("Done.", [], [])
    assert [step.source for step in one.trajectory.steps] == ["system", "user", "agent", "agent"]
    assert one.trajectory.steps[1].message == "Write the report. \U0001f600 \x85 -- ünï"
    assert one.offered == ()


def test_the_skill_is_offered_and_opened() -> None:
    one = told(case("skill"))
    assert one.offered == ("report-writer",)
    opened = turns(one)[0]
    assert opened[1] == [("invoke_skill", {"name": "report-writer"})]
    assert opened[2][0].startswith("Write report.txt with exactly one line.")
    assert str(Path(skill_path(client(), "report-writer")).parent) in opened[2][0]
    assert client().opening("report-writer", "")[0]["input"] == opened[1][0][1]


def test_names_of_skills_are_read_as_they_are() -> None:
    listed = (
        "<available_skills>\n  <skill>\n    <name>a &amp; b</name>\n    <description>&lt;name&gt;no</description>\n  </skill>"
    )

    def two(data: dict[str, Any]) -> None:
        data["dynamic_context"]["text"] = listed + "\n  <skill>\n    <name>B</name>\n  </skill>\n</available_skills>"

    assert read(case("skill"), changed(case("skill"), "event-00000", two)).offered == ("B", "a & b")


def test_a_subagent_is_embedded_at_its_call() -> None:
    found = case("task")
    one = told(found)
    assert one.usage == sums(found["reported"])
    children = one.trajectory.subagent_trajectories
    assert children
    child = children[0]
    (call, result) = next((step.tool_calls, step.results) for step in one.trajectory.steps if step.tool_calls)
    assert call
    assert call[0].function_name == "task"
    refs = result[0].subagent_trajectory_ref
    assert refs
    assert [len(children), *(ref.trajectory_id for ref in refs)] == [1, child.trajectory_id]
    assert child.steps[1].message == "Look at the folder."
    final = child.final_metrics
    assert final
    assert final.total_prompt_tokens == found["reported"][1][0] + found["reported"][2][0]
    assert step_tokens(one) == [found["reported"][0], found["reported"][3]]


def test_a_killed_run_keeps_its_steps_and_has_no_total() -> None:
    one = told(case("killed"))
    assert [calls[0][1]["command"] for _, calls, _ in turns(one)] == ["echo one", "sleep 60"]
    assert [results for _, _, results in turns(one)] == [["one"], []]
    assert one.usage.tokens is None
    assert "ended while it worked" in str(one.usage.reason)
    assert "ended while it worked" in str(one.trajectory.notes)
    assert one.fault is None


def test_a_failed_provider_is_a_fault_though_it_exits_with_0() -> None:
    found = case("error")
    assert found["code"] == 0
    one = told(found)
    assert one.fault
    assert one.fault.startswith("its model failed: litellm.AuthenticationError")
    assert one.usage.tokens is None


@pytest.mark.parametrize(
    ("code", "detail", "limit", "fault"),
    [
        ("MaxIterationsReached", "Agent reached maximum iterations limit (500).", "turns", False),
        ("LLMContextWindowExceedError", "too long", "context", False),
        ("LLMBadRequestError", "litellm.BadRequestError: OpenAIException - Skill Assay: this attempt's …", None, False),
        ("LLMBadRequestError", "litellm.BadRequestError: OpenAIException - unknown model", None, True),
        ("LLMServiceUnavailableError", "litellm.InternalServerError: no", None, True),
        ("ValueError", "a tool broke", None, False),
    ],
)
def test_how_a_run_ends(code: str, detail: str, limit: str | None, fault: bool) -> None:
    home = changed(case("error"), "event-00002", lambda data: data.update(code=code, detail=detail))
    one = told(case("error"), home)
    assert one.limit == limit
    assert bool(one.fault) is fault
    assert f"{code}: {detail}" == one.trajectory.steps[-1].message


def test_calls_of_one_answer_are_one_step() -> None:
    home = files(case("c0"))
    name = next(name for name in home if "event-00002" in name)
    second = json.loads(home[name])
    second |= {"id": "other", "tool_call_id": "call_2", "tool_call": {"name": "terminal", "arguments": "{broken"}}
    seen = json.loads(next(data for name, data in home.items() if "event-00003" in name))
    seen |= {"tool_call_id": "call_2", "kind": "AgentErrorEvent", "error": "no JSON"}
    home |= {name.replace("00002-", "00002-z"): json.dumps(second).encode()}
    home |= {name.replace("00002-", "00003-z"): json.dumps(seen).encode()}
    one = told(case("c0"), home)
    first = turns(one)[0]
    assert [arguments for _, arguments in first[1]][1] == {"raw": "{broken"}
    assert first[2] == ["hello", "no JSON"]
    assert step_tokens(one) == case("c0")["reported"]


def test_a_condensation_is_a_call_of_the_model() -> None:
    home = files(case("c0"))
    name = next(name for name in home if "event-00004" in name)
    event = {"kind": "Condensation", "summary": "So far: a file.", "llm_response_id": "sum", "source": "environment"}
    home |= {name.replace("00004", "00003a"): json.dumps(event).encode()}

    def spend(data: dict[str, Any]) -> None:
        row = {"response_id": "sum", "prompt_tokens": 50, "cache_read_tokens": 0, "completion_tokens": 5}
        data["stats"]["usage_to_metrics"]["condenser"]["token_usages"] = [row]

    state = next(name for name in home if name.endswith("base_state.json"))
    home |= {state: changed(case("c0"), "base_state", spend)[state]}
    one = told(case("c0"), home)
    assert one.usage == sums([*case("c0")["reported"], [50, 0, 5]])
    assert ("So far: a file.", [], []) in turns(one)


@pytest.mark.parametrize(
    "row", [{"prompt_tokens": 0}, {"prompt_tokens": -1}, {"cache_read_tokens": 10**9}, {"completion_tokens": "3"}]
)
def test_usage_that_cannot_be_is_not_measured(row: dict[str, Any]) -> None:
    def change(data: dict[str, Any]) -> None:
        data["stats"]["usage_to_metrics"]["agent"]["token_usages"][0].update(row)

    one = told(case("c0"), changed(case("c0"), "base_state", change))
    assert one.usage.tokens is None
    assert one.usage.reason


def test_its_output_stands_in_for_a_log_that_was_too_large_to_keep() -> None:
    one = told(case("c0"), {})
    assert turns(one) == turns(told(case("c0")))
    assert one.offered is None
    assert one.usage.tokens is None
    output = case("c0")["stdout"].encode()
    for at in [*range(0, len(output), 97), *(at for at, byte in enumerate(output) if byte == 10)]:
        cut = client().read("Write the report.", Done(0, output[:at]), {}).trajectory
        assert problems(cut) == []
        assert cut.steps[0].source == "user"


@pytest.mark.parametrize("name", CASES)
def test_a_log_cut_anywhere_is_read(name: str) -> None:
    found = case(name)
    home = files(found)
    names = sorted(home, key=lambda name: (not name.endswith("base_state.json"), name))
    kept = [read(found, {name: home[name] for name in names[:count]}) for count in range(len(names) + 1)]
    for path in names:
        for at in range(0, len(home[path]), 97):
            kept.append(read(found, home | {path: home[path][:at]}))
    assert [problems(one.trajectory) for one in kept] == [[]] * len(kept)
    assert len({len(one.trajectory.steps) for one in kept}) > 1


@pytest.mark.parametrize(
    "junk", [b"", b"[]", b"null", b"\xff\xfe", b"3", b'{"kind": 3}', b'{"kind": "ActionEvent", "tool_call": 7}']
)
def test_files_that_are_no_events_are_read_too(junk: bytes) -> None:
    home = files(case("task"))
    one = told(case("task"), dict.fromkeys(home, junk))
    assert one.usage.tokens is None
    assert one.fault is None


def test_without_a_log_the_prompt_and_its_last_words_are_kept() -> None:
    one = client().read("Write the report.", Done(1, b"", b"Traceback\nNo module named x"), {})
    assert one.trajectory.steps[0].message == "Write the report."
    assert "No module named x" in str(one.trajectory.notes)


@pytest.mark.parametrize(
    "prompt", ["-n --help", "x" * 200_000, "\U0001f600 \x85 \u2028 \ttab\r\n'\"\\"], ids=["dashes", "long", "signs"]
)
def test_the_prompt_reaches_it_by_standard_input_alone(prompt: str, tmp_path: Path) -> None:
    launch = client().launch(prompt, Door(), Limits())
    plain = client().launch("Write the report.", Door(), Limits(seconds=5, turns=3))
    assert (launch.command, launch.environment, launch.home) == (plain.command, plain.environment, plain.home)
    assert launch.stdin == prompt.encode()
    # What it starts is told the prompt as it is.
    (tmp_path / "openhands_cli").mkdir()
    (tmp_path / "openhands_cli" / "entrypoint.py").write_text("import sys\ndef main(): print(ascii(sys.argv[1:]))\n")
    start = START.replace("/client", str(tmp_path))
    command = [sys.executable, "-X", "utf8", "-I", "-S", "-c", start]
    environment = {"LD_LIBRARY_PATH": "/python/lib"}
    done = subprocess.run(command, input=launch.stdin, env=environment, capture_output=True, timeout=60, check=True)
    assert done.stdout.decode().strip() == ascii(["--headless", "--json", f"--task={prompt}"])


def test_its_settings_name_the_way_to_the_model_and_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "LLM_API_KEY", "ASSAY_API_KEY"):
        monkeypatch.setenv(name, "sk-secret")
    launch = client().launch("Write the report.", Door(), Limits())
    settings = json.loads(launch.home[SETTINGS])
    for llm in (settings["llm"], settings["condenser"]["llm"]):
        assert llm["base_url"] == "http://127.0.0.1:8110/v1"
        assert llm["model"] == "openai/scripted-model"
        assert llm["num_retries"] == 0
    assert "sk-secret" not in repr(launch)
    assert f"{PYTHON}/bin/python3.12" in launch.command


def test_the_lock_has_its_pin_and_no_address() -> None:
    lock = (Path(__file__).parents[3] / "agents" / "clients" / "openhands" / "requirements.txt").read_text()
    assert f"\nopenhands=={client().version} \\\n    --hash=sha256:" in lock
    assert "://" not in lock
    assert lock.count("==") == sum(line.endswith("\\") and "==" in line for line in lock.splitlines()), "every line has a hash"
