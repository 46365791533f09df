"""Run one step: feed it, read it, watch what it uses, and end it when it meets a limit."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from typing import Any

from judgebox.runner.counters import Counters, Waiting
from judgebox.runner.process import UnstartableError, end_all, reap, start

TICK_S = 0.02
CHUNK = 65536


class Stream:
    """The runner's end of the pipe that is a step's stdout or stderr, and what came out of it."""

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self.data = bytearray()
        self.over = False
        self.fd, self.write_end = os.pipe()
        os.set_blocking(self.fd, False)
        self.open = True

    def read(self) -> None:
        """Take what is there, up to one byte more than the cap."""
        while self.open and not self.over:
            try:
                chunk = os.read(self.fd, min(CHUNK, self.cap + 1 - len(self.data)))
            except BlockingIOError:
                return
            if not chunk:
                self.close()
                return
            self.data += chunk
            if len(self.data) > self.cap:
                self.over = True
                del self.data[self.cap :]
                self.close()

    def close(self) -> None:
        """Stop reading."""
        if self.open:
            self.open = False
            os.close(self.fd)


class Watch:
    """What the step has used so far, against its limits."""

    def __init__(self, limits: dict[str, Any], counters: Counters) -> None:
        self.limits = limits
        self.counters = counters
        self.waiting = Waiting()
        self.peak = 0
        self._resident_0 = counters.resident()
        self._charged_0 = counters.memory()
        self._oom_0 = counters.oom_kills()
        self._cpu_0 = self._job_cpu()
        self._start = self._last = time.monotonic()
        self.cpu_s = 0.0

    def _job_cpu(self) -> float:
        return self.counters.cpu_s() - time.process_time()

    @property
    def wall_s(self) -> float:
        """Seconds from the start to the last tick."""
        return self._last - self._start

    def tick(self) -> tuple[str, str | None] | None:
        """Measure; the outcome if a limit is met."""
        now, cpu_s = time.monotonic(), self._job_cpu() - self._cpu_0
        self.waiting.tick(now - self._last, cpu_s - self.cpu_s)
        self._last, self.cpu_s = now, max(cpu_s, 0.0)
        if self.out_of_memory():
            return "memory", None
        if self.wall_s - self.waiting.seconds > self.limits["wall_s"]:
            return "timeout", "wall"
        if self.cpu_s > self.limits["cpu_s"]:
            return "timeout", "cpu"
        return None

    def out_of_memory(self) -> bool:
        """Whether the job holds more than its limit, or the kernel has killed for memory."""
        used = self.counters.memory() - self._charged_0
        if used > self.peak:  # page cache is charged as well: look closer
            self.peak = max(self.peak, self.counters.resident() - self._resident_0)
        return self.peak > self.limits["memory_bytes"] or self.counters.oom_kills() > self._oom_0


def run(
    step: dict[str, Any], directory: str, uid: int, stdin: bytes, counters: Counters
) -> dict[str, Any]:
    """Run `step` as `uid` in `directory`; its entry of the report, files not included."""
    limits = step["limits"]
    env = {
        "PATH": "/usr/bin:/bin",
        "HOME": directory,
        "TMPDIR": directory,
        "LANG": "C",
        **step["env"],
    }
    out, err = Stream(limits["output_bytes"]), Stream(limits["output_bytes"])
    into, feed = os.pipe()
    os.set_blocking(feed, False)
    watch = Watch(limits, counters)
    try:
        pid = start(step["argv"], env, directory, uid, limits, (into, out.write_end, err.write_end))
    except UnstartableError as error:
        if step["trust"] == "tool":
            raise RuntimeError(f"cannot start {step['argv'][0]!r}: {error}") from error
        out.close()
        err.close()
        os.close(feed)
        return _entry(step, watch, None, None, 127 << 8, b"", f"cannot start: {error}".encode())
    finally:
        for fd in (into, out.write_end, err.write_end):
            os.close(fd)
    try:
        status, verdict = _follow(pid, watch, feed, stdin, out, err)
        dead = end_all(uid, counters)
        if status is None:
            status = dead.get(pid)
        out.read()
        err.read()
    finally:
        out.close()
        err.close()
    verdict = (watch.tick() if verdict is None else None) or verdict
    if out.over or err.over:
        verdict = ("output_limit", None)
    outcome, limit = verdict or (None, None)
    return _entry(step, watch, outcome, limit, status, bytes(out.data), bytes(err.data))


def _follow(
    pid: int, watch: Watch, feed: int, stdin: bytes, out: Stream, err: Stream
) -> tuple[int | None, tuple[str, str | None] | None]:
    """Pump and watch until the main process ends or a limit is met."""
    ended = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(ended, select.POLLIN)
    for stream in (out, err):
        poll.register(stream.fd, select.POLLIN)
    left = memoryview(stdin)
    feeding = True
    if left:
        poll.register(feed, select.POLLOUT)
    else:
        os.close(feed)
        feeding = False
    next_tick = time.monotonic() + TICK_S
    try:
        while True:
            pause = max(0.0, next_tick - time.monotonic())
            ready = {fd for fd, _ in poll.poll(pause * 1000)}
            for stream in (out, err):
                if stream.fd in ready and stream.open:
                    stream.read()
                    if not stream.open:
                        poll.unregister(stream.fd)
                    if stream.over:
                        return None, ("output_limit", None)
            if feeding and feed in ready:
                try:
                    left = left[os.write(feed, left[:CHUNK]) :]
                except BlockingIOError:
                    pass
                except BrokenPipeError:
                    left = left[:0]
                if not left:
                    poll.unregister(feed)
                    os.close(feed)
                    feeding = False
            if ended in ready:
                return reap().get(pid), None
            now = time.monotonic()
            if now >= next_tick:
                spent = time.process_time()
                reap_orphans(pid)
                verdict = watch.tick()
                if verdict:
                    return None, verdict
                # Looking must stay cheap beside what is looked at.
                next_tick = now + max(TICK_S, 20 * (time.process_time() - spent))
    finally:
        os.close(ended)
        if feeding:
            os.close(feed)


def reap_orphans(main: int) -> None:
    """Collect dead processes that were left to the runner, but not the main one."""
    with contextlib.suppress(ChildProcessError):
        while True:
            info = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if info is None or info.si_pid == main:
                return
            os.waitpid(info.si_pid, 0)


def _entry(
    step: dict[str, Any],
    watch: Watch,
    outcome: str | None,
    limit: str | None,
    status: int | None,
    stdout: bytes,
    stderr: bytes,
) -> dict[str, Any]:
    exit_status = number = None
    if outcome is None:
        if status is None:
            raise RuntimeError("the main process ended without a status")
        if os.WIFSIGNALED(status):
            outcome, number = "signal", os.WTERMSIG(status)
            if number == signal.SIGXCPU and watch.cpu_s >= step["limits"]["cpu_s"]:
                outcome, limit, number = "timeout", "cpu", None
        else:
            outcome, exit_status = "exit", os.WEXITSTATUS(status)
    return {
        "name": step["name"],
        "outcome": outcome,
        "exit_status": exit_status,
        "signal": number,
        "limit": limit,
        "stdout": stdout,
        "stderr": stderr,
        "files": {},
        "missing": {},
        "cpu_s": round(watch.cpu_s, 6),
        "wall_s": round(watch.wall_s, 6),
        "waited_s": round(watch.waiting.seconds, 6),
        "peak_bytes": max(watch.peak, 0),
    }
