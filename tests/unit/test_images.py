"""Locks, layers, archives and pins, without an engine: packages are made here."""

from __future__ import annotations

import argparse
import dataclasses
import gc
import hashlib
import io
import json
import tarfile
from pathlib import Path

import pytest
import zstandard

from judgebox import images
from judgebox.cli.image import add_parser
from judgebox.errors import EngineError, ImageError, UsageError
from judgebox.imagebuild.archive import Image
from judgebox.imagebuild.build import base_layer
from judgebox.imagebuild.layer import Layer
from judgebox.imagebuild.lock import Lock, Package, changes, read_lock, write_lock
from judgebox.imagebuild.pins import record_stand_in, stand_in
from judgebox.imagebuild.recipe import Recipe, read_recipe

REPOSITORY = Path(__file__).parents[2]
Files = dict[str, bytes | str | tuple[str, str]]
"""Content; a str is a symbolic link's target, ("hard", path) a hard link."""


def deb(files: Files, member: str = "data.tar.xz") -> bytes:
    """A Debian package, as deb(5) describes it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path, content in files.items():
            info = tarfile.TarInfo("./" + path)
            info.mode, info.uname, info.mtime = 0o4755, "builder", len(path)
            if isinstance(content, bytes):
                info.size = len(content)
            elif isinstance(content, str):
                info.type, info.linkname = tarfile.SYMTYPE, content
            else:
                info.type, info.linkname = tarfile.LNKTYPE, "./" + content[1]
            tar.addfile(info, io.BytesIO(content) if isinstance(content, bytes) else None)
    data = buffer.getvalue()
    if member.endswith(".zst"):
        data = zstandard.compress(data)
    archive = b"!<arch>\n"
    for name, part in (("debian-binary", b"2.0\n"), (member, data)):
        head = f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(part):<10}`\n"
        archive += head.encode() + part + b"\n" * (len(part) % 2)
    return archive


def package(name: str, data: bytes, version: str = "1.0") -> Package:
    digest = hashlib.sha256(data).hexdigest()
    return Package(name, version, "debian", f"pool/main/{name}_{version}.deb", len(data), digest)


def lock(*packages: Package) -> Lock:
    return Lock("bookworm", "20260101T000000Z", tuple(sorted(packages)))


def members(layer: bytes) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
        return {member.name: member for member in tar}


# Locks


def test_a_lock_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = lock(package("b", b"b"), package("a", b"a", "1:2-3+deb12u1"))
    write_lock(written, tmp_path / "lock.json")
    assert read_lock(tmp_path / "lock.json") == written
    assert len((tmp_path / "lock.json").read_text().splitlines()) == 4 + 2 + 2, "a package a line"


@pytest.mark.parametrize(
    "change",
    [
        {"packages": None},
        {"date": "yesterday"},
        {"packages": [{"name": "a"}]},
        {"packages": [dataclasses.asdict(package("a", b"a")) | {"sha256": "beef"}]},
        {"packages": [dataclasses.asdict(package("a", b"a")) | {"path": "/etc/passwd"}]},
        {"packages": [dataclasses.asdict(package("a", b"a"))] * 2},
    ],
)
def test_a_broken_lock_is_an_error_that_names_the_file(
    tmp_path: Path, change: dict[str, object]
) -> None:
    path = tmp_path / "lock.json"
    good = dataclasses.asdict(lock(package("a", b"a")))
    path.write_text(json.dumps(good))
    read_lock(path)
    path.write_text(json.dumps(good | change))
    with pytest.raises(ImageError, match=r"lock\.json: not a lock") as raised:
        read_lock(path)
    assert "relock" in raised.value.mend


def test_changes_name_each_package_once() -> None:
    old = [package("a", b"1"), package("b", b"1"), package("c", b"1"), package("d", b"1")]
    new = [package("a", b"1"), package("b", b"2", "2.0"), package("c", b"2"), package("e", b"1")]
    assert changes(old, new) == [
        "b: 1.0 → 2.0",
        f"c: 1.0 ({old[2].sha256[:12]}) → 1.0 ({new[2].sha256[:12]})",
        "d: 1.0 → (none)",
        "e: (none) → 1.0",
    ]


@pytest.mark.parametrize("name", images.recipe_names())
def test_the_locks_in_the_tree_fit_their_recipes_and_pins(name: str) -> None:
    folder = images.recipe_folder()
    recipe, locked = read_recipe(folder, name), read_lock(folder / f"{name}.lock.json")
    pin = images.pinned(name)
    assert {*recipe.packages, *recipe.pick} <= {item.name for item in locked.packages}
    assert recipe.suite == locked.suite
    assert (recipe.digest, locked.digest) == (pin.recipe, pin.lock)


def test_an_unknown_key_in_a_recipe_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text('suite = "bookworm"\npackages = []\nexclud = []\n')
    with pytest.raises(ImageError, match="exclud"):
        read_recipe(tmp_path, "x")


# Layers and archives


def built(folder: Path, recipe: Recipe, **debs: bytes) -> bytes:
    paths = {name: folder / f"{name}.deb" for name in debs}
    for name, data in debs.items():
        paths[name].write_bytes(data)
    return base_layer(recipe, lock(*(package(n, d) for n, d in debs.items())), paths)


RECIPE = Recipe(
    "x",
    "bookworm",
    ("one",),
    exclude=("usr/share/doc/*", "usr/share/man/*"),
    pick={"two": ("usr/bin/wanted",)},
    links={"usr/bin/cc": "one"},
    files={"etc/x.conf": b"x"},
    executables={"usr/lib/judge/x": b"#!"},
    dirs={"tmp": 0o1777},
)
ONE: Files = {
    "bin/one": b"one",
    "usr/lib/same": ("hard", "bin/one"),
    "lib/x86_64/l.so": "l.so.1",
    "usr/share/doc/one/copyright": b"(c)",
    "usr/share/doc/one/changelog.gz": b"long",
    "usr/share/man/man1/one.1": b"long",
}
TWO: Files = {
    "usr/bin/wanted": b"2",
    "usr/bin/other": b"2",
    "usr/share/doc/two": "one",
    "usr/share/doc/two-data/copyright": b"(c)",
}


def test_a_layer_holds_what_the_recipe_says_and_nothing_else(tmp_path: Path) -> None:
    found = members(built(tmp_path, RECIPE, one=deb(ONE), two=deb(TWO, "data.tar.zst")))
    files = {path for path, member in found.items() if not member.isdir()}
    assert files == {
        "bin", "sbin", "lib", "lib64",
        "usr/bin/one", "usr/lib/same", "usr/lib/x86_64/l.so", "usr/share/doc/one/copyright",
        "usr/bin/wanted", "usr/share/doc/two", "usr/share/doc/two-data/copyright",
        "usr/bin/cc", "etc/x.conf", "usr/lib/judge/x", "usr/share/judge/packages.json",
    }  # fmt: skip
    assert found["usr/bin/one"].mode == 0o755, "no set-uid bit"
    assert found["usr/lib/judge/x"].mode == 0o755
    assert found["etc/x.conf"].mode == 0o644
    assert found["tmp"].mode == 0o1777
    assert found["usr/lib/same"].linkname == "usr/bin/one"
    assert {(m.uid, m.gid, m.uname, m.mtime) for m in found.values()} == {(0, 0, "", 1750000000)}


def test_the_same_packages_give_the_same_id_however_they_are_packed(tmp_path: Path) -> None:
    turned = dict(reversed(ONE.items()))
    turned = {k: v for k, v in turned.items() if not isinstance(v, tuple)} | {
        k: v for k, v in turned.items() if isinstance(v, tuple)
    }
    ids = set()
    for member in ("data.tar.xz", "data.tar.zst"):
        layer = Layer()
        for name, files in (("one", ONE if member.endswith("xz") else turned), ("two", TWO)):
            path = tmp_path / name
            path.write_bytes(deb(files, member))
            layer.package(path, RECIPE.exclude)
        ids.add(Image((layer.tar(),)).id)
    assert len(ids) == 1
    layer.file("usr/bin/one", b"One")
    assert Image((layer.tar(),)).id not in ids


def test_the_archives_id_is_the_digest_of_its_config(tmp_path: Path) -> None:
    image = Image((built(tmp_path, RECIPE, one=deb(ONE), two=deb(TWO)),), {"A": "b"})
    image.write(tmp_path / "image.tar", "judgebox/x:1")
    with tarfile.open(tmp_path / "image.tar") as tar:
        content = {member.name: tar.extractfile(member) for member in tar}
        read = {name: file.read() for name, file in content.items() if file}
    (manifest,) = json.loads(read["manifest.json"])
    config = read[manifest["Config"]]
    assert image.id == "sha256:" + hashlib.sha256(config).hexdigest()
    assert json.loads(config)["rootfs"]["diff_ids"] == [
        "sha256:" + hashlib.sha256(read[name]).hexdigest() for name in manifest["Layers"]
    ]
    assert "A=b" in json.loads(config)["config"]["Env"]
    assert manifest["RepoTags"] == ["judgebox/x:1"]


def test_a_hard_link_to_a_file_left_out_stops_the_build(tmp_path: Path) -> None:
    recipe = dataclasses.replace(RECIPE, exclude=("usr/bin/one",))
    with pytest.raises(ImageError, match="usr/lib/same is a hard link to usr/bin/one"):
        built(tmp_path, recipe, one=deb(ONE), two=deb(TWO))


def test_a_lock_without_a_package_of_the_recipe_stops_the_build(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="lacks: two") as raised:
        built(tmp_path, RECIPE, one=deb(ONE))
    assert "judgebox image relock x" in raised.value.mend


def test_what_is_no_package_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.deb"
    for data in (b"", b"!<arch>\n", b"<html>", deb(ONE)[:200]):
        path.write_bytes(data)
        with pytest.raises(ImageError, match=r"x\.deb: not a Debian package"):
            Layer().package(path)


# Pins, stand-ins, the way in


def test_an_unknown_image_is_an_error_that_names_the_known() -> None:
    with pytest.raises(ImageError, match=r"no image 'nix' is pinned .*frama-c"):
        images.pinned("nix")


def test_a_stand_in_needs_leave_and_serves_one_pin_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGEBOX_CACHE", str(tmp_path))
    pin = images.pinned("frama-c")
    record_stand_in("frama-c", "sha256:other", pin, lock())
    monkeypatch.delenv(images.ALLOW_LOCAL, raising=False)
    assert stand_in("frama-c", pin) is None
    monkeypatch.setenv(images.ALLOW_LOCAL, "1")
    assert stand_in("frama-c", pin) == "sha256:other"
    assert stand_in("frama-c", dataclasses.replace(pin, id="sha256:new")) is None


def test_a_pull_by_tag_is_refused() -> None:
    with pytest.raises(UsageError, match="@sha256:"):
        images.pull("frama-c", "example.org/judgebox/frama-c:latest")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # docker's socket
def test_an_engine_that_is_down_is_an_engine_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    with pytest.raises(EngineError) as raised:
        images.ensure("frama-c")
    mend = raised.value.mend
    del raised  # holds the traceback, and so the socket that the SDK left open
    gc.collect()
    assert "DOCKER_HOST" in mend


def test_every_verb_has_a_function_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    pull = ["pull", "frama-c", "r@sha256:0"]
    for line in (["build"], ["list"], ["verify", "--json"], pull, ["relock", "frama-c"]):
        assert callable(parser.parse_args(["image", *line]).run)
        with pytest.raises(SystemExit) as ended:
            parser.parse_args(["image", line[0], "--help"])
        assert ended.value.code == 0
        assert line[0] in capsys.readouterr().out


def test_no_mirror_stands_in_the_tree_but_the_snapshots() -> None:
    own = [*(REPOSITORY / "judgebox").rglob("*.py"), *(REPOSITORY / "judge-image").rglob("*")]
    for path in own:
        if path.is_file():
            text = path.read_text("utf-8").replace("snapshot.debian.org", "")
            assert "debian.org" not in text, path
