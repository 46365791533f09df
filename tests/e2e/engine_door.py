"""A socket in front of the container engine that a test can shut: the engine, stopped."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from pathlib import Path


class EngineDoor:
    """Passes bytes between `path` and the engine until it is shut; use it in a `with` statement."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(64)
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()
        self._shut = False
        self._thread = threading.Thread(target=self._accept, daemon=True)

    @property
    def host(self) -> str:
        """For `DOCKER_HOST`."""
        return f"unix://{self.path}"

    def shut(self) -> None:
        """From now on nobody answers, and every connection is cut."""
        with self._lock:
            if self._shut:
                return
            self._shut = True
            self.path.unlink()
            for end in (self._listener, *self._open):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()

    def __enter__(self) -> EngineDoor:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shut()

    def _accept(self) -> None:
        while True:
            try:
                inner, _ = self._listener.accept()
            except OSError:
                return
            outer = _engine()
            with self._lock:
                self._open += [inner, outer]
            for source, sink in ((inner, outer), (outer, inner)):
                threading.Thread(target=_pass_on, args=(source, sink), daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)


def _engine() -> socket.socket:
    host = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    scheme, _, place = host.partition("://")
    if scheme == "unix":
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(place)
        return connection
    name, _, port = place.rstrip("/").rpartition(":")
    return socket.create_connection((name, int(port)))
