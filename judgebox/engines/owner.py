"""Who started a container: a label by which containers of dead owners are found and removed."""

from __future__ import annotations

import functools
import os
import platform
from pathlib import Path

import psutil

LABEL = "judgebox.owner"


def label() -> str:
    """This process: host boot, process id name space, process id, start time."""
    return f"{_host()}/{os.getpid()}/{_started(os.getpid())}"


def is_dead(value: str) -> bool:
    """Whether `value` names a process of this host and boot that is no more.

    A remote engine is shared by several hosts: what another host or name space started is left
    alone, and so is what cannot be read.
    """
    host, _, process = value.rpartition("/")[0].rpartition("/")[0], "", value.split("/")[-2:]
    if host != _host() or len(process) != 2 or not process[0].isdigit():
        return False
    return _started(int(process[0])) != process[1]


def _started(pid: int) -> str | None:
    try:
        return f"{psutil.Process(pid).create_time():.2f}"
    except psutil.Error:
        return None


@functools.cache
def _host() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        names = os.readlink("/proc/self/ns/pid")
    except OSError:  # not Linux
        boot, names = f"{platform.node()}:{int(psutil.boot_time())}", "-"
    return f"{boot}/{names}"
