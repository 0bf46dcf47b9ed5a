import json

import pytest

from benchmark.core.files import sha256
from benchmark.core.model import Delivered
from benchmark.store.store import Store
from reports.output.allure import write_allure
from tests.factory import DAY, NOON, PROMPT, SHOT, TRAJECTORY, audit, evidence, kept, row, wire


def written(tmp_path, rows):
    made = audit(tmp_path / "runs", rows)
    count = write_allure(made, Store(tmp_path / "runs"), tmp_path / "allure")
    found = [json.loads(path.read_text()) for path in (tmp_path / "allure").glob("*-result.json")]
    assert len(found) == count
    return sorted(found, key=lambda item: item["name"])


def test_a_trial_is_a_result_with_tasks_and_attempts_as_steps(tmp_path):
    (result,) = written(tmp_path, row("alpha", "C1", "12x-"))
    assert result["status"] == "passed"
    assert (result["start"], result["stop"]) == (int(NOON * 1000), int(NOON * 1000) + 60_000)
    assert all(part in result["name"] for part in ("alpha", "C1", "target", "Pass@2 50.0 %"))
    labels = {(label["name"], label["value"]) for label in result["labels"]}
    assert {("epic", "webdev"), ("feature", "alpha"), ("tag", "C1")} <= labels
    parameters = {row["name"]: row["value"] for row in result["parameters"]}
    assert (parameters["pass2"], parameters["agent"], parameters["scripted"]) == ("0.5", "noop", "True")
    # The task that was not reached is no step.
    assert [(step["status"], len(step["steps"])) for step in result["steps"]] == [("passed", 1), ("passed", 2), ("failed", 2)]


def test_a_failed_check_says_what_was_expected_and_seen_and_shows_it(tmp_path):
    (result,) = written(tmp_path, row("alpha", "C1", "x"))
    attempt = result["steps"][0]["steps"][0]
    passed, failed = attempt["steps"]
    assert attempt["statusDetails"]["message"] == "The sum is wrong."
    assert (passed["status"], failed["status"]) == ("passed", "failed")
    assert all(part in failed["statusDetails"]["message"] for part in ("assertion", "a sum of 4", "a sum of 5"))
    (shot,) = failed["attachments"]
    assert (tmp_path / "allure" / shot["source"]).read_bytes() == SHOT
    kept = {item["name"]: (tmp_path / "allure" / item["source"]).read_bytes() for item in attempt["attachments"]}
    assert kept == {"prompt": PROMPT, "trajectory": TRAJECTORY}


def test_equal_attachments_share_a_file(tmp_path):
    written(tmp_path, row("alpha", "C1", "12x", "12x", "x--"))
    assert len(list((tmp_path / "allure").glob("*-attachment.*"))) == 3


def test_a_limit_is_named(tmp_path):
    (result,) = written(tmp_path, row("alpha", "C1", "x", limit="tokens"))
    assert "tokens" in result["steps"][0]["steps"][0]["name"]


@pytest.mark.parametrize("status", ["broken", "not_delivered"])
def test_what_was_not_measured_is_broken_with_its_reason(tmp_path, status):
    (result,) = written(tmp_path, row("alpha", "C1", "x", status=status, reason="no network"))
    assert (result["status"], result["statusDetails"]["message"]) == ("broken", "no network")


def test_what_has_not_run_has_no_result_and_history_is_skipped(tmp_path):
    rows = [*row("alpha", "C0", "11", None, started=NOON - 9 * DAY), *row("alpha", "C1", "11")]
    assert sorted(result["status"] for result in written(tmp_path, rows)) == ["passed", "skipped"]


def test_results_made_again_replace_the_old_and_keep_their_history(tmp_path):
    rows = row("alpha", "C1", "1x", "11")
    first = written(tmp_path, rows)
    (tmp_path / "allure/old-result.json").write_text("{}")
    again = written(tmp_path, rows)
    assert [item["historyId"] for item in first] == [item["historyId"] for item in again]
    assert len({item["historyId"] for item in first}) == 2


def test_the_environment_names_versions_and_panel(tmp_path):
    made = audit(tmp_path / "runs", row("alpha", "C1", "11"))
    write_allure(made, Store(tmp_path / "runs"), tmp_path / "allure")
    lines = dict(line.split("=", 1) for line in (tmp_path / "allure/environment.properties").read_text().splitlines())
    assert (lines["browser"], lines["image"], lines["panel"]) == ("none 1", "host", made.plan.hash)


def test_how_a_skill_reached_its_agent_is_said(tmp_path):
    rows = [
        *row("alpha", "C0", "11"),
        *row("alpha", "C1", "1x", delivery="native", attempt={"evidence": evidence(opened=None)}),
        *row("alpha", "C1", "1x", delivery="forced", attempt={"evidence": evidence(opened=2)}),
    ]
    made = written(tmp_path, rows)
    said = [{one["name"]: one["value"] for one in result["parameters"]} for result in made]
    assert (said[0]["delivery"], said[0]["baseline"]) == ("none", "proven free of the skill")
    assert [(one["delivery"], one["listed"], one["opened"]) for one in said[1:]] == [
        ("forced", "3 of 3 attempts", "3 of 3 attempts"),
        ("native", "3 of 3 attempts", "0 of 3 attempts"),
    ]
    assert "C1 native" in made[2]["name"] and "C1 forced" in made[1]["name"]
    assert {"name": "story", "value": "C1 native target"} in made[2]["labels"]


def test_a_skill_in_the_prompt_is_not_called_opened(tmp_path):
    (result,) = written(tmp_path, row("alpha", "C1", "11"))
    parameters = {one["name"]: one["value"] for one in result["parameters"]}
    assert (parameters["delivery"], parameters["listed"], parameters["opened"]) == ("prompt", "in the prompt", "in the prompt")
    assert "prompt" not in result["name"]


def test_a_contaminated_baseline_is_broken_with_its_reason(tmp_path):
    wired = wire("the task", kept().text)
    Store(tmp_path / "runs").put(wired)
    zero = row("alpha", "C0", "11", scripted=False, delivered=Delivered(wire=sha256(wired)))
    (result, _) = written(tmp_path, [*zero, *row("alpha", "C1", "11")])
    assert result["status"] == "broken" and "target was in request 2" in result["statusDetails"]["message"]
