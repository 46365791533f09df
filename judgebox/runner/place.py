"""The two directories of a job, and how to empty a place that a hostile program has written to.

Names are only ever resolved one component at a time below an open directory, links are never
followed, nothing is opened that could block, and no depth of nesting is recursed into.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Place:
    """A directory in which one uid may create files but not remove or change the runner's."""

    def __init__(self, path: str, uid: int) -> None:
        self.path = path
        self.uid = uid
        os.mkdir(path, 0o700)
        os.chown(path, 0, uid)
        os.chmod(path, 0o1770)  # sticky: what the runner puts in stays as it is
        self._fd = os.open(path, _DIRECTORY)

    def put(self, name: str, parts: Iterable[bytes], executable: bool) -> None:
        """Write a file that the uid can read (and execute) but not change."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(name, flags, 0o600, dir_fd=self._fd)
        try:
            for part in parts:
                view = memoryview(part)
                while view:
                    view = view[os.write(fd, view) :]
            os.fchmod(fd, 0o555 if executable else 0o444)
        finally:
            os.close(fd)

    def take(self, name: str, other: Place) -> None:
        """Copy the file `name` of another place into this one, in pieces, however large it is.

        Raises:
            LookupError: it is not a regular file there.
            OSError: it does not fit.
        """
        fd, status = other.open(name)
        try:
            self.put(name, _pieces(fd, status.st_size), bool(status.st_mode & 0o100))
        finally:
            os.close(fd)

    def get(self, name: str, limit: int) -> bytes:
        """Content of the regular file `name`.

        Raises:
            LookupError: it is not such a file, or holds more than `limit` bytes; says which.
        """
        fd, status = self.open(name)
        try:
            if status.st_size > limit:
                raise LookupError("too large")
            return b"".join(_pieces(fd, status.st_size))
        finally:
            os.close(fd)

    def open(self, name: str) -> tuple[int, os.stat_result]:
        """Open the regular file `name` to read.

        Raises:
            LookupError: it is not such a file; says why.
        """
        if "/" in name or "\0" in name or name in ("", ".", ".."):
            raise LookupError("not a plain file name")
        try:
            fd = os.open(name, _FILE, dir_fd=self._fd)
        except FileNotFoundError:
            raise LookupError("absent") from None
        except OSError:
            raise LookupError("not a regular file") from None  # a link, a socket
        status = os.fstat(fd)
        if stat.S_ISREG(status.st_mode) and status.st_uid in (0, self.uid):
            return fd, status
        os.close(fd)
        if stat.S_ISREG(status.st_mode):
            raise LookupError("not the step's own")  # a hard link to another's file
        raise LookupError("not a regular file")

    def remove(self) -> None:
        """Empty the directory and remove it."""
        os.close(self._fd)
        wipe(self.path)
        os.rmdir(self.path)


def _pieces(fd: int, size: int) -> Iterator[bytes]:
    while size and (piece := os.read(fd, min(size, 1 << 20))):
        yield piece
        size -= len(piece)


def wipe(path: str, owner: int | None = None) -> None:
    """Remove everything inside the directory `path`, or only what `owner` has put there.

    A nested directory is first moved up to `path`, so neither depth nor open files grow.
    """
    top = os.open(path, _DIRECTORY)
    try:
        serial = 0
        waiting = _unlink_all(top, owner)
        while waiting:
            name = waiting.pop()
            fd = os.open(name, _DIRECTORY, dir_fd=top)
            try:
                for inner in _unlink_all(fd):
                    serial += 1
                    while _exists(f"wipe-{serial}", top):
                        serial += 1
                    os.rename(inner, f"wipe-{serial}", src_dir_fd=fd, dst_dir_fd=top)
                    waiting.append(f"wipe-{serial}")
            finally:
                os.close(fd)
            os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)


def _unlink_all(directory: int, owner: int | None = None) -> list[str]:
    """Unlink all but the directories in `directory`; return those, owned by root now."""
    if os.fstat(directory).st_uid != 0:
        os.fchown(directory, 0, 0)  # its sticky bit would bind even root, who has no CAP_FOWNER
    inner = []
    for name in os.listdir(directory):
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
        if owner is not None and status.st_uid != owner:
            continue
        if stat.S_ISDIR(status.st_mode):
            os.chown(name, 0, 0, dir_fd=directory, follow_symlinks=False)
            inner.append(name)
        else:
            os.unlink(name, dir_fd=directory)
    return inner


def _exists(name: str, directory: int) -> bool:
    try:
        os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
