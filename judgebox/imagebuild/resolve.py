"""A recipe into a lock, with apt's own solver, in a state folder of its own.

Needs no root, installs nothing and changes nothing on the machine; any suite may be asked for.
"""

from __future__ import annotations

import datetime
import email.utils
import os
import re
import shutil
import subprocess
import urllib.parse
from collections.abc import Mapping
from pathlib import Path

from debian.deb822 import Packages

from judgebox.errors import ImageError
from judgebox.imagebuild.lock import Lock, Package
from judgebox.imagebuild.mirrors import SETTING
from judgebox.imagebuild.recipe import Recipe

_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_AFTER_RELEASE = datetime.timedelta(hours=12)
"""The archive is snapshot four times a day: by then a published state has been taken."""


def resolve(recipe: Recipe, mirrors: Mapping[str, tuple[str, ...]], state: Path) -> Lock:
    """What apt would install today for `recipe`; `state` is a folder to keep package lists in.

    Raises:
        ImageError: not a Debian machine, or apt finds no solution.
    """
    _check_machine(mirrors)
    bases = {archive: places[0] for archive, places in mirrors.items()}
    _write_sources(recipe.suite, bases, state)
    _apt(state, "apt-get", "update", "-qq")
    chosen = _chosen(bases, _apt(state, "apt-get", *_PRINT, "install", *recipe.packages))
    if recipe.pick:
        chosen |= _chosen(bases, _apt(state, "apt-get", *_PRINT, "download", *recipe.pick))
    wanted = {key: place for key, place in chosen.items() if key[0] not in recipe.without}
    shown = _apt(state, "apt-cache", "show", *(f"{name}={version}" for name, version in wanted))
    packages = {
        (item["Package"], item["Version"]): item
        for item in Packages.iter_paragraphs(shown, use_apt_pkg=False)
    }
    return Lock(
        recipe.suite,
        _date(state),
        tuple(
            Package(
                name, version, archive, path, int(packages[key]["Size"]), packages[key]["SHA256"]
            )
            for key, (archive, path) in sorted(wanted.items())
            for name, version in [key]
        ),
    )


_PRINT = ("--print-uris", "-qq")


def _check_machine(mirrors: Mapping[str, tuple[str, ...]]) -> None:
    if not shutil.which("apt-get") or not _KEYRING.is_file():
        raise ImageError(
            "a lock is made with apt and Debian's archive keyring, which are not here",
            "run it on a Debian machine or in a Debian container",
        )
    if not {"debian", "debian-security"} <= mirrors.keys():
        raise ImageError(
            "no Debian mirror with security updates in the machine's apt sources",
            f"set {SETTING} to the root of a mirror",
        )


def _write_sources(suite: str, bases: Mapping[str, str], state: Path) -> None:
    (state / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    suites = {suite: "debian", f"{suite}-updates": "debian", f"{suite}-security": "debian-security"}
    (state / "sources.list").write_text(
        "".join(
            f"deb [signed-by={_KEYRING}] {bases[archive]} {name} main\n"
            for name, archive in suites.items()
        )
    )


def _apt(state: Path, tool: str, *arguments: str) -> str:
    options = {
        "Dir::State": state,
        "Dir::State::status": os.devnull,
        "Dir::Cache": state,
        "Dir::Etc::SourceList": state / "sources.list",
        "Dir::Etc::SourceParts": os.devnull,
        "Dir::Etc::Preferences": os.devnull,  # the machine's own wishes are not the image's
        "Dir::Etc::PreferencesParts": os.devnull,
        "APT::Default-Release": "",
        "APT::Architecture": "amd64",
        "APT::Architectures": "amd64",
        "APT::Install-Recommends": "0",
        "APT::Sandbox::User": "root",
        "Acquire::Languages": "none",
    }
    command = [tool, *(f"-o{key}={value}" for key, value in options.items()), *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"}
    )
    if done.returncode != 0:
        raise ImageError(
            f"{tool} {arguments[0]} failed:\n{done.stderr.strip()[-2000:]}",
            "check the package names in the recipe, and that `apt-get update` works here",
        )
    return done.stdout


def _chosen(bases: Mapping[str, str], printed: str) -> dict[tuple[str, str], tuple[str, str]]:
    """(name, version) to (archive, path) of apt's lines `'ADDRESS' name_version_arch.deb …`."""
    chosen = {}
    for line in printed.splitlines():
        if match := re.match(r"'(\S+)' (\S+?)_(\S+?)_\S+\.deb ", line):
            address = urllib.parse.unquote(match[1])
            archive, base = next(
                (archive, base)
                for archive, base in bases.items()
                if address.startswith(f"{base}/pool/")
            )
            version = urllib.parse.unquote(match[3])
            chosen[match[2], version] = (archive, address.removeprefix(f"{base}/"))
    return chosen


def _date(state: Path) -> str:
    """A time at which the archive held what its newest Release file lists."""
    dates = [
        email.utils.parsedate_to_datetime(match[1].replace("UTC", "+0000"))
        for path in (state / "lists").glob("*_InRelease")
        if (match := re.search(r"^Date: (.+)$", path.read_text("utf-8", "replace"), re.MULTILINE))
    ]
    return (max(dates) + _AFTER_RELEASE).strftime("%Y%m%dT%H%M%SZ")
