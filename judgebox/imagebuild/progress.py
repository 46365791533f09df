"""What a long build tells whoever waits for it."""

from __future__ import annotations

import logging
from typing import Protocol

_log = logging.getLogger("judgebox.images")


class Progress(Protocol):
    """Told what happens.  `advance` is called from several threads."""

    def say(self, text: str) -> None:
        """A new step begins, or a fact worth a line."""

    def warn(self, text: str) -> None:
        """Something a person must not overlook."""

    def start(self, text: str, total: int) -> None:
        """A step of `total` bytes begins."""

    def advance(self, count: int) -> None:
        """`count` more bytes of the last started step are done."""


class LogProgress:
    """Progress as log lines of `judgebox.images`; the default of a library call."""

    def say(self, text: str) -> None:
        """Log at INFO."""
        _log.info("%s", text)

    def warn(self, text: str) -> None:
        """Log at WARNING."""
        _log.warning("%s", text)

    def start(self, text: str, total: int) -> None:
        """Log at INFO, with the size."""
        _log.info("%s (%d MiB)", text, total // 2**20)

    def advance(self, count: int) -> None:
        """Nothing: a log is no progress bar."""
