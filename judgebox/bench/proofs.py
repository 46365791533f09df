"""The judge against bare Frama-C, over the references of a pack.

*Default*: what people type, all provers at once under WP's default scheduling, with our step
budget.  *Our flags*: the very command the judge runs.  Both run in a plain container of the judge
image; time and CPU are taken inside it, so that Docker's own exec costs them nothing.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import docker

from judgebox import images
from judgebox.acsl import framac
from judgebox.acsl.contract import JudgedText, check
from judgebox.acsl.prove import ProofCase
from judgebox.acsl.task import PackTask, load_pack
from judgebox.bench.measure import Measure
from judgebox.engines import owner
from judgebox.engines.docker import DockerEngine
from judgebox.errors import UsageError
from judgebox.job import File, Job
from judgebox.judge import Judge
from judgebox.verdict import Status, Verdict

_TIMED = """
import json, os, pathlib, resource, subprocess, sys, tempfile, time
argv, text = json.load(sys.stdin)
with tempfile.TemporaryDirectory(dir="/job") as folder:
    pathlib.Path(folder, "judged.c").write_text(text)
    start = time.monotonic()
    env = os.environ | {"HOME": folder, "WHY3CONFIG": "/etc/judge/why3.conf"}
    done = subprocess.run(argv, cwd=folder, env=env, stdout=subprocess.DEVNULL)
    wall = time.monotonic() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([done.returncode, wall, used.ru_utime + used.ru_stime]))
"""


def _default(steps: int) -> list[str]:
    argv = ["frama-c", "-wp", "-wp-rte", "-wp-prover", "cvc4,z3,cvc5", "-wp-par", "1"]
    return [*argv, "-wp-steps", str(steps), "-wp-timeout", "120", "-wp-cache", "none", "judged.c"]


class _Bare:
    """A plain container of the judge image, in which commands run as they are."""

    def __init__(self, client: docker.DockerClient, image: str) -> None:
        self.container = client.containers.run(
            image,
            ["sleep", "7200"],  # ends by itself should we be killed
            detach=True,
            auto_remove=True,
            network_mode="none",
            tmpfs={"/job": "exec,mode=1777", "/tmp": "exec,mode=1777"},
            labels={"judgebox.bench": "1"},
            init=True,
        )

    def run(self, argv: Sequence[str], text: str) -> tuple[float, float]:
        """Wall and CPU seconds of a command on `judged.c` holding `text`."""
        request = json.dumps([list(argv), text])
        script = f"import io, sys\nsys.stdin = io.StringIO({request!r})\n{_TIMED}"
        status, output = self.container.exec_run(["python3", "-c", script], stderr=False)
        assert isinstance(output, bytes)
        code, wall, cpu = json.loads(output)
        if status != 0 or code != 0:
            raise RuntimeError(f"the bare command failed with status {code}")
        return wall, cpu

    def close(self) -> None:
        """Remove the container."""
        self.container.remove(force=True)


@contextmanager
def _bare(image: str, count: int = 1) -> Iterator[list[_Bare]]:
    clients = [docker.from_env() for _ in range(count)]
    found: list[_Bare] = []
    try:
        found += [_Bare(client, image) for client in clients]
        yield found
    finally:
        for bare in found:
            bare.close()
        for client in clients:
            client.close()


def _references(pack: Path, image: str) -> list[tuple[PackTask, ProofCase, JudgedText]]:
    found = []
    for task in load_pack(pack):
        for reference in task.references:
            judged = check(task.task.text, reference, allowed_calls=task.task.calls)
            if not isinstance(judged, JudgedText):
                raise UsageError(f"{task.id}: a reference breaks a rule: {judged.message}")
            found.append((task, ProofCase(task.task, reference, image=image), judged))
    return found


async def _timed(judge: Judge, case: ProofCase) -> tuple[float, Verdict]:
    start = time.monotonic()
    verdict = await judge.judge(case)
    return time.monotonic() - start, verdict


def _expect(verdict: Verdict, status: Status) -> None:
    if verdict.status is not status:
        raise RuntimeError(f"{status} was expected: {verdict.message}")


def latency(pack: Path, repeat: int) -> Sequence[Measure]:
    """Wall time of one reply at one worker, whole judge against the bare default command."""
    image = images.ensure("frama-c")
    ours, bares = [], []

    async def measure(bare: _Bare) -> None:
        judge = Judge.open(slots=1, cache=False)
        try:
            references = _references(pack, image)
            for _, case, _ in references[:1] + references:  # warms container and task facts
                await judge.judge(case)
            for task, case, judged in references * repeat:
                wall, _ = bare.run(_default(task.task.steps), judged.text)
                bares.append(wall)
                wall, verdict = await _timed(judge, case)
                _expect(verdict, Status.PROVED)
                ours.append(wall)
        finally:
            await judge.close()

    with _bare(image) as (bare,):
        asyncio.run(measure(bare))
    ratios = [mine / theirs for mine, theirs in zip(ours, bares, strict=True)]
    return [
        Measure("median wall time, judge", statistics.median(ours), "s"),
        Measure(
            "median wall time, bare frama-c, default scheduling", statistics.median(bares), "s"
        ),
        Measure("ratio of the medians", statistics.median(ours) / statistics.median(bares), "×"),
        Measure("median of the ratios", statistics.median(ratios), "×", "≤ 0.7"),
        Measure("references timed", len(ours)),
    ]


def throughput(pack: Path, repeat: int) -> Sequence[Measure]:
    """Replies per second with two slots per core, against one bare default command per core."""
    image = images.ensure("frama-c")
    references = _references(pack, image) * repeat

    async def measure() -> float:
        judge = Judge.open(cache=False)
        try:
            await judge.judge_all([case for _, case, _ in references[: len(references) // repeat]])
            start = time.monotonic()
            verdicts = await judge.judge_all([case for _, case, _ in references], workers=16)
            for verdict in verdicts:
                _expect(verdict, Status.PROVED)
            return len(verdicts) / (time.monotonic() - start)
        finally:
            await judge.close()

    ours = asyncio.run(measure())
    with _bare(image, 2) as bares:

        def side(number: int) -> int:
            mine = references[number::2]
            for task, _, judged in mine:
                bares[number].run(_default(task.task.steps), judged.text)
            return len(mine)

        start = time.monotonic()
        with ThreadPoolExecutor(2) as pool:
            done = sum(pool.map(side, range(2)))
        theirs = done / (time.monotonic() - start)
    return [
        Measure("replies per second, judge", ours, "/s"),
        Measure("two bare commands side by side", theirs, "/s"),
        Measure("ratio", ours / theirs, "×", "≥ 1.6"),
    ]


def overhead(pack: Path, repeat: int) -> Sequence[Measure]:
    """CPU of a proof job, runner included, against the same command in a plain container."""
    image = images.ensure("frama-c")
    ratios = []

    async def measure(bare: _Bare, client: docker.DockerClient) -> None:
        engine = DockerEngine(slots=1)
        try:
            for task, _, judged in _references(pack, image)[:8] * (repeat + 1):
                step = framac.proof_step(
                    (task.task.text.name,), steps=task.task.steps, target=task.task.text.name
                )
                job = Job(image, (step,), {framac.SOURCE: File(judged.text.encode())})
                await engine.run(job)
                before = _cpu_of_judges(client)
                report = await engine.run(job)
                ours = _cpu_of_judges(client) - before
                _, theirs = bare.run(step.argv, judged.text)
                ratios.append(ours / theirs)
                if not report["prove"].ok:
                    raise RuntimeError("a reference's proof job failed")
        finally:
            await engine.close()

    client = docker.from_env()
    try:
        with _bare(image) as (bare,):
            asyncio.run(measure(bare, client))
    finally:
        client.close()
    return [
        Measure("CPU, judge's container / bare, our flags, median", statistics.median(ratios), "×",
                "≤ 1.05"),
        Measure("jobs timed", len(ratios)),
    ]  # fmt: skip


def _cpu_of_judges(client: docker.DockerClient) -> float:
    """CPU seconds that all judge containers have used since they started."""
    total = 0.0
    for container in client.containers.list(filters={"label": f"{owner.LABEL}={owner.label()}"}):
        stats: Any = client.api.stats(container.name or "", stream=False, one_shot=True)
        total += stats["cpu_stats"]["cpu_usage"]["total_usage"] / 1e9
    return total


def refuted(pack: Path, repeat: int) -> Sequence[Measure]:
    """CPU of a body that the oracle refutes."""
    image = images.ensure("frama-c")
    cases = [
        ProofCase(task.task, wrong.code, image=image)
        for task in load_pack(pack)
        for wrong in task.wrong
        if wrong.status == "refuted"
    ]

    async def measure() -> list[float]:
        judge = Judge.open(slots=1, cache=False)
        try:
            verdicts = await judge.judge_all(cases * repeat, workers=1)
        finally:
            await judge.close()
        # one in a hundred is proved all the same, by design
        return [v.seconds["cpu"] for v in verdicts if v.proof is None]

    spent = asyncio.run(measure())
    return [
        Measure("CPU of a refuted body, median", statistics.median(spent), "s", "≤ 0.5"),
        Measure("largest", max(spent), "s"),
        Measure("bodies", len(spent)),
    ]
