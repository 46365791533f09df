"""Start a process as another uid under limits, and end every process of a uid.

Only system calls that Python itself exposes: a judge image need not hold ctypes or a compiler.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import time

from judgebox.runner.counters import Counters

OPEN_FILES = 1024
MOST_PROCESSES = 1900
"""Fewer than the container's own limit on tasks, so that the runner can always fork."""
SECONDS_TO_END = 10.0
"""A killed process that is still there after this is stuck in the kernel: our fault."""


class UnstartableError(Exception):
    """The program could not be executed; the message says why."""


def start(
    argv: list[str],
    env: dict[str, str],
    directory: str,
    uid: int,
    limits: dict[str, float],
    stdio: tuple[int, int, int],
) -> int:
    """Fork and execute; the process id.

    Raises:
        UnstartableError: no such program, or not a program.
    """
    told, tell = os.pipe()  # both close on exec: end of stream means that it started
    pid = os.fork()
    if pid == 0:
        try:
            _become(argv, env, directory, uid, limits, stdio)
        except BaseException as error:
            os.write(tell, repr(error).encode("utf-8", "replace")[:2000])
        finally:
            os._exit(127)
    os.close(tell)
    try:
        problem = os.read(told, 2048)
    finally:
        os.close(told)
    if problem:
        os.waitpid(pid, 0)
        raise UnstartableError(problem.decode("utf-8", "replace"))
    return pid


def _become(
    argv: list[str],
    env: dict[str, str],
    directory: str,
    uid: int,
    limits: dict[str, float],
    stdio: tuple[int, int, int],
) -> None:
    os.setsid()
    oom = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
    os.write(oom, b"1000")  # memory runs out: the kernel takes the job, not the runner
    for number, fd in enumerate(stdio):
        os.dup2(fd, number)
    for name, most in (
        (resource.RLIMIT_CPU, int(limits["cpu_s"]) + 2),  # backstop: the runner counts the sum
        (resource.RLIMIT_FSIZE, int(limits["file_bytes"])),
        # Counts per uid, and the uid is fresh.
        (resource.RLIMIT_NPROC, min(int(limits["processes"]), MOST_PROCESSES)),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 65536),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        hard = resource.getrlimit(name)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(name, (most, most))
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)  # Python ignores them, and that outlives exec
    os.umask(0o077)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    os.chdir(directory)
    if "/" in argv[0]:
        os.execve(argv[0], argv, env)
    for folder in env["PATH"].split(":"):  # `os.execvpe` imports modules, each time, for this
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.execve(folder + "/" + argv[0], argv, env)
    raise FileNotFoundError(2, f"not in {env['PATH']}")


def reap() -> dict[int, int]:
    """Collect every dead child, adopted orphans too: {pid: wait status}."""
    dead: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return dead
        if pid == 0:
            return dead
        dead[pid] = status


def end_all(uid: int, counters: Counters) -> dict[int, int]:
    """Kill every process of `uid`, wait until none is left, and reap: {pid: wait status}.

    Raises:
        RuntimeError: some process cannot be killed.
    """
    dead = reap()
    deadline = time.monotonic() + SECONDS_TO_END
    pause = 0.0005
    while counters.tasks() > 1:  # exact, where a walk over /proc could miss a forking process
        _kill_all(uid)
        dead.update(reap())
        if counters.tasks() == 1 or not _alive(uid):  # what is left came from outside
            break
        if time.monotonic() > deadline:
            raise RuntimeError(f"processes of uid {uid} outlive SIGKILL")
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
        dead.update(reap())
    return dead


def _kill_all(uid: int) -> None:
    try:
        helper = os.fork()
    except OSError:  # no memory or no process left: then one by one, and again
        for pid in _pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return
    if helper == 0:
        try:
            # Only the effective uid changes: what it kills has no right to kill it.
            os.setresuid(0, uid, 0)
            os.kill(-1, signal.SIGKILL)  # one call for all, so that forks cannot outrun it
        finally:
            os._exit(0)
    os.waitpid(helper, 0)


def _pids() -> list[int]:
    """Everything in the container but the runner."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]


def _alive(uid: int) -> bool:
    for pid in _pids():
        try:
            with open(f"/proc/{pid}/status", "rb") as file:
                lines = file.read().splitlines()
        except OSError:
            continue
        if any(line.startswith(b"Uid:") and int(line.split()[1]) == uid for line in lines):
            return True
    return False
