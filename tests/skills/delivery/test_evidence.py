import json
import textwrap
import time
from pathlib import Path

import pytest

from benchmark.core.files import sha256
from skills.delivery.deliver import disguised, preamble
from skills.delivery.evidence import ENOUGH, START, look, looks, marks
from skills.parsing.parse import Skill, as_skill, find_skills, load_skill

BODY = """# House rules

Write every label as a question that a customer would ask.

* Prices carry the currency's sign and no cents: 7 kr, never "7.00 kr".
* Dates read like \\d+ of the month \u2192 weekday first; paths like C:\\new\\table stay.

```js
const footer = document.querySelector("footer");
footer.textContent = 'Open \u2192 daily';
```

Numbers are right-aligned & never centred, for <table> cells too.
"""
DESCRIPTION = (
    "House rules for the shop's labels, prices and dates, to be followed on every page that a customer may come to see."
)


def made(body: str = BODY, description: str | None = DESCRIPTION, name: str = "shop-rules") -> Skill:
    said = f"description: {json.dumps(description)}\n" if description is not None else ""
    return as_skill("shop-rules", {"SKILL.md": f"---\nname: {name}\n{said}---\n{body}".encode()})


def numbered(text: str, form: str) -> str:
    return "\n".join(form.format(at, line) for at, line in enumerate(text.splitlines(), start=1))


#: How clients and their tools show a file.
SHOWN = {
    "as it is": lambda text: text,
    "arrow numbers": lambda text: numbered(text, "{:6}→{}"),
    "tab numbers": lambda text: numbered(text, "{}\t{}"),
    "bar numbers": lambda text: numbered(text, "{:>4} | {}"),
    "quoted": lambda text: numbered(text, "> {1}"),
    "indented": lambda text: numbered(text, "        {1}"),
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "json": lambda text: f"Output: {json.dumps({'stdout': text})}",
    "json, ascii escapes upper case": lambda text: json.dumps(text).replace("\\u2192", "\\u2192".upper().replace("U", "u", 1)),
    "json in json": lambda text: json.dumps({"result": json.dumps({"content": numbered(text, "{:6}→{}")})}),
    "json without ascii": lambda text: json.dumps({"stdout": text}, ensure_ascii=False),
    "xml": lambda text: f"<out>{text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')}</out>",
    "xml, quotes too": lambda text: (
        text.replace("&", "&amp;").replace('"', "&quot;").replace("'", "&#39;").replace("<", "&lt;")
    ),
    "wrapped": lambda text: "\n".join(textwrap.fill(line, 40, break_on_hyphens=False) for line in text.splitlines()),
}


@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf skill"])
def test_a_body_is_seen_however_a_client_shows_it(shown: str, newline: str):
    skill = made(BODY.replace("\n", newline))
    found = look(marks(skill), ["the task", f"the task\n{SHOWN[shown](skill.body)}"])
    assert (found.opened, found.requests) == (2, 2)
    assert found.lines == found.body_lines >= ENOUGH
    assert found.bytes == found.body_bytes == len(skill.body.encode())


def test_the_body_is_bytes_for_bytes_in_the_prompt_and_seen_there():
    for newline in ("\n", "\r\n"):
        skill = made(BODY.replace("\n", newline))
        found = look(marks(skill), [preamble(skill, "prompt") + "Do it."] * 2)
        assert (found.carrying, found.opened, found.bytes) == (2, 1, found.body_bytes)
    other = preamble(skill, "prompt").replace("\r\n", "\n")
    assert look(marks(skill), [other]).carrying == 0


def test_requests_that_are_no_valid_text_are_still_looked_at():
    skill = as_skill("mine", {"SKILL.md": b"rules"})
    assert look(marks(skill), ["\ud800 rules", "\udcff rules", "\ud800", "\\ud83d \\ud83d\\ude00"]).carrying == 2


def test_a_body_read_in_parts_is_seen_as_far_as_it_was_read():
    lines = [f"Rule number {at} is unlike any other rule of this house." for at in range(10)]
    skill = made("".join(f"{line}\n\n" for line in lines))
    parts = [["nothing"], lines[:2], lines[2:4], lines[4:5]]
    conversation = ["\n".join(line for part in parts[:at] for line in part) for at in range(1, 5)]
    found = look(marks(skill), conversation)
    assert (found.listed, found.opened, found.lines, found.body_lines) == (None, 3, 5, 10)
    # The blank lines between rules were seen with both; the one after the last was not.
    assert found.bytes == len("".join(f"{line}\n\n" for line in lines[:5])) - 1


def test_a_conversation_that_was_shortened_keeps_what_was_seen():
    skill = made()
    found = look(marks(skill), ["a", BODY, "a summary", f"a summary\n{BODY}"])
    assert (found.opened, found.bytes) == (2, found.body_bytes)


def test_sentences_that_are_shared_do_not_make_an_opened_skill():
    lines = [f"Rule number {at} is unlike any other rule of this house." for at in range(20)]
    skill = made("\n".join(lines))
    assert look(marks(skill), ["\n".join(lines[::4])]).opened is None
    assert look(marks(skill), [lines[0], "\n".join(lines[:2])]).opened is None
    assert look(marks(skill), ["\n".join(lines[7:10])]).opened == 1
    assert look(marks(skill), ["\n".join(lines[::2])]).opened == 1, "half of all"
    assert look(marks(skill), ["\n".join(lines[::4])]).bytes == 0


def test_headings_and_code_are_anybodys():
    code = "import React from 'react';\nimport App from './App.jsx';\nexport default App; //\n"
    body = f"# Best practices of components\n\n```js\n{code}```\n"
    rules = "".join(f"Rule {at} of this house that nobody else has ever had.\n" for at in range(4))
    assert look(marks(made(body + rules)), [body]).opened is None
    assert look(marks(made(body + rules)), [rules]).opened == 1
    # Where there is little else, half of them are needed.
    assert look(marks(made(body)), [body]).opened == 1
    assert look(marks(made(body)), ["import React from 'react';"]).opened is None


@pytest.mark.parametrize("body", ["", "\n\n", "Be short.\n", "- a\n- b\n- c\n" * 50, "One line of thirty characters.\n", "#\n"])
def test_a_body_without_a_telling_line_is_never_seen_and_says_so(body: str):
    skill = made(body)
    found = look(marks(skill), [skill.text, skill.text * 2])
    assert (found.opened, found.lines, found.body_lines, found.bytes) == (None, 0, 0, 0)
    assert found.carrying == 2 and found.body_bytes == len(body.encode())


def test_a_body_of_few_lines_needs_all_of_them():
    one = "One line that is long enough to be nobody else's: mind the gap.\n"
    two = "A second line, which is not found without the first one.\n"
    assert look(marks(made(one)), [one]).opened == 1
    both = marks(made(one + two))
    assert (look(both, [one]).opened, look(both, [two]).opened, look(both, [one, one + two]).opened) == (None, None, 2)


def test_a_long_line_is_seen_though_it_was_cut():
    line = " ".join(f"word{at}" for at in range(1000))
    skill = made(f"{line}\n")
    found = look(marks(skill), [f"{line[:2000]}… [cut]"])
    assert found.opened == 1 and 1700 < found.bytes <= 2000 < found.body_bytes
    assert look(marks(skill), [line]).bytes == found.body_bytes


def test_a_body_without_blanks_is_looked_for_in_pieces():
    packed = made("".join(chr(0x4E00 + at) for at in range(1000)))
    assert look(marks(packed), [f"1→{packed.body}"]).bytes == len(packed.body.encode()) == 3000
    assert look(marks(packed), [f"{packed.body[:650]}…"]).bytes == 1800
    assert look(marks(packed), [packed.body[:450]]).opened is None


LISTS = {
    "claude": "- {name}: {text}",
    "codex": "- {name}: {text} (file: /home/agent/.codex/skills/{name}/SKILL.md)",
    "gemini": "<skill>\n<name>{name}</name>\n<description>{text}</description>\n<location>/x/{name}/SKILL.md</location>",
    "kimi": "- {name}\n  - Path: /home/agent/.kimi/skills/{name}/SKILL.md\n  - Description: {text}",
    "folder only": "## /skills/{name}\n{text}",
    "description first": "{text} (to use it, open /skills/{name}/SKILL.md)",
}


@pytest.mark.parametrize("form", LISTS)
@pytest.mark.parametrize("cut", [None, 80, 100], ids=["whole", "cut at 80", "cut at 100"])
def test_a_skill_is_listed_where_its_description_stands_by_its_name(form: str, cut: int | None):
    text = DESCRIPTION if cut is None else DESCRIPTION[: cut - 3] + "..."
    listing = LISTS[form].format(name="shop-rules", text=text)
    found = look(marks(made()), ["nothing yet", f"Tools.\n{listing}\nMore."])
    assert (found.listed, found.opened) == (2, None)


def test_neither_the_name_nor_the_description_alone_is_a_listing():
    skill = marks(made())
    assert look(skill, ["Use the skill `shop-rules` for this work", DESCRIPTION]).listed is None
    assert look(skill, [f"- shop-rules-two: {DESCRIPTION}"]).listed is None
    assert look(skill, [f"shop-rules\n{'far away ' * 200}\n{DESCRIPTION}"]).listed is None
    assert look(skill, [f"- shop-rules: {DESCRIPTION[: START - 10]}"]).listed is None


def test_a_short_description_needs_the_name_beside_it():
    skill = marks(made(description="Forms", name="forms"))
    assert look(skill, ["Forms are on the page. A page has " + "many " * 200 + "forms"]).listed is None
    assert look(skill, ["- forms: Forms"]).listed == 1


def test_a_description_of_several_lines_is_one():
    skill = marks(made(description=DESCRIPTION.replace(" ", "\n  ")))
    assert look(skill, [f"- shop-rules: {DESCRIPTION}"]).listed == 1


def test_without_a_description_the_body_s_beginning_is_listed():
    skill = marks(made(description=None))
    assert look(skill, ["- shop-rules"]).listed is None
    assert look(skill, ["- shop-rules: Write every label as a question that a customer would ask."]).listed == 1
    assert look(marks(made("", None)), ["- shop-rules: "]).listed is None


def test_what_the_task_itself_says_tells_nothing():
    task = f"{BODY.splitlines()[2]}\n{BODY.splitlines()[4]}"
    whole, without = marks(made()), marks(made(), [f"Files:\n{numbered(task, '{:4}→{}')}"])
    assert [line in without.telling for line in whole.telling] == [False, False, True, True]
    assert look(without, [task]).opened is None
    assert look(marks(made(), [BODY]), [BODY]).body_lines == 0
    listing = f"- shop-rules: {DESCRIPTION}"
    assert look(marks(made(), [listing]), [listing]).listed is None


def test_a_disguised_control_is_listed_as_the_target_and_seen_by_its_own_body():
    target = made()
    lines = "".join(f"A rule of another trade, the {at}th, about ropes and sails.\n" for at in range(5))
    control = disguised(
        as_skill("ropes", {"SKILL.md": f"---\nname: ropes\ndescription: Ropes.\n---\n{lines}".encode()}), target
    )
    listing = f"- shop-rules: {DESCRIPTION}"
    sent = [listing, f"{listing}\n{lines}"]
    as_target, as_control = looks([marks(target), marks(control)], sent)
    assert (as_target.listed, as_target.opened) == (1, None)
    assert (as_control.listed, as_control.opened, as_control.bytes) == (1, 2, len(lines))


def test_several_looks_are_each_their_own():
    one, two = made(), made("".join(f"Rule {at} of the other house is about nothing else.\n" for at in range(4)))
    sent = ["x", BODY, two.body]
    assert looks([marks(one), marks(two)], sent) == [look(marks(one), sent), look(marks(two), sent)]
    assert looks([], sent) == []


def test_no_skill_of_the_collection_is_seen_in_another():
    skills = [load_skill(path) for path in find_skills(Path("skills/collection"))]
    found = {item.id: marks(item) for item in skills}
    assert all(len(item.telling) >= ENOUGH for item in found.values())
    for item in skills:
        others = [name for name in found if name != item.id]
        seen = looks([found[name] for name in others], [item.text])
        assert [name for name, one in zip(others, seen, strict=True) if one.opened or one.listed] == []
        assert look(found[item.id], [item.text]).bytes == len(item.body.encode())


def text_of(seed: str, size: int) -> str:
    """Lines of made-up words, the same for the same seed."""
    lines, at = [], 0
    while size > 0:
        digest = sha256(f"{seed} {at}".encode())
        line = " ".join(digest[i : i + 5] for i in range(0, 60, 5))
        lines.append(line)
        size -= len(line) + 1
        at += 1
    return "\n".join(lines)


def test_what_was_seen_is_the_same_however_little_is_remembered_of_earlier_requests(monkeypatch: pytest.MonkeyPatch):
    target = made()
    texts = [text_of(str(number), 3000) + part for number, part in enumerate(BODY.splitlines(keepends=True) * 2)]
    sent = ["\n".join(texts[:end]) for end in range(1, len(texts) + 1)]
    remembered = look(marks(target), sent)
    monkeypatch.setattr("skills.delivery.evidence.KNOWN_BYTES", 5_000)
    assert look(marks(target), sent) == remembered
    assert remembered.opened


def test_two_hundred_requests_of_a_long_conversation_take_less_than_a_second():
    skill = marks(made("\n".join(f"Rule {at} is that {text_of(str(at), 60)} and no more." for at in range(500))))
    base, said = text_of("base", 250_000), text_of("said", 50_000)
    sent = [f"{base}\n{said[: len(said) * at // 200]}" for at in range(1, 201)]
    started = time.process_time()
    found = look(skill, sent)
    assert time.process_time() - started < 1.0
    assert (found.requests, found.listed, found.opened) == (200, None, None)


def test_texts_that_are_all_different_take_time_in_proportion():
    skill = marks(made("\n".join(f"Rule {at} is that {text_of(str(at), 60)} and no more." for at in range(300))))
    texts = [text_of(f"{at}", 100_000) for at in range(16)]

    def seconds(count: int) -> float:
        started = time.process_time()
        look(skill, texts[:count])
        return time.process_time() - started

    seconds(2)
    assert min(seconds(16) for _ in range(3)) < 12 * max(min(seconds(4) for _ in range(3)), 0.001)
    assert look(skill, ["a" * 1_000_000, "\\" * 1_000_000, "&amp;" * 200_000, "\\u0061" * 100_000]).opened is None
