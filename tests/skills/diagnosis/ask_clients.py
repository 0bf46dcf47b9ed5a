"""Ask the real, pinned clients what they make of every form of a SKILL.md, and keep their answers in
skills/diagnosis/client_claims.json.

python -m tests.skills.diagnosis.ask_clients [CLIENT…]            compare with what is kept; exit 1 where they differ
python -m tests.skills.diagnosis.ask_clients --write [CLIENT…]    keep what they answer
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from skills.diagnosis.claims import CLAIMS
from tests.skills.diagnosis.client_answers import ASKED, Observation, as_read, ask
from tests.skills.diagnosis.forms import Form, forms


def kept() -> dict[str, Any]:
    """The claims as they are kept."""
    return json.loads(CLAIMS.read_text(encoding="utf-8"))


def rules_of(asked: Sequence[Form]) -> dict[str, list[str]]:
    """The rules that our own diagnosis finds each form to break, by id."""
    return {one: sorted({item.rule for item in skill.diagnostics}) for one, skill in as_read(asked).items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.skills.diagnosis.ask_clients", description="Ask clients about SKILL.md files."
    )
    parser.add_argument("clients", nargs="*", default=ASKED, metavar="CLIENT")
    parser.add_argument("--write", action="store_true", help="keep what they answer")
    parser.add_argument("--new", action="store_true", help="ask only about forms to which there is no answer")
    parser.add_argument("--rules", action="store_true", help="ask nobody; bring up to date which rules each form breaks")
    options = parser.parse_args(arguments)
    asked = forms()
    changed = 0
    for name in [] if options.rules else options.clients:
        rows = kept()["forms"]
        chosen = [form for form in asked if not options.new or not _answered(rows, form, name)]
        version, found = ask(name, chosen) if chosen else (kept()["versions"][name], {})
        claims = kept()
        differ = differences(claims, name, found)
        changed += len(differ)
        print(
            f"{name} {version}: {len(found)} forms, {len(differ)} answered otherwise than is kept",
            *differ,
            sep="\n  ",
            flush=True,
        )
        if options.write:
            _keep(claims, asked, name, version, found)
    if options.rules:
        claims = kept()
        name, version = next(iter(claims["versions"].items()))
        _keep(claims, asked, name, version, {})
    return 1 if changed and not options.write else 0


def _answered(rows: Mapping[str, Any], form: Form, name: str) -> bool:
    row = rows.get(form.id, {})
    return row.get("digest") == form.digest and name in row


def differences(claims: dict[str, Any], name: str, found: Mapping[str, Observation]) -> list[str]:
    """Where a client's answers are not those that are kept, a line each."""
    rows = {form: claims["forms"].get(form, {}).get(name) for form in found}
    return [f"{form}: was {rows[form]}, is {answer}" for form, answer in found.items() if answer != rows[form]]


def _keep(claims: dict[str, Any], asked: Sequence[Form], name: str, version: str, found: Mapping[str, Observation]) -> None:
    """Put a client's answers beside those of others to the same forms; those to forms that have changed are dropped."""
    rules = rules_of(asked)
    versions = {**claims["versions"], name: version}
    rows: dict[str, dict[str, Any]] = {}
    for form in asked:
        before = claims["forms"].get(form.id, {})
        others = before if before.get("digest") == form.digest else {}
        answers = {**others, **({name: found[form.id]} if form.id in found else {})}
        order = [client for client in ASKED if client in answers]
        rows[form.id] = {"digest": form.digest, "rules": rules[form.id], **{client: answers[client] for client in order}}
    order = [client for client in ASKED if client in versions]
    head = json.dumps({client: versions[client] for client in order})
    lines = ",\n".join(f"  {json.dumps(form, ensure_ascii=False)}: {_row(row)}" for form, row in rows.items())
    CLAIMS.write_text(f'{{"versions": {head},\n "forms": {{\n{lines}\n}}}}\n', encoding="utf-8")


def _row(row: Mapping[str, Any]) -> str:
    """A form's answers, a client a line."""
    parts = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in row.items()]
    return "{" + ",\n    ".join(parts) + "}"


if __name__ == "__main__":
    sys.exit(main())
