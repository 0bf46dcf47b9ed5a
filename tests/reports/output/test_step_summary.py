import re
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from reports.output.step_summary import LIMIT, escaped, write_step_summary
from reports.output.step_summary import step_summary as summary_with
from reports.verdict.gate import outcomes, parse
from reports.verdict.phrasing import NEVER
from tests.reports import lines

#: A name as rude as names may be.
RUDE = "a|b*c_d`e<i>&amp;#~$^!(x)\\+{y}www.z.example"


def html(text):
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)


def shown(text):
    """What a reader sees of Markdown: the text of its HTML."""
    plain = re.sub(r"<[^>]+>", "", html(text))
    for name, sign in (("lt", "<"), ("gt", ">"), ("quot", '"'), ("amp", "&")):
        plain = plain.replace(f"&{name};", sign)
    return plain.strip()


def step_summary(results, limit=LIMIT):
    return summary_with(results, {}, limit)


def found(*verdicts, gates=(), **changes):
    made = lines.results(*verdicts, **changes)
    return replace(made, gates=outcomes([parse(text, "pass2") for text in gates], made))


@pytest.mark.parametrize(
    "text", [RUDE, "[a](http://b)", "@someone #12 :tada:", "~~gone~~ **loud** $x$", "<script>alert(1)</script>"]
)
def test_escaped_text_is_shown_as_it_is_and_is_no_markup(text):
    assert shown(escaped(text)) == text
    assert html(escaped(text)).count("<") == 2  # the paragraph alone
    assert not re.search(r"(?<!\\)([@#$]|:\S)|\bwww\.", escaped(text))


def test_escaped_text_is_one_line_with_its_control_characters_written_out():
    assert escaped("a\n\n# b\r\t\x1b[0m c\u202e") == r"a \# b \\x1b\[0m c\\u202e"


def test_verdicts_estimates_and_where_the_report_is():
    files = {"page": Path("/x/y/runs/report/report.html"), "json": Path("/x/y/runs/report/results.json")}
    text = summary_with(found(lines.verdict()), files)
    seen = shown(text)
    assert lines.verdict().sentence in seen
    row = next(line for line in text.splitlines() if line.startswith("| target"))
    cells = [cell.strip() for cell in shown(row).strip("|").split(" | ")]
    assert cells == [
        "target",
        "noop",
        "provider/model-1",
        "prompt",
        "HELPS",
        "+12.0",
        "+3.1 to +20.9 at 95 %",
        "+40 %",
        "8 families × 5 replicates",
        "76 of 80 trials measured, 4 broken, 2 limited",
    ]
    assert (
        "Trials: 80 planned, 76 measured, 4 broken; 2027-01-15 08:00 UTC to 2027-01-15 09:30 UTC. Panel 0123456789ab." in seen
    )
    assert "runs/report/report.html" in seen and "/x/y" not in text
    assert html(text).count("<table>") == 1 and html(text).count("<tr>") == 2


def test_what_was_not_measured_is_said():
    bare = lines.verdict(word="UNDECIDED", estimate=None, low=None, high=None, model=None)
    text = step_summary(found(bare, contrasts=[], first_trial=None))
    assert "| not measured | none | not measured |" in text and "| no model |" in text
    empty = shown(step_summary(lines.results()))
    assert "No verdict: the plan has no skill beside a baseline, or nothing has run." in empty and "assay report" in empty


def test_gates_that_failed_come_first():
    text = step_summary(found(lines.verdict(), gates=["verdict != HURTS", "delta > 50%"]))
    first, second = re.findall(r"^- gate (\w+)", text, re.M)
    assert (first, second) == ("failed", "holds")
    assert "gate failed for target, noop, prompt: delta > 50%; delta > 50% is false; delta = 0.12" in shown(text)


def test_scripted_agents_and_models_of_this_machine_are_named():
    text = step_summary(found(lines.verdict(), scripted=True, local_models=["local/smollm2-135m"]))
    assert "> The agent is scripted" in text and "> local/smollm2-135m is a model of 135 million parameters" in text


def test_names_break_no_table_and_nothing_forbidden_is_said():
    rude = lines.verdict(skill=RUDE)
    text = step_summary(found(rude, lines.verdict(), gates=["delta > 50%"]))
    assert html(text).count("<tr>") == 3 and html(text).count("<td>") == 20
    assert f"<td>{RUDE.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')}</td>" in html(text)
    assert [pattern for pattern in NEVER if re.search(pattern, text, re.I)] == []


def test_what_is_longer_than_github_takes_is_cut_after_a_line_and_says_so():
    many = found(*(lines.verdict(skill=f"skill-{at}-é") for at in range(2500)))
    text = step_summary(many)
    assert len(text.encode()) <= LIMIT < len(step_summary(many, 10 * LIMIT).encode())
    assert text.rstrip().endswith("The rest is in the full report.") and "Cut here: GitHub takes 1 MiB a step" in text
    kept = text.split("\n\n**Cut here")[0]
    assert step_summary(many, 10 * LIMIT).startswith(kept + "\n")
    assert step_summary(many, 20) == ""


def test_it_is_appended_to_the_file_that_github_names(tmp_path):
    made = found(lines.verdict())
    path = tmp_path / "summary.md"
    assert write_step_summary(made, {}, {}) is None and not path.exists()
    assert write_step_summary(made, {}, {"GITHUB_STEP_SUMMARY": str(path)}) == path
    assert path.read_text() == step_summary(made)
    path.write_text("of others")
    write_step_summary(made, {}, {"GITHUB_STEP_SUMMARY": str(path)})
    assert path.read_text() == "of others\n" + step_summary(made)
    path.write_text("x" * (LIMIT - 300))
    write_step_summary(made, {}, {"GITHUB_STEP_SUMMARY": str(path)})
    assert LIMIT - 300 < path.stat().st_size <= LIMIT and "Cut here" in path.read_text()
    path.write_text("x" * LIMIT)
    write_step_summary(made, {}, {"GITHUB_STEP_SUMMARY": str(path)})
    assert path.stat().st_size == LIMIT
