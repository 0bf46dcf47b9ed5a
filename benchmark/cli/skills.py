"""`assay skills …`: what can be known of a skill before any trial. Every command takes --json."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from benchmark.cli.console import Json, show
from benchmark.core.errors import UsageError, unknown
from benchmark.core.model import DELIVERIES, Delivery
from benchmark.suite.discovery import all_passages, find_suite, suite_names
from skills.diagnosis import claims
from skills.diagnosis.check import as_rows, check_lines, check_paths, failed, github_lines
from skills.diagnosis.leaks import Watch, leak_lines
from skills.diagnosis.leaks import leaks as leaking
from skills.matching.coverage import coverage, coverage_lines
from skills.parsing.parse import find_skills
from skills.profile.profile import profile as profiled
from skills.profile.profile import profile_lines
from skills.provenance.add import add as added
from skills.provenance.add import added_lines
from skills.provenance.listing import list_lines, list_rows
from skills.provenance.lock import check_lock, renew
from skills.routing.agreement import agreement, agreement_lines
from skills.routing.suggest import suggest, suggestion_lines
from skills.routing.tiers import COLLECTION, load_library, load_member
from skills.routing.votes import load_votes
from skills.slicing.outline import outline, outline_lines

skills = typer.Typer(
    help="What can be known of a skill before any trial: faults, slices, controls, tiers, scores, origin.", no_args_is_help=True
)

Paths = Annotated[list[Path], typer.Argument(help="A skill's folder, its SKILL.md, or a folder of skills.", metavar="PATH…")]
Chosen = Annotated[
    list[str] | None,
    typer.Argument(help="A skill of the collection or a path; none: the whole collection.", metavar="[SKILL…]"),
]
Into = Annotated[Path, typer.Option("--into", help="The collection's folder.", metavar="DIR")]


def _chosen(asked: list[str] | None) -> list[Any]:
    """The members that are meant: names of the collection, paths of skills and of folders of skills."""
    if not asked:
        return load_library(COLLECTION)
    found = []
    for item in asked:
        path = Path(item).expanduser()
        if (COLLECTION / item).is_dir() and "/" not in item and not path.exists():
            found.append(load_member(COLLECTION / item))
        elif path.exists():
            folders = [path] if path.is_file() or (path / "SKILL.md").is_file() else find_skills(path)
            if not folders:
                raise UsageError(f"no skills below {item}: no SKILL.md was found; give a skill's folder or a folder of them")
            found += [load_member(folder) for folder in folders]
        else:
            raise unknown("skill", item, [one.name for one in COLLECTION.iterdir() if one.is_dir()])
    return found


@skills.command()
def check(
    paths: Paths,
    form: Annotated[
        Literal["text", "github"], typer.Option("--format", help="text, or github for annotations in a workflow.")
    ] = "text",
    as_json: Json = False,
) -> None:
    """Print what is wrong with skills, by line, and what each client did when it was asked. Exit 1 where there is an error."""
    checked = check_paths(paths)
    data = {"skills": as_rows(checked), "asked": {client: claims.version(client) for client in claims.clients()}}
    show(data, as_json, lambda: github_lines(checked) if form == "github" else check_lines(checked))
    raise typer.Exit(1 if failed(checked) else 0)


@skills.command()
def slices(
    chosen: Chosen = None,
    lines: Annotated[bool, typer.Option("--lines", help="Also print every slice with its lines.")] = False,
    as_json: Json = False,
) -> None:
    """Show what a SKILL.md consists of: rules, anti-patterns, examples and the rest, and what C3 would remove.

    A row of letters is the file from its first byte to its last.
    """
    found = [outline(member.skill) for member in _chosen(chosen)]
    rows = [
        {
            "skill": one.skill.id,
            "sha256": one.skill.ref.sha256,
            "bytes": one.sizes,
            "ambiguous": one.sizes["mixed"] / len(one.skill.data),
            "removed": one.cuts,
            "slices": [
                {"kind": part.kind, "first": part.first, "last": part.last, "bytes": len(part.data)} for part in one.slices
            ],
        }
        for one in found
    ]
    show({"skills": rows}, as_json, lambda: (line for one in found for line in outline_lines(one, every=lines)))


@skills.command()
def match(
    chosen: Chosen = None,
    pool: Annotated[list[Path] | None, typer.Option(help="More skills to draw partners from.", metavar="DIR")] = None,
    delivery: Annotated[str, typer.Option(help="prompt, native or forced.", metavar="HOW")] = "prompt",
    as_json: Json = False,
) -> None:
    """Show which skills have a C2 partner in the pool, how many, and of those without the nearest miss."""
    how: Delivery | None = next((one for one in DELIVERIES if one == delivery), None)
    if how is None:
        raise unknown("delivery", delivery, DELIVERIES)
    targets = [member.skill for member in _chosen(chosen)]
    others = [member.skill for folder in [COLLECTION, *(pool or ())] for member in load_library(folder)]
    rows = coverage(targets, others, how)
    data = [
        {
            "skill": row.skill.id,
            "bytes": row.skill.ref.size,
            "partners": row.partners,
            "nearest_miss": str(row.miss) if row.miss else None,
        }
        for row in rows
    ]
    show({"skills": data}, as_json, lambda: coverage_lines(rows))


@skills.command()
def profile(chosen: Chosen = None, as_json: Json = False) -> None:
    """Count what a skill brings and how strongly it prescribes: the asset and constraint scores of OpenSkillEval, 0 to 5."""
    found = [profiled(member.skill) for member in _chosen(chosen)]
    show({"skills": [asdict(one) for one in found]}, as_json, lambda: profile_lines(found))


@skills.command()
def tiers(
    chosen: Chosen = None,
    suite: Annotated[str | None, typer.Option(help="Only this suite's projects (default: all).", metavar="NAME")] = None,
    into: Into = COLLECTION,
    as_json: Json = False,
) -> None:
    """Show how two people's votes agree, and what a skill's own words suggest, which is nobody's vote."""
    chosen_suites = [find_suite(name) for name in ([suite] if suite else suite_names())]
    stacks = {name: known.stack(name) for known in chosen_suites for name in known.projects()}
    path = into / "votes.csv"
    votes = load_votes(path) if path.is_file() else ()
    members = _chosen(chosen)
    found = [suggest(member.skill, stacks) for member in members]

    def text() -> Iterator[str]:
        if votes:
            yield from agreement_lines(votes)
        else:
            yield f"no votes.csv in {into.name}: what its tiers.toml says was not voted on by two people"
        for one, member in zip(found, members, strict=True):
            yield from suggestion_lines(one, member)

    data = {"agreement": asdict(agreement(votes)) if votes else None, "suggestions": [asdict(one) for one in found]}
    show(data, as_json, text)


@skills.command("list")
def list_skills(into: Into = COLLECTION, as_json: Json = False) -> None:
    """List a collection: sizes, origins, what each skill is core for, near duplicates.

    Exit 1 where the lock is not true.
    """
    problems = check_lock(into)
    rows = [{**asdict(row), "locked": row.locked.model_dump(mode="json") if row.locked else None} for row in list_rows(into)]
    show({"skills": rows, "problems": problems}, as_json, lambda: list_lines(into))
    raise typer.Exit(1 if problems else 0)


@skills.command()
def add(
    source: Annotated[str, typer.Argument(help="PLACE[@REVISION][#PATH]: a folder, or a git repository and the skill in it.")],
    into: Into = COLLECTION,
    licence: Annotated[
        str | None,
        typer.Option("--licence", help="Its terms, where the skill does not say or forbids copying.", metavar="NAME"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Copy a skill into a collection and pin it in collection.lock, with its origin, commit, hash and licence.

    Nothing of it is run. Says what clients will make of it, what it nearly duplicates, and what it holds of tasks or checks.
    """
    found = added(source, into, licence=licence, passages=all_passages())
    data = {
        "skill": found.skill.id,
        "new": found.new,
        "row": found.row.model_dump(mode="json"),
        "warnings": found.warnings,
        "near": [asdict(one) for one in found.near],
        "leaks": [asdict(one) for one in found.leaks],
        "diagnostics": [{"code": one.code, "severity": one.severity, "line": one.line} for one in found.skill.diagnostics],
    }
    show(data, as_json, lambda: added_lines(found))


@skills.command()
def lock(into: Into = COLLECTION, as_json: Json = False) -> None:
    """Bring collection.lock up to what lies there, for our own skills.

    Exit 1 where one from elsewhere is not as it was pinned.
    """
    done = renew(into)
    problems = check_lock(into)
    show({"done": done, "problems": problems}, as_json, lambda: [*(done or ["the lock is up to date"]), *problems])
    raise typer.Exit(1 if problems else 0)


@skills.command()
def leaks(chosen: Chosen = None, as_json: Json = False) -> None:
    """Look for the words of tasks, checks and solutions in skills: such a skill tells answers. Exit 1 where there are any."""
    watch = Watch(all_passages())
    members = _chosen(chosen)
    found = [(member.skill, leaking(member.skill, watch)) for member in members]

    def text() -> Iterator[str]:
        for skill, items in found:
            yield from leak_lines(skill, items)
        count = f"{len(found)} {'skill' if len(found) == 1 else 'skills'}"
        yield f"{count}, {sum(bool(items) for _, items in found)} with words of tasks or checks"

    show({"skills": [{"skill": skill.id, "leaks": [asdict(one) for one in items]} for skill, items in found]}, as_json, text)
    raise typer.Exit(1 if any(items for _, items in found) else 0)
