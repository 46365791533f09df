"""Frames to and from the runner, over the socket of an attached container.

A frame is eight bytes of length, big endian, and that much JSON.  Without a terminal the engine
wraps what the container writes in chunks of its own: one byte of stream number (1 stdout,
2 stderr), three zero bytes, four bytes of length, big endian.
"""

from __future__ import annotations

import contextlib
import json
import socket
import time
from typing import Any

CHUNK = 1 << 16


class ChannelClosedError(Exception):
    """The other side is gone: end of stream, a reset, or no word before the deadline."""


class MalformedFrameError(Exception):
    """What came is not a frame the runner sends."""


class Unwrap:
    """Takes the engine's chunks apart, wherever they are cut; keeps stdout only."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> bytes:
        """Stdout bytes that have become complete with `data`.

        Raises:
            MalformedFrameError: a chunk header that no engine writes, or words on stderr, where the
                runner never writes.
        """
        self._rest += data
        out = bytearray()
        while len(self._rest) >= 8:
            stream, size = self._rest[0], int.from_bytes(self._rest[4:8], "big")
            if stream not in (1, 2) or any(self._rest[1:4]):
                raise MalformedFrameError(f"not a stream header: {bytes(self._rest[:8])!r}")
            if stream == 2:
                if len(self._rest) < 8 + size:
                    break
                words = bytes(self._rest[8 : 8 + size])
                raise MalformedFrameError(f"the runner wrote to stderr: {words[:2000]!r}")
            if len(self._rest) < 8 + size:
                break
            out += self._rest[8 : 8 + size]
            del self._rest[: 8 + size]
        return bytes(out)


class Channel:
    """Blocking; one thread at a time, but any thread may `close` it to wake the others."""

    def __init__(self, sock: socket.socket, wrapped: bool = True) -> None:
        self._socket = sock
        self._unwrap = Unwrap() if wrapped else None
        self._data = bytearray()

    def send(self, body: bytes) -> None:
        """Send one frame.

        Raises:
            ChannelClosedError: the other side is gone.
        """
        try:
            self._socket.settimeout(60)
            self._socket.sendall(len(body).to_bytes(8, "big"))
            self._socket.sendall(body)
        except (OSError, ValueError) as error:
            raise ChannelClosedError(f"writing: {error}") from error

    def receive(self, most: int, deadline_s: float) -> dict[str, Any]:
        """The next frame, as the JSON object it holds.

        Args:
            most: bytes a frame may have.
            deadline_s: seconds to wait for all of it.

        Raises:
            ChannelClosedError: the other side is gone, or said nothing for that long.
            MalformedFrameError: not a frame, or a longer one.
        """
        deadline = time.monotonic() + deadline_s
        size = int.from_bytes(self._take(8, deadline), "big")
        if size > most:
            raise MalformedFrameError(f"a frame of {size} bytes where at most {most} can be right")
        try:
            value = json.loads(self._take(size, deadline))
        except ValueError as error:
            raise MalformedFrameError(f"a frame that is not JSON: {error}") from error
        if not isinstance(value, dict):
            raise MalformedFrameError("a frame that is not a JSON object")
        return value

    def _take(self, size: int, deadline: float) -> bytes:
        while len(self._data) < size:
            try:
                self._socket.settimeout(max(0.001, deadline - time.monotonic()))
                data = self._socket.recv(CHUNK)
            except TimeoutError as error:
                raise ChannelClosedError("no answer before the deadline") from error
            except (OSError, ValueError) as error:
                raise ChannelClosedError(f"reading: {error}") from error
            if not data:
                raise ChannelClosedError("end of stream")
            self._data += self._unwrap.feed(data) if self._unwrap else data
        taken = bytes(self._data[:size])
        del self._data[:size]
        return taken

    def close(self) -> None:
        """Hang up; a thread that waits in `receive` gets `ChannelClosedError`."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
