from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgebox.engines.channel import Channel, ChannelClosedError, MalformedFrameError, Unwrap


def chunk(data: bytes, stream: int = 1) -> bytes:
    return bytes([stream, 0, 0, 0]) + len(data).to_bytes(4, "big") + data


def frame(value: object) -> bytes:
    body = json.dumps(value).encode()
    return len(body).to_bytes(8, "big") + body


@pytest.fixture
def pair() -> Iterator[tuple[Channel, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield Channel(ours), theirs


@given(st.lists(st.binary(max_size=40), max_size=6), st.integers(1, 17))
def test_chunks_may_be_cut_anywhere(parts: list[bytes], size: int) -> None:
    data = b"".join(map(chunk, parts))
    unwrap = Unwrap()
    out = b"".join(unwrap.feed(data[at : at + size]) for at in range(0, len(data), size))
    assert out == b"".join(parts)


@pytest.mark.parametrize("data", [b"HTTP/1.1 500", chunk(b"", 3), b"\1\0\1\0\0\0\0\0"])
def test_what_is_no_chunk_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedFrameError, match="stream header"):
        Unwrap().feed(data)


def test_words_on_stderr_are_refused_and_shown() -> None:
    with pytest.raises(MalformedFrameError, match="boom"):
        Unwrap().feed(chunk(b"boom", 2))


def test_a_frame_goes_and_comes(pair: tuple[Channel, socket.socket]) -> None:
    channel, runner = pair
    channel.send(b'{"a":1}')
    assert runner.recv(100) == b"\0\0\0\0\0\0\0\7" + b'{"a":1}'
    two = frame({"b": "é"}) + frame({"c": None})
    runner.sendall(chunk(two[:11]) + chunk(b"") + chunk(two[11:]))
    assert channel.receive(1000, 5) == {"b": "é"}
    assert channel.receive(1000, 5) == {"c": None}


@pytest.mark.parametrize(
    "data",
    [
        pytest.param((1 << 40).to_bytes(8, "big"), id="too-long"),
        pytest.param(b"\0\0\0\0\0\0\0\2[]", id="no-object"),
        pytest.param(b"\0\0\0\0\0\0\0\2{]", id="no-json"),
        pytest.param(b"\0\0\0\0\0\0\0\2\xff\xfe", id="no-text"),
    ],
)
def test_a_wrong_frame_is_malformed(pair: tuple[Channel, socket.socket], data: bytes) -> None:
    channel, runner = pair
    runner.sendall(chunk(data))
    with pytest.raises(MalformedFrameError):
        channel.receive(1000, 5)


def test_an_end_in_the_middle_is_a_closed_channel(pair: tuple[Channel, socket.socket]) -> None:
    channel, runner = pair
    runner.sendall(chunk(frame({"a": 1})[:-1]))
    runner.close()
    with pytest.raises(ChannelClosedError, match="end of stream"):
        channel.receive(1000, 5)
    with pytest.raises(ChannelClosedError, match="writing"):
        channel.send(bytes(1 << 20))


def test_silence_is_a_closed_channel(pair: tuple[Channel, socket.socket]) -> None:
    with pytest.raises(ChannelClosedError, match="deadline"):
        pair[0].receive(1000, 0.05)


def test_hanging_up_wakes_the_reader(pair: tuple[Channel, socket.socket]) -> None:
    channel, _ = pair
    threading.Timer(0.1, channel.close).start()
    start = time.monotonic()
    with pytest.raises(ChannelClosedError):
        channel.receive(1000, 30)
    assert time.monotonic() - start < 10
