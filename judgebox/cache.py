"""The verdict cache: what was judged once is not judged again.

    key      sha256 of submission, policy digest and inputs digest
    verdict  its JSON and its own digest, under a seal over key, digest and JSON
    blob     what all submissions of a task share (a compiled oracle), under a seal too

A row that does not check out is a miss, logged and removed.  What depended on the machine is
never stored.  A cache that cannot be used is a `CacheError`, never a silent miss.
"""

from __future__ import annotations

import hashlib
import logging
import math
import time
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from judgebox.canonical import canonical_json, sha256_hex
from judgebox.database import Database, lock_folder
from judgebox.errors import CacheError, UsageError
from judgebox.folders import cache_folder
from judgebox.keylock import lock_file, sweep
from judgebox.verdict import Reason, Status, Verdict

SCHEMA_VERSION = 1

# A rowid table: rows are kilobytes, and WITHOUT ROWID keeps them in the key's own tree, which made
# a look-up 6 times slower at 30,000 rows.
_SCHEMA = (
    "CREATE TABLE verdicts (key BLOB PRIMARY KEY NOT NULL, verdict BLOB NOT NULL,"
    " digest BLOB NOT NULL, seal BLOB NOT NULL, status TEXT NOT NULL, created REAL NOT NULL)",
    "CREATE INDEX verdicts_by_age ON verdicts (created, status)",
    "CREATE TABLE blobs (key TEXT PRIMARY KEY NOT NULL, data BLOB NOT NULL,"
    " seal BLOB NOT NULL, created REAL NOT NULL)",
    "CREATE INDEX blobs_by_age ON blobs (created)",
)
_BATCH = 500
"""Rows, or pages, per transaction of upkeep: others get their turn in between."""

_MACHINE_STATUSES = frozenset({Status.TIMEOUT, Status.MEMORY, Status.CRASHED})
_MACHINE_REASONS = frozenset(
    {
        Reason.WALL_LIMIT,
        Reason.CPU_LIMIT,
        Reason.MEMORY_LIMIT,
        Reason.TOOL_CRASHED,
        Reason.REPORT_INCONSISTENT,
        Reason.SOUNDNESS_ALARM,
    }
)

_log = logging.getLogger(__name__)


def cacheable(verdict: Verdict) -> bool:
    """Whether a verdict depends on nothing but submission, policy and inputs.

    Not so: timeouts, memory, crashes, whatever names such a cause among its reasons, and verdicts
    that the judge itself does not trust.
    """
    return verdict.status not in _MACHINE_STATUSES and _MACHINE_REASONS.isdisjoint(verdict.reasons)


@dataclass(frozen=True)
class CacheKey:
    """Three sha256, 64 hex digits each."""

    submission: str
    policy: str
    inputs: str

    def __post_init__(self) -> None:
        for digest in (self.submission, self.policy, self.inputs):
            if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
                raise ValueError(f"not a sha256 in hex: {digest[:80]!r}")

    @cached_property
    def hex(self) -> str:
        """The three as one sha256, hex."""
        return sha256_hex(canonical_json([self.submission, self.policy, self.inputs]))


@dataclass(frozen=True, slots=True)
class Stats:
    """What the cache holds."""

    rows: int
    """Verdicts."""
    blobs: int
    """Facts about tasks."""
    bytes: int
    """Size of the database on disk, its log included."""
    by_status: Mapping[str, int]
    oldest: float | None
    """Seconds since the epoch at which the oldest verdict was stored; None when there is none."""
    newest: float | None


@dataclass(frozen=True, slots=True)
class Verification:
    """How many rows, verdicts and blobs, check out."""

    good: int
    bad: int


class VerdictCache:
    """Verdicts and facts in one SQLite file, shared by any number of processes and threads.

    `path` is the database file, by default `verdicts.sqlite3` in `folders.cache_folder()`.  A
    folder `locks` is made beside it.  Close it when done, or use it in a `with` statement.

    Raises:
        CacheError: from here and from every method, when the cache cannot be used: network file
            system, disk full, no permission, damaged file, lock held too long.  Nothing is then
            half written.
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self.path = Path(path).absolute() if path else default_path()
        self._reader = Database(self.path, _SCHEMA, SCHEMA_VERSION)
        # of its own, so that a look-up never waits behind a write that waits for another process
        self._writer = Database(self.path, _SCHEMA, SCHEMA_VERSION)
        self._reader.rows("SELECT 1")  # what is wrong shows now, not in the first rollout

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database.  The object cannot be used any more."""
        self._reader.close()
        self._writer.close()

    def get(self, key: CacheKey) -> Verdict | None:
        """The verdict stored under `key`, with `cached` set; None when there is none."""
        name = bytes.fromhex(key.hex)
        rows = self._reader.rows("SELECT verdict, digest, seal FROM verdicts WHERE key = ?", name)
        for row in rows:
            try:
                return _checked_verdict(name, *row)
            except ValueError as error:
                self._refuse("verdicts", name, row[-1], key.hex, error)
        return None

    def put(self, key: CacheKey, verdict: Verdict) -> bool:
        """Store `verdict` under `key`; False, and nothing stored, if it is not `cacheable`."""
        if not cacheable(verdict):
            return False
        name = bytes.fromhex(key.hex)
        kept = replace(verdict, cached=True)
        text, digest = kept.to_json().encode(), bytes.fromhex(kept.digest)
        self._writer.change(
            "INSERT OR REPLACE INTO verdicts (key, verdict, digest, seal, status, created)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            *(name, text, digest, _seal(name, digest, text), str(kept.status), time.time()),
        )
        return True

    def get_blob(self, key: str) -> bytes | None:
        """The bytes stored under `key`, or None."""
        for data, seal in self._reader.rows("SELECT data, seal FROM blobs WHERE key = ?", key):
            try:
                return _checked_blob(key, data, seal)
            except ValueError as error:
                self._refuse("blobs", key, seal, key, error)
        return None

    def put_blob(self, key: str, data: bytes) -> None:
        """Store `data` under `key`, which must name all that it depends on."""
        self._writer.change(
            "INSERT OR REPLACE INTO blobs (key, data, seal, created) VALUES (?, ?, ?, ?)",
            *(key, data, _seal(key.encode(), data), time.time()),
        )

    def lock(self, key: CacheKey | str) -> AbstractAsyncContextManager[None]:
        """Hold `key` alone, among all tasks, threads and processes that use this cache.

        Locks of other keys may be taken while holding it.  Waiting does not block the event loop
        and can be cancelled.
        """
        name = key.hex if isinstance(key, CacheKey) else key
        return lock_file(lock_folder(self.path) / sha256_hex(name.encode()))

    def stats(self) -> Stats:
        """Counts, size and age."""
        found = self._reader.rows(
            "SELECT status, COUNT(*), MIN(created), MAX(created) FROM verdicts GROUP BY status"
        )
        ((blobs,),) = self._reader.rows("SELECT COUNT(*) FROM blobs")
        files = (self.path, self.path.with_name(self.path.name + "-wal"))
        return Stats(
            rows=sum(row[1] for row in found),
            blobs=blobs,
            bytes=sum(file.stat().st_size for file in files if file.exists()),
            by_status={row[0]: row[1] for row in found},
            oldest=min((row[2] for row in found), default=None),
            newest=max((row[3] for row in found), default=None),
        )

    def verify(self) -> Verification:
        """Check the file's structure and every row; changes nothing.

        Raises:
            CacheError: the structure is damaged.
        """
        said = [row[0] for row in self._reader.rows("PRAGMA quick_check(3)")]
        if said != ["ok"]:
            raise CacheError(
                f"{self.path} is damaged: {'; '.join(said)}",
                f"stop what uses it and move {self.path}* away; a new one is made",
            )
        good = bad = 0
        for table, columns, check in (
            ("verdicts", "key, verdict, digest, seal", _checked_verdict),
            ("blobs", "key, data, seal", _checked_blob),
        ):
            last = -1
            while rows := self._reader.rows(
                f"SELECT rowid, {columns} FROM {table} WHERE rowid > ? ORDER BY rowid LIMIT ?",
                *(last, _BATCH),
            ):
                last = rows[-1][0]
                for row in rows:
                    try:
                        check(*row[1:])
                        good += 1
                    except ValueError:
                        bad += 1
        return Verification(good, bad)

    def prune(self, *, older_than_s: float | None = None, max_rows: int | None = None) -> int:
        """Remove verdicts and blobs stored more than `older_than_s` seconds ago, then the oldest
        verdicts beyond `max_rows`, and give their space back; the number of rows removed.

        Raises:
            UsageError: neither is given, or one is negative.
        """
        if older_than_s is None and max_rows is None:
            raise UsageError("say what to prune: an age, a number of rows, or both")
        if min(older_than_s or 0, max_rows or 0) < 0:
            raise UsageError("an age or number of rows cannot be negative")
        removed = 0
        if older_than_s is not None:
            before = time.time() - older_than_s
            for table in ("verdicts", "blobs"):
                while some := self._remove_oldest(table, before, _BATCH):
                    removed += some
        if max_rows is not None:
            ((rows,),) = self._reader.rows("SELECT COUNT(*) FROM verdicts")
            excess = rows - max_rows
            while excess > 0 and (
                some := self._remove_oldest("verdicts", math.inf, min(excess, _BATCH))
            ):
                removed += some
                excess -= some
        self._give_back()
        sweep(lock_folder(self.path))
        return removed

    def _remove_oldest(self, table: str, before: float, count: int) -> int:
        return self._writer.change(
            f"DELETE FROM {table} WHERE rowid IN"
            f" (SELECT rowid FROM {table} WHERE created <= ? ORDER BY created LIMIT ?)",
            *(before, count),
        )

    def _give_back(self) -> None:
        free = None
        while (left := self._writer.rows("PRAGMA freelist_count")[0][0]) and left != free:
            free = left
            self._writer.rows(f"PRAGMA incremental_vacuum({_BATCH})")  # pages
        self._writer.rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def _refuse(self, table: str, key: object, seal: object, name: str, why: ValueError) -> None:
        _log.warning("%s: %s %s does not check out (%s): removed", self.path, table, name, why)
        # the seal too: another process may have put a good row there meanwhile
        self._writer.change(f"DELETE FROM {table} WHERE key = ? AND seal IS ?", key, seal)


def default_path() -> Path:
    """Where the cache is unless the caller says otherwise."""
    return cache_folder() / "verdicts.sqlite3"


def _seal(*parts: bytes) -> bytes:
    sealed = hashlib.sha256()
    for part in parts:
        sealed.update(len(part).to_bytes(8, "big"))
        sealed.update(part)
    return sealed.digest()


def _checked_verdict(key: Any, text: Any, digest: Any, seal: Any) -> Verdict:
    if not all(isinstance(value, bytes) for value in (key, text, digest)):
        raise ValueError("a column is not of its type")
    if seal != _seal(key, digest, text):
        raise ValueError("its bytes or its key were changed")
    verdict = Verdict.from_json(text)
    if bytes.fromhex(verdict.digest) != digest:
        raise ValueError("its digest is another one")
    if not cacheable(verdict):
        raise ValueError(f"{verdict.status} must not be cached")
    return verdict


def _checked_blob(key: Any, data: Any, seal: Any) -> bytes:
    if not isinstance(key, str) or not isinstance(data, bytes) or seal != _seal(key.encode(), data):
        raise ValueError("its bytes or its key were changed")
    return data
