import pytest

from benchmark.errors import UsageError
from skills.tiers import load_library, load_member, load_tiers
from tests.factory import skill, write_skill

ROW = '[mine]\nwhy = "Its subject is forms."\ncore = ["course-signup"]\n'


def test_a_judged_skill_is_core_or_skip_and_one_that_is_not_has_no_tier(tmp_path):
    for name in ("mine", "other"):
        write_skill(tmp_path, skill(name))
    (tmp_path / "tiers.toml").write_text(ROW)
    mine, other = load_library(tmp_path)
    assert (mine.tier("course-signup"), mine.tier("bakery-page")) == ("core", "skip")
    assert other.routing is None and other.tier("course-signup") is None


def test_a_member_reads_the_table_beside_its_folder(tmp_path):
    folder = write_skill(tmp_path, skill("mine"))
    assert load_member(folder).routing is None
    (tmp_path / "tiers.toml").write_text(ROW)
    assert load_member(folder).tier("course-signup") == "core"
    assert load_member(folder / "SKILL.md").tier("course-signup") == "core"


def test_a_library_is_in_order_of_ids(tmp_path):
    for name in ("c", "a", "b"):
        write_skill(tmp_path, skill(name))
    assert [member.skill.id for member in load_library(tmp_path)] == ["a", "b", "c"]


def test_a_folder_without_skills_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no skills"):
        load_library(tmp_path)
    with pytest.raises(UsageError, match="no skills"):
        load_library(tmp_path / "gone")


def test_a_faulty_skill_in_a_library_is_named(tmp_path):
    write_skill(tmp_path, skill("good"))
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad/SKILL.md").write_bytes(b"")
    with pytest.raises(UsageError, match="bad"):
        load_library(tmp_path)


@pytest.mark.parametrize(
    "text", ["[mine]\nwhy = 'x'\n", "[mine]\ncore = []\n", ROW + "tier = 'core'\n", "mine = 5\n", "[mine\n", ROW + ROW]
)
def test_a_faulty_table_is_refused_in_one_line(tmp_path, text):
    path = tmp_path / "tiers.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"tiers\.toml") as caught:
        load_tiers(path)
    assert "\n" not in str(caught.value)


def test_no_table_is_no_tiers(tmp_path):
    assert load_tiers(tmp_path / "tiers.toml") == {}
