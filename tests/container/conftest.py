"""Real containers: one engine and one image for the whole run."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator

import pytest

from judgebox.acsl.prove import ProofCase
from judgebox.acsl.task import ProofTask
from judgebox.engines.docker import DockerEngine
from judgebox.judge import Judge
from judgebox.verdict import Verdict

from .programs import C


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/container" in item.path.as_posix():
            item.add_marker(pytest.mark.container)


@pytest.fixture(scope="session")
def image() -> str:
    """Id of the judge image; JUDGEBOX_TEST_IMAGE names another."""
    if given := os.environ.get("JUDGEBOX_TEST_IMAGE"):
        return given
    from judgebox.images import ensure

    return ensure("frama-c")


@pytest.fixture(scope="session")
def engine() -> Iterator[DockerEngine]:
    engine = DockerEngine()
    yield engine
    engine.shut_down()


@pytest.fixture
def c(engine: DockerEngine, image: str) -> C:
    return C(engine, image)


@pytest.fixture(scope="session")
def judge_reply(engine: DockerEngine, image: str) -> Callable[..., Awaitable[Verdict]]:
    """Judges one reply to one task, without a cache."""
    judge = Judge(engine)

    async def judge_reply(task: ProofTask, reply: str | bytes, **options: bool) -> Verdict:
        return await judge.judge(ProofCase(task, reply, image=image, **options))

    return judge_reply
