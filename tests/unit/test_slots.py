from __future__ import annotations

import asyncio
import itertools
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from judgebox.engines.slots import Slots
from judgebox.errors import EngineError

WORKER = """
import asyncio, os, sys
from pathlib import Path
from judgebox.engines.slots import Slots

async def main(directory, rounds):
    slots = Slots(1, Path(directory))
    print("ready", flush=True)
    sys.stdin.readline()
    async def work(number):
        slot = await slots.acquire()
        mark = os.open(directory + "/../inside", os.O_CREAT | os.O_EXCL)  # fails if two are inside
        with open(directory + "/../order", "a") as order:
            print(os.getpid(), file=order)
        await asyncio.sleep(0.005)
        os.close(mark)
        os.unlink(directory + "/../inside")
        slot.release()
    await asyncio.gather(*(work(number) for number in range(rounds)))

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


def worker(directory: Path, rounds: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, str(directory), str(rounds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )


async def test_waiters_are_served_in_order(tmp_path: Path) -> None:
    slots = Slots(1, tmp_path / "slots")
    first = await slots.acquire()
    served: list[int] = []

    async def wait(number: int) -> None:
        slot = await slots.acquire()
        served.append(number)
        slot.release()

    waiters = [asyncio.create_task(wait(number)) for number in range(20)]
    await asyncio.sleep(0.05)
    assert served == []
    waiters[3].cancel()  # a waiter who leaves holds nobody up
    waiters[0].cancel()
    first.release()
    await asyncio.gather(*waiters, return_exceptions=True)
    assert served == [number for number in range(20) if number not in (0, 3)]
    slots.close()


async def test_a_slot_released_twice_is_one_slot(tmp_path: Path) -> None:
    slots = Slots(1, tmp_path / "slots")
    slot = await slots.acquire()
    slot.release()
    other = await slots.acquire()
    slot.release()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(slots.acquire(), 0.1)
    other.release()
    slots.close()


def test_several_event_loops_share_the_budget(tmp_path: Path) -> None:
    slots = Slots(2, tmp_path / "slots")
    inside, most, lock = [0], [0], threading.Lock()

    async def work() -> None:
        slot = await slots.acquire()
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        await asyncio.sleep(0.005)
        with lock:
            inside[0] -= 1
        slot.release()

    async def many() -> None:
        await asyncio.gather(*(work() for _ in range(10)))

    threads = [threading.Thread(target=asyncio.run, args=(many(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert most[0] == 2
    slots.close()


def test_processes_share_the_budget_and_take_turns(tmp_path: Path) -> None:
    workers = [worker(tmp_path / "slots", 20) for _ in range(2)]
    for one in workers:
        assert one.stdout is not None
        assert one.stdin is not None
        assert one.stdout.readline() == "ready\n"
    for one in workers:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    for one in workers:
        one.communicate(timeout=60)
    assert [one.returncode for one in workers] == [0, 0]
    order = (tmp_path / "order").read_text().split()
    assert sorted(order) == sorted(20 * [str(one.pid) for one in workers])
    rows = [len(list(row)) for _, row in itertools.groupby(order)]
    assert max(rows) < 15, rows  # 20 if the first could keep the slot to itself


def test_a_killed_process_frees_its_slot(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import asyncio, sys, time\nfrom pathlib import Path\n"
            "from judgebox.engines.slots import Slots\n"
            "slot = asyncio.run(Slots(1, Path(sys.argv[1])).acquire())\n"
            "print('held', flush=True)\ntime.sleep(100)",
            str(tmp_path / "slots"),
        ],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"

    async def take() -> None:
        slots = Slots(1, tmp_path / "slots")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(slots.acquire(), 0.2)
        holder.kill()
        slot = await asyncio.wait_for(slots.acquire(), 10)
        slot.release()
        slots.close()

    asyncio.run(take())
    holder.wait()
    holder.stdout.close()


def test_another_users_directory_is_refused(tmp_path: Path) -> None:
    open_to_all = tmp_path / "slots"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    with pytest.raises(EngineError, match="alone"):
        Slots(1, open_to_all)
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    with pytest.raises(EngineError, match="alone"):
        Slots(1, link)
