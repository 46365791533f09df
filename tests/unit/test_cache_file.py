"""The cache's file: network disks, full disks, damage, other schemas."""

from __future__ import annotations

import logging
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from judgebox import mounts
from judgebox.cache import CacheKey, VerdictCache, default_path
from judgebox.canonical import sha256_hex
from judgebox.errors import CacheError
from judgebox.mounts import mount_of
from judgebox.verdict import Status, Verdict

JUDGED = Verdict(Status.COMPILED)


def key_of(number: int) -> CacheKey:
    return CacheKey(sha256_hex(b"%d" % number), sha256_hex(b"policy"), sha256_hex(b"inputs"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "verdicts.sqlite3"


@pytest.fixture
def cache(path: Path) -> Iterator[VerdictCache]:
    with VerdictCache(path) as opened:
        yield opened


def sql(path: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return connection.execute(statement, values).fetchall()


MOUNTS = """\
/dev/vda / ext4 rw,relatime 0 0
proc /proc proc rw 0 0
host:/export /home nfs4 rw,addr=10.0.0.1 0 0
/dev/vdb /home/local xfs rw 0 0
//box/s /mnt/with\\040space cifs rw 0 0
tmpfs /over tmpfs rw 0 0
u@h:/ /over fuse.sshfs rw 0 0

short line
"""


class TestFileSystems:
    @pytest.mark.parametrize(
        ("path", "mount"),
        [
            ("/var/cache", ("/", "ext4")),
            ("/home/me/.cache/judgebox", ("/home", "nfs4")),
            ("/home", ("/home", "nfs4")),
            ("/homes/me", ("/", "ext4")),
            ("/home/local/me", ("/home/local", "xfs")),
            ("/mnt/with space/x", ("/mnt/with space", "cifs")),
            ("/over/x", ("/over", "fuse.sshfs")),
        ],
    )
    def test_the_mount_of_a_path(self, path: str, mount: tuple[str, str]) -> None:
        assert mount_of(path, MOUNTS) == mount

    def test_no_mount(self) -> None:
        assert mount_of("/x", "proc /proc proc rw 0 0\n") is None

    def test_a_network_file_system_is_refused(
        self, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        listed = tmp_path / "mounts"
        listed.write_text(f"/dev/vda / ext4 rw 0 0\nhost:/export {tmp_path} nfs4 rw 0 0\n")
        monkeypatch.setattr(mounts, "_MOUNTS", listed)
        with pytest.raises(CacheError, match=r"nfs4(.|\n)*JUDGEBOX_CACHE"):
            VerdictCache(path)
        assert not path.exists()

    def test_the_default_path_follows_the_setting(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("JUDGEBOX_CACHE", str(tmp_path / "of mine"))
        assert default_path() == tmp_path / "of mine" / "verdicts.sqlite3"
        with VerdictCache() as cache:
            assert cache.path == default_path()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "none", folder], capture_output=True, text=True
    )
    if mounted.returncode != 0:
        pytest.skip(f"NOT TESTED, a full and a read-only disk: cannot mount: {mounted.stderr}")
    yield folder
    subprocess.run(["umount", folder], check=True)


def put(cache: VerdictCache, number: int) -> bool:
    return cache.put(key_of(number), JUDGED)


class TestDamage:
    def test_disk_full(self, small_disk: Path) -> None:
        with VerdictCache(small_disk / "verdicts.sqlite3") as cache:
            cache.put(key_of(0), JUDGED)
            stored = [0]
            with pytest.raises(CacheError, match="mend: free space"):
                stored.extend(number for number in range(1, 10_000) if put(cache, number))
            assert len(stored) > 10
            with pytest.raises(CacheError, match="mend: free space"):
                cache.put_blob("big", bytes(2_000_000))
            # what was stored stays readable, what failed left nothing
            assert all(cache.get(key_of(number)) for number in stored)
            assert cache.get(key_of(len(stored))) is None
            assert cache.get_blob("big") is None
            assert cache.verify().bad == 0

    def test_no_room_to_begin(self, small_disk: Path) -> None:
        with pytest.raises(OSError, match="No space"):
            (small_disk / "filler").write_bytes(bytes(2_000_000))
        with pytest.raises(CacheError, match="mend"):
            VerdictCache(small_disk / "verdicts.sqlite3")

    def test_read_only_disk(self, small_disk: Path) -> None:
        with VerdictCache(small_disk / "verdicts.sqlite3") as cache:
            cache.put(key_of(0), JUDGED)
        subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
        with pytest.raises(CacheError, match="mend"):
            VerdictCache(small_disk / "verdicts.sqlite3")

    def test_the_database_full(self, cache: VerdictCache) -> None:
        cache.put(key_of(0), JUDGED)
        cache._writer.rows("PRAGMA max_page_count = 1")  # SQLite lifts it to the present size
        with pytest.raises(CacheError, match="full\n  mend: free space"):
            cache.put_blob("big", bytes(100_000))
        assert cache.get_blob("big") is None
        assert cache.get(key_of(0)) is not None

    def test_not_a_database(self, path: Path) -> None:
        path.write_bytes(b"not a database" * 1000)
        with pytest.raises(CacheError, match=r"mend: .*move"):
            VerdictCache(path)
        assert path.read_bytes().startswith(b"not a database")

    def test_damaged_pages(self, path: Path) -> None:
        with VerdictCache(path) as cache:
            for number in range(200):
                cache.put(key_of(number), JUDGED)
        size = path.stat().st_size
        with path.open("r+b") as file:
            file.seek(4096 * 4)
            file.write(b"\xff" * (size - 4096 * 4))
        with VerdictCache(path) as cache:
            with pytest.raises(CacheError, match=r"mend: .*move"):
                cache.verify()
            with pytest.raises(CacheError, match=r"mend: .*move"):
                [cache.get(key_of(number)) for number in range(200)]

    def test_a_folder_in_its_place(self, path: Path) -> None:
        path.mkdir()
        with pytest.raises(CacheError, match="mend"):
            VerdictCache(path)

    def test_a_file_where_its_folder_should_be(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(CacheError, match="mend"):
            VerdictCache(tmp_path / "file" / "verdicts.sqlite3")


class TestOtherSchema:
    @pytest.mark.parametrize("version", [0, 7])
    def test_is_moved_aside_whole(
        self, path: Path, caplog: pytest.LogCaptureFixture, version: int
    ) -> None:
        sql(path, "PRAGMA journal_mode = WAL")
        sql(path, "CREATE TABLE theirs (x)")
        sql(path, "INSERT INTO theirs VALUES (42)")
        sql(path, f"PRAGMA user_version = {version}")
        with caplog.at_level(logging.WARNING, "judgebox.database"), VerdictCache(path) as cache:
            cache.put(key_of(1), JUDGED)
        (aside,) = path.parent.glob(f"*.schema-{version}-*")
        assert str(aside) in caplog.text
        assert sql(aside, "SELECT x FROM theirs") == [(42,)]
        with VerdictCache(path) as cache:
            assert cache.get(key_of(1)) is not None

    def test_is_not_touched_while_in_use(self, path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("PRAGMA journal_mode = WAL")
            other.execute("CREATE TABLE theirs (x)")
            other.execute("PRAGMA user_version = 7")
            with pytest.raises(CacheError, match="in use"):
                VerdictCache(path)
            other.execute("INSERT INTO theirs VALUES (42)")
        with VerdictCache(path) as cache:
            assert cache.stats().rows == 0
        (aside,) = path.parent.glob("*.schema-7-*")
        assert sql(aside, "SELECT x FROM theirs") == [(42,)]
