"""The judge on a real engine: what runs once, what is kept, and whose fault a failure is."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import docker
import pytest

from judgebox.acsl.prove import ProofCase
from judgebox.acsl.task import PackTask, ProofTask, load_folder
from judgebox.cache import VerdictCache
from judgebox.engines import Engine, owner
from judgebox.engines.docker import DockerEngine
from judgebox.errors import EngineError, ImageError, JudgeError
from judgebox.job import Job, Report
from judgebox.judge import Judge
from judgebox.rubric import reward
from judgebox.verdict import Reason, Status, Verdict

PACK = Path(__file__).parents[2] / "data/core-v1"
CLAMP = load_folder(PACK / "clamping/clamp-range")
SEARCH = load_folder(PACK / "search/first-index")
RIGHT, ALSO_RIGHT = CLAMP.references[:2]
WRONG = "return value;"
CHEAP = 3000
"""Prover steps where a proof has to fail."""
UNPROVED = ProofTask(
    "same",
    "/*@ requires 0 <= x <= 1000; assigns \\nothing; ensures \\result == x; */\n"
    "int same(int x) { /* TODO */ }\n",
    oracle="""#ifdef ORACLE
enum { EDGES = 1 };
static void input(int k) { put("x", k == 0 ? 1000 : draw(0, 1000)); }
static void check(void) { expect(out("result") == in("x"), "ensures \\\\result == x"); }
#endif
static void call(void) { put("result", same((int)in("x"))); }
""",
    steps=CHEAP,
)
COUNTS_UP = """int r = 0;
/*@ loop invariant 0 <= r; loop assigns r; loop variant x - r; */
while (r < x) { r++; }
return r;"""


class Watched:
    """The real engine, with a list of the jobs it was given."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.jobs: list[Job] = []
        self.started = asyncio.Event()

    @property
    def identity(self) -> str:
        return self.engine.identity

    async def run(self, job: Job) -> Report:
        self.jobs.append(job)
        self.started.set()
        return await self.engine.run(job)

    async def close(self) -> None:
        """The engine belongs to the session."""

    def ran(self, step: str) -> int:
        """How many jobs had a step of that name."""
        return sum(any(one.name == step for one in job.steps) for job in self.jobs)


@pytest.fixture
def watched(engine: DockerEngine) -> Watched:
    return Watched(engine)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[VerdictCache]:
    with VerdictCache(tmp_path / "verdicts.sqlite3") as cache:
        yield cache


@pytest.fixture
def case(image: str) -> Callable[..., ProofCase]:
    """A reply to a task, by default to a small one of the pack."""

    def case(reply: str, task: ProofTask = CLAMP.task, **options: bool) -> ProofCase:
        return ProofCase(task, f"```c\n{reply}\n```", image=image, **options)

    return case


Make = Callable[..., ProofCase]


async def test_identical_requests_run_once(
    watched: Watched, cache: VerdictCache, case: Make
) -> None:
    judge = Judge(watched, cache)
    verdicts = await asyncio.gather(*(judge.judge(case(RIGHT)) for _ in range(8)))
    assert {verdict.status for verdict in verdicts} == {Status.PROVED}
    assert len({verdict.digest for verdict in verdicts}) == 1
    assert sorted(verdict.cached for verdict in verdicts) == [False] + [True] * 7
    assert (watched.ran("prove"), watched.ran("build")) == (1, 1)
    assert (watched.ran("contract"), watched.ran("oracle")) == (1, 1)  # the task's facts
    assert (cache.stats().rows, cache.stats().blobs) == (1, 1)


async def test_two_judges_at_once_share_one_run(
    watched: Watched, cache: VerdictCache, case: Make
) -> None:
    with VerdictCache(cache.path) as other:
        judges = [Judge(watched, cache), Judge(watched, other)]
        found = await asyncio.gather(*(judge.judge(case(WRONG)) for judge in judges))
    assert found[0].digest == found[1].digest
    assert {verdict.cached for verdict in found} == {True, False}
    assert (watched.ran("build"), watched.ran("contract")) == (1, 1)


async def test_a_later_judge_finds_verdict_and_facts(
    watched: Watched, cache: VerdictCache, case: Make
) -> None:
    first = await Judge(watched, cache).judge(case(WRONG))
    with VerdictCache(cache.path) as again:
        later = Judge(watched, again)
        before = len(watched.jobs)
        kept = await later.judge(case(WRONG))
        assert (first.cached, kept.cached) == (False, True)
        assert kept.digest == first.digest
        assert kept.seconds == first.seconds
        assert len(watched.jobs) == before
        other = await later.judge(case("return low;"))
        assert (other.status, other.cached) == (Status.REFUTED, False)
        assert watched.ran("contract") == 1


async def assert_nothing_judged(
    engine: Engine, cache: VerdictCache, case: ProofCase, error: type[JudgeError], word: str
) -> None:
    with pytest.raises(error, match=word) as raised:
        await Judge(engine, cache).judge(case)
    assert raised.value.mend
    assert (cache.stats().rows, cache.stats().blobs) == (0, 0)


async def test_an_engine_that_is_down(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: VerdictCache, case: Make
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")
    engine = DockerEngine(slots_directory=tmp_path / "slots")
    try:
        await assert_nothing_judged(engine, cache, case(RIGHT), EngineError, "does not answer")
    finally:
        await engine.close()


async def test_an_engine_that_is_closed(tmp_path: Path, cache: VerdictCache, case: Make) -> None:
    engine = DockerEngine(slots_directory=tmp_path / "slots")
    await engine.close()
    await assert_nothing_judged(engine, cache, case(RIGHT), EngineError, "closed")


async def test_an_image_that_is_missing(engine: DockerEngine, cache: VerdictCache) -> None:
    missing = ProofCase(CLAMP.task, RIGHT, image="sha256:" + 64 * "0")
    await assert_nothing_judged(engine, cache, missing, ImageError, "no image")


class Killed(Watched):
    """The real engine; the first `times` containers that run `program` for a job with the step
    `step` are killed through the Docker API in the middle of it."""

    def __init__(self, engine: Engine, step: str, program: str, times: int) -> None:
        super().__init__(engine)
        self.step, self.program, self.left = step, program, times

    async def run(self, job: Job) -> Report:
        if not any(step.name == self.step for step in job.steps):
            return await super().run(job)
        done = threading.Event()
        killing = asyncio.create_task(asyncio.to_thread(self._kill, done))
        try:
            return await super().run(job)
        finally:
            done.set()
            await killing

    def _kill(self, done: threading.Event) -> None:
        client = docker.from_env()
        filters = {"label": f"{owner.LABEL}={owner.label()}"}
        try:
            while self.left and not done.is_set():
                for container in client.api.containers(filters=filters):
                    try:
                        rows = client.api.top(container["Id"])["Processes"] or []
                        if any(self.program in row[-1] for row in rows):
                            client.api.kill(container["Id"])
                            self.left -= 1
                    except docker.errors.APIError:
                        continue  # it has gone meanwhile
                time.sleep(0.02)
        finally:
            client.close()


@pytest.fixture
def own_engine(tmp_path: Path) -> Iterator[DockerEngine]:
    engine = DockerEngine(2, slots_directory=tmp_path / "slots")
    yield engine
    engine.shut_down()


async def test_a_job_that_ends_its_container_twice(
    own_engine: DockerEngine, cache: VerdictCache, case: Make
) -> None:
    killed = Killed(own_engine, "prove", "frama-c", times=2)
    judge = Judge(killed, cache)
    submission = case(SEARCH.references[0], SEARCH.task)
    verdict = await judge.judge(submission)
    assert killed.left == 0
    assert (verdict.status, verdict.reasons) == (Status.CRASHED, (Reason.TOOL_CRASHED,))
    assert reward(verdict) == 0.0
    assert cache.stats().rows == 0
    assert (await judge.judge(submission)).status is Status.PROVED  # it was not kept


@pytest.mark.slow
async def test_a_container_lost_once_does_not_show(
    own_engine: DockerEngine, cache: VerdictCache, case: Make
) -> None:
    killed = Killed(own_engine, "prove", "frama-c", times=1)
    verdict = await Judge(killed, cache).judge(case(SEARCH.references[0], SEARCH.task))
    assert killed.left == 0
    assert verdict.status is Status.PROVED


async def test_facts_that_end_their_container_twice_are_our_fault(
    own_engine: DockerEngine, cache: VerdictCache, case: Make
) -> None:
    # without an oracle the facts hold proofs of the stubs, which last long enough to be met
    task = dataclasses.replace(CLAMP.task, oracle=None)
    killed = Killed(own_engine, "prove", "frama-c", times=2)
    await assert_nothing_judged(killed, cache, case(RIGHT, task), JudgeError, "preparing a task")
    assert killed.left == 0


async def test_cancelling_one_leaves_the_others_right(
    watched: Watched, cache: VerdictCache, case: Make
) -> None:
    judge = Judge(watched, cache)
    replies = [RIGHT, WRONG, ALSO_RIGHT, "return low;"]
    tasks = [asyncio.create_task(judge.judge(case(reply))) for reply in replies]
    await watched.started.wait()
    tasks[0].cancel()
    found = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(found[0], asyncio.CancelledError)
    rest = [verdict.status for verdict in found[1:] if isinstance(verdict, Verdict)]
    assert rest == [Status.REFUTED, Status.PROVED, Status.REFUTED]
    assert (await judge.judge(case(RIGHT))).status is Status.PROVED


async def test_cancelling_the_one_that_runs_hands_over_to_the_next(
    watched: Watched, cache: VerdictCache, case: Make
) -> None:
    judge = Judge(watched, cache)
    tasks = [asyncio.create_task(judge.judge(case(WRONG))) for _ in range(4)]
    await watched.started.wait()
    tasks[0].cancel()
    found = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(found[0], asyncio.CancelledError)
    verdicts = [verdict for verdict in found[1:] if isinstance(verdict, Verdict)]
    assert [verdict.status for verdict in verdicts] == [Status.REFUTED] * 3
    assert sorted(verdict.cached for verdict in verdicts) == [False, True, True]
    assert not judge._locks  # nothing is left behind


@pytest.mark.parametrize("task", [CLAMP, load_folder(PACK / "saturating/add-saturating")])
async def test_wrong_bodies_proved_anyway_stay_refuted(
    watched: Watched, case: Make, task: PackTask
) -> None:
    judge = Judge(watched)
    wrong = [body for body in task.wrong if body.status == "refuted"][:1]
    assert wrong
    for body in wrong:
        cheap = replace(task.task, steps=CHEAP)
        verdict = await judge.judge(case(body.code, cheap, always_prove=True))
        assert verdict.status is Status.REFUTED, body.name
        assert verdict.reasons[0] is Reason.REFUTED
        assert Reason.SOUNDNESS_ALARM not in verdict.reasons
        assert verdict.proof is not None
        assert 0 < verdict.proof.goals_proved < verdict.proof.goals_total
        assert any(row.status != "Valid" for row in verdict.proof.contract + verdict.proof.body)
        assert verdict.message.startswith("on ")
        assert reward(verdict) <= 0.225
    assert watched.ran("prove") == len(wrong)


@pytest.mark.parametrize(
    ("reply", "task", "status"),
    [
        (RIGHT, CLAMP.task, Status.PROVED),
        (COUNTS_UP, UNPROVED, Status.UNPROVED),
        (WRONG, CLAMP.task, Status.REFUTED),
    ],
    ids=["proved", "unproved", "refuted"],
)
async def test_the_same_verdict_each_time(
    engine: DockerEngine, case: Make, reply: str, task: ProofTask, status: Status
) -> None:
    judges = [Judge(engine) for _ in range(3)]  # three at once: under more and less load
    verdicts = await asyncio.gather(*(judge.judge(case(reply, task)) for judge in judges))
    assert {verdict.status for verdict in verdicts} == {status}
    assert len({verdict.digest for verdict in verdicts}) == 1
    assert not any(verdict.cached for verdict in verdicts)


async def test_identical_requests_run_once_without_a_cache(watched: Watched, case: Make) -> None:
    judge = Judge(watched)
    verdicts = await asyncio.gather(*(judge.judge(case(WRONG)) for _ in range(4)))
    assert sorted(verdict.cached for verdict in verdicts) == [False] + [True] * 3
    assert watched.ran("build") == 1
    assert not (await judge.judge(case(WRONG))).cached  # nothing is kept for later requests
