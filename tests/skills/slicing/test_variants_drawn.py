"""Markdown drawn at random is cut cleanly or not at all, whatever it nests."""

from collections import Counter
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from skills.slicing.slices import REMOVABLE
from skills.slicing.variants import NotAblated
from tests.skills.slicing.variant_checks import CODE, NEVER, PARTNER, check_replaced, check_without, made

_LEAF = st.sampled_from(
    [
        "Keep a.",
        "Keep b:",
        "**Traps**",
        "**Bad:**",
        "Avoid:",
        "❌ Never d.\n✅ Keep e.",
        NEVER,
        NEVER,
        f"Never {'say what is not to be said ' * 8}aloud:",
        "## Traps",
        "### Work",
        "Work\n---",
        "---",
        f"```js\n{CODE}\n```",
        f"~~~\n{CODE}\n\n# not a title\n~~~",
        "```\nnever closed",
        f"    {CODE}",
        "      keep()",
        f"| Rule | Don't |\n|---|---|\n| Keep a. | b |\n| {NEVER} | d |",
        "[x]: https://example.org/a",
        "<Good>",
        "</Good>",
        "<Bad>",
        "</Bad>",
        "<img src='a.png'>",
        "<!-- a note -->",
        "<div>\nin here\n</div>",
        "1) Keep c.",
        "-",
        "> lazy",
        "",
    ]
)


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    markers = st.sampled_from(["- ", "* ", "1. ", "2. ", "-   ", "> ", ">", "-\n  ", "-\t"])

    def within(marker: str, parts: list[str], apart: bool) -> str:
        text = ("\n\n" if apart else "\n").join(parts)
        rest = ">" + " " * (len(marker) - 1) if marker.startswith(">") else " " * (len(marker) if "\n" not in marker else 2)
        return marker + "\n".join((rest if number else "") + line for number, line in enumerate(text.split("\n")))

    return st.builds(within, markers, st.lists(inner, min_size=1, max_size=4), st.booleans())


MARKDOWN = st.builds(
    lambda parts, joins, end: "".join(part + join for part, join in zip(parts, joins, strict=False)) + end,
    st.lists(st.recursive(_LEAF, _nested, max_leaves=6), min_size=2, max_size=12),
    st.lists(st.sampled_from(["\n", "\n\n", "\n\n", "\n\n\n", "\n \n"]), min_size=12, max_size=12),
    st.sampled_from(["", "\n", f"\n\n{NEVER}\n", "\n\nKeep z."]),
)
DRAWN: Counter[str] = Counter()


@given(MARKDOWN, st.sampled_from(["\n", "\r\n"]))
def check_drawn(body: str, end: str):
    skill = made(body.replace("\n", end).encode())
    for kind in REMOVABLE:
        DRAWN["asked"] += 1
        for name, act in (("without", check_without), ("replaced", partial(check_replaced, partner=PARTNER, seed=1))):
            try:
                act(skill, kind)
                DRAWN[name] += 1
            except NotAblated as why:
                stays = "without changing" in str(why) or "has no text" in str(why)
                DRAWN["stays" if stays else "small"] += 1


def test_markdown_drawn_at_random_is_cut_cleanly_or_not_at_all():
    DRAWN.clear()
    check_drawn()
    print(dict(DRAWN))
    assert min(DRAWN["without"], DRAWN["replaced"]) >= 0.2 * DRAWN["asked"], "the property is asked of enough"
    assert DRAWN["stays"] <= 0.2 * (DRAWN["without"] + DRAWN["replaced"])
