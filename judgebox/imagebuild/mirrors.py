"""Where this machine gets Debian packages: its own apt sources, or a setting.

Formats: sources.list(5).  One-line and deb822 entries, and `mirror+file:` lists, are understood.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from debian.deb822 import Deb822

SETTING = "JUDGEBOX_DEBIAN_MIRROR"
"""Root of a mirror: what stands before `debian/pool/…` and `debian-security/pool/…`."""

_SUITES = re.compile(
    r"(oldoldstable|oldstable|stable|testing|unstable|sid|buster|bullseye|bookworm|trixie|forky)"
    r"(-updates|-security|/updates)?"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One enabled source of binary packages."""

    uri: str
    suites: tuple[str, ...]
    components: tuple[str, ...]


def machine_mirrors(etc_apt: Path = Path("/etc/apt")) -> dict[str, tuple[str, ...]]:
    """Base addresses by archive (`debian`, `debian-security`), the likeliest first.

    The setting wins; without it the machine's apt sources are read.  Empty where there are none,
    as on another operating system.
    """
    if root := os.environ.get(SETTING, "").rstrip("/"):
        return {name: (f"{root}/{name}",) for name in ("debian", "debian-security")}
    return mirrors_of(read_sources(etc_apt))


def mirrors_of(entries: list[Entry]) -> dict[str, tuple[str, ...]]:
    """Base addresses by archive, of those `entries` that are Debian's own."""
    found: dict[str, list[str]] = {"debian": [], "debian-security": []}
    for entry in entries:
        if "main" not in entry.components:
            continue
        for suite in entry.suites:
            if match := _SUITES.fullmatch(suite):
                security = match[2] in ("-security", "/updates")
                places = found["debian-security" if security else "debian"]
                if entry.uri not in places:
                    places.append(entry.uri)
    # Others' archives name their suites alike: what is called like the archive goes first.
    return {
        archive: tuple(sorted(places, key=lambda uri: not uri.endswith("/" + archive)))
        for archive, places in found.items()
        if places
    }


def read_sources(etc_apt: Path) -> list[Entry]:
    """All enabled `deb` entries over http(s) below `etc_apt`."""
    parts = etc_apt / "sources.list.d"
    entries: list[Entry] = []
    for path in [etc_apt / "sources.list", *sorted(parts.glob("*.list"))]:
        if path.is_file():
            entries += _one_line(path.read_text("utf-8", "replace"))
    for path in sorted(parts.glob("*.sources")):
        entries += _deb822(path.read_text("utf-8", "replace"))
    return entries


def _one_line(text: str) -> Iterator[Entry]:
    for line in text.splitlines():
        match = re.match(r"deb\s+(?:\[[^]]*\]\s*)?(\S+)\s+(\S+)\s+([^#]+)", line.strip())
        if match:
            for uri in _addresses(match[1]):
                yield Entry(uri, (match[2],), tuple(match[3].split()))


def _deb822(text: str) -> Iterator[Entry]:
    for stanza in Deb822.iter_paragraphs(text, use_apt_pkg=False):
        if _off(stanza) or "deb" not in stanza.get("Types", "").split():
            continue
        for written in stanza.get("URIs", "").split():
            for uri in _addresses(written):
                suites = tuple(stanza.get("Suites", "").split())
                yield Entry(uri, suites, tuple(stanza.get("Components", "").split()))


def _off(stanza: Mapping[str, str]) -> bool:
    return stanza.get("Enabled", "yes").strip().lower() in ("no", "false", "without", "off", "0")


def _addresses(written: str) -> list[str]:
    if written.startswith("mirror+file:"):  # a file that lists mirrors, one a line
        listed = Path("/" + written.removeprefix("mirror+file:").lstrip("/"))
        lines = listed.read_text("utf-8", "replace").splitlines() if listed.is_file() else []
        return [uri for line in lines for uri in _addresses((line.split() or [""])[0])]
    return [written.rstrip("/")] if written.startswith(("http://", "https://")) else []
