"""`assay validate`: the suite's own tasks proved, or a checkout's specs run against their own reference."""

import json
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmark.console import Json, Names, show
from benchmark.errors import SetupError, UsageError, unknown

if TYPE_CHECKING:
    from rich.progress import Progress

    from benchmark.webdev.webbench.validate import Validated

OWN = "webdev"


def validate(
    suite: Annotated[str, typer.Option(help="The suite whose tasks are proved.", metavar="NAME")] = OWN,
    project: Names = None,
    changed: Annotated[bool, typer.Option("--changed", help="Prove only tasks whose committed hash no longer holds.")] = False,
    write: Annotated[bool, typer.Option("--write", help="Commit the hashes of what was proved to validated.json.")] = False,
    jobs: Annotated[int, typer.Option(help="Projects proved at the same time.", metavar="N", min=1)] = 1,
    webbench: Annotated[
        Path | None, typer.Option(help="Run the reference of this Web-Bench checkout's projects instead.", metavar="DIR")
    ] = None,
    repeat: Annotated[
        int | None, typer.Option(help="With --webbench: runs of each reference (default: 3).", metavar="K", min=1)
    ] = None,
    quarantine: Annotated[
        Path | None,
        typer.Option(
            help="With --webbench: where tests that failed are kept (default: panels/quarantine.json).", metavar="FILE"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove that tasks are sound: solutions solve, what should not solve does not, every check can fail, repeats agree.

    Exit 1 names each task that is not. With --webbench: that a checkout's specs pass with its own solution; tests that fail at
    times are quarantined by name, exit 1 names those that always fail and projects that could not be run.
    """
    if webbench is None:
        for option, given in (("--repeat", repeat), ("--quarantine", quarantine)):
            if given is not None:
                raise UsageError(f"{option} is for a checkout of Web-Bench; name it with --webbench DIR")
        _prove(suite, project, changed=changed, write=write, jobs=jobs, as_json=as_json)
    others = {"--changed": changed, "--write": write, f"--suite {suite}": suite != OWN, f"--jobs {jobs}": jobs != 1}
    for option, given in others.items():
        if given:
            raise UsageError(f"{option} is for a suite's own tasks and --webbench for a checkout's; leave one of them out")
    assert webbench
    _validate_checkout(webbench, project, repeat, quarantine, as_json)


def _prove(suite: str, project: list[str] | None, *, changed: bool, write: bool, jobs: int, as_json: bool) -> None:
    from benchmark.suites import Proof, find_suite

    chosen = find_suite(suite)
    names = _known_projects(chosen, project)
    proofs: list[Proof] = []
    with closing(chosen.validate(names, changed=changed, write=write, jobs=jobs)) as proved, _progress() as progress:
        bar = progress.add_task("tasks", total=_task_count(chosen, names))
        for proof in proved:
            proofs.append(proof)
            progress.update(bar, completed=sum(item.id not in names for item in proofs))
            if not as_json:
                why = "" if proof.valid else f": {proof.reason}"
                print(f"{'valid  ' if proof.valid else 'INVALID'} {proof.id}{why}", flush=True)
    if as_json:
        print(json.dumps({"tasks": [{"id": p.id, "valid": p.valid, "reason": p.reason} for p in proofs]}, indent=1))
    raise typer.Exit(0 if proofs and all(proof.valid for proof in proofs) else 1)


def _progress() -> "Progress":
    """A line below the others that says how many are proved and how long the rest takes; none where nobody watches."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = ("proved", BarColumn(), MofNCompleteColumn(), TextColumn("tasks in"), TimeElapsedColumn())
    # What is proved goes to standard output, which may lead elsewhere.
    return Progress(
        *(*columns, TextColumn("left:"), TimeRemainingColumn()),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
    )


def _task_count(suite: Any, names: list[str]) -> int:
    count = 0
    for name in names:
        with suppress(ValueError):  # what cannot be read is told when it is to be proved
            count += suite.task_count(name)
    return count


def _known_projects(suite: Any, asked: list[str] | None) -> list[str]:
    known = list(suite.projects())
    for name in asked or ():
        if name not in known:
            raise unknown("project", name, known)
    return [name for name in known if not asked or name in asked]


def _validate_checkout(path: Path, asked: list[str] | None, repeat: int | None, quarantine: Path | None, as_json: bool) -> None:
    """Validate projects of a checkout one after the other; the file has what was found of each as soon as it is found."""
    from benchmark.webdev.webbench.checkout import Checkout
    from benchmark.webdev.webbench.quarantine import USUAL, Quarantine
    from benchmark.webdev.webbench.suite import runnable
    from benchmark.webdev.webbench.validate import REPEAT, validate

    checkout = Checkout(path)
    projects = runnable(checkout, asked or ("*",))
    file = quarantine.expanduser().resolve() if quarantine else USUAL
    sandbox = _docker()
    # A file that cannot be read or written is told before anything is run.
    Quarantine.load(file).save(file)
    found: list[Validated] = []
    try:
        for item in projects.values():
            one = validate(item, sandbox, repeat or REPEAT, lambda line: print(line, file=sys.stderr, flush=True))
            found.append(one)
            if one.reason is None:
                Quarantine.load(file).with_rows(one.project, one.quarantined).save(file)
            if not as_json:
                print(*_lines(one), sep="\n", flush=True)
    finally:
        sandbox.close()
    data = {
        "path": str(checkout.root),
        "commit": checkout.commit,
        "quarantine": str(file),
        "ok": all(one.ok for one in found),
        "projects": [{**one.model_dump(mode="json"), "ok": one.ok} for one in found],
    }
    show(data, as_json, lambda: [f"quarantine: {file}"])
    raise typer.Exit(0 if data["ok"] else 1)


def _docker() -> Any:
    from fixtures.sandbox.docker import DockerSandbox, connect

    try:
        connect().close()
    except SetupError as error:
        raise SetupError(
            "no Docker engine answers, and Web-Bench's specs run only in Docker; start it, `assay doctor` says what is missing"
        ) from error
    return DockerSandbox()


def _lines(found: "Validated") -> Iterator[str]:
    """What came of one project, and the tests that failed, one a line."""
    from benchmark.webdev.webbench.quarantine import words

    if found.reason is not None:
        yield f"NOT RUN {found.project}: {found.reason}"
        return
    runs = "the one run" if found.runs == 1 else f"each of {found.runs} runs"
    if not found.quarantined:
        yield f"sound   {found.project}: {found.tests} tests passed in {runs}"
        return
    always, once = len(found.failing), len(found.quarantined) - len(found.failing)
    parts = [f"{always} failed in {runs}"] if always else []
    parts += [f"{once} failed in some of {found.runs} runs"] if once else []
    yield f"{'FAILING' if always else 'flaky  '} {found.project}: of {found.tests} tests {' and '.join(parts)}"
    yield from (f"        {words(row)}" for row in found.quarantined)
