"""One SQLite file in WAL mode that many processes and threads share.

What can go wrong with the file becomes a `CacheError` here and nowhere else.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from judgebox.errors import CacheError
from judgebox.keylock import lock_file_now
from judgebox.mounts import network_type

BUSY_S = 30.0
"""Seconds to wait for another process's write; one takes about a millisecond."""

ELSEWHERE = "set JUDGEBOX_CACHE to a folder on a local disk that this user may write to"

_log = logging.getLogger(__name__)


class Database:
    """A connection to `path`, opened when first used, safe to share between threads.

    The file is made with the statements of `schema` and carries `version`; a file of another
    version is moved aside, never changed.  No connection crosses a fork, as SQLite demands
    (https://sqlite.org/howtocorrupt.html, 2.6): every one is closed before it, and parent and
    child each open their own.
    """

    def __init__(self, path: Path, schema: tuple[str, ...], version: int) -> None:
        self.path = path
        self._schema = schema
        self._version = version
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._closed = False
        _databases.add(self)

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """All rows of a query.

        Raises:
            CacheError: the file cannot be opened, read or (for a statement that writes) written.
            ValueError: it was closed.
        """
        with self._use() as connection:
            # all of them: an unfinished query would keep the WAL from being folded back
            return connection.execute(sql, values).fetchall()

    def change(self, sql: str, *values: object) -> int:
        """Run one statement as its own transaction; the number of rows it changed.

        Raises:
            CacheError, ValueError: as for `rows`; the file is then as it was before.
        """
        with self._use() as connection:
            return connection.execute(sql, values).rowcount

    def close(self) -> None:
        """Close for good."""
        with self._lock:
            self._closed = True
            self._drop()

    @contextmanager
    def _use(self) -> Iterator[sqlite3.Connection]:
        with self._lock, _explained(self.path):
            if self._closed:
                raise ValueError(f"{self.path} is closed")
            if self._connection is None:
                self._connection = self._open()
            yield self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        if network := network_type(self.path):
            raise CacheError(
                f"{self.path} lies on a network file system ({network}), where SQLite's "
                "write-ahead log breaks: its processes must share memory",
                ELSEWHERE,
            )
        locks = lock_folder(self.path)
        locks.mkdir(parents=True, exist_ok=True)
        # one opener at a time: whoever moves a file aside must be alone with it
        with lock_file_now(locks / "opening", BUSY_S):
            connection = _connect(self.path)
            try:
                found = _version_of(connection)
                if found not in (None, self._version):
                    self._move_aside(connection, found)
                    connection, found = _connect(self.path), None
                if found is None:
                    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
                (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
                if mode != "wal":
                    raise CacheError(f"{self.path}: no write-ahead log here ({mode})", ELSEWHERE)
                # a loss of power may cost the last rows, never the file
                connection.execute("PRAGMA synchronous = NORMAL")
                if found is None:
                    version = f"PRAGMA user_version = {self._version}"
                    connection.executescript(
                        ";".join(("BEGIN IMMEDIATE", *self._schema, version, "COMMIT"))
                    )
            except BaseException:
                connection.close()
                raise
            return connection

    def _move_aside(self, connection: sqlite3.Connection, found: int | None) -> None:
        with closing(connection):
            try:
                # leaving WAL folds the log into the file, and fails while anybody else has it open
                (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
            except sqlite3.OperationalError as error:
                if _code(error) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                    raise
                mode = "busy"
            if mode != "delete":
                raise CacheError(
                    f"{self.path} has schema {found}, not {self._version}, and is in use",
                    f"stop the other version of judgebox, or {ELSEWHERE}",
                )
        stem = f"{self.path.name}.schema-{found}-{time.strftime('%Y%m%dT%H%M%S')}"
        aside, number = self.path.with_name(stem), 1
        while aside.exists():
            aside, number = self.path.with_name(f"{stem}-{number}"), number + 1
        self.path.rename(aside)
        _log.warning(
            "%s has schema %s, not %s: moved to %s", self.path, found, self._version, aside
        )


def lock_folder(path: Path) -> Path:
    """Where the lock files of the database `path` are."""
    return path.parent / "locks"


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
    )
    # a damaged text is a row that does not check out, not an exception
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    return connection


def _version_of(connection: sqlite3.Connection) -> int | None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    return int(version) if version or tables else None


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        code = _code(error)
        if code is None:  # the module's own complaint about how it is called
            raise
        raise CacheError(f"{path}: {error}", _mend(path, code)) from error
    except OSError as error:
        raise CacheError(f"{path.parent}: {error.strerror}", ELSEWHERE) from error


def _code(error: sqlite3.Error) -> int | None:
    # the low byte is the kind, the rest tells where: https://sqlite.org/rescode.html
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else int(code) & 0xFF


def _mend(path: Path, code: int) -> str:
    match code:
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
            return f"free space on the disk of {path.parent}, or {ELSEWHERE}"
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return f"stop what uses it and move {path}* away; a new one is made on the next start"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_PROTOCOL:
            return f"find and stop the process that holds it: `fuser -v {path}`"
        case _:
            return ELSEWHERE


_databases: weakref.WeakSet[Database] = weakref.WeakSet()
_forking = threading.Lock()
_paused: list[Database] = []


def _before_fork() -> None:
    _forking.acquire()
    for database in list(_databases):
        database._lock.acquire()
        _paused.append(database)
        database._drop()


def _after_fork() -> None:
    while _paused:
        _paused.pop()._lock.release()
    _forking.release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
