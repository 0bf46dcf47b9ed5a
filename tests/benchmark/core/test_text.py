import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.core.text import _ONE_LINE, visible, visible_json

ROOT = Path(__file__).parents[3]
PEOPLE = "größer − 3 ≥ 2, 日本語, עברית, ❤️, 👩\u200d👩\u200d👧, क\u094d\u200dष"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("safe\rEVIL", r"safe\rEVIL"),
        ("photo\u202egpj.exe", r"photo\u202egpj.exe"),
        ("\x9b2J\x7f\x00\b", r"\x9b2J\x7f\x00\x08"),
        ("\u2066a\u2069\u200b\ufeff", r"\u2066a\u2069\u200b\ufeff"),
        ("\u2028\u2029\x85", r"\u2028\u2029\x85"),
        ("\udc80\uffff\U0001fffe", r"\udc80\uffff\U0001fffe"),
        ("\U000e0041", r"\U000e0041"),
        ("a\nb\tc", r"a\nb\tc"),
        # Nothing of what people write is touched.
        (PEOPLE, PEOPLE),
        ("", ""),
    ],
)
def test_what_steers_or_deceives_is_written_out(text, shown):
    assert visible(text) == shown == visible(visible(text))


def test_what_is_printable_to_python_needs_no_closer_look():
    text = "".join(map(chr, range(sys.maxunicode + 1)))
    shown = "".join(char for char in text if char.isprintable())
    assert visible(shown) == shown and _ONE_LINE.sub("", shown) == shown


def test_lines_and_tabs_stay_where_they_are_wanted():
    assert visible("a\n\tb\r\n\x1b", lines=True) == "a\n\tb\\r\n\\x1b"


@pytest.mark.parametrize("value", ["\x1b[31m\x9b\u202e", "\U000e0041\U0001f600", "\udc80", 'quo"te\\ \n', "plain −"])
def test_json_holds_the_same_values(value):
    text = json.dumps({value: [value]}, ensure_ascii=False, indent=1)
    assert json.loads(visible_json(text)) == {value: [value]}
    assert not [
        char for char in visible_json(text) if char not in "\n" and (ord(char) < 32 or char in "\x9b\u202e\udc80\U000e0041")
    ]


PRINT = """
import sys
from benchmark.core.text import print_anything, print_line
print_anything()
print_line("Δ −3.2 ± 1 [−5, +2] 80 % … 日 \\ud800 \\x1b[0m")
"""


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("ascii", r"delta  -3.2 +/- 1 [-5, +2] 80 % ... ? \ud800 \x1b[0m"),
        ("latin-1", r"delta  -3.2 ± 1 [-5, +2] 80 % ... ? \ud800 \x1b[0m"),
        ("cp437", r"delta  -3.2 ± 1 [-5, +2] 80 % ... ? \ud800 \x1b[0m"),
        ("ascii:strict", r"delta  -3.2 +/- 1 [-5, +2] 80 % ... ? \ud800 \x1b[0m"),
        ("utf-8", r"Δ −3.2 ± 1 [−5, +2] 80 % … 日 \ud800 \x1b[0m"),
    ],
)
def test_a_terminal_of_any_encoding_is_told_all_and_keeps_its_minus(encoding, said):
    command = [sys.executable, "-c", PRINT]
    done = subprocess.run(command, cwd=ROOT, env={"PYTHONIOENCODING": encoding, "PATH": ""}, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode(encoding.partition(":")[0]) == f"{said}\n"


def test_a_stream_that_is_no_terminal_is_left_alone(monkeypatch):
    from benchmark.core.text import print_anything, print_line

    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    print_anything()
    print_line("−")
    assert stream.getvalue() == "−\n"
