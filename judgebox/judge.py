"""The judge: cache, then engine, then verdict.

What is judged is a `Case`.  Its `adjudicate` is a generator that asks for jobs to be run and is
sent their reports; it does no input or output itself.  The judge drives it, keeps its verdict, and
lets identical requests run once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from judgebox.cache import CacheKey, VerdictCache, cacheable
from judgebox.canonical import sha256_hex
from judgebox.engines import Engine
from judgebox.errors import CacheError, JobEndedContainer, JudgeError, UsageError
from judgebox.folders import cache_folder
from judgebox.job import Job, Report
from judgebox.policy import Policy
from judgebox.verdict import Reason, Status, Verdict

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Fact:
    """Something about a task that all its submissions share, as bytes.

    Made once by running `make`, then kept under `key`, which must name all that it depends on.
    """

    key: str
    make: Callable[[], Generator[Job, Report, bytes]]


Adjudication = Generator[Job | Fact, Any, Verdict]
"""Yields a `Job`, is sent its `Report`; yields a `Fact`, is sent its bytes; returns the verdict."""


class Case(Protocol):
    """One submission held against one task under one policy."""

    @property
    def submission(self) -> bytes:
        """What the candidate wrote, as judged."""

    @property
    def inputs(self) -> bytes:
        """All that the task contributes, canonical."""

    @property
    def policy(self) -> Policy:
        """What will be done and under which limits."""

    def adjudicate(self) -> Adjudication:
        """Judge the submission."""


class Judge:
    """Judges cases on an engine, with a cache if one is given.

    Safe to use from many tasks of one event loop; `close` it when done.
    """

    def __init__(self, engine: Engine, cache: VerdictCache | None = None) -> None:
        self.engine = engine
        self.cache = cache
        self._facts: dict[str, bytes] = {}
        self._locks: dict[str, _SharedLock] = {}

    @classmethod
    def open(
        cls, *, engine: str = "docker", slots: int | None = None, cache: bool | str | Path = True
    ) -> Judge:
        """A judge on the named engine.

        `slots`: containers at once over all processes of this host (default: two per core).
        `cache`: False for none, True for the user's own, or the path of a database.

        Raises:
            UsageError: there is no such engine, or `slots` is not positive.
            JudgeError: the cache cannot be opened.
        """
        if engine != "docker":
            raise UsageError(f"unknown engine {engine!r}; there is docker")
        if slots is not None and slots < 1:
            raise UsageError("slots must be at least 1")
        from judgebox.engines.docker import DockerEngine  # loads the SDK only when asked for

        store = None if cache is False else VerdictCache(None if cache is True else Path(cache))
        return cls(DockerEngine(slots=slots), store)

    async def judge(self, case: Case) -> Verdict:
        """The verdict on `case`.

        Raises:
            JudgeError: the judge could not judge; nothing is cached.
        """
        key = CacheKey(
            submission=sha256_hex(case.submission),
            policy=case.policy.digest,
            inputs=sha256_hex(case.inputs),
        )
        digests = {"submission": key.submission, "policy": key.policy, "inputs": key.inputs}
        if kept := await self._kept(key):
            return kept
        async with self._alone(key.hex) as shared:
            if kept := shared.verdict or await self._kept(key):  # by whoever held the lock
                return kept
            verdict = replace(await self._drive(case), digests=digests)
            if Reason.SOUNDNESS_ALARM in verdict.reasons:
                await asyncio.to_thread(_keep, case, verdict)
            if self.cache and cacheable(verdict):
                await asyncio.to_thread(self.cache.put, key, verdict)
            shared.verdict = replace(verdict, cached=True)  # for those who wait for the same
            return verdict

    async def judge_all(
        self,
        cases: Iterable[Case],
        done: Callable[[int, Verdict], None] | None = None,
        *,
        workers: int = 8,
    ) -> list[Verdict]:
        """Verdicts in the order of `cases`, `workers` at a time; the first error ends them all.

        `done` is called with index and verdict as each is ready.
        """
        gate = asyncio.Semaphore(workers)

        async def one(number: int, case: Case) -> Verdict:
            async with gate:
                verdict = await self.judge(case)
            if done:
                done(number, verdict)
            return verdict

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(number, case)) for number, case in enumerate(cases)]
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [task.result() for task in tasks]

    async def close(self) -> None:
        """End the engine's containers and close the cache."""
        await self.engine.close()
        if self.cache:
            self.cache.close()

    async def _kept(self, key: CacheKey) -> Verdict | None:
        return await asyncio.to_thread(self.cache.get, key) if self.cache else None

    async def _drive(self, case: Case) -> Verdict:
        adjudication = case.adjudicate()
        spent = {"cpu": 0.0, "wall": 0.0, "queue": 0.0}
        answer: Report | bytes | None = None
        while True:
            try:
                request = adjudication.send(answer)
            except StopIteration as stop:
                verdict: Verdict = stop.value
                return replace(verdict, seconds=_rounded(spent))
            if isinstance(request, Fact):
                answer = await self._fact(request)
                continue
            try:
                answer = await self.engine.run(request)
            except JobEndedContainer:
                adjudication.close()
                return Verdict(
                    Status.CRASHED,
                    (Reason.TOOL_CRASHED,),
                    "judging this submission ended its container twice",
                    seconds=_rounded(spent),
                )
            spent["cpu"] += answer.cpu_s
            spent["wall"] += answer.wall_s
            spent["queue"] += answer.queue_s

    async def _fact(self, fact: Fact) -> bytes:
        if fact.key in self._facts:
            return self._facts[fact.key]
        async with self._alone(fact.key):
            if fact.key in self._facts:  # made while this one waited
                return self._facts[fact.key]
            kept = await asyncio.to_thread(self.cache.get_blob, fact.key) if self.cache else None
            if kept is None:
                kept = await self._make(fact)
                if self.cache:
                    await asyncio.to_thread(self.cache.put_blob, fact.key, kept)
            self._facts[fact.key] = kept
            return kept

    async def _make(self, fact: Fact) -> bytes:
        making = fact.make()
        report: Report | None = None
        while True:
            try:
                job = making.send(report)  # type: ignore[arg-type]  # None starts a generator
            except StopIteration as stop:
                made: bytes = stop.value
                return made
            try:
                report = await self.engine.run(job)
            except JobEndedContainer as error:
                raise JudgeError(
                    "preparing a task ended its container twice",
                    "look at the task's own text and oracle; no submission was run",
                ) from error

    @asynccontextmanager
    async def _alone(self, key: str) -> AsyncIterator[_SharedLock]:
        """Identical requests one at a time: here by a lock per key, across processes by the
        cache's own."""
        lock = self._locks.setdefault(key, _SharedLock())
        lock.users += 1
        try:
            async with lock.lock, self._across_processes(key):
                yield lock
        finally:
            lock.users -= 1
            if lock.users == 0:
                self._locks.pop(key, None)

    @asynccontextmanager
    async def _across_processes(self, key: str) -> AsyncIterator[None]:
        if self.cache is None:
            yield
            return
        async with self.cache.lock(key):
            yield


def _keep(case: Case, verdict: Verdict) -> None:
    """Keep a case that is proved and refuted at once: one of our tools is wrong."""
    folder = cache_folder() / "alarms"
    name = verdict.digests["submission"][:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.submission").write_bytes(case.submission)
        (folder / f"{name}.inputs.json").write_bytes(case.inputs)
        (folder / f"{name}.verdict.json").write_text(verdict.to_json(), encoding="utf-8")
    except OSError as error:
        raise CacheError(f"cannot keep a soundness alarm: {error}", f"free {folder}") from error
    _log.critical("proved and refuted at once; the case is kept in %s/%s.*", folder, name)


class _SharedLock:
    """A lock, how many tasks hold or await it, and what the first of them found."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.users = 0
        self.verdict: Verdict | None = None


def _rounded(seconds: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in seconds.items()}
