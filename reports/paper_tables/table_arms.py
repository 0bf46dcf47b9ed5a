"""What the paper's tables are made of: the pairs of each model under one delivery, and what is missing of them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from reports.audit.delivery import named
from reports.audit.metrics import Audit
from reports.audit.pairs import PairTrials, paired
from reports.paper_tables.tabular import Column, PaperTable, TableCell
from reports.verdict.phrasing import LOCAL, SCRIPTED

#: METHOD.md's marks.
SHARED = "95 % pair bootstrap: ignores shared C0"
CELLS = "95 % bootstrap of cells: ignores what cells of a project share"
CHAINS = "not valid for chains: A/A chains reject in 25–58 %"
PERMUTED = "mean and middle 95 % under arm labels permuted within project"
MODEL, PAIRS = Column("model"), Column("pairs, of planned")


@dataclass(frozen=True)
class Arms:
    """One delivery of an audit, and the pairs of its models by the arms that they must have."""

    audit: Audit
    delivery: str

    @cached_property
    def models(self) -> list[str]:
        rows = self.audit.plan.assignments
        return list(dict.fromkeys(row.agent for row in rows if row.delivery == self.delivery))

    @property
    def seed(self) -> int:
        return self.audit.plan.panel.seed

    @cached_property
    def _known(self) -> dict[tuple[str, tuple[str, ...]], tuple[list[PairTrials], int]]:
        return {}

    def pairs(self, model: str, *conditions: str) -> list[PairTrials]:
        return self._found(model, conditions)[0]

    def counted(self, model: str, *conditions: str) -> TableCell:
        pairs, planned = self._found(model, conditions)
        text = f"{len(pairs)} of {planned}"
        return TableCell(text, text)

    def absent(self, model: str, *conditions: str) -> str | None:
        """Why a model has no such pairs; None where it has some."""
        pairs, planned = self._found(model, conditions)
        if not planned:
            missing = [name for name in conditions if not self._planned(model, name)]
            return f"the plan has no {' and no '.join(missing)} arm" if missing else "no pair has all arms planned"
        return None if pairs else f"no pair has {' and '.join(conditions)} measured"

    def _found(self, model: str, conditions: tuple[str, ...]) -> tuple[list[PairTrials], int]:
        key = (model, conditions)
        if key not in self._known:
            self._known[key] = paired(self.audit, model, self.delivery, conditions)
        return self._known[key]

    def _planned(self, model: str, condition: str) -> bool:
        return any(
            (row.agent, row.delivery, row.condition) == (model, self.delivery, condition) for row in self.audit.plan.assignments
        )

    def table(
        self, number: str, title: str, columns: Sequence[Column], rows: Sequence[Sequence[TableCell]], *notes: str
    ) -> PaperTable:
        how = named(self.delivery, self.audit.deliveries)
        whole = f"{title}, {how} delivery" if how else title
        return PaperTable(number, whole, tuple(columns), tuple(map(tuple, rows)), (*notes, *_said(self.audit)), how)

    def coverage(self, *conditions: str) -> str:
        """The trials behind a table, and those that are missing, in words."""
        wanted = {row.trial for row in self.audit.plan.assignments if row.condition in conditions}
        items = [item for name, item in self.audit.observations.items() if name in wanted]
        counts = Counter(item.status for item in items if item.delivery in (None, self.delivery))
        missing = [f"{count} {name.replace('_', ' ')}" for name, count in sorted(counts.items()) if name != "measured"]
        lacking = f" ({', '.join(missing)})" if missing else ""
        return f"Trials of {', '.join(conditions)}: {counts['measured']} of {counts.total()} measured{lacking}."


def _said(audit: Audit) -> list[str]:
    """What stands under every table of agents that are no models to be ranked."""
    said = [SCRIPTED] if list(audit.facts.get("scripted", {})) == ["True"] else []
    models = sorted({item.model for item in audit.observations.values() if item.record and item.model})
    return [*said, *(f"{model} {LOCAL}" for model in models if model.startswith("local/"))]
