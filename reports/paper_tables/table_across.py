"""Tables 4 and 5: what models have in common, and what slices contribute."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from reports.audit.contrasts import SLICE_CONTRASTS
from reports.audit.pairs import Key, PairTrials, correlation, differences
from reports.audit.permutations import SPLITS, TELLING, Shuffled, between, shuffled, split_half
from reports.paper_tables import estimators, noise
from reports.paper_tables.table_arms import CELLS, CHAINS, MODEL, PERMUTED, Arms
from reports.paper_tables.tabular import Column, PaperTable, TableCell
from reports.result_tables import Reference, Reliability
from reports.stats.statistics import exact_mcnemar, wilcoxon

TWO = "a correlation between models needs two"
NUMBER, SHARE = Column("", "r"), Column("", "share")
WHOLE = ("whole skill (C1−C0)", "C1:fresh", "C0")
TITLES = {"rules": "rules", "antipatterns": "anti-patterns", "examples": "example code"}


def by_model(arms: Arms) -> dict[str, Mapping[Key, float]]:
    """Every model's per-pair ΔPass@2."""
    return {model: differences(arms.pairs(model, "C1", "C0"), "pass2", "C1", "C0") for model in arms.models}


def reliabilities(arms: Arms) -> dict[str, Reliability]:
    """Every model's split-half reliability."""
    return {model: split_half(arms.pairs(model, "C1", "C0"), "pass2", seed=arms.seed) for model in arms.models}


def reading(one: Reliability, other: Reliability) -> str | None:
    """Why a correlation of two models cannot tell; None where it can."""
    lacking = next((side.reason for side in (one, other) if side.value is None), None)
    if lacking:
        return f"cannot tell: {lacking}"
    telling = all(side.value is not None and side.value >= TELLING for side in (one, other))
    return None if telling else f"cannot tell: split-half reliability below {TELLING}"


def table_4a(arms: Arms) -> PaperTable:
    """Cross-model correlation of per-pair effects (§4.4), in the paper's layout."""
    effects, halves = by_model(arms), reliabilities(arms)
    columns = (MODEL, *(Column(model, "r") for model in arms.models))
    rows = [[TableCell(one, one), *(_correlated(effects, halves, one, other) for other in arms.models)] for one in arms.models]
    return arms.table(
        "4a", "Cross-model correlation of per-pair ΔPass@2, C1−C0", columns, rows,
        "Pearson's r below the diagonal, Spearman's above. On the diagonal the model's own split-half reliability, stepped up "
        f"to all replicates by Spearman and Brown: where one is below {TELLING}, r cannot tell.",
        *([f"{TWO}; there is {len(arms.models)}."] if len(arms.models) < 2 else []),
        arms.coverage("C0", "C1"),
    )  # fmt: skip


def _correlated(
    effects: Mapping[str, Mapping[Key, float]], halves: Mapping[str, Reliability], one: str, other: str
) -> TableCell:
    if one == other:
        return NUMBER.cell(halves[one].value, halves[one].reason)
    models = list(effects)
    found = correlation(effects[one], effects[other])
    value = found.pearson if models.index(one) > models.index(other) else found.spearman
    why = reading(halves[one], halves[other])
    text = NUMBER.cell(value, found.reason or why)
    return TableCell(text.text, value, "cannot tell" if why and value is not None else "", reason=text.reason)


def table_4b(arms: Arms) -> PaperTable:
    """What stands beside every correlation: permuted labels and split halves; and the signs of models (§4.4)."""
    columns = (
        Column("statistic"), Column("models"), Column("pairs", "count"), Column("value"),
        Column("labels permuted", "words", PERMUTED, True), Column("split-half, the lower"), Column("reading"),
    )  # fmt: skip
    effects, halves = by_model(arms), reliabilities(arms)
    mixed = {
        model: shuffled(arms.pairs(model, "C1", "C0"), "pass2", seed=[arms.seed, at]) for at, model in enumerate(arms.models)
    }
    rows: list[list[TableCell]] = []
    for one, other in combinations(arms.models, 2):
        found, references = correlation(effects[one], effects[other]), between(mixed[one], mixed[other])
        lower = min((side.value for side in (halves[one], halves[other]) if side.value is not None), default=None)
        why = reading(halves[one], halves[other])
        for name, title, value, unit in (
            ("pearson", "Pearson's r", found.pearson, NUMBER),
            ("spearman", "Spearman's ρ", found.spearman, NUMBER),
            ("agreement", "same sign", found.agreement, SHARE),
        ):
            reason = None if value is not None else found.reason or "no pair has a sign in both models"
            rows.append(_statistic(title, f"{one} × {other}", found.pairs, value, unit, reason, references[name]))
            rows[-1] += [NUMBER.cell(lower, why if lower is None else None), TableCell(why or "", why or "")]
    rows += (
        _signs(arms, effects, mixed)
        if len(arms.models) > 1
        else [[TableCell("—", reason=TWO), *(TableCell("—") for _ in columns[1:])]]
    )
    return arms.table(
        "4b", "References beside Table 4a", columns, rows,
        "Same sign: of pairs that both models change at all. Models are permuted apart; the chains of a project are dealt out "
        "among its arms, so that pairs which share C0 still do.",
        f"Split-half: mean r over {SPLITS} seeded splits of replicates, stepped up to all by Spearman and Brown.",
    )  # fmt: skip


def _statistic(
    title: str, models: str, pairs: int, value: float | None, unit: Column, reason: str | None, reference: Reference
) -> list[TableCell]:
    return [
        TableCell(title, title),
        TableCell(models, models),
        Column("", "count").cell(pairs),
        unit.cell(value, reason),
        unit.of(reference),
    ]


def _signs(arms: Arms, effects: Mapping[str, Mapping[Key, float]], mixed: Mapping[str, Shuffled]) -> list[list[TableCell]]:
    """The shares of pairs by the signs of all models."""
    found, references = estimators.signs(list(effects.values())), noise.panel_signs(list(mixed.values()))
    common = len(set.intersection(*(set(model) for model in effects.values())))
    reason = None if found else "no pair is common to all models"
    rows = []
    for name, title in (("mixed", "both signs"), ("gain", "gain on all"), ("lose", "lose on all")):
        row = _statistic(title, "all", common, found[name] if found else None, SHARE, reason, references[name])
        rows.append([*row, TableCell("", ""), TableCell("", "")])
    return rows


def contributions(arms: Arms) -> list[tuple[str, str, str]]:
    """Title, treated arm and base of Table 5's rows: the whole skill, each slice, and METHOD.md's slice effect if planned."""
    planned = {row.condition for row in arms.audit.plan.assignments if row.delivery == arms.delivery}
    slices = [(f"{TITLES[base.partition('-')[2]]} ({name})", treated, base) for name, treated, base, _ in SLICE_CONTRASTS]
    removed, replaced = ([row for row in slices if row[2].startswith(arm)] for arm in ("C3", "L3"))
    return [WHOLE, *removed, *(row for row in replaced if row[2] in planned)]


def subsets(arms: Arms) -> dict[str, list[str]]:
    """All models, and all but each."""
    models = arms.models
    return {"All": models} | {f"without {one}": [m for m in models if m != one] for one in models if len(models) > 1}


def table_5a(arms: Arms) -> PaperTable:
    """Slice contributions to Pass@2 (§4.5), in the paper's layout."""
    parts = subsets(arms)
    columns = (Column("contribution"), *(Column(name, "points", CELLS, True) for name in parts))
    rows = []
    for title, treated, base in contributions(arms):
        cells = [
            _cell_mean(arms, column, models, treated, base) for column, models in zip(columns[1:], parts.values(), strict=True)
        ]
        rows.append([TableCell(title, title), *cells])
    return arms.table(
        "5a", "Slice contributions to Pass@2", columns, rows,
        f"Cells are (model, skill, project), replicates averaged; {estimators.SLICE_RESAMPLES:,} resamples, seed {arms.seed}. "
        "Positive: cells do better with it.",
        "C1−C3 is the effect of shortening; at the same length it is C1−L3, which the paper does not have.",
        "Pairs are chosen for their gain: nothing here says how often skills help. C1 are fresh trials that chose none.",
        arms.coverage("C1:fresh", *(row[2] for row in contributions(arms))),
    )  # fmt: skip


def _pairs(arms: Arms, models: Sequence[str], treated: str, base: str) -> list[list[PairTrials]]:
    return [arms.pairs(model, treated, base) for model in models]


def _values(groups: Sequence[Sequence[PairTrials]], metric: str, treated: str, base: str) -> list[float]:
    return [value for pairs in groups for value in differences(pairs, metric, treated, base).values()]


def _why(arms: Arms, models: Sequence[str], treated: str, base: str) -> str | None:
    reasons = [arms.absent(model, treated, base) for model in models]
    return next((reason for reason in reasons if reason), None) if all(reasons) else None


def _cell_mean(arms: Arms, column: Column, models: Sequence[str], treated: str, base: str) -> TableCell:
    why = _why(arms, models, treated, base)
    values = _values(_pairs(arms, models, treated, base), "pass2", treated, base)
    return column.cell(None, why) if why else column.of(estimators.estimate(values, estimators.SLICE_RESAMPLES, arms.seed))


def table_5b(arms: Arms) -> PaperTable:
    """The tests of slice contributions (Appendix D), and the prompt tokens that a slice costs."""
    columns = (
        Column("contribution"), Column("models"), Column("cells", "count"),
        Column("Wilcoxon p", "p", "zeros dropped; takes cells as independent"),
        Column("b", "count"), Column("c", "count"), Column("McNemar p, exact", "p", CHAINS),
        Column("prompt tokens saved", "tokens", "mean over cells; deeper chains ask more"),
    )  # fmt: skip
    rows = []
    for title, treated, base in contributions(arms):
        for name, models in subsets(arms).items():
            groups, why = _pairs(arms, models, treated, base), _why(arms, models, treated, base)
            values = _values(groups, "pass2", treated, base)
            saved = _values(groups, "prompt_tokens", treated, base)
            counts = [estimators.discordant(pairs, treated, base) for pairs in groups]
            # Equal cells must tie: they are means of few chains and differ by rounding.
            p, lacking = wilcoxon([round(value, 9) for value in values])
            b, c = (sum(side) for side in zip(*counts, strict=True))
            rows.append([
                TableCell(title, title), TableCell(name, name), columns[2].cell(len(values)),
                columns[3].cell(p, why or lacking),
                columns[4].cell(None if why else b, why), columns[5].cell(None if why else c, why),
                columns[6].cell(exact_mcnemar(b, c), why or (None if b + c else "no attempts differ")),
                columns[7].cell(sum(saved) / len(saved) if saved else None, why or (None if saved else "not measured")),
            ])  # fmt: skip
    return arms.table(
        "5b", "Tests beside Table 5a", columns, rows,
        "b: task attempts solved in the first arm only; c: in the second only; matched by pair, replicate and task; what was "
        "not reached counts as failed.",
        "Wilcoxon's signed-rank test over cells, McNemar's over task attempts.",
    )  # fmt: skip
