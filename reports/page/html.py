"""The report as one self-contained page: no network, no script, readable on a phone, light and dark, and printed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmark.core.text import visible
from reports.audit.delivery import IN_PROMPT, NOTE, named
from reports.audit.metrics import Audit
from reports.formatting import amount, bounds, dollars, in_table, in_unit, percent, percent_bounds, points, share
from reports.page import figures
from reports.page.across import ROWS, advice, costs, funnels, matrices
from reports.page.cards import CARDS, Card, cards, order
from reports.page.missing import absent, left_out_tests, reasons, tokens
from reports.page.section import section
from reports.result_lines import Key
from reports.results import Results
from reports.verdict.phrasing import LOCAL, SCRIPTED, covered, part, proven, token_counts, unsound

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"
#: Bytes of a page: what all else leaves of them is for the details of questions. Of those some have pictures, which are large.
LIMIT, DRAWN = 1_900_000, 12
#: Verdicts of the first screen.
VERDICTS = 500


@dataclass(frozen=True)
class Details:
    """The details of one question as HTML."""

    title: str
    anchor: str
    html: str


def page(results: Results, audit: Audit) -> str:
    """The page of an audit's results."""
    environment = page_environment(results)
    shown = cards(results)
    first = order(shown)
    parts = {
        "r": results,
        "metric": results.primary.title,
        "cards": [card for card in shown if card.key in first[:VERDICTS]],
        "more_cards": max(0, len(shown) - VERDICTS),
        "compact": len(shown) > CARDS,
        "scripted_notice": SCRIPTED,
        "local_notice": LOCAL,
        "in_prompt": IN_PROMPT,
        "post_treatment": NOTE,
        "costs": costs(results, first),
        "matrices": matrices(results),
        "funnels": funnels(audit, results),
        "read_rates": _read_rates(results),
        "delivery": [line for line in results.delivery if line.delivery != "prompt"],
        "rows": ROWS,
        "tokens": tokens(results),
        "reasons": reasons(audit),
        "absent": absent(results),
        "left_out_tests": left_out_tests(results),
        "sections": [item for item in results.sections if item.question is None],
        "advice": advice(results),
    }
    template = environment.get_template("report.html.j2")
    room = LIMIT - len(template.render(**parts, details=[], left_out=0).encode())
    details, left_out = _details(environment, results, audit, shown, room)
    return template.render(**parts, details=details, left_out=left_out)


def page_environment(results: Results, *folders: Path) -> "Environment":
    """What templates of the page are rendered with; a suite's own lie in further folders."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=FileSystemLoader([*folders, TEMPLATES]),
        autoescape=select_autoescape(["html", "j2"]),
        undefined=StrictUndefined,
        finalize=readable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"share": share, "points": points, "bounds": bounds, "part": part, "covered": covered}
    environment.filters |= {"amount": amount, "usd": dollars, "percent": percent, "percent_bounds": percent_bounds}
    environment.filters |= {
        "unit": in_unit,
        "cell": in_table,
        "token_counts": token_counts,
        "proven": proven,
        "unsound": unsound,
    }
    environment.globals["said"] = lambda delivery: named(delivery, results.deliveries)
    return environment


def readable(value: Any) -> Any:
    """What a template shows of a value: of text, markup or not, nothing that hides or turns the order of what is read."""
    return type(value)(visible(value, lines=True)) if isinstance(value, str) else value


def _details(
    environment: "Environment", results: Results, audit: Audit, shown: Sequence[Card], room: int
) -> tuple[list[Details], int]:
    """The details of questions by name, as HTML of at most `room` bytes, and how many have none; decided ones come first."""
    template = environment.get_template("section.html.j2")
    made: dict[Key, Details] = {}
    keys = list(_keys(results, order(shown)))
    by_key = {card.key: card for card in shown}
    for at, key in enumerate(keys):
        view = section(results, audit, by_key.get(key), key)
        html = template.render(s=view, r=results, draw=at < DRAWN)
        room -= len(html.encode())
        if room < 0:
            break
        made[key] = Details(view.title, view.anchor, html)
    return [made[key] for key in sorted(made)], len(keys) - len(made)


def _keys(results: Results, first: Sequence[Key]) -> Iterator[Key]:
    """Skill, agent and delivery of every question, those with a verdict in the order given: deliveries are never pooled."""
    yield from dict.fromkeys([*first, *(line.key for line in results.arms)])


def _read_rates(results: Results) -> str:
    """The picture of read rates; nothing where all skills were in prompts or none could be seen."""
    rows = [line for line in results.delivery if line.read_rate is not None]
    return figures.read_rates(rows, "Read rate by delivery") if rows else ""
