"""The report as one self-contained page: no network, no script, readable on a phone, light and dark, and printed."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmark.store import Store
from benchmark.suites import primary
from benchmark.text import visible
from reports import figures
from reports.delivery import IN_PROMPT, NOTE, named
from reports.live import amount, clock
from reports.metrics import Audit
from reports.page_across import ROWS, advice, costs, funnels, matrices
from reports.page_cards import CARDS, Key, cards, key_of, order, whole_percent
from reports.page_divergence import partings
from reports.page_missing import absent, endings, left_out_tests, reasons, tokens
from reports.page_section import section
from reports.terminal import LOCAL, SCRIPTED, any_at, counted, part, proven, share, unsound
from reports.words import signed

TEMPLATES = Path(__file__).parent / "templates"
#: Bytes of a page: what all else leaves of them is for the details of questions. Of those some have pictures of how far
#: chains got, which are large.
LIMIT, DRAWN = 1_900_000, 12
#: Verdicts of the first screen.
VERDICTS = 500


def page(results: Mapping[str, Any], audit: Audit, store: Store) -> str:
    """The page of an audit's results."""
    environment = _environment(results)
    shown = cards(results)
    first = order(shown)
    parts = {
        "r": results,
        "metric": primary(audit.suite).title,
        "cards": [card for card in shown if key_of(card) in first[:VERDICTS]],
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
        "delivery": [line for line in results["delivery"] if line["delivery"] != "prompt"],
        "rows": ROWS,
        "tokens": tokens(results),
        "reasons": reasons(audit),
        "absent": absent(results),
        "left_out_tests": left_out_tests(results),
        "partings": partings(results),
        "endings": endings(audit, store),
        "advice": advice(results),
    }
    template = environment.get_template("report.html.j2")
    room = LIMIT - len(template.render(**parts, details=[], left_out=0).encode())
    details, left_out = _details(environment, results, audit, shown, room)
    return template.render(**parts, details=details, left_out=left_out)


def _environment(results: Mapping[str, Any]) -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(["html", "j2"]),
        undefined=StrictUndefined,
        finalize=readable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"share": share, "points": _points, "bounds": _bounds, "any_at": any_at, "part": part}
    environment.filters |= {"amount": _amount, "usd": _usd, "clock": _clock, "percent": _percent, "unit": in_unit}
    environment.filters |= {"counted": counted, "proven": proven, "unsound": unsound}
    environment.globals["said"] = lambda delivery: named(delivery, results["deliveries"])
    return environment


def readable(value: Any) -> Any:
    """What a template shows of a value: of text, markup or not, nothing that hides or turns the order of what is read."""
    return type(value)(visible(value, lines=True)) if isinstance(value, str) else value


def _details(
    environment: Any, results: Mapping[str, Any], audit: Audit, shown: Sequence[Mapping[str, Any]], room: int
) -> tuple[list[dict[str, str]], int]:
    """The details of questions by name, as HTML of at most `room` bytes, and how many have none; decided ones come first."""
    template = environment.get_template("section.html.j2")
    found = {}
    keys = list(_keys(results, order(shown)))
    by_key = {key_of(card): card for card in shown}
    for at, key in enumerate(keys):
        data = section(results, audit, by_key.get(key), key, at < DRAWN)
        html = template.render(s=data, r=results)
        room -= len(html.encode())
        if room < 0:
            break
        found[key] = {"title": data["title"], "anchor": data["anchor"], "html": html}
    return [found[key] for key in sorted(found)], len(keys) - len(found)


def _keys(results: Mapping[str, Any], first: Sequence[Key]) -> Iterator[Key]:
    """Skill, agent and delivery of every question, those with a verdict in the order given: deliveries are never pooled."""
    yield from dict.fromkeys([*first, *(key_of(line) for line in results["arms"])])


def _read_rates(results: Mapping[str, Any]) -> str:
    """The picture of read rates; nothing where all skills were in prompts or none could be seen."""
    rows = [line for line in results["delivery"] if line["read_rate"] is not None]
    return figures.read_rates(rows, "Read rate by delivery") if rows else ""


def in_unit(value: float | None, unit: str) -> str:
    """A metric's value as its unit is read."""
    if value is None:
        return "not measured"
    if unit == "share":
        return f"{100 * value:.1f} %"
    return {"USD": f"${value:,.2f}", "s": f"{value:.1f} s"}.get(unit) or (amount(value) if unit == "tokens" else f"{value:.1f}")


def _points(value: float | None) -> str:
    return "—" if value is None else signed(value)


def _bounds(line: Mapping[str, Any]) -> str:
    if line["low"] is None:
        return line["reason"] or "—"
    return f"[{signed(line['low'])}, {signed(line['high'])}]"


def _amount(value: float | None) -> str:
    return "not measured" if value is None else amount(value)


def _usd(value: float | None) -> str:
    return "not measured" if value is None else f"${value:,.2f}"


def _clock(value: float | None) -> str:
    return "not measured" if value is None else (f"{value:.1f} s" if value < 10 else clock(value))


def _percent(value: float | None) -> str:
    return "—" if value is None else whole_percent(value)
