import tomllib
from itertools import combinations
from pathlib import Path

import pytest

from skills.matching.similar import SHINGLE, SKETCH, lexicon, resemblance, shared_topics, traits
from skills.parsing.parse import Skill, as_skill, find_skills, load_skill

CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus" / "skills"
PAIRS = tomllib.loads(Path(__file__).with_name("topic_pairs.toml").read_text(encoding="utf-8"))
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus lies beside a checkout")


def of(name: str = "gardens", body: str = "", description: str = "") -> Skill:
    return as_skill(name, {"SKILL.md": f"---\nname: {name}\ndescription: {description or 'x'}\n---\n{body}".encode()})


@pytest.fixture(scope="module")
def corpus() -> dict[str, Skill]:
    return {str(folder.relative_to(CORPUS)): load_skill(folder) for folder in find_skills(CORPUS)}


# Script.


@pytest.mark.parametrize(
    ("body", "script"),
    [
        ("Plain words with naïve accents.", "latin"),
        ("Обычный текст о вёрстке, and some English.", "cyrillic"),
        ("使用组件时，先读规范，再写代码。", "han"),
        ("コンポーネントを書く前に設計指針を読むこと。", "kana"),
        ("組件設計規範、状態管理、性能最適化を読む", "kana"),
        ("컴포넌트를 작성하기 전에 규칙을 읽는다.", "hangul"),
        ("Πριν γράψεις κώδικα, διάβασε τους κανόνες.", "greek"),
        ("اقرأ القواعد قبل كتابة الكود", "arabic"),
        ("ＦＵＬＬ ｗｉｄｔｈ words", "latin"),
        ("ｶﾀｶﾅ ﾃｷｽﾄ", "kana"),
        ("1234 !?", "latin"),  # the description's x
    ],
)
def test_the_script_is_that_of_most_letters(body, script):
    assert traits(of(body=body)).script == script


def test_code_and_addresses_say_nothing_of_the_script():
    fence = "```js\nconst answer = await someLongFunctionName(argument);\n```\n" * 20
    line = "使用 `getElementById` 时看 https://example.org/documentation/reference <my-element attribute>。"
    text = f"先读规范。\n{fence}{line}\n再写代码。"
    assert traits(of(body=text)).script == "han"
    assert traits(of(body=text.replace("```js", "~~~js").replace("```\n", "~~~\n"))).script == "han"
    assert traits(of(body="先。\n```\nan unclosed fence of many words runs to the end")).script == "han"


def test_a_mixed_text_is_of_the_script_with_more_bytes():
    # A Han letter has three bytes: seven of them outweigh twenty Latin ones (and the description's x).
    assert traits(of(body="规范规范规范规 " + "a" * 19)).script == "han"
    assert traits(of(body="规范规范规范规 " + "a" * 21)).script == "latin"


def test_without_prose_code_decides_and_without_letters_nothing_does():
    assert traits(as_skill("a", {"SKILL.md": b"```\nlet x\n```\n"})).script == "latin"
    assert traits(as_skill("a", {"SKILL.md": b"1 + 1\n"})).script == ""


# Topic.


@pytest.mark.parametrize(
    ("name", "subject"),
    [
        ("nextjs-react-typescript", {"frameworks", "javascript"}),
        ("webpack-bundler", {"bundlers"}),
        ("sass-best-practices", {"css"}),
        ("core-web-vitals", {"web-performance"}),
        ("styled-components-best-practices", {"css"}),
        ("terraform-modules", {"terraform", "module"}),
        ("terraform", {"terraform"}),
    ],
)
def test_the_subject_is_what_the_name_says(name, subject):
    assert traits(of(name)).subject == subject


def test_a_name_that_says_nothing_leaves_it_to_the_description():
    assert traits(of("best-practices", description="Use when writing Vue.js apps")).subject == {"frameworks"}


def test_a_topic_is_shared_where_the_subject_of_one_is_declared_by_the_other_either_way_round():
    one, other = of("webpack"), of("releases", description="Ship what Vite has built.")
    assert shared_topics(one, other) == shared_topics(other, one) == ("bundlers",)
    assert shared_topics(other, of("pottery", description="Built by hand.")) == ()


def test_what_two_descriptions_share_in_passing_is_no_topic():
    one, other = of("pottery", description="Glazes, with webpack."), of("poetry", description="Rhymes, with webpack.")
    assert shared_topics(one, other) == ()


def test_a_subject_is_shared_with_a_body_that_has_it_often():
    often = lexicon().mentions
    body = "Compile it with esbuild. "
    assert shared_topics(of("webpack"), of("pottery", body * (often - 1))) == ()
    assert shared_topics(of("webpack"), of("pottery", body * often)) == ("bundlers",)


def test_an_unknown_word_is_a_topic_of_its_own_in_singular_and_plural():
    assert shared_topics(of("qwik-islands"), of("islands")) == ("island",)
    assert shared_topics(of("best-practices-guide", description="x"), of("coding-practices", description="y")) == ()


def test_plain_english_is_a_subject_in_names_alone():
    assert shared_topics(of("go"), of("golang-services")) == ("go",)
    assert shared_topics(of("go"), of("pottery", "Go to the wheel and go on. " * 20, "How to go about it.")) == ()
    assert shared_topics(of("less"), of("pottery", "Less is more. " * 20)) == ()


def test_topics_are_shared_in_scripts_without_spaces():
    assert shared_topics(of("部署"), of("规范", description="部署")) != ()


def test_the_words_of_the_lexicon_mean_one_thing_each():
    words = [word for topic in lexicon().topics.values() for word in topic]
    assert len(words) == len(set(words)) == len(lexicon().topic_of)
    assert not lexicon().stop & set(words)
    assert not lexicon().stop & lexicon().name_only


@needs_corpus
@pytest.mark.parametrize(("one", "other"), PAIRS["same"])
def test_corpus_skills_of_one_topic_are_found(corpus, one, other):
    assert shared_topics(corpus[one], corpus[other])


@needs_corpus
@pytest.mark.parametrize(("one", "other"), PAIRS["different"])
def test_corpus_skills_of_different_topics_pass(corpus, one, other):
    assert shared_topics(corpus[one], corpus[other]) == ()


# Near duplicates.


def exact(one: Skill, other: Skill) -> float:
    """Jaccard's index over all sequences of plain words."""
    sets = []
    for words in (one.body.split(), other.body.split()):
        sets.append({tuple(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1))})
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def words(first: int, last: int) -> str:
    return " ".join(f"w{at}" for at in range(first, last))


def test_the_resemblance_of_short_bodies_is_exact():
    # Of 100 words there are 97 sequences; 50 words in common have 47.
    one, other = of(body=words(0, 100)), of(body=words(50, 150))
    assert resemblance(one, other) == resemblance(other, one) == 47 / (2 * 97 - 47) == exact(one, other)
    assert resemblance(one, one) == 1 and resemblance(one, of(body=words(200, 300))) == 0


def test_the_resemblance_of_long_bodies_is_within_four_standard_errors():
    for share in (0.1, 0.3, 0.5, 0.9):
        one, other = of(body=words(0, 4000)), of(body=words(round(4000 * (1 - share)), 8000 - round(4000 * share)))
        true = exact(one, other)
        assert abs(resemblance(one, other) - true) <= 4 * (true * (1 - true) / SKETCH) ** 0.5


def test_only_bodies_are_compared_and_letter_case_is_not():
    assert resemblance(of("a", words(0, 50), "This."), of("b", words(0, 50).upper(), "That.")) == 1


def test_bodies_of_few_words_or_none_compare():
    assert resemblance(of(body="one two"), of(body="one two")) == 1
    assert resemblance(of(body="one two"), of(body="two one")) == 0
    assert resemblance(of(body=""), of(body="")) == 1


def test_chinese_is_compared_letter_by_letter():
    one, other = of(body="使用组件时先读规范再写代码"), of(body="使用组件时先读规范再写文档")
    # 13 letters make ten sequences, of which the last two differ.
    assert resemblance(one, other) == 8 / 12


@needs_corpus
def test_editions_are_above_the_border_of_near_duplicates_and_other_topics_below(corpus):
    """What topics.toml says of its threshold; of other topics some."""
    editions = [made for name, made in corpus.items() if name.startswith("ui-ux-pro-max/")]
    assert min(resemblance(one, other) for one, other in combinations(editions, 2)) > 0.39
    assert resemblance(corpus["mindrally/sass-best-practices"], corpus["mindrally/scss-best-practices"]) > lexicon().alike
    others = of_other_topics(list(corpus.values())[::8])
    assert len(others) > 300 and max(others) <= 0.13


@needs_corpus
@pytest.mark.nightly
def test_no_pair_of_other_topics_is_near_the_border(corpus):
    others = of_other_topics(list(corpus.values()))
    assert len(others) > 30_000 and max(others) <= 0.13


def of_other_topics(skills):
    """The resemblance of all pairs that share no topic."""
    return [resemblance(one, other) for one, other in combinations(skills, 2) if not set(shared_topics(one, other))]
