"""Where packages come from: apt sources, mirrors, snapshots, and what a lost package says."""

from __future__ import annotations

import dataclasses
import hashlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from judgebox.errors import ImageError
from judgebox.folders import cache_folder
from judgebox.imagebuild.fetch import LostPackageError, Places, fetch
from judgebox.imagebuild.lock import Lock, Package
from judgebox.imagebuild.mirrors import machine_mirrors
from judgebox.imagebuild.progress import LogProgress


def package(name: str, data: bytes, version: str = "1.0") -> Package:
    digest = hashlib.sha256(data).hexdigest()
    return Package(name, version, "debian", f"pool/main/{name}_{version}.deb", len(data), digest)


def lock(*packages: Package) -> Lock:
    return Lock("bookworm", "20260101T000000Z", tuple(sorted(packages)))


# Where packages come from

ONE_LINE = """
# deb http://commented.example/debian bookworm main
deb [arch=amd64 signed-by=/k.gpg] http://one.example/debian/ bookworm main contrib # note
deb-src http://source.example/debian bookworm main
deb http://one.example/debian-security bookworm-security main
deb https://other.example/linux/debian bookworm stable
deb cdrom:[Debian]/ bookworm main
"""
DEB822 = """\
Types: deb deb-src
URIs: http://two.example/debian
Suites: trixie trixie-updates
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 xyz

# a comment between two stanzas
Types: deb
URIs: http://off.example/debian
Suites: trixie
Components: main
Enabled: no

Types: deb
URIs: http://vendor.example/apt
Suites: stable
Components: main
"""


def test_mirrors_come_from_both_forms_of_apt_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JUDGEBOX_DEBIAN_MIRROR", raising=False)
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / "sources.list").write_text(ONE_LINE)
    (tmp_path / "sources.list.d" / "a.sources").write_text(DEB822)
    (tmp_path / "mirrors.list").write_text("http://three.example/debian/\tpriority:1\n")
    (tmp_path / "sources.list.d" / "b.list").write_text(
        f"deb mirror+file:{tmp_path}/mirrors.list bookworm main\n"
    )
    assert machine_mirrors(tmp_path) == {
        "debian": (
            "http://one.example/debian",
            "http://three.example/debian",
            "http://two.example/debian",
            "http://vendor.example/apt",
        ),
        "debian-security": ("http://one.example/debian-security",),
    }


def test_the_setting_wins_and_no_sources_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JUDGEBOX_DEBIAN_MIRROR", raising=False)
    assert machine_mirrors(tmp_path / "none") == {}
    monkeypatch.setenv("JUDGEBOX_DEBIAN_MIRROR", "http://mine.example/")
    (tmp_path / "sources.list").write_text(ONE_LINE)
    assert machine_mirrors(tmp_path)["debian"] == ("http://mine.example/debian",)


def test_a_package_is_looked_for_at_the_snapshot_of_the_locks_date() -> None:
    item = dataclasses.replace(package("libstdc++6", b""), archive="debian-security")
    places = Places({"debian": ("http://one.example/debian",)})
    assert places.of(item, "20260101T000000Z") == [
        "https://snapshot.debian.org/archive/debian-security/20260101T000000Z/"
        "pool/main/libstdc%2B%2B6_1.0.deb"
    ]


def test_the_cache_folder_follows_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUDGEBOX_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert cache_folder() == Path("/x/judgebox")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # to be ignored, says the XDG specification
    assert cache_folder() == Path.home() / ".cache" / "judgebox"
    monkeypatch.setenv("JUDGEBOX_CACHE", "/y")
    assert cache_folder() == Path("/y")


# Fetching, from a server on loopback


@dataclasses.dataclass
class Server:
    """What stands where, and what was asked for."""

    address: str
    content: dict[str, bytes]
    asked: list[str]


@pytest.fixture
def server() -> Iterator[Server]:
    content: dict[str, bytes] = {}
    asked: list[str] = []

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            data = content.get(self.path)
            self.send_response(404 if data is None else 200)
            self.send_header("Content-Length", str(len(data or b"")))
            self.end_headers()
            self.wfile.write(data or b"")

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield Server(f"http://127.0.0.1:{running.server_port}", content, asked)
        running.shutdown()
        thread.join()


def places(server: Server) -> Places:
    return Places({"debian": (f"{server.address}/debian",)}, f"{server.address}/archive")


def test_the_mirror_comes_first_then_the_snapshot_then_the_cache(
    server: Server, tmp_path: Path
) -> None:
    here, aged = package("here", b"1"), package("aged", b"2")
    server.content[f"/debian/{here.path}"] = b"1"
    server.content[f"/archive/debian/20260101T000000Z/{aged.path}"] = b"2"
    for _ in range(2):
        found = fetch("x", lock(here, aged), places(server), tmp_path, LogProgress())
        assert {name: path.read_bytes() for name, path in found.items()} == {
            "here": b"1",
            "aged": b"2",
        }
    assert len(server.asked) == 3
    (tmp_path / here.sha256).write_bytes(b"spoilt")
    found = fetch("x", lock(here, aged), places(server), tmp_path, LogProgress())
    assert found["here"].read_bytes() == b"1"


def test_lost_packages_are_all_named_with_both_ways_on(server: Server, tmp_path: Path) -> None:
    kept = package("kept", b"1")
    server.content[f"/debian/{kept.path}"] = b"1"
    locked = lock(kept, package("lost", b"2", "2:7-1"), package("gone", b"3"))
    with pytest.raises(LostPackageError) as raised:
        fetch("frama-c", locked, places(server), tmp_path, LogProgress())
    assert "lost 2:7-1" in raised.value.problem
    assert "gone 1.0" in raised.value.problem
    assert "kept" not in raised.value.problem
    assert "`judgebox image relock frama-c`" in raised.value.mend
    assert "`judgebox image pull frama-c" in raised.value.mend


def test_other_bytes_than_the_locks_are_refused_and_not_kept(
    server: Server, tmp_path: Path
) -> None:
    item = package("forged", b"right")
    for place in ("/debian", "/archive/debian/20260101T000000Z"):
        server.content[f"{place}/{item.path}"] = b"wrong"
    with pytest.raises(ImageError, match="other bytes than the lock says") as raised:
        fetch("x", lock(item), places(server), tmp_path, LogProgress())
    assert not isinstance(raised.value, LostPackageError)
    assert list(tmp_path.iterdir()) == []


def test_a_network_that_is_down_is_no_lost_package(tmp_path: Path) -> None:
    nowhere = "http://127.0.0.1:1"  # nothing listens there
    dead = Places({"debian": (nowhere,)}, nowhere)
    with pytest.raises(ImageError, match="could not be fetched") as raised:
        fetch("x", lock(package("a", b"a")), dead, tmp_path, LogProgress())
    assert not isinstance(raised.value, LostPackageError)
    assert "JUDGEBOX_DEBIAN_MIRROR" in raised.value.mend
