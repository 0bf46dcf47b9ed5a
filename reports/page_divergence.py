"""Where the arms of a pair part, for the template: both attempts with their differences as lines of HTML."""

from collections.abc import Iterator, Mapping
from html import escape
from itertools import groupby
from typing import Any

from reports.words import signed

TITLES = {"gain": "Largest shrunken gain", "loss": "Largest shrunken loss"}
_TAGS = {"+": "ins", "-": "del", "@": "b"}
#: Characters of HTML on one side, of all differences and of all checks: signs of markup take up to six for one.
ROOM, CHECKS = 60_000, 16_000


def partings(results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The pairs with the largest shrunken gain and loss, both arms side by side; of each without one its reason."""
    found = results["divergence"]
    if not found:
        return []
    return [_parting(TITLES[name], found[name]) for name in TITLES]


def _parting(title: str, line: Mapping[str, Any]) -> dict[str, Any]:
    if line.get("shrunk") is None:
        return {"title": title, "pair": None, "reason": line["reason"], "sides": []}
    sd = f" ± {100 * line['sd']:.1f}" if line["sd"] is not None else ""
    return {
        "title": title,
        "pair": line,
        "effect": f"{signed(line['shrunk'])}{sd} points after shrinkage (± one standard deviation)",
        "reason": line["reason"],
        "sides": [_side(name, side) for name, side in line.get("sides", {}).items()],
    }


def _side(name: str, side: Mapping[str, Any]) -> dict[str, Any]:
    if side["attempt"] is None:
        return {**side, "arm": name, "outcome": "not known", "files": [], "note": None}
    room, files = ROOM, []
    for file in side["changes"]["files"]:
        html = lines(file["diff"]) if file["diff"] else ""
        room -= len(html)
        # A difference is dropped whole rather than cut within its markup.
        note = file["note"] if room >= 0 else "not shown: the differences before it fill the space"
        files.append({**file, "html": html if room >= 0 else "", "note": note})
    room, checks = CHECKS, []
    for check in side["checks"]:
        room -= len(escape("".join(check.values())))
        checks += [check] if room >= 0 else []
    more = side["more_checks"] + len(side["checks"]) - len(checks)
    outcome = f"{'solved' if side['solved'] else 'not solved'} at attempt {side['attempt']}"
    note = side["changes"]["note"]
    return {**side, "arm": name, "outcome": outcome, "files": files, "note": note, "checks": checks, "more_checks": more}


def lines(diff: str) -> str:
    """A unified difference as escaped HTML: what came in `ins`, what went in `del`, each line with its own sign."""
    return "".join(_marked(diff))


def _marked(diff: str) -> Iterator[str]:
    # The elements are blocks: the ends of lines between them are theirs.
    for tag, rows in groupby(diff.split("\n"), key=lambda row: _TAGS.get(row[:1])):
        text = escape("\n".join(rows), quote=False)
        yield f"<{tag}>{text}</{tag}>" if tag else text
