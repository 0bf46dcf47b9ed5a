"""Adding skills from folders and from real git repositories, some of which mean harm."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from benchmark.core.errors import SetupError, UsageError
from benchmark.core.files import MAX_BYTES, sha256
from skills.diagnosis.leaks import Passage
from skills.provenance import git
from skills.provenance.add import add, added_lines
from skills.provenance.lock import LOCK, check_lock, load_lock
from skills.provenance.source import SourceRequest, read_source
from tests.factory import skill, write_skill

MIT = b"MIT License\n\nCopyright (c) 2026 tester\n"
WHO = {
    "GIT_AUTHOR_NAME": "tester",
    "GIT_AUTHOR_EMAIL": "tester@example.org",
    "GIT_COMMITTER_NAME": "tester",
    "GIT_COMMITTER_EMAIL": "tester@example.org",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}


class Repo:
    """A real repository in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *args: str) -> str:
        done = subprocess.run(
            ["git", *args], cwd=self.folder, env={**os.environ, **WHO}, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def write(self, name: str, data: bytes = b"") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def commit(self, *skills: str, **files: bytes) -> str:
        """Commit these skills, by their folders, and these files; the commit."""
        for name in skills:
            self.write(f"{name}/SKILL.md", skill(Path(name).name).data)
        for name, data in files.items():
            self.write(name, data)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "more")
        return self.git("rev-parse", "HEAD")

    @property
    def url(self) -> str:
        return f"file://{self.folder}"


@pytest.fixture
def repo(tmp_path) -> Repo:
    return Repo(tmp_path / "theirs")


@pytest.fixture
def into(tmp_path) -> Path:
    folder = tmp_path / "place" / "collection"
    folder.mkdir(parents=True)
    return folder


def refusal(into: Path, source: object, **more: str) -> str:
    """What a failed add says in one line; it has left nothing behind."""
    before = sorted(path.relative_to(into.parent) for path in into.parent.rglob("*"))
    with pytest.raises(UsageError) as caught:
        add(str(source), into, **more)  # type: ignore[arg-type]
    assert sorted(path.relative_to(into.parent) for path in into.parent.rglob("*")) == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_folder_is_taken_as_it_lies_there(tmp_path, into):
    folder = write_skill(tmp_path, skill("mine", files={"LICENSE": MIT, "references/a.md": b"a\r\n"}))
    added = add(str(folder), into)
    row = load_lock(into)["mine"]
    assert (row.source, row.commit, row.path, row.licence, row.files) == ("local:mine", None, ".", "MIT", 3)
    assert (into / "mine" / "references" / "a.md").read_bytes() == b"a\r\n"
    assert (into / "mine" / "SKILL.md").read_bytes() == (folder / "SKILL.md").read_bytes()
    assert added.new and added.row == row and added.warnings == () and added.near == () and added.leaks == ()
    assert check_lock(into) == [] and [path.name for path in into.parent.iterdir()] == ["collection"]


def test_a_repository_is_pinned_by_its_commit(repo, into):
    commit = repo.commit("skills/one", "skills/two", LICENSE=MIT)
    added = add(f"{repo.url}#skills/two", into)
    assert (added.row.source, added.row.commit, added.row.path) == ("local:theirs", commit, "skills/two")
    assert (added.row.licence, added.row.sha256) == ("MIT", sha256(skill("two").data))
    assert [path.name for path in sorted(into.iterdir())] == [LOCK, "two"]
    assert check_lock(into) == []


def test_a_branch_a_tag_and_a_part_of_a_commit_are_revisions(repo, into):
    first = repo.commit("one")
    repo.git("tag", "--annotate", "v1", "--message", "first")
    repo.git("checkout", "--quiet", "-b", "next/step")
    second = repo.commit("two")
    repo.git("checkout", "--quiet", "main")
    assert add(f"{repo.folder}@next/step#two", into).row.commit == second
    assert add(f"{repo.url}@v1", into).row.commit == first
    for at, revision in enumerate((second, second[:9])):
        other = into / str(at)
        other.mkdir()
        assert add(repo.url, other, path="two", commit=revision).row.commit == second
    assert "theirs cannot be fetched at v2: couldn't find remote ref v2" in refusal(into, f"{repo.url}@v2")
    assert f"theirs cannot be fetched at {'0' * 40}: " in refusal(into, f"{repo.url}@{'0' * 40}")


def test_a_bare_repository_and_a_repository_that_is_a_skill(repo, tmp_path, into):
    repo.commit(**{"SKILL.md": skill("theirs").data, "LICENSE": MIT})
    repo.git("clone", "--quiet", "--bare", str(repo.folder), str(tmp_path / "hub" / "rules.git"))
    assert add(str(tmp_path / "hub" / "rules.git"), into).skill.id == "rules"
    added = add(str(repo.folder), into)
    assert (added.skill.id, added.row.path, added.row.licence) == ("theirs", ".", "MIT")
    assert [near.id for near in added.near] == ["rules"]
    assert any("near duplicate of rules" in line for line in added_lines(added))


def test_a_local_repository_names_where_it_was_cloned_from_without_passwords(repo, into):
    repo.commit("one", "two")
    repo.git("remote", "add", "origin", "https://tester:secret@example.org/tester/skills.git")
    assert add(f"{repo.folder}#one", into).row.source == "https://example.org/tester/skills.git"
    repo.git("remote", "set-url", "origin", str(repo.folder.parent / "elsewhere"))
    assert add(f"{repo.folder}#two", into).row.source == "local:theirs"


def test_what_is_not_committed_is_not_taken_for_the_commit(repo, into):
    commit = repo.commit("one")
    repo.write("one/SKILL.md", skill("one").data + b"more")
    repo.write("one/references/new.md")
    said = refusal(into, repo.folder)
    assert "differs from what is committed (SKILL.md, references/new.md); commit it" in said
    added = add(f"{repo.folder}@HEAD", into)
    assert added.row.commit == commit and added.skill.data == skill("one").data


def test_several_skills_ask_for_a_path_and_none_says_what_there_is(repo, tmp_path, into):
    repo.commit("skills/one", "skills/two", "three", **{"docs/a.md": b""})
    assert "has 3 skills: skills/one, skills/two, three; say which with #PATH" in refusal(into, repo.url)
    assert "has 2 skills: skills/one, skills/two;" in refusal(into, f"{repo.url}#skills")
    assert "no skill at docs in local:theirs; it has skills at skills/one, skills/two, three" in refusal(
        into, repo.url, path="docs"
    )
    assert add(repo.url, into, path="skills/one/SKILL.md").skill.id == "one"
    (tmp_path / "empty").mkdir()
    assert refusal(into, tmp_path / "empty") == "no skill at . in local:empty: there is no SKILL.md in it"


def test_a_skill_within_a_skill_is_not_taken_along(repo, into):
    repo.commit(**{"SKILL.md": skill("theirs").data, "skills/one/SKILL.md": skill("one").data})
    assert "holds skills within the skill (skills/one)" in refusal(into, repo.url)
    assert add(f"{repo.url}#skills/one", into).skill.id == "one"


def test_links_and_submodules_are_left_out_and_named(repo, tmp_path, into):
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret")
    inner = Repo(tmp_path / "inner")
    inner.commit("inner-skill")
    (repo.folder / "one").mkdir()
    (repo.folder / "one" / "notes.md").symlink_to(secret)
    (repo.folder / "one" / "outside").symlink_to(tmp_path)
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.folder), "one/sub")
    repo.commit("one", LICENSE=MIT)
    for source in (repo.url, str(repo.folder)):
        added = add(source, into)
        assert added.warnings == ("left out, for links and submodules are not followed: notes.md, outside, sub",)
        assert [path.name for path in (into / "one").iterdir()] == ["SKILL.md"]
        shutil.rmtree(into / "one")
        (into / LOCK).unlink()
    (repo.folder / "two").mkdir()
    (repo.folder / "two" / "SKILL.md").symlink_to(secret)
    repo.commit()
    assert "the SKILL.md at two is a link or no plain file" in refusal(into, f"{repo.url}#two")


def test_a_link_in_a_folder_is_not_followed_either(tmp_path, into):
    (tmp_path / "secret.txt").write_text("a secret")
    folder = write_skill(tmp_path, skill("mine"))
    (folder / "notes.md").symlink_to(tmp_path / "secret.txt")
    added = add(str(folder), into, licence="MIT")
    assert added.warnings == ("left out, for links and submodules are not followed: notes.md",)
    (folder / "SKILL.md").rename(tmp_path / "moved.md")
    (folder / "SKILL.md").symlink_to(tmp_path / "moved.md")
    shutil.rmtree(into / "mine")
    (into / LOCK).unlink()
    assert "is a link or no plain file" in refusal(into, folder)


def test_nothing_of_the_repository_is_run(repo, tmp_path, into):
    ran = tmp_path / "ran"
    repo.commit("one", **{".gitattributes": b"* filter=evil\n", "one/.gitattributes": b"* filter=evil\n"})
    for name in ("post-checkout", "post-merge", "pre-commit", "reference-transaction", "post-index-change", "fsmonitor"):
        hook = repo.write(f".git/hooks/{name}", f"#!/bin/sh\ntouch {ran}\n".encode())
        hook.chmod(0o755)
    for setting in (
        "core.fsmonitor",
        "filter.evil.smudge",
        "filter.evil.clean",
        "uploadpack.packObjectsHook",
        "core.sshCommand",
    ):
        repo.git("config", setting, str(repo.folder / ".git" / "hooks" / "fsmonitor"))
    repo.git("status")
    assert ran.exists()
    ran.unlink()
    assert add(str(repo.folder), into).skill.id == "one"
    assert not ran.exists() and (into / "one" / ".gitattributes").is_file()


def test_a_huge_file_is_refused_before_it_is_read(repo, tmp_path, into):
    (repo.folder / "one").mkdir()
    with (repo.folder / "one" / "huge.bin").open("wb") as huge:
        huge.truncate(MAX_BYTES + 1)
    shutil.copytree(repo.folder / "one", tmp_path / "lying")
    (tmp_path / "lying" / "SKILL.md").write_bytes(skill("lying").data)
    repo.commit("one", "two")
    assert "the skill at one is not to be mounted: more than 2000 files or 33554432 bytes" in refusal(into, f"{repo.url}#one")
    assert "more than 2000 files" in refusal(into, tmp_path / "lying")
    assert add(f"{repo.url}#two", into).skill.id == "two"


def test_a_file_that_no_sandbox_could_have_is_refused(repo, into):
    repo.commit("one", **{"one/a\\b.md": b""})
    assert "the skill at one is not to be mounted: 'a\\\\b.md' is not a usable file name" in refusal(into, repo.url)


def test_a_name_is_taken_once(repo, tmp_path, into):
    commit = repo.commit("one", LICENSE=MIT)
    assert add(repo.url, into).new
    again = add(repo.url, into)
    assert not again.new and again.row.commit == commit
    assert next(added_lines(again)).startswith(
        f"one: is there already; from local:theirs at {commit[:12]}, one; SKILL.md 400 bytes"
    )
    repo.write("one/SKILL.md", skill("one", 500).data)
    repo.commit()
    assert f"the name one is taken: {into / 'one'} is that of local:theirs at {commit[:12]} skill" in refusal(into, repo.url)
    assert load_lock(into)["one"].commit == commit
    assert "the name one is taken" in refusal(into, write_skill(tmp_path / "other", skill("one", 600)))


def test_a_proprietary_skill_is_refused_unless_somebody_answers_for_it(repo, into):
    text = b"---\nname: docs\ndescription: d\nlicense: Proprietary. LICENSE.txt has complete terms\n---\nBody.\n"
    repo.commit(**{"docs/SKILL.md": text, "LICENSE": MIT})
    said = refusal(into, repo.url)
    assert "docs is not to be copied: its frontmatter says 'Proprietary. LICENSE.txt has complete terms'" in said
    assert add(repo.url, into, licence="by contract").row.licence == "by contract"
    assert "is no name" in refusal(into, repo.url, licence=" ")


def test_an_unknown_licence_is_told(tmp_path, into):
    added = add(str(write_skill(tmp_path, skill("mine"))), into)
    assert added.row.licence == "unknown"
    (warning,) = added.warnings
    assert warning.startswith("its licence is unknown (nothing says under which licence it is)")
    assert f"warning: {warning}" in list(added_lines(added))


def test_diagnostics_and_leaks_are_told(tmp_path, into):
    data = b"---\nname: other\ndescription: d\n---\nRead references/none.md.\nEvery price stands at the foot of its card.\n"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "SKILL.md").write_bytes(data)
    task = Passage("shop", "instruction of task 01", "Every price stands at the foot of its card.")
    added = add(str(tmp_path / "mine"), into, passages=[task])
    assert [leak.passage for leak in added.leaks] == [task]
    assert "name-dir" in {item.code for item in added.skill.diagnostics}
    lines = list(added_lines(added))
    assert any(line.startswith("mine/SKILL.md:6: has words of shop, ") for line in lines)
    assert any("[name-dir]" in line for line in lines)


def test_what_cannot_be_injected_is_refused(tmp_path, into):
    for name, data, why in (("empty", b"", "is empty"), ("latin", b"\xe9", "is not UTF-8")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_bytes(data)
        said = refusal(into, tmp_path / name)
        assert said.startswith(f"local:{name}: {name}/SKILL.md {why}")
    (tmp_path / "two words").mkdir()
    (tmp_path / "two words" / "SKILL.md").write_bytes(skill().data)
    assert "has no spaces" in refusal(into, tmp_path / "two words")


def test_a_lock_that_cannot_be_written_leaves_no_skill_behind(tmp_path, into):
    folder = write_skill(tmp_path, skill("mine"))
    (into / LOCK).mkdir()
    said = refusal(into, folder)
    assert said.startswith(f"nothing was added to {into}: Is a directory")


@pytest.mark.parametrize(
    "source, said",
    [
        ("--upload-pack=touch ran", "is neither a folder nor the address"),
        ("nowhere/at/all", "no folder at nowhere/at/all, and that is no address of a git repository either"),
        ("", "is neither a folder"),
        ("ext::sh -c touch% ran", "transport 'ext' not allowed"),
        ("file:///nowhere/skills.git", "file:///nowhere/skills.git cannot be fetched at HEAD: '/nowhere/skills.git' does not"),
        ("https://example.org/a.git@--exec#x", "is no revision"),
        ("https://example.org/a.git@a:b", "is no revision"),
        ("https://example.org/a.git#../up", "leads out of"),
    ],
)
def test_what_is_no_source_is_told(into, source, said):
    assert said in refusal(into, source)


def test_a_folder_that_is_no_repository_has_no_revision(tmp_path, into):
    folder = write_skill(tmp_path, skill("mine"))
    assert f"{folder} is no git repository and has no main" in refusal(into, f"{folder}@main")
    with pytest.raises(UsageError, match="give the folder of a collection"):
        add(str(folder), into / "none")


def test_a_server_that_never_answers_is_given_up(into, monkeypatch):
    monkeypatch.setattr(git, "SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/skills.git"
        assert "git fetch took more than" in refusal(into, address)


def test_git_that_is_not_installed_is_told(repo, into, tmp_path, monkeypatch):
    repo.commit("one")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match="git is not installed"):
        add(str(repo.folder), into)


@pytest.mark.parametrize(
    "text, asked",
    [
        ("https://example.org/a/b.git", ("https://example.org/a/b.git", None, None)),
        ("https://example.org/a/b@v1#skills/x", ("https://example.org/a/b", "v1", "skills/x")),
        ("https://me@example.org/a/b@feature/x", ("https://me@example.org/a/b", "feature/x", None)),
        ("https://me@example.org", ("https://me@example.org", None, None)),
        ("https://example.org/@scope/b", ("https://example.org/@scope/b", None, None)),
        ("git@example.org:a/b.git", ("git@example.org:a/b.git", None, None)),
        ("git@example.org:a/b.git@v1#x/", ("git@example.org:a/b.git", "v1", "x")),
        ("../skills@main#.", ("../skills", "main", ".")),
        ("../skills#", ("../skills", None, None)),
    ],
)
def test_a_source_is_a_place_a_revision_and_a_path(text, asked):
    assert read_source(text) == SourceRequest(*asked)


def test_a_folder_with_these_signs_in_its_name_is_meant_first(tmp_path):
    (tmp_path / "a@b#c").mkdir()
    assert read_source(f"{tmp_path}/a@b#c") == SourceRequest(f"{tmp_path}/a@b#c", None, None)
    assert read_source(f"{tmp_path}/a@b#c", path="x", commit="v1") == SourceRequest(f"{tmp_path}/a@b#c", "v1", "x")
    with pytest.raises(UsageError, match="say it once"):
        read_source("https://example.org/a@v1", commit="v2")
