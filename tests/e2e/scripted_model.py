"""A model whose replies are written down: an OpenAI-compatible server on the loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
Reply = Callable[[str], str]
"""From the last user message to the reply."""


class ScriptedModel:
    """Serves `/v1/chat/completions`, streamed or not; use it in a `with` statement."""

    def __init__(self, reply: Reply) -> None:
        self.asked: list[str] = []
        """The user messages, in the order they came."""
        model = self

        class Handler(_Handler):
            def answer(self, messages: list[dict[str, Any]]) -> str:
                question = _text([m for m in messages if m["role"] == "user"][-1]["content"])
                model.asked.append(question)
                return reply(question)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> ScriptedModel:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, messages: list[dict[str, Any]]) -> str:
        raise NotImplementedError

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = self.answer(request["messages"])
        head = {"id": "chatcmpl-1", "created": 0, "model": request.get("model", "scripted")}
        if not request.get("stream"):
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            kind = {"object": "chat.completion", "choices": [choice], "usage": USAGE}
            self._json(head | kind)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for chunk in _chunks(text):
            data = json.dumps(head | {"object": "chat.completion.chunk"} | chunk)
            self.wfile.write(f"data: {data}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _json(self, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


def _chunks(text: str) -> Iterator[dict[str, Any]]:
    half = len(text) // 2  # more than one piece, as real models send them
    for delta in ({"role": "assistant", "content": text[:half]}, {"content": text[half:]}):
        yield {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield {"choices": [], "usage": USAGE}


def _text(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)
