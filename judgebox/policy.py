"""The policy: all that decides a verdict besides the submission and the task.

Its digest is computed from what is used, image, runner, settings and the very source of the
modules that decide, so that nothing is bumped by hand and nothing can be forgotten.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from judgebox.canonical import canonical_json, sha256_hex


@dataclass(frozen=True)
class Policy:
    """What will be done to a submission, and under which limits."""

    name: str
    image: str
    """Image id of the judge container, `sha256:…`."""
    runner: str
    """sha256 of the runner's source."""
    settings: Mapping[str, Any]
    """JSON values: argv, limits and budgets of the steps."""
    modules: Mapping[str, str] = field(default_factory=dict)
    """sha256 of each module and data file that decides, by name."""

    @cached_property
    def digest(self) -> str:
        """sha256 of the canonical form, hex."""
        return sha256_hex(self.canonical())

    def canonical(self) -> bytes:
        """Canonical JSON of all fields."""
        return canonical_json(
            {
                "name": self.name,
                "image": self.image,
                "runner": self.runner,
                "settings": self.settings,
                "modules": self.modules,
            }
        )


@cache
def source_digests(*names: str) -> Mapping[str, str]:
    """sha256 of each named module's source; of a package, those of all files in it.

    Raises:
        ModuleNotFoundError, OSError: there is no such module, or it has no source.
    """
    found = {}
    for name in names:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(name)
        path = Path(spec.origin)
        is_package = bool(spec.submodule_search_locations)
        beside = [p for p in path.parent.iterdir() if p.suffix in (".py", ".c", ".h")]
        files = beside if is_package else [path]
        for file in sorted(files):
            found[f"{name}/{file.name}"] = sha256_hex(file.read_bytes())
    return found
