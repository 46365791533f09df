"""Programs that want too much time, memory or output, and what must become of them."""

from __future__ import annotations

import asyncio
import dataclasses
import time

import pytest

from judgebox.engines.docker import DockerEngine
from judgebox.job import Limits

from .programs import DEFAULT, MIB, C, program

SHORT = dataclasses.replace(DEFAULT, cpu_s=0.6, wall_s=0.6)


# ---- time


@pytest.mark.parametrize(
    ("body", "limit"),
    [
        pytest.param("for (;;);", "cpu", id="spin"),
        pytest.param("sleep(100);", "wall", id="sleep"),
        pytest.param("raise(SIGSTOP);", "wall", id="stop"),
        pytest.param("signal(SIGTERM, SIG_IGN); for (;;) pause();", "wall", id="ignores-term"),
        pytest.param("signal(SIGXCPU, SIG_IGN); for (;;);", "cpu", id="ignores-xcpu"),
        pytest.param(
            "signal(SIGCHLD, SIG_IGN); for (;;) if (!fork()) { for (volatile int i = 0;"
            " i < 3000000; i++); _exit(0); } else usleep(3000);",
            "cpu",
            id="spends-in-children",
        ),
    ],
)
def test_time_runs_out(c: C, body: str, limit: str) -> None:
    # One of the two limits is far away, so that which one is met does not depend on the host.
    limits = dataclasses.replace(SHORT, **{"wall_s" if limit == "cpu" else "cpu_s": 60.0})
    step = c(program(body), limits)
    assert (step.outcome, step.limit) == ("timeout", limit)
    used = step.cpu_s if limit == "cpu" else step.wall_s - step.waited_s
    assert 0.6 < used < 1.1


def test_cpu_time_is_summed_over_threads(c: C) -> None:
    spin = "static void *spin(void *_) { for (;;); }"
    body = "pthread_t t; for (int i = 0; i < 7; i++) pthread_create(&t, 0, spin, 0); for (;;);"
    step = c(program(body, spin), dataclasses.replace(DEFAULT, cpu_s=1.0, wall_s=60.0))
    assert (step.outcome, step.limit) == ("timeout", "cpu")
    assert step.cpu_s < 1.5


def test_a_busy_host_is_no_timeout_but_sleep_still_is(engine: DockerEngine, c: C) -> None:
    """Sixteen threads spin while 0.4 s of work is to be done in 0.6 s."""

    async def crowd() -> tuple[object, ...]:
        work = "struct timespec t; do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);"
        work += " while (t.tv_nsec < 400000000); return 7;"
        worker = c.job(program(work, "#include <time.h>"), SHORT)
        sleeper = c.job(program("sleep(100);"), SHORT)
        many = program(
            "pthread_t t; for (int i = 0; i < 15; i++) pthread_create(&t, 0, spin, 0); for (;;);",
            "static void *spin(void *_) { for (;;); }",
        )
        crowd = c.job(many, dataclasses.replace(DEFAULT, cpu_s=2.5, wall_s=60.0))
        return await asyncio.gather(*(engine.run(job) for job in (crowd, worker, sleeper)))

    _, worker, sleeper = asyncio.run(crowd())
    assert worker["run"].exit_status == 7, worker["run"]  # type: ignore[index]
    assert sleeper["run"].limit == "wall"  # type: ignore[index]


def test_a_child_that_holds_stdout_does_not_hold_the_job(c: C) -> None:
    step = c(program('puts("mine"); fflush(stdout); if (!fork()) sleep(100); return 5;'))
    assert (step.outcome, step.exit_status, step.stdout) == ("exit", 5, b"mine\n")
    assert step.wall_s - step.waited_s < 1.0


def test_abort_is_a_signal(c: C) -> None:
    step = c(program("abort();"))
    assert (step.outcome, step.signal, step.limit) == ("signal", 6, None)


def test_a_blocked_event_loop_costs_the_job_nothing(engine: DockerEngine, c: C) -> None:
    async def blocked() -> object:
        task = asyncio.create_task(engine.run(c.job(program("usleep(200000);"), SHORT)))
        await asyncio.sleep(0.2)
        time.sleep(2)
        return await task

    step = asyncio.run(blocked())["run"]  # type: ignore[index]
    assert step.ok
    assert step.wall_s - step.waited_s < 0.6


# ---- memory

SMALL = dataclasses.replace(DEFAULT, memory_bytes=64 * MIB)


@pytest.mark.parametrize(
    "limits", [pytest.param(DEFAULT, id="class"), pytest.param(SMALL, id="below-class")]
)
@pytest.mark.parametrize(
    ("body", "before"),
    [
        pytest.param("for (;;) memset(malloc(1 << 20), 1, 1 << 20);", "", id="endless"),
        pytest.param("memset(a, 1, sizeof a); return a[5];", "static char a[1 << 30];", id="array"),
        pytest.param(
            "for (int i = 0; i < 8; i++) if (!fork()) { memset(malloc(64 << 20), 1, 64 << 20);"
            " sleep(3); _exit(0); } while (wait(0) > 0);",
            "",
            id="children",
        ),
        pytest.param(
            'int f = memfd_create("m", 0); static char b[1 << 20]; memset(b, 1, sizeof b);'
            " for (int i = 0; i < 1024; i++) write(f, b, sizeof b); sleep(3);",
            "",
            id="memfd",
        ),
    ],
)
def test_memory_runs_out(c: C, body: str, before: str, limits: Limits) -> None:
    limits = dataclasses.replace(limits, file_bytes=2 << 30)
    assert c(program(body, before), limits).outcome == "memory"


@pytest.mark.parametrize(
    ("body", "before"),
    [
        pytest.param("return a[12345];", "static char a[1 << 30];", id="untouched"),
        pytest.param(
            "pthread_t t[60]; for (int i = 0; i < 60; i++) if (pthread_create(t + i, 0, f, 0))"
            " return 1; for (int i = 0; i < 60; i++) pthread_join(t[i], 0);",
            "static void *f(void *_) { usleep(50000); return 0; }",
            id="threads",
        ),
    ],
)
def test_memory_that_is_not_touched_is_not_used(c: C, body: str, before: str) -> None:
    assert c(program(body, before), SMALL).ok


def test_a_signal_of_its_own_is_not_memory(c: C) -> None:
    step = c(program("kill(getpid(), SIGKILL);"))
    assert (step.outcome, step.signal) == ("signal", 9)


@pytest.mark.parametrize("path", ["/dev/shm/x", "x", "/tmp/x"])
def test_files_in_memory_are_bounded(c: C, path: str) -> None:
    body = f"""
    int f = open("{path}", O_CREAT | O_WRONLY, 0600);
    static char b[1 << 20]; memset(b, 1, sizeof b);
    for (int i = 0; i < 1024; i++) if (write(f, b, sizeof b) < 0) return 9;
    """
    step = c(program(body), dataclasses.replace(DEFAULT, file_bytes=2 << 30))
    assert step.outcome == "memory" or step.exit_status == 9
    assert c(program("return 3;")).exit_status == 3


# ---- output


@pytest.mark.parametrize(
    "body",
    [
        pytest.param('for (;;) puts("again");', id="endless"),
        pytest.param(
            "static char b[1 << 20]; for (int i = 0; i < 2048; i++) write(2, b, sizeof b);",
            id="two-gigabytes",
        ),
    ],
)
def test_output_is_bounded(c: C, body: str) -> None:
    step = c(program(body))
    assert step.outcome == "output_limit"
    assert max(len(step.stdout), len(step.stderr)) == MIB


@pytest.mark.parametrize(("extra", "outcome"), [(0, "exit"), (1, "output_limit")])
def test_the_cap_is_exact(c: C, extra: int, outcome: str) -> None:
    body = f"static char b[{MIB + extra}]; fwrite(b, 1, sizeof b, stdout); return 0;"
    step = c(program(body))
    assert step.outcome == outcome
    assert step.stdout == bytes(MIB)


def test_output_is_byte_exact(c: C) -> None:
    body = r'write(1, "\0\xff\xc3", 3); for (int i = 0; i < 40000; i++) fputs("aé€", stdout);'
    assert c(program(body)).stdout == b"\0\xff\xc3" + 40000 * "aé€".encode()


@pytest.mark.parametrize(
    ("body", "size"),
    [
        pytest.param("static char b[190000]; write(1, b, sizeof b); return 4;", 190000, id="once"),
        pytest.param(
            "static char b[4096]; for (int i = 0; i < 256; i++) { write(1, b, 4096);"
            " write(2, b, 4096); } return 4;",
            MIB,
            id="in-turn",
        ),
        pytest.param("close(1); close(2); usleep(50000); return 4;", 0, id="closed"),
        pytest.param("return 4;", 0, id="stdin-never-read"),
    ],
)
def test_pipes_do_not_deadlock(c: C, body: str, size: int) -> None:
    step = c(program(body), stdin=bytes(10 * MIB))
    assert (step.exit_status, len(step.stdout)) == (4, size)


def test_stdin_arrives_whole(c: C) -> None:
    data = bytes(range(256)) * 8000
    copy = "char b[65536]; int n; while ((n = read(0, b, sizeof b)) > 0) write(1, b, n);"
    limits = dataclasses.replace(DEFAULT, output_bytes=4 * MIB)
    assert c(program(copy), limits, stdin=data).stdout == data
