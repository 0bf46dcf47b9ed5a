"""The slicer against people's labels: the bars of the held-out half, beside a baseline that only finds fences."""

from pathlib import Path

import pytest

from tests.skills.slicing.goldset import agreement, confusion, fences_only, gold, precision, recall, table

DOC = Path(__file__).parents[3] / "docs" / "skills.md"


def test_the_set_is_forty_skills_in_two_halves_of_twenty():
    assert [sum(item.half == half for item in gold()) for half in ("dev", "held-out")] == [20, 20]


@pytest.mark.parametrize("kind", ["rules", "anti-patterns", "examples"])
def test_precision_and_recall_on_the_held_out_half(kind: str):
    counts, fences = confusion("held-out"), confusion("held-out", fences_only)
    found = precision(counts, kind), recall(counts, kind)
    base = precision(fences, kind), recall(fences, kind)
    print(f"{kind}: precision and recall {found[0]:.3f} and {found[1]:.3f}; fences only {base[0]:.3f} and {base[1]:.3f}")
    assert min(found) >= 0.75
    assert min(found) > min(base)


def test_agreement_on_the_held_out_half_beside_the_baseline():
    found, base = agreement(confusion("held-out")), agreement(confusion("held-out", fences_only))
    print(f"agreement {found:.3f}; fences only {base:.3f}")
    assert found >= 0.85 and found > base + 0.1


def test_the_confusion_tables_of_the_page_are_what_is_measured():
    page = DOC.read_text(encoding="utf-8")
    for half in ("held-out", "dev"):
        now = table(confusion(half))
        assert now in page, f"docs/skills.md has another table of {half}; it is now\n{now}"
    base = confusion("held-out", fences_only)
    kinds = ("rules", "anti-patterns", "examples")
    said = ", ".join(f"{kind} {precision(base, kind):.3f} / {recall(base, kind):.3f}" for kind in kinds)
    assert f"{said}, agreement {agreement(base):.3f}" in page
