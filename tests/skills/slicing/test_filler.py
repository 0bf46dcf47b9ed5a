"""Lines with other words in them: what of a line stays, and that each is as long as before."""

import random
from collections.abc import Set
from itertools import pairwise

import pytest

from skills.parsing.blocks import blocks_of, lines_of
from skills.parsing.parse import Skill, as_skill
from skills.slicing.filler import Filler, Shingle, renamed, shingles

#: One word of each length, so that any line can be filled to the byte; which it is says where it is from.
WORDS: str = "a be cat dove eagle falcon grouse heron's ibis-like"
LATIN = as_skill("birds", {"SKILL.md": f"---\nname: birds\ndescription: Birds.\n---\n{WORDS} {WORDS}\n".encode()})
CODED = as_skill("code", {"SKILL.md": b"# Words\n\nonly words\n\n```sh\nmake -j 4 && ls *.o | wc -l; cd .. && rm *~ ;\n```\n"})
HAN = as_skill("山", {"SKILL.md": "# 山\n\n高い山は遠くから見える。川は近い、道は長い。\n".encode()})
ONE = as_skill("one", {"SKILL.md": b"abcd abcd abcd abcd abcd abcd abcd abcd abcd abcd\n"})


def filled(text: str, partner: Skill = ONE, seed: int = 0, avoid: Set[Shingle] = frozenset()) -> str:
    """The body with the words of each block replaced."""
    lines = lines_of(text.encode())
    filler = Filler(partner, random.Random(seed), avoid)
    for block in blocks_of(lines)[0]:
        lines[block.first : block.end] = filler.block(block, lines[block.first : block.end])
    made = b"".join(lines)
    assert [len(line) for line in lines] == [len(line) for line in lines_of(text.encode())], "to the byte"
    assert len(lines_of(made)) == len(lines)
    return made.decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# Never do so\n", "# abcd abcd a\n"),
        ("Never so\n---\n", "abcd abc\n---\n"),
        ("  - Avoid it\n    10) Avoid it\n", "  - abcd abc\n    10) abcd abc\n"),
        ("- [ ] Not so\n- [x] Not so\n", "- [ ] abcd a\n- [x] abcd a\n"),
        ("> Avoid it\n> - Avoid it\n", "> abcd abc\n> - abcd abc\n"),
        ("❌ Avoid\n", "abcd abcd\n"),
        ("- **Bad:** Avoid it\n", "- **abc:** abcd abc\n"),
        ("- **Bad**: Avoid it\n", "- **abc**: abcd abc\n"),
        ("__Never__\n", "__abcd.__\n"),
        ("Do not do:\n", "abcd abcd:\n"),
        (
            "| Don't ✅ | `a \\| b` |\n|:--|---|\n| ❌ | Never do |\n",
            "| abcd abcd | abcd abc |\n|:--|---|\n| abc | abcd abc |\n",
        ),
        ("Do | Do not\n---|---\nSo | Not so\n", "ab | abcd a\n---|---\nab | abcd a\n"),
        ("> | Never | a |\n> |---|---|\n", "> | abcd. | a |\n> |---|---|\n"),
        ("```js title='bad'\nnever();\n\n  // ❌\n```\n", "```js abcd abcd a\nabcd abc\n\n  abcd a\n```\n"),
        ("~~~\nnever();\n---\n", "~~~\nabcd abc\nabc\n"),
        ("> ```\n>   never()\n> ```\n", "> ```\n>   abcd ab\n> ```\n"),
        ("- ```\n  never()\n  ```\n", "- ```\n  abcd ab\n  ```\n"),
        ("    never()\n\n    again()\n", "    abcd ab\n\n    abcd ab\n"),
        ("<div class='bad'>Not so</div>\n", "<div>abcd abcd abcd abc</div>\n"),
        ("Never so\r\nNever so\r\n", "abcd abc\r\nabcd abc\r\n"),
        ("Never so", "abcd abc"),
    ],
)
def test_what_makes_a_line_what_it_is_stays_and_nothing_else(before: str, after: str):
    assert filled(before) == after


def test_words_are_whole_and_in_the_order_of_the_partner():
    text = filled("Never go near the old lighthouse at night without a lamp.\n", LATIN)
    assert set(text.split()) <= set(WORDS.split())
    known = list(WORDS.split())
    order = [known.index(word) for word in text.split()]
    steps = [(after - before) % 9 for before, after in pairwise(order)]
    assert steps.count(1) >= len(steps) - 1, "one word at the end may be drawn for its length"


@pytest.mark.parametrize("size", range(1, 60))
def test_every_length_can_be_filled(size: int):
    for partner in (LATIN, HAN, CODED, ONE):
        assert filled("x" * size + "\n", partner) != "x" * size + "\n"


def test_code_is_filled_with_code_and_words_with_words():
    text = filled("Never so, not so.\n\n```js\nnever(and, never, again);\n```\n", CODED)
    words, code = text.split("\n\n")
    assert set(words.replace(".", "").split()) <= {"only", "words", "Words", "w", "word", "o", "wo", "on"}
    assert "only" not in code and set(code) & set("&|*;-")


def test_scripts_without_spaces_are_cut_between_any_letters_and_get_none():
    text = filled("絶対に庭を歩かないで下さい。門も閉めて下さい。\n", HAN)
    assert " " not in text.strip()
    assert set(text.strip()) <= set("山高い山は遠くから見える。川は近い、道は長い。.")


def test_sequences_to_be_avoided_are_left_out():
    words = "the dove met the heron by the old stone bridge at noon"
    partner = as_skill("one", {"SKILL.md": f"{words}\n".encode()})
    avoid = shingles("met the heron by the old stone bridge")
    line = "x" * 200 + "\n"
    assert avoid & shingles(filled(line, partner))
    assert not avoid & shingles(filled(line, partner, avoid=avoid))


def test_the_seed_decides_where_it_begins():
    line = "Never go near the old lighthouse.\n"
    assert filled(line, LATIN, 1) == filled(line, LATIN, 1)
    assert len({filled(line, LATIN, seed) for seed in range(12)}) > 4


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"<Good>\n", b"<tagt>\n"),
        (b"  </Bad>\r\n", b"  </tag>\r\n"),
        (b"<bad-example kind='never'>", b"<tagtagtagta tagtagtagtag>"),
        (b"not a tag\n", b"not a tag\n"),
    ],
)
def test_a_tag_gets_a_name_that_says_nothing(before: bytes, after: bytes):
    assert renamed(before) == after and len(after) == len(before)


def test_shingles_are_five_words_in_a_row_whatever_is_between_them():
    assert shingles("One, two **three** - `four`\nfive six") == {
        ("one", "two", "three", "four", "five"),
        ("two", "three", "four", "five", "six"),
    }
    assert shingles("one two three four") == set()
