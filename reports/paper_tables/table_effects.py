"""Tables 1 to 3: effects of whole skills, by difficulty, and in parts of length and content."""

from collections.abc import Sequence

from reports.audit.pairs import differences
from reports.paper_tables import estimators, noise
from reports.paper_tables.table_arms import MODEL, PAIRS, PERMUTED, SHARED, Arms
from reports.paper_tables.tabular import Column, PaperTable, TableCell

DIFFICULTIES = ("easy", "moderate", "challenging")
HALVES = "two halves of the replicates of C0, no skill at all"


def table_1(arms: Arms) -> PaperTable:
    """Model-level C1 − C0 (§4.1)."""
    columns = (
        MODEL, PAIRS,
        Column("ΔPass@1", "points", SHARED, True),
        Column("ΔPass@2", "points", SHARED, True),
        Column("ΔTCD", "tasks", SHARED, True),
        Column("token ratio ρ, mean of pairs", "percent", SHARED, True),
        Column("token ratio, sums", "percent", "Of sums over the pairs, as in verdicts"),
        Column("pairs gaining", "share"),
        Column("gaining, labels permuted", "share", PERMUTED, True),
        Column("gaining, A/A", "share", HALVES),
        Column("task flips, A/A", "share", "tasks that one chain of C0 solves and another does not"),
    )  # fmt: skip
    rows = []
    for model in arms.models:
        pairs, why = arms.pairs(model, "C1", "C0"), arms.absent(model, "C1", "C0")
        effects = {name: list(differences(pairs, name, "C1", "C0").values()) for name in ("pass1", "pass2", "tcd")}
        shown = [estimators.estimate(effects[name], seed=arms.seed) for name in ("pass1", "pass2", "tcd")]
        of_pairs, of_sums = estimators.ratios(pairs, "tokens", "C1", "C0")
        flips = noise.flips(pairs, seed=arms.seed)
        told = why or ("no pair has its tokens measured in both arms" if of_sums is None else None)
        short = f"tokens of {len(of_pairs)} of {len(pairs)} pairs" if 0 < len(of_pairs) < len(pairs) else None
        rows.append([
            TableCell(model, model), arms.counted(model, "C1", "C0"),
            *(column.of(found) for column, found in zip(columns[2:5], shown, strict=True)),
            columns[5].cell(None, told) if told else columns[5].of(estimators.estimate(of_pairs, seed=arms.seed)),
            columns[6].cell(of_sums, told or short),
            columns[7].cell(estimators.gaining(effects["pass2"]), why),
            columns[8].of(noise.wins(pairs, seed=arms.seed)),
            columns[9].cell(flips.gains, flips.reason), columns[10].cell(flips.tasks, flips.reason),
        ])  # fmt: skip
    return arms.table(
        "1", "Model-level C1−C0 effects", columns, rows,
        f"Means over (skill, project) pairs, replicates averaged first; {estimators.RESAMPLES:,} resamples, seed {arms.seed}.",
        "Pass@1 is the prefix of tasks solved at attempt 1. A chain stops at its first unsolved task, so that TCD is Pass@2 "
        "times the tasks of the chain: one endpoint, not two.",
        "Read the pairs gaining beside their references: pairs gain with no effect at all.",
        arms.coverage("C0", "C1"),
    )  # fmt: skip


def table_2(arms: Arms) -> PaperTable:
    """ΔPass@2 by difficulty (§4.2)."""
    columns = (MODEL, Column("of tasks"), *(Column(level, "points", SHARED, True) for level in DIFFICULTIES))
    rows = []
    unknown: dict[str, None] = {}
    for model in arms.models:
        found, projects = estimators.buckets(arms.pairs(model, "C1", "C0"), arms.audit.suite, "C1", "C0")
        unknown |= dict.fromkeys(projects)
        for name, title in (("reached", "reached"), ("all", "all")):
            values = [getattr(found[level], name) if level in found else [] for level in DIFFICULTIES]
            cells = [_bucket(column, own, arms.seed) for column, own in zip(columns[2:], values, strict=True)]
            rows.append([TableCell(model, model), TableCell(title, title), *cells])
    known = [f"Not in it, for their tasks' difficulty is not known here: {', '.join(unknown)}."] if unknown else []
    return arms.table(
        "2", "ΔPass@2 by task difficulty, C1−C0", columns, rows,
        "Bold marks an interval that excludes zero, a dash fewer than five pair-cells. Descriptive.",
        "Reached: solved of reached tasks, over pairs whose both arms reached one; which tasks are reached depends on the "
        "skill. The paper does not say that it counts so; its dashes imply it. All: what was not reached is unsolved.",
        "A uniform rise in failures moves early tasks more than late ones: a difference between buckets can be arithmetic.",
        *known, arms.coverage("C0", "C1"),
    )  # fmt: skip


def _bucket(column: Column, values: Sequence[float], seed: int) -> TableCell:
    if len(values) < estimators.FEWEST_CELLS:
        return column.cell(None, f"fewer than five pair-cells ({len(values)})")
    return column.of(estimators.estimate(values, seed=seed), bold=True)


def table_3(arms: Arms) -> PaperTable:
    """Length and content (§4.3)."""
    columns = (
        MODEL, PAIRS,
        Column("ΔTotal, C1−C0", "points", SHARED, True),
        Column("ΔLength, C2−C0", "points", SHARED, True),
        Column("ΔContent, C1−C2", "points", SHARED, True),
        Column("distinct partners", "count", "fewer than five name no mechanism"),
        Column("wins", "count"),
        Column("survival", "share"),
        Column("survival, labels permuted", "share", PERMUTED, True),
    )  # fmt: skip
    rows = []
    for model in arms.models:
        pairs, why = arms.pairs(model, "C0", "C1", "C2"), arms.absent(model, "C0", "C1", "C2")
        if why:
            blank = [column.cell(None, why) for column in columns[2:]]
            rows.append([TableCell(model, model), arms.counted(model, "C0", "C1", "C2"), *blank])
            continue
        sides = [differences(pairs, "pass2", *names) for names in (("C1", "C0"), ("C2", "C0"), ("C1", "C2"))]
        share, wins = estimators.survival(sides[0], sides[2])
        partners = {item.skill for pair in pairs for item in pair.arms["C2"]}
        rows.append([
            TableCell(model, model), arms.counted(model, "C0", "C1", "C2"),
            *(column.of(estimators.estimate(list(side.values()), seed=arms.seed))
              for column, side in zip(columns[2:5], sides, strict=True)),
            columns[5].cell(len(partners)), columns[6].cell(wins),
            columns[7].cell(share, None if wins else "no pair gains"),
            columns[8].of(noise.survivals(pairs, seed=arms.seed)),
        ])  # fmt: skip
    return arms.table(
        "3", "Length and content, ΔPass@2", columns, rows,
        "Over pairs that have all three arms, so that ΔTotal is ΔLength and ΔContent together, exactly.",
        "Survival: of the pairs with C1 above C0, the share with C1 above C2. In simulated chains with no effect "
        "at all it is 64–66 %.",
        "ΔLength and ΔContent share C2 and lean against each other: an interval that includes zero names no mechanism.",
        arms.coverage("C0", "C1", "C2"),
    )  # fmt: skip
