"""The packages of a lock, from the first place that has them, checked by sha256 and kept."""

from __future__ import annotations

import concurrent.futures
import hashlib
import http.client
import os
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from judgebox.errors import ImageError
from judgebox.imagebuild.lock import Lock, Package
from judgebox.imagebuild.mirrors import SETTING
from judgebox.imagebuild.progress import Progress

SNAPSHOTS = "https://snapshot.debian.org/archive"
"""Debian's own archive of every package it ever published: https://snapshot.debian.org/."""

_THREADS = 8
_TRIES = 3
_TIMEOUT_S = 30


@dataclass(frozen=True, slots=True)
class Places:
    """Where packages may be had from, in this order."""

    mirrors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    snapshots: str = SNAPSHOTS

    def of(self, package: Package, date: str) -> list[str]:
        """Addresses of `package`, for a lock of `date`."""
        path = urllib.parse.quote(package.path)
        bases = [*self.mirrors.get(package.archive, ())]
        bases.append(f"{self.snapshots}/{package.archive}/{date}")
        return [f"{base}/{path}" for base in bases]


class LostPackageError(ImageError):
    """A place says that it has these packages no more, and no other has them."""


class _MissingError(Exception):
    """A package that could not be had, and whether a place said that it has it not."""

    def __init__(self, package: Package, answers: list[str], gone: bool) -> None:
        super().__init__(f"{package.name} {package.version} ({'; '.join(answers)})")
        self.gone = gone


def fetch(
    name: str, lock: Lock, places: Places, folder: Path, progress: Progress
) -> dict[str, Path]:
    """Files of all packages of `lock` by package name, kept in `folder` under their sha256.

    Raises:
        LostPackageError: no place has a package, and one said so; all such packages are named.
        ImageError: no place could be reached, or only with other bytes than the lock says.
    """
    folder.mkdir(parents=True, exist_ok=True)
    progress.start(f"packages of {name}", lock.size)
    found: dict[str, Path] = {}
    missing: list[_MissingError] = []
    silent: set[str] = set()
    with concurrent.futures.ThreadPoolExecutor(_THREADS) as pool:
        futures = {
            pool.submit(_fetch_one, item, places.of(item, lock.date), folder, silent): item
            for item in lock.packages
        }
        for future in concurrent.futures.as_completed(futures):
            item = futures[future]
            try:
                found[item.name] = future.result()
            except _MissingError as error:
                missing.append(error)
            progress.advance(item.size)
    if missing:
        raise _explained(name, missing)
    return found


def _explained(name: str, missing: list[_MissingError]) -> ImageError:
    listed = "\n    ".join(sorted(map(str, missing)))
    ways = (
        f"`judgebox image relock {name}` on a Debian machine takes today's versions (a new image, "
        f"to be reviewed); `judgebox image pull {name} REPOSITORY@sha256:…` takes a built image"
    )
    if any(error.gone for error in missing):
        return LostPackageError(f"packages of {name} found nowhere:\n    {listed}", ways)
    return ImageError(
        f"packages of {name} could not be fetched:\n    {listed}",
        f"check the network, or set {SETTING} to the root of a mirror; {ways}",
    )


def _fetch_one(package: Package, addresses: list[str], folder: Path, silent: set[str]) -> Path:
    """`silent` collects the hosts that do not answer: the other packages need not wait for them."""
    kept = folder / package.sha256
    if kept.exists() and _sha256(kept.read_bytes()) == package.sha256:
        return kept
    answers: list[str] = []
    gone = False  # said by any place; the last one, the snapshots, may well not be reached
    for address in addresses:
        host = urllib.parse.urlsplit(address).hostname or ""
        data, answer = (None, "no answer") if host in silent else _download(address)
        if data is not None and _sha256(data) == package.sha256:
            _keep(data, kept)
            return kept
        if data is None and not answer.isdigit():
            silent.add(host)
        answers.append(f"{host}: {answer if data is None else 'other bytes than the lock says'}")
        gone |= answer in ("404", "410")
    raise _MissingError(package, answers, gone)


def _download(address: str) -> tuple[bytes | None, str]:
    """The bytes, or None and why not; what may pass is tried again."""
    answer = ""
    for attempt in range(_TRIES):
        time.sleep(attempt / 2)
        try:
            with urllib.request.urlopen(address, timeout=_TIMEOUT_S) as response:
                return response.read(), "200"
        except urllib.error.HTTPError as error:
            answer = str(error.code)
            error.close()
            if error.code < 500:
                return None, answer
        except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
            answer = str(getattr(error, "reason", error)) or type(error).__name__
    return None, answer


def _keep(data: bytes, path: Path) -> None:
    handle, part = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(part, path)  # whole or not at all, also with two builds at once


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
