"""Exactly which packages an image is made of: `judge-image/NAME.lock.json`."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from judgebox.canonical import canonical_json, sha256_hex
from judgebox.errors import ImageError


@dataclass(frozen=True, slots=True, order=True)
class Package:
    """One Debian package."""

    name: str
    version: str
    archive: str
    """`debian` or `debian-security`: the part of a mirror that it stands in."""
    path: str
    """Below that: `pool/…/….deb`."""
    size: int
    """Bytes."""
    sha256: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[0-9a-f]{64}", self.sha256):
            raise ValueError(f"{self.name}: not a sha256: {self.sha256!r}")
        if not self.path.startswith("pool/") or not isinstance(self.size, int):
            raise ValueError(f"{self.name}: no place in the pool, or no size")


@dataclass(frozen=True, slots=True)
class Lock:
    """The packages of one image, sorted by name."""

    suite: str
    date: str
    """`YYYYMMDDTHHMMSSZ`: a time at which the archive held all of them (for the snapshots)."""
    packages: tuple[Package, ...]

    @property
    def digest(self) -> str:
        """sha256 over the packages alone: where they are fetched from does not matter."""
        return sha256_hex(canonical_json([dataclasses.asdict(item) for item in self.packages]))

    @property
    def size(self) -> int:
        """Bytes to fetch."""
        return sum(item.size for item in self.packages)


def read_lock(path: Path) -> Lock:
    """The lock in `path`.

    Raises:
        ImageError: there is none, or it is not one.
    """
    mend = "make it anew on a Debian machine: `judgebox image relock NAME`"
    try:
        table = json.loads(path.read_text("utf-8"))
        packages = tuple(sorted(Package(**item) for item in table["packages"]))
        lock = Lock(str(table["suite"]), str(table["date"]), packages)
        if not re.fullmatch(r"\d{8}T\d{6}Z", lock.date):
            raise ValueError(f"date {lock.date!r} is not YYYYMMDDTHHMMSSZ")
        if len({item.name for item in packages}) != len(packages):
            raise ValueError("a package stands in it twice")
    except FileNotFoundError as error:
        raise ImageError(f"{path}: not found", mend) from error
    except (KeyError, TypeError, ValueError) as error:
        raise ImageError(f"{path}: not a lock: {error!r}", mend) from error
    return lock


def write_lock(lock: Lock, path: Path) -> None:
    """Write `lock`, one package a line, so that a change reads well in a review."""
    lines = ",\n".join("  " + json.dumps(dataclasses.asdict(item)) for item in lock.packages)
    head = f'{{\n "suite": {json.dumps(lock.suite)},\n "date": {json.dumps(lock.date)},\n'
    path.write_text(f'{head} "packages": [\n{lines}\n ]\n}}\n', "utf-8")


def changes(old: Iterable[Package], new: Iterable[Package]) -> list[str]:
    """One line for each package that differs: `name: old version → new version`."""
    before, after = {item.name: item for item in old}, {item.name: item for item in new}
    lines = []
    for name in sorted(before.keys() | after.keys()):
        was, now = before.get(name), after.get(name)
        if was is None or now is None:
            versions = [item.version if item else "(none)" for item in (was, now)]
        elif was.sha256 != now.sha256:
            same = was.version == now.version  # then only the bytes tell them apart
            versions = [f"{i.version} ({i.sha256[:12]})" if same else i.version for i in (was, now)]
        else:
            continue
        lines.append(f"{name}: {versions[0]} → {versions[1]}")
    return lines
