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
def source_digest(module: str, file: str | None = None) -> str:
    """sha256 of a module's source, or of the data file `file` beside it.

    Raises:
        ModuleNotFoundError, OSError: there is no such module or file.
    """
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(module)
    path = Path(spec.origin)
    return sha256_hex((path.parent / file if file else path).read_bytes())
