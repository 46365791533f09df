"""Packages and files into one layer: a tar file that is the same wherever it is made.

No maintainer script runs.  Owners are root, times are one constant, set-uid bits are dropped.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

import zstandard
from debian.arfile import ArError, ArFile

from judgebox.errors import ImageError

EPOCH = 1750000000
"""Time of every file, in seconds of Unix time.  A constant: the lock's date is not content."""

_MERGED = ("bin", "sbin", "lib", "lib64")
"""Folders that are links into `usr` (Debian's merged /usr)."""


_UNREADABLE = (
    ArError, tarfile.TarError, zstandard.ZstdError, EOFError, StopIteration, ValueError, OSError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Entry:
    kind: bytes
    mode: int
    data: bytes = b""
    target: str = ""


class Layer:
    """Files by path; what is added later replaces what was there."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}

    def file(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """A regular file."""
        self._add(path, _Entry(tarfile.REGTYPE, 0o755 if executable else 0o644, data))

    def folder(self, path: str, mode: int = 0o755) -> None:
        """A folder."""
        self._add(path, _Entry(tarfile.DIRTYPE, mode))

    def link(self, path: str, target: str) -> None:
        """A symbolic link; `target` is not looked at."""
        self._add(path, _Entry(tarfile.SYMTYPE, 0o777, target=target))

    def merged_usr(self) -> None:
        """The links `/bin`, `/sbin`, `/lib` and `/lib64` of a merged /usr."""
        for name in _MERGED:
            self.link(name, f"usr/{name}")

    def package(
        self, deb: Path, exclude: Sequence[str] = (), pick: Sequence[str] | None = None
    ) -> None:
        """The files of a Debian package; with `pick`, only those that match it.

        Copyright files always stay in.

        Raises:
            ImageError: not a Debian package.
        """
        try:
            with _data_of(deb) as tar:
                for member in tar:
                    path = _merged(member.name)
                    if path and _wanted(path, member, exclude, pick):
                        self._member(path, member, tar)
        except _UNREADABLE as error:
            raise ImageError(f"{deb}: not a Debian package: {error!r}", "remove it") from error

    def tar_stream(self, data: bytes, to: str) -> None:
        """The regular files and folders of a tar file, below `to`."""
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            for member in tar:
                path = str(PurePosixPath(to, member.name))
                if member.isreg() or member.isdir():
                    self._member(path, member, tar)

    def tar(self) -> bytes:
        """The whole layer.

        Raises:
            ImageError: a hard link whose other end was left out.
        """
        for path in list(self._entries):
            for parent in PurePosixPath(path).parents:
                if str(parent) != ".":
                    self._entries.setdefault(str(parent), _Entry(tarfile.DIRTYPE, 0o755))
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
            # hard links last, so that their other end is there
            for path, entry in sorted(
                self._entries.items(), key=lambda item: (item[1].kind == tarfile.LNKTYPE, item[0])
            ):
                if entry.kind == tarfile.LNKTYPE and entry.target not in self._entries:
                    raise ImageError(
                        f"{path} is a hard link to {entry.target}, which the recipe leaves out",
                        "exclude both in the recipe, or neither",
                    )
                tar.addfile(_tar_info(path, entry), io.BytesIO(entry.data))
        return buffer.getvalue()

    def _member(self, path: str, member: tarfile.TarInfo, tar: tarfile.TarFile) -> None:
        if member.isdir():
            self.folder(path)
        elif member.issym():
            self.link(path, member.linkname)
        elif member.islnk():
            self._add(path, _Entry(tarfile.LNKTYPE, 0o644, target=_merged(member.linkname)))
        elif member.isreg():
            content = tar.extractfile(member)
            assert content is not None  # a regular file has content
            self.file(path, content.read(), executable=bool(member.mode & 0o111))
        # devices and pipes: no package of ours has any, and no image needs them

    def _add(self, path: str, entry: _Entry) -> None:
        if path.startswith("/") or ".." in PurePosixPath(path).parts:
            raise ImageError(f"{path}: a path outside the image", "correct the recipe")
        self._entries[path] = entry


def _tar_info(path: str, entry: _Entry) -> tarfile.TarInfo:
    info = tarfile.TarInfo(path)
    info.type, info.mode, info.mtime = entry.kind, entry.mode, EPOCH
    info.size, info.linkname = len(entry.data), entry.target
    return info


def _data_of(deb: Path) -> tarfile.TarFile:
    """The opened `data.tar` of a package, however it is compressed (deb(5))."""
    members = ArFile(fileobj=io.BytesIO(deb.read_bytes())).getmembers()
    member = next(member for member in members if member.name.startswith("data.tar"))
    data = member.read()
    if member.name.endswith(".zst"):
        data = zstandard.ZstdDecompressor().stream_reader(data).read()
    return tarfile.open(fileobj=io.BytesIO(data))


def _merged(path: str) -> str:
    path = path.removeprefix("./").rstrip("/")
    if path in _MERGED or path == ".":
        return ""
    return f"usr/{path}" if path.split("/", 1)[0] in _MERGED else path


def _wanted(
    path: str, member: tarfile.TarInfo, exclude: Sequence[str], pick: Sequence[str] | None
) -> bool:
    if fnmatchcase(path, "usr/share/doc/*/copyright"):
        return True
    if member.issym() and PurePosixPath(path).parent == PurePosixPath("usr/share/doc"):
        return True  # two packages of one source share their copyright file by this link
    if pick is not None and (member.isdir() or not _matches(path, pick)):
        return False
    return not _matches(path, exclude)


def _matches(path: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in patterns)
