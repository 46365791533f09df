"""The runner: one process in the judge container that takes jobs and answers with reports.

It knows processes, not languages.  It gets its own source over stdin from a one-line bootstrap
(`judgebox.runner.BOOT`), so there is no file of it to find, read or replace; afterwards the same
stdin and stdout carry frames: eight bytes of length, big endian, then that much JSON.

    host → {"nonce": …, "files": {…}, "steps": […]}        `judgebox.job.Job.to_wire`
    host ← {"nonce": …, "steps": […]}                      `judgebox.job.Report.from_wire`
    host ← {"nonce": …, "error": "…"}                      our fault; the container is discarded

Standard library only, Python 3.9 and later: it runs under whatever Python the image holds.
"""

from __future__ import annotations

import binascii
import json
import os
import sys
import traceback
from typing import Any

from judgebox.runner import step as steps
from judgebox.runner.counters import Counters
from judgebox.runner.place import Place, wipe
from judgebox.runner.process import end_all

WORK = "/job"
SHARED = ("/tmp", "/dev/shm")
"""Places every uid may write to.  They can be searched but not listed, and are swept by owner."""
MOST_RETURNED = 64 << 20
"""Bytes of all files that one step brings back."""
CLOSED = ("/dev/mqueue",)


def main() -> None:
    """Serve jobs until stdin ends."""
    incoming, outgoing = os.dup(0), os.dup(1)  # close on exec: no job inherits the channel
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    try:
        counters = Counters()
        uids = Uids()
        os.chmod(WORK, 0o711)
        for path, mode in [(path, 0o1733) for path in SHARED] + [(path, 0o700) for path in CLOSED]:
            if os.path.isdir(path):
                os.chmod(path, mode)
    except Exception:
        _send(outgoing, {"error": traceback.format_exc()})
        return
    _send(outgoing, {"ready": f"python {sys.version.split()[0]}, cgroup v{counters.version}"})
    while True:
        frame = _receive(incoming)
        if frame is None:
            return
        job = json.loads(frame)
        del frame
        try:
            answer = {"nonce": job["nonce"], "steps": perform(job, *uids.pair(), counters)}
        except Exception:
            answer = {"nonce": job["nonce"], "error": traceback.format_exc()}
        _send(outgoing, answer)


class Uids:
    """A fresh pair of uids for each job, from a random start in the range that is mapped here.

    Process limits count per uid over all containers of a host, hence the random start.
    """

    def __init__(self) -> None:
        with open("/proc/self/uid_map") as file:
            most = max(int(line.split()[0]) + int(line.split()[2]) for line in file)
        self._first, self._end = (1 << 16, 1 << 31) if most >= 1 << 31 else (1000, most - 2)
        span = self._end - self._first - 2
        if span < 2000:
            raise RuntimeError(f"only {most} uids are mapped into this container")
        self._next = self._first + int.from_bytes(os.urandom(8), "big") % span

    def pair(self) -> tuple[int, int]:
        """A uid for tool steps and one for candidate steps."""
        if self._next + 2 > self._end:
            self._next = self._first
        self._next += 2
        return self._next - 2, self._next - 1


def perform(job: dict[str, Any], tool_uid: int, uid: int, counters: Counters) -> list[Any]:
    """Run the steps of one job and leave nothing of it behind."""
    done: dict[str, dict[str, Any]] = {}
    tools = Place(WORK + "/tool", tool_uid)
    try:
        for name, file in job["files"].items():
            tools.put(name, [binascii.a2b_base64(file["data"])], file["executable"])
        for step in job["steps"]:
            needed = done.get(step["needs"])
            if needed is not None and needed["exit_status"] != 0:
                done[step["name"]] = _skipped(step)
                continue
            stdin = b"".join(
                done[part["stdout"]]["stdout"]
                if "stdout" in part
                else binascii.a2b_base64(part["bytes"])
                for part in step["stdin"]
            )
            if step["trust"] == "tool":
                entry = steps.run(step, tools.path, tool_uid, stdin, counters)
                _collect(step, tools, entry)
            else:
                entry = _candidate(step, tools, uid, stdin, counters)
            done[step["name"]] = entry
    finally:
        end_all(tool_uid, counters)
        tools.remove()
        for path in SHARED:
            wipe(path)
    return [_to_wire(entry) for entry in done.values()]


def _candidate(
    step: dict[str, Any], tools: Place, uid: int, stdin: bytes, counters: Counters
) -> dict[str, Any]:
    """Run a candidate step in a directory that is new each time: no step sees another's files."""
    place = Place(WORK + "/run", uid)
    try:
        missing = {}
        for name in step["takes"]:
            try:
                place.take(name, tools)
            except LookupError as error:
                missing[name] = f"not taken: {error}"
            except OSError as error:  # it does not fit twice: the file's fault, not the runner's
                missing[name] = f"not taken: {error.strerror}"
        entry = steps.run(step, place.path, uid, stdin, counters)
        _collect(step, place, entry)
        entry["missing"].update(missing)
        return entry
    finally:
        end_all(uid, counters)
        place.remove()
        for path in SHARED:
            wipe(path, uid)


def _collect(step: dict[str, Any], place: Place, entry: dict[str, Any]) -> None:
    """Bring back the files asked for; together they must fit into the runner's memory."""
    left = MOST_RETURNED
    for name in step["returns"]:
        try:
            data = place.get(name, min(left, step["limits"]["file_bytes"]))
        except LookupError as error:
            entry["missing"][name] = str(error)
        else:
            entry["files"][name] = data
            left -= len(data)


def _skipped(step: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": step["name"],
        "outcome": "skipped",
        "exit_status": None,
        "signal": None,
        "limit": None,
        "stdout": b"",
        "stderr": b"",
        "files": {},
        "missing": dict.fromkeys(step["returns"], "skipped"),
        "cpu_s": 0.0,
        "wall_s": 0.0,
        "waited_s": 0.0,
        "peak_bytes": 0,
    }


def _to_wire(entry: dict[str, Any]) -> dict[str, Any]:
    wire = dict(entry)
    wire["stdout"] = _encode(entry["stdout"])
    wire["stderr"] = _encode(entry["stderr"])
    wire["files"] = {name: _encode(data) for name, data in entry["files"].items()}
    return wire


def _encode(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def _receive(fd: int) -> bytes | None:
    head = _exactly(fd, 8)
    return None if head is None else _exactly(fd, int.from_bytes(head, "big"))


def _exactly(fd: int, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        chunk = os.read(fd, min(size - len(data), 1 << 20))
        if not chunk:
            return None
        data += chunk
    return bytes(data)


def _send(fd: int, value: dict[str, Any]) -> None:
    body = json.dumps(value).encode("ascii")
    for data in (len(body).to_bytes(8, "big"), body):
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
