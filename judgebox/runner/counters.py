"""What the kernel counts for the whole container: CPU, memory, out-of-memory kills, tasks.

One job runs in a container at a time, so the container's own counters are the job's, whatever
its processes do to hide from their parents (`rusage` misses children of a parent that ignores
SIGCHLD; a walk over /proc misses the short-lived).  Both cgroup versions are read.
"""

from __future__ import annotations

import os

ROOT = "/sys/fs/cgroup"


class Counters:
    """Open files of the container's cgroup, read again and again at offset 0.

    Raises:
        OSError: a counter is not there; the runner cannot keep limits without it.
    """

    def __init__(self) -> None:
        self.version = 2 if os.path.exists(ROOT + "/cgroup.controllers") else 1
        v2 = self.version == 2
        self._cpu = _open("cpu.stat" if v2 else "cpuacct/cpuacct.usage")
        self._memory = _open("memory.current" if v2 else "memory/memory.usage_in_bytes")
        self._stat = _open("memory.stat" if v2 else "memory/memory.stat")
        self._oom = _open("memory.events" if v2 else "memory/memory.oom_control")
        self._tasks = _open("pids.current" if v2 else "pids/pids.current")

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


def _open(name: str) -> int:
    return os.open(ROOT + "/" + name, os.O_RDONLY | os.O_CLOEXEC)


def _fields(data: bytes) -> dict[bytes, bytes]:
    pairs = (line.split() for line in data.splitlines())
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}


class Waiting:
    """Seconds in which the job wanted a core and had none.

    Each tick adds what its tasks waited by /proc/PID/task/TID/schedstat, summed, but never more
    than the tick was long: eight spinning threads do not stop the clock eight times over.  What
    a task waited between the last tick and its end is lost; in a tick that tasks ended in, on a
    host without an idle core, all time that was not spent computing is taken as waiting.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.tasks = 0
        """Tasks alive at the last tick."""
        self._delays: dict[str, int] = {}
        self._last_pid = _last_pid()
        self._idle = _idle_s()

    def tick(self, elapsed_s: float, cpu_s: float) -> None:
        """Account for a tick of `elapsed_s` seconds in which the job used `cpu_s`."""
        delays = _delays()
        waited = sum(max(0, now - self._delays.get(tid, 0)) for tid, now in delays.items()) / 1e9
        last_pid, idle = _last_pid(), _idle_s()
        born = sum(tid not in self._delays for tid in delays)
        ended = len(self._delays) + born > len(delays) or last_pid - self._last_pid != born
        if ended and idle - self._idle <= elapsed_s / 2:
            waited = max(waited, elapsed_s - cpu_s)
        self.seconds += min(max(waited, 0.0), elapsed_s)
        self._delays, self._last_pid, self._idle = delays, last_pid, idle
        self.tasks = len(delays)


def _delays() -> dict[str, int]:
    """Nanoseconds each task of the container but the runner's has waited for a core."""
    delays = {}
    for pid in os.listdir("/proc"):
        if not pid.isdigit() or pid == "1":
            continue
        try:
            for tid in os.listdir("/proc/" + pid + "/task"):
                delays[tid] = int(_read("/proc/" + pid + "/task/" + tid + "/schedstat").split()[1])
        except (OSError, IndexError):
            continue  # it ended while we looked
    return delays


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
