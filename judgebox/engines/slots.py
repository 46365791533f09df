"""A budget of slots shared by every process on this host: one lock file per slot.

The kernel drops a lock with the process that held it, so a killed worker frees its slots.
Within a process waiters are served in order.  Between processes a released slot goes to whoever
asks next; a process that had to wait for a slot lets one polling interval pass before it asks
for another, as long as other processes use the budget too, so that all get their turn.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import os
import secrets
import stat
import tempfile
import threading
import time
from pathlib import Path

from filelock import FileLock, Timeout

from judgebox.errors import EngineError

POLL_S = 0.02
"""How often the head of a queue asks; more seldom where there are many locks to try."""


class Slot:
    """One taken slot; `release` may be called from any thread, and more than once."""

    def __init__(self, slots: Slots, lock: FileLock) -> None:
        self._slots = slots
        self._lock: FileLock | None = lock

    def release(self) -> None:
        """Give the slot back."""
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()
            self._slots.wake()


class _Ticket:
    """A waiter's place in the queue; it is woken from other threads and other event loops."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._event = asyncio.Event()

    def wake(self) -> None:
        with contextlib.suppress(RuntimeError):  # its loop is closed: nobody waits there
            self.loop.call_soon_threadsafe(self._event.set)

    async def wait(self, timeout_s: float | None) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._event.wait(), timeout_s)
        self._event.clear()


class Slots:
    """`count` slots in the lock files of `directory`.

    Raises:
        EngineError: the directory is another user's, or cannot be made.
    """

    def __init__(self, count: int, directory: Path) -> None:
        if count < 1:
            raise ValueError(f"slots must be at least 1, not {count}")
        self.count = count
        self.directory = directory
        _private(directory)
        self._locks = [_lock(directory / f"slot-{number}") for number in range(count)]
        self._member = _lock(directory / f"member-{os.getpid()}-{secrets.token_hex(4)}")
        self._member.acquire()
        self._mutex = threading.Lock()
        self._queue: collections.deque[_Ticket] = collections.deque()
        self._not_before = 0.0
        self._poll_s = max(POLL_S, count / 1000)

    async def acquire(self) -> Slot:
        """Wait for a slot; cancelling the wait gives up the place in the queue."""
        ticket = _Ticket()
        with self._mutex:
            self._queue.append(ticket)
        waited = False
        try:
            while True:
                if self._head() is not ticket:
                    await ticket.wait(None)
                elif (pause := self._not_before - time.monotonic()) > 0:
                    await ticket.wait(pause)
                elif (slot := self._try()) is not None:
                    if waited and self._shared():
                        self._not_before = time.monotonic() + self._poll_s
                    return slot
                else:
                    waited = True
                    await ticket.wait(self._poll_s)
        finally:
            with self._mutex, contextlib.suppress(ValueError):
                self._queue.remove(ticket)
            self.wake()

    def wake(self) -> None:
        """Let the head of the queue look again."""
        head = self._head()
        if head is not None:
            head.wake()

    def close(self) -> None:
        """Leave the budget; slots still held stay held until released."""
        self._member.release()
        with contextlib.suppress(OSError):
            os.unlink(self._member.lock_file)

    def _head(self) -> _Ticket | None:
        with self._mutex:
            while self._queue and self._queue[0].loop.is_closed():
                self._queue.popleft()
            return self._queue[0] if self._queue else None

    def _try(self) -> Slot | None:
        with self._mutex:
            for lock in self._locks:
                if not lock.is_locked and _acquired(lock):
                    return Slot(self, lock)
        return None

    def _shared(self) -> bool:
        """Whether another process uses this budget; markers of dead ones are removed."""
        for path in self.directory.glob("member-*"):
            if str(path) == self._member.lock_file:
                continue
            marker = _lock(path)
            if not _acquired(marker):
                return True
            path.unlink(missing_ok=True)
            marker.release()
        return False


def default_directory(scope: str) -> Path:
    """This user's lock files for one engine; `scope` names the engine."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    return Path(tempfile.gettempdir()) / f"judgebox-slots-{user}-{scope}"


def _private(directory: Path) -> None:
    """Make sure that the directory is ours: its name can be guessed by every user of the host."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = directory.lstat()
    except OSError as error:
        raise EngineError(
            f"the slot directory {directory} cannot be made: {error}", "set TMPDIR to a local disk"
        ) from error
    if not stat.S_ISDIR(status.st_mode) or (
        hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o022)
    ):
        raise EngineError(
            f"the slot directory {directory} is not this user's alone",
            f"remove {directory}, or set TMPDIR to a directory of your own",
        )


def _lock(path: Path) -> FileLock:
    return FileLock(path, thread_local=False)  # taken in one thread, released in another


def _acquired(lock: FileLock) -> bool:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    return True
