"""Load a skill: its folder as bytes, and of its SKILL.md the name and description.

Lenient where clients are lenient (DESIGN.md); what cannot be injected as it stands is refused with what to do.
"""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import yaml
from pydantic import ValidationError

from benchmark.errors import UsageError
from benchmark.files import Files, TooMuch, UnsafeName, read_tree, sha256, tree_hash
from benchmark.model import SkillRef

LARGE = 100_000


@dataclass(frozen=True)
class Skill:
    """A skill as content. `data` is the exact bytes of SKILL.md, `files` all other files by relative path.

    `folder` is the name under which a client finds it, where that is not its id.
    """

    id: str
    name: str
    description: str
    data: bytes
    files: Files = field(repr=False)
    notes: tuple[str, ...] = ()
    folder: str = ""

    @cached_property
    def ref(self) -> SkillRef:
        tree = {**self.files, "SKILL.md": self.data}
        folder = self.folder or self.id
        return SkillRef(id=self.id, tree=tree_hash(tree), sha256=sha256(self.data), size=len(self.data), folder=folder)

    @property
    def body(self) -> str:
        """SKILL.md without its frontmatter."""
        return split(self.text)[1]

    @property
    def text(self) -> str:
        """The bytes of SKILL.md as the text that enters the prompt; encoding it gives the bytes back."""
        return self.data.decode("utf-8")


def load_skill(folder: Path) -> Skill:
    """The skill in `folder`. Raises UsageError where its SKILL.md is missing, empty or not UTF-8."""
    folder = skill_folder(folder)
    path = folder / "SKILL.md"
    if not folder.is_dir():
        raise UsageError(f"no skill at {folder}: there is no such folder; give the folder that holds SKILL.md")
    if not path.is_file():
        raise UsageError(f"no skill at {folder}: it holds no SKILL.md; give the folder that holds one")
    data = path.read_bytes()
    if not data.strip():
        raise UsageError(f"{path} is empty: there is nothing to inject; write the skill first")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not UTF-8 (byte {error.start} is 0x{data[error.start]:02x}): "
            "it cannot enter a prompt byte for byte; save it as UTF-8"
        ) from None
    try:
        # A skill that is a repository of its own brings its files, not its history.
        tree = {name: content for name, content in read_tree(folder).items() if ".git" not in name.split("/")}
        skill = as_skill(folder.name, {**tree, "SKILL.md": data})
        skill.ref  # noqa: B018 — a name that no trial could have is to be told here
    except (UnsafeName, TooMuch) as error:
        raise UsageError(f"{folder} cannot be mounted: {error}") from error
    except ValidationError:
        raise UsageError(f"{folder}: a skill's name, its folder's, has no spaces and none of / @ [ ] :; rename it") from None
    return skill


def skill_folder(path: Path) -> Path:
    """The folder that is meant by the path of a skill's folder or of its SKILL.md."""
    return (path.parent if path.name == "SKILL.md" else path).resolve()


def as_skill(skill_id: str, tree: Files, folder: str = "") -> Skill:
    """The skill whose files are `tree`; its SKILL.md must be UTF-8. `folder` where clients find it under another name."""
    data = tree["SKILL.md"]
    head = _frontmatter(data.decode("utf-8"))
    files = {name: content for name, content in tree.items() if name != "SKILL.md"}
    name, description = str(head.get("name") or skill_id), str(head.get("description") or "")
    return Skill(skill_id, name, description, data, files, _notes(data, head), folder)


def split(text: str) -> tuple[str, str]:
    """A SKILL.md's frontmatter, without its fences, and the body after it; without a frontmatter all is body."""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    if lines and lines[0].rstrip() == "---":
        for index, line in enumerate(lines[1:], start=1):
            if line.rstrip() == "---":
                return "".join(lines[1:index]), "".join(lines[index + 1 :])
    return "", text


def _frontmatter(text: str) -> dict[object, object]:
    try:
        head = yaml.safe_load(split(text)[0])
    except (yaml.YAMLError, ValueError, RecursionError):
        # PyYAML lets through what its constructors raise, such as ValueError for a date that is none.
        return {}
    return head if isinstance(head, dict) else {}


def _notes(data: bytes, head: dict[object, object]) -> tuple[str, ...]:
    notes = []
    if b"\r\n" in data:
        notes.append("has CRLF line ends; they enter the prompt as they are and count as bytes")
    if data.startswith(b"\xef\xbb\xbf"):
        notes.append("starts with a byte order mark; some clients do not load it")
    if len(data) > LARGE:
        notes.append(f"is {len(data):,} bytes, about {len(data) // 4:,} tokens in every request")
    if not head.get("description"):
        notes.append("has no description in its frontmatter; clients would not list it")
    return tuple(notes)


def find_skills(folder: Path) -> list[Path]:
    """The skill folders in and below `folder`, by path."""
    return sorted(path.parent for path in folder.rglob("SKILL.md"))
