"""A lock per key between processes: a file that exists only while somebody holds or awaits it.

One file per key, and not a fixed number of striped ones: a holder may ask for a second key (a
verdict's lock, then that of the compiled oracle it needs), and with stripes two such holders can
block each other for ever, and unrelated keys wait for each other's proofs.

The kernel drops a `flock` with the process that holds it, `kill -9` included; what such a process
leaves is an empty file that the next holder reuses and `sweep` removes.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from judgebox.errors import CacheError

_FIRST_WAIT_S = 0.002
_LONGEST_WAIT_S = 0.1


@asynccontextmanager
async def lock_file(path: Path) -> AsyncIterator[None]:
    """Hold the lock of `path`.  Waits without blocking the event loop; cancelling a waiter leaves
    the lock as it was.  Two holders in one process exclude each other just as two processes do.

    Raises:
        CacheError: the file cannot be made (folder gone, disk full, no file descriptor left, …).
    """
    waits = _waits()
    while (descriptor := _try(path)) is None:
        await asyncio.sleep(next(waits))
    try:
        yield
    finally:
        _release(path, descriptor)


@contextmanager
def lock_file_now(path: Path, timeout_s: float) -> Iterator[None]:
    """Like `lock_file`, blocking the thread.

    Raises:
        CacheError: as for `lock_file`, or somebody held it for `timeout_s` seconds.
    """
    end = time.monotonic() + timeout_s
    waits = _waits()
    while (descriptor := _try(path)) is None:
        if time.monotonic() > end:
            raise CacheError(
                f"{path} was held for {timeout_s:g} s",
                f"find and stop the process that holds it: `fuser -v {path}`",
            )
        time.sleep(next(waits))
    try:
        yield
    finally:
        _release(path, descriptor)


def sweep(folder: Path) -> None:
    """Remove the lock files in `folder` that nobody holds: dead processes left them."""
    for path in folder.glob("*"):
        if (descriptor := _try(path)) is not None:
            _release(path, descriptor)


def _try(path: Path) -> int | None:
    try:
        return _lock_at_once(path)
    except OSError as error:
        raise CacheError(
            f"cannot lock {path}: {error.strerror}",
            "free disk space or file descriptors (`ulimit -n`), make the folder writable, or set "
            "JUDGEBOX_CACHE to another one",
        ) from error


def _lock_at_once(path: Path) -> int | None:
    while True:
        # closed on exec, so that a program started meanwhile does not hold the lock too
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # the last holder may have removed the file between our open and our lock
            if os.path.samestat(os.fstat(descriptor), os.stat(path)):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            return None
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _release(path: Path, descriptor: int) -> None:
    try:
        # removed first, while still held: whoever waits on this file sees that it is stale
        path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _waits() -> Iterator[float]:
    wait = _FIRST_WAIT_S
    while True:
        yield wait
        wait = min(1.5 * wait, _LONGEST_WAIT_S)
