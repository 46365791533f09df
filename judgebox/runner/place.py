"""The two directories of a job, and how to empty a place that a hostile program has written to.

Names are only ever resolved one component at a time below an open directory, links are never
followed, nothing is opened that could block, and no depth of nesting is recursed into.
"""

from __future__ import annotations

import os
import stat

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

    def put(self, name: str, data: bytes, executable: bool) -> None:
        """Write a file that the uid can read (and execute) but not change."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(name, flags, 0o600, dir_fd=self._fd)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(fd, view) :]
            os.fchmod(fd, 0o555 if executable else 0o444)
        finally:
            os.close(fd)

    def get(self, name: str, limit: int) -> tuple[bytes, bool]:
        """Content of the regular file `name`, and whether it is executable.

        Raises:
            LookupError: it is not such a file, or holds more than `limit` bytes; says which.
        """
        if "/" in name or "\0" in name or name in ("", ".", ".."):
            raise LookupError("not a plain file name")
        try:
            fd = os.open(name, _FILE, dir_fd=self._fd)
        except FileNotFoundError:
            raise LookupError("absent") from None
        except OSError:
            raise LookupError("not a regular file") from None  # a link, a socket
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise LookupError("not a regular file")
            if status.st_uid not in (0, self.uid):
                raise LookupError("not the step's own")  # a hard link to another's file
            if status.st_size > limit:
                raise LookupError("too large")
            chunks = []
            left = status.st_size
            while left and (chunk := os.read(fd, min(left, 1 << 20))):
                chunks.append(chunk)
                left -= len(chunk)
            return b"".join(chunks), bool(status.st_mode & 0o100)
        finally:
            os.close(fd)

    def remove(self) -> None:
        """Empty the directory and remove it."""
        os.close(self._fd)
        wipe(self.path)
        os.rmdir(self.path)


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
