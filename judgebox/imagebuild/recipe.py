"""What belongs in an image: `judge-image/NAME.toml` and the small files in `judge-image/NAME/`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judgebox.canonical import canonical_json, sha256_hex
from judgebox.errors import ImageError


@dataclass(frozen=True, slots=True)
class Derive:
    """A command run in the image built so far, offline; what it leaves in `out/` goes to `to`."""

    command: str
    """For `sh -ec`, in an empty writable folder."""
    to: str
    """Folder in the image, without a leading slash."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """An image to be.  Paths in the image carry no leading slash."""

    name: str
    suite: str
    """Debian suite its packages come from, with that suite's updates and security updates."""
    packages: tuple[str, ...]
    """Packages taken with what they depend on."""
    without: tuple[str, ...] = ()
    """Packages to leave out though something depends on them."""
    exclude: tuple[str, ...] = ()
    """Patterns (fnmatch; `*` crosses slashes) of paths to leave out."""
    pick: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Package, taken without dependencies, to the patterns of its files that are wanted."""
    links: Mapping[str, str] = field(default_factory=dict)
    """Symbolic links: path to target."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    executables: Mapping[str, bytes] = field(default_factory=dict)
    dirs: Mapping[str, int] = field(default_factory=dict)
    """Folders with their modes."""
    env: Mapping[str, str] = field(default_factory=dict)
    derive: tuple[Derive, ...] = ()
    digest: str = ""
    """sha256 over all of the above as it stands on disk."""


_KEYS = {
    "suite", "packages", "without", "exclude", "pick", "links",
    "files", "executables", "dirs", "env", "derive",
}  # fmt: skip


def read_recipe(folder: Path, name: str) -> Recipe:
    """The recipe `name` in `folder`.

    Raises:
        ImageError: there is none, or it is not one.
    """
    path = folder / f"{name}.toml"
    try:
        table = tomllib.loads(path.read_text("utf-8"))
        if unknown := table.keys() - _KEYS:
            raise ValueError(f"unknown: {', '.join(sorted(unknown))}")
        return _recipe(name, table, folder / name)
    except FileNotFoundError as error:
        raise ImageError(
            f"{error.filename}: not found", "`judgebox image list` shows the recipes there are"
        ) from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ImageError(f"{path}: not a recipe: {error!r}", "correct the recipe") from error


def _recipe(name: str, table: Mapping[str, Any], small_files: Path) -> Recipe:
    files, executables = (
        {path: (small_files / source).read_bytes() for path, source in table.get(key, {}).items()}
        for key in ("files", "executables")
    )
    contents = {path: sha256_hex(data) for path, data in (files | executables).items()}
    return Recipe(
        name=name,
        suite=str(table["suite"]),
        packages=_strings(table["packages"]),
        without=_strings(table.get("without", [])),
        exclude=_strings(table.get("exclude", [])),
        pick={package: _strings(globs) for package, globs in table.get("pick", {}).items()},
        links=dict(table.get("links", {})),
        files=files,
        executables=executables,
        dirs={path: int(mode, 8) for path, mode in table.get("dirs", {}).items()},
        env=dict(table.get("env", {})),
        derive=tuple(Derive(**step) for step in table.get("derive", [])),
        digest=sha256_hex(canonical_json([table, contents])),
    )


def _strings(value: list[str]) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError(f"not a list of strings: {value!r}")
    return tuple(value)
