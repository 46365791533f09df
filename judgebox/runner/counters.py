"""What the kernel counts for the whole container: CPU, memory, out-of-memory kills, tasks.

One job runs in a container at a time, so the container's own counters are the job's, whatever
its processes do to hide from their parents (`rusage` misses children of a parent that ignores
SIGCHLD; a walk over /proc misses the short-lived).  Both cgroup versions are read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

ROOT = "/sys/fs/cgroup"
_V1 = (
    "cpuacct/cpuacct.usage",
    "memory/memory.usage_in_bytes",
    "memory/memory.stat",
    "memory/memory.oom_control",
    "pids/pids.current",
)
_V2 = ("cpu.stat", "memory.current", "memory.stat", "memory.events", "pids.current")


class Counters:
    """Open files of the container's cgroup, read again and again at offset 0.

    Raises:
        OSError: a counter is not there; the runner cannot keep limits without it.
    """

    def __init__(self, root: str = ROOT) -> None:
        self.version = 2 if os.path.exists(root + "/cgroup.controllers") else 1
        names = _V2 if self.version == 2 else _V1
        self._cpu, self._memory, self._stat, self._oom, self._tasks = (
            os.open(root + "/" + name, os.O_RDONLY | os.O_CLOEXEC) for name in names
        )

    def cpu_s(self) -> float:
        """CPU seconds of everything in the container so far, this runner included."""
        data = os.pread(self._cpu, 4096, 0)
        if self.version == 2:
            return int(_fields(data)[b"usage_usec"]) / 1e6
        return int(data) / 1e9

    def memory(self) -> int:
        """Bytes charged to the container, page cache included: an upper bound, cheap to read."""
        return int(os.pread(self._memory, 64, 0))

    def resident(self) -> int:
        """Bytes that cannot be dropped: anonymous memory, and files on tmpfs or in memfds."""
        fields = _fields(os.pread(self._stat, 65536, 0))
        if self.version == 2:
            return int(fields[b"anon"]) + int(fields[b"shmem"])
        return int(fields[b"total_rss"]) + int(fields.get(b"total_shmem", fields[b"shmem"]))

    def oom_kills(self) -> int:
        """Processes of the container that the kernel has killed for memory."""
        return int(_fields(os.pread(self._oom, 4096, 0)).get(b"oom_kill", b"0"))

    def tasks(self) -> int:
        """Processes and threads in the container, this runner and zombies included."""
        return int(os.pread(self._tasks, 64, 0))


def _fields(data: bytes) -> dict[bytes, bytes]:
    pairs = (line.split() for line in data.splitlines())
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}


class Waiting:
    """Seconds in which the job wanted a core and had none.

    Each tick adds what its tasks waited by /proc/PID/task/TID/schedstat, summed, but never more
    than the time that passed: eight spinning threads do not stop the clock eight times over.
    The kernel adds a wait to schedstat only when it is over, so a task that is runnable and has
    made no progress is counted as waiting at once, and that is taken off its wait later.  What a
    task waited just before its end is lost; in a tick that tasks ended in, on a host without an
    idle core, all time that was not spent computing is taken as waiting.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._tasks: dict[str, bytes] = {}
        self._ahead: dict[str, int] = {}
        self._last_pid = _last_pid()
        self._idle = _idle_s()
        self._spare = 0.0

    def tick(self, elapsed_s: float, cpu_s: float) -> None:
        """Account for a tick of `elapsed_s` seconds in which the job used `cpu_s`."""
        elapsed_ns = int(elapsed_s * 1e9)
        tasks: dict[str, bytes] = {}
        ahead: dict[str, int] = {}
        waited_ns = born = 0
        for path in _task_paths():
            try:
                now = _read(path + "/schedstat")
                before = self._tasks.get(path)
                if now == before:
                    if _runnable(path):
                        waited_ns += elapsed_ns
                        ahead[path] = self._ahead.get(path, 0) + elapsed_ns
                else:
                    since = int(before.split()[1]) if before else 0
                    ended_ns = int(now.split()[1]) - since
                    waited_ns += max(0, ended_ns - self._ahead.get(path, 0))
                    born += before is None
            except (OSError, IndexError):
                continue  # it ended while we looked
            tasks[path] = now
        last_pid, idle = _last_pid(), _idle_s()
        unseen = len(self._tasks) + born > len(tasks) or last_pid - self._last_pid != born
        waited = waited_ns / 1e9
        if unseen and idle - self._idle <= elapsed_s / 2:
            waited = max(waited, elapsed_s - cpu_s)
        # A wait that began before the last tick may fill what that tick left.
        credit = min(waited, elapsed_s + self._spare)
        self._spare = max(0.0, elapsed_s - credit)
        self.seconds += credit
        self._tasks, self._ahead, self._last_pid, self._idle = tasks, ahead, last_pid, idle


def _task_paths() -> Iterator[str]:
    """Every task of the container but the runner's."""
    for pid in os.listdir("/proc"):
        if pid.isdigit() and pid != "1":
            folder = "/proc/" + pid + "/task/"
            try:
                names = os.listdir(folder)
            except OSError:
                continue
            for tid in names:
                yield folder + tid


def _runnable(path: str) -> bool:
    return _read(path + "/stat").rpartition(b") ")[2][:1] == b"R"


def _last_pid() -> int:
    return int(_read("/proc/loadavg").split()[-1])


def _idle_s() -> float:
    return float(_read("/proc/uptime").split()[1])


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, 4096)
    finally:
        os.close(fd)
