"""What `judgebox bench` measures: each section compares with a bare tool in the same run."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence
from pathlib import Path

from judgebox.bench.local import cache_hits, imports, memory
from judgebox.bench.measure import Measure
from judgebox.bench.proofs import latency, overhead, refuted, throughput

SECTIONS: dict[str, Callable[[Path, int], Sequence[Measure]]] = {
    "latency": latency,
    "throughput": throughput,
    "overhead": overhead,
    "refuted": refuted,
    "cache": cache_hits,
    "imports": imports,
    "memory": memory,
}


def machine() -> str:
    """The machine and how busy it is, in a line."""
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    return f"{os.cpu_count()} cores, {platform.system()} {platform.release()}, load {load}"
