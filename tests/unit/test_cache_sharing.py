"""The cache between processes and tasks: real children, kill -9, forks, cancelled waiters."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import judgebox
from judgebox.cache import CacheKey, VerdictCache
from judgebox.canonical import sha256_hex
from judgebox.errors import CacheError
from judgebox.keylock import lock_file_now
from judgebox.verdict import Status, Verdict

ROOT = Path(judgebox.__file__).parents[1]
DEADLINE_S = 60
JUDGED = Verdict(Status.COMPILED)


def key_of(number: int) -> CacheKey:
    return CacheKey(sha256_hex(b"%d" % number), sha256_hex(b"policy"), sha256_hex(b"inputs"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "verdicts.sqlite3"


@pytest.fixture
def cache(path: Path) -> Iterator[VerdictCache]:
    with VerdictCache(path) as opened:
        yield opened


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(script), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{Path(__file__).parent}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, err
    return out


WRITE = """
    import sys
    from test_cache_sharing import JUDGED, VerdictCache, key_of
    first, count = int(sys.argv[2]), int(sys.argv[3])
    with VerdictCache(sys.argv[1]) as cache:
        print("open", flush=True)
        for number in range(first, first + count):
            cache.put(key_of(number), JUDGED)
            assert cache.get(key_of(number)), number
"""


class TestProcesses:
    def test_five_write_and_read_at_once(self, path: Path) -> None:
        # none has made the file yet, and their ranges overlap
        for writer in [start(WRITE, path, 50 * number, 100) for number in range(5)]:
            finish(writer)
        with VerdictCache(path) as cache:
            assert cache.stats().rows == 300
            found = cache.verify()
        assert (found.good, found.bad) == (300, 0)

    def test_kill_in_the_middle_of_writing(self, path: Path) -> None:
        writer = start(WRITE, path, 0, 1_000_000)
        assert writer.stdout is not None
        writer.stdout.readline()
        with VerdictCache(path) as cache:
            until(lambda: cache.stats().rows > 50)
            writer.send_signal(signal.SIGKILL)
            writer.communicate(timeout=DEADLINE_S)
        with VerdictCache(path) as cache:
            rows = cache.stats().rows
            found = cache.verify()
            assert rows > 50
            assert (found.good, found.bad) == (rows, 0)
            assert cache.get(key_of(rows - 1)) is not None
            assert cache.put(key_of(-1), JUDGED)

    def test_no_connection_crosses_a_fork(self, path: Path) -> None:
        forked = """
            import os, sys
            from pathlib import Path
            from test_cache_sharing import JUDGED, VerdictCache, key_of
            def held():
                return [str(f.readlink()) for f in Path("/proc/self/fd").iterdir() if f.exists()]
            with VerdictCache(sys.argv[1]) as cache:
                cache.put(key_of(0), JUDGED)
                assert sys.argv[1] in held()
                for child in range(1, 4):
                    if os.fork() == 0:
                        assert sys.argv[1] not in held()
                        for number in range(child, 60, 3):
                            cache.put(key_of(number), JUDGED)
                        cache.close()
                        sys.exit(0)
                assert cache.get(key_of(0))
                assert [os.wait()[1] for _ in range(3)] == [0, 0, 0]
                found = cache.verify()
            print(found.good, found.bad)
        """
        assert finish(start(forked, path)) == "60 0\n"


FLIGHT = """
    import asyncio, sys
    from pathlib import Path
    from test_cache_sharing import JUDGED, VerdictCache, key_of
    async def ask(cache):
        async with cache.lock(key_of(1)):
            if cache.get(key_of(1)) is None:
                with Path(sys.argv[2]).open("a") as runs:
                    runs.write("ran\\n")
                await asyncio.sleep(0.3)
                cache.put(key_of(1), JUDGED)
    async def main():
        with VerdictCache(sys.argv[1]) as cache:
            await asyncio.gather(*(ask(cache) for _ in range(3)))
    asyncio.run(main())
"""
HOLD = """
    import asyncio, sys
    from test_cache_sharing import VerdictCache, key_of
    async def main():
        with VerdictCache(sys.argv[1]) as cache:
            async with cache.lock(key_of(1)):
                print("held", flush=True)
                await asyncio.sleep(600)
    asyncio.run(main())
"""


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + DEADLINE_S
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


class TestSingleFlight:
    def test_identical_requests_run_once_across_processes(self, path: Path, tmp_path: Path) -> None:
        runs = tmp_path / "runs"
        for asker in [start(FLIGHT, path, runs) for _ in range(3)]:
            finish(asker)
        assert runs.read_text() == "ran\n"
        assert list((tmp_path / "locks").iterdir()) == []

    async def test_tasks_exclude_each_other(self, cache: VerdictCache) -> None:
        inside = most = 0

        async def one() -> None:
            nonlocal inside, most
            async with cache.lock(key_of(1)):
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0.001)
                inside -= 1

        descriptors = len(os.listdir("/proc/self/fd"))
        await asyncio.wait_for(asyncio.gather(*(one() for _ in range(10))), DEADLINE_S)
        assert most == 1
        assert len(os.listdir("/proc/self/fd")) == descriptors

    def test_a_holder_lets_go_between_open_and_lock(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path, real, holder = tmp_path / "lock", fcntl.flock, ExitStack()
        holder.enter_context(lock_file_now(path, 0))

        def late(descriptor: int, how: int) -> None:
            monkeypatch.undo()
            holder.close()
            real(descriptor, how)

        monkeypatch.setattr(fcntl, "flock", late)
        # the second locks a file that its holder has just removed: it must not think it holds it
        with (
            lock_file_now(path, 0),
            pytest.raises(CacheError, match="held"),
            lock_file_now(path, 0),
        ):
            pytest.fail("two holders")

    async def test_a_second_key_while_holding_one(self, cache: VerdictCache) -> None:
        async def one(number: int) -> None:
            async with cache.lock(key_of(number)), cache.lock("fact"):
                await asyncio.sleep(0)

        await asyncio.wait_for(asyncio.gather(*(one(n) for n in range(30))), DEADLINE_S)

    async def test_a_cancelled_waiter_leaves_the_lock_usable(self, cache: VerdictCache) -> None:
        async def wait() -> None:
            async with cache.lock(key_of(1)):
                pytest.fail("the lock was held")

        async with cache.lock(key_of(1)):
            waiter = asyncio.create_task(wait())
            await asyncio.sleep(0.02)
            waiter.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiter
        async with asyncio.timeout(DEADLINE_S), cache.lock(key_of(1)):
            pass

    async def test_a_cancelled_or_failed_holder_lets_go(self, cache: VerdictCache) -> None:
        async def hold() -> None:
            async with cache.lock(key_of(1)):
                await asyncio.sleep(600)

        holder = asyncio.create_task(hold())
        await asyncio.sleep(0.02)
        holder.cancel()
        with pytest.raises(asyncio.CancelledError):
            await holder
        with pytest.raises(OSError, match="of the body"):
            async with asyncio.timeout(DEADLINE_S), cache.lock(key_of(1)):
                raise OSError("of the body")
        async with asyncio.timeout(DEADLINE_S), cache.lock(key_of(1)):
            pass

    async def test_a_killed_holder_lets_go(self, cache: VerdictCache, path: Path) -> None:
        holder = start(HOLD, path)
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05), cache.lock(key_of(1)):
                pytest.fail("another process holds it")
        holder.send_signal(signal.SIGKILL)
        holder.communicate(timeout=DEADLINE_S)
        async with asyncio.timeout(DEADLINE_S), cache.lock(key_of(1)):
            pass

    async def test_prune_sweeps_lock_files_but_not_held_ones(
        self, cache: VerdictCache, tmp_path: Path
    ) -> None:
        (tmp_path / "locks" / "left-by-a-dead-process").touch()
        async with cache.lock("held"):
            cache.prune(max_rows=10)
            assert [file.name for file in (tmp_path / "locks").iterdir()] == [sha256_hex(b"held")]

    async def test_locks_that_cannot_be_made(self, cache: VerdictCache, tmp_path: Path) -> None:
        (tmp_path / "locks").rmdir()
        with pytest.raises(CacheError, match="mend"):
            async with cache.lock(key_of(1)):
                pass
