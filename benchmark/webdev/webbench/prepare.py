"""What a Web-Bench project needs before its first trial: packages in the cache, and what its configuration says, read once."""

import inspect
from pathlib import Path

from benchmark.core.errors import Fault, SetupError
from benchmark.core.files import hash_json, sha256, write_whole
from benchmark.core.model import Data, Sha
from benchmark.webdev.webbench import grading
from benchmark.webdev.webbench.grading import ProjectServer, opened, server_in
from benchmark.webdev.webbench.needs import compiled
from benchmark.webdev.webbench.project import BenchProject
from fixtures.packages.packages import NoPackages, cache_folder
from fixtures.sandbox.docker import DockerSandbox


class Prepared(Data):
    """What preparing found. `lock` is the hash of the installed packages' lock file."""

    packages: str
    lock: Sha
    server: ProjectServer


def known(project: BenchProject) -> Prepared | None:
    """What preparing this very project found on this machine; None where it has not been prepared."""
    path = _path(project)
    return Prepared.model_validate_json(path.read_bytes()) if path.is_file() else None


def prepare(project: BenchProject, sandbox: DockerSandbox) -> Prepared:
    """Install the project's packages and read its configuration, each once a machine. Raises SetupError with what is wrong."""
    found = known(project)
    if found and Path(found.packages).is_dir():
        return found
    # late: costs 0.34 s (aiohttp, httpx), and packages are installed once a machine
    from fixtures.packages.npm import install_npm

    try:
        packages = install_npm(sandbox, project.wanted(), project.workspace(), compiled(project))
        with opened(sandbox, project, packages) as bench:
            bench.lay(project.reference)
            server = server_in(bench.listed())
    except (NoPackages, Fault, ValueError) as error:
        raise SetupError(f"project {project.name}: {error}") from error
    found = Prepared(packages=str(packages), lock=sha256((packages / "package-lock.json").read_bytes()), server=server)
    write_whole(_path(project), found.model_dump_json().encode())
    return found


def _path(project: BenchProject) -> Path:
    # A server's command names the folders of the grading container.
    code = sha256(inspect.getsource(grading).encode())
    key = hash_json([project.name, project.specs_hash(), project.wanted(), code])
    return cache_folder() / "webbench" / "prepared" / f"{key[:24]}.json"
