"""`assay validate`: the tasks of suites proved."""

from typing import Annotated

import typer

from benchmark.console import Json, Names, show
from benchmark.errors import UsageError, unknown
from benchmark.text import print_line


def validate(
    suite: Annotated[str | None, typer.Option(help="Only this suite's tasks (default: those of all).", metavar="NAME")] = None,
    project: Names = None,
    changed: Annotated[bool, typer.Option("--changed", help="Prove only tasks whose committed hash no longer holds.")] = False,
    write: Annotated[bool, typer.Option("--write", help="Commit the hashes of what was proved to validated.json.")] = False,
    jobs: Annotated[int, typer.Option(help="Projects proved at the same time.", metavar="N", min=1)] = 1,
    as_json: Json = False,
) -> None:
    """Prove that tasks are sound: solutions solve, what should not solve does not, every check can fail, repeats agree.

    Exit 1 names each task that is not.
    """
    from benchmark.suite.capabilities import Proof, Validates
    from benchmark.suite.discovery import find_suite, suite_names

    named = (
        [find_suite(suite)] if suite else [found for name in suite_names() if isinstance(found := find_suite(name), Validates)]
    )
    known = [name for chosen in named for name in chosen.projects()]
    for name in project or ():
        if name not in known:
            raise unknown("project", name, known)
    proofs: list[Proof] = []
    for chosen in named:
        if not isinstance(chosen, Validates):
            raise UsageError(f"suite {chosen.name} has no tasks that prove themselves; leave out --suite for those that have")
        names = [name for name in chosen.projects() if not project or name in project]
        for proof in chosen.validate(names, changed=changed, write=write, jobs=jobs) if names else ():
            proofs.append(proof)
            if not as_json:
                word = "valid  " if proof.valid else "INVALID"
                print_line(f"{word} {proof.id}{'' if proof.valid else f': {proof.reason}'}")
    if as_json:
        show({"tasks": [{"id": p.id, "valid": p.valid, "reason": p.reason} for p in proofs]}, True, list)
    raise typer.Exit(0 if proofs and all(proof.valid for proof in proofs) else 1)
