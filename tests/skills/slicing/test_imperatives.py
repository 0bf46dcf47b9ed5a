"""What words say of sign, in four languages; and that the lexicon holds no word twice and none that cannot be reached."""

import re
from collections.abc import Iterator

import pytest

from skills.slicing.imperatives import WORDS, column, folded, introduces_examples, lexicon, phrase, sign, title

TEXTS = {
    "bad": [
        "Never log a token.",
        "Please do not push by force.",
        "Don’t store it",
        "[ ] No hardcoded keys",
        "Avoid grids: use columns",
        "If the build fails, do not push.",
        "Keys must never be shared.",
        "It is forbidden here",
        "The token goes into the header and NEVER into the page",
        "N\u200bever log it",
        "[!CAUTION] Never push by force",
        "**Bad:** a key from the index",
        "❌ a key from the index",
        "`eval` is an anti-pattern",
        "不要直接修改状态",
        "禁止提交密钥",
        "請勿提交",
        "不使用全局变量",
        "绝不记录",
        "別の鍵を使わないでください",
        "ログに書いてはいけません",
        "直接変更しないこと",
        "グローバル変数を使わない",
        "再帰は避けてください",
        "グリッド禁止",
        "다시 사용하지 마세요",
        "기록하면 안 됩니다",
        "변경하지 말 것",
        "중첩된 콜백 피하기",
        "공유해서는 안 된다",
        "전역 변수 사용 금지",
    ],
    "good": [
        "✅ a key from the data",
        "**Good:** a key from the data",
        "Instead: bind it",
        "良い例: 版",
        "**좋은 예**: 버전",
        "推荐：使用变量",
    ],
    "both": [
        "Use UTC in storage; avoid local time.",
        "Format at the edge. Never store formatted text.",
        "使用变量，不要使用常量",
        "版を入れる。時計は使わないでください。",
        "버전을 넣는다. 시계는 쓰지 마세요.",
    ],
    None: [
        "Prefer queues over callbacks",
        "Use a set, not a list",
        "The cache never expires on its own.",
        "Prefix keys to avoid collisions",
        "Sort the rows in order not to depend on the clock",
        "Write it down and forget it, which is not what was asked",
        'The message "never do this" is shown in red',
        "Run `do not` as it is",
        "Keep it. <!-- Never log it. -->",
        "Notably, avoidance radii are in pixels",
        "No more than three items",
        "Not only text but pictures",
        "以避免冲突",
        "为了避免冲突，加前缀",
        "使用不可变数据",
        "级别分为三级",
        "必不可少的字段",
        "不得不重新构建",
        "競合を避けるためにロックを取る",
        "キャッシュは自動では消えない",
        "「使わないでください」と表示する",
        "別の鍵を使う",
        "충돌을 피하기 위해 잠금을 사용한다",
        "간단하지만 강력한 이름",
        "캐시는 만료되지 않는다",
        "",
        "...",
    ],
}
TITLES = {
    "scope": [
        "When to use",
        "When NOT to use this skill",
        "Do not use when",
        "Prerequisites",
        "Out of scope",
        "何时使用",
        "何时不使用",
        "使うとき",
        "使わない場合",
        "언제 사용하나요",
        "사용하지 않을 때",
    ],
    "both": ["Do's and Don’ts", "Good vs. bad", "Testing: do and don't", "注意事项", "注意点", "주의 사항"],
    "anti": [
        "Avoid",
        "Avoid grids",
        "Don’t",
        "3. Common mistakes",
        "Red flags - stop and follow the whole process again",
        "What not to do",
        "Testing: common mistakes",
        "React anti-patterns",
        "❌ Layout",
        "🚫 样式",
        "不要",
        "常见错误",
        "禁止事項",
        "避けるべきこと",
        "やってはいけないこと",
        "アンチパターン",
        "NG例",
        "금지 사항",
        "하지 말아야 할 것",
        "안티패턴",
        "나쁜 예",
    ],
    "examples": ["Examples", "Example: a cart", "✅ Good examples", "示例", "使用例", "サンプル", "예시", "좋은 예"],
    "meta": ["References", "See also", "Licence", "目录", "参考資料", "참고 자료"],
    "overview": ["Overview", "Why this matters", "What is a slice", "概述", "はじめに", "개요"],
    "rules": [
        "Do",
        "Best practices",
        "Guidelines",
        "✅ Layout",
        "👍 样式",
        "应该",
        "ルール",
        "ベストプラクティス",
        "원칙",
        "해야 할 것",
    ],
    None: [
        "Layout",
        "Semantic patterns",
        "How to handle common errors",
        "A title of many words that ends in anti-patterns",
        "Avoidance radius",
        "When to use ARIA",
        "比例",
        "如何避免冲突",
        "失敗しない設計",
        "흔한 실수 방지",
    ],
}


@pytest.mark.parametrize(("want", "text"), [(want, text) for want, texts in TEXTS.items() for text in texts])
def test_sign_of_a_text(want: str | None, text: str):
    assert sign(text) == want


@pytest.mark.parametrize(("want", "text"), [(want, text) for want, texts in TITLES.items() for text in texts])
def test_title_of_a_section(want: str | None, text: str):
    assert title(text) == want


@pytest.mark.parametrize(
    ("want", "text"),
    [
        ("bad", "Don’t"),
        ("bad", "❌ Layout"),
        ("bad", "**Avoid**"),
        ("bad", "悪い例"),
        ("bad", "나쁜 예"),
        ("good", "Use instead"),
        ("good", "✅"),
        ("good", "推荐"),
        ("faults", "Excuse"),
        ("faults", "If you think"),
        ("faults", "言い訳"),
        ("terms", "Keyword"),
        ("meanings", "What it means"),
        (None, "Rule"),
        (None, "Badge"),
    ],
)
def test_column_by_its_head(want: str | None, text: str):
    assert column(text) == want


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**Never** log _it_, `eval` or [this](a.md)", "Never log it, code or this"),
        ("snake_case stays, 2 * 3 does not", "snake_case stays, 2 3 does not"),
        ("Don’t, donʼt", "Don't, don't"),
        ("NE\u200bVER\ufeff \u00ad!", "NEVER !"),
        ("``a ` b`` c", " code c"),
        ("Keep. <!-- Never. --> End", "Keep. End"),
        ("\u1112\u1161\u1102\u1161", "하나"),
    ],
)
def test_folded(text: str, plain: str):
    assert folded(text) == plain


def test_lead_ins_of_examples():
    assert all(map(introduces_examples, ["Example:", "**For example**", "示例：", "예시"]))
    assert not introduces_examples("Example of a rule")


def test_each_line_of_the_lexicon_can_be_read():
    assert max(map(len, WORDS.read_text(encoding="utf-8").splitlines())) <= 160


def test_what_is_searched_for_anywhere_does_not_match_everything():
    for name in ("against", "against_unspaced", "opening", "remedy", "placeholder", "pointer", "target"):
        assert not phrase(name).fullmatch("")


def lists() -> Iterator[tuple[str, list[str]]]:
    for table, entries in lexicon().items():
        for name, listed in entries.items():
            if isinstance(listed, list):
                yield f"{table}.{name}", listed


@pytest.mark.parametrize(("name", "listed"), list(lists()), ids=lambda value: value if isinstance(value, str) else "")
def test_no_entry_of_a_list_says_what_another_does(name: str, listed: list[str]):
    # Plain words and those with an optional end: what others match as a whole cannot be reached.
    plain = {entry: re.sub(r"\w\?|\(\?:[^()]*\)\?", "", entry) for entry in listed}
    for entry, text in plain.items():
        if re.fullmatch(r"[\w' -]*", text):
            others = [other for other in listed if other != entry and re.fullmatch(other, text)]
            assert not others and listed.count(entry) == 1, f"{name}: {entry} is also {others}"
