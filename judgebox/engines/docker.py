"""The default engine: warm hardened containers of a Docker (or compatible) engine.

    run(job) ─ slot of the host-wide budget ─ warm container of (image, memory class) ─ frames
                                                    │ gone in the middle of the job
                                                    └ canary in a fresh one ─ the job once more

One `DockerEngine` may be used from several event loops and threads at once: what they share is
guarded by a lock, and all blocking work runs in the engine's own threads, one per slot, so a
blocked event loop never counts against a job.  After `os.fork` the child starts with an empty
pool and leaves the parent's containers alone.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import dataclasses
import hashlib
import os
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from judgebox.engines.container import (
    MIB,
    Container,
    ContainerGoneError,
    connect,
    faults,
    reap_orphans,
)
from judgebox.engines.pool import Pool
from judgebox.engines.slots import Slot, Slots, default_directory
from judgebox.errors import EngineError, JobEndedContainer
from judgebox.job import Job, Limits, Report, Step

SLOTS_PER_CORE = 2
"""Half of a proof is sleep, so two jobs fill a core."""
SMALLEST_CLASS = 256 * MIB

CANARY_LIMITS = Limits(
    cpu_s=5, wall_s=10, memory_bytes=64 * MIB, output_bytes=4096, file_bytes=4096, processes=8
)


class DockerEngine:
    """Runs jobs in warm hardened containers.

    Args:
        slots: jobs that may run at once on this host, over all processes of this user that use
            the same engine; default two per core.  Processes that give different numbers share
            the locks of the smaller.
        slots_directory: where the lock files of the budget are; default in the temporary
            directory.
        cpus: cores that one container may use.
        jobs_per_container: a container is replaced after that many jobs.
        idle_s: seconds after which an unused container is removed.
    """

    def __init__(
        self,
        slots: int | None = None,
        *,
        slots_directory: Path | None = None,
        cpus: float = 4.0,
        jobs_per_container: int = 500,
        idle_s: float = 120.0,
    ) -> None:
        self.host = os.environ.get("DOCKER_HOST", "local")
        cores = os.cpu_count() or 1
        scope = hashlib.sha256(self.host.encode()).hexdigest()[:12]
        self._cpus = min(cpus, cores)
        self._slots = Slots(
            slots or SLOTS_PER_CORE * cores, slots_directory or default_directory(scope)
        )
        self._keep = (jobs_per_container, idle_s)
        self._reaped = False
        self._closed = False
        self._set_up()
        _open_engines.add(self)

    def _set_up(self) -> None:
        """Make what threads share; again in a forked child, where the parent's is of no use."""
        self._lock = threading.Lock()
        self._pool = Pool(self._slots.count, *self._keep)
        self._threads = ThreadPoolExecutor(self._slots.count, "judgebox-docker")

    @property
    def identity(self) -> str:
        """What the engine is, for people and logs."""
        return f"docker ({self.host}), {self._slots.count} slots"

    async def run(self, job: Job) -> Report:
        """Run `job` once a slot is free; see `judgebox.engines.Engine`.

        Cancelling it kills the container and gives the slot back before `CancelledError` goes on.
        """
        started = time.monotonic()
        slot = await self._slots.acquire()
        queue_s = time.monotonic() - started
        call = _Call()
        try:
            future = self._threads.submit(self._in_slot, job, slot, call)
        except RuntimeError as error:
            slot.release()
            raise EngineError("this engine object is closed", "make a new one") from error
        waiter = asyncio.wrap_future(future)
        try:
            report = await asyncio.shield(waiter)
        except asyncio.CancelledError:
            call.abort()
            with contextlib.suppress(Exception, asyncio.CancelledError):
                await asyncio.shield(waiter)  # until the container is gone and the slot free
            raise
        return dataclasses.replace(report, queue_s=queue_s)

    async def close(self) -> None:
        """End every container of this engine object; jobs that still run fail."""
        await asyncio.to_thread(self.shut_down)

    def shut_down(self) -> None:
        """`close` for callers without an event loop."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._pool.close()
        self._threads.shutdown(wait=True)
        self._slots.close()
        _open_engines.discard(self)

    def after_fork(self) -> None:
        """In a forked child: forget the parent's containers, threads and locks."""
        self._slots = Slots(self._slots.count, self._slots.directory)
        self._set_up()

    def _in_slot(self, job: Job, slot: Slot, call: _Call) -> Report:
        try:
            self._reap_once()
            size = memory_class(job)
            try:
                return self._once(job, size, call, fresh=False)
            except ContainerGoneError as gone:
                call.check()
                first = gone
            self._once(_canary(job.image), size, call, fresh=True)
            try:
                return self._once(job, size, call, fresh=True)
            except ContainerGoneError as gone:
                call.check()
                raise JobEndedContainer(
                    f"the job ended two containers: {first}; {gone}", "report this"
                ) from gone
        except ContainerGoneError as gone:  # the canary's
            raise EngineError(
                f"containers do not live: {gone}", "judgebox doctor; is the host out of memory?"
            ) from gone
        finally:
            slot.release()

    def _once(self, job: Job, size: int, call: _Call, fresh: bool) -> Report:
        container = None if fresh else self._pool.take(job.image, size)
        if container is None:
            self._pool.make_room()
            container = Container(job.image, size, self._cpus)
        keep = False
        try:
            self._pool.lend(container)
            call.hold(container)
            report = container.run(job)
            keep = True
            return report
        finally:
            call.hold(None)
            self._pool.give_back(container, keep)

    def _reap_once(self) -> None:
        with self._lock:
            if not self._reaped:
                api = connect()
                try:
                    with faults():
                        reap_orphans(api)
                finally:
                    api.close()
                self._reaped = True


class _Call:
    """One `run`, as seen by the thread that works and the event loop that may give up."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._container: Container | None = None
        self._aborted = False

    def hold(self, container: Container | None) -> None:
        with self._lock:
            self._container = container
        if container is not None:
            self.check()

    def abort(self) -> None:
        with self._lock:
            self._aborted = True
            if self._container is not None:
                self._container.hang_up()

    def check(self) -> None:
        if self._aborted:
            raise EngineError("the job was cancelled")


def memory_class(job: Job) -> int:
    """Memory that a container for `job` has: the next power of two from 256 MiB."""
    need = max((step.limits.memory_bytes for step in job.steps), default=0)
    return max(SMALLEST_CLASS, 1 << (need - 1).bit_length() if need > 0 else 0)


def _canary(image: str) -> Job:
    return Job(image, (Step("canary", ("true",), CANARY_LIMITS),))


_open_engines: weakref.WeakSet[DockerEngine] = weakref.WeakSet()


def _start_over() -> None:
    for engine in list(_open_engines):
        engine.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_over)


@atexit.register
def _shut_down_all() -> None:
    for engine in list(_open_engines):
        engine.shut_down()
