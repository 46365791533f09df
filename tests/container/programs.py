"""C programs compiled in the judge container and run there as a candidate's."""

from __future__ import annotations

import asyncio

from judgebox.engines.docker import DockerEngine
from judgebox.job import File, Job, Limits, Report, Step, StepReport

MIB = 1 << 20
DEFAULT = Limits(
    cpu_s=5.0,
    wall_s=5.0,
    memory_bytes=256 * MIB,
    output_bytes=MIB,
    file_bytes=64 * MIB,
    processes=64,
)
"""The defaults of the sandbox cases."""
COMPILE = Limits(
    cpu_s=20.0,
    wall_s=20.0,
    memory_bytes=256 * MIB,
    output_bytes=MIB,
    file_bytes=64 * MIB,
    processes=64,
)

INCLUDES = """
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
"""


def program(body: str, before: str = "") -> str:
    """A main function of `body`, with the usual headers."""
    return f"{INCLUDES}{before}\nint main(void) {{\n{body}\n}}\n"


class C:
    """Compiles a C program in the container and runs it there as a candidate's."""

    def __init__(self, engine: DockerEngine, image: str) -> None:
        self.engine = engine
        self.image = image

    def job(
        self,
        source: str,
        limits: Limits = DEFAULT,
        *,
        stdin: bytes = b"",
        returns: tuple[str, ...] = (),
        more: tuple[Step, ...] = (),
    ) -> Job:
        build = ("gcc", "-O0", "-pthread", "-w", "main.c", "-o", "main")
        run = Step(
            "run",
            ("./main",),
            limits,
            "candidate",
            stdin=(stdin,) if stdin else (),
            takes=("main",),
            returns=returns,
            needs="build",
        )
        return Job(
            self.image,
            (Step("build", build, COMPILE), run, *more),
            {"main.c": File(source.encode())},
        )

    def report(self, job: Job) -> Report:
        report = asyncio.run(self.engine.run(job))
        assert report["build"].ok, report["build"].stderr.decode()
        return report

    def __call__(self, source: str, limits: Limits = DEFAULT, **more: object) -> StepReport:
        return self.report(self.job(source, limits, **more))["run"]  # type: ignore[arg-type]
