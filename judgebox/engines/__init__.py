"""Where jobs run: one small protocol, one module per engine."""

from __future__ import annotations

from typing import Protocol

from judgebox.job import Job, Report


class Engine(Protocol):
    """Runs jobs in hardened containers.  All engines give the same verdict on the same job."""

    @property
    def identity(self) -> str:
        """What the engine is, for people and logs; never part of a verdict."""

    async def run(self, job: Job) -> Report:
        """Run `job` in a container of `job.image` once a slot is free.

        Raises:
            EngineError: the engine is down or lost the container; `JobEndedContainer` when this
                job ended two containers in a row though a canary passed between them.
            ImageError: the image is not there.
        """

    async def close(self) -> None:
        """End every container of this engine object."""
