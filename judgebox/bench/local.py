"""What happens in the judge's own process: cache hits, imports, memory."""

from __future__ import annotations

import asyncio
import dataclasses
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import psutil

from judgebox import images
from judgebox.acsl.prove import ProofCase
from judgebox.acsl.task import load_pack
from judgebox.bench.measure import Measure
from judgebox.cache import CacheKey, VerdictCache
from judgebox.canonical import sha256_hex
from judgebox.judge import Judge
from judgebox.verdict import Verdict

ROWS = 100_000


def cache_hits(pack: Path, repeat: int) -> Sequence[Measure]:
    """Time of a verdict that is in a cache of 100,000 rows."""
    image = images.ensure("frama-c")
    task = load_pack(pack)[0]
    case = ProofCase(task.task, task.references[0], image=image)

    async def measure(path: Path) -> list[float]:
        judge = Judge.open(cache=path)
        try:
            verdict = await judge.judge(case)
            assert judge.cache is not None
            _fill(judge.cache, verdict)
            spent = []
            for _ in range(500 * repeat):
                start = time.perf_counter()
                hit = await judge.judge(case)
                spent.append((time.perf_counter() - start) * 1000)
                assert hit.cached
            return spent
        finally:
            await judge.close()

    with tempfile.TemporaryDirectory() as folder:
        spent = asyncio.run(measure(Path(folder) / "verdicts.sqlite3"))
    return [
        Measure(f"cache hit at {ROWS} rows, median", statistics.median(spent), "ms", "< 2"),
        Measure("99th percentile", sorted(spent)[len(spent) * 99 // 100], "ms"),
    ]


def _fill(cache: VerdictCache, verdict: Verdict) -> None:
    for number in range(ROWS):
        name = sha256_hex(str(number).encode())
        digests = {**verdict.digests, "submission": name}
        key = CacheKey(name, verdict.digests["policy"], verdict.digests["inputs"])
        cache.put(key, dataclasses.replace(verdict, digests=digests))


def imports(pack: Path, repeat: int) -> Sequence[Measure]:
    """What importing the environment costs beyond importing the framework."""

    def seconds(statement: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True)
        return time.perf_counter() - start

    bare, ours = [], []
    for _ in range(5 * repeat):
        bare.append(seconds("import verifiers.v1"))
        ours.append(seconds("import verifiers.v1, formally_verified_c"))
    extra = statistics.median(ours) - statistics.median(bare)
    return [
        Measure("import verifiers.v1", statistics.median(bare), "s"),
        Measure("formally_verified_c on top", extra, "s", "< 1"),
    ]


def memory(pack: Path, repeat: int) -> Sequence[Measure]:
    """Growth of the judge's process over 2,000 cached and 200 uncached jobs."""
    image = images.ensure("frama-c")
    task, wrong = next(
        (task, wrong)
        for task in load_pack(pack)
        for wrong in task.wrong
        if wrong.status == "refuted"
    )
    process = psutil.Process()

    def case(number: int) -> ProofCase:
        return ProofCase(task.task, f"{wrong.code}\n// {number}\n", image=image)

    async def measure(path: Path) -> tuple[float, float]:
        judge = Judge.open(cache=path)
        try:
            await judge.judge_all([case(number) for number in range(20)])
            start = process.memory_info().rss
            await judge.judge_all([case(number) for number in range(20, 220)])
            uncached = process.memory_info().rss
            for _ in range(2000):
                await judge.judge(case(7))
            return (uncached - start) / 1e6, (process.memory_info().rss - uncached) / 1e6
        finally:
            await judge.close()

    with tempfile.TemporaryDirectory() as folder:
        uncached, cached = asyncio.run(measure(Path(folder) / "verdicts.sqlite3"))
    return [
        Measure("growth over 200 uncached jobs", uncached, "MB", "± 10"),
        Measure("growth over 2,000 cached jobs", cached, "MB", "± 10"),
    ]
