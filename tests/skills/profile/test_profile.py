import csv
from dataclasses import replace
from pathlib import Path

import pytest

from skills.parsing.parse import Skill, as_skill, load_skill
from skills.profile.profile import asset_score, constraint_score, directives, file_kind, profile, profile_lines
from skills.routing.tiers import COLLECTION

SHARED = Path(__file__).parents[3].parent / "shared"
TABLE = SHARED / "data/openskilleval-table2.csv"
CORPUS = SHARED / "corpus/skills"

#: Table 2's "Key Assets" as printed: templates, references, scripts, data files, design lines, and the score A. Icons are data;
#: one design document counts as a reference; "external" libraries are in no folder; lines are those that the table gives.
KEY_ASSETS = {
    "ppt-master": (101 + 33, 39, 0, 640, 0, 5),
    "anthropics-pptx": (0, 2, 0, 0, 78, 3),
    "minimax-pptx": (0, 5, 0, 0, 8, 2),
    "powerpoint-pptx": (0, 3, 0, 0, 21, 1),
    "frontend-slides": (1, 1, 0, 0, 0, 2),
    "pptx-manipulation": (0, 0, 0, 0, 16, 1),
    "visualize": (1, 9, 0, 0, 98, 4),
    "canvas-design": (0, 0, 0, 0, 27, 1),
    "antv-infographic": (0, 0, 0, 0, 0, 1),
    "paper-poster": (0, 0, 0, 0, 256, 2),
    "ui-ux-pro-max": (0, 16, 0, 14, 0, 5),
    "ui-styling": (0, 7, 2, 0, 321, 3),
    "web-design-expert": (0, 3, 0, 0, 220, 2),
    "loom": (0, 1, 0, 0, 0, 1),
    "seo-local-business": (3, 0, 0, 0, 332, 2),
    "web-frameworks": (0, 8, 2, 0, 0, 3),
    "superdesign": (0, 0, 0, 0, 212, 1),
    "frontend-ultimate": (1, 3, 0, 0, 408, 2),
}


def of(body: str, *files: str) -> Skill:
    text = f"---\nname: demo\ndescription: You must never count this.\n---\n{body}"
    return as_skill("demo", {"SKILL.md": text.encode(), **dict.fromkeys(files, b"")})


def counted(body: str) -> tuple[int, int]:
    made = profile(of(body))
    return made.must, made.never


def table() -> list[dict[str, str]]:
    if not TABLE.is_file():
        pytest.skip("the published table is not beside this checkout")
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["skill"] != "no-skills"]


def test_constraint_scores_of_the_paper_follow_from_its_counts():
    """The bar is 15 of 17 exact and all within 1; thresholds on the sum give all 17."""
    rows = [row for row in table() if row["must"]]
    misses = {
        row["skill"]: (score, int(row["constraint_score"]))
        for row in rows
        if (score := constraint_score(int(row["must"]), int(row["never"]))) != int(row["constraint_score"])
    }
    assert len(rows) == 17 and misses == {}


def test_constraint_scores_are_monotone_in_each_count():
    for must in range(40):
        for never in range(40):
            for locks in range(6):
                score = constraint_score(must, never, locks)
                more = constraint_score(must + 1, never, locks), constraint_score(must, never + 1, locks)
                assert 0 <= score <= min(*more, constraint_score(must, never, locks + 1)) <= 5


def test_two_locks_without_a_directive_are_worth_what_the_paper_gives_a_grammar():
    row = next(row for row in table() if row["skill"] == "antv-infographic")
    assert row["must"] == "" and constraint_score(0, 0, 2) == int(row["constraint_score"]) == 2


def test_asset_scores_of_the_paper_follow_nearly_from_its_counts():
    given = {row["skill"]: int(row["asset_score"]) for row in table()}
    assert {name: counts[-1] for name, counts in KEY_ASSETS.items()} == given
    off = {name: asset_score(*counts[:-1]) - counts[-1] for name, counts in KEY_ASSETS.items()}
    assert {name: by for name, by in off.items() if by} == {
        "anthropics-pptx": -1,
        "frontend-slides": -1,
        "visualize": -1,
        "antv-infographic": -1,
        "superdesign": 1,
    }


def test_more_lines_or_scripts_than_enough_add_nothing():
    assert asset_score(design_lines=200) == asset_score(design_lines=100_000) == 2
    assert asset_score(scripts=1000) == asset_score(scripts=4) == 1
    assert (asset_score(), asset_score(design_lines=9), asset_score(design_lines=10)) == (0, 0, 1)
    assert (asset_score(design_lines=174), asset_score(design_lines=175)) == (1, 2)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("You must test. Tests are REQUIRED.", (2, 0)),
        ("MUST NOT push. You **must** **not** pull. Must\nnot wait.", (0, 3)),
        ("NEVER do it; it is forbidden.", (0, 2)),
        ("Always do this. Don't do that. Do not, avoid, should.", (0, 0)),
        ("It is not required, as required, a must-have on the critical path.", (0, 0)),
        ("Mustard on a cruise that is uncritical and whenever nevertheless.", (0, 0)),
        ("You mustn’t.", (0, 1)),
        ("N\u200bEVER do it.", (0, 1)),
        ("- Must be here.\n- Must be here.\n\nMust be here.", (1, 0)),
        ("```\nYou must\n```\n\n    never\n\nThe `must` flag.", (0, 0)),
        ("> One must never say never.\n", (0, 0)),
        ("> [!WARNING]\n> You must never say so.\n", (0, 1)),
        ("> **Stop.** You must wait.\n", (1, 0)),
        ('They said "it must be so" and “never”. A 5" must.', (1, 0)),
        ("## Required\n\n**MUST**:\n\n| Name | Required |\n|---|---|\n| a | must |\n", (1, 0)),
        ("The words MUST, MUST NOT, SHOULD and MAY are used as follows.", (0, 0)),
        ("<!-- must -->\n\n<rule must>You must.</rule>\n", (1, 0)),
        ("必须写测试。禁止跳过。不得不如此。不得删除。", (2, 2)),
        ("必ず実行する。決して消してはいけない。", (1, 2)),
        ("반드시 테스트하세요. 절대 건너뛰지 마세요.", (1, 1)),
    ],
)
def test_directives_are_counted_by_the_stated_rules(body, expected):
    assert counted(body) == expected


def test_directives_of_plain_texts():
    assert directives(["It must.", "It  must.", "It must never."]) == (1, 1)


def test_rates_stand_beside_counts():
    made = profile(of("You must.\n" + "x" * 5000))
    assert made.must == 1 and made.size > 5000
    assert made.must_per_1000 == pytest.approx(1000 / made.size) and made.never_per_1000 == 0


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Every page starts from the mandatory HTML skeleton.", "skeleton"),
        ("Write exactly three sections.", "count"),
        ("A slide must hold no more than 6 bullets.", "count"),
        ("The report MUST follow this structure.", "format"),
        ("Do not proceed to step 3 until the user agrees.", "gate"),
        ("The first phase ends at a hard gate.", "gate"),
        ("The output is written in our DSL.", "grammar"),
    ],
)
def test_a_structural_lock_is_found_on_its_line(text, kind):
    made = profile(of(f"# Title\n\nSome words.\n\n{text}\n\n{text}\n"))
    assert [(lock.kind, lock.line) for lock in made.locks] == [(kind, 9)]


def test_code_and_usual_advice_lock_nothing():
    code = "```\nexactly three sections in our DSL\n```\n\n"
    assert profile(of(code + "Repeat it exactly two times. Use the following structure. Keep steps in order.\n")).locks == ()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("templates/icons/arrow.svg", "templates"),
        ("assets/head-template.html", "templates"),
        ("viewport-base.css", "templates"),
        ("references/api.md", "references"),
        ("STYLE_PRESETS.md", "references"),
        ("scripts/init.py", "scripts"),
        ("scripts/tests/test_init.py", "other"),
        ("data/colors.csv", "data"),
        ("assets/colors.json", "data"),
        ("LICENSE.txt", "other"),
        ("README.md", "other"),
        ("canvas-fonts/Lora-Bold.ttf", "other"),
        ("canvas-fonts/Lora-OFL.txt", "other"),
        ("logo.png", "other"),
    ],
)
def test_files_are_sorted_by_folder_name_and_ending(name, kind):
    assert file_kind(name) == kind


def test_a_profile_counts_files_and_design_lines():
    body = "# Colours\n\nUse `#ff8800` on white.\n\n```css\na { color: #fff; }\n```\n\nIssue #12 is fixed.\n\n字体要大。\n"
    made = profile(of(body, "templates/a.html", "references/b.md", "references/c.md", "scripts/d.sh", "e.csv", "LICENSE"))
    assert (made.templates, made.references, made.scripts, made.data) == (1, 2, 1, 1)
    assert made.design_lines == 4
    assert made.asset_score == asset_score(1, 2, 1, 1, 4) == 2


def test_the_terminal_says_what_a_score_is_made_of():
    made = profile(of("You must follow this structure. Never skip.\n", "references/a.md"))
    rate = f"{1000 / made.size:.1f}"
    assert list(profile_lines([made])) == [
        "demo: assets 1/5, constraints 2/5",
        "  assets: 1 reference",
        f"  constraints: 1 MUST, 1 NEVER (per 1,000 bytes {rate} and {rate}), 1 structural lock",
        "    line 5: a prescribed output format",
    ]
    assert list(profile_lines([profile(of("Nothing."))]))[1] == "  assets: none"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfeM\x00U\x00S\x00T\x00",
        b"You must caf\xe9. \x00 Never.",
        b"---\nname: x",
        b"\xef\xbb\xbf---\r\n---\r\nmust\r\n",
    ],
)
def test_bytes_of_any_kind_have_a_profile(data):
    made = profile(replace(of(""), data=data))
    assert made.size == len(data) and 0 <= made.constraint_score <= 5


def test_lines_of_crlf_and_bom_are_those_of_the_file():
    text = "\ufeff---\r\nname: demo\r\n---\r\n\r\nWrite exactly three sections.\r\n"
    assert profile(replace(of(""), data=text.encode())).locks[0].line == 5


def test_skills_of_the_collection_give_words_and_no_library():
    found = {path.parent.name: profile(load_skill(path.parent)) for path in COLLECTION.glob("*/SKILL.md")}
    assert max(made.asset_score for made in found.values()) <= 3
    assert found["python-packaging"].scripts == 1 and found["python-packaging"].data == 1


def test_every_skill_of_the_corpus_has_a_profile():
    if not CORPUS.is_dir():
        pytest.skip("the corpus is not beside this checkout")
    skills = [as_skill(path.parent.name, {"SKILL.md": path.read_bytes()}) for path in CORPUS.rglob("SKILL.md")]
    assert len(skills) == 288
    found = [profile(skill) for skill in skills]
    assert {made.asset_score for made in found} <= set(range(6)) and max(made.constraint_score for made in found) == 5
