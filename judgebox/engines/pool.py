"""Warm containers between jobs, by image and memory class."""

from __future__ import annotations

import threading
import time

from judgebox.engines.container import Container


class Pool:
    """Keeps up to `size` idle containers; safe to use from any thread.

    Args:
        size: idle containers kept; with that many jobs at once no job waits for a start.
        jobs_per_container: a container that has run so many is not kept.
        idle_s: seconds after which an idle container is removed.
    """

    def __init__(self, size: int, jobs_per_container: int, idle_s: float) -> None:
        self._size = size
        self._jobs = jobs_per_container
        self._idle_s = idle_s
        self._lock = threading.Lock()
        self._idle: list[Container] = []
        self._lent: set[Container] = set()
        self._closed = False
        self._timer: threading.Timer | None = None

    def take(self, image: str, memory_bytes: int) -> Container | None:
        """A warm container, the one used last; None if there is none of that kind."""
        with self._lock:
            for container in reversed(self._idle):
                if (container.image, container.memory_bytes) == (image, memory_bytes):
                    self._idle.remove(container)
                    return container
        return None

    def make_room(self) -> None:
        """Before one more is started: let go of the idle one that was used longest ago."""
        with self._lock:
            full = len(self._idle) + len(self._lent) >= self._size
            oldest = self._idle.pop(0) if full and self._idle else None
        if oldest is not None:
            oldest.discard()

    def lend(self, container: Container) -> None:
        """Note that `container` is at work, so that `close` can end it."""
        with self._lock:
            self._lent.add(container)
            closed = self._closed
        if closed:
            container.hang_up()

    def give_back(self, container: Container, keep: bool) -> None:
        """After a job; `keep` only after a normal end."""
        container.idle_since = time.monotonic()
        with self._lock:
            self._lent.discard(container)
            keep = keep and not self._closed and container.jobs < self._jobs
            if keep:
                self._idle.append(container)
                self._set_timer()
        if not keep:
            container.discard()

    def close(self) -> None:
        """Remove the idle containers and hang up on those at work."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            lent = list(self._lent)
            if self._timer is not None:
                self._timer.cancel()
        for container in lent:
            container.hang_up()
        for container in idle:
            container.discard()

    def _set_timer(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(self._idle_s, self._remove_idle)
            self._timer.daemon = True
            self._timer.start()

    def _remove_idle(self) -> None:
        with self._lock:
            self._timer = None
            before = time.monotonic() - self._idle_s
            old = [container for container in self._idle if container.idle_since <= before]
            self._idle = [container for container in self._idle if container not in old]
            if self._idle and not self._closed:
                self._set_timer()
        for container in old:
            container.discard()
