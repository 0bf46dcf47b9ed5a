"""Load a skill: its folder as bytes, and of its SKILL.md the name and description.

Loading is lenient where any client is (DESIGN.md); what is wrong is told as diagnostics. What cannot be injected as it stands
is refused by `usable`, with what to do.
"""

import os
import unicodedata
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from benchmark.core.errors import UsageError
from benchmark.core.files import APART, Files, TooMuch, UnsafeName, read_tree, safe_name, sha256, tree_hash
from benchmark.core.model import SkillRef
from skills.parsing import frontmatter
from skills.parsing.diagnose import LARGE as LARGE
from skills.parsing.diagnose import diagnose, is_utf16, lenient
from skills.parsing.frontmatter import split
from skills.parsing.rules import Diagnostic, visible

#: The longest name that a trial's can have in it (`benchmark.core.model.Name`).
LONGEST = 100


@dataclass(frozen=True)
class Skill:
    """A skill as content. `data` is the exact bytes of SKILL.md, `files` all other files by relative path.

    `folder` is the name under which a client finds it, where that is not its id. `source` is the file that was read, None for
    a skill that comes from elsewhere; `links` are the entries of its folder that are links and were not read.
    """

    id: str
    name: str
    description: str
    data: bytes
    files: Files = field(repr=False)
    folder: str = ""
    links: tuple[str, ...] = field(default=(), compare=False)
    source: Path | None = field(default=None, compare=False, repr=False)

    @cached_property
    def ref(self) -> SkillRef:
        tree = {**self.files, "SKILL.md": self.data}
        folder = self.folder or self.id
        return SkillRef(id=self.id, tree=tree_hash(tree), sha256=sha256(self.data), size=len(self.data), folder=folder)

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All that is to be said of it, by line. Found when first asked for: a plan makes thousands of skills."""
        name = self.source.name if self.source else "SKILL.md"
        return diagnose(self.data, self.folder or self.id, self.files, self.links, name)

    @property
    def body(self) -> str:
        """SKILL.md without its frontmatter; bytes that are not UTF-8 are U+FFFD in it."""
        return split(lenient(self.data))[1]

    @property
    def text(self) -> str:
        """The bytes of SKILL.md as the text that enters the prompt; encoding it gives the bytes back.

        Raises UnicodeDecodeError where they are not UTF-8 (see `usable`).
        """
        return self.data.decode("utf-8")


def load_skill(folder: Path) -> Skill:
    """The skill in `folder`, whatever is wrong with it. Raises UsageError where it holds no SKILL.md or cannot be mounted."""
    folder = skill_folder(folder)
    shown = visible(str(folder))
    if not folder.is_dir():
        raise UsageError(f"no skill at {shown}: there is no such folder; give the folder that holds SKILL.md")
    if fault := _unnameable(folder.name):
        raise UsageError(f"{shown}: {fault}; rename it")
    try:
        path = skill_file(folder)
        if path is None:
            raise UsageError(f"no skill at {shown}: it holds no SKILL.md; give the folder that holds one")
        data = path.read_bytes()
        # A skill that is a repository of its own brings its files, not its history.
        tree = {name: content for name, content in read_tree(folder).items() if ".git" not in name.split("/")}
        tree.pop(path.name, None)
        for name in (*tree, "SKILL.md"):
            safe_name(f"{folder.name}/{name}")
    except OSError as error:
        what = visible(str(error.filename or folder))
        raise UsageError(f"{what} cannot be read: {error.strerror}; see to its permissions") from error
    except (UnsafeName, TooMuch) as error:
        raise UsageError(f"{shown} cannot be mounted: {error}") from error
    return as_skill(folder.name, {**tree, "SKILL.md": data}, links=_links(folder), source=path)


def _unnameable(name: str) -> str | None:
    """Why a folder's name cannot be that of a skill, or None where it can."""
    if len(name) > LONGEST:
        return f"a skill's name, its folder's, may have {LONGEST} characters and has {len(name)}"
    if odd := sorted({visible(char) for char in name if unicodedata.category(char) in ("Cc", "Cs")}):
        return f"a skill's name, its folder's, must be visible and has {', '.join(odd)}"
    if any(char.isspace() or char in "/@[]:" for char in name):
        return "a skill's name, its folder's, has no spaces and none of / @ [ ] :"
    return None


def usable(skill: Skill) -> Skill:
    """The skill, if it can be injected as it stands.

    Raises UsageError where its SKILL.md is empty, not UTF-8, or called otherwise than clients find it.
    """
    path, data = skill.source or skill.id, skill.data
    if skill.source and skill.source.name != "SKILL.md":
        raise UsageError(f"{path} is not called SKILL.md: clients would not find it; rename it")
    if not data.strip():
        raise UsageError(f"{path} is empty: there is nothing to inject; write the skill first")
    try:
        data.decode("utf-8")
        if is_utf16(data):
            raise UsageError(f"{path} is UTF-16: it cannot enter a prompt byte for byte; save it as UTF-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not UTF-8 (byte {error.start} is 0x{data[error.start]:02x}): "
            "it cannot enter a prompt byte for byte; save it as UTF-8"
        ) from None
    return skill


def skill_folder(path: Path) -> Path:
    """The folder that is meant by the path of a skill's folder or of its SKILL.md.

    One that is a link goes by the link's name, as it does with clients.
    """
    folder = path.parent if path.name.lower() == "skill.md" and not path.is_dir() else path
    return folder.parent.resolve() / folder.name if folder.name not in ("", "..") else folder.resolve()


def skill_file(folder: Path) -> Path | None:
    """The SKILL.md of a folder, or what is called so but for the case of its letters; None where there is none."""
    # Asked of the folder: some file systems find a file under any case.
    names = [entry.name for entry in os.scandir(folder) if entry.name.lower() == "skill.md" and entry.is_file()]
    best = min(names, key=lambda name: (name != "SKILL.md", name != "skill.md", name), default=None)
    return folder / best if best else None


def as_skill(skill_id: str, tree: Files, folder: str = "", links: tuple[str, ...] = (), source: Path | None = None) -> Skill:
    """The skill whose files are `tree`. `folder` where clients find it under another name; `links`, `source` as in `Skill`."""
    data = tree["SKILL.md"]
    head = frontmatter.read("" if is_utf16(data) else lenient(data))
    files = {name: content for name, content in tree.items() if name != "SKILL.md"}
    return Skill(skill_id, head.name or skill_id, head.description, data, files, folder, links, source)


def find_skills(folder: Path, *, links: bool = True) -> list[Path]:
    """The skill folders in and below `folder`, by path; those whose SKILL.md is called so but for its case are among them, and
    with `links` those that are links to a skill's folder."""
    found: list[Path] = []
    for path, folders, names in os.walk(folder):
        here = Path(path)
        # Within a skill another case is but a page.
        if "SKILL.md" in names or (
            any(name.lower() == "skill.md" for name in names) and not any(above in found for above in here.parents)
        ):
            found.append(here)
        if links and not any(above in found for above in (here, *here.parents)):
            found += [here / name for name in folders if (here / name).is_symlink() and skill_file(here / name)]
    return sorted(found)


def _links(folder: Path) -> tuple[str, ...]:
    """The links below a skill's folder, by name; they are not followed."""
    links: list[str] = []
    for path, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in (".git", *APART)]
        here = Path(path)
        links += [(here / name).relative_to(folder).as_posix() for name in (*folders, *names) if (here / name).is_symlink()]
    return tuple(sorted(links))
