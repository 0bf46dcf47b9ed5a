import io
import os
import tarfile

import pytest

from benchmark.core import files
from benchmark.core.files import TooMuch, UnsafeName, listing, pack, read_tree, safe_name, sha256, tree_hash, unpack, write_tree


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("index.html", "index.html"),
        ("./a//b/./c.js", "a/b/c.js"),
        ("a/house rules.txt", "a/house rules.txt"),
        ("ünï/日本.css", "ünï/日本.css"),
        ("..hidden/..x", "..hidden/..x"),
        ("lib/.skills/x", "lib/.skills/x"),
        ("a" * 240, "a" * 240),
        ("/".join("a" * 16), "/".join("a" * 16)),
    ],
)
def test_names_within_the_workspace_are_put_into_plain_form(name, plain):
    assert safe_name(name) == plain


@pytest.mark.parametrize(
    "name",
    [
        "..",
        "../x",
        "a/../../x",
        "a/..",
        "/etc/passwd",
        "//x",
        "a\\b",
        "..\\x",
        "C:\\x",
        "a\nb",
        "a\0b",
        "\x1b[31m",
        "a\x7fb",
        "a\x85b",
        "a\udcffb",
        "",
        " ",
        ".",
        "./",
        " a",
        "a ",
        ".skills",
        ".skills/x/SKILL.md",
        "./.skills/x",
        "node_modules/x",
        "node_modules",
        "a" * 241,
        "é" * 121,
        "/".join("a" * 17),
    ],
)
def test_unsafe_names_are_refused(name):
    with pytest.raises(UnsafeName):
        safe_name(name)


def test_a_tree_is_written_and_read_back(tmp_path):
    tree = {"a/b.bin": bytes(range(256)), "index.html": b"", "z.txt": b"z"}
    write_tree(tmp_path, tree)
    assert read_tree(tmp_path) == tree


def test_nothing_is_written_when_one_name_is_unsafe(tmp_path):
    with pytest.raises(UnsafeName):
        write_tree(tmp_path, {"good.txt": b"x", "../bad.txt": b"x"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["link", "link/x", "deep/link/x"])
def test_links_in_the_way_are_refused(tmp_path, name):
    outside, work = tmp_path / "outside", tmp_path / "work"
    outside.mkdir()
    (work / "deep").mkdir(parents=True)
    (work / "link").symlink_to(outside)
    (work / "deep/link").symlink_to(outside)
    with pytest.raises(UnsafeName, match="link"):
        write_tree(work, {"first": b"x", name: b"x"})
    assert list(outside.iterdir()) == []
    assert not (work / "first").exists()


def test_a_dangling_link_in_the_way_is_refused(tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    (work / "a").symlink_to(tmp_path / "made")
    with pytest.raises(UnsafeName):
        write_tree(work, {"a": b"x"})
    assert not (tmp_path / "made").exists()


def test_the_folder_itself_may_be_reached_by_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    write_tree(tmp_path / "alias", {"a": b"x"})
    assert (tmp_path / "real/a").read_bytes() == b"x"


@pytest.mark.parametrize("tree", [{"a": b"", "a/b": b""}, {"old/x": b""}, {"folder": b""}, {"pipe": b""}])
def test_files_and_folders_in_each_others_place_are_refused(tmp_path, tree):
    (tmp_path / "old").write_bytes(b"a file")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnsafeName):
        write_tree(tmp_path, tree)


def test_reading_leaves_out_links_special_files_and_what_stands_apart(tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"key")
    work = tmp_path / "work"
    for folder in (".skills/x", "node_modules/y", "src/.skills", "real"):
        (work / folder).mkdir(parents=True)
        (work / folder / "f").write_bytes(b"1")
    (work / "link").symlink_to(secret)
    (work / "folder-link").symlink_to(tmp_path)
    os.mkfifo(work / "pipe")
    assert list(read_tree(work)) == ["real/f", "src/.skills/f"]


def test_reading_stops_at_the_limits(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_FILES", 3)
    monkeypatch.setattr(files, "MAX_BYTES", 10)
    write_tree(tmp_path, {"a": b"1234", "b": b"1234", "c": b"12"})
    assert len(read_tree(tmp_path)) == 3
    (tmp_path / "d").write_bytes(b"")
    with pytest.raises(TooMuch):
        read_tree(tmp_path)
    (tmp_path / "d").unlink()
    (tmp_path / "c").write_bytes(b"123")
    with pytest.raises(TooMuch):
        read_tree(tmp_path)


def test_a_name_that_is_no_utf8_is_refused_when_read(tmp_path):
    with open(os.fsencode(tmp_path) + b"/\xff.txt", "wb"):  # noqa: PTH123
        pass
    with pytest.raises(UnsafeName):
        read_tree(tmp_path)


def test_check_size_counts_files_and_bytes():
    files.check_size({"a": b"x" * files.MAX_BYTES})
    with pytest.raises(TooMuch):
        files.check_size({"a": b"x" * files.MAX_BYTES, "b": b"x"})
    with pytest.raises(TooMuch):
        files.check_size({str(at): b"" for at in range(files.MAX_FILES + 1)})


def test_pack_and_unpack_give_the_tree_back():
    tree = {"a/b.txt": b"hello", "z": b"", "long/" + "n" * 200: b"x"}
    assert unpack(pack(tree)) == dict(sorted(tree.items()))


def test_pack_refuses_unsafe_names():
    with pytest.raises(UnsafeName):
        pack({"../x": b""})


def tar(*entries: tarfile.TarInfo | tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for entry in entries:
            info, data = (tarfile.TarInfo(entry[0]), entry[1]) if isinstance(entry, tuple) else (entry, b"")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def test_unpack_keeps_regular_files_only():
    data = tar(
        ("./good.txt", b"good"),
        special("link", tarfile.SYMTYPE, "/etc/passwd"),
        special("hard", tarfile.LNKTYPE, "good.txt"),
        special("device", tarfile.CHRTYPE),
        special("block", tarfile.BLKTYPE),
        special("pipe", tarfile.FIFOTYPE),
        special("folder", tarfile.DIRTYPE),
        (".skills/x/SKILL.md", b"skill"),
        ("./node_modules/x", b"package"),
        (".", b""),
    )
    assert unpack(data) == {"good.txt": b"good"}


@pytest.mark.parametrize("name", ["../x", "/etc/cron.d/x", "a/../../x", "a\\b", "a\tb"])
def test_unpack_refuses_unsafe_names(name):
    with pytest.raises(UnsafeName):
        unpack(tar(("ok", b""), (name, b"x")))


def test_unpack_refuses_a_name_that_is_no_utf8():
    with pytest.raises(UnsafeName):
        unpack(tar(("a\udcff", b"x")))


def test_unpack_refuses_too_many_files():
    assert len(unpack(tar(*((f"{at}", b"") for at in range(files.MAX_FILES))))) == files.MAX_FILES
    with pytest.raises(TooMuch):
        unpack(tar(*((f"{at}", b"") for at in range(files.MAX_FILES + 1))))


def test_unpack_refuses_too_many_bytes(monkeypatch):
    monkeypatch.setattr(files, "MAX_BYTES", 10)
    assert len(unpack(tar(("a", b"12345"), ("b", b"12345")))) == 2
    with pytest.raises(TooMuch):
        unpack(tar(("a", b"12345"), ("b", b"123456")))


def test_unpack_counts_a_sparse_file_before_it_reads_it():
    # A GNU sparse entry of 512 data-less bytes that would be read as 1 TiB of zeros.
    info = special("bomb", tarfile.GNUTYPE_SPARSE)
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[386:410] = b"00000000000\0" + b"00000000000\0"
    header[483:495] = b"\x80" + (1 << 40).to_bytes(11, "big")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    with pytest.raises(TooMuch):
        unpack(bytes(header) + bytes(1024))


def test_a_tree_hash_is_that_of_its_listing_and_ignores_order():
    one, other = {"a": b"1", "b": b"2"}, {"b": b"2", "a": b"1"}
    assert tree_hash(one) == tree_hash(other) == sha256(listing(one))
    assert len({tree_hash(tree) for tree in (one, {"a": b"1"}, {"a": b"2", "b": b"1"}, {"a": b"1", "c": b"2"})}) == 4


def test_hash_json_is_canonical():
    assert files.hash_json({"b": 1, "a": "ü"}) == sha256('{"a":"ü","b":1}'.encode()) == files.hash_json({"a": "ü", "b": 1})


def test_names_lists_a_few():
    assert files.names(["b", "a"]) == "a, b"
    assert files.names(map(str, range(7))) == "0, 1, 2, 3, 4 and 2 more"
