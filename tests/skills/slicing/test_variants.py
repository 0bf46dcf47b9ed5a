"""A slice cut out and a slice replaced: each hazard to the byte, what is not ablated, and real skills."""

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise, product
from pathlib import Path

import pytest

from skills.matching.similar import traits
from skills.parsing.parse import Skill, as_skill, load_skill
from skills.slicing.kinds import Kind
from skills.slicing.slices import REMOVABLE, document
from skills.slicing.variants import NotAblated, replaced, without
from tests.skills.slicing.variant_checks import CODE, HEAD, NEVER, PARTNER, WORDS, check_replaced, check_without, content, made

HERE = Path(__file__).parent
COLLECTION = Path(__file__).parents[3] / "skills" / "collection"
CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus" / "skills"

CASES: dict[str, tuple[Kind, str, str]] = {
    case["id"]: (case["kind"], case["before"], case["after"])
    for case in tomllib.loads((HERE / "variants.toml").read_text(encoding="utf-8"))["case"]
}


def left(body: str, kind: Kind = "anti-patterns", kept: int = 0) -> str:
    """What is left of a body, in the notation of the case."""
    skill = made(body)
    cut = without(skill, kind)
    assert (cut.slice, cut.kept) == (kind, kept)
    assert len(cut.skill.data) == len(skill.data) - cut.cut + cut.put
    text = cut.skill.text.removeprefix(HEAD)
    for word, long in WORDS.items():
        text = text.replace(long, word)
    return text


def why(body: str, kind: Kind = "anti-patterns") -> str:
    with pytest.raises(NotAblated) as caught:
        without(made(body), kind)
    with pytest.raises(NotAblated):
        replaced(made(body), kind, PARTNER, 0)
    return str(caught.value)


@pytest.mark.parametrize("name", CASES)
def test_what_is_left(name: str):
    kind, before, after = CASES[name]
    assert left(before, kind) == after


@pytest.mark.parametrize("name", CASES)
def test_what_comes_in_its_place_has_the_same_form(name: str):
    kind, before, _ = CASES[name]
    skill = made(before)
    check_replaced(skill, kind, PARTNER, 3)


@pytest.mark.parametrize("name", [name for name, (_, before, _) in CASES.items() if "no newline" not in name])
def test_other_ends_of_lines_stay(name: str):
    kind, before, after = CASES[name]
    assert left(before.replace("\n", "\r\n"), kind) == after.replace("\n", "\r\n")


def test_the_marker_that_cannot_pass_on_keeps_its_item():
    body = f"## Work\n\n- Keep a.\n- Never b.\n\t- ✅ Keep c.\n- {NEVER}\n"
    assert left(body, kept=len("- Never b.\n")) == "## Work\n\n- Keep a.\n- Never b.\n\t- ✅ Keep c.\n"


def test_what_holds_something_that_could_not_be_cut_stays():
    body = "## Work\n\nKeep a.\n\nAvoid:\n\n- Never b.\n\t- ✅ Keep c.\n- NEVER\n"
    assert left(body, kept=len("Avoid:\n") + len("- Never b.\n")) == body.removesuffix("- NEVER\n")


def test_a_heading_over_an_image_stays():
    body = "## Shape\n\n<img src='a.png'>\n\n```js\nCODE\n```\n\n## More\n\nKeep b.\n"
    assert left(body, "examples", kept=len("## Shape\n")) == "## Shape\n\n<img src='a.png'>\n\n## More\n\nKeep b.\n"


def test_the_address_of_a_link_within_what_goes_is_kept():
    address = "  [x]: https://example.org/a\n"
    assert (
        left(f"## Work\n\n- NEVER\n\n{address}- Keep [a][x].\n", kept=len(address)) == f"## Work\n\n{address}- Keep [a][x].\n"
    )


@pytest.mark.parametrize("kind", ["anti-patterns", "examples"])
def test_frontmatter_mark_and_other_files_are_never_touched(kind: Kind):
    head = "\ufeff---\r\nname: demo\r\ndescription: Never say never.\r\n---\r\n\r\n"
    skill = made(f"- {NEVER}\r\n- Keep a.\r\n\r\n```js\r\n{CODE}\r\n```\r\n", head)
    for variant in (without(skill, kind), replaced(skill, kind, PARTNER, 1)):
        assert variant.skill.data.startswith(head.encode())
        assert b"\n" not in variant.skill.data.replace(b"\r\n", b"")
        assert variant.skill.files == skill.files
        assert (variant.skill.id, variant.skill.name, variant.skill.description) == ("demo", skill.name, skill.description)
        assert variant.skill.ref.folder == skill.ref.folder and variant.skill.ref.tree != skill.ref.tree


def test_a_mark_in_front_of_a_body_stays():
    skill = made(f"\ufeff- {NEVER}\n\n  ✅ Keep a.\n- Keep b.\n", head="")
    assert without(skill, "anti-patterns").skill.text == "\ufeff- ✅ Keep a.\n- Keep b.\n"


# too small, too large


def sized(slice_bytes: int, rest: int) -> Skill:
    """A skill with an anti-pattern of so many bytes, among so many others."""
    bad, good = "Never ".ljust(slice_bytes - 2, "x") + "\n\n", "Keep "
    body = f"## Work\n\n{bad}{good}"
    return made(body + "a" * (rest + slice_bytes - len(HEAD) - len(body) - 1) + "\n")


@pytest.mark.parametrize(
    ("size", "rest", "why"), [(199, 1000, "199 bytes (16.60%)"), (396, 19_404, None), (395, 19_405, "395 bytes (1.99%)")]
)
def test_a_small_slice_is_not_ablated(size: int, rest: int, why: str | None):
    skill = sized(size, rest)
    assert len(skill.data) == size + rest
    if why is None:
        assert without(skill, "anti-patterns").cut == replaced(skill, "anti-patterns", PARTNER, 0).cut + 1 == size
        return
    with pytest.raises(NotAblated) as caught:
        without(skill, "anti-patterns")
    assert str(caught.value) == f"the anti-patterns of demo are {why}; under 200 bytes or 2% nothing is removed"


def test_two_hundred_bytes_are_enough():
    assert without(sized(200, 1000), "anti-patterns").cut == 200


def test_what_is_not_there_is_not_ablated():
    none = "are 0 bytes (0.00%); under 200 bytes or 2% nothing is removed"
    assert why("## Work\n\nKeep a.\n") == f"the anti-patterns of demo {none}"
    with pytest.raises(NotAblated) as caught:
        without(as_skill("demo", {"SKILL.md": b""}), "rules")
    assert str(caught.value) == f"the rules of demo {none}"


def test_a_skill_that_is_nothing_but_the_slice_is_not_ablated():
    said = "demo is nothing but anti-patterns: without them there would be no skill"
    assert why("# Demo\n\n- NEVER\n- NEVER\n") == why("NEVER\n") == why("## Work\n\n---\n\n- NEVER\n") == said


def test_a_slice_that_mostly_stays_is_not_ablated():
    body = f"## Work\n\n- Keep a.\n- {NEVER}\n\t- ✅ Keep c.\n- Never b.\n"
    kept, found, size = len(f"- {NEVER}\n"), len(f"- {NEVER}\n- Never b.\n"), len((HEAD + body).encode())
    with pytest.raises(NotAblated) as caught:
        without(made(body), "anti-patterns")
    assert str(caught.value) == (
        f"the anti-patterns of demo are {found} bytes ({found / size:.2%}), of which {kept} cannot be cut out; "
        "under 200 bytes or 2% nothing is removed"
    )


# what comes in a slice's place


def test_marks_labels_heads_and_tags_do_not_stay():
    body = (
        "## Work\n\n- Keep a.\n- ❌ NEVER\n- **Bad:** NEVER\n\n"
        "| Don't | Why |\n|---|---|\n| ❌ NEVER | so |\n\n<Bad kind='never'>\n```js bad=true\n// ❌ wrong\nCODE\n```\n</Bad>\n"
    )
    bad = replaced(made(body), "anti-patterns", PARTNER, 5).skill.text
    code = replaced(made(body), "examples", PARTNER, 5).skill.text
    assert not re.search(r"❌|Bad:|Don't|Never", bad[: bad.index("<Bad")]) and "<Bad kind='never'>" in bad
    assert not re.search("bad|wrong|Bad", code[code.index("<") :]) and "- ❌ Never" in code
    assert re.search(r"^- \*\*\w+[.,;]?:\*\* ", bad, re.MULTILINE) and "\n```js " in code
    assert re.findall(r"^</?\w+", code, re.MULTILINE) == ["<tag", "</tag"]


def test_a_draw_is_fixed_by_its_seed_and_another_seed_is_another():
    skill = made("## Work\n\n- Keep a.\n- NEVER\n")
    drawn = [replaced(skill, "anti-patterns", PARTNER, seed).skill.data for seed in (*range(6), *range(6))]
    assert drawn[:6] == drawn[6:] and len(set(drawn)) > 3


def test_another_partner_is_another_text():
    skill = made("## Work\n\n- Keep a.\n- NEVER\n")
    other = as_skill("garden", {"SKILL.md": b"Roses want sun and dry feet; ferns want neither of them.\n"})
    assert "rock" not in replaced(skill, "anti-patterns", other, 1).skill.text


def test_the_words_are_in_the_script_of_target_and_partner():
    skill = made(f"## 规则\n\n- 保持简单。\n- 禁止{'直接修改别人的状态，' * 12}。\n")
    partner = as_skill(
        "园", {"SKILL.md": "# 花园\n\n春天种花，夏天浇水，秋天收果，冬天修枝。工具放在屋后的小棚里。\n".encode()}
    )
    filled = replaced(skill, "anti-patterns", partner, 2)
    assert traits(filled.skill).script == traits(skill).script == "han"
    assert filled.put == filled.cut and "修改" not in filled.skill.text


def test_what_the_partner_says_in_the_same_words_is_left_out():
    skill = made("## Work\n\n- Keep a.\n- NEVER\n")
    text = f"---\nname: kin\ndescription: About.\n---\n{NEVER} A ship that comes in at night is met by a pilot.\n"
    kin = as_skill("kin", {"SKILL.md": text.encode()})
    made_of_it = replaced(skill, "anti-patterns", kin, 0).skill.text
    assert "touch the other part of it" not in made_of_it and "ship" in made_of_it


def test_a_partner_without_words_lends_one_over_and_over():
    skill = made("## Work\n\n- Keep a.\n- NEVER\n")
    bare = as_skill("1", {"SKILL.md": b"1. 2\n"})
    assert replaced(skill, "anti-patterns", bare, 0).skill.text.endswith(" skill skill skill skill.\n"), "padded to the byte"


# real skills


@cache
def collected() -> tuple[Skill, ...]:
    """The skills that are part of the project."""
    return tuple(load_skill(path.parent) for path in sorted(COLLECTION.glob("*/SKILL.md")))


@cache
def real() -> tuple[Skill, ...]:
    if not CORPUS.is_dir():
        pytest.skip("the corpus is not here")
    return (*(load_skill(path.parent) for path in sorted(CORPUS.glob("*/*/SKILL.md"))), *collected())


def test_every_slice_of_the_collection_is_cut_out_and_replaced():
    assert every_slice_is_cut(collected()) and some_slices_are_replaced(collected())


@pytest.mark.nightly
def test_every_slice_of_every_real_skill():
    assert len(real()) >= 298
    count = every_slice_is_cut(real())
    assert min(count[kind] for kind in REMOVABLE) >= 60


@pytest.mark.nightly
def test_slices_of_real_skills_replaced():
    count = some_slices_are_replaced(real())
    assert min(count[kind] for kind in REMOVABLE) >= 20


def every_slice_is_cut(skills: Sequence[Skill]) -> Counter[str]:
    """How many skills each kind of slice is cut out of."""
    count: Counter[str] = Counter()
    for skill in skills:
        for kind in REMOVABLE:
            try:
                count[kind] += check_without(skill, kind) > 0
            except NotAblated as why:
                assert expected(why), str(why)
    print(f"removed: {dict(count)}")
    return count


def some_slices_are_replaced(skills: Sequence[Skill]) -> Counter[str]:
    """Each skill with one of its slices, and with one partner: as near as a planner's would be, or as far."""
    count: Counter[str] = Counter()
    for number, (skill, kind) in enumerate(product(skills, REMOVABLE)):
        try:
            if (number + number // 3) % 3 == 0:
                check_replaced(skill, kind, skills[(number * 7 + 13) % len(skills)], number)
                count[kind] += 1
        except NotAblated as why:
            assert expected(why), str(why)
    print(f"replaced: {dict(count)}")
    return count


def expected(why: NotAblated) -> bool:
    """Whether a slice is not ablated for its size, not for what stands around it."""
    return bool(re.search("nothing is removed|is nothing but", str(why)))


@pytest.mark.parametrize(
    "kind", [kind if kind == "anti-patterns" else pytest.param(kind, marks=pytest.mark.nightly) for kind in REMOVABLE]
)
def test_files_that_loaders_differ_on_are_cut_or_not_without_a_fault(kind: Kind):
    cases = tomllib.loads((Path(__file__).parents[1] / "parsing" / "parser_matrix.toml").read_text(encoding="utf-8"))["cases"]
    tail = f"\n\n## Work\n\n- Keep a.\n- {NEVER}\n\n```js\n{CODE}\n```\n\n{'Keep b. ' * 30}\n"
    for case in cases:
        data = case["text"].replace("@", "".join(case.get("fill", ["@"])[:1])).encode(case.get("encoding", "utf-8"))
        for whole in (data, data + tail.encode(), data + tail.encode() + b"\xff\xfe", data + tail.encode("utf-16")):
            skill = as_skill("demo", {"SKILL.md": whole})
            for act in (lambda skill: without(skill, kind), lambda skill: replaced(skill, kind, PARTNER, 1)):
                try:
                    variant = act(skill).skill
                    assert variant.data.startswith(whole[: len(whole) - len(skill.body.encode())] if skill.description else b"")
                except NotAblated:
                    pass


def test_a_large_file_takes_no_time_out_of_proportion():
    part = f"## Work\n\n- Keep a.\n  - {NEVER}\n\n> - {NEVER}\n\n| a | b |\n|---|---|\n| c | d |\n\n"
    skill = made(part * (290_000 // len(part)))
    assert check_without(skill, "anti-patterns") > 200_000


def test_the_checks_know_a_section():
    blocks = document(made("## A\n\n---\n\n### B\n\nKeep.\n\n> ## C\n\nMore.\n\n## D\n")).blocks
    assert [content(blocks, place) for place, block in enumerate(blocks) if block.form == "heading"] == [
        {2, 3, 4, 5},
        {3, 4, 5},
        set(),
        set(),
    ]
    assert [(a.form, b.form) for a, b in pairwise(blocks)][-1] == ("paragraph", "heading")
