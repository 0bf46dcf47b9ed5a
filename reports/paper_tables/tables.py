"""Tables 1 to 5 of WebDev-Skills-Bench in their layout, by the paper's own estimators, with METHOD.md's marks and references.

A row is a model: an agent with its model. Deliveries are different treatments: each has tables of its own. Nothing here
carries a verdict.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmark.core.errors import UsageError
from reports.audit.metrics import Audit
from reports.page.html import readable
from reports.paper_tables.table_across import table_4a, table_4b, table_5a, table_5b
from reports.paper_tables.table_arms import Arms
from reports.paper_tables.table_effects import table_1, table_2, table_3
from reports.paper_tables.tabular import PaperTable, as_csv, as_latex, document

TEMPLATES = Path(__file__).parents[1] / "page" / "templates"
#: What the tables are made of; only a suite that has all of them can be shown so.
NEEDED = ("pass1", "pass2", "tcd", "tokens")


def tables(audit: Audit) -> list[PaperTable]:
    """Tables 1, 2, 3, 4a, 4b, 5a and 5b for every delivery. Raises UsageError for a suite that lacks their metrics."""
    missing = [name for name in NEEDED if name not in {metric.name for metric in audit.suite.all_metrics}]
    if missing:
        raise UsageError(
            f"the tables are those of WebDev-Skills-Bench, and suite {audit.suite.name} has no metric {', '.join(missing)}: "
            "report without --tables"
        )
    made = (table_1, table_2, table_3, table_4a, table_4b, table_5a, table_5b)
    return [table(arms) for delivery in audit.deliveries for arms in [Arms(audit, delivery)] for table in made]


def provenance(audit: Audit) -> list[str]:
    """What the tables rest on: the panel, agents with their versions, and the days of trials."""
    ran = [item.started for item in audit.observations.values() if item.record]
    days = [datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d") for moment in (min(ran), max(ran))] if ran else []
    when = "no trial has run" if not days else f"trials of {' to '.join(dict.fromkeys(days))}"
    return [
        f"Suite {audit.suite.name}, panel {audit.plan.hash[:12]}, {when}.",
        f"Agents: {', '.join(audit.facts.get('agent', {})) or 'none ran'}.",
        "These are WebDev-Skills-Bench's estimators, kept to reproduce its tables. They carry no verdict: those come from "
        "families, on the report's page.",
    ]


def page(made: Sequence[PaperTable], audit: Audit) -> str:
    """The tables as one self-contained page."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(["html", "j2"]),
        undefined=StrictUndefined,
        finalize=readable,
    )
    return environment.get_template("tables.html.j2").render(tables=made, provenance=provenance(audit))


def write_tables(audit: Audit, out: Path) -> list[Path]:
    """Write tables.html, tables.tex and each table as CSV and LaTeX into `out`; their paths. Raises UsageError as `tables`."""
    made = tables(audit)
    files = {"tables.html": page(made, audit), "tables.tex": document(made)}
    for table in made:
        files |= {f"{table.name}.csv": as_csv(table), f"{table.name}.tex": as_latex(table, provenance(audit))}
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / name for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths
