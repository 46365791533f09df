"""What may go wrong with containers, and whose fault it is."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import docker
import psutil
import pytest

from judgebox import runner
from judgebox.engines import owner
from judgebox.engines.docker import DockerEngine, memory_class
from judgebox.errors import EngineError, ImageError, JobEndedContainer
from judgebox.job import Job, Step

from .programs import DEFAULT, MIB

ROOT = Path(__file__).parents[2]


def job(image: str, *argv: str) -> Job:
    return Job(image, (Step("only", argv, DEFAULT),))


def sleeper(image: str, seconds: str = "30") -> Job:
    limits = dataclasses.replace(DEFAULT, wall_s=60.0)
    return Job(image, (Step("only", ("sleep", seconds), limits, "candidate"),))


@pytest.fixture
def api() -> Iterator[docker.APIClient]:
    api = docker.from_env().api
    yield api
    api.close()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Callable[..., DockerEngine]]:
    """Makes engines with a budget of their own, and closes them."""
    made: list[DockerEngine] = []

    def make(slots: int = 2, **options: Any) -> DockerEngine:
        made.append(DockerEngine(slots, slots_directory=tmp_path / "slots", **options))
        return made[-1]

    yield make
    for engine in made:
        engine.shut_down()


def mine(api: docker.APIClient) -> set[str]:
    label = f"{owner.LABEL}={owner.label()}"
    return {item["Id"] for item in api.containers(all=True, filters={"label": label})}


def kill_when_asleep(api: docker.APIClient, known: set[str], times: int, seconds: str) -> None:
    """Kill `times` containers, each as soon as the job's `sleep` runs in it."""
    deadline = time.monotonic() + 60
    while times and time.monotonic() < deadline:
        for container in mine(api) - known:
            try:
                rows = api.top(container)["Processes"] or []
            except docker.errors.APIError:
                continue
            if any(f"sleep {seconds}" in row[-1] for row in rows):
                api.kill(container)
                known = known | {container}
                times -= 1
        time.sleep(0.02)


# ---- the engine's own life


def test_engine_down(own: Callable[..., DockerEngine], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    with pytest.raises(EngineError) as caught:
        asyncio.run(own().run(job("sha256:" + 64 * "0", "true")))
    assert "DOCKER_HOST" in caught.value.mend


@pytest.mark.parametrize("image", ["sha256:" + 64 * "0", "judgebox/frama-c:latest", "--privileged"])
def test_no_such_image(own: Callable[..., DockerEngine], image: str) -> None:
    with pytest.raises(ImageError) as caught:
        asyncio.run(own().run(job(image, "true")))
    assert caught.value.mend


def test_a_tool_the_image_lacks_is_our_fault(own: Callable[..., DockerEngine], image: str) -> None:
    engine = own(1)
    with pytest.raises(EngineError, match="cannot start 'no-such-tool'"):
        asyncio.run(engine.run(job(image, "no-such-tool")))
    assert asyncio.run(engine.run(job(image, "true")))["only"].ok


def test_warm_containers_are_reused_recycled_and_removed(
    own: Callable[..., DockerEngine], image: str, api: docker.APIClient
) -> None:
    before = mine(api)
    engine = own(1, jobs_per_container=2, idle_s=0.5)
    seen = []
    for _ in range(3):
        assert asyncio.run(engine.run(job(image, "true")))["only"].ok
        seen.append(frozenset(mine(api) - before))
    assert len(seen[0]) == len(seen[2]) == 1
    assert seen[1] == frozenset()  # it had run its two jobs
    assert seen[0] != seen[2]
    deadline = time.monotonic() + 20
    while mine(api) - before and time.monotonic() < deadline:
        time.sleep(0.1)
    assert mine(api) == before


def test_closing_removes_the_containers(
    own: Callable[..., DockerEngine], image: str, api: docker.APIClient
) -> None:
    before = mine(api)
    engine = own(1)
    asyncio.run(engine.run(job(image, "true")))
    assert mine(api) > before
    asyncio.run(engine.close())
    assert mine(api) == before
    with pytest.raises(EngineError, match="closed"):
        asyncio.run(engine.run(job(image, "true")))


def test_several_threads_and_loops(engine: DockerEngine, image: str) -> None:
    said: list[bytes] = []

    async def many(number: int) -> None:
        jobs = [job(image, "echo", f"{number}.{each}") for each in range(5)]
        said.extend(r["only"].stdout for r in await asyncio.gather(*map(engine.run, jobs)))

    threads = [threading.Thread(target=asyncio.run, args=(many(number),)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(said) == sorted(f"{n}.{each}\n".encode() for n in range(4) for each in range(5))


def test_queue_time_is_outside_the_limits(own: Callable[..., DockerEngine], image: str) -> None:
    engine = own(1)
    short = Step("only", ("sleep", "0.4"), dataclasses.replace(DEFAULT, wall_s=1.0))

    async def three() -> list[Any]:
        return await asyncio.gather(*(engine.run(Job(image, (short,))) for _ in range(4)))

    reports = asyncio.run(three())
    assert all(report["only"].ok for report in reports)
    assert max(report.queue_s for report in reports) > 1.1


# ---- containers that end


def test_a_lost_container_costs_one_retry(
    own: Callable[..., DockerEngine], image: str, api: docker.APIClient
) -> None:
    engine = own(1)
    killer = threading.Thread(target=kill_when_asleep, args=(api, mine(api), 1, "1.5"))
    killer.start()
    report = asyncio.run(engine.run(sleeper(image, "1.5")))
    killer.join()
    assert report["only"].ok


def test_a_job_that_ends_two_containers(
    own: Callable[..., DockerEngine], image: str, api: docker.APIClient
) -> None:
    engine = own(1)
    before = mine(api)
    killer = threading.Thread(target=kill_when_asleep, args=(api, before, 2, "31"))
    killer.start()
    with pytest.raises(JobEndedContainer):
        asyncio.run(engine.run(sleeper(image, "31")))
    killer.join()
    assert mine(api) == before
    assert asyncio.run(engine.run(job(image, "true")))["only"].ok


def test_containers_that_never_live_are_our_fault(
    own: Callable[..., DockerEngine], image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = b"import os\nos.write(1, (14).to_bytes(8, 'big') + b'{\"ready\": \"x\"}')\nos._exit(1)"
    monkeypatch.setattr(runner, "source", lambda: ends)
    with pytest.raises(EngineError, match="containers do not live") as caught:
        asyncio.run(own(1).run(job(image, "true")))
    assert not isinstance(caught.value, JobEndedContainer)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        pytest.param(b'{"nonce": "guessed", "steps": []}', "another job", id="nonce"),
        pytest.param(b'{"steps": []}', "another job", id="no-nonce"),
        pytest.param(b"[]", "not a JSON object", id="list"),
        pytest.param(b"{", "not JSON", id="cut"),
    ],
)
def test_an_answer_that_is_none_is_our_fault(
    own: Callable[..., DockerEngine],
    image: str,
    api: docker.APIClient,
    monkeypatch: pytest.MonkeyPatch,
    answer: bytes,
    words: str,
) -> None:
    stand_in = f"""
import os
def say(body): os.write(1, len(body).to_bytes(8, "big") + body)
say(b'{{"ready": "stand-in"}}')
size = int.from_bytes(os.read(0, 8), "big")
while size > 0: size -= len(os.read(0, size))
say({answer!r})
os.read(0, 1)
"""
    before = mine(api)
    monkeypatch.setattr(runner, "source", lambda: stand_in.encode())
    with pytest.raises(EngineError, match=words):
        asyncio.run(own(1).run(job(image, "true")))
    assert mine(api) == before


# ---- cancelling


def test_cancelling_leaks_nothing_and_spares_the_others(
    own: Callable[..., DockerEngine], image: str, api: docker.APIClient
) -> None:
    engine = own(2)
    before = mine(api)

    async def many() -> tuple[list[Any], float]:
        async def one(number: int) -> bytes:
            limits = dataclasses.replace(DEFAULT, wall_s=60.0)
            argv = ("sh", "-c", f"echo {number}; exec sleep {30 if number % 2 else 0.01}")
            report = await engine.run(Job(image, (Step("only", argv, limits),)))
            return report["only"].stdout

        tasks = [asyncio.create_task(one(number)) for number in range(12)]
        for number in range(1, 12, 2):  # each of these would hold a slot for half a minute
            await asyncio.sleep(0.25)
            tasks[number].cancel()
        start = time.monotonic()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        return results, time.monotonic() - start

    results, seconds = asyncio.run(many())
    assert seconds < 20
    for number, result in enumerate(results):
        if number % 2:
            assert isinstance(result, asyncio.CancelledError)
        else:
            assert result == f"{number}\n".encode()
    engine.shut_down()
    assert mine(api) == before


# ---- owners that end

OWNER = """
import asyncio, os, sys
from pathlib import Path
from judgebox.engines.docker import DockerEngine
from judgebox.job import Job, Limits, Step
limits = Limits(60, 60, 1 << 26, 4096, 4096, 8)
engine = DockerEngine(1, slots_directory=Path(sys.argv[2]))
job = lambda *argv: Job(sys.argv[1], (Step("only", argv, limits),))
asyncio.run(engine.run(job("true")))
if sys.argv[3] == "fork":
    child = os.fork()
    report = asyncio.run(engine.run(job("echo", "child" if child == 0 else "parent")))
    os.write(1, report["only"].stdout)
    if child == 0:
        engine.shut_down()
        os._exit(0)
    os.waitpid(child, 0)
    os.write(1, asyncio.run(engine.run(job("echo", "again")))["only"].stdout)
elif sys.argv[3] == "killed":
    print("ready", flush=True)
    asyncio.run(engine.run(job("sleep", "50")))
"""


def started(image: str, tmp_path: Path, way: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        # From 3.12 on Python warns of any fork beside threads; that is the case under test.
        [
            sys.executable,
            "-W",
            "error",
            "-W",
            "ignore::DeprecationWarning",
            "-c",
            OWNER,
            image,
            str(tmp_path / "slots"),
            way,
        ],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def of_pid(api: docker.APIClient, pid: int) -> list[str]:
    items = api.containers(all=True, filters={"label": owner.LABEL})
    return [item["Id"] for item in items if f"/{pid}/" in item["Labels"][owner.LABEL]]


def test_a_process_that_exits_takes_its_containers_along(
    image: str, tmp_path: Path, api: docker.APIClient
) -> None:
    process = started(image, tmp_path, "exits")
    assert process.communicate(timeout=60)[0] == b""
    assert process.returncode == 0
    assert of_pid(api, process.pid) == []


def test_a_fork_starts_over(image: str, tmp_path: Path, api: docker.APIClient) -> None:
    process = started(image, tmp_path, "fork")
    said = process.communicate(timeout=60)[0]
    assert sorted(said.split()) == [b"again", b"child", b"parent"]
    assert process.returncode == 0
    assert of_pid(api, process.pid) == []


def test_orphans_of_a_killed_owner_are_reaped(
    own: Callable[..., DockerEngine], image: str, tmp_path: Path, api: docker.APIClient
) -> None:
    process = started(image, tmp_path, "killed")
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    deadline = time.monotonic() + 20
    while not of_pid(api, process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    # Its container sleeps on; the next engine removes it, and takes over the only slot.
    engine = own(1)
    assert asyncio.run(engine.run(job(image, "true")))["only"].ok
    assert of_pid(api, process.pid) == []


def test_only_dead_owners_of_this_host_are_dead() -> None:
    host, pid, since = owner.label().rsplit("/", 2)
    assert not owner.is_dead(owner.label())
    assert owner.is_dead(f"{host}/{pid}/1.00")  # the number was given to another process
    unused = next(n for n in range(30000, 10, -1) if not psutil.pid_exists(n))
    assert owner.is_dead(f"{host}/{unused}/{since}")
    for foreign in ("", "x", f"other-boot/{pid}/1.00", f"{host}/x/1.00", f"{host}/{pid}"):
        assert not owner.is_dead(foreign)


def test_memory_classes() -> None:
    def need(size: int) -> int:
        limits = dataclasses.replace(DEFAULT, memory_bytes=size)
        return memory_class(Job("", (Step("a", (), DEFAULT), Step("b", (), limits))))

    assert need(1) == need(256 * MIB) == 256 * MIB
    assert need(256 * MIB + 1) == need(512 * MIB) == 512 * MIB
