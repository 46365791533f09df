"""Where judgebox keeps what it can make again."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Folder for downloads, locks and caches; it need not exist yet.

    The setting `JUDGEBOX_CACHE`, else `judgebox` in the user's cache folder (`XDG_CACHE_HOME`,
    which counts only when it is absolute, else `~/.cache`).
    """
    if own := os.environ.get("JUDGEBOX_CACHE"):
        return Path(own).expanduser().absolute()
    users = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (users if users.is_absolute() else Path.home() / ".cache") / "judgebox"
