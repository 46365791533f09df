"""The program inside the container, and how its source gets there.

The modules beside this one import each other by their full names; `source` packs them so that
the same imports work in the container, where there is no `judgebox` to import.
"""

from __future__ import annotations

import functools
import hashlib
from importlib import resources

MODULES = ("counters", "process", "place", "step", "runner")
"""In the order in which they are executed."""

BOOT = """\
import os
def take(size):
    data = b""
    while len(data) < size:
        chunk = os.read(0, size - len(data))
        if not chunk:
            os._exit(0)
        data += chunk
    return data
exec(take(int.from_bytes(take(8), "big")))
"""
"""Argument of `python3 -I -S -c`: reads a length and that many bytes from stdin, executes them."""

_UNPACK = """\
import sys
package = type(sys)("judgebox.runner")
sys.modules["judgebox"] = type(sys)("judgebox")
sys.modules["judgebox.runner"] = package
for name, text in MODULES:
    module = type(sys)("judgebox.runner." + name)
    sys.modules[module.__name__] = module
    setattr(package, name, module)
    exec(compile(text, module.__name__, "exec"), module.__dict__)
"""


@functools.cache
def source() -> bytes:
    """The runner as one program for `BOOT` to execute."""
    here = resources.files(__package__)
    modules = [(name, (here / f"{name}.py").read_text(encoding="utf-8")) for name in MODULES]
    return (
        f"MODULES = {modules!r}\n{_UNPACK}sys.modules['judgebox.runner.runner'].main()\n".encode()
    )


def sha256() -> str:
    """Digest of bootstrap and source; part of the policy."""
    return hashlib.sha256(BOOT.encode() + source()).hexdigest()
