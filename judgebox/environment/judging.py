"""The judge of this process, opened when first needed and closed when the process ends.

Engine and cache are one per process and settings, whatever the number of environments and
rollouts; on top of them each event loop has its own `Judge`.  Whether they work is found out once,
before the first rollout: an engine that is down must cost no model call.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from judgebox.errors import EngineError
from judgebox.job import Job, Limits, Step
from judgebox.judge import Judge

PROBE_LIMITS = Limits(
    cpu_s=5, wall_s=10, memory_bytes=64 << 20, output_bytes=4096, file_bytes=4096, processes=8
)


@dataclass(frozen=True, slots=True)
class Settings:
    """What makes one judge another one."""

    image: str
    """Name of the judge image."""
    engine: str = "docker"
    slots: int | None = None
    """Containers at once over all processes of the host; None: two per core."""
    cache: bool | Path = True
    """False: none; True: the user's own; else the path of a database."""


class OpenJudge:
    """A judge in one event loop, and the id of the image its cases run in."""

    def __init__(self, settings: Settings, judge: Judge) -> None:
        self.settings = settings
        self.judge = judge
        self._lock = asyncio.Lock()

    async def image(self) -> str:
        """Id of the judge image, once engine, image and cache have answered.

        Asked once per process as long as the answer is yes.

        Raises:
            JudgeError: one of them does not work; it says how to mend it.
        """
        key = (os.getpid(), self.settings)
        async with self._lock:
            if key not in _ready:
                _ready[key] = await self._probe()
            return _ready[key]

    async def _probe(self) -> str:
        from judgebox import images  # loads the SDK only when asked for

        image = await asyncio.to_thread(images.present, self.settings.image)
        report = await self.judge.engine.run(Job(image, (Step("ready", ("true",), PROBE_LIMITS),)))
        if not report["ready"].ok:
            raise EngineError(
                f"a container of {image} cannot run `true`: {report['ready'].outcome}",
                "judgebox doctor",
            )
        return image


async def open_judge(settings: Settings) -> OpenJudge:
    """The judge with these settings in the running event loop.

    Raises:
        JudgeError: the cache cannot be opened.
    """
    here = _by_loop.setdefault(asyncio.get_running_loop(), {})
    if settings not in here:
        shared = await asyncio.to_thread(_process_judge, settings)
        here.setdefault(settings, OpenJudge(settings, Judge(shared.engine, shared.cache)))
    return here[settings]


def require_ready(settings: Settings) -> None:
    """Check engine, image and cache now, from code that has no event loop or must not block it.

    Raises:
        JudgeError: one of them does not work; it says how to mend it.
    """

    async def ask() -> None:
        await (await open_judge(settings)).image()

    with ThreadPoolExecutor(1) as thread:  # the caller may be inside an event loop
        thread.submit(asyncio.run, ask()).result()


_guard = threading.Lock()
_judges: dict[tuple[int, Settings], Judge] = {}
"""Under the process id: a forked child opens its own."""
_ready: dict[tuple[int, Settings], str] = {}
_by_loop: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Settings, OpenJudge]] = (
    weakref.WeakKeyDictionary()
)


def _process_judge(settings: Settings) -> Judge:
    key = (os.getpid(), settings)
    with _guard:
        if key not in _judges:
            _judges[key] = Judge.open(
                engine=settings.engine, slots=settings.slots, cache=settings.cache
            )
        return _judges[key]


@atexit.register
def _close_caches() -> None:
    """Engines end their containers at exit by themselves."""
    for (process, _), judge in _judges.items():
        if process == os.getpid() and judge.cache is not None:
            judge.cache.close()
