"""`assay clean`: what processes that are gone left behind."""

from collections.abc import Iterator

from benchmark.cli.console import Json, show
from benchmark.core.errors import SetupError
from benchmark.core.temporary import remove_abandoned
from fixtures.sandbox.docker import reap


def clean(as_json: Json = False) -> None:
    """Remove containers and temporary folders whose process is gone, and only those."""
    folders = [str(folder) for folder in remove_abandoned()]
    containers: list[str] = []
    without = None
    try:
        containers = reap()
    except SetupError as error:
        without = str(error)  # a machine without an engine has folders all the same

    def lines() -> Iterator[str]:
        yield f"removed: containers without a worker {len(containers)}, temporary folders without an owner {len(folders)}"
        if without:
            yield f"containers were not looked for: {without}"

    show({"removed": containers, "folders": folders}, as_json, lines)
