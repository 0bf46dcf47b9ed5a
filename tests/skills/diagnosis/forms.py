"""The forms that a SKILL.md can have, as folders of skills: our own loader and real clients are asked about the same bytes."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmark.core.files import hash_json, sha256
from skills.parsing.parse import Skill, load_skill

MATRIX = Path(__file__).parents[1] / "parsing" / "parser_matrix.toml"
PLAIN = "What it does."
CASES: list[dict[str, Any]] = tomllib.loads(MATRIX.read_text(encoding="utf-8"))["cases"]


@dataclass(frozen=True)
class Form:
    """One case of the matrix, laid out below a directory of skills.

    `folder` is the name of its folder there, unique among the forms but for those that are about that name; `files` and
    `links` (path → target) are below the directory. `ran` is what its body shows where a client has run the command in it;
    `meant` the description that its author gave it, whatever is made of it, and `body` its body from the first heading on.
    """

    id: str
    folder: str
    files: Mapping[str, bytes]
    links: Mapping[str, str] = field(default_factory=dict)
    ran: str | None = None
    meant: str = ""
    body: str | None = None

    @cached_property
    def digest(self) -> str:
        """The hash of all that clients are shown of it."""
        files = {name: sha256(data) for name, data in self.files.items()}
        return hash_json([self.folder, files, dict(self.links), self.ran, self.meant])[:16]

    def lay_out(self, directory: Path) -> None:
        """Write it below a directory of skills."""
        for name, data in self.files.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        for name, target in self.links.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(target)

    def read(self, directory: Path) -> Skill:
        """It as our own loader reads it where it is laid out."""
        return load_skill(directory / self.folder)


def filled(case: Mapping[str, Any], text: str) -> str:
    """A text of the case with its `fill` put in."""
    character, count = case.get("fill", ("@", 1))
    return text.replace("@", character * count)


def form(case: Mapping[str, Any]) -> Form:
    """The case with a name and a body of its own, so that many can lie in one directory."""
    own = f"demo-{sha256(case['id'].encode())[:6]}"

    def unique(text: str) -> str:
        return filled(case, text).replace("demo", own).replace("# Body", f"# Body of {own}")

    folder = unique(case.get("folder", "demo"))
    # Clients find skills in folders that are not hidden; what a link leads to lies in one that is.
    place = f".elsewhere/{own}" if case.get("linked") == "folder" else folder
    files = {f"{place}/{name}": unique(text).encode() for name, text in case.get("files", {}).items()}
    links: dict[str, str] = {f"{place}/{name}": unique(target) for name, target in case.get("links", {}).items()}
    if case.get("linked") == "folder":
        links[folder] = place
    main = case.get("filename", "SKILL.md")
    if case.get("linked") == "file":
        links[f"{folder}/{main}"] = f"../.elsewhere/{own}.md"
        place, main = ".elsewhere", f"{own}.md"
    files[f"{place}/{main}"] = unique(case["text"]).encode(case.get("encoding", "utf-8"))
    meant = case["description"] or (PLAIN if PLAIN in case["text"] else "")
    _, mark, rest = case["text"].partition("# Body")
    body = unique(mark + rest) if mark else None
    return Form(case["id"], folder, files, links, case.get("ran"), unique(case.get("meant", meant)), body)


def forms() -> list[Form]:
    """All forms, in the order of the matrix."""
    return [form(case) for case in CASES]
