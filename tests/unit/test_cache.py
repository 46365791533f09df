"""The verdict cache on real files, with real processes."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import judgebox
from judgebox.cache import CacheKey, VerdictCache, _seal, cacheable
from judgebox.canonical import sha256_hex
from judgebox.cli.cache import add_parser
from judgebox.errors import UsageError
from judgebox.verdict import Goal, Proof, Reason, Row, Status, Verdict

ROOT = Path(judgebox.__file__).parents[1]
DEADLINE_S = 60


def key_of(number: int) -> CacheKey:
    return CacheKey(sha256_hex(b"%d" % number), sha256_hex(b"policy"), sha256_hex(b"inputs"))


PROVED = Verdict(
    Status.PROVED,
    gate=True,
    form="function",
    proof=Proof(
        (Row("postcondition", "Valid", "\\result >= 0", "abs", 3),),
        goals=(Goal("abs_ensures", "postcondition", True, {"CVC4 1.8": "Valid"}, 15000),),
    ),
    seconds={"cpu": 1.25, "wall": 1.5},
)
UNPROVED = Verdict(Status.UNPROVED, (Reason.CONTRACT_UNPROVED,), "ensures: é ∀", gate=True)


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


class TestVerdicts:
    def test_round_trip(self, cache: VerdictCache, path: Path) -> None:
        assert cache.get(key_of(1)) is None
        assert cache.put(key_of(1), PROVED)
        assert cache.put(key_of(2), UNPROVED)
        kept = cache.get(key_of(1))
        assert kept is not None
        assert kept.cached
        assert kept.digest == PROVED.digest
        assert kept.seconds == PROVED.seconds
        with VerdictCache(path) as other:
            again = other.get(key_of(2))
        assert again is not None
        assert again.message == UNPROVED.message

    @pytest.mark.parametrize("part", ["submission", "policy", "inputs"])
    def test_each_part_of_the_key_counts(self, cache: VerdictCache, part: str) -> None:
        cache.put(key_of(1), PROVED)
        parts = {name: getattr(key_of(1), name) for name in ("submission", "policy", "inputs")}
        assert cache.get(CacheKey(**{**parts, part: sha256_hex(b"another")})) is None
        assert cache.get(CacheKey(**parts)) is not None

    @pytest.mark.parametrize("wrong", ["", "int f(void);", "A" * 64, "a" * 63])
    def test_a_key_is_made_of_digests(self, wrong: str) -> None:
        with pytest.raises(ValueError, match="not a sha256"):
            CacheKey(wrong, "a" * 64, "b" * 64)

    @pytest.mark.parametrize(
        ("status", "reason"),
        [
            (Status.TIMEOUT, Reason.WALL_LIMIT),
            (Status.TIMEOUT, Reason.CPU_LIMIT),
            (Status.MEMORY, Reason.MEMORY_LIMIT),
            (Status.CRASHED, Reason.TOOL_CRASHED),
            (Status.CRASHED, Reason.EXIT_STATUS),
            (Status.UNPROVED, Reason.CPU_LIMIT),
            (Status.UNPROVED, Reason.SOUNDNESS_ALARM),
        ],
    )
    def test_what_depends_on_the_machine_is_not_stored(
        self, cache: VerdictCache, status: Status, reason: Reason
    ) -> None:
        verdict = Verdict(status, (reason,))
        assert not cacheable(verdict)
        assert not cache.put(key_of(1), verdict)
        assert cache.get(key_of(1)) is None
        assert cache.stats().rows == 0

    def test_a_closed_cache_says_so(self, path: Path) -> None:
        with VerdictCache(path) as cache:
            pass
        with pytest.raises(ValueError, match="closed"):
            cache.get(key_of(1))

    def test_threads_share_it(self, cache: VerdictCache) -> None:
        missing: list[int] = []

        def work(thread: int) -> None:
            for number in range(thread * 100, thread * 100 + 20):
                cache.put(key_of(number), PROVED)
                if cache.get(key_of(number)) is None:
                    missing.append(number)

        threads = [threading.Thread(target=work, args=(thread,)) for thread in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert missing == []
        assert cache.verify().good == 80


def sealed(text: bytes, digest: bytes) -> dict[str, bytes]:
    name = bytes.fromhex(key_of(1).hex)
    return {"verdict": text, "digest": digest, "seal": _seal(name, digest, text)}


TIMED_OUT = Verdict(Status.TIMEOUT, (Reason.WALL_LIMIT,))
BAD_ROWS = {
    "forged status": {
        "verdict": UNPROVED.to_json().replace("unproved", "refuted").encode(),
    },
    "cut short": {"verdict": PROVED.to_json().encode()[:-1]},
    "text for bytes": {"verdict": PROVED.to_json()},
    "empty": {"verdict": b""},
    "other seal": {"seal": bytes(32)},
    "sealed, not JSON": sealed(b"{", bytes.fromhex(PROVED.digest)),
    "sealed, not a verdict": sealed(b'{"status": "proved"}', bytes.fromhex(PROVED.digest)),
    "sealed, coerced": sealed(
        PROVED.to_json().replace('"gate":true', '"gate":"true"').encode(),
        bytes.fromhex(PROVED.digest),
    ),
    "sealed, digest of another": sealed(PROVED.to_json().encode(), bytes.fromhex(UNPROVED.digest)),
    "sealed timeout": sealed(TIMED_OUT.to_json().encode(), bytes.fromhex(TIMED_OUT.digest)),
}


class TestRowsThatDoNotCheckOut:
    @pytest.mark.parametrize("change", BAD_ROWS.values(), ids=BAD_ROWS.keys())
    def test_is_a_miss_and_logged_and_removed(
        self,
        cache: VerdictCache,
        path: Path,
        caplog: pytest.LogCaptureFixture,
        change: dict[str, object],
    ) -> None:
        cache.put(key_of(1), PROVED)
        cache.put(key_of(2), PROVED)
        columns = ", ".join(f"{name} = ?" for name in change)
        name = bytes.fromhex(key_of(1).hex)
        sql(path, f"UPDATE verdicts SET {columns} WHERE key = ?", *change.values(), name)
        assert (cache.verify().good, cache.verify().bad) == (1, 1)
        with caplog.at_level(logging.WARNING, "judgebox.cache"):
            assert cache.get(key_of(1)) is None
        assert key_of(1).hex in caplog.text
        assert cache.stats().rows == 1
        cache.put(key_of(1), PROVED)
        assert cache.get(key_of(1)) is not None

    def test_a_row_under_another_key(self, cache: VerdictCache, path: Path) -> None:
        cache.put(key_of(1), PROVED)
        sql(path, "UPDATE verdicts SET key = ?", bytes.fromhex(key_of(2).hex))
        assert cache.get(key_of(2)) is None
        assert cache.stats().rows == 0

    def test_a_blob(
        self, cache: VerdictCache, path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        data = os.urandom(300_000)
        cache.put_blob("oracle", data)
        cache.put_blob("empty", b"")
        assert cache.get_blob("oracle") == data
        assert cache.get_blob("empty") == b""
        assert cache.get_blob("none") is None
        sql(path, "UPDATE blobs SET data = ? WHERE key = 'oracle'", data[:-1] + b"\0\0")
        assert cache.get_blob("oracle") is None
        assert "oracle" in caplog.text
        assert cache.stats().blobs == 1
        cache.put_blob("oracle", data)
        assert cache.get_blob("oracle") == data


class TestUpkeep:
    def test_stats(self, cache: VerdictCache) -> None:
        empty = cache.stats()
        assert (empty.rows, empty.oldest, empty.newest, empty.by_status) == (0, None, None, {})
        before = time.time()
        cache.put(key_of(1), PROVED)
        cache.put(key_of(2), UNPROVED)
        cache.put(key_of(3), UNPROVED)
        cache.put_blob("fact", b"1")
        stats = cache.stats()
        assert (stats.rows, stats.blobs) == (3, 1)
        assert stats.by_status == {"proved": 1, "unproved": 2}
        assert stats.oldest is not None
        assert stats.newest is not None
        assert before <= stats.oldest <= stats.newest <= time.time()
        assert stats.bytes > 4096

    def test_prune_by_rows_keeps_the_newest(self, cache: VerdictCache) -> None:
        for number in range(20):
            cache.put(key_of(number), PROVED)
        assert cache.prune(max_rows=5) == 15
        left = [number for number in range(20) if cache.get(key_of(number))]
        assert left == [15, 16, 17, 18, 19]
        assert cache.prune(max_rows=5) == 0
        assert cache.prune(max_rows=0) == 5

    def test_prune_by_age(self, cache: VerdictCache, path: Path) -> None:
        cache.put(key_of(1), PROVED)
        cache.put(key_of(2), PROVED)
        cache.put_blob("old", b"1")
        cache.put_blob("new", b"1")
        day_ago = time.time() - 86_400
        name = bytes.fromhex(key_of(1).hex)
        sql(path, "UPDATE verdicts SET created = ? WHERE key = ?", day_ago, name)
        sql(path, "UPDATE blobs SET created = ? WHERE key = 'old'", day_ago)
        assert cache.prune(older_than_s=3600) == 2
        assert cache.get(key_of(1)) is None
        assert cache.get(key_of(2)) is not None
        assert cache.get_blob("old") is None
        assert cache.get_blob("new") == b"1"

    def test_prune_gives_the_space_back(self, cache: VerdictCache) -> None:
        cache.put_blob("big", bytes(3_000_000))
        assert cache.stats().bytes > 3_000_000
        cache.prune(older_than_s=0)
        assert cache.stats().bytes < 200_000

    def test_prune_wants_to_know_what(self, cache: VerdictCache) -> None:
        with pytest.raises(UsageError):
            cache.prune()
        with pytest.raises(UsageError):
            cache.prune(max_rows=-1)


class TestCommand:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("JUDGEBOX_CACHE", str(tmp_path))

    def run(self, *argv: str) -> int:
        parser = argparse.ArgumentParser()
        add_parser(parser.add_subparsers())
        arguments = parser.parse_args(["cache", *argv])
        status: int = arguments.run(arguments)
        return status

    def test_stats(self, cache: VerdictCache, capsys: pytest.CaptureFixture[str]) -> None:
        cache.put(key_of(1), PROVED)
        assert self.run("stats") == 0
        assert "1  proved" in capsys.readouterr().out
        assert self.run("stats", "--json") == 0
        said = json.loads(capsys.readouterr().out)
        assert (said["rows"], said["by_status"]) == (1, {"proved": 1})

    def test_verify(
        self, cache: VerdictCache, path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        cache.put(key_of(1), PROVED)
        assert self.run("verify", "--json") == 0
        sql(path, "UPDATE verdicts SET verdict = x'00'")
        assert self.run("verify") == 1
        assert "0 rows check out, 1 do not" in capsys.readouterr().out

    def test_prune(self, cache: VerdictCache, capsys: pytest.CaptureFixture[str]) -> None:
        cache.put(key_of(1), PROVED)
        cache.put(key_of(2), PROVED)
        assert self.run("prune", "--older-than", "1.5h") == 0
        assert self.run("prune", "--max-rows", "1", "--json") == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith("removed 0 rows; 2 verdicts")
        assert json.loads(lines[1])["removed"] == 1

    @pytest.mark.parametrize("argv", [(), ("--older-than", "5"), ("--older-than", "-1d")])
    def test_prune_wants_to_know_what(self, argv: tuple[str, ...]) -> None:
        with pytest.raises((UsageError, SystemExit)):
            self.run("prune", *argv)

    def test_path_opens_nothing(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert self.run("path") == 0
        assert capsys.readouterr().out == f"{tmp_path}/verdicts.sqlite3\n"
        assert list(tmp_path.iterdir()) == []
